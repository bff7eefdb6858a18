//! What is done on devices: by good clients, and by others.

use super::Run;
use crate::model::command_of;
use crate::plan::{Due, How, Since, Step};
use crate::wire::Line;
use mancala_engine::{Action, Pit, Side};
use mancala_play::{Command, Key, OfferKind, Request, Way};
use mancala_protocol::{ClientMessage, PublicId, WireAction};
use mancala_tests::Random;
use mancala_tests::players::{arrangement, strip};
use tokio_tungstenite::tungstenite::Message;

impl Run {
    pub(super) fn take_on_device(&mut self, step: Step) {
        let number = match &step {
            Step::Connect { device, .. }
            | Step::Tend { device, .. }
            | Step::Go { device }
            | Step::Close { device }
            | Step::Cut { device, .. }
            | Step::Silence { device }
            | Step::Ears { device, .. }
            | Step::Join { device, .. }
            | Step::Leave { device, .. }
            | Step::Act { device, .. }
            | Step::Ask { device, .. }
            | Step::Preview { device, .. }
            | Step::Again { device, .. }
            | Step::Reuse { device, .. }
            | Step::Nonsense { device, .. }
            | Step::Ping { device, .. } => *device,
            other => unreachable!("{other:?} is of no device"),
        };
        let Some(device) = self.device(number) else {
            return;
        };
        match step {
            Step::Connect { line, .. } => self.connect(device, line),
            Step::Tend { draw, .. } => self.tend(device, draw),
            Step::Go { .. } => self.go(device),
            Step::Join { game, since, .. } => {
                let Some(game) = self.game(game) else { return };
                let last = self.lock().devices[device].since.get(&game).copied();
                let last = last.unwrap_or_default();
                let since = match since {
                    Since::Nothing => None,
                    Since::Last => Some(last),
                    Since::Before(by) => Some(last.saturating_sub(by)),
                    Since::After(by) => Some(last + by),
                };
                self.join(device, game, since);
            }
            Step::Leave { game, .. } => {
                let Some(game) = self.game(game) else { return };
                self.say(device, None, |id| ClientMessage::Leave {
                    id,
                    r#match: game,
                });
            }
            Step::Act {
                game, how, draw, ..
            } => {
                let Some(game) = self.game(game) else { return };
                for (number, actions) in self.meant(device, game, how, draw) {
                    self.act(device, game, number, actions);
                }
            }
            Step::Ask {
                game, what, due, ..
            } => {
                let Some(game) = self.game(game) else { return };
                let next = self.lock().truth(game).last().next_number();
                let number = match due {
                    Due::Unsaid => None,
                    Due::Now => Some(next),
                    Due::Past(by) => Some(next.saturating_sub(by)),
                    Due::Later(by) => Some(next + by),
                };
                self.ask(device, game, what, number);
            }
            Step::Preview {
                game, how, draw, ..
            } => {
                let Some(game) = self.game(game) else { return };
                for (number, actions) in self.meant(device, game, how, draw) {
                    self.preview(device, game, number, actions);
                }
            }
            Step::Again { back, .. } => {
                if let Some((person, place, message)) = self.issued(device, back) {
                    self.say(device, Some((person, place)), |id| with_id(message, id));
                }
            }
            Step::Reuse { back, draw, .. } => {
                if let Some((_, _, message)) = self.issued(device, back) {
                    self.reuse(device, message, draw);
                }
            }
            Step::Nonsense { which, .. } => self.nonsense(device, which),
            Step::Ping { times, .. } => {
                if times > 100
                    && let Some(number) = self.socket_of(device)
                {
                    self.lock().earns(number, "too_fast");
                }
                for _ in 0..times {
                    self.say(device, None, |id| ClientMessage::Ping { id });
                }
            }
            step => self.touch_line(device, &step),
        }
    }
    pub(super) fn new_key(&mut self) -> Key {
        self.keys += 1;
        format!("key-{}", self.keys).parse().unwrap()
    }

    /// Gives a command on a device: of whoever holds it, or of nobody.
    pub(super) fn command(&mut self, device: usize, game: PublicId, message: ClientMessage) {
        let person = self.lock().devices[device].person;
        let issued =
            person.map(|person| (person, self.lock().issue(person, game, message.clone())));
        self.say(device, issued, |id| with_id(message, id));
    }

