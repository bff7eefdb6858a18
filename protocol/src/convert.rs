//! From the match to the wire. The other way needs no words: what clients say is read
//! into the match's own types.

use crate::clocks::{ClockChange, ClocksView, SomeSides};
use crate::server::OutcomeWord;
use crate::trace::wire_steps;
use crate::view::{AwayView, EndReason, EndView, OfferView};
use crate::{
    ActedFrame, EventBody, MatchView, PlayerView, PublicId, ServerMessage, StageView, WireAction,
};
use mancala_engine::{
    Action, AnyPosition, BySide, Extra, Game, GameResult, Options, Phase, Position, Side, Step,
    Trace, checksum,
};
use mancala_play::{
    Asked, Effect, Event, GameOutcome, Match, MatchEnd, OfferKind, Refusal, Request, Ruling, Stage,
    UserId, Way,
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
        seq: play.seq(),
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
                clocks: ClocksView::of(play.clocks(), 0, after.deadline_ms()).map(Box::new),
            }
        }
        Event::Acted { side, action, .. } => EventBody::Acted {
            number,
            acted: acted_frame(
                *side,
                action,
                before,
                after.play()?.game(),
                effect.trace.as_ref()?,
            ),
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
        Event::Rematched { next, .. } => EventBody::Rematched {
            next: PublicId::from_number(*next),
        },
    };
    Some(ServerMessage::Event {
        r#match: id,
        seq: after.seq(),
        body,
    })
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
