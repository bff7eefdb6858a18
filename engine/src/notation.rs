//! Actions as people write and say them.
//!
//! | action | written | said |
//! |---|---|---|
//! | sow | `A5` | A five |
//! | sow in reverse | `A1<` | A one back |
//! | okukoneeza | `A3k` | A three koneeza |
//! | choose a direction | `>` or `<` | on; back |
//! | strip | `xA3.2+B1` | takes two of A three and one of B one |
//! | arrange | `(10,9,9,4,12x0)` | the numbers, from A1 round to B1; `12x0` is twelve pits of none |
//! | the lot | `lot=south` | the lot falls to south |
//! | lose the turn | `lost` | lost |
//!
//! Why these: what is played in every turn is a pit and nothing else, the two or three
//! characters that are painted on a board and shouted across a table. Every sign is
//! ASCII and on the first two pages of a telephone's keyboard. `<` points the way a
//! reversed lap runs along the outer row. `x` is the capture sign of other board games;
//! a full stop before the number of seeds keeps `A3.2` apart from pit `A32` of a long
//! board. What happens once a match or less is a word. No action holds a space, none is
//! the beginning of a longer one that means something else, and letters may be typed
//! in either case; printed they are as above.
//!
//! Pits are named from their owner's left. Those of a strip are the opponent's.

use crate::position_text::{LIST_MAX, list_text, read_list, read_number};
use crate::{Action, Direction, Pit, Shape, Side};
use std::fmt;

/// The action cannot be written down: it names a pit that the board does not have, or
/// its list is empty or longer than any board. No such action can ever be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnwritableAction;

impl fmt::Display for UnwritableAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the action names a pit that the board does not have, or an unusable list")
    }
}

impl std::error::Error for UnwritableAction {}

/// The text is no action on this board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseActionError {
    /// It names a pit that the board does not have.
    NoSuchPit(Shape),
    /// A number of seeds cannot be read.
    BadNumber,
    /// A list of seeds cannot be read.
    BadList,
    /// It has not the form of any action.
    Unknown,
}

impl fmt::Display for ParseActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseActionError::NoSuchPit(shape) => {
                let columns = shape.columns();
                write!(f, "this board has the pits A1 to A{columns}")?;
                if shape.rows_a_side() == 2 {
                    write!(f, " and B1 to B{columns}")?;
                }
                Ok(())
            }
            ParseActionError::BadNumber => f.write_str(
                "a number of seeds is written in digits, without zeros in front, as in `xA3.2`",
            ),
            ParseActionError::BadList => f.write_str(
                "an arrangement is a list of seeds in pit order, as in `(10,9,9,4,12x0)`",
            ),
            ParseActionError::Unknown => f.write_str(
                "an action looks like `A5`, `A1<`, `A3k`, `>`, `<`, `xA3.2+B1`, `(16x2)`, \
                 `lot=south` or `lost`",
            ),
        }
    }
}

impl std::error::Error for ParseActionError {}

impl Action {
    /// The action as people write it on a board of this shape.
    ///
    /// # Errors
    /// The action names a pit that the board does not have, or its list is empty or
    /// longer than any board.
    ///
    /// ```
    /// use mancala_engine::{Action, Pit, Shape};
    /// let board = Shape::four_rows(8);
    /// assert_eq!(Action::sow_reverse(Pit(15)).to_notation(board)?, "B1<");
    /// let strip = Action::Strip { take: vec![(Pit(2), 2), (Pit(15), 1)] };
    /// assert_eq!(strip.to_notation(board)?, "xA3.2+B1");
    /// # Ok::<(), mancala_engine::UnwritableAction>(())
    /// ```
    pub fn to_notation(&self, shape: Shape) -> Result<String, UnwritableAction> {
        let label = |pit: Pit| match shape.contains(pit) {
            true => Ok(shape.label(pit).to_string()),
            false => Err(UnwritableAction),
        };
        let bounded = |len: usize| match (1..=LIST_MAX).contains(&len) {
            true => Ok(()),
            false => Err(UnwritableAction),
        };
        Ok(match self {
            Action::Sow { pit, dir } => match dir {
                Direction::Forward => label(*pit)?,
                Direction::Reverse => label(*pit)? + "<",
            },
            Action::Koneeza { pit } => label(*pit)? + "k",
            Action::Direction { dir } => match dir {
                Direction::Forward => ">".to_owned(),
                Direction::Reverse => "<".to_owned(),
            },
            Action::Arrange { pits } => {
                bounded(pits.len())?;
                format!("({})", list_text(pits))
            }
            Action::Strip { take } => {
                bounded(take.len())?;
                let part = |&(pit, seeds): &(Pit, u32)| match seeds {
                    1 => label(pit),
                    _ => Ok(format!("{}.{seeds}", label(pit)?)),
                };
                let parts = take.iter().map(part).collect::<Result<Vec<_>, _>>()?;
                format!("x{}", parts.join("+"))
            }
            Action::Lottery { to } => format!("lot={to}"),
            Action::LoseTurn => "lost".to_owned(),
        })
    }

