//! From the match to the wire. The other way needs no words: what clients say is read
//! into the match's own types.

use crate::server::OutcomeWord;
use crate::trace::wire_steps;
use crate::view::{EndReason, EndView};
use crate::{
    ActedFrame, EventBody, MatchView, PlayerView, PublicId, ServerMessage, StageView, WireAction,
};
use mancala_engine::{
    Action, AnyPosition, BySide, Extra, Game, GameResult, Options, Phase, Position, Side, Step,
    Trace, checksum,
};
use mancala_play::{Event, GameOutcome, Match, MatchEnd, Refusal, Stage, UserId};

pub use crate::trace::apply_wire_step;

/// The names of the people in a match.
pub type Names<'a> = &'a dyn Fn(UserId) -> String;

/// A match as everyone may see it.
#[must_use]
pub fn view(id: PublicId, play: &Match, names: Names<'_>) -> MatchView {
    let spec = play.spec();
    let game = play.play().map(|play| play.game());
    MatchView {
        r#match: id,
        seq: play.seq(),
        game: spec.options.mancala(),
        options: options_json(&spec.options),
        format: spec.format,
        preview: spec.preview,
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
        draw_offer: play.play().and_then(|play| play.draw_offer()),
        ended: play.end().map(|end| EndView {
            winner: end.winner(),
            reason: end_reason(end),
        }),
    }
}

/// The options of a game, all of them, as JSON.
#[must_use]
pub fn options_json(options: &Options) -> serde_json::Value {
    serde_json::to_value(options).unwrap_or_default()
}

/// The frame of an event. `before` is what the position remembered before it, `after` the
/// match after it, `moved` what [`Match::apply`] said. `None` for what has no frame: the
/// creation, which nobody can have joined before.
#[must_use]
pub fn event_frame(
    id: PublicId,
    event: &Event,
    before: Option<Extra>,
    after: &Match,
    moved: Option<&Trace>,
    names: Names<'_>,
) -> Option<ServerMessage> {
    let body = match event {
        Event::Created { .. } => return None,
        Event::Seated { side, user } => EventBody::Seated {
            side: *side,
            player: PlayerView { name: names(*user) },
        },
        Event::GameBegan { game, begins } => {
            let position = after.play()?.game().position();
            EventBody::GameBegan {
                number: after.next_number() - 1,
                game: *game,
                begins: *begins,
                position: position.setup(),
                checksum: checksum_of(position),
            }
        }
        Event::Acted { side, action, .. } => EventBody::Acted {
            number: after.next_number() - 1,
            acted: acted_frame(*side, action, before, after.play()?.game(), moved?),
            score: score(after),
        },
        Event::DrawOffered { asked } => EventBody::DrawOffered { side: asked.side },
        Event::DrawDeclined { asked } => EventBody::DrawDeclined { side: asked.side },
        Event::GameEnded { outcome, .. } => game_ended(outcome, after),
        Event::MatchEnded { end, .. } => EventBody::MatchEnded {
            winner: end.winner(),
            reason: end_reason(*end),
            score: score(after),
        },
    };
    Some(ServerMessage::Event {
        r#match: id,
        seq: after.seq(),
        body,
    })
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
    wire_steps(steps, side, &position.setup().board)
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
        MatchEnd::Aborted => EndReason::Aborted,
    }
}

fn game_ended(outcome: &GameOutcome, after: &Match) -> EventBody {
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
    }
}
