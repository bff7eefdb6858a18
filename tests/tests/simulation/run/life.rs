//! The server, from its start to its end, and again.

use super::{Run, URL};
use crate::wire::{Line, Wire};
use mancala_server::store::{Memory, Store};
use mancala_server::{Incoming, Parts};
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// A server from its start to its end.
pub(super) struct Life {
    pub(super) connections: mpsc::Sender<DuplexStream>,
    pub(super) stop: Option<oneshot::Sender<()>>,
    pub(super) store: Memory,
    pub(super) task: JoinHandle<std::io::Result<()>>,
}

impl Run {
    /// Starts a server, once the one before has ended.
    pub(super) async fn start(&mut self) {
        match &self.life {
            Some(life) if life.stop.is_some() => return,
            Some(_) => self.end_of_life().await,
            None => {}
        }
        let store = self.disk.reopened(Some(self.climate.clone()));
        let service_ms = Store::Memory(self.disk.clone()).service_ms().await.unwrap();
        let (connections, queue) = mpsc::channel(64);
        let (stop, stopped) = oneshot::channel::<()>();
        let parts = Parts {
            store: Store::Memory(store.clone()),
            world: self.world.clone(),
            service_ms,
            host: None,
            url: URL.to_owned(),
            url_is_fixed: true,
        };
        // With a crash goes whoever might have told it.
        let stopped = async { _ = stopped.await };
        let task = tokio::spawn(parts.run(Incoming::Queue(queue), stopped));
        self.life = Some(Life {
            connections,
            stop: Some(stop),
            store,
            task,
        });
        let mut model = self.lock();
        model.stopping = false;
        model.is_up();
        model.note("== a server starts");
    }

    pub(super) fn stop(&mut self) {
        let stop = self.life.as_mut().and_then(|life| life.stop.take());
        if let Some(stop) = stop {
            self.lock().stop_told();
            stop.send(()).unwrap();
        }
    }

    /// Waits until a server that was told to stop has done so, which takes no longer than
    /// it may.
    pub(super) async fn end_of_life(&mut self) {
        let Some(life) = self.life.take() else {
            return;
        };
        let ended = tokio::time::timeout(Duration::from_secs(20), life.task).await;
        ended.expect("an end in time").unwrap().unwrap();
        // With the process go its sockets.
        life.store.crash();
        self.cut_all();
        let mut model = self.lock();
        model.is_down();
        model.note("== the server has stopped");
    }

    pub(super) fn crash(&mut self) {
        let Some(mut life) = self.life.take() else {
            return;
        };
        self.lock().crashed();
        life.store.crash();
        self.cut_all();
        // From here on it reaches neither the disk nor anybody. Told to stop, it takes its tasks
        // with it, as the end of a process would.
        if let Some(stop) = life.stop.take() {
            _ = stop.send(());
        }
    }

    pub(super) fn cut_all(&mut self) {
        for wire in self.wires.drain(..) {
            wire.cut();
        }
    }

    /// A new line to the server, if there is one that takes it.
    pub(super) fn dial(&mut self, line: Line) -> Option<(DuplexStream, Wire)> {
        let life = self.life.as_ref()?;
        let place = life.connections.try_reserve().ok()?;
        let (client, server, wire) = Wire::lay(line);
        place.send(server);
        self.wires.push(wire.clone());
        Some((client, wire))
    }
}
