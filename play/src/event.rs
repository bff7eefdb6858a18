//! What has happened in a match: the words of its log.

use crate::command::Request;
use crate::{Earlier, Key, Leaving, MatchSpec, Note, Spent, TeamEvent, Told, UserId};
use mancala_engine::{Action, Side};
use serde::{Deserialize, Serialize};

/// One thing that has happened in a match, as its log keeps it. A log is read for as long
/// as the match is of interest to anyone: a variant never changes its meaning, and fields
/// are only added with a value for their absence.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::Event;
/// let line = r#"{"type":"game_began","game":1,"begins":"south"}"#;
/// let event: Event = serde_json::from_str(line)?;
/// assert_eq!(event, Event::GameBegan { game: 1, begins: Side::South });
/// assert!(event.is_numbered());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The match was made. Always the first event, and only that.
    Created {
        /// What was agreed.
        spec: MatchSpec,
    },
    /// Somebody took a seat.
    Seated {
        /// Of which side.
        side: Side,
        /// Who.
        user: UserId,
    },
    /// A side signed the contract.
    Signed {
        /// Who signed, and with which key.
        asked: Asked,
    },
    /// A game began. Takes an action number.
    GameBegan {
        /// Its number, from 1.
        game: u32,
        /// The side that begins; in game 1 the lot said so.
        begins: Side,
    },
    /// An action was played. Takes an action number.
    Acted {
        /// By the side to move; the lot's answer is nobody's.
        side: Option<Side>,
        /// What was done.
        action: Action,
        /// The key of the command that brought it; it stands with each of its actions.
        key: Option<Key>,
        /// How many actions of the same command came before this one.
        #[serde(default, skip_serializing_if = "is_zero")]
        part: u32,
        /// In a team, whose choice it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<UserId>,
        /// What the side had spent of its time since it was settled last.
        #[serde(default, skip_serializing_if = "Spent::is_nothing")]
        spent: Spent,
    },
    /// The match went back to where it was before an earlier action. Takes an action number.
    TakenBack {
        /// The number of that action.
        to: u32,
        /// The game as it was.
        earlier: Box<Earlier>,
        /// Who agreed, and with which key.
        asked: Asked,
        /// What the side to move had spent of its time since it was settled last.
        #[serde(default, skip_serializing_if = "Spent::is_nothing")]
        spent: Spent,
    },
    /// A side offers something.
    #[serde(alias = "draw_offered")]
    Offered {
        /// Who offers what, and with which key.
        asked: Asked,
    },
    /// An offer is no more.
    #[serde(alias = "draw_declined")]
    Declined {
        /// Who declined it, or withdrew the own one, and with which key.
        asked: Asked,
    },
    /// A side was given time by the other.
    TimeGiven {
        /// How much, in milliseconds.
        ms: u32,
        /// Who gave it, and with which key.
        asked: Asked,
    },
    /// The clocks stand, and nobody is waited for.
    Paused {
        /// Why.
        why: PauseWhy,
        /// Who agreed, and with which key, where it was agreed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Asked>,
        /// What the side to move had spent of its time since it was settled last.
        #[serde(default, skip_serializing_if = "Spent::is_nothing")]
        spent: Spent,
    },
    /// The pause is over.
    Resumed {
        /// Who is here and goes on, if it did not end by itself: its lost turns count anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
        /// With which key, where it was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Asked>,
    },
    /// The referee counts for the side to move: *emu* is one, *bbiri* is two. Then its turn
    /// is lost.
    Counted {
        /// How far he has come.
        count: u8,
    },
    /// Nobody of a side is here any more; from now on its grace runs.
    Gone {
        /// Which.
        side: Side,
        /// How it went.
        how: Leaving,
        /// How long it may be away, in milliseconds.
        grace_ms: i64,
    },
    /// Somebody of a side is here again.
    Back {
        /// Which.
        side: Side,
    },
    /// A game ended.
    GameEnded {
        /// How, and what it brings.
        outcome: GameOutcome,
        /// Who asked for it and with which key, where a command did and not the board.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Asked>,
        /// What the side to move had spent of its time since it was settled last.
        #[serde(default, skip_serializing_if = "Spent::is_nothing")]
        spent: Spent,
    },
    /// The match is over.
    MatchEnded {
        /// How.
        end: MatchEnd,
        /// Who asked for it and with which key, where it did not follow from its games.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Asked>,
        /// What the one says who ended it from above.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<Note>,
        /// What the side to move had spent of its time since it was settled last, where a
        /// game was broken off.
        #[serde(default, skip_serializing_if = "Spent::is_nothing")]
        spent: Spent,
    },
    /// Both want to play again, and the match of that is made.
    Rematched {
        /// The number from which its public name is made.
        next: u64,
        /// Who agreed, and with which key.
        asked: Asked,
    },
    /// Something happened in a team.
    Team {
        /// Of this side.
        side: Side,
        /// What.
        what: TeamEvent,
        /// Whose command brought it, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<Told>,
    },
}

impl Event {
    /// Something that happens in a team without a command.
    pub(crate) const fn team(side: Side, what: TeamEvent) -> Event {
        Event::Team {
            side,
            what,
            told: None,
        }
    }

    /// The side whose team alone is to know of it.
    #[must_use]
    pub const fn only_for(&self) -> Option<Side> {
        match self {
            Event::Team { side, what, .. } if what.is_private() => Some(*side),
            _ => None,
        }
    }

