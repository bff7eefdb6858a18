//! A match as a client holds it: a view, and the events carried into it.
//!
//! May know the walk round the board, as everybody who draws it must, and nothing of the
//! rules: what the server says is the whole of what it goes by, and it holds that against
//! what it said before.

use crate::convert::apply_wire_step;
use crate::{
    ActedFrame, AwayView, ClockChange, CouncilView, EndView, EventBody, MatchView, OfferView,
    SomeSides, StageView, YourTeam,
};
use mancala_engine::{Board, BySide, Extra, Mancala, Phase, Setup, Shape, Side, TraceMismatch};
use mancala_play::Decides;
use std::fmt;

/// A match that a client follows: its view, kept true by the events that come.
///
/// Every event is held against what came before it: its number, the seeds that its steps
/// move, and the checksum of the position they lead to.
///
/// ```
/// use mancala_protocol::{FollowError, Follower, MatchView, ServerMessage};
/// let view: MatchView = serde_json::from_str(
///     r#"{"match":"k3J9sPq0Zx","seq":4,"game":"urim","options":{"columns":6},
///         "format":"single","preview":true,"rules":1,
///         "players":{"south":{"name":"Ann"},"north":{"name":"Ben"}},"stage":"playing",
///         "score":{"south":0,"north":0},"game_number":1,"next_number":2,
///         "position":{"pits":{"south":[3,3,3,3,3,3],"north":[3,3,3,3,3,3]},
///             "stores":{"south":0,"north":0},"to_move":"south","turn":1,"quiet":0,
///             "phase":{"kind":"play"}},
///         "checksum":"1065722b"}"#,
/// )?;
/// let mut follower = Follower::new(view)?;
/// let event: ServerMessage = serde_json::from_str(
///     r#"{"type":"event","match":"k3J9sPq0Zx","seq":5,"kind":"acted","number":2,
///         "side":"south","action":{"type":"sow","pit":4},
///         "trace":[{"lap":[4,3,1],"end_side":"north"}],"to_move":"north","turn":2,
///         "quiet":1,"checksum":"edd71473"}"#,
/// )?;
/// let ServerMessage::Event { seq, body, .. } = event else {
///     unreachable!("it is an event");
/// };
/// follower.take_event(seq, &body)?;
/// let position = follower.view().position.as_ref().ok_or(FollowError::NoPosition)?;
/// assert_eq!(position.board.pits.south, [3, 3, 3, 3, 0, 4]);
/// assert_eq!(position.board.pits.north, [4, 4, 3, 3, 3, 3]);
/// // The same number again is no number that could follow.
/// assert!(matches!(follower.take_event(seq, &body), Err(FollowError::Gap { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Follower {
    view: MatchView,
    /// The side in whose team one is a member, and what that deliberates on.
    council: Option<(Side, CouncilView)>,
}

impl Follower {
    /// Follows a match from a view on.
    ///
    /// # Errors
    /// The checksum of the view is not that of its position.
    pub fn new(view: MatchView) -> Result<Follower, FollowError> {
        if let (Some(position), Some(told)) = (&view.position, &view.checksum) {
            check(position, told)?;
        }
        Ok(Follower {
            view,
            council: None,
        })
    }

    /// The match as it stands.
    #[must_use]
    pub const fn view(&self) -> &MatchView {
        &self.view
    }

