//! The referee as a bot author meets it: the real program, over pipes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

/// The program, started as `mancala referee`.
fn start() -> Child {
    Command::new(env!("CARGO_BIN_EXE_mancala"))
        .arg("referee")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What the referee writes when it reads this, one value a line.
fn ask(input: impl Into<Vec<u8>>) -> Vec<Value> {
    let mut referee = start();
    let mut stdin = referee.stdin.take().unwrap();
    let input = input.into();
    // From a thread of its own, because both pipes may fill up.
    let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
    let mut output = String::new();
    let mut stdout = referee.stdout.take().unwrap();
    stdout.read_to_string(&mut output).unwrap();
    writer.join().unwrap();
    assert!(referee.wait().unwrap().success());
    output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The answer to one question.
fn ask_one(question: &Value) -> Value {
    let [answer] = ask(format!("{question}\n")).try_into().unwrap();
    answer
}

/// The answer that a vector expects, in the form in which the referee gives it.
fn expected_answer(vector: &Value) -> Value {
    let mut answer = json!({});
    for field in ["legal", "after", "error", "count"] {
        if let Some(value) = vector.get(field) {
            answer[field] = value.clone();
        }
    }
    answer
}

/// Takes out what carries no meaning: the order of a list of legal actions, and whose
/// turn it would be in a game that is over.
fn meaning(mut answer: Value) -> Value {
    if let Some(legal) = answer.get_mut("legal").and_then(Value::as_array_mut) {
        legal.sort_by_key(Value::to_string);
    }
    if answer["after"]["phase"]["kind"] == "over" {
        let after = answer["after"].as_object_mut().unwrap();
        for field in ["to_move", "turn", "quiet", "last_seed"] {
            after.remove(field);
        }
    }
    answer
}

fn check_vectors(vectors: &str, count: usize) {
    let answers = ask(vectors);
    assert_eq!(answers.len(), count);
    for (vector, answer) in vectors.lines().zip(answers) {
        let vector: Value = serde_json::from_str(vector).unwrap();
        assert_eq!(
            meaning(answer),
            meaning(expected_answer(&vector)),
            "{vector}"
        );
    }
}

#[test]
fn every_vector_of_omweso() {
    check_vectors(include_str!("../../engine/tests/vectors/omweso.jsonl"), 144);
}

#[test]
fn every_vector_of_anywoli() {
    check_vectors(
        include_str!("../../engine/tests/vectors/anywoli.jsonl"),
        124,
    );
}

#[test]
fn every_vector_of_urim() {
    check_vectors(include_str!("../../engine/tests/vectors/urim.jsonl"), 127);
}

#[test]
fn every_vector_of_bao_kigogo() {
    check_vectors(
        include_str!("../../engine/tests/vectors/bao_kigogo.jsonl"),
        33,
    );
}

#[test]
fn every_vector_of_nsolo() {
    check_vectors(include_str!("../../engine/tests/vectors/nsolo.jsonl"), 91);
}

/// A position of Urim in which south has one legal pit, 5.
fn urim_position() -> Value {
    json!({
        "pits": {"south": [0, 0, 0, 0, 0, 1], "north": [1, 1, 0, 0, 0, 0]},
        "stores": {"south": 16, "north": 17},
        "to_move": "south", "turn": 40, "quiet": 3, "phase": {"kind": "play"}
    })
}

#[test]
fn a_refused_move_keeps_the_legal_list() {
    let question = json!({
        "kind": "move", "game": "urim", "position": urim_position(),
        "action": {"type": "sow", "pit": 0}
    });
    assert_eq!(
        ask_one(&question),
        json!({"legal": [{"type": "sow", "pit": 5}], "error": "empty_pit"})
    );
}

#[test]
fn what_has_not_the_form_of_an_action_is_refused_as_such() {
    for action in [
        json!(null),
        json!(3),
        json!(["sow", 5]),
        json!({}),
        json!({"type": "leap", "pit": 5}),
        json!({"type": "sow"}),
        json!({"type": "sow", "pit": -1}),
        json!({"type": "sow", "pit": 0.5}),
        json!({"type": "sow", "pit": 5, "dir": "up"}),
        json!({"type": "sow", "pit": 5, "speed": 1}),
    ] {
        let question = json!({
            "kind": "move", "game": "urim", "position": urim_position(), "action": action
        });
        assert_eq!(
            ask_one(&question),
            json!({"legal": [{"type": "sow", "pit": 5}], "error": "bad_action"}),
            "{question}"
        );
    }
}

#[test]
fn the_first_action_refused_is_named_by_its_index() {
    let sow = |pit: u32| json!({"type": "sow", "pit": pit});
    let game = |actions: Value| {
        ask_one(&json!({"kind": "game", "game": "urim", "first": "south", "actions": actions}))
    };
    assert_eq!(
        game(json!([sow(0), sow(99), sow(0)])),
        json!({"error": "no_such_pit", "at": 1})
    );
    assert_eq!(
        game(json!([sow(0), sow(1), "sow"])),
        json!({"error": "bad_action", "at": 2})
    );
    let line = json!({
        "kind": "line", "game": "urim", "position": urim_position(), "actions": [sow(4)]
    });
    assert_eq!(ask_one(&line), json!({"error": "empty_pit", "at": 0}));
}

/// The message of an answer, which must hold each of these words; the answer is given
/// back without it.
fn take_message(mut answer: Value, words: &[&str]) -> Value {
    let message = answer.as_object_mut().unwrap().remove("message");
    let message = message.unwrap_or_else(|| panic!("no message in {answer}"));
    let message = message.as_str().unwrap();
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
    answer
}

/// A question of each kind about Urim.
fn one_of_each_kind() -> [Value; 4] {
    let mut questions = [
        json!({"kind": "move", "position": urim_position(), "action": {"type": "lose_turn"}}),
        json!({"kind": "line", "position": urim_position(), "actions": []}),
        json!({"kind": "game", "first": "north", "actions": []}),
        json!({"kind": "perft", "first": "north", "depth": 2}),
    ];
    for question in &mut questions {
        question["game"] = "urim".into();
    }
    questions
}

#[test]
fn bad_options_have_the_form_of_each_kind_and_name_every_fault() {
    let forms = [
        json!({"legal": [], "error": "bad_options"}),
        json!({"error": "bad_options", "at": 0}),
        json!({"error": "bad_options", "at": 0}),
        json!({"error": "bad_options"}),
    ];
    for (mut question, form) in one_of_each_kind().into_iter().zip(forms) {
        for (options, words) in [
            (json!({"columns": 8}), &["`columns`", "6", "7"][..]),
            (
                json!({"columns": 5, "quiet_limit": 9, "wind": 3, "full_pit": "skip"}),
                &["`columns`", "`quiet_limit`", "`wind`"],
            ),
            (json!({"full_pit": null}), &["`full_pit`"]),
            (
                json!({"columns": -1, "wi\u{202e}nd\u{7}": 3}),
                &[
                    "`columns`: `-1` stands where a natural number",
                    "unknown field `wi\\u{202e}nd\\u{7}`",
                ],
            ),
            (json!(null), &["object"]),
            (json!([6]), &["object"]),
        ] {
            question["options"] = options;
            assert_eq!(take_message(ask_one(&question), words), form, "{question}");
        }
        question["options"] = json!({"columns": 6});
        assert!(ask_one(&question).get("error").is_none(), "{question}");
    }
}

#[test]
fn a_bad_position_has_the_form_of_each_kind_and_every_reason() {
    let [mut move_question, mut line_question, ..] = one_of_each_kind();
    let mut nonsense = urim_position();
    nonsense["stores"]["south"] = 99.into();
    nonsense["turn"] = 0.into();
    nonsense["pits"]["north"] = json!([18]);
    for (position, words) in [
        (nonsense, &["36", "turns", "17", "north has 1 pits"][..]),
        (json!({}), &["missing"]),
        (
            json!({"pits": {"south": ["\u{202e}"]}}),
            &["`\"\\u{202e}\"` stands where a natural number"],
        ),
        (json!(7), &["object"]),
        (json!([]), &["object"]),
    ] {
        move_question["position"] = position.clone();
        line_question["position"] = position;
        assert_eq!(
            take_message(ask_one(&move_question), words),
            json!({"legal": [], "error": "bad_position"})
        );
        assert_eq!(
            take_message(ask_one(&line_question), words),
            json!({"error": "bad_position", "at": 0})
        );
    }
}

/// Where several codes fit, the first in the order of the page is the answer.
#[test]
fn the_order_of_the_codes() {
    let [mut question, ..] = one_of_each_kind();
    let code = |question: &Value| ask_one(question)["error"].clone();
    question["action"] = json!({"type": "strip", "take": [], "pit": 99});
    assert_eq!(code(&question), "bad_action");
    question["action"] = json!({"type": "strip", "take": []});
    assert_eq!(code(&question), "wrong_phase");
    question["position"]["turn"] = 0.into();
    assert_eq!(code(&question), "bad_position");
    question["options"] = json!({"columns": 8});
    assert_eq!(code(&question), "bad_options");
    question["depth"] = 1.into();
    assert_eq!(code(&question), "bad_input");
}

/// This line is `bad_input`, its message holds this word, and the next line is read.
fn check_bad_input(line: &[u8], word: &str) {
    let mut input = line.to_vec();
    input.extend(b"\n{\"kind\":\"perft\",\"game\":\"urim\",\"first\":\"south\",\"depth\":1}\n");
    let [bad, good] = ask(input).try_into().unwrap();
    assert_eq!(take_message(bad, &[word]), json!({"error": "bad_input"}));
    assert_eq!(good, json!({"count": 6}));
}

#[test]
fn lines_that_cannot_be_read() {
    check_bad_input(b"", "empty");
    check_bad_input(b" \t\r", "empty");
    check_bad_input(b"sow 3", "object");
    check_bad_input(b"[1]", "object");
    check_bad_input(b"{", "the text ends within an object");
    check_bad_input(b"{} {}", "missing field");
    check_bad_input(b"\xff\xfe", "UTF-8");
    check_bad_input(b"{\"kind\": \"move\", \"kind\": \"move\"}", "duplicate");
    for (field, value, word) in [
        ("kind", json!("dance"), "dance"),
        ("kind", json!("\u{1b}\u{200b}"), "`\\u{1b}\\u{200b}` stands"),
        ("mo\u{202e}od", json!(1), "`mo\\u{202e}od`"),
        ("kind", json!(null), "column"),
        ("kind", json!({"perft": null}), "column"),
        ("first", json!({"south": null}), "column"),
        ("game", json!("chess"), "chess"),
        ("mood", json!("good"), "mood"),
        ("position", urim_position(), "a `perft` has"),
        ("actions", json!([]), "a `perft` has"),
        ("first", json!("east"), "east"),
        ("first", json!(null), "column"),
        ("depth", json!(-1), "-1"),
        ("depth", json!(13), "12"),
        ("depth", json!("deep"), "deep"),
    ] {
        let [.., mut perft] = one_of_each_kind();
        perft[field] = value;
        check_bad_input(perft.to_string().as_bytes(), word);
    }
    for question in one_of_each_kind() {
        for field in question.as_object().unwrap().keys() {
            let mut without = question.clone();
            without.as_object_mut().unwrap().remove(field);
            let kind = question["kind"].as_str().unwrap();
            let word = match field.as_str() {
                "kind" | "game" => "missing field",
                _ => kind,
            };
            check_bad_input(without.to_string().as_bytes(), word);
        }
    }
}

#[test]
fn the_line_may_be_a_mebibyte_long_and_no_longer() {
    let question = "{\"kind\":\"perft\",\"game\":\"urim\",\"first\":\"south\",\"depth\":1}";
    let padding = " ".repeat((1 << 20) - question.len());
    let longest = format!("{question}{padding}");
    assert_eq!(ask(longest.clone()), [json!({"count": 6})]);
    check_bad_input(format!("{longest} ").as_bytes(), "1048576");
}

/// Some shells put a mark of byte order in front of what they hand on.
#[test]
fn a_mark_of_byte_order_is_passed_over() {
    let question = "{\"kind\":\"perft\",\"game\":\"urim\",\"first\":\"south\",\"depth\":1}";
    let answers = ask(format!("\u{feff}{question}\r\n\u{feff}{question}\n"));
    assert_eq!(answers, [json!({"count": 6}), json!({"count": 6})]);
    check_bad_input("\u{feff}".as_bytes(), "empty");
}

/// However long and wrong a line is, its answer is short.
#[test]
fn answers_are_bounded() {
    let long = "\u{202e}".repeat(300_000);
    let names = (0..50_000).map(|number| (number.to_string(), json!({})));
    let names: Value = names.collect::<serde_json::Map<_, _>>().into();
    let mut full = json!({
        "pits": {"south": vec![u32::MAX; 40_000], "north": vec![u32::MAX; 40_000]},
        "stores": {"south": u32::MAX, "north": u32::MAX}, "to_move": "south",
        "turn": 0, "quiet": u32::MAX, "phase": {"kind": "arrange"}, "last_seed": null,
    });
    let mut questions = Vec::new();
    for field in ["kind", "game", "first", "depth", "options", &long] {
        let [.., mut perft] = one_of_each_kind();
        perft[field] = long.clone().into();
        questions.push(perft);
    }
    let [.., mut perft] = one_of_each_kind();
    for options in [names, json!({&long: 1}), json!({"full_pit": &long})] {
        perft["options"] = options;
        questions.push(perft.clone());
    }
    let [mut on_position, ..] = one_of_each_kind();
    on_position["game"] = "nsolo".into();
    on_position["options"] = json!({"columns": 36});
    on_position["position"] = full.clone();
    questions.push(on_position.clone());
    full["to_move"] = long.clone().into();
    full["pits"] = json!({"south": [], "north": []});
    on_position["position"] = full;
    questions.push(on_position.clone());
    for question in questions {
        let answer = ask_one(&question);
        let length = answer.to_string().len();
        assert!(answer["error"].as_str().unwrap().starts_with("bad_"));
        assert!(length <= 16_384, "{length} bytes");
    }
}

#[test]
fn deep_nesting_is_no_danger() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let depth = 100_000;
        let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        let with = |field: &str, of: &str| of.replace(&format!("\"{field}\""), &nested);
        let move_template = |action: &str, position: &str| {
            format!(
                "{{\"kind\":\"move\",\"game\":\"urim\",\"position\":{position},\"action\":{action}}}"
            )
        };
        let position = urim_position().to_string();
        let [as_action, as_position, as_note] = [
            with("x", &move_template("\"x\"", &position)),
            with("x", &move_template("{}", "\"x\"")),
            format!(
                "{{\"note\":{nested},\"kind\":\"perft\",\"game\":\"urim\",\"first\":\"south\",\"depth\":1}}"
            ),
        ]
        .map(|line| ask(line + "\n").remove(0));
        assert_eq!(as_action["error"], "bad_action");
        assert_eq!(as_position["error"], "bad_position");
        assert_eq!(
            as_note,
            json!({"count": 6}),
            "what is ignored may be anything"
        );
        check_bad_input(nested.as_bytes(), "");
    }
}

