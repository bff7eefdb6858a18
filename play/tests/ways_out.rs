//! How games and matches end, on the board and from outside, and what follows.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

mod support;

use Side::{North, South};
use mancala_engine::{
    Action, Format, Mancala, Options, Outcome, POINTLESS_GAMES_MAX, Pit, Position, Reason, Side,
    Verdict,
};
use mancala_play::{
    Control, Event, GameOutcome, Leaving, Match, MatchEnd, MatchSpec, OfferKind, OutsideReason,
    Refusal, Request, Ruling, Spent, Stage, Way, record,
};
use support::shell::Shell;
use support::{ANN, BEN, Table, game_that, kinds, options};

fn outside(winner: Option<Side>, reason: OutsideReason) -> GameOutcome {
    GameOutcome::Outside { winner, reason }
}

fn outcome_in(events: &[Event]) -> &GameOutcome {
    let outcome = events.iter().find_map(|event| match event {
        Event::GameEnded { outcome, .. } => Some(outcome),
        _ => None,
    });
    outcome.unwrap()
}

fn began(game: u32, begins: Side) -> Event {
    Event::GameBegan { game, begins }
}

const fn played(winner: Option<Side>) -> Option<MatchEnd> {
    Some(MatchEnd::Played { winner })
}

#[test]
fn the_lot_says_who_begins() {
    for lot in Side::ALL {
        let mut table = Table::empty(Options::standard(Mancala::Urim), Format::Single);
        // The first to sit hears nothing of the lot.
        table.lot = lot.other();
        assert_eq!(kinds(&table.sit(BEN, North).unwrap()), ["seated"]);
        assert_eq!(table.play.to_move(), None);
        table.lot = lot;
        let events = table.sit(ANN, South).unwrap();
        assert_eq!(events[1..], [began(1, lot)]);
        assert_eq!(table.play.to_move(), Some(lot));
        // The beginning took number 1.
        assert_eq!(table.play.next_number(), 2);
    }
}

#[test]
fn a_resigned_game_brings_one_point_and_the_next_begins() {
    let mut table = Table::urim_to_three();
    let events = table.ask(South, Request::ResignGame).unwrap();
    assert_eq!(
        *outcome_in(&events),
        outside(Some(North), OutsideReason::Resigned)
    );
    assert_eq!(events[1..], [began(2, North)]);
    assert_eq!(table.score(), (0, 1));
    assert_eq!(table.play.to_move(), Some(North));
}

#[test]
fn a_resigned_single_game_ends_the_match() {
    let mut table = Table::urim();
    let events = table.ask(South, Request::ResignGame).unwrap();
    assert_eq!(kinds(&events), ["game_ended", "match_ended"]);
    assert_eq!(table.play.end(), played(Some(North)));
    assert_eq!(table.score(), (0, 1));
}

#[test]
fn resigned_games_end_a_match_when_they_bring_the_last_point() {
    let mut table = Table::urim_to_three();
    // South resigns on its turns, north when it is to move.
    for (resigns, score) in [
        (South, (0, 1)),
        (North, (1, 1)),
        (South, (1, 2)),
        (North, (2, 2)),
        (South, (2, 3)),
    ] {
        assert_eq!(table.play.end(), None);
        table.ask(resigns, Request::ResignGame).unwrap();
        assert_eq!(table.score(), score);
    }
    assert_eq!(table.play.end(), played(Some(North)));
}

#[test]
fn a_match_is_resigned_at_any_time_and_keeps_its_score() {
    let mut table = Table::urim_to_three();
    table.ask(South, Request::ResignGame).unwrap();
    let events = table.ask(South, Request::ResignMatch).unwrap();
    assert_eq!(kinds(&events), ["match_ended"]);
    assert_eq!(table.play.end(), Some(MatchEnd::Resigned { winner: North }));
    assert_eq!(table.score(), (0, 1));
    assert_eq!(table.play.to_move(), None);

    let mut ahead = Table::urim_to_three();
    ahead.ask(South, Request::ResignGame).unwrap();
    ahead.ask(North, Request::ResignMatch).unwrap();
    assert_eq!(ahead.play.end().and_then(MatchEnd::winner), Some(South));
    assert_eq!(ahead.score(), (0, 1));
}

