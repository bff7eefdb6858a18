//! Teams: whole villages on one side of a board, over real sockets, with people who come and go.

use crate::matches::check_record;
use mancala_engine::Side;
use mancala_play::{Request as Ask, Room};
use mancala_protocol::{
    ClientMessage, CouncilView, EventBody, MatchView, PublicId, Role, ServerMessage, StageView,
    TeamAsk, TeamView, WireAction,
};
use mancala_tests::client::code_of;
use mancala_tests::players::{choose, choose_list};
use mancala_tests::{Answer, Client, Port, Random, Request, ServerProcess, chosen};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A match of teams, and all who have to do with it.
struct Village {
    server: ServerProcess,
    name: PublicId,
    /// Whoever made the match, and plays for nobody.
    host: Client,
    people: Vec<Villager>,
    /// Those who only watch. The first of them is whom a test asks how the match stands.
    crowd: Vec<Client>,
}

/// Somebody who has come to a team.
struct Villager {
    name: String,
    client: Client,
    /// Where he came.
    side: Side,
    here: bool,
}

impl Village {
    /// A match of teams in which nobody is yet, and so many who watch.
    async fn found(server: ServerProcess, wanted: Value, crowd: usize) -> Village {
        let mut host = Client::guest(&server, "Host").await;
        let made = server.make(host.token(), &wanted).await;
        let name = made.view.r#match;
        host.join(name).await;
        let mut village = Village {
            server,
            name,
            host,
            people: Vec::new(),
            crowd: Vec::new(),
        };
        for _ in 0..crowd {
            let mut watcher = Client::nobody(&village.server).await;
            watcher.received = Some(String::new());
            watcher.join(name).await;
            village.crowd.push(watcher);
        }
        village
    }

    /// A match of 36 columns.
    async fn of_36(teams: Value, crowd: usize) -> Village {
        let wanted = json!({ "game": "nsolo", "options": { "columns": 36 }, "teams": teams });
        Village::found(ServerProcess::start(), wanted, crowd).await
    }

    /// Somebody new comes to a team.
    async fn come(&mut self, side: Side) -> usize {
        let name = format!("V{}", self.people.len());
        let mut client = Client::guest(&self.server, &name).await;
        client.received = Some(String::new());
        // One in three has watched before.
        let watched = self.people.len().is_multiple_of(3);
        if watched {
            client.join(self.name).await;
        }
        let answer = self.take_seat(&client, side).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        if !watched {
            client.join(self.name).await;
        }
        self.people.push(Villager {
            name,
            client,
            side,
            here: true,
        });
        self.people.len() - 1
    }

    /// So many come to each team.
    async fn gather(&mut self, each: usize) {
        for _ in 0..each {
            for side in Side::ALL {
                self.come(side).await;
            }
        }
        self.sync().await;
    }

    async fn take_seat(&self, client: &Client, side: Side) -> Answer {
        let path = format!("/api/v1/matches/{}/seats", self.name);
        let seat = Request::post(path, &json!({ "side": side.name() }));
        self.server.send(seat.token(client.token())).await
    }

    async fn rest(&self, what: &str) -> Answer {
        let path = format!("/api/v1/matches/{}{what}", self.name);
        let answer = self.server.get(&path).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer
    }

    /// Everybody who is here hears all there has been.
    async fn sync(&mut self) {
        let view: MatchView = self.rest("").await.json();
        let (name, seq) = (self.name, view.seq);
        let people = self.people.iter_mut().filter(|one| one.here);
        let clients = people.map(|one| &mut one.client);
        for client in clients.chain(&mut self.crowd).chain([&mut self.host]) {
            client
                .hear_until(name, |followed| followed.view().seq >= seq)
                .await;
        }
    }

    /// The match, as the first of the crowd has it.
    fn view(&self) -> &MatchView {
        self.crowd[0].followed[&self.name].view()
    }

    fn team(&self, side: Side) -> &TeamView {
        let teams = self.view().teams.as_ref().unwrap();
        match side {
            Side::South => &teams.south,
            Side::North => &teams.north,
        }
    }

    fn to_move(&self) -> Side {
        self.view().position.as_ref().unwrap().standing.to_move
    }

    /// The place among the people of whoever has this number in a team.
    fn numbered(&self, side: Side, number: u32) -> usize {
        let team = self.team(side);
        let members = team.members.iter();
        let people = members.flat_map(|one| [Some(&one.person), one.stands_in_for.as_ref()]);
        let mut people = people.flatten().chain(&team.waiting);
        let person = people.find(|person| person.number == number).unwrap();
        let mut all = self.people.iter();
        all.position(|one| one.name == person.name).unwrap()
    }

