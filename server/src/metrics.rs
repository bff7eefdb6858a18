//! What is counted and measured while the server runs, for Prometheus: one function for each
//! thing that happens, so that names and labels stand here alone.
//!
//! Until [`Metrics::install`] nothing is kept, and nothing costs more than a look.

use crate::clock::Stopwatch;
use ::metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::time::Duration;

/// Bounds of what takes time, in seconds: from one quick sync of a disk to a stuck one.
const SECONDS: [f64; 14] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// Bounds of what is counted at one moment.
const COUNTS: [f64; 12] = [
    0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1_024.0,
];

/// How often what was measured is put together, so that it takes no room.
const UPKEEP: Duration = Duration::from_secs(5);

/// What has been counted and measured so far in this process.
#[derive(Clone, Debug)]
pub struct Metrics(PrometheusHandle);

impl Metrics {
    /// Begins to count, once in a process.
    ///
    /// # Errors
    /// If it has begun before.
    pub fn install() -> Result<Metrics, BuildError> {
        let handle = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)?
            .set_buckets(&COUNTS)?
            .install_recorder()?;
        describe();
        Ok(Metrics(handle))
    }

    /// All of it, in the text form of Prometheus.
    pub(crate) fn text(&self) -> String {
        self.0.render()
    }

    /// Puts together what was measured, again and again.
    pub(crate) async fn keep_up(self) {
        loop {
            tokio::time::sleep(UPKEEP).await;
            self.0.run_upkeep();
        }
    }
}

fn describe() {
    describe_counter!("mancala_actions_total", "Actions played, by game.");
    describe_counter!(
        "mancala_refusals_total",
        "Messages and requests refused, by code."
    );
    describe_counter!("mancala_matches_created_total", "Matches made, by game.");
    describe_counter!(
        "mancala_panics_total",
        "Panics; each ended one match, socket or request."
    );
    describe_counter!(
        "mancala_resyncs_total",
        "Who followed a match was brought up to date: by the events missed, by a view, or, for a spectator too slow, by a view unasked."
    );
    describe_counter!(
        "mancala_sockets_closed_total",
        "Sockets closed, by the reason given."
    );
    describe_gauge!("mancala_sockets", "Open sockets.");
    describe_gauge!("mancala_matches_live", "Matches in memory.");
    describe_gauge!(
        "mancala_matches_set_aside",
        "Matches that cannot be played because their logs are damaged."
    );
    describe_gauge!(
        "mancala_store_well",
        "1 while the store takes writes, else 0."
    );
    describe_histogram!(
        "mancala_append_seconds",
        Unit::Seconds,
        "From the decision of a command to its events on disk."
    );
    describe_histogram!(
        "mancala_commit_seconds",
        Unit::Seconds,
        "One transaction of the store, with its sync."
    );
    describe_histogram!("mancala_commit_changes", "Changes in one transaction.");
    describe_histogram!(
        "mancala_mailbox_messages",
        "Messages waiting behind one that a match takes."
    );
    describe_histogram!(
        "mancala_outbox_frames",
        "Frames waiting for a socket when it is written to."
    );
    gauge!("mancala_sockets").set(0);
    gauge!("mancala_matches_live").set(0);
    gauge!("mancala_store_well").set(1);
    counter!("mancala_panics_total").absolute(0);
}

/// A match was made.
pub(crate) fn match_created(game: &'static str) {
    counter!("mancala_matches_created_total", "game" => game).increment(1);
}

/// Actions were played.
pub(crate) fn acted(game: &'static str, actions: u64) {
    counter!("mancala_actions_total", "game" => game).increment(actions);
}

/// A message or a request was refused.
pub(crate) fn refused(code: &'static str) {
    counter!("mancala_refusals_total", "code" => code).increment(1);
}

/// How somebody who follows a match was brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resync {
    /// By the events that were missed.
    Events,
    /// By a view, on coming.
    View,
    /// By a view, because it had been too slow for the events.
    Skip,
}

/// Somebody who follows a match was brought up to date.
pub(crate) fn resynced(how: Resync) {
    let how = match how {
        Resync::Events => "events",
        Resync::View => "view",
        Resync::Skip => "skip",
    };
    counter!("mancala_resyncs_total", "by" => how).increment(1);
}

/// Events came to the disk, or did not.
pub(crate) fn appended(took: &Stopwatch) {
    histogram!("mancala_append_seconds").record(took.seconds());
}

/// The store made a transaction of so many changes.
pub(crate) fn committed(took: &Stopwatch, changes: usize) {
    histogram!("mancala_commit_seconds").record(took.seconds());
    histogram!("mancala_commit_changes").record(count(changes));
}

/// Does the store take writes?
pub(crate) fn store_well(well: bool) {
    gauge!("mancala_store_well").set(if well { 1 } else { 0 });
}

/// So many messages wait behind the one that a match takes.
pub(crate) fn mailbox(waiting: usize) {
    histogram!("mancala_mailbox_messages").record(count(waiting));
}

/// So many frames were waiting for a socket.
pub(crate) fn outbox(waiting: usize) {
    histogram!("mancala_outbox_frames").record(count(waiting));
}

/// So many matches are set aside, as the server starts.
pub(crate) fn set_aside_at_start(matches: usize) {
    gauge!("mancala_matches_set_aside").set(count(matches));
}

/// A match was set aside.
pub(crate) fn set_aside() {
    gauge!("mancala_matches_set_aside").increment(1);
}

/// Something panicked.
pub fn panicked() {
    counter!("mancala_panics_total").increment(1);
}

/// A socket was closed for this reason, or went away without one.
pub(crate) fn socket_closed(code: Option<&'static str>) {
    counter!("mancala_sockets_closed_total", "code" => code.unwrap_or("gone")).increment(1);
}

/// Counts for as long as it lives.
#[derive(Debug)]
pub(crate) struct Counted(&'static str);

/// An open socket.
pub(crate) fn socket() -> Counted {
    Counted::one("mancala_sockets")
}

/// A match in memory.
pub(crate) fn live_match() -> Counted {
    Counted::one("mancala_matches_live")
}

impl Counted {
    fn one(of: &'static str) -> Counted {
        gauge!(of).increment(1);
        Counted(of)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1);
    }
}

/// Counts of things in memory are far below where a number of this kind is inexact.
#[allow(clippy::cast_precision_loss, reason = "said above")]
const fn count(things: usize) -> f64 {
    things as f64
}
