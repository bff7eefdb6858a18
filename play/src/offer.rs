//! What one side offers and the other may take.

use crate::{
    Asked, Context, Decision, Event, Match, MatchEnd, OutsideReason, PauseWhy, Refusal, Stage, Way,
};
use mancala_engine::Side;
use serde::{Deserialize, Serialize};

/// What one side may offer the other.
///
/// ```
/// use mancala_play::OfferKind;
/// let words: Vec<&str> = OfferKind::ALL.iter().map(|kind| kind.as_str()).collect();
/// assert_eq!(words, ["draw", "takeback", "abort", "time", "pause", "rematch"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// The current game is drawn.
    Draw,
    /// The match goes back to before the last turn of the side that offers.
    Takeback,
    /// The match is broken off without a result.
    Abort,
    /// The side that offers is given more time.
    Time,
    /// The clocks stand until one side goes on.
    Pause,
    /// Another match of the same kind, the sides exchanged.
    Rematch,
}

impl OfferKind {
    /// All of them.
    pub const ALL: [OfferKind; 6] = [
        OfferKind::Draw,
        OfferKind::Takeback,
        OfferKind::Abort,
        OfferKind::Time,
        OfferKind::Pause,
        OfferKind::Rematch,
    ];

    /// Its name for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            OfferKind::Draw => "draw",
            OfferKind::Takeback => "takeback",
            OfferKind::Abort => "abort",
            OfferKind::Time => "time",
            OfferKind::Pause => "pause",
            OfferKind::Rematch => "rematch",
        }
    }

    /// Is it the same whoever of the two offers it? Then two offers that cross agree.
    const fn is_mutual(self) -> bool {
        !matches!(self, OfferKind::Takeback | OfferKind::Time)
    }
}

/// An offer that stands: until it is answered or withdrawn, or an action is played.
///
/// ```
/// use mancala_engine::Side;
/// use mancala_play::{Offer, OfferKind};
/// let offer = Offer { side: Side::South, kind: OfferKind::Draw, number: 7 };
/// assert_eq!(
///     serde_json::to_string(&offer)?,
///     r#"{"side":"south","kind":"draw","number":7}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Offer {
    /// Who offers.
    pub side: Side,
    /// What.
    pub kind: OfferKind,
    /// The number of the action that is due.
    pub number: u32,
}

impl Match {
    /// The offer that stands, if there is one.
    #[must_use]
    pub const fn offer(&self) -> Option<Offer> {
        self.offer
    }

    pub(crate) fn decide_offer(
        &self,
        kind: OfferKind,
        asked: Asked,
        context: &Context,
    ) -> Result<Decision, Refusal> {
        self.ensure_may_offer(kind, asked.side)?;
        match self.offer {
            Some(open) if open.side != asked.side && open.kind == kind && kind.is_mutual() => {
                self.decide_agreed(kind, asked, context)
            }
            Some(_) => Err(Refusal::OfferOpen),
            // So that nobody nags, and the log of a match is bounded by its actions.
            None if self.offered[asked.side][kind as usize] == self.next_number => {
                Err(Refusal::OfferedAlready)
            }
            None => Ok(Decision::Do(vec![Event::Offered { asked }])),
        }
    }

    pub(crate) fn decide_accept(
        &self,
        kind: OfferKind,
        asked: Asked,
        context: &Context,
    ) -> Result<Decision, Refusal> {
        match self.offer {
            Some(open) if open.side != asked.side && open.kind == kind => {
                self.decide_agreed(kind, asked, context)
            }
            _ => Err(Refusal::NoOffer),
        }
    }

    pub(crate) fn decide_decline(
        &self,
        kind: OfferKind,
        asked: Asked,
    ) -> Result<Decision, Refusal> {
        match self.offer {
            Some(open) if open.kind == kind => Ok(Decision::Do(vec![Event::Declined { asked }])),
            _ => Err(Refusal::NoOffer),
        }
    }

    /// May this be offered in this match, at this moment?
    fn ensure_may_offer(&self, kind: OfferKind, side: Side) -> Result<(), Refusal> {
        if kind == OfferKind::Rematch {
            return match &self.stage {
                Stage::Over { rematch: None, .. } if self.both_seated() => Ok(()),
                Stage::Over { rematch: None, .. } => Err(Refusal::NotBegun),
                Stage::Over {
                    rematch: Some(_), ..
                } => Err(Refusal::RematchMade),
                _ => Err(Refusal::NotOver),
            };
        }
        let play = self.playing()?;
        let spec = &self.spec;
        let is_agreed = match kind {
            OfferKind::Draw | OfferKind::Rematch => true,
            OfferKind::Takeback | OfferKind::Abort => {
                !spec.rated && spec.way != Some(Way::Contract)
            }
            OfferKind::Time => !spec.clock.is_untimed(),
            OfferKind::Pause => {
                !spec.clock.is_untimed() && (!spec.rated || spec.clock.is_correspondence())
            }
        };
        if !is_agreed {
            return Err(Refusal::NotInThisMatch);
        }
        match kind {
            OfferKind::Takeback if play.turn_began[side] == 0 => Err(Refusal::NothingToTakeBack),
            OfferKind::Time | OfferKind::Pause if play.pause.is_some() => Err(Refusal::Paused),
            // No clock runs yet, and the time for the first move would begin anew.
            OfferKind::Pause if play.is_opening() => Err(Refusal::FirstMoveDue),
            _ => Ok(()),
        }
    }

    /// What comes of it that both sides want it.
    fn decide_agreed(
        &self,
        kind: OfferKind,
        asked: Asked,
        context: &Context,
    ) -> Result<Decision, Refusal> {
        if kind == OfferKind::Rematch {
            let next = context.rematch;
            return Ok(Decision::Do(vec![Event::Rematched { next, asked }]));
        }
        let play = self.playing()?;
        let spent = play.clocks.counts(context.spent);
        let events = match kind {
            OfferKind::Draw => {
                let outcome = OutsideReason::Agreed.drawn();
                play.game_end(outcome, Some(asked), spent)?
            }
            OfferKind::Takeback => {
                let number = play.turn_began[asked.side.other()];
                return Ok(Decision::GoBack {
                    first: Vec::new(),
                    number,
                    asked,
                });
            }
            OfferKind::Abort => {
                vec![self.broken_off(MatchEnd::Aborted, Some(asked), None, context)]
            }
            OfferKind::Time => vec![Event::TimeGiven {
                ms: self.spec.clock.more_ms(),
                asked,
            }],
            OfferKind::Pause => vec![Event::Paused {
                why: PauseWhy::Agreed,
                asked: Some(asked),
                spent,
            }],
            OfferKind::Rematch => Vec::new(),
        };
        Ok(Decision::Do(events))
    }
}
