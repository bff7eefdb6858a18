//! A match as a viewer sees it: the snapshot on the wire.

use crate::clocks::{ClocksView, SomeSides};
use crate::forms::{
    ChecksumForm, ControlForm, FormatForm, GameForm, LeavingForm, OfferForm, OmwesoWayForm,
    OptionsForm, Pair, PauseForm, PositionForm, Which, options_by_game,
};
use crate::{PublicId, TeamsView};
use mancala_engine::{BySide, Setup, Side};
use mancala_play::{Control, Leaving, OfferKind, PauseWhy, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything a viewer may know of a match. With the events that follow it, it is the
/// state at every moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = options_by_game)]
pub struct MatchView {
    /// The match.
    pub r#match: PublicId,
    /// The number of the last event it holds.
    pub seq: u64,
    /// The game, `omweso` and its like.
    #[schemars(with = "GameForm")]
    pub game: mancala_engine::Mancala,
    /// The options of the game, all of them.
    #[schemars(with = "OptionsForm")]
    pub options: serde_json::Value,
    /// `single` or `first_to N`.
    #[schemars(with = "FormatForm")]
    pub format: mancala_engine::Format,
    /// May the side to move ask what an action would do?
    pub preview: bool,
    /// How its time is kept; left out where nobody looks at a clock.
    #[serde(default, skip_serializing_if = "Control::is_untimed")]
    #[schemars(with = "Option<ControlForm>")]
    pub clock: Control,
    /// Omweso: the way in which it is played, if one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OmwesoWayForm>")]
    pub way: Option<Way>,
    /// Does it count for ratings?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The position from which its games begin, where it is not that of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PositionForm>")]
    pub start: Option<Box<Setup>>,
    /// The version of the rules it was begun under.
    pub rules: u32,
    /// Who holds the seat of each side, if anyone.
    #[schemars(with = "Pair<Option<PlayerView>>")]
    pub players: BySide<Option<PlayerView>>,
    /// The teams, where its sides are teams. Then nobody has the seat of a side alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teams: Option<Box<TeamsView>>,
    /// How far it has come.
    pub stage: StageView,
    /// The points of both sides.
    #[schemars(with = "Pair<u32>")]
    pub score: BySide<u32>,
    /// The number of the current or last game, 0 before the first.
    pub game_number: u32,
    /// The number that the next action will have.
    pub next_number: u32,
    /// The position of the current or last game, in the form of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PositionForm>")]
    pub position: Option<Setup>,
    /// The checksum of that position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ChecksumForm>")]
    pub checksum: Option<String>,
    /// The clocks of the current or last game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<ClocksView>,
    /// Why the clocks stand, where they were stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PauseForm>")]
    pub pause: Option<PauseWhy>,
    /// How far the referee has counted for the side to move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u8>,
    /// Who has signed the contract, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Pair<bool>>")]
    pub signed: Option<BySide<bool>>,
    /// The offer that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferView>,
    /// The sides that are away, as far as it has consequences.
    #[serde(default, skip_serializing_if = "SomeSides::is_empty")]
    pub away: SomeSides<AwayView>,
    /// How the match ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndView>,
    /// The match in which both play again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch: Option<PublicId>,
}

impl MatchView {
    /// The view without what goes by while nothing happens: two views of the same event are
    /// alike in the rest.
    #[must_use]
    pub fn timeless(&self) -> MatchView {
        let mut view = self.clone();
        if let Some(clocks) = &mut view.clocks {
            clocks.elapsed_ms = 0;
            clocks.due_ms = None;
        }
        for side in Side::ALL {
            if let Some(away) = view.away.place(side) {
                away.grace_ms = 0;
            }
        }
        view
    }
}

/// An offer that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Offer")]
pub struct OfferView {
    /// Who offers.
    #[schemars(with = "Which")]
    pub side: Side,
    /// What.
    #[schemars(with = "OfferForm")]
    pub offer: OfferKind,
    /// The number of the action that is due.
    pub due: u32,
}

/// A side that is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Away")]
pub struct AwayView {
    /// How it went.
    #[schemars(with = "LeavingForm")]
    pub how: Leaving,
    /// How long it may yet be away, in milliseconds; at 0 the other side may claim, when the
    /// side that is away is to move.
    pub grace_ms: i64,
}

/// Somebody who holds a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Player")]
pub struct PlayerView {
    /// The name for people.
    pub name: String,
}

/// How far a match has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Stage")]
pub enum StageView {
    /// A seat is free.
    Gathering,
    /// A game is being played.
    Playing,
    /// The match is over.
    Over,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MatchEnd")]
pub struct EndView {
    /// The side that won, if any.
    #[schemars(with = "Option<Which>")]
    pub winner: Option<Side>,
    /// `played` (by its games), `resigned`, `aborted`, `abandoned`, `administrator`.
    pub reason: EndReason,
    /// What the one said who ended it from above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// By its games.
    Played,
    /// One side resigned the match.
    Resigned,
    /// It was broken off before it counted.
    Aborted,
    /// Both sides stayed away.
    Abandoned,
    /// Somebody who runs the server ended it.
    Administrator,
}
