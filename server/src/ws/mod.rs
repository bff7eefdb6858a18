//! Sockets: from the upgrade to the close.
//!
//! May know frames, sessions and the way to a match, never what a match decides.

mod round_trips;
mod session;

use crate::app::App;
use crate::http::{Caller, Failure};
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use mancala_protocol::limits::CLIENT_FRAME_BYTES_MAX;
use mancala_protocol::{Code, SUBPROTOCOL};

/// Bytes that a socket keeps for reading, and for writing: the standard of 128 KiB each
/// would be most of what an idle socket costs.
const BUFFER_BYTES: usize = 2 * 1024;

/// Bytes that may wait to be written: a view of the largest board many times over.
const WRITE_BYTES_MAX: usize = 1024 * 1024;

/// `GET /ws`
pub(crate) async fn upgrade(
    State(app): State<App>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let upgrade = upgrade.map_err(|error| Failure::saying(Code::BadMessage, error))?;
    // Who speaks another version of the protocol alone shall not be taken for one of ours.
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL);
    let offered: Vec<&str> = offered
        .iter()
        .filter_map(|names| names.to_str().ok())
        .flat_map(|names| names.split(','))
        .map(str::trim)
        .collect();
    if !offered.is_empty() && !offered.contains(&SUBPROTOCOL) {
        return Err(Failure::because(
            Code::BadMessage,
            format!("this server speaks the subprotocol `{SUBPROTOCOL}`"),
        ));
    }
    // A browser sends its cookie with every upgrade, whichever page asked for it, so the
    // page must be one of ours.
    let caller = Caller::of(&headers, &app, crate::http::Change::Yes).await;
    let user = match caller {
        Ok(caller) => caller.cookie_user(),
        Err(failure) => return Err(failure),
    };
    Ok(upgrade
        .protocols([SUBPROTOCOL])
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_write_buffer_size(WRITE_BYTES_MAX)
        .max_message_size(CLIENT_FRAME_BYTES_MAX)
        .max_frame_size(CLIENT_FRAME_BYTES_MAX)
        .on_upgrade(move |socket| session::run(app, socket, user)))
}
