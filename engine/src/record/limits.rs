//! How large a record may be. Every limit holds for building a record as well as for
//! reading one, so that whatever was built can be read.

use crate::POINTLESS_GAMES_MAX;

/// Bytes of one text: a comment, or the value of a tag or an annotation. Enough for ten
/// pages of commentary, for a team of 140 with a line each, or for a signed statement.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;

/// Bytes of the name of a tag or an annotation. Names are words, not sentences.
pub const NAME_BYTES_MAX: usize = 64;

/// Bytes of the word that says why a result was stated.
pub const REASON_BYTES_MAX: usize = 32;

/// Bytes of anything between two spaces outside texts. The longest thing that can be
/// right is a strip of 72 pits with ten digits each, 1,008 bytes.
pub(crate) const WORD_BYTES_MAX: usize = 2 * 1024;

/// Games of a match: a side wins the longest format at 255 points, so at most 509 games
/// bring any, and before each at most nine bring none.
pub const GAMES_MAX: usize = (2 * 254 + 1) * POINTLESS_GAMES_MAX as usize;

/// What a whole record may hold, counted as [`TAG_COST`] and its like do: far above the
/// longest match anyone has played with a clock time and a comment at every action, and
/// small enough to be held in memory many times over.
pub const RECORD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What a tag, a comment or an annotation costs beside the bytes of its name and text.
pub const TAG_COST: usize = 16;

/// What an action costs; one with a list costs as much again for each number in it.
pub const ACTION_COST: usize = 16;

/// What a game costs beside all in it.
pub const GAME_COST: usize = 64;