#[test]
fn an_agreed_draw_ends_the_game_without_points() {
    let mut table = Table::urim_to_three();
    table.ask(North, Request::Offer(OfferKind::Draw)).unwrap();
    assert_eq!(table.play.offer().map(|offer| offer.side), Some(North));
    let events = table.ask(South, Request::Accept(OfferKind::Draw)).unwrap();
    assert_eq!(*outcome_in(&events), outside(None, OutsideReason::Agreed));
    assert_eq!(events[1..], [began(2, North)]);
    assert_eq!(table.score(), (0, 0));
    assert_eq!(table.play.offer(), None);
}

#[test]
fn an_agreed_draw_draws_a_single_game_match() {
    let mut table = Table::urim();
    table.ask(South, Request::Offer(OfferKind::Draw)).unwrap();
    table.ask(North, Request::Accept(OfferKind::Draw)).unwrap();
    assert_eq!(table.play.end(), played(None));
}

#[test]
fn two_offers_that_cross_are_an_agreement() {
    let mut table = Table::urim();
    table.ask(South, Request::Offer(OfferKind::Draw)).unwrap();
    let events = table.ask(North, Request::Offer(OfferKind::Draw)).unwrap();
    assert_eq!(*outcome_in(&events), outside(None, OutsideReason::Agreed));
    assert_eq!(table.play.end(), played(None));
}

#[test]
fn an_offer_is_declined_or_withdrawn() {
    for answers in Side::ALL {
        let mut table = Table::urim();
        table.ask(South, Request::Offer(OfferKind::Draw)).unwrap();
        let events = table
            .ask(answers, Request::Decline(OfferKind::Draw))
            .unwrap();
        assert_eq!(kinds(&events), ["declined"]);
        assert_eq!(table.play.offer(), None);
        assert_eq!(table.play.end(), None);
    }
}

#[test]
fn an_action_of_either_side_ends_an_offer() {
    for offers in Side::ALL {
        let mut table = Table::urim();
        table.ask(offers, Request::Offer(OfferKind::Draw)).unwrap();
        table.act(South, &[Action::sow(Pit(0))]).unwrap();
        assert_eq!(table.play.offer(), None);
    }
}

#[test]
fn a_match_is_aborted_while_it_gathers() {
    let mut table = Table::empty(Options::standard(Mancala::Urim), Format::Single);
    table.sit(ANN, South).unwrap();
    table.ask(South, Request::Abort).unwrap();
    assert_eq!(table.play.end(), Some(MatchEnd::Aborted));
    assert!(matches!(table.play.stage(), Stage::Over { last: None, .. }));
}

#[test]
fn a_match_is_aborted_before_both_have_moved() {
    for (actions, side) in [(0, South), (0, North), (1, South), (1, North)] {
        let mut table = Table::urim();
        for _ in 0..actions {
            table.act(South, &[Action::sow(Pit(0))]).unwrap();
        }
        let events = table.ask(side, Request::Abort).unwrap();
        assert_eq!(kinds(&events), ["match_ended"]);
        assert_eq!(table.play.end(), Some(MatchEnd::Aborted));
        assert_eq!(table.play.end().and_then(MatchEnd::winner), None);
    }
}

