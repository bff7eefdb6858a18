//! The stable codes of errors that are the protocol's own.

use mancala_play::{Refusal, TeamRefusal};
use std::collections::BTreeMap;
use std::fmt;

/// An error of the protocol. Refusals of a match have the codes of
/// [`mancala_play::Refusal`], those of the rules the codes of [`mancala_engine::Refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The frame or body is not of any form this protocol has.
    BadMessage,
    /// The frame is larger than [`limits::CLIENT_FRAME_BYTES_MAX`](crate::limits).
    TooLarge,
    /// More messages than are allowed.
    TooFast,
    /// The socket does not take what is sent to it.
    TooSlow,
    /// A message before the greeting, or a second greeting.
    Greeting,
    /// A token and a cookie say two things of who somebody is.
    TwoTokens,
    /// The token is not known, or was revoked.
    BadToken,
    /// The token was revoked while the socket was open.
    SignedOut,
    /// Who asks must say who they are.
    SignInNeeded,
    /// A browser asks from another site than this server's own.
    BadOrigin,
    /// There is nothing at this address.
    NotFound,
    /// There is something at this address, but not for this method.
    MethodNotAllowed,
    /// There is no such match.
    NoSuchMatch,
    /// There is nobody of this id.
    NoSuchPerson,
    /// There are as many of these already as may be.
    Full,
    /// There is no such team.
    NoSuchTeam,
    /// Another team has this name.
    NameTaken,
    /// Somebody else has invited this person to the other side.
    InvitedAlready,
    /// No challenge of this name waits for an answer.
    NoSuchChallenge,
    /// The side is for the members of a team that stands on its own.
    MembersOnly,
    /// Only somebody who runs the server may do this.
    Forbidden,
    /// The match is not joined on this socket.
    NotJoined,
    /// The socket has joined as many matches as it may.
    TooManyMatches,
    /// The secret of the link is wrong.
    BadSecret,
    /// The options, format or position cannot be.
    BadOptions,
    /// The idempotency key was used for another request.
    KeyReused,
    /// This match answers no previews.
    NoPreview,
    /// The room is a team's, and who asks is no member of it.
    NotYourRoom,
    /// The match has no such room.
    NoSuchRoom,
    /// Only the host, or the captain of the team whose room it is, may do this.
    NotModerator,
    /// The room is closed.
    TalkClosed,
    /// Who asks may not speak in the room.
    Muted,
    /// As much has been said in the room as may be.
    TalkFull,
    /// Lines come too fast in the room, from one or from all.
    SlowDown,
    /// The room has no line of this number, or its text was removed.
    NoSuchLine,
    /// As much was reported in a day as may be.
    ReportsOver,
    /// The match is damaged and waits for a person.
    SetAside,
    /// The server is going down; nothing new is begun.
    ShuttingDown,
    /// The disk takes nothing more at the moment; nothing was lost.
    StorageUnavailable,
    /// Too much is waiting; try again.
    Busy,
    /// The request was given up. What it asked for may have been done all the same.
    TimedOut,
    /// A fault of the server.
    Internal,
}

impl Code {
    /// All codes.
    pub const ALL: [Code; 42] = [
        Code::BadMessage,
        Code::TooLarge,
        Code::TooFast,
        Code::TooSlow,
        Code::Greeting,
        Code::TwoTokens,
        Code::BadToken,
        Code::SignedOut,
        Code::SignInNeeded,
        Code::BadOrigin,
        Code::NotFound,
        Code::MethodNotAllowed,
        Code::NoSuchMatch,
        Code::NoSuchPerson,
        Code::Full,
        Code::NoSuchTeam,
        Code::NameTaken,
        Code::InvitedAlready,
        Code::NoSuchChallenge,
        Code::MembersOnly,
        Code::Forbidden,
        Code::NotJoined,
        Code::TooManyMatches,
        Code::BadSecret,
        Code::BadOptions,
        Code::KeyReused,
        Code::NoPreview,
        Code::NotYourRoom,
        Code::NoSuchRoom,
        Code::NotModerator,
        Code::TalkClosed,
        Code::Muted,
        Code::TalkFull,
        Code::SlowDown,
        Code::NoSuchLine,
        Code::ReportsOver,
        Code::SetAside,
        Code::ShuttingDown,
        Code::StorageUnavailable,
        Code::Busy,
        Code::TimedOut,
        Code::Internal,
    ];

