//! Why a command is refused.

use crate::{ACTIONS_MAX, TeamRefusal};
use std::fmt;

/// Why a command is refused. Nothing has changed then, and its key may be used again.
///
/// ```
/// use mancala_play::Refusal;
/// let refusal = Refusal::NumberAhead { next: 7 };
/// assert_eq!(refusal.code(), "number_ahead");
/// assert_eq!(refusal.to_string(), "the next action of the match has the number 7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The match has not begun: a seat is free, or a contract is not signed by both.
    NotBegun,
    /// The match is over.
    MatchOver,
    /// The asker has no seat in this match.
    NotSeated,
    /// The seat is taken.
    SeatTaken,
    /// The asker has a seat in this match already.
    AlreadySeated,
    /// It is the other side's turn.
    NotYourTurn,
    /// The asker's turn ends with the actions before this one.
    TurnOver {
        /// Which of the command's actions, from 0; never the first.
        at: usize,
    },
    /// An action of this number was played before, by another command.
    AlreadyPlayed {
        /// The number of the next action.
        next: u32,
    },
    /// Actions before this number have not been played yet.
    NumberAhead {
        /// The number of the next action.
        next: u32,
    },
    /// The key was used for another command.
    KeyReused,
    /// A command holds one to [`ACTIONS_MAX`] actions.
    ActionCount,
    /// Only a clock or the lot brings this action.
    NotForPlayers,
    /// The rules refuse one of the actions.
    Rules {
        /// Why.
        refusal: mancala_engine::Refusal,
        /// Which of the command's actions, from 0.
        at: usize,
    },
    /// A game is resigned on one's own turn only, so that nobody runs from a turn of the
    /// opponent.
    ResignOnYourTurn,
    /// There is no offer to answer.
    NoOffer,
    /// An offer stands already, its own, or one of the other side of something else.
    OfferOpen,
    /// The side has offered this since the last action, and the offer was declined or
    /// withdrawn.
    OfferedAlready,
    /// Both sides have moved, or it is not the first game: too late to abort.
    TooLateToAbort,
    /// What was agreed about the match rules this out.
    NotInThisMatch,
    /// The asker has had no turn in this game.
    NothingToTakeBack,
    /// The other side is not away for longer than its grace, or it is not its turn.
    NoClaim,
    /// There is no contract to sign, or the asker has signed it.
    NothingToSign,
    /// The clocks do not stand.
    NotPaused,
    /// The clocks stand.
    Paused,
    /// The side to move has yet to make its first move of the game: its clock stands anyway.
    FirstMoveDue,
    /// The match is not over.
    NotOver,
    /// The rematch is made.
    RematchMade,
    /// It is no matter for the asker in a team.
    Team(TeamRefusal),
}

impl From<TeamRefusal> for Refusal {
    fn from(refusal: TeamRefusal) -> Refusal {
        Refusal::Team(refusal)
    }
}

impl Refusal {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Refusal::NotBegun => "not_begun",
            Refusal::MatchOver => "match_over",
            Refusal::NotSeated => "not_seated",
            Refusal::SeatTaken => "seat_taken",
            Refusal::AlreadySeated => "already_seated",
            Refusal::NotYourTurn => "not_your_turn",
            Refusal::TurnOver { .. } => "turn_over",
            Refusal::AlreadyPlayed { .. } => "already_played",
            Refusal::NumberAhead { .. } => "number_ahead",
            Refusal::KeyReused => "key_reused",
            Refusal::ActionCount => "action_count",
            Refusal::NotForPlayers => "not_for_players",
            Refusal::Rules { refusal, .. } => refusal.code(),
            Refusal::ResignOnYourTurn => "resign_on_your_turn",
            Refusal::NoOffer => "no_offer",
            Refusal::OfferOpen => "offer_open",
            Refusal::OfferedAlready => "offered_already",
            Refusal::TooLateToAbort => "too_late_to_abort",
            Refusal::NotInThisMatch => "not_in_this_match",
            Refusal::NothingToTakeBack => "nothing_to_take_back",
            Refusal::NoClaim => "no_claim",
            Refusal::NothingToSign => "nothing_to_sign",
            Refusal::NotPaused => "not_paused",
            Refusal::Paused => "paused",
            Refusal::FirstMoveDue => "first_move_due",
            Refusal::NotOver => "not_over",
            Refusal::RematchMade => "rematch_made",
            Refusal::Team(refusal) => refusal.code(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotBegun => f.write_str("the match begins when both seats are taken"),
            Refusal::MatchOver => f.write_str("the match is over"),
            Refusal::NotSeated => f.write_str("you have no seat in this match"),
            Refusal::SeatTaken => f.write_str("the seat is taken; you may watch"),
            Refusal::AlreadySeated => f.write_str("you have a seat in this match already"),
            Refusal::NotYourTurn => f.write_str("it is the other side's turn"),
            Refusal::TurnOver { at } => write!(
                f,
                "action {}: your turn is over after action {at}",
                at + 1
            ),
            Refusal::AlreadyPlayed { next } => write!(
                f,
                "what has this number has happened already; the next action is {next}"
            ),
            Refusal::NumberAhead { next } => {
                write!(f, "the next action of the match has the number {next}")
            }
            Refusal::KeyReused => {
                f.write_str("this key was used for another command; choose a new one")
            }
            Refusal::ActionCount => write!(f, "a command holds 1 to {ACTIONS_MAX} actions"),
            Refusal::NotForPlayers => f.write_str("players cannot play this action"),
            Refusal::Rules { refusal, at } => write!(f, "action {}: {refusal}", at + 1),
            Refusal::ResignOnYourTurn => {
                f.write_str("a game is resigned on your own turn; the match at any time")
            }
            Refusal::NoOffer => f.write_str("the other side has no such offer open"),
            Refusal::OfferOpen => f.write_str("an offer stands already; it is to be answered first"),
            Refusal::OfferedAlready => f.write_str(
                "you have offered this since the last action; offer again after the next one",
            ),
            Refusal::TooLateToAbort => f.write_str(
                "a match is aborted in its first game, before both sides have moved; resign instead",
            ),
            Refusal::NotInThisMatch => {
                f.write_str(
                "what was agreed about this match rules that out: that it is rated, a contract, or without a clock",
            )
            }
            Refusal::NothingToTakeBack => f.write_str("you have had no turn in this game yet"),
            Refusal::NoClaim => f.write_str(
                "you may claim when the other side is to move, no clock is stopped, and it has been away for longer than its grace",
            ),
            Refusal::NothingToSign => f.write_str("there is nothing that you have yet to sign"),
            Refusal::NotPaused => f.write_str("the clocks are not stopped"),
            Refusal::Paused => f.write_str("the clocks are stopped; resume first"),
            Refusal::FirstMoveDue => f.write_str(
                "the first move of the side to move is due, and its clock stands until then",
            ),
            Refusal::NotOver => f.write_str("the match is not over"),
            Refusal::RematchMade => f.write_str("the rematch is made; join it"),
            Refusal::Team(refusal) => refusal.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Refusal::Rules { refusal, .. } => Some(refusal),
            Refusal::Team(refusal) => Some(refusal),
            _ => None,
        }
    }
}
