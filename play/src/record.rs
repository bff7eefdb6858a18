//! The record of a match, from its log.

use crate::{
    Decides, Entry, Event, GameOutcome, Match, MatchEnd, MatchSpec, Ruling, TeamEvent, UserId, Way,
    Why,
};
use mancala_engine::record::{
    ClockTime, GameEnd, MatchResult, Note, Record, RecordError, StatedReason, Tag, Turn,
};
use mancala_engine::{
    Action, BySide, Format, Game, GameResult, Position, SeriesEnd, Side, Verdict,
};

/// The record of a match whose log this is, as far as it has gone. `name` says what somebody
/// in it is called. What is for a team alone is not in it. Whether the log is
/// sound is not asked: where it is not, [`Record::check`] finds what is wrong.
///
/// # Errors
/// The log does not begin as a match's does, or the match is longer than a record may be.
///
/// ```
/// use mancala_engine::{Format, Mancala, Options, Side};
/// use mancala_play::{Event, MatchSpec, UserId, record};
/// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
/// let user = UserId(uuid::Uuid::from_u128(1));
/// let log = [Event::Created { spec }, Event::Seated { side: Side::South, user }];
/// let record = record(&log, |who| (who == user).then_some("Amina"))?;
/// assert!(record.to_string().contains("Amina"));
/// assert_eq!(record.check().first_fault(), None);
/// # Ok::<(), mancala_engine::record::RecordError>(())
/// ```
pub fn record<'a>(
    events: &'a [Event],
    name: impl Fn(UserId) -> Option<&'a str>,
) -> Result<Record, RecordError> {
    let Some((Event::Created { spec }, rest)) = events.split_first() else {
        return Err(RecordError::NoGame);
    };
    let first = events.iter().find_map(|event| match event {
        Event::GameBegan { begins, .. } => Some(*begins),
        _ => None,
    });
    let mut record = Record::new(spec.options, spec.format, first.unwrap_or(Side::South));
    record.set_rules(spec.rules);
    let names = names_of_sides(spec, rest, &name);
    for side in Side::ALL {
        record.set_name(side, names[side])?;
    }
    let mut people = People::default();
    push_agreed(&mut record, spec)?;
    let mut score = BySide::both(0);
    let mut open: Option<OpenGame> = None;
    let mut result = MatchResult::Unfinished;
    // The clocks, as far as the log makes sense.
    let mut play = Some(Match::create(spec.clone()));
    for event in rest {
        let ledger = play
            .as_mut()
            .map(|play| play.read_on_trust(event).map(|effect| effect.ledger));
        let ledger = match ledger {
            Some(Ok(ledger)) => ledger,
            Some(Err(_)) => {
                play = None;
                Vec::new()
            }
            None => Vec::new(),
        };
        let notes = Notes {
            ledger: &ledger,
            clocks: play
                .as_ref()
                .and_then(Match::play)
                .map(|play| play.clocks()),
        };
        match event {
            Event::Signed { asked } => {
                let side = asked.side.to_string();
                let signed = asked.by.and_then(&name).or(names[asked.side]);
                let signed = signed.unwrap_or(&side);
                record.push_note(Note::annotation("signed", signed)?)?;
            }
            Event::GameBegan { begins, .. } => {
                let start = spec.start_for(*begins);
                let given = spec.start.is_some().then(|| start.setup());
                record.begin_game(*begins, given)?;
                open = Some(OpenGame {
                    game: Game::from_position(start),
                    actions: Vec::new(),
                    notes: notes.of_ledger()?.into_iter().collect(),
                });
            }
            Event::Acted {
                side, action, by, ..
            } => {
                let game = open.as_mut().ok_or(RecordError::NoGame)?;
                let number = play.as_ref().map_or(0, |play| play.next_number() - 1);
                let mut notes = notes.of_action(*side)?;
                if let Some((by, side)) = by.zip(*side) {
                    let by = people.called(side, by, &name);
                    notes.push(Note::annotation(BY, &by)?);
                }
                game.push(number, action, notes);
            }
            Event::Team { side, what, .. } => {
                if let Some(change) = people.change(*side, what, &name) {
                    let note = Note::annotation(TEAM, &change)?;
                    match &mut open {
                        Some(game) => game.note(note),
                        None => record.push_note(note)?,
                    }
                }
            }
            Event::TakenBack { to, earlier, .. } => {
                let game = open.as_mut().ok_or(RecordError::NoGame)?;
                let taken = game.go_back(*to);
                if let Some(before) = play.as_ref().and_then(Match::play)
                    && let Some(position) = earlier.game(before)
                {
                    game.game = position;
                }
                game.note(Note::annotation(TAKEN_BACK, &taken.to_string())?);
                game.notes_of(notes.of_ledger()?);
            }
            Event::GameEnded { outcome, .. } => {
                let game = open.take().ok_or(RecordError::NoGame)?;
                game.write(&mut record)?;
                record.end_game(end_of_game(outcome)?)?;
                if let Some(note) = notes.of_ledger()? {
                    record.push_note(note)?;
                }
                if let GameResult::Win { side, points } = outcome.result() {
                    score[side] += u32::from(points);
                }
            }
            Event::MatchEnded { end, note, .. } => {
                if let Some(mut game) = open.take() {
                    game.notes_of(notes.of_ledger()?);
                    game.write(&mut record)?;
                }
                if let Some(note) = note {
                    record.push_note(Note::comment(note.as_str())?)?;
                }
                result = end_of_match(*end)?;
            }
            Event::TimeGiven { .. } | Event::Paused { .. } | Event::Resumed { .. } => {
                if let Some(game) = &mut open {
                    game.notes_of(notes.of_ledger()?);
                }
            }
            Event::Created { .. }
            | Event::Seated { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::Counted { .. }
            | Event::Gone { .. }
            | Event::Back { .. }
            | Event::Rematched { .. } => {}
        }
    }
    if let Some(game) = open.take() {
        game.write(&mut record)?;
    }
    let shown = matches!(spec.format, Format::FirstTo(_)) || result != MatchResult::Unfinished;
    record.set_result(shown.then_some(score), result);
    Ok(record)
}

/// What each side is called: by its team's name, or by that of who has its seat.
fn names_of_sides<'a, 'b: 'a>(
    spec: &'b MatchSpec,
    events: &[Event],
    name: impl Fn(UserId) -> Option<&'a str>,
) -> BySide<Option<&'a str>> {
    if let Some(teams) = &spec.teams {
        return BySide::from_fn(|side| teams.names[side].as_ref().map(|name| name.as_str()));
    }
    BySide::from_fn(|wanted| {
        events.iter().find_map(|event| match event {
            Event::Seated { side, user } if *side == wanted => name(*user),
            _ => None,
        })
    })
}

