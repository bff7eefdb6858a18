//! What somebody asks of a match, and the answer.

use super::write::code_of;
use super::{Actor, Next};
use crate::hub::{Outbox, frame};
use crate::limits::{CHANGE_SECONDS, CHANGES_BURST};
use crate::matches::Declined;
use crate::meters::Meters;
use crate::metrics;
use crate::store::{AppendError, UserRow};
use mancala_engine::Side;
use mancala_play::{
    ACTIONS_MAX, Asked, Command, Context, Decision, Event, Match, Note, Receipt, Refusal, Ruling,
    Spent, TeamEvent, TeamRefusal, TeamRequest, UserId,
};
use mancala_protocol::{Code, MatchView, ServerMessage, WireAction, convert};
use tracing::{debug, error, warn};

impl Actor {
    pub(super) async fn command(
        &mut self,
        user: UserId,
        command: Command,
        id: Option<u32>,
        outbox: &Outbox,
        arrived_ms: i64,
    ) -> Next {
        if self.matches.inner.stopping.is_cancelled() {
            outbox.must_send(frame(&self.declined(id, Code::ShuttingDown)));
            return Next::GoOn;
        }
        // Whatever came before it was due is in time, however long it has waited here.
        if let Err(failed) = self.do_what_is_due(arrived_ms).await {
            return self.failed(failed, id, outbox);
        }
        let context = self.context(self.spent(user, outbox, arrived_ms), arrived_ms);
        let decision = match self.play.decide(user, &command, &context) {
            Err(refusal) => match Box::pin(self.long_ago(user, &command)).await {
                Ok(done) => done.map_or(Err(refusal), |receipt| Ok(Decision::Done(receipt))),
                Err(failed) => return self.failed(failed, id, outbox),
            },
            Ok(Decision::GoBack {
                first,
                number,
                asked,
            }) => match Box::pin(self.back_to(number, first, asked, &context)).await {
                Ok(events) => events.map(Decision::Do),
                Err(failed) => return self.failed(failed, id, outbox),
            },
            decision => decision,
        };
        let addressed = match &command {
            Command::Team { side, .. } => side.or_else(|| self.play.team_of(user)),
            _ => self.play.side_of(user),
        };
        let receipt = match decision {
            Err(refusal) => {
                debug!(user.id = %user, code = refusal.code(), "command refused");
                metrics::refused(refusal.code());
                let refused = convert::refused_frame(id, self.name, &refusal);
                outbox.must_send(frame(&refused));
                return Next::GoOn;
            }
            Ok(Decision::GoBack { .. }) => None,
            Ok(Decision::Done(receipt)) => Some(receipt),
            Ok(Decision::Do(_)) if !self.takes_a_change(user, &command) => {
                outbox.must_send(frame(&self.declined(id, Code::SlowDown)));
                return Next::GoOn;
            }
            Ok(Decision::Do(events)) => {
                if let Err(failed) = self.carry_out(events, user, arrived_ms).await {
                    return self.failed(failed, id, outbox);
                }
                let key = command.key();
                addressed
                    .zip(key)
                    .and_then(|(side, key)| self.play.receipt(side, user, key))
            }
        };
        let done = match receipt {
            Some(receipt) => ServerMessage::Done {
                id,
                r#match: self.name,
                number: receipt.number,
                actions: receipt.actions,
                seq: receipt.seq,
                only: receipt.only,
            },
            None => {
                error!(user.id = %user, "an accepted command left no receipt");
                self.declined(id, Code::Internal)
            }
        };
        outbox.must_send(frame(&done));
        Next::GoOn
    }

    /// May somebody do this now, after what he has changed in his team of late? What the game
    /// itself bounds he always may.
    fn takes_a_change(&mut self, user: UserId, command: &Command) -> bool {
        let Command::Team { request, .. } = command else {
            return true;
        };
        let team = self.play.team_of(user).zip(self.play.teams());
        let is_bounded = match (request, team) {
            // Whoever is put there again and again may go each time.
            (TeamRequest::Propose { .. } | TeamRequest::Leave, _) => true,
            (TeamRequest::Vote { .. }, Some((side, teams))) => {
                let mut votes = teams[side].council().votes().iter();
                votes.all(|(voter, _)| *voter != user)
            }
            _ => false,
        };
        let meters = || Box::new(Meters::new(CHANGE_SECONDS, CHANGES_BURST));
        is_bounded || self.changes.get_or_insert_with(meters).take(user)
    }

