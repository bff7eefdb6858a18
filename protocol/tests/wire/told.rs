//! The numbers and the matches that `proto-docs/protocol.md` tells of come out as told.

use crate::pages::{blocks, cells, page};
use crate::random_match::{id, user};
use mancala_engine::{Action, Format, Mancala, Options, Pit, Position as _, Side};
use mancala_play::{
    Asked, Clocks, Command, Context, Control, ControlForm, Decision, Event, LAG_QUOTA_AN_ACTION_MS,
    LAG_QUOTA_MS, Leaving, Match, MatchSpec, OfferKind, Request, Spent, UserId, Way, Why,
};
use mancala_protocol::convert::{self, Passing};
use std::collections::BTreeMap;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Every row of the tables of clocks, from the control that stands before them: how long a
/// turn took, the round trip measured, what is entered for it, and what the clock then shows.
#[test]
fn clocks_come_out_as_told() {
    let page = page("protocol.md");
    let (_, told) = page.split_once("\n## Clocks\n").unwrap();
    let (told, _) = told.split_once("\n## ").unwrap();
    let mut clocks: Option<Clocks> = None;
    let mut reasons = Vec::new();
    let mut rows = 0;
    let side = Side::South;
    for line in told.lines() {
        if let Ok(control) = serde_json::from_str::<Control>(line) {
            clocks = Some(Clocks::new(control).0);
        }
        let [turn, took, way, of_entries @ .., shows, periods, quota] = &cells(line)[..] else {
            continue;
        };
        if *turn == "turn" {
            let word = |cell: &&str| cell.trim_matches('`').to_owned();
            let reason = |word: String| Why::ALL.into_iter().find(|why| why.as_str() == word);
            reasons = of_entries
                .iter()
                .map(|cell| reason(word(cell)).unwrap())
                .collect();
        }
        if turn.parse::<u32>().is_err() {
            continue;
        }
        rows += 1;
        let clocks = clocks.as_mut().expect("a control stands before its table");
        clocks.start(side);
        let (spent, why) = match took.parse() {
            Ok(elapsed_ms) => (Spent::new(elapsed_ms, number(way)), Why::Thinking),
            Err(_) => (clocks.all_left(), Why::LostTurn),
        };
        let mut ledger = clocks.spend(spent, why);
        ledger.extend(clocks.end_turn(false));
        let sum = |why| -> i64 {
            let entries = ledger.iter().filter(|entry| entry.why == why);
            entries.map(|entry| entry.ms).sum()
        };
        let found: Vec<i64> = reasons.iter().map(|why| sum(*why)).collect();
        assert_eq!(
            found.iter().sum::<i64>(),
            Why::ALL.into_iter().map(sum).sum::<i64>()
        );
        assert_eq!(
            of_entries
                .iter()
                .map(|cell| number(cell))
                .collect::<Vec<_>>(),
            found,
            "{line}"
        );
        assert_eq!(clocks.balance_ms(side), Some(number(shows)), "{line}");
        assert_eq!(i64::from(clocks.periods(side)), number(periods), "{line}");
        clocks.start(side);
        let left_ms = clocks.left_ms(side).unwrap();
        assert_eq!(
            clocks.deadline_ms().unwrap() - left_ms,
            number(quota),
            "{line}"
        );
    }
    assert!(rows >= 12, "only {rows}");
    for quota in [LAG_QUOTA_MS, LAG_QUOTA_AN_ACTION_MS] {
        let digits = quota.to_string();
        let grouped = match digits.split_at(digits.len() - 3) {
            ("", hundreds) => hundreds.to_owned(),
            (thousands, hundreds) => format!("{thousands},{hundreds}"),
        };
        assert!(told.contains(&format!("{grouped} ms")), "{grouped}");
    }
}

/// Each control of the page can be agreed on, and how long somebody may be away is as told.
#[test]
fn controls_and_graces_are_as_told() {
    let page = page("protocol.md");
    let (_, told) = page.split_once("\n### Making a match\n").unwrap();
    let (told, _) = told.split_once("\n### ").unwrap();
    let told = told.lines().filter_map(|line| {
        let control = cells(line).first()?.trim_matches('`').to_owned();
        serde_json::from_str::<Control>(&control).ok()
    });
    let controls: Vec<Control> = told.collect();
    assert_eq!(controls.len(), 5);
    let (_, told) = page.split_once("\n## Presence and absence\n").unwrap();
    let grace = |control: Control, how| format!("{} s", control.grace_ms(how) / 1_000);
    for control in controls {
        let [dropped, closed] = [Leaving::Dropped, Leaving::Closed].map(|how| grace(control, how));
        let row = match control.form() {
            ControlForm::Untimed {} => format!("| `untimed` | {dropped} | {closed} |"),
            ControlForm::Correspondence { .. } => "| `correspondence` | | |".to_owned(),
            _ => format!("| any other | {dropped} | {closed} |"),
        };
        assert!(told.contains(&row), "{row}");
        let first_ms = control.first_move_ms();
        let as_told = match control.form() {
            ControlForm::Untimed {} => None,
            ControlForm::Correspondence { days } => Some(i64::from(days) * 86_400_000),
            _ => Some(30_000),
        };
        assert_eq!(first_ms, as_told, "{control}");
    }
}

