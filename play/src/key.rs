//! A client's own name for a command, by which a command sent twice is known again.

use crate::{Asked, Digest, KEYS_KEPT, Receipt, Request, Told, UserId};
use mancala_engine::{Action, Side};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
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
    /// Of what a team asks for without a command of anybody.
    pub(crate) fn of_majority() -> Key {
        Key("majority".into())
    }

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
///
/// ```
/// use mancala_play::{Key, ParseKeyError};
/// assert_eq!("".parse::<Key>(), Err(ParseKeyError));
/// ```
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

/// The commands of a seat that a match remembers: the last [`KEYS_KEPT`] to act, and as many
/// others, so that a match stays small however long it is. Older ones to act are found in
/// the log, by their number.
///
/// Of a key only a 64-bit hash is kept: a new key is mistaken for one of the remembered ones
/// once in a hundred thousand million million times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Keys {
    /// The oldest first.
    acts: VecDeque<Bound>,
    /// The oldest first.
    others: VecDeque<Bound>,
}

/// A key and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bound {
    /// The hash of the key.
    key: Digest,
    /// The hash of what the command asked.
    pub(crate) content: Digest,
    number: u32,
    actions: u16,
    /// Is its event for the team alone?
    alone: bool,
    seq: u64,
}

impl Keys {
    /// `member` is whose key it is, where those of a team are told apart.
    pub(crate) fn get(&self, member: Option<UserId>, key: &Key) -> Option<&Bound> {
        let key = hash_of(member, key);
        // A command is sent again soon after, if at all.
        let mut remembered = self.acts.iter().rev().chain(&self.others);
        remembered.find(|bound| bound.key == key)
    }

    /// Remembers the first action of a command to act.
    pub(crate) fn bind_act(
        &mut self,
        (member, key): (Option<UserId>, &Key),
        action: &Action,
        number: u32,
        seq: u64,
    ) {
        make_room(&mut self.acts);
        self.acts.push_back(Bound {
            key: hash_of(member, key),
            content: content_of_acts(number, std::slice::from_ref(action)),
            number,
            actions: 1,
            alone: false,
            seq,
        });
    }

    /// The last command to act, if the action with this number continues it.
    pub(crate) fn act_before(&mut self, number: u32) -> Option<&mut Bound> {
        self.acts.back_mut().filter(|bound| {
            let actions = u32::from(bound.actions);
            bound.number.checked_add(actions) == Some(number)
        })
    }

    /// Is what happened at this number older than the commands to act that are remembered?
    pub(crate) fn forgot(&self, number: u32) -> bool {
        let oldest = self.acts.front().filter(|_| self.acts.len() == KEYS_KEPT);
        oldest.is_some_and(|oldest| number < oldest.number)
    }

    /// Remembers any other command.
    pub(crate) fn bind_other(&mut self, asked: &Asked, number: u32, seq: u64) {
        let content = content_of_request(asked.request, asked.number);
        self.bind((asked.by, &asked.key), content, number, (false, seq));
    }

    /// Remembers a command to a team, whose event has this place in the stream of all, or in
    /// that of the team alone.
    pub(crate) fn bind_told(&mut self, told: &Told, number: u32, place: (bool, u64)) {
        self.bind((Some(told.user), &told.key), told.content, number, place);
    }

    fn bind(
        &mut self,
        (member, key): (Option<UserId>, &Key),
        content: Digest,
        number: u32,
        (alone, seq): (bool, u64),
    ) {
        make_room(&mut self.others);
        self.others.push_back(Bound {
            key: hash_of(member, key),
            content,
            number,
            actions: 0,
            alone,
            seq,
        });
    }
}

/// Forgets the oldest of the commands, where there are as many as are remembered.
fn make_room(bounds: &mut VecDeque<Bound>) {
    if bounds.len() >= KEYS_KEPT {
        bounds.pop_front();
    }
}

impl Bound {
    /// Is this the key, and is this action the part of its command that is due?
    pub(crate) fn goes_on(&self, member: Option<UserId>, key: &Key, part: u32) -> bool {
        self.key == hash_of(member, key) && u32::from(self.actions) == part
    }

    /// What the command came to, which was one of this side.
    pub(crate) fn receipt(&self, side: Side) -> Receipt {
        Receipt {
            number: self.number,
            actions: self.actions.into(),
            seq: self.seq,
            only: self.alone.then_some(side),
        }
    }

    /// The lot answers a command to act, and counts with it.
    pub(crate) const fn answered(&mut self) {
        self.actions += 1;
    }

    /// Adds an action to a command to act.
    pub(crate) fn extend(&mut self, action: &Action) {
        self.content = self.content.with_action(action);
        self.actions += 1;
    }
}

fn hash_of(member: Option<UserId>, key: &Key) -> Digest {
    let hash = Digest::START.with_text(key.as_str());
    member.map_or(hash, |member| hash.with_user(member))
}

/// What a command to act asks.
pub(crate) fn content_of_acts(number: u32, actions: &[Action]) -> Digest {
    let numbered = Digest::START.with(0).with(u64::from(number));
    actions.iter().fold(numbered, Digest::with_action)
}

/// What any other command asks.
pub(crate) fn content_of_request(request: Request, number: Option<u32>) -> Digest {
    let asked = Digest::START.with(1).with_request(request);
    number.map_or(asked, |number| asked.with(u64::from(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With all keys of both seats a live match stays well below its 16 KiB.
    #[test]
    fn keys_are_small() {
        assert_eq!(2 * 2 * KEYS_KEPT * size_of::<Bound>(), 8 * 1024);
    }

    #[test]
    fn keys_are_one_to_36_of_few_characters() {
        let longest = "x".repeat(Key::LENGTH_MAX);
        for text in [
            "a",
            "Z-9_",
            "018f4d2e-7c1b-7a50-9d3e-5b6a7c8d9e0f",
            &longest,
        ] {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), text);
            let json = format!("\"{text}\"");
            assert_eq!(serde_json::from_str::<Key>(&json).unwrap().as_str(), text);
        }
        for text in ["", " ", "a b", "é", "a.b", "a\n", &format!("{longest}x")] {
            assert_eq!(text.parse::<Key>(), Err(ParseKeyError), "{text:?}");
        }
    }
}
