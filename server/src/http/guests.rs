//! Guests: becoming one, and who one is.

use super::{Body, COOKIE, Caller, Change, Failure};
use crate::app::App;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use mancala_protocol::PlayerView;
use mancala_protocol::rest::{Guest, NewGuest};

/// A cookie lives as long as browsers let one: 400 days.
const COOKIE_SECONDS: u32 = 400 * 24 * 60 * 60;

/// `POST /api/v1/guests`
pub(super) async fn create(
    State(app): State<App>,
    Body(wanted): Body<NewGuest>,
) -> Result<impl IntoResponse, Failure> {
    let (token, user) = app.accounts.create_guest(wanted.name.as_deref()).await?;
    let secure = if app.origin.starts_with("https:") {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!(
        "{COOKIE}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={COOKIE_SECONDS}{secure}"
    );
    let mut headers = HeaderMap::new();
    if let Ok(mut cookie) = HeaderValue::from_str(&cookie) {
        cookie.set_sensitive(true);
        headers.insert(header::SET_COOKIE, cookie);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let guest = Guest {
        token,
        user: PlayerView { name: user.name },
    };
    Ok((StatusCode::CREATED, headers, Json(guest)))
}

/// `GET /api/v1/me`
pub(super) async fn me(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Json<PlayerView>, Failure> {
    let user = Caller::of(&headers, &app, Change::No).await?.user()?;
    Ok(Json(PlayerView { name: user.name }))
}
