-- What the names of teams are told apart by. A name had one key, its small letters, and nobody
-- could tell `Café` from a `Café` of other code points. Now it has the looks that the server works
-- out, which SQL cannot: it does so for the teams that are there when it opens the database.

create table team_names (
    -- How the name looks: as it is written, in small letters, or in capitals.
    look text not null,
    team text not null,
    constraint team_names_look primary key (look),
    constraint team_names_of_a_team foreign key (team) references teams (public_id)
) strict, without rowid;

create index team_names_by_team on team_names (team);

-- The same table without `name_key`, which was to be unique.
create table teams_now (
    public_id text not null,
    name text not null,
    -- Nobody, where all have left.
    captain blob,
    -- Of the secret of its link; null while it has none.
    link_hash blob,
    -- How many have come to it, so that a number is never used again.
    came integer not null,
    created_ms integer not null,
    -- Of those that were there before this column, nobody knows.
    founded_by blob,
    constraint teams_public_id primary key (public_id),
    constraint teams_public_id_has_ten check (length(public_id) = 10),
    constraint teams_captain_is_a_uuid check (length(captain) = 16),
    constraint teams_link_hash_is_sha256 check (length(link_hash) = 32),
    constraint teams_founded_by_is_a_uuid check (length(founded_by) = 16)
) strict, without rowid;

insert into teams_now (public_id, name, captain, link_hash, came, created_ms, founded_by)
select public_id, name, captain, link_hash, came, created_ms, founded_by from teams;

drop table teams;
alter table teams_now rename to teams;

create index teams_listed on teams (created_ms desc, public_id desc);
create index teams_founded on teams (founded_by, created_ms) where founded_by is not null;
