//! What those alone may ask for who run the server.
//!
//! May know who that is, never what comes of what they ask: the matches do that.

use super::matches::bounded;
use super::{Body, Caller, Change, Failure, Named, bearer_token, cookie_token};
use crate::app::App;
use crate::ids::HostHash;
use crate::matches::TalkRequest;
use crate::text::sound_line;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use mancala_protocol::limits::TALK_LINES_A_PAGE_MAX;
use mancala_protocol::rest::{EndMatch, RemoveLine, ReportList};
use mancala_protocol::{Code, MatchView};
use serde::Deserialize;

/// Somebody who may do all that stands here: the host, who sends the secret of `host.json`.
pub(super) struct Administrator;

impl FromRequestParts<App> for Administrator {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Administrator, Failure> {
        let headers = &parts.headers;
        if let (Some(secret), None) = (bearer_token(headers)?, cookie_token(headers)) {
            // Two hashes are compared: how long that takes tells at most something of the
            // hash, from which nobody comes to the secret.
            if app.host == Some(HostHash::of(secret.as_bytes())) {
                return Ok(Administrator);
            }
        }
        let somebody_else = Caller::of(headers, app, Change::Yes).await?;
        match somebody_else {
            Caller::Anyone => Err(Failure::because(
                Code::SignInNeeded,
                "this is for those alone who run the server, by `mancala admin`",
            )),
            Caller::Program(_) | Caller::Browser(_) => Err(Code::Forbidden.into()),
        }
    }
}

/// `POST /api/admin/matches/{match}/end`
pub(super) async fn end_match(
    State(app): State<App>,
    _: Administrator,
    Named(name): Named,
    Body(wanted): Body<EndMatch>,
) -> Result<Json<MatchView>, Failure> {
    let arrived_ms = app.service.now_ms();
    let note = sound_line(&wanted.note);
    let note =
        note.map_err(|why| Failure::saying(Code::BadMessage, format_args!("`note`: {why}")))?;
    let handle = app.matches.open(name).await?;
    let view = handle.rule(wanted.r#as.into(), note, arrived_ms);
    Ok(Json(view.await?))
}

/// `POST /api/admin/matches/{match}/remove-line`
pub(super) async fn remove_line(
    State(app): State<App>,
    _: Administrator,
    Named(name): Named,
    Body(RemoveLine { room, line }): Body<RemoveLine>,
) -> Result<StatusCode, Failure> {
    let arrived_ms = app.service.now_ms();
    let handle = app.matches.open(name).await?;
    let request = TalkRequest::Remove { room, line };
    handle.ask_talk(request, arrived_ms).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/admin/matches/{match}/clear-talk`
pub(super) async fn clear_talk(
    State(app): State<App>,
    _: Administrator,
    Named(name): Named,
) -> Result<StatusCode, Failure> {
    let arrived_ms = app.service.now_ms();
    let handle = app.matches.open(name).await?;
    handle.ask_talk(TalkRequest::Clear, arrived_ms).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Where a page of reports begins, and how long it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    before: Option<u64>,
    limit: Option<u32>,
}

/// `GET /api/admin/reports`
pub(super) async fn reports(
    State(app): State<App>,
    _: Administrator,
    query: Result<Query<Page>, QueryRejection>,
) -> Result<Json<ReportList>, Failure> {
    let Query(Page { before, limit }) =
        query.map_err(|error| Failure::saying(Code::BadMessage, error.body_text()))?;
    let limit = bounded(limit, TALK_LINES_A_PAGE_MAX)?;
    // One more than asked for shows whether there is a next page.
    let mut reports = app.matches.reports(before, limit + 1).await?;
    let more = reports.len() > limit as usize;
    reports.truncate(limit as usize);
    let next = reports.last().filter(|_| more).map(|report| report.id);
    Ok(Json(ReportList { reports, next }))
}
