//! What is said of a plan that found something.

use crate::plan::Plan;
use crate::run::{Outcome, run};
use std::fmt::Write as _;

/// How many shorter plans are tried to find what a failing one fails by.
const TRIES: usize = 300;

/// Does what a plan says, and fails with all that helps if something was wrong.
pub(crate) fn assert_passes(plan: &Plan) -> Outcome {
    let outcome = run(plan);
    if let Some(fault) = &outcome.fault {
        panic!("{}", report(plan, fault));
    }
    outcome
}

/// What was found, the shortest plan that finds it, and how to have it again.
pub(crate) fn report(plan: &Plan, fault: &str) -> String {
    let seed = plan.seed;
    let (short, outcome) = shortened(plan);
    let mut report = format!("seed {seed} found a fault:\n{fault}\n\n");
    let steps = (plan.steps.len(), short.steps.len());
    writeln!(
        report,
        "Of its {} steps these {} are enough:",
        steps.0, steps.1
    )
    .unwrap();
    for step in &short.steps {
        writeln!(report, "    {step:?}").unwrap();
    }
    let said = &outcome.transcript;
    writeln!(report, "The last that was said with them:").unwrap();
    for line in &said[said.len().saturating_sub(40)..] {
        writeln!(report, "    {line:.400}").unwrap();
    }
    let fault = outcome.fault.unwrap_or_default();
    writeln!(
        report,
        "and then:\n{fault}\n\nAlone, with all that is said:"
    )
    .unwrap();
    writeln!(
        report,
        "    SIMULATION_SEED={seed} cargo test -p mancala-tests --test simulation a_thousand_plans"
    )
    .unwrap();
    report
}

/// The plan without the steps that it does not need to fail at the same place.
fn shortened(plan: &Plan) -> (Plan, Outcome) {
    let mut short = plan.clone();
    let mut outcome = run(plan);
    let mut tries = 0;
    let mut size = short.steps.len() / 2;
    while size > 0 && tries < TRIES {
        let mut place = 0;
        while place < short.steps.len() && tries < TRIES {
            tries += 1;
            let mut steps = short.steps.clone();
            steps.drain(place..(place + size).min(steps.len()));
            let seed = short.seed;
            let shorter = Plan { seed, steps };
            let tried = run(&shorter);
            if place_of(&tried) == place_of(&outcome) {
                (short, outcome) = (shorter, tried);
            } else {
                place += size;
            }
        }
        size /= 2;
    }
    (short, outcome)
}

fn place_of(outcome: &Outcome) -> Option<&str> {
    outcome.fault.as_ref()?.lines().next()
}
