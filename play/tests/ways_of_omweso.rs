//! Omweso counting, in contract and in blitz; what goes on where nobody chooses; and who stays
//! away.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

mod support;

use Side::{North, South};
use mancala_engine::{Action, Direction, Format, Mancala, Options, Phase, Position as _, Side};
use mancala_play::{
    BadSpec, Control, ControlForm, Event, GameOutcome, Leaving, MatchEnd, MatchSpec, OfferKind,
    OutsideReason, PauseWhy, Refusal, Request, Way, WhenOut, record,
};
use support::shell::Shell;
use support::{Draws, kinds, options};

const SECOND_MS: i64 = 1_000;
const DAY_MS: i64 = 86_400 * SECOND_MS;

fn omweso(way: Way, text: &str) -> MatchSpec {
    let mut spec = MatchSpec::new(options(Mancala::Omweso, text), Format::OMWESO);
    spec.way = Some(way);
    if way == Way::Blitz {
        spec.clock = Control::BLITZ;
    }
    assert_eq!(spec.check(), Ok(()));
    spec
}

/// Both have made their first move; south is to move.
fn blitz() -> Shell {
    let mut shell = Shell::seated(omweso(Way::Blitz, ""));
    for _ in 0..2 {
        shell.play_turn().unwrap();
    }
    shell
}

fn agree(shell: &mut Shell, side: Side, kind: OfferKind) -> Result<Vec<Event>, Refusal> {
    shell.ask(side, Request::Offer(kind))?;
    shell.ask(side.other(), Request::Accept(kind))
}

#[test]
fn ways_and_what_goes_with_them() {
    let fischer = Control::fischer(60, 0).unwrap();
    for (mancala, way, clock, expected) in [
        (Mancala::Omweso, Way::Counting, Control::UNTIMED, Ok(())),
        (
            Mancala::Omweso,
            Way::Counting,
            fischer,
            Err(BadSpec::ClockOfWay),
        ),
        (Mancala::Omweso, Way::Contract, Control::UNTIMED, Ok(())),
        (Mancala::Omweso, Way::Contract, fischer, Ok(())),
        (Mancala::Omweso, Way::Blitz, Control::BLITZ, Ok(())),
        (
            Mancala::Omweso,
            Way::Blitz,
            fischer,
            Err(BadSpec::ClockOfWay),
        ),
        (
            Mancala::Omweso,
            Way::Blitz,
            Control::UNTIMED,
            Err(BadSpec::ClockOfWay),
        ),
        (
            Mancala::Urim,
            Way::Contract,
            Control::UNTIMED,
            Err(BadSpec::WayOfOmweso),
        ),
    ] {
        let mut spec = MatchSpec::new(Options::standard(mancala), Format::Single);
        (spec.way, spec.clock) = (Some(way), clock);
        assert_eq!(spec.check(), expected, "{way:?} {clock:?}");
    }
}

#[test]
fn counting_has_no_clock_and_takes_back_by_consent() {
    let mut shell = Shell::seated(omweso(Way::Counting, ""));
    let start = shell.table.game().clone();
    shell.play_turn().unwrap();
    assert_eq!(shell.due_at_ms(), None);
    assert_eq!(
        agree(&mut shell, North, OfferKind::Takeback),
        Err(Refusal::NothingToTakeBack)
    );
    let events = agree(&mut shell, South, OfferKind::Takeback).unwrap();
    assert_eq!(kinds(&events), ["taken_back"]);
    assert_eq!(*shell.table.game(), start);
    // Back to before the last turn of the one who asks, though the other has moved since.
    for _ in 0..3 {
        shell.play_turn().unwrap();
    }
    let before = shell.table.game().clone();
    shell.play_turn().unwrap();
    shell.play_turn().unwrap();
    agree(&mut shell, North, OfferKind::Takeback).unwrap();
    assert_eq!(*shell.table.game(), before);
    assert_eq!(shell.play().to_move(), Some(North));
    shell.restart();
    let report = record(&shell.table.log, |_| None).unwrap().check();
    assert_eq!(report.first_fault(), None);
}