/// The people of teams by their numbers, as they came.
#[derive(Default)]
struct People {
    came: BySide<Vec<UserId>>,
}

impl People {
    /// How somebody is called: `3 Amina`, or `3` where he has no name.
    fn called<'a>(
        &self,
        side: Side,
        user: UserId,
        name: impl Fn(UserId) -> Option<&'a str>,
    ) -> String {
        // Whoever came twice is called by his last number.
        let place = self.came[side].iter().rposition(|who| *who == user);
        let number = place.map_or(0, |place| place + 1);
        name(user).map_or_else(|| number.to_string(), |name| format!("{number} {name}"))
    }

    /// What became of a team, if that is for everybody to know: `south came 3 Amina`.
    fn change<'a>(
        &mut self,
        side: Side,
        what: &TeamEvent,
        name: impl Fn(UserId) -> Option<&'a str>,
    ) -> Option<String> {
        if let TeamEvent::Came { user } | TeamEvent::Waits { user } = what {
            self.came[side].push(*user);
        }
        let called = |user: &UserId| self.called(side, *user, &name);
        let change = match what {
            TeamEvent::Came { user } => format!("came {}", called(user)),
            TeamEvent::Waits { user } => format!("waits {}", called(user)),
            TeamEvent::Sat { user } => format!("sat {}", called(user)),
            TeamEvent::Left { user } => format!("left {}", called(user)),
            TeamEvent::StoodIn { user, member } => {
                format!("stood_in {} for {}", called(user), called(member))
            }
            TeamEvent::HandedBack { holder } => format!("handed_back {}", called(holder)),
            TeamEvent::Led { user } => format!("led {}", called(user)),
            TeamEvent::Ordered { .. }
            | TeamEvent::Absent { .. }
            | TeamEvent::Present { .. }
            | TeamEvent::Passed { .. }
            | TeamEvent::Ready
            | TeamEvent::Proposed { .. }
            | TeamEvent::Voted { .. }
            | TeamEvent::WindowClosed
            | TeamEvent::Backed { .. }
            | TeamEvent::Published => return None,
        };
        Some(format!("{side} {change}"))
    }
}

/// What was agreed beyond what the record itself has words for.
fn push_agreed(record: &mut Record, spec: &MatchSpec) -> Result<(), RecordError> {
    if !spec.clock.is_untimed() {
        record.push_tag(Tag::new("clock", &spec.clock.to_string())?)?;
    }
    if let Some(way) = spec.way {
        let word = match way {
            Way::Counting => "counting",
            Way::Contract => "contract",
            Way::Blitz => "blitz",
        };
        record.push_tag(Tag::new("way", word)?)?;
    }
    if spec.rated {
        record.push_tag(Tag::new("rated", "yes")?)?;
    }
    if let Some(teams) = &spec.teams {
        let decides = match teams.decides {
            Decides::Rotation => "rotation",
            Decides::Captain => "captain",
            Decides::Vote { .. } => "vote",
            Decides::First => "first",
        };
        record.push_tag(Tag::new("teams", decides)?)?;
    }
    Ok(())
}

/// A game that has begun: of it may yet be taken back.
struct OpenGame {
    game: Game<mancala_engine::AnyPosition>,
    actions: Vec<OpenAction>,
    /// Before the first action.
    notes: Vec<Note>,
}

