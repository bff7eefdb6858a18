//! What a store has to do, whichever it is. Each of these goes over a file, over memory, and
//! over memory that takes its time, the last two under virtual time.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use mancala_engine::{BySide, Side};
use mancala_play::{
    Access, ControlForm, Event, Match, MatchEnd, MatchId, Room, Ruling, TeamsSpec, UserId, WhenOut,
};
use mancala_protocol::limits::REPORTS_A_DAY_MAX;
use mancala_server::ids::{PublicId, RequestHash, SecretHash, TokenHash};
use mancala_server::limits::{
    CHALLENGES_FROM_A_TEAM, CHALLENGES_TO_A_TEAM, CREATION_KEY_KEPT_MS, CREATION_KEYS_REMOVED,
    INVITATIONS_A_MATCH, INVITATIONS_A_PERSON, INVITATIONS_BY_ONE, LINKS_A_MATCH, MEMBERS_A_TEAM,
    REPORTS_COUNTED_MS, TEAMS_A_PERSON,
};
use mancala_server::store::{
    AppendError, Bar, ChallengeRow, Created, Fate, FateEnd, Idempotency, InvitationRow, LineRow,
    LinkRow, MatchRow, Memory, NewLine, NewMatch, NewReport, Outcome, RequestKind, ResultsRow,
    RoomRow, StageRow, Store, StoreError, TeamMemberRow, TeamRow, Weather,
};
use mancala_tests::Random;
use mancala_tests::logs::{Played, START_MS, append, rows, user};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

macro_rules! over_all_stores {
    ($($law:ident,)*) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                let folder = tempfile::tempdir().unwrap();
                let store = super::Store::open_sqlite(folder.path()).await.unwrap();
                super::$law(store.clone()).await;
                store.close().await;
            })*
        }
        mod memory {
            $(#[tokio::test(start_paused = true)]
            async fn $law() {
                super::$law(super::Store::memory()).await;
            })*
        }
        mod slow_memory {
            $(#[tokio::test(start_paused = true)]
            async fn $law() {
                super::$law(super::slow_memory()).await;
            })*
        }
    };
}

over_all_stores! {
    a_match_is_found_as_it_was_created,
    a_match_needs_an_id_and_a_name_of_its_own,
    a_match_begins_with_its_creation,
    a_whole_match_is_read_back_and_replays,
    every_kind_of_digest_and_text_comes_back,
    a_log_is_read_in_parts,
    an_append_that_does_not_follow_is_a_conflict,
    a_conflict_adds_none_of_its_rows,
    a_conflict_fails_nobody_else,
    many_tasks_write_without_a_gap,
    two_owners_cannot_both_write,
    appends_of_one_match_may_wait_together,
    a_request_sent_twice_creates_one_match,
    a_request_sent_by_many_at_once_creates_one_match,
    a_creation_is_forgotten_after_a_day,
    unfinished_matches_are_those_that_can_go_on,
    deadlines_are_those_of_the_last_rows,
    a_match_without_a_deadline_has_none,
    service_time_never_goes_back,
    only_public_matches_that_go_on_are_listed,
    a_list_goes_on_where_it_ended,
    a_list_is_not_shifted_by_new_matches,
    the_latest_snapshot_is_kept,
    a_match_is_set_aside_with_a_reason,
    a_user_is_found_by_the_token,
    a_user_needs_an_id_and_a_token_of_its_own,
    users_are_found_by_their_ids,
    a_link_admits_to_its_side_until_it_is_taken_back,
    an_invitation_stands_until_it_is_taken_back_or_the_match_is_over,
    lines_are_read_as_they_were_said,
    a_line_has_a_number_and_a_key_of_its_own,
    a_line_is_known_again_by_its_key,
    who_may_not_speak_is_remembered,
    a_removed_line_keeps_its_number,
    the_talk_of_one_match_is_deleted,
    a_line_is_reported_once,
    so_much_is_reported_in_a_day,
    reports_are_listed_in_pages,
    a_team_stands_with_those_who_come_and_go,
    names_and_places_in_teams_are_bounded,
    a_name_is_free_when_all_have_left,
    a_challenge_becomes_a_match_once,
    challenges_are_bounded_and_the_captains,
    a_team_has_the_results_of_its_matches,
    an_open_store_is_ready,
    a_closed_store_is_unavailable,
    what_is_under_way_is_written_before_the_end,
}

/// A disk of which every request takes another time.
#[derive(Debug)]
struct Slow(Mutex<Random>);

impl Weather for Slow {
    fn fate(&self, _: RequestKind) -> Fate {
        let mut random = self.0.lock().unwrap();
        let mut a_while = || Duration::from_millis(random.below(20) as u64);
        Fate {
            before: a_while(),
            end: FateEnd::Done,
            after: a_while(),
        }
    }
}

fn slow_memory() -> Store {
    let weather = Arc::new(Slow(Mutex::new(Random::from_seed(1))));
    Store::Memory(Memory::default().reopened(Some(weather)))
}

async fn create(store: &Store, number: u64) -> Played {
    let played = Played::new(number);
    let created = store.create_match(played.creation()).await;
    assert_eq!(created, Ok(Created::New));
    played
}

async fn seqs(store: &Store, id: MatchId) -> Vec<u64> {
    let log = store.log_after(id, 0, u32::MAX).await.unwrap();
    log.iter().map(|row| row.seq).collect()
}

async fn names_listed(store: &Store, before: Option<(i64, PublicId)>, limit: u32) -> Vec<MatchRow> {
    store.listed(before, limit).await.unwrap()
}

async fn a_match_is_found_as_it_was_created(store: Store) {
    let played = Played::new(7);
    let mut new = played.creation();
    new.access = Access::Link;
    new.link_hash = Some(SecretHash::of(b"come in"));
    assert_eq!(store.create_match(new).await, Ok(Created::New));
    let expected = MatchRow {
        id: played.id,
        public_id: played.public_id,
        creator: user(1).id,
        access: Access::Link,
        link_hash: Some(SecretHash::of(b"come in")),
        stage: StageRow::Gathering,
        outcome: None,
        created_ms: START_MS,
        spec: played.play.spec().clone(),
        set_aside: None,
    };
    assert_eq!(store.find_match(played.public_id).await, Ok(Some(expected)));
    assert_eq!(store.find_match(PublicId::from_number(8)).await, Ok(None));
}

async fn a_match_needs_an_id_and_a_name_of_its_own(store: Store) {
    let first = create(&store, 1).await;
    let mut same_id = Played::new(2).creation();
    same_id.id = first.id;
    let mut same_name = Played::new(3).creation();
    same_name.public_id = first.public_id;
    for new in [same_id, same_name] {
        let name = new.public_id;
        assert_eq!(store.create_match(new).await, Err(StoreError::Taken));
        let found = store.find_match(name).await.unwrap();
        assert!(found.is_none_or(|row| row.id == first.id));
    }
    assert_eq!(seqs(&store, first.id).await, [1]);
    assert_eq!(seqs(&store, MatchId(Uuid::from_u128(3))).await, [0; 0]);
}

async fn a_match_begins_with_its_creation(store: Store) {
    let played = Played::new(1);
    let mut nothing = played.creation();
    nothing.rows.clear();
    let mut no_creation = played.creation();
    no_creation.rows = rows(0, 2);
    let mut starts_late = played.creation();
    starts_late.rows[0].seq = 2;
    let mut with_gap = played.creation();
    with_gap.rows.extend(rows(2, 1));
    for new in [nothing, no_creation, starts_late, with_gap] {
        assert_eq!(store.create_match(new).await, Err(StoreError::Malformed));
    }
    assert_eq!(store.find_match(played.public_id).await, Ok(None));

    let mut with_more = played.creation();
    with_more.rows.extend(rows(1, 40));
    with_more.stage = StageRow::Playing;
    assert_eq!(
        store.create_match(with_more.clone()).await,
        Ok(Created::New)
    );
    let log = store.log_after(played.id, 0, 100).await;
    assert_eq!(log, Ok(with_more.rows));
    assert_eq!(store.append(append(played.id, 41, 1)).await, Ok(()));
}

