//! What makes a position bad, as proto-docs/rules.md lists it: that list is written out
//! here once more, from its words alone, and agrees with the engine about positions of
//! the vectors in which something was changed.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

use mancala_engine::{
    AnyPosition, BySide, Columns, Extra, FullPit, LastFour, Mancala, OmwesoOptions, OmwesoSetup,
    Opening, Options, Outcome, PendingLap, Phase, Pit, Position, Reason, Setup, Side,
};
use serde_json::Value;

const TURN_MAX: u32 = 1_000_000_000;

/// Does everything on the list hold?
fn is_sound(options: Options, setup: &Setup) -> bool {
    let start = AnyPosition::start(options, Side::South);
    let mancala = options.mancala();
    let pits = &setup.board.pits;
    let stores = setup.board.stores;
    let standing = setup.standing;
    let phase = standing.phase;
    let (own, other) = (&pits[standing.to_move], &pits[standing.to_move.other()]);
    let seeds_of = |list: &[u32]| list.iter().map(|&seeds| u64::from(seeds)).sum::<u64>();
    let in_pits = seeds_of(&pits.south) + seeds_of(&pits.north);
    let all = match options {
        Options::Omweso(_) => 64,
        Options::Anywoli(_) => 96,
        Options::Urim(options) => 6 * u64::from(options.columns.get()),
        Options::BaoKigogo(_) => 92,
        Options::Nsolo(options) => 8 * u64::from(options.columns.get()) - 4,
    };
    let most = if mancala == Mancala::Urim { 17 } else { all };
    let per_side = start.shape().pits_a_side();
    let in_every_game = pits.iter().all(|(_, list)| {
        list.len() == per_side && list.iter().all(|&seeds| u64::from(seeds) <= most)
    }) && std::mem::discriminant(&start.extra())
        == std::mem::discriminant(&setup.extra);
    if !in_every_game {
        return false;
    }
    let in_hand = match phase {
        Phase::Direction(lap) if lap.held => u64::from(lap.seeds),
        Phase::Arrange => 32 * u64::from(seeds_of(own) == 0) + 32 * u64::from(seeds_of(other) == 0),
        Phase::Lottery => 4,
        Phase::Over(outcome)
            if mancala == Mancala::Omweso && outcome.reason() == Reason::NeverEnding =>
        {
            all.saturating_sub(in_pits)
        }
        _ => 0,
    };
    let in_stores = u64::from(stores.south) + u64::from(stores.north);
    if in_pits + in_stores + in_hand != all {
        return false;
    }
    let counted = (1..=TURN_MAX).contains(&standing.turn) && standing.quiet < options.quiet_limit();
    let remembered = match (options, setup.extra) {
        (Options::Omweso(options), Extra::Omweso { captured, captures }) => {
            is_remembered(options, setup, captured, captures)
        }
        (Options::Anywoli(_), _) => {
            phase.outcome().is_some()
                || stores.south.is_multiple_of(4) && stores.north.is_multiple_of(4)
        }
        _ => true,
    };
    let on_four_rows = start.shape().rows_a_side() == 2;
    let both_have_seeds = seeds_of(own) > 0 && seeds_of(other) > 0;
    remembered
        && match phase {
            Phase::Over(outcome) => is_an_end(options, setup, outcome, in_hand),
            Phase::Play => {
                counted
                    && (!on_four_rows || both_have_seeds)
                    && has_a_move(options, own, other)
                    && (mancala != Mancala::Anywoli || in_pits > 4)
            }
            Phase::Arrange => {
                let Options::Omweso(options) = options else {
                    return false;
                };
                let cap = options.cap.map_or(32, |cap| cap.get());
                let laid_out = [0, 32].contains(&seeds_of(other));
                let untouched = Extra::Omweso {
                    captured: false,
                    captures: BySide::both(0),
                };
                options.setup == OmwesoSetup::Free
                    && standing.turn == 1
                    && standing.quiet == 0
                    && setup.extra == untouched
                    && seeds_of(own) == 0
                    && laid_out
                    && other.iter().all(|&seeds| seeds <= cap)
            }
            Phase::Direction(lap) => {
                let Options::Omweso(options) = options else {
                    return false;
                };
                counted && is_a_choice(options, standing.turn, lap, own, other)
            }
            Phase::Strip { seeds } => {
                mancala == Mancala::Nsolo
                    && counted
                    && both_have_seeds
                    && seeds >= 1
                    && seeds_of(other) > u64::from(seeds)
                    && stores[standing.to_move] >= seeds
            }
            Phase::Lottery => {
                matches!(options, Options::Anywoli(own) if own.last_four == LastFour::Lottery)
                    && counted
                    && in_pits == 0
            }
        }
}