/// The design's table: a void game brings nothing and has the same beginner again, a won
/// one brings its points and the other side begins; until twelve.
#[test]
fn the_whole_contest_of_omweso() {
    let options = options(Mancala::Omweso, "quiet_limit 10");
    let mut table = Table::seated(options, Format::OMWESO);
    // The reason, who wins, the score after it, who begins the next game.
    let games = [
        (Reason::Bulijo, Some(South), (1, 0), North),
        (Reason::Quiet, None, (1, 0), North),
        (Reason::Okutema, Some(North), (1, 2), South),
        (Reason::Okutema, Some(South), (3, 2), North),
        (Reason::Quiet, None, (3, 2), North),
        (Reason::Quiet, None, (3, 2), North),
        (Reason::Bulijo, Some(North), (3, 3), South),
        (Reason::Akawumbi, Some(South), (15, 3), North),
    ];
    let mut begins = South;
    for (game, (reason, winner, score, next)) in (1..).zip(games) {
        assert_eq!(table.play.play().unwrap().series().game(), game);
        assert_eq!(table.play.to_move(), Some(begins));
        let (actions, outcome) = game_that(options, begins, |outcome| {
            (outcome.reason(), outcome.winner()) == (reason, winner)
        });
        let events = table.play_all(&actions);
        assert_eq!(*outcome_in(&events), GameOutcome::Board(outcome));
        assert_eq!(table.score(), score);
        if reason == Reason::Akawumbi {
            assert_eq!(kinds(&events), ["acted", "game_ended", "match_ended"]);
        } else {
            assert_eq!(events.last(), Some(&began(game + 1, next)));
        }
        begins = next;
    }
    assert_eq!(table.play.end(), played(Some(South)));
    let replayed = Match::replay(&table.log, table.play.digest());
    assert_eq!(replayed.as_ref(), Ok(&table.play));
}

#[test]
fn a_single_game_that_is_void_is_played_again_by_the_same_beginner() {
    let options = options(Mancala::Omweso, "quiet_limit 10");
    let mut table = Table::seated(options, Format::Single);
    let void = |outcome: &Outcome| outcome.verdict() == Verdict::Void;
    let (actions, _) = game_that(options, South, void);
    for game in 2..=POINTLESS_GAMES_MAX {
        let events = table.play_all(&actions);
        assert_eq!(events.last(), Some(&began(game, South)));
    }
    // The tenth in a row without points draws the match.
    table.play_all(&actions);
    assert_eq!(table.play.end(), played(None));
}

#[test]
fn ten_games_without_points_draw_the_match() {
    let mut table = Table::urim_to_three();
    table.ask(South, Request::ResignGame).unwrap();
    for game in 0..POINTLESS_GAMES_MAX {
        assert_eq!(table.play.end(), None, "{game} games without points");
        table.ask(South, Request::Offer(OfferKind::Draw)).unwrap();
        table.ask(North, Request::Accept(OfferKind::Draw)).unwrap();
    }
    assert_eq!(table.play.end(), played(None));
    assert_eq!(table.score(), (0, 1));
}

#[test]
fn points_of_urim() {
    let options = Options::standard(Mancala::Urim);
    for points in [1, 2] {
        for side in Side::ALL {
            let (actions, _) =
                game_that(options, South, |outcome| outcome.points()[side] == points);
            let mut table = Table::urim_to_three();
            let events = table.play_all(&actions);
            assert_eq!(events.last(), Some(&began(2, North)));
            let expected = match side {
                South => (points, 0),
                North => (0, points),
            };
            assert_eq!(table.score(), expected);
        }
    }
    let (actions, _) = game_that(options, South, |outcome| outcome.verdict() == Verdict::Draw);
    let mut table = Table::urim_to_three();
    table.play_all(&actions);
    assert_eq!(table.score(), (0, 0));
    let mut single = Table::urim();
    single.play_all(&actions);
    assert_eq!(single.play.end(), played(None));
}

#[test]
fn the_other_games_bring_one_point() {
    for mancala in [Mancala::Anywoli, Mancala::BaoKigogo, Mancala::Nsolo] {
        let options = Options::standard(mancala);
        let (actions, _) = game_that(options, South, |outcome| outcome.winner() == Some(North));
        let mut table = Table::seated(options, Format::Single);
        table.play_all(&actions);
        assert_eq!(table.play.end(), played(Some(North)), "{mancala}");
        assert_eq!(table.score(), (0, 1));
    }
}

