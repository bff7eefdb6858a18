//! What clients do, noted before they do it.

use super::{Device, Issued, Model, Pending, Socket};
use crate::wire::Wire;
use mancala_protocol::{ClientMessage, PublicId};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

impl Model {
    pub(crate) fn new_device(&mut self, person: Option<usize>) {
        self.devices.push(Device {
            person,
            socket: None,
            since: BTreeMap::new(),
            last_id: 0,
        });
    }

    pub(crate) fn opened(&mut self, device: usize, wire: Wire) -> usize {
        let number = self.sockets.len();
        self.note(format_args!("{number} opens, of device {device}"));
        self.devices[device].socket = Some(number);
        self.sockets.push(Socket {
            device,
            wire,
            opened: self.moment(),
            greeted: false,
            ended: false,
            bye: None,
            following: BTreeMap::new(),
            pending: BTreeMap::new(),
            nonsense: VecDeque::new(),
            earned: BTreeSet::new(),
            closing: false,
            slow: false,
        });
        number
    }

    /// A message with an id is about to be said.
    pub(crate) fn says(
        &mut self,
        number: usize,
        message: &ClientMessage,
        issued: Option<(usize, usize)>,
    ) -> String {
        if let Some((person, place)) = issued {
            self.people[person].issued[place].tries += 1;
        }
        let game = message.about();
        let moment = self.moment();
        let told = game.map_or(0, |game| self.told(game));
        let socket = &mut self.sockets[number];
        let following = game.and_then(|game| socket.following.get_mut(&game));
        let joined = following.as_ref().is_some_and(|following| !following.left);
        if let (ClientMessage::Leave { .. }, Some(following)) = (message, following) {
            following.left = true;
        }
        let pending = Pending {
            message: message.clone(),
            told,
            sent: moment,
            joined,
            issued,
        };
        let before = socket.pending.insert(message.id().unwrap(), pending);
        assert!(before.is_none());
        let text = serde_json::to_string(message).unwrap();
        // Tokens are drawn by lot and tell nothing.
        self.note(format_args!("{number} > {text}"));
        text
    }

    /// Something is about to be said that has no answer by id, and may end the socket so.
    pub(crate) fn says_nonsense(&mut self, number: usize, text: &str, end: Option<&'static str>) {
        self.note(format_args!("{number} > {text:.60}"));
        let socket = &mut self.sockets[number];
        match end {
            Some(code) => _ = socket.earned.insert(code),
            None => {
                let message: Value = serde_json::from_str(text).unwrap_or_default();
                let id = message["id"].as_u64().and_then(|id| u32::try_from(id).ok());
                socket.nonsense.push_back(id);
            }
        }
    }

    pub(crate) fn earns(&mut self, number: usize, code: &'static str) {
        self.sockets[number].earned.insert(code);
    }

    pub(crate) fn goes_deaf(&mut self, number: usize) {
        self.note(format_args!("{number} stops reading"));
        self.sockets[number].slow = true;
    }

    pub(crate) fn closes(&mut self, number: usize) {
        self.note(format_args!("{number} closes"));
        self.sockets[number].closing = true;
    }

    /// A person wants something done.
    pub(crate) fn issue(&mut self, person: usize, game: PublicId, message: ClientMessage) -> usize {
        let issued = &mut self.people[person].issued;
        issued.push(Issued {
            game,
            message,
            tries: 0,
            refused: 0,
            settled: false,
        });
        issued.len() - 1
    }

    /// Does a socket wait for an answer to a `join` of this match?
    pub(crate) fn is_joining(&self, number: usize, game: PublicId) -> bool {
        self.sockets[number].pending.values().any(|pending| {
            let join = matches!(pending.message, ClientMessage::Join { .. });
            join && pending.message.about() == Some(game)
        })
    }

    /// How many messages about a match wait for their answers.
    pub(super) fn waiting(&self, game: Option<PublicId>) -> usize {
        let pending = self
            .sockets
            .iter()
            .flat_map(|socket| socket.pending.values());
        pending
            .filter(|pending| pending.message.about() == game)
            .count()
    }
}