    /// What a device has been told that it may play in a match, if that is so now.
    pub(super) fn playable(
        &self,
        device: usize,
        game: PublicId,
        random: &mut Random,
    ) -> Option<(u32, WireAction)> {
        let number = self.socket_of(device)?;
        let mut model = self.lock();
        let following = model.sockets[number].following.get(&game)?.clone();
        let legal = following.legal?;
        let view = model.truth(game).carried_to(following.seq).clone();
        if legal.number != view.next_number {
            return None;
        }
        if !legal.actions.is_empty() {
            return Some((legal.number, random.any(&legal.actions).clone()));
        }
        let position = view.position?;
        let action = match position.standing.phase {
            mancala_engine::Phase::Arrange => Action::Arrange {
                pits: arrangement(&view.options, random),
            },
            mancala_engine::Phase::Strip { seeds } => {
                let pits = &position.board.pits[position.standing.to_move.other()];
                let take = strip(pits, seeds, random);
                Action::Strip { take }
            }
            phase => panic!("nothing may be played in {phase:?}"),
        };
        Some((legal.number, WireAction(action)))
    }

    /// The matches that a device follows now.
    pub(super) fn followed(&self, device: usize) -> Vec<PublicId> {
        let Some(number) = self.socket_of(device) else {
            return Vec::new();
        };
        let model = self.lock();
        model.sockets[number].following.keys().copied().collect()
    }

    pub(super) fn tend(&mut self, device: usize, draw: u64) {
        let mut random = Random::from_seed(draw);
        let Some(number) = self.socket_of(device) else {
            self.connect(device, Line::GOOD);
            return;
        };
        if !*self.sockets[&number].ears.borrow() {
            // Who does not listen has nothing to say either.
            return;
        }
        if self.sockets[&number].wire.is_silent() && random.below(3) == 0 {
            // It has waited long enough.
            self.connect(device, Line::GOOD);
            return;
        }
        let followed = self.followed(device);
        let played = followed.iter().fold(false, |played, &game| {
            if random.below(3) == 0
                && let Some(what) = self.wish(device, game, &mut random)
            {
                self.ask(device, game, what, None);
            }
            match self.playable(device, game, &mut random) {
                Some((number, action)) => {
                    if random.below(8) == 0 {
                        self.preview(device, game, number, vec![action.clone()]);
                    }
                    self.act(device, game, number, vec![action]);
                    true
                }
                None => played,
            }
        });
        if !played && random.below(8) == 0 || followed.is_empty() {
            let known = self.lock().games.clone();
            if !known.is_empty() {
                let game = *random.any(&known);
                if self.lock().is_joining(number, game) {
                    return;
                }
                let since = self.lock().devices[device].since.get(&game).copied();
                self.join(device, game, since);
            }
        }
    }

    /// What somebody who plays answers, or asks for, beside an action.
    fn wish(&self, device: usize, game: PublicId, random: &mut Random) -> Option<Request> {
        let number = self.socket_of(device)?;
        let mut model = self.lock();
        let user = model.devices[device]
            .person
            .map(|person| model.people[person].user)?;
        let seq = model.sockets[number].following.get(&game)?.seq;
        let play = model.truth(game).play_at(seq).clone();
        let side = play.side_of(user)?;
        if play.spec().way == Some(Way::Contract) && play.end().is_none() && !play.signed()[side] {
            return Some(Request::Sign);
        }
        if play.absences()[side.other()].is_some() && random.below(3) == 0 {
            return Some(*random.any(&[Request::ClaimWin, Request::ClaimDraw]));
        }
        match play.offer() {
            Some(offer) if offer.side != side && random.below(3) > 0 => Some(*random.any(&[
                Request::Accept(offer.kind),
                Request::Accept(offer.kind),
                Request::Decline(offer.kind),
                Request::Offer(offer.kind),
            ])),
            // A match that goes on is worth more than one that is broken off.
            None if random.below(10) == 0 => Some(Request::Offer(*random.any(&[
                OfferKind::Takeback,
                OfferKind::Time,
                OfferKind::Pause,
                OfferKind::Rematch,
                OfferKind::Draw,
            ]))),
            None if play.end().is_some() && play.rematch_number().is_none() => {
                Some(Request::Offer(OfferKind::Rematch))
            }
            _ => None,
        }
    }

    fn ask(&mut self, device: usize, game: PublicId, what: Request, number: Option<u32>) {
        let key = self.new_key();
        let ask = ClientMessage::Ask {
            id: None,
            r#match: game,
            number,
            what,
            key,
        };
        self.command(device, game, ask);
    }

