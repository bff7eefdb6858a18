//! What the server says over the socket.

use crate::challenge::TeamChallenge;
use crate::clocks::{ClockChange, ClocksView, SomeSides};
use crate::forms::{
    ChecksumForm, LeavingForm, OfferForm, Pair, PauseForm, PhaseForm, PositionForm, Which,
};
use crate::invite::{Invitation, Me};
use crate::talk::RoomForm;
use crate::view::EndReason;
use crate::{
    LineView, MatchView, PlayerView, PublicId, TalkChange, TeamFrame, WireAction, WireStep,
    YourTeam,
};
use mancala_engine::{BySide, Phase, Setup, Side};
use mancala_play::{Leaving, OfferKind, PauseWhy, Room};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the server says over the socket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The answer to `hello`.
    Welcome {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// The name of this socket in the server's logs.
        session: String,
        /// Who is signed in, if anyone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<Me>,
        /// The version of the server.
        server: String,
    },
    /// The answer to `join`. Events after `seq` follow.
    Joined {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// What one is in it.
        role: Role,
        /// The number of the last event one has now: that of `view`, or one's own `since`,
        /// after which the missed events follow.
        seq: u64,
        /// The match as it stands; left out where the missed events follow instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        view: Option<Box<MatchView>>,
        /// In a match with clocks, where missed events follow: how long, after the last of
        /// them, the match has waited, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elapsed_ms: Option<i64>,
        /// For who is in a team: what he alone is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team: Option<Box<YourTeam>>,
    },
    /// The answer to `leave`.
    Left {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
    },
    /// Something has happened in a match.
    Event {
        /// The match.
        r#match: PublicId,
        /// The team that alone is told of it; left out where everybody is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Which>")]
        only: Option<Side>,
        /// Its number in the stream of those who are told of it, without a gap after the one
        /// before.
        seq: u64,
        /// What.
        #[serde(flatten)]
        body: EventBody,
    },
    /// What those may play whose turn it is. Sent to them alone; not numbered.
    Legal {
        /// The match.
        r#match: PublicId,
        /// The number that the next action will have.
        number: u32,
        /// What is due: `play`, `direction`, `strip`, `arrange`.
        phase: String,
        /// The actions that may be played, where they can be listed.
        actions: Vec<WireAction>,
    },
    /// A command was carried out and is on disk. Comes after its events.
    Done {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The number of its first action; of the next one, where it brought none.
        number: u32,
        /// How many actions it brought.
        actions: u32,
        /// The number of its first event in the stream.
        seq: u64,
        /// Of which team alone that stream is; left out where it is everybody's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Which>")]
        only: Option<Side>,
    },
    /// A message was refused, and nothing has changed.
    Refused {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// The match, if it was about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        r#match: Option<PublicId>,
        /// Why, for programs.
        code: String,
        /// Why, for people.
        message: String,
        /// Which of the actions was refused, from 0, where the rules refused one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u32>,
        /// The number that the next action will have, where the number was wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_number: Option<u32>,
    },
    /// Somebody invites one to a match. What was missed of these says `GET
    /// /api/v1/me/invitations`.
    Invited {
        /// To which, and who does.
        #[serde(flatten)]
        invitation: Invitation,
    },
    /// A team of one's has challenged another or was challenged, or something has become of
    /// it. What was missed of these says `GET /api/v1/teams/{team}/challenges`.
    TeamChallenge {
        /// The challenge.
        #[serde(flatten)]
        challenge: TeamChallenge,
    },
    /// What actions would do.
    Previewed {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The number that the first of them would have.
        number: u32,
        /// What each of them would do.
        acted: Vec<ActedFrame>,
    },
    /// Who is here. Not numbered: the last one counts.
    Presence {
        /// The match.
        r#match: PublicId,
        /// Is the holder of each seat connected?
        #[schemars(with = "Pair<bool>")]
        players: BySide<bool>,
        /// How many watch; rounded above ten.
        watching: u32,
        /// How long the sides that are away may yet be, in milliseconds.
        #[serde(default, skip_serializing_if = "SomeSides::is_empty")]
        grace_ms: SomeSides<i64>,
    },
    /// The answer to `listen`: what one has missed of a room, and how it stands.
    Talk {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
        /// The number of the last line; 0 where there is none yet.
        last: u32,
        /// May nobody speak?
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        closed: bool,
        /// May one not speak oneself?
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        muted: bool,
        /// The last lines after the one that was named, in order.
        lines: Vec<LineView>,
    },
    /// Somebody has said something in a room that one listens to.
    Said {
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
        /// What.
        #[serde(flatten)]
        line: LineView,
    },
    /// A room that one listens to has changed.
    TalkChanged {
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
        /// How.
        what: TalkChange,
    },
    /// What was asked of a room is done and on disk.
    Noted {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// The match.
        r#match: PublicId,
        /// The room.
        #[schemars(with = "RoomForm")]
        room: Room,
        /// The number of the line that was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// The answer to `ping`.
    Pong {
        /// The `id` of the message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
    },
    /// The server closes the socket, and why. The last message.
    Bye {
        /// Why, for programs.
        code: String,
        /// Why, for people.
        message: String,
    },
}

