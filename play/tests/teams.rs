//! Sides that are teams: who is in them, how they decide, and what of it is theirs alone.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

mod support;

use Side::{North, South};
use mancala_engine::{Action, BySide, Format, Mancala, Options, Phase, Position as _, Side};
use mancala_play::{
    Command, Context, Control, Decides, Event, MatchSpec, OfferKind, Refusal, Request, Speaks,
    Spent, Stage, StandIns, Team, TeamEvent, TeamRefusal, TeamRequest, TeamsSpec, UserId,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use support::{Table, kinds};

const HOST: UserId = UserId(uuid::Uuid::from_u128(0x1000));

/// Of south, where its number is even.
fn person(number: u32) -> UserId {
    UserId(uuid::Uuid::from_u128(u128::from(number) + 1))
}

fn spec(seats: u8, decides: Decides) -> MatchSpec {
    let mut spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
    let mut teams = TeamsSpec::new(Some(HOST), BySide::both(seats));
    teams.decides = decides;
    spec.teams = Some(Box::new(teams));
    spec
}

/// Teams whose seats are all taken: south has the even numbers from 0 on, north the odd ones.
fn full(spec: MatchSpec) -> Table {
    let seats = u32::from(spec.teams.as_ref().unwrap().seats.south);
    let mut table = Table::of(spec);
    for number in 0..2 * seats {
        come(&mut table, number).unwrap();
    }
    assert!(matches!(table.play.stage(), Stage::Playing(_)));
    table
}

fn come(table: &mut Table, number: u32) -> Result<Vec<Event>, Refusal> {
    let side = Side::ALL[number as usize % 2];
    table.command(
        person(number),
        &Command::Sit {
            side,
            asked_for: false,
        },
    )
}

fn team(table: &Table, side: Side) -> &Team {
    &table.play.teams().unwrap()[side]
}

fn ask(table: &mut Table, user: UserId, request: TeamRequest) -> Result<Vec<Event>, Refusal> {
    let key = table.fresh_key();
    let command = Command::Team {
        side: None,
        request,
        key,
    };
    table.command(user, &command)
}

fn say(table: &mut Table, user: UserId, request: Request) -> Result<Vec<Event>, Refusal> {
    let command = Command::ask(request, table.fresh_key());
    table.command(user, &command)
}

/// What may be played now, with all its choices.
fn turns(table: &Table, some: usize) -> Vec<Vec<Action>> {
    let game = table.play.play().unwrap().game();
    let moves: Vec<Action> = game.moves().iter().take(some).collect();
    moves.into_iter().map(|action| vec![action]).collect()
}

fn act(table: &mut Table, user: UserId) -> Result<Vec<Event>, Refusal> {
    let actions = turns(table, 1).remove(0);
    let number = table.play.next_number();
    let key = table.fresh_key();
    table.command(user, &Command::act(number, actions, key))
}

fn propose(table: &mut Table, user: UserId, at: usize) -> Result<Vec<Event>, Refusal> {
    let actions = turns(table, at + 1).remove(at);
    let number = table.play.next_number();
    ask(table, user, TeamRequest::Propose { number, actions })
}

fn vote(table: &mut Table, user: UserId, proposal: u32) -> Result<Vec<Event>, Refusal> {
    let number = table.play.next_number();
    ask(table, user, TeamRequest::Vote { number, proposal })
}

fn absent(table: &mut Table, user: UserId) -> Vec<Event> {
    let events = table.play.decide_absent(user, &table.context());
    table.make_true(&events);
    events
}

fn present(table: &mut Table, user: UserId) -> Vec<Event> {
    let events = table.play.decide_present(user, &table.context());
    table.make_true(&events);
    events
}

/// Who played last, and what.
fn played(events: &[Event]) -> Vec<(Option<UserId>, Action)> {
    let acted = |event: &Event| match event {
        Event::Acted { by, action, .. } => Some((*by, action.clone())),
        _ => None,
    };
    events.iter().filter_map(acted).collect()
}

fn numbers(table: &Table, side: Side) -> Vec<u32> {
    let members = team(table, side).roster().members();
    members.map(|member| member.number).collect()
}

const NOT_FOR_YOU: Result<Vec<Event>, Refusal> = Err(Refusal::Team(TeamRefusal::NotForYou));

#[test]
fn a_match_begins_when_all_seats_are_taken() {
    let mut table = Table::of(spec(2, Decides::First));
    for number in 0..3 {
        assert_eq!(kinds(&come(&mut table, number).unwrap()), ["team"]);
    }
    assert_eq!(kinds(&come(&mut table, 3).unwrap()), ["team", "game_began"]);
    assert_eq!(table.play.side_of(person(3)), Some(North));
    assert_eq!(numbers(&table, South), [1, 2]);
}

/// Two captains need not wait for all, and whoever comes late takes a free seat.
#[test]
fn or_when_both_captains_are_ready() {
    let mut table = Table::of(spec(5, Decides::Captain));
    for number in 0..4 {
        come(&mut table, number).unwrap();
    }
    // The second of south is not its captain.
    assert_eq!(ask(&mut table, person(2), TeamRequest::Ready), NOT_FOR_YOU);
    ask(&mut table, person(0), TeamRequest::Ready).unwrap();
    assert!(matches!(table.play.stage(), Stage::Gathering));
    let again = ask(&mut table, person(0), TeamRequest::Ready);
    assert_eq!(again, Err(TeamRefusal::SaidAlready.into()));
    let events = ask(&mut table, person(1), TeamRequest::Ready).unwrap();
    assert_eq!(kinds(&events), ["team", "game_began"]);
    let late = come(&mut table, 4).unwrap();
    assert!(matches!(
        late[..],
        [Event::Team {
            what: TeamEvent::Came { .. },
            ..
        }]
    ));
    act(&mut table, person(0)).unwrap();
    let begun = ask(&mut table, person(1), TeamRequest::Ready);
    assert_eq!(begun, Err(TeamRefusal::Begun.into()));
}

#[test]
fn nobody_is_in_both_teams_nor_twice_in_one() {
    let mut table = Table::of(spec(1, Decides::First));
    come(&mut table, 0).unwrap();
    for side in Side::ALL {
        let again = table.command(
            person(0),
            &Command::Sit {
                side,
                asked_for: false,
            },
        );
        assert_eq!(again, Err(TeamRefusal::AlreadyInTeam.into()));
    }
    // Nor while he waits, or while another plays on his seat.
    come(&mut table, 2).unwrap();
    let other = table.command(
        person(2),
        &Command::Sit {
            side: North,
            asked_for: false,
        },
    );
    assert_eq!(other, Err(TeamRefusal::AlreadyInTeam.into()));
    absent(&mut table, person(0));
    ask(&mut table, person(2), TeamRequest::Leave).unwrap();
    assert_eq!(table.play.team_of(person(2)), None);
    table
        .command(
            person(2),
            &Command::Sit {
                side: North,
                asked_for: false,
            },
        )
        .unwrap();
    assert_eq!(table.play.side_of(person(2)), Some(North));
}

/// Whoever could cross over would read both rooms, and what both teams deliberate on.
#[test]
fn nobody_changes_sides_once_the_match_has_begun() {
    let mut table = Table::of(spec(2, Decides::Captain));
    let sit = |table: &mut Table, who, side| {
        table.command(
            who,
            &Command::Sit {
                side,
                asked_for: false,
            },
        )
    };
    let leave = |table: &mut Table, who| ask(table, who, TeamRequest::Leave).unwrap();
    let crossed = Err(TeamRefusal::WasInOtherTeam.into());
    for number in 0..3 {
        come(&mut table, number).unwrap();
    }
    // Before that people may change as they like.
    leave(&mut table, person(2));
    sit(&mut table, person(2), North).unwrap();
    leave(&mut table, person(1));
    sit(&mut table, HOST, South).unwrap();
    sit(&mut table, person(3), North).unwrap();
    assert!(matches!(table.play.stage(), Stage::Playing(_)));

    // He is one of north, where he came last, and comes there again.
    leave(&mut table, person(2));
    assert_eq!(sit(&mut table, person(2), South), crossed);
    sit(&mut table, person(2), North).unwrap();
    // So is who has left before it began.
    assert_eq!(sit(&mut table, person(1), South), crossed);
    // The host too, and whoever only waited or was taken out.
    leave(&mut table, HOST);
    assert_eq!(sit(&mut table, HOST, North), crossed);
    sit(&mut table, person(4), South).unwrap();
    sit(&mut table, person(6), South).unwrap();
    ask(&mut table, person(0), TeamRequest::Remove { person: 5 }).unwrap();
    table.restart();
    assert_eq!(sit(&mut table, person(6), North), crossed);
}

#[test]
fn the_captain_plays_and_hands_over() {
    let mut table = full(spec(3, Decides::Captain));
    assert_eq!(act(&mut table, person(2)), NOT_FOR_YOU);
    let events = act(&mut table, person(0)).unwrap();
    assert_eq!(played(&events)[0].0, Some(person(0)));
    act(&mut table, person(1)).unwrap();
    ask(&mut table, person(0), TeamRequest::Lead { member: 3 }).unwrap();
    assert_eq!(act(&mut table, person(0)), NOT_FOR_YOU);
    act(&mut table, person(4)).unwrap();
    // Whoever has been there longest of those who are present follows him.
    absent(&mut table, person(0));
    let events = absent(&mut table, person(4));
    assert!(events.contains(&Event::Team {
        side: South,
        what: TeamEvent::Led { user: person(2) },
        told: None
    }));
    // It is not his again by coming back.
    present(&mut table, person(4));
    assert_eq!(team(&table, South).roster().captain(), Some(person(2)));
}

#[test]
fn who_waited_for_the_seat_of_a_captain_who_left_became_captain() {
    let mut table = full(spec(3, Decides::Captain));
    come(&mut table, 6).unwrap();
    ask(&mut table, person(0), TeamRequest::Leave).unwrap();
    assert_eq!(numbers(&table, South), [2, 3, 4]);
    assert_eq!(team(&table, South).roster().captain(), Some(person(2)));
    assert_eq!(act(&mut table, person(6)), NOT_FOR_YOU);
    act(&mut table, person(2)).unwrap();
}

#[test]
fn members_play_in_turn_and_who_is_absent_keeps_his_place() {
    let mut table = full(spec(3, Decides::Rotation));
    let mut of_south = Vec::new();
    for turn in 0..16 {
        if turn == 4 {
            assert_eq!(kinds(&absent(&mut table, person(4))), ["team", "team"]);
        }
        if turn == 8 {
            present(&mut table, person(4));
        }
        let side = table.play.to_move().unwrap();
        let at_turn = team(&table, side).roster().at_turn().unwrap().user;
        for member in 0..6 {
            if person(member) != at_turn {
                let refused = act(&mut table, person(member)).unwrap_err();
                let other = table.play.side_of(person(member)) != Some(side);
                let expected = if other {
                    Refusal::NotYourTurn
                } else {
                    TeamRefusal::NotForYou.into()
                };
                assert!(refused == expected || other, "{refused}");
            }
        }
        let events = act(&mut table, at_turn).unwrap();
        assert_eq!(played(&events)[0].0, Some(at_turn));
        if side == South {
            of_south.push(at_turn);
        }
    }
    // It was passed on already when he came back.
    let expected = [0, 2, 0, 2, 0, 2, 4, 0].map(person);
    assert_eq!(of_south, expected);
}

/// Whoever played what is taken back plays again.
#[test]
fn a_takeback_hands_the_turn_back() {
    let mut table = full(spec(3, Decides::Rotation));
    let at_turn =
        |table: &Table| BySide::from_fn(|side| team(table, side).roster().at_turn().unwrap().user);
    let plays = |table: &mut Table| {
        let side = table.play.to_move().unwrap();
        let user = at_turn(table)[side];
        act(table, user).unwrap();
    };
    plays(&mut table);
    let before = at_turn(&table);
    let second = table.play.to_move().unwrap();
    plays(&mut table);
    assert_ne!(at_turn(&table), before);
    let take_back = |table: &mut Table| {
        let captain = |side| team(table, side).roster().captain().unwrap();
        let captains = BySide::from_fn(captain);
        let takeback = OfferKind::Takeback;
        say(table, captains[second], Request::Offer(takeback)).unwrap();
        let accept = Request::Accept(takeback);
        let events = say(table, captains[second.other()], accept).unwrap();
        assert_eq!(kinds(&events), ["taken_back"]);
        assert_eq!(table.play.to_move(), Some(second));
    };
    take_back(&mut table);
    assert_eq!(at_turn(&table), before);
    // Where he has left, it stays with whose turn it is by now.
    plays(&mut table);
    ask(&mut table, before[second], TeamRequest::Leave).unwrap();
    let next = at_turn(&table);
    take_back(&mut table);
    assert_eq!(at_turn(&table), next);
}

/// The order is the captain's to change, and it goes on from whose turn it is.
#[test]
fn the_captain_orders_the_members() {
    let mut table = full(spec(3, Decides::Rotation));
    act(&mut table, person(0)).unwrap();
    act(&mut table, person(1)).unwrap();
    let order = |members: &[u32]| TeamRequest::Order {
        members: members.to_vec(),
    };
    for (wrong, why) in [
        (&[1, 2][..], TeamRefusal::BadOrder),
        (&[1, 2, 2], TeamRefusal::BadOrder),
        (&[1, 2, 9], TeamRefusal::NoSuchMember),
        (&[], TeamRefusal::BadOrder),
        (&[1, 2, 3], TeamRefusal::SaidAlready),
    ] {
        let refused = ask(&mut table, person(0), order(wrong));
        assert_eq!(refused, Err(why.into()), "{wrong:?}");
    }
    assert_eq!(ask(&mut table, person(2), order(&[3, 2, 1])), NOT_FOR_YOU);
    ask(&mut table, person(0), order(&[3, 1, 2])).unwrap();
    assert_eq!(numbers(&table, South), [3, 1, 2]);
    let at_turn = team(&table, South).roster().at_turn().unwrap().user;
    assert_eq!(at_turn, person(2), "it was his turn before");
}

const VOTE: Decides = Decides::Vote { window: 30 };

#[test]
fn what_most_voted_for_is_played_as_soon_as_all_have() {
    let mut table = full(spec(3, VOTE));
    assert_eq!(
        act(&mut table, person(0)),
        NOT_FOR_YOU,
        "not even the captain"
    );
    propose(&mut table, person(0), 0).unwrap();
    propose(&mut table, person(2), 1).unwrap();
    vote(&mut table, person(0), 0).unwrap();
    assert_eq!(vote(&mut table, person(1), 0), Err(Refusal::NotYourTurn));
    vote(&mut table, person(2), 0).unwrap();
    // He thinks better of it.
    vote(&mut table, person(2), 1).unwrap();
    let again = vote(&mut table, person(2), 1);
    assert_eq!(again, Err(TeamRefusal::SaidAlready.into()));
    let second = turns(&table, 2).remove(1);
    let events = vote(&mut table, person(4), 1).unwrap();
    assert_eq!(kinds(&events), ["team", "acted"]);
    assert_eq!(
        played(&events),
        [(Some(person(2)), second[0].clone())],
        "the one who proposed it has decided it"
    );
    assert!(team(&table, South).council().proposals().is_empty());
}

/// Of as many votes the earlier proposal counts; who is absent is not waited for.
#[test]
fn ties_go_to_the_earlier_proposal() {
    let mut table = full(spec(3, VOTE));
    for (number, at) in [(0, 0), (2, 1), (4, 2)] {
        propose(&mut table, person(number), at).unwrap();
    }
    let turns = turns(&table, 3);
    vote(&mut table, person(0), 2).unwrap();
    vote(&mut table, person(2), 1).unwrap();
    let events = absent(&mut table, person(4));
    assert_eq!(kinds(&events), ["team", "acted"]);
    assert_eq!(played(&events)[0].1, turns[1][0]);
}

#[test]
fn the_window_is_open_for_the_team_to_move() {
    let mut table = full(spec(3, VOTE));
    let windows = |table: &Table| Side::ALL.map(|side| table.play.window_of(side));
    assert_eq!(windows(&table), [Some(30_000), None]);
    propose(&mut table, person(0), 0).unwrap();
    table.due();
    assert_eq!(windows(&table), [None, Some(30_000)]);
    table.due();
    assert_eq!(windows(&table), [None, None], "it has closed in vain");
    let other = full(spec(3, Decides::First));
    assert_eq!(windows(&other), [None, None]);
}

#[test]
fn the_window_closes() {
    let due = |table: &mut Table| {
        assert_eq!(table.play.deadline_ms(), Some(30_000));
        table.due()
    };
    // One vote is enough.
    let mut table = full(spec(3, VOTE));
    propose(&mut table, person(0), 0).unwrap();
    propose(&mut table, person(2), 1).unwrap();
    vote(&mut table, person(4), 1).unwrap();
    assert_eq!(kinds(&due(&mut table)), ["team", "acted"]);
    // Without any, what the captain proposed first.
    let mut table = full(spec(3, VOTE));
    propose(&mut table, person(2), 1).unwrap();
    propose(&mut table, person(0), 0).unwrap();
    let first = turns(&table, 1).remove(0);
    assert_eq!(
        played(&due(&mut table)),
        [(Some(person(0)), first[0].clone())]
    );
    // Without that either, the next vote; nothing is due meanwhile.
    let mut table = full(spec(3, VOTE));
    propose(&mut table, person(2), 1).unwrap();
    assert_eq!(kinds(&due(&mut table)), ["team"]);
    assert_eq!(table.play.deadline_ms(), None);
    let events = vote(&mut table, person(4), 0).unwrap();
    assert_eq!(kinds(&events), ["team", "acted"]);
    assert_eq!(table.play.deadline_ms(), Some(30_000), "the other team's");
}

/// The clock of the side runs while it deliberates; what the window took is settled with it.
#[test]
fn a_team_deliberates_on_its_own_time() {
    let mut timed = spec(2, VOTE);
    timed.clock = Control::fischer(300, 0).unwrap();
    let mut table = full(timed);
    for captain in [0, 1] {
        propose(&mut table, person(captain), 0).unwrap();
        table.due();
    }
    propose(&mut table, person(0), 0).unwrap();
    table.spent = Spent::new(4_000, 0);
    table.due();
    let clocks = table.play.play().unwrap().clocks();
    assert_eq!(clocks.left_ms(South), Some(300_000 - 30_000));
    propose(&mut table, person(1), 0).unwrap();
    vote(&mut table, person(1), 0).unwrap();
    vote(&mut table, person(3), 0).unwrap();
    let clocks = table.play.play().unwrap().clocks();
    assert_eq!(clocks.left_ms(North), Some(300_000 - 4_000));
}

#[test]
fn proposals_are_bounded_and_legal() {
    let mut table = full(spec(2, Decides::Captain));
    assert_eq!(propose(&mut table, person(1), 0), Err(Refusal::NotYourTurn));
    let number = table.play.next_number();
    let actions = vec![Action::sow(mancala_engine::Pit(99))];
    let refused = ask(
        &mut table,
        person(2),
        TeamRequest::Propose { number, actions },
    );
    assert!(matches!(refused, Err(Refusal::Rules { at: 0, .. })));
    let ahead = ask(
        &mut table,
        person(2),
        TeamRequest::Propose {
            number: number + 1,
            actions: vec![],
        },
    );
    assert_eq!(ahead, Err(Refusal::NumberAhead { next: number }));
    for at in 0..3 {
        propose(&mut table, person(2), at).unwrap();
    }
    let fourth = propose(&mut table, person(2), 3);
    assert_eq!(fourth, Err(TeamRefusal::ProposalsOver.into()));
    let same = propose(&mut table, person(0), 1);
    assert_eq!(same, Err(TeamRefusal::ProposedAlready.into()));
    let outside = ask(&mut table, HOST, TeamRequest::Leave);
    assert_eq!(outside, Err(Refusal::NotSeated));
    // In a team that does not vote nobody does.
    assert_eq!(vote(&mut table, person(2), 0), NOT_FOR_YOU);
}

/// A member proposes the sowing and what to strip as one, and both are played.
#[test]
fn a_proposal_holds_the_choices_of_its_turn() {
    let options = support::options(Mancala::Nsolo, "columns 8");
    let mut nsolo = spec(2, VOTE);
    nsolo.options = options;
    let mut table = full(nsolo);
    for _ in 0..60 {
        let Some(side) = table.play.to_move() else {
            break;
        };
        let captain = team(&table, side).roster().captain().unwrap();
        let game = table.play.play().unwrap().game().clone();
        let stripping = game.moves().iter().find_map(|sow| {
            let mut trial = game.clone();
            trial.play_unchecked(&sow);
            let setup = trial.position().setup();
            let Phase::Strip { mut seeds } = setup.standing.phase else {
                return None;
            };
            let pits = &setup.board.pits[side.other()];
            let mut take = Vec::new();
            for (pit, there) in (0..).zip(pits) {
                let taken = (*there).min(seeds);
                if taken > 0 {
                    take.push((mancala_engine::Pit(pit), taken));
                    seeds -= taken;
                }
            }
            Some(vec![sow, Action::Strip { take }])
        });
        let number = table.play.next_number();
        let actions = stripping
            .clone()
            .unwrap_or_else(|| vec![game.moves().nth(0)]);
        ask(
            &mut table,
            captain,
            TeamRequest::Propose { number, actions },
        )
        .unwrap();
        let events = table.due();
        if stripping.is_some() {
            assert_eq!(kinds(&events)[..3], ["team", "acted", "acted"]);
            assert!(played(&events).iter().all(|(by, _)| *by == Some(captain)));
            return;
        }
    }
    panic!("no capture in sixty turns");
}

#[test]
fn a_team_speaks_by_its_captain_or_by_its_majority() {
    let mut table = full(spec(3, Decides::First));
    act(&mut table, person(0)).unwrap();
    let offer = Request::Offer(OfferKind::Draw);
    assert_eq!(say(&mut table, person(2), offer), NOT_FOR_YOU);
    assert_eq!(
        kinds(&say(&mut table, person(0), offer).unwrap()),
        ["offered"]
    );

    let mut by_all = spec(3, Decides::First);
    by_all.teams.as_mut().unwrap().speaks = Speaks::Majority;
    let mut table = full(by_all);
    act(&mut table, person(4)).unwrap();
    let one = say(&mut table, person(2), Request::ResignMatch).unwrap();
    assert!(one[0].only_for() == Some(South) && one.len() == 1);
    let again = say(&mut table, person(2), Request::ResignMatch);
    assert_eq!(again, Err(TeamRefusal::SaidAlready.into()));
    // What cannot be asked for is not backed either.
    let nothing = Request::Accept(OfferKind::Draw);
    assert_eq!(say(&mut table, person(2), nothing), Err(Refusal::NoOffer));
    let two = say(&mut table, person(4), Request::ResignMatch).unwrap();
    assert_eq!(kinds(&two), ["match_ended"]);
}

/// Those who asked were two of four, and are two of three when another leaves or is taken out:
/// nobody need ask again, nor could.
#[test]
fn a_majority_that_comes_about_because_somebody_leaves_is_one() {
    let play = || {
        let mut by_all = spec(4, Decides::First);
        by_all.teams.as_mut().unwrap().speaks = Speaks::Majority;
        let mut table = full(by_all);
        act(&mut table, person(0)).unwrap();
        act(&mut table, person(1)).unwrap();
        table
    };
    let both_say = |table: &mut Table, request| {
        for member in [2, 4] {
            assert_eq!(
                kinds(&say(table, person(member), request).unwrap()),
                ["team"]
            );
        }
    };

    let mut table = play();
    both_say(&mut table, Request::ResignMatch);
    let events = ask(&mut table, person(6), TeamRequest::Leave).unwrap();
    assert_eq!(kinds(&events), ["team", "match_ended"]);
    table.restart();

    let mut table = play();
    both_say(&mut table, Request::Offer(OfferKind::Draw));
    let events = ask(&mut table, person(0), TeamRequest::Remove { person: 4 }).unwrap();
    assert_eq!(kinds(&events), ["team", "offered"]);
    // It is done once, and not again because more leave.
    let events = ask(&mut table, person(0), TeamRequest::Leave).unwrap();
    assert_eq!(kinds(&events), ["team", "team"], "he left, another leads");
    table.restart();

    // Going back needs the log, and is decided together with the leave all the same.
    let mut table = play();
    for member in [1, 3, 5] {
        say(
            &mut table,
            person(member),
            Request::Offer(OfferKind::Takeback),
        )
        .unwrap();
    }
    both_say(&mut table, Request::Accept(OfferKind::Takeback));
    let before = table.play.next_number();
    let events = ask(&mut table, person(6), TeamRequest::Leave).unwrap();
    assert_eq!(kinds(&events), ["team", "taken_back"]);
    assert_eq!(table.play.next_number(), before + 1);
    assert_eq!(table.play.to_move(), Some(North));
    table.restart();

    // What cannot be done any more is not: the offer is withdrawn.
    let mut table = play();
    for member in [1, 3, 5] {
        say(&mut table, person(member), Request::Offer(OfferKind::Draw)).unwrap();
    }
    both_say(&mut table, Request::Accept(OfferKind::Draw));
    for member in [1, 3, 5] {
        say(
            &mut table,
            person(member),
            Request::Decline(OfferKind::Draw),
        )
        .unwrap();
    }
    let events = ask(&mut table, person(6), TeamRequest::Leave).unwrap();
    assert_eq!(kinds(&events), ["team"]);

    // Where somebody waits for the seat there are as many as before.
    let mut table = play();
    come(&mut table, 8).unwrap();
    both_say(&mut table, Request::ResignMatch);
    let events = ask(&mut table, person(6), TeamRequest::Leave).unwrap();
    assert_eq!(kinds(&events), ["team", "team"]);
}

/// A contract begins when the teams have signed, also where the last signature is such a one.
#[test]
fn a_team_signs_because_somebody_leaves() {
    let mut contract = spec(4, Decides::First);
    contract.way = Some(mancala_play::Way::Contract);
    contract.teams.as_mut().unwrap().speaks = Speaks::Majority;
    let mut table = Table::of(contract);
    for number in 0..8 {
        come(&mut table, number).unwrap();
    }
    for member in [1, 3, 5, 0, 2] {
        say(&mut table, person(member), Request::Sign).unwrap();
    }
    assert!(matches!(table.play.stage(), Stage::Gathering));
    let events = ask(&mut table, person(6), TeamRequest::Leave).unwrap();
    assert_eq!(kinds(&events), ["team", "signed", "game_began"]);
    table.restart();
}

/// What some wanted before an action they may not want after it.
#[test]
fn what_was_backed_lapses_with_the_next_action() {
    let mut by_all = spec(3, Decides::First);
    by_all.teams.as_mut().unwrap().speaks = Speaks::Majority;
    let mut table = full(by_all);
    say(&mut table, person(0), Request::ResignMatch).unwrap();
    act(&mut table, person(0)).unwrap();
    assert_eq!(
        kinds(&say(&mut table, person(2), Request::ResignMatch).unwrap()),
        ["team"]
    );
}

#[test]
fn a_stand_in_by_the_captain() {
    let mut table = full(spec(2, Decides::Rotation));
    come(&mut table, 4).unwrap();
    let early = ask(&mut table, person(0), TeamRequest::StandIn { member: 2 });
    assert_eq!(early, Err(TeamRefusal::MemberPresent.into()));
    absent(&mut table, person(2));
    assert_eq!(
        ask(&mut table, person(4), TeamRequest::StandIn { member: 2 }),
        NOT_FOR_YOU
    );
    ask(&mut table, person(0), TeamRequest::StandIn { member: 2 }).unwrap();
    assert_eq!(numbers(&table, South), [1, 3]);
    assert_eq!(table.play.side_of(person(2)), None, "he does not play now");
    assert_eq!(table.play.team_of(person(2)), Some(South));
    // He comes back, and has his seat when the captain says so, or who has it.
    assert_eq!(kinds(&present(&mut table, person(2))), ["team"]);
    assert_eq!(numbers(&table, South), [1, 3]);
    ask(&mut table, person(4), TeamRequest::HandBack { holder: 2 }).unwrap();
    assert_eq!(numbers(&table, South), [1, 2]);
    let waiting = team(&table, South).roster().waiting();
    assert_eq!(waiting[0].user, person(4));
}

#[test]
fn a_stand_in_by_itself() {
    let mut automatic = spec(2, Decides::Rotation);
    automatic.teams.as_mut().unwrap().stand_ins = StandIns::Automatic;
    let mut table = full(automatic);
    come(&mut table, 4).unwrap();
    let events = absent(&mut table, person(0));
    assert_eq!(kinds(&events), ["team"; 3], "stood in, and another captain");
    assert_eq!(numbers(&table, South), [3, 2]);
    assert_eq!(team(&table, South).roster().captain(), Some(person(2)));
    let events = present(&mut table, person(0));
    assert_eq!(kinds(&events), ["team", "team"]);
    assert_eq!(numbers(&table, South), [1, 2]);
}

/// The host takes people out of either team, if he says of which.
#[test]
fn the_host_keeps_the_teams() {
    let mut table = Table::of(spec(2, Decides::First));
    let to_side = |table: &mut Table, who, side, request| {
        let key = table.fresh_key();
        let command = Command::Team {
            side: Some(side),
            request,
            key,
        };
        table.command(who, &command)
    };
    come(&mut table, 0).unwrap();
    come(&mut table, 1).unwrap();
    let nobody = ask(&mut table, HOST, TeamRequest::Remove { person: 1 });
    assert_eq!(nobody, Err(Refusal::NotSeated), "he has to say which team");
    come(&mut table, 2).unwrap();
    let member = to_side(
        &mut table,
        person(2),
        South,
        TeamRequest::Remove { person: 1 },
    );
    assert_eq!(member, NOT_FOR_YOU);
    // Nobody speaks in the name of the other team.
    let other = to_side(
        &mut table,
        person(0),
        North,
        TeamRequest::Remove { person: 1 },
    );
    assert_eq!(other, NOT_FOR_YOU);
    to_side(&mut table, HOST, North, TeamRequest::Remove { person: 1 }).unwrap();
    assert_eq!(table.play.team_of(person(1)), None);
    // A host who plays keeps both while they gather, and then has no say in the other.
    let mut of_host = spec(2, Decides::First);
    if let Some(teams) = &mut of_host.teams {
        teams.host = Some(person(0));
    }
    let mut table = Table::of(of_host);
    for number in 0..3 {
        come(&mut table, number).unwrap();
    }
    let remove = |person| TeamRequest::Remove { person };
    to_side(&mut table, person(0), North, remove(1)).unwrap();
    for number in [3, 5] {
        come(&mut table, number).unwrap();
    }
    for leave in [false, true] {
        assert!(table.play.is_rival(person(0), North));
        let refused = to_side(&mut table, person(0), North, remove(2)).unwrap_err();
        let expected = if leave {
            Refusal::NotSeated
        } else {
            TeamRefusal::NotForYou.into()
        };
        assert_eq!(refused, expected);
        let leaves = ask(&mut table, person(0), TeamRequest::Leave);
        assert_eq!(leaves.is_ok(), !leave);
    }
}

/// Somebody left and came again 997 times, and nobody else could come any more.
#[test]
fn nobody_uses_up_the_arrivals_of_his_team() {
    let mut table = Table::of(spec(2, Decides::First));
    for _ in 0..20 {
        come(&mut table, 0).unwrap();
        ask(&mut table, person(0), TeamRequest::Leave).unwrap();
    }
    table.restart();
    let again = come(&mut table, 0);
    assert_eq!(again, Err(TeamRefusal::ArrivalsOver.into()));
    // The other team is another matter, and so are others.
    let other = Command::Sit {
        side: North,
        asked_for: false,
    };
    table.command(person(0), &other).unwrap();
    come(&mut table, 2).unwrap();
    assert_eq!(numbers(&table, South), [21]);
}

/// Whoever was taken out comes again only if somebody asks for him who may; who left by himself
/// comes as he likes.
#[test]
fn who_was_taken_out_does_not_come_back_by_himself() {
    let out = Err(TeamRefusal::TakenOut.into());
    let mut table = full(spec(3, Decides::Captain));
    ask(&mut table, person(0), TeamRequest::Remove { person: 2 }).unwrap();
    table.restart();
    assert_eq!(come(&mut table, 2), out);
    let asked_for = Command::Sit {
        side: South,
        asked_for: true,
    };
    table.command(person(2), &asked_for).unwrap();
    assert_eq!(numbers(&table, South), [1, 3, 4]);
    ask(&mut table, person(2), TeamRequest::Leave).unwrap();
    come(&mut table, 2).unwrap();
    // To take oneself out is to leave.
    ask(&mut table, person(0), TeamRequest::Remove { person: 1 }).unwrap();
    come(&mut table, 0).unwrap();
    // It holds of the team that he was taken out of, wherever he has been meanwhile.
    let mut table = Table::of(spec(2, Decides::Captain));
    come(&mut table, 0).unwrap();
    come(&mut table, 2).unwrap();
    ask(&mut table, person(0), TeamRequest::Remove { person: 2 }).unwrap();
    let north = Command::Sit {
        side: North,
        asked_for: false,
    };
    table.command(person(2), &north).unwrap();
    ask(&mut table, person(2), TeamRequest::Leave).unwrap();
    assert_eq!(come(&mut table, 2), out);
}

/// online-go.com#1985, #1998: somebody left, and it was still his turn.
#[test]
fn a_member_who_left_is_not_asked_to_move() {
    for leaver in 0..3 {
        let mut table = full(spec(3, Decides::Rotation));
        let user = person(2 * leaver);
        ask(&mut table, user, TeamRequest::Leave).unwrap();
        assert_eq!(act(&mut table, user), Err(Refusal::NotSeated));
        let mut seen = BTreeSet::new();
        for _ in 0..8 {
            let side = table.play.to_move().unwrap();
            let at_turn = team(&table, side).roster().at_turn().unwrap().user;
            assert_ne!(at_turn, user);
            seen.insert(at_turn);
            act(&mut table, at_turn).unwrap();
        }
        assert_eq!(seen.len(), 5, "all others were");
    }
    // Nor is he waited for, or heard.
    let mut table = full(spec(2, VOTE));
    propose(&mut table, person(2), 0).unwrap();
    vote(&mut table, person(0), 0).unwrap();
    let events = ask(&mut table, person(2), TeamRequest::Leave).unwrap();
    assert_eq!(kinds(&events), ["team", "acted"]);
}

/// online-go.com#1686: one user was in both teams.
#[test]
fn the_same_user_is_never_on_both_sides() {
    let mut table = full(spec(1, Decides::First));
    come(&mut table, 2).unwrap();
    absent(&mut table, person(0));
    ask(&mut table, person(2), TeamRequest::Leave).unwrap();
    // Not even as the holder of a seat that was lent.
    let mut automatic = spec(1, Decides::First);
    automatic.teams.as_mut().unwrap().stand_ins = StandIns::Automatic;
    let mut table = full(automatic);
    come(&mut table, 2).unwrap();
    absent(&mut table, person(0));
    assert_eq!(table.play.side_of(person(2)), Some(South));
    let other = table.command(
        person(0),
        &Command::Sit {
            side: North,
            asked_for: false,
        },
    );
    assert_eq!(other, Err(TeamRefusal::AlreadyInTeam.into()));
}

/// pychess-variants#1760: who left kept the seat, and nobody else could have it.
#[test]
fn a_leavers_seat_is_free() {
    let mut table = full(spec(2, Decides::Captain));
    come(&mut table, 4).unwrap();
    let events = ask(&mut table, person(2), TeamRequest::Leave).unwrap();
    assert_eq!(kinds(&events), ["team", "team"], "who waited has it");
    assert_eq!(numbers(&table, South), [1, 3]);
    ask(&mut table, person(4), TeamRequest::Leave).unwrap();
    come(&mut table, 6).unwrap();
    assert_eq!(numbers(&table, South), [1, 4]);
    // One that was lent is the stand-in's, if its holder leaves.
    come(&mut table, 8).unwrap();
    absent(&mut table, person(0));
    ask(&mut table, person(6), TeamRequest::StandIn { member: 1 }).unwrap();
    ask(&mut table, person(0), TeamRequest::Leave).unwrap();
    assert_eq!(numbers(&table, South), [5, 4]);
    assert!(
        team(&table, South)
            .roster()
            .seats()
            .iter()
            .all(|seat| !seat.is_lent())
    );
}

#[test]
fn what_a_team_said_is_published_by_its_majority_after_the_match() {
    let mut table = full(spec(3, Decides::First));
    act(&mut table, person(0)).unwrap();
    let early = say(&mut table, person(0), Request::Publish);
    assert_eq!(early, Err(TeamRefusal::NotOver.into()));
    say(&mut table, person(1), Request::ResignMatch).unwrap();
    assert_eq!(
        kinds(&say(&mut table, person(0), Request::Publish).unwrap()),
        ["team"]
    );
    assert!(!team(&table, South).is_published());
    say(&mut table, person(4), Request::Publish).unwrap();
    assert!(team(&table, South).is_published() && !team(&table, North).is_published());
    let again = say(&mut table, person(2), Request::Publish);
    assert_eq!(again, Err(TeamRefusal::SaidAlready.into()));
}

/// Two members may happen to choose the same key; one member may not use it twice.
#[test]
fn a_key_belongs_to_its_member() {
    let mut table = full(spec(2, Decides::Captain));
    let number = table.play.next_number();
    let turns = turns(&table, 2);
    let propose = |at: usize| Command::Team {
        side: None,
        request: TeamRequest::Propose {
            number,
            actions: turns[at].clone(),
        },
        key: "same".parse().unwrap(),
    };
    table.command(person(0), &propose(0)).unwrap();
    table.command(person(2), &propose(1)).unwrap();
    assert_eq!(
        table.decide(person(0), &propose(1)),
        Err(Refusal::KeyReused)
    );
    let done = table.decide(person(2), &propose(1)).unwrap();
    let receipt = table
        .play
        .receipt(South, person(2), &"same".parse().unwrap());
    assert_eq!(Some(done), receipt.map(mancala_play::Decision::Done));
    assert_eq!(
        receipt.unwrap().seq,
        2,
        "its place in the stream of the team"
    );
    assert_eq!(receipt.unwrap().only, Some(South));
    // So it is with a command by which one leaves.
    let leave = Command::Team {
        side: None,
        request: TeamRequest::Leave,
        key: "bye".parse().unwrap(),
    };
    table.command(person(2), &leave).unwrap();
    let left = table
        .play
        .receipt(South, person(2), &"bye".parse().unwrap());
    assert_eq!(left.unwrap().only, None, "everybody is told of that");
}

#[test]
fn a_rematch_brings_everybody_to_the_other_side() {
    let mut teams = spec(3, Decides::Captain);
    teams.teams.as_mut().unwrap().seats.north = 2;
    let mut table = Table::of(teams);
    for number in [0, 1, 2, 3, 4, 6] {
        come(&mut table, number).unwrap();
    }
    act(&mut table, person(0)).unwrap();
    say(&mut table, person(1), Request::ResignMatch).unwrap();
    let events = table.play.rematch(&Context::untimed(South), |_, _| true);
    let next = mancala_play::Match::replay(&events[..1], {
        let Event::Created { spec } = &events[0] else {
            panic!()
        };
        mancala_play::Match::create(spec.clone()).digest()
    });
    let mut next = next.unwrap();
    for event in &events[1..] {
        next.apply(event);
    }
    assert!(matches!(next.stage(), Stage::Playing(_)));
    for number in [0, 2, 4] {
        assert_eq!(next.side_of(person(number)), Some(North), "{number}");
    }
    assert_eq!(next.teams().unwrap().north.roster().waiting().len(), 1);
}

/// The record says who came and went and who decided each turn, and nothing of what a team
/// said to itself.
#[test]
fn a_record_names_who_decided() {
    let mut named = spec(2, VOTE);
    named.teams.as_mut().unwrap().names.south = Some("Buganda".parse().unwrap());
    let mut table = full(named);
    propose(&mut table, person(2), 1).unwrap();
    propose(&mut table, person(0), 0).unwrap();
    vote(&mut table, person(2), 0).unwrap();
    vote(&mut table, person(0), 0).unwrap();
    ask(&mut table, person(2), TeamRequest::Leave).unwrap();
    come(&mut table, 4).unwrap();
    let name = |user| (user == person(2)).then_some("Amina");
    let record = mancala_play::record(&table.log, name).unwrap().to_string();
    for told in [
        "[south \"Buganda\"]",
        "[teams \"vote\"]",
        "@team \"south came 2 Amina\"",
        "@by \"2 Amina\"",
        "@team \"south left 2 Amina\"",
        "@team \"south came 3\"",
    ] {
        assert!(record.contains(told), "{told} in {record}");
    }
    assert_eq!(record.matches("Amina").count(), 3, "{record}");
}

/// Something that somebody tries.
#[derive(Clone, Copy, Debug)]
enum Try {
    Come(u32, bool),
    Act(u32),
    Propose(u32, usize),
    Vote(u32, u32),
    Leave(u32),
    Absent(u32),
    Present(u32),
    StandIn(u32, u32),
    HandBack(u32, u32),
    Lead(u32, u32),
    Ready(u32),
    Remove(u32, u32, bool),
    Say(u32, u8),
    Due,
    Restart,
}

fn a_try() -> impl Strategy<Value = Try> {
    let who = 0..12_u32;
    let number = 1..9_u32;
    prop_oneof![
        4 => (who.clone(), any::<bool>()).prop_map(|(who, other)| Try::Come(who, other)),
        8 => who.clone().prop_map(Try::Act),
        6 => (who.clone(), 0..4_usize).prop_map(|(who, at)| Try::Propose(who, at)),
        8 => (who.clone(), 0..3_u32).prop_map(|(who, at)| Try::Vote(who, at)),
        1 => who.clone().prop_map(Try::Leave),
        3 => who.clone().prop_map(Try::Absent),
        3 => who.clone().prop_map(Try::Present),
        2 => (who.clone(), number.clone()).prop_map(|(who, of)| Try::StandIn(who, of)),
        2 => (who.clone(), number.clone()).prop_map(|(who, of)| Try::HandBack(who, of)),
        1 => (who.clone(), number.clone()).prop_map(|(who, of)| Try::Lead(who, of)),
        2 => who.clone().prop_map(Try::Ready),
        1 => (who.clone(), number, any::<bool>())
            .prop_map(|(who, of, host)| Try::Remove(who, of, host)),
        1 => (who, 0..5_u8).prop_map(|(who, what)| Try::Say(who, what)),
        3 => Just(Try::Due),
        1 => Just(Try::Restart),
    ]
}

fn attempt(table: &mut Table, tried: Try) {
    let playing = matches!(table.play.stage(), Stage::Playing(_));
    let _refused = match tried {
        Try::Come(who, other) => {
            let side = Side::ALL[(who as usize + usize::from(other)) % 2];
            table.command(
                person(who),
                &Command::Sit {
                    side,
                    asked_for: false,
                },
            )
        }
        Try::Act(who) if playing => act(table, person(who)),
        Try::Propose(who, at) if playing => {
            let turns = turns(table, at + 1);
            let actions = turns.last().cloned().unwrap_or_default();
            let number = table.play.next_number();
            ask(table, person(who), TeamRequest::Propose { number, actions })
        }
        Try::Vote(who, at) => vote(table, person(who), at),
        Try::Leave(who) => ask(table, person(who), TeamRequest::Leave),
        Try::Absent(who) => Ok(absent(table, person(who))),
        Try::Present(who) => Ok(present(table, person(who))),
        Try::StandIn(who, member) => ask(table, person(who), TeamRequest::StandIn { member }),
        Try::HandBack(who, holder) => ask(table, person(who), TeamRequest::HandBack { holder }),
        Try::Lead(who, member) => ask(table, person(who), TeamRequest::Lead { member }),
        Try::Ready(who) => ask(table, person(who), TeamRequest::Ready),
        Try::Remove(who, person_number, host) => {
            let key = table.fresh_key();
            let command = Command::Team {
                side: host.then_some(Side::ALL[who as usize % 2]),
                request: TeamRequest::Remove {
                    person: person_number,
                },
                key,
            };
            table.command(if host { HOST } else { person(who) }, &command)
        }
        Try::Say(who, what) => {
            let request = [
                Request::ResignGame,
                Request::Offer(OfferKind::Draw),
                Request::Accept(OfferKind::Draw),
                Request::Decline(OfferKind::Draw),
                Request::Abort,
            ][usize::from(what)];
            say(table, person(who), request)
        }
        Try::Due if table.play.deadline_ms().is_some() => Ok(table.due()),
        Try::Act(_) | Try::Propose(..) | Try::Due => Ok(Vec::new()),
        Try::Restart => {
            table.restart();
            Ok(Vec::new())
        }
    };
}

/// What holds of teams, whatever was tried.
fn holds(table: &Table, spec: &TeamsSpec) {
    let teams = table.play.teams().unwrap();
    let mut everybody = BTreeSet::new();
    for side in Side::ALL {
        let roster = teams[side].roster();
        assert!(roster.seats().len() <= spec.seats[side].into());
        let mut numbers = BTreeSet::new();
        for person in roster.people() {
            assert!(everybody.insert(person.user), "nobody is there twice");
            assert!(numbers.insert(person.number) && person.number as usize <= roster.came().len());
        }
        let present: Vec<UserId> = roster
            .members()
            .filter(|member| !member.absent)
            .map(|member| member.user)
            .collect();
        let over = matches!(table.play.stage(), Stage::Over { .. });
        if !present.is_empty() && !over {
            let captain = roster.captain().unwrap();
            assert!(
                present.contains(&captain),
                "the captain is present, if anybody is"
            );
            if spec.decides == Decides::Rotation {
                let at_turn = roster.at_turn().unwrap();
                assert!(present.contains(&at_turn.user), "so is whose turn it is");
            }
        }
        let room = roster.seats().len() < spec.seats[side].into();
        if room && !over {
            assert!(roster.waiting().iter().all(|person| person.absent));
        }
        let council = teams[side].council();
        for (user, place) in council.votes() {
            assert!(roster.member(*user).is_some() && *place < council.proposals().len());
        }
        let decided = matches!(spec.decides, Decides::Vote { .. });
        if decided && table.play.to_move() == Some(side) && !over {
            let voted = |user: &UserId| council.votes().iter().any(|(who, _)| who == user);
            let all = !council.votes().is_empty() && present.iter().all(voted);
            assert!(!all, "what all have voted for is played");
        }
    }
    let name = |_| Some("Somebody");
    let record = mancala_play::record(&table.log, name).unwrap();
    assert_eq!(record.check().first_fault(), None, "{record}");
    let private = |event: &&Event| event.only_for().is_some();
    let of_teams = table.log.iter().filter(private).count() as u64;
    assert_eq!(table.play.seq(), table.log.len() as u64);
    assert_eq!(table.play.public_seq(), table.play.seq() - of_teams);
    assert_eq!(of_teams, teams.south.seq() + teams.north.seq());
    // Every turn names who decided, and he was a member, or had proposed it as one.
    let mut ever: BTreeMap<UserId, Side> = BTreeMap::new();
    for event in &table.log {
        match event {
            Event::Team {
                side,
                what: TeamEvent::Came { user } | TeamEvent::Waits { user },
                ..
            } => drop(ever.insert(*user, *side)),
            Event::Acted {
                side: Some(side),
                by,
                action,
                ..
            } if *action != Action::LoseTurn => {
                assert_eq!(by.and_then(|by| ever.get(&by)), Some(side));
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever people try: the laws hold after each try, the log gives the same match again,
    /// and so does a snapshot.
    #[test]
    fn teams_hold_together(
        decides in prop::sample::select(vec![
            Decides::Rotation, Decides::Captain, Decides::First, Decides::Vote { window: 30 },
        ]),
        automatic in any::<bool>(),
        majority in any::<bool>(),
        seats in (1..4_u8, 1..4_u8),
        clock in prop::sample::select(vec![Control::UNTIMED, Control::BLITZ]),
        tries in prop::collection::vec(a_try(), 0..120),
    ) {
        let mut spec = spec(1, decides);
        spec.clock = clock;
        let teams = spec.teams.as_mut().unwrap();
        teams.seats = BySide { south: seats.0, north: seats.1 };
        teams.stand_ins = if automatic { StandIns::Automatic } else { StandIns::Captain };
        teams.speaks = if majority { Speaks::Majority } else { Speaks::Captain };
        let agreed = teams.as_ref().clone();
        let mut table = Table::of(spec);
        for tried in tries {
            attempt(&mut table, tried);
            holds(&table, &agreed);
        }
        table.restart();
    }
}
