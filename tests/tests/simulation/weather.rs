//! What the disk does, as a plan wills it.

use mancala_server::store::{Fate, FateEnd, RequestKind, Weather};
use mancala_tests::Random;
use std::sync::Mutex;
use std::time::Duration;

/// How a disk behaves for a while. Chances are in a hundred.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Storm {
    /// Half of what a request takes at most.
    pub(crate) slow_ms: u64,
    /// Writes that are not done, and say so.
    pub(crate) writes_lost: usize,
    /// Writes that are done, and do not say so.
    pub(crate) writes_unknown: usize,
    /// Reads that fail.
    pub(crate) reads_lost: usize,
}

impl Storm {
    pub(crate) const CALM: Storm = Storm {
        slow_ms: 2,
        writes_lost: 0,
        writes_unknown: 0,
        reads_lost: 0,
    };
}

/// The weather over the disk of a simulation.
#[derive(Debug)]
pub(crate) struct Climate(Mutex<State>);

#[derive(Debug)]
struct State {
    random: Random,
    storm: Storm,
    faults: u64,
}

impl Climate {
    pub(crate) fn new(seed: u64) -> Climate {
        Climate(Mutex::new(State {
            random: Random::from_seed(seed),
            storm: Storm::CALM,
            faults: 0,
        }))
    }

    pub(crate) fn becomes(&self, storm: Storm) {
        self.0.lock().unwrap().storm = storm;
    }

    /// How many requests have failed so far.
    pub(crate) fn faults(&self) -> u64 {
        self.0.lock().unwrap().faults
    }
}

impl Weather for Climate {
    fn fate(&self, kind: RequestKind) -> Fate {
        let mut state = self.0.lock().unwrap();
        let State { random, storm, .. } = &mut *state;
        let mut a_while = || {
            // Most requests are quick also on a slow disk.
            let most = if random.below(3) == 0 {
                storm.slow_ms
            } else {
                2.min(storm.slow_ms)
            };
            Duration::from_millis(random.below(most as usize + 1) as u64)
        };
        let (before, after) = (a_while(), a_while());
        let drawn = random.below(100);
        let (lost, unknown) = match kind {
            RequestKind::Read => (storm.reads_lost, 0),
            RequestKind::Write => (storm.writes_lost, storm.writes_unknown),
        };
        let end = if drawn < lost {
            FateEnd::NotDone
        } else if drawn < lost + unknown {
            FateEnd::Unknown
        } else {
            FateEnd::Done
        };
        state.faults += u64::from(end != FateEnd::Done);
        Fate { before, end, after }
    }
}