    pub(super) fn act(
        &mut self,
        device: usize,
        game: PublicId,
        number: u32,
        actions: Vec<WireAction>,
    ) {
        let key = self.new_key();
        let act = ClientMessage::Act {
            id: None,
            r#match: game,
            number,
            actions,
            key,
        };
        self.command(device, game, act);
    }

    pub(super) fn preview(
        &self,
        device: usize,
        game: PublicId,
        number: u32,
        actions: Vec<WireAction>,
    ) {
        self.say(device, None, |id| ClientMessage::Preview {
            id,
            r#match: game,
            number,
            actions,
        });
    }

    pub(super) fn join(&self, device: usize, game: PublicId, since: Option<u64>) {
        self.say(device, None, |id| ClientMessage::Join {
            id,
            r#match: game,
            since,
        });
    }

    /// What somebody means to play, in which commands.
    pub(super) fn meant(
        &self,
        device: usize,
        game: PublicId,
        how: How,
        draw: u64,
    ) -> Vec<(u32, Vec<WireAction>)> {
        let mut random = Random::from_seed(draw);
        let next = self.lock().truth(game).last().next_number();
        let well = self.playable(device, game, &mut random);
        let any = WireAction(Action::sow(Pit(random.below(9) as u16)));
        let (number, action) = well.unwrap_or((next, any.clone()));
        match how {
            How::Well => vec![(number, vec![action])],
            How::Twice => vec![(number, vec![action.clone()]), (number, vec![action])],
            How::Late(by) => vec![(number.saturating_sub(by), vec![action])],
            How::Early(by) => vec![(number + by, vec![any])],
            How::Anyhow => vec![(number, vec![any])],
            How::AtOnce(count) => {
                let list = std::iter::once(action).chain(std::iter::repeat(any));
                vec![(number, list.take(count).collect())]
            }
            How::ForTheLot => {
                let lottery = Action::Lottery { to: Side::South };
                vec![(number, vec![WireAction(lottery)])]
            }
        }
    }
    /// The command that the holder of a device gave last but so many.
    pub(super) fn issued(
        &self,
        device: usize,
        back: usize,
    ) -> Option<(usize, usize, ClientMessage)> {
        let model = self.lock();
        let person = model.devices[device].person?;
        let issued = &model.people[person].issued;
        let place = issued.len().checked_sub(back + 1)?;
        Some((person, place, issued[place].message.clone()))
    }

    /// The key of a command, for another one.
    pub(super) fn reuse(&mut self, device: usize, message: ClientMessage, draw: u64) {
        let game = message.about().unwrap();
        let key = match command_of(&message) {
            Some(Command::Act { key, .. } | Command::Other { key, .. }) => key,
            _ => return,
        };
        let message = if draw.is_multiple_of(3) {
            ClientMessage::Ask {
                id: None,
                r#match: game,
                number: None,
                what: Request::Offer(OfferKind::Draw),
                key,
            }
        } else {
            let (number, actions) = self.meant(device, game, How::Well, draw).remove(0);
            ClientMessage::Act {
                id: None,
                r#match: game,
                number,
                actions,
                key,
            }
        };
        self.command(device, game, message);
    }

    pub(super) fn nonsense(&self, device: usize, which: usize) {
        const SAID: [&str; 7] = [
            "",
            "null",
            "{}",
            r#"{"type":"act"}"#,
            r#"{"type":"join","match":"k3J9sPq0Zx","since":-1}"#,
            r#"{"type":"dance","id":7}"#,
            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        ];
        match which % 12 {
            7 => self.say_raw(device, Message::binary(vec![0, 255, 7]), None),
            8 => self.say_raw(device, Message::text("x".repeat(20_000)), Some("too_large")),
            9 => self.say_raw(
                device,
                Message::text(r#"{"type":"hello"}"#),
                Some("greeting"),
            ),
            10 => {
                let game = PublicId::from_number(7);
                self.join(device, game, Some(3));
            }
            place => self.say_raw(device, Message::text(SAID[place % SAID.len()]), None),
        }
    }
}

pub(super) fn with_id(mut message: ClientMessage, new: Option<u32>) -> ClientMessage {
    if let ClientMessage::Act { id, .. } | ClientMessage::Ask { id, .. } = &mut message {
        *id = new;
    }
    message
}
