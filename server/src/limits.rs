//! Every bound of the server, each with its reason. What waits, grows or repeats has its
//! bound here.

/// Requests that may wait for the store's writer. Whoever comes later waits for a place:
/// a match has one append under way at a time, so no more wait than there are live
/// matches. At some hundred bytes each a full queue stays within a few megabytes.
pub const WRITE_QUEUE: usize = 4_096;

/// Requests that one transaction takes in. More in one go hardly saves anything, and the
/// first of them waits for the last: 512 single rows take some 15 ms.
pub const WRITE_BATCH: usize = 512;

/// Rows of the log that one statement inserts. Most of the gain over single rows is there
/// at 32, and each number of rows up to it has statements of its own in the cache.
pub const LOG_ROWS_PER_INSERT: usize = 32;

/// Matches whose last number the writer remembers, at some 40 bytes each. One that is not
/// remembered costs a read when it is next written to.
pub const TIPS: usize = 65_536;

/// KiB of pages that the writer keeps: the ends of some thousand logs, where the rows go.
pub const WRITER_CACHE_KIB: u32 = 4 * 1024;

/// Connections that read the database. Each is a thread with a page cache of 2 MB; reads
/// are short and mostly served from memory, so few are enough.
pub const READERS: u32 = 4;

/// Milliseconds that a read waits for a free connection before it is refused.
pub const READ_WAIT_MS: u64 = 5_000;

/// Milliseconds that a write waits for another program that holds the database, such as
/// someone's `sqlite3`. Longer, and every player would wait with it.
pub const BUSY_MS: u64 = 1_000;

/// Pages written since the last checkpoint, about, from which one is made once the writer
/// is idle: 4 MB, the same as SQLite's own habit.
pub const CHECKPOINT_PAGES_IDLE: usize = 1_000;

/// Pages written since the last checkpoint, about, at which one is made even though
/// somebody waits: 32 MB, and up to twice as much where rows go to many matches, since the
/// count is of rows. The more pages, the more often one of them was written again and
/// is copied only once; but the copying holds up everybody.
pub const CHECKPOINT_PAGES: usize = 8_000;

/// Milliseconds without a request after which the writer counts as idle.
pub const CHECKPOINT_IDLE_MS: u64 = 100;

/// Bytes to which SQLite cuts its write-ahead log after it once grew beyond them.
pub const WAL_KEPT_BYTES: u64 = 64 << 20;

/// Milliseconds for which the key of a creation is remembered: a day.
pub const CREATION_KEY_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;

/// Forgotten keys of creations that are removed with each new one. More than one, so that
/// they become fewer; not all at once, so that nobody waits for a long pause's worth.
pub const CREATION_KEYS_REMOVED: u32 = 64;

/// Milliseconds for which a report counts among those that somebody may make: a day.
pub const REPORTS_COUNTED_MS: i64 = 24 * 60 * 60 * 1_000;

/// Lines before the one that is reported which are kept with it: enough to see what led to it.
pub const REPORTED_BEFORE: u32 = 10;

/// People of whom a match remembers how much they have said of late, or asked of their teams, so
/// that nobody does too much. Ten lines a second by others each are three hundred in the time that it takes to
/// forget somebody, in three rooms.
pub const METERED: usize = 512;

/// Somebody may change so much in his team at once (its order, who leads or stands in, a vote
/// that he has cast), and then once each [`CHANGE_SECONDS`]: each change is an event for ever,
/// and a good captain makes a few in a game.
pub const CHANGES_BURST: u32 = 20;

/// See [`CHANGES_BURST`].
pub const CHANGE_SECONDS: u32 = 2;

/// Somebody challenges so many teams at once, and then one each [`CHALLENGE_SECONDS`]: all
/// members of both teams are told of each.
pub const CHALLENGES_BURST: u32 = 60;

/// See [`CHALLENGES_BURST`].
pub const CHALLENGE_SECONDS: u32 = 10;