async fn a_whole_match_is_read_back_and_replays(store: Store) {
    let mut played = create(&store, 1).await;
    let mut written = played.creation().rows;
    while played.play.end().is_none() {
        let step = played.step();
        written.extend(step.rows.clone());
        assert_eq!(store.append(step.clone()).await, Ok(()));
        let found = store.find_match(played.public_id).await.unwrap();
        assert_eq!(found.map(|row| row.stage), Some(step.stage));
    }
    let log = store.log_after(played.id, 0, u32::MAX).await.unwrap();
    assert!(log.len() > 20, "a game of Urim has more than 20 events");
    assert_eq!(log, written);
    let last = log[log.len() - 1].digest;
    let events: Vec<Event> = log.into_iter().map(|row| row.event).collect();
    assert_eq!(Match::replay(&events, last), Ok(played.play));
}

async fn every_kind_of_digest_and_text_comes_back(store: Store) {
    let played = create(&store, 1).await;
    let mut added = append(played.id, 1, 3);
    for (row, digest) in added.rows.iter_mut().zip([0, u64::MAX, 1 << 63]) {
        row.digest.0 = digest;
        row.at_ms = -5;
    }
    added.rows[2].event = Event::Seated {
        side: Side::South,
        user: UserId(Uuid::max()),
    };
    assert_eq!(store.append(added.clone()).await, Ok(()));
    assert_eq!(store.log_after(played.id, 1, 9).await, Ok(added.rows));

    let mut person = user(9);
    person.name = "Nakayiza 'o\"; drop table users; -- ñ 🌱\0x".to_owned();
    let token = TokenHash::of(b"t");
    assert_eq!(store.create_user(person.clone(), token).await, Ok(()));
    assert_eq!(store.user_by_token(token).await, Ok(Some(person)));
}

async fn a_log_is_read_in_parts(store: Store) {
    let played = create(&store, 1).await;
    assert_eq!(store.append(append(played.id, 1, 99)).await, Ok(()));
    let mut read = Vec::new();
    loop {
        let after = read.len() as u64;
        let part = store.log_after(played.id, after, 30).await.unwrap();
        if part.is_empty() {
            break;
        }
        assert!(part.len() <= 30);
        read.extend(part);
    }
    assert_eq!(read[1..], rows(1, 99));
    for after in [100, 101, u64::MAX] {
        assert_eq!(store.log_after(played.id, after, 30).await, Ok(vec![]));
    }
    assert_eq!(store.log_after(played.id, 0, 0).await, Ok(vec![]));
    let nobody = MatchId(Uuid::from_u128(99));
    assert_eq!(store.log_after(nobody, 0, 30).await, Ok(vec![]));
}

async fn an_append_that_does_not_follow_is_a_conflict(store: Store) {
    let played = create(&store, 1).await;
    assert_eq!(store.append(append(played.id, 1, 4)).await, Ok(()));
    for expected_seq in [0, 1, 4, 6, 1_000, u64::MAX - 9] {
        let late = append(played.id, expected_seq, 2);
        assert_eq!(store.append(late).await, Err(AppendError::Conflict));
    }
    let nobody = append(MatchId(Uuid::from_u128(99)), 0, 1);
    assert_eq!(store.append(nobody).await, Err(AppendError::Conflict));
    let mut with_gap = append(played.id, 5, 3);
    with_gap.rows.remove(1);
    assert_eq!(store.append(with_gap).await, Err(AppendError::Conflict));
    let mut backwards = append(played.id, 5, 2);
    backwards.rows.reverse();
    assert_eq!(store.append(backwards).await, Err(AppendError::Conflict));
    assert_eq!(seqs(&store, played.id).await, [1, 2, 3, 4, 5]);
    assert_eq!(store.append(append(played.id, 5, 1)).await, Ok(()));
}

async fn a_conflict_adds_none_of_its_rows(store: Store) {
    let played = create(&store, 1).await;
    assert_eq!(store.append(append(played.id, 1, 2)).await, Ok(()));
    // Its first row is there already, the others would be new.
    let mut overlapping = append(played.id, 2, 70);
    overlapping.stage = StageRow::Over;
    assert_eq!(store.append(overlapping).await, Err(AppendError::Conflict));
    assert_eq!(seqs(&store, played.id).await, [1, 2, 3]);
    let found = store.find_match(played.public_id).await.unwrap();
    assert_eq!(found.map(|row| row.stage), Some(StageRow::Playing));
}

async fn a_conflict_fails_nobody_else(store: Store) {
    let mut tasks = JoinSet::new();
    for number in 1..=50 {
        let played = create(&store, number).await;
        let store = store.clone();
        let expected_seq = if number % 10 == 0 { 3 } else { 1 };
        tasks.spawn(async move {
            let appended = store.append(append(played.id, expected_seq, 3)).await;
            (number, played.id, appended)
        });
    }
    while let Some(ended) = tasks.join_next().await {
        let (number, id, appended) = ended.unwrap();
        if number % 10 == 0 {
            assert_eq!(appended, Err(AppendError::Conflict), "match {number}");
            assert_eq!(seqs(&store, id).await, [1]);
        } else {
            assert_eq!(appended, Ok(()), "match {number}");
            assert_eq!(seqs(&store, id).await, [1, 2, 3, 4]);
        }
    }
}

async fn many_tasks_write_without_a_gap(store: Store) {
    let mut tasks = JoinSet::new();
    for number in 1..=100 {
        let played = create(&store, number).await;
        let store = store.clone();
        tasks.spawn(async move {
            for expected_seq in 1..=10 {
                let appended = store.append(append(played.id, expected_seq, 1)).await;
                assert_eq!(appended, Ok(()));
            }
            played.id
        });
    }
    let mut matches = 0;
    while let Some(id) = tasks.join_next().await {
        let log = store.log_after(id.unwrap(), 1, u32::MAX).await;
        assert_eq!(log, Ok(rows(1, 10)));
        matches += 1;
    }
    assert_eq!(matches, 100);
}

async fn two_owners_cannot_both_write(store: Store) {
    let played = create(&store, 1).await;
    let mut tasks = JoinSet::new();
    for owner in 0..20 {
        let store = store.clone();
        tasks.spawn(async move {
            let mut won = 0;
            for expected_seq in 1..=10 {
                let mut one = append(played.id, expected_seq, 1);
                one.rows[0].at_ms = owner;
                won += u64::from(store.append(one).await.is_ok());
            }
            won
        });
    }
    let mut won = 0;
    while let Some(one) = tasks.join_next().await {
        won += one.unwrap();
    }
    let log = seqs(&store, played.id).await;
    assert_eq!(won + 1, log.len() as u64);
    assert!(log.iter().copied().eq(1..=won + 1), "{log:?}");
}

async fn appends_of_one_match_may_wait_together(store: Store) {
    let played = create(&store, 1).await;
    let [first, second, wrong, third] = tokio::join!(
        store.append(append(played.id, 1, 2)),
        store.append(append(played.id, 3, 2)),
        store.append(append(played.id, 3, 1)),
        store.append(append(played.id, 5, 2)),
    )
    .into();
    assert_eq!([first, second, third], [Ok(()); 3]);
    assert_eq!(wrong, Err(AppendError::Conflict));
    assert_eq!(seqs(&store, played.id).await, [1, 2, 3, 4, 5, 6, 7]);
}

fn idempotency(key: &str, request: &str) -> Idempotency {
    Idempotency {
        key: key.to_owned(),
        request: RequestHash::of(request.as_bytes()),
    }
}

fn created_before(number: u64, request: &str) -> Created {
    Created::Before {
        public_id: PublicId::from_number(number),
        request: RequestHash::of(request.as_bytes()),
    }
}

async fn a_request_sent_twice_creates_one_match(store: Store) {
    let with_key = |number: u64, creator: u128, key: &str| {
        let mut new = Played::new(number).creation();
        new.creator = user(creator).id;
        new.idempotency = Some(idempotency(key, &format!("request {number}")));
        new
    };
    // What the first one asked for, whatever the later ones ask for.
    let before = Ok(created_before(1, "request 1"));
    let cases = [
        (with_key(1, 1, "a"), Ok(Created::New)),
        (with_key(2, 1, "a"), before.clone()),
        // The very same request, ids and all.
        (with_key(1, 1, "a"), before.clone()),
        (with_key(3, 1, "b"), Ok(Created::New)),
        (with_key(4, 2, "a"), Ok(Created::New)),
        (with_key(5, 1, "a"), before),
        // A creation that failed leaves its key free.
        (with_key(1, 3, "a"), Err(StoreError::Taken)),
        (with_key(6, 3, "a"), Ok(Created::New)),
    ];
    for (new, expected) in cases {
        assert_eq!(store.create_match(new).await, expected);
    }
    let unfinished = store.unfinished().await.unwrap();
    let numbers: Vec<u128> = unfinished.iter().map(|(id, _)| id.0.as_u128()).collect();
    assert_eq!(numbers, [1, 3, 4, 6]);
}

