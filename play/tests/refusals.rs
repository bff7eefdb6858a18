//! Every refusal, with the smallest match that shows it.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

mod support;

use Side::{North, South};
use mancala_engine::{Action, Format, Mancala, Options, Pit, Reason, Side};
use mancala_play::{ACTIONS_MAX, Command, Control, MatchSpec, OfferKind, Refusal, Request, Way};
use std::collections::BTreeSet;
use support::{ANN, BEN, Draws, EVE, Table, game_that, key};

fn empty() -> Table {
    Table::empty(Options::standard(Mancala::Urim), Format::Single)
}

fn sow(pit: u16) -> Vec<Action> {
    vec![Action::sow(Pit(pit))]
}

fn ask(name: &str, request: Request) -> Command {
    Command::ask(request, key(name))
}

/// The command is refused so, nothing has changed, and its key is free.
#[track_caller]
fn refuses(table: &Table, user: mancala_play::UserId, command: &Command, refusal: Refusal) {
    let before = table.play.clone();
    assert_eq!(table.decide(user, command), Err(refusal));
    assert_eq!(table.play, before);
    if let (Some(key), Some(side)) = (command.key(), table.play.side_of(user))
        && refusal != Refusal::KeyReused
    {
        assert_eq!(table.play.receipt(side, user, key), None);
    }
}

#[test]
fn not_begun() {
    let mut table = empty();
    table.sit(ANN, South).unwrap();
    refuses(
        &table,
        ANN,
        &Command::act(1, sow(0), key("a")),
        Refusal::NotBegun,
    );
    refuses(
        &table,
        ANN,
        &ask("b", Request::ResignMatch),
        Refusal::NotBegun,
    );
    refuses(
        &table,
        ANN,
        &ask("c", Request::Offer(OfferKind::Draw)),
        Refusal::NotBegun,
    );
}

#[test]
fn match_over() {
    let mut table = Table::urim();
    table.ask(South, Request::ResignMatch).unwrap();
    refuses(
        &table,
        ANN,
        &Command::act(2, sow(0), key("a")),
        Refusal::MatchOver,
    );
    refuses(&table, BEN, &ask("b", Request::Abort), Refusal::MatchOver);
    refuses(
        &table,
        EVE,
        &Command::Sit {
            side: South,
            asked_for: false,
        },
        Refusal::MatchOver,
    );
}

#[test]
fn match_over_before_it_began() {
    let mut table = empty();
    table.sit(ANN, South).unwrap();
    table.ask(South, Request::Abort).unwrap();
    refuses(
        &table,
        BEN,
        &Command::Sit {
            side: North,
            asked_for: false,
        },
        Refusal::MatchOver,
    );
    refuses(&table, ANN, &ask("b", Request::Abort), Refusal::MatchOver);
}

#[test]
fn not_seated() {
    let table = Table::urim();
    refuses(
        &table,
        EVE,
        &Command::act(2, sow(0), key("a")),
        Refusal::NotSeated,
    );
    refuses(
        &table,
        EVE,
        &ask("b", Request::ResignMatch),
        Refusal::NotSeated,
    );
}

#[test]
fn seat_taken() {
    let mut table = empty();
    table.sit(ANN, South).unwrap();
    refuses(
        &table,
        BEN,
        &Command::Sit {
            side: South,
            asked_for: false,
        },
        Refusal::SeatTaken,
    );
}

#[test]
fn already_seated() {
    let mut table = empty();
    table.sit(ANN, South).unwrap();
    for side in Side::ALL {
        refuses(
            &table,
            ANN,
            &Command::Sit {
                side,
                asked_for: false,
            },
            Refusal::AlreadySeated,
        );
    }
}

#[test]
fn not_your_turn() {
    let table = Table::urim();
    refuses(
        &table,
        BEN,
        &Command::act(2, sow(0), key("a")),
        Refusal::NotYourTurn,
    );
}

/// A list does not go on into the opponent's turn.
#[test]
fn turn_over() {
    let table = Table::urim();
    let two = [sow(0), sow(1)].concat();
    refuses(
        &table,
        ANN,
        &Command::act(2, two, key("a")),
        Refusal::TurnOver { at: 1 },
    );
}

