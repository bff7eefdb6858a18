//! The real program, as a process on a folder of its own.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use crate::disk::{Disk, Files};
use crate::rest::{Answer, Request};
use crate::{PATIENCE, patiently};
use mancala_protocol::rest::{Guest, MatchMade};
use serde_json::{Value, json};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use tempfile::TempDir;

/// A server that runs, until it is dropped. Its log is looked through then: nobody may have
/// panicked, and no secret may stand in it.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    /// Kept, because a closed pipe would be an error to whoever writes into it.
    stdout: BufReader<ChildStdout>,
    first_lines: [String; 3],
    address: SocketAddr,
    place: Place,
    secrets: Mutex<Vec<String>>,
}

/// Where a server keeps its data and its log, and what else it is started with.
#[derive(Debug)]
struct Place {
    folder: TempDir,
    arguments: &'static [&'static str],
    disk: Option<Disk>,
}

impl Place {
    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }
}

/// How a server is told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// As systems do.
    Terminate,
    /// As Ctrl-C does.
    Interrupt,
}

/// Where a server listens when it starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// Where it did.
    Same,
    /// Anywhere else.
    New,
}

impl ServerProcess {
    /// Starts a server with an empty folder.
    #[must_use]
    pub fn start() -> ServerProcess {
        ServerProcess::start_with(&[])
    }

    /// Starts a server with an empty folder, and with these arguments beside those of a
    /// test.
    #[must_use]
    pub fn start_with(arguments: &'static [&'static str]) -> ServerProcess {
        ServerProcess::start_at(Place {
            folder: tempfile::tempdir().unwrap(),
            arguments,
            disk: None,
        })
    }

    /// Starts a server with an empty folder, on a disk that does as it is told.
    #[must_use]
    pub fn start_on_disk() -> ServerProcess {
        ServerProcess::start_from(&Files::new())
    }

    /// Starts a server with these files in its folder, on a disk that does as it is told.
    #[must_use]
    pub fn start_from(files: &Files) -> ServerProcess {
        let mut place = Place {
            folder: tempfile::tempdir().unwrap(),
            arguments: &[],
            disk: None,
        };
        fs::create_dir(place.data()).unwrap();
        for (name, bytes) in files {
            fs::write(place.data().join(name), bytes).unwrap();
        }
        place.disk = Some(Disk::new(place.folder.path(), &place.data()));
        ServerProcess::start_at(place)
    }

    fn start_at(place: Place) -> ServerProcess {
        let started = spawn(&place, "127.0.0.1:0");
        ServerProcess {
            child: started.child,
            stdout: started.stdout,
            first_lines: started.first_lines,
            address: started.address,
            place,
            secrets: Mutex::default(),
        }
    }

    /// What it said when it started.
    #[must_use]
    pub const fn first_lines(&self) -> &[String; 3] {
        &self.first_lines
    }

    /// What it has said since, up to its end.
    pub fn last_lines(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The origin of its own pages.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The folder of its data.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.place.data()
    }

    /// The disk of a server that was started on one.
    #[must_use]
    pub fn disk(&self) -> &Disk {
        self.place.disk.as_ref().unwrap()
    }

    /// Its database, as somebody beside it sees it.
    pub async fn database(&self) -> SqliteConnection {
        let file = self.data().join("mancala.sqlite");
        let options = SqliteConnectOptions::new().filename(file);
        options.connect().await.unwrap()
    }

    /// All that it has logged so far, in all its lives.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.place.log()).unwrap()
    }

    /// Bytes of memory that are its own at the moment.
    #[must_use]
    pub fn resident_bytes(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kib = line.unwrap().split_whitespace().nth(1).unwrap();
        kib.parse::<usize>().unwrap() * 1024
    }

    /// Ends it as a power cut would: `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again on the same folder, after it has ended.
    pub fn restart(&mut self, port: Port) {
        assert!(self.child.try_wait().unwrap().is_some(), "it still runs");
        let listen = match port {
            Port::Same => self.address.to_string(),
            Port::New => "127.0.0.1:0".to_owned(),
        };
        let started = spawn(&self.place, &listen);
        self.child = started.child;
        self.stdout = started.stdout;
        self.first_lines = started.first_lines;
        self.address = started.address;
    }

    /// Tells it to stop.
    pub fn tell(&self, signal: Signal) {
        let name = match signal {
            Signal::Terminate => "TERM",
            Signal::Interrupt => "INT",
        };
        let told = Command::new("sh")
            .args(["-c", &format!("kill -{name} {}", self.child.id())])
            .status();
        assert!(told.unwrap().success());
    }

    /// Tells it to stop: SIGTERM.
    pub fn terminate(&self) {
        self.tell(Signal::Terminate);
    }

    /// Waits until it has ended by itself.
    pub async fn ended(&mut self) -> ExitStatus {
        let child = &mut self.child;
        patiently("the end of the server", async {
            loop {
                if let Some(status) = child.try_wait().unwrap() {
                    return status;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
    }

    /// Tries to start another server on the same folder, which has to fail, and returns
    /// what it says.
    #[must_use]
    pub fn refused_start(&self) -> String {
        let output = command(&self.place, "127.0.0.1:0").output().unwrap();
        assert!(!output.status.success());
        assert!(output.stdout.is_empty(), "it said that it runs");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Sends a request and waits for the answer.
    pub async fn send(&self, request: Request) -> Answer {
        request.send(self.address).await.unwrap()
    }

    /// Reads a path.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path)).await
    }

    /// Makes a guest and returns its token.
    pub async fn guest(&self, name: &str) -> String {
        let request = Request::post("/api/v1/guests", &json!({ "name": name }));
        let guest: Guest = self.send(request).await.json();
        self.keep_secret(&guest.token);
        guest.token
    }

    /// Makes a match, as whoever has the token.
    pub async fn make(&self, token: &str, wanted: &Value) -> MatchMade {
        let request = Request::post("/api/v1/matches", wanted).token(token);
        let made: MatchMade = self.send(request).await.json();
        if let Some(secret) = &made.secret {
            self.keep_secret(secret);
        }
        made
    }

    /// Notes a text that must never stand in the log.
    pub fn keep_secret(&self, secret: &str) {
        self.secrets.lock().unwrap().push(secret.to_owned());
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        _ = self.child.kill();
        _ = self.child.wait();
        let log = self.log();
        if std::thread::panicking() {
            let lines: Vec<_> = log.lines().collect();
            let last = lines.len().saturating_sub(40);
            eprintln!("the server's last words:\n{}", lines[last..].join("\n"));
            return;
        }
        assert!(!log.contains("panicked"), "the server panicked:\n{log}");
        for secret in self.secrets.get_mut().unwrap() {
            assert!(!log.contains(secret.as_str()), "a secret stands in the log");
        }
    }
}

fn command(place: &Place, listen: &str) -> Command {
    let mut command = Command::new(program());
    command
        .args(["--listen", listen, "--log", "debug", "--data"])
        .arg(place.data())
        .args(place.arguments)
        .stdin(Stdio::null());
    if let Some(disk) = &place.disk {
        disk.under(&mut command);
    }
    command
}

/// A program that listens.
struct Started {
    child: Child,
    stdout: BufReader<ChildStdout>,
    first_lines: [String; 3],
    address: SocketAddr,
}

/// Starts the program. It says where it listens once it does.
fn spawn(place: &Place, listen: &str) -> Started {
    let log = File::options()
        .create(true)
        .append(true)
        .open(place.log())
        .unwrap();
    let mut child = command(place, listen)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let first_lines = std::array::from_fn(|_| {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        line
    });
    let log = fs::read_to_string(place.log()).unwrap();
    let in_log = || {
        // Of a server that is known by another address than where it listens.
        let (_, after) = log.rsplit_once("listening address=")?;
        after.split_whitespace().next()
    };
    let said = first_lines[0].trim_end().rsplit_once("http://");
    let address = said.map(|(_, address)| address).or_else(in_log);
    let Some(address) = address else {
        panic!("the server does not start: {first_lines:?}{log}");
    };
    Started {
        address: address.parse().unwrap(),
        child,
        stdout,
        first_lines,
    }
}

/// The program, as it is built beside this test.
#[must_use]
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| built("mancala"))
}

/// The program that measures, likewise.
#[must_use]
pub fn bench() -> &'static Path {
    static BENCH: OnceLock<PathBuf> = OnceLock::new();
    BENCH.get_or_init(|| built("mancala-bench"))
}

