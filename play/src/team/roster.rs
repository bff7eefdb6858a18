//! Who is in a team: its seats in their order, and who waits for one.

use crate::UserId;
use serde::{Deserialize, Serialize};

/// The most who wait for a seat of a team.
pub const WAITING_MAX: usize = 50;

/// How often in a game it is told that a member is present again. Whoever comes and goes more
/// often stays absent for it, so that nobody fills a log by that.
pub(crate) const RETURNS_TOLD: u8 = 20;

/// How often people may come to a team of a match, all together, for the same reason.
pub const ARRIVALS_MAX: usize = 1_000;

/// How often one of them may, so that nobody uses up what is for all.
pub const ARRIVALS_A_PERSON_MAX: usize = 20;

/// Somebody in a team.
///
/// ```
/// use mancala_play::{Person, UserId};
/// let user = UserId(uuid::Uuid::from_u128(1));
/// let ann = Person { user, number: 3, absent: false };
/// assert_eq!(serde_json::from_str::<Person>(&serde_json::to_string(&ann)?)?, ann);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Who.
    pub user: UserId,
    /// The how-manieth to come to the team, from 1: what he is called by in the match, and
    /// how long he has been there.
    pub number: u32,
    /// Has he been away for longer than he may?
    pub absent: bool,
}

/// A seat that somebody has.
///
/// ```
/// use mancala_play::{Person, Seat, UserId};
/// let user = UserId(uuid::Uuid::from_u128(1));
/// let seat = Seat { member: Person { user, number: 1, absent: false }, holder: None };
/// assert!(!seat.is_lent());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// Who plays on it.
    pub member: Person,
    /// Whose it is, where the member stands in for somebody.
    pub holder: Option<Person>,
}

impl Seat {
    /// Does its member stand in for somebody?
    #[must_use]
    pub const fn is_lent(&self) -> bool {
        self.holder.is_some()
    }
}

/// Who is in a team.
///
/// ```
/// use mancala_play::Roster;
/// let roster = Roster::default();
/// assert!(roster.seats().is_empty() && roster.captain().is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roster {
    /// In their order.
    seats: Vec<Seat>,
    waiting: Vec<Person>,
    captain: Option<UserId>,
    /// In rotation, the place of the seat whose turn it is.
    at_turn: usize,
    /// Who has ever come, in that order; whoever came again, twice.
    came: Vec<UserId>,
    /// Who has come back how often in this game.
    returns: Vec<(UserId, u8)>,
    /// Who is in neither team, and was in this one last.
    gone: Vec<UserId>,
    /// Whom another has taken out, and who has not come again since.
    taken_out: Vec<UserId>,
}

impl Roster {
    /// The seats that somebody has, in their order.
    #[must_use]
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// Who waits for a seat, the longest first.
    #[must_use]
    pub fn waiting(&self) -> &[Person] {
        &self.waiting
    }

    /// The captain, once somebody has come.
    #[must_use]
    pub const fn captain(&self) -> Option<UserId> {
        self.captain
    }

    /// In rotation, the member whose turn it is.
    #[must_use]
    pub fn at_turn(&self) -> Option<&Person> {
        self.seats.get(self.at_turn).map(|seat| &seat.member)
    }

    /// Who has ever come, in that order: the first has the number 1, and so on. Whoever came
    /// again is there twice.
    #[must_use]
    pub fn came(&self) -> &[UserId] {
        &self.came
    }

    /// The members: who plays on a seat, in their order.
    pub fn members(&self) -> impl Iterator<Item = &Person> {
        self.seats.iter().map(|seat| &seat.member)
    }

    /// The member that this user is.
    #[must_use]
    pub fn member(&self, user: UserId) -> Option<&Person> {
        self.members().find(|member| member.user == user)
    }

    /// Is he a member, or waits, or holds a seat that another plays on?
    #[must_use]
    pub fn knows(&self, user: UserId) -> bool {
        self.people().any(|person| person.user == user)
    }

