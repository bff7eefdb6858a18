//! Every clock against everything that may happen, in time that goes by when it is told to.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

mod support;

use mancala_engine::{BySide, Format, Mancala, Options, Side};
use mancala_play::{
    Control, ControlForm, Entry, Event, Leaving, MatchSpec, OfferKind, Request, Ruling, Way,
    WhenOut, Why, record,
};
use proptest::prelude::*;
use support::shell::Shell;

const SECOND_MS: i64 = 1_000;
const DAY_MS: i64 = 86_400 * SECOND_MS;

/// The clocks, by the names that the table gives them.
fn spec(name: &str) -> MatchSpec {
    let per_move = |out| Control::try_from(ControlForm::PerMove { seconds: 10, out }).unwrap();
    let clock = match name {
        "untimed" => Control::UNTIMED,
        "turn_lost" => per_move(WhenOut::LosesTurn),
        "game_lost" => per_move(WhenOut::LosesGame),
        "fischer" => Control::fischer(60, 5).unwrap(),
        "byo_yomi" => ControlForm::ByoYomi {
            main: 60,
            period: 10,
            periods: 3,
        }
        .try_into()
        .unwrap(),
        "days" => Control::correspondence(1).unwrap(),
        "blitz" => Control::BLITZ,
        _ => panic!("no clock {name}"),
    };
    let blitz = name == "blitz";
    let mancala = if blitz {
        Mancala::Omweso
    } else {
        Mancala::Urim
    };
    let mut spec = MatchSpec::new(Options::standard(mancala), Format::Single);
    spec.clock = clock;
    spec.way = blitz.then_some(Way::Blitz);
    assert_eq!(spec.check(), Ok(()));
    spec
}

const CLOCKS: [&str; 7] = [
    "untimed",
    "turn_lost",
    "game_lost",
    "fischer",
    "byo_yomi",
    "days",
    "blitz",
];

/// What happens, and then how the match stands with each clock: what south and north have
/// left, in seconds; who is to move and in how many seconds something happens by itself, or
/// how the match ended; what was refused on the way.
const TABLE: &str = include_str!("time.table");

fn length_ms(text: &str) -> i64 {
    let (number, unit) = text.split_at(text.len() - 1);
    let number: f64 = number.parse().unwrap();
    let unit_ms = match unit {
        "s" => SECOND_MS,
        "m" => 60 * SECOND_MS,
        "h" => 3_600 * SECOND_MS,
        "d" => DAY_MS,
        _ => panic!("{text}"),
    };
    (number * unit_ms as f64) as i64
}

/// Does one thing that the table names; says which refusal came of it.
fn step(shell: &mut Shell, step: &str) -> Option<&'static str> {
    let words: Vec<&str> = step.split(' ').collect();
    let done = match words[..] {
        ["open"] => {
            shell.play_turn().unwrap();
            shell.play_turn()
        }
        ["play"] => shell.play_turn(),
        ["play", after] => {
            shell.wait(length_ms(after));
            shell.play_turn()
        }
        ["wait", length] => Ok(shell.wait(length_ms(length))),
        ["lag", length] => {
            shell.lag_ms = length_ms(length);
            Ok(Vec::new())
        }
        [side, "gone"] => Ok(shell.gone(side.parse().unwrap(), Leaving::Closed)),
        [side, "dropped"] => Ok(shell.gone(side.parse().unwrap(), Leaving::Dropped)),
        [side, "back"] => Ok(shell.back(side.parse().unwrap())),
        [side, request] => shell.ask(side.parse().unwrap(), request.parse().unwrap()),
        _ => panic!("no step {step}"),
    };
    done.err().map(|refusal| refusal.code())
}

/// How the match stands after these steps; with a restart between any two.
fn stands(clock: &str, steps: &str, restarts: bool) -> String {
    let mut shell = Shell::seated(spec(clock));
    let mut refused = Vec::new();
    for words in steps.split(", ") {
        refused.extend(step(&mut shell, words));
        if restarts {
            shell.restart();
        }
    }
    let stands = shell.stands();
    if refused.is_empty() {
        stands
    } else {
        format!("{stands}; refused {}", refused.join(" "))
    }
}

#[test]
fn every_clock_with_everything_that_happens() {
    let mut found = String::new();
    for line in TABLE.lines() {
        if let Some(steps) = line.strip_prefix("> ") {
            found += line;
            found += "\n";
            for clock in CLOCKS {
                let plain = stands(clock, steps, false);
                assert_eq!(stands(clock, steps, true), plain, "{clock}: {steps}");
                found += &format!("{clock:<10}{plain}\n");
            }
        } else if line.starts_with('#') || line.is_empty() {
            found += line;
            found += "\n";
        }
    }
    if found != TABLE {
        let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/time.table");
        std::fs::write(path, &found).unwrap();
        let differs = found.lines().zip(TABLE.lines()).find(|(a, b)| a != b);
        panic!("it stands otherwise, see {path}: {differs:?}");
    }
}

