//! The referee: answers questions about the rules, one JSON line each.
//!
//! May know the engine and the JSON of its questions, never files or sockets.
//! `proto-docs/referee.md` describes both for those who ask.

use crate::lines::Lines;
use mancala_engine::{
    Action, AnyPosition, BadPosition, Direction, Game, Mancala, Options, OutOfRange, Pit, Position,
    Refusal, Setup, Side, perft,
};
use mancala_server::wording::{sentence, shown};
use serde::de::IgnoredAny;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufWriter, Read, Write};

/// The deepest `perft` answered. The games branch by five to a hundred, so deeper counts
/// would take years.
const DEPTH_MAX: u32 = 12;

/// How many faults of options are told one by one: no game has as many options.
const FAULTS_TOLD_MAX: usize = 10;

/// Answers each line of `input` by one of `output`, in order, until the input ends.
/// Answers are held back only while there is more input at hand, so that whoever writes
/// one line and waits for its answer gets it.
///
/// # Errors
/// Where reading or writing fails. A line that makes no sense is no error.
pub(crate) fn run(input: impl Read, output: impl Write) -> io::Result<()> {
    let mut lines = Lines::new(input);
    let mut output = BufWriter::with_capacity(1 << 16, output);
    while let Some(line) = lines.next(|| output.flush())? {
        let answer = match line {
            Ok(line) => answer(line),
            Err(bad_line) => Answer::Fault(Fault::bad_input(bad_line)),
        };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
    }
    output.flush()
}

fn answer(line: &str) -> Answer {
    let question = match Question::read(line) {
        Ok(question) => question,
        Err(message) => return Answer::Fault(Fault::bad_input(message)),
    };
    let options = question.options;
    match question.task {
        Task::Move { position, action } => match options.and_then(|it| resume(it, position)) {
            Ok(game) => answer_move(game, action),
            Err(fault) => Answer::NoMove {
                legal: Vec::new(),
                fault,
            },
        },
        Task::Line { position, actions } => {
            answer_actions(options.and_then(|it| resume(it, position)), &actions)
        }
        Task::Game { first, actions } => {
            answer_actions(options.map(|it| Game::start(it, first)), &actions)
        }
        Task::Perft { first, depth } => match options {
            Ok(options) => Answer::Count {
                count: perft(&Game::<AnyPosition>::start(options, first), depth),
            },
            Err(fault) => Answer::Fault(fault),
        },
    }
}

fn answer_move(mut game: Game<AnyPosition>, action: &RawValue) -> Answer {
    let mancala = game.position().mancala();
    let legal = game.moves().iter();
    let legal = legal.map(|action| Listed { action, mancala }).collect();
    match play(&mut game, action) {
        Ok(()) => Answer::Move {
            legal,
            after: game.position().setup(),
        },
        Err(refusal) => Answer::NoMove {
            legal,
            fault: refusal.into(),
        },
    }
}

fn answer_actions(game: Result<Game<AnyPosition>, Fault>, actions: &[&RawValue]) -> Answer {
    let mut game = match game {
        Ok(game) => game,
        Err(fault) => return Answer::Fault(fault.at(0)),
    };
    for (index, action) in actions.iter().enumerate() {
        if let Err(refusal) = play(&mut game, action) {
            return Answer::Fault(Fault::from(refusal).at(index));
        }
    }
    Answer::After {
        after: game.position().setup(),
    }
}

fn play(game: &mut Game<AnyPosition>, action: &RawValue) -> Result<(), Refusal> {
    let action: Action = serde_json::from_str(action.get()).map_err(|_| Refusal::BadAction)?;
    game.check(&action)?;
    game.play_unchecked(&action);
    Ok(())
}

fn resume(options: Options, position: &RawValue) -> Result<Game<AnyPosition>, Fault> {
    let setup: Setup = serde_json::from_str(position.get())
        .map_err(|error| Fault::because(BadPosition::CODE, sentence(&error)))?;
    Game::from_setup(options, &setup)
        .map_err(|bad_position| Fault::because(BadPosition::CODE, bad_position))
}

fn read_options(mancala: Mancala, options: Option<&RawValue>) -> Result<Options, Fault> {
    let Some(options) = options else {
        return Ok(Options::standard(mancala));
    };
    let read =
        |text: &str| Options::deserialize(mancala, &mut serde_json::Deserializer::from_str(text));
    read(options.get()).map_err(|error| {
        // Reading stops at the first fault: for the others, each option is read alone.
        let each: BTreeMap<String, &RawValue> =
            serde_json::from_str(options.get()).unwrap_or_default();
        let mut faults: Vec<String> = each
            .into_iter()
            .filter_map(|(name, value)| {
                let alone = serde_json::to_string(&BTreeMap::from([(&name, value)])).ok()?;
                let message = sentence(&read(&alone).err()?);
                let name = format!("`{}`", shown(&name));
                Some(if message.contains(&name) {
                    message
                } else {
                    format!("{name}: {message}")
                })
            })
            .take(FAULTS_TOLD_MAX + 1)
            .collect();
        if faults.is_empty() {
            faults.push(sentence(&error));
        } else if faults.len() > FAULTS_TOLD_MAX {
            faults[FAULTS_TOLD_MAX] = "and more".to_owned();
        }
        Fault::because(OutOfRange::CODE, faults.join("; "))
    })
}

/// A question, its outermost fields read.
struct Question<'a> {
    options: Result<Options, Fault>,
    task: Task<'a>,
}

