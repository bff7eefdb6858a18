//! Plans that are written down: what went wrong elsewhere, and what was found here.

use crate::plan::{How, Plan, Since, Step, What};
use crate::report::assert_passes;
use crate::run::Outcome;
use crate::weather::Storm;
use crate::wire::{Line, Way};
use mancala_engine::Side;
use serde_json::{Value, json};

/// Does what is written down.
fn run(steps: impl IntoIterator<Item = Step>) -> Outcome {
    assert_passes(&Plan {
        seed: 1,
        steps: steps.into_iter().collect(),
    })
}

/// Two guests, each with a device that has joined the match between them.
fn meet(wanted: Value) -> Vec<Step> {
    let mut steps = vec![Step::Guest, Step::Guest, Step::Wait(20)];
    steps.extend([0, 1].map(|person| Step::Device {
        person: Some(person),
    }));
    steps.extend([Step::Make { person: 0, wanted }, Step::Wait(20)]);
    steps.extend([sit(0, Side::South), sit(1, Side::North), Step::Wait(20)]);
    for device in 0..2 {
        steps.extend([connect(device), join(device), Step::Wait(200)]);
    }
    steps
}

fn sit(person: usize, side: Side) -> Step {
    Step::Sit {
        person,
        game: 0,
        side,
        with_secret: true,
    }
}

fn connect(device: usize) -> Step {
    Step::Connect {
        device,
        line: Line::GOOD,
    }
}

fn join(device: usize) -> Step {
    Step::Join {
        device,
        game: 0,
        since: Since::Nothing,
    }
}

fn act(device: usize, how: How) -> Step {
    Step::Act {
        device,
        game: 0,
        how,
        draw: 1,
    }
}

/// Events of a match that has begun: it was made, two sat down, and a game began.
const BEGUN: u64 = 4;

/// Whichever of two devices does this, one of them moves once, and the other does not.
fn assert_one_move(steps: impl Fn(usize) -> Vec<Step>) {
    let moves = [0, 1].map(|device| {
        let mut plan = meet(json!({ "game": "urim" }));
        plan.extend(steps(device));
        run(plan).events - BEGUN
    });
    assert!(moves == [0, 1] || moves == [1, 0], "{moves:?} moves");
}

/// lichess-org/lila#5681: moves that were sent around a lost link were played out of order,
/// and twice.
#[test]
fn two_moves_around_a_cut_link_in_any_order_and_twice_are_one() {
    for bytes in (0..250).step_by(5) {
        for order in [[1, 0, 1, 0], [0, 1, 0, 1]] {
            assert_one_move(|device| {
                let after = Some((Way::ToServer, bytes));
                let mut steps = vec![Step::Cut { device, after }, act(device, How::Twice)];
                steps.extend([Step::Go { device }, connect(device)]);
                steps.extend(order.map(|back| Step::Again { device, back }));
                steps
            });
        }
    }
}

/// lichess-org/mobile#2525, lichess-org/lila#18351: who had missed the answer to a move came
/// back to a board without it.
#[test]
fn a_mover_who_misses_the_answer_and_comes_back_over_a_restart_hears_the_truth() {
    for bytes in (0..900).step_by(60) {
        for end in [Step::Crash, Step::Stop] {
            for wait_ms in 0..5 {
                assert_one_move(|device| {
                    let after = Some((Way::ToClient, bytes));
                    vec![
                        Step::Cut { device, after },
                        act(device, How::Well),
                        Step::Wait(wait_ms),
                        end.clone(),
                        Step::Start,
                        connect(device),
                        Step::Again { device, back: 0 },
                        Step::Wait(100),
                    ]
                });
            }
        }
    }
}

/// boardgame.io#218: a client that had moved while the server was away moved twice when it
/// was back.
#[test]
fn a_client_that_moves_while_the_server_is_down_moves_once() {
    assert_one_move(|device| {
        let again = Step::Again { device, back: 0 };
        vec![
            Step::Crash,
            act(device, How::Well),
            Step::Wait(3_000),
            again.clone(),
            Step::Start,
            connect(device),
            again.clone(),
            again,
        ]
    });
}

