//! Snapshots: read where there are some, and never needed.

use mancala_play::Request;
use mancala_protocol::{MatchView, PublicId, ServerMessage};
use mancala_server::limits::SNAPSHOT_EVENTS;
use mancala_tests::players::Pair;
use mancala_tests::{Client, Port, ServerProcess};
use serde_json::json;
use sqlx::{Connection as _, SqliteConnection, query, query_scalar};

/// Plays a match to the beginning of the first game of which a snapshot is kept.
async fn some_games(server: &ServerProcess) -> Pair {
    let wanted = json!({ "game": "omweso", "format": "first_to 30" });
    let mut pair = Pair::meet(server, wanted).await;
    let name = pair.name;
    while pair.south.followed[&name].view().seq < SNAPSHOT_EVENTS {
        pair.play(15).await;
        let (mover, _) = pair.mover().await;
        let done = mover.request(name, Request::ResignGame).await;
        assert!(matches!(done, ServerMessage::Done { .. }), "{done:?}");
    }
    pair.mover().await;
    pair
}

async fn snapshot_seq(database: &mut SqliteConnection, name: PublicId) -> u64 {
    let sql =
        "select seq from snapshots where match_id = (select id from matches where public_id = ?)";
    let seq: i64 = query_scalar(sql)
        .bind(name.to_string())
        .fetch_one(database)
        .await
        .unwrap();
    seq.try_into().unwrap()
}

async fn damage(database: &mut SqliteConnection, name: PublicId, sql: &'static str) {
    let done = query(sql).bind(name.to_string()).execute(database).await;
    assert_eq!(done.unwrap().rows_affected(), 1, "{sql}");
}

/// From the last game's beginning on, everything is told from the snapshot: neither the
/// match nor who comes back needs what came before it.
#[tokio::test]
async fn a_later_game_is_read_from_a_snapshot() {
    let mut server = ServerProcess::start();
    let mut pair = some_games(&server).await;
    let name = pair.name;
    let mut spectator = Client::nobody(&server).await;
    let at_beginning = spectator.join(name).await.view().seq;
    spectator.cut();
    pair.play(5).await;
    let last = pair.south.followed[&name].clone();
    server.kill();
    let mut database = server.database().await;
    let began = snapshot_seq(&mut database, name).await;
    assert_eq!(began, at_beginning);
    let sql = "update log set event = 'nonsense' where seq = 5 and match_id = \
               (select id from matches where public_id = ?)";
    damage(&mut database, name, sql).await;
    database.close().await.unwrap();
    server.restart(Port::New);

    let mut late = Client::nobody(&server).await;
    assert_eq!(late.join(name).await.view(), last.view());
    spectator.come_back(server.address()).await.unwrap();
    spectator
        .hear_until(name, |followed| followed.view().seq == last.view().seq)
        .await;
    let told = &spectator.followed[&name];
    assert_eq!(told.skips, 0, "events, and no view");
    assert!(told.events.iter().eq(last.events.range(began + 1..)));
    assert_eq!(told.events.len(), 5);
    pair.north.come_back(server.address()).await.unwrap();
    pair.south.come_back(server.address()).await.unwrap();
    pair.play(2).await;
}

/// One that is of no use, in whichever way, is as none: the log is read.
#[tokio::test]
async fn a_snapshot_that_does_not_agree_with_the_log_is_not_used() {
    let mut server = ServerProcess::start();
    let mut pairs = Vec::new();
    let ways = [
        "delete from snapshots where match_id = (select id from matches where public_id = ?)",
        "update snapshots set snapshot = 'nonsense' where match_id = (select id from matches where public_id = ?)",
        "update snapshots set seq = seq + 1 where match_id = (select id from matches where public_id = ?)",
        "update snapshots set seq = 0 where match_id = (select id from matches where public_id = ?)",
        "update snapshots set seq = 4000000000000000000 where match_id = (select id from matches where public_id = ?)",
        "update snapshots set snapshot = json_set(snapshot, '$.version', 0) where match_id = (select id from matches where public_id = ?)",
        // A whole one, of another match.
        "update snapshots set (seq, snapshot) = (select seq, snapshot from snapshots as other
             where other.match_id <> snapshots.match_id limit 1)
         where match_id = (select id from matches where public_id = ?)",
    ];
    for _ in ways {
        let mut pair = some_games(&server).await;
        pair.play(5).await;
        pairs.push(pair);
    }
    server.kill();
    let mut database = server.database().await;
    for (way, pair) in ways.into_iter().zip(&pairs) {
        damage(&mut database, pair.name, way).await;
    }
    database.close().await.unwrap();
    server.restart(Port::New);
    for (way, pair) in ways.into_iter().zip(&mut pairs) {
        let name = pair.name;
        let path = format!("/api/v1/matches/{name}");
        let view: MatchView = server.get(&path).await.json();
        assert_eq!(view, *pair.south.followed[&name].view(), "{way}");
        pair.south.come_back(server.address()).await.unwrap();
        pair.north.come_back(server.address()).await.unwrap();
        pair.play(2).await;
    }
}
