//! Matches of teams on the largest board, ten a side, to the end of the board: with people who
//! drop out, come back, leave for good, are sent away and replaced, as a seed has it.

mod agreed;
mod choice;
mod ear;
mod minutes;
mod village;

use crate::number;
use crate::run::faults;
use agreed::Agreed;
use mancala_tests::Random;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use village::{Course, Village};

/// How many matches are played where `SIMULATION_TEAMS` does not say.
const MATCHES: usize = 50;

/// Where they all begin, where `SIMULATION_TEAMS_SEED` does not say.
const SEED: u64 = 1;

/// What has to happen in so many matches, or they would show nothing about it.
const HAPPENS: [&str; 16] = [
    "absent",
    "backed",
    "came",
    "handed_back",
    "led",
    "left",
    "ordered",
    "passed",
    "present",
    "proposed",
    "published",
    "sat",
    "stood_in",
    "voted",
    "waits",
    "window_closed",
];

/// Plays the match of a place, from the seed of all.
fn play(seed: u64, place: usize) -> Course {
    let agreed = Agreed::of(place);
    let mut seeds = Random::from_seed(seed);
    let seed_of_match = (0..=place).fold(0, |_, _| seeds.next());
    faults::watch();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let whole = async { Village::found(agreed, seed_of_match).await.play().await };
    let course = catch_unwind(AssertUnwindSafe(|| runtime.block_on(whole)));
    drop(runtime);
    match (course, faults::found()) {
        (Ok(course), None) => course,
        (_, fault) => panic!(
            "match {place} of seed {seed}, {agreed:?}:\n{fault}\n\nAlone:\n    \
             SIMULATION_TEAMS_SEED={seed} SIMULATION_TEAMS_MATCH={place} \
             cargo test --workspace --test simulation teams::\n",
            fault = fault.unwrap_or_default(),
        ),
    }
}

#[test]
fn ten_a_side_to_the_end_of_the_board() {
    let seed = number("SIMULATION_TEAMS_SEED").unwrap_or(SEED);
    if let Some(place) = number("SIMULATION_TEAMS_MATCH") {
        let course = play(seed, place as usize);
        eprintln!("{course:?}");
        return;
    }
    let matches = number("SIMULATION_TEAMS").map_or(MATCHES, |many| many as usize);
    let next = AtomicUsize::new(0);
    let happened: Mutex<BTreeMap<&str, u64>> = Mutex::default();
    let workers = thread::available_parallelism().map_or(1, |count| count.get());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= matches {
                        break;
                    }
                    let course = play(seed, place);
                    let mut happened = happened.lock().unwrap();
                    for (what, times) in course.happened {
                        *happened.entry(what).or_default() += times;
                    }
                    *happened.entry("actions").or_default() += course.actions as u64;
                }
            });
        }
    });
    let happened = happened.into_inner().unwrap();
    for (what, times) in &happened {
        eprintln!("{times:>9} {what}");
    }
    if matches >= MATCHES {
        let missing = HAPPENS.iter().filter(|what| !happened.contains_key(**what));
        let missing: Vec<_> = missing.collect();
        assert!(missing.is_empty(), "it never happened: {missing:?}");
    }
}

#[test]
fn a_seed_gives_the_same_match_again() {
    for place in 0..4 {
        assert_eq!(play(SEED, place), play(SEED, place));
    }
}