    /// The number of somebody who is a member of a team.
    fn number(&self, who: usize, side: Side) -> Option<u32> {
        let mut members = self.team(side).members.iter();
        let member = members.find(|member| member.person.name == self.people[who].name);
        member.map(|member| member.person.number)
    }

    /// The members of a team who are here.
    fn here(&self, side: Side) -> Vec<usize> {
        let is_member = |who: &usize| self.number(*who, side).is_some();
        let all = 0..self.people.len();
        all.filter(|who| self.people[*who].here)
            .filter(is_member)
            .collect()
    }

    fn drop_out(&mut self, who: usize) {
        self.people[who].client.cut();
        self.people[who].here = false;
    }

    async fn come_back(&mut self, who: usize) {
        let address = self.server.address();
        self.people[who].client.come_back(address).await.unwrap();
        self.people[who].here = true;
    }

    /// Waits until the match stands so, as the first of the crowd hears of it.
    async fn until(&mut self, holds: impl Fn(&MatchView) -> bool) {
        let name = self.name;
        self.crowd[0]
            .hear_until(name, |followed| holds(followed.view()))
            .await;
    }

    /// What everybody holds is what the server says anew, and what each member knows of his
    /// team is what he would be told if he came now.
    async fn agree(&mut self) {
        self.sync().await;
        let name = self.name;
        for one in self.people.iter_mut().filter(|one| one.here) {
            one.client.come_back_in_time().await.unwrap();
            turn(&mut one.client, name).await;
        }
        let said: MatchView = self.rest("").await.json();
        let people = self.people.iter().filter(|one| one.here);
        let clients = people.map(|one| &one.client);
        for client in clients.chain(&self.crowd).chain([&self.host]) {
            let held = client.followed[&name].view();
            assert_eq!(held.timeless(), said.timeless());
        }
        for one in self.people.iter().filter(|one| one.here) {
            let followed = &one.client.followed[&name];
            let token = one.client.token.clone();
            let mut again = Client::connected(&self.server, token).await;
            let fresh = again.join(name).await;
            let timeless = |council: Option<&CouncilView>| council.map(CouncilView::timeless);
            let (held, told) = (timeless(followed.council()), timeless(fresh.council()));
            assert_eq!(held, told, "{}", one.name);
            assert_eq!(followed.role, fresh.role, "{}", one.name);
            assert_eq!(followed.council().is_some(), fresh.side().is_some());
        }
        for one in self.people.iter_mut().filter(|one| one.here) {
            let token = one.client.token.clone();
            let mut again = Client::connected(&self.server, token).await;
            again.join(name).await;
            let told = turn(&mut one.client, name).await;
            assert_eq!(told, turn(&mut again, name).await, "{}", one.name);
        }
    }

    /// Nothing that may be seen from outside has changed since.
    async fn is_still(&mut self, before: &(MatchView, Vec<Option<CouncilView>>)) {
        let now = self.moment().await;
        assert_eq!(now.0.timeless(), before.0.timeless());
        assert_eq!(now.1, before.1);
    }

    /// The match, and what each of the people knows of his team, as they would be told anew.
    async fn moment(&mut self) -> (MatchView, Vec<Option<CouncilView>>) {
        self.sync().await;
        let view: MatchView = self.rest("").await.json();
        let mut councils = Vec::new();
        for one in &self.people {
            let token = one.client.token.clone();
            let mut again = Client::connected(&self.server, token).await;
            let council = again.join(self.name).await.council();
            councils.push(council.map(CouncilView::timeless));
        }
        (view, councils)
    }
}

/// What somebody may play, when he has heard all that was on its way to him.
async fn turn(client: &mut Client, name: PublicId) -> Option<mancala_tests::follow::Legal> {
    let id = client.next_id();
    let pong = client.ask(&ClientMessage::Ping { id: Some(id) }).await;
    assert!(matches!(pong, Ok(ServerMessage::Pong { .. })));
    let followed = &client.followed[&name];
    followed.turn().filter(|_| !followed.is_over()).cloned()
}

fn done(answer: &ServerMessage) -> u64 {
    match answer {
        ServerMessage::Done { seq, .. } => *seq,
        other => panic!("not done: {other:?}"),
    }
}

