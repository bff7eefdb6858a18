//! Going back to an earlier state of a game.

use crate::{Asked, Context, Decides, Event, Match, Play, Refusal, UserId};
use mancala_engine::{AnyPosition, BySide, Game, Position as _, Setup, Side};
use serde::{Deserialize, Serialize};

/// A game as it was before an action: all that a takeback brings back. The clocks are not
/// among it.
///
/// ```
/// use mancala_play::Earlier;
/// let json = r#"{"position":{"pits":{"south":[3,3,3,3,3,3],"north":[3,3,3,3,3,3]},
///     "stores":{"south":0,"north":0},"to_move":"south","turn":1,"quiet":0,
///     "phase":{"kind":"play"}},"history":[1],"moved":{"south":false,"north":false},
///     "turn_began":{"south":0,"north":0}}"#;
/// let earlier: Earlier = serde_json::from_str(json)?;
/// assert_eq!(earlier.position.standing.turn, 1);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The position.
    pub position: Setup,
    /// The positions before it, for repetition.
    pub history: Vec<u64>,
    /// Which sides had made a move.
    pub moved: BySide<bool>,
    /// The number of the action with which each side's last turn began.
    pub turn_began: BySide<u32>,
    /// Of teams that play in rotation, whose turn it was.
    #[serde(default = "nobody", skip_serializing_if = "is_nobody")]
    pub at_turn: BySide<Option<UserId>>,
}

const fn nobody() -> BySide<Option<UserId>> {
    BySide {
        south: None,
        north: None,
    }
}

fn is_nobody(at_turn: &BySide<Option<UserId>>) -> bool {
    *at_turn == nobody()
}

impl Earlier {
    fn of(then: &Match, play: &Play) -> Earlier {
        let at_turn = |side: Side| {
            let spec = then.spec.teams.as_ref()?;
            let member = then.teams()?[side].roster().at_turn()?;
            (spec.decides == Decides::Rotation).then_some(member.user)
        };
        Earlier {
            position: play.game.position().setup(),
            history: play.game.history_keys().to_vec(),
            moved: play.moved,
            turn_began: play.turn_began,
            at_turn: BySide::from_fn(at_turn),
        }
    }

    /// The game as it was, if it is one.
    pub(crate) fn game(&self, play: &Play) -> Option<Game<AnyPosition>> {
        let options = play.game.position().options();
        let position = AnyPosition::from_setup(options, &self.position).ok()?;
        Some(Game::resume(position, self.history.clone()))
    }
}

impl Match {
    /// What comes of [`Decision::GoBack`](crate::Decision::GoBack): `then` is the match as its
    /// log has it before the action of that number, and `first` what the decision begins with.
    ///
    /// # Errors
    /// That is no earlier state of the game that is being played.
    pub fn decide_back_to(
        &self,
        then: &Match,
        first: Vec<Event>,
        asked: Asked,
        context: &Context,
    ) -> Result<Vec<Event>, Refusal> {
        let play = self.playing()?;
        let then_play = then.playing()?;
        let same_game = then_play.series == play.series && then.next_number < self.next_number;
        if !same_game || then.spec != self.spec {
            return Err(Refusal::NothingToTakeBack);
        }
        // Whoever goes back plays on.
        let mut events = first;
        events.extend(play.resumption(asked.side));
        events.push(Event::TakenBack {
            to: then.next_number,
            earlier: Box::new(Earlier::of(then, then_play)),
            asked,
            spent: play.clocks.counts(context.spent),
        });
        Ok(events)
    }
}