/// Both sign before the first game, in any order, one of them perhaps before the other is
/// there.
#[test]
fn a_contract_begins_when_both_have_signed() {
    for early in [false, true] {
        let mut shell = Shell::empty(omweso(Way::Contract, ""));
        shell.sit(North);
        if early {
            shell.ask(North, Request::Sign).unwrap();
        }
        shell.sit(South);
        assert_eq!(shell.play().to_move(), None, "no game yet");
        let act = shell.act(South, &[Action::sow(mancala_engine::Pit(0))]);
        assert_eq!(act, Err(Refusal::NotBegun));
        if !early {
            assert_eq!(kinds(&shell.ask(North, Request::Sign).unwrap()), ["signed"]);
        }
        assert_eq!(shell.ask(North, Request::Sign), Err(Refusal::NothingToSign));
        let events = shell.ask(South, Request::Sign).unwrap();
        assert_eq!(kinds(&events), ["signed", "game_began"]);
        assert_eq!(shell.ask(South, Request::Sign), Err(Refusal::NothingToSign));
    }
    let mut counting = Shell::seated(omweso(Way::Counting, ""));
    assert_eq!(
        counting.ask(South, Request::Sign),
        Err(Refusal::NothingToSign)
    );
}

#[test]
fn from_a_contract_nobody_goes_back() {
    let mut shell = Shell::seated(omweso(Way::Contract, ""));
    // Until it is signed it may be broken off.
    let mut unsigned = shell.clone();
    unsigned.ask(South, Request::Abort).unwrap();
    assert_eq!(unsigned.play().end(), Some(MatchEnd::Aborted));
    for side in Side::ALL {
        shell.ask(side, Request::Sign).unwrap();
    }
    for moved in 0..3 {
        for side in Side::ALL {
            assert_eq!(
                shell.ask(side, Request::Abort),
                Err(Refusal::NotInThisMatch)
            );
            for kind in [OfferKind::Abort, OfferKind::Takeback] {
                let offered = shell.ask(side, Request::Offer(kind));
                assert_eq!(offered, Err(Refusal::NotInThisMatch), "{moved} {kind:?}");
            }
        }
        shell.play_turn().unwrap();
    }
    let name = |user| (user == support::ANN).then_some("Nakato");
    let text = record(&shell.table.log, name).unwrap().to_string();
    assert!(text.contains("[way \"contract\"]"), "{text}");
    assert!(
        text.contains("@signed \"Nakato\" @signed \"north\""),
        "{text}"
    );
}

/// *Emu*, *bbiri*, and the turn is lost; each at its second.
#[test]
fn the_referee_counts_and_then_the_turn_is_lost() {
    let mut shell = blitz();
    for side in [South, North, South] {
        let mut happened = Vec::new();
        for _ in 0..4 {
            happened.extend(shell.wait(SECOND_MS));
        }
        let [
            Event::Counted { count: 1 },
            Event::Counted { count: 2 },
            Event::Acted {
                side: Some(loses),
                action: Action::LoseTurn,
                key: None,
                ..
            },
        ] = &happened[..]
        else {
            panic!("{happened:?}");
        };
        assert_eq!(*loses, side);
        assert_eq!(shell.play().to_move(), Some(side.other()));
    }
}

#[test]
fn the_count_begins_anew_with_each_turn_and_goes_on_with_its_choices() {
    let mut shell = blitz();
    for _ in 0..5 {
        assert_eq!(kinds(&shell.wait(1_999)), ["counted"]);
        shell.play_turn().unwrap();
        assert_eq!(shell.play().play().unwrap().count(), 0);
    }
    // A turn with a choice in it: what was counted before it stays counted.
    let (side, sowing) = before_a_choice(&mut shell);
    assert_eq!(kinds(&shell.wait(1_500)), ["counted"]);
    shell.act(side, &[sowing]).unwrap();
    assert_eq!(kinds(&shell.wait(500)), ["counted"]);
    assert_eq!(shell.play().play().unwrap().count(), 2);
    assert_eq!(shell.wait(1_999), []);
    // Then it goes on forward, and the turn is his still.
    let events = shell.wait(1);
    let forward = Action::Direction {
        dir: Direction::Forward,
    };
    assert!(
        matches!(&events[0], Event::Acted { action, key: None, .. } if *action == forward),
        "{events:?}"
    );
    assert_ne!(shell.play().to_move(), Some(side));
}