#[test]
fn already_played() {
    let mut table = Table::urim();
    table.act(South, &sow(0)).unwrap();
    table.act(North, &sow(0)).unwrap();
    let late = Command::act(2, sow(1), key("a"));
    refuses(&table, ANN, &late, Refusal::AlreadyPlayed { next: 4 });
}

#[test]
fn number_ahead() {
    let table = Table::urim();
    let early = Command::act(3, sow(1), key("a"));
    refuses(&table, ANN, &early, Refusal::NumberAhead { next: 2 });
}

#[test]
fn key_reused() {
    let mut table = Table::urim();
    table
        .command(ANN, &Command::act(2, sow(0), key("a")))
        .unwrap();
    let others = [
        Command::act(2, sow(1), key("a")),
        Command::act(3, sow(0), key("a")),
        Command::act(2, [sow(0), sow(1)].concat(), key("a")),
        Command::act(2, Vec::new(), key("a")),
        ask("a", Request::ResignMatch),
    ];
    for other in others {
        refuses(&table, ANN, &other, Refusal::KeyReused);
    }
    // The other side's keys are its own.
    table
        .command(BEN, &Command::act(3, sow(0), key("a")))
        .unwrap();
    table
        .command(BEN, &ask("b", Request::Offer(OfferKind::Draw)))
        .unwrap();
    refuses(
        &table,
        BEN,
        &ask("b", Request::Decline(OfferKind::Draw)),
        Refusal::KeyReused,
    );
}

#[test]
fn action_count() {
    let table = Table::urim();
    let none = Command::act(2, Vec::new(), key("a"));
    refuses(&table, ANN, &none, Refusal::ActionCount);
    let many = Command::act(2, vec![Action::sow(Pit(0)); ACTIONS_MAX + 1], key("a"));
    refuses(&table, ANN, &many, Refusal::ActionCount);
    let just = Command::act(2, vec![Action::sow(Pit(0)); ACTIONS_MAX], key("a"));
    refuses(&table, ANN, &just, Refusal::TurnOver { at: 1 });
}

#[test]
fn not_for_players() {
    let table = Table::urim();
    for action in [Action::LoseTurn, Action::Lottery { to: South }] {
        let command = Command::act(2, vec![action], key("a"));
        refuses(&table, ANN, &command, Refusal::NotForPlayers);
    }
}

#[test]
fn rules() {
    let table = Table::urim();
    let command = Command::act(2, sow(6), key("a"));
    let refusal = mancala_engine::Refusal::NoSuchPit;
    refuses(&table, ANN, &command, Refusal::Rules { refusal, at: 0 });
}

/// The first action could be played, but all are or none.
#[test]
fn rules_refuse_the_second_action_and_with_it_the_first() {
    let mut table = Table::seated(
        Options::parse(Mancala::Anywoli, "").unwrap(),
        Format::Single,
    );
    // On until a sowing earns another turn.
    let mut draws = Draws(1);
    let (side, first) = loop {
        let side = table.play.to_move().unwrap();
        let action = draws.action(table.game());
        let mut after = table.game().clone();
        after.play_unchecked(&action);
        if after.outcome().is_none() && after.to_move() == side {
            break (side, action);
        }
        table.act(side, &[action]).unwrap();
    };
    let command = Command::act(
        table.play.next_number(),
        vec![first.clone(), Action::sow(Pit(99))],
        key("a"),
    );
    let refusal = mancala_engine::Refusal::NoSuchPit;
    refuses(
        &table,
        support::user(side),
        &command,
        Refusal::Rules { refusal, at: 1 },
    );
    table.act(side, &[first]).unwrap();
}

/// Where an action ends the game it is nobody's turn, whoever the position names, and what
/// follows is refused so.
#[test]
fn rules_refuse_what_follows_the_end_of_the_game() {
    for (mancala, reason) in [
        (Mancala::Anywoli, Reason::LastFour),
        (Mancala::Nsolo, Reason::Repetition),
        (Mancala::Urim, Reason::NoMove),
    ] {
        let options = Options::standard(mancala);
        let (mut actions, _) = game_that(options, South, |outcome| outcome.reason() == reason);
        let mut table = Table::seated(options, Format::Single);
        let last = actions.pop().unwrap();
        table.play_all(&actions);
        let side = table.play.to_move().unwrap();
        let two = vec![last.clone(), last];
        let command = Command::act(table.play.next_number(), two, key("a"));
        let refusal = mancala_engine::Refusal::GameOver;
        refuses(
            &table,
            support::user(side),
            &command,
            Refusal::Rules { refusal, at: 1 },
        );
    }
}