/// The lot is nobody's action and has a number of its own; whoever calls for it is
/// answered with both.
#[test]
fn the_lottery_of_anywoli() {
    let options = options(Mancala::Anywoli, "last_four lottery");
    let (mut actions, _) = game_that(options, South, |outcome| {
        outcome.reason() == Reason::LastFour
    });
    let Some(Action::Lottery { .. }) = actions.pop() else {
        panic!("the lot decides last");
    };
    let last = actions.pop().unwrap();
    let mut table = Table::seated(options, Format::Single);
    table.play_all(&actions);
    for lot in Side::ALL {
        let mut table = table.clone();
        table.lot = lot;
        let (number, seq) = (table.play.next_number(), table.play.seq());
        let side = table.play.to_move().unwrap();
        let events = table.act(side, std::slice::from_ref(&last)).unwrap();
        assert_eq!(
            kinds(&events),
            ["acted", "acted", "game_ended", "match_ended"]
        );
        assert_eq!(
            events[1],
            Event::Acted {
                side: None,
                action: Action::Lottery { to: lot },
                key: None,
                part: 0,
                by: None,
                spent: Spent::NOTHING,
            }
        );
        assert_eq!(table.play.next_number(), number + 2);
        assert_eq!(table.play.seq(), seq + 4);
        let Event::Acted { key: Some(key), .. } = &events[0] else {
            panic!("a player's action has a key");
        };
        let receipt = table.play.receipt(side, support::user(side), key).unwrap();
        assert_eq!(
            (receipt.number, receipt.actions, receipt.seq),
            (number, 2, seq + 1)
        );
        let stores = table.game().position().setup().board.stores;
        assert_eq!(stores.sum(), 96);
        assert!(stores[lot] >= 4);
    }
}

/// A sowing and its strip, a sowing and its direction: one command, one receipt, each
/// action with its number.
#[test]
fn a_command_of_several_actions() {
    let mut table = Table::seated(Options::standard(Mancala::Nsolo), Format::Single);
    let mut draws = support::Draws(3);
    loop {
        let side = table.play.to_move().unwrap();
        let sowing = draws.action(table.game());
        let mut after = table.game().clone();
        after.play_unchecked(&sowing);
        let due = after.outcome().is_none() && after.to_move() == side;
        if !due {
            table.act(side, &[sowing]).unwrap();
            continue;
        }
        let number = table.play.next_number();
        let strip = draws.action(&after);
        let events = table.act(side, &[sowing, strip]).unwrap();
        let parts: Vec<u32> = events
            .iter()
            .filter_map(|event| match event {
                Event::Acted { part, .. } => Some(*part),
                _ => None,
            })
            .collect();
        assert_eq!(parts, [0, 1]);
        assert_eq!(table.play.next_number(), number + 2);
        return;
    }
}

#[test]
fn both_sides_arrange_before_they_play() {
    let options = options(Mancala::Omweso, "setup free");
    let mut table = Table::seated(options, Format::OMWESO);
    assert_eq!(table.play.legal_for(South), Some(Vec::new()));
    let arranged = [Action::Arrange { pits: vec![2; 16] }];
    table.act(South, &arranged).unwrap();
    table.act(North, &arranged).unwrap();
    assert_eq!(table.play.to_move(), Some(South));
    assert!(!table.play.legal_for(South).unwrap().is_empty());
    assert_eq!(table.play.legal_for(North), None);
}

#[test]
#[should_panic(expected = "event 5 was not decided here")]
fn applying_what_was_not_decided_is_a_fault_of_the_program() {
    Table::urim().play.apply(&began(2, South));
}

/// Urim with so many points to come to, five minutes for each game, and nobody in the seats.
fn timed(points: u8) -> MatchSpec {
    let format = Format::first_to(points).unwrap_or(Format::Single);
    let mut spec = MatchSpec::new(Options::standard(Mancala::Urim), format);
    spec.clock = Control::fischer(300, 0).unwrap();
    spec
}

/// South has begun, and both have made their first move.
fn begun(points: u8) -> Shell {
    let mut shell = Shell::seated(timed(points));
    for _ in 0..2 {
        shell.play_turn().unwrap();
    }
    shell
}