/// The number of a cell; an empty one is 0.
fn number(cell: &str) -> i64 {
    let digits = cell.replace('−', "-");
    if digits.is_empty() {
        0
    } else {
        digits.parse().unwrap()
    }
}

fn name(who: UserId) -> String {
    let is_ann = who == user(Side::South);
    if is_ann { "Ann" } else { "Ben" }.to_owned()
}

/// A match that is told, frame by frame.
struct Told {
    play: Match,
    log: Vec<Event>,
    frames: Vec<String>,
    /// How many frames of the beginning are not told again.
    skipped: usize,
    keys: u32,
}

impl Told {
    fn of(options: Options, clock: Control, way: Option<Way>) -> Told {
        let mut spec = MatchSpec::new(options, Format::Single);
        spec.clock = clock;
        spec.way = way;
        spec.check().unwrap();
        let mut told = Told {
            play: Match::create(spec.clone()),
            log: vec![Event::Created { spec }],
            frames: Vec::new(),
            skipped: 0,
            keys: 0,
        };
        for side in Side::ALL {
            told.command(
                side,
                Command::Sit {
                    side,
                    asked_for: false,
                },
                Spent::NOTHING,
            );
        }
        told
    }

    fn context(spent: Spent) -> Context {
        Context {
            spent,
            rematch: 7_123_456_789_012_345,
            ..Context::untimed(Side::South)
        }
    }

    fn command(&mut self, side: Side, command: Command, spent: Spent) {
        let context = Told::context(spent);
        let events = match self.play.decide(user(side), &command, &context).unwrap() {
            Decision::Do(events) => events,
            Decision::GoBack {
                first,
                number,
                asked,
            } => self.go_back(number, first, asked, &context),
            Decision::Done(_) => panic!("it was done before"),
        };
        self.apply(&events);
    }

    fn go_back(
        &self,
        number: u32,
        first: Vec<Event>,
        asked: Asked,
        context: &Context,
    ) -> Vec<Event> {
        let mut then = Match::create(self.play.spec().clone());
        for event in &self.log[1..] {
            if then.next_number() == number && event.is_numbered() {
                break;
            }
            then.apply(event);
        }
        self.play
            .decide_back_to(&then, first, asked, context)
            .unwrap()
    }

    fn apply(&mut self, events: &[Event]) {
        for event in events {
            let before = self.play.play();
            let before = before.map(|play| play.game().position().setup().extra);
            let effect = self.play.apply(event);
            let frame = convert::event_frame(id(), event, before, &self.play, &effect, &name);
            self.frames
                .push(serde_json::to_string(&frame.unwrap()).unwrap());
            self.log.push(event.clone());
        }
    }

    fn key(&mut self) -> mancala_play::Key {
        self.keys += 1;
        format!("k{}", self.keys).parse().unwrap()
    }

    fn sow(&mut self, side: Side, pit: u16, spent: Spent) {
        let key = self.key();
        let number = self.play.next_number();
        let command = Command::act(number, vec![Action::sow(Pit(pit))], key);
        self.command(side, command, spent);
    }

    fn act_somehow(&mut self, side: Side) {
        let moves = self.play.legal_for(side).unwrap();
        let number = self.play.next_number();
        let key = self.key();
        let act = Command::act(number, vec![moves[0].clone()], key);
        self.command(side, act, Spent::NOTHING);
    }

    fn ask(&mut self, side: Side, request: Request, spent: Spent) {
        let key = self.key();
        self.command(side, Command::ask(request, key), spent);
    }

    /// What is due by itself.
    fn wait(&mut self) {
        let events = self.play.decide_due(&Told::context(Spent::NOTHING));
        self.apply(&events);
    }

    fn skip(&mut self) {
        self.skipped = self.frames.len();
    }

    fn lines(self) -> Vec<String> {
        self.frames.into_iter().skip(self.skipped).collect()
    }
}