/// A choice within a turn comes a way of its own, so the quota for lag refills before it. Over
/// mobile networks choices were taken from who had made them in time.
#[test]
fn each_choice_of_a_turn_has_its_way() {
    let mut shell = blitz();
    for _ in 0..5 {
        shell.play_turn().unwrap();
    }
    let (side, sowing) = before_a_choice(&mut shell);
    assert_eq!(shell.play().deadline_ms(), Some(1_000));
    assert_eq!(kinds(&shell.wait(3_600)), ["counted", "counted"]);
    shell.act(side, &[sowing]).unwrap();
    assert_eq!(shell.play().to_move(), Some(side));
    let clocks = shell.play().play().unwrap().clocks();
    assert_eq!(clocks.left_ms(side), Some(0));
    assert_eq!(clocks.deadline_ms(), Some(1_000));
}

/// Plays until there is a sowing with a choice after it, and returns whose and which.
fn before_a_choice(shell: &mut Shell) -> (Side, Action) {
    let mut draws = Draws(11);
    loop {
        let side = shell.play().to_move().unwrap();
        let sowing = draws.action(shell.table.game());
        let mut after = shell.table.game().clone();
        after.play_unchecked(&sowing);
        if matches!(after.position().standing().phase, Phase::Direction(_)) {
            return (side, sowing);
        }
        shell.act(side, &[sowing]).unwrap();
        while matches!(
            shell.table.game().position().standing().phase,
            Phase::Direction(_)
        ) {
            let side = shell.play().to_move().unwrap();
            let forward = Direction::Forward;
            shell
                .act(side, &[Action::Direction { dir: forward }])
                .unwrap();
        }
    }
}

#[test]
fn who_does_not_lay_out_his_seeds_has_the_standard_rows() {
    for (text, outer, inner) in [
        ("setup free", 4, 0),
        ("setup free, cap none", 4, 0),
        ("setup free, cap 3", 3, 1),
        ("setup free, cap 2", 2, 2),
    ] {
        let mut shell = Shell::seated(omweso(Way::Blitz, text));
        assert_eq!(shell.wait(29_999), []);
        assert_eq!(kinds(&shell.wait(1)), ["acted"]);
        assert_eq!(kinds(&shell.wait(30_000)), ["acted"]);
        let pits = shell.table.game().position().setup().board.pits;
        assert_eq!(pits.south, pits.north);
        assert_eq!(pits.south.iter().sum::<u32>(), 32);
        if inner == 1 {
            // Three in each outer pit leave eight: three, three and two.
            assert_eq!(pits.south[..8], [outer; 8]);
            assert_eq!(pits.south[8..], [3, 3, 2, 0, 0, 0, 0, 0]);
        } else {
            assert_eq!(pits.south, [[outer; 8], [inner; 8]].concat());
        }
        assert_eq!(shell.play().to_move(), Some(South));
        assert_eq!(shell.play().end(), None);
    }
}

/// Nsolo: whoever has won seeds to strip and does not say which takes them from the fullest
/// pits.
#[test]
fn who_does_not_strip_strips_the_fullest_pits() {
    let mut spec = MatchSpec::new(Options::standard(Mancala::Nsolo), Format::Single);
    let out = WhenOut::LosesTurn;
    spec.clock = ControlForm::PerMove { seconds: 10, out }
        .try_into()
        .unwrap();
    let mut shell = Shell::seated(spec);
    let mut draws = Draws(3);
    let mut stripped = 0;
    while stripped < 5 {
        let side = shell
            .play()
            .to_move()
            .expect("it takes fewer turns than a game");
        let action = draws.action(shell.table.game());
        shell.act(side, &[action]).unwrap();
        if shell.play().end().is_some() {
            shell = Shell::seated(shell.play().spec().clone());
            continue;
        }
        let setup = shell.table.game().position().setup();
        let Phase::Strip { seeds } = setup.standing.phase else {
            continue;
        };
        let events = shell.wait(11 * SECOND_MS);
        let Some(Event::Acted {
            action: Action::Strip { take },
            key: None,
            ..
        }) = events.first()
        else {
            panic!("{events:?}");
        };
        let pits = &setup.board.pits[side.other()];
        assert_eq!(take.iter().map(|(_, seeds)| seeds).sum::<u32>(), seeds);
        // Each but the last pit is emptied, and none that is left is fuller than one taken.
        let (last, emptied) = take.split_last().unwrap();
        assert!(
            emptied
                .iter()
                .all(|(pit, seeds)| pits[pit.index()] == *seeds)
        );
        let taken = |pit: usize| take.iter().any(|(taken, _)| taken.index() == pit);
        let left = (0..pits.len())
            .filter(|pit| !taken(*pit))
            .map(|pit| pits[pit]);
        assert!(left.max() <= Some(pits[last.0.index()]));
        stripped += 1;
    }
}