/// Is this the answer to a command that was right when it was decided on, and came too late
/// because meanwhile somebody came back, or the team decided?
fn came_too_late(answer: &ServerMessage) -> bool {
    let ServerMessage::Refused { code, .. } = answer else {
        return false;
    };
    let late = [
        "not_for_you",
        "not_seated",
        "already_played",
        "not_your_turn",
    ];
    assert!(late.contains(&code.as_str()), "{answer:?}");
    true
}

/// How far a match is played.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// The end on the board.
    TheEnd,
    /// So many actions; then a captain gives up.
    Action(u32),
}

/// Plays a match of twenty with people who come and go, from a seed.
async fn play(decides: Value, until: Until, seed: u64) {
    let teams = json!({
        "seats": { "south": 10, "north": 10 },
        "names": { "south": "Buganda", "north": "Jinja" },
        "decides": decides,
        "stand_ins": "automatic",
        "grace": 5,
    });
    let mut village = Village::of_36(teams, 2).await;
    // Two more than there are seats wait in each team.
    village.gather(12).await;
    assert_eq!(village.view().stage, StageView::Playing);
    let mut random = Random::from_seed(chosen("MANCALA_SEED", seed));
    let mut waits = 1;
    let mut steps = 0;
    loop {
        village.sync().await;
        let next = village.view().next_number;
        let enough = matches!(until, Until::Action(last) if next > last);
        if village.view().stage == StageView::Over || enough {
            break;
        }
        steps += 1;
        if steps < 60 && random.below(3) == 0 {
            disturb(&mut village, &mut random).await;
            continue;
        }
        if steps == 12 {
            replace(&mut village, &mut random).await;
            continue;
        }
        if steps % 40 == 20 {
            village.agree().await;
        }
        match decides["type"].as_str().unwrap() {
            "vote" => vote(&mut village, &mut random).await,
            way => act(&mut village, way, &mut random, &mut waits).await,
        }
    }
    assert!(steps > 20, "{steps} steps");
    for who in 0..village.people.len() {
        if !village.people[who].here {
            village.come_back(who).await;
        }
    }
    if village.view().stage != StageView::Over {
        give_up(&mut village).await;
    }
    village.until(|view| view.stage == StageView::Over).await;
    village.agree().await;
    names_who_decided(&village).await;
}

/// A captain gives the match up.
async fn give_up(village: &mut Village) {
    loop {
        village.sync().await;
        if village.view().stage == StageView::Over {
            return;
        }
        let captain = village.team(Side::South).captain.unwrap();
        let who = village.numbered(Side::South, captain);
        let (client, name) = (&mut village.people[who].client, village.name);
        let answer = client.request(name, Ask::ResignMatch).await;
        if !came_too_late(&answer) {
            done(&answer);
        }
    }
}

/// Somebody drops out, or comes back, or leaves, or comes again.
async fn disturb(village: &mut Village, random: &mut Random) {
    let name = village.name;
    let side = *random.any(&Side::ALL);
    let here = village.here(side);
    let away: Vec<usize> = (0..village.people.len())
        .filter(|who| !village.people[*who].here)
        .collect();
    match random.below(4) {
        0 if away.len() < 3 && here.len() > 5 => village.drop_out(*random.any(&here)),
        1 if !away.is_empty() => village.come_back(*random.any(&away)).await,
        2 if here.len() > 8 => {
            let who = *random.any(&here);
            let answer = village.people[who]
                .client
                .team(name, TeamAsk::Leave {})
                .await;
            if !came_too_late(&answer) {
                done(&answer);
                let followed = &village.people[who].client.followed[&name];
                assert_eq!(followed.role, Role::Spectator);
                assert_eq!((followed.council(), followed.team), (None, None));
            }
        }
        3 => {
            let is_out = |who: &usize| {
                let one = &village.people[*who];
                one.here && one.client.followed[&name].team.is_none()
            };
            let out = (0..village.people.len()).find(is_out);
            if let Some(who) = out {
                let own = village.people[who].side;
                let client = &village.people[who].client;
                let answer = village.take_seat(client, side).await;
                // His place among those who wait is not told on his socket before he joins.
                match answer.status {
                    200 => {
                        assert_eq!(own, side, "he changed sides");
                        village.people[who].client.join(name).await;
                    }
                    _ if own != side => {
                        let (_, code) = answer.problem();
                        assert!(["was_in_other_team", "already_in_team"].contains(&&*code));
                    }
                    _ => assert_eq!(answer.problem().1, "already_in_team"),
                }
            }
        }
        _ => {}
    }
}

