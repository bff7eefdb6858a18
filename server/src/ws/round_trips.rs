//! How long the way to a client takes, there and back, as the server measures it.
//!
//! A ping carries a number that nobody can guess, and is sent right after the word that
//! somebody is to move. What counts is the smallest of the last few: a way is as long as it is
//! when nothing comes in between. Who answers late makes his own way longer, which his clock
//! is credited for only as far as a quota goes; who answers what was not asked gains nothing.

use crate::clock::Stopwatch;

/// Pings that wait for an answer: more than one way takes turns. Of the oldest an answer is
/// not taken any more.
const WAITING: usize = 4;

/// How long a measurement is new, in milliseconds: less than the shortest turn that a clock
/// knows. Where moves come faster than that, to measure with each would cost a sixth of what a
/// move costs.
const NEW_MS: i64 = 1_000;

/// Round trips of which the smallest counts.
const KEPT: usize = 5;

/// The round trips of one socket.
#[derive(Debug, Default)]
pub(super) struct RoundTrips {
    waiting: [Option<Waiting>; WAITING],
    last: Option<Stopwatch>,
    pings: usize,
    took_ms: [u32; KEPT],
    pongs: usize,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    since: Stopwatch,
}

impl RoundTrips {
    /// Is it time for another ping?
    pub(super) fn are_old(&self) -> bool {
        let is_old = |last: &Stopwatch| last.milliseconds() >= NEW_MS;
        self.last.as_ref().is_none_or(is_old)
    }

    /// A ping with this number goes out.
    pub(super) fn ping(&mut self, number: u64) {
        let since = Stopwatch::start();
        self.last = Some(since);
        self.waiting[self.pings % WAITING] = Some(Waiting { number, since });
        self.pings += 1;
    }

    /// A pong has come. If it answers a ping, and is the first to do so: how long the way
    /// takes by now, in milliseconds.
    pub(super) fn pong(&mut self, payload: &[u8]) -> Option<u32> {
        let number = u64::from_le_bytes(payload.try_into().ok()?);
        let answers =
            |place: &&mut Option<Waiting>| place.as_ref().is_some_and(|w| w.number == number);
        let asked = self.waiting.iter_mut().find(answers)?.take()?;
        let took_ms = asked.since.milliseconds();
        self.took_ms[self.pongs % KEPT] = u32::try_from(took_ms).unwrap_or(u32::MAX);
        self.pongs += 1;
        let kept = self.pongs.min(KEPT);
        self.took_ms[..kept].iter().copied().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::advance;

    /// A round trip that takes so long, and what counts after it.
    async fn round_trip(trips: &mut RoundTrips, number: u64, ms: u64) -> Option<u32> {
        trips.ping(number);
        advance(Duration::from_millis(ms)).await;
        trips.pong(&number.to_le_bytes())
    }

    #[tokio::test(start_paused = true)]
    async fn the_smallest_of_the_last_five_counts() {
        let mut trips = RoundTrips::default();
        let took = [300, 120, 500, 400, 200, 600, 700, 250];
        let counts = [300, 120, 120, 120, 120, 120, 200, 200];
        for ((number, ms), expected) in (0..).zip(took).zip(counts) {
            assert_eq!(round_trip(&mut trips, number, ms).await, Some(expected));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_asked_or_is_answered_already_counts_for_nothing() {
        let mut trips = RoundTrips::default();
        assert_eq!(trips.pong(&7_u64.to_le_bytes()), None, "no ping was sent");
        assert_eq!(round_trip(&mut trips, 7, 100).await, Some(100));
        assert_eq!(trips.pong(&7_u64.to_le_bytes()), None, "a replay");
        trips.ping(8);
        assert_eq!(trips.pong(&9_u64.to_le_bytes()), None, "another number");
        assert_eq!(trips.pong(b""), None);
        assert_eq!(trips.pong(b"123456789"), None);
        advance(Duration::from_millis(40)).await;
        assert_eq!(trips.pong(&8_u64.to_le_bytes()), Some(40));
    }

    #[tokio::test(start_paused = true)]
    async fn a_way_is_not_measured_again_at_once() {
        let mut trips = RoundTrips::default();
        assert!(trips.are_old());
        assert_eq!(round_trip(&mut trips, 1, 100).await, Some(100));
        assert!(!trips.are_old());
        advance(Duration::from_millis(NEW_MS.cast_unsigned() - 100)).await;
        assert!(trips.are_old());
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_four_pings_wait() {
        let mut trips = RoundTrips::default();
        for number in 1..=6 {
            trips.ping(number);
            advance(Duration::from_millis(10)).await;
        }
        let answers = [1_u64, 2, 6, 4].map(|number| trips.pong(&number.to_le_bytes()));
        assert_eq!(answers, [None, None, Some(10), Some(10)]);
        // They take up no more than what a socket has to spare.
        assert!(
            size_of::<RoundTrips>() <= 160,
            "{}",
            size_of::<RoundTrips>()
        );
    }
}
