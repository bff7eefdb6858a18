//! From the match to the wire. The other way needs no words: what clients say is read
//! into the match's own types.

use crate::clocks::{ClockChange, ClocksView, SomeSides};
use crate::server::OutcomeWord;
use crate::trace::wire_steps;
use crate::view::{AwayView, EndReason, EndView, OfferView};
use crate::{
    ActedFrame, BackedView, CouncilView, EventBody, MatchView, MemberView, PersonView, PlayerView,
    ProposalView, PublicId, ServerMessage, StageView, TeamFrame, TeamView, TeamsView, VoteView,
    WireAction, YourTeam,
};
use mancala_engine::{
    Action, AnyPosition, BySide, Extra, Game, GameResult, Options, Phase, Position, Side, Step,
    Trace, checksum,
};
use mancala_play::{
    Asked, Decides, Effect, Event, GameOutcome, Match, MatchEnd, OfferKind, Person, Proposal,
    Refusal, Request, Ruling, Stage, Team, TeamEvent, UserId, Way,
};

pub use crate::trace::apply_wire_step;

/// The names of the people in a match.
pub type Names<'a> = &'a dyn Fn(UserId) -> String;

/// What has gone by since the last event, which the match itself does not know, in
/// milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// Since the last event that [settled](Event::settles).
    pub elapsed_ms: i64,
    /// How long each side has been away.
    pub away_ms: BySide<i64>,
}

impl Passing {
    /// No time has gone by.
    pub const NOTHING: Passing = Passing {
        elapsed_ms: 0,
        away_ms: BySide { south: 0, north: 0 },
    };
}

/// How long the sides that are away may yet be.
#[must_use]
pub fn grace_ms(play: &Match, passing: Passing) -> SomeSides<i64> {
    // After a pause it begins anew.
    let runs = play.play().is_none_or(|play| play.pause().is_none());
    let left = |side| {
        let away = play.absences()[side]?;
        let away_ms = if runs { passing.away_ms[side] } else { 0 };
        Some((away.grace_ms - away_ms).max(0))
    };
    BySide::from_fn(left).into()
}

/// A match as everyone may see it.
#[must_use]
pub fn view(id: PublicId, play: &Match, names: Names<'_>, passing: Passing) -> MatchView {
    let spec = play.spec();
    let grace_ms = grace_ms(play, passing);
    let games = play.play();
    let game = games.map(|play| play.game());
    MatchView {
        r#match: id,
        seq: play.public_seq(),
        game: spec.options.mancala(),
        options: options_json(&spec.options),
        format: spec.format,
        preview: spec.preview,
        clock: spec.clock,
        way: spec.way,
        rated: spec.rated,
        start: spec.start.clone(),
        rules: spec.rules,
        players: play
            .seats()
            .map(|user| user.map(|user| PlayerView { name: names(user) })),
        teams: teams_view(play, names).map(Box::new),
        stage: match play.stage() {
            Stage::Gathering => StageView::Gathering,
            Stage::Playing(_) => StageView::Playing,
            Stage::Over { .. } => StageView::Over,
        },
        score: score(play),
        game_number: play.play().map_or(0, |play| play.series().game()),
        next_number: play.next_number(),
        position: game.map(|game| game.position().setup()),
        checksum: game.map(|game| checksum_of(game.position())),
        clocks: games.and_then(|games| {
            let due_ms = play
                .deadline_ms()
                .map(|ms| (ms - passing.elapsed_ms).max(0));
            let elapsed_ms = due_ms.map_or(0, |_| passing.elapsed_ms);
            ClocksView::of(games.clocks(), elapsed_ms, due_ms)
        }),
        pause: games.and_then(|games| games.pause()),
        count: games
            .map(|games| games.count())
            .filter(|count| *count > 0 && play.end().is_none()),
        signed: (spec.way == Some(Way::Contract)).then(|| *play.signed()),
        offer: play.offer().map(|offer| OfferView {
            side: offer.side,
            offer: offer.kind,
            due: offer.number,
        }),
        away: BySide::from_fn(|side| {
            Some(AwayView {
                how: play.absences()[side]?.how,
                grace_ms: *grace_ms.get(side)?,
            })
        })
        .into(),
        ended: play.end().map(|end| EndView {
            winner: end.winner(),
            reason: end_reason(end),
            note: play.note().map(|note| note.as_str().to_owned()),
        }),
        rematch: play.rematch_number().map(PublicId::from_number),
    }
}

