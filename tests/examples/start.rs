//! How long does a server take to start with many unfinished matches?
//!
//! ```sh
//! cargo run --release -p mancala-tests --example start -- 10000
//! ```
//!
//! makes a folder with so many matches by correspondence, each some moves old, starts the
//! server on it five times, and prints the milliseconds from the start of the process until it
//! says that it is ready: each, and the median. Each time it is ended by `kill -9`. It also
//! prints how long it takes to find out when something is due in which match, as the server
//! does once it is ready. With a folder as second
//! argument it keeps the folder there; if it exists, it is taken as it is.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for people who measure, which fails as tests do"
)]

use mancala_play::Control;
use mancala_server::store::{Append, Store};
use mancala_tests::Request;
use mancala_tests::logs::{Played, user};
use mancala_tests::server::program;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Starts of which the median is taken.
const STARTS: usize = 5;

/// Events that a match has had: two players sat down, and some moves were made.
const EVENTS: u64 = 16;

/// Matches written at once, as much as one transaction takes.
const AT_ONCE: u64 = 512;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let matches = arguments
        .next()
        .map_or(10_000, |text| text.parse().unwrap());
    let temporary = tempfile::tempdir().unwrap();
    let folder = arguments
        .next()
        .map_or_else(|| temporary.path().join("data"), PathBuf::from);
    if !folder.exists() {
        fill(&folder, matches).await;
    }
    let mut took = Vec::new();
    for _ in 0..STARTS {
        took.push(start(&folder).await.as_secs_f64() * 1e3);
    }
    println!("each, in ms: {took:.1?}");
    took.sort_by(f64::total_cmp);
    println!("median: {:.1} ms", took[STARTS / 2]);
    let store = Store::open_sqlite(&folder).await.unwrap();
    for _ in 0..STARTS {
        let begun = Instant::now();
        let due = store.deadlines().await.unwrap().len();
        println!(
            "{due} deadlines: {:.1} ms",
            begun.elapsed().as_secs_f64() * 1e3
        );
    }
    store.close().await;
}

async fn fill(folder: &Path, matches: u64) {
    let store = Store::open_sqlite(folder).await.unwrap();
    for number in [1, 2] {
        let token = mancala_server::ids::TokenHash::of(&[number]);
        store.create_user(user(number.into()), token).await.unwrap();
    }
    let mut writing = JoinSet::new();
    for number in 1..=matches {
        let store = store.clone();
        writing.spawn(async move {
            let mut played = Played::timed(number, Control::correspondence(3).unwrap());
            // Over a day, in no order.
            played.service_ms = (number.wrapping_mul(0x9e37_79b9) % 86_400_000).cast_signed();
            store.create_match(played.creation()).await.unwrap();
            store.append(events(&mut played)).await.unwrap();
        });
        if number % AT_ONCE == 0 {
            while writing.join_next().await.is_some() {}
        }
    }
    while let Some(written) = writing.join_next().await {
        written.unwrap();
    }
    assert_eq!(store.unfinished().await.unwrap().len() as u64, matches);
    store.close().await;
}

/// The first events of a match, as one append.
fn events(played: &mut Played) -> Append {
    let mut all = played.step();
    while played.play.seq() < EVENTS {
        let next = played.step();
        all.rows.extend(next.rows);
        all.stage = next.stage;
    }
    all
}

/// Starts a server and waits until it is ready.
async fn start(folder: &Path) -> Duration {
    let address = free_address();
    let begun = Instant::now();
    let mut server = Command::new(program())
        .args(["--listen", &address.to_string(), "--data"])
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        let answer = Request::get("/readyz").send(address).await;
        if answer.is_ok_and(|answer| answer.status == 200) {
            break;
        }
        assert!(server.try_wait().unwrap().is_none(), "it has ended");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let took = begun.elapsed();
    server.kill().unwrap();
    server.wait().unwrap();
    took
}

/// An address at which nobody listens, as far as one can know.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}
