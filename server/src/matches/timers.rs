//! When something is due in the matches that have no task: the earliest first.
//!
//! May know names and times, never what is due.

use crate::clock::ServiceTime;
use crate::ids::PublicId;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use tokio::sync::Notify;

/// The times at which matches are to be loaded because something is due in them by itself. A
/// match has one at most.
#[derive(Debug, Default)]
pub(super) struct Timers {
    waiting: Mutex<Waiting>,
    /// There is an earlier one than before.
    earlier: Notify,
    /// Each live match in which something is due has one of these.
    live: Arc<()>,
}

/// A live match that looks after what is due in it has this.
#[derive(Debug)]
pub(super) struct LooksAfter(#[allow(dead_code, reason = "its copies are counted")] Arc<()>);

/// The same times in two orders.
#[derive(Debug, Default)]
struct Waiting {
    by_time: BTreeSet<(i64, PublicId)>,
    by_name: HashMap<PublicId, i64>,
}

impl Waiting {
    fn remove(&mut self, name: PublicId) {
        if let Some(at_ms) = self.by_name.remove(&name) {
            self.by_time.remove(&(at_ms, name));
        }
    }

    fn insert(&mut self, name: PublicId, at_ms: i64) {
        self.remove(name);
        self.by_name.insert(name, at_ms);
        self.by_time.insert((at_ms, name));
    }

    fn first(&self) -> Option<(i64, PublicId)> {
        self.by_time.first().copied()
    }
}

impl Timers {
    /// The match is to be loaded at this service time.
    pub(super) fn set(&self, name: PublicId, at_ms: i64) {
        let mut waiting = self.waiting.lock();
        waiting.insert(name, at_ms);
        if waiting.first() == Some((at_ms, name)) {
            self.earlier.notify_one();
        }
    }

    /// The match is loaded, and looks after its time by itself.
    pub(super) fn remove(&self, name: PublicId) {
        self.waiting.lock().remove(name);
    }

    /// Sets what the store has. Where a match has a time already, that is a later word.
    pub(super) fn fill(&self, deadlines: Vec<(PublicId, i64)>) {
        let mut waiting = self.waiting.lock();
        for (name, at_ms) in deadlines {
            if !waiting.by_name.contains_key(&name) {
                waiting.insert(name, at_ms);
            }
        }
        self.earlier.notify_one();
    }

    /// Waits for the earliest time, and takes its match out.
    pub(super) async fn next(&self, service: &ServiceTime) -> PublicId {
        let mut alarm = service.alarm();
        loop {
            alarm.set(self.waiting.lock().first().map(|(at_ms, _)| at_ms));
            tokio::select! {
                biased;
                () = self.earlier.notified() => {}
                () = alarm.goes_off() => {
                    let now_ms = service.now_ms();
                    let mut waiting = self.waiting.lock();
                    if let Some((at_ms, name)) = waiting.first()
                        && at_ms <= now_ms
                    {
                        waiting.remove(name);
                        return name;
                    }
                }
            }
        }
    }

    /// A live match looks after what is due in it, while it has what this gives.
    pub(super) fn looks_after(&self) -> LooksAfter {
        LooksAfter(Arc::clone(&self.live))
    }

    /// Is something due at some time, in a match that is loaded or in one that is not?
    pub(super) fn anything_due(&self) -> bool {
        Arc::strong_count(&self.live) > 1 || !self.waiting.lock().by_name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    fn name(number: u64) -> PublicId {
        PublicId::from_number(number)
    }

    /// Whose time comes next, and when, within an hour.
    async fn next(timers: &Timers, service: &ServiceTime) -> Option<(PublicId, i64)> {
        let next = timeout(Duration::from_secs(3_600), timers.next(service)).await;
        Some((next.ok()?, service.now_ms()))
    }

    #[tokio::test(start_paused = true)]
    async fn times_come_in_their_order_each_once() {
        let service = ServiceTime::going_on_from(1_000);
        let timers = Timers::default();
        timers.fill(vec![(name(1), 5_000), (name(2), 3_000), (name(3), 9_000)]);
        timers.set(name(4), 4_000);
        // Set anew, later and earlier; taken away; in the past.
        timers.set(name(2), 7_000);
        timers.set(name(3), 2_000);
        timers.remove(name(1));
        timers.set(name(5), 500);
        let expected = [(5, 1_000), (3, 2_000), (4, 4_000), (2, 7_000)];
        for (number, at_ms) in expected {
            assert!(timers.anything_due());
            let came = next(&timers, &service).await;
            assert_eq!(came, Some((name(number), at_ms)));
        }
        assert!(!timers.anything_due());
        assert_eq!(next(&timers, &service).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_store_has_is_older_than_what_was_set() {
        let service = ServiceTime::going_on_from(0);
        let timers = Timers::default();
        timers.set(name(1), 6_000);
        timers.fill(vec![(name(1), 2_000)]);
        assert_eq!(next(&timers, &service).await, Some((name(1), 6_000)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_earlier_time_wakes_who_waits_for_a_later_one() {
        let service = ServiceTime::going_on_from(0);
        let timers = Arc::new(Timers::default());
        timers.set(name(1), 50_000);
        let waits = Arc::clone(&timers);
        let waits = tokio::spawn(async move { next(&waits, &service).await });
        tokio::time::sleep(Duration::from_secs(1)).await;
        timers.set(name(2), 20_000);
        assert_eq!(waits.await.unwrap(), Some((name(2), 20_000)));
    }

    #[test]
    fn a_live_match_counts_as_long_as_it_looks_after_something() {
        let timers = Timers::default();
        let looks_after = timers.looks_after();
        assert!(timers.anything_due());
        drop(looks_after);
        assert!(!timers.anything_due());
    }
}
