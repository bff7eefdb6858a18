-- Teams that stand on their own, apart from any match.

create table teams (
    public_id text not null,
    name text not null,
    -- The name as names are told apart: in small letters.
    name_key text not null,
    -- Nobody, where all have left.
    captain blob,
    -- Of the secret of its link; null while it has none.
    link_hash blob,
    -- How many have come to it, so that a number is never used again.
    came integer not null,
    created_ms integer not null,
    constraint teams_public_id primary key (public_id),
    constraint teams_name unique (name_key),
    constraint teams_public_id_has_ten check (length(public_id) = 10),
    constraint teams_captain_is_a_uuid check (length(captain) = 16),
    constraint teams_link_hash_is_sha256 check (length(link_hash) = 32)
) strict, without rowid;

create index teams_listed on teams (created_ms desc, public_id desc);

create table team_members (
    team text not null,
    user_id blob not null,
    -- The how-manieth to come.
    number integer not null,
    came_ms integer not null,
    constraint team_members_once primary key (team, user_id),
    constraint team_members_of_a_team foreign key (team) references teams (public_id),
    constraint team_members_of_a_user foreign key (user_id) references users (id),
    constraint team_members_number unique (team, number)
) strict, without rowid;

create index team_members_by_user on team_members (user_id);