const MINUTE_MS: i64 = 60_000;

#[test]
fn resign_the_game_only_on_ones_own_turn() {
    let mut shell = begun(3);
    assert_eq!(
        shell.ask(North, Request::ResignGame),
        Err(Refusal::ResignOnYourTurn)
    );
    let events = shell.ask(South, Request::ResignGame).unwrap();
    assert_eq!(kinds(&events), ["game_ended", "game_began"]);
    assert_eq!(shell.table.score(), (0, 1));
}

#[test]
fn time_forfeit() {
    let mut shell = begun(3);
    shell.wait(5 * MINUTE_MS);
    // A thing or two may yet be credited for the way.
    assert_eq!(shell.table.score(), (0, 0));
    let events = shell.wait(1_000);
    let by_time = outside(Some(North), OutsideReason::Time);
    assert_eq!(*outcome_in(&events), by_time);
    assert_eq!(events[1], began(2, North));
    assert_eq!(shell.table.score(), (0, 1));

    let mut single = begun(0);
    single.wait(6 * MINUTE_MS);
    assert_eq!(single.play().end(), played(Some(North)));
}

#[test]
fn claimed_win() {
    let mut shell = begun(3);
    shell.gone(South, Leaving::Dropped);
    shell.wait(MINUTE_MS - 1);
    assert_eq!(shell.ask(North, Request::ClaimWin), Err(Refusal::NoClaim));
    shell.wait(1);
    let events = shell.ask(North, Request::ClaimWin).unwrap();
    let claimed = outside(Some(North), OutsideReason::Claimed);
    assert_eq!(*outcome_in(&events), claimed);
    assert_eq!(events[1], began(2, North));
    assert_eq!(shell.table.score(), (0, 1));
}

#[test]
fn claimed_draw() {
    for (points, ends) in [(3, None), (0, played(None))] {
        let mut shell = begun(points);
        shell.gone(South, Leaving::Closed);
        shell.wait(20_000);
        let events = shell.ask(North, Request::ClaimDraw).unwrap();
        let claimed = outside(None, OutsideReason::Claimed);
        assert_eq!(*outcome_in(&events), claimed);
        assert_eq!(shell.table.score(), (0, 0));
        assert_eq!(shell.play().end(), ends);
    }
}

/// Who closed the page is waited for less long than one whose line was lost; and where no
/// clock hurries anybody, longer. Each time after the second it is half as long.
#[test]
fn grace_is_shorter_for_who_leaves_often() {
    use Leaving::{Closed, Dropped};
    for (clock, how, expected) in [
        (Control::UNTIMED, Dropped, [180, 180, 90, 45, 22, 11, 10]),
        (Control::UNTIMED, Closed, [60, 60, 30, 15, 10, 10, 10]),
        (timed(0).clock, Dropped, [60, 60, 30, 15, 10, 10, 10]),
        (timed(0).clock, Closed, [20, 20, 10, 10, 10, 10, 10]),
    ] {
        let mut spec = timed(3);
        spec.clock = clock;
        let mut shell = Shell::seated(spec);
        for game in 0..2 {
            let found = expected.map(|_| {
                shell.gone(South, how);
                assert_eq!(shell.gone(South, how), [], "it is away already");
                let absence = shell.play().absences()[South].unwrap();
                shell.back(South);
                assert_eq!(absence.how, how);
                absence.grace_ms / 1_000
            });
            assert_eq!(found, expected, "{how:?}, game {game}");
            let side = shell.play().to_move().unwrap();
            shell.ask(side, Request::ResignGame).unwrap();
        }
    }
}

