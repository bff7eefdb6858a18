//! What people say to each other in the rooms of a match.
//!
//! It goes through the task of the match like all else, so that a line that is said after
//! somebody has left his team does not reach him.

use super::write::code_of as code_of_append;
use super::{Actor, Next};
use crate::accounts::code_of;
use crate::hub::{Ears, Outbox, frame};
use crate::limits::REPORTED_BEFORE;
use crate::matches::Declined;
use crate::matches::talk::{News, RoomTalk, TalkAsk, TalkRequest};
use crate::metrics;
use crate::store::{Bar, LineRow, NewLine, NewReport, Store, StoreError, UserRow};
use mancala_play::{Key, Note, Refusal, Room, Saying, TeamRefusal, UserId};
use mancala_protocol::{Code, Moderation, ServerMessage, TalkChange, convert};
use tracing::info;

impl Actor {
    /// Does what somebody asks of a room, and answers.
    pub(super) async fn talk(
        &mut self,
        (user, outbox): (Option<UserRow>, Outbox),
        id: Option<u32>,
        (room, ask): (Room, TalkAsk),
        arrived_ms: i64,
    ) -> Next {
        if self.matches.inner.stopping.is_cancelled() {
            outbox.must_send(frame(&self.declined(id, Code::ShuttingDown)));
            return Next::GoOn;
        }
        // By what is due somebody may be in another team, or in none.
        if let Err(failed) = self.do_what_is_due(arrived_ms).await {
            return self.failed(failed, id, &outbox);
        }
        let r#match = self.name;
        let noted = |line| ServerMessage::Noted {
            id,
            r#match,
            room,
            line,
        };
        let answer = match (ask, user) {
            (TalkAsk::Listen { after }, user) => {
                let user = user.map(|user| user.id);
                self.listen((user, &outbox), id, room, after).await
            }
            (TalkAsk::Unlisten, _) => {
                self.audience.lock().unlisten(outbox.session(), room);
                Ok(noted(None))
            }
            (_, None) => Err(Code::SignInNeeded.into()),
            (TalkAsk::Say { text, key }, Some(user)) => {
                let said = self.say(user, room, &text, key).await;
                said.map(|n| noted(Some(n)))
            }
            (TalkAsk::Moderate { what }, Some(user)) => {
                let done = self.moderate(user.id, room, what).await;
                done.map(|()| noted(None))
            }
            (TalkAsk::Report { line, why }, Some(user)) => {
                let done = self.report(user.id, room, line, &why).await;
                done.map(|()| noted(None))
            }
        };
        let answer = answer.unwrap_or_else(|declined| match declined {
            Declined::Code(code) => self.declined(id, code),
            Declined::Refusal(refusal) => {
                metrics::refused(refusal.code());
                convert::refused_frame(id, self.name, &refusal)
            }
        });
        outbox.must_send(frame(&answer));
        Next::GoOn
    }

    /// Does what is asked of the talk over REST: the number of the last line of a room that is
    /// to be read.
    pub(super) async fn talk_request(
        &mut self,
        request: TalkRequest,
        arrived_ms: i64,
    ) -> (Result<u32, Code>, Next) {
        if self.matches.inner.stopping.is_cancelled() {
            return (Err(Code::ShuttingDown), Next::GoOn);
        }
        if let Err(failed) = self.do_what_is_due(arrived_ms).await {
            return (Err(code_of_append(failed)), self.after_failed(failed));
        }
        let answer = match request {
            TalkRequest::Read { user, room } => match self.may_hear(user, room) {
                Ok(()) => self.room(room).await.map(|talk| talk.last()),
                Err(code) => Err(code),
            },
            TalkRequest::Remove { room, line } => match self.has_room(room) {
                Ok(()) => self.remove_line(room, line).await.map(|()| line),
                Err(code) => Err(code),
            },
            TalkRequest::Clear => self.clear_talk().await.map(|()| 0),
        };
        (answer, Next::GoOn)
    }