    /// Everybody, members first.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        let holders = self.seats.iter().filter_map(|seat| seat.holder.as_ref());
        self.members().chain(holders).chain(&self.waiting)
    }

    /// Whoever is called by this number.
    #[must_use]
    pub fn numbered(&self, number: u32) -> Option<&Person> {
        self.people().find(|person| person.number == number)
    }

    /// Of the members who are present, the one who has been there longest.
    pub(crate) fn longest_present(&self) -> Option<UserId> {
        let present = self.members().filter(|member| !member.absent);
        present
            .min_by_key(|member| member.number)
            .map(|member| member.user)
    }

    /// The next member after the one whose turn it is who is present, if that one is not.
    pub(crate) fn present_in_turn(&self) -> Option<UserId> {
        let after = self.seats.iter().cycle().skip(self.at_turn);
        let mut members = after.take(self.seats.len()).map(|seat| &seat.member);
        members
            .find(|member| !member.absent)
            .map(|member| member.user)
    }

    /// The first who waits and is present.
    pub(crate) fn first_waiting(&self) -> Option<UserId> {
        let mut waiting = self.waiting.iter();
        waiting
            .find(|person| !person.absent)
            .map(|person| person.user)
    }

    /// The seat of a member who is absent.
    pub(crate) fn deserted(&self) -> Option<&Seat> {
        self.seats.iter().find(|seat| seat.member.absent)
    }

    /// A seat whose holder is present again, and not on it.
    pub(crate) fn owed(&self) -> Option<&Person> {
        let mut holders = self.seats.iter().filter_map(|seat| seat.holder.as_ref());
        holders.find(|holder| !holder.absent)
    }

    /// Is he in neither team, and was in this one last?
    pub(crate) fn was_last_of(&self, user: UserId) -> bool {
        self.gone.contains(&user)
    }

    /// He comes to a team, be it this one or the other.
    pub(super) fn comes(&mut self, user: UserId) {
        self.gone.retain(|gone| *gone != user);
    }

    /// May it be told once more in this game that he is present?
    pub(crate) fn may_return(&self, user: UserId) -> bool {
        let returns = self.returns.iter().find(|(who, _)| *who == user);
        returns.is_none_or(|(_, times)| *times < RETURNS_TOLD)
    }

    /// Has another taken him out of the team?
    pub(crate) fn was_taken_out(&self, user: UserId) -> bool {
        self.taken_out.contains(&user)
    }

    /// May he come once more?
    pub(crate) fn may_arrive(&self, user: UserId) -> bool {
        let own = self.came.iter().filter(|came| **came == user);
        self.came.len() < ARRIVALS_MAX && own.count() < ARRIVALS_A_PERSON_MAX
    }

    pub(super) fn arrive(&mut self, user: UserId, sits: bool) {
        self.taken_out.retain(|out| *out != user);
        self.came.push(user);
        let person = Person {
            user,
            number: u32::try_from(self.came.len()).unwrap_or(u32::MAX),
            absent: false,
        };
        if sits {
            self.seats.push(Seat {
                member: person,
                holder: None,
            });
            self.captain.get_or_insert(user);
        } else {
            self.waiting.push(person);
        }
    }

    /// Who waited takes a free seat. Where the seat was the captain's, his office is not with
    /// it: it goes to whoever has been here longest.
    pub(super) fn sit(&mut self, user: UserId) -> bool {
        let Some(at) = self.waiting.iter().position(|person| person.user == user) else {
            return false;
        };
        let member = self.waiting.remove(at);
        self.seats.push(Seat {
            member,
            holder: None,
        });
        true
    }

    /// He is to leave because another says so, and does not come again by himself.
    pub(super) fn take_out(&mut self, user: UserId) {
        self.taken_out.push(user);
    }

    /// He is in the team no more, wherever he was. A seat that was lent to him falls back to
    /// its holder; one of his that is lent is the other's from now on.
    pub(super) fn leave(&mut self, user: UserId) -> bool {
        if !self.knows(user) {
            return false;
        }
        self.waiting.retain(|person| person.user != user);
        for seat in &mut self.seats {
            if let Some(holder) = seat.holder.take_if(|_| seat.member.user == user) {
                seat.member = holder;
            }
            seat.holder.take_if(|holder| holder.user == user);
        }
        if let Some(at) = self.place(user) {
            self.seats.remove(at);
            if at < self.at_turn {
                self.at_turn -= 1;
            }
            if self.at_turn >= self.seats.len() {
                self.at_turn = 0;
            }
        }
        self.captain.take_if(|captain| *captain == user);
        self.gone.push(user);
        true
    }

    /// Who waits takes the seat of a member, who holds it still.
    pub(super) fn stand_in(&mut self, user: UserId, member: UserId) -> bool {
        let waits = self.waiting.iter().position(|person| person.user == user);
        let (Some(waits), Some(at)) = (waits, self.place(member)) else {
            return false;
        };
        let stand_in = self.waiting.remove(waits);
        let seat = &mut self.seats[at];
        let away = std::mem::replace(&mut seat.member, stand_in);
        // Whoever stood in and went away too goes back to those who wait.
        if seat.holder.is_some() {
            self.waiting.push(away);
        } else {
            seat.holder = Some(away);
        }
        self.captain.take_if(|captain| *captain == member);
        true
    }

    /// The holder of a seat has it back; who stood in waits again, before all others.
    pub(super) fn hand_back(&mut self, holder: UserId) -> bool {
        for seat in &mut self.seats {
            if let Some(back) = seat.holder.take_if(|person| person.user == holder) {
                let stood_in = std::mem::replace(&mut seat.member, back);
                self.captain.take_if(|captain| *captain == stood_in.user);
                self.waiting.insert(0, stood_in);
                return true;
            }
        }
        false
    }

    pub(super) fn set_absent(&mut self, user: UserId, absent: bool) -> bool {
        let holders = self.seats.iter_mut();
        let seated =
            holders.flat_map(|seat| std::iter::once(&mut seat.member).chain(&mut seat.holder));
        let mut people = seated.chain(&mut self.waiting);
        let Some(person) = people.find(|person| person.user == user && person.absent != absent)
        else {
            return false;
        };
        person.absent = absent;
        if !absent {
            match self.returns.iter_mut().find(|(who, _)| *who == user) {
                Some((_, times)) => *times = times.saturating_add(1),
                None => self.returns.push((user, 1)),
            }
        }
        true
    }

    pub(super) fn lead(&mut self, user: UserId) -> bool {
        let is_member = self.member(user).is_some();
        if is_member {
            self.captain = Some(user);
        }
        is_member
    }

    /// The members in another order: each of them once.
    pub(super) fn reorder(&mut self, users: &[UserId]) -> bool {
        let places: Option<Vec<usize>> = users.iter().map(|user| self.place(*user)).collect();
        let Some(places) = places.filter(|places| is_permutation(places, self.seats.len())) else {
            return false;
        };
        let at_turn = self.at_turn().map(|member| member.user);
        self.seats = places.into_iter().map(|at| self.seats[at]).collect();
        self.at_turn = at_turn.and_then(|user| self.place(user)).unwrap_or(0);
        true
    }

    /// In rotation, it is this member's turn, if he is one.
    pub(crate) fn turn_to(&mut self, user: UserId) -> bool {
        let place = self.place(user);
        self.at_turn = place.unwrap_or(self.at_turn);
        place.is_some()
    }

    /// In rotation, the turn of the member is over.
    pub(crate) fn rotate(&mut self) {
        self.at_turn = match self.seats.len() {
            0 => 0,
            seats => (self.at_turn + 1) % seats,
        };
    }

    pub(crate) fn game_begins(&mut self) {
        self.returns.clear();
    }

    fn place(&self, member: UserId) -> Option<usize> {
        self.members().position(|person| person.user == member)
    }
}

fn is_permutation(places: &[usize], length: usize) -> bool {
    let mut seen = vec![false; length];
    places.len() == length
        && places
            .iter()
            .all(|at| !std::mem::replace(&mut seen[*at], true))
}
