-- The beginning: matches with their logs, snapshots as a cache of these, and guests.
--
-- Times are milliseconds since 1970, as the server saw them. Ids are the 16 bytes of a
-- UUID. Hashes are SHA-256; what they are of is stored nowhere. Tables that are found by a
-- key of their own have no rowid beside it, so that a row is one search away.

create table matches (
    id blob not null,
    public_id text not null,
    -- No reference to users: whoever goes leaves the matches behind.
    creator blob not null,
    access text not null,
    link_hash blob,
    stage text not null,
    created_ms integer not null,
    -- What was agreed, as in the first event of the log: for lists, which read no logs.
    spec text not null,
    -- Why the match is not to be played on, in words for whoever runs the server.
    set_aside text,
    constraint matches_id primary key (id),
    constraint matches_public_id unique (public_id),
    constraint matches_id_is_a_uuid check (length(id) = 16),
    constraint matches_creator_is_a_uuid check (length(creator) = 16),
    constraint matches_public_id_has_ten check (length(public_id) = 10),
    constraint matches_access_known check (access in ('public', 'link')),
    constraint matches_link_hash_is_sha256 check (length(link_hash) = 32),
    constraint matches_stage_known check (stage in ('gathering', 'playing', 'over'))
) strict, without rowid;

-- Each index holds only what its question is about, so that neither grows with the
-- number of matches that are over. The first answers alone, without a look at the matches
-- that lie scattered among all others: stage and set_aside stand in it only for that.
create index matches_unfinished on matches (id, public_id, stage, set_aside)
    where stage <> 'over' and set_aside is null;

create index matches_listed on matches (created_ms desc, public_id desc)
    where access = 'public' and stage <> 'over' and set_aside is null;

create index matches_set_aside on matches (id) where set_aside is not null;

-- What has happened, in order: the truth about a match. The primary key is also the fence:
-- of two writers that take themselves for the owner of a match, the second fails.
create table log (
    match_id blob not null,
    seq integer not null,
    at_ms integer not null,
    -- The form of the event, so that a later server knows how to read it.
    version integer not null,
    event text not null,
    -- Of the whole state after the event; the 64 bits, taken as a signed number.
    digest integer not null,
    constraint log_place primary key (match_id, seq),
    constraint log_of_a_match foreign key (match_id) references matches (id),
    constraint log_seq_from_one check (seq >= 1)
) strict, without rowid;

-- The last state of a match that somebody kept. All of it may be deleted at any time.
create table snapshots (
    match_id blob not null,
    seq integer not null,
    snapshot text not null,
    constraint snapshots_one_a_match primary key (match_id),
    constraint snapshots_of_a_match foreign key (match_id) references matches (id)
) strict, without rowid;

-- By which key a match was created, so that a request sent twice creates one match; and the
-- hash of what was asked for, so that another request under the same key is noticed.
create table creation_keys (
    creator blob not null,
    key text not null,
    match_id blob not null,
    request blob not null,
    created_ms integer not null,
    constraint creation_keys_key primary key (creator, key),
    constraint creation_keys_of_a_match foreign key (match_id) references matches (id),
    constraint creation_keys_request_is_sha256 check (length(request) = 32)
) strict, without rowid;

create index creation_keys_by_age on creation_keys (created_ms);

create table users (
    id blob not null,
    name text not null,
    created_ms integer not null,
    constraint users_id primary key (id),
    constraint users_id_is_a_uuid check (length(id) = 16)
) strict, without rowid;

-- What signs a user in. Apart from users, because one may come to have several.
create table tokens (
    hash blob not null,
    user_id blob not null,
    created_ms integer not null,
    constraint tokens_hash primary key (hash),
    constraint tokens_of_a_user foreign key (user_id) references users (id),
    constraint tokens_hash_is_sha256 check (length(hash) = 32)
) strict, without rowid;

-- How many transactions the server has committed. Each raises it by one; so after a COMMIT
-- that failed, whether it was done all the same can be read here.
create table commits (
    one integer not null default 1,
    number integer not null,
    constraint commits_one_row primary key (one),
    constraint commits_only_one check (one = 1)
) strict;

insert into commits (number) values (0);
