//! How much a socket may say: the limits of the protocol, kept from the client's side.

use mancala_protocol::limits::{MESSAGES_A_SECOND_MAX, MESSAGES_BURST_MAX};
use std::time::{Duration, Instant};

/// What is kept in hand, because the server counts when it reads, and may read late.
const IN_HAND: u32 = 20;

/// What a socket may still say. The server cuts off who says more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    left: f64,
    counted: Instant,
}

impl Allowance {
    /// That of a new socket.
    pub(crate) fn new(now: Instant) -> Allowance {
        Allowance {
            left: f64::from(MESSAGES_BURST_MAX - IN_HAND),
            counted: now,
        }
    }

    /// Takes a message out of it, or says how long to wait for one.
    pub(crate) fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let a_second = f64::from(MESSAGES_A_SECOND_MAX - 1);
        let gained = now.duration_since(self.counted).as_secs_f64() * a_second;
        let most = f64::from(MESSAGES_BURST_MAX - IN_HAND);
        self.left = (self.left + gained).min(most);
        self.counted = now;
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - self.left) / a_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_and_then_so_many_a_second() {
        let mut now = Instant::now();
        let mut allowance = Allowance::new(now);
        let mut said = 0;
        let end = now + Duration::from_secs(10);
        while now < end {
            match allowance.take(now) {
                Ok(()) => said += 1,
                Err(wait) => now += wait + Duration::from_nanos(1),
            }
        }
        let most = MESSAGES_BURST_MAX + 10 * MESSAGES_A_SECOND_MAX;
        assert!(said <= most, "{said}");
        assert!(said > most / 2, "{said}");
    }
}