fn is_remembered(
    options: OmwesoOptions,
    setup: &Setup,
    captured: bool,
    captures: BySide<u32>,
) -> bool {
    let BySide { south, north } = captures;
    let phase = setup.standing.phase;
    let over = phase.outcome();
    let shown = south > 0
        || north > 0
        || matches!(phase, Phase::Direction(lap) if lap.columns.iter().count() > 0);
    let besides = over.is_some_and(|outcome| outcome.reason() == Reason::NeverEnding);
    let led = options.akakyala && (south >= 2 && north == 0 || north >= 2 && south == 0);
    setup.board.stores == BySide::both(0)
        && south.max(north) <= TURN_MAX
        && (captured == shown || captured && besides)
        && (!led || over.is_some())
}

/// Has the side to move a move, or in Urim seeds where it would have to feed?
fn has_a_move(options: Options, own: &[u32], other: &[u32]) -> bool {
    let filled = || own.iter().any(|&seeds| seeds > 0);
    match options {
        Options::Omweso(_) => own.iter().any(|&seeds| seeds >= 2),
        Options::Anywoli(_) => filled(),
        Options::Urim(options) => {
            let fed = other.iter().any(|&seeds| seeds > 0);
            if !fed || options.full_pit == FullPit::Skip {
                return filled();
            }
            let row = [own, other].concat();
            (0..own.len()).any(|pit| own[pit] > 0 && !fills_a_pit(&row, pit))
        }
        Options::BaoKigogo(_) | Options::Nsolo(_) => may_move_on_circuit(own),
    }
}

/// Does a lap of Urim bring a pit to 18?
fn fills_a_pit(row: &[u32], lifted: usize) -> bool {
    let mut row = row.to_vec();
    let mut pit = lifted;
    for _ in 0..std::mem::take(&mut row[lifted]) {
        pit = (pit + 1) % row.len();
        if pit == lifted {
            pit = (pit + 1) % row.len();
        }
        row[pit] += 1;
    }
    row.iter().any(|&seeds| seeds > 17)
}

fn may_move_on_circuit(own: &[u32]) -> bool {
    let next = |pit: usize| own[(pit + 1) % own.len()];
    own.iter().any(|&seeds| seeds >= 2) || (0..own.len()).any(|pit| own[pit] == 1 && next(pit) == 0)
}

fn is_a_choice(
    options: OmwesoOptions,
    turn: u32,
    lap: PendingLap,
    own: &[u32],
    other: &[u32],
) -> bool {
    let pit = lap.pit.index();
    if ![0, 1, 14, 15].contains(&pit) {
        return false;
    }
    let columns: Vec<usize> = lap.columns.iter().map(usize::from).collect();
    let emptied = |&column: &usize| other[column - 1] == 0 && other[16 - column] == 0;
    let may_capture = match options.opening {
        Opening::FirstTurn => turn > 1,
        Opening::EachPlayersFirstTurn => turn > 2,
        Opening::Off => true,
    };
    // Sown clockwise, one by one, does the last seed capture?
    let mut sown = own.to_vec();
    if !lap.held {
        sown[pit] = 0;
    }
    let mut end = pit;
    for _ in 0..lap.seeds.min(64) {
        end = (end + 15) % 16;
        sown[end] += 1;
    }
    let captures =
        may_capture && end >= 8 && sown[end] > 1 && other[23 - end] > 0 && other[end - 8] > 0;
    (2..=63).contains(&lap.seeds)
        && (lap.held || own[pit] == lap.seeds)
        && (!lap.held || !columns.is_empty())
        && captures
        && (1..=9999).contains(&lap.laps)
        && columns.len() <= lap.laps as usize
        && columns.iter().all(emptied)
}

