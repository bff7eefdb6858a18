//! What went wrong elsewhere, each under the name of its report. How it goes through sockets
//! and a disk is tried in `tests/tests/simulation`; here it is what is decided.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

mod support;

use Side::{North, South};
use mancala_engine::{Action, BySide, Format, Mancala, Options, Pit, Side};
use mancala_play::{
    Command, Control, Decision, Event, Leaving, Match, MatchEnd, MatchSpec, OfferKind, Receipt,
    Refusal, Request,
};
use std::collections::{BTreeMap, BTreeSet};
use support::shell::Shell;
use support::{ANN, Draws, Table, key, kinds, user};

fn urim(clock: Control) -> MatchSpec {
    let mut spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    spec.clock = clock;
    spec
}

/// Both have moved, and south is to move.
fn begun(clock: Control) -> Shell {
    let mut shell = Shell::seated(urim(clock));
    for _ in 0..2 {
        shell.play_turn().unwrap();
    }
    shell
}

/// Sends commands in this order, each as often as it stands there, and notes what those came
/// to that were done; says all the events. Whoever sends again what was done is answered as before.
fn send_all(
    table: &mut Table,
    commands: &[(Side, Command)],
    order: &[usize],
    done: &mut BTreeMap<usize, Receipt>,
) -> Vec<Event> {
    let mut events = Vec::new();
    for &which in order {
        let (side, command) = &commands[which];
        match table.decide(user(*side), command) {
            Ok(Decision::Done(receipt)) => assert_eq!(done.get(&which), Some(&receipt)),
            Ok(decision) => {
                let new = table.events_of(decision).unwrap();
                table.make_true(&new);
                events.extend(new);
                let key = command.key().expect("both have sat down");
                let receipt = table
                    .play
                    .receipt(*side, support::user(*side), key)
                    .unwrap();
                assert_eq!(done.insert(which, receipt), None, "once only");
            }
            Err(_) => assert!(!done.contains_key(&which), "what was done stays done"),
        }
    }
    events
}

/// Each command once, and some again, in some order.
fn an_order(draws: &mut Draws, commands: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..commands).collect();
    order.extend((0..draws.below(2 * commands)).map(|_| draws.below(commands)));
    for last in (1..order.len()).rev() {
        order.swap(last, draws.below(last + 1));
    }
    order
}

/// lichobile#1640, #1863: a takeback that was accepted and withdrawn at once came to
/// one thing for one side and to another for the other.
#[test]
fn lichobile_1640_1863_a_takeback_accepted_and_withdrawn_at_once_comes_to_one_thing() {
    let mut outcomes = BTreeSet::new();
    for seed in 0..1_000 {
        let mut draws = Draws(seed);
        let mut table = begun(Control::fischer(60, 5).unwrap()).table;
        table.act(South, &[draws.action(table.game())]).unwrap();
        let number = table.play.next_number();
        let kind = OfferKind::Takeback;
        let ask = |side, request, name: &str| {
            let key = key(name);
            let number = Some(number);
            (
                side,
                Command::Other {
                    request,
                    number,
                    key,
                },
            )
        };
        let sowing = draws.action(table.game());
        let commands = [
            ask(South, Request::Offer(kind), "offer"),
            ask(North, Request::Accept(kind), "accept"),
            ask(North, Request::Accept(kind), "accept-too"),
            ask(South, Request::Decline(kind), "withdraw"),
            ask(North, Request::Decline(kind), "decline"),
            (North, Command::act(number, vec![sowing], key("move"))),
        ];
        let order = an_order(&mut draws, commands.len());
        let mut done = BTreeMap::new();
        let events = send_all(&mut table, &commands, &order, &mut done);

        let settled: Vec<String> = kinds(&events);
        let of = |kind: &str| settled.iter().filter(|found| *found == kind).count();
        assert!(of("offered") <= 1 && of("taken_back") + of("declined") <= of("offered"));
        // A takeback and a move of the same number are not both.
        assert!(
            of("taken_back") + of("acted") <= 1,
            "{order:?}: {settled:?}"
        );
        let answers = (1..5).filter(|which| done.contains_key(which)).count();
        assert_eq!(
            answers,
            of("taken_back") + of("declined"),
            "one answer is taken"
        );
        // Who reads the log, whenever he came, holds the same.
        assert_eq!(
            table.play.offer().is_some(),
            of("offered") > 0 && answers == 0 && of("acted") == 0
        );
        assert_eq!(
            Match::replay(&table.log, table.play.digest()).as_ref(),
            Ok(&table.play)
        );
        table.restart();
        outcomes.insert(settled);
    }
    let reached = |word: &str| {
        outcomes
            .iter()
            .any(|kinds| kinds.contains(&word.to_owned()))
    };
    assert!(["taken_back", "declined", "acted"].into_iter().all(reached));
}

