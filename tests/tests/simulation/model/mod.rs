//! What must be true, whatever happens: everything that anybody is told is held against the
//! disk and against the rules.

use crate::truth::{Downs, Given, Truth};
use crate::weather::Climate;
use crate::wire::Wire;
use futures_util::FutureExt as _;
use mancala_play::{Command, Event, Key, UserId};
use mancala_protocol::{ClientMessage, PublicId, WireAction};
use mancala_server::ids::TokenHash;
use mancala_server::limits::REQUEST_MS;
use mancala_server::store::{Memory, Store};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

mod hears;
mod quiet;
mod says;

/// The names of users.
pub(crate) type Names = BTreeMap<UserId, String>;

/// What is known of a run, and all that has been said in it.
#[derive(Debug)]
pub(crate) struct Model {
    disk: Store,
    climate: Arc<Climate>,
    names: Names,
    pub(crate) truths: BTreeMap<PublicId, Truth>,
    /// The matches in the order in which they were made known.
    pub(crate) games: Vec<PublicId>,
    pub(crate) people: Vec<Person>,
    pub(crate) devices: Vec<Device>,
    pub(crate) sockets: Vec<Socket>,
    /// Secrets of links: they stand in the answer to a creation, and nowhere else.
    secrets: BTreeSet<String>,
    pub(crate) stopping: bool,
    stops: u64,
    crashes: u64,
    downs: Downs,
    begun: Instant,
    /// Everything that was said, done and heard, line by line.
    pub(crate) transcript: Vec<String>,
    /// How often each thing came of it that may come of it.
    pub(crate) counts: Counts,
}

/// How often something has happened.
pub(crate) type Counts = BTreeMap<String, u64>;

/// A guest.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) token: String,
    pub(crate) user: UserId,
    /// All commands, in the order in which they were thought of.
    pub(crate) issued: Vec<Issued>,
}

/// A command that somebody wants done, and what has come of it.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) game: PublicId,
    pub(crate) message: ClientMessage,
    tries: usize,
    /// Answers after which nothing has been done.
    refused: usize,
    /// Has it had an answer that settles it?
    pub(crate) settled: bool,
}

/// Something with one socket at a time, and what it keeps between them.
#[derive(Debug)]
pub(crate) struct Device {
    /// Who holds it; nobody, if it only watches.
    pub(crate) person: Option<usize>,
    pub(crate) socket: Option<usize>,
    /// The last event it has of each match.
    pub(crate) since: BTreeMap<PublicId, u64>,
    pub(crate) last_id: u32,
}

/// One socket, from its opening on.
#[derive(Debug)]
pub(crate) struct Socket {
    device: usize,
    wire: Wire,
    opened: Moment,
    greeted: bool,
    pub(crate) ended: bool,
    bye: Option<String>,
    pub(crate) following: BTreeMap<PublicId, Following>,
    pending: BTreeMap<u32, Pending>,
    /// Messages that nobody can understand and that are not answered yet: their ids, where
    /// these at least can be read.
    nonsense: VecDeque<Option<u32>>,
    /// What its client has done that may end it, by the code that says so.
    earned: BTreeSet<&'static str>,
    /// Its client has closed it.
    closing: bool,
    /// Its client has not read for a while.
    slow: bool,
}

impl Socket {
    pub(super) fn is_there(&self) -> bool {
        !self.ended && !self.wire.is_silent()
    }
}

/// A match on one socket.
#[derive(Clone, Debug)]
pub(crate) struct Following {
    pub(crate) seq: u64,
    /// Its client has said that it leaves.
    left: bool,
    /// The last `legal` since joining.
    pub(crate) legal: Option<Playable>,
    presence: Option<(mancala_engine::BySide<bool>, u32)>,
}

/// What may be played, as a client was told.
#[derive(Clone, Debug)]
pub(crate) struct Playable {
    pub(crate) number: u32,
    pub(crate) actions: Vec<WireAction>,
}

/// A message that waits for its answer.
#[derive(Debug)]
struct Pending {
    message: ClientMessage,
    /// What anybody had been told of the match when it was sent: nothing older is an answer.
    told: u64,
    sent: Moment,
    /// Was the match surely joined?
    joined: bool,
    issued: Option<(usize, usize)>,
}

/// How much trouble there had been at some moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    at: Instant,
    faults: u64,
    stops: u64,
    crashes: u64,
    stopping: bool,
}

impl Model {
    pub(crate) fn new(disk: &Memory, climate: Arc<Climate>) -> Model {
        Model {
            disk: Store::Memory(disk.reopened(None)),
            climate,
            names: Names::new(),
            truths: BTreeMap::new(),
            games: Vec::new(),
            people: Vec::new(),
            devices: Vec::new(),
            sockets: Vec::new(),
            secrets: BTreeSet::new(),
            stopping: false,
            stops: 0,
            crashes: 0,
            downs: Downs::default(),
            begun: Instant::now(),
            transcript: Vec::new(),
            counts: Counts::new(),
        }
    }

    pub(crate) fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    /// Milliseconds since the run began.
    pub(crate) fn now_ms(&self) -> i64 {
        i64::try_from(self.begun.elapsed().as_millis()).unwrap()
    }

    pub(crate) fn note(&mut self, line: impl std::fmt::Display) {
        let at_ms = self.now_ms();
        self.transcript.push(format!("{at_ms:>7} {line}"));
    }

    pub(crate) fn moment(&self) -> Moment {
        Moment {
            at: Instant::now(),
            faults: self.climate.faults(),
            stops: self.stops,
            crashes: self.crashes,
            stopping: self.stopping,
        }
    }

