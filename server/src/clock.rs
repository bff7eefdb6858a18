//! The one place where the server reads the clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// What time it is for people: when a match was made, when an event was written. Nothing
/// is decided by it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    /// As the system says.
    System,
    /// As it would be if this instant had been the beginning of 2026, in the time of the
    /// runtime, which may stand still.
    Simulated(Instant),
}

const SIMULATED_FROM_MS: i64 = 1_767_225_600_000;

impl Clock {
    pub(crate) fn simulated() -> Clock {
        Clock::Simulated(now())
    }

    /// Milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> i64 {
        match self {
            Clock::System => {
                #[allow(clippy::disallowed_methods, reason = "this is the one place")]
                let now = SystemTime::now();
                milliseconds(now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO))
            }
            Clock::Simulated(begun) => {
                SIMULATED_FROM_MS + milliseconds(now().duration_since(*begun))
            }
        }
    }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn now() -> Instant {
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    Instant::now()
}

/// How long something takes, for those who watch the server.
#[derive(Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(now())
    }

    pub(crate) fn seconds(&self) -> f64 {
        now().duration_since(self.0).as_secs_f64()
    }
}

/// A bucket of tokens that fills by time: so many a second, up to a burst.
#[derive(Debug)]
pub(crate) struct Meter {
    a_second: f64,
    burst: f64,
    left: f64,
    read: Instant,
}

impl Meter {
    /// A full bucket.
    pub(crate) fn new(a_second: u32, burst: u32) -> Meter {
        Meter {
            a_second: f64::from(a_second),
            burst: f64::from(burst),
            left: f64::from(burst),
            read: now(),
        }
    }

    /// Takes a token, if there is one.
    pub(crate) fn take(&mut self) -> bool {
        let now = now();
        let gained = now.duration_since(self.read).as_secs_f64() * self.a_second;
        self.read = now;
        self.left = (self.left + gained).min(self.burst);
        let enough = self.left >= 1.0;
        if enough {
            self.left -= 1.0;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_meter_fills_up_to_its_burst() {
        let mut meter = Meter::new(2, 3);
        let taken = |meter: &mut Meter| (0..10).filter(|_| meter.take()).count();
        assert_eq!(taken(&mut meter), 3);
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(taken(&mut meter), 1);
        tokio::time::advance(Duration::from_secs(3_600)).await;
        assert_eq!(taken(&mut meter), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn simulated_time_goes_with_the_runtime() {
        let clock = Clock::simulated();
        tokio::time::advance(Duration::from_millis(1_234)).await;
        assert_eq!(clock.now_ms(), SIMULATED_FROM_MS + 1_234);
    }
}
