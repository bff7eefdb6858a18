//! A run: a server in this process and its clients, in time that passes only when nobody
//! has anything to do.

use crate::model::{Counts, Model};
use crate::plan::{Plan, Step};
use crate::weather::Climate;
use crate::wire::Wire;
use mancala_protocol::PublicId;
use mancala_server::World;
use mancala_server::store::Memory;
use mancala_tests::Random;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::sleep;

mod devices;
mod ending;
pub(crate) mod faults;
mod life;
mod rest;
mod sockets;

use life::Life;
use rest::Making;
use sockets::Socket;

const URL: &str = "http://mancala.example";

/// What a run was like.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Everything that was said, done and heard.
    pub(crate) transcript: Vec<String>,
    /// What was found to be wrong, if anything was.
    pub(crate) fault: Option<String>,
    /// How many events stand in the logs.
    pub(crate) events: u64,
    /// How often each thing has happened.
    pub(crate) counts: Counts,
}

/// Does what a plan says.
pub(crate) fn run(plan: &Plan) -> Outcome {
    faults::watch();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let model = Arc::new(Mutex::new(None));
    let whole = AssertUnwindSafe(|| runtime.block_on(whole(plan, &model)));
    // What was found is noted where it was.
    _ = std::panic::catch_unwind(whole);
    drop(runtime);
    let model: Option<Shared> = model.lock().unwrap_or_else(PoisonError::into_inner).take();
    let model = model.expect("a run begins with its model");
    let mut model = lock(&model);
    Outcome {
        transcript: std::mem::take(&mut model.transcript),
        fault: faults::found(),
        events: model.truths.values().map(|truth| truth.seq()).sum(),
        counts: std::mem::take(&mut model.counts),
    }
}

async fn whole(plan: &Plan, place: &Mutex<Option<Shared>>) {
    let mut run = Run::new(plan.seed);
    *place.lock().unwrap() = Some(Arc::clone(&run.model));
    run.start().await;
    sleep(Duration::from_millis(1)).await;
    let idle = alive();
    for (place, step) in plan.steps.iter().enumerate() {
        run.lock().note(format_args!("-- {place}: {step:?}"));
        run.take(step.clone()).await;
        faults::check();
        assert!(alive() < run.tasks_max(), "{} tasks", alive());
    }
    run.converge().await;
    run.end(idle).await;
}

fn alive() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

type Shared = Arc<Mutex<Model>>;

/// A panic while it is held was a fault that was found; what comes later is looked at no more.
fn lock(model: &Shared) -> MutexGuard<'_, Model> {
    model.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run as it goes on.
struct Run {
    model: Shared,
    climate: Arc<Climate>,
    disk: Memory,
    world: World,
    life: Option<Life>,
    /// All lines to the server that lives.
    wires: Vec<Wire>,
    sockets: BTreeMap<usize, Socket>,
    makings: Arc<Mutex<Vec<Making>>>,
    requests: Vec<JoinHandle<()>>,
    guests: usize,
    keys: u32,
}

impl Run {
    fn new(seed: u64) -> Run {
        let disk = Memory::default();
        let climate = Arc::new(Climate::new(seed ^ 0x5eed));
        Run {
            model: Arc::new(Mutex::new(Model::new(&disk, Arc::clone(&climate)))),
            climate,
            disk,
            world: World::simulated(seed),
            life: None,
            wires: Vec::new(),
            sockets: BTreeMap::new(),
            makings: Arc::default(),
            requests: Vec::new(),
            guests: 0,
            keys: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Model> {
        lock(&self.model)
    }

    /// More than this many tasks nobody needs: a line, a client, a connection and a session
    /// for each socket, two for each match, and what is under way to the disk.
    fn tasks_max(&self) -> usize {
        let model = self.lock();
        100 + 8 * (model.sockets.len() + model.games.len()) + 4 * self.requests.len()
    }

    /// The match that a number names, if there is any.
    fn game(&self, number: usize) -> Option<PublicId> {
        let model = self.lock();
        let games = &model.games;
        (!games.is_empty()).then(|| games[number % games.len()])
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Wait(ms) => sleep(Duration::from_millis(ms)).await,
            Step::UntilDue { game, early_ms } => {
                let due_ms = self
                    .game(game)
                    .and_then(|game| self.lock().truth(game).due_ms());
                let Some(due_ms) = due_ms else { return };
                // What is due in days is left to itself.
                let left_ms = (due_ms - early_ms - self.lock().now_ms()).clamp(0, 60_000);
                sleep(Duration::from_millis(left_ms.cast_unsigned())).await;
            }
            Step::Guest => self.guest(),
            Step::Device { person } => {
                let mut model = self.lock();
                let people = model.people.len();
                let person = person.filter(|_| people > 0).map(|person| person % people);
                model.new_device(person);
            }
            Step::Make { person, wanted } => self.make(person, wanted),
            Step::MakeAgain { which, as_it_was } => self.make_again(which, as_it_was),
            Step::Sit {
                person,
                game,
                side,
                with_secret,
            } => self.sit(person, game, side, with_secret),
            Step::Rally {
                turns,
                pause_ms,
                draw,
            } => {
                let mut random = Random::from_seed(draw);
                for _ in 0..turns {
                    let devices = self.lock().devices.len();
                    for device in 0..devices {
                        self.tend(device, random.next());
                    }
                    sleep(Duration::from_millis(pause_ms)).await;
                    faults::check();
                }
            }
            Step::Read { game, what } => self.read(game, what),
            Step::Quiet => self.lock().check_quiet(),
            Step::Weather(storm) => self.climate.becomes(storm),
            Step::Stop => self.stop(),
            Step::Crash => self.crash(),
            Step::Start => self.start().await,
            step => self.take_on_device(step),
        }
    }
}
