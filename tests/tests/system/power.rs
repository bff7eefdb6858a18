//! The power goes: of what was written since the last sync, any part may be on the disk, torn
//! or wrong. All that was acknowledged is there, and no part of a transaction without the rest.
//!
//! One server is played on, on a disk that notes what is written. From its trace any number
//! of disks is made, as the power cut may have left them at one moment or another.
//! `MANCALA_CUTS` says how many, `MANCALA_SEED` from which seed.

use mancala_play::{Match, Snapshot};
use mancala_protocol::{PublicId, ServerMessage};
use mancala_server::ids::TokenHash;
use mancala_server::store::{LogRow, Store};
use mancala_tests::client::code_of;
use mancala_tests::disk::{Files, Honesty, Trace};
use mancala_tests::players::{Pair, choose_list};
use mancala_tests::{Port, Random, ServerProcess, chosen};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What somebody was told, and a moment by which they had been.
#[derive(Debug)]
struct Told {
    moment: u64,
    what: Fact,
}

#[derive(Clone, Debug)]
enum Fact {
    /// There is a guest with this token.
    Guest { token: String },
    /// The log of a match goes as far as this.
    Played { name: PublicId, seq: u64 },
}

/// A server's life.
struct Life {
    trace: Trace,
    told: Vec<Told>,
    /// Where the log of each match may end: after each command, and nowhere between.
    ends: BTreeMap<PublicId, BTreeSet<u64>>,
    /// The logs, as far as they went.
    logs: BTreeMap<PublicId, Vec<LogRow>>,
    pairs: Vec<Pair>,
}

/// Several matches are played at once, so that transactions hold commands of more than one.
/// Now and then a sync fails. In the middle the server is stopped, which empties its
/// write-ahead log, and goes on.
async fn live(random: &mut Random) -> Life {
    let mut server = ServerProcess::start_on_disk();
    let (mut told, mut ends) = (Vec::new(), BTreeMap::new());
    let mut pairs = Vec::new();
    for game in ["omweso", "urim", "bao_kigogo", "nsolo"] {
        let wanted = json!({ "game": game, "format": "first_to 255" });
        let pair = Pair::meet(&server, wanted).await;
        let moment = server.disk().moment();
        for token in [pair.south.token(), pair.north.token()] {
            let token = token.to_owned();
            let what = Fact::Guest { token };
            told.push(Told { moment, what });
        }
        // A match is made with its first player; the second comes, and the game begins.
        ends.insert(pair.name, BTreeSet::from([2, 4]));
        pairs.push(pair);
    }
    for half in 0..2 {
        for _ in 0..40 {
            if random.below(5) == 0 {
                server.disk().fail_syncs(1);
            }
            let [one, two, three, four] = &mut pairs[..] else {
                panic!("four matches");
            };
            let mut random = || Random::from_seed(random.next());
            let (one, two, three, four) = tokio::join!(
                step(&server, one, random()),
                step(&server, two, random()),
                step(&server, three, random()),
                step(&server, four, random()),
            );
            for one in [one, two, three, four] {
                if let Fact::Played { name, seq } = &one.what {
                    ends.entry(*name).or_default().insert(*seq);
                }
                told.push(one);
            }
        }
        server.disk().mend();
        if half == 0 {
            server.terminate();
            assert!(server.ended().await.success());
            server.restart(Port::Same);
            for pair in &mut pairs {
                for client in [&mut pair.south, &mut pair.north] {
                    client.come_back(server.address()).await.unwrap();
                }
            }
        }
    }
    server.kill();
    let store = Store::open_sqlite(&server.data()).await.unwrap();
    let mut logs = BTreeMap::new();
    for pair in &pairs {
        let (log, _) = read(&store, pair.name).await.unwrap().unwrap();
        logs.insert(pair.name, log);
    }
    store.close().await;
    Life {
        trace: server.disk().trace(),
        told,
        ends,
        logs,
        pairs,
    }
}

