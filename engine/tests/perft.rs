//! Action sequences counted to some depth, against the tables in `perft/`. The engine
//! made the tables; short counts are made again by the oracle.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod oracle;
mod support;

use mancala_engine::{Game, Mancala, perft};
use oracle::Table;
use serde_json::Value;
use support::laws::{self, AnyGame};

/// Up to here the oracle counts too.
const ORACLE_MAX: u64 = 20_000;

/// One line of a table. The start is a side, which begins, or a position.
struct Row {
    options: Value,
    start: Value,
    depth: u32,
    count: u64,
}

impl Row {
    fn read(line: &str) -> Row {
        let fields: Vec<&str> = line.split(' ').collect();
        let [options, start, depth, count] = fields[..] else {
            panic!("four fields: {line}");
        };
        Row {
            options: serde_json::from_str(options).unwrap(),
            start: serde_json::from_str(start).unwrap_or_else(|_| start.into()),
            depth: depth.parse().unwrap(),
            count: count.parse().unwrap(),
        }
    }

    fn check(&self, mancala: Mancala) {
        let Row {
            options,
            start,
            depth,
            count,
        } = self;
        let read = laws::read_options(mancala, options);
        let (game, table) = match start.as_str() {
            Some(side) => (
                AnyGame::start(read, laws::side_named(side)),
                Table::start(mancala.key(), options, side),
            ),
            None => (
                Game::from_setup(read, &serde_json::from_value(start.clone()).unwrap()).unwrap(),
                Table::from_position(mancala.key(), options, start),
            ),
        };
        let place = format!("{mancala} {options} {start}, depth {depth}");
        assert_eq!(perft(&game, *depth), *count, "{place}");
        if *count <= ORACLE_MAX {
            assert_eq!(table.unwrap().perft(*depth), *count, "{place}, the oracle");
        }
    }
}

fn check_table(mancala: Mancala, table: &str, rows_expected: usize) {
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(rows.clone().count(), rows_expected);
    for row in rows.map(Row::read) {
        row.check(mancala);
    }
}

#[test]
fn omweso() {
    check_table(Mancala::Omweso, include_str!("perft/omweso.txt"), 26);
}

#[test]
fn anywoli() {
    check_table(Mancala::Anywoli, include_str!("perft/anywoli.txt"), 16);
}

#[test]
fn urim() {
    check_table(Mancala::Urim, include_str!("perft/urim.txt"), 12);
}

#[test]
fn bao_kigogo() {
    check_table(Mancala::BaoKigogo, include_str!("perft/bao_kigogo.txt"), 9);
}

#[test]
fn nsolo() {
    check_table(Mancala::Nsolo, include_str!("perft/nsolo.txt"), 11);
}