    /// Carries an event into the view.
    ///
    /// # Errors
    /// The event does not follow from what came before it. After a [`FollowError::Gap`]
    /// the view is what it was, and joining again with its `seq` as `since` fills the gap.
    /// After any other error it is of no more use: join again without `since`.
    pub fn take_event(&mut self, seq: u64, event: &EventBody) -> Result<(), FollowError> {
        let expected = self.view.seq.saturating_add(1);
        if seq != expected {
            return Err(FollowError::Gap {
                expected,
                told: seq,
            });
        }
        self.view.seq = seq;
        // Whatever happens in the game or to the match settles an offer.
        if event.settles_offer() {
            self.view.offer = None;
        }
        match event {
            EventBody::Seated { side, player } => self.view.players[*side] = Some(player.clone()),
            EventBody::Signed { side } => {
                let nobody = BySide::both(false);
                self.view.signed.get_or_insert(nobody)[*side] = true;
            }
            EventBody::GameBegan {
                number,
                game,
                position,
                checksum,
                at_turn,
                clocks,
                ..
            } => {
                self.count(*number)?;
                self.take_position(position, checksum)?;
                let view = &mut self.view;
                view.stage = StageView::Playing;
                view.game_number = *game;
                view.clocks = clocks.as_deref().cloned();
                view.count = None;
                view.pause = None;
                self.take_turn(*at_turn);
            }
            EventBody::Acted {
                number,
                acted,
                by: _,
                at_turn,
                clock,
            } => {
                self.count(*number)?;
                let view = &mut self.view;
                let position = view.position.as_mut().ok_or(FollowError::NoPosition)?;
                let turn = (position.standing.turn, position.standing.to_move);
                take_acted(position, view.game, acted)?;
                if (acted.turn, acted.to_move) != turn {
                    view.count = None;
                }
                view.checksum = Some(acted.checksum.clone());
                self.take_turn(*at_turn);
                self.take_clock(clock.as_deref());
            }
            EventBody::TakenBack {
                number,
                position,
                checksum,
                at_turn,
                clock,
                ..
            } => {
                self.count(*number)?;
                self.take_position(position, checksum)?;
                self.view.count = None;
                self.take_turn(*at_turn);
                self.take_clock(clock.as_deref());
            }
            EventBody::Offered { side, offer, due } => {
                self.view.offer = Some(OfferView {
                    side: *side,
                    offer: *offer,
                    due: *due,
                });
            }
            EventBody::Declined { .. } => {}
            EventBody::TimeGiven { clock, .. } => {
                if let Some(clocks) = &mut self.view.clocks {
                    clocks.take_given(clock);
                }
            }
            EventBody::Paused { why, clock } => {
                self.view.pause = Some(*why);
                self.take_clock(clock.as_deref());
            }
            EventBody::Resumed { clock, .. } => {
                self.view.pause = None;
                self.take_clock(clock.as_deref());
            }
            EventBody::Counted { count, .. } => self.view.count = Some(*count),
            EventBody::Gone {
                side,
                how,
                grace_ms,
            } => {
                *self.view.away.place(*side) = Some(AwayView {
                    how: *how,
                    grace_ms: *grace_ms,
                });
            }
            EventBody::Back { side } => *self.view.away.place(*side) = None,
            EventBody::GameEnded { score, clock, .. } => {
                self.view.score = *score;
                self.view.pause = None;
                self.take_clock(clock.as_deref());
            }
            EventBody::MatchEnded {
                winner,
                reason,
                note,
                score,
                clock,
            } => {
                self.take_clock(clock.as_deref());
                let view = &mut self.view;
                view.score = *score;
                view.stage = StageView::Over;
                view.pause = None;
                view.count = None;
                view.away = SomeSides::default();
                view.ended = Some(EndView {
                    winner: *winner,
                    reason: *reason,
                    note: note.clone(),
                });
                if let Some(clocks) = &mut view.clocks {
                    clocks.stop();
                }
                self.take_turn(None);
            }
            EventBody::Team {
                side,
                what,
                captain,
                at_turn,
            } => {
                if let Some(teams) = &mut self.view.teams {
                    let team = teams.of(*side);
                    team.take(what);
                    team.captain = *captain;
                    teams.at_turn = *at_turn;
                }
            }
            EventBody::Rematched { next } => self.view.rematch = Some(*next),
        }
        self.tell_team(event);
        Ok(())
    }

