//! A match as a viewer sees it: the snapshot on the wire.

use crate::PublicId;
use crate::forms::{
    ChecksumForm, FormatForm, GameForm, OptionsForm, Pair, PositionForm, Which, options_by_game,
};
use mancala_engine::{BySide, Setup, Side};
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
    /// The version of the rules it was begun under.
    pub rules: u32,
    /// Who holds the seat of each side, if anyone.
    #[schemars(with = "Pair<Option<PlayerView>>")]
    pub players: BySide<Option<PlayerView>>,
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
    /// The side whose offer of a draw stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Which>")]
    pub draw_offer: Option<Side>,
    /// How the match ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndView>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MatchEnd")]
pub struct EndView {
    /// The side that won, if any.
    #[schemars(with = "Option<Which>")]
    pub winner: Option<Side>,
    /// `played` (by its games), `resigned`, `aborted`.
    pub reason: EndReason,
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
}