    /// From now on a socket is told what is said in a room, after what has been.
    async fn listen(
        &mut self,
        (user, outbox): (Option<UserId>, &Outbox),
        id: Option<u32>,
        room: Room,
        after: Option<u32>,
    ) -> Result<ServerMessage, Declined> {
        self.may_hear(user, room)?;
        let r#match = self.name;
        let talk = self.room(room).await?;
        let answer = ServerMessage::Talk {
            id,
            r#match,
            room,
            last: talk.last(),
            closed: talk.closed,
            muted: user.is_some_and(|user| talk.muted.contains(&user)),
            lines: talk.lines_after(after.unwrap_or(0)),
        };
        self.audience.lock().listen(outbox.session(), room);
        Ok(answer)
    }

    /// Says a line in a room: durable, then told, and its number.
    async fn say(
        &mut self,
        user: UserRow,
        room: Room,
        text: &Saying,
        key: Key,
    ) -> Result<u32, Declined> {
        self.has_room(room)?;
        if !self.play.may_speak(user.id, room) {
            return Err(Code::NotYourRoom.into());
        }
        let (id, store) = (self.id, self.store());
        let talk = self.room(room).await?;
        let n = talk.last().saturating_add(1);
        let (closed, muted) = (talk.closed, talk.muted.contains(&user.id));
        let before = store.said_before(id, user.id, key.as_str()).await;
        if let Some((place, line)) = before.map_err(|error| code_of(&error))? {
            // Of a line that was removed nobody knows any more what it said.
            let same = line.text.is_none_or(|before| before == text.as_str());
            return if place == room && same {
                Ok(line.n)
            } else {
                Err(Code::KeyReused.into())
            };
        }
        if closed {
            return Err(Code::TalkClosed.into());
        }
        if muted {
            return Err(Code::Muted.into());
        }
        let plays = self.play.side_of(user.id).is_some();
        if self.room(room).await?.is_full(plays) {
            return Err(Code::TalkFull.into());
        }
        let known = self.talk.as_mut();
        if !known.is_some_and(|talk| talk.takes_a_line(user.id, room, plays)) {
            return Err(Code::SlowDown.into());
        }
        let line = LineRow {
            n,
            user: user.id,
            side: self.play.side_of(user.id),
            at_ms: self.matches.inner.world.clock.now_ms(),
            text: Some(text.as_str().to_owned()),
        };
        let new = NewLine {
            match_id: id,
            room,
            key: key.into(),
            line: line.clone(),
        };
        let said = store.say(new).await;
        said.map_err(|error| self.unsure_of_talk(&error))?;
        let line = self.room(room).await?.add(line, user.name);
        self.tell(
            room,
            None,
            &ServerMessage::Said {
                r#match: self.name,
                room,
                line,
            },
        );
        Ok(n)
    }

    /// Keeps order in a room, as the host does in any and the captain in his team's. Of a team's
    /// room the host learns nothing who is not in the team.
    async fn moderate(
        &mut self,
        user: UserId,
        room: Room,
        what: Moderation,
    ) -> Result<(), Declined> {
        self.has_room(room)?;
        let (name, store) = (self.name, self.store());
        let talk = self.talk.get_or_insert_default();
        let host = talk.host(&store, name, &self.play).await;
        // Whoever plays for one team is not to silence the other.
        let is_rival = room
            .side()
            .is_some_and(|side| self.play.is_rival(user, side));
        let is_host = !is_rival && host.map_err(|error| code_of(&error))? == Some(user);
        if !is_host && !self.play.is_captain_in(user, room) {
            self.may_hear(Some(user), room)?;
            return Err(Code::NotModerator.into());
        }
        if !talk.takes_order(user) {
            return Err(Code::SlowDown.into());
        }
        let (whom, stands) = match what {
            Moderation::Remove { line } => {
                self.may_hear(Some(user), room)?;
                return Ok(self.remove_line(room, line).await?);
            }
            Moderation::Close {} => (None, true),
            Moderation::Open {} => (None, false),
            Moderation::Mute { line } => (Some(self.speaker(user, room, line).await?), true),
            Moderation::Unmute { line } => (Some(self.speaker(user, room, line).await?), false),
            Moderation::MutePerson { person } => (Some(self.person(room, person)?), true),
            Moderation::UnmutePerson { person } => (Some(self.person(room, person)?), false),
        };
        // Who was silenced by the host does not lift that himself.
        if whom == Some(user) && !stands && !is_host {
            return Err(Code::NotModerator.into());
        }
        Ok(self.bar(room, whom, stands).await?)
    }