async fn a_request_sent_by_many_at_once_creates_one_match(store: Store) {
    let mut tasks = JoinSet::new();
    for number in 1..=20 {
        let store = store.clone();
        tasks.spawn(async move {
            let played = Played::new(number);
            let mut new = played.creation();
            new.idempotency = Some(idempotency("the same", "request"));
            match store.create_match(new).await.unwrap() {
                Created::New => played.public_id,
                Created::Before { public_id, .. } => public_id,
            }
        });
    }
    let mut names = BTreeSet::new();
    while let Some(name) = tasks.join_next().await {
        names.insert(name.unwrap());
    }
    assert_eq!(names.len(), 1);
    assert_eq!(store.unfinished().await.unwrap().len(), 1);
}

async fn a_creation_is_forgotten_after_a_day(store: Store) {
    let mut new = Played::new(1).creation();
    new.idempotency = Some(idempotency("a", "request 1"));
    assert_eq!(store.create_match(new).await, Ok(Created::New));
    let again = |number: u64, after_ms: i64| {
        let mut new = Played::new(number).creation();
        new.created_ms = START_MS + after_ms;
        new.idempotency = Some(idempotency("a", &format!("request {number}")));
        store.create_match(new)
    };
    let before = Ok(created_before(1, "request 1"));
    assert_eq!(again(2, CREATION_KEY_KEPT_MS - 1).await, before);
    assert_eq!(again(3, CREATION_KEY_KEPT_MS).await, Ok(Created::New));
    let before = Ok(created_before(3, "request 3"));
    assert_eq!(again(4, CREATION_KEY_KEPT_MS).await, before);

    // More old keys than are removed at a time: one that still stands there is forgotten
    // all the same.
    let last = u64::from(CREATION_KEYS_REMOVED) + 20;
    for round in [0, 1] {
        for number in 10..10 + last {
            let mut new = Played::new(round * 1_000 + number).creation();
            new.created_ms = START_MS + round.cast_signed() * 3 * CREATION_KEY_KEPT_MS;
            let key = format!("many {}", 10 + last - number);
            new.idempotency = Some(idempotency(&key, "request"));
            assert_eq!(store.create_match(new).await, Ok(Created::New));
        }
    }
}

async fn unfinished_matches_are_those_that_can_go_on(store: Store) {
    assert_eq!(store.unfinished().await, Ok(vec![]));
    let gathering = create(&store, 3).await;
    let mut playing = create(&store, 1).await;
    let mut over = create(&store, 4).await;
    let aside = create(&store, 2).await;
    let mut by_link = Played::new(5).creation();
    by_link.access = Access::Link;
    assert_eq!(store.create_match(by_link).await, Ok(Created::New));
    for played in [&mut playing, &mut over] {
        for _ in 0..2 {
            assert_eq!(store.append(played.step()).await, Ok(()));
        }
    }
    while over.play.end().is_none() {
        assert_eq!(store.append(over.step()).await, Ok(()));
    }
    assert_eq!(store.set_aside(aside.id, "a test").await, Ok(()));
    let fifth = Played::new(5);
    let expected = [playing, gathering, fifth].map(|one| (one.id, one.public_id));
    assert_eq!(store.unfinished().await, Ok(expected.to_vec()));
}

/// The match with this number, with ten seconds for each turn, some steps old; the last of them
/// at this service time.
async fn timed(store: &Store, number: u64, steps: usize, service_ms: i64) -> Played {
    let form = ControlForm::PerMove {
        seconds: 10,
        out: WhenOut::LosesGame,
    };
    let mut played = Played::timed(number, form.try_into().unwrap());
    let created = store.create_match(played.creation()).await;
    assert_eq!(created, Ok(Created::New));
    for left in (0..steps).rev() {
        played.service_ms = if left == 0 { service_ms } else { 1 };
        assert_eq!(store.append(played.step()).await, Ok(()));
    }
    played
}

async fn deadlines_are_those_of_the_last_rows(store: Store) {
    assert_eq!(store.deadlines().await, Ok(vec![]));
    for (number, service_ms) in [(1, 3_000), (2, 1_000), (3, 2_000), (4, 1_000)] {
        timed(&store, number, 5, service_ms).await;
    }
    let names = [1, 2, 3, 4].map(|number| Played::new(number).public_id);
    // Ten seconds, and one for the way.
    let due = |number: usize, since_ms: i64| (names[number - 1], since_ms + 11_000);
    let mut first = [due(2, 1_000), due(4, 1_000)];
    first.sort_by_key(|&(name, _)| name);
    let expected = [first[0], first[1], due(3, 2_000), due(1, 3_000)];
    assert_eq!(store.deadlines().await, Ok(expected.to_vec()));
    let mut second = timed(&store, 5, 5, 9_000).await;
    second.service_ms = 9_500;
    assert_eq!(store.append(second.step()).await, Ok(()));
    let last = store.deadlines().await.unwrap().pop();
    assert_eq!(last, Some((second.public_id, 9_500 + 11_000)));
    let log = store.log_after(second.id, 0, 100).await.unwrap();
    assert_eq!(log[0].deadline_ms, None);
    assert_eq!(log[log.len() - 1].deadline_ms, Some(9_500 + 11_000));
}

async fn a_match_without_a_deadline_has_none(store: Store) {
    // One that waits for its players, one that is set aside, one without clocks, one that is
    // over.
    timed(&store, 1, 1, 5).await;
    let aside = timed(&store, 2, 5, 5).await;
    assert_eq!(store.set_aside(aside.id, "a test").await, Ok(()));
    let mut untimed = create(&store, 3).await;
    for _ in 0..5 {
        assert_eq!(store.append(untimed.step()).await, Ok(()));
    }
    let mut over = timed(&store, 4, 5, 5).await;
    assert_eq!(store.deadlines().await.unwrap().len(), 1);
    while over.play.end().is_none() {
        assert_eq!(store.append(over.step()).await, Ok(()));
    }
    assert_eq!(store.deadlines().await, Ok(vec![]));
}

async fn service_time_never_goes_back(store: Store) {
    assert_eq!(store.service_ms().await, Ok(0));
    assert_eq!(store.note_service_ms(70).await, Ok(()));
    assert_eq!(store.service_ms().await, Ok(70));
    assert_eq!(store.note_service_ms(60).await, Ok(()));
    assert_eq!(store.ready().await, Ok(()));
    assert_eq!(store.service_ms().await, Ok(70));
    let mut played = Played::new(1);
    played.service_ms = 80;
    assert_eq!(
        store.create_match(played.creation()).await,
        Ok(Created::New)
    );
    assert_eq!(store.service_ms().await, Ok(80));
    played.service_ms = 90;
    assert_eq!(store.append(played.step()).await, Ok(()));
    assert_eq!(store.service_ms().await, Ok(90));
    // What comes in one go says the latest.
    let said = [110, 120, 100].map(|ms| {
        let store = store.clone();
        tokio::spawn(async move { store.note_service_ms(ms).await })
    });
    for noted in said {
        assert_eq!(noted.await.unwrap(), Ok(()));
    }
    assert_eq!(store.service_ms().await, Ok(120));
}

async fn only_public_matches_that_go_on_are_listed(store: Store) {
    let numbers = |listed: Vec<MatchRow>| -> Vec<u128> {
        listed.iter().map(|row| row.id.0.as_u128()).collect()
    };
    for number in 1..=4 {
        let mut new = Played::new(number).creation();
        if number == 2 {
            new.access = Access::Link;
        }
        assert_eq!(store.create_match(new).await, Ok(Created::New));
    }
    assert_eq!(numbers(names_listed(&store, None, 10).await), [4, 3, 1]);
    let third = Played::new(3);
    assert_eq!(store.set_aside(third.id, "a test").await, Ok(()));
    let mut fourth = Played::new(4);
    while fourth.play.end().is_none() {
        assert_eq!(numbers(names_listed(&store, None, 10).await), [4, 1]);
        assert_eq!(store.append(fourth.step()).await, Ok(()));
    }
    let listed = names_listed(&store, None, 10).await;
    assert_eq!(listed[0].spec, *fourth.play.spec());
    assert_eq!(numbers(listed), [1]);
}

