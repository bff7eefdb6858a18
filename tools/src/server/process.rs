//! The process of the server: started if need be, and what it takes of the machine.
//!
//! May know programs, folders and the operating system, never what the server says.

use anyhow::{Context as _, bail, ensure};
use core_affinity::CoreId;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use tempfile::TempDir;

/// A server that was started here, in a folder that goes with it.
#[derive(Debug)]
pub(crate) struct Spawned {
    child: Child,
    /// Kept, because a closed pipe would be an error to whoever writes into it.
    _stdout: BufReader<ChildStdout>,
    folder: TempDir,
    address: SocketAddr,
}

/// How to start a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe<'a> {
    pub(crate) program: &'a Path,
    /// What it is told beside where to listen and where to keep its data.
    pub(crate) arguments: &'a [String],
    /// Where its folder is made: which disk this is decides much.
    pub(crate) data: &'a Path,
    /// The one core that it may use; all of them, where none is named.
    pub(crate) core: Option<usize>,
}

impl Spawned {
    /// Starts a server, which is ended and forgotten when this is dropped.
    pub(crate) fn start(recipe: Recipe<'_>) -> anyhow::Result<Spawned> {
        let folder = tempfile::tempdir_in(recipe.data).context("cannot make a folder")?;
        let log = File::create(folder.path().join("log"))?;
        let mut command = Command::new(recipe.program);
        command
            .args(["--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .args(recipe.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log);
        let program = recipe.program.display();
        let child = spawn_on(command, recipe.core);
        let mut child = child.with_context(|| format!("cannot start {program}"))?;
        let stdout = child.stdout.take().context("it has a standard output")?;
        let mut stdout = BufReader::new(stdout);
        let mut first = String::new();
        stdout.read_line(&mut first)?;
        let address = first.trim_end().rsplit_once("http://");
        let address = address.and_then(|(_, address)| address.parse().ok());
        let Some(address) = address else {
            _ = child.kill();
            _ = child.wait();
            let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
            bail!("{program} does not say where it listens: {first}{log}");
        };
        Ok(Spawned {
            child,
            _stdout: stdout,
            folder,
            address,
        })
    }

    /// Where it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its number.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The last lines that it logged.
    pub(crate) fn last_words(&self) -> String {
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(10)..].join("\n")
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Starts a program on one core. A program begins on the cores of the thread that starts
/// it, so this takes a thread of its own.
fn spawn_on(mut command: Command, core: Option<usize>) -> anyhow::Result<Child> {
    let spawned = std::thread::spawn(move || {
        if let Some(id) = core {
            stay_on(id)?;
        }
        Ok(command.spawn()?)
    });
    spawned
        .join()
        .unwrap_or_else(|_| bail!("starting it failed"))
}

/// Keeps this thread, and those that it starts from now on, on one core.
pub(crate) fn stay_on(id: usize) -> anyhow::Result<()> {
    ensure!(
        core_affinity::set_for_current(CoreId { id }),
        "cannot stay on core {id}"
    );
    Ok(())
}

/// What a process has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Memory in use, in bytes.
    pub(crate) resident_bytes: u64,
    /// CPU time of all its threads, since it began.
    pub(crate) cpu: Duration,
}

/// Reads what a process takes.
#[derive(Debug)]
pub(crate) struct Gauge {
    system: System,
    pid: Pid,
}

impl Gauge {
    /// Of the process with this number.
    pub(crate) fn new(pid: u32) -> Gauge {
        Gauge {
            system: System::new(),
            pid: Pid::from_u32(pid),
        }
    }

    /// What it has taken until now.
    pub(crate) fn read(&mut self) -> anyhow::Result<Usage> {
        let what = ProcessRefreshKind::nothing()
            .with_cpu()
            .with_memory()
            .without_tasks();
        let which = ProcessesToUpdate::Some(&[self.pid]);
        self.system.refresh_processes_specifics(which, true, what);
        let process = self.system.process(self.pid);
        let process = process.with_context(|| format!("there is no process {}", self.pid))?;
        Ok(Usage {
            resident_bytes: process.memory(),
            cpu: Duration::from_millis(process.accumulated_cpu_time()),
        })
    }
}

/// How many tasks wanted a core over the last minute, on average.
pub(crate) fn load_average() -> f64 {
    System::load_average().one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_takes_something_and_none_takes_nothing() {
        let usage = Gauge::new(std::process::id()).read().unwrap();
        assert!(usage.resident_bytes > 100_000, "{usage:?}");
        assert!(Gauge::new(u32::MAX - 1).read().is_err());
    }
}
