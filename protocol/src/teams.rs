//! Teams on the wire: who is in them, for everybody; what they deliberate on, for them alone.
//!
//! People are called by their numbers in the team, with a name where they are told of first.

use crate::forms::{RequestForm, Which};
use crate::strict::{given, object};
use crate::{ActedFrame, PublicId, WireAction};
use mancala_engine::{BySide, Side};
use mancala_play::{Decides, Request, SEATS_MAX, Speaks, StandIns, TeamName, TeamsSpec, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The teams of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Teams")]
pub struct TeamsView {
    /// How each team decides what it plays.
    #[schemars(with = "DecidesForm")]
    pub decides: Decides,
    /// How it decides to resign, to offer and to accept.
    #[schemars(with = "SpeaksForm")]
    pub speaks: Speaks,
    /// How the seat of somebody who is absent goes to a stand-in.
    #[schemars(with = "StandInsForm")]
    pub stand_ins: StandIns,
    /// For so many seconds somebody may be away before the team goes on without him.
    pub grace: u16,
    /// In rotation, the number of the member of the side to move whose turn it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_turn: Option<u32>,
    /// Of south.
    pub south: TeamView,
    /// Of north.
    pub north: TeamView,
}

impl TeamsView {
    /// The team of a side.
    pub const fn of(&mut self, side: Side) -> &mut TeamView {
        match side {
            Side::South => &mut self.south,
            Side::North => &mut self.north,
        }
    }
}

/// A team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Team")]
pub struct TeamView {
    /// The standing team that plays here, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<PublicId>,
    /// What it is called, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many members it may have.
    #[schemars(range(min = 1, max = SEATS_MAX))]
    pub seats: u8,
    /// Its members, in their order.
    pub members: Vec<MemberView>,
    /// Who waits for a seat, the longest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<PersonView>,
    /// The number of its captain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captain: Option<u32>,
    /// Will it begin before all its seats are taken?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ready: bool,
    /// May everybody read what it deliberated on?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
}

/// A member of a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Member")]
pub struct MemberView {
    /// Who.
    #[serde(flatten)]
    pub person: PersonView,
    /// For whom he stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_in_for: Option<PersonView>,
}

/// Somebody in a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Person")]
pub struct PersonView {
    /// What he is called by in the team: the how-manieth to come to it.
    pub number: u32,
    /// The name for people.
    pub name: String,
    /// Has he been away for longer than he may?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
}

/// What happened in a team.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "InTeam")]
pub enum TeamFrame {
    /// Somebody came and took a free seat, as the last of the members.
    Came {
        /// His number.
        number: u32,
        /// His name.
        name: String,
    },
    /// Somebody came and waits for a seat.
    Waits {
        /// His number.
        number: u32,
        /// His name.
        name: String,
    },
    /// Who waited took a free seat, as the last of the members.
    Sat {
        /// His number.
        number: u32,
    },
    /// Somebody left. A seat that he had from another is the other's again; one that was his
    /// is now his who plays on it.
    Left {
        /// His number.
        number: u32,
    },
    /// Who waited plays on the seat of a member, who holds it still.
    StoodIn {
        /// His number.
        number: u32,
        /// The member's.
        member: u32,
    },
    /// The holder of a seat plays on it again; who stood in waits, before all others.
    HandedBack {
        /// The holder's number.
        holder: u32,
    },
    /// The team has another captain.
    Led {
        /// His number.
        number: u32,
    },
    /// The members stand in another order.
    Ordered {
        /// Their numbers.
        members: Vec<u32>,
    },
    /// Somebody has been away for longer than he may.
    Absent {
        /// His number.
        number: u32,
    },
    /// Who was absent is present.
    Present {
        /// His number.
        number: u32,
    },
    /// In rotation: the turn went to another, because the one before is absent.
    Passed {
        /// His number.
        number: u32,
    },
    /// The team is ready to begin before all its seats are taken.
    Ready,
    /// A member proposes what to play. For the team alone.
    Proposed(ProposalView),
    /// A member votes for a proposal, and no longer for another. For the team alone.
    Voted(VoteView),
    /// The window for votes has closed, and the next vote decides. For the team alone.
    WindowClosed,
    /// A member wants the team to ask for something. For the team alone.
    Backed(BackedView),
    /// Everybody may read what the team deliberated on.
    Published,
}

/// What somebody in a team is told of it beside what everybody is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InYourTeam")]
pub struct YourTeam {
    /// Of which side it is.
    #[schemars(with = "Which")]
    pub side: Side,
    /// One's own number in it.
    pub number: u32,
    /// For its members: what it deliberates on. The events for the team alone follow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub council: Option<CouncilView>,
}

/// What a team deliberates on: for it alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Council")]
pub struct CouncilView {
    /// The number of the last event for the team alone.
    pub seq: u64,
    /// What was proposed for the action that is due, the earliest first.
    pub proposals: Vec<ProposalView>,
    /// Who has voted for what.
    pub votes: Vec<VoteView>,
    /// Has the window closed without a decision? Then the next vote decides.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub window_over: bool,
    /// For so many milliseconds more the window is open; left out where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_ms: Option<i64>,
    /// Who wants the team to ask for what.
    pub backed: Vec<BackedView>,
}

/// What a member proposes to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Proposal")]
pub struct ProposalView {
    /// His number.
    pub member: u32,
    /// What, in order.
    pub actions: Vec<WireAction>,
    /// What each of them would do, to be drawn; left out in a match without previews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acted: Option<Vec<ActedFrame>>,
}

/// A vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Vote")]
pub struct VoteView {
    /// The number of who votes.
    pub member: u32,
    /// The place of the proposal, from 0.
    pub proposal: u32,
}

/// What a member wants the team to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Backed")]
pub struct BackedView {
    /// His number.
    pub member: u32,
    /// For what.
    #[schemars(with = "RequestForm")]
    pub what: Request,
}

/// The schema of [`Decides`].
#[derive(JsonSchema)]
#[schemars(rename = "Decides")]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
enum DecidesForm {
    /// The members play a turn each, in their order.
    Rotation,
    /// The captain plays.
    Captain,
    /// What most have voted for is played.
    Vote {
        /// For so many seconds, from the beginning of each decision.
        #[schemars(range(min = 5, max = 86_400))]
        window: u32,
    },
    /// Whoever plays first.
    First,
}

/// Reads how a team decides as strictly as a clock is read: with its own fields, and no others.
fn decides<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decides, D::Error> {
    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
    enum Form {
        Rotation {},
        Captain {},
        Vote { window: u32 },
        First {},
    }
    Ok(match object(deserializer)? {
        Form::Rotation {} => Decides::Rotation,
        Form::Captain {} => Decides::Captain,
        Form::Vote { window } => Decides::Vote { window },
        Form::First {} => Decides::First,
    })
}

/// The schema of [`Speaks`].
#[derive(JsonSchema)]
#[schemars(rename = "Speaks")]
#[serde(rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
enum SpeaksForm {
    /// The captain.
    Captain,
    /// More than half of the members.
    Majority,
}

/// The schema of [`StandIns`].
#[derive(JsonSchema)]
#[schemars(rename = "StandIns")]
#[serde(rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
enum StandInsForm {
    /// As the captain says.
    Captain,
    /// By itself.
    Automatic,
}

/// What is wanted of the teams of a match that is to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTeams {
    /// How many members each may have.
    pub seats: TeamSeats,
    /// What each is called; nothing, where it is left out.
    #[serde(default)]
    pub names: TeamNames,
    /// How each decides what it plays.
    #[serde(deserialize_with = "decides")]
    #[schemars(with = "DecidesForm")]
    pub decides: Decides,
    /// How it decides to resign, to offer and to accept; the captain does, where it is left
    /// out.
    #[serde(default)]
    #[schemars(with = "Option<SpeaksForm>")]
    pub speaks: Speaks,
    /// How the seat of somebody who is absent goes to a stand-in; as the captain says, where
    /// it is left out.
    #[serde(default)]
    #[schemars(with = "Option<StandInsForm>")]
    pub stand_ins: StandIns,
    /// For so many seconds somebody may be away before the team goes on without him; 30, where
    /// it is left out.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(range(min = 5, max = 3_600))]
    pub grace: Option<u16>,
}