    /// Follows also what the own team deliberates on; no more, where it is `None`.
    pub fn join_team(&mut self, team: Option<&YourTeam>) {
        let own = team.and_then(|own| Some((own.side, own.council.clone()?)));
        self.council = own;
    }

    /// What the own team deliberates on, where one is a member of one.
    #[must_use]
    pub const fn council(&self) -> Option<&CouncilView> {
        match &self.council {
            Some((_, council)) => Some(council),
            None => None,
        }
    }

    /// Carries an event in that is for the own team alone.
    ///
    /// # Errors
    /// It does not follow from the one before.
    pub fn take_event_of_team(&mut self, seq: u64, event: &EventBody) -> Result<(), FollowError> {
        let (Some((_, council)), EventBody::Team { what, .. }) = (&mut self.council, event) else {
            return Err(FollowError::NoTeam);
        };
        let expected = council.seq.saturating_add(1);
        if seq != expected {
            return Err(FollowError::Gap {
                expected,
                told: seq,
            });
        }
        council.take(seq, what);
        Ok(())
    }

    /// What an event for everybody changes in what the own team deliberates on.
    fn tell_team(&mut self, event: &EventBody) {
        let Some((side, council)) = &mut self.council else {
            return;
        };
        match event {
            EventBody::GameBegan { .. }
            | EventBody::Acted { .. }
            | EventBody::TakenBack { .. }
            | EventBody::Paused { .. }
            | EventBody::Resumed { .. }
            | EventBody::MatchEnded { .. } => council.end(open_window(&self.view, *side)),
            EventBody::Team { side: of, .. } if of == side => {
                if let Some(teams) = &mut self.view.teams {
                    council.forget(teams.of(*side));
                }
            }
            _ => {}
        }
    }

    /// In rotation, whose turn it is.
    fn take_turn(&mut self, at_turn: Option<u32>) {
        if let Some(teams) = &mut self.view.teams {
            teams.at_turn = at_turn;
        }
    }

    fn take_position(&mut self, position: &Setup, checksum: &str) -> Result<(), FollowError> {
        check(position, checksum)?;
        self.view.position = Some(position.clone());
        self.view.checksum = Some(checksum.to_owned());
        Ok(())
    }

    fn take_clock(&mut self, change: Option<&ClockChange>) {
        let view = &mut self.view;
        if let (Some(clocks), Some(change), Some(position)) =
            (&mut view.clocks, change, &view.position)
        {
            clocks.take(change, position.standing.to_move);
        }
    }

    /// Takes the number of an action, which has to be the next one.
    const fn count(&mut self, number: u32) -> Result<(), FollowError> {
        let expected = self.view.next_number;
        if number != expected {
            return Err(FollowError::Number {
                expected,
                told: number,
            });
        }
        self.view.next_number = number.saturating_add(1);
        Ok(())
    }
}

/// For how long the window of a team is open from the event on with which a decision begins.
fn open_window(view: &MatchView, side: Side) -> Option<i64> {
    let to_move = view.position.as_ref()?.standing.to_move;
    let plays = view.stage == StageView::Playing && view.pause.is_none();
    match view.teams.as_ref()?.decides {
        Decides::Vote { window } if plays && to_move == side => Some(i64::from(window) * 1_000),
        _ => None,
    }
}

/// Moves the seeds as an event says, and sets what it says beside that.
fn take_acted(position: &mut Setup, game: Mancala, acted: &ActedFrame) -> Result<(), FollowError> {
    let shape = shape(game, &position.board)?;
    // Steps of the lot do not ask for a mover.
    let mover = acted.side.unwrap_or(acted.to_move);
    for (at, step) in acted.trace.iter().enumerate() {
        apply_wire_step(&mut position.board, shape, mover, step)
            .map_err(|source| FollowError::Step { at, source })?;
    }
    let standing = &mut position.standing;
    standing.to_move = acted.to_move;
    standing.turn = acted.turn;
    standing.quiet = acted.quiet;
    standing.phase = acted.phase.unwrap_or(Phase::Play);
    match &mut position.extra {
        Extra::None {} => {}
        Extra::Omweso { captured, captures } => {
            *captured = acted.captured.unwrap_or(*captured);
            *captures = acted.captures.unwrap_or(*captures);
        }
        Extra::Anywoli { last_seed } => *last_seed = acted.last_seed.or(*last_seed),
    }
    check(position, &acted.checksum)
}

