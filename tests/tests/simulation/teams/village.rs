//! A match of teams on a server in this process, and all who have to do with it: they come
//! and go and play as a seed has it.

use super::agreed::{Agreed, SEATS};
use super::ear::{Ear, people, team, to_move};
use super::{choice, minutes};
use crate::run::faults;
use mancala_engine::record::{MatchResult, Note, Record};
use mancala_engine::{SeriesEnd, Side};
use mancala_play::{Decides, Key, MatchEnd, OfferKind, Request as Wish, Speaks, StandIns};
use mancala_protocol::rest::{MatchMade, SideWord};
use mancala_protocol::{
    ClientMessage, MatchView, PublicId, ServerMessage, StageView, TeamAsk, WireAction,
};
use mancala_server::ids::TokenHash;
use mancala_server::store::{Memory, Store};
use mancala_server::{Incoming, Parts, World};
use mancala_tests::logs::user;
use mancala_tests::{Answer, Random, Request};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

const HOST: &str = "mancala.example";

/// Milliseconds in which everybody has heard all there is: spectators are told in batches.
const SETTLE_MS: u64 = 100;

/// Longer than somebody may be away, or a window is open.
const GRACE_MS: u64 = 6_000;

/// Nobody else comes any more.
const PEOPLE_MAX: usize = 40;

/// More steps than any match takes.
const STEPS_MAX: usize = 20_000;

/// Whoever made the match: the first of the people, who plays for nobody.
const MAKER: usize = 0;

/// What came of a match.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Course {
    pub(super) actions: usize,
    /// The digest of its last state.
    pub(super) digest: u64,
    /// Frames that came to all sockets.
    pub(super) frames: u64,
    /// How often each thing happened in its teams.
    pub(super) happened: BTreeMap<&'static str, u64>,
}

pub(super) struct Village {
    agreed: Agreed,
    random: Random,
    disk: Memory,
    connections: mpsc::Sender<DuplexStream>,
    _stop: oneshot::Sender<()>,
    name: PublicId,
    people: Vec<Ear>,
    /// To which team each came last.
    came: BTreeMap<usize, Side>,
    /// Who was taken out by another, and has not come again.
    taken_out: BTreeSet<usize>,
    /// Those who only watch.
    crowd: Vec<Ear>,
    keys: u32,
    frames: u64,
}

impl Village {
    /// Makes a match, and has more than enough people come to its teams.
    pub(super) async fn found(agreed: Agreed, seed: u64) -> Village {
        let random = Random::from_seed(seed);
        let disk = Memory::default();
        let store = Store::Memory(disk.clone());
        for number in 0..=PEOPLE_MAX {
            let token = TokenHash::of(token(number).as_bytes());
            store
                .create_user(user(number as u128), token)
                .await
                .unwrap();
        }
        let (connections, queue) = mpsc::channel(64);
        let (stop, stopped) = oneshot::channel::<()>();
        let parts = Parts {
            store: Store::Memory(disk.reopened(None)),
            world: World::simulated(seed),
            service_ms: 0,
            host: None,
            url: format!("http://{HOST}"),
            url_is_fixed: true,
        };
        tokio::spawn(parts.run(Incoming::Queue(queue), async { _ = stopped.await }));
        let wanted = agreed.wanted();
        let make = Request::post("/api/v1/matches", &wanted).token(&token(MAKER));
        let made = send(&connections, make).await;
        let made: MatchMade = made.json();
        let mut village = Village {
            agreed,
            random,
            disk,
            connections,
            _stop: stop,
            name: made.view.r#match,
            people: vec![Ear::new(Some(token(MAKER)))],
            came: BTreeMap::new(),
            taken_out: BTreeSet::new(),
            crowd: vec![Ear::new(None), Ear::new(None)],
            keys: 0,
            frames: 0,
        };
        for ear in village.crowd.iter_mut().chain(&mut village.people) {
            ear.connect(&village.connections, village.name).await;
        }
        for _ in 0..SEATS + 2 {
            for side in Side::ALL {
                village.somebody_new(side).await;
            }
        }
        assert_eq!(village.view().stage, StageView::Playing);
        village
    }