#[test]
fn garbage_gets_one_answer_a_line() {
    // Vectors with bytes changed, cut out and doubled, from a fixed seed.
    let vectors = include_str!("../../engine/tests/vectors/urim.jsonl").as_bytes();
    let mut state = 1_u64;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % bound
    };
    let mut input = Vec::new();
    for _ in 0..20 {
        for line in vectors.split(|&byte| byte == b'\n') {
            let mut line = line.to_vec();
            for _ in 0..below(4) {
                let Some(last) = line.len().checked_sub(1).filter(|&last| last > 0) else {
                    break;
                };
                let (at, byte) = (below(last), below(256) as u8);
                match below(3) {
                    0 => line[at] = byte,
                    1 => drop(line.drain(at..last.min(at + 5))),
                    _ => line.insert(at, line[last]),
                }
            }
            // A depth with a digit doubled would count for long.
            if !line.windows(5).any(|word| word == b"perft") {
                input.extend(line);
                input.push(b'\n');
            }
        }
    }
    let lines = input.iter().filter(|&&byte| byte == b'\n').count();
    let answers = ask(input);
    assert_eq!(answers.len(), lines);
    let with = |field: &str| {
        let has = |answer: &&Value| answer.get(field).is_some();
        answers.iter().filter(has).count()
    };
    assert!(with("after") > 0 && with("message") > 0);
    assert_eq!(with("after") + with("error"), lines);
}

