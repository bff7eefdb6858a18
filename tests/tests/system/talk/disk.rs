//! Talk on a disk that is slow, fails or is full: nobody is told what it does not have, and a line
//! that was noted is there, once.

use super::{Hall, changed, line_of, lines, noted, said, texts};
use mancala_play::Room;
use mancala_protocol::rest::TalkPage;
use mancala_protocol::{Moderation, ServerMessage, TalkChange};
use mancala_tests::client::code_of;
use mancala_tests::disk::Honesty;
use mancala_tests::server::until;
use mancala_tests::{Port, Random, Request, ServerProcess};

const UNAVAILABLE: &str = "storage_unavailable";

/// What ails a disk.
#[derive(Clone, Copy, Debug)]
enum Ailment {
    /// Each sync fails.
    Syncs,
    /// It is full.
    Full,
}

impl Ailment {
    fn strike(self, server: &ServerProcess) {
        match self {
            Ailment::Syncs => server.disk().fail_syncs(u64::MAX),
            Ailment::Full => server.disk().leave_room(0),
        }
    }
}

impl Hall {
    async fn open_on_disk() -> Hall {
        Hall::open_in(ServerProcess::start_on_disk()).await
    }

    /// What somebody who listens has been told since this was asked last, of what is said.
    async fn told_to_nobody(&mut self) -> String {
        self.nobody.catch_up().await;
        let received = self.nobody.received.replace(String::new()).unwrap();
        let talk = |line: &&str| line.contains(r#""type":"said""#) || line.contains("talk_changed");
        received.lines().filter(talk).collect()
    }
}

/// While the sync of a line has not ended nobody hears of it, neither who listens nor its speaker.
#[tokio::test]
async fn no_word_of_a_line_leaves_before_its_sync() {
    let mut hall = Hall::open_on_disk().await;
    let name = hall.pair.name;
    hall.nobody.listen(name, Room::Public, None).await;
    hall.nobody.received = Some(String::new());
    hall.guest.received = Some(String::new());
    let disk = hall.server.disk();
    disk.hold();
    let begun = disk.syncs_begun();
    let line = line_of(&mut hall.guest, name, Room::Public, "a line");
    hall.guest.say(&line).await.unwrap();
    disk.sync_after(begun).await;
    let address = hall.server.address();
    let path = format!("/api/v1/matches/{name}/talk?room=public");
    let page = tokio::spawn(async move { Request::get(path).send(address).await.unwrap() });
    for _ in 0..3 {
        assert_eq!(hall.told_to_nobody().await, "");
        hall.guest.catch_up().await;
        let received = hall.guest.received.as_ref().unwrap();
        assert!(!received.contains("noted"), "{received}");
        assert_eq!(hall.server.get("/healthz").await.status, 200);
    }
    assert!(!page.is_finished(), "a page waits for the line before it");
    let disk = hall.server.disk();
    assert!(disk.is_held());
    disk.release();
    let answer = hall.guest.answer(line.id().unwrap()).await.unwrap();
    assert_eq!(noted(&answer), Some(1));
    assert_eq!(said(&mut hall.nobody).await.2, "a line");
    let page: TalkPage = page.await.unwrap().json();
    assert_eq!(texts(&page.lines), ["a line"]);
}

/// What cannot be written is refused by name and told to nobody; sent again when the disk is well,
/// it is told, once, and there after all that may happen to the server.
async fn falls_ill_and_recovers(ailment: Ailment) {
    let mut hall = Hall::open_on_disk().await;
    let name = hall.pair.name;
    hall.nobody.listen(name, Room::Public, None).await;
    let answer = hall.pair.south.say_in(name, Room::Public, "before").await;
    assert_eq!(noted(&answer), Some(1));
    assert_eq!(said(&mut hall.nobody).await.2, "before");
    hall.nobody.received = Some(String::new());

    ailment.strike(&hall.server);
    let line = line_of(&mut hall.guest, name, Room::Public, "a line");
    let close = Moderation::Close {};
    for _ in 0..2 {
        let answer = hall.guest.ask(&line).await.unwrap();
        assert_eq!(code_of(&answer), UNAVAILABLE, "{ailment:?}");
        let south = &mut hall.pair.south;
        let remove = Moderation::Remove { line: 1 };
        for what in [close, remove] {
            let answer = south.moderate(name, Room::Public, what).await;
            assert_eq!(code_of(&answer), UNAVAILABLE, "{ailment:?}");
        }
        let answer = hall.guest.report(name, Room::Public, 1).await;
        assert_eq!(code_of(&answer), UNAVAILABLE, "{ailment:?}");
        assert_eq!(hall.told_to_nobody().await, "", "{ailment:?}");
    }

    hall.server.disk().mend();
    until("it is ready", async || {
        hall.server.get("/readyz").await.status == 200
    })
    .await;
    assert_eq!(texts(&hall.lines().await), ["before"], "{ailment:?}");
    for _ in 0..2 {
        let answer = hall.guest.ask(&line).await.unwrap();
        assert_eq!(noted(&answer), Some(2), "{ailment:?}");
    }
    assert_eq!(said(&mut hall.nobody).await.2, "a line");
    let answer = hall.pair.south.moderate(name, Room::Public, close).await;
    noted(&answer);
    assert_eq!(changed(&mut hall.nobody).await, TalkChange::Closed);
    let told_once = hall.nobody.received.replace(String::new()).unwrap();
    assert_eq!(told_once.matches("a line").count(), 1, "{told_once}");
    assert_eq!(hall.told_to_nobody().await, "", "{ailment:?}");
    let before = hall.lines().await;
    assert_eq!(texts(&before), ["before", "a line"]);

    // And all of it is on the disk, not only in somebody's memory.
    hall.server.kill();
    let trace = hall.server.disk().trace();
    let cut = trace.power_cut(trace.end(), Honesty::Honest, &mut Random::from_seed(1));
    let survivor = ServerProcess::start_from(&cut);
    assert_eq!(lines(&survivor, name).await, before);
    hall.server.restart(Port::New);
    assert_eq!(hall.lines().await, before);
    hall.come_back().await;
    let answer = hall.guest.say_in(name, Room::Public, "closed").await;
    assert_eq!(code_of(&answer), "talk_closed");
}

#[tokio::test]
async fn on_a_disk_whose_syncs_fail_no_line_is_told() {
    falls_ill_and_recovers(Ailment::Syncs).await;
}

#[tokio::test]
async fn on_a_disk_that_is_full_no_line_is_told() {
    falls_ill_and_recovers(Ailment::Full).await;
}

/// Some syncs fail. The same line again is said once, whatever became of it before, and told
/// once, and it is there after a crash.
#[tokio::test]
async fn a_sync_that_fails_is_no_line_lost_and_none_doubled() {
    // What is refused for the disk counts as said, so each says one line.
    for failing in 1..=4 {
        let mut hall = Hall::open_on_disk().await;
        let name = hall.pair.name;
        hall.nobody.listen(name, Room::Public, None).await;
        let (pair, nobody) = (&mut hall.pair, &mut hall.nobody);
        let speakers = [&mut pair.south, &mut hall.guest, &mut pair.north];
        for (n, speaker) in speakers.into_iter().enumerate() {
            let line = line_of(speaker, name, Room::Public, &format!("line {n}"));
            hall.server.disk().fail_syncs(failing);
            let mut refusals = 0;
            let answer = loop {
                match speaker.ask(&line).await.unwrap() {
                    ServerMessage::Refused { code, .. } => assert_eq!(code, UNAVAILABLE),
                    answer => break answer,
                }
                refusals += 1;
            };
            assert!(refusals <= failing, "{failing} syncs, {refusals} refusals");
            let (number, _, text) = said(nobody).await;
            assert_eq!(noted(&answer), Some(number), "{failing}");
            assert_eq!(text, format!("line {n}"), "{failing}");
        }
        hall.server.disk().mend();
        let before = hall.lines().await;
        assert_eq!(texts(&before), ["line 0", "line 1", "line 2"], "{failing}");
        hall.restart().await;
        assert_eq!(hall.lines().await, before, "{failing}");
    }
}
