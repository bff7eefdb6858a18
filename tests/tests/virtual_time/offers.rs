//! What crosses, what is sent twice, and what is agreed on: each by the name of the fault that
//! others had with it.

use crate::line::{Line, Pongs};
use crate::service::{HOUR, MINUTE, Player, SECOND, Service, code, lost_on_time, pass, per_move};
use mancala_engine::{BySide, Side};
use mancala_play::{Control, Event, MatchEnd};
use mancala_protocol::PublicId;
use mancala_server::store::Store;
use mancala_tests::timeless;
use serde_json::{Value, json};
use std::collections::BTreeSet;

async fn both(service: &Service) -> BySide<Player> {
    BySide {
        south: service.join(Side::South).await,
        north: service.join(Side::North).await,
    }
}

/// What became of a move whose message or answer was lost, and that was sent again.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// The message was lost: only what is sent again arrives.
    MessageLost,
    /// It arrives twice.
    Doubled,
    /// It arrives, and the answer does not; it is sent again on another socket.
    AnswerLost,
}

/// The last mover was declared lost on time after a lost and a doubled message: lila#5921.
#[tokio::test(start_paused = true)]
async fn who_moved_in_time_has_not_lost_by_it_whatever_became_of_his_message() {
    use Trouble::{AnswerLost, Doubled, MessageLost};
    // A turn has ten seconds, and the way a second more.
    const DEADLINE_MS: u64 = 11 * SECOND;
    for trouble in [MessageLost, Doubled, AnswerLost] {
        for slow_ms in [0, 40, 5 * SECOND] {
            for before_ms in [2, 5, 50, 500] {
                let service = Service::new(per_move(10)).await;
                let side = service.play().await.to_move().unwrap();
                let act = service.first_action().await;
                let mut mover = service.join(side).await;
                let mut other = service.join(side.other()).await;
                service.sky.writes_take(slow_ms);
                pass(DEADLINE_MS - before_ms - 1).await;
                let answers = match trouble {
                    MessageLost => {
                        // His line was gone; the new one is there just in time.
                        drop(mover);
                        let mut mover = service.connect(Some(side), Line::GOOD).await;
                        mover
                            .say(json!({ "type": "join", "match": service.name() }))
                            .await;
                        mover.say(act.clone()).await;
                        vec![mover.answer().await]
                    }
                    Doubled => {
                        mover.say(act.clone()).await;
                        mover.say(act.clone()).await;
                        // The answer to the second; the first had its own before.
                        vec![mover.answer().await]
                    }
                    AnswerLost => {
                        mover.say(act.clone()).await;
                        pass(1).await;
                        drop(mover);
                        pass(2 * SECOND).await;
                        let mut mover = service.join(side).await;
                        vec![mover.ask(act.clone()).await, mover.ask(act.clone()).await]
                    }
                };
                let case = format!("{trouble:?}, {slow_ms}, {before_ms}");
                for answer in &answers {
                    assert_eq!(answer["type"], "done", "{case}: {answer}");
                    assert_eq!(answer["seq"], answers[0]["seq"]);
                }
                other.listen(slow_ms + 10).await;
                assert_eq!(other.kinds(&["acted", "game_ended"]), ["acted"], "{case}");
                assert!(!lost_on_time(&service.events().await), "{case}");
            }
        }
    }
}

