//! How much is said: by one person, by all together, and in a room at all.

use super::{Hall, NORTH, SOUTH, fill, line_of, lines, noted, said, team_of_two, texts, told};
use mancala_play::Room;
use mancala_protocol::limits::{TALK_BURST_MAX, TALK_LINES_A_ROOM_MAX, TALK_LINES_TOLD_MAX};
use mancala_protocol::rest::TalkPage;
use mancala_protocol::{ClientMessage, Moderation, ServerMessage, TeamAsk};
use mancala_server::limits::CHANGES_BURST;
use mancala_tests::client::{code_of, id_of};
use mancala_tests::server::until;
use mancala_tests::{Client, Port, ServerProcess};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;

#[tokio::test]
async fn whoever_talks_too_fast_is_slowed_down() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    let mut refused = 0;
    for number in 0..8 {
        let answer = hall
            .guest
            .say_in(name, Room::Public, &format!("line {number}"))
            .await;
        if let ServerMessage::Refused { code, .. } = &answer {
            assert_eq!(code, "slow_down");
            refused += 1;
        }
    }
    // In a slow run of this test one more may have had its time.
    assert!((1..=3).contains(&refused), "{refused}");
    // The others may go on.
    let answer = hall.pair.south.say_in(name, Room::Public, "well").await;
    assert!(noted(&answer).is_some());
}

/// A room that is full takes nothing more, from nobody, and says so; in the others, and in the
/// rooms of other matches, people go on.
#[tokio::test]
async fn a_room_that_is_full_says_so_and_the_others_go_on() {
    let mut server = ServerProcess::start();
    let (name, mut host, [mut captain, mut rival, mut member, _]) = team_of_two(&server).await;
    fill(&mut server, name, TALK_LINES_A_ROOM_MAX - 1).await;
    for client in [&mut host, &mut captain, &mut rival, &mut member] {
        client.come_back(server.address()).await.unwrap();
    }
    let (last, told_lines) = told(member.listen(name, Room::Public, None).await);
    assert_eq!(last, TALK_LINES_A_ROOM_MAX - 1);
    assert_eq!(told_lines.len(), TALK_LINES_TOLD_MAX as usize);
    let line = line_of(&mut captain, name, Room::Public, "the last");
    let answer = captain.ask(&line).await.unwrap();
    assert_eq!(noted(&answer), Some(TALK_LINES_A_ROOM_MAX));
    assert_eq!(said(&mut member).await.2, "the last");

    member.received = Some(String::new());
    for client in [&mut captain, &mut rival, &mut host] {
        let answer = client.say_in(name, Room::Public, "one more").await;
        assert_eq!(code_of(&answer), "talk_full");
    }
    let again = captain.ask(&line).await.unwrap();
    assert_eq!(noted(&again), Some(TALK_LINES_A_ROOM_MAX), "it is said");
    // A line that is taken away leaves no room for another.
    let remove = Moderation::Remove {
        line: TALK_LINES_A_ROOM_MAX,
    };
    noted(&host.moderate(name, Room::Public, remove).await);
    let answer = rival.say_in(name, Room::Public, "one more").await;
    assert_eq!(code_of(&answer), "talk_full");
    member.catch_up().await;
    assert!(!member.received.as_ref().unwrap().contains("one more"));
    let page = async |server: &ServerProcess| {
        let after = TALK_LINES_A_ROOM_MAX - 3;
        let path = format!("/api/v1/matches/{name}/talk?room=public&after={after}");
        let page: TalkPage = server.get(&path).await.json();
        assert_eq!((page.last, page.next), (TALK_LINES_A_ROOM_MAX, None));
        texts(&page.lines).join(", ")
    };
    assert_eq!(page(&server).await, "line 4998, line 4999, (removed)");

    assert_eq!(noted(&captain.say_in(name, SOUTH, "a").await), Some(1));
    assert_eq!(noted(&rival.say_in(name, NORTH, "b").await), Some(1));
    let other = json!({ "game": "urim" });
    let other = server.make(host.token(), &other).await.view.r#match;
    rival.join(other).await;
    let answer = rival.say_in(other, Room::Public, "elsewhere").await;
    assert_eq!(noted(&answer), Some(1));

    // It is no matter of memory.
    server.kill();
    server.restart(Port::Same);
    rival.come_back(server.address()).await.unwrap();
    let answer = rival.say_in(name, Room::Public, "one more").await;
    assert_eq!(code_of(&answer), "talk_full");
    assert_eq!(page(&server).await, "line 4998, line 4999, (removed)");
}

