//! The end of the server under load, by `kill -9` and by being told to stop: what was
//! acknowledged is there, nothing is there by half, and who comes back gets exactly what was
//! missed.
//!
//! `MANCALA_KILLS` says how often it is killed, `MANCALA_SEED` from which seed.

use mancala_protocol::{ClientMessage, EventBody, PublicId, ServerMessage, WireAction};
use mancala_tests::client::code_of;
use mancala_tests::players::{choose_list, make_between};
use mancala_tests::{
    Client, Lost, Port, Random, Request, ServerProcess, Signal, chosen, patiently,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How the server comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Killed,
    Told(Signal),
}

impl End {
    async fn of(self, server: &mut ServerProcess) {
        match self {
            End::Killed => server.kill(),
            End::Told(signal) => {
                server.tell(signal);
                assert!(server.ended().await.success());
                let log = server.log();
                assert!(log.trim_end().ends_with("stopped"), "it ends in good order");
                assert!(!log.contains("did not end in time"));
            }
        }
    }
}

/// What all clients together have sent, and what they were told.
#[derive(Debug, Default)]
struct Ledger {
    sent: Vec<Sent>,
    acknowledged: Vec<Acknowledged>,
}

#[derive(Clone, Debug)]
struct Sent {
    name: PublicId,
    number: u32,
    actions: Vec<WireAction>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Acknowledged {
    name: PublicId,
    /// The actions that were sent.
    actions: Vec<WireAction>,
    number: u32,
    seq: u64,
}

/// What a client needs to know of the others.
#[derive(Clone, Debug)]
struct World {
    address: watch::Receiver<SocketAddr>,
    ledger: Arc<Mutex<Ledger>>,
    acknowledged: watch::Sender<usize>,
    stop: CancellationToken,
}

/// Plays, and comes back whenever the server does, until told to stop.
async fn play_on(mut client: Client, name: PublicId, mut random: Random, world: World) -> Client {
    let mut pending: Option<ClientMessage> = None;
    let mut last: Option<(ClientMessage, ServerMessage)> = None;
    let mut most = 8;
    loop {
        let went = async {
            if let Some(act) = pending.clone() {
                let answer = client.ask(&act).await?;
                if is_stopping(&answer) {
                    // Its word to the socket comes next.
                    client.end().await;
                    return Err(Lost::default());
                }
                pending = None;
                if matches!(answer, ServerMessage::Refused { .. }) {
                    // The position alone does not tell of repetitions, so the game may
                    // have been over in the middle of the list.
                    assert_eq!(code_of(&answer), "game_over");
                    most = 1;
                } else {
                    note(&world, &act, &answer);
                    last = Some((act, answer));
                    most = 8;
                }
            } else if client.followed[&name].turn().is_some() {
                client.come_back_in_time().await?;
                let number = client.followed[&name].view().next_number;
                let actions = choose_list(&client.followed[&name], &mut random, most);
                world.ledger.lock().unwrap().sent.push(Sent {
                    name,
                    number,
                    actions: actions.clone(),
                });
                pending = Some(client.act_message(name, number, actions));
            } else {
                client.hear().await?;
            }
            Ok::<(), Lost>(())
        };
        let went = tokio::select! {
            went = went => went,
            () = world.stop.cancelled() => return settle(client, name, pending, &world).await,
        };
        if went.is_err() {
            come_back(&mut client, &world).await;
            // What was done before is not done again, and has the same answer.
            if let Some((act, answer)) = &last
                && let Ok(again) = client.ask(act).await
                && !is_stopping(&again)
            {
                assert_eq!(&again, answer);
            }
        }
    }
}

/// Is the answer that the server takes nothing new, since it is going down?
fn is_stopping(answer: &ServerMessage) -> bool {
    matches!(answer, ServerMessage::Refused { code, .. } if code == "shutting_down")
}

/// Gets the answer that is still due.
async fn settle(
    mut client: Client,
    name: PublicId,
    pending: Option<ClientMessage>,
    world: &World,
) -> Client {
    come_back(&mut client, world).await;
    if let Some(act) = pending {
        let answer = client.ask(&act).await.unwrap();
        if matches!(answer, ServerMessage::Done { .. }) {
            note(world, &act, &answer);
        }
    }
    assert!(client.followed.contains_key(&name));
    client
}

fn note(world: &World, act: &ClientMessage, answer: &ServerMessage) {
    let (
        ClientMessage::Act {
            actions,
            number: wanted,
            ..
        },
        ServerMessage::Done {
            r#match,
            number,
            actions: count,
            seq,
            ..
        },
    ) = (act, answer)
    else {
        panic!("{act:?} was answered with {answer:?}");
    };
    assert_eq!(number, wanted);
    assert!(*count as usize >= actions.len());
    let mut ledger = world.ledger.lock().unwrap();
    ledger.acknowledged.push(Acknowledged {
        name: *r#match,
        actions: actions.clone(),
        number: *number,
        seq: *seq,
    });
    world.acknowledged.send_modify(|count| *count += 1);
}

/// Watches, and comes back whenever the server does.
async fn watch_on(mut client: Client, world: World) -> Client {
    loop {
        tokio::select! {
            heard = client.hear() => if heard.is_err() {
                come_back(&mut client, &world).await;
            },
            () = world.stop.cancelled() => {
                return client;
            }
        }
    }
}

/// Tries until it is back, wherever the server is by then.
async fn come_back(client: &mut Client, world: &World) {
    let back = async {
        loop {
            let address = *world.address.borrow();
            if client.come_back(address).await.is_ok() {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    patiently("the server to be back", back).await;
}

/// The log of a match, as it is told.
async fn log(server: &ServerProcess, name: PublicId) -> Vec<ServerMessage> {
    let log = server.get(&format!("/api/v1/matches/{name}/log")).await;
    let lines = log
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// The numbered actions in a log, and the seq of each.
fn actions(log: &[ServerMessage]) -> BTreeMap<u32, (u64, WireAction)> {
    let numbered = log.iter().filter_map(|message| match message {
        ServerMessage::Event {
            seq,
            body: EventBody::Acted { number, acted, .. },
            ..
        } => Some((*number, (*seq, acted.action.clone()))),
        _ => None,
    });
    numbered.collect()
}

/// Is everything there that somebody was told, and nothing by half?
fn check(name: PublicId, log: &[ServerMessage], ledger: &Ledger) {
    for (index, message) in log.iter().enumerate() {
        let ServerMessage::Event { seq, .. } = message else {
            panic!("{message:?} in a log");
        };
        assert_eq!(*seq, index as u64 + 2, "the log of {name} has a gap");
    }
    let played = actions(log);
    for told in ledger.acknowledged.iter().filter(|told| told.name == name) {
        for (part, action) in (0..).zip(&told.actions) {
            let expected = (told.seq + u64::from(part), action.clone());
            assert_eq!(played.get(&(told.number + part)), Some(&expected));
        }
    }
    let is_there = |sent: &Sent, part: u32| {
        let played = played.get(&(sent.number + part));
        played.is_some_and(|(_, action)| *action == sent.actions[part as usize])
    };
    for sent in ledger.sent.iter().filter(|sent| sent.name == name) {
        let parts = u32::try_from(sent.actions.len()).unwrap();
        let there = (0..parts).filter(|&part| is_there(sent, part)).count() as u32;
        // A list that was refused may have been played in part by what came instead.
        let refused = ledger
            .sent
            .iter()
            .any(|other| other.name == name && other.number == sent.number && !same(other, sent));
        assert!(there == 0 || there == parts || refused, "half of {sent:?}");
    }
}

fn same(one: &Sent, other: &Sent) -> bool {
    one.actions == other.actions
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_under_load_loses_nothing_that_was_acknowledged() {
    let kills = usize::try_from(chosen("MANCALA_KILLS", 20)).unwrap();
    end_under_load(&vec![End::Killed; kills]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn told_to_stop_under_load_it_loses_nothing_and_ends_in_good_order() {
    let [terminate, interrupt] = [Signal::Terminate, Signal::Interrupt].map(End::Told);
    end_under_load(&[terminate, interrupt, terminate, interrupt]).await;
}

/// Five matches are played and watched while the server comes to its end again and again.
async fn end_under_load(ends: &[End]) {
    let mut random = Random::from_seed(chosen("MANCALA_SEED", 1));
    let mut server = ServerProcess::start();
    let (address, address_seen) = watch::channel(server.address());
    let (acknowledged, mut progress) = watch::channel(0);
    let world = World {
        address: address_seen,
        ledger: Arc::default(),
        acknowledged,
        stop: CancellationToken::new(),
    };

    let mut names = Vec::new();
    let mut players = JoinSet::new();
    let mut spectators = JoinSet::new();
    for (game, options) in [
        ("omweso", json!({})),
        ("anywoli", json!({ "last_four": "lottery" })),
        ("urim", json!({})),
        ("bao_kigogo", json!({})),
        ("nsolo", json!({})),
    ] {
        let mut south = Client::guest(&server, "Ann").await;
        let mut north = Client::guest(&server, "Ben").await;
        let mut spectator = Client::nobody(&server).await;
        let wanted = json!({ "game": game, "options": options, "format": "first_to 255" });
        let name = make_between(&server, south.token(), north.token(), wanted).await;
        for client in [&mut south, &mut north, &mut spectator] {
            client.join(name).await;
        }
        for client in [south, north] {
            let random = Random::from_seed(random.next());
            players.spawn(play_on(client, name, random, world.clone()));
        }
        spectators.spawn(watch_on(spectator, world.clone()));
        names.push(name);
    }

    let mut before: BTreeMap<PublicId, Vec<ServerMessage>> = BTreeMap::new();
    for (round, end) in ends.iter().enumerate() {
        let goal = *progress.borrow() + 10 + random.below(100);
        patiently("moves", progress.wait_for(|&count| count >= goal))
            .await
            .unwrap();
        // Just after an answer a transaction has mostly begun; so that the end comes at any
        // point of one, a moment goes by.
        let moment = u64::try_from(random.below(4_000)).unwrap();
        tokio::time::sleep(Duration::from_micros(moment)).await;
        end.of(&mut server).await;
        server.restart(*random.any(&[Port::Same, Port::New]));
        // Those who come to the same address are playing already; what was acknowledged
        // before this moment has to be there all the same.
        for &name in &names {
            let known = world.ledger.lock().unwrap().acknowledged.len();
            let log = log(&server, name).await;
            let ledger = world.ledger.lock().unwrap();
            let told = Ledger {
                sent: ledger.sent.clone(),
                acknowledged: ledger.acknowledged[..known].to_vec(),
            };
            check(name, &log, &told);
            let earlier = before.insert(name, log).unwrap_or_default();
            assert!(before[&name].starts_with(&earlier), "round {round}");
        }
        address.send(server.address()).unwrap();
    }
    let goal = *progress.borrow() + 20;
    patiently("moves", progress.wait_for(|&count| count >= goal))
        .await
        .unwrap();
    world.stop.cancel();

    let mut clients = players.join_all().await;
    clients.extend(spectators.join_all().await);
    for &name in &names {
        let log = log(&server, name).await;
        check(name, &log, &world.ledger.lock().unwrap());
        for client in clients
            .iter_mut()
            .filter(|client| client.followed.contains_key(&name))
        {
            // Up to the last word, then all from the first to it, each once.
            let last = log.len() as u64 + 1;
            if client
                .hear_up_to(name, last, server.address())
                .await
                .is_err()
            {
                panic!("the socket was lost though nobody cut it");
            }
            let heard = &client.followed[&name].events;
            let from = *heard.keys().next().unwrap();
            let told = &log[usize::try_from(from).unwrap() - 2..];
            assert!(heard.values().eq(told), "{name}");
        }
        let record = format!("/api/v1/matches/{name}/record");
        let record = server.send(Request::get(record)).await;
        super::matches::check_record(record.text());
    }
    let lists = |sent: &&Sent| sent.actions.len() > 1;
    let ledger = world.ledger.lock().unwrap();
    let (sent, lists) = (ledger.sent.len(), ledger.sent.iter().filter(lists).count());
    assert!(lists > 0, "no command had more than one action");
    assert!(ledger.acknowledged.len() <= sent);
}
