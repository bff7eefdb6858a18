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

/// Games from their start to their end: what stood before each action, and the action.
type Played<P> = Vec<(Game<P>, Action)>;

/// More actions than a processor learns by heart: one game over and over looks faster
/// than games are.
const ACTIONS_MIN: usize = 5_000;

/// Games in which each action is chosen by a fixed series of numbers. Choices too many
/// to list are made as `perft` makes them.
fn games_of<P: Position>(options: P::Options) -> Vec<Played<P>> {
    let mut number = 1_u64;
    let mut choose = |bound: usize| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (number >> 33) as usize % bound
    };
    let mut games = Vec::new();
    while actions_of(&games) < ACTIONS_MIN {
        let mut game = Game::<P>::start(options.clone(), Side::South);
        let mut played = Vec::new();
        while game.outcome().is_none() {
            let mut choices: Vec<Action> = game.moves().iter().collect();
            choices.extend(sample_choices(game.position()));
            let action = choices.swap_remove(choose(choices.len()));
            played.push((game.clone(), action.clone()));
            game.play_unchecked(&action);
        }
        games.push(played);
    }
    games
}

fn actions_of<P>(games: &[Played<P>]) -> usize {
    games.iter().map(Vec::len).sum()
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

/// Items are actions: games from start to end, without traces.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn playout<P: Standard>(bencher: Bencher<'_, '_>) {
    replay(bencher, &games_of::<P>(P::standard()), |game, action| {
        game.play_unchecked(action);
    });
}

/// The same on the largest board.
#[divan::bench]
fn playout_nsolo_36(bencher: Bencher<'_, '_>) {
    let columns = NsoloColumns::new(36).expect("36 is within the bounds");
    let options = NsoloOptions {
        columns,
        ..NsoloOptions::default()
    };
    replay(bencher, &games_of::<Nsolo>(options), |game, action| {
        game.play_unchecked(action);
    });
}

/// Items are actions: each checked, played and traced.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn playout_with_traces<P: Standard>(bencher: Bencher<'_, '_>) {
    replay(bencher, &games_of::<P>(P::standard()), |game, action| {
        let trace = game.play(action);
        assert!(black_box(trace).is_ok());
    });
}

fn replay<P: Position>(
    bencher: Bencher<'_, '_>,
    games: &[Played<P>],
    play: impl Fn(&mut Game<P>, &Action),
) {
    bencher
        .counter(ItemsCount::new(actions_of(games)))
        .bench_local(|| {
            for played in games {
                let mut game = played[0].0.clone();
                for (_, action) in played {
                    play(&mut game, black_box(action));
                }
                black_box(game);
            }
        });
}

/// Items are positions.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn legal_moves<P: Standard>(bencher: Bencher<'_, '_>) {
    visit(bencher, &games_of::<P>(P::standard()), |game| {
        game.moves().len()
    });
}

/// Items are positions.
#[divan::bench(types = [Omweso, Anywoli, Urim, BaoKigogo, Nsolo])]
fn checksums<P: Standard>(bencher: Bencher<'_, '_>) {
    visit(bencher, &games_of::<P>(P::standard()), |game| {
        checksum(game.position())
    });
}

fn visit<P: Position, T>(
    bencher: Bencher<'_, '_>,
    games: &[Played<P>],
    look: impl Fn(&Game<P>) -> T,
) {
    bencher
        .counter(ItemsCount::new(actions_of(games)))
        .bench_local(|| {
            for (game, _) in games.iter().flatten() {
                black_box(look(black_box(game)));
            }
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
