//! A whole position in one line, as records and people who compose problems write it.
//!
//! ```text
//! 8x4,8x0/8x4,8x0 0/0 south 1 0 play captured:no,0/0
//! ```
//!
//! Fields stand in this order, with one space between:
//!
//! 1. the seeds in the pits, south's and north's, each in pit order with commas
//!    between; `8x4` is eight pits of four seeds;
//! 2. the stores, south's and north's;
//! 3. the side to move;
//! 4. the number of the turn;
//! 5. the quiet count;
//! 6. the phase: `play`, `arrange`, `lottery`, `strip:2`,
//!    `direction:pit=15,seeds=3,held=no,columns=4.1,laps=2` (columns captured in this
//!    turn in their order; `-` for none), `over:south+12,akawumbi`, `over:draw,quiet` or
//!    `over:void,repetition`;
//! 7. in Omweso `captured:yes,1/0` (has anyone captured, and in how many turns each
//!    side), in Anywoli `last_seed:south`, `last_seed:north` or `last_seed:none`.

use crate::{
    Board, BySide, Columns, Extra, Outcome, PendingLap, Phase, Pit, Reason, Setup, Side, Standing,
    Verdict,
};
use std::fmt;
use std::str::FromStr;

/// The most pits that a side has on any board, and so the longest list of seeds.
pub(crate) const LIST_MAX: usize = 72;

impl fmt::Display for Setup {
    /// The position in one line. A list of more than 72 pits, which no board has, is
    /// printed but not read again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Board { pits, stores } = &self.board;
        let Standing {
            to_move,
            turn,
            quiet,
            phase,
        } = &self.standing;
        write!(
            f,
            "{}/{} {}/{} {to_move} {turn} {quiet} ",
            list_text(&pits.south),
            list_text(&pits.north),
            stores.south,
            stores.north,
        )?;
        match phase {
            Phase::Arrange => f.write_str("arrange")?,
            Phase::Play => f.write_str("play")?,
            Phase::Direction(lap) => {
                let columns = lap.columns.iter().map(|column| column.to_string());
                let columns = columns.collect::<Vec<_>>().join(".");
                write!(
                    f,
                    "direction:pit={},seeds={},held={},columns={},laps={}",
                    lap.pit.0,
                    lap.seeds,
                    yes_or_no(lap.held),
                    if columns.is_empty() { "-" } else { &columns },
                    lap.laps,
                )?;
            }
            Phase::Strip { seeds } => write!(f, "strip:{seeds}")?,
            Phase::Lottery => f.write_str("lottery")?,
            Phase::Over(outcome) => {
                match outcome.verdict() {
                    Verdict::Win(side) => write!(f, "over:{side}+{}", outcome.points()[side])?,
                    Verdict::Draw => f.write_str("over:draw")?,
                    Verdict::Void => f.write_str("over:void")?,
                }
                write!(f, ",{}", outcome.reason())?;
            }
        }
        match &self.extra {
            Extra::None {} => Ok(()),
            Extra::Omweso { captured, captures } => write!(
                f,
                " captured:{},{}/{}",
                yes_or_no(*captured),
                captures.south,
                captures.north
            ),
            Extra::Anywoli { last_seed } => {
                let side = last_seed.map_or("none", Side::name);
                write!(f, " last_seed:{side}")
            }
        }
    }
}

/// The text is no position; the field named here cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseSetupError {
    /// What the field looks like when it is right.
    expected: &'static str,
}

impl fmt::Display for ParseSetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in a position, {}", self.expected)
    }
}

impl std::error::Error for ParseSetupError {}

const PITS: &str = "the first field is the seeds of south and north, as in `8x4,8x0/8x4,8x0`, \
                    at most 72 pits a side";
const STORES: &str = "the second field is the stores of south and north, as in `0/0`";
const TO_MOVE: &str = "the third field is the side to move, `south` or `north`";
const TURN: &str = "the fourth field is the number of the turn, as in `1`";
const QUIET: &str = "the fifth field is the count of quiet turns, as in `0`";
const PHASE: &str = "the sixth field is the phase: `play`, `arrange`, `lottery`, `strip:2`, \
                     `direction:pit=15,seeds=3,held=no,columns=4.1,laps=2` or \
                     `over:south+1,bulijo`";
const EXTRA: &str = "the last field is `captured:no,0/0` in Omweso, `last_seed:none` in Anywoli, \
                     and none in the other games";

impl FromStr for Setup {
    type Err = ParseSetupError;