#[test]
fn resign_on_your_turn() {
    let table = Table::urim();
    refuses(
        &table,
        BEN,
        &ask("a", Request::ResignGame),
        Refusal::ResignOnYourTurn,
    );
}

#[test]
fn no_offer() {
    let mut table = Table::urim();
    refuses(
        &table,
        ANN,
        &ask("a", Request::Accept(OfferKind::Draw)),
        Refusal::NoOffer,
    );
    refuses(
        &table,
        ANN,
        &ask("b", Request::Decline(OfferKind::Draw)),
        Refusal::NoOffer,
    );
    // One's own offer is none to accept.
    table.ask(South, Request::Offer(OfferKind::Draw)).unwrap();
    refuses(
        &table,
        ANN,
        &ask("c", Request::Accept(OfferKind::Draw)),
        Refusal::NoOffer,
    );
}

#[test]
fn no_offer_after_an_action() {
    let mut table = Table::urim();
    table.ask(North, Request::Offer(OfferKind::Draw)).unwrap();
    table.act(South, &sow(0)).unwrap();
    refuses(
        &table,
        ANN,
        &ask("a", Request::Accept(OfferKind::Draw)),
        Refusal::NoOffer,
    );
}

#[test]
fn offer_open() {
    let mut table = Table::urim();
    table.ask(North, Request::Offer(OfferKind::Draw)).unwrap();
    refuses(
        &table,
        BEN,
        &ask("a", Request::Offer(OfferKind::Draw)),
        Refusal::OfferOpen,
    );
}

#[test]
fn offered_already() {
    let mut table = Table::urim();
    table.ask(North, Request::Offer(OfferKind::Draw)).unwrap();
    table.ask(South, Request::Decline(OfferKind::Draw)).unwrap();
    refuses(
        &table,
        BEN,
        &ask("a", Request::Offer(OfferKind::Draw)),
        Refusal::OfferedAlready,
    );
    // It may answer an offer with its own, and offer again after an action.
    let mut crossing = table.clone();
    crossing
        .ask(South, Request::Offer(OfferKind::Draw))
        .unwrap();
    crossing
        .ask(North, Request::Offer(OfferKind::Draw))
        .unwrap();
    assert!(crossing.play.end().is_some());
    table.act(South, &sow(0)).unwrap();
    table.ask(North, Request::Offer(OfferKind::Draw)).unwrap();
}

#[test]
fn too_late_to_abort() {
    let mut table = Table::urim();
    table.act(South, &sow(0)).unwrap();
    table.act(North, &sow(0)).unwrap();
    refuses(
        &table,
        ANN,
        &ask("a", Request::Abort),
        Refusal::TooLateToAbort,
    );
}

#[test]
fn too_late_to_abort_in_game_2() {
    let mut table = Table::urim_to_three();
    table.ask(South, Request::ResignGame).unwrap();
    refuses(
        &table,
        ANN,
        &ask("a", Request::Abort),
        Refusal::TooLateToAbort,
    );
}

/// A match with five minutes for each game, in which this is changed.
fn timed(change: impl FnOnce(&mut MatchSpec)) -> Table {
    let mut spec = MatchSpec::new(Options::standard(Mancala::Omweso), Format::Single);
    spec.clock = Control::fischer(300, 0).unwrap();
    change(&mut spec);
    assert_eq!(spec.check(), Ok(()));
    let mut table = Table::of(spec);
    table.sit(ANN, South).unwrap();
    table.sit(BEN, North).unwrap();
    if table.play.spec().way == Some(Way::Contract) {
        table.ask(South, Request::Sign).unwrap();
        table.ask(North, Request::Sign).unwrap();
    }
    table
}

/// Both have moved.
fn begun(mut table: Table) -> Table {
    table.play_on(&mut Draws(1), 2);
    assert_eq!(table.play.to_move(), Some(South));
    table
}