/// What is asked. What it asks about is read later, because its faults have answers of
/// their own.
enum Task<'a> {
    /// Which actions are legal, and what becomes of this one?
    Move {
        position: &'a RawValue,
        action: &'a RawValue,
    },
    /// What becomes of these actions from a position?
    Line {
        position: &'a RawValue,
        actions: Vec<&'a RawValue>,
    },
    /// What becomes of these actions from the start?
    Game {
        first: Side,
        actions: Vec<&'a RawValue>,
    },
    /// How many sequences of actions are there?
    Perft { first: Side, depth: u32 },
}

#[derive(Clone, Copy)]
enum Kind {
    Move,
    Line,
    Game,
    Perft,
}

impl Kind {
    fn from_name(name: &str) -> Option<Kind> {
        match name {
            "move" => Some(Kind::Move),
            "line" => Some(Kind::Line),
            "game" => Some(Kind::Game),
            "perft" => Some(Kind::Perft),
            _ => None,
        }
    }

    const fn fields_expected(self) -> &'static str {
        match self {
            Kind::Move => {
                "a `move` has `position` and `action`, may have `options`, and nothing else"
            }
            Kind::Line => {
                "a `line` has `position` and `actions`, may have `options`, and nothing else"
            }
            Kind::Game => {
                "a `game` has `first` and `actions`, may have `options`, and nothing else"
            }
            Kind::Perft => {
                "a `perft` has `first` and `depth`, may have `options`, and nothing else"
            }
        }
    }
}

/// All the fields that questions have; which of them go together is checked after.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form<'a> {
    // Not of a type of its own: an enum that serde derives is read from more than a word.
    kind: String,
    game: Mancala,
    #[serde(borrow, default, deserialize_with = "present")]
    options: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    position: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    action: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    actions: Option<Vec<&'a RawValue>>,
    #[serde(default, deserialize_with = "present")]
    first: Option<Side>,
    #[serde(default, deserialize_with = "present")]
    depth: Option<u32>,
    // A question may carry the answer expected and a note; neither is looked at.
    #[serde(default, rename = "after")]
    _after: IgnoredAny,
    #[serde(default, rename = "error")]
    _error: IgnoredAny,
    #[serde(default, rename = "legal")]
    _legal: IgnoredAny,
    #[serde(default, rename = "note")]
    _note: IgnoredAny,
    #[serde(default, rename = "count")]
    _count: IgnoredAny,
}

/// A field that, where it stands, holds a value: `null` is none.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Question<'_> {
    /// Reads a line as a question, or says in a sentence why it is none.
    fn read(line: &str) -> Result<Question<'_>, String> {
        // Some programs put a mark of byte order in front of what they write.
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return Err("the line is empty".to_owned());
        }
        if !line.trim_ascii_start().starts_with('{') {
            return Err("this is not a JSON object".to_owned());
        }
        let form: Form<'_> = serde_json::from_str(line)
            .map_err(|error| format!("column {}: {}", error.column(), sentence(&error)))?;
        let kind = Kind::from_name(&form.kind).ok_or_else(|| {
            let kind = shown(&form.kind);
            format!("`{kind}` stands where `move`, `line`, `game` or `perft` should")
        })?;
        let task = match (kind, form.position, form.first) {
            (Kind::Move, Some(position), None) => match (form.action, form.actions, form.depth) {
                (Some(action), None, None) => Some(Task::Move { position, action }),
                _ => None,
            },
            (Kind::Line, Some(position), None) => match (form.action, form.actions, form.depth) {
                (None, Some(actions), None) => Some(Task::Line { position, actions }),
                _ => None,
            },
            (Kind::Game, None, Some(first)) => match (form.action, form.actions, form.depth) {
                (None, Some(actions), None) => Some(Task::Game { first, actions }),
                _ => None,
            },
            (Kind::Perft, None, Some(first)) => match (form.action, form.actions, form.depth) {
                (None, None, Some(depth)) => Some(Task::Perft { first, depth }),
                _ => None,
            },
            _ => None,
        };
        let task = task.ok_or_else(|| kind.fields_expected().to_owned())?;
        if let Task::Perft { depth, .. } = task
            && depth > DEPTH_MAX
        {
            return Err(format!("`depth` is at most {DEPTH_MAX}"));
        }
        Ok(Question {
            options: read_options(form.game, form.options),
            task,
        })
    }
}

/// One line of output.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Move {
        legal: Vec<Listed>,
        after: Setup,
    },
    NoMove {
        legal: Vec<Listed>,
        #[serde(flatten)]
        fault: Fault,
    },
    After {
        after: Setup,
    },
    Count {
        count: u64,
    },
    Fault(Fault),
}

/// Why there is no other answer.
#[derive(Serialize)]
struct Fault {
    error: &'static str,
    /// The index of the action it came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    /// The reasons in a sentence for people. A refusal has none: its code says it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Fault {
    fn because(error: &'static str, message: impl fmt::Display) -> Fault {
        Fault {
            error,
            at: None,
            message: Some(message.to_string()),
        }
    }

    fn bad_input(message: impl fmt::Display) -> Fault {
        Fault::because("bad_input", message)
    }

    fn at(self, index: usize) -> Fault {
        Fault {
            at: Some(index),
            ..self
        }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Fault {
        Fault {
            error: refusal.code(),
            at: None,
            message: None,
        }
    }
}

/// A legal action as listed: in Omweso a sowing always says its direction.
struct Listed {
    action: Action,
    mancala: Mancala,
}

impl Serialize for Listed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.action {
            Action::Sow { pit, dir } if self.mancala == Mancala::Omweso => {
                serialize_sow(pit, dir, serializer)
            }
            ref action => action.serialize(serializer),
        }
    }
}

fn serialize_sow<S: Serializer>(
    pit: Pit,
    dir: Direction,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(3))?;
    map.serialize_entry("type", "sow")?;
    map.serialize_entry("pit", &pit)?;
    map.serialize_entry("dir", &dir)?;
    map.end()
}
