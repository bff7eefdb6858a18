-- Talk: what people say in the rooms of a match, who may not speak there, and what was
-- reported of it.
--
-- Apart from the log, which is the truth about a match and stays whole, so that talk can be
-- taken away. A room is 'public', or that of a team, 'south' or 'north'.

create table talk (
    match_id blob not null,
    room text not null,
    -- Its place in the room. The primary key is also the fence, as in the log.
    n integer not null,
    user_id blob not null,
    at_ms integer not null,
    -- What its speaker calls it, so that a line sent twice is said once.
    key text not null,
    -- Null once it was removed.
    text text,
    constraint talk_place primary key (match_id, room, n),
    constraint talk_key unique (match_id, user_id, key),
    constraint talk_of_a_match foreign key (match_id) references matches (id),
    constraint talk_room_known check (room in ('public', 'south', 'north')),
    constraint talk_n_from_one check (n >= 1)
) strict, without rowid;

-- Who may not speak in a room: somebody, or, where the user is empty, everybody.
create table talk_barred (
    match_id blob not null,
    room text not null,
    user_id blob not null,
    constraint talk_barred_once primary key (match_id, room, user_id),
    constraint talk_barred_of_a_match foreign key (match_id) references matches (id),
    constraint talk_barred_room_known check (room in ('public', 'south', 'north')),
    constraint talk_barred_user_or_all check (length(user_id) in (0, 16))
) strict, without rowid;

create table reports (
    id integer not null,
    at_ms integer not null,
    by_user blob not null,
    match_id blob not null,
    room text not null,
    n integer not null,
    why text not null,
    -- The line and those before it as they stood then, whatever becomes of them.
    lines text not null,
    constraint reports_id primary key (id),
    constraint reports_once unique (by_user, match_id, room, n),
    constraint reports_of_a_match foreign key (match_id) references matches (id),
    constraint reports_room_known check (room in ('public', 'south', 'north'))
) strict;

-- How much somebody has reported of late.
create index reports_by_user on reports (by_user, at_ms);