/// Pausing and resuming gave endless time: online-go.com#714, #449.
#[tokio::test(start_paused = true)]
async fn pauses_give_no_time_over_restarts_either() {
    let mut service = Service::new(Control::fischer(60, 0).unwrap()).await;
    let side = service.play().await.to_move().unwrap();
    for (offers, restart) in [(side, false), (side.other(), true)] {
        let mut players = both(&service).await;
        let BySide { south, north } = &mut players;
        tokio::join!(south.listen(20 * SECOND), north.listen(20 * SECOND));
        assert_eq!(players[offers].want("offer_pause", "offer").await, "done");
        assert_eq!(
            players[offers.other()].want("accept_pause", "accept").await,
            "done"
        );
        if restart {
            pass(HOUR).await;
            service.crash();
            pass(HOUR).await;
            service.start().await;
            players = both(&service).await;
        }
        let BySide { south, north } = &mut players;
        tokio::join!(south.listen(HOUR), north.listen(HOUR));
        assert!(!service.is_over().await);
        let key = format!("resume-{restart}");
        assert_eq!(players[offers].want("resume", &key).await, "done");
        let clocks = service.play().await.play().unwrap().clocks().clone();
        let left_ms = clocks.left_ms(side).unwrap();
        let expected_ms = if restart { 20_000 } else { 40_000 };
        assert!(
            (expected_ms - 1_000..=expected_ms).contains(&left_ms),
            "{left_ms}"
        );
    }
    // Each side has offered a pause for this action.
    let mut players = both(&service).await;
    for side in Side::ALL {
        let again = players[side].want("offer_pause", "again").await;
        assert_eq!(again, "offered_already");
    }
    let BySide { south, north } = &mut players;
    tokio::join!(south.listen(19 * SECOND), north.listen(19 * SECOND));
    assert!(!service.is_over().await);
    // What is left, and the way.
    tokio::join!(south.listen(3 * SECOND), north.listen(3 * SECOND));
    assert!(lost_on_time(&service.events().await));
}

/// A takeback was accepted and withdrawn at once, in a thousand orders: lichobile#1640, #1863.
#[tokio::test(start_paused = true)]
async fn a_takeback_that_is_accepted_and_withdrawn_at_once_has_one_outcome() {
    let mut outcomes = BTreeSet::new();
    let mut times = BySide::both(0);
    for seed in 0..500 {
        let line = |seed| Line {
            seed,
            least_ms: 0,
            most_ms: 5,
            pongs: Pongs::Honest,
        };
        for by in Side::ALL {
            let service = Service::new(Control::UNTIMED).await;
            let mut asker = service.join_on(by, line(seed)).await;
            let mut other = service.join_on(by.other(), line(!seed)).await;
            let mut spectator = service.watch().await;
            assert_eq!(asker.want("offer_takeback", "offer").await, "done");
            // Who is asked has heard of it, and then both speak at once.
            while other.view().offer.is_none() {
                other.hear().await;
            }
            let withdraw = asker.wish("decline_takeback", "withdraw");
            let accept = other.wish("accept_takeback", "accept");
            tokio::join!(asker.say(withdraw), other.say(accept));
            let (withdrawn, accepted) = tokio::join!(asker.answer(), other.answer());
            let said = |answer: &Value| match code(answer) {
                "" => "done".to_owned(),
                code => code.to_owned(),
            };
            let answers = (said(&withdrawn), said(&accepted));
            for player in [&mut asker, &mut other, &mut spectator] {
                player.listen(50).await;
            }
            let kind = match (answers.0.as_str(), answers.1.as_str()) {
                ("done", "no_offer") => "declined",
                ("no_offer", "done") => "taken_back",
                other => panic!("{other:?}"),
            };
            let play = service.play().await;
            let name: PublicId = service.played.public_id;
            let name_of = |user| {
                format!(
                    "user {}",
                    u8::from(play.side_of(user) == Some(Side::North)) + 1
                )
            };
            let nothing = mancala_protocol::convert::Passing::NOTHING;
            let view = mancala_protocol::convert::view(name, &play, &name_of, nothing);
            for player in [&asker, &other, &spectator] {
                assert_eq!(player.kinds(&["declined", "taken_back"]), [kind]);
                assert_eq!(timeless(player.view()), timeless(&view));
            }
            times[by] += usize::from(kind == "declined");
            outcomes.insert((kind, by == Side::South));
        }
    }
    assert_eq!(outcomes.len(), 4, "each way, whoever asks: {times:?}");
}

/// How a rematch is wanted.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// It is accepted twice, with one key.
    SentTwice,
    /// It is accepted twice, with two keys: a double click.
    DoubleClick,
    /// Both offer it at once.
    Crossing,
    /// The server crashes when the new match is made, and before the old one knows of it; then
    /// it is accepted again.
    Crash,
}

