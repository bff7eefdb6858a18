//! The parts of a running server, put together, started and stopped.

use crate::accounts::Accounts;
use crate::challenges::Challenges;
use crate::clock::ServiceTime;
use crate::host::{Host, HostFile, HostSecret};
use crate::http::{self, Incoming};
use crate::ids::HostHash;
use crate::joining::Joining;
use crate::limits::{STOP_MS, STOP_REQUESTS_MS};
use crate::matches::Matches;
use crate::metrics::{self, Metrics};
use crate::online::Online;
use crate::standing::Standing;
use crate::store::{OpenError, Store};
use crate::world::World;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where its data lies; none where everything is forgotten at the end.
    pub data: Option<PathBuf>,
    /// The address that browsers know it by, such as `https://mancala.example`; the
    /// listening address where it is left out.
    pub public_url: Option<String>,
    /// Where what is counted and measured can be read; nowhere, where it is left out.
    pub metrics: Option<(SocketAddr, Metrics)>,
}

/// What every request may reach: cheap handles.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) accounts: Accounts,
    pub(crate) challenges: Challenges,
    pub(crate) joining: Joining,
    pub(crate) standing: Standing,
    /// Whose sockets are open.
    pub(crate) online: Online,
    pub(crate) matches: Matches,
    pub(crate) store: Store,
    pub(crate) world: World,
    /// Since when the service is up, over all its processes.
    pub(crate) service: ServiceTime,
    /// By what the host is known, if there is one.
    pub(crate) host: Option<HostHash>,
    /// The origin of this server's own pages.
    pub(crate) origin: std::sync::Arc<str>,
    /// Is that the only one? Else it is whichever a browser came by.
    pub(crate) origin_is_fixed: bool,
    /// Raised when the server is told to stop.
    pub(crate) stopping: CancellationToken,
    /// The open sockets.
    pub(crate) sessions: TaskTracker,
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    parts: Parts,
    listener: TcpListener,
    address: SocketAddr,
    /// By which its host is known.
    host: Option<HostFile>,
}

