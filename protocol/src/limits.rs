//! The bounds that clients meet, each with its reason.

use mancala_play::{Saying, TeamName};

/// A frame from a client holds at most so many bytes: eight strips of a board of 72 pits
/// fit twice.
pub const CLIENT_FRAME_BYTES_MAX: usize = 16 * 1024;

/// A body of REST holds at most so many bytes: the longest that makes sense is a match with
/// all its options from a position of 144 pits, which fits ten times.
pub const BODY_BYTES_MAX: usize = 16 * 1024;

/// A page of a list holds at most so many matches; so many, where `limit` is left out.
pub const MATCHES_A_PAGE_MAX: usize = 100;

/// An `Idempotency-Key` is remembered for so many hours.
pub const IDEMPOTENCY_HOURS: u64 = 24;

/// A socket joins at most so many matches: a screen of small boards, or a bot.
pub const MATCHES_A_SOCKET_MAX: usize = 64;

/// Who comes back gets at most so many missed events; beyond them a snapshot is smaller.
pub const MISSED_EVENTS_MAX: u64 = 256;

/// Of a trace at most so many laps are told; after them the pits as they stand.
pub const LAPS_TOLD_MAX: usize = 256;

/// A client has so many seconds to greet after its socket is open.
pub const HELLO_SECONDS_MAX: u64 = 10;

/// The server pings each socket after so many seconds, and gives it up after three of
/// these in silence.
pub const PING_SECONDS: u64 = 15;

/// A client may send so many messages a second, in bursts of
/// [`MESSAGES_BURST_MAX`]; one that goes on beyond that is cut off.
pub const MESSAGES_A_SECOND_MAX: u32 = 50;

/// See [`MESSAGES_A_SECOND_MAX`].
pub const MESSAGES_BURST_MAX: u32 = 200;

/// A name has at most so many characters, as people count them.
pub const NAME_CHARACTERS_MAX: usize = 40;

/// And so many bytes: two code points of a script of Asia to each character nearly.
pub const NAME_BYTES_MAX: usize = TeamName::BYTES_MAX;

/// A line that people write has at most so many characters, as they count them.
pub const LINE_CHARACTERS_MAX: usize = 200;

/// And so many bytes, for the same reason.
pub const LINE_BYTES_MAX: usize = Saying::BYTES_MAX;

/// `listen` brings at most so many lines: a screen of them.
pub const TALK_LINES_TOLD_MAX: u32 = 50;

/// A page of talk over REST, or of reports, holds at most so many; so many, where `limit` is
/// left out.
pub const TALK_LINES_A_PAGE_MAX: u32 = 100;

/// So many lines may be said in a room of a match: ten people who say one a minute for a long
/// evening. All of them have 5 MB at the most.
pub const TALK_LINES_A_ROOM_MAX: u32 = 5_000;

/// Of these, so many are for those who play: whatever a crowd says, they can talk to it.
pub const TALK_LINES_FOR_PLAYERS: u32 = 1_000;

/// So many lines may be said in a room in a second, by all together: by those who play, and by
/// all others.
pub const TALK_LINES_A_SECOND_MAX: u32 = 10;

/// Somebody may say so many lines at once, and then one each
/// [`TALK_SECONDS_A_LINE`].
pub const TALK_BURST_MAX: u32 = 5;

/// See [`TALK_BURST_MAX`].
pub const TALK_SECONDS_A_LINE: u32 = 2;

/// Somebody may report so many lines in 24 hours.
pub const REPORTS_A_DAY_MAX: u32 = 20;

/// So many seats a team may have.
pub const SEATS_A_TEAM_MAX: u8 = mancala_play::SEATS_MAX;

/// So many people may wait for a seat of a team.
pub const WAITING_A_TEAM_MAX: usize = mancala_play::WAITING_MAX;

/// People may come to a team of a match so often, all together.
pub const ARRIVALS_A_TEAM_MAX: usize = mancala_play::ARRIVALS_MAX;

/// One of them may so often.
pub const ARRIVALS_A_PERSON_MAX: usize = mancala_play::ARRIVALS_A_PERSON_MAX;

/// A member may make so many proposals for one action.
pub const PROPOSALS_A_MEMBER_MAX: usize = mancala_play::PROPOSALS_A_MEMBER_MAX;

/// So many links to the sides of one match may stand: whoever wants more takes old ones back.
pub const LINKS_A_MATCH_MAX: u32 = 20;

/// So many people may be invited to one match who have not come: two teams, twice over.
pub const INVITATIONS_A_MATCH_MAX: u32 = 200;

/// One person may have so many invitations: more than anybody answers.
pub const INVITATIONS_A_PERSON_MAX: u32 = 100;

/// A team that stands on its own may have so many members: both teams of a match, twice over.
pub const MEMBERS_A_STANDING_TEAM_MAX: u32 = 200;

/// One person may be in so many of these.
pub const STANDING_TEAMS_A_PERSON_MAX: u32 = 20;

/// So many challenges of one team may wait for an answer, one to each of so many others: more
/// than it could play.
pub const CHALLENGES_FROM_A_TEAM_MAX: u32 = 20;

/// So many challenges to one team may wait for its answer, from so many others: more than its
/// captain cares to read, and than one person has teams to send them from.
pub const CHALLENGES_TO_A_TEAM_MAX: u32 = 50;