/// Does a game with these options end so?
fn is_an_end(options: Options, setup: &Setup, outcome: Outcome, in_hand: u64) -> bool {
    let reason = outcome.reason();
    let board = &setup.board;
    let by_a_common_rule =
        [Reason::NeverEnding, Reason::Repetition, Reason::Quiet].contains(&reason);
    let won = |points| {
        outcome
            .winner()
            .map(|side| Outcome::win(side, points, reason))
    };
    let expected = match (options, setup.extra) {
        (Options::Omweso(options), Extra::Omweso { captured, captures }) => {
            if in_hand > 0 && !(captured && (2..=63).contains(&in_hand)) {
                return false;
            }
            if by_a_common_rule {
                return outcome == Outcome::void(reason);
            }
            let Some(winner) = outcome.winner() else {
                return false;
            };
            let left = &board.pits[winner.other()];
            let captures = (captures[winner], captures[winner.other()]);
            let none = |pits: &[usize]| pits.iter().all(|&pit| left[pit] == 0);
            let every: Vec<usize> = (0..16).collect();
            match reason {
                Reason::Akawumbi if captures.0 > 0 && none(&every) => won(12),
                Reason::Okutema
                    if captures.0 > 0 && (none(&every[8..]) || none(&[0, 7, 8, 15])) =>
                {
                    won(2)
                }
                Reason::Akakyala if options.akakyala && captures.0 >= 2 && captures.1 == 0 => {
                    won(2)
                }
                Reason::Bulijo if left.iter().all(|&seeds| seeds < 2) => won(1),
                _ => None,
            }
        }
        (Options::Anywoli(_) | Options::Urim(_), _) => {
            let has = match options.mancala() {
                Mancala::Anywoli => reason == Reason::LastFour || by_a_common_rule,
                _ => {
                    [Reason::NoMove, Reason::AllCaptured].contains(&reason)
                        || by_a_common_rule && reason != Reason::NeverEnding
                }
            };
            let empty = board
                .pits
                .iter()
                .all(|(_, pits)| pits.iter().all(|&seeds| seeds == 0));
            if !has || !empty {
                return false;
            }
            let BySide { south, north } = board.stores;
            let winner = if south > north {
                Side::South
            } else {
                Side::North
            };
            let three_quarters = match options {
                Options::Urim(options) if options.columns.get() == 6 => 27,
                Options::Urim(_) => 32,
                _ => u32::MAX,
            };
            let points = if south.max(north) >= three_quarters {
                2
            } else {
                1
            };
            Some(match south == north {
                true => Outcome::draw(reason),
                false => Outcome::win(winner, points, reason),
            })
        }
        (Options::BaoKigogo(_) | Options::Nsolo(_), _) => {
            let on_nsolo = options.mancala() == Mancala::Nsolo;
            let may_move = |side: Side| may_move_on_circuit(&board.pits[side]);
            let seeds = |side: Side| board.pits[side].iter().sum::<u32>();
            let loser = outcome.winner().unwrap_or(Side::South).other();
            match reason {
                Reason::AllCaptured if seeds(loser) == 0 => won(1),
                Reason::Immobilised if !on_nsolo && seeds(loser) > 0 && !may_move(loser) => won(1),
                Reason::BothStuck
                    if on_nsolo && !may_move(Side::South) && !may_move(Side::North) =>
                {
                    Some(Outcome::draw(reason))
                }
                _ if by_a_common_rule => Some(Outcome::draw(reason)),
                _ => None,
            }
        }
        _ => None,
    };
    expected == Some(outcome)
}

const VECTORS: [&str; 5] = [
    include_str!("vectors/omweso.jsonl"),
    include_str!("vectors/anywoli.jsonl"),
    include_str!("vectors/urim.jsonl"),
    include_str!("vectors/bao_kigogo.jsonl"),
    include_str!("vectors/nsolo.jsonl"),
];