    /// What an agreed takeback comes to: the log knows how the match stood.
    pub(super) async fn back_to(
        &self,
        number: u32,
        first: Vec<Event>,
        asked: Asked,
        context: &Context,
    ) -> Result<Result<Vec<Event>, Refusal>, AppendError> {
        let then = self.read_before(number).await?;
        Ok(self.play.decide_back_to(&then, first, asked, context))
    }

    /// The match as it was before the action with this number.
    pub(super) async fn read_before(&self, number: u32) -> Result<Match, AppendError> {
        let then = self.matches.history().before(self.id, number).await;
        then.map_err(|error| {
            warn!(?error, number, "what was played long ago could not be read");
            AppendError::Unavailable
        })
    }

    /// Makes what an event speaks of, and writes it down. Whoever is taken out of a team is
    /// invited to it no more: only what is said after that brings him back.
    pub(super) async fn carry_out(
        &mut self,
        events: Vec<Event>,
        user: UserId,
        asked_ms: i64,
    ) -> Result<(), AppendError> {
        for event in &events {
            if let Event::Rematched { next, .. } = event {
                let made = self.matches.create_rematch(&self.play, user, *next);
                Box::pin(made).await.map_err(|error| {
                    warn!(%error, "a rematch could not be made");
                    AppendError::Unavailable
                })?;
            }
            if let Some(out) = taken_out(event) {
                let removed = self.matches.inner.store.uninvite(self.id, out).await;
                removed.map_err(|_| AppendError::Unavailable)?;
            }
        }
        self.commit(events, asked_ms).await
    }

    /// What became of a command to act that is older than those that the match remembers: the
    /// log knows.
    pub(super) async fn long_ago(
        &self,
        user: UserId,
        command: &Command,
    ) -> Result<Option<Receipt>, AppendError> {
        let Command::Act { number, .. } = *command else {
            return Ok(None);
        };
        let side = self.play.side_of(user);
        if !side.is_some_and(|side| self.play.has_forgotten(side, number)) {
            return Ok(None);
        }
        let beyond = number.saturating_add(ACTIONS_MAX as u32);
        let then = self.read_before(beyond).await?;
        let context = self.idle_context();
        Ok(match then.decide(user, command, &context) {
            Ok(Decision::Done(receipt)) => Some(receipt),
            _ => None,
        })
    }

    /// Does what REST waits for: what is due comes before it, and what it is decided to come to
    /// is made true, which may be nothing.
    async fn answer(
        &mut self,
        arrived_ms: i64,
        decide: impl FnOnce(&mut Actor) -> Result<Vec<Event>, Declined>,
    ) -> (Result<MatchView, Declined>, Next) {
        if self.matches.inner.stopping.is_cancelled() {
            return (Err(Code::ShuttingDown.into()), Next::GoOn);
        }
        let mut done = self.do_what_is_due(arrived_ms).await;
        if done.is_ok() {
            match decide(self) {
                Err(declined) => return (Err(declined), Next::GoOn),
                Ok(events) if events.is_empty() => {}
                Ok(events) => done = self.commit(events, arrived_ms).await,
            }
        }
        match done {
            Ok(()) => (Ok(self.view()), Next::GoOn),
            Err(failed) => (Err(code_of(failed).into()), self.after_failed(failed)),
        }
    }

