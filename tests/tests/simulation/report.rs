//! What is said of a plan that found something.

use crate::plan::Plan;
use crate::run::{Outcome, run};

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

/// The same of the plan of a seed, and how to have it again.
pub(crate) fn report_seed(plan: &Plan, fault: &str) -> String {
    format!(
        "seed {seed}: {report}\n\nAlone, with all that is said:\n    \
         SIMULATION_SEED={seed} cargo test --workspace --test simulation a_thousand_plans\n",
        seed = plan.seed,
        report = report(plan, fault),
    )
}

/// What was found, and the shortest plan that finds it.
fn report(plan: &Plan, fault: &str) -> String {
    let (short, outcome) = shortened(plan);
    let steps: Vec<_> = short.steps.iter().map(|step| format!("{step:?}")).collect();
    let said = &outcome.transcript;
    let last = said[said.len().saturating_sub(40)..].iter();
    let last: Vec<_> = last.map(|line| format!("{line:.400}")).collect();
    format!(
        "the plan found a fault:\n{fault}\n\n\
         Of its {all} steps these {few} are enough:\n    {steps}\n\
         The last that was said with them:\n{last}\nand then:\n{fault_again}",
        all = plan.steps.len(),
        few = steps.len(),
        steps = steps.join("\n    "),
        last = last.join("\n"),
        fault_again = outcome.fault.unwrap_or_default(),
    )
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

/// Where the fault was found.
fn place_of(outcome: &Outcome) -> Option<&str> {
    outcome.fault.as_ref()?.lines().next()
}
