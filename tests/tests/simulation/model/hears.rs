//! What clients hear, held against what it may be.

use super::{Following, Model, Pending, Playable, command_of};
use mancala_play::{Decision, UserId};
use mancala_protocol::limits::MISSED_EVENTS_MAX;
use mancala_protocol::{ClientMessage, CloseCode, Code, EventBody, PublicId, Role, ServerMessage};
use mancala_server::limits::MAILBOX;
use serde_json::Value;

impl Model {
    pub(crate) fn hears(&mut self, number: usize, text: &str) {
        self.note(format_args!("{number} < {text}"));
        self.check_secrecy(text);
        let message: ServerMessage = serde_json::from_str(text).expect(text);
        assert_eq!(self.sockets[number].bye, None, "it spoke after `bye`");
        match &message {
            ServerMessage::Welcome { id, user, .. } => {
                let pending = self.answered(number, *id);
                assert!(matches!(pending.message, ClientMessage::Hello { .. }));
                let person = self.devices[self.sockets[number].device].person;
                let name = person.map(|person| &self.people[person].name);
                assert_eq!(user.as_ref().map(|user| &user.name), name);
                self.sockets[number].greeted = true;
            }
            ServerMessage::Joined { r#match, .. } => self.hears_joined(number, *r#match, &message),
            ServerMessage::Event {
                r#match, seq, body, ..
            } => {
                self.count(match body {
                    EventBody::Seated { .. } => "event seated",
                    EventBody::GameBegan { .. } => "event game_began",
                    EventBody::Acted { .. } => "event acted",
                    EventBody::Offered { .. } => "event offered",
                    EventBody::Declined { .. } => "event declined",
                    EventBody::TakenBack { .. } => "event taken_back",
                    EventBody::Signed { .. } => "event signed",
                    EventBody::TimeGiven { .. } => "event time_given",
                    EventBody::Paused { .. } => "event paused",
                    EventBody::Resumed { .. } => "event resumed",
                    EventBody::Counted { .. } => "event counted",
                    EventBody::Gone { .. } => "event gone",
                    EventBody::Back { .. } => "event back",
                    EventBody::Rematched { .. } => "event rematched",
                    EventBody::GameEnded { .. } => "event game_ended",
                    EventBody::MatchEnded { .. } => "event match_ended",
                    EventBody::Team { .. } => "event team",
                });
                if let EventBody::GameEnded { .. } | EventBody::MatchEnded { .. } = body {
                    let told: Value = serde_json::from_str(text).unwrap();
                    self.count(format!("end {}", told["reason"].as_str().unwrap()));
                }
                self.truth(*r#match).tell(*seq);
                assert_eq!(
                    text,
                    self.truths[r#match].frame_at(*seq),
                    "there are two histories"
                );
                if let EventBody::Rematched { next } = body {
                    assert!(
                        self.read(*next),
                        "the next match is there before it is told of"
                    );
                }
                let following = self.following(number, *r#match);
                assert_eq!(*seq, following.seq + 1, "a gap");
                following.seq = *seq;
                self.keep_place(number, *r#match, *seq);
            }
            ServerMessage::Legal {
                r#match,
                number: next,
                actions,
                ..
            } => {
                let seq = self.following(number, *r#match).seq;
                let user = self.user(number).expect("somebody who plays");
                let truth = self.truth(*r#match);
                let play = truth.play_at(seq);
                let side = play.side_of(user).expect("somebody with a seat");
                assert_eq!(play.to_move(), Some(side), "legal actions for who waits");
                let expected = truth.legal_at(seq, side);
                assert_eq!(Some(text), expected.as_deref(), "after event {seq}");
                self.following(number, *r#match).legal = Some(Playable {
                    number: *next,
                    actions: actions.clone(),
                });
            }
            ServerMessage::Presence {
                r#match,
                players,
                watching,
                ..
            } => self.following(number, *r#match).presence = Some((*players, *watching)),
            ServerMessage::Done {
                id,
                r#match,
                number: action,
                actions,
                seq,
                only,
            } => {
                self.count("done");
                assert_eq!(*only, None, "these are no teams");
                let pending = self.answered(number, *id);
                assert_eq!(pending.message.about(), Some(*r#match));
                self.hears_done(number, pending, (*action, *actions, *seq));
            }
            ServerMessage::Refused {
                id,
                code,
                at,
                next_number,
                ..
            } => {
                self.count(format!("refused {code}"));
                if code == Code::BadMessage.as_str() {
                    // The socket refuses it itself, so these come in order.
                    let nonsense = self.sockets[number].nonsense.pop_front();
                    assert_eq!(nonsense, Some(*id), "by its id, where it has one");
                } else {
                    let pending = self.answered(number, *id);
                    self.hears_refused(number, pending, code, *at, *next_number);
                }
            }
            ServerMessage::Previewed { id, acted, .. } => {
                self.count("previewed");
                let pending = self.answered(number, *id);
                let command = command_of(&pending.message).expect("a preview");
                assert!(matches!(pending.message, ClientMessage::Preview { .. }));
                let game = pending.message.about().unwrap();
                let user = self.user(number).unwrap();
                let truth = self.truth(game);
                let foretold = truth.previews(pending.told, user, &command);
                assert!(foretold.contains(acted), "{acted:?} of {foretold:?}");
            }
            ServerMessage::Left { id, r#match } => {
                self.count("left");
                let pending = self.answered(number, *id);
                assert!(matches!(pending.message, ClientMessage::Leave { .. }));
                assert_eq!(pending.message.about(), Some(*r#match));
                // What was asked before has its answer, and from now on nothing comes any more.
                assert!(
                    !self.waits_before(number, *r#match, *id),
                    "an answer overtaken"
                );
                let following = self.sockets[number].following.remove(r#match);
                assert!(following.is_some(), "left what was not joined");
            }
            ServerMessage::Pong { id } => {
                let pending = self.answered(number, *id);
                assert!(matches!(pending.message, ClientMessage::Ping { .. }));
            }
            ServerMessage::Invited { .. } | ServerMessage::TeamChallenge { .. } => {
                panic!("nobody is invited: {text}")
            }
            ServerMessage::Talk { .. }
            | ServerMessage::Said { .. }
            | ServerMessage::TalkChanged { .. }
            | ServerMessage::Noted { .. } => {
                panic!("nobody asked for talk");
            }
            ServerMessage::Bye { code, .. } => {
                self.count(format!("bye {code}"));
                self.sockets[number].bye = Some(code.clone());
            }
        }
    }

    pub(super) fn answered(&mut self, number: usize, id: Option<u32>) -> Pending {
        let pending = id.and_then(|id| self.sockets[number].pending.remove(&id));
        pending.expect("an answer to something that was asked, and once")
    }

    /// Does something wait for its answer that was asked about a match before a message?
    fn waits_before(&self, number: usize, game: PublicId, id: Option<u32>) -> bool {
        let before = self.sockets[number].pending.range(..id.unwrap_or(u32::MAX));
        before
            .map(|(_, pending)| pending.message.about())
            .any(|about| about == Some(game))
    }

    pub(super) fn following(&mut self, number: usize, game: PublicId) -> &mut Following {
        let following = self.sockets[number].following.get_mut(&game);
        following.expect("a match that was joined")
    }

    pub(super) fn keep_place(&mut self, number: usize, game: PublicId, seq: u64) {
        let socket = &self.sockets[number];
        let device = &mut self.devices[socket.device];
        if device.socket == Some(number) {
            device.since.insert(game, seq);
        }
    }

    pub(super) fn user(&self, number: usize) -> Option<UserId> {
        let person = self.devices[self.sockets[number].device].person;
        person.map(|person| self.people[person].user)
    }

    pub(super) fn hears_joined(&mut self, number: usize, game: PublicId, message: &ServerMessage) {
        let ServerMessage::Joined {
            id,
            role,
            seq,
            view,
            ..
        } = message
        else {
            unreachable!()
        };
        self.count(match (id, view) {
            (Some(_), Some(_)) => "joined with a view",
            (Some(_), None) => "joined with what was missed",
            (None, _) => "skipped to a view",
        });
        let user = self.user(number);
        let pending = id.map(|_| self.answered(number, *id));
        let failed = pending
            .as_ref()
            .is_some_and(|pending| self.disk_failed_since(pending.sent));
        self.truth(game).tell(*seq);
        let truth = &self.truths[&game];
        if let Some(view) = view {
            assert_eq!(view.seq, *seq);
            truth.check_view(view);
        }
        // Seats are taken and never given up, so whoever has one now and is told otherwise
        // was told of an earlier moment.
        let side_at = |seq| user.and_then(|user| truth.play_at(seq).side_of(user));
        match role {
            Role::Spectator => assert_eq!(side_at(*seq), None, "a player was told to watch"),
            role => assert_eq!(*role, Role::from(side_at(truth.seq()))),
        }
        match &pending {
            Some(pending) => {
                let ClientMessage::Join { r#match, since, .. } = pending.message else {
                    panic!("joined for {:?}", pending.message);
                };
                assert_eq!(r#match, game);
                if view.is_some() {
                    assert!(*seq >= pending.told, "a view of the past");
                    let few = since.is_some_and(|since| {
                        (1..=pending.told).contains(&since)
                            && truth.seq() - since <= MISSED_EVENTS_MAX
                    });
                    assert!(failed || !few, "a view for who missed little");
                } else {
                    assert_eq!(Some(*seq), since);
                }
            }
            None => {
                assert!(view.is_some());
                assert_eq!(*role, Role::Spectator, "a player skips nothing");
                let last = self.sockets[number].following.get(&game);
                assert!(last.expect("a match that was joined").seq < *seq);
                assert!(self.sockets[number].slow, "skipped without need");
            }
        }
        // What was said after it asked to join, and before it heard that it had.
        let leaves = |pending: &Pending| match pending.message {
            ClientMessage::Leave { r#match, .. } => r#match == game,
            _ => false,
        };
        let left = self.sockets[number].pending.values().any(leaves);
        let before = self.sockets[number].following.insert(
            game,
            Following {
                seq: *seq,
                left,
                legal: None,
                presence: None,
            },
        );
        if let (None, Some(before)) = (pending, before) {
            let following = self.following(number, game);
            following.presence = before.presence;
            following.left = before.left;
        }
        self.keep_place(number, game, *seq);
    }

    pub(super) fn hears_done(&mut self, number: usize, pending: Pending, told: (u32, u32, u64)) {
        let command = command_of(&pending.message).expect("a command");
        let game = pending.message.about().unwrap();
        let user = self.user(number).expect("somebody who plays");
        let truth = self.truth(game);
        // What is done is on disk, as this command, and has the answer that it always has.
        let decided = truth.decisions(truth.seq(), user, &command);
        let Some(Ok(Decision::Done(receipt))) = decided.first() else {
            panic!("{:?} is not done: {decided:?}", pending.message);
        };
        assert_eq!((receipt.number, receipt.actions, receipt.seq), told);
        let last = receipt.seq + u64::from(receipt.actions.max(1)) - 1;
        truth.tell(last);
        if let Some(following) = self.sockets[number].following.get(&game)
            && !following.left
        {
            assert!(following.seq >= last, "`done` came before its events");
        }
        self.settle(&pending);
    }

    pub(super) fn settle(&mut self, pending: &Pending) {
        if let Some((person, place)) = pending.issued {
            self.people[person].issued[place].settled = true;
        }
    }

    pub(super) fn hears_refused(
        &mut self,
        number: usize,
        pending: Pending,
        code: &str,
        at: Option<u32>,
        next_number: Option<u32>,
    ) {
        let (message, sent) = (&pending.message, pending.sent);
        let known = message.about().is_none_or(|game| self.read(game));
        let user = self.user(number);
        let expected = match code {
            "no_such_match" => !known,
            "not_joined" => !pending.joined,
            "sign_in_needed" => user.is_none(),
            "storage_unavailable" => self.disk_failed_since(sent),
            "shutting_down" => self.disturbed_since(sent),
            "busy" => self.disturbed_since(sent) || self.waiting(message.about()) >= MAILBOX,
            "no_preview" => {
                let truth = &self.truths[&message.about().unwrap()];
                matches!(message, ClientMessage::Preview { .. }) && !truth.last().spec().preview
            }
            _ => {
                let game = message.about().unwrap();
                let truth = self.truths.get(&game);
                let command = command_of(message);
                let (Some(truth), Some(user), Some(command)) = (truth, user, command) else {
                    panic!("{message:?} was refused with {code}");
                };
                let decisions = truth.decisions(pending.told, user, &command);
                let explained = decisions.iter().any(|decision| match decision {
                    Ok(_) => false,
                    Err(refusal) => {
                        let told = mancala_protocol::convert::refused_frame(None, game, refusal);
                        let ServerMessage::Refused {
                            code: c,
                            at: a,
                            next_number: n,
                            ..
                        } = told
                        else {
                            unreachable!()
                        };
                        (c.as_str(), a, n) == (code, at, next_number)
                    }
                });
                assert!(
                    explained,
                    "{message:?} was refused with {code}, {at:?}, {next_number:?}, and not as one of {decisions:?}"
                );
                self.settle(&pending);
                explained
            }
        };
        assert!(expected, "{message:?} was refused with {code}");
        if let Some((person, place)) = pending.issued
            && code != "storage_unavailable"
        {
            self.people[person].issued[place].refused += 1;
        }
    }

    /// A socket has ended: in one of the ways that there are, and for a reason.
    pub(crate) fn ends(&mut self, number: usize, close: Option<u16>) {
        self.note(format_args!("{number} ends: {close:?}"));
        let moment = self.sockets[number].opened;
        let stopped = self.disturbed_since(moment);
        let failed = self.disk_failed_since(moment);
        let socket = &mut self.sockets[number];
        socket.ended = true;
        let device = &mut self.devices[socket.device];
        if device.socket == Some(number) {
            device.socket = None;
        }
        let said = socket.bye.as_deref();
        if let (Some(bye), Some(close)) = (said, close) {
            let code = Code::ALL.into_iter().find(|code| code.as_str() == bye);
            let expected = code.and_then(CloseCode::for_code).map(CloseCode::number);
            assert_eq!(Some(close), expected);
        }
        let reason = match said {
            Some("shutting_down") => stopped,
            Some("too_slow") => socket.slow,
            Some("storage_unavailable") => failed && !socket.greeted,
            Some(code) => socket.earned.contains(code),
            None => {
                let broken = socket.wire.is_broken() || stopped;
                broken || socket.closing || socket.slow || !socket.earned.is_empty()
            }
        };
        let how = match (said, close) {
            (Some(_), Some(_)) => "end with a word and a number",
            (None, None) => "end without a word",
            _ => "end with a word or a number",
        };
        assert!(
            reason,
            "socket {number} ended without a reason: {said:?}, {close:?}"
        );
        self.count(how);
    }
}
