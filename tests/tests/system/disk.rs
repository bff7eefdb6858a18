//! A disk that is slow, fails or is full: nobody is told what it does not have, nothing is
//! lost or done twice, and service comes back with it.

use mancala_protocol::{ClientMessage, MatchView, PublicId, ServerMessage};
use mancala_tests::client::{code_of, id_of};
use mancala_tests::disk::Honesty;
use mancala_tests::players::{Pair, choose};
use mancala_tests::server::until;
use mancala_tests::{Answer, Client, Port, Random, Request, ServerProcess, patiently};
use serde_json::json;
use tokio::task::JoinHandle;

const UNAVAILABLE: &str = "storage_unavailable";

/// The next command of whoever is to move, under a new key; first the mover, then the other.
async fn next(pair: &mut Pair) -> (&mut Client, &mut Client, ClientMessage) {
    let name = pair.name;
    let (mover, other) = pair.mover().await;
    let action = choose(&mover.followed[&name], &mut Random::from_seed(5));
    let number = mover.followed[&name].view().next_number;
    let act = mover.act_message(name, number, vec![action]);
    (mover, other, act)
}

/// All that a client hears up to the answer to a ping that it sends now, presence left out.
async fn told_before_pong(client: &mut Client) -> Vec<ServerMessage> {
    let id = Some(client.next_id());
    client.say(&ClientMessage::Ping { id }).await.unwrap();
    let mut told = Vec::new();
    loop {
        let message = client.hear().await.unwrap();
        if id_of(&message) == id {
            return told;
        }
        if !matches!(message, ServerMessage::Presence { .. }) {
            told.push(message);
        }
    }
}

/// What a client is told next, presence left out.
async fn told_next(client: &mut Client) -> ServerMessage {
    loop {
        let message = client.hear().await.unwrap();
        if !matches!(message, ServerMessage::Presence { .. }) {
            return message;
        }
    }
}

/// A request that is sent now, and answered when it is.
fn sent(server: &ServerProcess, request: Request) -> JoinHandle<Answer> {
    let address = server.address();
    tokio::spawn(async move { request.send(address).await.unwrap() })
}

/// All that can be read of a match over REST.
async fn readings(server: &ServerProcess, name: PublicId) -> [String; 3] {
    let mut texts = [const { String::new() }; 3];
    for (text, part) in texts.iter_mut().zip(["", "/log", "/record"]) {
        let answer = server.get(&format!("/api/v1/matches/{name}{part}")).await;
        assert_eq!(answer.status, 200);
        *text = answer.text().to_owned();
    }
    texts
}

/// Is the server ready? If not, it says why.
async fn ready(server: &ServerProcess) -> bool {
    let answer = server.get("/readyz").await;
    if answer.status == 200 {
        return true;
    }
    assert_eq!(answer.problem(), (503, UNAVAILABLE.to_owned()));
    false
}

