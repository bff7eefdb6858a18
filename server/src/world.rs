//! What the server takes from outside and cannot decide itself: time and lots.

use crate::chance::Chance;
use crate::clock::Clock;

/// Time and lots: a cheap handle, of which all clones mean the same.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) clock: Clock,
    pub(crate) chance: Chance,
}

impl World {
    /// This one: the system's clock and randomness.
    #[must_use]
    pub fn real() -> World {
        World {
            clock: Clock::System,
            chance: Chance::system(),
        }
    }

    /// One that can be had again: lots from a seed, and time from the runtime, which a test
    /// lets stand still.
    #[must_use]
    pub fn simulated(seed: u64) -> World {
        World {
            clock: Clock::simulated(),
            chance: Chance::seeded(seed),
        }
    }
}
