//! How much each of many people has done of late.

use crate::clock::Meter;
use crate::limits::METERED;
use mancala_play::UserId;
use std::collections::BTreeMap;

/// A meter for each of many people, or pairs of them. Whoever is not in it has done nothing of
/// late.
#[derive(Debug)]
pub(crate) struct Meters<K = UserId> {
    of: BTreeMap<K, Meter>,
    /// In so many seconds each gains one.
    seconds: u32,
    /// So many at once.
    burst: u32,
}

impl<K: Ord> Meters<K> {
    pub(crate) const fn new(seconds: u32, burst: u32) -> Meters<K> {
        Meters {
            of: BTreeMap::new(),
            seconds,
            burst,
        }
    }

    /// May somebody do one more now? Then he has. When as many are remembered as may be, and
    /// none of them can be forgotten, nobody else may.
    pub(crate) fn take(&mut self, who: K) -> bool {
        if self.of.len() >= METERED {
            self.of.retain(|_, meter| !meter.is_full());
        }
        if self.of.len() >= METERED && !self.of.contains_key(&who) {
            return false;
        }
        let (seconds, burst) = (self.seconds, self.burst);
        let meter = self.of.entry(who);
        meter.or_insert_with(|| Meter::slow(seconds, burst)).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use uuid::Uuid;

    fn user(number: u128) -> UserId {
        UserId(Uuid::from_u128(number))
    }

    /// Fills with those who have just done something, and lets nobody in before they are
    /// forgotten.
    #[tokio::test(start_paused = true)]
    async fn so_many_are_remembered_and_no_more() {
        let mut meters = Meters::new(2, 5);
        for number in 0..METERED as u128 {
            assert!(meters.take(user(number)));
        }
        assert!(!meters.take(user(1_000_000)));
        assert!(meters.take(user(3)), "who is remembered may go on");
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(meters.take(user(1_000_000)));
        let left = meters.of.len();
        assert_eq!(left, 2, "of the others nothing is to be known");
    }
}
