//! What is for people to read: the page that somebody sees who opens the server's address
//! in a browser, and REST told in full.
//!
//! May know pages and the documents of the protocol, never anything that changes.

use axum::http::header;
use axum::response::{Html, IntoResponse};
use bytes::Bytes;
use mancala_protocol::documents;
use std::sync::LazyLock;

/// `GET /`
pub(super) async fn first() -> impl IntoResponse {
    page(Bytes::from_static(include_bytes!("first.html")))
}

/// `GET /api/v1/openapi.html`
pub(super) async fn openapi_page() -> impl IntoResponse {
    static PAGE: LazyLock<Bytes> = LazyLock::new(|| documents::openapi_page().into());
    page(PAGE.clone())
}

/// `GET /api/v1/openapi.json`
pub(super) async fn openapi() -> impl IntoResponse {
    // It is made once, because that takes longer than most requests.
    static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| documents::openapi().to_string().into());
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, DOCUMENT.clone())
}

/// A page with its style within it. The browser is told that nothing runs in it and
/// nothing is loaded.
fn page(html: Bytes) -> impl IntoResponse {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                  form-action 'none'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Html(html))
}