/// How many members each team may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamSeats {
    /// South.
    #[schemars(range(min = 1, max = SEATS_MAX))]
    pub south: u8,
    /// North.
    #[schemars(range(min = 1, max = SEATS_MAX))]
    pub north: u8,
}

/// What each team is called, if anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamNames {
    /// South.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "Option<TeamNameForm>")]
    pub south: Option<TeamName>,
    /// North.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "Option<TeamNameForm>")]
    pub north: Option<TeamName>,
}

/// A name: 1 to 40 characters, as people count them, in at most 200 bytes, as that of a guest.
#[derive(JsonSchema)]
#[schemars(rename = "TeamName")]
#[allow(dead_code, reason = "only its schema is used")]
struct TeamNameForm(
    #[schemars(
        length(min = 1, max = TeamName::BYTES_MAX),
        regex(pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$")
    )]
    String,
);

impl NewTeams {
    /// What is agreed then, with the one who keeps order in the match, if anybody does.
    #[must_use]
    pub fn hosted_by(self, host: Option<UserId>) -> TeamsSpec {
        let seats = BySide {
            south: self.seats.south,
            north: self.seats.north,
        };
        let mut spec = TeamsSpec::new(host, seats);
        spec.names = BySide {
            south: self.names.south,
            north: self.names.north,
        };
        spec.decides = self.decides;
        spec.speaks = self.speaks;
        spec.stand_ins = self.stand_ins;
        spec.grace = self.grace.unwrap_or(spec.grace);
        spec
    }
}

