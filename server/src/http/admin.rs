//! What those alone may ask for who run the server.
//!
//! May know who that is, never what comes of what they ask: the matches do that.

use super::{Body, Caller, Change, Failure, Named, bearer_token, cookie_token};
use crate::app::App;
use crate::ids::HostHash;
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use mancala_protocol::rest::EndMatch;
use mancala_protocol::{Code, MatchView};

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
    let handle = app.matches.open(name).await?;
    let view = handle.rule(wanted.r#as.into(), wanted.note, arrived_ms);
    Ok(Json(view.await?))
}
