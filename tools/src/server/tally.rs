//! What is counted and timed while a server is measured.
//!
//! May know durations and bytes, never frames or sockets.

use hdrhistogram::Histogram;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest time that a histogram tells from longer ones, in microseconds: a minute.
/// Whoever waits longer has long been counted among the worst.
const MICROS_MAX: u64 = 60_000_000;

/// The largest frame told from larger ones, in bytes.
const BYTES_MAX: u64 = 1 << 20;

/// Significant digits of what is timed: steps of a thousandth.
const DIGITS: u8 = 3;

/// What was counted and timed in a stretch of time.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Moves that were answered `done`.
    pub(crate) moves: u64,
    /// Matches that came to their end.
    pub(crate) matches_ended: u64,
    /// Events that were carried into a position and held against it.
    pub(crate) events_checked: u64,
    /// Frames of every kind, to everyone.
    pub(crate) frames: u64,
    /// Refusals by code.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Views that came unasked, to spectators who were behind.
    pub(crate) resyncs: u64,
    /// Moves that waited because a socket may not say more than so much a second.
    pub(crate) held_back: u64,
    opponent: Histogram<u64>,
    last_spectator: Histogram<u64>,
    answer: Histogram<u64>,
    event_bytes: Histogram<u64>,
}

impl Tally {
    /// Nothing yet.
    pub(crate) fn new() -> Tally {
        let histogram = |most| {
            Histogram::new_with_bounds(1, most, DIGITS)
                .expect("the bounds are those that the library asks for")
        };
        Tally {
            moves: 0,
            matches_ended: 0,
            events_checked: 0,
            frames: 0,
            refused: BTreeMap::new(),
            resyncs: 0,
            held_back: 0,
            opponent: histogram(MICROS_MAX),
            last_spectator: histogram(MICROS_MAX),
            answer: histogram(MICROS_MAX),
            event_bytes: histogram(BYTES_MAX),
        }
    }

    /// A move has come to the opponent's socket so long after it was to be sent.
    pub(crate) fn heard(&mut self, after: Duration) {
        self.opponent.saturating_record(micros(after));
    }

    /// A move has come to the last of all spectators so long after it was to be sent.
    pub(crate) fn seen_by_all(&mut self, after: Duration) {
        self.last_spectator.saturating_record(micros(after));
    }

    /// A move was answered `done` so long after it was to be sent.
    pub(crate) fn answered(&mut self, after: Duration) {
        self.moves += 1;
        self.answer.saturating_record(micros(after));
    }

    /// The event of a move had so many bytes of text.
    pub(crate) fn told(&mut self, text_bytes: usize) {
        let on_the_wire = (text_bytes + header_bytes(text_bytes)) as u64;
        self.event_bytes.saturating_record(on_the_wire);
    }

    /// A command was refused.
    pub(crate) fn refuse(&mut self, code: &str) {
        *self.refused.entry(code.to_owned()).or_default() += 1;
    }

    /// From a move to the opponent's socket.
    pub(crate) fn to_opponent(&self) -> Spread {
        Spread::of(&self.opponent)
    }

    /// From a move to the last spectator's socket; nothing where nobody watches.
    pub(crate) fn to_last_spectator(&self) -> Option<Spread> {
        (!self.last_spectator.is_empty()).then(|| Spread::of(&self.last_spectator))
    }

    /// From a move to its answer.
    pub(crate) fn to_answer(&self) -> Spread {
        Spread::of(&self.answer)
    }

    /// Bytes of a move's event, half of them below and half above.
    pub(crate) fn event_bytes_median(&self) -> u64 {
        self.event_bytes.value_at_quantile(0.5)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Bytes before the text of an unmasked frame (RFC 6455, 5.2).
const fn header_bytes(text_bytes: usize) -> usize {
    match text_bytes {
        0..126 => 2,
        126..65_536 => 4,
        _ => 10,
    }
}

/// How times are spread, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Spread {
    pub(crate) p50: u64,
    pub(crate) p99: u64,
    pub(crate) p999: u64,
    pub(crate) max: u64,
}

impl Spread {
    fn of(histogram: &Histogram<u64>) -> Spread {
        Spread {
            p50: histogram.value_at_quantile(0.5),
            p99: histogram.value_at_quantile(0.99),
            p999: histogram.value_at_quantile(0.999),
            max: histogram.max(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_a_thousandth_and_long_ones_are_not_lost() {
        let mut tally = Tally::new();
        for millis in 1..=1_000 {
            tally.heard(Duration::from_millis(millis));
        }
        tally.heard(Duration::from_secs(1_000));
        let Spread { p50, p99, max, .. } = tally.to_opponent();
        assert!(p50.abs_diff(501_000) <= 501, "{p50}");
        assert!(p99.abs_diff(991_000) <= 991, "{p99}");
        assert!(max.abs_diff(MICROS_MAX) <= MICROS_MAX / 1_000, "{max}");
    }

    #[test]
    fn bytes_are_those_on_the_wire() {
        let mut tally = Tally::new();
        for text_bytes in [100, 200, 70_000] {
            tally.told(text_bytes);
        }
        assert_eq!(tally.event_bytes_median(), 204);
    }
}
