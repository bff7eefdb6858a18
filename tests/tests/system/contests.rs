//! Omweso's contest to twelve points in its three ways, over real sockets, with a spectator.
//!
//! Every game is laid out freely, so that what the beginner has laid out ends it in its first
//! turn: by the end that is wanted, or without one, in a turn that never ends.

use crate::matches::check_record;
use mancala_engine::{Action, Direction, Phase, Pit, Side};
use mancala_play::{OfferKind, Request as Ask};
use mancala_protocol::{EventBody, MatchView, PublicId, ServerMessage, StageView, WireAction};
use mancala_tests::client::code_of;
use mancala_tests::players::Pair;
use mancala_tests::{Client, ServerProcess};
use serde_json::{Value, json};

/// What two arrangements and one turn of the side that begins come to.
struct Opening {
    reason: &'static str,
    points: u32,
    /// Of the side that begins, and of the other.
    arrangements: [[u32; 16]; 2],
    pit: u16,
    ways: &'static [Direction],
}

const VOID: Opening = Opening {
    reason: "never_ending",
    points: 0,
    arrangements: [
        [2, 3, 0, 3, 3, 2, 0, 0, 3, 4, 0, 0, 5, 2, 0, 5],
        [0, 0, 3, 3, 0, 0, 3, 2, 0, 0, 4, 0, 0, 4, 5, 8],
    ],
    pit: 13,
    ways: &[],
};

const BULIJO: Opening = Opening {
    reason: "bulijo",
    points: 1,
    arrangements: [
        [3, 1, 6, 0, 4, 0, 0, 0, 8, 0, 3, 1, 2, 0, 4, 0],
        [0, 10, 0, 0, 10, 0, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0],
    ],
    pit: 2,
    ways: &[Direction::Reverse],
};

const OKUTEMA: Opening = Opening {
    reason: "okutema",
    points: 2,
    arrangements: [
        [5, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 1, 10, 1],
        [0, 0, 0, 10, 9, 0, 0, 7, 6, 0, 0, 0, 0, 0, 0, 0],
    ],
    pit: 7,
    ways: &[],
};

const AKAWUMBI: Opening = Opening {
    reason: "akawumbi",
    points: 12,
    arrangements: [
        [0, 0, 0, 0, 6, 9, 0, 1, 5, 0, 2, 0, 0, 5, 4, 0],
        [0, 0, 0, 0, 0, 0, 6, 10, 7, 9, 0, 0, 0, 0, 0, 0],
    ],
    pit: 5,
    ways: &[],
};

impl Opening {
    /// What the side to move does next.
    fn next(&self, view: &MatchView) -> WireAction {
        let position = view.position.as_ref().unwrap();
        let to_move = position.standing.to_move;
        WireAction(match &position.standing.phase {
            Phase::Arrange => {
                let other = &position.board.pits[to_move.other()];
                let second = other.iter().sum::<u32>() == 32;
                Action::Arrange {
                    pits: self.arrangements[usize::from(second)].into(),
                }
            }
            Phase::Play => Action::sow(Pit(self.pit)),
            Phase::Direction(_) => Action::Direction { dir: self.ways[0] },
            phase => panic!("{phase:?} is not in the plan"),
        })
    }
}

/// A contest, and somebody who watches it.
struct Contest {
    server: ServerProcess,
    pair: Pair,
    spectator: Client,
}

impl Contest {
    async fn new(way: &str) -> Contest {
        let server = ServerProcess::start();
        let options = json!({ "setup": "free", "opening": "off" });
        let wanted = json!({ "game": "omweso", "options": options, "way": way });
        let pair = Pair::meet(&server, wanted).await;
        let mut spectator = Client::nobody(&server).await;
        spectator.join(pair.name).await;
        Contest {
            server,
            pair,
            spectator,
        }
    }

    const fn name(&self) -> PublicId {
        self.pair.name
    }

    fn view(&self) -> &MatchView {
        self.pair.south.followed[&self.name()].view()
    }

    /// The next action of an opening, and whether a game ended with it.
    async fn play_on(&mut self, opening: &Opening) -> bool {
        let name = self.name();
        let (mover, other) = self.pair.mover().await;
        let action = opening.next(mover.followed[&name].view());
        let done = mover.act(name, vec![action]).await;
        let ServerMessage::Done { seq, .. } = done else {
            panic!("{done:?}")
        };
        let last = mover.followed[&name].view().seq;
        let heard = |followed: &mancala_tests::Followed| followed.view().seq >= last;
        other.hear_until(name, heard).await;
        let ended = |event: &ServerMessage| {
            matches!(
                event,
                ServerMessage::Event {
                    body: EventBody::GameEnded { .. },
                    ..
                }
            )
        };
        let events = &mover.followed[&name].events;
        events.range(seq..).any(|(_, event)| ended(event))
    }

