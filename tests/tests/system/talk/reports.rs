//! What is reported, and how much.

use super::{Hall, fill, noted, texts};
use crate::admin::secret;
use mancala_play::Room;
use mancala_protocol::limits::REPORTS_A_DAY_MAX;
use mancala_protocol::rest::{ReportList, TalkPage};
use mancala_tests::Request;
use mancala_tests::client::code_of;
use serde_json::json;

/// A line that is reported is shown to whoever runs the server, with those before it, also after
/// it was taken away.
#[tokio::test]
async fn what_is_reported_is_read_by_whoever_runs_the_server() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    for text in ["fine", "rude"] {
        hall.guest.say_in(name, Room::Public, text).await;
    }
    noted(&hall.pair.north.report(name, Room::Public, 2).await);
    noted(&hall.pair.north.report(name, Room::Public, 2).await);
    let refused = hall.pair.north.report(name, Room::Public, 3).await;
    assert_eq!(code_of(&refused), "no_such_line");
    let refused = hall.nobody.report(name, Room::Public, 2).await;
    assert_eq!(code_of(&refused), "sign_in_needed");
    let secret = &secret(&hall.server);
    let remove = json!({ "room": "public", "line": 2 });
    let path = format!("/api/admin/matches/{name}/remove-line");
    let stranger = Request::post(&path, &remove).token(hall.guest.token());
    assert_eq!(
        hall.server.send(stranger).await.problem(),
        (403, "forbidden".to_owned())
    );
    let removed = Request::post(&path, &remove).token(secret);
    assert!(hall.server.send(removed).await.status < 300);
    let page: TalkPage = hall.page("public", "").await.json();
    assert_eq!(texts(&page.lines), ["fine", "(removed)"]);
    let reports = Request::get("/api/admin/reports").token(secret);
    let reports: ReportList = hall.server.send(reports).await.json();
    let [report] = &reports.reports[..] else {
        panic!("{reports:?}")
    };
    assert_eq!(texts(&report.lines), ["fine", "rude"]);
    assert_eq!((report.line, report.r#match), (2, name));
    let clear = Request::post(format!("/api/admin/matches/{name}/clear-talk"), &json!({}));
    assert!(hall.server.send(clear.token(secret)).await.status < 300);
    let page: TalkPage = hall.page("public", "").await.json();
    assert_eq!((page.last, page.lines.len()), (0, 0));
    assert_eq!(
        noted(&hall.pair.south.say_in(name, Room::Public, "anew").await),
        Some(1)
    );
}

/// Somebody reports so many lines in a day. One more is refused and is nowhere; what he reported
/// before stands, he may go on talking, and others may go on reporting.
#[tokio::test]
async fn whoever_reports_too_much_is_told_so_and_others_report_on() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    let one_too_many = REPORTS_A_DAY_MAX + 1;
    fill(&mut hall.server, name, one_too_many).await;
    hall.come_back().await;
    let reported = async |hall: &Hall| {
        let reports = Request::get("/api/admin/reports").token(&secret(&hall.server));
        let reports: ReportList = hall.server.send(reports).await.json();
        let reports = reports.reports.into_iter();
        let mut of_lines: Vec<(String, u32)> = reports.map(|one| (one.by, one.line)).collect();
        of_lines.sort_by_key(|(_, line)| *line);
        of_lines
    };
    let north = &mut hall.pair.north;
    for line in 1..=REPORTS_A_DAY_MAX {
        noted(&north.report(name, Room::Public, line).await);
    }
    for _ in 0..2 {
        let refused = north.report(name, Room::Public, one_too_many).await;
        assert_eq!(code_of(&refused), "reports_over");
        // To report once more what is reported is no other report.
        noted(&north.report(name, Room::Public, 3).await);
    }
    let before = reported(&hall).await;
    let numbers: Vec<u32> = before.iter().map(|(_, line)| *line).collect();
    assert_eq!(numbers, (1..=REPORTS_A_DAY_MAX).collect::<Vec<_>>());

    noted(&hall.guest.report(name, Room::Public, one_too_many).await);
    let now = reported(&hall).await;
    assert_eq!(now[..before.len()], before);
    assert_ne!(now[before.len()].0, before[0].0);
    assert_eq!(now[before.len()].1, one_too_many);
    let north = &mut hall.pair.north;
    let answer = north.say_in(name, Room::Public, "enough").await;
    assert_eq!(noted(&answer), Some(one_too_many + 1));
    // Nor is it over when the server starts again.
    hall.restart().await;
    let north = &mut hall.pair.north;
    let refused = north.report(name, Room::Public, one_too_many).await;
    assert_eq!(code_of(&refused), "reports_over");
    assert_eq!(reported(&hall).await, now);
}
