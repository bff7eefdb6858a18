//! The server as a program: its log, its first words, and when it stops.
//!
//! May know the process (signals, standard output), never a part of the server by itself.

use crate::cli::{LogFormat, Serve};
use anyhow::Context as _;
use mancala_server::metrics::{self, Metrics};
use mancala_server::{Config, Server, store};
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use tracing::error;
use tracing_subscriber::EnvFilter;

/// Serves until somebody says stop.
pub(crate) fn run(arguments: Serve) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&arguments.log)
        .with_context(|| format!("--log cannot be `{}`", arguments.log))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Colours are for eyes: in a file they would hide words from a search.
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match arguments.log_format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    note_panics();
    let metrics = match arguments.metrics_listen {
        None => None,
        Some(address) => {
            let metrics = Metrics::install().context("cannot count anything")?;
            Some((address, metrics))
        }
    };
    let config = Config {
        listen: arguments.listen,
        data: (!arguments.ephemeral).then(|| arguments.data.clone()),
        public_url: arguments.public_url,
        metrics,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the threads of the server")?;
    runtime.block_on(async {
        let stop = stop_signal()?;
        let server = Server::start(config.clone()).await?;
        let data = config.data.as_ref().map_or_else(
            || "nowhere: everything is forgotten at the end".to_owned(),
            |folder| {
                let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
                format!("in {}", folder.display())
            },
        );
        // Whoever started us may not be listening.
        let _unheard = writeln!(
            std::io::stdout(),
            "open   {}\ndata   {data}\ndocs   {}/api/v1/openapi.html, and the folder proto-docs",
            server.url(),
            server.url(),
        );
        server.run(stop).await.context("the listener failed")
    })
}

/// Copies the database of a folder into a file.
pub(crate) fn back_up(folder: &Path, to: &Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    Ok(runtime.block_on(store::back_up(folder, to))?)
}

/// Panics are faults of this program: each is counted and told like every other line of the
/// log.
fn note_panics() {
    std::panic::set_hook(Box::new(|panic| {
        metrics::panicked();
        let place = panic.location().map(ToString::to_string);
        let what = panic.payload_as_str().unwrap_or("something");
        let trace = std::backtrace::Backtrace::capture();
        error!(place, what, %trace, "panicked: this is a fault of the program, please report it");
    }));
}

/// Done when the process is told to stop.
#[cfg(unix)]
fn stop_signal() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).context("cannot hear SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot hear SIGINT")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Done when the process is told to stop.
#[cfg(not(unix))]
fn stop_signal() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
