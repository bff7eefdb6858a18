//! Requests over HTTP, each on a connection of its own.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use crate::patiently;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::error::Error;
use std::net::SocketAddr;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// A request to be sent.
#[derive(Clone, Debug)]
pub struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Request {
    /// A request of any method, without a body.
    #[must_use]
    pub fn new(method: &'static str, path: impl Into<String>) -> Request {
        Request {
            method,
            path: path.into(),
            headers: Vec::new(),
            body: Bytes::new(),
        }
    }

    /// A request to read.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Request {
        Request::new("GET", path)
    }

    /// A request with a JSON body.
    #[must_use]
    pub fn post(path: impl Into<String>, body: &Value) -> Request {
        Request::new("POST", path)
            .header(CONTENT_TYPE.as_str(), "application/json")
            .body(body.to_string())
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Request {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a token.
    #[must_use]
    pub fn token(self, token: &str) -> Request {
        self.header(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    /// With a body as it is.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Request {
        self.body = body.into();
        self
    }

    /// Sends it and waits for the answer.
    ///
    /// # Errors
    /// The server cannot be reached, or the connection is lost.
    pub async fn send(self, to: SocketAddr) -> Result<Answer, Box<dyn Error + Send + Sync>> {
        let what = format!("the answer to {} {}", self.method, self.path);
        patiently(&what, self.exchange(to)).await
    }

    async fn exchange(self, to: SocketAddr) -> Result<Answer, Box<dyn Error + Send + Sync>> {
        let stream = TcpStream::connect(to).await?;
        self.send_over(stream, &to.to_string()).await
    }

    /// Sends it over a line to a host, and waits for the answer.
    ///
    /// # Errors
    /// The connection is lost.
    pub async fn send_over(
        self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        host: &str,
    ) -> Result<Answer, Box<dyn Error + Send + Sync>> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // Its failure shows in the answer.
        let connection = tokio::spawn(connection);
        let mut request = hyper::Request::builder()
            .method(self.method)
            .uri(&self.path);
        if !self.headers.iter().any(|(name, _)| name == HOST.as_str()) {
            request = request.header(HOST, host);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let answer = sender.send_request(request.body(Full::new(self.body))?);
        let (parts, body) = answer.await?.into_parts();
        let body = body.collect().await?.to_bytes();
        drop(sender);
        connection.abort();
        Ok(Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        })
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The body of a success, read as JSON.
    #[must_use]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        assert!(matches!(self.status, 200..300), "{}", self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    /// A header, or the empty text.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// The status and the code of a problem, which every failure has to be.
    #[must_use]
    pub fn problem(&self) -> (u16, String) {
        let kind = self.header(CONTENT_TYPE.as_str());
        assert_eq!(
            kind,
            "application/problem+json",
            "{}: {}",
            self.status,
            self.text()
        );
        let problem: mancala_protocol::rest::Problem = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(problem.status, self.status);
        assert!(!problem.detail.is_empty());
        (self.status, problem.code)
    }
}