    /// Reads an action as people write it on a board of this shape. Whether it may be
    /// played is another question.
    ///
    /// # Errors
    /// What is wrong with it.
    ///
    /// ```
    /// use mancala_engine::{Action, Direction, Pit, Shape};
    /// let board = Shape::four_rows(8);
    /// assert_eq!(Action::from_notation("b8", board)?, Action::sow(Pit(8)));
    /// assert_eq!(
    ///     Action::from_notation("<", board)?,
    ///     Action::Direction { dir: Direction::Reverse },
    /// );
    /// assert!(Action::from_notation("A9", board).is_err());
    /// # Ok::<(), mancala_engine::ParseActionError>(())
    /// ```
    pub fn from_notation(text: &str, shape: Shape) -> Result<Action, ParseActionError> {
        let word = text.to_ascii_lowercase();
        match word.as_str() {
            ">" => {
                return Ok(Action::Direction {
                    dir: Direction::Forward,
                });
            }
            "<" => {
                return Ok(Action::Direction {
                    dir: Direction::Reverse,
                });
            }
            "lost" => return Ok(Action::LoseTurn),
            "lot=south" => return Ok(Action::Lottery { to: Side::South }),
            "lot=north" => return Ok(Action::Lottery { to: Side::North }),
            _ => {}
        }
        if let Some(list) = word
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
        {
            let pits = read_list(list).ok_or(ParseActionError::BadList)?;
            return Ok(Action::Arrange { pits });
        }
        if let Some(parts) = word.strip_prefix('x') {
            if parts.split('+').take(LIST_MAX + 1).count() > LIST_MAX {
                return Err(ParseActionError::NoSuchPit(shape));
            }
            let take = parts.split('+').map(|part| read_part(part, shape));
            return Ok(Action::Strip {
                take: take.collect::<Result<_, _>>()?,
            });
        }
        if let Some(label) = word.strip_suffix('<') {
            return Ok(Action::sow_reverse(read_pit(label, shape)?));
        }
        if let Some(label) = word.strip_suffix('k') {
            return Ok(Action::Koneeza {
                pit: read_pit(label, shape)?,
            });
        }
        Ok(Action::sow(read_pit(&word, shape)?))
    }
}

/// `a3.2`: a pit and how many seeds of it, one where that is left out.
fn read_part(part: &str, shape: Shape) -> Result<(Pit, u32), ParseActionError> {
    let Some((label, seeds)) = part.split_once('.') else {
        return Ok((read_pit(part, shape)?, 1));
    };
    let pit = read_pit(label, shape)?;
    let seeds = read_number(seeds).ok_or(ParseActionError::BadNumber)?;
    Ok((pit, seeds))
}