    /// Who said a line of a room that somebody may hear.
    async fn speaker(&self, user: UserId, room: Room, n: u32) -> Result<UserId, Code> {
        self.may_hear(Some(user), room)?;
        let up_to_it = self.lines_up_to(room, n, 0).await?;
        up_to_it
            .last()
            .map(|line| line.user)
            .ok_or(Code::NoSuchLine)
    }

    /// Whoever is called by this number in the team whose room it is.
    fn person(&self, room: Room, number: u32) -> Result<UserId, Declined> {
        let team = room.side().zip(self.play.teams());
        let person = team.and_then(|(side, teams)| teams[side].roster().numbered(number));
        let nobody = Refusal::Team(TeamRefusal::NoSuchMember);
        person
            .map(|person| person.user)
            .ok_or(Declined::Refusal(nobody))
    }

    /// Somebody, or everybody, may speak in a room no more, or again.
    async fn bar(&mut self, room: Room, whom: Option<UserId>, stands: bool) -> Result<(), Code> {
        let talk = self.room(room).await?;
        let stood = whom.map_or(talk.closed, |whom| talk.muted.contains(&whom));
        if stood == stands {
            return Ok(());
        }
        let bar = Bar {
            match_id: self.id,
            room,
            user: whom,
            stands,
        };
        let done = self.store().bar(bar).await;
        done.map_err(|error| self.unsure_of_talk(&error))?;
        let talk = self.room(room).await?;
        let what = match (whom, stands) {
            (None, true) => TalkChange::Closed,
            (None, false) => TalkChange::Opened,
            (Some(_), true) => TalkChange::Muted,
            (Some(_), false) => TalkChange::Unmuted,
        };
        match whom {
            None => talk.closed = stands,
            Some(whom) if stands => _ = talk.muted.insert(whom),
            Some(whom) => _ = talk.muted.remove(&whom),
        }
        self.tell_change(room, whom, what);
        Ok(())
    }

    async fn remove_line(&mut self, room: Room, line: u32) -> Result<(), Code> {
        self.find_out_of_talk().await?;
        let done = self.store().remove_line(self.id, room, line).await;
        done.map_err(|error| self.unsure_of_talk(&error))?;
        if let Some(talk) = self.talk.as_mut().and_then(|talk| talk.known(room)) {
            talk.remove(line);
        }
        self.tell_change(room, None, TalkChange::Removed { line });
        Ok(())
    }

    async fn clear_talk(&mut self) -> Result<(), Code> {
        self.find_out_of_talk().await?;
        let done = self.store().clear_talk(self.id).await;
        done.map_err(|error| self.unsure_of_talk(&error))?;
        if let Some(talk) = &mut self.talk {
            talk.clear();
        }
        info!("all talk of the match was deleted by the host");
        for room in Room::ALL {
            self.tell_change(room, None, TalkChange::Cleared);
        }
        Ok(())
    }

