//! The disk under a server: slow, held, failing or full as a test tells it, and what a power
//! cut leaves of it.
//!
//! To kill a process does not test the disk, for the system keeps what a process has written
//! and writes it out later. So a library stands between the program and the system
//! (`tests/disk/disk.c`). It takes its orders from a file, and notes each write and each sync.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use crate::random::Random;
use crate::server::{target, until};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What the library is told and tells, by their place in the file of its orders.
#[derive(Clone, Copy, Debug)]
enum Word {
    DelayUs,
    Held,
    FailingSyncs,
    Room,
    SyncsBegun,
}

/// The room of a disk that is never full.
const ENDLESS: u64 = u64::MAX;

/// The disk of one server.
#[derive(Debug)]
pub struct Disk {
    control: File,
    folder: PathBuf,
    data: PathBuf,
}

impl Disk {
    /// The disk under what is in `data`, with its orders and its trace in `folder`.
    pub(crate) fn new(folder: &Path, data: &Path) -> Disk {
        let control = File::options()
            .create_new(true)
            .read(true)
            .write(true)
            .open(folder.join("disk-control"))
            .unwrap();
        let disk = Disk {
            control,
            folder: folder.to_owned(),
            data: data.to_owned(),
        };
        for word in [
            Word::DelayUs,
            Word::Held,
            Word::FailingSyncs,
            Word::SyncsBegun,
        ] {
            disk.set(word, 0);
        }
        disk.set(Word::Room, ENDLESS);
        disk
    }

    /// Puts a program on this disk.
    pub(crate) fn under(&self, program: &mut Command) {
        program
            .env("LD_PRELOAD", library())
            .env("MANCALA_DISK_CONTROL", self.folder.join("disk-control"))
            .env("MANCALA_DISK_TRACE", self.trace_file())
            .env("MANCALA_DISK_FILES", &self.data);
    }

    fn set(&self, word: Word, value: u64) {
        let place = 8 * word as u64;
        self.control
            .write_all_at(&value.to_ne_bytes(), place)
            .unwrap();
    }

    fn get(&self, word: Word) -> u64 {
        let mut bytes = [0; 8];
        let place = 8 * word as u64;
        self.control.read_exact_at(&mut bytes, place).unwrap();
        u64::from_ne_bytes(bytes)
    }

    /// From now on each sync takes so many microseconds, at least.
    pub fn slow(&self, delay_us: u64) {
        self.set(Word::DelayUs, delay_us);
    }

    /// From now on no sync ends.
    pub fn hold(&self) {
        self.set(Word::Held, 1);
    }

    /// Lets all syncs end.
    pub fn release(&self) {
        self.set(Word::Held, 0);
    }

    /// Is it so that no sync ends?
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.get(Word::Held) != 0
    }

    /// So many syncs fail from now on.
    pub fn fail_syncs(&self, count: u64) {
        self.set(Word::FailingSyncs, count);
    }

    /// From now on files may grow by so many bytes, all together.
    pub fn leave_room(&self, bytes: u64) {
        self.set(Word::Room, bytes);
    }

    /// From now on it is a good disk.
    pub fn mend(&self) {
        self.slow(0);
        self.fail_syncs(0);
        self.leave_room(ENDLESS);
        self.release();
    }

    /// How many syncs have begun so far.
    #[must_use]
    pub fn syncs_begun(&self) -> u64 {
        self.get(Word::SyncsBegun)
    }

    /// Waits until one more sync has begun than these.
    pub async fn sync_after(&self, begun: u64) {
        until("a sync begins", async || self.syncs_begun() > begun).await;
    }

    fn trace_file(&self) -> PathBuf {
        self.folder.join("disk-trace")
    }

    /// A moment: how long the trace is.
    #[must_use]
    pub fn moment(&self) -> u64 {
        fs::metadata(self.trace_file()).unwrap().len()
    }

    /// All that has happened on this disk.
    #[must_use]
    pub fn trace(&self) -> Trace {
        Trace::read(&fs::read(self.trace_file()).unwrap())
    }
}

/// The library, compiled once in each process of tests.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = target().join("disk");
        fs::create_dir_all(&folder).unwrap();
        let library = folder.join("disk.so");
        let new = folder.join(format!("disk-{}.so", std::process::id()));
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/disk/disk.c"))
            .args(["-ldl", "-lpthread", "-o"])
            .arg(&new)
            .status();
        assert!(compiled.unwrap().success(), "the disk is not compiled");
        // At once, for whoever has it in use, or makes it as well.
        fs::rename(new, &library).unwrap();
        library
    })
}

/// All that happened on a disk, in order.
#[derive(Debug)]
pub struct Trace {
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    /// How long the trace is after it.
    moment: u64,
    file: String,
    what: What,
}