/// Players were paired twice by a double click: lila#12147.
#[tokio::test(start_paused = true)]
async fn there_is_one_rematch_however_it_is_wanted() {
    use Wanted::{Crash, Crossing, DoubleClick, SentTwice};
    for wanted in [SentTwice, DoubleClick, Crossing, Crash] {
        let mut service = Service::new(Control::fischer(60, 0).unwrap()).await;
        let mut players = both(&service).await;
        assert_eq!(players.south.want("resign_match", "resign").await, "done");
        let BySide { south, north } = &mut players;
        let codes = match wanted {
            Crossing => {
                let offers = [
                    south.wish("offer_rematch", "s"),
                    north.wish("offer_rematch", "n"),
                ];
                let [one, other] = offers;
                tokio::join!(south.say(one), north.say(other));
                let (one, other) = tokio::join!(south.answer(), north.answer());
                vec![one, other]
            }
            SentTwice | DoubleClick => {
                assert_eq!(south.want("offer_rematch", "offer").await, "done");
                let again = if let SentTwice = wanted { "1" } else { "2" };
                let first = north.wish("accept_rematch", "1");
                north.say(first).await;
                let second = north.wish("accept_rematch", again);
                vec![north.ask(second).await]
            }
            Crash => {
                assert_eq!(south.want("offer_rematch", "offer").await, "done");
                // The match is made; the event is not written.
                service.sky.writes_end_after(1);
                let accept = north.wish("accept_rematch", "1");
                let refused = north.ask(accept).await;
                assert_eq!(code(&refused), "storage_unavailable");
                service.crash();
                service.sky.clears();
                pass(HOUR).await;
                service.start().await;
                players = both(&service).await;
                let accept = players.north.wish("accept_rematch", "1");
                vec![
                    players.north.ask(accept.clone()).await,
                    players.north.ask(accept).await,
                ]
            }
        };
        let codes: Vec<&str> = codes.iter().map(code).collect();
        match wanted {
            DoubleClick => assert_eq!(codes, ["no_offer"]),
            _ => assert!(
                codes.iter().all(|code| code.is_empty()),
                "{wanted:?}: {codes:?}"
            ),
        }
        for side in Side::ALL {
            let once_more = players[side].want("offer_rematch", "once-more").await;
            assert_eq!(once_more, "rematch_made");
        }
        let BySide { south, north } = &mut players;
        tokio::join!(south.listen(100), north.listen(100));
        let log = service.log().await;
        let made = |row: &&_| matches!(row, Event::Rematched { .. });
        let events: Vec<Event> = log.into_iter().map(|row| row.event).collect();
        assert_eq!(events.iter().filter(made).count(), 1, "{wanted:?}");
        // There is one more match, and both are told of it.
        let store = Store::Memory(service.disk.clone());
        let matches = store.unfinished().await.unwrap();
        assert_eq!(matches.len(), 1, "{wanted:?}");
        let (_, next) = matches[0];
        for player in [&players.south, &players.north] {
            assert_eq!(player.view().rematch, Some(next));
        }
        // In it the sides are exchanged.
        let roles = [(&mut players.south, "north"), (&mut players.north, "south")];
        for (player, role) in roles {
            let joined = player.join(&next.to_string(), None).await;
            assert_eq!(
                (&joined["role"], &joined["view"]["stage"]),
                (&json!(role), &json!("playing"))
            );
        }
        // And its first move is waited for no longer than that of any other, with nobody there.
        drop(players);
        pass(2 * MINUTE).await;
        let row = store.find_match(next).await.unwrap().unwrap();
        let log = store.log_after(row.id, 0, u32::MAX).await.unwrap();
        let last = &log.last().unwrap().event;
        let aborted = matches!(
            last,
            Event::MatchEnded {
                end: MatchEnd::Aborted,
                ..
            }
        );
        assert!(aborted, "{wanted:?}: {last:?}");
    }
}
