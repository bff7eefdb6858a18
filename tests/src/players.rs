//! Who plays: two clients with a match between them, and what they choose.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use crate::client::Client;
use crate::follow::Followed;
use crate::random::Random;
use crate::rest::Request;
use crate::server::ServerProcess;
use mancala_engine::{Action, AnyPosition, Game, Options, Pit, Side, sample_choices};
use mancala_protocol::{MatchView, PublicId, ServerMessage, WireAction};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Two clients who have joined a match between them.
#[derive(Debug)]
pub struct Pair {
    /// The match.
    pub name: PublicId,
    /// Who plays south.
    pub south: Client,
    /// Who plays north.
    pub north: Client,
}

impl Pair {
    /// Makes two guests and a match between them.
    pub async fn meet(server: &ServerProcess, wanted: Value) -> Pair {
        let mut south = Client::guest(server, "Ann").await;
        let mut north = Client::guest(server, "Ben").await;
        let name = make_between(server, south.token(), north.token(), wanted).await;
        south.join(name).await;
        north.join(name).await;
        Pair { name, south, north }
    }

    /// Who is to move, and who is not.
    pub async fn mover(&mut self) -> (&mut Client, &mut Client) {
        // Both hear the same, so what one knows, the other comes to know.
        let seq = |client: &Client| client.followed[&self.name].view().seq;
        let last = seq(&self.south).max(seq(&self.north));
        for client in [&mut self.south, &mut self.north] {
            client
                .hear_until(self.name, |followed| followed.view().seq >= last)
                .await;
        }
        let view = &self.south.followed[&self.name].view();
        let to_move = view.position.as_ref().unwrap().standing.to_move;
        let (mover, other) = match to_move {
            Side::South => (&mut self.south, &mut self.north),
            Side::North => (&mut self.north, &mut self.south),
        };
        mover
            .hear_until(self.name, |followed| followed.turn().is_some())
            .await;
        (mover, other)
    }

    /// Plays so many actions, the first of those that are legal each time.
    pub async fn play(&mut self, actions: usize) {
        let name = self.name;
        let mut random = Random::from_seed(7);
        for _ in 0..actions {
            let (mover, _) = self.mover().await;
            let action = choose(&mover.followed[&name], &mut random);
            let done = mover.act(name, vec![action]).await;
            assert!(matches!(done, ServerMessage::Done { .. }), "{done:?}");
        }
        self.mover().await;
    }
}

/// Makes a match between two who have tokens.
pub async fn make_between(
    server: &ServerProcess,
    south: &str,
    north: &str,
    mut wanted: Value,
) -> PublicId {
    wanted["seat"] = json!("south");
    let made = server.make(south, &wanted).await;
    let name = made.view.r#match;
    let seat = json!({ "side": "north" });
    let seat = Request::post(format!("/api/v1/matches/{name}/seats"), &seat).token(north);
    let view: MatchView = server.send(seat).await.json();
    assert!(view.players.north.is_some());
    name
}

/// Any action that may be played now.
///
/// # Panics
/// If it is not the client's turn.
#[must_use]
pub fn choose(followed: &Followed, random: &mut Random) -> WireAction {
    let legal = followed.turn().expect("it is its turn");
    if !legal.actions.is_empty() {
        return random.any(&legal.actions).clone();
    }
    let position = followed.view().position.as_ref().unwrap();
    WireAction(match position.standing.phase {
        mancala_engine::Phase::Arrange => Action::Arrange {
            pits: arrangement(&followed.view().options, random),
        },
        mancala_engine::Phase::Strip { seeds } => Action::Strip {
            take: strip(
                &position.board.pits[position.standing.to_move.other()],
                seeds,
                random,
            ),
        },
        phase => panic!("nothing may be played in {phase:?}"),
    })
}

/// As many actions as the turn allows, the engine's word for it, up to `most`. The position
/// alone does not tell of repetitions, so the game may be over in the middle of the list.
///
/// # Panics
/// If it is not the client's turn.
#[must_use]
pub fn choose_list(followed: &Followed, random: &mut Random, most: usize) -> Vec<WireAction> {
    let first = choose(followed, random);
    let view = &followed.view();
    let options = Options::deserialize(view.game, &view.options).unwrap();
    let position = view.position.as_ref().unwrap();
    let mut game = Game::<AnyPosition>::from_setup(options, position).unwrap();
    let mover = game.to_move();
    game.play(&first.0).unwrap();
    let mut list = vec![first];
    while list.len() < most && game.outcome().is_none() && game.to_move() == mover {
        let mut choices: Vec<_> = game.moves().iter().collect();
        if choices.is_empty() {
            choices = sample_choices(game.position());
        }
        let action = random.any(&choices).clone();
        if game.play(&action).is_err() || matches!(action, Action::Lottery { .. }) {
            break;
        }
        list.push(WireAction(action));
    }
    list
}

/// Any arrangement that the options of Omweso allow.
#[must_use]
pub fn arrangement(options: &Value, random: &mut Random) -> Vec<u32> {
    let cap = options["cap"].as_u64().unwrap_or(32);
    let mut pits = vec![0; 16];
    let mut left = 32;
    while left > 0 {
        let pit = &mut pits[random.below(16)];
        if u64::from(*pit) < cap {
            *pit += 1;
            left -= 1;
        }
    }
    pits
}

/// Any so many seeds of these pits.
#[must_use]
pub fn strip(pits: &[u32], seeds: u32, random: &mut Random) -> Vec<(Pit, u32)> {
    let mut left = pits.to_vec();
    let mut take = BTreeMap::new();
    for _ in 0..seeds {
        let full: Vec<usize> = (0..left.len()).filter(|&pit| left[pit] > 0).collect();
        let pit = *random.any(&full);
        left[pit] -= 1;
        *take.entry(Pit(u16::try_from(pit).unwrap())).or_default() += 1;
    }
    take.into_iter().collect()
}

/// Plays a seat until the match is over.
pub async fn play_to_end(client: &mut Client, name: PublicId, random: Random) {
    play_up_to(client, name, u64::MAX, random).await;
}

/// Plays a seat until it has the event of this number, or the match is over.
pub async fn play_up_to(client: &mut Client, name: PublicId, seq: u64, mut random: Random) {
    let enough = |followed: &Followed| followed.is_over() || followed.view().seq >= seq;
    while !enough(&client.followed[&name]) {
        client.come_back_in_time().await.unwrap();
        if client.followed[&name].turn().is_some() {
            let action = choose(&client.followed[&name], &mut random);
            let done = client.act(name, vec![action]).await;
            assert!(matches!(done, ServerMessage::Done { .. }), "{done:?}");
        } else {
            client.hear().await.unwrap();
        }
    }
}
