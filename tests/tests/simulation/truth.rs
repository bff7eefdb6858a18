//! A match as the disk has it: its log played by the rules alone, and what follows for
//! everybody who is told of it.

use crate::model::Names;
use mancala_engine::{BySide, Extra, Position as _, Side};
use mancala_play::{
    Command, Context, Decision, Event, GameOutcome, Key, Match, MatchEnd, MatchId, OutsideReason,
    Refusal, Spent, Stage, UserId,
};
use mancala_protocol::convert::Passing;
use mancala_protocol::{ActedFrame, EventBody, MatchView, PublicId, Role, ServerMessage, convert};
use mancala_server::store::LogRow;
use mancala_tests::{Followed, timeless};
use std::collections::BTreeMap;

/// When a run begins, as the server's calendar has it.
const SIMULATED_FROM_MS: i64 = 1_767_225_600_000;

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
    /// When its last event was written, in milliseconds since the run began.
    pub(crate) written_ms: i64,
    /// When its time was settled last.
    settled_ms: i64,
    /// When it was last known that a side is gone.
    gone_ms: BySide<i64>,
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
            written_ms: row.at_ms - SIMULATED_FROM_MS,
            settled_ms: row.at_ms - SIMULATED_FROM_MS,
            gone_ms: BySide::both(0),
            told: 1,
        }
    }

    /// Reads the next row of the log, and returns the command behind it.
    pub(crate) fn read(&mut self, row: &LogRow, names: &Names, downs: &Downs) -> Option<Given> {
        self.written_ms = row.at_ms - SIMULATED_FROM_MS;
        self.check_charge(row, downs);
        self.check_claim(row);
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

    /// Nobody is charged for more time than has gone by, nor for what the server was down.
    fn check_charge(&mut self, row: &LogRow, downs: &Downs) {
        let spent = match &row.event {
            Event::Acted { spent, .. }
            | Event::TakenBack { spent, .. }
            | Event::Paused { spent, .. }
            | Event::GameEnded { spent, .. } => *spent,
            _ => Spent::NOTHING,
        };
        let gone_by_ms = self.written_ms - self.settled_ms;
        let down_ms = downs.between(self.settled_ms, self.written_ms);
        let charged_ms = spent.elapsed_ms;
        assert!(
            charged_ms <= gone_by_ms - down_ms + 1,
            "{charged_ms} ms are charged of {gone_by_ms}, of which the server was down for {down_ms}"
        );
        if row.event.settles() {
            self.settled_ms = self.written_ms;
        }
    }

    /// Only who waits for a side that is away for longer than it may claims anything.
    fn check_claim(&mut self, row: &LogRow) {
        match &row.event {
            Event::Gone { side, .. } => self.gone_ms[*side] = self.written_ms,
            Event::GameEnded {
                outcome:
                    GameOutcome::Outside {
                        reason: OutsideReason::Claimed,
                        ..
                    },
                asked: Some(asked),
                ..
            } => {
                let side = asked.side.other();
                assert_eq!(
                    self.last().to_move(),
                    Some(side),
                    "a claim on one's own turn"
                );
                let absence = self.last().absences()[side].expect("a side that is away");
                let away_ms = self.written_ms - self.gone_ms[side];
                assert!(absence.is_over(away_ms + 1), "{away_ms} of {absence:?}");
            }
            _ => {}
        }
    }

    /// Whatever goes by itself in a match with clocks is known to the store.
    pub(crate) fn check_deadline(&self, last: &LogRow) {
        let play = self.last();
        let expected = play.deadline_ms().is_some();
        assert_eq!(last.deadline_ms.is_some(), expected, "{:?}", last.event);
        if let Stage::Playing(_) = play.stage() {
            assert!(expected || play.spec().clock.is_untimed(), "nothing is due");
        }
    }

    /// When something is due by itself, in milliseconds since the run began, if there is a server
    /// all the time.
    pub(crate) fn due_ms(&self) -> Option<i64> {
        Some(self.settled_ms + self.last().deadline_ms()?)
    }

    /// A view is what it has to be, and says of time what can be.
    pub(crate) fn check_view(&self, view: &MatchView) {
        let expected = self.view_at(view.seq);
        assert_eq!(
            timeless(view),
            timeless(expected),
            "there are two histories"
        );
        if let Some(clocks) = &view.clocks {
            assert!(clocks.elapsed_ms >= 0);
            let due = self.play_at(view.seq).deadline_ms();
            assert_eq!(clocks.due_ms.is_some(), due.is_some());
            assert!(clocks.due_ms <= due);
        }
        for side in Side::ALL {
            if let (Some(away), Some(most)) = (view.away.get(side), expected.away.get(side)) {
                assert!((0..=most.grace_ms).contains(&away.grace_ms));
            }
        }
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

/// Does an event surely belong to the decision of the one before it?
fn goes_on(event: &Event) -> bool {
    match event {
        Event::Acted { side: None, .. } | Event::Acted { part: 1.., .. } => true,
        Event::GameBegan { .. } => true,
        Event::GameEnded { outcome, .. } => matches!(outcome, GameOutcome::Board(_)),
        Event::MatchEnded { end, .. } => matches!(end, MatchEnd::Played { .. }),
        _ => false,
    }
}

/// When there was no server, in milliseconds since the run began.
#[derive(Debug, Default)]
pub(crate) struct Downs(Vec<(i64, Option<i64>)>);

impl Downs {
    /// From now on there is none.
    pub(crate) fn down(&mut self, at_ms: i64) {
        self.0.push((at_ms, None));
    }

    /// There is one again.
    pub(crate) fn up(&mut self, at_ms: i64) {
        if let Some((_, until_ms @ None)) = self.0.last_mut() {
            *until_ms = Some(at_ms);
        }
    }

    /// For how long there was none between two moments.
    fn between(&self, from_ms: i64, to_ms: i64) -> i64 {
        let downs = self.0.iter().map(|&(down_ms, up_ms)| {
            let up_ms = up_ms.unwrap_or(i64::MAX);
            (up_ms.min(to_ms) - down_ms.max(from_ms)).max(0)
        });
        downs.sum()
    }
}

fn extra(play: &Match) -> Option<Extra> {
    play.play().map(|play| play.game().position().extra())
}
