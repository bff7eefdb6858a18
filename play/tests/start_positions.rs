//! Matches that begin from a given position.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

mod support;

use Side::{North, South};
use mancala_engine::{
    Action, AnyPosition, BadPosition, BySide, Format, Game, GameResult, Mancala, Options, Outcome,
    Phase, Pit, Position as _, Reason, Setup, Side,
};
use mancala_play::{
    BadSpec, Control, ControlForm, Event, Match, MatchSpec, OfferKind, Request, Spent, WhenOut,
    Why, record,
};
use support::shell::Shell;
use support::{ANN, BEN, Draws, OPTIONS, Table, options};

/// A position of a random game in which this side begins a turn.
fn middle_of(options: Options, to_move: Side, draws: &mut Draws) -> Setup {
    loop {
        let mut game = Game::<AnyPosition>::start(options, draws.side());
        let mut left = 8 + draws.below(10);
        while game.outcome().is_none() {
            let standing = game.position().standing();
            if left == 0 && standing.phase == Phase::Play && standing.to_move == to_move {
                return game.position().setup();
            }
            left = left.saturating_sub(1);
            let action = draws.action(&game);
            game.play_unchecked(&action);
        }
    }
}

fn spec(options: Options, start: Setup) -> MatchSpec {
    let mut spec = MatchSpec::new(options, Format::first_to(9).unwrap());
    spec.start = Some(Box::new(start));
    spec
}

fn exchanged<T: Clone>(both: &BySide<T>) -> BySide<T> {
    BySide {
        south: both.north.clone(),
        north: both.south.clone(),
    }
}

/// In every game: who is to move in it begins; in the second game the other side has its
/// place; and the record says so.
#[test]
fn games_begin_from_the_position_and_sides_take_turns_in_it() {
    let mut draws = Draws(9);
    for (mancala, text) in OPTIONS {
        for to_move in Side::ALL {
            let options = options(mancala, text);
            let start = middle_of(options, to_move, &mut draws);
            let spec = spec(options, start.clone());
            assert_eq!(spec.check(), Ok(()), "{mancala} {start}");
            assert_eq!(spec.begins(), Some(to_move));
            let mut table = Table::of(spec);
            table.lot = to_move.other();
            table.sit(ANN, South).unwrap();
            table.sit(BEN, North).unwrap();
            assert_eq!(table.game().position().setup(), start, "the lot has no say");
            table.ask(to_move, Request::ResignGame).unwrap();

            let second = table.game().position().setup();
            assert_eq!(second.standing.to_move, to_move.other());
            assert_eq!(second.standing.turn, start.standing.turn);
            assert_eq!(second.board.pits, exchanged(&start.board.pits));
            assert_eq!(second.board.stores, exchanged(&start.board.stores));
            // What one may do here the other might have done there.
            let actions = |setup: &Setup| {
                let position = AnyPosition::from_setup(options, setup).unwrap();
                Game::from_position(position)
                    .moves()
                    .iter()
                    .collect::<Vec<Action>>()
            };
            assert_eq!(actions(&second), actions(&start));
            table.play_on(&mut draws, 1);
            if table.play.play().unwrap().series().game() == 2 && table.play.to_move().is_some() {
                table.play_on(&mut draws, 3);
            }

            let record = record(&table.log, |_| None).unwrap();
            assert_eq!(record.check().first_fault(), None, "{record}");
            assert_eq!(record.games()[0].start(), Some(&start));
            assert_eq!(record.games()[1].start(), Some(&second));
            assert_eq!(record.to_string().parse(), Ok(record));
            table.restart();
        }
    }
}

/// A game that is taken back to its first turn is there again, not at the start of the rules.
#[test]
fn a_takeback_comes_to_the_position_again() {
    let options = Options::standard(Mancala::Urim);
    let start = middle_of(options, South, &mut Draws(2));
    let mut table = Table::of(spec(options, start.clone()));
    table.sit(ANN, South).unwrap();
    table.sit(BEN, North).unwrap();
    table.play_on(&mut Draws(3), 1);
    table
        .ask(South, Request::Offer(OfferKind::Takeback))
        .unwrap();
    table
        .ask(North, Request::Accept(OfferKind::Takeback))
        .unwrap();
    assert_eq!(table.game().position().setup(), start);
    let record = record(&table.log, |_| None).unwrap();
    assert_eq!(record.check().first_fault(), None, "{record}");
}

