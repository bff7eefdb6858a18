//! Matches over REST: making, listing, reading.

use super::{Body, Caller, Change, Failure, Named, token_of};
use crate::app::App;
use crate::challenges;
use crate::chance;
use crate::ids::{RequestHash, SecretHash};
use crate::matches::{Wanted, everybody};
use crate::store::{Idempotency, MatchRow};
use crate::text::sound_name;
use crate::wording;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use mancala_engine::{Mancala, Options, Setup, Side};
use mancala_play::{Access, Control, Key, MatchSpec, UserId, Way};
use mancala_protocol::limits::MATCHES_A_PAGE_MAX;
use mancala_protocol::rest::{AccessWord, MatchList, MatchListed, MatchMade, NewMatch};
use mancala_protocol::{Code, Cursor, MatchView, NewTeams, PublicId};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// `POST /api/v1/matches`
pub(super) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    Body(wanted): Body<NewMatch>,
) -> Result<impl IntoResponse, Failure> {
    let creator = Caller::of(&headers, &app, Change::Yes).await?.user()?;
    let token = token_of(&headers)?.unwrap_or_default();
    let spec = spec_of(&wanted, Some(creator.id))?;
    let key = idempotency_key(&headers)?;
    let secret = (spec.access == Access::Link).then(|| link_secret(&app, token, key.as_ref()));
    let link_hash = secret
        .as_ref()
        .map(|secret| SecretHash::of(secret.as_bytes()));
    let idempotency = key.map(|key| Idempotency {
        key: key.into(),
        request: request_hash(&wanted, link_hash),
    });
    let name = app
        .matches
        .create(Wanted {
            spec,
            creator,
            seat: wanted.seat.map(Into::into),
            link_hash,
            idempotency,
        })
        .await?;
    let view = app.matches.open(name).await?.view().await?;
    let mut headers = HeaderMap::new();
    if let Ok(place) = HeaderValue::from_str(&format!("/api/v1/matches/{name}")) {
        headers.insert(header::LOCATION, place);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let made = MatchMade { view, secret };
    Ok((StatusCode::CREATED, headers, Json(made)))
}

/// What is agreed about the match, if it can be.
pub(super) fn spec_of(wanted: &NewMatch, host: Option<UserId>) -> Result<MatchSpec, Failure> {
    let bad = |error: &dyn std::fmt::Display| Failure::saying(Code::BadOptions, error);
    let misread = |field, error: &serde_json::Error| {
        let why = format!("`{field}`: {}", wording::sentence(error));
        Failure::saying(Code::BadOptions, why)
    };
    let mancala: Mancala = wanted.game.parse().map_err(|error| bad(&error))?;
    let options = match &wanted.options {
        None => Options::standard(mancala),
        Some(options) => Options::deserialize(mancala, options).map_err(|error| bad(&error))?,
    };
    let format = match &wanted.format {
        None => MatchSpec::standard_format(mancala),
        Some(format) => format.parse().map_err(|error| bad(&error))?,
    };
    let mut spec = MatchSpec::new(options, format);
    spec.access = match wanted.access {
        AccessWord::Public => Access::Public,
        AccessWord::Link => Access::Link,
    };
    spec.rated = wanted.rated.unwrap_or(false);
    spec.preview = wanted.preview.unwrap_or(!spec.rated);
    spec.way = wanted.way;
    spec.clock = match (&wanted.clock, wanted.way) {
        (Some(clock), _) => {
            Control::deserialize(clock).map_err(|error| misread("clock", &error))?
        }
        (None, Some(Way::Blitz)) => Control::BLITZ,
        (None, _) => Control::UNTIMED,
    };
    if let Some(start) = &wanted.start {
        let start = Setup::deserialize(start).map_err(|error| misread("start", &error))?;
        spec.start = Some(Box::new(start));
    }
    if let Some(teams) = &wanted.teams {
        let teams = NewTeams::deserialize(teams).map_err(|error| misread("teams", &error))?;
        let mut teams = teams.hosted_by(host);
        for side in Side::ALL {
            if let Some(name) = &mut teams.names[side] {
                let unsound = |why| bad(&format_args!("the name of {side} in `teams`: {why}"));
                let sound = sound_name(name.as_str()).map_err(unsound)?;
                *name = sound.parse().map_err(|error| bad(&error))?;
            }
        }
        spec.teams = Some(Box::new(teams));
    }
    spec.check().map_err(|error| bad(&error))?;
    Ok(spec)
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<Key>, Failure> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let key = value.to_str().ok().and_then(|text| text.parse().ok());
    match key {
        Some(key) => Ok(Some(key)),
        None => Err(Failure::saying(
            Code::BadMessage,
            mancala_play::ParseKeyError,
        )),
    }
}

/// All that the answer depends on. The body as it was understood, so that neither blanks
/// nor the order of its fields make another request of it; and the secret, which would be
/// another one for another token of the same user.
fn request_hash(wanted: &NewMatch, link_hash: Option<SecretHash>) -> RequestHash {
    let mut bytes = serde_json::to_vec(wanted).expect("a body that was read can be written");
    bytes.extend(link_hash.map(|hash| hash.0).unwrap_or_default());
    RequestHash::of(&bytes)
}

/// The secret of a link. With an idempotency key it follows from that and the caller's
/// token, so that the same request has the same answer and only the hash is kept.
fn link_secret(app: &App, token: &str, key: Option<&Key>) -> String {
    let Some(key) = key else {
        return app.world.chance.secret();
    };
    let mut hash = Sha256::new();
    for part in ["secret of a link", token, key.as_str()] {
        hash.update(part);
        hash.update("\n");
    }
    chance::text_of(hash.finalize().into())
}

/// Where a page begins, and how long it is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    after: Option<String>,
    limit: Option<u32>,
}

