//! How much a running server holds.
//!
//! May know the server by its protocol and its process alone, as a bot and its host do.
//!
//! Random matches are played at many tables, and whatever is told of them is held against
//! what was told before; a figure counts only if all of it was true. First everybody
//! connects, then every match begins, then they are played: so the differences of the
//! server's memory are those of sockets, and of matches.

mod allowance;
mod checker;
mod choice;
mod glance;
mod process;
mod report;
mod rest;
mod schedule;
mod socket;
mod table;
mod tally;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use cpu_time::ProcessTime;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use mancala_engine::Mancala;
use mancala_protocol::rest::{AccessWord, NewMatch, SideWord};
use process::{Gauge, Recipe, Spawned, Usage};
use report::{Figures, Report, ServerReport, TeamsReport, hundredths};
use rest::Rest;
use schedule::Schedule;
use serde::Serialize;
use serde_json::{Value, json};
use socket::Socket;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use table::{PATIENCE, Room, Table};
use tally::Tally;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

pub(crate) use report::{median, table};

/// What is opened or begun at the same time.
const AT_ONCE: usize = 32;

/// How long memory is left to settle before it is read.
const SETTLE: Duration = Duration::from_millis(500);

/// What went wrong is told so many times.
const ERRORS_TOLD: usize = 5;

/// How to measure a server.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) target: Target,
    pub(crate) games: Vec<Mancala>,
    pub(crate) options: Option<Value>,
    pub(crate) clock: Option<Value>,
    pub(crate) format: Option<String>,
    pub(crate) matches: usize,
    /// Where the sides are teams.
    pub(crate) teams: Option<Teams>,
    pub(crate) spectators: usize,
    pub(crate) idle: usize,
    pub(crate) rate: Option<f64>,
    pub(crate) length: Length,
    pub(crate) warmup: Duration,
    pub(crate) runs: u32,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    /// The one core of the driver, where one is named.
    pub(crate) core: Option<usize>,
}

/// Teams that play.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Teams {
    /// Of each side.
    pub(crate) members: usize,
    pub(crate) decides: Decides,
}

/// How a team decides what it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decides {
    Rotation,
    Captain,
    Vote,
    First,
}

/// How long is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// So long.
    Time(Duration),
    /// Until so many moves are answered.
    Moves(u64),
}

/// Which server.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// One that runs, and its process, where it is known.
    Running {
        address: SocketAddr,
        pid: Option<u32>,
    },
    /// One that is started for each run.
    Spawn {
        program: PathBuf,
        arguments: Vec<String>,
        data: PathBuf,
        core: Option<usize>,
    },
}

impl Teams {
    /// What is asked for when a match is made.
    fn wanted(self) -> Value {
        let Teams { members, decides } = self;
        let decides = match decides {
            // Far longer than it takes: a vote is over as soon as all have voted.
            Decides::Vote => json!({ "type": "vote", "window": 600 }),
            other => json!({ "type": other }),
        };
        let seats = json!({ "south": members, "north": members });
        json!({ "seats": seats, "decides": decides })
    }
}

impl Plan {
    /// Who plays a match, on both sides.
    fn players(&self) -> usize {
        2 * self.teams.map_or(1, |teams| teams.members)
    }

    /// Measures one game, and gives the report of each run. A run in which something went
    /// wrong is the last.
    pub(crate) fn measure(&self, game: Mancala) -> anyhow::Result<Vec<Value>> {
        // As many sockets as the system allows; the server that is started here gets the
        // same.
        rlimit::increase_nofile_limit(u64::MAX).context("cannot ask for more open files")?;
        let mut reports = Vec::new();
        for run in 0..self.runs {
            let report = self.run(game, self.seed.wrapping_add(run.into()))?;
            let failed = !report.errors.is_empty();
            reports.push(serde_json::to_value(report)?);
            if failed {
                break;
            }
        }
        Ok(reports)
    }

    fn run(&self, game: Mancala, seed: u64) -> anyhow::Result<Report> {
        let (spawned, address, pid) = match &self.target {
            Target::Running { address, pid } => (None, *address, *pid),
            Target::Spawn {
                program,
                arguments,
                data,
                core,
            } => {
                let spawned = Spawned::start(Recipe {
                    program,
                    arguments,
                    data,
                    core: *core,
                })?;
                let (address, pid) = (spawned.address(), spawned.pid());
                (Some(spawned), address, Some(pid))
            }
        };
        let driver = Driver {
            plan: self,
            game,
            seed,
            address,
            gauge: pid.map(Gauge::new),
        };
        // Only from here on, so that the server was free to choose its cores.
        if let Some(core) = self.core {
            process::stay_on(core)?;
        }
        let result = self.runtime()?.block_on(driver.drive());
        match (&result, &spawned) {
            (Ok(report), _) if report.errors.is_empty() => {}
            (_, Some(server)) => eprintln!("the server's last words:\n{}", server.last_words()),
            _ => {}
        }
        result
    }

