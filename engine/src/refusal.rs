//! Why an action is refused.

use std::fmt;

/// The one reason an action is refused for; a refused action changes nothing.
/// Where several fit, the first in the order of this enum is named.
///
/// ```
/// use mancala_engine::Refusal;
/// assert_eq!(Refusal::SingletonBlocked.code(), "singleton_blocked");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Refusal {
    /// Not the form of any action: an unknown type, direction or field, or a
    /// number that is no natural number. Only reading JSON finds this.
    BadAction,
    /// The game is over.
    GameOver,
    /// An action of another phase, or of another game.
    WrongPhase,
    /// The board has no pit of this number.
    NoSuchPit,
    /// The pit holds no seed.
    EmptyPit,
    /// The pit holds one seed where two are needed.
    Singleton,
    /// The pit holds one seed, and the next pit is not empty.
    SingletonBlocked,
    /// Reverse in Omweso where that lap would not start from one of the four
    /// leftmost pits, or would not end in a capture.
    NoDirectCapture,
    /// A lap that would bring a pit of Urim to eighteen.
    PitFull,
    /// The opponent's row is empty and this lap leaves it so.
    MustFeed,
    /// Anything else that may not be sown: okukoneeza when it may not be played,
    /// reverse in another game than Omweso.
    NotAllowed,
    /// Not sixteen numbers, not 32 seeds, or more than the cap in one pit.
    BadArrangement,
    /// A pit that is not there or is named twice, more than it holds, none, or a
    /// wrong sum.
    BadStrip,
}

impl Refusal {
    /// Every reason, in the order in which they are looked for.
    pub const ALL: [Refusal; 13] = [
        Refusal::BadAction,
        Refusal::GameOver,
        Refusal::WrongPhase,
        Refusal::NoSuchPit,
        Refusal::EmptyPit,
        Refusal::Singleton,
        Refusal::SingletonBlocked,
        Refusal::NoDirectCapture,
        Refusal::PitFull,
        Refusal::MustFeed,
        Refusal::NotAllowed,
        Refusal::BadArrangement,
        Refusal::BadStrip,
    ];

    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Refusal::BadAction => "bad_action",
            Refusal::GameOver => "game_over",
            Refusal::WrongPhase => "wrong_phase",
            Refusal::NoSuchPit => "no_such_pit",
            Refusal::EmptyPit => "empty_pit",
            Refusal::Singleton => "singleton",
            Refusal::SingletonBlocked => "singleton_blocked",
            Refusal::NoDirectCapture => "no_direct_capture",
            Refusal::PitFull => "pit_full",
            Refusal::MustFeed => "must_feed",
            Refusal::NotAllowed => "not_allowed",
            Refusal::BadArrangement => "bad_arrangement",
            Refusal::BadStrip => "bad_strip",
        }
    }
}

impl fmt::Display for Refusal {
    /// A sentence for people: what is wrong and what would be right.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::BadAction => "this is not the form of any action",
            Refusal::GameOver => "the game is over",
            Refusal::WrongPhase => "another kind of action is due now",
            Refusal::NoSuchPit => "the board has no such pit",
            Refusal::EmptyPit => "the pit is empty; choose one that holds seeds",
            Refusal::Singleton => "the pit holds a single seed; choose one with two or more",
            Refusal::SingletonBlocked => {
                "a single seed moves only into an empty pit, and the next one is not empty"
            }
            Refusal::NoDirectCapture => {
                "a lap is sown in reverse only from one of the four leftmost pits, \
                 and only if it ends in a capture"
            }
            Refusal::PitFull => "this lap would bring a pit above seventeen seeds",
            Refusal::MustFeed => {
                "the opponent has no seeds; choose a move that leaves some in their row"
            }
            Refusal::NotAllowed => "this may not be played now",
            Refusal::BadArrangement => {
                "an arrangement is sixteen numbers that add up to 32, none above the cap"
            }
            Refusal::BadStrip => {
                "a strip names pits of the opponent, each once, with one seed or more \
                 and no more than it holds, that add up to the seeds due"
            }
        })
    }
}

impl std::error::Error for Refusal {}