/// Whoever had the harder side has the easier one in the rematch: people change sides, and
/// the position does not.
#[test]
fn a_rematch_begins_from_the_same_position() {
    let options = Options::standard(Mancala::Anywoli);
    let start = middle_of(options, North, &mut Draws(4));
    let mut table = Table::of(spec(options, start.clone()));
    table.sit(ANN, South).unwrap();
    table.sit(BEN, North).unwrap();
    table.ask(South, Request::ResignMatch).unwrap();
    let log = table.play.rematch(&table.context(), |_, _| true);
    let mut next = Match::create(table.play.spec().clone());
    log[1..].iter().for_each(|event| drop(next.apply(event)));
    assert_eq!(next.seats().north, Some(ANN));
    assert_eq!(next.to_move(), Some(North));
    assert_eq!(next.play().unwrap().game().position().setup(), start);
}

#[test]
fn what_no_match_begins_from_is_refused_by_name() {
    let standard = Options::standard(Mancala::Omweso);
    let start = AnyPosition::start(standard, South).setup();
    let refused = |options, change: &dyn Fn(&mut Setup)| {
        let mut start = start.clone();
        change(&mut start);
        spec(options, start).check().unwrap_err()
    };
    let mut rated = spec(standard, start.clone());
    (rated.rated, rated.preview) = (true, false);
    assert_eq!(rated.check(), Err(BadSpec::RatedStart));
    rated.start = None;
    assert_eq!(rated.check(), Ok(()));
    rated.preview = true;
    assert_eq!(rated.check(), Err(BadSpec::RatedPreview));

    let lottery = |setup: &mut Setup| setup.standing.phase = Phase::Lottery;
    let arrange = |setup: &mut Setup| {
        setup.standing.phase = Phase::Arrange;
        setup.standing.turn = 0;
        setup.board.pits = BySide::both(vec![0; 16]);
    };
    let over = |setup: &mut Setup| {
        let outcome = Outcome::win(South, 1, Reason::Bulijo);
        setup.standing.phase = Phase::Over(outcome);
    };
    let a_seed_more = |setup: &mut Setup| setup.board.pits.south[0] += 1;
    let a_pit_less = |setup: &mut Setup| setup.board.pits.south.truncate(15);
    for (name, change) in [
        ("lottery", &lottery as &dyn Fn(&mut Setup)),
        ("over", &over),
        ("a seed more", &a_seed_more),
        ("a pit less", &a_pit_less),
    ] {
        let bad = refused(standard, change);
        assert!(matches!(bad, BadSpec::Position(_)), "{name}: {bad:?}");
        assert!(
            bad.to_string().starts_with("no game can stand so: "),
            "{bad}"
        );
        use std::error::Error as _;
        assert!(
            bad.source()
                .is_some_and(|source| source.is::<BadPosition>())
        );
    }
    let free = options(Mancala::Omweso, "setup free");
    let begins = AnyPosition::start(free, South).setup();
    let unlike = refused(free, &|setup| *setup = begins.clone());
    assert_eq!(unlike, BadSpec::MidTurn);
    assert!(matches!(
        refused(free, &arrange),
        BadSpec::Position(_) | BadSpec::MidTurn
    ));
    // One that belongs to another game.
    let urim = Options::standard(Mancala::Urim);
    assert!(matches!(refused(urim, &|_| {}), BadSpec::Position(_)));
}

#[test]
fn no_match_begins_in_the_middle_of_a_turn() {
    let nsolo = Options::standard(Mancala::Nsolo);
    let mut draws = Draws(1);
    let mut game = Game::<AnyPosition>::start(nsolo, South);
    while !matches!(game.position().standing().phase, Phase::Strip { .. }) {
        let action = draws.action(&game);
        game.play_unchecked(&action);
    }
    let bad = spec(nsolo, game.position().setup()).check();
    assert_eq!(bad, Err(BadSpec::MidTurn));
}