/// Somebody is away until another plays on his seat, and has it back when he returns.
async fn replace(village: &mut Village, random: &mut Random) {
    let side = village.to_move();
    let waits = |village: &Village| {
        let mut waiting = village.team(side).waiting.iter();
        waiting.any(|person| village.people[village.numbered(side, person.number)].here)
    };
    while !waits(village) {
        village.come(side).await;
        village.sync().await;
    }
    let here = village.here(side);
    let who = *random.any(&here);
    let number = village.number(who, side).unwrap();
    village.drop_out(who);
    let stands_in = move |view: &MatchView, wanted: bool| {
        let teams = view.teams.as_ref().unwrap();
        let members = [&teams.south, &teams.north][side as usize].members.iter();
        let holders = members.filter_map(|member| member.stands_in_for.as_ref());
        let lent = holders.filter(|holder| holder.number == number).count() > 0;
        lent == wanted
    };
    village.until(|view| stands_in(view, true)).await;
    village.sync().await;
    assert_eq!(village.number(who, side), None);
    village.come_back(who).await;
    village.until(|view| stands_in(view, false)).await;
    village.sync().await;
    assert_eq!(village.number(who, side), Some(number));
}

/// Whoever may play does, once he is here.
async fn act(village: &mut Village, way: &str, random: &mut Random, waits: &mut u32) {
    let name = village.name;
    let side = village.to_move();
    let who = match way {
        "rotation" => {
            let teams = village.view().teams.as_ref().unwrap();
            village.numbered(side, teams.at_turn.unwrap())
        }
        "captain" => village.numbered(side, village.team(side).captain.unwrap()),
        _ => *random.any(&village.here(side)),
    };
    if !village.people[who].here {
        if *waits == 0 {
            return village.come_back(who).await;
        }
        // The team goes on without him.
        *waits -= 1;
        let number = village.number(who, side).unwrap();
        let gone_on = move |view: &MatchView| {
            let teams = view.teams.as_ref().unwrap();
            let captain = [&teams.south, &teams.north][side as usize].captain;
            teams.at_turn != Some(number) && captain != Some(number)
        };
        return match way {
            "rotation" => {
                village
                    .until(move |view| view.teams.as_ref().unwrap().at_turn != Some(number))
                    .await;
            }
            _ => village.until(gone_on).await,
        };
    }
    let client = &mut village.people[who].client;
    client.come_back_in_time().await.unwrap();
    client
        .hear_until(name, |followed| {
            followed.turn().is_some() || followed.side() != Some(side)
        })
        .await;
    if client.followed[&name].side() != Some(side) {
        return;
    }
    let action = choose(&client.followed[&name], random);
    let (_, number) = client.followed[&name].team.unwrap();
    let answer = client.act(name, vec![action]).await;
    if came_too_late(&answer) {
        return;
    }
    let event = &client.followed[&name].events[&done(&answer)];
    assert_eq!(decided_by(event), Some(Some(number)));
}

/// Somebody proposes, and all who are here vote.
async fn vote(village: &mut Village, random: &mut Random) {
    let name = village.name;
    let side = village.to_move();
    let due = village.view().next_number;
    let here = village.here(side);
    let proposers = [*random.any(&here), *random.any(&here)];
    for who in proposers {
        let client = &mut village.people[who].client;
        client
            .hear_until(name, |followed| {
                followed.turn().is_some() || followed.side() != Some(side)
            })
            .await;
        if client.followed[&name].turn().is_none() {
            return;
        }
        let actions: Vec<WireAction> = choose_list(&client.followed[&name], random, 4);
        let answer = client.propose(name, actions).await;
        if let ServerMessage::Refused { code, .. } = &answer {
            assert!(
                ["proposed_already", "not_seated", "game_over"].contains(&code.as_str()),
                "{answer:?}"
            );
        } else {
            done(&answer);
        }
    }
    let talked = |followed: &mancala_tests::Followed| followed.council().map(|c| c.seq);
    let last = talked(&village.people[proposers[1]].client.followed[&name]);
    for who in here {
        let client = &mut village.people[who].client;
        client.come_back_in_time().await.unwrap();
        client
            .hear_until(name, |followed| {
                let now = followed.view();
                let gone_on = now.next_number > due || now.stage == StageView::Over;
                gone_on || followed.side() != Some(side) || talked(followed) >= last
            })
            .await;
        let proposals = client.followed[&name].council().map(|c| c.proposals.len());
        let now = client.followed[&name].view().next_number;
        match proposals {
            Some(many @ 1..) if now == due => {
                let place = u32::try_from(random.below(many)).unwrap();
                let answer = client.vote(name, place).await;
                if !came_too_late(&answer) {
                    done(&answer);
                }
            }
            _ => {}
        }
    }
    village
        .until(|view| view.next_number > due || view.stage == StageView::Over)
        .await;
}

