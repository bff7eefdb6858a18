//! Stopping: what a server says and does when it goes down, and why it may not start again.

use mancala_tests::client::open_socket;
use mancala_tests::players::Pair;
use mancala_tests::{Client, Lost, Port, ServerProcess};
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

#[tokio::test]
async fn a_folder_in_use_and_one_of_a_later_version_are_refused_in_a_sentence() {
    let mut server = ServerProcess::start();
    let said = server.refused_start();
    assert!(said.contains("in use by another server"), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    assert_eq!(
        server.get("/readyz").await.status,
        200,
        "the first one goes on"
    );
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
    assert!(said.contains("is no database"), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
}