    /// Plays it to the end of the board, and looks at what is left of it.
    pub(super) async fn play(mut self) -> Course {
        for step in 0.. {
            assert!(step < STEPS_MAX, "no end");
            self.pass(0).await;
            if self.is_over() {
                break;
            }
            if self.random.below(8) == 0 {
                self.disturb().await;
            } else if let Decides::Vote { .. } = self.agreed.decides {
                self.vote().await;
            } else {
                self.act().await;
            }
            if step % 100 == 50 {
                self.nothing_is_told_outside().await;
                let who = self.random.below(self.people.len());
                self.agrees(who).await;
            }
        }
        self.publish().await;
        for who in 0..self.people.len() {
            if !self.people[who].is_here() {
                self.come_back(who).await;
            }
        }
        self.pass(0).await;
        for who in 0..self.people.len() {
            self.agrees(who).await;
        }
        self.check_log().await
    }

    fn view(&self) -> &MatchView {
        self.crowd[0].view()
    }

    fn is_over(&self) -> bool {
        self.view().stage == StageView::Over
    }

    fn key(&mut self) -> Key {
        self.keys += 1;
        format!("k{}", self.keys).parse().unwrap()
    }

    /// So many milliseconds, and as many as it takes until everybody has heard everything.
    async fn pass(&mut self, ms: u64) {
        sleep(Duration::from_millis(SETTLE_MS + ms)).await;
        faults::check();
        // What many are told is read once.
        let mut read: HashMap<String, ServerMessage> = HashMap::new();
        for ear in self.people.iter_mut().chain(&mut self.crowd) {
            while let Some(text) = ear.heard() {
                self.frames += 1;
                if !read.contains_key(text.as_str()) {
                    let message = serde_json::from_str(&text).expect(&text);
                    read.insert(text.to_string(), message);
                }
                ear.take(&read[text.as_str()]);
            }
        }
        for one in &self.crowd {
            assert!(one.place().is_none() && one.side().is_none() && one.private == 0);
        }
        self.check_rosters();
    }