#[test]
fn five_turns_in_a_row_lost_by_both_sides_pause_the_match() {
    let mut shell = blitz();
    let events = shell.wait(39_999);
    assert!(!kinds(&events).contains(&"paused".to_owned()));
    let events = shell.wait(1);
    assert_eq!(kinds(&events), ["acted", "paused"]);
    let pause = |shell: &Shell| shell.play().play().unwrap().pause();
    assert_eq!(pause(&shell), Some(PauseWhy::Absent));
    assert_eq!(shell.wait(DAY_MS / 2), [], "nobody plays");

    // Whoever comes back, moves or asks for it lets it go on, and the clock runs.
    let mut back = shell.clone();
    assert_eq!(kinds(&back.back(North)), ["resumed"]);
    let mut moves = shell.clone();
    let events = moves.play_turn().unwrap();
    assert_eq!(kinds(&events)[..2], ["resumed", "acted"]);
    let mut asks = shell.clone();
    asks.ask(South, Request::Resume).unwrap();
    for resumed in [&mut back, &mut moves, &mut asks] {
        assert_eq!(pause(resumed), None);
        assert_eq!(kinds(&resumed.wait(SECOND_MS)), ["counted"]);
        // Of whoever came back, turns lost before count no more: so it takes five of his again
        // until nobody plays, and by then the other has lost ten in a row, or all but one.
        let events = resumed.wait(60 * SECOND_MS);
        let lost = |event: &&Event| {
            matches!(
                event,
                Event::Acted {
                    action: Action::LoseTurn,
                    ..
                }
            )
        };
        let ended = events
            .iter()
            .position(|event| matches!(event, Event::GameEnded { .. } | Event::Paused { .. }));
        let lost = events[..ended.unwrap()].iter().filter(lost).count();
        assert!((9..=10).contains(&lost), "{lost}");
        resumed.restart();
    }
    // Nobody claims anything of somebody who is not waited for.
    shell.gone(South, Leaving::Dropped);
    shell.wait(DAY_MS / 4);
    assert_eq!(shell.ask(North, Request::ClaimWin), Err(Refusal::NoClaim));
}

#[test]
fn a_match_that_nobody_comes_back_to_is_abandoned_after_a_day() {
    let mut shell = blitz();
    for side in Side::ALL {
        shell.gone(side, Leaving::Dropped);
    }
    shell.wait(40 * SECOND_MS);
    assert_eq!(shell.wait(DAY_MS - 1), []);
    let events = shell.wait(1);
    assert_eq!(kinds(&events), ["match_ended"]);
    assert_eq!(shell.play().end(), Some(MatchEnd::Abandoned));
    let text = record(&shell.table.log, |_| None).unwrap().to_string();
    assert!(text.contains("[result \"void abandoned\"]"), "{text}");
}

/// South loses turn after turn, and north plays something; how many turns were lost when the
/// game was over, unless it was over on the board.
fn lost_by_south(shell: &mut Shell, draws: &mut Draws) -> Option<usize> {
    for lost in 1.. {
        let events = shell.wait(4 * SECOND_MS);
        if let [
            ..,
            Event::GameEnded { outcome, .. },
            Event::GameBegan { .. },
        ] = &events[..]
        {
            let by_time = GameOutcome::Outside {
                winner: Some(North),
                reason: OutsideReason::Time,
            };
            assert_eq!(*outcome, by_time);
            return Some(lost);
        }
        while shell.play().to_move() == Some(North) {
            let action = draws.action(shell.table.game());
            shell.act(North, &[action]).unwrap();
        }
        if shell.play().play().unwrap().series().game() > 1 {
            return None;
        }
    }
    None
}