/// The outline of the board: which pit comes after which.
fn shape(game: Mancala, board: &Board) -> Result<Shape, FollowError> {
    let pits = board.pits.south.len();
    let columns = |pits: usize| u8::try_from(pits).map_err(|_| FollowError::NoSuchBoard { pits });
    Ok(match game {
        Mancala::Anywoli | Mancala::Urim => Shape::two_rows(columns(pits)?),
        Mancala::Omweso | Mancala::BaoKigogo | Mancala::Nsolo => {
            Shape::four_rows(columns(pits / 2)?)
        }
    })
}

fn check(position: &Setup, told: &str) -> Result<(), FollowError> {
    let held = checksum_of_setup(position);
    if held == told {
        Ok(())
    } else {
        Err(FollowError::Checksum {
            told: told.to_owned(),
            held,
        })
    }
}

/// The checksum of what a client holds of a position, as the wire writes it: the CRC-32 of
/// south's pits, north's, the stores and the side to move.
///
/// It is worked out here as `proto-docs/protocol.md` tells it, apart from the engine, whose
/// checksum the server sends: so the two hold each other.
#[must_use]
pub fn checksum_of_setup(position: &Setup) -> String {
    let Board { pits, stores } = &position.board;
    let to_move = position.standing.to_move.name();
    let text = format!(
        "{}|{}|{},{}|{to_move}",
        List(&pits.south),
        List(&pits.north),
        stores.south,
        stores.north,
    );
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

/// Numbers with commas between them.
struct List<'a>(&'a [u32]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, number) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            number.fmt(f)?;
        }
        Ok(())
    }
}

/// What came does not follow from what came before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowError {
    /// The number of the event is not the one after the last: something was lost.
    Gap {
        /// The number that would follow.
        expected: u64,
        /// The number that came.
        told: u64,
    },
    /// The number of an action, or of the beginning of a game, is not the next one.
    Number {
        /// The number that would follow.
        expected: u32,
        /// The number that came.
        told: u32,
    },
    /// An action before the first game.
    NoPosition,
    /// What is for a team alone came to somebody who is no member of it.
    NoTeam,
    /// No game has a board of so many pits a side.
    NoSuchBoard {
        /// The pits of south.
        pits: usize,
    },
    /// A step of a trace does not fit the board.
    Step {
        /// Which, from 0.
        at: usize,
        /// What the board says.
        source: TraceMismatch,
    },
    /// The position that the client holds is not the one that the server speaks of.
    Checksum {
        /// The checksum that came.
        told: String,
        /// The one of the position that is held.
        held: String,
    },
}

impl fmt::Display for FollowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FollowError::Gap { expected, told } => {
                write!(f, "event {told} came where {expected} should follow")
            }
            FollowError::Number { expected, told } => {
                write!(f, "action {told} came where {expected} should follow")
            }
            FollowError::NoPosition => f.write_str("an action came before the first game"),
            FollowError::NoTeam => f.write_str("what is for a team alone came to no member of it"),
            FollowError::NoSuchBoard { pits } => {
                write!(f, "no game has a board of {pits} pits a side")
            }
            FollowError::Step { at, .. } => {
                write!(f, "step {at} of the trace does not fit the board")
            }
            FollowError::Checksum { told, held } => {
                write!(
                    f,
                    "the checksum is said to be {told}, but of this position it is {held}"
                )
            }
        }
    }
}

impl std::error::Error for FollowError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FollowError::Step { source, .. } => Some(source),
            _ => None,
        }
    }
}