/// Seven matches, created at three times.
async fn create_seven(store: &Store) {
    for number in 1..=7 {
        let mut new = Played::new(number).creation();
        new.created_ms = START_MS + (number / 3).cast_signed();
        assert_eq!(store.create_match(new).await, Ok(Created::New));
    }
}

async fn a_list_goes_on_where_it_ended(store: Store) {
    create_seven(&store).await;
    for limit in 1..=8 {
        let mut before = None;
        let mut names = Vec::new();
        loop {
            let part = names_listed(&store, before, limit).await;
            assert!(part.len() <= limit as usize);
            let Some(last) = part.last() else { break };
            before = Some((last.created_ms, last.public_id));
            names.extend(part.iter().map(|row| row.public_id));
        }
        let expected = [7, 6, 5, 4, 3, 2, 1].map(PublicId::from_number);
        assert_eq!(names, expected, "{limit} at a time");
    }
    assert_eq!(store.listed(None, 0).await, Ok(vec![]));
}

async fn a_list_is_not_shifted_by_new_matches(store: Store) {
    create_seven(&store).await;
    let mut before = None;
    let mut names = Vec::new();
    for round in 0..4 {
        let part = names_listed(&store, before, 2).await;
        let last = part.last().unwrap();
        before = Some((last.created_ms, last.public_id));
        names.extend(part.iter().map(|row| row.public_id));
        let mut new = Played::new(100 + round).creation();
        new.created_ms = START_MS + 10;
        assert_eq!(store.create_match(new).await, Ok(Created::New));
    }
    assert_eq!(names, [7, 6, 5, 4, 3, 2, 1].map(PublicId::from_number));
    assert_eq!(names_listed(&store, before, 2).await, []);
}

async fn the_latest_snapshot_is_kept(store: Store) {
    let mut played = create(&store, 1).await;
    let other = create(&store, 2).await;
    assert_eq!(store.snapshot(played.id).await, Ok(None));
    let mut kept = Vec::new();
    for _ in 0..6 {
        assert_eq!(store.append(played.step()).await, Ok(()));
        kept.push((played.play.seq(), played.play.snapshot()));
    }
    // In another order than they were made, as tasks may come late.
    for at in [1, 3, 2, 5, 0] {
        let (seq, snapshot) = &kept[at];
        let put = store.put_snapshot(played.id, *seq, snapshot).await;
        assert_eq!(put, Ok(()));
    }
    assert_eq!(store.snapshot(played.id).await, Ok(Some(kept[5].clone())));
    let (_, snapshot) = store.snapshot(played.id).await.unwrap().unwrap();
    assert_eq!(Match::try_from(snapshot), Ok(played.play));
    assert_eq!(store.snapshot(other.id).await, Ok(None));

    let (seq, snapshot) = &kept[0];
    let nobody = MatchId(Uuid::from_u128(99));
    let put = store.put_snapshot(nobody, *seq, snapshot).await;
    assert_eq!(put, Err(StoreError::NoSuchMatch));
    assert_eq!(store.snapshot(nobody).await, Ok(None));

    assert_eq!(store.delete_snapshots().await, Ok(()));
    assert_eq!(store.snapshot(played.id).await, Ok(None));
    let put = store.put_snapshot(played.id, *seq, snapshot).await;
    assert_eq!(put, Ok(()));
    assert_eq!(store.snapshot(played.id).await, Ok(Some(kept[0].clone())));
}

async fn a_match_is_set_aside_with_a_reason(store: Store) {
    let played = create(&store, 1).await;
    assert_eq!(store.set_aside(played.id, "another digest").await, Ok(()));
    let found = store.find_match(played.public_id).await.unwrap().unwrap();
    assert_eq!(found.set_aside.as_deref(), Some("another digest"));
    assert_eq!(seqs(&store, played.id).await, [1]);
    let nobody = MatchId(Uuid::from_u128(99));
    let none = store.set_aside(nobody, "not there").await;
    assert_eq!(none, Err(StoreError::NoSuchMatch));
}

async fn a_user_is_found_by_the_token(store: Store) {
    let [ann, ben] = [b"ann", b"ben"].map(|secret| TokenHash::of(secret));
    assert_eq!(store.create_user(user(1), ann).await, Ok(()));
    assert_eq!(store.create_user(user(2), ben).await, Ok(()));
    assert_eq!(store.user_by_token(ann).await, Ok(Some(user(1))));
    assert_eq!(store.user_by_token(ben).await, Ok(Some(user(2))));
    let other = TokenHash::of(b"cat");
    assert_eq!(store.user_by_token(other).await, Ok(None));
}

async fn a_user_needs_an_id_and_a_token_of_its_own(store: Store) {
    let [ann, ben] = [b"ann", b"ben"].map(|secret| TokenHash::of(secret));
    assert_eq!(store.create_user(user(1), ann).await, Ok(()));
    let taken = Err(StoreError::Taken);
    assert_eq!(store.create_user(user(1), ben).await, taken);
    assert_eq!(store.user_by_token(ben).await, Ok(None));
    assert_eq!(store.create_user(user(2), ann).await, taken);
    assert_eq!(store.users(&[user(2).id]).await, Ok(vec![]));
    assert_eq!(store.user_by_token(ann).await, Ok(Some(user(1))));
    assert_eq!(store.create_user(user(2), ben).await, Ok(()));
}

async fn users_are_found_by_their_ids(store: Store) {
    for number in 1..=3 {
        let token = TokenHash::of(&[number]);
        let created = store.create_user(user(number.into()), token).await;
        assert_eq!(created, Ok(()));
    }
    let ids = [3, 9, 1, 3].map(|number| user(number).id);
    assert_eq!(store.users(&ids).await, Ok(vec![user(1), user(3)]));
    assert_eq!(store.users(&[]).await, Ok(vec![]));
}

async fn a_link_admits_to_its_side_until_it_is_taken_back(store: Store) {
    let [played, other] = [create(&store, 1).await, create(&store, 2).await];
    let link = |match_id, secret: u32, side| LinkRow {
        hash: SecretHash::of(&secret.to_be_bytes()),
        match_id,
        side,
        made_by: user(1).id,
        created_ms: START_MS,
    };
    let most = u32::from(u8::try_from(LINKS_A_MATCH).unwrap());
    for secret in 0..most {
        let side = if secret == 0 {
            Side::South
        } else {
            Side::North
        };
        let put = store.put_link(link(played.id, secret, side)).await;
        assert_eq!(put, Ok(()));
    }
    let more = link(played.id, most, Side::South);
    assert_eq!(store.put_link(more.clone()).await, Err(StoreError::Full));
    // Another match has its own.
    let others = link(other.id, most + 1, Side::South);
    assert_eq!(store.put_link(others.clone()).await, Ok(()));
    let south = link(played.id, 0, Side::South);
    assert_eq!(store.link(south.hash).await, Ok(Some(south.clone())));
    assert_eq!(store.link(more.hash).await, Ok(None));
    assert_eq!(store.remove_links(played.id, Side::North).await, Ok(()));
    let north = link(played.id, 1, Side::North);
    assert_eq!(store.link(north.hash).await, Ok(None));
    assert_eq!(store.link(south.hash).await, Ok(Some(south)));
    assert_eq!(store.link(others.hash).await, Ok(Some(others)));
    assert_eq!(store.put_link(more).await, Ok(()));
}

