//! A match and somebody who waits for its deadline, in time that goes by when it is told to.

use super::{Table, user};
use mancala_engine::{Action, BySide, Direction, Phase, Position as _, Side};
use mancala_play::{
    Clocks, Command, Entry, Event, Leaving, Match, MatchEnd, MatchSpec, Refusal, Request, Ruling,
    Spent, UserId,
};

/// What a server does for a match, as far as time goes: it measures how long ago the time of
/// the side to move was settled and how long somebody is away, and lets happen what is due.
#[derive(Clone)]
pub(crate) struct Shell {
    pub(crate) table: Table,
    pub(crate) now_ms: i64,
    /// What the way of the next moves takes, as it is measured.
    pub(crate) lag_ms: i64,
    /// When each event was written down.
    times: Vec<i64>,
    since_ms: i64,
    gone_ms: BySide<Option<i64>>,
    /// The entries of the current game.
    ledger: Vec<Entry>,
}

impl Shell {
    pub(crate) fn empty(spec: MatchSpec) -> Shell {
        Shell {
            table: Table::of(spec),
            now_ms: 0,
            lag_ms: 0,
            times: vec![0],
            since_ms: 0,
            gone_ms: BySide::both(None),
            ledger: Vec::new(),
        }
    }

    /// Both sit; south begins.
    pub(crate) fn seated(spec: MatchSpec) -> Shell {
        let mut shell = Shell::empty(spec);
        for side in Side::ALL {
            shell.sit(side);
        }
        shell
    }

    pub(crate) fn sit(&mut self, side: Side) {
        self.do_as(|table| table.sit(user(side), side)).unwrap();
    }

    pub(crate) fn play(&self) -> &Match {
        &self.table.play
    }

    pub(crate) fn clocks(&self) -> Option<&Clocks> {
        self.play().play().map(|play| play.clocks())
    }

    pub(crate) fn ledger(&self) -> &[Entry] {
        &self.ledger
    }

    /// What the side to move has left at this moment, the other as it stands.
    pub(crate) fn left_ms(&self, side: Side) -> Option<i64> {
        let clocks = self.clocks()?;
        let spent = if clocks.running() == Some(side) {
            self.now_ms - self.since_ms
        } else {
            0
        };
        Some(clocks.left_ms(side)? - spent)
    }

    /// When something happens by itself.
    pub(crate) fn due_at_ms(&self) -> Option<i64> {
        Some(self.since_ms + self.play().deadline_ms()?)
    }

    /// When the side whose clock runs is out of time.
    pub(crate) fn out_at_ms(&self) -> Option<i64> {
        Some(self.since_ms + self.clocks()?.deadline_ms()?)
    }

    /// Time goes by, and what is due in it happens at its moment.
    pub(crate) fn wait(&mut self, ms: i64) -> Vec<Event> {
        let until_ms = self.now_ms + ms;
        let mut happened = Vec::new();
        while let Some(at_ms) = self.due_at_ms().filter(|at_ms| *at_ms <= until_ms) {
            self.now_ms = self.now_ms.max(at_ms);
            let events = self.do_as(|table| Ok(table.due())).unwrap();
            assert!(!events.is_empty(), "something was due");
            happened.extend(events);
            assert!(happened.len() < 10_000, "this has no end");
        }
        self.now_ms = until_ms;
        happened
    }

    /// The next thing that is due happens, whenever it does.
    pub(crate) fn next_due(&mut self) -> Vec<Event> {
        let at_ms = self.due_at_ms().expect("something is due");
        self.wait((at_ms - self.now_ms).max(0))
    }

    pub(crate) fn act(&mut self, side: Side, actions: &[Action]) -> Result<Vec<Event>, Refusal> {
        self.do_as(|table| table.act(side, actions))
    }

    pub(crate) fn act_as(
        &mut self,
        user: UserId,
        command: &Command,
    ) -> Result<Vec<Event>, Refusal> {
        self.do_as(|table| table.command(user, command))
    }

    pub(crate) fn ask(&mut self, side: Side, request: Request) -> Result<Vec<Event>, Refusal> {
        self.do_as(|table| table.ask(side, request))
    }

    pub(crate) fn gone(&mut self, side: Side, how: Leaving) -> Vec<Event> {
        let events = self.play().decide_gone(side, how);
        self.write(&events);
        events
    }

    pub(crate) fn back(&mut self, side: Side) -> Vec<Event> {
        let events = self.play().decide_back(side);
        self.write(&events);
        events
    }

    pub(crate) fn rule(&mut self, ruling: Ruling) -> Result<Vec<Event>, Refusal> {
        self.do_as(|table| table.rule(ruling))
    }