/// The options of a game, all of them, as JSON.
#[must_use]
pub fn options_json(options: &Options) -> serde_json::Value {
    serde_json::to_value(options).unwrap_or_default()
}

/// The frame of an event. `before` is what the position remembered before it, `after` the
/// match after it, `effect` what [`Match::apply`] said. `None` for what has no frame: the
/// creation, which nobody can have joined before.
#[must_use]
pub fn event_frame(
    id: PublicId,
    event: &Event,
    before: Option<Extra>,
    after: &Match,
    effect: &Effect,
    names: Names<'_>,
) -> Option<ServerMessage> {
    let number = after.next_number() - 1;
    let clock = || ClockChange::of(&effect.ledger, after.play()?.clocks()).map(Box::new);
    let body = match event {
        Event::Created { .. } => return None,
        Event::Seated { side, user } => EventBody::Seated {
            side: *side,
            player: PlayerView { name: names(*user) },
        },
        Event::Signed { asked } => EventBody::Signed { side: asked.side },
        Event::GameBegan { game, begins } => {
            let play = after.play()?;
            let position = play.game().position();
            EventBody::GameBegan {
                number,
                game: *game,
                begins: *begins,
                position: position.setup(),
                checksum: checksum_of(position),
                at_turn: at_turn(after),
                clocks: ClocksView::of(play.clocks(), 0, after.deadline_ms()).map(Box::new),
            }
        }
        Event::Acted {
            side, action, by, ..
        } => EventBody::Acted {
            number,
            acted: acted_frame(
                *side,
                action,
                before,
                after.play()?.game(),
                effect.trace.as_ref()?,
            ),
            by: by
                .zip(*side)
                .and_then(|(by, side)| number_of(after, side, by)),
            at_turn: at_turn(after),
            clock: clock(),
        },
        Event::TakenBack { to, asked, .. } => {
            let position = after.play()?.game().position();
            EventBody::TakenBack {
                number,
                to: *to,
                side: asked.side.other(),
                position: position.setup(),
                checksum: checksum_of(position),
                at_turn: at_turn(after),
                clock: clock(),
            }
        }
        Event::Offered { asked } => EventBody::Offered {
            side: asked.side,
            offer: offer_of(asked)?,
            due: after.next_number(),
        },
        Event::Declined { asked } => EventBody::Declined {
            side: asked.side,
            offer: offer_of(asked)?,
        },
        Event::TimeGiven { asked, .. } => EventBody::TimeGiven {
            side: asked.side,
            clock: clock()?,
        },
        Event::Paused { why, .. } => EventBody::Paused {
            why: *why,
            clock: clock(),
        },
        Event::Resumed { side, .. } => EventBody::Resumed {
            side: *side,
            clock: clock(),
        },
        Event::Counted { count } => EventBody::Counted {
            side: after.to_move()?,
            count: *count,
            word: if *count == 1 { "emu" } else { "bbiri" }.to_owned(),
        },
        Event::Gone {
            side,
            how,
            grace_ms,
        } => EventBody::Gone {
            side: *side,
            how: *how,
            grace_ms: *grace_ms,
        },
        Event::Back { side } => EventBody::Back { side: *side },
        Event::GameEnded { outcome, .. } => game_ended(outcome, after, clock()),
        Event::MatchEnded { end, note, .. } => EventBody::MatchEnded {
            winner: end.winner(),
            reason: end_reason(*end),
            note: note.as_ref().map(|note| note.as_str().to_owned()),
            score: score(after),
            clock: clock().filter(|_| !effect.ledger.is_empty()),
        },
        Event::Team { side, what, .. } => {
            let everybody = event.only_for().is_none();
            EventBody::Team {
                side: *side,
                what: team_frame(after, *side, what, names)?,
                captain: captain(after, *side).filter(|_| everybody),
                at_turn: at_turn(after).filter(|_| everybody),
            }
        }
        Event::Rematched { next, .. } => EventBody::Rematched {
            next: PublicId::from_number(*next),
        },
    };
    Some(ServerMessage::Event {
        r#match: id,
        only: event.only_for(),
        seq: match event.only_for() {
            Some(side) => after.teams()?[side].seq(),
            None => after.public_seq(),
        },
        body,
    })
}