/// Numbers drawn from a seed (an LCG).
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn one_of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    fn side(&mut self) -> Side {
        self.one_of(&Side::ALL)
    }

    /// A pit or a store.
    fn seeds<'a>(&mut self, setup: &'a mut Setup) -> Option<&'a mut u32> {
        let side = self.side();
        let pits = &mut setup.board.pits[side];
        match self.below(pits.len() + 1) {
            0 => Some(&mut setup.board.stores[side]),
            place => pits.get_mut(place - 1),
        }
    }

    fn phase(&mut self, setup: &Setup) -> Phase {
        let seeds = self.one_of(&[0, 1, 2, 3, 4, 9, 20, 63, 64]);
        let reason = self.one_of(&Reason::ALL);
        let points = self.one_of(&[0, 1, 2, 12]);
        match self.below(7) {
            0 => Phase::Play,
            1 => Phase::Arrange,
            2 => Phase::Lottery,
            3 => Phase::Strip { seeds },
            4 => {
                let pit = self.one_of(&[0, 1, 2, 13, 14, 15, 16]);
                let held = self.below(2) == 0;
                let own = &setup.board.pits[setup.standing.to_move];
                let there = own.get(usize::from(pit)).copied().unwrap_or(0);
                let columns = self.one_of(&[&[][..], &[4], &[1, 8]]);
                Phase::Direction(PendingLap {
                    pit: Pit(pit),
                    seeds: if held { seeds } else { there },
                    held,
                    columns: Columns::try_from(columns).unwrap(),
                    laps: self.one_of(&[0, 1, 2, 9999, 10_000]),
                })
            }
            5 => Phase::Over(Outcome::win(self.side(), points, reason)),
            _ => Phase::Over(self.one_of(&[Outcome::draw(reason), Outcome::void(reason)])),
        }
    }

    /// Changes one thing.
    fn change(&mut self, options: Options, setup: &mut Setup) {
        match self.below(13) {
            // Seeds go from one place to another, which keeps their number.
            0..=3 => {
                let taken = self.seeds(setup).map_or(0, std::mem::take);
                if let Some(place) = self.seeds(setup) {
                    *place = place.saturating_add(taken);
                }
            }
            4 => {
                let change = self.one_of(&[-1, 1]);
                if let Some(place) = self.seeds(setup) {
                    *place = place.saturating_add_signed(change);
                }
            }
            5 => setup.standing.to_move = setup.standing.to_move.other(),
            6 => setup.standing.turn = self.one_of(&[0, 1, 2, 3, TURN_MAX, TURN_MAX + 1]),
            7 => {
                let limit = options.quiet_limit();
                setup.standing.quiet = self.one_of(&[0, 1, limit - 1, limit]);
            }
            8 | 9 => setup.standing.phase = self.phase(setup),
            10 => {
                let counts = [0, 1, 2, TURN_MAX, TURN_MAX + 1];
                if let Extra::Omweso { captured, captures } = &mut setup.extra {
                    *captured = self.below(2) == 0;
                    captures[self.side()] = self.one_of(&counts);
                }
            }
            11 => {
                // Everything is captured by one side, or by both.
                let side = self.side();
                let seeds = std::mem::take(&mut setup.board.pits[side]);
                setup.board.stores[side] += seeds.iter().sum::<u32>();
                setup.board.pits[side] = vec![0; seeds.len()];
            }
            _ => match self.below(8) {
                0 => setup.extra = Extra::Anywoli { last_seed: None },
                1 => drop(setup.board.pits[self.side()].pop()),
                2 => setup.board.pits[self.side()].push(0),
                _ => {}
            },
        }
    }
}

#[test]
fn the_list_of_the_rules_is_exact() {
    let mut draws = Draws(0x11_57);
    for vectors in VECTORS {
        let mut judged = [0; 2];
        let mut kinds = std::collections::BTreeSet::new();
        for line in vectors.lines() {
            let vector: Value = serde_json::from_str(line).unwrap();
            let mancala = vector["game"].as_str().unwrap().parse().unwrap();
            let options = Options::deserialize(mancala, &vector["options"]).unwrap();
            for position in ["position", "after"]
                .iter()
                .filter_map(|name| vector.get(name))
            {
                let sound: Setup = serde_json::from_value(position.clone()).unwrap();
                assert!(is_sound(options, &sound), "{sound}");
                for _ in 0..300 {
                    let mut setup = sound.clone();
                    for _ in 0..=draws.below(3) {
                        draws.change(options, &mut setup);
                    }
                    let found = AnyPosition::from_setup(options, &setup);
                    let expected = is_sound(options, &setup);
                    assert_eq!(found.is_ok(), expected, "{options:?}: {setup}: {found:?}");
                    judged[usize::from(expected)] += 1;
                    if expected {
                        kinds.insert(match setup.standing.phase {
                            Phase::Over(outcome) => outcome.reason().code(),
                            Phase::Play => "play",
                            Phase::Arrange => "arrange",
                            Phase::Direction(_) => "direction",
                            Phase::Strip { .. } => "strip",
                            Phase::Lottery => "lottery",
                        });
                    }
                }
            }
        }
        assert!(
            judged.iter().all(|&count| count > 2000),
            "{judged:?} {kinds:?}"
        );
        assert!(kinds.len() >= 5, "{kinds:?}");
    }
}