/// What a member asks of his team, or the host of any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "TeamAsk")]
pub enum TeamAsk {
    /// To leave it.
    Leave {},
    /// To begin before all seats are taken. The captain's.
    Ready {},
    /// That the first who waits stands in for a member who is absent. The captain's.
    StandIn {
        /// His number.
        member: u32,
    },
    /// That the holder of a seat plays on it again. The captain's, or who stands in on it.
    HandBack {
        /// His number.
        holder: u32,
    },
    /// That somebody else is captain. The captain's, or the host's.
    Lead {
        /// His number.
        member: u32,
    },
    /// That the members stand in another order. The captain's.
    Order {
        /// The numbers of all of them.
        #[schemars(length(max = SEATS_MAX))]
        members: Vec<u32>,
    },
    /// That somebody leaves. The captain's, or the host's.
    Remove {
        /// His number.
        person: u32,
    },
}

impl From<TeamAsk> for mancala_play::TeamRequest {
    fn from(ask: TeamAsk) -> mancala_play::TeamRequest {
        use mancala_play::TeamRequest;
        match ask {
            TeamAsk::Leave {} => TeamRequest::Leave,
            TeamAsk::Ready {} => TeamRequest::Ready,
            TeamAsk::StandIn { member } => TeamRequest::StandIn { member },
            TeamAsk::HandBack { holder } => TeamRequest::HandBack { holder },
            TeamAsk::Lead { member } => TeamRequest::Lead { member },
            TeamAsk::Order { members } => TeamRequest::Order { members },
            TeamAsk::Remove { person } => TeamRequest::Remove { person },
        }
    }
}