/// Who is in the teams, for everybody.
fn teams_view(play: &Match, names: Names<'_>) -> Option<TeamsView> {
    let spec = play.spec().teams.as_ref()?;
    let teams = play.teams()?;
    let person = |person: &Person| PersonView {
        number: person.number,
        name: names(person.user),
        absent: person.absent,
    };
    let team = |side: Side| {
        let roster = teams[side].roster();
        TeamView {
            team: spec
                .standing
                .map(|standing| PublicId::from_number(standing[side])),
            name: spec.names[side]
                .as_ref()
                .map(|name| name.as_str().to_owned()),
            seats: spec.seats[side],
            members: roster
                .seats()
                .iter()
                .map(|seat| MemberView {
                    person: person(&seat.member),
                    stands_in_for: seat.holder.as_ref().map(person),
                })
                .collect(),
            waiting: roster.waiting().iter().map(person).collect(),
            captain: captain(play, side),
            ready: teams[side].is_ready(),
            published: teams[side].is_published(),
        }
    };
    Some(TeamsView {
        decides: spec.decides,
        speaks: spec.speaks,
        stand_ins: spec.stand_ins,
        grace: spec.grace,
        at_turn: at_turn(play),
        south: team(Side::South),
        north: team(Side::North),
    })
}

/// What somebody in a team is told of it beside what everybody is.
#[must_use]
pub fn your_team(play: &Match, user: UserId, passing: Passing) -> Option<YourTeam> {
    let side = play.team_of(user)?;
    let team = &play.teams()?[side];
    let is_member = team.roster().member(user).is_some();
    Some(YourTeam {
        side,
        number: number_of(play, side, user)?,
        council: is_member.then(|| council_view(play, side, team, passing)),
    })
}

/// What a team deliberates on: for it alone.
fn council_view(play: &Match, side: Side, team: &Team, passing: Passing) -> CouncilView {
    let council = team.council();
    let number = |user: UserId| number_of(play, side, user);
    CouncilView {
        seq: team.seq(),
        proposals: council
            .proposals()
            .iter()
            .filter_map(|proposal| proposal_view(play, side, proposal))
            .collect(),
        votes: council
            .votes()
            .iter()
            .filter_map(|(user, place)| {
                Some(VoteView {
                    member: number(*user)?,
                    proposal: u32::try_from(*place).ok()?,
                })
            })
            .collect(),
        window_over: council.is_window_over(),
        window_ms: play
            .window_of(side)
            .map(|window_ms| (window_ms - passing.elapsed_ms).max(0)),
        backed: council
            .backed()
            .iter()
            .filter_map(|(user, what)| {
                Some(BackedView {
                    member: number(*user)?,
                    what: *what,
                })
            })
            .collect(),
    }
}

fn proposal_view(play: &Match, side: Side, proposal: &Proposal) -> Option<ProposalView> {
    Some(ProposalView {
        member: proposal.number,
        actions: proposal.actions.iter().cloned().map(WireAction).collect(),
        acted: match play.spec().preview {
            true => Some(foreseen(play.play()?.game(), side, &proposal.actions)),
            // It would be a preview.
            false => None,
        },
    })
}