/// online-go/online-go.com#714, #449: whoever paused and resumed had time without end.
#[test]
fn online_go_714_449_pausing_and_resuming_in_any_order_makes_no_time() {
    let kind = OfferKind::Pause;
    let asked = [
        (South, Request::Offer(kind)),
        (North, Request::Accept(kind)),
        (South, Request::Resume),
        (North, Request::Offer(kind)),
        (South, Request::Accept(kind)),
        (North, Request::Resume),
    ];
    let mut pauses = BTreeSet::new();
    for seed in 0..1_000 {
        let mut draws = Draws(seed);
        let order = an_order(&mut draws, asked.len());
        let mut shell = begun(Control::fischer(600, 5).unwrap());
        let mut thought = 0;
        let mut paused = 0;
        for which in order {
            let (side, request) = asked[which];
            if let Ok(events) = shell.ask(side, request) {
                paused += usize::from(kinds(&events) == ["paused"]);
            }
            let ms = draws.below(20_000) as i64;
            let stands = shell.play().play().unwrap().pause().is_some();
            thought += if stands { 0 } else { ms };
            shell.wait(ms);
            assert_eq!(shell.left_ms(South), Some(600_000 - thought));
            assert_eq!(shell.left_ms(North), Some(600_000));
            assert!(shell.due_at_ms().is_some(), "it comes to an end by itself");
        }
        pauses.insert(paused);
        shell.wait(20 * 86_400_000);
        let won = MatchEnd::Played {
            winner: Some(North),
        };
        assert_eq!(
            shell.play().end(),
            Some(won),
            "no pause saves from the clock"
        );
    }
    assert_eq!(
        pauses,
        BTreeSet::from([1, 2]),
        "each side offers it once a move"
    );
}

/// lichess-org/lila#3170, #4929: a victory was offered for claiming to the one who was to
/// move himself.
#[test]
fn lila_3170_4929_nothing_is_claimed_while_the_claimer_is_to_move() {
    for clock in [Control::UNTIMED, Control::fischer(600, 0).unwrap()] {
        let mut shell = begun(clock);
        shell.gone(North, Leaving::Closed);
        shell.wait(300_000);
        assert!(!shell.play().may_claim(South, 300_000));
        for request in [Request::ClaimWin, Request::ClaimDraw] {
            assert_eq!(shell.ask(South, request), Err(Refusal::NoClaim));
        }
        // He moves, and then he may.
        shell.play_turn().unwrap();
        assert!(shell.play().may_claim(South, 300_000));
        // What he saw before the other came back counts no more.
        let mut late = shell.clone();
        late.back(North);
        assert_eq!(late.ask(South, Request::ClaimWin), Err(Refusal::NoClaim));
        late.gone(North, Leaving::Closed);
        assert_eq!(late.ask(South, Request::ClaimWin), Err(Refusal::NoClaim));
        shell.ask(South, Request::ClaimWin).unwrap();
        assert_eq!(shell.play().end().unwrap().winner(), Some(South));
    }
}

