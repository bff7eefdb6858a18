-- How people come to a match: by links to a side of it, and by invitations.

-- A link that admits to one side; of its secret only the hash is kept. The link to the whole
-- match, which is made with it, stands in its row.
create table links (
    hash blob not null,
    match_id blob not null,
    side text not null,
    made_by blob not null,
    created_ms integer not null,
    constraint links_hash primary key (hash),
    constraint links_of_a_match foreign key (match_id) references matches (id),
    constraint links_hash_is_sha256 check (length(hash) = 32),
    constraint links_side_known check (side in ('south', 'north'))
) strict, without rowid;

create index links_by_match on links (match_id, side);

-- Who is asked to play on which side of which match, and by whom; once for each match.
create table invitations (
    user_id blob not null,
    match_id blob not null,
    side text not null,
    invited_by blob not null,
    created_ms integer not null,
    constraint invitations_one_a_match primary key (user_id, match_id),
    constraint invitations_of_a_match foreign key (match_id) references matches (id),
    constraint invitations_of_a_user foreign key (user_id) references users (id),
    constraint invitations_side_known check (side in ('south', 'north'))
) strict, without rowid;

create index invitations_by_match on invitations (match_id);