    /// Plays a game as it is planned, and looks how it ended.
    async fn play(&mut self, opening: &Opening) {
        let (game, begins) = self.game();
        while !self.play_on(opening).await {}
        let events = self.pair.south.followed[&self.name()].events.values();
        let ended = events.rev().find_map(|event| match event {
            ServerMessage::Event {
                body:
                    EventBody::GameEnded {
                        game,
                        reason,
                        winner,
                        points,
                        ..
                    },
                ..
            } => Some((*game, reason.as_str(), *winner, *points)),
            _ => None,
        });
        let winner = (opening.points > 0).then_some(begins);
        let expected = (game, opening.reason, winner, opening.points);
        assert_eq!(ended, Some(expected));
    }

    /// The number of the current game, and the side that begins it.
    fn game(&self) -> (u32, Side) {
        let view = self.view();
        let position = view.position.as_ref().unwrap();
        (view.game_number, position.standing.to_move)
    }

    /// The contest is over: everybody has seen the same, and the record is sound.
    async fn end(mut self, winner: Side, score: [u32; 2]) -> (Vec<ServerMessage>, String) {
        let name = self.name();
        self.spectator
            .hear_until(name, |followed| followed.is_over())
            .await;
        let [south, north, watched] =
            [&self.pair.south, &self.pair.north, &self.spectator].map(|c| &c.followed[&name]);
        assert_eq!(south.view(), watched.view());
        assert_eq!(south.view(), north.view());
        assert_eq!(watched.skips, 0);
        let view = watched.view();
        assert_eq!(view.stage, StageView::Over);
        assert_eq!(view.ended.as_ref().unwrap().winner, Some(winner));
        assert_eq!([view.score[winner], view.score[winner.other()]], score);
        let events: Vec<_> = watched.events.values().cloned().collect();
        let path = format!("/api/v1/matches/{name}/record");
        let record = self.server.get(&path).await.text().to_owned();
        check_record(&record);
        (events, record)
    }
}

/// The kinds of these events, in their order.
fn kinds(events: &[ServerMessage]) -> Vec<String> {
    let kind = |event: &ServerMessage| {
        let event: Value = serde_json::to_value(event).unwrap();
        event["kind"].as_str().unwrap().to_owned()
    };
    events.iter().map(kind).collect()
}

/// Without a clock: what both agree on is taken back.
#[tokio::test]
async fn counting_to_twelve_ends_by_bulijo() {
    let mut contest = Contest::new("counting").await;
    let name = contest.name();
    assert!(contest.view().clock.is_untimed());
    contest.play(&VOID).await;
    let (game, first) = contest.game();
    assert_eq!(
        game, 2,
        "a void game counts, and the same side begins again"
    );

    // The side that begins sows, and wants to lay out its turn anew.
    for _ in 0..2 {
        assert!(!contest.play_on(&BULIJO).await);
    }
    let before = contest.view().position.clone();
    assert!(!contest.play_on(&BULIJO).await, "a direction is due");
    let offered = asked(&mut contest, first, Ask::Offer(OfferKind::Takeback)).await;
    assert!(matches!(offered, ServerMessage::Done { .. }), "{offered:?}");
    let taken = asked(
        &mut contest,
        first.other(),
        Ask::Accept(OfferKind::Takeback),
    )
    .await;
    assert!(matches!(taken, ServerMessage::Done { .. }), "{taken:?}");
    contest
        .pair
        .south
        .hear_until(name, |followed| followed.view().offer.is_none())
        .await;
    contest.pair.mover().await;
    assert_eq!(contest.view().position, before);

    // Eleven points for the one, six for the other, and then the last one.
    contest.play(&BULIJO).await;
    for _ in 0..5 {
        contest.play(&BULIJO).await;
        contest.play(&OKUTEMA).await;
    }
    contest.play(&BULIJO).await;
    contest.play(&BULIJO).await;
    let (events, record) = contest.end(first, [12, 6]).await;
    assert!(kinds(&events).contains(&"taken_back".to_owned()));
    assert!(record.contains("@taken_back"), "{record}");
    assert!(record.contains("[way \"counting\"]"), "{record}");
}