#[test]
fn ten_turns_in_a_row_lost_by_one_side_lose_the_game() {
    let mut games = 0;
    for seed in 0..100 {
        let mut shell = blitz();
        let Some(lost) = lost_by_south(&mut shell, &mut Draws(seed)) else {
            continue;
        };
        games += 1;
        assert_eq!(lost, 10);
        assert_eq!(shell.table.score(), (0, 1));
        // The next game begins, and with it the time for its first move.
        assert_eq!(shell.play().to_move(), Some(North));
        assert_eq!(shell.play().deadline_ms(), Some(30_000));
    }
    assert!(games > 0, "north never won on the board before");
}

/// A turn between, and the count of lost ones begins again.
#[test]
fn only_turns_in_a_row_are_counted() {
    let mut shell = blitz();
    for _ in 0..3 {
        let events = shell.wait(36 * SECOND_MS);
        assert!(!kinds(&events).contains(&"paused".to_owned()));
        // Nine are lost by now, four of them by the one who is to move.
        shell.play_turn().unwrap();
        if shell.play().to_move() == Some(South) {
            shell.play_turn().unwrap();
        }
    }
    assert_eq!(shell.play().play().unwrap().pause(), None);
}

/// The other side comes back and plays; who does not loses with his tenth turn in a row, five
/// of them before the pause.
#[test]
fn ten_turns_in_a_row_lose_a_game_over_a_pause() {
    let mut shell = blitz();
    shell.wait(40 * SECOND_MS);
    let paused = shell.play().play().unwrap().pause();
    assert_eq!(paused, Some(PauseWhy::Absent));
    shell.back(North);
    let mut lost = 5;
    while shell.play().play().unwrap().series().game() == 1 {
        if shell.play().to_move() == Some(North) {
            shell.play_turn().unwrap();
        } else {
            shell.next_due();
            lost += usize::from(shell.play().to_move() != Some(South));
        }
        assert!(lost <= 10);
    }
    assert_eq!(lost, 10);
}

/// Without a first move there is no match, and nothing to be won: neither by who waits nor by
/// who is quick.
#[test]
fn nobody_claims_a_match_that_has_not_begun() {
    let fischer = Control::fischer(300, 0).unwrap();
    for (way, clock, claimed) in [
        (None, fischer, false),
        (None, Control::UNTIMED, false),
        (Some(Way::Contract), fischer, true),
    ] {
        let mut spec = MatchSpec::new(Options::standard(Mancala::Omweso), Format::OMWESO);
        spec.way = way;
        spec.clock = clock;
        let mut shell = Shell::empty(spec);
        shell.sit(South);
        shell.sit(North);
        if way.is_some() {
            for side in Side::ALL {
                shell.ask(side, Request::Sign).unwrap();
            }
        }
        let waits = shell.play().to_move().unwrap().other();
        shell.gone(waits.other(), Leaving::Closed);
        // Longer than its grace, and in a timed match not as long as for a first move.
        let away_ms = if clock.is_untimed() { 70 } else { 25 } * SECOND_MS;
        shell.wait(away_ms);
        let claim = shell.ask(waits, Request::ClaimWin);
        assert_eq!(claim.is_ok(), claimed, "{way:?}");
        if !claimed {
            assert_eq!(claim, Err(Refusal::NoClaim));
            shell.wait(10 * SECOND_MS);
            // Where no clock does it, he may do it himself.
            if clock.is_untimed() {
                shell.ask(waits, Request::Abort).unwrap();
            }
            assert_eq!(shell.play().end(), Some(MatchEnd::Aborted));
        }
    }
}

/// Whoever comes and goes without end fills no log by it, and can be claimed against all the
/// same. In the next game he is told of again.
#[test]
fn coming_and_going_has_an_end() {
    let mut shell = blitz();
    let mut told = 0;
    for _ in 0..100 {
        told += shell.gone(North, Leaving::Closed).len();
        shell.play_turn().unwrap();
        told += shell.back(North).len();
        if shell.play().play().unwrap().series().game() > 1 {
            panic!("the game ended first");
        }
        if shell.play().absences().north.is_some() {
            break;
        }
    }
    assert_eq!(told, 41, "twenty times there and back, and once more there");
    for _ in 0..50 {
        assert_eq!(shell.gone(North, Leaving::Closed), []);
        assert_eq!(shell.back(North), []);
    }
    shell
        .ask(shell.play().to_move().unwrap(), Request::ResignGame)
        .unwrap();
    assert_eq!(shell.play().absences().north, None);
    assert_eq!(shell.gone(North, Leaving::Closed).len(), 1);
}
