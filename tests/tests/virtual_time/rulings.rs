//! What the host ends stays ended: whatever was about to happen in the match by itself does not.

use crate::service::{
    DAY, HOUR, MINUTE, SECOND, Service, correspondence, lost_on_time, pass, per_move,
};
use mancala_engine::Side;
use mancala_play::{Control, Event, MatchEnd, Ruling};

/// What the log of a match says last, with who came and went.
async fn last(service: &Service) -> Event {
    service.log().await.pop().unwrap().event
}

fn is_ruled(event: &Event, as_said: Ruling) -> bool {
    matches!(event, Event::MatchEnded { end: MatchEnd::Ruled(ruling), .. } if *ruling == as_said)
}

/// No deadline comes, no turn is lost, no grace runs out, no pause ends; with somebody there and
/// with nobody, and over a crash.
#[tokio::test(start_paused = true)]
async fn nothing_happens_by_itself_any_more() {
    for clock in [
        correspondence(),
        per_move(10),
        Control::fischer(60, 0).unwrap(),
        Control::BLITZ,
    ] {
        for stays in [false, true] {
            for paused in [false, true] {
                let case = format!("{clock:?}, {stays}, {paused}");
                let mut service = Service::new(clock).await;
                let mut south = service.join(Side::South).await;
                let mut north = service.join(Side::North).await;
                if paused {
                    assert_eq!(south.want("offer_pause", "offer").await, "done", "{case}");
                    assert_eq!(north.want("accept_pause", "accept").await, "done", "{case}");
                }
                // Who has gone is missed, and his grace is about to run.
                drop(north);
                let mut south = stays.then_some(south);
                pass(SECOND).await;
                let answer = service.end_match("drawn").await;
                assert_eq!(answer.status, 200, "{case}: {}", answer.text());
                let seq = service.log().await.len();
                let end = last(&service).await;
                assert!(is_ruled(&end, Ruling::Drawn), "{case}");
                // What was being thought is settled by it, and during a pause nothing is.
                let Event::MatchEnded { spent, .. } = end else {
                    panic!("{case}: {end:?}")
                };
                assert_eq!(spent.elapsed_ms >= 1_000, !paused, "{case}: {spent:?}");
                if let Some(south) = &mut south {
                    south.listen(MINUTE).await;
                    assert_eq!(south.kinds(&["match_ended"]).len(), 1, "{case}");
                    assert_eq!(south.last("match_ended"), south.events.last().unwrap());
                }
                drop(south);
                let is_slow = paused || clock == correspondence();
                pass(if is_slow { DAY + MINUTE } else { HOUR }).await;
                service.crash();
                service.start().await;
                // A deadline that was left behind would have passed long ago.
                pass(MINUTE).await;
                assert_eq!(service.log().await.len(), seq, "{case}");
            }
        }
    }
}

/// What was due before the host spoke has happened before; a match that is over by it stays so.
#[tokio::test(start_paused = true)]
async fn what_was_due_before_comes_before() {
    let service = Service::new(per_move(10)).await;
    pass(10 * SECOND).await;
    // The loss is decided after eleven, and comes to the disk after sixteen.
    service.sky.writes_take(5 * SECOND);
    pass(2 * SECOND).await;
    assert!(!service.is_over().await);
    let answer = service.end_match("aborted").await;
    assert_eq!(answer.problem(), (409, "match_over".to_owned()));
    assert!(lost_on_time(&service.events().await));
    assert!(!is_ruled(&last(&service).await, Ruling::Aborted));
}

/// A disk that does not say whether the end was written: nobody is told before it is known, and
/// then everybody, once.
#[tokio::test(start_paused = true)]
async fn an_end_that_may_be_written_is_told_once_that_is_known() {
    let service = Service::new(correspondence()).await;
    let mut south = service.join(Side::South).await;
    service.sky.writes_are_unknown();
    let answer = service.end_match("north").await;
    assert_eq!(answer.problem(), (503, "storage_unavailable".to_owned()));
    south.listen(MINUTE).await;
    assert_eq!(south.kinds(&["match_ended"]), <[&str; 0]>::default());
    service.sky.clears();
    south.listen(MINUTE).await;
    let ruled = Ruling::Won(Side::North);
    assert!(is_ruled(&last(&service).await, ruled));
    assert_eq!(south.kinds(&["match_ended"]), ["match_ended"]);
    assert_eq!(south.last("match_ended")["winner"], "north");
    let again = service.end_match("north").await;
    assert_eq!(again.problem(), (409, "match_over".to_owned()));
}

/// A disk that takes nothing: nobody is told, and the match goes on as if nobody had asked.
#[tokio::test(start_paused = true)]
async fn an_end_that_is_not_written_is_none() {
    let service = Service::new(correspondence()).await;
    let mut south = service.join(Side::South).await;
    service.sky.nothing_is_written();
    let answer = service.end_match("south").await;
    assert_eq!(answer.problem(), (503, "storage_unavailable".to_owned()));
    service.sky.clears();
    south.listen(MINUTE).await;
    assert!(!service.is_over().await);
    assert_eq!(south.kinds(&["match_ended"]), <[&str; 0]>::default());
    let ended = service.end_match("south").await;
    assert_eq!(ended.status, 200);
}