    /// Keeps a line and those before it for whoever runs the server.
    async fn report(&self, user: UserId, room: Room, n: u32, why: &Note) -> Result<(), Declined> {
        self.may_hear(Some(user), room)?;
        let lines = self.lines_up_to(room, n, REPORTED_BEFORE).await?;
        if lines.last().is_none_or(|line| line.text.is_none()) {
            return Err(Code::NoSuchLine.into());
        }
        let report = NewReport {
            at_ms: self.matches.inner.world.clock.now_ms(),
            by: user,
            match_id: self.id,
            room,
            n,
            why: why.as_str().to_owned(),
            lines,
        };
        let kept = self.store().report(report).await;
        kept.map_err(|error| code_of(&error))?;
        info!(%room, line = n, "a line was reported: `mancala admin reports` shows it");
        Ok(())
    }

    /// The line of this number and some before it; none, where there is no such line.
    async fn lines_up_to(&self, room: Room, n: u32, before: u32) -> Result<Vec<LineRow>, Code> {
        let Some(least) = n.checked_sub(1) else {
            return Ok(Vec::new());
        };
        let range = (least.saturating_sub(before), n);
        let lines = self.store().lines(self.id, room, range, before + 1).await;
        let lines = lines.map_err(|error| code_of(&error))?;
        let is_there = lines.last().is_some_and(|line| line.n == n);
        Ok(if is_there { lines } else { Vec::new() })
    }

    /// The talk of a room, read if it must be.
    async fn room(&mut self, room: Room) -> Result<&mut RoomTalk, Code> {
        self.find_out_of_talk().await?;
        let (id, store) = (self.id, self.store());
        let talk = self.talk.get_or_insert_default();
        let room = talk.room(&store, id, room).await;
        room.map_err(|error| code_of(&error))
    }

    /// What the store has done without saying so is told now, if that can be found out.
    async fn find_out_of_talk(&mut self) -> Result<(), Code> {
        let (id, store, r#match) = (self.id, self.store(), self.name);
        let Some(talk) = &mut self.talk else {
            return Ok(());
        };
        let news = talk.find_out(&store, id).await;
        for (room, news) in news.map_err(|error| code_of(&error))? {
            match news {
                News::Said(line) => {
                    let said = ServerMessage::Said {
                        r#match,
                        room,
                        line,
                    };
                    self.tell(room, None, &said);
                }
                News::Changed { whom, what } => self.tell_change(room, whom, what),
            }
        }
        Ok(())
    }

    /// Nobody knows whether a write was done: that is found out before anything else. Another
    /// owner who has written a line, of which there should be none, is as good as that.
    fn unsure_of_talk(&mut self, error: &StoreError) -> Code {
        if *error == StoreError::NoSuchLine {
            return Code::NoSuchLine;
        }
        if let Some(talk) = &mut self.talk {
            talk.doubt();
        }
        match error {
            StoreError::Taken => Code::Busy,
            error => code_of(error),
        }
    }

    fn has_room(&self, room: Room) -> Result<(), Code> {
        if self.play.has_room(room) {
            Ok(())
        } else {
            Err(Code::NoSuchRoom)
        }
    }

    fn may_hear(&self, user: Option<UserId>, room: Room) -> Result<(), Code> {
        self.has_room(room)?;
        if self.play.may_hear(user, room) {
            Ok(())
        } else {
            Err(Code::NotYourRoom)
        }
    }

    fn tell_change(&self, room: Room, whom: Option<UserId>, what: TalkChange) {
        let r#match = self.name;
        let changed = ServerMessage::TalkChanged {
            r#match,
            room,
            what,
        };
        self.tell(room, whom, &changed);
    }

    /// Tells those who listen to a room and may hear it, or one of them.
    fn tell(&self, room: Room, whom: Option<UserId>, message: &ServerMessage) {
        let ears = if self.play.is_open_to_all(room) {
            Ears::Everybody
        } else {
            Ears::Members
        };
        self.audience.lock().tell(room, ears, whom, &frame(message));
    }

    fn store(&self) -> Store {
        self.matches.inner.store.clone()
    }
}
