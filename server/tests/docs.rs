//! The examples in README.md and proto-docs are true.
//!
//! An example is a fenced block; the words after its fence say what it is, and each is
//! checked by the test of that name here.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mancala_engine::{
    Action, AnyPosition, Board, Game, Mancala, Options, Outcome, Phase, Position, Refusal, Setup,
    Side, Trace, checksum, checksum_text, sample_choices,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const README: &str = include_str!("../../README.md");
const RULES: &str = include_str!("../../proto-docs/rules.md");
const REFEREE: &str = include_str!("../../proto-docs/referee.md");
const TRACE: &str = include_str!("../../proto-docs/trace.md");

/// The contents of the fenced blocks that have these words after the fence.
fn blocks(page: &str, words: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().map(str::trim_start);
    while let Some(line) = lines.next() {
        let Some(found) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if found == words {
            blocks.push(block.join("\n"));
        }
    }
    assert!(!blocks.is_empty(), "no block {words:?}");
    blocks
}

/// The contents of such a block, of which there is one.
fn block(page: &str, words: &str) -> String {
    // Python needs its indentation, which `blocks` takes off.
    let (_, rest) = page.split_once(&format!("```{words}\n")).unwrap();
    let (block, rest) = rest.split_once("```\n").unwrap();
    assert!(!rest.contains(&format!("```{words}\n")));
    block.to_owned()
}