/// From a position, too, the first move has a time of its own.
#[test]
fn first_moves_are_those_of_the_match_not_of_the_position() {
    let options = Options::standard(Mancala::Urim);
    let start = middle_of(options, North, &mut Draws(6));
    let mut spec = spec(options, start);
    spec.clock = Control::fischer(60, 0).unwrap();
    let mut table = Table::of(spec);
    table.sit(ANN, South).unwrap();
    table.sit(BEN, North).unwrap();
    for _ in 0..2 {
        assert_eq!(table.play.deadline_ms(), Some(30_000));
        let side = table.play.to_move().unwrap();
        let pit = table.play.legal_for(side).unwrap()[0].clone();
        table.act(side, &[pit]).unwrap();
    }
    assert_eq!(table.play.deadline_ms(), Some(61_000));
}

/// Anywoli: the other side has nothing to play with and passes each time, so the turn comes
/// back at once. Who loses ten of them loses the game, and pays for ten.
#[test]
fn a_side_that_moves_alone_pays_for_the_turns_it_lost_and_no_other() {
    let options = Options::standard(Mancala::Anywoli);
    let start = "12x0/0,3,0,2,1,4x0,2,0,0 32/56 north 144 0 play last_seed:south";
    let mut spec = spec(options, start.parse().unwrap());
    let out = WhenOut::LosesTurn;
    spec.clock = ControlForm::PerMove { seconds: 10, out }
        .try_into()
        .unwrap();
    assert_eq!(spec.check(), Ok(()));
    let mut shell = Shell::seated(spec);
    shell.act(North, &[Action::sow(Pit(1))]).unwrap();
    let mut paid_ms = 0;
    for lost in 1..=10 {
        assert_eq!(shell.play().to_move(), Some(North), "{lost}");
        let entries = shell.ledger().len();
        let events = shell.next_due();
        let over = events.len() > 1;
        assert_eq!(over, lost == 10, "{events:?}");
        if !over {
            let new = shell.ledger()[entries..].iter();
            let paid = new.filter(|entry| entry.why == Why::LostTurn);
            paid_ms -= paid.map(|entry| entry.ms).sum::<i64>();
            assert_eq!(paid_ms, lost * 10_000);
            continue;
        }
        let [
            ..,
            Event::GameEnded { outcome, spent, .. },
            Event::GameBegan { .. },
        ] = &events[..]
        else {
            panic!("{events:?}");
        };
        assert_eq!(outcome.result(), GameResult::won_from_outside(South));
        assert_eq!(*spent, Spent::NOTHING);
    }
    let record = record(&shell.table.log, |_| None).unwrap();
    let closing = record.games()[0].closing_notes();
    assert!(closing.is_empty(), "no turn began: {record}");
}

/// A position in which the side to move cannot feed the other stands in no game that goes on,
/// and a turn near the end of all counting leaves no room for one.
#[test]
fn a_start_has_a_move_and_room_for_turns() {
    let read = |turn: u32, south: [u32; 6], store: u32| -> Setup {
        serde_json::from_value(serde_json::json!({
            "pits": { "south": south, "north": [0, 0, 0, 0, 0, 0] },
            "stores": { "south": store, "north": 18 },
            "to_move": "south", "turn": turn, "quiet": 0, "phase": { "kind": "play" }
        }))
        .unwrap()
    };
    let options = Options::standard(Mancala::Urim);
    let check = |start| spec(options, start).check();
    assert_eq!(check(read(1, [1, 0, 0, 0, 0, 0], 17)), Err(BadSpec::NoMove));
    assert_eq!(check(read(1, [0, 0, 0, 0, 0, 1], 17)), Ok(()));
    assert_eq!(check(read(1_000_000, [0, 0, 0, 0, 0, 1], 17)), Ok(()));
    let late = check(read(1_000_001, [0, 0, 0, 0, 0, 1], 17));
    assert_eq!(late, Err(BadSpec::LateTurn));
}
