//! All of a match that can be decided without I/O: who sits where, what may be done,
//! what it leads to, and how games add up to a match.
//!
//! May know the rules (`mancala-engine`), never sockets, files, clocks or lots: time,
//! draws and ids come in with a [`Context`].
//!
//! A [`Match`] is driven in two steps. [`Match::decide`] says what a [`Command`] leads
//! to, as [`Event`]s, or refuses it by name, and changes nothing. The caller writes the
//! events down; then [`Match::apply`], which cannot fail, makes them true. Replaying the
//! events of a log through `apply` gives the same match again.
//!
//! ```
//! use mancala_engine::{Action, Format, Mancala, Options, Pit, Side};
//! use mancala_play::{Command, Context, Decision, Event, Match, MatchSpec, UserId};
//! use uuid::Uuid;
//!
//! let [ann, ben] = [1, 2].map(|n| UserId(Uuid::from_u128(n)));
//! let context = Context::untimed(Side::South);
//! let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
//! let mut play = Match::create(spec);
//! let commands = [
//!     (ann, Command::Sit { side: Side::South, asked_for: false }),
//!     (ben, Command::Sit { side: Side::North, asked_for: false }),
//!     (ann, Command::act(2, vec![Action::sow(Pit(3))], "k1".parse().unwrap())),
//! ];
//! for (user, command) in commands {
//!     match play.decide(user, &command, &context)? {
//!         // Here a server writes the events down, and only then makes them true.
//!         Decision::Do(events) => {
//!             for event in &events {
//!                 play.apply(event);
//!             }
//!         }
//!         Decision::Done(receipt) => println!("done before, as {receipt:?}"),
//!         Decision::GoBack { number, .. } => println!("back to before {number}"),
//!     }
//! }
//! assert_eq!(play.to_move(), Some(Side::North));
//! # Ok::<(), mancala_play::Refusal>(())
//! ```

mod absence;
mod apply;
mod clock;
mod command;
mod decide;
mod digest;
mod due;
mod event;
mod ids;
mod key;
mod line;
mod matches;
mod offer;
mod record;
mod refusal;
mod snapshot;
mod spec;
mod takeback;
mod talk;
mod team;

pub use absence::{Absence, Leaving};
pub use apply::{Damage, Effect};
pub use clock::{
    BadControl, Clocks, Control, ControlForm, Entry, LAG_QUOTA_AN_ACTION_MS, LAG_QUOTA_MS, Ledger,
    Spent, WhenOut, Why,
};
pub use command::{Command, Context, Decision, ParseRequestError, Receipt, Request};
pub use digest::Digest;
pub use event::{Asked, Event, GameOutcome, MatchEnd, OutsideReason, PauseWhy, Ruling};
pub use ids::{MatchId, UserId};
pub use key::{Key, ParseKeyError};
pub use line::{Line, Note, ParseLineError, TeamName};
pub use matches::{Match, Play, Stage};
pub use offer::{Offer, OfferKind};
pub use record::record;
pub use refusal::Refusal;
pub use snapshot::{BadSnapshot, Snapshot};
pub use spec::{Access, BadSpec, MatchSpec, Way};
pub use takeback::Earlier;
pub use talk::{ParseRoomError, Room, Saying};
pub use team::{
    ARRIVALS_A_PERSON_MAX, ARRIVALS_MAX, Council, Decides, PROPOSALS_A_MEMBER_MAX, Person,
    Proposal, Roster, SEATS_MAX, Seat, Speaks, StandIns, Team, TeamEvent, TeamRefusal, TeamRequest,
    TeamsSpec, Told, WAITING_MAX,
};

/// Actions that one command may hold: a sowing with its choices, or a strip.
pub const ACTIONS_MAX: usize = 8;

/// The keys of a seat that a match remembers: so many of commands to act, and so many of
/// others.
pub const KEYS_KEPT: usize = 64;