/// How long a page is that may be so long at most.
pub(super) fn bounded(limit: Option<u32>, most: u32) -> Result<u32, Failure> {
    let limit = limit.unwrap_or(most);
    if (1..=most).contains(&limit) {
        Ok(limit)
    } else {
        let bounds = format!("`limit` is from 1 to {most}");
        Err(Failure::saying(Code::BadMessage, bounds))
    }
}

/// Before which place in a list a page begins, if it is not the first, and how long it is.
pub(super) fn page_of(
    query: Result<Query<Page>, QueryRejection>,
) -> Result<(Option<(i64, PublicId)>, u32), Failure> {
    let Query(page) =
        query.map_err(|error| Failure::saying(Code::BadMessage, error.body_text()))?;
    let most = u32::try_from(MATCHES_A_PAGE_MAX).unwrap_or(u32::MAX);
    let limit = bounded(page.limit, most)?;
    let after = page.after.map(|after| after.parse::<Cursor>()).transpose();
    let after = after.map_err(|error| Failure::saying(Code::BadMessage, error))?;
    Ok((
        after.map(|cursor| (cursor.created_ms, cursor.r#match)),
        limit,
    ))
}

/// `GET /api/v1/matches`
pub(super) async fn list(
    State(app): State<App>,
    query: Result<Query<Page>, QueryRejection>,
) -> Result<Json<MatchList>, Failure> {
    let (before, limit) = page_of(query)?;
    // One more than asked for shows whether there is a next page.
    let mut rows = app.matches.listed(before, limit + 1).await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(place);
    let matches = rows.iter().map(listed).collect();
    Ok(Json(MatchList { matches, next }))
}

fn place(row: &MatchRow) -> String {
    let (created_ms, r#match) = (row.created_ms, row.public_id);
    Cursor {
        created_ms,
        r#match,
    }
    .to_string()
}

fn listed(row: &MatchRow) -> MatchListed {
    MatchListed {
        r#match: row.public_id,
        game: row.spec.options.mancala().key().to_owned(),
        format: row.spec.format.to_string(),
        clock: row.spec.clock,
        stage: challenges::stage(row),
        created_ms: row.created_ms,
    }
}

/// `GET /api/v1/matches/{match}`
pub(super) async fn view(
    State(app): State<App>,
    Named(name): Named,
) -> Result<Json<MatchView>, Failure> {
    let handle = app.matches.open(name).await?;
    Ok(Json(handle.view().await?))
}

/// `GET /api/v1/matches/{match}/record`
pub(super) async fn record(
    State(app): State<App>,
    Named(name): Named,
) -> Result<impl IntoResponse, Failure> {
    let row = app.matches.row(name).await?;
    let events = app.matches.events(&row).await?;
    let names = app.matches.names(everybody(&events)).await?;
    let name_of = |user| names.get(&user).map(String::as_str);
    let record = mancala_play::record(&events, name_of)
        .map_err(|error| Failure::saying(Code::Internal, error))?;
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((kind, record.to_string()))
}

/// `GET /api/v1/matches/{match}/log`
pub(super) async fn log(
    State(app): State<App>,
    Named(name): Named,
) -> Result<impl IntoResponse, Failure> {
    let row = app.matches.row(name).await?;
    let mut lines = Vec::new();
    for frame in app.matches.frames(&row).await? {
        lines.extend_from_slice(&frame);
        lines.push(b'\n');
    }
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, lines))
}
