//! How fast the engine plays.
//!
//! Figures are a CPU second of this process, on one thread, so that others on the
//! machine disturb them as little as possible.

use crate::playout;
use crate::random::Random;
use cpu_time::ProcessTime;
use mancala_engine::{Anywoli, BaoKigogo, Nsolo, Omweso, Urim};
use mancala_engine::{Game, Mancala, Options, Position, Reason, Side};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::time::Duration;

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// How long each run is.
    pub(crate) length: Length,
    /// How many runs.
    pub(crate) runs: u32,
    /// Where the random choices of the first run begin; each later run goes on from the
    /// one before.
    pub(crate) seed: u64,
}

/// How long a run is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// Until so much CPU time is used, looked at now and then.
    CpuTime(Duration),
    /// So many games.
    Playouts(u64),
}

/// What was measured for a game. `playouts`, `turns` and `ends` count all runs together.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    game: Mancala,
    options: Options,
    runs: u32,
    seed: u64,
    cpu_seconds: f64,
    playouts: u64,
    turns: u64,
    turns_a_playout: f64,
    turns_a_cpu_second: f64,
    playouts_a_cpu_second: f64,
    #[serde(serialize_with = "by_code")]
    ends: BTreeMap<Reason, u64>,
}

/// Plays random games as planned and says how fast that was.
pub(crate) fn measure(options: Options, plan: &Plan) -> Report {
    let runs = match options {
        Options::Omweso(options) => runs_of::<Omweso>(&options, plan),
        Options::Anywoli(options) => runs_of::<Anywoli>(&options, plan),
        Options::Urim(options) => runs_of::<Urim>(&options, plan),
        Options::BaoKigogo(options) => runs_of::<BaoKigogo>(&options, plan),
        Options::Nsolo(options) => runs_of::<Nsolo>(&options, plan),
    };
    let mut total = Tally::default();
    for (tally, _) in &runs {
        total.add(tally);
    }
    let median_rate = |count: fn(&Tally) -> u64| {
        let rate = |(tally, time): &(Tally, Duration)| count(tally) as f64 / time.as_secs_f64();
        median(runs.iter().map(rate).collect())
    };
    Report {
        game: options.mancala(),
        options,
        runs: plan.runs,
        seed: plan.seed,
        cpu_seconds: runs.iter().map(|(_, time)| time.as_secs_f64()).sum(),
        playouts: total.playouts,
        turns: total.turns,
        turns_a_playout: total.turns as f64 / total.playouts as f64,
        turns_a_cpu_second: median_rate(|tally| tally.turns).round(),
        playouts_a_cpu_second: median_rate(|tally| tally.playouts).round(),
        ends: total.ends_by_reason(),
    }
}

/// What came of many games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    playouts: u64,
    turns: u64,
    /// By the place of the reason in [`Reason::ALL`].
    ends: [u64; Reason::ALL.len()],
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.playouts += other.playouts;
        self.turns += other.turns;
        for (end, more) in self.ends.iter_mut().zip(other.ends) {
            *end += more;
        }
    }

    fn ends_by_reason(&self) -> BTreeMap<Reason, u64> {
        let ends = Reason::ALL.into_iter().zip(self.ends);
        ends.filter(|&(_, count)| count > 0).collect()
    }
}

/// Games between two looks at the CPU clock, which costs as much as many turns do.
const BATCH: u64 = 64;

fn runs_of<P: Position>(options: &P::Options, plan: &Plan) -> Vec<(Tally, Duration)> {
    let mut random = Random::from_seed(plan.seed);
    (0..plan.runs)
        .map(|_| {
            let began = ProcessTime::now();
            let mut tally = Tally::default();
            match plan.length {
                Length::Playouts(playouts) => {
                    play_games::<P>(options, playouts, &mut random, &mut tally);
                }
                Length::CpuTime(time) => {
                    while began.elapsed() < time {
                        play_games::<P>(options, BATCH, &mut random, &mut tally);
                    }
                }
            }
            // So few games may be timed that the clock has not moved.
            let time = began.elapsed().max(Duration::from_nanos(1));
            (tally, time)
        })
        .collect()
}

/// Plays so many games, the sides beginning in turn.
fn play_games<P: Position>(
    options: &P::Options,
    playouts: u64,
    random: &mut Random,
    tally: &mut Tally,
) {
    for number in 0..playouts {
        let first = Side::ALL[(number % 2) as usize];
        let game = Game::<P>::start(options.clone(), first);
        let playout = playout::play(game, random);
        tally.playouts += 1;
        tally.turns += u64::from(playout.turns);
        tally.ends[playout.outcome.reason() as usize] += 1;
    }
}

/// The middle of some numbers, or the mean of the middle two.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    if numbers.len().is_multiple_of(2) {
        f64::midpoint(numbers[middle - 1], numbers[middle])
    } else {
        numbers[middle]
    }
}

fn by_code<S: Serializer>(ends: &BTreeMap<Reason, u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(ends.iter().map(|(reason, count)| (reason.code(), count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan {
        length: Length::Playouts(200),
        runs: 2,
        seed: 11,
    };

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        for mancala in Mancala::ALL {
            let tally = |seed| {
                let report = measure(Options::standard(mancala), &Plan { seed, ..PLAN });
                (report.playouts, report.turns, report.ends)
            };
            assert_eq!(tally(11), tally(11), "{mancala}");
            assert_ne!(tally(11), tally(12), "{mancala}");
        }
    }

    #[test]
    fn a_report_adds_up() {
        let report = measure(Options::standard(Mancala::Omweso), &PLAN);
        assert_eq!(report.playouts, 400);
        assert_eq!(report.ends.values().sum::<u64>(), 400);
        assert!(report.turns >= report.playouts);
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["game"], "omweso");
        assert_eq!(json["options"]["setup"], "standard");
        assert!(json["ends"]["bulijo"].as_u64().unwrap() > 0);
    }

    #[test]
    fn each_reason_has_its_place() {
        for (place, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, place);
        }
    }

    #[test]
    fn a_run_by_time_ends() {
        let length = Length::CpuTime(Duration::from_millis(1));
        let report = measure(Options::standard(Mancala::Urim), &Plan { length, ..PLAN });
        assert!(report.playouts >= 2 * BATCH);
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