    /// Nobody is on both sides, nor twice; and each knows his place.
    fn check_rosters(&self) {
        let teams = Side::ALL.map(|side| people(team(self.view(), side)));
        let names: Vec<&str> = teams.into_iter().flatten().map(|one| &*one.name).collect();
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), different.len(), "somebody is twice: {names:?}");
        for (who, one) in self.people.iter().enumerate() {
            if !one.is_here() {
                continue;
            }
            let sides = Side::ALL.into_iter();
            let mut sides = sides.filter(|side| self.number(who, *side).is_some());
            assert_eq!(one.side(), sides.next(), "user {who}");
            assert_eq!(one.council().is_some(), one.side().is_some(), "user {who}");
        }
    }

    /// The number of somebody who is a member of a team.
    fn number(&self, who: usize, side: Side) -> Option<u32> {
        let name = format!("user {who}");
        let mut members = team(self.view(), side).members.iter();
        let member = members.find(|member| member.person.name == name);
        member.map(|member| member.person.number)
    }

    /// Is somebody in a team, or does he wait for a seat of one?
    fn is_in_team(&self, who: usize) -> bool {
        let name = format!("user {who}");
        let teams = Side::ALL.map(|side| team(self.view(), side));
        teams
            .into_iter()
            .flat_map(people)
            .any(|one| one.name == name)
    }

    /// Whoever has this number in a team.
    fn numbered(&self, side: Side, number: u32) -> usize {
        let mut people = people(team(self.view(), side));
        let person = people.find(|person| person.number == number).unwrap();
        place_of(&person.name)
    }

    /// Of these, who is here.
    fn here(&self, whom: impl Fn(usize) -> bool) -> Vec<usize> {
        let people = 1..self.people.len();
        people
            .filter(|who| self.people[*who].is_here() && whom(*who))
            .collect()
    }

    /// The members of a team who are here.
    fn members_here(&self, side: Side) -> Vec<usize> {
        self.here(|who| self.people[who].side() == Some(side))
    }

    /// Somebody who has never been here comes to a team.
    async fn somebody_new(&mut self, side: Side) {
        let who = self.people.len();
        let mut ear = Ear::new(Some(token(who)));
        // One in three watches before.
        let watches = self.random.below(3) == 0;
        if watches {
            ear.connect(&self.connections, self.name).await;
        }
        self.people.push(ear);
        self.pass(0).await;
        assert_eq!(self.take_seat(who, side).await.status, 200);
        if !watches {
            self.people[who].connect(&self.connections, self.name).await;
        }
        self.pass(0).await;
    }

    /// Somebody comes to a team by himself. From the team where he came last he does not come to
    /// the other.
    async fn take_seat(&mut self, who: usize, side: Side) -> Answer {
        let path = format!("/api/v1/matches/{}/seats", self.name);
        let seat = Request::post(path, &json!({ "side": side })).token(&token(who));
        let answer = send(&self.connections, seat).await;
        if answer.status == 200 {
            let before = self.came.insert(who, side);
            assert!(
                before.is_none_or(|before| before == side),
                "he changed sides"
            );
        }
        answer
    }

    /// The host puts somebody there.
    async fn put(&self, who: usize, side: Side) -> Answer {
        let path = format!("/api/v1/matches/{}/seats", self.name);
        let seat = json!({ "side": side, "person": user(who as u128).id });
        send(
            &self.connections,
            Request::post(path, &seat).token(&token(MAKER)),
        )
        .await
    }

    async fn come_back(&mut self, who: usize) {
        self.people[who].connect(&self.connections, self.name).await;
        self.pass(0).await;
    }

    /// Gives a command, and returns its answer.
    async fn ask(&mut self, who: usize, what: impl FnOnce(Said) -> ClientMessage) -> ServerMessage {
        let id = self.say(who, what).await;
        self.pass(0).await;
        self.people[who].answer(id)
    }

    /// Gives a command.
    async fn say(&mut self, who: usize, what: impl FnOnce(Said) -> ClientMessage) -> u32 {
        let said = Said {
            name: self.name,
            number: self.view().next_number,
            key: self.key(),
        };
        let mut message = what(said);
        self.people[who]
            .say(|new| {
                let (ClientMessage::Act { id, .. }
                | ClientMessage::Ask { id, .. }
                | ClientMessage::Propose { id, .. }
                | ClientMessage::Vote { id, .. }
                | ClientMessage::Team { id, .. }) = &mut message
                else {
                    panic!("{message:?} is no command");
                };
                *id = new;
                message
            })
            .await
    }

    /// Asks something of a team.
    async fn ask_team(
        &mut self,
        who: usize,
        side: Option<SideWord>,
        what: TeamAsk,
    ) -> ServerMessage {
        self.ask(who, |said| ClientMessage::Team {
            id: None,
            r#match: said.name,
            what,
            side,
            key: said.key,
        })
        .await
    }

    /// Somebody drops out, or comes back, or leaves for good, or is sent away, or comes again;
    /// or a team talks of other things.
    async fn disturb(&mut self) {
        let side = *self.random.any(&Side::ALL);
        let members = self.members_here(side);
        match self.random.below(9) {
            0 if members.len() > 5 => {
                let waits = self.here(|who| self.is_in_team(who));
                let from = if self.random.below(4) == 0 {
                    &waits
                } else {
                    &members
                };
                let who = *self.random.any(from);
                self.people[who].cut();
            }
            1 | 2 => {
                let away = (1..self.people.len()).filter(|who| !self.people[*who].is_here());
                let away: Vec<usize> = away.collect();
                if !away.is_empty() {
                    let who = *self.random.any(&away);
                    self.come_back(who).await;
                }
            }
            3 if members.len() > 7 => {
                let in_team = self.here(|who| self.is_in_team(who));
                let who = *self.random.any(&in_team);
                done(&self.ask_team(who, None, TeamAsk::Leave {}).await, &[]);
                let left = &self.people[who];
                assert!(left.side().is_none() && left.council().is_none());
            }
            4 if members.len() > 7 => self.send_away(side).await,
            5 => self.come(side).await,
            6 => self.lead(side).await,
            7 => self.talk(side).await,
            8 => {
                let movers = self.members_here(to_move(self.view()));
                let who = *self.random.any(&movers);
                self.propose(who).await;
            }
            _ => self.meddle().await,
        }
    }

    /// The captain of a team, if he is here.
    fn captain(&self, side: Side) -> Option<usize> {
        let captain = team(self.view(), side).captain?;
        let who = self.numbered(side, captain);
        self.people[who].is_here().then_some(who)
    }

    /// The host or the captain has somebody leave.
    async fn send_away(&mut self, side: Side) {
        let numbers: Vec<u32> = people(team(self.view(), side))
            .map(|person| person.number)
            .collect();
        let person = *self.random.any(&numbers);
        let who = self.numbered(side, person);
        let captain = self.captain(side).filter(|_| self.random.below(2) == 0);
        let answer = match captain {
            Some(captain) => {
                self.ask_team(captain, None, TeamAsk::Remove { person })
                    .await
            }
            None => {
                let side = match side {
                    Side::South => SideWord::South,
                    Side::North => SideWord::North,
                };
                self.ask_team(MAKER, Some(side), TeamAsk::Remove { person })
                    .await
            }
        };
        done(&answer, &[]);
        if captain != Some(who) {
            self.taken_out.insert(who);
        }
    }

    /// Somebody who is in no team comes to one: to that where he was before, if he tries the
    /// other one in vain.
    async fn come(&mut self, side: Side) {
        let out = self.here(|who| !self.is_in_team(who));
        if !out.is_empty() && self.random.below(2) == 0 {
            let who = *self.random.any(&out);
            let own = self.came[&who];
            if own != side {
                let refused = self.take_seat(who, side).await.problem();
                assert_eq!(refused, (409, "was_in_other_team".to_owned()));
            }
            let comes = self.take_seat(who, own).await;
            if self.taken_out.remove(&who) {
                // He does not come again by himself, but the host brings him.
                assert_eq!(comes.problem(), (409, "taken_out".to_owned()));
                assert_eq!(self.put(who, own).await.status, 200);
            } else {
                assert_eq!(comes.status, 200);
            }
            self.place_is_told(who).await;
        } else if self.people.len() < PEOPLE_MAX {
            self.somebody_new(side).await;
        } else {
            let who = 1 + self.random.below(self.people.len() - 1);
            let (status, code) = match self.take_seat(who, side).await {
                answer if answer.status == 200 => return self.place_is_told(who).await,
                answer => answer.problem(),
            };
            let is_out = !self.is_in_team(who);
            let crossed = is_out && self.came[&who] != side;
            let expected = match (crossed, is_out) {
                (true, _) => "was_in_other_team",
                (false, true) => {
                    assert!(self.taken_out.contains(&who));
                    "taken_out"
                }
                (false, false) => "already_in_team",
            };
            assert_eq!((status, &*code), (409, expected));
        }
    }

    /// His place among those who wait is told to somebody when he joins. What is on its way to
    /// him meanwhile would come twice if he joined from what he has.
    async fn place_is_told(&mut self, who: usize) {
        if self.people[who].is_here() {
            self.people[who].join(self.name, None).await;
        }
    }

    /// The captain does what is his.
    async fn lead(&mut self, side: Side) {
        let Some(captain) = self.captain(side) else {
            return;
        };
        let members = team(self.view(), side).members.clone();
        let absent = members.iter().find(|one| one.person.absent);
        let lent = members.iter().find_map(|one| one.stands_in_for.as_ref());
        let mut numbers: Vec<u32> = members.iter().map(|one| one.person.number).collect();
        let what = match (self.random.below(4), absent, lent) {
            (0, ..) => TeamAsk::Lead {
                member: *self.random.any(&numbers),
            },
            (1, ..) => {
                let by = self.random.below(numbers.len());
                numbers.rotate_left(by);
                TeamAsk::Order { members: numbers }
            }
            (_, Some(absent), _) if self.agreed.stand_ins == StandIns::Captain => {
                TeamAsk::StandIn {
                    member: absent.person.number,
                }
            }
            (_, _, Some(holder)) if self.agreed.stand_ins == StandIns::Captain => {
                TeamAsk::HandBack {
                    holder: holder.number,
                }
            }
            _ => return,
        };
        let answer = self.ask_team(captain, None, what).await;
        done(
            &answer,
            &[
                "said_already",
                "nobody_waits",
                "member_present",
                "no_such_member",
            ],
        );
    }

    /// A team wants to offer a draw, which the other one does not answer.
    async fn talk(&mut self, side: Side) {
        if self.view().offer.is_some() {
            // To offer the same would be to accept.
            return;
        }
        let members = self.members_here(side);
        let some = 1 + self.random.below(members.len());
        for who in members.into_iter().take(some) {
            let is_captain = self.captain(side) == Some(who);
            let answer = self
                .ask(who, |said| ClientMessage::Ask {
                    id: None,
                    r#match: said.name,
                    number: None,
                    what: Wish::Offer(OfferKind::Draw),
                    key: said.key,
                })
                .await;
            match self.agreed.speaks {
                Speaks::Captain if !is_captain => assert_eq!(code(&answer), Some("not_for_you")),
                _ => done(&answer, &["offered_already", "offer_open", "said_already"]),
            }
        }
    }

    /// A member of the side to move proposes what to play, whoever decides it.
    async fn propose(&mut self, who: usize) {
        let actions = self.choose(who);
        let answer = self.ask(who, |said| said.propose(actions)).await;
        let late = ["already_played", "not_your_turn", "match_over"];
        let again = ["proposed_already", "proposals_over"];
        done(&answer, &[&late[..], &again].concat());
    }

    /// Who may not play, tries to.
    async fn meddle(&mut self) {
        let side = to_move(self.view());
        let who = self.random.below(self.people.len());
        let legal = self.legal(side);
        let (true, Some(action)) = (self.people[who].is_here(), legal) else {
            return;
        };
        let may = match self.agreed.decides {
            Decides::First => self.people[who].side() == Some(side),
            Decides::Captain => self.captain(side) == Some(who),
            Decides::Rotation => self.at_turn(side) == Some(who),
            Decides::Vote { .. } => false,
        };
        if !may {
            let answer = self.ask(who, |said| said.act(vec![action])).await;
            let refusals = ["not_for_you", "not_seated", "not_your_turn"];
            let code = code(&answer).expect("a refusal");
            assert!(refusals.contains(&code), "{answer:?}");
        }
    }

    /// An action that may be played, as the members of the side to move are told.
    fn legal(&self, side: Side) -> Option<WireAction> {
        let members = self.members_here(side);
        let turn = members.first().and_then(|who| self.people[*who].turn())?;
        turn.actions.first().cloned()
    }

    /// In rotation, who is to play.
    fn at_turn(&self, side: Side) -> Option<usize> {
        let teams = self.view().teams.as_ref().unwrap();
        teams.at_turn.map(|number| self.numbered(side, number))
    }

    /// Whoever may play does, once he is here.
    async fn act(&mut self) {
        let side = to_move(self.view());
        let who = match self.agreed.decides {
            Decides::Rotation => self.at_turn(side).unwrap(),
            Decides::Captain => self.numbered(side, team(self.view(), side).captain.unwrap()),
            _ => {
                let members = self.members_here(side);
                *self.random.any(&members)
            }
        };
        if !self.people[who].is_here() {
            // The team goes on without him.
            return self.pass(GRACE_MS).await;
        }
        let number = self.number(who, side).expect("a member");
        let actions = self.choose(who);
        let rival = match self.agreed.decides {
            Decides::First if self.random.below(4) == 0 => {
                let members = self.members_here(side);
                let other = *self.random.any(&members);
                (other != who).then_some(other)
            }
            _ => None,
        };
        let rival = match rival {
            Some(other) => {
                let actions = self.choose(other);
                Some((other, self.say(other, |said| said.act(actions)).await))
            }
            None => None,
        };
        let before = self.crowd[0].decided.len();
        let answer = self.ask(who, |said| said.act(actions)).await;
        let Some((other, id)) = rival else {
            done(&answer, &[]);
            let decided = &self.crowd[0].decided[before..];
            assert!(!decided.is_empty());
            assert!(decided.iter().all(|decided| *decided == (side, number)));
            return;
        };
        // Both wanted the same action to be theirs, and one of them has it.
        let answers = [answer, self.people[other].answer(id)];
        let had = answers.iter().filter(|answer| code(answer).is_none());
        assert_eq!(had.count(), 1, "{answers:?}");
        for answer in &answers {
            done(answer, &["already_played", "not_your_turn", "match_over"]);
        }
    }

    /// What somebody wants to play, who may.
    fn choose(&mut self, who: usize) -> Vec<WireAction> {
        let one = &self.people[who];
        let legal = one.turn().expect("who may play is told what");
        choice::choose(one.view(), legal, &mut self.random)
    }

    /// A team decides by vote: some propose, some vote, and now and then nobody does.
    async fn vote(&mut self) {
        let side = to_move(self.view());
        let members = self.members_here(side);
        let how = self.random.below(8);
        if how == 0 {
            return self.pass(GRACE_MS).await;
        }
        let alone = self.captain(side).filter(|_| how < 5);
        let proposers = match alone {
            Some(captain) => vec![captain],
            None => vec![*self.random.any(&members), *self.random.any(&members)],
        };
        let due = self.view().next_number;
        for who in proposers {
            if self.is_over() || self.view().next_number != due {
                return;
            }
            self.propose(who).await;
        }
        if alone.is_some() && how < 4 {
            return self.pass(GRACE_MS).await;
        }
        let many = self.people[members[0]].council().unwrap().proposals.len();
        let mut asked = Vec::new();
        for who in members {
            // Somebody votes twice, and somebody not at all.
            for _ in 0..*self.random.any(&[0, 1, 1, 1, 1, 1, 1, 2]) {
                if many > 0 && self.view().next_number == due {
                    let proposal = u32::try_from(self.random.below(many)).unwrap();
                    asked.push((who, self.say(who, |said| said.vote(proposal)).await));
                }
            }
        }
        self.pass(0).await;
        for (who, id) in asked {
            let answer = self.people[who].answer(id);
            let late = [
                "already_played",
                "not_your_turn",
                "said_already",
                "match_over",
            ];
            done(&answer, &late);
        }
        if !self.is_over() && self.view().next_number == due {
            self.pass(GRACE_MS).await;
        }
    }

    /// While a match goes on nothing of what a team says to itself is in its log.
    async fn nothing_is_told_outside(&mut self) {
        let log = self.rest("/log").await;
        for mark in ["only", "proposed", "voted", "backed", "window_closed"] {
            let mark = format!("\"{mark}\"");
            assert!(!log.text().contains(&mark), "{mark} in {}", log.text());
        }
    }

    async fn rest(&self, what: &str) -> Answer {
        let path = format!("/api/v1/matches/{}{what}", self.name);
        let answer = send(&self.connections, Request::get(path)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer
    }

    /// What somebody holds, and what the first of the crowd does, is what he would be told
    /// who came now.
    async fn agrees(&mut self, who: usize) {
        if !self.people[who].is_here() {
            return;
        }
        let token = Some(token(who));
        let mut again = [Ear::new(token), Ear::new(None)];
        for ear in &mut again {
            ear.connect(&self.connections, self.name).await;
        }
        self.pass(0).await;
        for ear in &mut again {
            while let Some(text) = ear.heard() {
                ear.take(&serde_json::from_str(&text).unwrap());
            }
        }
        let [same, watcher] = again;
        let one = &self.people[who];
        assert_eq!(one.view().timeless(), same.view().timeless());
        assert_eq!(one.role(), same.role());
        if one.side().is_some() {
            assert_eq!(one.place(), same.place());
        }
        let timeless = |ear: &Ear| ear.council().map(|council| council.timeless());
        assert_eq!(timeless(one), timeless(&same));
        assert_eq!(self.view().timeless(), watcher.view().timeless());
    }

    /// The members of one team let everybody read what they said.
    async fn publish(&mut self) {
        for who in self.members_here(Side::South) {
            let answer = self
                .ask(who, |said| ClientMessage::Ask {
                    id: None,
                    r#match: said.name,
                    number: None,
                    what: Wish::Publish,
                    key: said.key,
                })
                .await;
            done(&answer, &["said_already"]);
        }
    }

    /// The log replays and says what is true, and so does the record.
    async fn check_log(self) -> Course {
        let store = Store::Memory(self.disk.clone());
        let row = store.find_match(self.name).await.unwrap().unwrap();
        let rows = store.log_after(row.id, 0, u32::MAX).await.unwrap();
        let minutes = minutes::go_through(&rows, &self.agreed);
        assert_eq!(self.crowd[0].decided, minutes.decided);
        let log = self.rest("/log").await;
        let told = |only: &str| log.text().matches(only).count();
        let published = team(self.view(), Side::South).published;
        let private = if published { minutes.private.south } else { 0 };
        assert_eq!(told(r#""only":"south""#), private);
        assert_eq!(told(r#""only":"north""#), 0);

        let text = self.rest("/record").await;
        let record: Record = text.text().parse().unwrap();
        assert_eq!(record.check().first_fault(), None);
        assert_eq!(record.to_string(), text.text());
        let Some(MatchEnd::Played { winner }) = minutes.end else {
            panic!("it ended with {:?}", minutes.end);
        };
        let end = winner.map_or(SeriesEnd::Drawn, SeriesEnd::Won);
        assert_eq!(record.result(), &MatchResult::Played(end));
        let ended = self.view().ended.as_ref().unwrap();
        assert_eq!(ended.winner, winner);
        let mut tags = record.tags().iter();
        assert!(tags.any(|tag| (tag.name(), tag.value()) == ("teams", self.agreed.word())));
        check_notes(&record, &self.crowd[0], &minutes);

        let mut happened = BTreeMap::new();
        for word in minutes.happened {
            *happened.entry(word).or_default() += 1;
        }
        Course {
            actions: minutes.actions.len(),
            digest: rows[rows.len() - 1].digest.0,
            frames: self.frames,
            happened,
        }
    }
}

/// The record says who decided each action, and what became of the teams, as everybody was
/// told.
fn check_notes(record: &Record, told: &Ear, minutes: &minutes::Minutes) {
    let [game] = record.games() else {
        panic!("one game");
    };
    let of = |name: &str, notes: &[Note]| -> Vec<String> {
        let notes = notes.iter().filter(|note| note.name() == Some(name));
        notes.map(|note| note.text().to_owned()).collect()
    };
    let actions = game.actions();
    let played: Vec<_> = actions.iter().map(|one| one.action().clone()).collect();
    assert_eq!(played, minutes.actions);
    for (action, (_, by)) in actions.iter().zip(&minutes.decided) {
        let noted = of("by", action.notes());
        let [noted] = &noted[..] else {
            panic!("an action of {noted:?}");
        };
        let number = noted.split(' ').next().unwrap();
        assert_eq!(number, by.to_string(), "{noted}");
    }
    let places = [record.notes(), game.notes()];
    let places = places
        .into_iter()
        .chain(actions.iter().map(|one| one.notes()));
    let places = places.chain([game.closing_notes()]);
    let history: Vec<String> = places.flat_map(|notes| of("team", notes)).collect();
    assert_eq!(history, told.history);
}

/// What every command says.
struct Said {
    name: PublicId,
    number: u32,
    key: Key,
}

impl Said {
    fn act(self, actions: Vec<WireAction>) -> ClientMessage {
        ClientMessage::Act {
            id: None,
            r#match: self.name,
            number: self.number,
            actions,
            key: self.key,
        }
    }

    fn propose(self, actions: Vec<WireAction>) -> ClientMessage {
        ClientMessage::Propose {
            id: None,
            r#match: self.name,
            number: self.number,
            actions,
            key: self.key,
        }
    }

    fn vote(self, proposal: u32) -> ClientMessage {
        ClientMessage::Vote {
            id: None,
            r#match: self.name,
            number: self.number,
            proposal,
            key: self.key,
        }
    }
}

fn token(who: usize) -> String {
    format!("token-{who}")
}

fn place_of(name: &str) -> usize {
    name.strip_prefix("user ").unwrap().parse().unwrap()
}

/// The code of a refusal; none, where it was done.
fn code(answer: &ServerMessage) -> Option<&str> {
    match answer {
        ServerMessage::Done { .. } => None,
        ServerMessage::Refused { code, .. } => Some(code),
        other => panic!("no answer to a command: {other:?}"),
    }
}

/// It was done, or refused for one of these reasons.
fn done(answer: &ServerMessage, or: &[&str]) {
    if let Some(code) = code(answer) {
        assert!(or.contains(&code), "{answer:?}");
    }
}

async fn send(connections: &mpsc::Sender<DuplexStream>, request: Request) -> Answer {
    let (client, server) = tokio::io::duplex(64 * 1024);
    connections.send(server).await.unwrap();
    request.send_over(client, HOST).await.unwrap()
}
