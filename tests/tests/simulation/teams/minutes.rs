//! What the log of a match of teams has to say, worked out from its words alone: who was in
//! which team when, and who had the right to decide what he decided.

use super::agreed::Agreed;
use mancala_engine::{Action, BySide, Position as _, Side};
use mancala_play::{Decides, Event, Match, MatchEnd, TeamEvent, UserId};
use mancala_server::store::LogRow;

/// The log, gone through.
#[derive(Debug, Default)]
pub(super) struct Minutes {
    /// Each action that a side has played, with the number of who decided it.
    pub(super) decided: Vec<(Side, u32)>,
    pub(super) actions: Vec<Action>,
    /// What happened in the teams, by its word.
    pub(super) happened: Vec<&'static str>,
    /// Events for each team alone.
    pub(super) private: BySide<usize>,
    pub(super) end: Option<MatchEnd>,
}

/// A team, as the words of the log make it.
#[derive(Debug, Default)]
struct Team {
    came: Vec<UserId>,
    seats: Vec<Seat>,
    waiting: Vec<UserId>,
    captain: Option<UserId>,
    absent: Vec<UserId>,
    proposals: Vec<(UserId, Vec<Action>)>,
    votes: Vec<(UserId, usize)>,
    /// In which turn of the game who played last, while nothing has changed in the team since.
    played: Option<(u32, UserId)>,
}

#[derive(Clone, Copy, Debug)]
struct Seat {
    member: UserId,
    holder: Option<UserId>,
}

/// Goes through a log. Each of its rows leads to the state that it says, and each action was
/// decided by one who might.
pub(super) fn go_through(rows: &[LogRow], agreed: &Agreed) -> Minutes {
    let mut minutes = Minutes::default();
    let Event::Created { spec } = &rows[0].event else {
        panic!("the log begins with {:?}", rows[0].event);
    };
    let mut play = Match::create(spec.clone());
    let mut teams: BySide<Team> = BySide::default();
    // What is left of the proposal that is being played.
    let mut rest: Vec<Action> = Vec::new();
    for row in &rows[1..] {
        match &row.event {
            Event::Team { side, what, .. } => {
                teams[*side].take(what);
                minutes.happened.push(word(what));
                minutes.private[*side] += usize::from(what.is_private());
                let other = &teams[side.other()];
                let both = teams[*side].people().filter(|user| other.knows(*user));
                assert_eq!(both.count(), 0, "somebody is on both sides");
                teams[*side].ensure_nobody_is_twice();
            }
            Event::Acted {
                side: Some(side),
                action,
                by,
                part,
                ..
            } => {
                let team = &mut teams[*side];
                let by = by.expect("every turn names who decided it");
                if *part == 0 {
                    let turn = play.play().unwrap().game().position().standing().turn;
                    rest = team.ensure_may_decide(by, turn, agreed.decides);
                    rest.reverse();
                }
                if let Decides::Vote { .. } = agreed.decides {
                    let voted = rest.pop();
                    assert_eq!(voted.as_ref(), Some(action), "not what was voted for");
                }
                minutes.decided.push((*side, team.number(by)));
                minutes.actions.push(action.clone());
                // What was proposed was for the action that was due.
                for side in Side::ALL {
                    teams[side].proposals.clear();
                    teams[side].votes.clear();
                }
            }
            Event::MatchEnded { end, .. } => minutes.end = Some(*end),
            _ => {}
        }
        play.apply(&row.event);
        assert_eq!(play.digest(), row.digest, "at {}: {:?}", row.seq, row.event);
    }
    let events: Vec<Event> = rows.iter().map(|row| row.event.clone()).collect();
    let again = Match::replay(&events, play.digest()).unwrap();
    assert_eq!(again.digest(), play.digest());
    minutes
}

impl Team {
    fn people(&self) -> impl Iterator<Item = UserId> {
        let seats = self.seats.iter();
        let seated = seats.flat_map(|seat| [Some(seat.member), seat.holder]);
        seated.flatten().chain(self.waiting.iter().copied())
    }

    fn knows(&self, user: UserId) -> bool {
        self.people().any(|person| person == user)
    }

    fn is_member(&self, user: UserId) -> bool {
        self.seats.iter().any(|seat| seat.member == user)
    }

    fn ensure_nobody_is_twice(&self) {
        let mut people: Vec<UserId> = self.people().collect();
        people.sort();
        let all = people.len();
        people.dedup();
        assert_eq!(people.len(), all, "somebody is twice in a team");
    }

    fn number(&self, user: UserId) -> u32 {
        let place = self.came.iter().rposition(|who| *who == user).unwrap();
        u32::try_from(place + 1).unwrap()
    }

    /// Whoever begins to play is one who may, as the words say it. In a vote, returns what
    /// is to be played.
    fn ensure_may_decide(&mut self, by: UserId, turn: u32, decides: Decides) -> Vec<Action> {
        match decides {
            Decides::First => assert!(self.is_member(by)),
            Decides::Captain => assert!(self.is_member(by) && self.captain == Some(by)),
            Decides::Rotation => {
                assert!(self.is_member(by));
                let place = |user| self.seats.iter().position(|seat| seat.member == user);
                match self.played {
                    Some((last, user)) if last == turn => assert_eq!(user, by),
                    Some((_, user)) => {
                        let next = (place(user).unwrap() + 1) % self.seats.len();
                        assert_eq!(self.seats[next].member, by, "out of turn");
                    }
                    None => {}
                }
                self.played = Some((turn, by));
            }
            Decides::Vote { .. } => {
                let (proposer, actions) = self.leading();
                assert_eq!(*proposer, by, "the votes were for another");
                return actions.clone();
            }
        }
        Vec::new()
    }