/// How often an action of this number stands in the log of a match.
async fn times_played(server: &ServerProcess, name: PublicId, number: u32) -> usize {
    let [_, log, _] = readings(server, name).await;
    let number = format!(r#""number":{number},"side""#);
    log.lines().filter(|line| line.contains(&number)).count()
}

fn number_of(act: &ClientMessage) -> u32 {
    match act {
        ClientMessage::Act { number, .. } => *number,
        other => panic!("{other:?} has no number"),
    }
}

fn seq_of(message: &ServerMessage) -> u64 {
    match message {
        ServerMessage::Event { seq, .. } | ServerMessage::Done { seq, .. } => *seq,
        other => panic!("{other:?} has no seq"),
    }
}

/// While the sync of a move has not ended, the server answers everybody and tells nobody.
#[tokio::test]
async fn no_word_of_a_move_leaves_before_its_sync() {
    let server = ServerProcess::start_on_disk();
    let disk = server.disk();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    pair.play(3).await;
    let mut spectator = Client::nobody(&server).await;
    spectator.join(name).await;
    let (mover, other, act) = next(&mut pair).await;
    let before = readings(&server, name).await;
    for client in [&mut *mover, &mut *other, &mut spectator] {
        assert_eq!(told_before_pong(client).await, []);
    }

    disk.hold();
    let begun = disk.syncs_begun();
    mover.say(&act).await.unwrap();
    disk.sync_after(begun).await;
    // Once with the sync begun, and again after everybody else was answered.
    let view = sent(&server, Request::get(format!("/api/v1/matches/{name}")));
    for _ in 0..3 {
        for client in [&mut *mover, &mut *other, &mut spectator] {
            assert_eq!(told_before_pong(client).await, []);
        }
        for (part, before) in ["log", "record"].iter().zip(&before[1..]) {
            let answer = server.get(&format!("/api/v1/matches/{name}/{part}")).await;
            assert_eq!(answer.text(), before);
        }
        assert_eq!(server.get("/healthz").await.status, 200);
    }
    assert!(!view.is_finished(), "a view waits for the move before it");
    assert!(disk.is_held());

    disk.release();
    let event = told_next(mover).await;
    assert_eq!(seq_of(&event), mover.followed[&name].view().seq);
    let done = told_next(mover).await;
    assert_eq!(id_of(&done), act.id());
    assert_eq!(seq_of(&done), seq_of(&event));
    assert_eq!(told_next(other).await, event);
    assert_eq!(told_next(&mut spectator).await, event);
    let view: MatchView = view.await.unwrap().json();
    assert_eq!(view.seq, seq_of(&event));
    let after = readings(&server, name).await;
    assert!(
        after
            .iter()
            .zip(&before)
            .all(|(after, before)| after != before)
    );
}

/// Neither does a move that waits behind the one whose sync is held, nor one of another match.
#[tokio::test]
async fn moves_that_gather_behind_a_sync_are_told_after_their_own() {
    let server = ServerProcess::start_on_disk();
    let disk = server.disk();
    let mut pairs = Vec::new();
    for game in ["urim", "omweso", "nsolo"] {
        pairs.push(Pair::meet(&server, json!({ "game": game })).await);
    }
    for pair in &mut pairs {
        pair.mover().await;
    }
    disk.hold();
    let mut acts = Vec::new();
    for pair in &mut pairs {
        let begun = disk.syncs_begun();
        let (mover, _, act) = next(pair).await;
        mover.say(&act).await.unwrap();
        if acts.is_empty() {
            disk.sync_after(begun).await;
        }
        acts.push(act);
    }
    for _ in 0..2 {
        for pair in &mut pairs {
            for client in [&mut pair.south, &mut pair.north] {
                let told = told_before_pong(client).await;
                let news =
                    |message: &ServerMessage| !matches!(message, ServerMessage::Legal { .. });
                assert!(!told.iter().any(news), "{told:?}");
            }
        }
    }
    disk.release();
    for (pair, act) in pairs.iter_mut().zip(&acts) {
        let name = pair.name;
        let number = number_of(act);
        for client in [&mut pair.south, &mut pair.north] {
            client
                .hear_until(name, |followed| followed.view().next_number > number)
                .await;
        }
    }
}

/// A guest, a match and a seat exist for nobody before they are on disk.
#[tokio::test]
async fn nothing_is_made_for_anyone_before_its_sync() {
    let server = ServerProcess::start_on_disk();
    let disk = server.disk();
    let token = server.guest("Ann").await;
    let ben = server.guest("Ben").await;
    let made = server
        .make(&token, &json!({ "game": "urim", "seat": "south" }))
        .await;
    let seats = format!("/api/v1/matches/{}/seats", made.view.r#match);
    for (request, status) in [
        (
            Request::post("/api/v1/guests", &json!({ "name": "Cleo" })),
            201,
        ),
        (
            Request::post("/api/v1/matches", &json!({ "game": "omweso" })).token(&token),
            201,
        ),
        (
            Request::post(seats, &json!({ "side": "north" })).token(&ben),
            200,
        ),
    ] {
        let list = server.get("/api/v1/matches").await;
        disk.hold();
        let begun = disk.syncs_begun();
        let request = sent(&server, request);
        disk.sync_after(begun).await;
        for _ in 0..5 {
            let meanwhile = server.get("/api/v1/matches").await;
            assert_eq!(meanwhile.text(), list.text());
        }
        assert!(!request.is_finished());
        assert!(disk.is_held());
        disk.release();
        assert_eq!(
            patiently("the answer", request).await.unwrap().status,
            status
        );
    }
}

/// What ails a disk.
#[derive(Clone, Copy, Debug)]
enum Ailment {
    /// So many syncs fail.
    Syncs(u64),
    /// It takes so many bytes more.
    Full(u64),
}

impl Ailment {
    fn strike(self, server: &ServerProcess) {
        match self {
            Ailment::Syncs(count) => server.disk().fail_syncs(count),
            Ailment::Full(room) => server.disk().leave_room(room),
        }
    }
}

/// Everything that cannot be kept is refused by name, what was acknowledged can be read, and
/// as soon as the disk is well, all goes on.
async fn falls_ill_and_recovers(ailment: Ailment) {
    let mut server = ServerProcess::start_on_disk();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let mut bystanders = Pair::meet(&server, json!({ "game": "omweso" })).await;
    let name = pair.name;
    pair.play(3).await;
    bystanders.play(2).await;
    let before = readings(&server, name).await;
    let (mover, other, act) = next(&mut pair).await;
    let (stander, _, elsewhere) = next(&mut bystanders).await;

    ailment.strike(&server);
    for _ in 0..2 {
        let refused = mover.ask(&act).await.unwrap();
        assert_eq!(code_of(&refused), UNAVAILABLE, "{ailment:?}");
        let refused = stander.ask(&elsewhere).await.unwrap();
        assert_eq!(code_of(&refused), UNAVAILABLE);
        for request in [
            Request::post("/api/v1/guests", &json!({ "name": "Cleo" })),
            Request::post("/api/v1/matches", &json!({ "game": "urim" })).token(mover.token()),
        ] {
            let answer = server.send(request).await;
            assert_eq!(answer.problem(), (503, UNAVAILABLE.to_owned()));
        }
        assert!(!ready(&server).await);
        assert_eq!(server.get("/healthz").await.status, 200);
        assert_eq!(readings(&server, name).await, before);
        assert_eq!(told_before_pong(other).await, []);
    }
    let words = "the database takes no writes";
    assert_eq!(server.log().matches(words).count(), 1, "it is said once");

    server.disk().mend();
    until("it is ready", async || ready(&server).await).await;
    let done = mover.ask(&act).await.unwrap();
    assert_eq!(mover.ask(&act).await.unwrap(), done);
    assert_eq!(seq_of(&told_next(other).await), seq_of(&done));
    let done = stander.ask(&elsewhere).await.unwrap();
    seq_of(&done);
    bystanders.play(2).await;
    pair.play(2).await;
    let after = readings(&server, name).await;
    assert_eq!(times_played(&server, name, number_of(&act)).await, 1);
    assert!(after[1].starts_with(&before[1]), "what was told stays told");

    // And all of it is on the disk, not only in somebody's memory.
    server.kill();
    let trace = server.disk().trace();
    let cut = trace.power_cut(trace.end(), Honesty::Honest, &mut Random::from_seed(1));
    let survivor = ServerProcess::start_from(&cut);
    assert_eq!(readings(&survivor, name).await, after);
    server.restart(Port::New);
    assert_eq!(readings(&server, name).await, after);
}

#[tokio::test]
async fn a_disk_whose_syncs_fail() {
    falls_ill_and_recovers(Ailment::Syncs(u64::MAX)).await;
}

#[tokio::test]
async fn a_disk_that_is_full() {
    falls_ill_and_recovers(Ailment::Full(0)).await;
}

/// There is room for half of what a move needs.
#[tokio::test]
async fn a_disk_that_is_full_in_the_middle_of_a_write() {
    falls_ill_and_recovers(Ailment::Full(3_000)).await;
}

/// One sync fails. The server finds out what became of the move before it says anything; the
/// same command again is done once, and so is all that others had sent meanwhile.
#[tokio::test]
async fn a_sync_that_fails_once_is_no_move_lost_and_none_doubled() {
    for failing in 1..=4 {
        let mut server = ServerProcess::start_on_disk();
        let mut pair = Pair::meet(&server, json!({ "game": "bao_kigogo" })).await;
        let name = pair.name;
        for _ in 0..5 {
            let (mover, other, act) = next(&mut pair).await;
            let number = number_of(&act);
            server.disk().fail_syncs(failing);
            let mut refusals = 0;
            let done = loop {
                match mover.ask(&act).await.unwrap() {
                    ServerMessage::Refused { code, .. } => assert_eq!(code, UNAVAILABLE),
                    done => break done,
                }
                refusals += 1;
                assert_eq!(told_before_pong(other).await, []);
            };
            assert!(refusals <= failing, "{failing} syncs, {refusals} refusals");
            assert_eq!(mover.ask(&act).await.unwrap(), done);
            other
                .hear_until(name, |followed| followed.view().next_number > number)
                .await;
            assert_eq!(times_played(&server, name, number).await, 1);
        }
        assert!(ready(&server).await);
        let before = readings(&server, name).await;
        server.kill();
        server.restart(Port::New);
        assert_eq!(readings(&server, name).await, before);
    }
}

/// The process dies while a sync is held. The move is there or it is not, but nobody had been
/// told; sent again with its key, it is there once.
#[tokio::test]
async fn killed_in_the_middle_of_a_sync_it_had_told_nobody() {
    let mut server = ServerProcess::start_on_disk();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let name = pair.name;
    for round in 0..4 {
        let (mover, other, act) = next(&mut pair).await;
        let number = number_of(&act);
        let before = mover.followed[&name].view().seq;
        server.disk().hold();
        let begun = server.disk().syncs_begun();
        mover.say(&act).await.unwrap();
        server.disk().sync_after(begun).await;
        for client in [&mut *mover, &mut *other] {
            assert_eq!(told_before_pong(client).await, []);
        }
        server.kill();
        for client in [&mut *mover, &mut *other] {
            client.end().await;
            assert_eq!(
                client.followed[&name].view().seq,
                before,
                "somebody was told"
            );
        }
        server.disk().release();
        server.restart([Port::Same, Port::New][round % 2]);
        let there = times_played(&server, name, number).await;
        assert!(there <= 1);
        mover.come_back(server.address()).await.unwrap();
        let done = mover.ask(&act).await.unwrap();
        assert!(matches!(done, ServerMessage::Done { .. }), "{done:?}");
        assert_eq!(times_played(&server, name, number).await, 1);
        other.come_back(server.address()).await.unwrap();
        pair.play(1).await;
    }
}

/// A disk that takes a while for each sync is a slow disk, and nothing else.
#[tokio::test]
async fn a_slow_disk_is_only_slow() {
    let server = ServerProcess::start_on_disk();
    server.disk().slow(3_000);
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    pair.play(10).await;
    assert!(ready(&server).await);
}