/// One thing that happens, or that somebody tries.
#[derive(Clone, Debug)]
enum Try {
    /// So long nobody does anything.
    Wait(i64),
    /// The side to move plays.
    Turn,
    Ask(Side, Request),
    /// One side offers, and the other takes it.
    Agree(Side, OfferKind),
    Gone(Side, Leaving),
    Back(Side),
    Lag(i64),
    Restart,
}

fn a_side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::South), Just(Side::North)]
}

fn a_try() -> impl Strategy<Value = Try> {
    let kinds = || prop::sample::select(OfferKind::ALL.to_vec());
    let requests: Vec<Request> = Request::all().collect();
    let short = prop_oneof![0..3_000_i64, 0..12_000_i64, 0..60_000_i64];
    prop_oneof![
        6 => short.prop_map(Try::Wait),
        1 => (0..20 * DAY_MS).prop_map(Try::Wait),
        8 => Just(Try::Turn),
        2 => (a_side(), prop::sample::select(requests)).prop_map(|(side, asked)| Try::Ask(side, asked)),
        // What ends a match would leave little to see.
        4 => (a_side(), prop::sample::select(vec![OfferKind::Takeback, OfferKind::Time, OfferKind::Pause]))
            .prop_map(|(side, kind)| Try::Agree(side, kind)),
        1 => (a_side(), kinds()).prop_map(|(side, kind)| Try::Ask(side, Request::Offer(kind))),
        2 => a_side().prop_map(|side| Try::Ask(side, Request::Resume)),
        1 => (a_side(), prop_oneof![Just(Leaving::Closed), Just(Leaving::Dropped)])
            .prop_map(|(side, how)| Try::Gone(side, how)),
        1 => a_side().prop_map(Try::Back),
        1 => prop_oneof![0..700_i64, any::<i64>()].prop_map(Try::Lag),
        1 => Just(Try::Restart),
    ]
}

/// All the time that there is, at this moment. Whoever has none left may yet be credited for
/// the way.
fn sum_ms(shell: &Shell) -> i64 {
    Side::ALL
        .into_iter()
        .map(|side| shell.left_ms(side).unwrap_or(0).max(0))
        .sum()
}

/// Whatever stops a clock, what its side has spent until then is an entry, which says for what;
/// the state and the record have it too.
#[test]
fn whatever_stops_a_clock_is_in_the_ledger() {
    for (clock, steps, why, ms) in [
        (
            "fischer",
            "wait 4s, south resign_game",
            Why::Thinking,
            -4_000,
        ),
        (
            "fischer",
            "wait 4s, south resign_match",
            Why::Thinking,
            -4_000,
        ),
        (
            "fischer",
            "wait 4s, north resign_match",
            Why::Thinking,
            -4_000,
        ),
        (
            "fischer",
            "wait 4s, south offer_draw, north accept_draw",
            Why::Thinking,
            -4_000,
        ),
        (
            "fischer",
            "wait 4s, south offer_abort, north accept_abort",
            Why::Thinking,
            -4_000,
        ),
        ("fischer", "wait 4s, ruling", Why::Thinking, -4_000),
        (
            "fischer",
            "wait 4s, south offer_pause, north accept_pause",
            Why::Pause,
            -4_000,
        ),
        ("fischer", "wait 90s", Why::Thinking, -60_000),
        ("game_lost", "wait 90s", Why::Thinking, -10_000),
        ("turn_lost", "wait 12s", Why::LostTurn, -10_000),
        ("blitz", "wait 5s", Why::LostTurn, -3_000),
    ] {
        let mut shell = Shell::seated(spec(clock));
        for words in std::iter::once("open").chain(steps.split(", ")) {
            let refused = match words {
                "ruling" => shell
                    .rule(Ruling::Drawn)
                    .err()
                    .map(|refusal| refusal.code()),
                _ => step(&mut shell, words),
            };
            assert_eq!(refused, None, "{clock} {steps}: {words}");
        }
        let spent = shell.ledger().iter().filter(|entry| entry.ms < 0);
        let spent: Vec<Entry> = spent.copied().collect();
        assert_eq!(spent, [Entry::new(Side::South, why, ms)], "{clock} {steps}");
        let ledger = shell.clocks().unwrap().ledger(Side::South).unwrap();
        assert_eq!(ledger.of(why), ms, "{clock} {steps}");
        let record = record(&shell.table.log, |_| None).unwrap();
        let annotation = format!("south {} {ms}", why.as_str());
        assert!(record.to_string().contains(&annotation), "{record}");
    }
}

