//! What is counted and measured, on a listener of its own: not for the world to read.

use crate::metrics::Metrics;
use axum::Router;
use axum::http::header;
use axum::routing::get;
use tokio::net::TcpListener;

/// Serves `GET /metrics` for as long as the process runs.
pub(crate) async fn serve(metrics: Metrics, listener: TcpListener) {
    tokio::spawn(metrics.clone().keep_up());
    let kind = [(
        header::CONTENT_TYPE,
        "text/plain; version=0.0.4; charset=utf-8",
    )];
    let page = move || async move { (kind, metrics.text()) };
    let router = Router::new().route("/metrics", get(page));
    super::serve_on(listener, router, std::future::pending()).await;
}