    fn runtime(&self) -> anyhow::Result<Runtime> {
        let mut builder = match self.threads {
            1 => Builder::new_current_thread(),
            _ => Builder::new_multi_thread(),
        };
        let builder = builder.worker_threads(self.threads).enable_all();
        builder.build().context("cannot start the driver's threads")
    }
}

/// A run.
struct Driver<'a> {
    plan: &'a Plan,
    game: Mancala,
    seed: u64,
    address: SocketAddr,
    gauge: Option<Gauge>,
}

impl Driver<'_> {
    async fn drive(mut self) -> anyhow::Result<Report> {
        let room = Arc::new(self.room());
        let start = self.read()?;
        let mut crew = Crew::default();
        self.hold_idle(&mut crew).await?;
        let idle = self.settled().await?;
        let tables = self.set_tables(&room).await?;
        let seated = self.settled().await?;
        let tables = begin_all(tables).await?;
        let begun = self.settled().await?;

        for table in tables {
            crew.players.spawn(table.play());
        }
        let pacer = self.pace(&room);
        let mut errors = Vec::new();
        errors.extend(crew.work(sleep(self.plan.warmup)).await);
        *room.tally() = Tally::new();
        let (began, own, before) = (Instant::now(), ProcessTime::now(), self.read()?);
        if errors.is_empty() {
            let enough = async {
                match self.plan.length {
                    Length::Time(time) => sleep(time).await,
                    Length::Moves(moves) => room.wait_for(moves).await,
                }
            };
            errors.extend(crew.work(enough).await);
        }
        let (measured, own) = (began.elapsed(), own.elapsed());
        let tally = std::mem::replace(&mut *room.tally(), Tally::new());
        let unsent = room.schedule.as_ref().map_or(0, Schedule::owed);
        // Where the server has gone, the sockets have said so already.
        let end = self.read().unwrap_or(before);

        room.stop.cancel();
        if let Some(schedule) = &room.schedule {
            schedule.close();
        }
        errors.extend(crew.come_to_rest().await);
        if let Some(pacer) = pacer
            && pacer.join().is_err()
        {
            bail!("the schedule failed");
        }
        errors.truncate(ERRORS_TOLD);
        let figures = Figures::of(&tally, measured);
        let readings = Readings {
            start,
            idle,
            seated,
            begun,
            before,
            end,
        };
        Ok(Report {
            game: self.game,
            options: self.plan.options.clone(),
            clock: self.plan.clock.clone(),
            matches: self.plan.matches,
            teams: self.plan.teams.map(|teams| TeamsReport {
                members: teams.members,
                decides: teams.decides,
            }),
            spectators: self.plan.spectators,
            idle: self.plan.idle,
            seed: self.seed,
            rate: self.plan.rate,
            server: readings.report(self.plan, &figures),
            figures,
            unsent,
            errors,
            driver_cores: hundredths(own.as_secs_f64() / measured.as_secs_f64()),
            load_average: process::load_average(),
        })
    }

    fn room(&self) -> Room {
        Room {
            address: self.address,
            rest: Rest::new(self.address),
            wanted: NewMatch {
                game: self.game.key().to_owned(),
                options: self.plan.options.clone(),
                format: self.plan.format.clone(),
                access: AccessWord::Public,
                seat: Some(SideWord::South),
                preview: None,
                clock: self.plan.clock.clone(),
                way: None,
                rated: None,
                start: None,
                teams: self.plan.teams.map(Teams::wanted),
            },
            teams: self.plan.teams,
            spectators: self.plan.spectators,
            seed: self.seed,
            schedule: self.plan.rate.map(|_| Schedule::default()),
            tally: Mutex::new(Tally::new()),
            stop: CancellationToken::new(),
        }
    }

    /// What the server takes now, where its process is known.
    fn read(&mut self) -> anyhow::Result<Option<Usage>> {
        self.gauge.as_mut().map(Gauge::read).transpose()
    }

    /// The same after a moment without anything to do.
    async fn settled(&mut self) -> anyhow::Result<Option<Usage>> {
        if self.gauge.is_some() {
            sleep(SETTLE).await;
        }
        self.read()
    }

    /// Opens the idle sockets, and has somebody answer their pings.
    async fn hold_idle(&self, crew: &mut Crew) -> anyhow::Result<()> {
        let open = |count| socket::open(self.address, count, None);
        let mut sockets = stream::iter((0..self.plan.idle).map(open)).buffer_unordered(AT_ONCE);
        while let Some(socket) = sockets.next().await {
            crew.holders.spawn(hold(socket.context("an idle socket")?));
        }
        Ok(())
    }

    async fn set_tables(&self, room: &Arc<Room>) -> anyhow::Result<Vec<Table>> {
        let set = |place| Table::set(Arc::clone(room), place);
        let tables = stream::iter((0..self.plan.matches).map(set)).buffer_unordered(AT_ONCE);
        tables.try_collect().await
    }

    /// Starts the thread that gives the moments of a fixed rate.
    fn pace(&self, room: &Arc<Room>) -> Option<JoinHandle<()>> {
        let rate = self.plan.rate?;
        let room = Arc::clone(room);
        Some(thread::spawn(move || {
            if let Some(schedule) = &room.schedule {
                schedule.run(rate);
            }
        }))
    }
}

