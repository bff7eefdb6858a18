//! A match as the disk has it: its log played by the rules alone, and what follows for
//! everybody who is told of it.

use crate::model::Names;
use mancala_engine::{Extra, Position as _, Side};
use mancala_play::{Command, Context, Decision, Event, Key, Match, MatchId, Refusal, UserId};
use mancala_protocol::convert::Passing;
use mancala_protocol::{ActedFrame, EventBody, MatchView, PublicId, Role, ServerMessage, convert};
use mancala_server::store::LogRow;
use mancala_tests::{Followed, timeless};
use std::collections::BTreeMap;

/// A match as the disk has it.
#[derive(Debug)]
pub(crate) struct Truth {
    pub(crate) id: MatchId,
    name: PublicId,
    /// The match after each event, the first one's at 0.
    plays: Vec<Match>,
    /// Is there more to come of the same decision? Nobody sees a match in between.
    inner: Vec<bool>,
    /// What everyone is told of each event.
    frames: Vec<String>,
    /// What a view says after each event.
    views: Vec<MatchView>,
    /// The first view with all events carried into it, without any rules.
    followed: Followed,
    /// Where each key of a seat is bound.
    keys: BTreeMap<(Side, Key), u64>,
    /// The highest number that anybody has been told of.
    pub(crate) told: u64,
}

/// A command that an event says was given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) user: UserId,
    pub(crate) key: Key,
    /// The number of the action, for an action.
    pub(crate) number: u32,
    pub(crate) event: Event,
}

impl Truth {
    /// The match that begins with this row.
    pub(crate) fn begin(name: PublicId, id: MatchId, row: &LogRow, names: &Names) -> Truth {
        let event = std::slice::from_ref(&row.event);
        let play = Match::replay(event, row.digest).unwrap();
        let view = convert::view(name, &play, &|user| names[&user].clone(), Passing::NOTHING);
        Truth {
            id,
            name,
            plays: vec![play],
            inner: vec![false],
            frames: vec![String::new()],
            followed: Followed::new(Role::Spectator, view.clone()),
            views: vec![view],
            keys: BTreeMap::new(),
            told: 1,
        }
    }

    /// Reads the next row of the log, and returns the command behind it.
    pub(crate) fn read(&mut self, row: &LogRow, names: &Names) -> Option<Given> {
        let name_of = |user: UserId| names[&user].clone();
        let mut play = self.last().clone();
        let before = extra(&play);
        let moved = play
            .read_next(&row.event, row.digest)
            .unwrap_or_else(|damage| panic!("the log of {} does not follow: {damage}", self.name));
        assert_eq!(row.seq, play.seq(), "a gap in the log of {}", self.name);
        let told = convert::event_frame(self.name, &row.event, before, &play, &moved, &name_of);
        let frame = serde_json::to_string(&told.unwrap()).unwrap();
        let view = convert::view(self.name, &play, &name_of, Passing::NOTHING);
        // Without rules, from the wire alone, one comes to the same view.
        self.followed.take(&serde_json::from_str(&frame).unwrap());
        if !matches!(row.event, Event::GameEnded { .. }) {
            let followed = &self.followed.view();
            assert_eq!(
                timeless(followed),
                timeless(&view),
                "the events do not lead to the view"
            );
        }
        let given = self.given(row, &play);
        if let Some(given) = &given {
            self.bind(given, row);
        }
        *self.inner.last_mut().unwrap() = goes_on(&row.event);
        self.plays.push(play);
        self.inner.push(false);
        self.frames.push(frame);
        self.views.push(view);
        given
    }

    fn given(&self, row: &LogRow, play: &Match) -> Option<Given> {
        let (side, key) = match &row.event {
            Event::Acted {
                side: Some(side),
                key: Some(key),
                ..
            } => (*side, key.clone()),
            event => {
                let asked = event.asked()?;
                (asked.side, asked.key.clone())
            }
        };
        Some(Given {
            user: play.seats()[side].unwrap(),
            key,
            number: play.next_number() - 1,
            event: row.event.clone(),
        })
    }

    /// One key, one command.
    fn bind(&mut self, given: &Given, row: &LogRow) {
        let side = self.last().side_of(given.user).unwrap();
        let key = (side, given.key.clone());
        match &row.event {
            Event::Acted { part: 1.., .. } => assert!(self.keys.contains_key(&key)),
            _ => {
                let before = self.keys.insert(key, row.seq);
                assert_eq!(before, None, "done twice: {given:?}");
            }
        }
    }

