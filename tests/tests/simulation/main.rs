//! The whole server in this process, in time that stands still while anybody works: random
//! plans of everything that goes wrong, held against what must be true.
//!
//! A seed makes a plan and gives the same run each time. See CONTRIBUTING.md for what to do
//! with one that fails.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod model;
mod plan;
mod regressions;
mod report;
mod run;
mod teams;
mod truth;
mod weather;
mod wire;

use model::Counts;
use plan::Plan;
use report::report_seed;
use run::run;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// How many plans are gone through where `SIMULATION_PLANS` does not say.
const PLANS: u64 = 1_000;

/// What has to happen in so many plans, or they would show nothing about it.
const HAPPENS: [&str; 60] = [
    "REST 403 bad_secret",
    "REST 409 already_seated",
    "REST 409 seat_taken",
    "REST 422 key_reused",
    "REST 503 storage_unavailable",
    "bye greeting",
    "bye shutting_down",
    "bye storage_unavailable",
    "bye too_fast",
    "bye too_large",
    "crash",
    "done",
    "end aborted",
    "end agreed",
    "end claimed",
    "end time",
    "event back",
    "event counted",
    "event declined",
    "event game_ended",
    "event gone",
    "event match_ended",
    "event offered",
    "event paused",
    "event rematched",
    "event resumed",
    "event signed",
    "event taken_back",
    "event time_given",
    "joined with a view",
    "joined with what was missed",
    "left",
    "previewed",
    "refused action_count",
    "refused already_played",
    "refused bad_message",
    "refused first_move_due",
    "refused key_reused",
    "refused match_over",
    "refused no_claim",
    "refused no_offer",
    "refused no_preview",
    "refused not_begun",
    "refused not_for_players",
    "refused not_in_this_match",
    "refused not_joined",
    "refused not_over",
    "refused not_paused",
    "refused not_seated",
    "refused not_your_turn",
    "refused nothing_to_sign",
    "refused nothing_to_take_back",
    "refused number_ahead",
    "refused offer_open",
    "refused offered_already",
    "refused rematch_made",
    "refused resign_on_your_turn",
    "refused storage_unavailable",
    "refused too_late_to_abort",
    "stop",
];

/// A number from the environment.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
    )
}

#[test]
fn a_thousand_plans() {
    if let Some(seed) = number("SIMULATION_SEED") {
        let plan = Plan::from_seed(seed);
        let outcome = run(&plan);
        for line in &outcome.transcript {
            eprintln!("{line}");
        }
        if let Some(fault) = outcome.fault {
            panic!("{}", report_seed(&plan, &fault));
        }
        return;
    }
    let first = number("SIMULATION_FIRST").unwrap_or(0);
    let plans = number("SIMULATION_PLANS").unwrap_or(PLANS);
    let next = AtomicU64::new(first);
    let counts = Mutex::new(Counts::new());
    let workers = thread::available_parallelism().map_or(1, |count| count.get());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + plans {
                        break;
                    }
                    let plan = Plan::from_seed(seed);
                    let outcome = run(&plan);
                    let mut counts = counts.lock().unwrap();
                    for (what, times) in outcome.counts {
                        *counts.entry(what).or_default() += times;
                    }
                    drop(counts);
                    if let Some(fault) = outcome.fault {
                        // Nobody begins another one.
                        next.store(first + plans, Ordering::Relaxed);
                        panic!("{}", report_seed(&plan, &fault));
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap();
    for (what, times) in &counts {
        eprintln!("{times:>9} {what}");
    }
    if plans >= PLANS {
        let missing: Vec<_> = HAPPENS
            .iter()
            .filter(|what| !counts.contains_key(**what))
            .collect();
        assert!(missing.is_empty(), "it never happened: {missing:?}");
    }
}

#[test]
fn a_seed_gives_the_same_run_again() {
    for seed in 0..20 {
        let plan = Plan::from_seed(seed);
        let [one, same] = [(); 2].map(|()| run(&plan));
        for (one, same) in one.transcript.iter().zip(&same.transcript) {
            assert_eq!(one, same, "seed {seed}");
        }
        assert_eq!(one.transcript.len(), same.transcript.len());
    }
}
