//! A running relay: from its configuration to its end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::budgets::Budgets;
use super::config::Config;
use super::counters::{Count, Counters};
use super::descriptors;
use super::listen::{self, Front};
use super::permits::Permits;
use super::plugin::{Plugin, Plugins};
use super::policy::Policy;
use super::quic::Quic;
use super::resolve::Resolver;
use super::session::{Order, Sessions};
use super::tls::{self, Https};
use super::web::{self, Site};
use super::workers::Workers;

/// How long players may take to hear of the end.
const FAREWELL: Duration = Duration::from_secs(3);

const TIDY: Duration = Duration::from_secs(60);

/// What all sessions and requests share.
#[derive(Debug)]
pub struct RelayState {
    pub config: Config,
    /// For all connections, whatever carries them.
    pub permits: Arc<Permits>,
    pub sessions: Arc<Sessions>,
    pub policy: Policy,
    pub budgets: Arc<Budgets>,
    pub counters: Arc<Counters>,
    pub plugins: Plugins,
}

impl RelayState {
    /// What was counted since the start, and how much there is now.
    pub fn counts(&self) -> Vec<Count> {
        let (playing, held) = self.sessions.counts();
        let gauges = [
            ("sessions", "Sessions with a connection.", playing),
            (
                "sessions_held",
                "Sessions that wait for their player.",
                held,
            ),
            (
                "connections",
                "Open connections, besides those of players whom a server has let in.",
                self.permits.count(),
            ),
        ];
        let mut counts = self.counters.table();
        counts.extend(gauges.map(|(name, help, value)| Count {
            name,
            help,
            kind: "gauge",
            value: value as u64,
        }));
        counts
    }
}

/// A relay that serves until it is stopped.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    state: Arc<RelayState>,
    quic: Option<Arc<Quic>>,
    stop: watch::Sender<bool>,
    listening: JoinHandle<()>,
    tidying: JoinHandle<()>,
}

impl Relay {
    /// Starts to serve, with the plugins that `plugins` makes; a port of 0 takes a free one.
    ///
    /// # Errors
    /// If an option asks for what cannot be.
    pub async fn start(
        config: Config,
        plugins: impl FnOnce(&Arc<Resolver>) -> anyhow::Result<Vec<Arc<dyn Plugin>>>,
    ) -> anyhow::Result<Self> {
        config.check()?;
        let listener = TcpListener::bind(config.listen)
            .await
            .map_err(|error| anyhow!(config.cannot_listen(&error)))?;
        let max_connections = descriptors::make_room(&config, &listener);
        let permits = || Permits::new(max_connections, config.max_connections_per_address);
        let address = listener.local_addr()?;
        let resolver = Resolver::start().context("cannot start threads")?;
        let plugins = Plugins(plugins(&resolver)?.into());
        let budgets = Arc::new(Budgets::new(config.player_rate, config.total_rate));
        let state = Arc::new(RelayState {
            permits: permits(),
            sessions: Sessions::new(&config, budgets.clone(), plugins.clone()),
            policy: Policy::new(&config, resolver),
            budgets,
            counters: Arc::default(),
            plugins,
            config: config.clone(),
        });
        for plugin in state.plugins.0.iter() {
            plugin.clone().begin(state.clone()).await;
        }
        let workers = Arc::new(Workers::start(config.threads).context("cannot start threads")?);
        let quic = match config.no_webtransport {
            true => None,
            false => Some(Quic::start(address, workers.clone(), state.clone()).await?),
        };
        let (stop, stopping) = watch::channel(false);
        let site = Site {
            forwarded: permits(),
            relay_state: state.clone(),
            workers: workers.clone(),
            quic: quic.clone(),
            stopping: stopping.clone(),
        };
        let https = Https::new(&config).await?;
        let front = Front {
            router: web::router(Arc::new(site)),
            https: https.clone(),
            relay_state: state.clone(),
            stopping,
        };
        let listening = workers
            .http_runtime()
            .spawn(listen::run(listener.into_std()?, front));
        let tidying = tokio::spawn(tidy(state.clone(), https));
        Ok(Self {
            address,
            state,
            quic,
            stop,
            listening,
            tidying,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn state(&self) -> &Arc<RelayState> {
        &self.state
    }

    /// Tells all players why, and ends.
    pub async fn stop(self, reason: &str) {
        let sessions = &self.state.sessions;
        self.stop.send_replace(true);
        sessions.announce(|| Order::Stop(reason.to_owned()));
        let begun = Instant::now();
        while sessions.counts().0 > 0 && begun.elapsed() < FAREWELL {
            sleep(Duration::from_millis(20)).await;
        }
        sessions.end_waiting();
        // The last close frames leave after their sessions.
        sleep(Duration::from_millis(50)).await;
        self.listening.abort();
        self.tidying.abort();
        for plugin in self.state.plugins.0.iter() {
            plugin.end(&self.state);
        }
        if let Some(quic) = self.quic {
            quic.stop();
        }
    }
}

/// What is due now and then.
async fn tidy(relay_state: Arc<RelayState>, https: Option<Arc<Https>>) {
    let config = &relay_state.config;
    let mut renewed = Instant::now();
    loop {
        sleep(TIDY).await;
        relay_state.budgets.tidy();
        let Some(https) = &https else { continue };
        if renewed.elapsed() > tls::renewal(config) {
            renewed = Instant::now();
            if let Err(error) = https.renew(config).await {
                tracing::error!(%error, "cannot renew the certificate for HTTPS");
            }
        }
    }
}
