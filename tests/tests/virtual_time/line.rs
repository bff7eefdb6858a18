//! Lines that take their time, and what becomes of the pongs that go over them.

use mancala_tests::Random;
use std::time::Duration;
use tokio::io::{
    AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

/// What a line is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Draws the delays.
    pub(crate) seed: u64,
    /// Each message is under way for so long at least, each way, in milliseconds ..
    pub(crate) least_ms: usize,
    /// .. and for so long at most.
    pub(crate) most_ms: usize,
    pub(crate) pongs: Pongs,
}

/// What becomes of the pongs of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pongs {
    /// They go the way of all messages.
    Honest,
    /// They are held back for so long, in milliseconds.
    Late(u64),
    /// They carry something else.
    Other,
    /// Each goes twice.
    Twice,
    /// With each go others for which nobody has asked.
    Flood,
    /// There are none.
    Never,
}

impl Line {
    /// One that nobody notices.
    pub(crate) const GOOD: Line = Line {
        seed: 0,
        least_ms: 0,
        most_ms: 0,
        pongs: Pongs::Honest,
    };

    /// A mobile network: 100 to 300 ms each way, drawn anew for each message.
    pub(crate) const fn mobile(seed: u64, pongs: Pongs) -> Line {
        Line {
            seed,
            least_ms: 100,
            most_ms: 300,
            pongs,
        }
    }

    const fn is_good(&self) -> bool {
        self.most_ms == 0 && matches!(self.pongs, Pongs::Honest)
    }
}

/// Lays a line, and returns the client's end and the server's.
pub(crate) fn lay(line: Line) -> (DuplexStream, DuplexStream) {
    const ROOM: usize = 64 * 1024;
    let (client, near) = duplex(ROOM);
    if line.is_good() {
        return (client, near);
    }
    let (far, server) = duplex(ROOM);
    let (from_client, to_client) = split(near);
    let (from_server, to_server) = split(far);
    let way = |seed, pongs| Way {
        random: Random::from_seed(seed),
        line: Line { pongs, ..line },
        last: Instant::now(),
    };
    let up = way(line.seed, line.pongs);
    let down = way(!line.seed, Pongs::Honest);
    tokio::spawn(carry(up, from_client, to_server));
    tokio::spawn(carry(down, from_server, to_client));
    (client, server)
}

/// One way of a line.
struct Way {
    random: Random,
    line: Line,
    /// When the last message arrives: none overtakes another.
    last: Instant,
}

/// A message that is under way, and when it arrives.
type Travelling = (Instant, Vec<u8>);

impl Way {
    fn arrival(&mut self) -> Instant {
        let Line {
            least_ms, most_ms, ..
        } = self.line;
        let delay_ms = least_ms + self.random.below(most_ms - least_ms + 1);
        let at = Instant::now() + Duration::from_millis(delay_ms as u64);
        self.last = self.last.max(at);
        self.last
    }

    fn send(&mut self, message: Vec<u8>, queue: &mpsc::UnboundedSender<Travelling>) {
        let at = self.arrival();
        // Who is to hear it may be gone.
        let send = |message| _ = queue.send((at, message));
        if !is_pong(&message) {
            return send(message);
        }
        match self.line.pongs {
            Pongs::Honest => send(message),
            Pongs::Late(ms) => {
                let queue = queue.clone();
                tokio::spawn(async move {
                    sleep(Duration::from_millis(ms)).await;
                    _ = queue.send((at, message));
                });
            }
            Pongs::Other => {
                let mut other = message;
                if let Some(last) = other.last_mut() {
                    *last ^= 1;
                }
                send(other);
            }
            Pongs::Twice => {
                send(message.clone());
                send(message);
            }
            Pongs::Flood => {
                for number in 0..20 {
                    // As a client sends it: masked, with a mask of nothing.
                    let head = [0x8a, 0x80 | 8, 0, 0, 0, 0];
                    send(head.into_iter().chain([number; 8]).collect());
                }
                send(message);
            }
            Pongs::Never => {}
        }
    }
}

async fn carry(mut way: Way, mut from: ReadHalf<DuplexStream>, mut to: WriteHalf<DuplexStream>) {
    let (queue, mut travelling) = mpsc::unbounded_channel();
    let reads = async move {
        let mut unread = Vec::new();
        let mut is_head = true;
        while let Ok(1..) = from.read_buf(&mut unread).await {
            while let Some(length) = message_length(&unread, is_head) {
                is_head = false;
                way.send(unread.drain(..length).collect(), &queue);
            }
        }
    };
    let writes = async {
        while let Some((at, message)) = travelling.recv().await {
            sleep_until(at).await;
            if to.write_all(&message).await.is_err() {
                break;
            }
        }
        // The other end may be gone.
        _ = to.shutdown().await;
    };
    tokio::join!(reads, writes);
}

/// How long the first message is: the head of a request or its answer, then frames of
/// WebSocket. None, if it is not whole yet.
fn message_length(bytes: &[u8], is_head: bool) -> Option<usize> {
    if is_head {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        return end.map(|end| end + 4);
    }
    let [_, second, rest @ ..] = bytes else {
        return None;
    };
    let mask = if second & 0x80 == 0 { 0 } else { 4 };
    let number = |digits: &[u8]| {
        digits
            .iter()
            .fold(0, |sum, &digit| sum << 8 | usize::from(digit))
    };
    let (head, payload) = match second & 0x7f {
        126 => (4, number(rest.get(..2)?)),
        127 => (10, number(rest.get(..8)?)),
        short => (2, short.into()),
    };
    let length = head + mask + payload;
    (bytes.len() >= length).then_some(length)
}

fn is_pong(message: &[u8]) -> bool {
    message.first() == Some(&0x8a)
}
