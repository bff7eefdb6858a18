//! Talk over REST: reading what was said.

use super::matches::bounded;
use super::{Caller, Change, Failure, Named};
use crate::app::App;
use crate::matches::TalkRequest;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use mancala_play::Room;
use mancala_protocol::Code;
use mancala_protocol::limits::TALK_LINES_A_PAGE_MAX;
use mancala_protocol::rest::TalkPage;
use serde::Deserialize;

/// Which room, and which page of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    room: Room,
    after: Option<u32>,
    limit: Option<u32>,
}

/// `GET /api/v1/matches/{match}/talk`
pub(super) async fn read(
    State(app): State<App>,
    Named(name): Named,
    headers: HeaderMap,
    query: Result<Query<Page>, QueryRejection>,
) -> Result<impl IntoResponse, Failure> {
    let arrived_ms = app.service.now_ms();
    let Query(Page { room, after, limit }) =
        query.map_err(|error| Failure::saying(Code::BadMessage, error.body_text()))?;
    let limit = bounded(limit, TALK_LINES_A_PAGE_MAX)?;
    let user = match Caller::of(&headers, &app, Change::No).await? {
        Caller::Anyone => None,
        Caller::Program(user) | Caller::Browser(user) => Some(user.id),
    };
    let row = app.matches.row(name).await?;
    let handle = app.matches.open(name).await?;
    // The task of the match says up to which line: what is said later may be said after the one
    // who reads has left.
    let request = TalkRequest::Read { user, room };
    let last = handle.ask_talk(request, arrived_ms).await?;
    let after = after.unwrap_or(0);
    let lines = app.matches.lines(&row, room, (after, last), limit).await?;
    let next = lines.last().map(|line| line.n).filter(|n| *n < last);
    let page = TalkPage { last, lines, next };
    // Who asks decides what may be seen.
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(page)))
}