    /// The number of its last event.
    pub(crate) fn seq(&self) -> u64 {
        self.plays.len() as u64
    }

    pub(crate) fn last(&self) -> &Match {
        self.plays.last().unwrap()
    }

    /// The match as it was after an event.
    pub(crate) fn play_at(&self, seq: u64) -> &Match {
        let place = usize::try_from(seq).unwrap() - 1;
        self.plays.get(place).unwrap_or_else(|| {
            panic!(
                "{} was told of event {seq} before it was on disk",
                self.name
            )
        })
    }

    /// What a view says after an event.
    pub(crate) fn view_at(&self, seq: u64) -> &MatchView {
        let view = self.carried_to(seq);
        let place = usize::try_from(seq).unwrap() - 1;
        assert!(!self.inner[place], "a view within a decision");
        view
    }

    /// What a client has who has heard the events up to one.
    pub(crate) fn carried_to(&self, seq: u64) -> &MatchView {
        self.play_at(seq);
        &self.views[usize::try_from(seq).unwrap() - 1]
    }

    pub(crate) fn frame_at(&self, seq: u64) -> &str {
        self.play_at(seq);
        &self.frames[usize::try_from(seq).unwrap() - 1]
    }

    /// The frames of all events, as a log tells them.
    pub(crate) fn frames(&self) -> &[String] {
        &self.frames[1..]
    }

    /// Notes that somebody was told of an event.
    pub(crate) fn tell(&mut self, seq: u64) {
        self.play_at(seq);
        self.told = self.told.max(seq);
    }

    /// The frame of what a side may play after an event.
    pub(crate) fn legal_at(&self, seq: u64, side: Side) -> Option<String> {
        let legal = convert::legal_frame(self.name, self.play_at(seq), side)?;
        Some(serde_json::to_string(&legal).unwrap())
    }

    /// What may come of a command, at any moment since an event.
    pub(crate) fn decisions(
        &self,
        since: u64,
        user: UserId,
        command: &Command,
    ) -> Vec<Result<Decision, Refusal>> {
        let lot = Side::South;
        self.moments(since)
            .map(|seq| {
                self.play_at(seq)
                    .decide(user, command, &Context::untimed(lot))
            })
            .collect()
    }

    /// The events since one, without those of which there was more to come.
    fn moments(&self, since: u64) -> impl Iterator<Item = u64> {
        let inner = |seq: &u64| self.inner[usize::try_from(*seq).unwrap() - 1];
        (since..=self.seq()).filter(move |seq| !inner(seq))
    }

    /// What a preview may say, at any moment since an event.
    pub(crate) fn previews(
        &self,
        since: u64,
        user: UserId,
        command: &Command,
    ) -> Vec<Vec<ActedFrame>> {
        let decisions = self.decisions(since, user, command).into_iter();
        self.moments(since)
            .zip(decisions)
            .filter_map(|(seq, decision)| match decision {
                Ok(Decision::Do(events)) => Some(self.foretell(seq, &events)),
                _ => None,
            })
            .collect()
    }

    fn foretell(&self, seq: u64, events: &[Event]) -> Vec<ActedFrame> {
        let mut play = self.play_at(seq).clone();
        let mut told = Vec::new();
        for event in events {
            let before = extra(&play);
            let moved = play.apply(event);
            let nobody = |_: UserId| String::new();
            let frame = convert::event_frame(self.name, event, before, &play, &moved, &nobody);
            if let (
                Event::Acted { side: Some(_), .. },
                Some(ServerMessage::Event {
                    body: EventBody::Acted { acted, .. },
                    ..
                }),
            ) = (event, frame)
            {
                told.push(acted);
            }
        }
        told
    }
}

/// Does an event belong to the decision of the one before it?
fn goes_on(event: &Event) -> bool {
    match event {
        Event::Acted { side: None, .. } | Event::Acted { part: 1.., .. } => true,
        Event::GameBegan { .. } => true,
        Event::GameEnded { asked, .. } | Event::MatchEnded { asked, .. } => asked.is_none(),
        _ => false,
    }
}

fn extra(play: &Match) -> Option<Extra> {
    play.play().map(|play| play.game().position().extra())
}
