//! What a server finds on its disk that cannot be: it is named, set aside, and the rest plays.

use mancala_protocol::rest::MatchList;
use mancala_tests::client::code_of;
use mancala_tests::players::Pair;
use mancala_tests::{Client, Port, Request, ServerProcess};
use serde_json::json;
use sqlx::{Connection as _, query};

/// Each way to damage a log sets its match aside, by name, and the others play on.
#[tokio::test]
async fn a_damaged_match_is_set_aside_and_the_rest_plays() {
    let mut server = ServerProcess::start();
    let mut whole = Pair::meet(&server, json!({ "game": "urim" })).await;
    whole.play(4).await;
    let mut damaged = Vec::new();
    for damage in [
        // Another digest; an action that does not follow; no event at all; a row gone
        // from the middle; one from the end, which the next row's digest does not tell.
        "update log set digest = digest + 1 where seq = 6 and match_id = ?",
        "update log set event = replace(event, '\"pit\":', '\"pit\":9') where seq = 6 and match_id = ?",
        "update log set event = 'nonsense' where seq = 5 and match_id = ?",
        "update log set version = 99 where seq = 5 and match_id = ?",
        "delete from log where seq = 5 and match_id = ?",
    ] {
        let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
        while pair.south.followed[&pair.name].view().seq < 6 {
            pair.play(1).await;
        }
        // The last row is number 6, so that its digest is the one that is compared.
        assert_eq!(pair.south.followed[&pair.name].view().seq, 6);
        damaged.push((pair, damage));
    }
    server.terminate();
    assert!(server.ended().await.success());
    let mut database = server.database().await;
    for (pair, damage) in &damaged {
        let id: Vec<u8> = sqlx::query_scalar("select id from matches where public_id = ?")
            .bind(pair.name.to_string())
            .fetch_one(&mut database)
            .await
            .unwrap();
        let done = query(*damage).bind(id).execute(&mut database).await;
        assert_eq!(done.unwrap().rows_affected(), 1, "{damage}");
    }
    database.close().await.unwrap();

    server.restart(Port::New);
    let aside = (503, "set_aside".to_owned());
    for (pair, damage) in &mut damaged {
        let name = pair.name;
        let mut spectator = Client::nobody(&server).await;
        let joined = spectator.join_since(name, None).await.unwrap();
        assert_eq!(code_of(&joined), "set_aside", "{damage}");
        pair.south.connect(server.address()).await.unwrap();
        let joined = pair.south.join_since(name, Some(4)).await.unwrap();
        assert_eq!(code_of(&joined), "set_aside", "{damage}");
        for path in ["", "/log", "/record"] {
            let answer = server.get(&format!("/api/v1/matches/{name}{path}")).await;
            assert_eq!(answer.problem(), aside, "{path} after {damage}");
        }
        let path = format!("/api/v1/matches/{name}/seats");
        let sit = Request::post(path, &json!({ "side": "south" })).token(pair.south.token());
        assert_eq!(server.send(sit).await.problem(), aside);
        assert!(server.log().contains(&name.to_string()), "it is named");
    }
    let list: MatchList = server.get("/api/v1/matches").await.json();
    let listed: Vec<_> = list.matches.iter().map(|one| one.r#match).collect();
    assert_eq!(listed, [whole.name]);
    whole.south.come_back(server.address()).await.unwrap();
    whole.north.come_back(server.address()).await.unwrap();
    whole.play(2).await;
    assert_eq!(server.get("/readyz").await.status, 200);

    // Nor does another start forget it.
    server.kill();
    server.restart(Port::New);
    let name = damaged[0].0.name;
    let answer = server.get(&format!("/api/v1/matches/{name}")).await;
    assert_eq!(answer.problem(), aside);
}