/// Twenty people, each of whom says no more than he may, are too much for one room together. What
/// does not fit is said by nobody, and the room next door has not noticed.
#[tokio::test]
async fn all_together_are_slowed_down_and_another_room_is_not() {
    let server = ServerProcess::start();
    let (name, mut host, [mut captain, mut rival, ..]) = team_of_two(&server).await;
    host.listen(name, Room::Public, None).await;
    let mut crowd = Vec::new();
    for _ in 0..20 {
        let mut guest = Client::guest(&server, "Guest").await;
        guest.join(name).await;
        crowd.push(guest);
    }
    let mut sent: Vec<Vec<ClientMessage>> = Vec::new();
    for (number, guest) in crowd.iter_mut().enumerate() {
        let mut own = Vec::new();
        for place in 0..TALK_BURST_MAX {
            let text = format!("guest {number}, line {place}");
            let line = line_of(guest, name, Room::Public, &text);
            guest.say(&line).await.unwrap();
            own.push(line);
        }
        sent.push(own);
    }
    let (mut taken, mut refused) = (BTreeMap::new(), Vec::new());
    for (guest, own) in crowd.iter_mut().zip(&sent) {
        for line in own {
            let answer = guest.answer(line.id().unwrap()).await.unwrap();
            assert_eq!(id_of(&answer), line.id());
            if let ServerMessage::Refused { code, .. } = &answer {
                assert_eq!(code, "slow_down");
                refused.push(line.clone());
            } else {
                let ClientMessage::Say { text, .. } = line else {
                    panic!("{line:?}")
                };
                taken.insert(noted(&answer).unwrap(), text.as_str().to_owned());
            }
        }
    }
    // All of them would need nine seconds.
    assert!(!refused.is_empty(), "{} lines were taken", taken.len());
    assert_eq!(noted(&captain.say_in(name, SOUTH, "a").await), Some(1));
    assert_eq!(noted(&rival.say_in(name, NORTH, "b").await), Some(1));
    let there = lines(&server, name).await;
    let there: BTreeMap<u32, String> = there
        .into_iter()
        .map(|line| (line.n, line.text.unwrap()))
        .collect();
    assert_eq!(there, taken, "what was refused is not there");
    let mut heard = BTreeMap::new();
    while heard.len() < taken.len() {
        let (n, _, text) = said(&mut host).await;
        heard.insert(n, text);
    }
    assert_eq!(heard, taken);

    // It can be said a little later, and its key is as good as new.
    let line = refused.last().unwrap();
    let is_own = |own: &Vec<ClientMessage>| own.contains(line);
    let speaker = &mut crowd[sent.iter().position(is_own).unwrap()];
    let mut answer = speaker.ask(line).await.unwrap();
    until("there is room again", async || {
        let waits = matches!(answer, ServerMessage::Refused { .. });
        if waits {
            // Not so often that the socket is cut for it.
            sleep(Duration::from_millis(100)).await;
            answer = speaker.ask(line).await.unwrap();
        }
        !waits
    })
    .await;
    let next = u32::try_from(taken.len()).unwrap() + 1;
    assert_eq!(noted(&answer), Some(next));
    assert_eq!(said(&mut host).await.0, next);
}

/// Whoever keeps order, and whoever changes his team, is slowed down too: what he does is told to
/// everybody, and for ever.
#[tokio::test]
async fn order_is_kept_and_teams_are_changed_so_often_and_no_more() {
    let server = ServerProcess::start();
    let (name, mut host, [mut captain, _rival, mut member, ..]) = team_of_two(&server).await;
    let mut order = [Moderation::Close {}, Moderation::Open {}]
        .into_iter()
        .cycle();
    let mut kept = 0;
    let refused = loop {
        assert!(kept < 500, "nothing stops him");
        let what = order.next().unwrap();
        let answer = host.moderate(name, Room::Public, what).await;
        if let ServerMessage::Refused { code, .. } = answer {
            break code;
        }
        kept += 1;
    };
    assert_eq!(refused, "slow_down");
    assert!(kept >= CHANGES_BURST);
    // Each of them has his own.
    noted(&captain.moderate(name, SOUTH, Moderation::Close {}).await);
    noted(&captain.moderate(name, SOUTH, Moderation::Open {}).await);

    let before = captain.followed[&name].view().seq;
    let mut orders = [vec![2, 1], vec![1, 2]].into_iter().cycle();
    let mut done = 0;
    let refused = loop {
        assert!(done < 500, "nothing stops him");
        let members = orders.next().unwrap();
        match captain.team(name, TeamAsk::Order { members }).await {
            ServerMessage::Done { .. } => done += 1,
            answer => break code_of(&answer).to_owned(),
        }
    };
    assert_eq!(refused, "slow_down");
    assert!(done >= u64::from(CHANGES_BURST));
    captain.catch_up().await;
    assert_eq!(captain.followed[&name].view().seq, before + done);
    // Another is not concerned.
    let answer = member.team(name, TeamAsk::Leave {}).await;
    assert!(matches!(answer, ServerMessage::Done { .. }), "{answer:?}");
}
