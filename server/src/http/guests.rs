//! Guests: becoming one, and who one is.

use super::{Body, COOKIE, Caller, Change, Failure, is_own, origin};
use crate::accounts::NotMade;
use crate::app::App;
use crate::store::UserRow;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use mancala_protocol::Code;
use mancala_protocol::invite::Me;
use mancala_protocol::rest::{Guest, NewGuest};

/// A cookie lives as long as browsers let one: 400 days.
const COOKIE_SECONDS: u32 = 400 * 24 * 60 * 60;

/// `POST /api/v1/guests`
pub(super) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    Body(wanted): Body<NewGuest>,
) -> Result<impl IntoResponse, Failure> {
    // The answer puts a cookie into the browser that asks.
    if origin(&headers).is_some_and(|origin| !is_own(origin, &headers, &app)) {
        return Err(Code::BadOrigin.into());
    }
    let made = app.accounts.create_guest(wanted.name.as_deref()).await;
    let (token, user) = made?;
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
        user: me_of(user),
    };
    Ok((StatusCode::CREATED, headers, Json(guest)))
}

impl From<NotMade> for Failure {
    fn from(why: NotMade) -> Failure {
        match why {
            NotMade::Name(why) => Failure::saying(Code::BadMessage, format_args!("`name`: {why}")),
            NotMade::Code(code) => code.into(),
        }
    }
}

/// `GET /api/v1/me`
pub(super) async fn me(State(app): State<App>, headers: HeaderMap) -> Result<Json<Me>, Failure> {
    let user = Caller::of(&headers, &app, Change::No).await?.user()?;
    Ok(Json(me_of(user)))
}

fn me_of(user: UserRow) -> Me {
    Me {
        id: user.id,
        name: user.name,
    }
}