    /// The proposal with the most votes, of several the earliest; without any, the captain's
    /// first.
    fn leading(&self) -> &(UserId, Vec<Action>) {
        let mut counts = vec![0; self.proposals.len()];
        for (_, place) in &self.votes {
            counts[*place] += 1;
        }
        match counts.iter().max() {
            Some(most @ 1..) => {
                let place = counts.iter().position(|count| count == most).unwrap();
                &self.proposals[place]
            }
            _ => {
                let mut proposals = self.proposals.iter();
                let first = proposals.find(|(by, _)| Some(*by) == self.captain);
                first.expect("a vote, or what the captain proposed")
            }
        }
    }

    fn take(&mut self, what: &TeamEvent) {
        match what {
            TeamEvent::Came { user } => {
                self.came.push(*user);
                self.sit(*user);
                self.captain.get_or_insert(*user);
            }
            TeamEvent::Waits { user } => {
                self.came.push(*user);
                self.waiting.push(*user);
            }
            TeamEvent::Sat { user } => {
                self.waiting.retain(|who| who != user);
                self.sit(*user);
            }
            TeamEvent::Left { user } => self.leave(*user),
            TeamEvent::StoodIn { user, member } => {
                assert!(self.absent.contains(member), "he is present");
                assert!(!self.absent.contains(user), "he is absent himself");
                self.waiting.retain(|who| who != user);
                let seat = self.seat_of(*member);
                seat.member = *user;
                if seat.holder.is_some() {
                    self.waiting.push(*member);
                } else {
                    seat.holder = Some(*member);
                }
            }
            TeamEvent::HandedBack { holder } => {
                let mut seats = self.seats.iter_mut();
                let seat = seats.find(|seat| seat.holder == Some(*holder)).unwrap();
                let stood_in = std::mem::replace(&mut seat.member, *holder);
                seat.holder = None;
                self.waiting.insert(0, stood_in);
            }
            TeamEvent::Led { user } => self.captain = Some(*user),
            TeamEvent::Ordered { users } => {
                let place = |seat: &Seat| users.iter().position(|user| *user == seat.member);
                self.seats.sort_by_key(|seat| place(seat).unwrap());
            }
            TeamEvent::Absent { user } => self.absent.push(*user),
            TeamEvent::Present { user } => self.absent.retain(|who| who != user),
            TeamEvent::Proposed { user, actions } => {
                assert!(self.is_member(*user));
                self.proposals.push((*user, actions.clone()));
            }
            TeamEvent::Voted { user, proposal } => {
                assert!(self.is_member(*user));
                self.votes.retain(|(who, _)| who != user);
                self.votes.push((*user, *proposal as usize));
            }
            TeamEvent::Passed { .. }
            | TeamEvent::Ready
            | TeamEvent::WindowClosed
            | TeamEvent::Backed { .. }
            | TeamEvent::Published => {}
        }
        // Who is a member no more has no vote; what he proposed stands.
        let votes = std::mem::take(&mut self.votes);
        self.votes = votes
            .into_iter()
            .filter(|(who, _)| self.is_member(*who))
            .collect();
        if !what.is_private() {
            self.played = None;
        }
    }

    fn sit(&mut self, user: UserId) {
        self.seats.push(Seat {
            member: user,
            holder: None,
        });
    }

    fn seat_of(&mut self, member: UserId) -> &mut Seat {
        let mut seats = self.seats.iter_mut();
        seats.find(|seat| seat.member == member).unwrap()
    }

    fn leave(&mut self, user: UserId) {
        assert!(self.knows(user));
        self.waiting.retain(|who| *who != user);
        self.absent.retain(|who| *who != user);
        for seat in &mut self.seats {
            if seat.holder == Some(user) {
                seat.holder = None;
            }
            if seat.member == user
                && let Some(holder) = seat.holder.take()
            {
                seat.member = holder;
            }
        }
        self.seats.retain(|seat| seat.member != user);
    }
}

const fn word(what: &TeamEvent) -> &'static str {
    match what {
        TeamEvent::Came { .. } => "came",
        TeamEvent::Waits { .. } => "waits",
        TeamEvent::Sat { .. } => "sat",
        TeamEvent::Left { .. } => "left",
        TeamEvent::StoodIn { .. } => "stood_in",
        TeamEvent::HandedBack { .. } => "handed_back",
        TeamEvent::Led { .. } => "led",
        TeamEvent::Ordered { .. } => "ordered",
        TeamEvent::Absent { .. } => "absent",
        TeamEvent::Present { .. } => "present",
        TeamEvent::Passed { .. } => "passed",
        TeamEvent::Ready => "ready",
        TeamEvent::Proposed { .. } => "proposed",
        TeamEvent::Voted { .. } => "voted",
        TeamEvent::WindowClosed => "window_closed",
        TeamEvent::Backed { .. } => "backed",
        TeamEvent::Published => "published",
    }
}