#[test]
fn not_in_this_match() {
    let rated = |spec: &mut MatchSpec| (spec.rated, spec.preview) = (true, false);
    let contract = |spec: &mut MatchSpec| spec.way = Some(Way::Contract);
    let untimed = |spec: &mut MatchSpec| spec.clock = Control::UNTIMED;
    use OfferKind::{Abort, Pause, Takeback, Time};
    for (table, kinds) in [
        (timed(rated), vec![Takeback, Abort, Pause]),
        (timed(contract), vec![Takeback, Abort]),
        (timed(untimed), vec![Time, Pause]),
    ] {
        let table = begun(table);
        for kind in OfferKind::ALL {
            let offer = ask("a", Request::Offer(kind));
            if kinds.contains(&kind) {
                refuses(&table, ANN, &offer, Refusal::NotInThisMatch);
            } else if kind != OfferKind::Rematch {
                table.decide(ANN, &offer).unwrap();
            }
        }
    }
    let abort = ask("a", Request::Abort);
    refuses(&timed(contract), ANN, &abort, Refusal::NotInThisMatch);
    // By himself, and before both have moved, also where it counts.
    timed(rated).decide(ANN, &abort).unwrap();
}

#[test]
fn nothing_to_take_back() {
    let mut table = Table::urim();
    let offer = ask("a", Request::Offer(OfferKind::Takeback));
    refuses(&table, ANN, &offer, Refusal::NothingToTakeBack);
    table.act(South, &sow(0)).unwrap();
    refuses(&table, BEN, &offer, Refusal::NothingToTakeBack);
    table.decide(ANN, &offer).unwrap();
    // A new game is gone back to by nobody.
    let mut next = Table::urim_to_three();
    next.act(South, &sow(0)).unwrap();
    next.ask(North, Request::ResignGame).unwrap();
    refuses(&next, ANN, &offer, Refusal::NothingToTakeBack);
}

#[test]
fn no_claim() {
    let mut table = begun(timed(|_| {}));
    table.away_ms = mancala_engine::BySide::both(1_000_000);
    let claim = ask("a", Request::ClaimWin);
    // Nobody is away, whatever was measured.
    refuses(&table, BEN, &claim, Refusal::NoClaim);
    table.make_true(&table.play.decide_gone(South, mancala_play::Leaving::Closed));
    table.away_ms.south = 19_999;
    refuses(&table, BEN, &claim, Refusal::NoClaim);
    // Nor of oneself.
    table.away_ms.south = 20_000;
    refuses(&table, ANN, &claim, Refusal::NoClaim);
    table.decide(BEN, &claim).unwrap();
}

#[test]
fn nothing_to_sign() {
    refuses(
        &Table::urim(),
        ANN,
        &ask("a", Request::Sign),
        Refusal::NothingToSign,
    );
}

#[test]
fn paused_and_not_paused() {
    let mut table = begun(timed(|_| {}));
    let resume = ask("a", Request::Resume);
    refuses(&table, ANN, &resume, Refusal::NotPaused);
    table.ask(North, Request::Offer(OfferKind::Pause)).unwrap();
    table.ask(South, Request::Accept(OfferKind::Pause)).unwrap();
    for kind in [OfferKind::Pause, OfferKind::Time] {
        refuses(
            &table,
            ANN,
            &ask("b", Request::Offer(kind)),
            Refusal::Paused,
        );
    }
    table.decide(BEN, &resume).unwrap();
}

#[test]
fn first_move_due() {
    let mut table = timed(|_| {});
    let offer = ask("a", Request::Offer(OfferKind::Pause));
    for _ in 0..2 {
        refuses(&table, ANN, &offer, Refusal::FirstMoveDue);
        refuses(&table, BEN, &offer, Refusal::FirstMoveDue);
        table.play_on(&mut Draws(1), 1);
    }
    table.decide(BEN, &offer).unwrap();
}

#[test]
fn not_over_and_rematch_made() {
    let mut table = Table::urim();
    let offer = ask("a", Request::Offer(OfferKind::Rematch));
    refuses(&table, ANN, &offer, Refusal::NotOver);
    refuses(&empty_with_ann(), ANN, &offer, Refusal::NotOver);
    table.ask(South, Request::ResignMatch).unwrap();
    table
        .ask(South, Request::Offer(OfferKind::Rematch))
        .unwrap();
    table
        .ask(North, Request::Offer(OfferKind::Rematch))
        .unwrap();
    for user in [ANN, BEN] {
        refuses(&table, user, &offer, Refusal::RematchMade);
    }
    let accept = ask("b", Request::Accept(OfferKind::Rematch));
    refuses(&table, ANN, &accept, Refusal::NoOffer);
}