    /// Reads a position. Whether it can stand in a game is another question.
    ///
    /// ```
    /// use mancala_engine::{Setup, Side};
    /// let line = "6x3/6x3 0/0 north 1 0 play";
    /// let setup: Setup = line.parse()?;
    /// assert_eq!(setup.standing.to_move, Side::North);
    /// assert_eq!(setup.to_string(), line);
    /// # Ok::<(), mancala_engine::ParseSetupError>(())
    /// ```
    fn from_str(text: &str) -> Result<Setup, ParseSetupError> {
        let mut fields = text.split(' ');
        let mut field = || fields.next().unwrap_or_default();
        let board = Board {
            pits: expect(read_pits(field()), PITS)?,
            stores: expect(read_pair(field()), STORES)?,
        };
        let standing = Standing {
            to_move: expect(field().parse().ok(), TO_MOVE)?,
            turn: expect(read_number(field()), TURN)?,
            quiet: expect(read_number(field()), QUIET)?,
            phase: expect(read_phase(field()), PHASE)?,
        };
        let extra = match fields.next() {
            None => Extra::None {},
            Some(extra) => expect(read_extra(extra), EXTRA)?,
        };
        let setup = Setup {
            board,
            standing,
            extra,
        };
        expect(fields.next().is_none().then_some(setup), EXTRA)
    }
}

fn expect<T>(value: Option<T>, expected: &'static str) -> Result<T, ParseSetupError> {
    value.ok_or(ParseSetupError { expected })
}

fn read_pits(text: &str) -> Option<BySide<Vec<u32>>> {
    // A side without pits is nonsense, but it is data, and written as nothing.
    let side = |list: &str| match list {
        "" => Some(Vec::new()),
        _ => read_list(list),
    };
    let (south, north) = text.split_once('/')?;
    Some(BySide {
        south: side(south)?,
        north: side(north)?,
    })
}

fn read_pair(text: &str) -> Option<BySide<u32>> {
    let (south, north) = text.split_once('/')?;
    Some(BySide {
        south: read_number(south)?,
        north: read_number(north)?,
    })
}

fn read_phase(text: &str) -> Option<Phase> {
    match text.split_once(':') {
        None => match text {
            "arrange" => Some(Phase::Arrange),
            "play" => Some(Phase::Play),
            "lottery" => Some(Phase::Lottery),
            _ => None,
        },
        Some(("strip", seeds)) => Some(Phase::Strip {
            seeds: read_number(seeds)?,
        }),
        Some(("direction", lap)) => read_lap(lap).map(Phase::Direction),
        Some(("over", outcome)) => read_outcome(outcome).map(Phase::Over),
        Some(_) => None,
    }
}

fn read_lap(text: &str) -> Option<PendingLap> {
    let mut values = text.split(',');
    let mut value = |name: &str| values.next()?.strip_prefix(name)?.strip_prefix('=');
    let lap = PendingLap {
        pit: Pit(u16::try_from(read_number(value("pit")?)?).ok()?),
        seeds: read_number(value("seeds")?)?,
        held: read_yes_or_no(value("held")?)?,
        columns: read_columns(value("columns")?)?,
        laps: read_number(value("laps")?)?,
    };
    values.next().is_none().then_some(lap)
}

fn read_columns(text: &str) -> Option<Columns> {
    if text == "-" {
        return Some(Columns::NONE);
    }
    let column = |text| u8::try_from(read_number(text)?).ok();
    let list = text
        .split('.')
        .take(9)
        .map(column)
        .collect::<Option<Vec<_>>>()?;
    Columns::try_from(list.as_slice()).ok()
}

fn read_outcome(text: &str) -> Option<Outcome> {
    let (verdict, code) = text.split_once(',')?;
    let reason = code.parse::<Reason>().ok()?;
    match verdict {
        "draw" => return Some(Outcome::draw(reason)),
        "void" => return Some(Outcome::void(reason)),
        _ => {}
    }
    let (side, points) = verdict.split_once('+')?;
    let points = u8::try_from(read_number(points)?).ok()?;
    Some(Outcome::win(side.parse().ok()?, points, reason))
}

fn read_extra(text: &str) -> Option<Extra> {
    match text.split_once(':')? {
        ("captured", value) => {
            let (captured, captures) = value.split_once(',')?;
            Some(Extra::Omweso {
                captured: read_yes_or_no(captured)?,
                captures: read_pair(captures)?,
            })
        }
        ("last_seed", "none") => Some(Extra::Anywoli { last_seed: None }),
        ("last_seed", side) => Some(Extra::Anywoli {
            last_seed: Some(side.parse().ok()?),
        }),
        _ => None,
    }
}

const fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

fn read_yes_or_no(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// A number in the one way it is written: digits, no zero in front.
pub(crate) fn read_number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let padded = text.len() > 1 && text.starts_with('0');
    if plain && !padded {
        text.parse().ok()
    } else {
        None
    }
}

