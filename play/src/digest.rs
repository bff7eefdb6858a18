//! A short digest of the whole state of a match, for recovery.

use crate::{Match, Stage};
use mancala_engine::{Extra, Phase, Position, Side};
use std::fmt;

/// A digest of the whole state of a match with its history: each event mixes what stands
/// after it into the digest before. Whoever replays a log must come to the same digests;
/// where not, the log is damaged or the rules have changed under it.
///
/// It is FNV-1a of 64 bits over numbers of eight bytes, lowest byte first. It guards
/// against accidents, not against forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Digest(pub u64);

impl Digest {
    /// The digest of nothing.
    pub const START: Digest = Digest(0xcbf2_9ce4_8422_2325);

    pub(crate) const fn with(self, number: u64) -> Digest {
        let bytes = number.to_le_bytes();
        let mut digest = self.0;
        let mut index = 0;
        while index < bytes.len() {
            digest = (digest ^ bytes[index] as u64).wrapping_mul(0x0100_0000_01b3);
            index += 1;
        }
        Digest(digest)
    }

    fn with_text(self, text: &str) -> Digest {
        let longer = self.with(text.len() as u64);
        text.bytes()
            .fold(longer, |digest, byte| digest.with(u64::from(byte)))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Match {
    /// The digest after an event that has just been applied.
    pub(crate) fn next_digest(&self) -> Digest {
        let mut digest = self.digest.with(self.seq).with(u64::from(self.next_number));
        for side in Side::ALL {
            let (high, low) = self.seats[side].map_or((0, 0), |user| user.0.as_u64_pair());
            digest = digest.with(high).with(low);
        }
        let end = match self.stage {
            Stage::Gathering => 0,
            Stage::Playing(_) => 1,
            Stage::Over { end, .. } => 2 + end.winner().map_or(0, |side| 1 + side as u64),
        };
        digest = digest.with(end);
        let Some(play) = self.play() else {
            return digest;
        };
        let score = play.series.score();
        let numbers = [score.south, score.north, play.series.game()];
        for number in numbers {
            digest = digest.with(u64::from(number));
        }
        let offer = play.offer.map_or(0, |side| 1 + side as u64);
        digest = digest.with(play.series.begins() as u64).with(offer);
        with_position(digest, play.game.position())
    }
}

fn with_position<P: Position>(mut digest: Digest, position: &P) -> Digest {
    let setup = position.setup();
    for side in Side::ALL {
        for &seeds in &setup.board.pits[side] {
            digest = digest.with(u64::from(seeds));
        }
        digest = digest.with(u64::from(setup.board.stores[side]));
    }
    let standing = setup.standing;
    digest = digest
        .with(standing.to_move as u64)
        .with(u64::from(standing.turn))
        .with(u64::from(standing.quiet));
    digest = match standing.phase {
        Phase::Arrange => digest.with(1),
        Phase::Play => digest.with(2),
        Phase::Direction(lap) => lap
            .columns
            .iter()
            .fold(digest.with(3), |digest, column| {
                digest.with(u64::from(column))
            })
            .with(u64::from(lap.pit.0))
            .with(u64::from(lap.seeds))
            .with(u64::from(lap.held))
            .with(u64::from(lap.laps)),
        Phase::Strip { seeds } => digest.with(4).with(u64::from(seeds)),
        Phase::Lottery => digest.with(5),
        Phase::Over(outcome) => digest.with(6).with_text(outcome.reason().code()),
    };
    match setup.extra {
        Extra::None {} => digest,
        Extra::Omweso { captured, captures } => digest
            .with(u64::from(captured))
            .with(u64::from(captures.south))
            .with(u64::from(captures.north)),
        Extra::Anywoli { last_seed } => digest.with(last_seed.map_or(0, |side| 1 + side as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_1a_of_known_bytes() {
        // The published value of eight zero bytes follows from eight multiplications.
        let zero = (0..8).fold(Digest::START.0, |digest, _| {
            digest.wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(Digest::START.with(0), Digest(zero));
        assert_ne!(Digest::START.with(1), Digest::START.with(256));
    }
}
