//! The state of a match as data: a cache of replay, which may be thrown away.

use crate::key::Keys;
use crate::{
    Absence, Clocks, Digest, Match, MatchEnd, MatchSpec, Note, Offer, OfferKind, PauseWhy, Play,
    Stage, Team, UserId,
};
use mancala_engine::{AnyPosition, BySide, Game, Position, Series, Setup};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The state of a match as data, for any serde format.
///
/// ```
/// use mancala_engine::{Format, Mancala, Options};
/// use mancala_play::{Match, MatchSpec, Snapshot};
/// let spec = MatchSpec::new(Options::standard(Mancala::Nsolo), Format::Single);
/// let play = Match::create(spec);
/// let json = serde_json::to_string(&play.snapshot())?;
/// let snapshot: Snapshot = serde_json::from_str(&json)?;
/// assert_eq!(Match::try_from(snapshot).unwrap(), play);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Of this form; others are not read, and the log is replayed instead.
    version: u32,
    spec: MatchSpec,
    seats: BySide<Option<UserId>>,
    play: Option<PlayForm>,
    end: Option<MatchEnd>,
    note: Option<Note>,
    rematch: Option<u64>,
    next_number: u32,
    seq: u64,
    digest: Digest,
    keys: BySide<Keys>,
    signed: BySide<bool>,
    offer: Option<Offer>,
    offered: BySide<[u32; OfferKind::ALL.len()]>,
    absences: BySide<Option<Absence>>,
    leaves: BySide<u8>,
    teams: Option<Box<BySide<Team>>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PlayForm {
    series: Series,
    position: Setup,
    history: Vec<u64>,
    moved: BySide<bool>,
    turn_began: BySide<u32>,
    lost: BySide<u8>,
    count: u8,
    paid_turn: u32,
    pause: Option<PauseWhy>,
    clocks: Clocks,
    ended: bool,
}

/// Rises with every change of the form, or of what the engine keeps in it.
const VERSION: u32 = 7;

/// The snapshot is of another version, or no match can stand so.
///
/// ```
/// use mancala_play::BadSnapshot;
/// assert!(BadSnapshot.to_string().contains("the log is replayed instead"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSnapshot;

impl fmt::Display for BadSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the snapshot cannot be used; the log is replayed instead")
    }
}

impl std::error::Error for BadSnapshot {}

impl Match {
    /// The state as data.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            version: VERSION,
            spec: self.spec.clone(),
            seats: self.seats,
            play: self.play().map(|play| PlayForm {
                series: play.series,
                position: play.game.position().setup(),
                history: play.game.history_keys().to_vec(),
                moved: play.moved,
                turn_began: play.turn_began,
                lost: play.lost,
                count: play.count,
                paid_turn: play.paid_turn,
                pause: play.pause,
                clocks: play.clocks.clone(),
                ended: play.ended,
            }),
            end: self.end(),
            note: self.note().cloned(),
            rematch: self.rematch_number(),
            next_number: self.next_number,
            seq: self.seq,
            digest: self.digest,
            keys: self.keys.clone(),
            signed: self.signed,
            offer: self.offer,
            offered: self.offered,
            absences: self.absences,
            leaves: self.leaves,
            teams: self.teams.clone(),
        }
    }
}

impl TryFrom<Snapshot> for Match {
    type Error = BadSnapshot;

    fn try_from(snapshot: Snapshot) -> Result<Match, BadSnapshot> {
        if snapshot.version != VERSION {
            return Err(BadSnapshot);
        }
        let options = snapshot.spec.options;
        let play = match snapshot.play {
            None => None,
            Some(form) => {
                let position = AnyPosition::from_setup(options, &form.position);
                let position = position.map_err(|_| BadSnapshot)?;
                Some(Play {
                    series: form.series,
                    game: Game::resume(position, form.history),
                    moved: form.moved,
                    turn_began: form.turn_began,
                    lost: form.lost,
                    count: form.count,
                    paid_turn: form.paid_turn,
                    pause: form.pause,
                    clocks: form.clocks,
                    ended: form.ended,
                })
            }
        };
        Ok(Match {
            spec: snapshot.spec,
            seats: snapshot.seats,
            stage: match (snapshot.end, play) {
                (Some(end), last) => Stage::Over {
                    last,
                    end,
                    note: snapshot.note,
                    rematch: snapshot.rematch,
                },
                (None, Some(play)) => Stage::Playing(play),
                (None, None) => Stage::Gathering,
            },
            next_number: snapshot.next_number,
            seq: snapshot.seq,
            digest: snapshot.digest,
            keys: snapshot.keys,
            signed: snapshot.signed,
            offer: snapshot.offer,
            offered: snapshot.offered,
            absences: snapshot.absences,
            leaves: snapshot.leaves,
            teams: snapshot.teams,
        })
    }
}
