-- Challenges between the teams that stand on their own, and what came of them.

-- How a match ended: of one that was over before this column was there, nothing is known.
alter table matches add column outcome text
    constraint matches_outcome_known check (outcome in ('south', 'north', 'drawn', 'void'));

-- Who founded a team; of those that were there before this column, nobody knows.
alter table teams add column founded_by blob
    constraint teams_founded_by_is_a_uuid check (length(founded_by) = 16);

create index teams_founded on teams (founded_by, created_ms) where founded_by is not null;

-- A challenge that was neither accepted, declined nor taken back.
create table challenges (
    -- Its name, which becomes that of the match.
    public_id text not null,
    from_team text not null,
    to_team text not null,
    -- What the team that challenges plays.
    side text not null,
    -- What match is wanted, as it was asked for.
    wanted text not null,
    by_user blob not null,
    created_ms integer not null,
    constraint challenges_public_id primary key (public_id),
    constraint challenges_one_a_pair unique (from_team, to_team),
    constraint challenges_to_another check (from_team <> to_team),
    constraint challenges_from_a_team foreign key (from_team) references teams (public_id),
    constraint challenges_to_a_team foreign key (to_team) references teams (public_id),
    constraint challenges_side_known check (side in ('south', 'north')),
    constraint challenges_public_id_has_ten check (length(public_id) = 10)
) strict, without rowid;

create index challenges_to on challenges (to_team);

-- Which teams that stand on their own play which matches. The time and the name are those of
-- the match, in the order in which lists want them.
create table team_matches (
    team text not null,
    created_ms integer not null,
    public_id text not null,
    match_id blob not null,
    side text not null,
    constraint team_matches_place primary key (team, created_ms desc, public_id desc),
    constraint team_matches_of_a_match foreign key (match_id) references matches (id),
    constraint team_matches_side_known check (side in ('south', 'north'))
) strict, without rowid;