/// What a socket is in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It plays the south side.
    South,
    /// It plays the north side.
    North,
    /// It watches.
    Spectator,
}

impl From<Option<Side>> for Role {
    fn from(side: Option<Side>) -> Role {
        match side {
            Some(Side::South) => Role::South,
            Some(Side::North) => Role::North,
            None => Role::Spectator,
        }
    }
}

/// What has happened in a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventBody {
    /// Somebody took a seat.
    Seated {
        /// Of which side.
        #[schemars(with = "Which")]
        side: Side,
        /// Who.
        player: PlayerView,
    },
    /// A game began.
    GameBegan {
        /// The action number this takes.
        number: u32,
        /// The number of the game, from 1.
        game: u32,
        /// The side that begins; of game 1 the lot said so.
        #[schemars(with = "Which")]
        begins: Side,
        /// The position it begins from.
        #[schemars(with = "PositionForm")]
        position: Setup,
        /// The checksum of that position.
        #[schemars(with = "ChecksumForm")]
        checksum: String,
        /// In rotation, the number of the member of the side to move whose turn it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_turn: Option<u32>,
        /// The clocks with which it begins.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clocks: Option<Box<ClocksView>>,
    },
    /// An action was played.
    Acted {
        /// The action number.
        number: u32,
        /// What was done and what came of it.
        #[serde(flatten)]
        acted: ActedFrame,
        /// In a team, the number of who decided it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<u32>,
        /// In rotation, the number of the member of the side to move whose turn it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_turn: Option<u32>,
        /// How the clocks changed, where there are any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<Box<ClockChange>>,
    },
    /// The match went back to where it was before an earlier action.
    TakenBack {
        /// The action number this takes.
        number: u32,
        /// The number of that action.
        to: u32,
        /// The side whose turn was taken back.
        #[schemars(with = "Which")]
        side: Side,
        /// The position now.
        #[schemars(with = "PositionForm")]
        position: Setup,
        /// The checksum of that position.
        #[schemars(with = "ChecksumForm")]
        checksum: String,
        /// In rotation, the number of the member of the side to move whose turn it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_turn: Option<u32>,
        /// How the clocks changed, where there are any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<Box<ClockChange>>,
    },
    /// A side signed the contract.
    Signed {
        /// The side.
        #[schemars(with = "Which")]
        side: Side,
    },
    /// A side offers something. Any action settles it.
    Offered {
        /// The side.
        #[schemars(with = "Which")]
        side: Side,
        /// What.
        #[schemars(with = "OfferForm")]
        offer: OfferKind,
        /// The number of the action that is due.
        due: u32,
    },
    /// The offer was declined by the other side, or withdrawn by its own.
    Declined {
        /// Who did.
        #[schemars(with = "Which")]
        side: Side,
        /// What had been offered.
        #[schemars(with = "OfferForm")]
        offer: OfferKind,
    },
    /// A side was given time by the other.
    TimeGiven {
        /// Who gave it.
        #[schemars(with = "Which")]
        side: Side,
        /// How the clocks changed.
        clock: Box<ClockChange>,
    },
    /// The clocks stand.
    Paused {
        /// Why.
        #[schemars(with = "PauseForm")]
        why: PauseWhy,
        /// How the clocks changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<Box<ClockChange>>,
    },
    /// The clocks go on.
    Resumed {
        /// Who is here and goes on; left out where it ended by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Which>")]
        side: Option<Side>,
        /// How the clocks changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<Box<ClockChange>>,
    },
    /// The referee counts for the side to move.
    Counted {
        /// The side.
        #[schemars(with = "Which")]
        side: Side,
        /// How far he has come: 1 or 2.
        count: u8,
        /// What he says: `emu`, `bbiri`.
        word: String,
    },
    /// Nobody of a side is here any more; from now on its grace runs.
    Gone {
        /// The side.
        #[schemars(with = "Which")]
        side: Side,
        /// How it went.
        #[schemars(with = "LeavingForm")]
        how: Leaving,
        /// How long it may be away, in milliseconds.
        grace_ms: i64,
    },
    /// Somebody of a side is here again.
    Back {
        /// The side.
        #[schemars(with = "Which")]
        side: Side,
    },
    /// Something happened in a team.
    Team {
        /// Of this side.
        #[schemars(with = "Which")]
        side: Side,
        /// What.
        what: TeamFrame,
        /// The number of the team's captain now; left out where it has none, and in what is
        /// for the team alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        captain: Option<u32>,
        /// In rotation, the number of the member of the side to move whose turn it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_turn: Option<u32>,
    },
    /// Both play again.
    Rematched {
        /// In this match.
        next: PublicId,
    },
    /// A game ended.
    GameEnded {
        /// Its number.
        game: u32,
        /// `win`, `draw` or `void`; a void game is played again.
        outcome: OutcomeWord,
        /// The side that won, if any.
        #[schemars(with = "Option<Which>")]
        winner: Option<Side>,
        /// What it brings the winner.
        points: u32,
        /// A reason of the rules, or `resigned`, `agreed`, `time` or `claimed`.
        reason: String,
        /// The points of both sides, this game's added.
        #[schemars(with = "Pair<u32>")]
        score: BySide<u32>,
        /// How the clocks changed, where there are any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<Box<ClockChange>>,
    },
    /// The match is over.
    MatchEnded {
        /// The side that won, if any.
        #[schemars(with = "Option<Which>")]
        winner: Option<Side>,
        /// Why.
        reason: EndReason,
        /// What the one said who ended it from above.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// The points of both sides.
        #[schemars(with = "Pair<u32>")]
        score: BySide<u32>,
        /// How the clocks changed, where a game with clocks was broken off.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<Box<ClockChange>>,
    },
}