fn empty_with_ann() -> Table {
    let mut table = empty();
    table.sit(ANN, South).unwrap();
    table
}

/// What is asked of another moment than this is not done now.
#[test]
fn the_number_of_a_request_is_that_of_the_action_that_is_due() {
    let mut table = Table::urim();
    table.act(South, &sow(0)).unwrap();
    for request in Request::all() {
        let at = |number| Command::Other {
            request,
            number: Some(number),
            key: key("a"),
        };
        refuses(&table, ANN, &at(2), Refusal::AlreadyPlayed { next: 3 });
        refuses(&table, ANN, &at(4), Refusal::NumberAhead { next: 3 });
        // The same with the right number or none.
        let open = table.decide(ANN, &ask("a", request)).map(|_| ());
        assert_eq!(table.decide(ANN, &at(3)).map(|_| ()), open, "{request}");
    }
}

/// A sowing that was agreed to be taken back is one by its own number, and a key that
/// brought it is not free.
#[test]
fn already_played_though_taken_back() {
    let mut table = Table::urim();
    let first = Command::act(2, sow(0), key("first"));
    table.command(ANN, &first).unwrap();
    table
        .ask(South, Request::Offer(OfferKind::Takeback))
        .unwrap();
    table
        .ask(North, Request::Accept(OfferKind::Takeback))
        .unwrap();
    let same = Command::act(2, sow(0), key("same"));
    refuses(&table, ANN, &same, Refusal::AlreadyPlayed { next: 4 });
    let again = table.decide(ANN, &first);
    assert!(matches!(again, Ok(mancala_play::Decision::Done(_))));
    table.act(South, &sow(0)).unwrap();
}

/// Codes are for programs and stay; sentences are for people and fit behind a name.
#[test]
fn each_refusal_has_its_code_and_its_sentence() {
    let refusals = [
        (Refusal::NotBegun, "not_begun"),
        (Refusal::MatchOver, "match_over"),
        (Refusal::NotSeated, "not_seated"),
        (Refusal::SeatTaken, "seat_taken"),
        (Refusal::AlreadySeated, "already_seated"),
        (Refusal::NotYourTurn, "not_your_turn"),
        (Refusal::TurnOver { at: 1 }, "turn_over"),
        (Refusal::AlreadyPlayed { next: 4 }, "already_played"),
        (Refusal::NumberAhead { next: 4 }, "number_ahead"),
        (Refusal::KeyReused, "key_reused"),
        (Refusal::ActionCount, "action_count"),
        (Refusal::NotForPlayers, "not_for_players"),
        (
            Refusal::Rules {
                refusal: mancala_engine::Refusal::EmptyPit,
                at: 0,
            },
            "empty_pit",
        ),
        (Refusal::ResignOnYourTurn, "resign_on_your_turn"),
        (Refusal::NoOffer, "no_offer"),
        (Refusal::OfferOpen, "offer_open"),
        (Refusal::OfferedAlready, "offered_already"),
        (Refusal::TooLateToAbort, "too_late_to_abort"),
        (Refusal::NotInThisMatch, "not_in_this_match"),
        (Refusal::NothingToTakeBack, "nothing_to_take_back"),
        (Refusal::NoClaim, "no_claim"),
        (Refusal::NothingToSign, "nothing_to_sign"),
        (Refusal::NotPaused, "not_paused"),
        (Refusal::Paused, "paused"),
        (Refusal::FirstMoveDue, "first_move_due"),
        (Refusal::NotOver, "not_over"),
        (Refusal::RematchMade, "rematch_made"),
    ];
    let mut texts = BTreeSet::new();
    for (refusal, code) in refusals {
        assert_eq!(refusal.code(), code);
        let text = refusal.to_string();
        assert!(text.len() > 10 && !text.ends_with('.'), "{text}");
        assert!(texts.insert(text));
    }
    assert_eq!(
        Refusal::Rules {
            refusal: mancala_engine::Refusal::EmptyPit,
            at: 1
        }
        .to_string(),
        "action 2: the pit is empty; choose one that holds seeds"
    );
}