/// lichess-org/lila#12147: a double click made two matches of one rematch.
#[test]
fn lila_12147_a_rematch_taken_twice_is_one() {
    let kind = OfferKind::Rematch;
    let mut made = BTreeSet::new();
    for seed in 0..1_000 {
        let mut draws = Draws(seed);
        let mut table = Table::urim();
        table.ask(South, Request::ResignGame).unwrap();
        let ask = |side, request, name: &str| (side, Command::ask(request, key(name)));
        let commands = [
            ask(South, Request::Offer(kind), "offer"),
            ask(South, Request::Accept(kind), "accept"),
            ask(South, Request::Accept(kind), "accept-again"),
            ask(North, Request::Offer(kind), "offer"),
            ask(North, Request::Accept(kind), "accept"),
            ask(North, Request::Accept(kind), "accept-again"),
        ];
        let order = an_order(&mut draws, commands.len());
        // Each time a number is at hand for a match that might be made.
        let (mut events, mut done) = (Vec::new(), BTreeMap::new());
        for (at, which) in (1..).zip(order) {
            table.rematch = at;
            events.extend(send_all(&mut table, &commands, &[which], &mut done));
        }
        let rematched = events.iter().filter_map(|event| match event {
            Event::Rematched { next, .. } => Some(*next),
            _ => None,
        });
        let rematched: Vec<u64> = rematched.collect();
        assert!(rematched.len() <= 1, "{rematched:?}");
        assert_eq!(table.play.rematch_number(), rematched.first().copied());
        made.insert(rematched.len());
        if rematched.is_empty() {
            continue;
        }
        for (side, command) in commands {
            let again = table.decide(user(side), &command);
            assert!(
                matches!(
                    again,
                    Ok(Decision::Done(_)) | Err(Refusal::RematchMade | Refusal::NoOffer)
                ),
                "{again:?}"
            );
        }
        // Both sit in it, on the other side each, and it has begun.
        let log = table.play.rematch(&table.context(), |_, _| true);
        assert_eq!(kinds(&log), ["created", "seated", "seated", "game_began"]);
        let mut next = Match::create(table.play.spec().clone());
        log[1..].iter().for_each(|event| drop(next.apply(event)));
        let exchanged = BySide {
            south: table.play.seats().north,
            north: table.play.seats().south,
        };
        assert_eq!(*next.seats(), exchanged);
    }
    assert!(made.contains(&1));
}

/// lichess-org/lila#5921: after a message that was lost and sent again the one who had moved
/// last was declared lost on time.
#[test]
fn lila_5921_who_has_moved_is_not_lost_on_time() {
    let mut shell = begun(Control::fischer(60, 0).unwrap());
    shell.wait(59_000);
    let number = shell.play().next_number();
    let sow = Command::act(number, vec![Action::sow(Pit(1))], key("sent-twice"));
    shell.act_as(ANN, &sow).unwrap();
    shell.wait(30_000);
    // The answer was lost on its way; the same command comes again, late.
    let again = shell.table.decide(ANN, &sow);
    assert!(matches!(again, Ok(Decision::Done(_))), "{again:?}");
    assert_eq!(shell.left_ms(South), Some(1_000), "his clock stands");
    let events = shell.wait(31_000);
    assert_eq!(kinds(&events), ["game_ended", "match_ended"]);
    assert_eq!(shell.play().end().unwrap().winner(), Some(South));
}

/// pychess-variants#1767, lichess-org/lila#20758: who stayed away lost on time only
/// when somebody looked, and after a restart not even then.
#[test]
fn pychess_1767_lila_20758_who_stays_away_loses_when_his_time_is_over() {
    let mut shell = begun(Control::correspondence(1).unwrap());
    shell.gone(South, Leaving::Closed);
    shell.gone(North, Leaving::Closed);
    shell.wait(80_000_000);
    let due_at_ms = shell.due_at_ms().unwrap();
    shell.restart();
    assert_eq!(shell.due_at_ms(), Some(due_at_ms));
    let rest_ms = due_at_ms - shell.now_ms;
    assert_eq!(shell.wait(rest_ms - 1), []);
    assert_eq!(kinds(&shell.wait(1)), ["game_ended", "match_ended"]);
}
