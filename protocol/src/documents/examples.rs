//! Examples of messages and bodies: the golden files of this crate's tests, so that an
//! example is never wrong.

use serde_json::Value;

macro_rules! golden {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../tests/golden/", $name, ".json")))),*]
    };
}

const GOLDEN: &[(&str, &str)] = golden![
    "client.act",
    "client.ask",
    "client.hello",
    "client.join",
    "client.leave",
    "client.listen",
    "client.moderate",
    "client.ping",
    "client.preview",
    "client.propose",
    "client.report",
    "client.say",
    "client.team",
    "client.unlisten",
    "client.vote",
    "rest.come_to_team",
    "rest.end_match",
    "rest.guest",
    "rest.invitation",
    "rest.invitation_list",
    "rest.link",
    "rest.match_list",
    "rest.match_list.timed",
    "rest.match_made",
    "rest.match_view",
    "rest.match_view.teams",
    "rest.match_view.timed",
    "rest.me",
    "rest.new_captain",
    "rest.new_guest",
    "rest.new_invitation",
    "rest.new_link",
    "rest.new_match",
    "rest.new_match.teams",
    "rest.new_match.timed",
    "rest.new_standing_team",
    "rest.new_team_challenge",
    "rest.problem",
    "rest.remove_line",
    "rest.report_list",
    "rest.standing_team",
    "rest.standing_team_list",
    "rest.take_seat",
    "rest.talk_page",
    "rest.team_challenge",
    "rest.team_challenge_list",
    "rest.team_link",
    "rest.team_match_list",
    "server.bye",
    "server.done",
    "server.event.acted",
    "server.event.acted.period",
    "server.event.acted.timed",
    "server.event.back",
    "server.event.counted",
    "server.event.declined",
    "server.event.game_began",
    "server.event.game_began.timed",
    "server.event.game_ended",
    "server.event.gone",
    "server.event.match_ended",
    "server.event.match_ended.administrator",
    "server.event.offered",
    "server.event.paused",
    "server.event.rematched",
    "server.event.resumed",
    "server.event.seated",
    "server.event.signed",
    "server.event.taken_back",
    "server.event.team",
    "server.event.team.proposed",
    "server.event.team.voted",
    "server.event.time_given",
    "server.invited",
    "server.joined",
    "server.joined.missed",
    "server.joined.team",
    "server.left",
    "server.legal",
    "server.noted",
    "server.noted.done",
    "server.pong",
    "server.presence",
    "server.presence.away",
    "server.previewed",
    "server.refused",
    "server.said",
    "server.talk",
    "server.talk.muted",
    "server.talk_changed",
    "server.talk_changed.closed",
    "server.team_challenge",
    "server.welcome",
];

/// The examples whose names begin so, by the rest of their names.
pub(super) fn named(prefix: &str) -> impl Iterator<Item = (&'static str, Value)> {
    GOLDEN.iter().filter_map(move |(name, text)| {
        let rest = name.strip_prefix(prefix)?;
        Some((rest, serde_json::from_str(text).ok()?))
    })
}

/// The example of this name, `null` where there is none.
pub(super) fn example(name: &str) -> Value {
    named(name)
        .find(|(rest, _)| rest.is_empty())
        .map_or(Value::Null, |(_, value)| value)
}
