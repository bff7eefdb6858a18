//! Who keeps order in a room, and what comes of it.

use super::{Hall, SOUTH, changed, noted, texts};
use mancala_play::Room;
use mancala_protocol::rest::TalkPage;
use mancala_protocol::{Moderation, TalkChange};
use mancala_tests::Port;
use mancala_tests::client::code_of;

#[tokio::test]
async fn the_host_keeps_order_and_nobody_else_does() {
    let mut hall = Hall::open().await;
    let name = hall.pair.name;
    hall.guest.listen(name, Room::Public, None).await;
    hall.nobody.listen(name, Room::Public, None).await;
    assert_eq!(
        noted(&hall.guest.say_in(name, Room::Public, "rude").await),
        Some(1)
    );
    let all = [
        Moderation::Mute { line: 1 },
        Moderation::Unmute { line: 1 },
        Moderation::Close {},
        Moderation::Open {},
        Moderation::Remove { line: 1 },
    ];
    for what in all {
        let north = hall.pair.north.moderate(name, Room::Public, what).await;
        assert_eq!(code_of(&north), "not_moderator");
        let guest = hall.guest.moderate(name, Room::Public, what).await;
        assert_eq!(code_of(&guest), "not_moderator");
        let nobody = hall.nobody.moderate(name, Room::Public, what).await;
        assert_eq!(code_of(&nobody), "sign_in_needed");
    }
    // South has made the match.
    let host = &mut hall.pair.south;
    let nowhere = Moderation::Mute { line: 2 };
    let answer = host.moderate(name, Room::Public, nowhere).await;
    assert_eq!(code_of(&answer), "no_such_line");
    let answer = host.moderate(name, SOUTH, Moderation::Close {}).await;
    assert_eq!(code_of(&answer), "no_such_room");
    noted(&host.moderate(name, Room::Public, all[0]).await);
    assert_eq!(changed(&mut hall.guest).await, TalkChange::Muted);
    let answer = hall.guest.say_in(name, Room::Public, "more").await;
    assert_eq!(code_of(&answer), "muted");
    // It stands when the server starts anew, and is lifted by who may.
    hall.server.kill();
    hall.server.restart(Port::Same);
    for client in [
        &mut hall.guest,
        &mut hall.nobody,
        &mut hall.pair.south,
        &mut hall.pair.north,
    ] {
        client.come_back(hall.server.address()).await.unwrap();
        client.listen(name, Room::Public, None).await;
    }
    let answer = hall.guest.say_in(name, Room::Public, "more").await;
    assert_eq!(code_of(&answer), "muted");
    let host = &mut hall.pair.south;
    noted(&host.moderate(name, Room::Public, all[1]).await);
    assert_eq!(
        noted(&hall.guest.say_in(name, Room::Public, "sorry").await),
        Some(2)
    );
    let host = &mut hall.pair.south;
    noted(
        &host
            .moderate(name, Room::Public, Moderation::Close {})
            .await,
    );
    assert_eq!(changed(&mut hall.nobody).await, TalkChange::Closed);
    let answer = hall.pair.north.say_in(name, Room::Public, "but").await;
    assert_eq!(code_of(&answer), "talk_closed");
    let host = &mut hall.pair.south;
    noted(&host.moderate(name, Room::Public, Moderation::Open {}).await);
    noted(
        &host
            .moderate(name, Room::Public, Moderation::Remove { line: 1 })
            .await,
    );
    assert_eq!(changed(&mut hall.nobody).await, TalkChange::Opened);
    assert_eq!(
        changed(&mut hall.nobody).await,
        TalkChange::Removed { line: 1 }
    );
    let page: TalkPage = hall.page("public", "").await.json();
    assert_eq!(texts(&page.lines), ["(removed)", "sorry"]);
}
