//! HTTP: routes, who calls, and how failures are told.
//!
//! May know requests and answers, and hands everything else on.

mod admin;
mod challenges;
pub(crate) mod exposition;
mod guests;
mod joining;
mod matches;
mod page;
mod standing;
mod talk;

use crate::app::App;
use crate::ids::PublicId;
use crate::limits::{HEAD_MS, REQUEST_MS};
use crate::matches::Declined;
use crate::metrics;
use crate::store::UserRow;
use crate::{wording, ws};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::serve::{Listener, ListenerExt as _};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use mancala_protocol::Code;
use mancala_protocol::limits::BODY_BYTES_MAX;
use mancala_protocol::rest::{Problem, REFUSED};
use serde::de::DeserializeOwned;
use std::pin::pin;
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::{debug, error, warn};

/// The cookie that holds a browser's token.
pub(crate) const COOKIE: &str = "mancala_token";

/// Where connections come from.
#[derive(Debug)]
pub enum Incoming {
    /// A port.
    Port(TcpListener),
    /// A queue, for simulations, whose time stands still while nothing happens.
    Queue(mpsc::Receiver<DuplexStream>),
}

/// Serves until `stop` is done. Sockets end by themselves.
pub(crate) async fn serve(app: App, incoming: Incoming, stop: impl Future<Output = ()>) {
    let router = router(app);
    match incoming {
        Incoming::Port(listener) => {
            // Moves are small and must not wait for a fuller packet.
            let listener = listener.tap_io(|socket| {
                if let Err(error) = socket.set_nodelay(true) {
                    warn!(%error, "a socket sends in full packets only");
                }
            });
            serve_on(listener, router, stop).await;
        }
        Incoming::Queue(queue) => serve_on(Queue(queue), router, stop).await,
    }
}

/// Serves what a listener accepts until `stop` is done, and then what has begun. A connection
/// that does not come up with the head of a request in time is closed: else whoever opens
/// many and says nothing would use up the files of the process.
pub(crate) async fn serve_on<L: Listener>(
    mut listener: L,
    router: Router,
    stop: impl Future<Output = ()>,
) {
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(HEAD_MS));
    let (begun, ending) = (TaskTracker::new(), CancellationToken::new());
    let mut stop = pin!(stop);
    loop {
        let (connection, _) = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let service = TowerToHyperService::new(router.clone());
        let served = server.serve_connection(TokioIo::new(connection), service);
        let (served, ending) = (served.with_upgrades(), ending.clone());
        begun.spawn(async move {
            let mut served = pin!(served);
            let ended = tokio::select! {
                biased;
                ended = &mut served => ended,
                () = ending.cancelled() => {
                    served.as_mut().graceful_shutdown();
                    served.await
                }
            };
            if let Err(error) = ended {
                debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    ending.cancel();
    begun.close();
    begun.wait().await;
}

/// Connections from a queue. Where nobody puts one in any more, none comes.
struct Queue(mpsc::Receiver<DuplexStream>);

impl Listener for Queue {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(connection) => (connection, ()),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<()> {
        Ok(())
    }
}

fn router(app: App) -> Router {
    let api = Router::new()
        .route("/guests", post(guests::create))
        .route("/me", get(guests::me))
        .route("/me/invitations", get(joining::invitations))
        .route("/me/teams", get(standing::mine))
        .route("/teams", post(standing::found).get(standing::list))
        .route("/teams/{team}", get(standing::team))
        .route(
            "/teams/{team}/link",
            post(standing::make_link).delete(standing::remove_link),
        )
        .route("/teams/{team}/members", post(standing::come))
        .route("/teams/{team}/members/{number}", delete(standing::leave))
        .route("/teams/{team}/captain", post(standing::lead))
        .route("/teams/{team}/matches", get(challenges::matches))
        .route(
            "/teams/{team}/challenges",
            post(challenges::challenge).get(challenges::list),
        )
        .route(
            "/teams/{team}/challenges/{challenge}",
            delete(challenges::end),
        )
        .route(
            "/teams/{team}/challenges/{challenge}/accept",
            post(challenges::accept),
        )
        .route("/matches", post(matches::create).get(matches::list))
        .route("/matches/{match}", get(matches::view))
        .route("/matches/{match}/seats", post(joining::sit))
        .route("/matches/{match}/links", post(joining::make_link))
        .route(
            "/matches/{match}/links/{side}",
            delete(joining::remove_links),
        )
        .route("/matches/{match}/invitations", post(joining::invite))
        .route(
            "/matches/{match}/invitations/{person}",
            delete(joining::uninvite),
        )
        .route("/matches/{match}/record", get(matches::record))
        .route("/matches/{match}/log", get(matches::log))
        .route("/matches/{match}/talk", get(talk::read))
        .route("/openapi.json", get(page::openapi))
        .route("/openapi.html", get(page::openapi_page))
        .layer(middleware::from_fn(in_time));
    let admin = Router::new()
        .route("/matches/{match}/end", post(admin::end_match))
        .route("/matches/{match}/remove-line", post(admin::remove_line))
        .route("/matches/{match}/clear-talk", post(admin::clear_talk))
        .route("/reports", get(admin::reports))
        .layer(middleware::from_fn(in_time));
    Router::new()
        .route("/", get(page::first))
        .route("/ws", get(ws::upgrade))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .nest("/api/v1", api)
        // Apart, so that a proxy can keep it from the world.
        .nest("/api/admin", admin)
        .fallback(|| async { Failure::from(Code::NotFound) })
        .method_not_allowed_fallback(|| async { Failure::from(Code::MethodNotAllowed) })
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(CatchPanicLayer::custom(|_| {
            error!("a request panicked");
            Failure::from(Code::Internal).into_response()
        }))
        .with_state(app)
}

/// Gives up a request that takes too long, its body included.
async fn in_time(request: Request, next: Next) -> Response {
    match timeout(Duration::from_millis(REQUEST_MS), next.run(request)).await {
        Ok(response) => response,
        Err(_) => Failure::from(Code::TimedOut).into_response(),
    }
}

async fn healthz() -> &'static str {
    "ok\n"
}

async fn readyz(State(app): State<App>) -> Result<&'static str, Failure> {
    if app.stopping.is_cancelled() {
        return Err(Code::ShuttingDown.into());
    }
    match app.store.ready().await {
        Ok(()) => Ok("ok\n"),
        Err(error) => {
            warn!(%error, "not ready");
            Err(Code::StorageUnavailable.into())
        }
    }
}

/// A failure, as the client is told it.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u16,
    code: &'static str,
    detail: String,
}

