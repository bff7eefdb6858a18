//! What those ask of a server who run it: `mancala admin`.
//!
//! May know the words of REST and how a request is sent, never a part of the server; who asks
//! is the host, because `host.json` in the data folder can be read.

use crate::cli::{Admin, AdminCommand};
use crate::health::reachable;
use anyhow::{Context as _, anyhow, bail};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use mancala_engine::{Printable, Side};
use mancala_protocol::PublicId;
use mancala_protocol::rest::{EndMatch, Problem, RemoveLine, ReportList};
use mancala_server::host::Host;
use mancala_server::limits::REQUEST_MS;
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The server itself gives a request up after a while; this is for one that says nothing.
const PATIENCE: Duration = Duration::from_millis(2 * REQUEST_MS);

/// More than any answer has: a hundred reports of eleven lines each, of the longest.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// Asks the server on a data folder for what the arguments say, and writes what came of it.
pub(crate) fn run(arguments: Admin, mut output: impl Write) -> anyhow::Result<()> {
    let Admin { data, command } = arguments;
    match command {
        AdminCommand::EndMatch { name, r#as, note } => {
            let r#as = r#as.into();
            end_match(&data, name, &EndMatch { r#as, note })?;
            writeln!(output, "the match {name} is over")?;
        }
        AdminCommand::Reports { before } => {
            let before = before.map_or_else(String::new, |before| format!("?before={before}"));
            let path = format!("/api/admin/reports{before}");
            let page = ask(&data, Method::GET, &path, Vec::new())?;
            let page = serde_json::from_slice(&page).context("this server reports otherwise")?;
            show_reports(&page, output)?;
        }
        AdminCommand::RemoveLine { name, room, line } => {
            let body = serde_json::to_vec(&RemoveLine { room, line })?;
            let path = format!("/api/admin/matches/{name}/remove-line");
            ask(&data, Method::POST, &path, body)?;
            writeln!(
                output,
                "line {line} of the room `{room}` of {name} is removed"
            )?;
        }
        AdminCommand::ClearTalk { name } => {
            let path = format!("/api/admin/matches/{name}/clear-talk");
            ask(&data, Method::POST, &path, Vec::new())?;
            writeln!(output, "all talk of the match {name} is deleted")?;
        }
    }
    Ok(())
}

/// Writes reports for people. What is theirs is made safe for a terminal.
fn show_reports(page: &ReportList, mut output: impl Write) -> anyhow::Result<()> {
    for report in &page.reports {
        writeln!(
            output,
            "report {} at {}: {} reports line {} of the room `{}` of {}: {}",
            report.id,
            report.at_ms,
            Printable(&report.by),
            report.line,
            report.room,
            report.r#match,
            Printable(&report.why)
        )?;
        for line in &report.lines {
            let mark = if line.n == report.line { '>' } else { ' ' };
            let text = line.text.as_deref().map_or_else(
                || "(removed before)".to_owned(),
                |text| Printable(text).to_string(),
            );
            writeln!(
                output,
                "{mark} {:>4} at {}, {}{}: {text}",
                line.n,
                line.at_ms,
                Printable(&line.name),
                line.side.map_or("", |side| match side {
                    Side::South => " (south)",
                    Side::North => " (north)",
                })
            )?;
        }
    }
    match page.next {
        Some(next) => writeln!(output, "there are earlier ones: --before {next}")?,
        None if page.reports.is_empty() => writeln!(output, "nothing is reported")?,
        None => {}
    }
    Ok(())
}

fn end_match(data: &Path, name: PublicId, wanted: &EndMatch) -> anyhow::Result<()> {
    let body = serde_json::to_vec(wanted)?;
    let path = format!("/api/admin/matches/{name}/end");
    ask(data, Method::POST, &path, body)?;
    Ok(())
}

/// Asks the server on a folder for something, and returns the body of its answer.
fn ask(data: &Path, method: Method, path: &str, body: Vec<u8>) -> anyhow::Result<Bytes> {
    let host = Host::read(data)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let answer =
        runtime.block_on(async { timeout(PATIENCE, exchange(&host, method, path, body)).await });
    let (status, body) = answer.map_err(|_| {
        let address = reachable(host.address);
        anyhow!("the server on {address} does not answer; look whether it was done")
    })??;
    if status.is_success() {
        return Ok(body);
    }
    match serde_json::from_slice::<Problem>(&body) {
        Ok(problem) if status == StatusCode::UNAUTHORIZED => bail!(
            "the server on {} is another one than that which wrote {}/host.json: start that one \
             again ({})",
            reachable(host.address),
            data.display(),
            problem.code
        ),
        Ok(Problem { code, detail, .. }) => bail!("{detail} ({code})"),
        Err(_) => bail!(
            "what listens on {} is no server of ours: it answered {status}",
            reachable(host.address)
        ),
    }
}

/// Sends a request as the host, on a connection of its own.
async fn exchange(
    host: &Host,
    method: Method,
    path: &str,
    body: Vec<u8>,
) -> anyhow::Result<(StatusCode, Bytes)> {
    let address = reachable(host.address);
    let stream = TcpStream::connect(address).await.with_context(|| {
        format!("no server listens on {address}, where one did that has not stopped in good order: start it again")
    })?;
    let lost = || format!("the server on {address} went away; look whether it was done");
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.with_context(lost)?;
    // Its failure shows in the answer.
    tokio::spawn(connection);
    let bearer = format!("Bearer {}", host.secret.reveal());
    let mut bearer =
        HeaderValue::from_str(&bearer).map_err(|_| anyhow!("no secret is like that"))?;
    bearer.set_sensitive(true);
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, address.to_string())
        .header(CONTENT_TYPE, "application/json")
        .header(AUTHORIZATION, bearer)
        .body(Full::new(Bytes::from(body)))?;
    let answer = sender.send_request(request).await.with_context(lost)?;
    let status = answer.status();
    let body = Limited::new(answer.into_body(), ANSWER_BYTES_MAX);
    let body = body.collect().await.map_err(|error| anyhow!(error));
    Ok((status, body.with_context(lost)?.to_bytes()))
}
