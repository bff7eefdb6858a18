//! A client's own name for a command, by which a command sent twice is known again.

use crate::command::{Receipt, Request};
use crate::{Digest, KEYS_KEPT};
use mancala_engine::{Action, Direction, Pit, Side};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::str::FromStr;

/// A client's own name for a command: 1 to 36 of the characters `A-Z a-z 0-9 - _`, so
/// that a UUID fits. It belongs to a seat of a match; the same key with the same content
/// is the same command, and with other content it is refused.
///
/// ```
/// use mancala_play::Key;
/// let key: Key = "move-17".parse()?;
/// assert_eq!(key.as_str(), "move-17");
/// assert!("no spaces".parse::<Key>().is_err());
/// # Ok::<(), mancala_play::ParseKeyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Key(Box<str>);

impl Key {
    /// The longest a key may be, in characters.
    pub const LENGTH_MAX: usize = 36;

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseKeyError;

impl fmt::Display for ParseKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a key is 1 to {} of the characters A-Z, a-z, 0-9, - and _",
            Key::LENGTH_MAX
        )
    }
}

impl std::error::Error for ParseKeyError {}

impl FromStr for Key {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Key, ParseKeyError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let fits = (1..=Key::LENGTH_MAX).contains(&text.len());
        if fits && text.bytes().all(allowed) {
            Ok(Key(text.into()))
        } else {
            Err(ParseKeyError)
        }
    }
}

impl TryFrom<String> for Key {
    type Error = ParseKeyError;

    fn try_from(text: String) -> Result<Key, ParseKeyError> {
        text.parse()
    }
}

impl From<Key> for String {
    fn from(key: Key) -> String {
        key.0.into()
    }
}

/// The commands that a match remembers, by seat and key. Keys of actions are remembered
/// as long as the match lives, the others up to [`KEYS_KEPT`] a seat.
///
/// Of a key only a 64-bit hash is kept, so that long matches stay small; among a thousand
/// keys of a match, two are mistaken for one another once in ten million million matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Keys {
    acts: BTreeMap<u64, Bound>,
    others: VecDeque<(u64, Bound)>,
}

/// What a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bound {
    /// Of the content of the command.
    pub(crate) content: u64,
    pub(crate) receipt: Receipt,
}

impl Keys {
    pub(crate) fn get(&self, side: Side, key: &Key) -> Option<&Bound> {
        let id = id(side, key);
        let other = || self.others.iter().find(|(other, _)| *other == id);
        self.acts
            .get(&id)
            .or_else(|| other().map(|(_, bound)| bound))
    }

    /// Remembers the first action of a command.
    pub(crate) fn bind_act(&mut self, side: Side, key: &Key, bound: Bound) {
        self.acts.insert(id(side, key), bound);
    }

    /// Adds an action to a command remembered already.
    pub(crate) fn extend_act(&mut self, side: Side, key: &Key, action: &Action) {
        if let Some(bound) = self.acts.get_mut(&id(side, key)) {
            bound.content = content_with(bound.content, action);
            bound.receipt.actions += 1;
        }
    }

    /// Remembers any other command, and forgets the oldest one beyond the bound.
    pub(crate) fn bind_other(&mut self, side: Side, key: &Key, bound: Bound) {
        if self.others.len() >= 2 * KEYS_KEPT {
            self.others.pop_front();
        }
        self.others.push_back((id(side, key), bound));
    }
}

fn id(side: Side, key: &Key) -> u64 {
    let seat = Digest::START.with(side as u64);
    key.as_str()
        .bytes()
        .fold(seat, |digest, byte| digest.with(u64::from(byte)))
        .0
}

/// The content of a command to act before its actions.
pub(crate) const fn content_of_number(number: u32) -> u64 {
    Digest::START.with(number as u64).0
}

/// The content of a command with one more action.
pub(crate) fn content_with(content: u64, action: &Action) -> u64 {
    let digest = Digest(content);
    let pair = |digest: Digest, (pit, seeds): &(Pit, u32)| {
        digest.with(u64::from(pit.0)).with(u64::from(*seeds))
    };
    match action {
        Action::Sow { pit, dir } => digest
            .with(1)
            .with(u64::from(pit.0))
            .with(u64::from(*dir == Direction::Reverse)),
        Action::Koneeza { pit } => digest.with(2).with(u64::from(pit.0)),
        Action::Direction { dir } => digest.with(3).with(u64::from(*dir == Direction::Reverse)),
        Action::Arrange { pits } => pits.iter().fold(digest.with(4), |digest, &seeds| {
            digest.with(u64::from(seeds))
        }),
        Action::Strip { take } => take.iter().fold(digest.with(5), pair),
        Action::Lottery { to } => digest.with(6).with(*to as u64),
        Action::LoseTurn => digest.with(7),
    }
    .0
}

/// The content of any other command.
pub(crate) const fn content_of_request(request: Request) -> u64 {
    Digest::START.with(u64::MAX).with(request as u64).0
}