impl Failure {
    /// A code with another sentence than its own.
    pub(crate) fn because(code: Code, detail: impl Into<String>) -> Failure {
        Failure {
            status: code.status(),
            code: code.as_str(),
            detail: detail.into(),
        }
    }

    /// A code with more than its own sentence.
    pub(crate) fn saying(code: Code, detail: impl std::fmt::Display) -> Failure {
        Failure {
            status: code.status(),
            code: code.as_str(),
            detail: format!("{code}: {detail}"),
        }
    }
}

impl From<Code> for Failure {
    fn from(code: Code) -> Failure {
        Failure {
            status: code.status(),
            code: code.as_str(),
            detail: code.to_string(),
        }
    }
}

impl From<Declined> for Failure {
    fn from(declined: Declined) -> Failure {
        match declined {
            Declined::Code(code) => code.into(),
            Declined::Refusal(refusal) => Failure {
                status: REFUSED,
                code: refusal.code(),
                detail: refusal.to_string(),
            },
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        metrics::refused(self.code);
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let problem = Problem {
            r#type: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            code: self.code.to_owned(),
            detail: self.detail,
        };
        let mut response = (status, axum::Json(problem)).into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// A JSON body, with failures of our own kind.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Body<T>, Failure> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(Failure::because(
                Code::BadMessage,
                "the body is JSON, and the header says so: `Content-Type: application/json`",
            ));
        }
        let bytes = Bytes::from_request(request, app)
            .await
            .map_err(|rejection| {
                if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                    Failure::from(Code::TooLarge)
                } else {
                    Failure::saying(Code::BadMessage, rejection.body_text())
                }
            })?;
        let body = serde_json::from_slice(&bytes)
            .map_err(|error| Failure::saying(Code::BadMessage, wording::sentence(&error)))?;
        Ok(Body(body))
    }
}

/// The match that a path names.
pub(crate) struct Named(pub(crate) PublicId);

impl FromRequestParts<App> for Named {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Named, Failure> {
        // What cannot be read is no match's name either.
        let name = Path::<String>::from_request_parts(parts, app).await;
        let name = name.map_err(|_| Code::NoSuchMatch)?;
        Ok(Named(name.parse().map_err(|_| Code::NoSuchMatch)?))
    }
}