/// What actions would do, as far as they can be played.
#[must_use]
pub fn foreseen(game: &Game<AnyPosition>, side: Side, actions: &[Action]) -> Vec<ActedFrame> {
    let mut game = game.clone();
    let mut acted = Vec::with_capacity(actions.len());
    for action in actions {
        let before = game.position().extra();
        let Ok(moved) = game.play(action) else {
            break;
        };
        acted.push(acted_frame(Some(side), action, Some(before), &game, &moved));
    }
    acted
}

fn team_frame(after: &Match, side: Side, what: &TeamEvent, names: Names<'_>) -> Option<TeamFrame> {
    let number = |user: &UserId| number_of(after, side, *user);
    let called = |user: &UserId| Some((number(user)?, names(*user)));
    Some(match what {
        TeamEvent::Came { user } => {
            let (number, name) = called(user)?;
            TeamFrame::Came { number, name }
        }
        TeamEvent::Waits { user } => {
            let (number, name) = called(user)?;
            TeamFrame::Waits { number, name }
        }
        TeamEvent::Sat { user } => TeamFrame::Sat {
            number: number(user)?,
        },
        TeamEvent::Left { user } => TeamFrame::Left {
            number: number(user)?,
        },
        TeamEvent::StoodIn { user, member } => TeamFrame::StoodIn {
            number: number(user)?,
            member: number(member)?,
        },
        TeamEvent::HandedBack { holder } => TeamFrame::HandedBack {
            holder: number(holder)?,
        },
        TeamEvent::Led { user } => TeamFrame::Led {
            number: number(user)?,
        },
        TeamEvent::Ordered { users } => TeamFrame::Ordered {
            members: users.iter().filter_map(number).collect(),
        },
        TeamEvent::Absent { user } => TeamFrame::Absent {
            number: number(user)?,
        },
        TeamEvent::Present { user } => TeamFrame::Present {
            number: number(user)?,
        },
        TeamEvent::Passed { user } => TeamFrame::Passed {
            number: number(user)?,
        },
        TeamEvent::Ready => TeamFrame::Ready,
        TeamEvent::Proposed { .. } => {
            let proposal = after.teams()?[side].council().proposals().last()?;
            TeamFrame::Proposed(proposal_view(after, side, proposal)?)
        }
        TeamEvent::Voted { user, proposal } => TeamFrame::Voted(VoteView {
            member: number(user)?,
            proposal: *proposal,
        }),
        TeamEvent::WindowClosed => TeamFrame::WindowClosed,
        TeamEvent::Backed { user, request } => TeamFrame::Backed(BackedView {
            member: number(user)?,
            what: *request,
        }),
        TeamEvent::Published => TeamFrame::Published,
    })
}

/// What somebody is called by in a team that he has come to, also when he has left it: by his
/// last number.
fn number_of(play: &Match, side: Side, user: UserId) -> Option<u32> {
    let came = play.teams()?[side].roster().came();
    let place = came.iter().rposition(|who| *who == user)?;
    u32::try_from(place + 1).ok()
}

fn captain(play: &Match, side: Side) -> Option<u32> {
    number_of(play, side, play.teams()?[side].roster().captain()?)
}

/// In rotation, the number of the member of the side to move whose turn it is.
fn at_turn(play: &Match) -> Option<u32> {
    let rotates = play.spec().teams.as_ref()?.decides == Decides::Rotation;
    let side = play.to_move().filter(|_| rotates)?;
    Some(play.teams()?[side].roster().at_turn()?.number)
}

/// What an offer, or an answer to one, is about.
const fn offer_of(asked: &Asked) -> Option<OfferKind> {
    match asked.request {
        Request::Offer(kind) | Request::Accept(kind) | Request::Decline(kind) => Some(kind),
        _ => None,
    }
}

