//! Laws that every game keeps, whatever is played.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use mancala_engine::{AnyPosition, Game, Mancala, Side};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use support::laws::{self, check_play};
use support::lot::Lot;
use support::{draw, draw::Habit};

/// Actions are drawn from these bytes; a game that needs more stays unfinished.
fn decisions() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..600)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        max_shrink_iters: 1_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "proptest-regressions/laws.txt",
        ))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn omweso_keeps_the_laws(bytes in decisions()) {
        check_play(Mancala::Omweso, &mut Lot::Bytes(&bytes));
    }

    #[test]
    fn anywoli_keeps_the_laws(bytes in decisions()) {
        check_play(Mancala::Anywoli, &mut Lot::Bytes(&bytes));
    }

    #[test]
    fn urim_keeps_the_laws(bytes in decisions()) {
        check_play(Mancala::Urim, &mut Lot::Bytes(&bytes));
    }

    #[test]
    fn bao_kigogo_keeps_the_laws(bytes in decisions()) {
        check_play(Mancala::BaoKigogo, &mut Lot::Bytes(&bytes));
    }

    #[test]
    fn nsolo_keeps_the_laws(bytes in decisions()) {
        check_play(Mancala::Nsolo, &mut Lot::Bytes(&bytes));
    }

    #[test]
    fn positions_and_actions_of_any_kind_keep_the_laws(bytes in decisions()) {
        laws::check_setup(&bytes);
        laws::check_action(&bytes);
    }
}

/// To the end of the game, which the bytes above seldom reach.
#[test]
fn whole_games_keep_the_laws() {
    for mancala in Mancala::ALL {
        for seed in 0..60 {
            check_play(mancala, &mut Lot::Seed(seed));
        }
    }
}

/// Random games of random options end, and soon enough.
#[test]
fn games_end() {
    const GAMES: u64 = 10_000;
    const ACTIONS_MAX: u32 = 20_000;
    for mancala in Mancala::ALL {
        for seed in 0..GAMES {
            let lot = &mut Lot::Seed(seed);
            let options = draw::options(lot, mancala);
            let read = laws::read_options(mancala, &options);
            let mut game = Game::<AnyPosition>::start(read, *lot.one_of(&Side::ALL));
            let mut actions = 0;
            while game.outcome().is_none() {
                let moves = game.moves();
                let action = if moves.is_empty() {
                    let position = laws::position_json(&game);
                    let action = draw::action(lot, Habit::Random, &options, &position, &[]);
                    serde_json::from_value(action).unwrap()
                } else {
                    moves.nth(lot.below(moves.len()))
                };
                game.play_unchecked(&action);
                actions += 1;
                assert!(actions <= ACTIONS_MAX, "{mancala}, seed {seed}");
            }
            assert!(game.moves().is_empty());
        }
    }
}
