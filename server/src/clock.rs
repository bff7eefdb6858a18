//! The one place where the server reads the clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970, for people: when a match was made, when an event was written.
/// Nothing is decided by it.
#[must_use]
pub(crate) fn now_ms() -> i64 {
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    let now = SystemTime::now();
    let since = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
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
        #[allow(clippy::disallowed_methods, reason = "this is the one place")]
        let read = Instant::now();
        Meter {
            a_second: f64::from(a_second),
            burst: f64::from(burst),
            left: f64::from(burst),
            read,
        }
    }

    /// Takes a token, if there is one.
    pub(crate) fn take(&mut self) -> bool {
        #[allow(clippy::disallowed_methods, reason = "this is the one place")]
        let now = Instant::now();
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