/// A program of ours, built if need be.
fn built(name: &str) -> PathBuf {
    let program = target().join(profile()).join(name);
    if is_stale(&program) {
        build();
    }
    assert!(program.is_file(), "{} is missing", program.display());
    program
}

/// The folder into which cargo builds.
#[must_use]
pub fn target() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // target/<profile>/deps/<test>
    test.ancestors().nth(3).unwrap().to_owned()
}

fn profile() -> String {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap().file_name();
    folder.unwrap().to_str().unwrap().to_owned()
}

/// Is the program missing, or older than a source of it? `cargo test --workspace` has built
/// it, but where only these tests were asked for, cargo does not know that they need it.
fn is_stale(program: &Path) -> bool {
    let changed = |file: &Path| fs::metadata(file).and_then(|file| file.modified());
    let Ok(built) = changed(program) else {
        return true;
    };
    let mut folders: Vec<PathBuf> = [
        "engine/src",
        "play/src",
        "protocol/src",
        "server/src",
        "tools/src",
        "migrations",
    ]
    .map(|folder| root().join(folder))
    .into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if changed(&path).is_ok_and(|changed| changed > built) {
                return true;
            }
        }
    }
    false
}

/// Builds the programs as `cargo test --workspace` does. To ask for them alone would be
/// simpler, but for fewer crates cargo chooses other features of the libraries, and builds
/// them all again.
fn build() {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo
        .args(["test", "--locked", "--workspace", "--no-run"])
        // Tests of the programs' own crates, for which cargo builds these.
        .args(["--test", "docs", "--test", "bench"])
        .current_dir(root());
    if profile() == "release" {
        cargo.arg("--release");
    }
    assert!(
        cargo.status().unwrap().success(),
        "the programs are not built"
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Waits until a condition holds.
///
/// # Panics
/// If it never does.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(PATIENCE, wait).await.is_err() {
        panic!("waited in vain until {what}");
    }
}
