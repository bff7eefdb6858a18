//! What parts of the engine cost, for one who changes them: `cargo bench -p mancala-engine`.
//!
//! For the figures that the project promises, turns a CPU second of random complete
//! games, see `mancala-bench`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use mancala_engine::{
    Action, Anywoli, BaoKigogo, Game, Nsolo, NsoloColumns, NsoloOptions, Omweso, Position, Side,
    Urim, checksum, perft, sample_choices,
};

fn main() {
    divan::main();
}

/// A game in which each action is chosen by a fixed series of numbers, up to its end:
/// what stood before each action, and the action. Choices too many to list are made as
/// `perft` makes them.
fn game_of<P: Position>(options: P::Options) -> Vec<(Game<P>, Action)> {
    let mut game = Game::<P>::start(options, Side::South);
    let mut number = 1_u64;
    let mut played = Vec::new();
    while game.outcome().is_none() {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mut choices: Vec<Action> = game.moves().iter().collect();
        choices.extend(sample_choices(game.position()));
        let action = choices.swap_remove((number >> 33) as usize % choices.len());
        played.push((game.clone(), action.clone()));
        game.play_unchecked(&action);
    }
    played
}

/// Options that the benchmarks use where the standard ones are not wanted.
trait Standard: Position {
    fn standard() -> Self::Options;
}

macro_rules! standard {
    ($($position:ident),*) => {
        $(impl Standard for $position {
            fn standard() -> Self::Options {
                Self::Options::default()
            }
        })*
    };
}

standard!(Omweso, Anywoli, Urim, BaoKigogo, Nsolo);

/// Items are actions: the game again, from its start to its end, without traces.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn playout<P: Standard>(bencher: Bencher<'_, '_>) {
    let played = game_of::<P>(P::standard());
    replay(bencher, &played);
}

/// The same on the largest board.
#[divan::bench]
fn playout_nsolo_36(bencher: Bencher<'_, '_>) {
    let columns = NsoloColumns::new(36).expect("36 is within the bounds");
    let played = game_of::<Nsolo>(NsoloOptions {
        columns,
        ..NsoloOptions::default()
    });
    replay(bencher, &played);
}

fn replay<P: Position>(bencher: Bencher<'_, '_>, played: &[(Game<P>, Action)]) {
    bencher
        .counter(ItemsCount::new(played.len()))
        .with_inputs(|| played[0].0.clone())
        .bench_local_values(|mut game| {
            for (_, action) in played {
                game.play_unchecked(black_box(action));
            }
            game
        });
}

/// Items are actions: each checked, played and traced.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn play_with_trace<P: Standard>(bencher: Bencher<'_, '_>) {
    let played = game_of::<P>(P::standard());
    bencher
        .counter(ItemsCount::new(played.len()))
        .with_inputs(|| played[0].0.clone())
        .bench_local_values(|mut game| {
            for (_, action) in &played {
                let _ = black_box(game.play(black_box(action)));
            }
            game
        });
}

/// Items are positions.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn legal_moves<P: Standard>(bencher: Bencher<'_, '_>) {
    let played = game_of::<P>(P::standard());
    bencher
        .counter(ItemsCount::new(played.len()))
        .bench_local(|| {
            let moves = played.iter().map(|(game, _)| black_box(game).moves().len());
            moves.sum::<usize>()
        });
}

/// Items are positions.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn checksums<P: Standard>(bencher: Bencher<'_, '_>) {
    let played = game_of::<P>(P::standard());
    bencher
        .counter(ItemsCount::new(played.len()))
        .bench_local(|| {
            let checksums = played
                .iter()
                .map(|(game, _)| checksum(black_box(game).position()));
            checksums.fold(0, |all, checksum| all ^ checksum)
        });
}

/// Items are sequences of three actions.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn perft_3<P: Standard>(bencher: Bencher<'_, '_>) {
    let game = Game::<P>::start(P::standard(), Side::South);
    bencher
        .counter(ItemsCount::new(perft(&game, 3)))
        .bench_local(|| perft(black_box(&game), 3));
}
