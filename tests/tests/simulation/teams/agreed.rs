//! What is agreed about each of the matches.

use mancala_play::{Decides, Speaks, StandIns};
use serde_json::{Value, json};

/// How many members a side has.
pub(super) const SEATS: usize = 10;

/// The most there are: 284 seeds, with which every match begins.
const COLUMNS: usize = 36;

/// What is agreed about a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed {
    pub(super) decides: Decides,
    pub(super) speaks: Speaks,
    pub(super) stand_ins: StandIns,
}

impl Agreed {
    /// About the match of this place: within sixteen there are all four ways of deciding with
    /// both ways of speaking and of standing in.
    pub(super) fn of(place: usize) -> Agreed {
        let decides = [
            Decides::Rotation,
            Decides::Captain,
            Decides::Vote { window: 5 },
            Decides::First,
        ];
        Agreed {
            decides: decides[place % 4],
            speaks: [Speaks::Captain, Speaks::Majority][place / 4 % 2],
            stand_ins: [StandIns::Automatic, StandIns::Captain][place / 8 % 2],
        }
    }

    /// The word for how it is decided.
    pub(super) const fn word(&self) -> &'static str {
        match self.decides {
            Decides::Rotation => "rotation",
            Decides::Captain => "captain",
            Decides::Vote { .. } => "vote",
            Decides::First => "first",
        }
    }

    /// What is asked for when it is made.
    pub(super) fn wanted(&self) -> Value {
        json!({
            "game": "nsolo",
            "options": { "columns": COLUMNS },
            "teams": {
                "seats": { "south": SEATS, "north": SEATS },
                "decides": self.decides,
                "speaks": self.speaks,
                "stand_ins": self.stand_ins,
                "grace": 5,
            },
        })
    }
}