/// Begins the first match at every table.
async fn begin_all(tables: Vec<Table>) -> anyhow::Result<Vec<Table>> {
    let begin = |mut table: Table| async move { table.begin().await.map(|()| table) };
    let tables = stream::iter(tables.into_iter().map(begin)).buffer_unordered(AT_ONCE);
    tables.try_collect().await
}

/// Answers the pings of an idle socket; done when it ends, which it should not.
async fn hold(mut socket: Socket) -> anyhow::Result<()> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(message)) => bail!("an idle socket heard {message}"),
            Some(Err(error)) => return Err(error).context("an idle socket"),
            None => bail!("an idle socket ended"),
        }
    }
}

/// Everybody at work.
#[derive(Default)]
struct Crew {
    players: JoinSet<anyhow::Result<()>>,
    holders: JoinSet<anyhow::Result<()>>,
}

impl Crew {
    /// Lets them work until it is enough, or something goes wrong.
    async fn work(&mut self, enough: impl Future<Output = ()>) -> Option<String> {
        tokio::select! {
            biased;
            Some(ended) = self.players.join_next() => Some(too_early(ended)),
            Some(ended) = self.holders.join_next() => Some(too_early(ended)),
            () = enough => None,
        }
    }

    /// Waits until the players, who have been told to stop, have all they are owed.
    async fn come_to_rest(mut self) -> Vec<String> {
        let mut errors = Vec::new();
        let rest = async {
            while let Some(ended) = self.players.join_next().await {
                errors.extend(fault(ended));
            }
        };
        // They give up by themselves before that.
        if timeout(2 * PATIENCE, rest).await.is_err() {
            errors.push(format!("matches did not stop in {:?}", 2 * PATIENCE));
        }
        errors
    }
}

/// What went wrong, if anything.
fn fault(ended: Result<anyhow::Result<()>, JoinError>) -> Option<String> {
    match ended {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{error:#}")),
        Err(error) => Some(format!("the driver failed: {error}")),
    }
}

/// What went wrong with somebody who should still be at work.
fn too_early(ended: Result<anyhow::Result<()>, JoinError>) -> String {
    fault(ended).unwrap_or_else(|| "somebody stopped too early".to_owned())
}

/// What the server had taken at each moment of a run, where its process is known.
#[derive(Clone, Copy, Debug)]
struct Readings {
    /// Before anybody came.
    start: Option<Usage>,
    /// With the idle sockets.
    idle: Option<Usage>,
    /// With all sockets, and no matches.
    seated: Option<Usage>,
    /// With all matches, and no moves.
    begun: Option<Usage>,
    /// When the measuring began.
    before: Option<Usage>,
    /// When it ended.
    end: Option<Usage>,
}

impl Readings {
    fn report(&self, plan: &Plan, figures: &Figures) -> Option<ServerReport> {
        let (start, idle, seated) = (self.start?, self.idle?, self.seated?);
        let (begun, before, end) = (self.begun?, self.before?, self.end?);
        let each = |more: Usage, less: Usage, count: usize| {
            let bytes = more.resident_bytes.saturating_sub(less.resident_bytes);
            (count > 0).then(|| bytes / count as u64)
        };
        let sockets = plan.matches * (plan.players() + plan.spectators);
        let cpu = end.cpu.saturating_sub(before.cpu);
        Some(ServerReport {
            cores: hundredths(cpu.as_secs_f64() / figures.seconds),
            cpu_us_a_move: hundredths(cpu.as_secs_f64() * 1e6 / figures.moves as f64),
            start_bytes: start.resident_bytes,
            end_bytes: end.resident_bytes,
            idle_socket_bytes: each(idle, start, plan.idle),
            player_socket_bytes: each(seated, idle, sockets),
            match_begun_bytes: each(begun, seated, plan.matches),
            match_played_bytes: each(end, seated, plan.matches),
        })
    }
}
