//! Teams that stand on their own, over REST.

use super::matches::{Page, page_of};
use super::{Body, Caller, Change, Failure};
use crate::app::App;
use crate::ids::PublicId;
use crate::store::TeamRow;
use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use mancala_play::UserId;
use mancala_protocol::standing::{
    ComeToTeam, NewCaptain, NewStandingTeam, StandingTeam, StandingTeamList, StandingTeamListed,
    TeamLink,
};
use mancala_protocol::{Code, Cursor};

/// The team that a path names.
pub(super) struct Called(pub(super) PublicId);

impl FromRequestParts<App> for Called {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Called, Failure> {
        let name = Path::<String>::from_request_parts(parts, app).await;
        let name = name.map_err(|_| Code::NoSuchTeam)?;
        Ok(Called(name.parse().map_err(|_| Code::NoSuchTeam)?))
    }
}

/// `POST /api/v1/teams`
pub(super) async fn found(
    State(app): State<App>,
    headers: HeaderMap,
    Body(wanted): Body<NewStandingTeam>,
) -> Result<impl IntoResponse, Failure> {
    let user = caller(&app, &headers).await?;
    let team = app.standing.found(&wanted.name, user).await?;
    let mut headers = HeaderMap::new();
    if let Ok(place) = HeaderValue::from_str(&format!("/api/v1/teams/{}", team.team)) {
        headers.insert(header::LOCATION, place);
    }
    Ok((StatusCode::CREATED, headers, Json(team)))
}

/// `GET /api/v1/teams`
pub(super) async fn list(
    State(app): State<App>,
    query: Result<Query<Page>, QueryRejection>,
) -> Result<Json<StandingTeamList>, Failure> {
    let (before, limit) = page_of(query)?;
    // One more than asked for shows whether there is a next page.
    let mut rows = app.standing.listed(before, limit + 1).await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let place = |row: &TeamRow| {
        let cursor = Cursor {
            created_ms: row.created_ms,
            r#match: row.id,
        };
        cursor.to_string()
    };
    let next = rows.last().filter(|_| more).map(place);
    Ok(Json(StandingTeamList {
        teams: rows.into_iter().map(listed).collect(),
        next,
    }))
}

/// `GET /api/v1/me/teams`
pub(super) async fn mine(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Json<StandingTeamList>, Failure> {
    let user = Caller::of(&headers, &app, Change::No).await?.user()?;
    let teams = app.standing.of(user.id).await?;
    Ok(Json(StandingTeamList {
        teams: teams.into_iter().map(listed).collect(),
        next: None,
    }))
}

fn listed(row: TeamRow) -> StandingTeamListed {
    StandingTeamListed {
        team: row.id,
        name: row.name,
        created_ms: row.created_ms,
    }
}

/// `GET /api/v1/teams/{team}`
pub(super) async fn team(
    State(app): State<App>,
    Called(team): Called,
    headers: HeaderMap,
) -> Result<Json<StandingTeam>, Failure> {
    let who = Caller::of(&headers, &app, Change::No).await?.user().ok();
    let who = who.map(|user| user.id);
    Ok(Json(app.standing.team(team, who).await?))
}

/// `POST /api/v1/teams/{team}/link`
pub(super) async fn make_link(
    State(app): State<App>,
    Called(team): Called,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Failure> {
    let user = caller(&app, &headers).await?;
    let secret = app.standing.make_link(team, user).await?;
    let unkept = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((StatusCode::CREATED, unkept, Json(TeamLink { secret })))
}

/// `DELETE /api/v1/teams/{team}/link`
pub(super) async fn remove_link(
    State(app): State<App>,
    Called(team): Called,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    let user = caller(&app, &headers).await?;
    app.standing.remove_link(team, user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/teams/{team}/members`
pub(super) async fn come(
    State(app): State<App>,
    Called(team): Called,
    headers: HeaderMap,
    Body(wanted): Body<ComeToTeam>,
) -> Result<Json<StandingTeam>, Failure> {
    let user = caller(&app, &headers).await?;
    Ok(Json(app.standing.come(team, user, &wanted.secret).await?))
}

/// `DELETE /api/v1/teams/{team}/members/{number}`
pub(super) async fn leave(
    State(app): State<App>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    let Path((team, number)) = path.map_err(|_| Code::NoSuchTeam)?;
    let team = team.parse().map_err(|_| Code::NoSuchTeam)?;
    // As it is told, and in no other way.
    let is_told = |parsed: &u32| parsed.to_string() == number;
    let number = number.parse().ok().filter(is_told).ok_or(Code::NotFound)?;
    let user = caller(&app, &headers).await?;
    app.standing.leave(team, number, user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/teams/{team}/captain`
pub(super) async fn lead(
    State(app): State<App>,
    Called(team): Called,
    headers: HeaderMap,
    Body(wanted): Body<NewCaptain>,
) -> Result<Json<StandingTeam>, Failure> {
    let user = caller(&app, &headers).await?;
    Ok(Json(app.standing.lead(team, wanted.member, user).await?))
}

/// Who asks for a change.
async fn caller(app: &App, headers: &HeaderMap) -> Result<UserId, Failure> {
    Ok(Caller::of(headers, app, Change::Yes).await?.user()?.id)
}