/// What a server is made of, beside where it listens.
#[derive(Clone, Debug)]
pub struct Parts {
    /// What outlives it.
    pub store: Store,
    /// Time and lots.
    pub world: World,
    /// How far the service time had come: [`Store::service_ms`].
    pub service_ms: i64,
    /// By what its host is known; nobody is, where it is left out.
    pub host: Option<HostHash>,
    /// The address that browsers know it by, such as `https://mancala.example`.
    pub url: String,
    /// Is that the only one? Else it is whichever a browser came by.
    pub url_is_fixed: bool,
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The matches cannot be read.
    #[error("the matches in the database cannot be read")]
    Read(#[source] crate::store::StoreError),
    /// The address.
    #[error("cannot listen on {address}: {}", why_not(source))]
    Listen {
        /// Where it should have listened.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
}

/// What is to be done about an address at which one cannot listen.
fn why_not(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::AddrInUse => "something listens there already; choose another port",
        ErrorKind::PermissionDenied => {
            "this user may not; ports below 1024 want rights, so choose another one and put a \
             proxy before it"
        }
        ErrorKind::AddrNotAvailable => {
            "it is no address of this machine; 0.0.0.0 stands for all that it has"
        }
        _ => "the system does not allow it",
    }
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let fails = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(fails)?;
    let bound = listener.local_addr().map_err(fails)?;
    Ok((listener, bound))
}

/// Says in the data folder how the host is known. Where that cannot be written nobody is, and
/// people play all the same.
fn introduce(folder: &Path, host: &Host) -> Option<HostFile> {
    let written = HostFile::write(folder, host);
    let warn = |error: &std::io::Error| warn!(%error, "without `host.json` in the data folder `mancala admin` can do nothing");
    written.inspect_err(warn).ok()
}

impl Server {
    /// Opens the store and listens.
    ///
    /// # Errors
    /// If the data folder, the database or the address cannot be used.
    pub async fn start(config: Config) -> Result<Server, StartError> {
        let store = match &config.data {
            Some(folder) => Store::open_sqlite(folder).await?,
            None => Store::memory(),
        };
        let unfinished = store.unfinished().await.map_err(StartError::Read)?.len();
        let service_ms = store.service_ms().await.map_err(StartError::Read)?;
        let set_aside = store.set_aside_count().await.map_err(StartError::Read)?;
        metrics::set_aside_at_start(set_aside);
        let (listener, address) = listen(config.listen).await?;
        if let Some((address, metrics)) = config.metrics {
            let (listener, address) = listen(address).await?;
            info!(%address, "metrics");
            tokio::spawn(http::exposition::serve(metrics, listener));
        }
        let url_is_fixed = config.public_url.is_some();
        let url = config
            .public_url
            .unwrap_or_else(|| format!("http://{address}"));
        let url = url.trim_end_matches('/').to_owned();
        info!(%address, origin = url, matches.unfinished = unfinished, matches.set_aside = set_aside, "listening");
        let world = World::real();
        let host = Host {
            address,
            secret: HostSecret::new(world.chance.secret()),
        };
        let folder = config.data.as_deref();
        let host_file = folder.and_then(|folder| introduce(folder, &host));
        Ok(Server {
            parts: Parts {
                store,
                world,
                service_ms,
                host: host_file.as_ref().map(|_| host.secret.hash()),
                url,
                url_is_fixed,
            },
            listener,
            address,
            host: host_file,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that browsers know it by.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.parts.url
    }

    /// Serves until `stop` is done; then takes nothing new, lets what is under way come to
    /// the disk, tells every socket, and ends within a bounded time.
    ///
    /// # Errors
    /// If the listener fails.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let host = self.host;
        let stop = async move {
            stop.await;
            // While the folder is this server's yet: the next one writes its own.
            drop(host);
        };
        self.parts.run(Incoming::Port(self.listener), stop).await
    }
}

impl Parts {
    /// Serves what comes in, as [`Server::run`] does.
    ///
    /// # Errors
    /// If the listener fails.
    pub async fn run(
        self,
        incoming: Incoming,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        let Parts {
            store,
            world,
            service_ms,
            host,
            url,
            url_is_fixed,
        } = self;
        let service = ServiceTime::going_on_from(service_ms);
        let stopping = CancellationToken::new();
        let online = Online::default();
        let app = App {
            accounts: Accounts::new(store.clone(), world.clone()),
            challenges: Challenges::new(store.clone(), world.clone(), online.clone()),
            joining: Joining::new(store.clone(), world.clone(), online.clone()),
            standing: Standing::new(store.clone(), world.clone()),
            online,
            matches: Matches::new(
                store.clone(),
                world.clone(),
                service.clone(),
                stopping.clone(),
            ),
            store,
            world,
            service,
            host,
            origin: url.into(),
            origin_is_fixed: url_is_fixed,
            stopping,
            sessions: TaskTracker::new(),
        };
        let stopping = app.stopping.clone();
        let told = async move {
            stop.await;
            info!("told to stop: no new moves, what is under way is written");
            stopping.cancel();
        };
        let late = async {
            app.stopping.cancelled().await;
            tokio::time::sleep(Duration::from_millis(STOP_REQUESTS_MS)).await;
        };
        tokio::select! {
            biased;
            () = http::serve(app.clone(), incoming, told) => {}
            () = app.matches.keep_time() => {}
            // A request that never comes to its end would be waited for without end.
            () = late => warn!("some requests were not finished in time and are cut off"),
        }
        app.matches.note_time_now().await;
        app.sessions.close();
        let ended = async {
            app.sessions.wait().await;
            app.matches.stopped().await;
        };
        if tokio::time::timeout(Duration::from_millis(STOP_MS), ended)
            .await
            .is_err()
        {
            warn!("some sockets or matches did not end in time; what they were told is on disk");
        }
        app.store.close().await;
        info!("stopped");
        Ok(())
    }
}