impl TeamView {
    /// Makes true what happened in the team, as far as everybody is told of it.
    pub(crate) fn take(&mut self, what: &TeamFrame) {
        match what {
            TeamFrame::Came { number, name } => {
                let person = PersonView::new(*number, name);
                self.members.push(MemberView::of(person));
            }
            TeamFrame::Waits { number, name } => {
                self.waiting.push(PersonView::new(*number, name));
            }
            TeamFrame::Sat { number } => {
                let person = self.take_waiting(*number);
                self.members.extend(person.map(MemberView::of));
            }
            TeamFrame::Left { number } => {
                self.take_waiting(*number);
                for member in &mut self.members {
                    let holds = |holder: &mut PersonView| holder.number == *number;
                    if member.person.number == *number {
                        if let Some(holder) = member.stands_in_for.take() {
                            member.person = holder;
                        }
                    } else {
                        member.stands_in_for.take_if(holds);
                    }
                }
                self.members
                    .retain(|member| member.person.number != *number);
            }
            TeamFrame::StoodIn { number, member } => {
                let Some(person) = self.take_waiting(*number) else {
                    return;
                };
                let mut members = self.members.iter_mut();
                if let Some(seat) = members.find(|seat| seat.person.number == *member) {
                    let away = std::mem::replace(&mut seat.person, person);
                    if seat.stands_in_for.is_some() {
                        self.waiting.push(away);
                    } else {
                        seat.stands_in_for = Some(away);
                    }
                }
            }
            TeamFrame::HandedBack { holder } => {
                for seat in &mut self.members {
                    let is_his = |person: &mut PersonView| person.number == *holder;
                    if let Some(back) = seat.stands_in_for.take_if(is_his) {
                        let stood_in = std::mem::replace(&mut seat.person, back);
                        self.waiting.insert(0, stood_in);
                    }
                }
            }
            TeamFrame::Ordered { members } => {
                let place = |member: &MemberView| {
                    let mut numbers = members.iter();
                    numbers.position(|number| *number == member.person.number)
                };
                self.members.sort_by_key(place);
            }
            TeamFrame::Absent { number } => self.set_absent(*number, true),
            TeamFrame::Present { number } => self.set_absent(*number, false),
            TeamFrame::Ready => self.ready = true,
            TeamFrame::Published => self.published = true,
            TeamFrame::Led { .. }
            | TeamFrame::Passed { .. }
            | TeamFrame::Proposed(_)
            | TeamFrame::Voted(_)
            | TeamFrame::WindowClosed
            | TeamFrame::Backed(_) => {}
        }
    }

    fn take_waiting(&mut self, number: u32) -> Option<PersonView> {
        let place = self
            .waiting
            .iter()
            .position(|person| person.number == number)?;
        Some(self.waiting.remove(place))
    }

    fn set_absent(&mut self, number: u32, absent: bool) {
        let seated = self
            .members
            .iter_mut()
            .flat_map(|seat| std::iter::once(&mut seat.person).chain(&mut seat.stands_in_for));
        for person in seated.chain(&mut self.waiting) {
            if person.number == number {
                person.absent = absent;
            }
        }
    }
}

impl PersonView {
    fn new(number: u32, name: &str) -> PersonView {
        PersonView {
            number,
            name: name.to_owned(),
            absent: false,
        }
    }
}

impl MemberView {
    const fn of(person: PersonView) -> MemberView {
        MemberView {
            person,
            stands_in_for: None,
        }
    }
}

impl CouncilView {
    /// Makes true what happened for the team alone.
    pub(crate) fn take(&mut self, seq: u64, what: &TeamFrame) {
        self.seq = seq;
        match what {
            TeamFrame::Proposed(proposal) => self.proposals.push(proposal.clone()),
            TeamFrame::Voted(vote) => {
                self.votes.retain(|old| old.member != vote.member);
                self.votes.push(*vote);
            }
            TeamFrame::WindowClosed => {
                self.window_over = true;
                self.window_ms = None;
            }
            TeamFrame::Backed(backed) => self.backed.push(*backed),
            _ => {}
        }
    }

    /// The council without what goes by while nothing happens.
    #[must_use]
    pub fn timeless(&self) -> CouncilView {
        CouncilView {
            window_ms: None,
            ..self.clone()
        }
    }

    /// What was deliberated on is over, and a window may be open anew.
    pub(crate) fn end(&mut self, window_ms: Option<i64>) {
        *self = CouncilView {
            seq: self.seq,
            window_ms,
            ..CouncilView::default()
        };
    }

    /// Whoever is a member no more has no voice.
    pub(crate) fn forget(&mut self, team: &TeamView) {
        let is_member = |number: u32| {
            let mut members = team.members.iter();
            members.any(|member| member.person.number == number)
        };
        self.votes.retain(|vote| is_member(vote.member));
        self.backed.retain(|backed| is_member(backed.member));
    }
}