/// Both sign; from then on nothing is taken back or broken off.
#[tokio::test]
async fn a_contract_to_twelve_ends_by_okutema() {
    let mut contest = Contest::new("contract").await;
    let name = contest.name();
    assert_eq!(contest.view().stage, StageView::Gathering);
    let nothing = contest
        .pair
        .south
        .act(name, vec![WireAction(Action::sow(Pit(0)))])
        .await;
    assert_eq!(code_of(&nothing), "not_begun");
    for (side, again) in [
        (Side::North, "nothing_to_sign"),
        (Side::South, "nothing_to_sign"),
    ] {
        let signed = asked(&mut contest, side, Ask::Sign).await;
        assert!(matches!(signed, ServerMessage::Done { .. }), "{signed:?}");
        assert_eq!(code_of(&asked(&mut contest, side, Ask::Sign).await), again);
    }
    contest.pair.mover().await;
    let (_, first) = contest.game();
    contest.play(&VOID).await;
    for side in Side::ALL {
        for what in [
            Ask::Abort,
            Ask::Offer(OfferKind::Takeback),
            Ask::Offer(OfferKind::Abort),
        ] {
            let refused = asked(&mut contest, side, what).await;
            assert_eq!(code_of(&refused), "not_in_this_match", "{what}");
        }
    }
    for _ in 0..11 {
        contest.play(&OKUTEMA).await;
    }
    let (events, record) = contest.end(first, [12, 10]).await;
    let beginning = kinds(&events)[..3].to_vec();
    assert_eq!(beginning, ["signed", "signed", "game_began"]);
    for name in ["Ann", "Ben"] {
        assert!(record.contains(&format!("@signed \"{name}\"")), "{record}");
    }
}

/// Three seconds a turn; the referee counts, and then the turn is the other side's.
#[tokio::test]
async fn blitz_to_twelve_ends_by_akawumbi() {
    let mut contest = Contest::new("blitz").await;
    let name = contest.name();
    let (_, first) = contest.game();
    // The first game is laid out so that it goes on.
    contest.pair.play(4).await;
    let silent = contest.view().position.as_ref().unwrap().standing.to_move;
    for side in [silent, silent.other()] {
        // Nobody plays, and everybody hears why the turn is over.
        let lost = contest.view().next_number;
        for client in [&mut contest.pair.south, &mut contest.pair.north] {
            client
                .hear_until(name, |followed| followed.view().next_number > lost)
                .await;
        }
        let (mover, _) = contest.pair.mover().await;
        assert_eq!(mover.followed[&name].side(), Some(side.other()));
    }
    let resigned = asked(&mut contest, silent, Ask::ResignGame).await;
    assert!(
        matches!(resigned, ServerMessage::Done { .. }),
        "{resigned:?}"
    );
    contest.pair.mover().await;
    let (game, begins) = contest.game();
    assert_eq!((game, begins), (2, first.other()));
    contest.play(&VOID).await;
    contest.play(&AKAWUMBI).await;
    let won = u32::from(silent != begins) + 12;
    let lost = u32::from(silent == begins);
    let (events, record) = contest.end(begins, [won, lost]).await;

    // What the spectator saw of it: one, two, and the turn is lost, for either side.
    let seen: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            ServerMessage::Event { body, .. } => match body {
                EventBody::Counted { side, word, .. } => Some(format!("{side} {word}")),
                EventBody::Acted { acted, .. } if acted.action.0 == Action::LoseTurn => {
                    Some(format!("{} lost", acted.side.unwrap()))
                }
                _ => None,
            },
            _ => None,
        })
        .collect();
    let of = |side: Side| ["emu", "bbiri", "lost"].map(|word| format!("{side} {word}"));
    let expected: Vec<String> = [of(silent), of(silent.other())].concat();
    // Afterwards everybody is quick, but the machine may be slow.
    assert_eq!(seen[..6], expected[..], "{seen:?}");
    assert!(record.contains(" lost"), "{record}");
    assert!(record.contains("@ledger"), "{record}");
}

/// One of the two asks for something.
async fn asked(contest: &mut Contest, side: Side, what: Ask) -> ServerMessage {
    let name = contest.name();
    let client = match side {
        Side::South => &mut contest.pair.south,
        Side::North => &mut contest.pair.north,
    };
    client.request(name, what).await
}