    /// The command behind this event, if it was no action.
    #[must_use]
    pub const fn asked(&self) -> Option<&Asked> {
        match self {
            Event::Signed { asked }
            | Event::TakenBack { asked, .. }
            | Event::Offered { asked }
            | Event::Declined { asked }
            | Event::TimeGiven { asked, .. }
            | Event::Rematched { asked, .. } => Some(asked),
            Event::Paused { asked, .. }
            | Event::Resumed { asked, .. }
            | Event::GameEnded { asked, .. }
            | Event::MatchEnded { asked, .. } => asked.as_ref(),
            Event::Created { .. }
            | Event::Seated { .. }
            | Event::GameBegan { .. }
            | Event::Acted { .. }
            | Event::Counted { .. }
            | Event::Gone { .. }
            | Event::Back { .. }
            | Event::Team { .. } => None,
        }
    }

    /// Does this event take an action number?
    #[must_use]
    pub const fn is_numbered(&self) -> bool {
        matches!(
            self,
            Event::GameBegan { .. } | Event::Acted { .. } | Event::TakenBack { .. }
        )
    }

    /// Does the time of the side to move count anew from this event on?
    #[must_use]
    pub const fn settles(&self) -> bool {
        self.is_numbered() || matches!(self, Event::Paused { .. } | Event::Resumed { .. })
    }

    /// Is a side that is away waited for anew from this event on? Nobody waited for it in a
    /// pause, and each game has a grace of its own.
    #[must_use]
    pub const fn renews_grace(&self) -> bool {
        matches!(self, Event::Resumed { .. } | Event::GameBegan { .. })
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The command behind an event, if it was no action.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::{Asked, Event, OfferKind, Request};
/// let asked = Asked {
///     side: Side::South,
///     request: Request::Offer(OfferKind::Draw),
///     number: None,
///     key: "k1".parse()?,
///     by: None,
/// };
/// let event = Event::Offered { asked: asked.clone() };
/// assert_eq!(event.asked(), Some(&asked));
/// # Ok::<(), mancala_play::ParseKeyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Who asked.
    pub side: Side,
    /// For what.
    pub request: Request,
    /// The number of the action that was due, where the asker said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// With which key.
    pub key: Key,
    /// In a team, which member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<UserId>,
}

/// How a game ended and what it brings.
///
/// ```
/// use mancala_engine::{GameResult, Outcome, Reason, Side};
/// use mancala_play::GameOutcome;
/// let outcome = GameOutcome::Board(Outcome::win(Side::South, 12, Reason::Akawumbi));
/// assert_eq!(outcome.result(), GameResult::Win { side: Side::South, points: 12 });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameOutcome {
    /// On the board, by the rules.
    Board(mancala_engine::Outcome),
    /// From outside the board.
    Outside {
        /// The winner; nobody, where the game is drawn.
        winner: Option<Side>,
        /// Why.
        reason: OutsideReason,
    },
}

/// Why a game ended otherwise than by the rules of the board.
///
/// ```
/// use mancala_play::OutsideReason;
/// assert_eq!(OutsideReason::Agreed.code(), "agreed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutsideReason {
    /// The loser resigned it.
    Resigned,
    /// Both sides agreed on a draw.
    Agreed,
    /// The loser's time was over.
    Time,
    /// A side claimed it, because the other was away.
    Claimed,
}

impl OutsideReason {
    /// The stable name for programs and records.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            OutsideReason::Resigned => "resigned",
            OutsideReason::Agreed => "agreed",
            OutsideReason::Time => "time",
            OutsideReason::Claimed => "claimed",
        }
    }

    pub(crate) const fn outcome(self, winner: Option<Side>) -> GameOutcome {
        GameOutcome::Outside {
            winner,
            reason: self,
        }
    }

    pub(crate) const fn won_by(self, side: Side) -> GameOutcome {
        self.outcome(Some(side))
    }

    pub(crate) const fn drawn(self) -> GameOutcome {
        self.outcome(None)
    }
}

/// Why the clocks stand.
///
/// ```
/// use mancala_play::PauseWhy;
/// assert_eq!(serde_json::to_string(&PauseWhy::Absent)?, r#""absent""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseWhy {
    /// Both sides agreed.
    Agreed,
    /// Both sides lost turn after turn: nobody plays.
    Absent,
}

/// How a match ended.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::MatchEnd;
/// let end = MatchEnd::Resigned { winner: Side::North };
/// assert_eq!(end.winner(), Some(Side::North));
/// assert_eq!(MatchEnd::Aborted.winner(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchEnd {
    /// By its games: this side won, or nobody.
    Played {
        /// The winner.
        winner: Option<Side>,
    },
    /// The other side resigned it.
    Resigned {
        /// The winner.
        winner: Side,
    },
    /// It was broken off before it counted.
    Aborted,
    /// Both sides stayed away.
    Abandoned,
    /// Somebody who runs the server ended it.
    Ruled(Ruling),
}

/// What somebody who runs the server may make of a match.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::{MatchEnd, Ruling};
/// let ended = MatchEnd::Ruled(Ruling::Won(Side::South));
/// assert_eq!(ended.winner(), Some(Side::South));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// It does not count.
    Aborted,
    /// Nobody won.
    Drawn,
    /// This side won.
    Won(Side),
}

impl MatchEnd {
    /// How it ended, in a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            MatchEnd::Played { .. } => "played",
            MatchEnd::Resigned { .. } => "resigned",
            MatchEnd::Aborted => "aborted",
            MatchEnd::Abandoned => "abandoned",
            MatchEnd::Ruled(_) => "administrator",
        }
    }

    /// The side that won.
    #[must_use]
    pub const fn winner(self) -> Option<Side> {
        match self {
            MatchEnd::Played { winner } => winner,
            MatchEnd::Resigned { winner } | MatchEnd::Ruled(Ruling::Won(winner)) => Some(winner),
            MatchEnd::Aborted
            | MatchEnd::Abandoned
            | MatchEnd::Ruled(Ruling::Aborted | Ruling::Drawn) => None,
        }
    }
}