/// What a program prints that finds `mancala` on its path and reads this.
fn output_of(mut command: Command, input: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_mancala")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut child = command
        .env("PATH", format!("{}:{path}", folder.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    // A program that reads nothing may end before all is written.
    let _ = writer.join().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn shell(command: &str, input: &str) -> String {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    output_of(shell, input)
}

fn python(program: &str, input: &str) -> String {
    let mut python = Command::new("python3");
    python.args(["-c", program]);
    output_of(python, input)
}

#[test]
fn console() {
    for page in [README, REFEREE] {
        for block in blocks(page, "console") {
            let (command, expected) = block.split_once('\n').unwrap();
            let command = command.strip_prefix("$ ").unwrap();
            assert_eq!(shell(command, "").trim_end(), expected, "{command}");
        }
    }
}

/// Nobody has `mancala` on the path before the page has said how it comes there.
#[test]
fn the_program_is_made_before_it_is_called() {
    for page in [README, REFEREE] {
        let made = page.find("`target/release/mancala`").unwrap();
        let on_path = page
            .find("export PATH=\"$PWD/target/release:$PATH\"")
            .unwrap();
        let called = ["| mancala referee", "\nmancala record"].map(|call| page.find(call));
        assert!(
            called
                .iter()
                .flatten()
                .all(|&call| made < call && on_path < call)
        );
        assert!(called[0].is_some());
    }
}

#[test]
fn help_examples() {
    let help = shell("mancala referee --help", "");
    let questions: Vec<&str> = help
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with('{'))
        .collect();
    let answers = shell("mancala referee", &(questions.join("\n") + "\n"));
    assert_eq!(answers.lines().count(), 2);
    assert!(!answers.contains("error"), "{answers}");
}

#[test]
fn json_in_and_out() {
    let answers = shell("mancala referee", &block(REFEREE, "json in"));
    let expected = block(REFEREE, "json out");
    assert_eq!(answers.lines().count(), expected.lines().count());
    for (answer, expected) in answers.lines().zip(expected.lines()) {
        let mut answer: Value = serde_json::from_str(answer).unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        if expected["message"] == ".." {
            assert!(answer["message"].is_string());
            answer["message"] = "..".into();
        }
        assert_eq!(answer, expected);
    }
}

#[test]
fn python_bot() {
    let printed = python(&block(REFEREE, "python bot"), "");
    assert!(printed.contains("'kind': 'over'"), "{printed}");
}

#[test]
fn json_position() {
    for mancala in [Mancala::Urim, Mancala::Omweso, Mancala::Anywoli] {
        for block in blocks(RULES, &format!("json position {}", mancala.key())) {
            let setup: Setup = serde_json::from_str(&block).unwrap();
            let first = setup.standing.to_move;
            let start = AnyPosition::start(Options::standard(mancala), first);
            assert_eq!(start.setup(), setup);
        }
    }
}

#[test]
fn json_phase() {
    for block in blocks(RULES, "json phase") {
        let phase: Phase = serde_json::from_str(&block).unwrap();
        let value: Value = serde_json::from_str(&block).unwrap();
        assert_eq!(serde_json::to_value(phase).unwrap(), value);
    }
}

#[test]
fn json_actions() {
    let mut types = BTreeSet::new();
    for line in block(RULES, "json actions").lines() {
        let action: Action = serde_json::from_str(line).unwrap();
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_value(action).unwrap(), value);
        types.insert(value["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(types.len(), 7, "of every type one: {types:?}");
}

/// Every refusal, reason and option stands in the rules, and the refusals in their order.
#[test]
fn the_tables_of_the_rules_are_complete() {
    let mut rest = RULES.split_once("### Refusals").unwrap().1;
    for refusal in Refusal::ALL {
        let row = format!("| `{}` |", refusal.code());
        rest = rest.split_once(&row).unwrap_or_else(|| panic!("{row}")).1;
    }
    for reason in mancala_engine::Reason::ALL {
        assert!(RULES.contains(&format!("`{}`", reason.code())), "{reason}");
    }
    for mancala in Mancala::ALL {
        assert!(RULES.contains(&format!("| {mancala} | `{}` |", mancala.key())));
        let options = serde_json::to_value(Options::standard(mancala)).unwrap();
        for (name, value) in options.as_object().unwrap() {
            let row = |line: &str| {
                line.contains(&format!("| `{name}` |"))
                    && [format!("{value} |"), format!("`{value}` |")]
                        .iter()
                        .any(|end| line.ends_with(end))
            };
            assert!(RULES.lines().any(row), "{name} of {mancala}");
        }
    }
}

/// A game as a question of the referee describes it, up to before its last action, and
/// that action.
fn before_last_action(question: &Value) -> (Game<AnyPosition>, Action) {
    let mancala: Mancala = question["game"].as_str().unwrap().parse().unwrap();
    let none = json!({});
    let options = question.get("options").unwrap_or(&none);
    let options = Options::deserialize(mancala, options).unwrap();
    let mut game = match question.get("position") {
        Some(position) => {
            let setup: Setup = serde_json::from_value(position.clone()).unwrap();
            Game::from_setup(options, &setup).unwrap()
        }
        None => Game::start(
            options,
            question["first"].as_str().unwrap().parse().unwrap(),
        ),
    };
    let mut actions: Vec<Action> = serde_json::from_value(question["actions"].clone()).unwrap();
    let last = actions.pop().unwrap();
    for action in actions {
        game.play(&action).unwrap();
    }
    (game, last)
}

#[test]
fn json_question_and_trace() {
    let questions = blocks(TRACE, "json question");
    let traces = blocks(TRACE, "json trace");
    assert_eq!(questions.len(), traces.len());
    let mut seen = BTreeSet::new();
    for (question, trace) in questions.iter().zip(&traces) {
        let question: Value = serde_json::from_str(question).unwrap();
        let expected: Value = serde_json::from_str(trace).unwrap();
        let (mut game, action) = before_last_action(&question);
        let trace = serde_json::to_value(game.play(&action).unwrap()).unwrap();
        assert_eq!(trace, expected, "{question}");
        for step in trace["steps"].as_array().unwrap() {
            seen.insert(step["type"].as_str().unwrap().to_owned());
        }
        // The referee takes the question too.
        let answer = shell("mancala referee", &format!("{question}\n"));
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let after = serde_json::to_value(game.position().setup()).unwrap();
        assert_eq!(answer, json!({"after": after}));
    }
    let all = [
        "arrange",
        "capture",
        "choice",
        "extra_turn",
        "koneeza",
        "lap",
        "lost_turn",
        "over",
        "pass",
        "strip",
        "sweep",
        "turn",
    ];
    assert_eq!(
        seen,
        all.map(str::to_owned).into(),
        "an example of every step"
    );
    for step in all {
        assert!(TRACE.contains(&format!("`{step}`")), "{step}");
    }
}

/// Plays whole games by a fixed series of choices and shows each action to `visit`: the
/// board before, the trace and the position after.
fn play_games(options: Options, games: u32, mut visit: impl FnMut(&Board, &Trace, &AnyPosition)) {
    let mut number = u64::from(games);
    for _ in 0..games {
        let mut game = Game::<AnyPosition>::start(options, Side::North);
        while game.outcome().is_none() {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mut choices: Vec<Action> = game.moves().iter().collect();
            choices.extend(sample_choices(game.position()));
            let action = choices.swap_remove((number >> 33) as usize % choices.len());
            let board = game.position().setup().board;
            let trace = game.play(&action).unwrap();
            visit(&board, &trace, game.position());
        }
    }
}

/// Options of every game, with those that bring steps of their own.
fn many_options() -> Vec<Options> {
    let of = |mancala, options| Options::deserialize(mancala, options).unwrap();
    let mut all: Vec<Options> = Mancala::ALL.map(Options::standard).into();
    all.push(of(
        Mancala::Omweso,
        json!({"setup": "free", "opening": "off"}),
    ));
    all.push(of(
        Mancala::Anywoli,
        json!({"last_four": "lottery", "quiet_limit": 1000}),
    ));
    all.push(of(Mancala::Urim, json!({"columns": 7})));
    all.push(of(Mancala::Nsolo, json!({"columns": 9})));
    all
}

#[test]
fn python_replayer() {
    let program = block(TRACE, "python replayer")
        + "\
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    pits, stores = case['before']['pits'], case['before']['stores']
    replay(pits, stores, case['steps'], case['rows'])
    assert {'pits': pits, 'stores': stores} == case['after'], line
    print('same')
";
    let mut cases = String::new();
    let mut count = 0;
    let mut add = |before: &Board, trace: &Trace, after: &AnyPosition| {
        let case = json!({
            "before": before, "steps": trace.steps, "after": after.setup().board,
            "rows": after.shape().rows_a_side(),
        });
        cases.push_str(&format!("{case}\n"));
        count += 1;
    };
    for options in many_options() {
        play_games(options, 10, &mut add);
    }
    for question in blocks(TRACE, "json question") {
        let (mut game, action) = before_last_action(&serde_json::from_str(&question).unwrap());
        let before = game.position().setup().board;
        let trace = game.play(&action).unwrap();
        add(&before, &trace, game.position());
    }
    assert_eq!(python(&program, &cases).lines().count(), count);
}

#[test]
fn text_and_python_checksum() {
    let urim = AnyPosition::start(Options::standard(Mancala::Urim), Side::South);
    assert_eq!(
        block(TRACE, "text checksum urim").trim_end(),
        checksum_text(&urim)
    );
    let number = checksum(&urim);
    assert!(TRACE.contains(&format!("is {number}, in hexadecimal {number:x}")));
    let program = block(TRACE, "python checksum")
        + "\
import json, sys
for line in sys.stdin:
    print(checksum(json.loads(line)))
";
    let (mut positions, mut expected) = (String::new(), String::new());
    for options in many_options() {
        play_games(options, 3, |_, _, after| {
            positions.push_str(&serde_json::to_string(&after.setup()).unwrap());
            positions.push('\n');
            expected.push_str(&format!("{}\n", checksum(after)));
        });
    }
    assert_eq!(python(&program, &positions), expected);
}

/// The example of Omweso in the rules, which is told in prose.
#[test]
fn the_example_of_omweso() {
    let setup = json!({
        "pits": {
            "south": [2,2,2,2,4,0,2,3,1,1,2,3,4,2,1,1],
            "north": [2,20,3,0,0,0,0,0,0,0,0,0,0,3,0,4],
        },
        "stores": {"south": 0, "north": 0}, "to_move": "south", "turn": 9, "quiet": 0,
        "phase": {"kind": "play"}, "captured": true, "captures": {"south": 1, "north": 1},
    });
    let south = serde_json::to_string(&setup["pits"]["south"]).unwrap();
    assert!(RULES.contains(&format!(
        "South has `{south}` and lifts the four seeds of pit 4"
    )));
    let question = json!({
        "game": "omweso", "position": setup, "actions": [{"type": "sow", "pit": 4}]
    });
    let (mut game, action) = before_last_action(&question);
    let steps = serde_json::to_value(game.play(&action).unwrap().steps).unwrap();
    assert_eq!(steps[0]["end"]["pit"], 8);
    assert_eq!(steps[1]["pits"], json!([[15, 4], [0, 2]]));
    assert_eq!(steps[2]["end"]["pit"], 10);
    assert_eq!(steps[3]["pits"], json!([[13, 3], [2, 3]]));
    assert_eq!(steps[4]["pit"], 4);
    assert!(game.outcome().map(Outcome::winner).is_some());
}
