//! How people come to a match over REST: seats, links, invitations.

use super::{Body, Caller, Change, Failure, Named};
use crate::app::App;
use crate::matches::Declined;
use crate::store::{MatchRow, StageRow, UserRow};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use mancala_engine::Side;
use mancala_play::{Refusal, TeamRefusal, UserId};
use mancala_protocol::invite::{Invitation, InvitationList, Link, NewInvitation, NewLink};
use mancala_protocol::rest::TakeSeat;
use mancala_protocol::{Code, MatchView};

/// `POST /api/v1/matches/{match}/seats`
pub(super) async fn sit(
    State(app): State<App>,
    Named(name): Named,
    headers: HeaderMap,
    Body(wanted): Body<TakeSeat>,
) -> Result<Json<MatchView>, Failure> {
    let arrived_ms = app.service.now_ms();
    let caller = Caller::of(&headers, &app, Change::Yes).await?.user()?;
    let row = app.matches.row(name).await?;
    let side = wanted.side.into();
    let asks = caller.clone();
    let (user, wanted_there) = match wanted.person {
        Some(person) if person != caller.id => {
            if row.spec.teams.is_none() || row.host() != Some(caller.id) {
                return Err(not_for_you().into());
            }
            app.joining.ensure_pace(caller.id, person)?;
            let put_by = Some(caller.id);
            (app.accounts.person(person).await?, (put_by, false))
        }
        _ => {
            let secret = wanted.secret.as_deref();
            app.joining.admits(&row, caller.id, side, secret).await?;
            let is_host = row.host() == Some(caller.id);
            let is_invited = is_host || app.joining.side_of(&row, caller.id).await? == Some(side);
            (caller, (None, is_invited))
        }
    };
    let person = user.id;
    let handle = app.matches.open(row.public_id).await?;
    let view = handle.sit(user, side, wanted_there, arrived_ms).await?;
    if person != asks.id {
        app.joining.tell_put(&row, side, person, &asks);
    }
    // What is left of it, should the server end here, is one that can be declined.
    app.joining.uninvite(&row, person).await?;
    Ok(Json(view))
}

/// `POST /api/v1/matches/{match}/links`
pub(super) async fn make_link(
    State(app): State<App>,
    Named(name): Named,
    headers: HeaderMap,
    Body(wanted): Body<NewLink>,
) -> Result<impl IntoResponse, Failure> {
    let side = wanted.side.into();
    let (row, caller) = of_who_brings_people(&app, &headers, name, side).await?;
    if row.is_of_standing_teams() {
        // Whoever had it would have to be a member all the same.
        return Err(Code::MembersOnly.into());
    }
    let secret = app.joining.make_link(&row, side, caller.id).await?;
    let unkept = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((StatusCode::CREATED, unkept, Json(Link { side, secret })))
}

/// `DELETE /api/v1/matches/{match}/links/{side}`
pub(super) async fn remove_links(
    State(app): State<App>,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    let Path((name, side)) = path.map_err(|_| Code::NoSuchMatch)?;
    let name = name.parse().map_err(|_| Code::NoSuchMatch)?;
    let side: Side = side.parse().map_err(|_| Code::NotFound)?;
    let (row, _) = of_who_brings_people(&app, &headers, name, side).await?;
    app.joining.remove_links(&row, side).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/matches/{match}/invitations`
pub(super) async fn invite(
    State(app): State<App>,
    Named(name): Named,
    headers: HeaderMap,
    Body(wanted): Body<NewInvitation>,
) -> Result<(StatusCode, Json<Invitation>), Failure> {
    let side = wanted.side.into();
    let (row, caller) = of_who_brings_people(&app, &headers, name, side).await?;
    let person = app.accounts.person(wanted.person).await?.id;
    if row.is_of_standing_teams() {
        app.joining.admits(&row, person, side, None).await?;
    }
    let invitation = app.joining.invite(&row, side, person, &caller).await?;
    Ok((StatusCode::CREATED, Json(invitation)))
}

/// `DELETE /api/v1/matches/{match}/invitations/{person}`
pub(super) async fn uninvite(
    State(app): State<App>,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    let Path((name, person)) = path.map_err(|_| Code::NoSuchMatch)?;
    let name = name.parse().map_err(|_| Code::NoSuchMatch)?;
    let person = UserId(person.parse().map_err(|_| Code::NoSuchPerson)?);
    let caller = Caller::of(&headers, &app, Change::Yes).await?.user()?;
    let row = app.matches.row(name).await?;
    if person != caller.id {
        match app.joining.side_of(&row, person).await? {
            Some(side) => ensure_brings_people(&app, &row, &caller, side).await?,
            // Whether somebody is invited is not for everybody to know.
            None => {
                let south = ensure_brings_people(&app, &row, &caller, Side::South).await;
                if south.is_err() {
                    ensure_brings_people(&app, &row, &caller, Side::North).await?;
                }
            }
        }
    }
    app.joining.uninvite(&row, person).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /api/v1/me/invitations`
pub(super) async fn invitations(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Json<InvitationList>, Failure> {
    let user = Caller::of(&headers, &app, Change::No).await?.user()?;
    let invitations = app.joining.invitations_of(user.id).await?;
    Ok(Json(InvitationList { invitations }))
}

/// The match, and the caller, if he may bring people to this side of it.
async fn of_who_brings_people(
    app: &App,
    headers: &HeaderMap,
    name: mancala_protocol::PublicId,
    side: Side,
) -> Result<(MatchRow, UserRow), Failure> {
    let caller = Caller::of(headers, app, Change::Yes).await?.user()?;
    let row = app.matches.row(name).await?;
    ensure_brings_people(app, &row, &caller, side).await?;
    if row.stage == StageRow::Over {
        return Err(Declined::from(Refusal::MatchOver).into());
    }
    Ok((row, caller))
}

/// Whoever made the match brings people to either side; the captain of a team, to his own.
async fn ensure_brings_people(
    app: &App,
    row: &MatchRow,
    caller: &UserRow,
    side: Side,
) -> Result<(), Failure> {
    if row.host() == Some(caller.id) {
        return Ok(());
    }
    let captain = match &row.spec.teams {
        None => None,
        Some(_) => app.matches.open(row.public_id).await?.captain(side).await?,
    };
    if captain == Some(caller.id) {
        Ok(())
    } else {
        Err(not_for_you().into())
    }
}

fn not_for_you() -> Declined {
    Refusal::from(TeamRefusal::NotForYou).into()
}