/// Whoever went while the clocks stood is not lost at the moment at which the other lets them
/// go on; nor is he who is away lost in game after game at once.
#[test]
fn who_is_away_is_waited_for_anew_after_a_pause_and_in_each_game() {
    let mut shell = begun(3);
    shell.ask(North, Request::Offer(OfferKind::Pause)).unwrap();
    shell.ask(South, Request::Accept(OfferKind::Pause)).unwrap();
    shell.gone(South, Leaving::Closed);
    shell.wait(60 * MINUTE_MS);
    shell.ask(North, Request::Resume).unwrap();
    for _ in 0..2 {
        assert_eq!(shell.ask(North, Request::ClaimWin), Err(Refusal::NoClaim));
        shell.wait(19_999);
        shell.restart();
        assert_eq!(shell.ask(North, Request::ClaimWin), Err(Refusal::NoClaim));
        shell.wait(1);
        shell.ask(North, Request::ClaimWin).unwrap();
        // North begins the next game.
        shell.play_turn().unwrap();
    }
    assert_eq!(shell.table.score(), (0, 2));
}

#[test]
fn in_correspondence_nothing_but_the_deadline_counts() {
    let mut spec = timed(0);
    spec.clock = Control::correspondence(2).unwrap();
    let mut shell = Shell::seated(spec);
    for _ in 0..2 {
        shell.play_turn().unwrap();
    }
    assert_eq!(shell.gone(South, Leaving::Closed), []);
    shell.wait(47 * 60 * MINUTE_MS);
    assert_eq!(shell.ask(North, Request::ClaimWin), Err(Refusal::NoClaim));
    shell.wait(2 * 60 * MINUTE_MS);
    assert_eq!(shell.play().end(), played(Some(North)));
}

#[test]
fn a_first_move_that_does_not_come_in_game_1_aborts_the_match() {
    for moved in 0..2 {
        let mut shell = Shell::seated(timed(3));
        for _ in 0..moved {
            shell.wait(29_000);
            shell.play_turn().unwrap();
        }
        assert_eq!(shell.wait(29_999), []);
        let events = shell.wait(1);
        assert_eq!(kinds(&events), ["match_ended"]);
        assert_eq!(shell.play().end(), Some(MatchEnd::Aborted));
        assert_eq!(shell.clocks().unwrap().left_ms(South), Some(300_000));
    }
}

#[test]
fn a_first_move_that_does_not_come_in_a_later_game_loses_it() {
    for moved in 0..2 {
        let mut shell = begun(3);
        shell.ask(South, Request::ResignGame).unwrap();
        for _ in 0..moved {
            shell.play_turn().unwrap();
        }
        let late = shell.play().to_move().unwrap();
        let events = shell.wait(30_000);
        assert_eq!(
            *outcome_in(&events),
            outside(Some(late.other()), OutsideReason::Time)
        );
        assert_eq!(kinds(&events), ["game_ended", "game_began"]);
    }
}

#[test]
fn a_first_move_that_does_not_come_in_a_contract_loses_the_game() {
    let mut spec = timed(3);
    spec.options = Options::standard(Mancala::Omweso);
    spec.way = Some(Way::Contract);
    let mut shell = Shell::seated(spec);
    for side in Side::ALL {
        shell.ask(side, Request::Sign).unwrap();
    }
    let events = shell.wait(30_000);
    assert_eq!(
        *outcome_in(&events),
        outside(Some(North), OutsideReason::Time)
    );
    assert_eq!(events[1], began(2, North));
}

#[test]
fn abort_before_both_have_moved_and_not_after() {
    for moved in 0..3 {
        for side in Side::ALL {
            let mut shell = Shell::seated(timed(3));
            for _ in 0..moved {
                shell.play_turn().unwrap();
            }
            let aborted = shell.ask(side, Request::Abort);
            if moved < 2 {
                assert_eq!(kinds(&aborted.unwrap()), ["match_ended"]);
                assert_eq!(shell.play().end(), Some(MatchEnd::Aborted));
            } else {
                assert_eq!(aborted, Err(Refusal::TooLateToAbort));
            }
        }
    }
}

#[test]
fn resign_the_match() {
    let mut shell = begun(3);
    shell.ask(South, Request::ResignGame).unwrap();
    // At any time: it is north's turn.
    shell.ask(South, Request::ResignMatch).unwrap();
    assert_eq!(
        shell.play().end(),
        Some(MatchEnd::Resigned { winner: North })
    );
    assert_eq!(shell.table.score(), (0, 1));
}

