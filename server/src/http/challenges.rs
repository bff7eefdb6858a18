//! Challenges between the teams that stand on their own, and their matches, over REST.

use super::matches::{Page, page_of, spec_of};
use super::standing::Called;
use super::{Body, Caller, Change, Failure};
use crate::app::App;
use crate::ids::PublicId;
use crate::matches::Declined;
use crate::store::{StoreError, TeamRow};
use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use mancala_engine::{BySide, Side};
use mancala_play::{Access, MatchSpec, Refusal, TeamRefusal};
use mancala_protocol::challenge::{
    NewTeamChallenge, TeamChallenge, TeamChallengeList, TeamMatchList,
};
use mancala_protocol::rest::NewMatch;
use mancala_protocol::{Code, Cursor, MatchView};

/// The team and the challenge that a path names.
pub(super) struct Challenged {
    team: PublicId,
    challenge: PublicId,
}

impl FromRequestParts<App> for Challenged {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Challenged, Failure> {
        let path: Result<Path<(String, String)>, PathRejection> =
            Path::from_request_parts(parts, app).await;
        let Path((team, challenge)) = path.map_err(|_| Code::NoSuchTeam)?;
        Ok(Challenged {
            team: team.parse().map_err(|_| Code::NoSuchTeam)?,
            challenge: challenge.parse().map_err(|_| Code::NoSuchChallenge)?,
        })
    }
}

/// `POST /api/v1/teams/{team}/challenges`
pub(super) async fn challenge(
    State(app): State<App>,
    Called(to): Called,
    headers: HeaderMap,
    Body(wanted): Body<NewTeamChallenge>,
) -> Result<(StatusCode, Json<TeamChallenge>), Failure> {
    let user = Caller::of(&headers, &app, Change::Yes).await?.user()?;
    let side = wanted.side.map_or(Side::South, Side::from);
    let teams = app.challenges.sides(wanted.from, to, side).await?;
    // Only what can be made is asked of anybody.
    spec_between(&wanted.wanted, &teams)?;
    let challenge = app.challenges.challenge(to, wanted, &user).await?;
    Ok((StatusCode::CREATED, Json(challenge)))
}

/// What the teams agree on, if it can be.
fn spec_between(wanted: &NewMatch, teams: &BySide<TeamRow>) -> Result<MatchSpec, Failure> {
    let bad = |why: &str| Failure::saying(Code::BadOptions, why);
    if teams.south.id == teams.north.id {
        return Err(bad("a team does not challenge itself"));
    }
    if wanted.seat.is_some() {
        return Err(bad("the teams come to it together: leave `seat` out"));
    }
    let mut spec = spec_of(wanted, None)?;
    if spec.access != Access::Public {
        return Err(bad("everybody may watch it: `access` is `public`"));
    }
    let Some(agreed) = &mut spec.teams else {
        return Err(bad("say in `teams` how the teams play"));
    };
    if agreed.names != BySide::both(None) {
        return Err(bad("the teams have names: leave `names` out"));
    }
    agreed.names = BySide::from_fn(|side| teams[side].name.parse().ok());
    agreed.standing = Some(BySide::from_fn(|side| teams[side].id.number()));
    Ok(spec)
}

/// `GET /api/v1/teams/{team}/challenges`
pub(super) async fn list(
    State(app): State<App>,
    Called(team): Called,
    headers: HeaderMap,
) -> Result<Json<TeamChallengeList>, Failure> {
    let user = Caller::of(&headers, &app, Change::No).await?.user()?;
    let challenges = app.challenges.of(team, user.id).await?;
    Ok(Json(TeamChallengeList { challenges }))
}

/// `DELETE /api/v1/teams/{team}/challenges/{challenge}`
pub(super) async fn end(
    State(app): State<App>,
    Challenged { team, challenge }: Challenged,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    let user = Caller::of(&headers, &app, Change::Yes).await?.user()?;
    app.challenges.end(team, challenge, user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/teams/{team}/challenges/{challenge}/accept`
pub(super) async fn accept(
    State(app): State<App>,
    Challenged { team, challenge }: Challenged,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Failure> {
    let user = Caller::of(&headers, &app, Change::Yes).await?.user()?;
    match app.challenges.waiting(team, challenge).await {
        Ok(row) => {
            let teams = app.challenges.sides(row.from, row.to, row.side).await?;
            let spec = spec_between(&row.wanted, &teams)?;
            let told = app.challenges.accepted(&row).await?;
            match app.matches.accept(challenge, spec, user.id).await {
                Ok(()) => app.challenges.tell(told),
                // It may have been accepted meanwhile, by the same request sent again.
                Err(StoreError::Refused) => made_of(&app, team, challenge).await?,
                Err(error) => return Err(crate::accounts::code_of(&error).into()),
            }
        }
        Err(Code::NoSuchChallenge) => {
            made_of(&app, team, challenge).await?;
            if !app.challenges.leads(team, user.id).await? {
                return Err(Declined::from(Refusal::from(TeamRefusal::NotForYou)).into());
            }
        }
        Err(code) => return Err(code.into()),
    }
    let view: MatchView = app.matches.open(challenge).await?.view().await?;
    let place = HeaderValue::from_str(&format!("/api/v1/matches/{challenge}"));
    let place = place.map_err(|_| Code::Internal)?;
    Ok((StatusCode::CREATED, [(header::LOCATION, place)], Json(view)))
}

/// Is there the match that a challenge of this team has come to?
async fn made_of(app: &App, team: PublicId, challenge: PublicId) -> Result<(), Failure> {
    match app.matches.row(challenge).await {
        Ok(row) => {
            let standing = row.spec.teams.and_then(|teams| teams.standing);
            let is_of =
                |standing: BySide<u64>| [standing.south, standing.north].contains(&team.number());
            if standing.is_some_and(is_of) {
                Ok(())
            } else {
                Err(Code::NoSuchChallenge.into())
            }
        }
        Err(Code::NoSuchMatch) => match app.challenges.waiting(team, challenge).await {
            // It waits, but for somebody else.
            Ok(_) => Err(Declined::from(Refusal::from(TeamRefusal::NotForYou)).into()),
            Err(code) => Err(code.into()),
        },
        Err(code) => Err(code.into()),
    }
}

/// `GET /api/v1/teams/{team}/matches`
pub(super) async fn matches(
    State(app): State<App>,
    Called(team): Called,
    query: Result<Query<Page>, QueryRejection>,
) -> Result<Json<TeamMatchList>, Failure> {
    let (before, limit) = page_of(query)?;
    // One more than asked for shows whether there is a next page.
    let mut matches = app.challenges.matches(team, before, limit + 1).await?;
    let more = matches.len() > limit as usize;
    matches.truncate(limit as usize);
    let next = matches.last().filter(|_| more).map(|last| {
        let cursor = Cursor {
            created_ms: last.created_ms,
            r#match: last.r#match,
        };
        cursor.to_string()
    });
    Ok(Json(TeamMatchList { matches, next }))
}
