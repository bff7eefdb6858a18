//! When moves are sent that come at a fixed rate, whatever the server does.
//!
//! May know moments and who waits for one, never what is done then.
//!
//! The moments are fixed before the run: the k-th is k / rate after the first. Each is
//! given to the match that has been ready the longest. Where none is ready, because the
//! server has fallen behind, the moment is kept, and the next match that is ready has a
//! move that is late already; it is timed from its moment on, not from when it could be
//! sent. A driver that waits for answers before it goes on would leave just these out.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Moments and those who wait for one.
#[derive(Debug, Default)]
pub(crate) struct Schedule(Mutex<Waiting>);

/// One of the two is always empty.
#[derive(Debug, Default)]
struct Waiting {
    ready: VecDeque<oneshot::Sender<Instant>>,
    /// Moments that have passed, with nobody ready: at most as many as a run has.
    owed: VecDeque<Instant>,
    closed: bool,
}

impl Schedule {
    /// Waits for a moment. It is an error once the run is over.
    pub(crate) fn turn(&self) -> oneshot::Receiver<Instant> {
        let (give, turn) = oneshot::channel();
        let mut waiting = self.waiting();
        if let Some(due) = waiting.owed.pop_front() {
            // The receiver is right here.
            _ = give.send(due);
        } else if !waiting.closed {
            waiting.ready.push_back(give);
        }
        turn
    }

    /// Moments that nobody was ready for.
    pub(crate) fn owed(&self) -> usize {
        self.waiting().owed.len()
    }

    /// No more moments: whoever waits is told so.
    pub(crate) fn close(&self) {
        let mut waiting = self.waiting();
        waiting.closed = true;
        waiting.owed.clear();
        waiting.ready.clear();
    }

    /// Gives the moments as they come, until it is closed. Sleeps on a thread of its own,
    /// because the runtime's timers go by whole milliseconds.
    pub(crate) fn run(&self, moves_a_second: f64) {
        let first = Instant::now();
        for count in 0_u32.. {
            let due = first + Duration::from_secs_f64(f64::from(count) / moves_a_second);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if !self.give(due) {
                return;
            }
        }
    }

    /// Gives a moment to whoever waits the longest. False once it is closed.
    fn give(&self, mut due: Instant) -> bool {
        let mut waiting = self.waiting();
        if waiting.closed {
            return false;
        }
        while let Some(ready) = waiting.ready.pop_front() {
            match ready.send(due) {
                Ok(()) => return true,
                // Its match waits no more.
                Err(unused) => due = unused,
            }
        }
        waiting.owed.push_back(due);
        true
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing is ever half done under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_ready_is_first() {
        let schedule = Schedule::default();
        let now = Instant::now();
        let mut turns: Vec<_> = (0..3).map(|_| schedule.turn()).collect();
        drop(turns.remove(1));
        assert!(schedule.give(now));
        assert!(schedule.give(now + Duration::from_secs(1)));
        assert_eq!(turns[0].try_recv(), Ok(now));
        assert_eq!(turns[1].try_recv(), Ok(now + Duration::from_secs(1)));
    }

    #[test]
    fn a_moment_that_found_nobody_is_kept() {
        let schedule = Schedule::default();
        let now = Instant::now();
        assert!(schedule.give(now));
        assert!(schedule.give(now + Duration::from_secs(1)));
        assert_eq!(schedule.owed(), 2);
        assert_eq!(schedule.turn().try_recv(), Ok(now));
        assert_eq!(schedule.owed(), 1);
    }

    #[test]
    fn after_the_end_nobody_waits() {
        let schedule = Schedule::default();
        let mut before = schedule.turn();
        schedule.close();
        assert!(before.try_recv().is_err());
        assert!(schedule.turn().try_recv().is_err());
        assert!(!schedule.give(Instant::now()));
    }
}
