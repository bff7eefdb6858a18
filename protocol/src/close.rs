//! With which number a socket is closed.

use crate::Code;

/// With which number the server closes a socket. Before it comes a
/// [`bye`](crate::ServerMessage::Bye) with the code that says why in a word, where the
/// socket still takes one. A socket that a client closes in good order ends with 1000.
///
/// ```
/// use mancala_protocol::{CloseCode, Code};
/// assert_eq!(CloseCode::TooSlow.number(), 4001);
/// assert_eq!(CloseCode::for_code(Code::BadToken), Some(CloseCode::BadGreeting));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloseCode {
    /// The client asked for it.
    Normal,
    /// The server is going down. Come back after a moment.
    GoingDown,
    /// The socket did not take what was sent to it. Come back and resume.
    TooSlow,
    /// The client went on sending more than is allowed. Come back, and send fewer.
    TooFast,
    /// No greeting in time, none in the right form, or a token that is not known. Coming
    /// back with the same is of no use.
    BadGreeting,
    /// A frame larger than is allowed, or broken. Coming back with the same is of no use.
    BadFrame,
    /// The token was revoked. Sign in again.
    SignedOut,
    /// A fault of the server or of its disk. Come back and resume.
    Internal,
}

impl CloseCode {
    /// All of them.
    pub const ALL: [CloseCode; 8] = [
        CloseCode::Normal,
        CloseCode::GoingDown,
        CloseCode::TooSlow,
        CloseCode::TooFast,
        CloseCode::BadGreeting,
        CloseCode::BadFrame,
        CloseCode::SignedOut,
        CloseCode::Internal,
    ];

    /// The number in the close frame.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            CloseCode::Normal => 1000,
            CloseCode::GoingDown => 4000,
            CloseCode::TooSlow => 4001,
            CloseCode::TooFast => 4002,
            CloseCode::BadGreeting => 4003,
            CloseCode::BadFrame => 4004,
            CloseCode::SignedOut => 4005,
            CloseCode::Internal => 4006,
        }
    }

    /// Does it help to come back, after a pause, with what one has?
    #[must_use]
    pub const fn may_resume(self) -> bool {
        match self {
            CloseCode::GoingDown | CloseCode::TooSlow | CloseCode::TooFast => true,
            CloseCode::Internal => true,
            CloseCode::Normal | CloseCode::BadGreeting => false,
            CloseCode::BadFrame | CloseCode::SignedOut => false,
        }
    }

    /// The number for a `bye` with this code. `None` for codes that close no socket.
    #[must_use]
    pub const fn for_code(code: Code) -> Option<CloseCode> {
        match code {
            Code::ShuttingDown => Some(CloseCode::GoingDown),
            Code::TooSlow => Some(CloseCode::TooSlow),
            Code::TooFast => Some(CloseCode::TooFast),
            Code::Greeting | Code::TwoTokens | Code::BadToken => Some(CloseCode::BadGreeting),
            Code::TooLarge | Code::BadMessage => Some(CloseCode::BadFrame),
            Code::SignedOut => Some(CloseCode::SignedOut),
            // Where a greeting cannot be looked up.
            Code::StorageUnavailable | Code::Internal => Some(CloseCode::Internal),
            _ => None,
        }
    }
}