/// colyseus/colyseus#917, #935: what changed while nobody was connected was missing from
/// what the next one to come was told.
#[test]
fn what_changes_while_nobody_is_connected_is_told_to_the_next_who_comes() {
    let mut steps = meet(json!({ "game": "urim", "format": "first_to 3" }));
    steps.extend([Step::Go { device: 0 }, Step::Go { device: 1 }]);
    // The match is unloaded, made known to REST, and unloaded again.
    steps.extend([Step::Wait(70_000), read(What::View), Step::Wait(70_000)]);
    steps.extend([connect(0), join(0), Step::Wait(300), Step::Quiet]);
    let outcome = run(steps);
    assert_eq!(outcome.events, BEGUN);
    assert!(outcome.counts["joined with a view"] >= 3);
}

fn read(what: What) -> Step {
    Step::Read { game: 0, what }
}

/// A socket whose line lets nothing through says nothing of it. It is given up, and everyone
/// else sees that nobody is there.
#[test]
fn who_falls_silent_is_gone_after_three_pings() {
    let mut steps = meet(json!({ "game": "urim" }));
    steps.extend([Step::Silence { device: 0 }, Step::Wait(70_000), Step::Quiet]);
    run(steps);
}

/// Two who never read: a player's second device is cut off, and a spectator skips to a view
/// once it reads again. Nobody else waits for them.
#[test]
fn who_does_not_read_is_cut_off_or_skips_to_a_view() {
    let mut steps = meet(json!({
        "game": "urim", "options": { "quiet_limit": 10 }, "format": "first_to 255",
    }));
    steps.push(Step::Device { person: Some(0) });
    steps.push(Step::Device { person: None });
    for device in [2, 3] {
        steps.extend([
            Step::Connect {
                device,
                line: Line {
                    room: 500,
                    ..Line::GOOD
                },
            },
            join(device),
            Step::Wait(100),
            Step::Ears {
                device,
                open: false,
            },
        ]);
    }
    steps.push(Step::Rally {
        turns: 1_500,
        pause_ms: 22,
        draw: 3,
    });
    let ears = [2, 3].map(|device| Step::Ears { device, open: true });
    steps.extend(ears);
    steps.push(Step::Wait(2_000));
    let outcome = run(steps);
    assert!(outcome.events > 1_200, "{} events", outcome.events);
    assert_eq!(outcome.counts["skipped to a view"], 1);
}

// What the simulation found here.

/// The log was read twice, and whoever sat down in between was nobody.
#[test]
fn a_log_that_is_read_while_somebody_sits_down_names_everybody() {
    for wait_ms in 0..40 {
        let wanted = json!({ "game": "urim", "seat": "south" });
        run([
            Step::Guest,
            Step::Guest,
            Step::Wait(20),
            Step::Make { person: 0, wanted },
            Step::Wait(20),
            Step::Weather(Storm {
                slow_ms: 20,
                ..Storm::CALM
            }),
            read(What::Log),
            Step::Wait(wait_ms),
            sit(1, Side::North),
            Step::Wait(500),
        ]);
    }
}

/// `left` overtook `joined`.
#[test]
fn who_has_left_is_told_nothing_more() {
    let mut steps = meet(json!({ "game": "urim" }));
    steps.push(Step::Weather(Storm {
        slow_ms: 1_500,
        ..Storm::CALM
    }));
    let before = Step::Join {
        device: 0,
        game: 0,
        since: Since::Before(3),
    };
    steps.extend(vec![before; 5]);
    steps.push(Step::Leave { device: 0, game: 0 });
    steps.push(Step::Wait(10_000));
    run(steps);
}

/// A write was done and yet refused, and a match stayed behind its own log for as long as
/// somebody followed it.
#[test]
fn a_write_that_the_disk_did_and_denied_is_found_out() {
    for device in 0..2 {
        let mut steps = meet(json!({ "game": "urim" }));
        steps.extend([
            Step::Weather(Storm {
                writes_unknown: 100,
                ..Storm::CALM
            }),
            act(device, How::Well),
            Step::Wait(1_000),
            join(0),
            join(1),
            Step::Wait(1_000),
            Step::Weather(Storm::CALM),
            Step::Wait(1_000),
            Step::Quiet,
        ]);
        run(steps);
    }
}