    /// The code as programs read it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::BadMessage => "bad_message",
            Code::TooLarge => "too_large",
            Code::TooFast => "too_fast",
            Code::TooSlow => "too_slow",
            Code::Greeting => "greeting",
            Code::TwoTokens => "two_tokens",
            Code::BadToken => "bad_token",
            Code::SignedOut => "signed_out",
            Code::SignInNeeded => "sign_in_needed",
            Code::BadOrigin => "bad_origin",
            Code::NotFound => "not_found",
            Code::MethodNotAllowed => "method_not_allowed",
            Code::NoSuchMatch => "no_such_match",
            Code::NoSuchPerson => "no_such_person",
            Code::Full => "full",
            Code::NoSuchTeam => "no_such_team",
            Code::NameTaken => "name_taken",
            Code::InvitedAlready => "invited_already",
            Code::NoSuchChallenge => "no_such_challenge",
            Code::MembersOnly => "members_only",
            Code::Forbidden => "forbidden",
            Code::NotJoined => "not_joined",
            Code::TooManyMatches => "too_many_matches",
            Code::BadSecret => "bad_secret",
            Code::BadOptions => "bad_options",
            Code::KeyReused => "key_reused",
            Code::NoPreview => "no_preview",
            Code::NotYourRoom => "not_your_room",
            Code::NoSuchRoom => "no_such_room",
            Code::NotModerator => "not_moderator",
            Code::TalkClosed => "talk_closed",
            Code::Muted => "muted",
            Code::TalkFull => "talk_full",
            Code::SlowDown => "slow_down",
            Code::NoSuchLine => "no_such_line",
            Code::ReportsOver => "reports_over",
            Code::SetAside => "set_aside",
            Code::ShuttingDown => "shutting_down",
            Code::StorageUnavailable => "storage_unavailable",
            Code::Busy => "busy",
            Code::TimedOut => "timed_out",
            Code::Internal => "internal",
        }
    }

    /// The HTTP status with which REST answers it. Refusals of a match are
    /// [`REFUSED`](crate::rest::REFUSED).
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Code::BadMessage | Code::Greeting | Code::TwoTokens => 400,
            Code::BadToken | Code::SignedOut | Code::SignInNeeded => 401,
            Code::BadSecret
            | Code::BadOrigin
            | Code::Forbidden
            | Code::NotYourRoom
            | Code::NotModerator
            | Code::MembersOnly
            | Code::Muted => 403,
            Code::NotFound
            | Code::NoSuchMatch
            | Code::NoSuchPerson
            | Code::NoSuchTeam
            | Code::NoSuchChallenge
            | Code::NoSuchRoom
            | Code::NoSuchLine => 404,
            Code::MethodNotAllowed => 405,
            Code::NotJoined
            | Code::TooManyMatches
            | Code::Full
            | Code::NameTaken
            | Code::InvitedAlready
            | Code::NoPreview
            | Code::TalkClosed
            | Code::TalkFull => 409,
            Code::TooLarge => 413,
            Code::BadOptions | Code::KeyReused => 422,
            Code::TooFast | Code::TooSlow | Code::SlowDown | Code::ReportsOver => 429,
            Code::Internal => 500,
            Code::SetAside
            | Code::ShuttingDown
            | Code::StorageUnavailable
            | Code::Busy
            | Code::TimedOut => 503,
        }
    }
}

impl fmt::Display for Code {
    /// A sentence for people: what happened and what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Code::BadMessage => "this has no form that is known here",
            Code::TooLarge => "the message is too large",
            Code::TooFast => "too many messages; wait a little and send fewer",
            Code::TooSlow => {
                "this socket is behind; come back and go on from the last number you have"
            }
            Code::Greeting => "a socket greets once, before anything else, and soon",
            Code::TwoTokens => "a token and the cookie of another came together; send one of them",
            Code::BadToken => "the token is not known here; get a new one",
            Code::SignedOut => "the token was revoked; sign in again",
            Code::SignInNeeded => "this needs a token; get one as a guest",
            Code::BadOrigin => {
                "a browser's cookie counts on this server's own pages only; programs send their token"
            }
            Code::NotFound => "there is nothing at this address",
            Code::MethodNotAllowed => "this address has no such method; `Allow` says which it has",
            Code::NoSuchMatch => "there is no match of this name",
            Code::NoSuchPerson => "there is nobody of this id; it is the `id` that `GET /api/v1/me` tells everybody",
            Code::Full => "there are as many of these as may be; one has to go before another comes",
            Code::NoSuchTeam => "there is no team of this name; check it, capitals matter",
            Code::NameTaken => "another team has this name; choose another one",
            Code::InvitedAlready => "somebody else has invited this person to the other side; it is for him to choose",
            Code::NoSuchChallenge => "no challenge of this name waits for an answer; it was accepted, declined or taken back",
            Code::MembersOnly => "this side is for the members of its team; come to that first",
            Code::Forbidden => "this is for those alone who run the server",
            Code::NotJoined => "join the match on this socket first",
            Code::TooManyMatches => "this socket has joined as many matches as it may; leave one",
            Code::BadSecret => "one comes here by a link: send the `secret` of it, or ask for it again",
            Code::BadOptions => "no match can be made so",
            Code::KeyReused => "this key was used for another request; choose a new one",
            Code::NoPreview => "this match answers no previews",
            Code::NotYourRoom => "this room is for the members of that team alone",
            Code::NoSuchRoom => "this match has no such room; teams have rooms of their own",
            Code::NotModerator => "the host keeps order in a room, and in a team's room its captain too",
            Code::TalkClosed => "nobody may speak in this room now; its host or captain has closed it",
            Code::Muted => "you may not speak in this room any more",
            Code::TalkFull => "as much has been said in this room as may be",
            Code::SlowDown => "this comes too often; wait a little, longer each time, and send it again",
            Code::NoSuchLine => "there is no line of this number here, or its text was removed",
            Code::ReportsOver => "you have reported as much in a day as you may",
            Code::SetAside => "this match is damaged and waits for the host of this server",
            Code::ShuttingDown => "the server is going down; come back in a moment",
            Code::StorageUnavailable => {
                "the server cannot write at the moment; nothing was lost, try again soon"
            }
            Code::Busy => "too much is waiting at the moment; try again",
            Code::TimedOut => "this took too long and was given up; look whether it was done",
            Code::Internal => "the server made a mistake; it has been noted",
        })
    }
}

