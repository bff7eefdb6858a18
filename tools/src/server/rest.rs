//! What is asked over REST: guests, matches, seats.
//!
//! May know requests and bodies, never sockets.

use anyhow::{Context as _, bail};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{Method, Request};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use mancala_engine::Side;
use mancala_protocol::rest::{Guest, MatchMade, NewGuest, NewMatch, Problem, SideWord, TakeSeat};
use mancala_protocol::{MatchView, PublicId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::net::SocketAddr;

/// A client of the REST interface, with connections that are used again.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    client: Client<HttpConnector, Full<Bytes>>,
    address: SocketAddr,
}

impl Rest {
    /// Of the server at this address.
    pub(crate) fn new(address: SocketAddr) -> Rest {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Rest {
            client: Client::builder(TokioExecutor::new()).build(connector),
            address,
        }
    }

    /// Makes a guest, and gives its token.
    pub(crate) async fn guest(&self, name: String) -> anyhow::Result<String> {
        let body = NewGuest { name: Some(name) };
        let guest: Guest = self.post("/api/v1/guests", None, &body).await?;
        Ok(guest.token)
    }

    /// Makes a match.
    pub(crate) async fn make(&self, token: &str, wanted: &NewMatch) -> anyhow::Result<PublicId> {
        let made: MatchMade = self.post("/api/v1/matches", Some(token), wanted).await?;
        Ok(made.view.r#match)
    }

    /// Takes a seat.
    pub(crate) async fn sit(&self, token: &str, name: PublicId, side: Side) -> anyhow::Result<()> {
        let side = match side {
            Side::South => SideWord::South,
            Side::North => SideWord::North,
        };
        let seat = TakeSeat {
            side,
            secret: None,
            person: None,
        };
        let path = format!("/api/v1/matches/{name}/seats");
        let _view: MatchView = self.post(&path, Some(token), &seat).await?;
        Ok(())
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        token: Option<&str>,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        let answer = self.exchange(path, token, serde_json::to_vec(body)?).await;
        answer.with_context(|| format!("POST {path}"))
    }

    async fn exchange<T: DeserializeOwned>(
        &self,
        path: &str,
        token: Option<&str>,
        body: Vec<u8>,
    ) -> anyhow::Result<T> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(format!("http://{}{path}", self.address))
            .header(CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let answer = self.client.request(request.body(Full::new(body.into()))?);
        let (head, body) = answer.await?.into_parts();
        let body = body.collect().await?.to_bytes();
        if !head.status.is_success() {
            match serde_json::from_slice::<Problem>(&body) {
                Ok(problem) => bail!("{} {}: {}", problem.status, problem.code, problem.detail),
                Err(_) => bail!("{}", head.status),
            }
        }
        Ok(serde_json::from_slice(&body)?)
    }
}
