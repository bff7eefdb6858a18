//! A socket that is slow goes without lines, and comes to have all of them.

use super::{lines, noted};
use crate::hostile::MUCH;
use mancala_play::Room;
use mancala_protocol::{LineView, MatchView, PublicId, ServerMessage};
use mancala_tests::client::Width;
use mancala_tests::players::{Pair, play_up_to};
use mancala_tests::{Client, Random, ServerProcess};
use serde_json::json;

/// The talk of a room as a client keeps it that does as the documentation says.
#[derive(Default)]
struct Reader {
    lines: Vec<LineView>,
    /// How often there was a line with others missing before it.
    gaps: usize,
}

impl Reader {
    fn last(&self) -> u32 {
        self.lines.last().map_or(0, |line| line.n)
    }

    /// Takes a line, or listens again from the last one on.
    async fn take(&mut self, client: &mut Client, name: PublicId, line: LineView) {
        if line.n == self.last() + 1 {
            self.lines.push(line);
            return;
        }
        self.gaps += 1;
        self.listen(client, name).await;
    }

    async fn listen(&mut self, client: &mut Client, name: PublicId) {
        let after = Some(self.last()).filter(|last| *last > 0);
        match client.listen(name, Room::Public, after).await {
            ServerMessage::Talk { last, lines, .. } => {
                self.lines.extend(lines);
                assert_eq!(self.last(), last);
            }
            other => panic!("not told: {other:?}"),
        }
    }

    /// Hears on, until it has so many lines.
    async fn hear(&mut self, client: &mut Client, name: PublicId, count: usize) {
        while self.lines.len() < count {
            if let ServerMessage::Said { line, .. } = client.hear().await.unwrap() {
                self.take(client, name, line).await;
            }
        }
    }
}

/// While a spectator reads nothing, the match fills his queue, and what is said then is dropped.
/// When he reads again he sees it by the next number, and has all of it, once, by listening again.
#[tokio::test]
async fn what_a_slow_socket_has_missed_it_has_by_listening_again() {
    let server = ServerProcess::start();
    let wanted = json!({ "game": "omweso", "format": "first_to 255" });
    let mut pair = Pair::meet(&server, wanted).await;
    let name = pair.name;
    let mut speaker = Client::guest(&server, "Guest").await;
    speaker.join(name).await;
    let mut slow = Client::new(None);
    slow.width = Width::Narrow;
    slow.connect(server.address()).await.unwrap();
    slow.join(name).await;
    let mut reader = Reader::default();
    reader.listen(&mut slow, name).await;
    let mut say = async |text: &str| noted(&speaker.say_in(name, Room::Public, text).await);
    assert_eq!(say("heard at once").await, Some(1));
    reader.hear(&mut slow, name, 1).await;
    assert_eq!(say("still on the way").await, Some(2));

    let seq = |view: MatchView| view.seq;
    let path = format!("/api/v1/matches/{name}");
    tokio::join!(
        play_up_to(&mut pair.south, name, MUCH, Random::from_seed(21)),
        play_up_to(&mut pair.north, name, MUCH, Random::from_seed(22)),
    );
    assert!(seq(server.get(&path).await.json()) >= MUCH);
    for (n, text) in [(3, "dropped"), (4, "dropped as well")] {
        assert_eq!(say(text).await, Some(n));
    }
    // He reads again: of the match he is given a view, of the talk nothing beyond the second line.
    slow.received = Some(String::new());
    slow.hear_until(name, |followed| followed.skips > 0).await;
    slow.catch_up().await;
    let received = slow.received.take().unwrap();
    let told = received
        .lines()
        .filter(|line| line.contains(r#""type":"said""#));
    let told: Vec<ServerMessage> = told
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [ServerMessage::Said { line, .. }] = &told[..] else {
        panic!("{told:?}")
    };
    reader.take(&mut slow, name, line.clone()).await;
    assert_eq!((reader.last(), reader.gaps), (2, 0));

    assert_eq!(say("by which he sees it").await, Some(5));
    reader.hear(&mut slow, name, 5).await;
    assert_eq!(reader.gaps, 1);
    let texts: Vec<_> = reader
        .lines
        .iter()
        .filter_map(|line| line.text.as_deref())
        .collect();
    let all = [
        "heard at once",
        "still on the way",
        "dropped",
        "dropped as well",
        "by which he sees it",
    ];
    assert_eq!(texts, all);
    // From here on he misses nothing any more.
    let mut other = Client::guest(&server, "Another").await;
    other.join(name).await;
    for n in 6..9 {
        let answer = other.say_in(name, Room::Public, "and so on").await;
        assert_eq!(noted(&answer), Some(n));
    }
    reader.hear(&mut slow, name, 8).await;
    assert_eq!(reader.gaps, 1);
    assert_eq!(reader.lines, lines(&server, name).await);
}
