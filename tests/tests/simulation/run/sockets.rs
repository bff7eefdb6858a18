//! Sockets, as their clients see them.

use super::{Run, Shared, lock};
use crate::plan::Step;
use crate::wire::{Line, Wire};
use futures_util::{SinkExt as _, StreamExt as _};
use mancala_protocol::{ClientMessage, SUBPROTOCOL};
use std::sync::Arc;
use tokio::io::DuplexStream;
use tokio::sync::{mpsc, watch};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_util::sync::CancellationToken;

/// The client's side of a socket.
pub(super) struct Socket {
    pub(super) orders: mpsc::UnboundedSender<Message>,
    pub(super) ears: watch::Sender<bool>,
    pub(super) gone: CancellationToken,
    pub(super) wire: Wire,
}

impl Run {
    pub(super) fn device(&self, number: usize) -> Option<usize> {
        let devices = self.lock().devices.len();
        (devices > 0).then(|| number % devices)
    }

    /// The socket of a device, if it has one.
    pub(super) fn socket_of(&self, device: usize) -> Option<usize> {
        let model = self.lock();
        model.devices.get(device)?.socket
    }

    pub(super) fn connect(&mut self, device: usize, line: Line) {
        self.go(device);
        let Some((stream, wire)) = self.dial(line) else {
            return;
        };
        let number = self.lock().opened(device, wire.clone());
        let (orders, said) = mpsc::unbounded_channel();
        let (ears, open) = watch::channel(true);
        let gone = CancellationToken::new();
        let model = Arc::clone(&self.model);
        tokio::spawn(client(model, number, stream, said, open, gone.clone()));
        let socket = Socket {
            orders,
            ears,
            gone,
            wire,
        };
        self.sockets.insert(number, socket);
        let (token, since) = {
            let model = self.lock();
            let device = &model.devices[device];
            let token = device
                .person
                .map(|person| model.people[person].token.clone());
            (token, device.since.clone())
        };
        self.say(device, None, |id| ClientMessage::Hello {
            id,
            token,
            client: None,
        });
        for (game, seq) in since {
            self.say(device, None, |id| ClientMessage::Join {
                id,
                r#match: game,
                since: Some(seq),
            });
        }
    }

    /// The client goes without a word.
    pub(super) fn go(&mut self, device: usize) {
        if let Some(number) = self.socket_of(device) {
            self.lock().closes(number);
            self.lock().devices[device].socket = None;
            if let Some(socket) = self.sockets.remove(&number) {
                socket.gone.cancel();
            }
        }
    }

    /// Says a message on a device's socket, if it has one.
    pub(super) fn say(
        &self,
        device: usize,
        issued: Option<(usize, usize)>,
        message: impl FnOnce(Option<u32>) -> ClientMessage,
    ) {
        let Some(number) = self.socket_of(device) else {
            return;
        };
        let mut model = self.lock();
        model.devices[device].last_id += 1;
        let message = message(Some(model.devices[device].last_id));
        let text = model.says(number, &message, issued);
        // Where its task has ended, so has the socket, and no answer is waited for.
        _ = self.sockets[&number].orders.send(Message::text(text));
    }

    pub(super) fn say_raw(&self, device: usize, message: Message, end: Option<&'static str>) {
        let Some(number) = self.socket_of(device) else {
            return;
        };
        let text = message.to_string();
        self.lock().says_nonsense(number, &text, end);
        _ = self.sockets[&number].orders.send(message);
    }
    /// What is done to a socket as such.
    pub(super) fn touch_line(&mut self, device: usize, step: &Step) {
        let Some(number) = self.socket_of(device) else {
            return;
        };
        let socket = &self.sockets[&number];
        match step {
            Step::Close { .. } => {
                self.lock().closes(number);
                _ = socket.orders.send(Message::Close(None));
            }
            Step::Cut { after, .. } => match after {
                None => socket.wire.cut(),
                Some((way, bytes)) => socket.wire.cut_after(*way, *bytes),
            },
            Step::Silence { .. } => socket.wire.silence(),
            Step::Ears { open, .. } => {
                if !open {
                    self.lock().goes_deaf(number);
                }
                socket.ears.send_replace(*open);
            }
            other => unreachable!("{other:?} is of no line"),
        }
    }
}

/// A socket as its client sees it.
async fn client(
    model: Shared,
    number: usize,
    stream: DuplexStream,
    mut said: mpsc::UnboundedReceiver<Message>,
    mut ears: watch::Receiver<bool>,
    gone: CancellationToken,
) {
    let mut request = "ws://mancala.example/ws".into_client_request().unwrap();
    let protocol = HeaderValue::from_static(SUBPROTOCOL);
    request
        .headers_mut()
        .insert("sec-websocket-protocol", protocol);
    let whole = async {
        let Ok((socket, _)) = client_async(request, stream).await else {
            return None;
        };
        let (mut sink, mut stream) = socket.split();
        let speaking = async {
            while let Some(message) = said.recv().await {
                if sink.send(message).await.is_err() {
                    break;
                }
            }
            std::future::pending::<()>().await;
        };
        let listening = async {
            loop {
                if ears.wait_for(|open| *open).await.is_err() {
                    return None;
                }
                match stream.next().await {
                    Some(Ok(Message::Text(text))) => lock(&model).hears(number, &text),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Close(frame))) => return Some(u16::from(frame?.code)),
                    Some(Ok(other)) => panic!("a frame that is no text: {other:?}"),
                    Some(Err(_)) | None => return None,
                }
            }
        };
        tokio::select! {
            biased;
            () = speaking => unreachable!(),
            close = listening => close,
        }
    };
    let close = tokio::select! {
        biased;
        () = gone.cancelled() => None,
        close = whole => close,
    };
    lock(&model).ends(number, close);
}