impl EventBody {
    /// Is an offer that stood before it settled by it?
    #[must_use]
    pub const fn settles_offer(&self) -> bool {
        !matches!(
            self,
            EventBody::Seated { .. }
                | EventBody::Signed { .. }
                | EventBody::Resumed { .. }
                | EventBody::Counted { .. }
                | EventBody::Gone { .. }
                | EventBody::Back { .. }
                | EventBody::Team { .. }
        )
    }
}

/// How a game ended, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Outcome")]
pub enum OutcomeWord {
    /// A side won.
    Win,
    /// Nobody did.
    Draw,
    /// It does not count.
    Void,
}

/// An action and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Acted")]
pub struct ActedFrame {
    /// The side that acted; the lot's answer is nobody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Which>")]
    pub side: Option<Side>,
    /// What was done.
    pub action: WireAction,
    /// How the seeds moved.
    pub trace: Vec<WireStep>,
    /// The side to move now.
    #[schemars(with = "Which")]
    pub to_move: Side,
    /// The number of the turn now.
    pub turn: u32,
    /// Turns in a row without a capture.
    pub quiet: u32,
    /// What is due now, where it is not `play`, in the form of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PhaseForm>")]
    pub phase: Option<Phase>,
    /// Omweso: that somebody has captured in this game, where that is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<bool>,
    /// Omweso: the turns in which each side captured, where they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Pair<u32>>")]
    pub captures: Option<BySide<u32>>,
    /// Anywoli: the side that last captured with a lap's last seed, where it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Which>")]
    pub last_seed: Option<Side>,
    /// The checksum of the position now.
    #[schemars(with = "ChecksumForm")]
    pub checksum: String,
}