async fn an_invitation_stands_until_it_is_taken_back_or_the_match_is_over(store: Store) {
    let [played, other] = [create(&store, 1).await, create(&store, 2).await];
    for number in 1..=3 {
        let token = TokenHash::of(&[number]);
        let created = store.create_user(user(number.into()), token).await;
        assert_eq!(created, Ok(()));
    }
    let invitation = |match_id, side, after_ms| InvitationRow {
        match_id,
        user: user(2).id,
        side,
        by: user(1).id,
        created_ms: START_MS + after_ms,
    };
    let first = invitation(played.id, Side::South, 1);
    assert_eq!(store.invite(first.clone()).await, Ok(()));
    let second = invitation(played.id, Side::North, 2);
    assert_eq!(store.invite(second.clone()).await, Ok(()));
    let third = invitation(other.id, Side::South, 3);
    assert_eq!(store.invite(third.clone()).await, Ok(()));
    let of_user = async |number| {
        let found = store.invitations_of(user(number).id).await.unwrap();
        found
            .into_iter()
            .map(|(invitation, row)| {
                assert_eq!(row.id, invitation.match_id);
                invitation
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(of_user(2).await, [third.clone(), second.clone()]);
    assert_eq!(of_user(3).await, []);
    let found = store.invitation(played.id, user(2).id).await;
    assert_eq!(found, Ok(Some(second)));
    assert_eq!(store.invitation(played.id, user(3).id).await, Ok(None));
    let mut end = append(played.id, 1, 1);
    end.stage = StageRow::Over;
    assert_eq!(store.append(end).await, Ok(()));
    assert_eq!(of_user(2).await, [third]);
    assert_eq!(store.uninvite(other.id, user(3).id).await, Ok(()));
    assert_eq!(store.uninvite(other.id, user(2).id).await, Ok(()));
    assert_eq!(of_user(2).await, []);
    // So many people are invited to one match, and so many times one of them.
    let most = u64::from(INVITATIONS_A_MATCH);
    for number in 0..=most {
        let invitation = InvitationRow {
            user: user((100 + number).into()).id,
            ..invitation(other.id, Side::South, 4)
        };
        let expected = if number < most {
            Ok(())
        } else {
            Err(StoreError::Full)
        };
        assert_eq!(store.invite(invitation).await, expected);
    }
    // What they were invited to and is over counts no more.
    let mut matches = Vec::new();
    for number in 0..=u64::from(INVITATIONS_A_PERSON + INVITATIONS_BY_ONE) {
        matches.push(create(&store, 1_000 + number).await);
    }
    let (over, open) = matches.split_at(INVITATIONS_BY_ONE as usize);
    let from = |played: &Played, by: u128| InvitationRow {
        user: user(50).id,
        by: user(by).id,
        ..invitation(played.id, Side::South, 5)
    };
    for played in over {
        assert_eq!(store.invite(from(played, 1)).await, Ok(()));
    }
    assert_eq!(store.invite(from(&open[0], 1)).await, Err(StoreError::Full));
    assert_eq!(store.invite(from(&over[0], 1)).await, Ok(()), "it is there");
    for played in over {
        let mut end = append(played.id, 1, 1);
        end.stage = StageRow::Over;
        assert_eq!(store.append(end).await, Ok(()));
    }
    for (number, played) in (0..).zip(open) {
        // Everybody invites as often as one may.
        let by = 200 + number / u128::from(INVITATIONS_BY_ONE);
        let expected = if number < INVITATIONS_A_PERSON.into() {
            Ok(())
        } else {
            Err(StoreError::Full)
        };
        assert_eq!(store.invite(from(played, by)).await, expected, "{number}");
    }
    // Nobody takes the place of another's invitation to the other side.
    let others = InvitationRow {
        side: Side::North,
        ..from(&open[0], 300)
    };
    assert_eq!(store.invite(others.clone()).await, Err(StoreError::Taken));
    let own = InvitationRow {
        by: user(200).id,
        ..others
    };
    assert_eq!(store.invite(own).await, Ok(()));
}

const SOUTH: Room = Room::Team(Side::South);
const NORTH: Room = Room::Team(Side::North);

/// A line of a number, as somebody says it; its key is of its room and number.
fn line(played: &Played, room: Room, n: u32, speaker: u128) -> NewLine {
    NewLine {
        match_id: played.id,
        room,
        key: format!("{room}-{n}"),
        line: LineRow {
            n,
            user: user(speaker).id,
            side: n.is_multiple_of(2).then_some(Side::North),
            at_ms: START_MS + i64::from(n),
            text: Some(format!("ä \u{1f600} {room} {n} \u{202e}'\"")),
        },
    }
}

async fn say(store: &Store, lines: &[NewLine]) {
    for line in lines {
        assert_eq!(store.say(line.clone()).await, Ok(()));
    }
}

/// All that was said in a room.
async fn said(store: &Store, played: &Played, room: Room) -> Vec<LineRow> {
    let all = store.lines(played.id, room, (0, u32::MAX), u32::MAX);
    all.await.unwrap()
}

async fn lines_are_read_as_they_were_said(store: Store) {
    let [played, other] = [create(&store, 1).await, create(&store, 2).await];
    assert_eq!(store.room(played.id, SOUTH).await, Ok(RoomRow::default()));
    let south = [1, 2, 3, 4, 5].map(|n| line(&played, SOUTH, n, n.into()));
    let north = [line(&played, NORTH, 1, 1)];
    let elsewhere = [line(&other, SOUTH, 1, 1), line(&other, SOUTH, 2, 1)];
    for lines in [&south[..], &north, &elsewhere] {
        say(&store, lines).await;
    }
    let rows =
        |lines: &[NewLine]| -> Vec<LineRow> { lines.iter().map(|new| new.line.clone()).collect() };
    assert_eq!(said(&store, &played, SOUTH).await, rows(&south));
    assert_eq!(said(&store, &played, NORTH).await, rows(&north));
    assert_eq!(said(&store, &played, Room::Public).await, []);
    assert_eq!(said(&store, &other, SOUTH).await, rows(&elsewhere));
    for (range, limit, expected) in [
        ((0, 5), 2, &south[..2]),
        ((2, 4), 9, &south[2..4]),
        ((4, u32::MAX), 9, &south[4..]),
        ((5, 5), 9, &[]),
        ((9, 2), 9, &[]),
        ((0, 5), 0, &[]),
        ((u32::MAX, u32::MAX), 9, &[]),
    ] {
        let read = store.lines(played.id, SOUTH, range, limit).await;
        assert_eq!(read, Ok(rows(expected)), "{range:?} {limit}");
    }
    let last = |room| {
        let store = &store;
        async move { store.room(played.id, room).await.unwrap().last }
    };
    assert_eq!((last(SOUTH).await, last(NORTH).await), (5, 1));
    assert_eq!(last(Room::Public).await, 0);
}

async fn a_line_has_a_number_and_a_key_of_its_own(store: Store) {
    let [played, other] = [create(&store, 1).await, create(&store, 2).await];
    let first = line(&played, SOUTH, 1, 1);
    say(&store, std::slice::from_ref(&first)).await;
    let mut same_number = line(&played, SOUTH, 1, 2);
    same_number.key = "another".to_owned();
    assert_eq!(store.say(same_number).await, Err(StoreError::Taken));
    // A key is the speaker's in all rooms of the match, and nobody else's.
    for room in [SOUTH, NORTH, Room::Public] {
        let mut same_key = line(&played, room, 2, 1);
        same_key.key.clone_from(&first.key);
        assert_eq!(store.say(same_key).await, Err(StoreError::Taken));
    }
    let mut by_another = line(&played, SOUTH, 2, 2);
    by_another.key.clone_from(&first.key);
    let mut elsewhere = line(&other, SOUTH, 1, 1);
    elsewhere.key.clone_from(&first.key);
    say(&store, &[by_another.clone(), elsewhere]).await;
    let all = [first.line, by_another.line];
    assert_eq!(said(&store, &played, SOUTH).await, all);
    let nowhere = line(&Played::new(99), SOUTH, 1, 1);
    assert_eq!(store.say(nowhere).await, Err(StoreError::NoSuchMatch));
}

async fn a_line_is_known_again_by_its_key(store: Store) {
    let [played, other] = [create(&store, 1).await, create(&store, 2).await];
    let first = line(&played, SOUTH, 1, 1);
    say(&store, std::slice::from_ref(&first)).await;
    let known = |id: MatchId, speaker: u128, key: &'static str| {
        let store = store.clone();
        async move { store.said_before(id, user(speaker).id, key).await.unwrap() }
    };
    let found = known(played.id, 1, "south-1").await;
    assert_eq!(found, Some((SOUTH, first.line)));
    assert_eq!(known(played.id, 2, "south-1").await, None);
    assert_eq!(known(played.id, 1, "south-2").await, None);
    assert_eq!(known(other.id, 1, "south-1").await, None);
}

async fn who_may_not_speak_is_remembered(store: Store) {
    let [played, other] = [create(&store, 1).await, create(&store, 2).await];
    let bar = |played: &Played, room, who: Option<u128>, stands| Bar {
        match_id: played.id,
        room,
        user: who.map(|who| user(who).id),
        stands,
    };
    for one in [
        bar(&played, SOUTH, Some(1), true),
        bar(&played, SOUTH, Some(2), true),
        bar(&played, SOUTH, Some(2), true),
        bar(&played, SOUTH, Some(3), true),
        bar(&played, SOUTH, Some(3), false),
        bar(&played, SOUTH, Some(4), false),
        bar(&played, NORTH, None, true),
        bar(&other, SOUTH, None, true),
        bar(&other, SOUTH, None, false),
    ] {
        assert_eq!(store.bar(one).await, Ok(()), "{one:?}");
    }
    let stands = |last, closed, muted: &[u128]| RoomRow {
        last,
        closed,
        muted: muted.iter().map(|who| user(*who).id).collect(),
    };
    let south = store.room(played.id, SOUTH).await;
    assert_eq!(south, Ok(stands(0, false, &[1, 2])));
    let north = store.room(played.id, NORTH).await;
    assert_eq!(north, Ok(stands(0, true, &[])));
    let elsewhere = store.room(other.id, SOUTH).await;
    assert_eq!(elsewhere, Ok(stands(0, false, &[])));
    // The store keeps who may not speak; that he does not is for others to see to.
    say(&store, &[line(&played, SOUTH, 1, 1)]).await;
    let south = store.room(played.id, SOUTH).await;
    assert_eq!(south, Ok(stands(1, false, &[1, 2])));
    let nowhere = store.bar(bar(&Played::new(99), SOUTH, None, true)).await;
    assert_eq!(nowhere, Err(StoreError::NoSuchMatch));
}

async fn a_removed_line_keeps_its_number(store: Store) {
    let played = create(&store, 1).await;
    let lines = [1, 2, 3].map(|n| line(&played, Room::Public, n, 1));
    say(&store, &lines).await;
    let remove = |n| {
        let store = store.clone();
        async move { store.remove_line(played.id, Room::Public, n).await }
    };
    assert_eq!(remove(3).await, Ok(()));
    for n in [0, 3, 4, u32::MAX] {
        assert_eq!(remove(n).await, Err(StoreError::NoSuchLine), "{n}");
    }
    let elsewhere = store.remove_line(played.id, SOUTH, 1).await;
    assert_eq!(elsewhere, Err(StoreError::NoSuchLine));
    let mut expected = lines.map(|new| new.line);
    expected[2].text = None;
    assert_eq!(said(&store, &played, Room::Public).await, expected);
    let known = store.said_before(played.id, user(1).id, "public-3").await;
    assert_eq!(known, Ok(Some((Room::Public, expected[2].clone()))));
    assert_eq!(store.room(played.id, Room::Public).await.unwrap().last, 3);
}

async fn the_talk_of_one_match_is_deleted(store: Store) {
    let [played, other] = [create(&store, 1).await, create(&store, 2).await];
    for played in [&played, &other] {
        for room in Room::ALL {
            say(
                &store,
                &[line(played, room, 1, 1), line(played, room, 2, 2)],
            )
            .await;
        }
    }
    let bar = Bar {
        match_id: played.id,
        room: SOUTH,
        user: Some(user(2).id),
        stands: true,
    };
    assert_eq!(store.bar(bar).await, Ok(()));
    assert_eq!(store.report(report(&played, 1, 2)).await, Ok(()));
    assert_eq!(store.clear_talk(played.id).await, Ok(()));
    for room in Room::ALL {
        assert_eq!(said(&store, &played, room).await, []);
        assert_eq!(said(&store, &other, room).await.len(), 2);
    }
    let room = store.room(played.id, SOUTH).await.unwrap();
    assert_eq!((room.last, room.muted.len()), (0, 1));
    assert_eq!(store.reports(None, 9).await.unwrap().len(), 1);
    let known = store.said_before(played.id, user(1).id, "south-1").await;
    assert_eq!(known, Ok(None));
    say(&store, &[line(&played, SOUTH, 1, 1)]).await;
    assert_eq!(store.clear_talk(Played::new(99).id).await, Ok(()));
}

/// That somebody reports a line of the public room.
fn report(played: &Played, by: u128, n: u32) -> NewReport {
    let lines = [n - 1, n].map(|n| line(played, Room::Public, n, 1).line);
    NewReport {
        at_ms: START_MS + i64::from(n),
        by: user(by).id,
        match_id: played.id,
        room: Room::Public,
        n,
        why: format!("\"{n}\" ä"),
        lines: lines.into(),
    }
}

async fn a_line_is_reported_once(store: Store) {
    let played = create(&store, 1).await;
    let first = report(&played, 1, 5);
    assert_eq!(store.report(first.clone()).await, Ok(()));
    let mut again = first.clone();
    again.why = "once more".to_owned();
    again.at_ms += 1;
    assert_eq!(store.report(again).await, Ok(()));
    let mut removed = report(&played, 2, 5);
    removed.lines[0].text = None;
    assert_eq!(store.report(removed.clone()).await, Ok(()));
    let listed = store.reports(None, 9).await.unwrap();
    assert!(listed[0].id > listed[1].id);
    assert!(listed.iter().all(|row| row.public_id == played.public_id));
    let reports = listed.into_iter().map(|row| row.report);
    assert_eq!(reports.collect::<Vec<_>>(), [removed, first]);
    let nowhere = store.report(report(&Played::new(99), 1, 5)).await;
    assert_eq!(nowhere, Err(StoreError::NoSuchMatch));
}

async fn so_much_is_reported_in_a_day(store: Store) {
    let [played, other] = [create(&store, 1).await, create(&store, 2).await];
    for n in 1..=REPORTS_A_DAY_MAX {
        let played = if n % 2 == 0 { &played } else { &other };
        assert_eq!(store.report(report(played, 1, n)).await, Ok(()));
    }
    let mut next = report(&played, 1, 1_000);
    let over = Err(StoreError::ReportsOver);
    assert_eq!(store.report(next.clone()).await, over);
    // Not for somebody else, nor for what he has reported.
    assert_eq!(store.report(report(&played, 2, 1_000)).await, Ok(()));
    assert_eq!(store.report(report(&played, 1, 2)).await, Ok(()));
    // The first counts for a day, and no longer.
    next.at_ms = START_MS + 1 + REPORTS_COUNTED_MS - 1;
    assert_eq!(store.report(next.clone()).await, over);
    next.at_ms += 1;
    assert_eq!(store.report(next.clone()).await, Ok(()));
    next.n += 1;
    assert_eq!(store.report(next).await, over);
}

async fn reports_are_listed_in_pages(store: Store) {
    assert_eq!(store.reports(None, 9).await, Ok(vec![]));
    let played = create(&store, 1).await;
    for n in 1..=7 {
        assert_eq!(store.report(report(&played, n.into(), n)).await, Ok(()));
    }
    let mut before = None;
    let mut numbers = Vec::new();
    loop {
        let page = store.reports(before, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        numbers.extend(page.iter().map(|row| row.report.n));
    }
    assert_eq!(numbers, [7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(store.reports(Some(0), 9).await, Ok(vec![]));
    assert_eq!(store.reports(Some(u64::MAX), 9).await.unwrap().len(), 7);
}

fn team(number: u64, name: &str) -> TeamRow {
    TeamRow {
        id: PublicId::from_number(number),
        name: name.to_owned(),
        captain: Some(user(1).id),
        link_hash: None,
        created_ms: START_MS + number.cast_signed(),
    }
}

async fn a_team_stands_with_those_who_come_and_go(store: Store) {
    let row = team(1, "Buganda");
    assert_eq!(store.found_team(row.clone()).await, Ok(()));
    let numbers = async |store: &Store| {
        let (row, members) = store.team(PublicId::from_number(1)).await.unwrap().unwrap();
        let of = |user| members.iter().find(|member| member.user == user);
        let captain = row.captain.map(|captain| of(captain).unwrap().number);
        let numbers: Vec<u32> = members.iter().map(|member| member.number).collect();
        (captain, numbers)
    };
    let [ann, ben, cid] = [1, 2, 3].map(|number| user(number).id);
    for (who, at_ms) in [(ben, 5), (ben, 6), (cid, 7)] {
        assert_eq!(store.come_to_team(row.id, who, at_ms).await, Ok(()));
    }
    assert_eq!(numbers(&store).await, (Some(1), vec![1, 2, 3]));
    let (_, members) = store.team(row.id).await.unwrap().unwrap();
    let expected = TeamMemberRow {
        number: 2,
        user: ben,
        came_ms: 5,
    };
    assert_eq!(members[1], expected, "he came once");
    // What is the captain's is done for nobody else, nor to who is not there.
    let refused = Err(StoreError::Refused);
    let link = Some(SecretHash::of(b"come in"));
    assert_eq!(store.set_team_link(row.id, ben, link).await, refused);
    assert_eq!(store.lead_team(row.id, 2, ben).await, refused);
    assert_eq!(store.leave_team(row.id, 3, ben).await, refused);
    for number in [0, 9] {
        assert_eq!(store.lead_team(row.id, number, ann).await, refused);
        assert_eq!(store.leave_team(row.id, number, ann).await, refused);
    }
    assert_eq!(store.set_team_link(row.id, ann, link).await, Ok(()));
    let (kept, _) = store.team(row.id).await.unwrap().unwrap();
    assert_eq!(kept.link_hash, link);
    assert_eq!(store.set_team_link(row.id, ann, None).await, Ok(()));
    assert_eq!(store.team(row.id).await.unwrap().unwrap().0, row);
    assert_eq!(store.lead_team(row.id, 3, ann).await, Ok(()));
    assert_eq!(numbers(&store).await, (Some(3), vec![1, 2, 3]));
    assert_eq!(store.set_team_link(row.id, ann, link).await, refused);
    // If the captain leaves, whoever has been there longest follows; a number never comes back.
    assert_eq!(store.leave_team(row.id, 3, cid).await, Ok(()));
    assert_eq!(numbers(&store).await, (Some(1), vec![1, 2]));
    assert_eq!(store.leave_team(row.id, 2, ann).await, Ok(()));
    assert_eq!(store.come_to_team(row.id, cid, 8).await, Ok(()));
    assert_eq!(numbers(&store).await, (Some(1), vec![1, 4]));
    for (number, who) in [(1, ann), (4, cid)] {
        assert_eq!(store.leave_team(row.id, number, who).await, Ok(()));
    }
    assert_eq!(numbers(&store).await, (None, vec![]));
    assert_eq!(store.teams_of(ann).await, Ok(vec![]));
    assert_eq!(store.team(PublicId::from_number(2)).await, Ok(None));
}

async fn names_and_places_in_teams_are_bounded(store: Store) {
    assert_eq!(store.found_team(team(1, "Buganda")).await, Ok(()));
    for alike in ["BUGANDA", "Bu ganda", "ＢUGANDA", "\u{412}uganda"] {
        let taken = store.found_team(team(2, alike)).await;
        assert_eq!(taken, Err(StoreError::Taken), "{alike}");
    }
    let same = store.found_team(team(1, "Jinja")).await;
    assert_eq!(same, Err(StoreError::Taken));
    for number in 2..=u64::from(TEAMS_A_PERSON) {
        let name = format!("Team {number}");
        assert_eq!(store.found_team(team(number, &name)).await, Ok(()));
    }
    let more = team(999, "One more");
    assert_eq!(store.found_team(more).await, Err(StoreError::Full));
    let others = TeamRow {
        captain: Some(user(2).id),
        ..team(999, "One more")
    };
    assert_eq!(store.found_team(others.clone()).await, Ok(()));
    let ann = user(1).id;
    let full = Err(StoreError::Full);
    assert_eq!(store.come_to_team(others.id, ann, 0).await, full);
    for number in 1..MEMBERS_A_TEAM {
        let who = user(1_000 + u128::from(number)).id;
        assert_eq!(store.come_to_team(others.id, who, 0).await, Ok(()));
    }
    assert_eq!(store.come_to_team(others.id, user(3).id, 0).await, full);
    // The newest first, a page at a time, without a gap.
    let mine = store.teams_of(ann).await.unwrap();
    let mut listed = Vec::new();
    let mut before = None;
    loop {
        let page = store.teams(before, 7).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some((last.created_ms, last.id));
        listed.extend(page);
    }
    assert_eq!(listed[0].id, others.id);
    assert_eq!(listed[1..], mine);
    assert!(mine.is_sorted_by_key(|team| std::cmp::Reverse(team.created_ms)));
    assert_eq!(mine.len(), TEAMS_A_PERSON as usize);
}

async fn a_name_is_free_when_all_have_left(store: Store) {
    let ann = user(1).id;
    assert_eq!(store.found_team(team(1, "Café")).await, Ok(()));
    assert_eq!(
        store.come_to_team(team(1, "").id, user(2).id, 0).await,
        Ok(())
    );
    let alike = || team(2, "CAFE\u{301}");
    assert_eq!(store.leave_team(team(1, "").id, 1, ann).await, Ok(()));
    assert_eq!(store.found_team(alike()).await, Err(StoreError::Taken));
    assert_eq!(
        store.leave_team(team(1, "").id, 2, user(2).id).await,
        Ok(())
    );
    assert_eq!(store.found_team(alike()).await, Ok(()));
    let taken = store.found_team(team(3, "café")).await;
    assert_eq!(taken, Err(StoreError::Taken), "it is the other's now");
}

async fn an_open_store_is_ready(store: Store) {
    assert_eq!(store.ready().await, Ok(()));
    assert_eq!(store.ready().await, Ok(()));
}

async fn a_closed_store_is_unavailable(store: Store) {
    let played = create(&store, 1).await;
    store.clone().close().await;
    let unavailable = StoreError::Unavailable;
    let appended = store.append(append(played.id, 1, 1)).await;
    assert_eq!(appended, Err(AppendError::Unavailable));
    let created = store.create_match(Played::new(2).creation()).await;
    assert_eq!(created, Err(unavailable.clone()));
    assert_eq!(store.ready().await, Err(unavailable.clone()));
    assert_eq!(store.unfinished().await, Err(unavailable.clone()));
    let log = store.log_after(played.id, 0, 1).await;
    assert_eq!(log, Err(unavailable));
    store.close().await;
}

async fn what_is_under_way_is_written_before_the_end(store: Store) {
    let mut tasks = JoinSet::new();
    for number in 1..=30 {
        let store = store.clone();
        tasks.spawn(async move { store.create_match(Played::new(number).creation()).await });
    }
    let created = tasks.join_next().await.unwrap().unwrap();
    assert_eq!(created, Ok(Created::New));
    store.close().await;
    while let Some(created) = tasks.join_next().await {
        // Before the end or after it, and each is told which.
        let created = created.unwrap();
        assert!(
            matches!(created, Ok(Created::New) | Err(StoreError::Unavailable)),
            "{created:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_falls_on_either_side_of_the_moment_when_it_is_done() {
    let disk = Memory::default();
    for (crash_after_ms, rows_kept) in [(5, 0), (15, 1)] {
        let slow = disk.reopened(Some(Arc::new(TenAndTen)));
        let store = Store::Memory(slow.clone());
        let played = create(&Store::Memory(disk.clone()), rows_kept + 1).await;
        let writing = tokio::spawn(async move { store.append(append(played.id, 1, 1)).await });
        tokio::time::sleep(Duration::from_millis(crash_after_ms)).await;
        slow.crash();
        assert_eq!(writing.await.unwrap(), Err(AppendError::Unavailable));
        let kept = seqs(&Store::Memory(disk.reopened(None)), played.id).await;
        assert_eq!(kept.len() as u64, 1 + rows_kept);
    }
}

/// A disk that takes ten milliseconds to do something, and ten to say so.
#[derive(Debug)]
struct TenAndTen;

impl Weather for TenAndTen {
    fn fate(&self, _: RequestKind) -> Fate {
        let ten = Duration::from_millis(10);
        Fate {
            before: ten,
            end: FateEnd::Done,
            after: ten,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_end_nobody_knows_is_done_and_the_next_one_is_a_conflict() {
    /// A disk that does not say what it has done.
    #[derive(Debug)]
    struct Silent;
    impl Weather for Silent {
        fn fate(&self, kind: RequestKind) -> Fate {
            let end = match kind {
                RequestKind::Read => FateEnd::Done,
                RequestKind::Write => FateEnd::Unknown,
            };
            Fate {
                end,
                ..Fate::default()
            }
        }
    }
    let disk = Memory::default();
    let played = create(&Store::Memory(disk.clone()), 1).await;
    let silent = Store::Memory(disk.reopened(Some(Arc::new(Silent))));
    let again = append(played.id, 1, 1);
    assert_eq!(
        silent.append(again.clone()).await,
        Err(AppendError::Unavailable)
    );
    let again = Store::Memory(disk).append(again).await;
    assert_eq!(again, Err(AppendError::Conflict));
    assert_eq!(seqs(&silent, played.id).await, [1, 2]);
}

/// A challenge of one team to another, by whom.
fn challenge(number: u64, from: u64, to: u64, by: UserId) -> ChallengeRow {
    let wanted = serde_json::json!({ "game": "urim", "access": "public" });
    ChallengeRow {
        id: PublicId::from_number(number),
        from: PublicId::from_number(from),
        to: PublicId::from_number(to),
        side: Side::North,
        wanted: serde_json::from_value(wanted).unwrap(),
        by,
        created_ms: START_MS + number.cast_signed(),
    }
}

/// The match of this number between two teams, made by somebody.
fn between(number: u64, [south, north]: [u64; 2], by: UserId) -> (Played, NewMatch) {
    let mut spec = Played::new(number).play.spec().clone();
    let mut teams = TeamsSpec::new(None, BySide::both(1));
    teams.standing = Some(BySide { south, north });
    spec.teams = Some(Box::new(teams));
    let played = Played::of(number, spec);
    let new = NewMatch {
        creator: by,
        created_ms: START_MS + number.cast_signed(),
        ..played.creation()
    };
    (played, new)
}

/// Teams 1 and 2, led by users 1 and 2.
async fn two_teams(store: &Store) -> [UserId; 2] {
    let [ann, ben] = [1, 2].map(|number| user(number).id);
    assert_eq!(store.found_team(team(1, "Buganda")).await, Ok(()));
    let second = TeamRow {
        captain: Some(ben),
        ..team(2, "Jinja")
    };
    assert_eq!(store.found_team(second).await, Ok(()));
    [ann, ben]
}

async fn a_challenge_becomes_a_match_once(store: Store) {
    let [ann, ben] = two_teams(&store).await;
    let waits = challenge(7, 1, 2, ann);
    assert_eq!(store.put_challenge(waits.clone()).await, Ok(()));
    assert_eq!(store.challenge(waits.id).await, Ok(Some(waits.clone())));
    for team in [waits.from, waits.to] {
        let of_team = store.challenges_of(team).await;
        assert_eq!(of_team, Ok(vec![waits.clone()]));
    }
    // It is for the captain of the challenged team to accept, and under its own name.
    let refused = Err(StoreError::Refused);
    for (number, by) in [(7, ann), (7, user(3).id), (8, ben)] {
        let (_, new) = between(number, [2, 1], by);
        assert_eq!(store.accept_challenge(new).await, refused);
        let name = PublicId::from_number(number);
        assert_eq!(store.find_match(name).await, Ok(None));
    }
    assert_eq!(store.challenge(waits.id).await, Ok(Some(waits.clone())));
    let (played, new) = between(7, [2, 1], ben);
    // Sent many times at once, it is made once.
    let mut asked = JoinSet::new();
    for id in 0..8 {
        let (store, new) = (store.clone(), new.clone());
        let id = MatchId(Uuid::from_u128(100 + id));
        asked.spawn(async move { store.accept_challenge(NewMatch { id, ..new }).await });
    }
    let mut made: Vec<_> = asked.join_all().await;
    made.sort_by_key(Result::is_err);
    assert_eq!(made[0], Ok(Created::New));
    assert!(made[1..].iter().all(|made| *made == refused));
    assert_eq!(store.challenge(waits.id).await, Ok(None));
    let found = store.find_match(played.public_id).await.unwrap().unwrap();
    assert_eq!((found.host(), found.outcome), (None, None));
    for (team, side) in [(1, Side::North), (2, Side::South)] {
        let team = PublicId::from_number(team);
        let matches = store.team_matches(team, None, 9).await.unwrap();
        assert_eq!(matches.len(), 1);
        assert_eq!((matches[0].side, &matches[0].row), (side, &found));
    }
    // The name of a match is none for a challenge.
    let again = store.put_challenge(challenge(7, 2, 1, ben)).await;
    assert_eq!(again, Err(StoreError::Taken));
}

async fn challenges_are_bounded_and_the_captains(store: Store) {
    let [ann, ben] = two_teams(&store).await;
    let put = |number, from, to, by| store.put_challenge(challenge(number, from, to, by));
    let refused = Err(StoreError::Refused);
    assert_eq!(put(7, 1, 2, ben).await, refused);
    assert_eq!(put(7, 1, 2, ann).await, Ok(()));
    // One waits from a team to another; the other way it is another one.
    assert_eq!(put(8, 1, 2, ann).await, Err(StoreError::Full));
    assert_eq!(put(8, 2, 1, ben).await, Ok(()));
    let id = PublicId::from_number(7);
    assert_eq!(store.remove_challenge(id, user(3).id).await, refused);
    assert_eq!(store.remove_challenge(id, ben).await, Ok(()));
    assert_eq!(store.remove_challenge(id, ben).await, refused);
    assert_eq!(
        put(9, 1, 2, ann).await,
        Ok(()),
        "declined, it may come again"
    );
    let id = PublicId::from_number(9);
    assert_eq!(store.remove_challenge(id, ann).await, Ok(()));
    for number in 0..u64::from(CHALLENGES_FROM_A_TEAM) {
        assert_eq!(put(100 + number, 1, 1_000 + number, ann).await, Ok(()));
    }
    assert_eq!(put(99, 1, 2, ann).await, Err(StoreError::Full));
    for number in 0..u64::from(CHALLENGES_TO_A_TEAM) {
        let from = 2_000 + number;
        let by = user(u128::from(50 + number)).id;
        let row = TeamRow {
            captain: Some(by),
            ..team(from, &format!("Team {number}"))
        };
        assert_eq!(store.found_team(row).await, Ok(()));
        // One is there from the other team.
        let answer = put(200 + number, from, 1, by).await;
        let last = number + 1 == u64::from(CHALLENGES_TO_A_TEAM);
        assert_eq!(answer.is_err(), last, "{number}");
    }
    let newest = store.challenges_of(PublicId::from_number(1)).await.unwrap();
    let expected = CHALLENGES_FROM_A_TEAM + CHALLENGES_TO_A_TEAM;
    assert_eq!(newest.len(), expected as usize);
    let newest_first = |row: &ChallengeRow| std::cmp::Reverse((row.created_ms, row.id));
    assert!(newest.is_sorted_by_key(newest_first));
}

async fn a_team_has_the_results_of_its_matches(store: Store) {
    let [_, ben] = two_teams(&store).await;
    let ends = [
        (
            11,
            [1, 2],
            Some(MatchEnd::Resigned {
                winner: Side::South,
            }),
        ),
        (
            12,
            [2, 1],
            Some(MatchEnd::Played {
                winner: Some(Side::South),
            }),
        ),
        (13, [2, 1], Some(MatchEnd::Ruled(Ruling::Won(Side::North)))),
        (14, [1, 2], Some(MatchEnd::Played { winner: None })),
        (15, [1, 2], Some(MatchEnd::Aborted)),
        (16, [1, 2], Some(MatchEnd::Abandoned)),
        (17, [1, 2], None),
    ];
    for (number, teams, end) in ends {
        let (played, new) = between(number, teams, ben);
        assert_eq!(store.create_match(new).await, Ok(Created::New));
        let Some(end) = end else { continue };
        let mut last = append(played.id, 1, 1);
        last.rows[0].event = Event::MatchEnded {
            end,
            asked: None,
            note: None,
            spent: mancala_play::Spent::default(),
        };
        last.stage = StageRow::Over;
        assert_eq!(store.append(last).await, Ok(()));
    }
    let [one, two] = [1, 2].map(PublicId::from_number);
    let results = |won, lost, drawn| Ok(ResultsRow { won, lost, drawn });
    assert_eq!(store.team_results(one).await, results(2, 1, 1));
    assert_eq!(store.team_results(two).await, results(1, 2, 1));
    let nobody = PublicId::from_number(3);
    assert_eq!(store.team_results(nobody).await, results(0, 0, 0));
    // A page at a time, the newest first.
    let mut outcomes = Vec::new();
    let mut before = None;
    loop {
        let page = store.team_matches(one, before, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some((last.row.created_ms, last.row.public_id));
        outcomes.extend(page.iter().map(|played| (played.side, played.row.outcome)));
    }
    let (south, north) = (Side::South, Side::North);
    let expected = [
        (south, None),
        (south, Some(Outcome::Void)),
        (south, Some(Outcome::Void)),
        (south, Some(Outcome::Drawn)),
        (north, Some(Outcome::Won(north))),
        (north, Some(Outcome::Won(south))),
        (south, Some(Outcome::Won(south))),
    ];
    assert_eq!(outcomes, expected);
}