/// By whom an action of a side was decided, as everybody is told.
const fn decided_by(event: &ServerMessage) -> Option<Option<u32>> {
    match event {
        ServerMessage::Event {
            body: EventBody::Acted { by, acted, .. },
            ..
        } if acted.side.is_some() => Some(*by),
        _ => None,
    }
}

/// The record replays, and it says of each action who decided it, as the events do.
async fn names_who_decided(village: &Village) {
    let log = village.rest("/log").await;
    let events = log.text().lines();
    let events = events.map(|line| serde_json::from_str::<ServerMessage>(line).unwrap());
    let decided: Vec<u32> = events
        .filter_map(|event| decided_by(&event))
        .map(Option::unwrap)
        .collect();
    let record = village.rest("/record").await;
    check_record(record.text());
    let noted: Vec<&str> = record.text().split("@by \"").skip(1).collect();
    let noted: Vec<u32> = noted
        .iter()
        .map(|rest| rest.split([' ', '"']).next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(noted, decided, "{}", record.text());
    assert!(decided.len() > 10);
    let people: BTreeSet<&u32> = decided.iter().collect();
    assert!(people.len() > 1, "one man played for all");
}

#[tokio::test]
async fn ten_a_side_in_rotation() {
    let decides = json!({ "type": "rotation" });
    play(decides, Until::Action(50), 1).await;
}

#[tokio::test]
async fn ten_a_side_and_a_captain() {
    let decides = json!({ "type": "captain" });
    play(decides, Until::Action(40), 2).await;
}

#[tokio::test]
async fn ten_a_side_by_vote() {
    let decides = json!({ "type": "vote", "window": 5 });
    play(decides, Until::Action(30), 3).await;
}

#[tokio::test]
async fn ten_a_side_and_whoever_is_first_to_the_end_of_the_board() {
    let decides = json!({ "type": "first" });
    play(decides, Until::TheEnd, 4).await;
}

/// Teams of three in a small game.
async fn small(decides: Value, speaks: &str, crowd: usize) -> Village {
    let teams = json!({
        "seats": { "south": 3, "north": 3 },
        "decides": decides,
        "speaks": speaks,
        "stand_ins": "automatic",
        "grace": 5,
    });
    let wanted = json!({ "game": "nsolo", "options": { "columns": 8 }, "teams": teams });
    let mut village = Village::found(ServerProcess::start(), wanted, crowd).await;
    village.gather(3).await;
    assert_eq!(village.view().stage, StageView::Playing);
    village
}

/// Marks of what a team says to itself. An empty council is no mark: each member has one.
const MARKS: [&str; 10] = [
    "canary",
    r#""only""#,
    r#""type":"proposed""#,
    r#""type":"voted""#,
    r#""type":"backed""#,
    r#""type":"window_closed""#,
    r#""proposals":[{"#,
    r#""votes":[{"#,
    r#""backed":[{"#,
    r#""window_over""#,
];

fn holds_no_talk(what: &str, text: &str) {
    for mark in MARKS {
        assert!(!text.contains(mark), "{what} has {mark}: {text}");
    }
}

/// Not one byte of a team's talk is anywhere else before the match is over, nor a number by
/// which it could be counted.
#[tokio::test]
async fn what_a_team_says_to_itself_is_nowhere_else() {
    let mut village = small(json!({ "type": "vote", "window": 5 }), "majority", 100).await;
    let name = village.name;
    let side = village.to_move();
    let (room, others_room) = (Room::Team(side), Room::Team(side.other()));
    // One more waits, and one has left and watches; one will lose his seat.
    let waits = village.come(side).await;
    let left = village.come(side).await;
    // Whoever may not hear asks in vain, and is told nothing by that.
    for watcher in &mut village.crowd {
        for room in [room, others_room] {
            let refused = watcher.listen(name, room, None).await;
            assert_eq!(code_of(&refused), "not_your_room");
        }
        watcher.listen(name, Room::Public, None).await;
    }
    for who in 0..village.people.len() {
        let is_of_them = village
            .number(who, side)
            .is_some_and(|_| who != waits && who != left);
        let client = &mut village.people[who].client;
        let answer = client.listen(name, room, None).await;
        match answer {
            ServerMessage::Talk { last: 0, .. } => assert!(is_of_them),
            refused => assert!(!is_of_them && code_of(&refused) == "not_your_room"),
        }
    }
    let answer = village.people[left]
        .client
        .team(name, TeamAsk::Leave {})
        .await;
    done(&answer);
    village.sync().await;
    let members = village.here(side);
    let [speaker, second, third] = members[..] else {
        panic!("{members:?}")
    };
    let before: MatchView = village.rest("").await.json();

    // Proposed, voted for, asked for by one of three; and a window closes.
    let legal = village.people[speaker].client.followed[&name].turn();
    let actions = legal.unwrap().actions[..1].to_vec();
    let client = &mut village.people[speaker].client;
    let canary = |id, key: &str| (Some(id), key.parse().unwrap());
    let (id, key) = canary(client.next_id(), "canary-proposal");
    let number = before.next_number;
    let message = ClientMessage::Propose {
        id,
        r#match: name,
        number,
        actions,
        key,
    };
    done(&client.ask(&message).await.unwrap());
    let (id, key) = canary(client.next_id(), "canary-request");
    let message = ClientMessage::Ask {
        id,
        r#match: name,
        what: Ask::ResignMatch,
        number: None,
        key,
    };
    done(&client.ask(&message).await.unwrap());
    let noted = client.say_in(name, room, "canary in the team's room").await;
    assert!(matches!(noted, ServerMessage::Noted { line: Some(1), .. }));
    let noted = client.say_in(name, Room::Public, "good luck").await;
    assert!(matches!(noted, ServerMessage::Noted { line: Some(1), .. }));
    let client = &mut village.people[second].client;
    let (id, key) = canary(client.next_id(), "canary-vote");
    let message = ClientMessage::Vote {
        id,
        r#match: name,
        number,
        proposal: 0,
        key,
    };
    done(&client.ask(&message).await.unwrap());
    let talked = village.people[second].client.followed[&name].council();
    let talked = talked.unwrap().clone();
    assert_eq!(
        (
            talked.proposals.len(),
            talked.votes.len(),
            talked.backed.len()
        ),
        (1, 1, 1)
    );
    assert!(talked.seq >= 3);

    // Nobody else can tell that anything was said.
    let after: MatchView = village.rest("").await.json();
    assert_eq!(after.timeless(), before.timeless());
    for path in ["", "/record", "/log", "/talk?room=public"] {
        holds_no_talk(path, village.rest(path).await.text());
    }
    let outsiders = [left, waits, village.here(side.other())[0]];
    for who in outsiders {
        let token = village.people[who].client.token().to_owned();
        let path = format!("/api/v1/matches/{name}/talk?room={}", side.name());
        let refused = village.server.send(Request::get(path).token(&token)).await;
        assert_eq!(refused.problem(), (403, "not_your_room".to_owned()));
        holds_no_talk("a refusal", refused.text());
    }
    let list = village.server.get("/api/v1/matches").await;
    holds_no_talk("the list", list.text());
    village.agree().await;

    // The third leaves; who waited has his seat, and so hears what there is; and the window
    // closes on one vote, by which an action is played.
    let until_then = village.people[waits].client.received.take().unwrap();
    holds_no_talk("who waited", &until_then);
    village.people[third].client.catch_up().await;
    let heard = village.people[third].client.received.as_ref().unwrap();
    assert!(heard.contains("canary in the team's room"));
    done(
        &village.people[third]
            .client
            .team(name, TeamAsk::Leave {})
            .await,
    );
    village.people[third].client.received = Some(String::new());
    let client = &mut village.people[second].client;
    client
        .say_in(name, room, "canary of those who are left")
        .await;
    village.until(|view| view.next_number > number).await;
    village.sync().await;
    let council = village.people[waits].client.followed[&name].council();
    assert_eq!(council.map(|council| council.proposals.len()), Some(0));

    // Then nothing at all is said, so that the window closes without a decision: of the same
    // team, where something is left to choose in its turn, or of the other.
    let other = side.other();
    let silent = village.to_move();
    let one = village.here(silent)[0];
    village.people[one]
        .client
        .hear_until(name, |followed| {
            followed
                .council()
                .is_some_and(|council| council.window_over)
        })
        .await;
    village.agree().await;

    for who in 0..village.people.len() {
        let one = &village.people[who];
        let is_of_them = village.number(who, side).is_some();
        let Some(received) = &one.client.received else {
            continue;
        };
        let of_others = village.number(who, other).is_some();
        match (is_of_them, of_others) {
            (true, _) => assert!(received.contains(r#""only""#), "{}", one.name),
            (_, true) => assert!(
                !received.contains("canary")
                    && !received.contains(r#""type":"proposed""#)
                    && !received.contains(r#""type":"voted""#)
                    && !received.contains(r#""type":"backed""#)
                    && !received.contains(&format!(r#""only":"{}""#, side.name())),
                "{received}"
            ),
            _ => holds_no_talk(&one.name, received),
        }
    }
    for watcher in &mut village.crowd {
        watcher.catch_up().await;
        let received = watcher.received.as_ref().unwrap();
        assert!(
            received.contains("good luck"),
            "what is for all is told to all"
        );
        holds_no_talk("who watches", received);
        assert!(!received.contains("council"));
    }
    for path in ["", "/record", "/log"] {
        holds_no_talk(path, village.rest(path).await.text());
    }
    assert!(!village.server.log().contains("canary"));
}

/// online-go.com#1985 and #1998: who has left was still asked to move. pychess-variants#1760: his
/// seat stayed his for ever.
#[tokio::test]
async fn who_has_left_is_asked_for_nothing_and_his_seat_is_free() {
    let mut village = small(json!({ "type": "rotation" }), "captain", 1).await;
    let name = village.name;
    let side = village.to_move();
    let teams = village.view().teams.as_ref().unwrap();
    let at_turn = teams.at_turn.unwrap();
    let who = village.numbered(side, at_turn);
    let asked = turn(&mut village.people[who].client, name).await.unwrap();
    done(
        &village.people[who]
            .client
            .team(name, TeamAsk::Leave {})
            .await,
    );
    village.sync().await;
    let teams = village.view().teams.as_ref().unwrap();
    let next = teams.at_turn.unwrap();
    assert_ne!(next, at_turn, "it is somebody else's turn");
    let client = &mut village.people[who].client;
    assert_eq!(turn(client, name).await, None);
    let late = client.act(name, vec![asked.actions[0].clone()]).await;
    assert_eq!(code_of(&late), "not_seated");
    assert_eq!(village.team(side).members.len(), 2);

    // A newcomer has the seat at once, and the one who left waits when he comes again.
    let newcomer = village.come(side).await;
    village.sync().await;
    let number = village.number(newcomer, side);
    assert_eq!(number, Some(4));
    let client = &village.people[who].client;
    assert_eq!(village.take_seat(client, side).await.status, 200);
    village.sync().await;
    assert_eq!(village.number(who, side), None);
    assert_eq!(village.team(side).waiting[0].number, 5);
    assert_eq!(village.team(side).waiting[0].name, village.people[who].name);

    let who = village.numbered(side, next);
    assert!(turn(&mut village.people[who].client, name).await.is_some());
    let client = &mut village.people[who].client;
    done(&client.act(name, vec![asked.actions[0].clone()]).await);
    village.agree().await;
}

/// online-go.com#1686: the same user sat on both sides.
#[tokio::test]
async fn nobody_is_in_both_teams_nor_twice_in_one() {
    let mut village = small(json!({ "type": "first" }), "captain", 1).await;
    let waits = village.come(Side::South).await;
    village.sync().await;
    let before = village.moment().await;
    for (who, own) in [(0, Side::South), (1, Side::North), (waits, Side::South)] {
        let client = &village.people[who].client;
        let answer = village.take_seat(client, own).await;
        assert_eq!(answer.status, 200, "he has that place already");
        let answer = village.take_seat(client, own.other()).await;
        assert_eq!(answer.problem(), (409, "already_in_team".to_owned()));
    }
    village.is_still(&before).await;
}

/// The server is killed in the middle of a vote: all that was said is there again, a command
/// that is sent twice is done once, and who does not come back is not waited for.
#[tokio::test]
async fn a_vote_outlives_the_server() {
    let mut village = small(json!({ "type": "vote", "window": 600 }), "captain", 1).await;
    let name = village.name;
    let side = village.to_move();
    let [first, second, third] = village.here(side)[..] else {
        panic!("three members")
    };
    let asked = turn(&mut village.people[first].client, name).await.unwrap();
    let number = asked.number;
    let propose = |client: &mut Client, place: usize| ClientMessage::Propose {
        id: Some(client.next_id()),
        r#match: name,
        number,
        actions: vec![asked.actions[place].clone()],
        key: client.next_key(),
    };
    let client = &mut village.people[first].client;
    let proposal = propose(client, 0);
    let answer = client.ask(&proposal).await.unwrap();
    assert!(
        matches!(answer, ServerMessage::Done { only: Some(only), .. } if only == side),
        "its number is one of the team's own: {answer:?}"
    );
    let client = &mut village.people[second].client;
    let other = propose(client, 1);
    done(&client.ask(&other).await.unwrap());
    done(&client.vote(name, 1).await);
    village.agree().await;
    let before = village.people[second].client.followed[&name]
        .council()
        .map(CouncilView::timeless);
    assert_eq!(before.as_ref().map(|council| council.seq), Some(3));

    village.server.kill();
    village.server.restart(Port::Same);
    let address = village.server.address();
    for watcher in village.crowd.iter_mut().chain([&mut village.host]) {
        watcher.come_back(address).await.unwrap();
    }
    village.people[third].here = false;
    for who in 0..village.people.len() {
        if who != third {
            village.come_back(who).await;
        }
    }
    let client = &mut village.people[first].client;
    let held = |client: &Client| {
        let council = client.followed[&name].council();
        council.map(CouncilView::timeless)
    };
    assert_eq!(held(client), before);
    assert_eq!(client.ask(&proposal).await.unwrap(), answer);
    assert_eq!(held(client), before);
    done(&client.vote(name, 1).await);
    assert_eq!(village.view().next_number, number, "one may yet vote");
    village.until(|view| view.next_number > number).await;
    village.sync().await;
    let absent = village.team(side).members.iter();
    assert_eq!(absent.filter(|member| member.person.absent).count(), 1);
    let events = &village.crowd[0].followed[&name].events;
    let decided = events.values().filter_map(decided_by);
    let (_, proposer) = village.people[second].client.followed[&name].team.unwrap();
    assert_eq!(decided.collect::<Vec<_>>(), [Some(proposer)]);
    village.agree().await;
}

/// Whoever is no member of a team asks it in vain, for a reason that has a name.
#[tokio::test]
async fn strangers_ask_a_team_in_vain() {
    let mut village = small(json!({ "type": "vote", "window": 600 }), "captain", 1).await;
    let name = village.name;
    let side = village.to_move();
    let waits = village.come(side).await;
    let left = village.come(side).await;
    done(
        &village.people[left]
            .client
            .team(name, TeamAsk::Leave {})
            .await,
    );
    let member = village.here(side)[0];
    let opponent = village.here(side.other())[1];
    let asked = turn(&mut village.people[member].client, name)
        .await
        .unwrap();
    let actions = vec![asked.actions[0].clone()];
    done(
        &village.people[member]
            .client
            .propose(name, actions.clone())
            .await,
    );
    let guest = Client::guest(&village.server, "Guest").await;
    village.people.push(Villager {
        name: "Guest".to_owned(),
        client: guest,
        side,
        here: true,
    });
    let guest = village.people.len() - 1;
    village.people[guest].client.join(name).await;
    let mut nobody = Client::nobody(&village.server).await;
    nobody.join(name).await;
    let before = village.moment().await;

    let asks = [
        TeamAsk::Leave {},
        TeamAsk::Ready {},
        TeamAsk::StandIn { member: 1 },
        TeamAsk::HandBack { holder: 1 },
        TeamAsk::Lead { member: 2 },
        TeamAsk::Order {
            members: vec![3, 2, 1],
        },
        TeamAsk::Remove { person: 1 },
    ];
    let word = match side {
        Side::South => "south",
        Side::North => "north",
    };
    let mut refused = BTreeSet::new();
    for who in [opponent, waits, left, guest, usize::MAX] {
        let client = match village.people.get_mut(who) {
            Some(one) => &mut one.client,
            None => &mut nobody,
        };
        let mut answers = vec![
            client.propose(name, actions.clone()).await,
            client.vote(name, 0).await,
            client.act(name, actions.clone()).await,
            client.request(name, Ask::ResignMatch).await,
        ];
        for ask in &asks {
            // Who waits may leave, and does not want to.
            if who == waits && matches!(ask, TeamAsk::Leave {}) {
                continue;
            }
            let what = serde_json::to_value(ask).unwrap();
            let id = client.next_id();
            let message = json!({
                "type": "team", "id": id, "match": name, "what": what, "side": word,
                "key": client.next_key(),
            });
            client.say_text(message.to_string()).await.unwrap();
            answers.push(client.answer(id).await.unwrap());
        }
        for answer in &answers {
            refused.insert(code_of(answer).to_owned());
        }
    }
    let named = [
        "no_such_proposal",
        "not_for_you",
        "not_seated",
        "not_your_turn",
        // There is no such seat to be handed back.
        "no_such_member",
        "sign_in_needed",
    ];
    assert!(
        refused.iter().all(|code| named.contains(&code.as_str())),
        "{refused:?}"
    );
    village.is_still(&before).await;
}