/// Does a request change anything? Then a browser's cookie counts only on our own pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Yes,
    No,
}

/// Who makes a request.
#[derive(Debug)]
pub(crate) enum Caller {
    /// Nobody in particular.
    Anyone,
    /// The holder of a token in a header.
    Program(UserRow),
    /// The holder of a token in a cookie.
    Browser(UserRow),
}

impl Caller {
    /// Who makes the request with these headers.
    pub(crate) async fn of(
        headers: &HeaderMap,
        app: &App,
        change: Change,
    ) -> Result<Caller, Failure> {
        let cookie = cookie_token(headers);
        match (bearer_token(headers)?, cookie) {
            // A program that keeps cookies sends the one it was given, beside its token.
            (Some(token), Some(cookie)) if token != cookie => Err(Code::TwoTokens.into()),
            (Some(token), Some(_)) => Ok(Caller::Program(app.accounts.user_of(token).await?)),
            (Some(token), None) => Ok(Caller::Program(app.accounts.user_of(token).await?)),
            (None, Some(token)) => {
                let own = origin(headers).is_some_and(|origin| is_own(origin, headers, app));
                if change == Change::Yes && !own {
                    return Err(Code::BadOrigin.into());
                }
                Ok(Caller::Browser(app.accounts.user_of(token).await?))
            }
            (None, None) => Ok(Caller::Anyone),
        }
    }

    /// The caller, who must be known.
    pub(crate) fn user(self) -> Result<UserRow, Failure> {
        match self {
            Caller::Anyone => Err(Code::SignInNeeded.into()),
            Caller::Program(user) | Caller::Browser(user) => Ok(user),
        }
    }

    /// The caller, if a cookie says who that is.
    pub(crate) fn cookie_user(self) -> Option<UserRow> {
        match self {
            Caller::Browser(user) => Some(user),
            Caller::Anyone | Caller::Program(_) => None,
        }
    }
}

/// The token that came with a request, in whichever way.
fn token_of(headers: &HeaderMap) -> Result<Option<&str>, Failure> {
    Ok(bearer_token(headers)?.or_else(|| cookie_token(headers)))
}

fn bearer_token(headers: &HeaderMap) -> Result<Option<&str>, Failure> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let token = value.to_str().ok().and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    match token {
        Some(token) => Ok(Some(token)),
        None => Err(Failure::because(
            Code::BadToken,
            "a token stands in the header as `Authorization: Bearer TOKEN`",
        )),
    }
}

fn cookie_token(headers: &HeaderMap) -> Option<&str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|&(name, _)| name == COOKIE)
        .map(|(_, token)| token)
}

fn origin(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::ORIGIN)?.to_str().ok()
}

/// Is it the origin of this server's own pages? Where the host has not said which that is,
/// it is the address by which the browser came: a cookie is sent to no other.
fn is_own(origin: &str, headers: &HeaderMap, app: &App) -> bool {
    if origin == &*app.origin {
        return true;
    }
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let scheme_and_host = origin.split_once("://");
    !app.origin_is_fixed
        && scheme_and_host.is_some_and(|(scheme, own)| scheme == "http" && Some(own) == host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Stopwatch;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    /// Whoever says nothing, or half of something, or nothing more, is waited for so long and
    /// no longer.
    #[tokio::test(start_paused = true)]
    async fn a_connection_that_goes_silent_is_closed() {
        let (queue, connections) = mpsc::channel(4);
        let router = Router::new().route("/", get(|| async { "here" }));
        let stop = std::future::pending();
        tokio::spawn(serve_on(Queue(connections), router, stop));
        let whole = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
        for said in ["", "GET / HTTP/1.1\r\nhos", whole] {
            let (mut near, far) = duplex(4_096);
            queue.send(far).await.unwrap();
            near.write_all(said.as_bytes()).await.unwrap();
            let head = Duration::from_millis(HEAD_MS);
            let begun = Stopwatch::start();
            let mut heard = String::new();
            let closed = timeout(10 * head, near.read_to_string(&mut heard)).await;
            assert!(closed.is_ok(), "{said:?}: {heard:?}");
            assert_eq!(heard.ends_with("here"), said == whole, "{heard}");
            let waited = Duration::from_secs_f64(begun.seconds());
            assert!((head..2 * head).contains(&waited), "{said:?}: {waited:?}");
        }
    }
}