#[test]
fn ended_by_an_administrator() {
    let started = [Shell::empty(timed(3)), Shell::seated(timed(3)), begun(3), {
        let mut paused = begun(3);
        paused.ask(South, Request::Offer(OfferKind::Pause)).unwrap();
        paused
            .ask(North, Request::Accept(OfferKind::Pause))
            .unwrap();
        paused
    }];
    for (ruling, winner, stated) in [
        (Ruling::Aborted, None, "void administrator"),
        (Ruling::Drawn, None, "draw administrator"),
        (Ruling::Won(South), Some(South), "south administrator"),
    ] {
        for mut shell in started.clone() {
            let events = shell.rule(ruling).unwrap();
            assert_eq!(kinds(&events), ["match_ended"]);
            assert_eq!(shell.play().end(), Some(MatchEnd::Ruled(ruling)));
            assert_eq!(shell.play().end().unwrap().winner(), winner);
            assert_eq!(shell.play().note().unwrap().as_str(), "The lamp went out.");
            assert_eq!(shell.due_at_ms(), None);
            assert_eq!(shell.rule(ruling), Err(Refusal::MatchOver));
            let text = record(&shell.table.log, |_| None).unwrap().to_string();
            assert!(text.contains(&format!("[result \"{stated}\"]")), "{text}");
            assert!(text.contains("{The lamp went out.}"), "{text}");
            shell.restart();
        }
    }
}

#[test]
fn an_agreed_pause_goes_on_by_itself_after_14_days() {
    let mut shell = begun(0);
    shell.wait(10_000);
    shell.ask(South, Request::Offer(OfferKind::Pause)).unwrap();
    shell.ask(North, Request::Offer(OfferKind::Pause)).unwrap();
    let days_ms = 14 * 24 * 60 * MINUTE_MS;
    assert_eq!(shell.wait(days_ms - 1), []);
    assert_eq!(kinds(&shell.wait(1)), ["resumed"]);
    assert_eq!(shell.left_ms(South), Some(290_000));
    assert_eq!(kinds(&shell.wait(291_000)), ["game_ended", "match_ended"]);
}

/// No pause where nothing is to be stopped; none in rated play but in correspondence.
#[test]
fn where_a_pause_may_be_agreed() {
    let days = Control::correspondence(1).unwrap();
    for (clock, rated, refused) in [
        (Control::UNTIMED, false, Some(Refusal::NotInThisMatch)),
        (timed(0).clock, false, None),
        (timed(0).clock, true, Some(Refusal::NotInThisMatch)),
        (days, true, None),
    ] {
        let mut spec = timed(0);
        (spec.clock, spec.rated, spec.preview) = (clock, rated, !rated);
        let mut shell = Shell::seated(spec);
        for _ in 0..2 {
            shell.play_turn().unwrap();
        }
        let offered = shell.ask(South, Request::Offer(OfferKind::Pause));
        assert_eq!(offered.err(), refused, "{clock:?} {rated}");
    }
}

#[test]
fn a_match_that_never_had_two_players_has_no_rematch() {
    let mut table = Table::empty(Options::standard(Mancala::Urim), Format::Single);
    table.sit(ANN, South).unwrap();
    table.ask(South, Request::Abort).unwrap();
    let offered = table.ask(South, Request::Offer(OfferKind::Rematch));
    assert_eq!(offered, Err(Refusal::NotBegun));
    assert_eq!(table.play.rematch(&table.context(), |_, _| true), []);
}

/// A rematch is a match of today, whenever the first was begun.
#[test]
fn a_rematch_is_played_by_the_rules_of_today() {
    let mut spec = timed(3);
    spec.rules = 0;
    let mut shell = Shell::seated(spec.clone());
    shell.ask(South, Request::ResignMatch).unwrap();
    let log = shell.play().rematch(&shell.table.context(), |_, _| true);
    spec.rules = mancala_engine::RULES_VERSION;
    assert_eq!(log[0], Event::Created { spec });
}