fn read_pit(label: &str, shape: Shape) -> Result<Pit, ParseActionError> {
    if let Some(pit) = shape.pit(label) {
        return Ok(pit);
    }
    // A letter and digits are meant for a pit; anything else for something unknown.
    let mut letters = label.chars();
    let letter = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let digits = letters.as_str();
    if letter && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Err(ParseActionError::NoSuchPit(shape))
    } else {
        Err(ParseActionError::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EIGHT: Shape = Shape::four_rows(8);

    fn check(shape: Shape, text: &str, action: &Action) {
        assert_eq!(action.to_notation(shape).as_deref(), Ok(text));
        assert_eq!(
            Action::from_notation(text, shape).as_ref(),
            Ok(action),
            "{text}"
        );
        let upper = text.to_ascii_uppercase();
        assert_eq!(
            Action::from_notation(&upper, shape).as_ref(),
            Ok(action),
            "{upper}"
        );
    }

    #[test]
    fn every_kind_of_action() {
        check(EIGHT, "A5", &Action::sow(Pit(4)));
        check(EIGHT, "B1<", &Action::sow_reverse(Pit(15)));
        check(EIGHT, "A3k", &Action::Koneeza { pit: Pit(2) });
        check(
            EIGHT,
            ">",
            &Action::Direction {
                dir: Direction::Forward,
            },
        );
        check(
            EIGHT,
            "<",
            &Action::Direction {
                dir: Direction::Reverse,
            },
        );
        let mut pits = vec![3, 3, 2];
        pits.extend([2; 12]);
        pits.push(0);
        check(EIGHT, "(3,3,13x2,0)", &Action::Arrange { pits });
        check(EIGHT, "lot=north", &Action::Lottery { to: Side::North });
        check(EIGHT, "lost", &Action::LoseTurn);
    }

    #[test]
    fn strips_keep_their_order_and_numbers() {
        let long = Shape::four_rows(36);
        let take = vec![(Pit(31), 1), (Pit(2), 2), (Pit(71), 0), (Pit(36), u32::MAX)];
        check(
            long,
            "xA32+A3.2+B1.0+B36.4294967295",
            &Action::Strip { take },
        );
    }

    #[test]
    fn what_is_no_action() {
        for (text, error) in [
            ("A9", ParseActionError::NoSuchPit(EIGHT)),
            ("C1", ParseActionError::NoSuchPit(EIGHT)),
            ("A0", ParseActionError::NoSuchPit(EIGHT)),
            ("A9k", ParseActionError::NoSuchPit(EIGHT)),
            ("xA1+A9", ParseActionError::NoSuchPit(EIGHT)),
            ("", ParseActionError::Unknown),
            ("A", ParseActionError::Unknown),
            ("A1>", ParseActionError::Unknown),
            ("A1<<", ParseActionError::Unknown),
            ("A1k<", ParseActionError::Unknown),
            ("x", ParseActionError::Unknown),
            ("xA1+", ParseActionError::Unknown),
            ("xA1..2", ParseActionError::BadNumber),
            ("xA1.02", ParseActionError::BadNumber),
            ("xA1.4294967296", ParseActionError::BadNumber),
            ("()", ParseActionError::BadList),
            ("(1,)", ParseActionError::BadList),
            ("(99x1)", ParseActionError::BadList),
            ("lot", ParseActionError::Unknown),
            ("lot=east", ParseActionError::Unknown),
            ("Ä1", ParseActionError::Unknown),
        ] {
            assert_eq!(Action::from_notation(text, EIGHT), Err(error), "{text:?}");
        }
        let one_row = Shape::two_rows(6);
        let error = Action::from_notation("B1", one_row).unwrap_err();
        assert_eq!(error.to_string(), "this board has the pits A1 to A6");
    }

    #[test]
    fn actions_that_cannot_be_written() {
        for action in [
            Action::sow(Pit(16)),
            Action::sow(Pit::NOWHERE),
            Action::Strip { take: vec![] },
            Action::Strip {
                take: vec![(Pit(16), 1)],
            },
            Action::Arrange { pits: vec![] },
            Action::Arrange { pits: vec![1; 73] },
        ] {
            assert_eq!(
                action.to_notation(EIGHT),
                Err(UnwritableAction),
                "{action:?}"
            );
        }
    }
}
