//! The lines between clients and server: streams of bytes in this process that take time,
//! hold little, are cut anywhere or go silent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

/// What a line is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// How long each piece is under way.
    pub(crate) latency: Duration,
    /// Bytes that fit on it, in each of its two halves and each way.
    pub(crate) room: usize,
}

impl Line {
    /// One that nobody notices.
    pub(crate) const GOOD: Line = Line {
        latency: Duration::ZERO,
        room: 64 * 1024,
    };
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    ToServer,
    ToClient,
}

/// The hand on a line.
#[derive(Clone, Debug)]
pub(crate) struct Wire(Arc<State>);

#[derive(Debug)]
struct State {
    line: Line,
    cut: CancellationToken,
    silent: AtomicBool,
    /// In which direction it is cut after how many more bytes, if it is.
    fuse: Mutex<Option<(Way, usize)>>,
}

impl Wire {
    /// Lays a line, and returns the client's end and the server's.
    pub(crate) fn lay(line: Line) -> (DuplexStream, DuplexStream, Wire) {
        let (client, near) = tokio::io::duplex(line.room);
        let (far, server) = tokio::io::duplex(line.room);
        let wire = Wire(Arc::new(State {
            line,
            cut: CancellationToken::new(),
            silent: AtomicBool::new(false),
            fuse: Mutex::default(),
        }));
        tokio::spawn(wire.clone().carry_all(near, far));
        (client, server, wire)
    }

    /// Cuts it now; what is under way is lost.
    pub(crate) fn cut(&self) {
        self.0.cut.cancel();
    }

    /// Cuts it after so many more bytes have come through.
    pub(crate) fn cut_after(&self, way: Way, bytes: usize) {
        *self.0.fuse.lock().unwrap() = Some((way, bytes));
    }

    /// Lets nothing more through, and neither end know.
    pub(crate) fn silence(&self) {
        self.0.silent.store(true, Ordering::Relaxed);
    }

    /// Has it been cut or silenced?
    pub(crate) fn is_broken(&self) -> bool {
        self.is_silent() || self.0.cut.is_cancelled()
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.0.silent.load(Ordering::Relaxed)
    }

    async fn carry_all(self, near: DuplexStream, far: DuplexStream) {
        let (from_client, to_client) = tokio::io::split(near);
        let (from_server, to_server) = tokio::io::split(far);
        // With one end gone and what it said delivered, the line is no more.
        tokio::select! {
            biased;
            () = self.0.cut.cancelled() => {}
            () = self.carry(Way::ToServer, from_client, to_server) => {}
            () = self.carry(Way::ToClient, from_server, to_client) => {}
        }
    }

    async fn carry(
        &self,
        way: Way,
        mut from: ReadHalf<DuplexStream>,
        mut to: WriteHalf<DuplexStream>,
    ) {
        let mut bytes = vec![0; self.0.line.room.min(4 * 1024)];
        while let Ok(count @ 1..) = from.read(&mut bytes).await {
            if !self.0.line.latency.is_zero() {
                tokio::time::sleep(self.0.line.latency).await;
            }
            if self.is_silent() {
                self.0.cut.cancelled().await;
                return;
            }
            let passing = self.burn(way, count);
            if to.write_all(&bytes[..passing]).await.is_err() {
                // Nobody is there. What the server said before it went still arrives.
                if way == Way::ToServer {
                    std::future::pending::<()>().await;
                }
                return;
            }
            if passing < count {
                self.cut();
            }
        }
    }

    /// How many of these bytes come through.
    fn burn(&self, way: Way, count: usize) -> usize {
        match &mut *self.0.fuse.lock().unwrap() {
            Some((burning, left)) if *burning == way => {
                let passing = count.min(*left);
                *left -= passing;
                passing
            }
            _ => count,
        }
    }
}