/// An action and what came of it.
#[must_use]
pub fn acted_frame(
    side: Option<Side>,
    action: &Action,
    before: Option<Extra>,
    after: &Game<AnyPosition>,
    moved: &Trace,
) -> ActedFrame {
    let position = after.position();
    let standing = moved.standing;
    let told_by = side.unwrap_or(standing.to_move);
    let mut frame = ActedFrame {
        side,
        action: WireAction(action.clone()),
        trace: trace_steps(&moved.steps, told_by, position),
        to_move: standing.to_move,
        turn: standing.turn,
        quiet: standing.quiet,
        phase: (standing.phase != Phase::Play).then_some(standing.phase),
        captured: None,
        captures: None,
        last_seed: None,
        checksum: checksum_of(position),
    };
    if before != Some(moved.extra) {
        match moved.extra {
            Extra::None {} => {}
            Extra::Omweso { captured, captures } => {
                frame.captured = Some(captured);
                frame.captures = Some(captures);
            }
            Extra::Anywoli { last_seed } => frame.last_seed = last_seed,
        }
    }
    frame
}

fn trace_steps(steps: &[Step], side: Side, position: &AnyPosition) -> Vec<crate::WireStep> {
    wire_steps(steps, side, || position.setup().board)
}

/// The checksum of a position as the wire writes it: eight hexadecimal digits.
#[must_use]
pub fn checksum_of(position: &AnyPosition) -> String {
    format!("{:08x}", checksum(position))
}

/// What the side may play now, in a frame for it alone.
#[must_use]
pub fn legal_frame(id: PublicId, play: &Match, side: Side) -> Option<ServerMessage> {
    let actions = play.legal_for(side)?;
    let phase = match play.play()?.game().position().standing().phase {
        Phase::Arrange => "arrange",
        Phase::Play => "play",
        Phase::Direction(_) => "direction",
        Phase::Strip { .. } => "strip",
        Phase::Lottery => "lottery",
        Phase::Over(_) => return None,
    };
    Some(ServerMessage::Legal {
        r#match: id,
        number: play.next_number(),
        phase: phase.to_owned(),
        actions: actions.into_iter().map(WireAction).collect(),
    })
}

/// The answer to a command that the match refused.
#[must_use]
pub fn refused_frame(id: Option<u32>, r#match: PublicId, refusal: &Refusal) -> ServerMessage {
    let next_number = match refusal {
        Refusal::AlreadyPlayed { next } | Refusal::NumberAhead { next } => Some(*next),
        _ => None,
    };
    let at = match refusal {
        Refusal::Rules { at, .. } | Refusal::TurnOver { at } => u32::try_from(*at).ok(),
        _ => None,
    };
    ServerMessage::Refused {
        id,
        r#match: Some(r#match),
        code: refusal.code().to_owned(),
        message: refusal.to_string(),
        at,
        next_number,
    }
}

fn score(play: &Match) -> BySide<u32> {
    play.play()
        .map_or(BySide::both(0), |play| play.series().score())
}

fn end_reason(end: MatchEnd) -> EndReason {
    match end {
        MatchEnd::Played { .. } => EndReason::Played,
        MatchEnd::Resigned { .. } => EndReason::Resigned,
        // Whoever broke it off: it does not count.
        MatchEnd::Aborted | MatchEnd::Ruled(Ruling::Aborted) => EndReason::Aborted,
        MatchEnd::Abandoned => EndReason::Abandoned,
        MatchEnd::Ruled(_) => EndReason::Administrator,
    }
}

fn game_ended(outcome: &GameOutcome, after: &Match, clock: Option<Box<ClockChange>>) -> EventBody {
    let (word, winner, points) = match outcome.result() {
        GameResult::Win { side, points } => (OutcomeWord::Win, Some(side), u32::from(points)),
        GameResult::Draw => (OutcomeWord::Draw, None, 0),
        GameResult::Void => (OutcomeWord::Void, None, 0),
    };
    // The series stands at the next game already, unless the match is over with this one.
    let game = after.play().map_or(0, |play| {
        let series = play.series();
        series.game() - u32::from(series.end().is_none())
    });
    EventBody::GameEnded {
        game,
        outcome: word,
        winner,
        points,
        reason: match outcome {
            GameOutcome::Board(board) => board.reason().code(),
            GameOutcome::Outside { reason, .. } => reason.code(),
        }
        .to_owned(),
        score: score(after),
        clock,
    }
}
