//! Records on the command line, as a tournament director meets them: the real program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A match of one game of Urim, played to its end.
const PLAYED: &str = "\
[record \"1\"]
[game \"urim\"]
[format \"single\"]
[begins \"south\"]
[south \"Amina\"]
[north \"Faiza\"]
[score \"0-2\"]
[result \"north\"]

game 1 south
1s. A2 2n. A3 3s. A3 4n. A1 5s. A4 6n. A1 7s. A5
8n. A2 9s. A1 10n. A6 11s. A6 12n. A6
= north 2 no_move
";

/// A match of one game that somebody resigned.
const RESIGNED: &str = "\
[record \"1\"]
[game \"omweso\"]
[begins \"south\"]
[score \"0-1\"]
[result \"north\"]

game 1 south
1s. A5
~ north 1 resigned
";

/// What a run of the program came to.
#[derive(Debug, PartialEq)]
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Runs `mancala record ..` with this on its standard input.
fn record(arguments: &[&str], input: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mancala"))
        .arg("record")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What `record check -` prints of this text, with its exit code.
fn check(text: &str) -> (String, i32) {
    let run = record(&["check", "-"], text);
    assert_eq!(run.stderr, "");
    (run.stdout, run.code)
}

/// A file with this in it. Every test names its own.
fn file(name: &str, content: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path.into_os_string().into_string().unwrap()
}

#[test]
fn results_are_true_on_the_board_or_only_stated() {
    let played = "-: record 1: 12 actions, all legal; result `north`, true on the board\n";
    assert_eq!(check(PLAYED), (played.to_owned(), 0));
    let stated = "-: record 1: 1 action, legal; result `north`, only stated (game 1: resigned)\n";
    assert_eq!(check(RESIGNED), (stated.to_owned(), 0));
    let unfinished = RESIGNED
        .replace("0-1", "0-0")
        .replace("[result \"north\"]", "")
        .replace("~ north 1 resigned", "*");
    let expected = "-: record 1: 1 action, legal; unfinished\n";
    assert_eq!(check(&unfinished), (expected.to_owned(), 0));
    let not_begun = unfinished.replace("1s. A5\n", "");
    let expected = "-: record 1: no actions; unfinished\n";
    assert_eq!(check(&not_begun), (expected.to_owned(), 0));
    let aborted = unfinished.replace("[score \"0-0\"]", "[result \"void aborted\"]");
    let (said, code) = check(&aborted);
    assert!(
        said.ends_with("result `void aborted`, only stated\n"),
        "{said}"
    );
    assert_eq!(code, 0);
    let void = "[format \"first_to 2\"]\n\ngame 1 south\n1s. A5\n~ void aborted\n";
    let (_, game) = RESIGNED.split_once("\n\n").unwrap();
    let begun = RESIGNED
        .replace("[score \"0-1\"]\n[result \"north\"]\n", "")
        .replace(&format!("\n{game}"), void);
    let (said, code) = check(&begun);
    assert!(
        said.ends_with("unfinished, so far only stated (game 1: aborted)\n"),
        "{said}"
    );
    assert_eq!(code, 0);
}

/// Changed in this way, the played match is at fault at this place.
fn check_fault(from: &str, to: &str, place: &str, words: &str) {
    assert!(PLAYED.contains(from));
    let (said, code) = check(&PLAYED.replace(from, to));
    assert!(
        said.starts_with(&format!("-:{place}: record 1: ")),
        "{said}"
    );
    assert!(said.contains(words), "{said}");
    assert_eq!((said.lines().count(), code), (1, 1), "{said}");
}

#[test]
fn the_first_fault_has_its_place() {
    check_fault("5s. A4", "5s. A3", "11:33", "the pit is empty");
    check_fault("5s. A4", "5n. A4", "11:33", "`5s.`");
    check_fault("5s. A4", "5s. A9", "11:33", "`A9`");
    check_fault(
        "= north 2 no_move",
        "= south 2 no_move",
        "13:1",
        "all legal",
    );
    check_fault("= north 2 no_move", "*", "13:1", "= north 2 no_move");
    check_fault("0-2", "2-0", "7:8", "0-2");
    check_fault("[result \"north\"]", "[result \"south\"]", "8:9", "north");
}

#[test]
fn every_record_of_every_file_is_judged() {
    let good = file("every_good.mnr", format!("{PLAYED}\n{RESIGNED}").as_bytes());
    let bad = file("every_bad.mnr", format!("nonsense\n{PLAYED}").as_bytes());
    let empty = file("every_empty.mnr", b"");
    let binary = file("every_binary.mnr", b"[record \"1\"]\n\x80");
    let missing = good.replace("good", "missing");
    let run = record(&["check", &bad, &good, &empty, &binary, &missing], "");
    let lines: Vec<&str> = run.stdout.lines().collect();
    let beginnings = [
        format!("{bad}:1:1: record 1: "),
        format!("{bad}: record 2: 12 actions, all legal"),
        format!("{good}: record 1: 12 actions, all legal"),
        format!("{good}: record 2: 1 action, legal"),
        format!("{empty}:1:1: no record"),
        format!("{binary}:2:1: record 1: a byte that is not UTF-8"),
        format!("{missing}: "),
    ];
    assert_eq!(lines.len(), beginnings.len(), "{lines:?}");
    for (line, beginning) in lines.iter().zip(beginnings) {
        assert!(line.starts_with(&beginning), "{line:?}, not {beginning:?}");
    }
    assert_eq!(run.code, 1);
    assert_eq!(record(&["check", &good], "").code, 0);
}

/// One such byte once hid what there was to say of a whole file.
#[test]
fn a_byte_that_is_not_utf_8_hides_no_other_record() {
    let mut text = format!("{PLAYED}{RESIGNED}{PLAYED}").into_bytes();
    let name = text
        .windows(6)
        .rposition(|word| word == b"Amina\"")
        .unwrap();
    text[name] = 0xc1;
    let damaged = file("damaged.mnr", &text);
    let run = record(&["check", &damaged], "");
    let line = 1 + text[..name].iter().filter(|&&byte| byte == b'\n').count();
    let beginnings = [
        format!("{damaged}: record 1: 12 actions"),
        format!("{damaged}: record 2: 1 action"),
        format!("{damaged}:{line}:9: record 3: a byte that is not UTF-8"),
    ];
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), beginnings.len(), "{lines:?}");
    for (line, beginning) in lines.iter().zip(beginnings) {
        assert!(line.starts_with(&beginning), "{line:?}, not {beginning:?}");
    }
    assert_eq!(run.code, 1);
    assert_eq!(record(&["show", &damaged, "--record", "2"], "").code, 0);
}

#[test]
fn what_a_terminal_would_obey_or_hide_is_not_passed_on() {
    for letter in [
        '\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}',
    ] {
        let escape = format!("A{}", letter.escape_unicode());
        let named = PLAYED.replace("Amina", &format!("{escape}mina"));
        let shown = record(&["show", "-", "--at", "0"], &named);
        assert!(shown.stdout.contains("mina") && !shown.stdout.contains(letter));
        // In a message: of a word, of a value, of the name of a file.
        let word = PLAYED.replace("5s. A4", &format!("5s. A4{letter}"));
        let value = PLAYED.replace("\"urim\"", &format!("\"{escape}\""));
        for text in [word, value] {
            let (said, code) = check(&text);
            assert!(said.contains("\\u{") && !said.contains(letter), "{said}");
            assert_eq!(code, 1);
        }
        let missing = format!("missing{letter}.mnr");
        for run in [
            record(&["check", &missing], ""),
            record(&["show", &missing], ""),
        ] {
            let said = run.stdout + &run.stderr;
            assert!(
                said.starts_with("missing\\u") && !said.contains(letter),
                "{said}"
            );
        }
    }
}

#[test]
fn a_moment_is_shown_as_a_board() {
    let shown = record(&["show", "-", "--at", "7"], PLAYED);
    let expected = "\
Urim, south Amina, north Faiza
game 1, action 7 of 12: 7s. A5

         6  5  4  3  2  1
north A  4  6  6  1  7  1   store 0
        -----------------
south A  3  .  .  .  .  6   store 2
         1  2  3  4  5  6
turn 8: north to move
";
    assert_eq!((shown.stdout.as_str(), shown.code), (expected, 0));
    let first = record(&["show", "-", "--at", "0"], PLAYED).stdout;
    assert!(first.contains("before the first of 12 actions"), "{first}");
    let last = record(&["show", "-"], PLAYED).stdout;
    assert!(
        last.contains("action 12 of 12") && last.contains("north wins 2"),
        "{last}"
    );
    let file = file("shown.mnr", format!("{PLAYED}{RESIGNED}").as_bytes());
    let second = record(&["show", &file, "--record", "2"], "").stdout;
    assert!(
        second.starts_with("Omweso\ngame 1, action 1 of 1: 1s. A5\n"),
        "{second}"
    );
}

#[test]
fn a_moment_that_is_not_there() {
    let bad = PLAYED.replace("5s. A4", "5s. A3");
    let games: [(&[&str], &str, &str); 6] = [
        (&["--at", "13"], PLAYED, "-: the record has 12 actions"),
        (&["--record", "2"], PLAYED, "- has no record 2"),
        (&["--record", "0"], PLAYED, "records count from 1"),
        (&["--at", "5"], &bad, "-:11:33: not legal"),
        (&[], "nonsense", "-:1:1: "),
        (&["--at", "0"], "", "- has no record 1"),
    ];
    for (arguments, text, beginning) in games {
        let run = record(&[&["show", "-"], arguments].concat(), text);
        assert!(run.stderr.starts_with(beginning), "{run:?}");
        assert_eq!((run.stdout.as_str(), run.code), ("", 1));
    }
    // Up to the action that is not legal, the board can be shown.
    assert_eq!(record(&["show", "-", "--at", "4"], &bad).code, 0);
}