    /// Has a server ended since a moment, or was one ending then, or is one now?
    pub(crate) fn disturbed_since(&self, moment: Moment) -> bool {
        let ended = moment.stops < self.stops || moment.crashes < self.crashes;
        ended || moment.stopping || self.stopping
    }

    /// A request of that moment was answered with 503 and this code.
    pub(crate) fn check_unavailable(&self, sent: Moment, code: &str) {
        let expected = match code {
            // A request that outlasts the stop of the server finds the store closed.
            "storage_unavailable" => self.disk_failed_since(sent) || self.disturbed_since(sent),
            "shutting_down" => self.disturbed_since(sent),
            "busy" => self.disturbed_since(sent),
            "timed_out" => sent.at.elapsed() >= Duration::from_millis(REQUEST_MS),
            _ => false,
        };
        assert!(expected, "a request was refused with {code}");
    }

    /// Has a request to the disk failed since a moment?
    pub(super) fn disk_failed_since(&self, moment: Moment) -> bool {
        self.climate.faults() > moment.faults
    }

    pub(crate) fn stop_told(&mut self) {
        self.stopping = true;
        self.stops += 1;
        self.count("stop");
        self.note("== the server is told to stop");
    }

    pub(crate) fn crashed(&mut self) {
        self.crashes += 1;
        self.count("crash");
        self.note("== the server crashes");
        self.is_down();
    }

    pub(crate) fn is_down(&mut self) {
        self.downs.down(self.now_ms());
    }

    pub(crate) fn is_up(&mut self) {
        self.downs.up(self.now_ms());
    }

    // What is on disk.

    pub(crate) fn guest(&mut self, name: String, token: String) {
        let found = self.disk.user_by_token(TokenHash::of(token.as_bytes()));
        let user = found.now_or_never().unwrap().unwrap();
        let user = user.expect("a guest that was told of is on disk");
        assert_eq!(user.name, name);
        self.names.insert(user.id, name.clone());
        self.people.push(Person {
            name,
            token,
            user: user.id,
            issued: Vec::new(),
        });
    }

    pub(crate) fn keep_secret(&mut self, secret: String) {
        self.secrets.insert(secret);
    }

    /// Nothing that was said gives a secret away.
    pub(crate) fn check_secrecy(&self, text: &str) {
        for secret in &self.secrets {
            assert!(!text.contains(secret), "a secret was told: {text}");
        }
        for person in &self.people {
            assert!(!text.contains(&person.token), "a token was told: {text}");
        }
    }

    /// Nor does what is on disk.
    pub(crate) fn check_disk(&self) {
        self.check_secrecy(&format!("{:?}", self.disk));
    }

    /// Reads on in the log of a match. Is there such a match?
    pub(crate) fn read(&mut self, game: PublicId) -> bool {
        if !self.truths.contains_key(&game) {
            let row = self.disk.find_match(game).now_or_never().unwrap();
            let Some(row) = row.unwrap() else {
                return false;
            };
            let log = self.disk.log_after(row.id, 0, 1).now_or_never().unwrap();
            let truth = Truth::begin(game, row.id, &log.unwrap()[0], &self.names);
            self.truths.insert(game, truth);
            self.games.push(game);
        }
        let truth = self.truths.get_mut(&game).unwrap();
        let rows = self.disk.log_after(truth.id, truth.seq(), u32::MAX);
        let rows = rows.now_or_never().unwrap().unwrap();
        for row in &rows {
            if let Some(given) = truth.read(row, &self.names, &self.downs) {
                let command = find(&self.people, game, &given);
                assert!(command.is_some(), "nobody asked for this: {given:?}");
            }
        }
        if let Some(last) = rows.last() {
            truth.check_deadline(last);
        }
        true
    }

    pub(crate) fn truth(&mut self, game: PublicId) -> &mut Truth {
        assert!(self.read(game), "{game} was told of and is not on disk");
        self.truths.get_mut(&game).unwrap()
    }

    /// What anybody has been told of a match.
    pub(crate) fn told(&self, game: PublicId) -> u64 {
        self.truths.get(&game).map_or(1, |truth| truth.told)
    }
}

/// Who gave a command, and when, if anybody did.
fn find<'a>(people: &'a [Person], game: PublicId, given: &Given) -> Option<&'a Issued> {
    let person = people.iter().find(|person| person.user == given.user)?;
    person.issued.iter().find(|issued| {
        issued.game == game
            && match (&issued.message, &given.event) {
                (
                    ClientMessage::Act {
                        number,
                        actions,
                        key,
                        ..
                    },
                    Event::Acted { action, part, .. },
                ) => {
                    let expected = actions.get(*part as usize).map(|action| &action.0);
                    (key, number + part, expected) == (&given.key, given.number, Some(action))
                }
                (ClientMessage::Ask { what, key, .. }, event) => {
                    let asked = event.asked().map(|asked| (&asked.key, asked.request));
                    asked == Some((key, *what))
                }
                _ => false,
            }
    })
}

/// The command in a message. A preview asks as a command would.
pub(crate) fn command_of(message: &ClientMessage) -> Option<Command> {
    let actions = |actions: &[WireAction]| actions.iter().map(|action| action.0.clone()).collect();
    match message {
        ClientMessage::Act {
            number,
            actions: list,
            key,
            ..
        } => Some(Command::act(*number, actions(list), key.clone())),
        ClientMessage::Ask {
            what, number, key, ..
        } => Some(Command::Other {
            request: *what,
            number: *number,
            key: key.clone(),
        }),
        ClientMessage::Preview {
            number,
            actions: list,
            ..
        } => {
            let key: Key = "preview".parse().unwrap();
            Some(Command::act(*number, actions(list), key))
        }
        _ => None,
    }
}
