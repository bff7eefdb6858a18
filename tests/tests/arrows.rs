//! Who may know whom: the arrows of ARCHITECTURE.md, between the crates and inside the server.
//!
//! A new arrow is a change of design: it changes that page, and the tables here.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate, and which of ours it depends on.
const CRATES: [(&str, &[&str]); 6] = [
    ("mancala-engine", &[]),
    ("mancala-play", &["mancala-engine"]),
    ("mancala-protocol", &["mancala-engine", "mancala-play"]),
    (
        "mancala-server",
        &["mancala-engine", "mancala-play", "mancala-protocol"],
    ),
    (
        "mancala-tests",
        &[
            "mancala-engine",
            "mancala-play",
            "mancala-protocol",
            "mancala-server",
        ],
    ),
    ("mancala-tools", &["mancala-engine", "mancala-protocol"]),
];

/// What is not ours and what the crates that decide may use all the same: values, and how
/// they are written down. Nothing that opens, waits, draws or reads a clock.
const DECIDING: [(&str, &[&str]); 3] = [
    ("mancala-engine", &["serde"]),
    ("mancala-play", &["serde", "uuid"]),
    (
        "mancala-protocol",
        &["crc32fast", "schemars", "serde", "serde_json"],
    ),
];

/// The modules of the server from left to right. One may use those of its own step and of
/// the steps after it.
const STEPS: [&[&str]; 9] = [
    &[
        "main", "cli", "serve", "admin", "health", "record", "referee", "source", "lines",
    ],
    &["lib", "app"],
    &["http", "ws"],
    &["matches", "accounts", "joining", "standing", "challenges"],
    &["online"],
    &["hub", "store"],
    &["meters", "metrics"],
    &["world"],
    &[
        "chance", "clock", "host", "ids", "limits", "text", "wording",
    ],
];

/// Against the direction: both hold `App`, the handles to all that stands right of them.
const BACK: [(&str, &str); 2] = [("http", "app"), ("ws", "app")];

/// Words that may stand in some modules of the server alone.
const KEPT_TO: [(&str, &[&str]); 5] = [
    ("axum", &["http", "ws"]),
    ("sqlx", &["store"]),
    ("SystemTime", &["clock"]),
    ("Instant", &["clock"]),
    ("getrandom", &["chance"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A dependency of one of our crates, as cargo knows it.
struct Dependency {
    name: String,
    /// Needed by its tests alone.
    for_tests: bool,
}

/// Our crates and what each depends on.
fn crates() -> BTreeMap<String, Vec<Dependency>> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--locked", "--offline", "--no-deps"])
        .args(["--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let dependency = |value: &Value| Dependency {
        name: value["name"].as_str().unwrap().to_owned(),
        for_tests: value["kind"] == "dev",
    };
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap();
            (
                package["name"].as_str().unwrap().to_owned(),
                dependencies.iter().map(dependency).collect(),
            )
        })
        .collect()
}

#[test]
fn crates_depend_on_those_alone_that_they_may() {
    let crates = crates();
    let allowed: BTreeMap<_, _> = CRATES.into_iter().collect();
    let named: Vec<&str> = crates.keys().map(String::as_str).collect();
    assert!(named.iter().eq(allowed.keys()), "{named:?}");
    for (name, dependencies) in &crates {
        for Dependency { name: used, .. } in dependencies {
            // The engine's tests ask for it with its JSON.
            let ours = used.starts_with("mancala-") && used != name;
            assert!(
                !ours || allowed[&**name].contains(&&**used),
                "{name} must not depend on {used}"
            );
        }
    }
}

#[test]
fn who_decides_depends_on_nothing_that_does() {
    let crates = crates();
    for (name, allowed) in DECIDING {
        let used = crates[name].iter().filter(|used| !used.for_tests);
        for Dependency { name: used, .. } in used {
            assert!(
                used.starts_with("mancala-") || allowed.contains(&&**used),
                "{name} must not depend on {used}"
            );
        }
    }
}

/// Clippy keeps clock and chance out of the crates that decide, as long as it is told to.
#[test]
fn who_decides_is_kept_from_clock_and_chance() {
    for (folder, words) in [
        (
            "engine",
            &["Instant::now", "SystemTime::now", "HashMap"][..],
        ),
        (
            "play",
            &["Instant::now", "SystemTime::now", "HashMap", "now_v7"],
        ),
        (
            "server",
            &["Instant::now", "SystemTime::now", "now_v7", "getrandom"],
        ),
    ] {
        let told = fs::read_to_string(root().join(folder).join("clippy.toml")).unwrap();
        for word in words {
            assert!(told.contains(word), "{folder}/clippy.toml without {word}");
        }
    }
}

/// The files of the server's modules, each with its text without comments.
fn modules() -> Vec<(String, PathBuf, String)> {
    let source = root().join("server/src");
    let mut folders = vec![source.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let place = path.strip_prefix(&source).unwrap();
                let module = place.iter().next().unwrap().to_str().unwrap();
                let module = module.trim_end_matches(".rs").to_owned();
                let text = fs::read_to_string(&path).unwrap();
                let code = text.lines().filter(|line| !line.trim().starts_with("//"));
                found.push((module, path, code.collect::<Vec<_>>().join("\n")));
            }
        }
    }
    assert!(found.len() > 20, "only {} files", found.len());
    found
}

/// The words of a program.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// The modules of its crate that a program names, alone or in a list of them.
fn used_by(code: &str) -> impl Iterator<Item = &str> {
    code.split("crate::").skip(1).flat_map(|used| {
        let list = used.strip_prefix('{').and_then(|list| list.split_once('}'));
        let (one, list) = match list {
            Some((list, _)) => (None, Some(list.split(','))),
            None => (Some(used), None),
        };
        let names = one.into_iter().chain(list.into_iter().flatten());
        names.filter_map(|name| words(name.trim_start()).next())
    })
}

#[test]
fn modules_of_the_server_use_what_stands_right_of_them() {
    let step_of = |module: &str| {
        let step = STEPS.iter().position(|step| step.contains(&module));
        step.unwrap_or_else(|| panic!("the module `{module}` has no step yet"))
    };
    let mut arrows = BTreeSet::new();
    for (module, path, code) in modules() {
        for used in used_by(&code) {
            let may = step_of(used) >= step_of(&module) || BACK.contains(&(&*module, used));
            assert!(may, "{}: must not use `{used}`", path.display());
            arrows.insert((module.clone(), used.to_owned()));
        }
    }
    assert!(arrows.len() > 20, "only {} were found", arrows.len());
    for (module, used) in BACK {
        let arrow = (module.to_owned(), used.to_owned());
        assert!(arrows.contains(&arrow), "{module} → {used} is no more");
    }
}

#[test]
fn the_world_is_touched_in_its_own_modules_alone() {
    let modules = modules();
    for (word, kept_to) in KEPT_TO {
        let with_it: Vec<_> = modules
            .iter()
            .filter(|(_, _, code)| words(code).any(|it| it == word))
            .collect();
        assert!(!with_it.is_empty(), "`{word}` is nowhere any more");
        for (module, path, _) in with_it {
            assert!(
                kept_to.contains(&&**module),
                "{}: `{word}` stands under {kept_to:?} alone",
                path.display()
            );
        }
    }
}