/// What of the ledger's entries, from this one on, is time that was agreed or credited.
fn agreed_ms(shell: &Shell, from: usize) -> i64 {
    let new = &shell.ledger()[from..];
    let agreed = |why| matches!(why, Why::Increment | Why::Anew | Why::Given | Why::Lag);
    new.iter()
        .filter(|entry| agreed(entry.why))
        .map(|entry| entry.ms.max(0))
        .sum()
}

fn games_begun(shell: &Shell) -> usize {
    let began = |event: &&Event| matches!(event, Event::GameBegan { .. });
    shell.table.log.iter().filter(began).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_024))]

    /// No plan makes time out of nothing or lets a deadline vanish; and where nobody does
    /// anything any more, a match with a clock ends by itself.
    #[test]
    fn no_plan_makes_time_or_loses_a_deadline(
        clock in prop::sample::select(CLOCKS.to_vec()),
        points in 0..3_u8,
        seated in prop::sample::select(vec![false, true, true, true]),
        tries in prop::collection::vec(a_try(), 0..60),
    ) {
        let mut spec = spec(clock);
        spec.format = Format::first_to(points).unwrap_or(Format::Single);
        let mut shell = Shell::empty(spec);
        if seated {
            Side::ALL.into_iter().for_each(|side| shell.sit(side));
            for _ in 0..2 {
                shell.play_turn().unwrap();
            }
        } else {
            shell.sit(Side::South);
        }
        for tried in tries {
            let (sum, entries, games) = (sum_ms(&shell), shell.ledger().len(), games_begun(&shell));
            let (out_at_ms, seq) = (shell.out_at_ms(), shell.table.log.len());
            let paused = |shell: &Shell| shell.play().play().and_then(|play| play.pause());
            let stood = paused(&shell).is_some();
            match tried {
                Try::Wait(ms) => drop(shell.wait(ms)),
                Try::Turn => drop(shell.play_turn()),
                Try::Ask(side, request) => drop(shell.ask(side, request)),
                Try::Agree(side, kind) => {
                    let _ = shell.ask(side, Request::Offer(kind));
                    let _ = shell.ask(side.other(), Request::Accept(kind));
                }
                Try::Gone(side, how) => drop(shell.gone(side, how)),
                Try::Back(side) => drop(shell.back(side)),
                Try::Lag(ms) => shell.lag_ms = ms,
                Try::Restart => shell.restart(),
            }
            if games_begun(&shell) == games {
                let most = sum + agreed_ms(&shell, entries);
                prop_assert!(sum_ms(&shell) <= most, "{tried:?}");
                // The moment at which time is over is moved by what settles it alone.
                let new = &shell.table.log[seq..];
                let may = |event: &Event| event.settles() || matches!(event, Event::TimeGiven { .. });
                if !stood && shell.play().to_move().is_some() && !new.iter().any(may) {
                    prop_assert_eq!(shell.out_at_ms(), out_at_ms, "{:?}", tried);
                }
            }
            let timed = shell.play().to_move().is_some() && clock != "untimed";
            prop_assert_eq!(shell.due_at_ms().is_some(), timed, "{:?}", tried);
            // What was due has happened.
            if let Some(at_ms) = shell.due_at_ms() {
                prop_assert!(at_ms > shell.now_ms || shell.play().deadline_ms() == Some(0));
            }
        }
        let begun = shell.play().to_move().is_some();
        shell.wait(10_000 * DAY_MS);
        prop_assert_eq!(shell.play().to_move().is_some(), begun && clock == "untimed");
    }

    /// Whoever pauses and resumes, however often, has no more time than who does not.
    #[test]
    fn pausing_makes_no_time(
        clock in prop::sample::select(CLOCKS[1..].to_vec()),
        pauses in prop::collection::vec((0..900_i64, a_side(), a_side(), 0..DAY_MS), 1..8),
    ) {
        let mut shell = Shell::seated(spec(clock));
        for _ in 0..2 {
            shell.play_turn().unwrap();
        }
        let mut left = BySide::from_fn(|side| shell.left_ms(side).unwrap());
        let mover = shell.play().to_move().unwrap();
        for (thought, offers, resumes, stood) in pauses {
            shell.wait(thought);
            if shell.play().to_move() != Some(mover) {
                break;
            }
            left[mover] -= thought;
            let _ = shell.ask(offers, Request::Offer(OfferKind::Pause));
            let _ = shell.ask(offers.other(), Request::Accept(OfferKind::Pause));
            if shell.play().play().unwrap().pause().is_none() {
                // It was offered already since the last action.
                continue;
            }
            shell.wait(stood);
            shell.ask(resumes, Request::Resume).unwrap();
            for side in Side::ALL {
                prop_assert_eq!(shell.left_ms(side), Some(left[side].max(0)), "{}", side);
            }
        }
    }
}