    /// The side to move plays the first turn there is, and goes on where it has a choice.
    pub(crate) fn play_turn(&mut self) -> Result<Vec<Event>, Refusal> {
        let Some(side) = self.play().to_move() else {
            return Err(Refusal::MatchOver);
        };
        let mut game = self.table.game().clone();
        let mut actions = Vec::new();
        loop {
            let action = match game.position().standing().phase {
                Phase::Direction(_) => Action::Direction {
                    dir: Direction::Forward,
                },
                Phase::Play if actions.is_empty() => game.moves().nth(0),
                _ => break,
            };
            game.play_unchecked(&action);
            actions.push(action);
        }
        self.act(side, &actions)
    }

    /// The server starts again: it reads the log, and when its events were.
    pub(crate) fn restart(&mut self) {
        self.table.restart();
        self.since_ms = 0;
        self.gone_ms = BySide::both(None);
        for (event, at_ms) in self.table.log.iter().zip(&self.times) {
            note_time(event, *at_ms, &mut self.since_ms, &mut self.gone_ms);
        }
    }

    fn do_as(
        &mut self,
        decide: impl FnOnce(&mut Table) -> Result<Vec<Event>, Refusal>,
    ) -> Result<Vec<Event>, Refusal> {
        self.table.spent = Spent::new(self.now_ms - self.since_ms, self.lag_ms);
        let now_ms = self.now_ms;
        self.table.away_ms =
            BySide::from_fn(|side| self.gone_ms[side].map_or(0, |gone_ms| now_ms - gone_ms));
        let mut trial = self.table.clone();
        let events = decide(&mut trial)?;
        // Once more here, where what it does to the clocks is seen.
        trial.play = self.table.play.clone();
        trial.log.truncate(self.table.log.len());
        self.table = trial;
        self.write(&events);
        Ok(events)
    }

    fn write(&mut self, events: &[Event]) {
        for event in events {
            if matches!(event, Event::GameBegan { .. }) {
                self.ledger.clear();
            }
            let entries = self.table.make_true(std::slice::from_ref(event));
            self.ledger.extend(entries);
            self.times.push(self.now_ms);
            note_time(event, self.now_ms, &mut self.since_ms, &mut self.gone_ms);
        }
    }

    /// How the match stands, in a line: what both have left in seconds, who is to move, and
    /// in how many seconds something happens by itself.
    pub(crate) fn stands(&self) -> String {
        let left = |side| {
            self.left_ms(side)
                .map_or_else(|| "-".to_owned(), |ms| seconds(ms.max(0)))
        };
        let clocks = format!("{} {}", left(Side::South), left(Side::North));
        let how = match self.play().end() {
            Some(end) => self.ended(end),
            None => {
                let due = self.due_at_ms();
                let due = due.map_or_else(
                    || "nothing due".to_owned(),
                    |at_ms| seconds(at_ms - self.now_ms),
                );
                let pause = self.play().play().and_then(|play| play.pause());
                let pause = pause.map_or_else(String::new, |why| {
                    format!(", {} pause", format!("{why:?}").to_lowercase())
                });
                let to_move = self.play().to_move();
                let to_move = to_move.map_or_else(|| "nobody".to_owned(), |side| side.to_string());
                format!("{to_move} {due}{pause}")
            }
        };
        format!("{clocks} {how}")
    }

    fn ended(&self, end: MatchEnd) -> String {
        let game = self.table.log.iter().rev().find_map(|event| match event {
            Event::GameEnded { outcome, .. } => Some(outcome),
            _ => None,
        });
        let winner = end
            .winner()
            .map_or_else(|| "nobody".to_owned(), |side| side.to_string());
        match (end, game) {
            (MatchEnd::Played { .. }, Some(mancala_play::GameOutcome::Outside { reason, .. })) => {
                format!("won by {winner}, {}", reason.code())
            }
            (MatchEnd::Played { .. }, _) => format!("won by {winner}"),
            (MatchEnd::Resigned { .. }, _) => format!("won by {winner}, match resigned"),
            (MatchEnd::Ruled(_), _) => format!("won by {winner}, administrator"),
            (MatchEnd::Aborted, _) => "aborted".to_owned(),
            (MatchEnd::Abandoned, _) => "abandoned".to_owned(),
        }
    }
}

fn note_time(event: &Event, at_ms: i64, since_ms: &mut i64, gone_ms: &mut BySide<Option<i64>>) {
    if event.settles() {
        *since_ms = at_ms;
    }
    if event.renews_grace() {
        for side in Side::ALL {
            gone_ms[side] = gone_ms[side].map(|_| at_ms);
        }
    }
    match event {
        Event::Gone { side, .. } => gone_ms[*side] = Some(at_ms),
        Event::Back { side } => gone_ms[*side] = None,
        _ => {}
    }
}

/// `1.5`, `60`.
fn seconds(ms: i64) -> String {
    let text = format!("{:.3}", ms as f64 / 1_000.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