/// Five minutes and five seconds, with everything that may be offered; and a view of it.
fn timed() -> (Vec<String>, String) {
    let clock = Control::fischer(300, 5).unwrap();
    let mut told = Told::of(Options::standard(Mancala::Urim), clock, None);
    let at_once = Spent::NOTHING;
    let mut view = None;
    told.skip();
    told.skipped -= 2;
    told.sow(Side::South, 4, at_once);
    told.sow(Side::North, 2, at_once);
    told.sow(Side::South, 0, Spent::new(20_000, 200));
    for side_asks in [
        (Side::South, Request::Offer(OfferKind::Takeback), 1_000),
        (Side::North, Request::Accept(OfferKind::Takeback), 4_000),
        (Side::South, Request::Offer(OfferKind::Time), 5_000),
        (Side::North, Request::Accept(OfferKind::Time), 6_000),
        (Side::North, Request::Offer(OfferKind::Pause), 7_000),
        (Side::South, Request::Decline(OfferKind::Pause), 8_000),
        (Side::South, Request::Offer(OfferKind::Pause), 9_000),
        (Side::North, Request::Accept(OfferKind::Pause), 12_000),
        (Side::South, Request::Resume, 0),
    ] {
        let (side, request, elapsed_ms) = side_asks;
        told.ask(side, request, Spent::new(elapsed_ms, 0));
        if request == Request::Accept(OfferKind::Pause) {
            assert_eq!(told.play.deadline_ms(), Some(14 * DAY_MS));
        }
        if elapsed_ms == 9_000 {
            let passing = Passing {
                elapsed_ms,
                ..Passing::NOTHING
            };
            view = Some(convert::view(id(), &told.play, &name, passing));
        }
    }
    told.apply(&told.play.decide_gone(Side::North, Leaving::Dropped));
    told.apply(&told.play.decide_back(Side::North));
    told.ask(Side::South, Request::ResignGame, Spent::new(2_000, 100));
    told.ask(Side::North, Request::Offer(OfferKind::Rematch), at_once);
    told.ask(Side::South, Request::Accept(OfferKind::Rematch), at_once);
    let view = serde_json::to_string(&view.unwrap()).unwrap();
    (told.lines(), view)
}

/// Both sign before the first game.
fn contract() -> Vec<String> {
    let options = Options::standard(Mancala::Omweso);
    let mut told = Told::of(options, Control::UNTIMED, Some(Way::Contract));
    told.skip();
    told.ask(Side::South, Request::Sign, Spent::NOTHING);
    told.ask(Side::North, Request::Sign, Spent::NOTHING);
    told.lines()
}

/// The referee counts, and a turn is lost.
fn blitz() -> Vec<String> {
    let options = Options::standard(Mancala::Omweso);
    let mut told = Told::of(options, Control::BLITZ, Some(Way::Blitz));
    for side in Side::ALL {
        told.act_somehow(side);
    }
    told.skip();
    for _ in 0..3 {
        told.wait();
    }
    told.lines()
}

/// How often a turn may be lost in a row, and how long is waited then.
#[test]
fn who_does_not_play() {
    let options = Options::standard(Mancala::Anywoli);
    let begun = || {
        let mut told = Told::of(options, Control::BLITZ, None);
        for side in Side::ALL {
            told.act_somehow(side);
        }
        told.skip();
        told
    };
    let mut both = begun();
    while both.play.play().unwrap().pause().is_none() {
        both.wait();
    }
    let has = |line: &String, word: &str| line.contains(word);
    let lost = |lines: &[String]| lines.iter().filter(|line| has(line, "lose_turn")).count();
    assert_eq!(both.play.deadline_ms(), Some(DAY_MS));
    both.wait();
    let lines = both.lines();
    assert_eq!(lost(&lines), 2 * 5);
    let end = r#""kind":"match_ended","winner":null,"reason":"abandoned""#;
    assert!(has(lines.last().unwrap(), end), "{lines:?}");

    let mut one = begun();
    while one.play.end().is_none() {
        match one.play.to_move() {
            Some(Side::North) => one.act_somehow(Side::North),
            _ => one.wait(),
        }
    }
    let lines = one.lines();
    assert_eq!(lost(&lines), 10);
    assert!(
        lines
            .iter()
            .any(|line| has(line, r#""winner":"north","points":1,"reason":"time""#))
    );

    let page = page("protocol.md");
    for words in ["five turns in a row", "ten in a row", "24 hours", "14 days"] {
        assert!(page.contains(words), "{words}");
    }
}

/// The blocks of the page that tell of a match are its frames, all of them. With
/// `PRINT=1` in the environment they are printed.
#[test]
fn matches_come_out_as_told() {
    let page = page("protocol.md");
    let mut told: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (words, lines) in blocks(&page) {
        if let Some(script) = words.strip_prefix("json server ") {
            told.entry(script).or_default().extend(lines);
        }
    }
    let (timed, view) = timed();
    let all = BTreeMap::from([
        ("timed", timed),
        ("contract", contract()),
        ("blitz", blitz()),
    ]);
    if std::env::var_os("PRINT").is_some() {
        for (script, lines) in &all {
            println!("{script}\n{}", lines.join("\n"));
        }
        println!("view\n{view}");
    }
    assert!(told.keys().eq(all.keys()), "{:?}", told.keys());
    for (script, lines) in all {
        assert_eq!(told[script], lines, "{script}");
    }
    assert!(
        page.contains(&format!("```json rest match_view\n{view}\n```")),
        "{view}"
    );
}