struct OpenAction {
    number: u32,
    turn: Turn,
    action: Action,
    notes: Vec<Note>,
}

impl OpenGame {
    fn push(&mut self, number: u32, action: &Action, notes: Vec<Note>) {
        self.actions.push(OpenAction {
            number,
            turn: Turn::from(self.game.position().standing()),
            action: action.clone(),
            notes,
        });
        // What was not legal is recorded all the same: the record's check names it.
        if self.game.check(action).is_ok() {
            self.game.play_unchecked(action);
        }
    }

    /// Forgets the actions from this number on, and says how many there were. What they did
    /// to the clocks stays, for time is not taken back, and so does that some were taken back
    /// before.
    fn go_back(&mut self, to: u32) -> usize {
        let kept = self.actions.partition_point(|action| action.number < to);
        let taken = self.actions.split_off(kept);
        let count = taken.len();
        let notes = taken.into_iter().flat_map(|action| action.notes);
        for note in notes.filter(|note| KEPT.contains(&note.name())) {
            self.note(note);
        }
        count
    }

    fn note(&mut self, note: Note) {
        match self.actions.last_mut() {
            Some(action) => action.notes.push(note),
            None => self.notes.push(note),
        }
    }

    fn notes_of(&mut self, note: Option<Note>) {
        if let Some(note) = note {
            self.note(note);
        }
    }

    fn write(self, record: &mut Record) -> Result<(), RecordError> {
        for note in self.notes {
            record.push_note(note)?;
        }
        for action in self.actions {
            record.push_action(action.turn, action.action)?;
            for note in action.notes {
                record.push_note(note)?;
            }
        }
        Ok(())
    }
}

/// The annotation of who in a team decided an action.
const BY: &str = "by";

/// The annotation of who came to a team, left it, and so on.
const TEAM: &str = "team";

/// What stays in a record though the actions beside it were taken back.
const KEPT: [Option<&str>; 3] = [Some(LEDGER), Some(TAKEN_BACK), Some(TEAM)];

/// The annotation of how many actions were taken back.
const TAKEN_BACK: &str = "taken_back";

/// The annotation of changes of the clocks.
const LEDGER: &str = "ledger";

/// What an event does to the clocks, as notes.
struct Notes<'a> {
    ledger: &'a [Entry],
    clocks: Option<&'a crate::Clocks>,
}

impl Notes<'_> {
    /// What an action took, what is left after it, and every change of the clocks.
    fn of_action(&self, side: Option<Side>) -> Result<Vec<Note>, RecordError> {
        let mut notes = Vec::new();
        let left = side.and_then(|side| self.clocks?.left_ms(side));
        if let Some(left_ms) = left {
            let took = |entry: &&Entry| matches!(entry.why, Why::Thinking | Why::LostTurn);
            let time = |ms: i64| ClockTime::from_ms(ms.unsigned_abs());
            let took = self.ledger.iter().find(took);
            notes.extend(took.map(|entry| Note::spent(time(entry.ms))));
            notes.push(Note::clock(time(left_ms)));
        }
        notes.extend(self.of_ledger()?);
        Ok(notes)
    }

    /// Every change of the clocks: `south thinking -1200, south lag 150`.
    fn of_ledger(&self) -> Result<Option<Note>, RecordError> {
        if self.ledger.is_empty() {
            return Ok(None);
        }
        let entries: Vec<String> = self.ledger.iter().map(Entry::to_string).collect();
        Note::annotation(LEDGER, &entries.join(", ")).map(Some)
    }
}

fn end_of_game(outcome: &GameOutcome) -> Result<GameEnd, RecordError> {
    Ok(match outcome {
        GameOutcome::Board(board) => GameEnd::from(board),
        GameOutcome::Outside { reason, .. } => GameEnd::Stated {
            result: outcome.result(),
            reason: reason.code().parse()?,
        },
    })
}

fn end_of_match(end: MatchEnd) -> Result<MatchResult, RecordError> {
    let stated = |verdict, reason: &str| {
        let reason: StatedReason = reason.parse()?;
        Ok(MatchResult::Stated { verdict, reason })
    };
    match end {
        MatchEnd::Played { winner: Some(side) } => Ok(MatchResult::Played(SeriesEnd::Won(side))),
        MatchEnd::Played { winner: None } => Ok(MatchResult::Played(SeriesEnd::Drawn)),
        MatchEnd::Resigned { winner } => stated(Verdict::Win(winner), "resigned"),
        MatchEnd::Aborted => stated(Verdict::Void, "aborted"),
        MatchEnd::Abandoned => stated(Verdict::Void, "abandoned"),
        MatchEnd::Ruled(ruling) => stated(
            match ruling {
                Ruling::Aborted => Verdict::Void,
                Ruling::Drawn => Verdict::Draw,
                Ruling::Won(side) => Verdict::Win(side),
            },
            "administrator",
        ),
    }
}