/// Seeds by pit, three equal ones and more as a run: `8x4,8x0`.
pub(crate) fn list_text(list: &[u32]) -> String {
    let runs = list.chunk_by(|one, next| one == next).map(|run| match run {
        [seeds, _, _, ..] => format!("{}x{seeds}", run.len()),
        _ => run.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
    });
    runs.collect::<Vec<_>>().join(",")
}

/// Reads such a list; `None` where it is none, is empty or has more numbers than any
/// board has pits.
pub(crate) fn read_list(text: &str) -> Option<Vec<u32>> {
    let mut list = Vec::new();
    for item in text.split(',') {
        let (times, seeds) = match item.split_once('x') {
            Some((times, seeds)) => (read_number(times)? as usize, read_number(seeds)?),
            None => (1, read_number(item)?),
        };
        if times == 0 || times > LIST_MAX - list.len() {
            return None;
        }
        list.extend(std::iter::repeat_n(seeds, times));
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnyPosition, Mancala, Options, Position};

    #[test]
    fn every_start_in_one_line() {
        let lines = Mancala::ALL.map(|mancala| {
            let start = AnyPosition::start(Options::standard(mancala), Side::North);
            start.setup().to_string()
        });
        assert_eq!(
            lines,
            [
                "8x4,8x0/8x4,8x0 0/0 north 1 0 play captured:no,0/0",
                "12x4/12x4 0/0 north 1 0 play last_seed:none",
                "6x3/6x3 0/0 north 1 0 play",
                "23x2,0/23x2,0 0/0 north 1 0 play",
                "8x2,0,7x2/8x2,0,7x2 0/0 north 1 0 play",
            ]
        );
    }

    /// Any data survives, sound or not: soundness is for `Game::from_setup` to say.
    #[test]
    fn texts_that_are_canonical() {
        for text in [
            "/ 0/4294967295 south 0 0 play",
            "1,1,3x1000,2,2/0 7/8 south 9 3 arrange captured:yes,10/2",
            "1/1 0/0 north 5 0 strip:4294967295 last_seed:north",
            "1/1 0/0 north 5 0 direction:pit=65535,seeds=3,held=yes,columns=8.1.4,laps=9999",
            "1/1 0/0 north 5 0 direction:pit=15,seeds=3,held=no,columns=-,laps=0 last_seed:none",
            "72x1/0 0/0 south 5 0 over:north+255,akawumbi",
            "1/0 0/0 south 5 0 over:draw,both_stuck",
            "1/0 0/0 south 5 0 over:void,never_ending",
            "12x0/12x0 48/44 south 5 0 lottery last_seed:none",
        ] {
            let setup: Setup = text
                .parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(setup.to_string(), text);
        }
    }

    #[test]
    fn the_field_that_is_wrong_is_named() {
        for (text, expected) in [
            ("", PITS),
            ("1,2 0/0 south 1 0 play", PITS),
            ("73x0/1 0/0 south 1 0 play", PITS),
            ("4294967295x0,4294967295x0/1 0/0 south 1 0 play", PITS),
            ("0x1/1 0/0 south 1 0 play", PITS),
            ("1/1  0/0 south 1 0 play", STORES),
            ("1/1 0 south 1 0 play", STORES),
            ("1/1 0/0 East 1 0 play", TO_MOVE),
            ("1/1 0/0 south 01 0 play", TURN),
            ("1/1 0/0 south 1 -1 play", QUIET),
            ("1/1 0/0 south 1 0", PHASE),
            ("1/1 0/0 south 1 0 strip", PHASE),
            ("1/1 0/0 south 1 0 over:south,bulijo", PHASE),
            ("1/1 0/0 south 1 0 over:south+256,bulijo", PHASE),
            ("1/1 0/0 south 1 0 over:draw,boredom", PHASE),
            (
                "1/1 0/0 south 1 0 direction:pit=1,seeds=3,held=no,columns=4.4,laps=2",
                PHASE,
            ),
            (
                "1/1 0/0 south 1 0 direction:pit=1,seeds=3,held=no,columns=4,laps=2,more",
                PHASE,
            ),
            (
                "1/1 0/0 south 1 0 direction:seeds=3,pit=1,held=no,columns=4,laps=2",
                PHASE,
            ),
            ("1/1 0/0 south 1 0 play captured:no", EXTRA),
            ("1/1 0/0 south 1 0 play last_seed:east", EXTRA),
            ("1/1 0/0 south 1 0 play last_seed:none ", EXTRA),
            ("1/1 0/0 south 1 0 play ", EXTRA),
        ] {
            assert_eq!(
                text.parse::<Setup>(),
                Err(ParseSetupError { expected }),
                "{text:?}"
            );
        }
    }
}