/// Every code that an answer can have, the protocol's own, those of a match and those of
/// the rules, with a sentence for people.
///
/// ```
/// let codes = mancala_protocol::all_codes();
/// assert!(["too_fast", "seat_taken", "empty_pit"].iter().all(|code| codes.contains_key(code)));
/// ```
#[must_use]
pub fn all_codes() -> BTreeMap<&'static str, String> {
    let rules = mancala_engine::Refusal::ALL;
    let rules = rules.iter().map(|code| (code.code(), code.to_string()));
    let of_match = std::iter::successors(Some(Refusal::NotBegun), |&last| refusal_after(last));
    let of_match = of_match.map(|code| (code.code(), code.to_string()));
    let own = Code::ALL
        .iter()
        .map(|code| (code.as_str(), code.to_string()));
    // Of a code that two of them have, the sentence of the last one stays.
    let of_teams = TeamRefusal::ALL.iter();
    let of_teams = of_teams.map(|code| (code.code(), code.to_string()));
    rules.chain(of_match).chain(of_teams).chain(own).collect()
}

/// The refusals of a match, one after another: a new one does not compile until it has
/// its place here. Those of the rules are left out.
const fn refusal_after(refusal: Refusal) -> Option<Refusal> {
    Some(match refusal {
        Refusal::NotBegun => Refusal::MatchOver,
        Refusal::MatchOver => Refusal::NotSeated,
        Refusal::NotSeated => Refusal::SeatTaken,
        Refusal::SeatTaken => Refusal::AlreadySeated,
        Refusal::AlreadySeated => Refusal::NotYourTurn,
        Refusal::NotYourTurn => Refusal::TurnOver { at: 1 },
        Refusal::TurnOver { .. } => Refusal::AlreadyPlayed { next: 3 },
        Refusal::AlreadyPlayed { .. } => Refusal::NumberAhead { next: 3 },
        Refusal::NumberAhead { .. } => Refusal::KeyReused,
        Refusal::KeyReused => Refusal::ActionCount,
        Refusal::ActionCount => Refusal::NotForPlayers,
        Refusal::NotForPlayers => Refusal::ResignOnYourTurn,
        Refusal::ResignOnYourTurn => Refusal::NoOffer,
        Refusal::NoOffer => Refusal::OfferOpen,
        Refusal::OfferOpen => Refusal::OfferedAlready,
        Refusal::OfferedAlready => Refusal::TooLateToAbort,
        Refusal::TooLateToAbort => Refusal::NotInThisMatch,
        Refusal::NotInThisMatch => Refusal::NothingToTakeBack,
        Refusal::NothingToTakeBack => Refusal::NoClaim,
        Refusal::NoClaim => Refusal::NothingToSign,
        Refusal::NothingToSign => Refusal::NotPaused,
        Refusal::NotPaused => Refusal::Paused,
        Refusal::Paused => Refusal::FirstMoveDue,
        Refusal::FirstMoveDue => Refusal::NotOver,
        Refusal::NotOver => Refusal::RematchMade,
        Refusal::RematchMade | Refusal::Rules { .. } | Refusal::Team(_) => return None,
    })
}
