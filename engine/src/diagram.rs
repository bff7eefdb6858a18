//! A board drawn as text, as south sees it.

use crate::{Extra, Phase, Position, Setup, Shape, Side};
use std::fmt::{self, Write as _};

/// Draws the board for people: north on top, both sides' rows and columns named from
/// their owner's left, empty pits as dots, then the stores and what is due. Even 36
/// columns fit in about 120 characters.
///
/// ```
/// use mancala_engine::{Position, Side, Urim, UrimOptions, diagram};
/// let position = Urim::start(UrimOptions::default(), Side::South);
/// assert_eq!(
///     diagram(&position),
///     "\
/// \x20        6  5  4  3  2  1
/// north A  3  3  3  3  3  3   store 0
///         -----------------
/// south A  3  3  3  3  3  3   store 0
/// \x20        1  2  3  4  5  6
/// turn 1: south to move
/// "
/// );
/// ```
#[must_use]
pub fn diagram<P: Position>(position: &P) -> String {
    let (shape, setup) = (position.shape(), position.setup());
    let mut text = String::new();
    draw(&mut text, shape, &setup).expect("a String takes all text");
    text
}

/// What stands before the pits of a row: `north A`.
const MARGIN: usize = 7;

fn draw(text: &mut String, shape: Shape, setup: &Setup) -> fmt::Result {
    let seeds = Side::ALL
        .into_iter()
        .flat_map(|side| &setup.board.pits[side]);
    let largest = seeds.copied().max().unwrap_or(0);
    let width = (largest.to_string().len() + 1).max(3);
    let columns = u16::from(shape.columns());
    heading(text, (1..=columns).rev(), width)?;
    let rows = u16::from(shape.rows_a_side());
    for row in 0..rows {
        draw_row(text, shape, setup, Side::North, row, width)?;
    }
    let ruler = "-".repeat(width * usize::from(columns) - 1);
    writeln!(text, "{:MARGIN$} {ruler}", "")?;
    for row in (0..rows).rev() {
        draw_row(text, shape, setup, Side::South, row, width)?;
    }
    heading(text, 1..=columns, width)?;
    due(text, shape, setup)
}

fn heading(text: &mut String, columns: impl Iterator<Item = u16>, width: usize) -> fmt::Result {
    write!(text, "{:MARGIN$}", "")?;
    for column in columns {
        write!(text, "{column:>width$}")?;
    }
    writeln!(text)
}

/// One row of a side: 0 is the outer one, whose line bears the side's name and store.
fn draw_row(
    text: &mut String,
    shape: Shape,
    setup: &Setup,
    side: Side,
    row: u16,
    width: usize,
) -> fmt::Result {
    let columns = u16::from(shape.columns());
    let letter = if row == 0 { 'A' } else { 'B' };
    let name = if row == 0 { side.name() } else { "" };
    write!(text, "{name:<5} {letter}")?;
    for from_left in 0..columns {
        // North sits opposite: its left is at south's right.
        let column = match side {
            Side::South => from_left,
            Side::North => columns - 1 - from_left,
        };
        let pit = if row == 0 {
            column
        } else {
            2 * columns - 1 - column
        };
        match setup.board.pits[side][usize::from(pit)] {
            0 => write!(text, "{:>width$}", '.')?,
            seeds => write!(text, "{seeds:>width$}")?,
        }
    }
    let has_stores = !matches!(setup.extra, Extra::Omweso { .. });
    if row == 0 && has_stores {
        write!(text, "   store {}", setup.board.stores[side])?;
    }
    writeln!(text)
}

/// What the position waits for.
fn due(text: &mut String, shape: Shape, setup: &Setup) -> fmt::Result {
    let standing = &setup.standing;
    let side = standing.to_move;
    match standing.phase {
        Phase::Arrange => return writeln!(text, "{side} to lay out its seeds"),
        Phase::Over(outcome) => return writeln!(text, "over: {outcome}"),
        _ => write!(text, "turn {}: ", standing.turn)?,
    }
    match standing.phase {
        Phase::Direction(lap) => {
            let held = if lap.held { "in hand" } else { "in it" };
            let label = shape.label(lap.pit);
            let seeds = lap.seeds;
            writeln!(
                text,
                "{side} to choose a direction from {label}, {seeds} seeds {held}"
            )
        }
        Phase::Strip { seeds } => writeln!(text, "{side} to strip {seeds}"),
        Phase::Lottery => writeln!(text, "the lot for the last four seeds"),
        _ => writeln!(text, "{side} to move"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Action, AnyPosition, Game, Mancala, Nsolo, NsoloColumns, NsoloOptions, Omweso,
        OmwesoOptions, Options, Pit,
    };

    #[test]
    fn four_rows_face_each_other() {
        let mut game = Game::<Omweso>::start(OmwesoOptions::default(), Side::South);
        game.play(&Action::sow(Pit(4))).unwrap();
        game.play(&Action::sow(Pit(0))).unwrap();
        let expected = "
         8  7  6  5  4  3  2  1
north A  5  5  5  .  5  5  5  .
      B  1  1  .  .  .  .  .  .
        -----------------------
      B  .  .  .  .  .  .  .  1
south A  4  4  4  4  .  5  5  5
         1  2  3  4  5  6  7  8
turn 3: south to move
";
        assert_eq!(diagram(game.position()), expected[1..]);
    }

    #[test]
    fn every_board_is_rectangular_and_the_longest_fits() {
        let long = NsoloOptions {
            columns: NsoloColumns::new(36).unwrap(),
            ..NsoloOptions::default()
        };
        let mut positions: Vec<_> = Mancala::ALL
            .map(|mancala| AnyPosition::start(Options::standard(mancala), Side::South))
            .into();
        positions.push(AnyPosition::Nsolo(Nsolo::start(long, Side::South)));
        for position in &positions {
            let drawn = diagram(position);
            let lines: Vec<_> = drawn.lines().collect();
            let rows = usize::from(position.shape().rows_a_side());
            assert_eq!(lines.len(), 2 * rows + 4);
            assert!(lines.iter().all(|line| line.len() <= 125), "{drawn}");
            assert_eq!(lines[0].len(), lines[2 * rows + 2].len());
            assert!(lines.iter().all(|line| *line == line.trim_end()));
        }
    }
}