#[derive(Debug)]
enum What {
    Write { at: usize, bytes: Vec<u8> },
    Sync,
    FailedSync,
    Truncate { to: usize },
    Remove,
}

/// Does a disk keep what it says that it has synced?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Honesty {
    /// It does.
    Honest,
    /// It says so, and keeps it when it likes.
    Lying,
}

/// Files by their names.
pub type Files = BTreeMap<String, Vec<u8>>;

impl Trace {
    fn read(mut bytes: &[u8]) -> Trace {
        let mut steps = Vec::new();
        let all = bytes.len();
        while !bytes.is_empty() {
            let mut word = || {
                let (word, rest) = bytes.split_first_chunk().unwrap();
                bytes = rest;
                usize::try_from(u64::from_ne_bytes(*word)).unwrap()
            };
            let [operation, at, name, length] = std::array::from_fn(|_| word());
            let (name, rest) = bytes.split_at(name);
            let (data, rest) = rest.split_at(length);
            bytes = rest;
            steps.push(Step {
                moment: (all - bytes.len()) as u64,
                file: String::from_utf8(name.to_vec()).unwrap(),
                what: match operation {
                    1 => What::Write {
                        at,
                        bytes: data.to_vec(),
                    },
                    2 => What::Sync,
                    3 => What::FailedSync,
                    4 => What::Truncate { to: at },
                    5 => What::Remove,
                    other => panic!("operation {other} in a trace"),
                },
            });
        }
        Trace { steps }
    }

    /// Any moment between two steps, and the end.
    pub fn any_moment(&self, random: &mut Random) -> u64 {
        random.any(&self.steps).moment
    }

    /// Its end.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.steps.last().unwrap().moment
    }

    /// What the disk may hold after a power cut at a moment. All is there up to the last
    /// sync of each file. What was written after it may be there or not, in part, or with
    /// wrong bytes; what was written before a sync that failed is not.
    #[must_use]
    pub fn power_cut(&self, moment: u64, honesty: Honesty, random: &mut Random) -> Files {
        let mut files: BTreeMap<&str, Written> = BTreeMap::new();
        for step in self.steps.iter().take_while(|step| step.moment <= moment) {
            let file = files.entry(&step.file).or_default();
            match &step.what {
                What::Write { .. } | What::Truncate { .. } => file.since.push(&step.what),
                What::Sync => match honesty {
                    Honesty::Honest => file.settle(),
                    Honesty::Lying => {}
                },
                What::FailedSync => file.since.clear(),
                What::Remove => *file = Written::default(),
            }
        }
        let cut = files.into_iter().filter_map(|(name, file)| {
            let bytes = file.after_cut(random);
            (!bytes.is_empty()).then(|| (name.to_owned(), bytes))
        });
        cut.collect()
    }
}

/// A file on a disk that is written to.
#[derive(Default)]
struct Written<'a> {
    synced: Vec<u8>,
    since: Vec<&'a What>,
}

impl Written<'_> {
    fn settle(&mut self) {
        for what in self.since.drain(..) {
            apply(&mut self.synced, what);
        }
    }

    fn after_cut(mut self, random: &mut Random) -> Vec<u8> {
        // As often as not all that came before some moment, and nothing that came after it;
        // else whatever the disk happened to have done by then.
        let in_order = random.below(2) == 0;
        let first = random.below(self.since.len() + 1);
        for (index, what) in self.since.iter().enumerate() {
            let kept = if in_order {
                index < first
            } else {
                random.below(2) == 0
            };
            if kept {
                apply(&mut self.synced, &damaged(what, random));
            }
        }
        self.synced
    }
}

/// A write as a disk may have done it when the power went: most often well.
fn damaged(what: &What, random: &mut Random) -> What {
    match what {
        What::Write { at, bytes } => {
            let mut bytes = bytes.clone();
            match random.below(8) {
                0 => bytes.truncate(random.below(bytes.len())),
                1 => {
                    let place = random.below(bytes.len());
                    bytes[place] ^= 1 << random.below(8);
                }
                _ => {}
            }
            What::Write { at: *at, bytes }
        }
        What::Truncate { to } => What::Truncate { to: *to },
        What::Sync | What::FailedSync | What::Remove => panic!("{what:?} changes no bytes"),
    }
}

fn apply(file: &mut Vec<u8>, what: &What) {
    match what {
        What::Write { at, bytes } => {
            let end = at + bytes.len();
            if file.len() < end {
                file.resize(end, 0);
            }
            file[*at..end].copy_from_slice(bytes);
        }
        What::Truncate { to } => file.resize(*to, 0),
        What::Sync | What::FailedSync | What::Remove => panic!("{what:?} changes no bytes"),
    }
}