#[test]
fn each_line_is_answered_before_the_next_is_written() {
    let mut referee = start();
    let mut stdin = referee.stdin.take().unwrap();
    let mut stdout = BufReader::new(referee.stdout.take().unwrap());
    let mut answer = || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        line
    };
    let question = "{\"kind\":\"perft\",\"game\":\"urim\",\"first\":\"south\",\"depth\":1}\n";
    stdin.write_all(question.as_bytes()).unwrap();
    assert_eq!(answer(), "{\"count\":6}\n");
    // Also when the beginning of another line has come with it.
    let (beginning, rest) = question.split_at(20);
    write!(stdin, "{question}{beginning}").unwrap();
    assert_eq!(answer(), "{\"count\":6}\n");
    stdin.write_all(rest.as_bytes()).unwrap();
    assert_eq!(answer(), "{\"count\":6}\n");
    drop(stdin);
    assert_eq!(answer(), "");
    assert!(referee.wait().unwrap().success());
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let mut referee = start();
    drop(referee.stdout.take());
    let mut stdin = referee.stdin.take().unwrap();
    // The program ends when it notices, so writing may fail from then on.
    while stdin.write_all(b"{}\n").is_ok() {}
    assert!(referee.wait().unwrap().success());
}

#[test]
fn help_says_what_it_can_do() {
    let output = Command::new(env!("CARGO_BIN_EXE_mancala"))
        .arg("--help")
        .output()
        .unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("referee"), "{help}");
    // The example in it is true.
    let shell = Command::new("sh")
        .args(["-c", "echo '{\"kind\":\"perft\",\"game\":\"urim\",\"first\":\"south\",\"depth\":1}' | \"$0\" referee"])
        .arg(env!("CARGO_BIN_EXE_mancala"))
        .output()
        .unwrap();
    let answer = String::from_utf8(shell.stdout).unwrap();
    assert!(help.contains(answer.trim()), "{answer}");
}
