//! The page that somebody sees who opens the server's address in a browser.

use axum::http::header;
use axum::response::{Html, IntoResponse};

/// `GET /`
pub(super) async fn first() -> impl IntoResponse {
    let headers = [(
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'",
    )];
    (headers, Html(include_str!("first.html")))
}
