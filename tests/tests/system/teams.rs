//! Teams: whole villages on one side of a board, over real sockets, with people who come and go.

use crate::matches::check_record;
use mancala_engine::Side;
use mancala_play::Request as Ask;
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
            here: true,
        });
        self.people.len() - 1
    }

    /// So many come to each team, and so many more to wait for a seat.
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
            assert_eq!(followed.council(), fresh.council(), "{}", one.name);
            assert_eq!(followed.role, fresh.role, "{}", one.name);
            assert_eq!(followed.council().is_some(), fresh.side().is_some());
            assert_eq!(followed.legal, fresh_legal(&mut again, name).await);
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
            councils.push(again.join(self.name).await.council().cloned());
        }
        (view, councils)
    }
}

/// What may be played, as it is told to somebody who has just joined.
async fn fresh_legal(client: &mut Client, name: PublicId) -> Option<mancala_tests::follow::Legal> {
    let id = client.next_id();
    let pong = client.ask(&ClientMessage::Ping { id: Some(id) }).await;
    assert!(matches!(pong, Ok(ServerMessage::Pong { .. })));
    client.followed[&name].legal.clone()
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
            let answer = village.people[who].client.team(name, TeamAsk::Leave).await;
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
                let client = &village.people[who].client;
                let answer = village.take_seat(client, side).await;
                // His place among those who wait is not told on his socket before he joins.
                match answer.status {
                    200 => {
                        village.people[who].client.join(name).await;
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
    for who in here {
        let client = &mut village.people[who].client;
        client.come_back_in_time().await.unwrap();
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