/// One command in a match, sent until it is done.
async fn step(server: &ServerProcess, pair: &mut Pair, mut random: Random) -> Told {
    let name = pair.name;
    let (mover, _) = pair.mover().await;
    let number = mover.followed[&name].view().next_number;
    let mut most = 8;
    let mut act = None;
    loop {
        let act = match &act {
            Some(act) => act,
            None => {
                let actions = choose_list(&mover.followed[&name], &mut random, most);
                act.insert(mover.act_message(name, number, actions))
            }
        };
        let answer = mover.ask(act).await.unwrap();
        if let ServerMessage::Done { .. } = answer {
            let moment = server.disk().moment();
            // All events of a command come before its answer.
            let seq = mover.followed[&name].view().seq;
            let what = Fact::Played { name, seq };
            pair.mover().await;
            return Told { moment, what };
        }
        if code_of(&answer) == "game_over" {
            most = 1;
        } else {
            assert_eq!(code_of(&answer), "storage_unavailable");
        }
    }
}

/// The log of a match, each row held against its digest, and its snapshot.
async fn read(
    store: &Store,
    name: PublicId,
) -> Result<Option<(Vec<LogRow>, Option<(u64, Snapshot)>)>, String> {
    let Some(row) = store.find_match(name).await.map_err(said)? else {
        return Ok(None);
    };
    if let Some(why) = row.set_aside {
        return Err(why);
    }
    let log = store.log_after(row.id, 0, u32::MAX).await.map_err(said)?;
    let mut play = Match::create(row.spec);
    for row in log.iter().skip(1) {
        play.read_next(&row.event, row.digest)
            .map_err(|damage| format!("{damage:?}"))?;
    }
    let snapshot = store.snapshot(row.id).await.map_err(said)?;
    Ok(Some((log, snapshot)))
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Life {
    /// Is all there that had been told by this moment, and nothing by half?
    async fn is_kept(&self, moment: u64, files: &Files) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), files);
        let store = Store::open_sqlite(folder.path()).await.map_err(said)?;
        let mut seqs = BTreeMap::new();
        for (name, whole) in &self.logs {
            let Some((log, snapshot)) = read(&store, *name).await? else {
                continue;
            };
            let last = log.len() as u64;
            // A command whose sync failed was sent again, so its time may be another.
            let is_same = |(row, other): (&LogRow, &LogRow)| {
                (row.seq, &row.event, row.digest) == (other.seq, &other.event, other.digest)
            };
            if log.len() > whole.len() || !log.iter().zip(whole).all(is_same) {
                return Err(format!("{name} has another log: {log:?}, not {whole:?}"));
            }
            if !self.ends[name].contains(&last) {
                return Err(format!("{name} ends in the middle of a command, at {last}"));
            }
            if snapshot.is_some_and(|(seq, _)| seq > last) {
                return Err(format!("the snapshot of {name} is of the future"));
            }
            seqs.insert(*name, last);
        }
        for told in self.told.iter().filter(|told| told.moment <= moment) {
            let kept = match &told.what {
                Fact::Guest { token } => {
                    let token = TokenHash::of(token.as_bytes());
                    store.user_by_token(token).await.map_err(said)?.is_some()
                }
                Fact::Played { name, seq } => seqs.get(name).is_some_and(|last| last >= seq),
            };
            if !kept {
                return Err(format!("{told:?} is lost"));
            }
        }
        store.close().await;
        Ok(())
    }
}

fn write(folder: &Path, files: &Files) {
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

#[tokio::test]
async fn a_power_cut_takes_nothing_that_was_acknowledged() {
    let (first, cuts) = (chosen("MANCALA_SEED", 1), chosen("MANCALA_CUTS", 60));
    let mut life = live(&mut Random::from_seed(first)).await;
    let mut lost = 0;
    for seed in first..first + cuts {
        let random = &mut Random::from_seed(seed);
        let moment = life.trace.any_moment(random);
        let files = life.trace.power_cut(moment, Honesty::Honest, random);
        let kept = life.is_kept(moment, &files).await;
        assert_eq!(kept, Ok(()), "after the cut of seed {seed}, at {moment}");
        // The same on a disk that says it has synced and has not: this test sees that.
        let files = life.trace.power_cut(moment, Honesty::Lying, random);
        lost += u64::from(life.is_kept(moment, &files).await.is_err());
    }
    assert!(lost > cuts / 2, "{lost} of {cuts} cuts lose something");

    // At its very end, everyone goes on from where they are.
    let end = life.trace.end();
    let random = &mut Random::from_seed(first);
    let files = life.trace.power_cut(end, Honesty::Honest, random);
    let server = ServerProcess::start_from(&files);
    for pair in &mut life.pairs {
        for client in [&mut pair.south, &mut pair.north] {
            client.come_back(server.address()).await.unwrap();
        }
        pair.play(2).await;
    }
}