    /// Somebody takes a seat.
    pub(super) async fn sit(
        &mut self,
        user: UserRow,
        side: Side,
        (put_by, is_invited): (Option<UserId>, bool),
        arrived_ms: i64,
    ) -> (Result<MatchView, Declined>, Next) {
        let decide = |actor: &mut Actor| {
            let play = &actor.play;
            if put_by.is_some_and(|host| play.is_rival(host, side)) {
                return Err(Refusal::from(TeamRefusal::NotForYou).into());
            }
            // Whoever asks again, because the answer was lost, has the seat.
            let has_it = match play.teams() {
                None => play.seats()[side] == Some(user.id),
                Some(_) => play.team_of(user.id) == Some(side),
            };
            if has_it {
                return Ok(Vec::new());
            }
            let asked_for = put_by.is_some() || is_invited;
            let command = Command::Sit { side, asked_for };
            let decided = play.decide(user.id, &command, &actor.idle_context());
            match decided.map_err(Declined::Refusal)? {
                Decision::Done(_) | Decision::GoBack { .. } => Ok(Vec::new()),
                Decision::Do(events) => {
                    actor.names.insert(user.id, user.name);
                    Ok(events)
                }
            }
        };
        self.answer(arrived_ms, decide).await
    }

    /// Ends the match as somebody says who runs the server.
    pub(super) async fn rule(
        &mut self,
        ruling: Ruling,
        note: Note,
        arrived_ms: i64,
    ) -> (Result<MatchView, Declined>, Next) {
        let decide = |actor: &mut Actor| {
            let elapsed_ms = arrived_ms.saturating_sub(actor.since_ms).max(0);
            let context = actor.context(Spent::new(elapsed_ms, 0), arrived_ms);
            let events = actor.play.decide_ruling(ruling, note, &context);
            events.map_err(Declined::Refusal)
        };
        self.answer(arrived_ms, decide).await
    }

    pub(super) fn preview(
        &self,
        user: UserId,
        number: u32,
        actions: &[WireAction],
        id: Option<u32>,
    ) -> ServerMessage {
        if !self.play.spec().preview {
            return self.declined(id, Code::NoPreview);
        }
        match self.look_ahead(user, number, actions) {
            Ok(acted) => ServerMessage::Previewed {
                id,
                r#match: self.name,
                number,
                acted,
            },
            Err(refusal) => {
                metrics::refused(refusal.code());
                convert::refused_frame(id, self.name, &refusal)
            }
        }
    }

    pub(super) fn look_ahead(
        &self,
        user: UserId,
        number: u32,
        actions: &[WireAction],
    ) -> Result<Vec<mancala_protocol::ActedFrame>, Refusal> {
        // What would be refused as a command is refused here for the same reason.
        let side = self.play.side_of(user).ok_or(Refusal::NotSeated)?;
        let list: Vec<_> = actions
            .iter()
            .take(ACTIONS_MAX + 1)
            .map(|action| action.0.clone())
            .collect();
        let mut ahead = self.play.clone();
        let context = self.idle_context();
        let events = self.play.foresee(user, number, &list, &context)?;
        let mut acted = Vec::new();
        for event in &events {
            let before = ahead
                .play()
                .map(|play| mancala_engine::Position::extra(play.game().position()));
            let moved = ahead.apply(event).trace;
            // What the lot would say, and what follows a game's end, is not foretold.
            if let (
                Event::Acted {
                    side: Some(_),
                    action,
                    ..
                },
                Some(moved),
                Some(play),
            ) = (event, &moved, ahead.play())
            {
                acted.push(convert::acted_frame(
                    Some(side),
                    action,
                    before,
                    play.game(),
                    moved,
                ));
            }
        }
        Ok(acted)
    }

    pub(super) fn declined(&self, id: Option<u32>, code: Code) -> ServerMessage {
        metrics::refused(code.as_str());
        ServerMessage::Refused {
            id,
            r#match: Some(self.name),
            code: code.as_str().to_owned(),
            message: code.to_string(),
            at: None,
            next_number: None,
        }
    }
}

/// Whom an event takes out of a team on the word of another.
fn taken_out(event: &Event) -> Option<UserId> {
    match event {
        Event::Team {
            what: TeamEvent::Left { user },
            told: Some(told),
            ..
        } => Some(*user).filter(|user| *user != told.user),
        _ => None,
    }
}