/// Somebody invites the same person so often at once, or puts him into a seat, and then once each
/// [`INVITATION_SECONDS`]: he is told each time.
pub const INVITATIONS_BURST: u32 = 10;

/// See [`INVITATIONS_BURST`].
pub const INVITATION_SECONDS: u32 = 60;

/// Messages that wait for one match: enough for both players and a crowd that comes at
/// once; beyond it `busy` is the answer.
pub const MAILBOX: usize = 256;

/// Frames that wait for one socket: all that somebody may have missed, and the events of
/// many matches beside it.
pub const OUTBOX: usize = 1_024;

/// Rows of a log read at a time.
pub const LOG_PAGE: u32 = 1_000;

/// How long a match that nobody follows keeps its task, in milliseconds: as long as a
/// phone takes to find its network again. It keeps it longer if something is due in it before
/// that time has passed once more.
pub const IDLE_MS: u64 = 60_000;

/// How long after a failure a match in which something is due is loaded again, in
/// milliseconds: a disk that does not answer now hardly does in less.
pub const LOAD_AGAIN_MS: i64 = 3_000;

/// How often it is noted how far the service time has come, in milliseconds, while anything
/// is due. So much of it may be given once more after a crash.
pub const NOTE_TIME_MS: u64 = 1_000;

/// How long the holder of a seat is gone before that is an event of the match, in
/// milliseconds: a page that is loaded anew, or a phone between two cells, is none.
pub const GONE_MS: i64 = 5_000;

/// Events of a match after which a snapshot is kept again, once a game begins. To read and
/// play so many again takes about a millisecond; to write a snapshot with each game would cost
/// more than its moves do, and with every hundredth event it is still a hundredth of that.
pub const SNAPSHOT_EVENTS: u64 = 300;

/// How often what may wait is told (presence, fresh views), in milliseconds.
pub const TICK_MS: u64 = 100;

/// How long the server waits for sockets and matches to end when it is told to stop, in
/// milliseconds.
pub const STOP_MS: u64 = 10_000;

/// How long requests that are under way may go on when the server is told to stop, in
/// milliseconds: what they do takes a few, so only those are cut off that do not come in.
pub const STOP_REQUESTS_MS: u64 = 2_000;

/// How long a connection may take to come up with the head of a request, the first or the
/// next, in milliseconds.
pub const HEAD_MS: u64 = 15_000;

/// How long a request over HTTP may take, in milliseconds.
pub const REQUEST_MS: u64 = 15_000;

pub use mancala_protocol::limits::LINKS_A_MATCH_MAX as LINKS_A_MATCH;

pub use mancala_protocol::limits::INVITATIONS_A_MATCH_MAX as INVITATIONS_A_MATCH;

pub use mancala_protocol::limits::INVITATIONS_A_PERSON_MAX as INVITATIONS_A_PERSON;

/// Of these, so many from the same other person: nobody alone fills the list of another.
pub const INVITATIONS_BY_ONE: u32 = 5;

pub use mancala_protocol::limits::MEMBERS_A_STANDING_TEAM_MAX as MEMBERS_A_TEAM;

pub use mancala_protocol::limits::STANDING_TEAMS_A_PERSON_MAX as TEAMS_A_PERSON;

/// Teams that one person founds in [`FOUNDINGS_COUNTED_MS`], whatever becomes of them.
pub const TEAMS_FOUNDED_A_DAY: u32 = 20;

/// Milliseconds for which a founding counts: a day.
pub const FOUNDINGS_COUNTED_MS: i64 = 24 * 60 * 60 * 1_000;

pub use mancala_protocol::limits::CHALLENGES_FROM_A_TEAM_MAX as CHALLENGES_FROM_A_TEAM;

pub use mancala_protocol::limits::CHALLENGES_TO_A_TEAM_MAX as CHALLENGES_TO_A_TEAM;
