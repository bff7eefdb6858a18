//! What is counted and measured, read where it is served.

use mancala_play::Request as Ask;
use mancala_tests::players::Pair;
use mancala_tests::server::until;
use mancala_tests::{Client, Request, ServerProcess};
use serde_json::json;
use std::net::SocketAddr;

/// Where the metrics of a server are: it says so in its log.
fn address(server: &ServerProcess) -> SocketAddr {
    let log = server.log();
    let line = log.lines().find(|line| line.contains(": metrics "));
    let (_, address) = line.unwrap().split_once("address=").unwrap();
    address.trim().parse().unwrap()
}

async fn read(at: SocketAddr) -> String {
    let answer = Request::new("GET", "/metrics").send(at).await.unwrap();
    assert_eq!(answer.status, 200);
    String::from_utf8(answer.body.to_vec()).unwrap()
}

/// The value of a line.
fn value(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?.strip_prefix(' ')?;
        rest.parse().ok()
    })
}

#[tokio::test]
async fn what_happens_is_counted() {
    let server = ServerProcess::start_with(&["--metrics-listen", "127.0.0.1:0"]);
    let at = address(&server);
    let before = read(at).await;
    assert_eq!(value(&before, "mancala_sockets"), Some(0.0));
    assert_eq!(value(&before, "mancala_panics_total"), Some(0.0));

    let mut pair = Pair::meet(&server, json!({ "game": "urim" })).await;
    pair.play(4).await;
    let (_, waiting) = pair.mover().await;
    let name = waiting.followed.keys().copied().next().unwrap();
    waiting.request(name, Ask::ResignGame).await;
    let mut late = Client::nobody(&server).await;
    late.join(name).await;
    let met = read(at).await;
    for (name, expected) in [
        ("mancala_sockets", 3.0),
        ("mancala_matches_live", 1.0),
        ("mancala_matches_set_aside", 0.0),
        ("mancala_store_well", 1.0),
        (r#"mancala_matches_created_total{game="urim"}"#, 1.0),
        (r#"mancala_actions_total{game="urim"}"#, 4.0),
        (r#"mancala_refusals_total{code="resign_on_your_turn"}"#, 1.0),
        (r#"mancala_resyncs_total{by="view"}"#, 3.0),
    ] {
        assert_eq!(value(&met, name), Some(expected), "{name} in\n{met}");
    }
    // The seats and the beginning of the game came to the disk as well.
    let appended = value(&met, "mancala_append_seconds_count").unwrap();
    assert!(appended >= 5.0, "{appended}");
    let committed = value(&met, "mancala_commit_changes_sum").unwrap();
    assert!(committed >= appended, "{committed}");

    pair.south.cut();
    pair.south.come_back(server.address()).await.unwrap();
    drop(late);
    until("the sockets are counted down", async || {
        value(&read(at).await, "mancala_sockets") == Some(2.0)
    })
    .await;
    let met = read(at).await;
    assert_eq!(
        value(&met, r#"mancala_resyncs_total{by="events"}"#),
        Some(1.0)
    );
    assert_eq!(
        value(&met, r#"mancala_sockets_closed_total{code="gone"}"#),
        Some(2.0)
    );
}

/// Every line is one that Prometheus can read, and every name says what it is.
#[tokio::test]
async fn the_text_is_well_formed() {
    let server = ServerProcess::start_with(&["--metrics-listen", "127.0.0.1:0"]);
    let mut pair = Pair::meet(&server, json!({ "game": "nsolo" })).await;
    pair.play(2).await;
    let text = read(address(&server)).await;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(comment) = line.strip_prefix("# ") {
            let known =
                comment.starts_with("HELP mancala_") || comment.starts_with("TYPE mancala_");
            assert!(known, "{line}");
        } else {
            let (name, number) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with("mancala_"), "{line}");
            assert!(number.parse::<f64>().is_ok(), "{line}");
        }
    }
    let typed = |word: &str| text.matches(&format!("# {word} ")).count();
    assert_eq!(typed("HELP"), typed("TYPE"), "each is described\n{text}");
}

/// They are not served to the world, nor is anything else served with them.
#[tokio::test]
async fn metrics_have_their_own_address() {
    let server = ServerProcess::start_with(&["--metrics-listen", "127.0.0.1:0"]);
    assert_eq!(server.get("/metrics").await.status, 404);
    let other = Request::new("GET", "/api/v1/matches");
    assert_eq!(other.send(address(&server)).await.unwrap().status, 404);
    let none = ServerProcess::start();
    assert!(!none.log().contains(": metrics "));
}
