//! The one place where the server draws lots: ids, secrets and the lot of a match all come
//! from the operating system's randomness; in a simulation, from a seed.

use mancala_engine::Side;
use parking_lot::Mutex;
use std::sync::Arc;
use uuid::Uuid;

/// Where lots come from.
#[derive(Clone, Debug)]
pub(crate) enum Chance {
    /// The operating system. Sides are drawn so often that they are taken from it in stock.
    System(Arc<Mutex<Sides>>),
    /// A seed: a run can be had again.
    Seeded(Arc<Mutex<u64>>),
}

/// Random bits, each of which is given out once.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    bits: u64,
    left: u32,
}

impl Chance {
    pub(crate) fn system() -> Chance {
        Chance::System(Arc::default())
    }

    pub(crate) fn seeded(seed: u64) -> Chance {
        Chance::Seeded(Arc::new(Mutex::new(seed)))
    }

    /// Random bytes.
    ///
    /// # Panics
    /// Where the system has none to give: nothing that the server promises holds then.
    fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match self {
            Chance::System(_) => {
                #[allow(clippy::disallowed_methods, reason = "this is the one place")]
                getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
            }
            Chance::Seeded(state) => {
                let mut state = state.lock();
                for chunk in bytes.chunks_mut(8) {
                    chunk.copy_from_slice(&split_mix(&mut state).to_le_bytes()[..chunk.len()]);
                }
            }
        }
        bytes
    }

    /// A secret of 256 random bits.
    pub(crate) fn secret(&self) -> String {
        text_of(self.bytes())
    }

    /// 64 random bits.
    pub(crate) fn number(&self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    /// A new id. Ids rise with time, so that the database keeps what is new together.
    pub(crate) fn id(&self, now_ms: i64) -> Uuid {
        let now_ms = u64::try_from(now_ms).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(now_ms, &self.bytes()).into_uuid()
    }

    /// A side drawn by lot.
    pub(crate) fn side(&self) -> Side {
        let Chance::System(stock) = self else {
            return Side::ALL[self.bytes::<1>()[0] as usize & 1];
        };
        let mut stock = stock.lock();
        if stock.left == 0 {
            *stock = Sides {
                bits: self.number(),
                left: u64::BITS,
            };
        }
        stock.left -= 1;
        Side::ALL[(stock.bits >> stock.left) as usize & 1]
    }
}

/// 256 bits as 64 hexadecimal digits: letters and digits pass unharmed through addresses,
/// command lines and a double click.
pub(crate) fn text_of(bits: [u8; 32]) -> String {
    bits.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The generator SplitMix64: good enough to try things with, and secret from nobody.
const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_lots_again_and_the_system_others() {
        let [one, same, other] = [7, 7, 8].map(Chance::seeded);
        assert_eq!(one.secret(), same.secret());
        assert_eq!((one.number(), one.id(5)), (same.number(), same.id(5)));
        assert_ne!(one.secret(), other.secret());
        let system = Chance::system();
        assert_ne!(system.secret(), system.secret());
    }

    /// Two hundred draws that all fall to one side are never seen.
    #[test]
    fn either_side_is_drawn() {
        for chance in [Chance::system(), Chance::seeded(1)] {
            let drawn: Vec<Side> = (0..200).map(|_| chance.side()).collect();
            assert!(Side::ALL.iter().all(|side| drawn.contains(side)));
        }
    }

    #[test]
    fn ids_rise_with_time() {
        let chance = Chance::system();
        assert!(chance.id(1_700_000_000_000) < chance.id(1_700_000_000_001));
        assert_eq!(chance.id(1).get_version_num(), 7);
    }
}
