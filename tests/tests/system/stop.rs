//! Stopping and starting: what a server says and does when it goes down, and what it finds
//! when it comes up.

use mancala_protocol::MatchView;
use mancala_protocol::ServerMessage;
use mancala_tests::client::{code_of, open_socket};
use mancala_tests::players::{Pair, choose};
use mancala_tests::{Client, Lost, Port, Random, ServerProcess};
use serde_json::json;
use sqlx::{Connection as _, query};
use std::fs;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

#[tokio::test]
async fn told_to_stop_it_says_so_to_every_socket_and_ends_in_good_order() {
    let mut server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let mut spectator = Client::nobody(&server).await;
    spectator.join(pair.name).await;
    pair.play(3).await;
    let going = Lost::with("shutting_down", 4000);
    // One that has not greeted yet, too.
    let silent = open_socket(server.address(), &[]).await.unwrap();
    server.terminate();
    assert_eq!(pair.south.end().await, going);
    assert_eq!(pair.north.end().await, going);
    assert_eq!(spectator.end().await, going);
    assert!(server.ended().await.success());
    assert!(server.log().contains("stopped"));
    assert!(
        !server.log().contains("did not end in time"),
        "{}",
        server.log()
    );
    drop(silent);

    server.restart(Port::Same);
    pair.south.come_back(server.address()).await.unwrap();
    pair.north.come_back(server.address()).await.unwrap();
    pair.play(2).await;
}

/// Peers who do not read, or do not finish what they say, hold up no end.
#[tokio::test]
async fn nobody_can_keep_it_from_stopping() {
    let mut server = ServerProcess::start();
    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    let mut half = TcpStream::connect(server.address()).await.unwrap();
    half.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n")
        .await
        .unwrap();
    let mut body = TcpStream::connect(server.address()).await.unwrap();
    body.write_all(
        b"POST /api/v1/guests HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
          content-length: 20\r\n\r\n{",
    )
    .await
    .unwrap();
    let idle = TcpStream::connect(server.address()).await.unwrap();
    // Whatever they have sent has come in once somebody who came later was served.
    pair.play(1).await;
    server.terminate();
    assert!(server.ended().await.success());
    drop((half, body, idle));
}

/// Moves while it is told to stop: each is acknowledged and there, or it is not done.
#[tokio::test]
async fn what_was_acknowledged_while_it_stopped_is_there() {
    let mut server = ServerProcess::start();
    for round in 0..5 {
        let mut pair = Pair::meet(&server, json!({ "game": "bao_kigogo" })).await;
        let name = pair.name;
        let mut random = Random::from_seed(round);
        pair.play(2).await;
        let mut told = 0;
        server.terminate();
        let lost = loop {
            let (mover, _) = match pair_mover(&mut pair).await {
                Ok(mover) => mover,
                Err(lost) => break lost,
            };
            let action = choose(&mover.followed[&name], &mut random);
            let number = mover.followed[&name].view.next_number;
            let act = mover.act_message(name, number, vec![action]);
            match mover.ask(&act).await {
                Ok(ServerMessage::Done { seq, .. }) => told = seq,
                Ok(refused) => {
                    assert_eq!(code_of(&refused), "shutting_down");
                }
                Err(lost) => break lost,
            }
        };
        assert!(
            [Lost::with("shutting_down", 4000), Lost::default()].contains(&lost),
            "{lost:?}"
        );
        assert!(server.ended().await.success());
        server.restart(Port::New);
        let view: MatchView = server.get(&format!("/api/v1/matches/{name}")).await.json();
        assert!(view.seq >= told, "{} < {told}", view.seq);
    }
}

/// Who is to move, if nobody's socket is lost.
async fn pair_mover(pair: &mut Pair) -> Result<(&mut Client, ()), Lost> {
    let name = pair.name;
    loop {
        let south = pair.south.followed[&name].turn().is_some();
        let north = pair.north.followed[&name].turn().is_some();
        if south {
            return Ok((&mut pair.south, ()));
        }
        if north {
            return Ok((&mut pair.north, ()));
        }
        pair.south.hear().await?;
    }
}

#[tokio::test]
async fn a_folder_in_use_and_one_of_a_later_version_are_refused_in_a_sentence() {
    let mut server = ServerProcess::start();
    let said = server.refused_start();
    assert!(said.contains("in use by another server"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    server.terminate();
    assert!(server.ended().await.success());

    let mut database = server.database().await;
    query(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (9999, 'of the future', 1, x'00', 0)",
    )
    .execute(&mut database)
    .await
    .unwrap();
    database.close().await.unwrap();
    let said = server.refused_start();
    assert!(said.contains("later version"), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    fs::write(server.data().join("mancala.sqlite"), "no database").unwrap();
    let said = server.refused_start();
    assert!(!said.contains("panicked"), "{said}");
}

#[tokio::test]
async fn it_says_that_it_is_alive_and_ready() {
    let server = ServerProcess::start();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.get(path).await.status, 200);
    }
    assert_eq!(server.get("/").await.status, 200);
    let openapi: serde_json::Value = server.get("/api/v1/openapi.json").await.json();
    assert_eq!(openapi["openapi"], "3.1.0");
}
