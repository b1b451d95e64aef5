//! A running relay: from its configuration to its end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::budgets::Budgets;
use crate::config::Config;
use crate::content::Content;
use crate::descriptors;
use crate::downloads::Downloads;
use crate::listen::{self, Front};
use crate::metrics::Metrics;
use crate::permits::Permits;
use crate::policy::Policy;
use crate::pump::RelayState;
use crate::quic::Quic;
use crate::resolve::Resolver;
use crate::session::{Order, Sessions};
use crate::state::{self, State};
use crate::status::Status;
use crate::tls::{self, Https};
use crate::web::{self, Site};
use crate::workers::Workers;

/// How long players may take to hear of the end.
const FAREWELL: Duration = Duration::from_secs(3);

const TIDY: Duration = Duration::from_secs(60);

/// A relay that serves until it is stopped.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    sessions: Arc<Sessions>,
    quic: Option<Arc<Quic>>,
    stop: watch::Sender<bool>,
    state: Option<Arc<State>>,
    listening: JoinHandle<()>,
    tasks: Vec<JoinHandle<()>>,
}

impl Relay {
    /// Starts to serve; a port of 0 takes a free one.
    pub async fn start(config: Config) -> anyhow::Result<Self> {
        config.check()?;
        let listener = TcpListener::bind(config.listen)
            .await
            .map_err(|error| anyhow!(config.cannot_listen(&error)))?;
        let max_connections = descriptors::make_room(&config, &listener);
        let address = listener.local_addr()?;
        let budgets = Arc::new(Budgets::new(config.player_rate, config.total_rate));
        let sessions = Sessions::new(&config, budgets.clone());
        let resolver = Resolver::start().context("cannot start threads")?;
        let policy = Arc::new(Policy::new(&config, resolver.clone()));
        let metrics = Arc::new(Metrics::default());
        let state = config.state.as_deref().map(State::open).transpose()?;
        let state = state.map(Arc::new);
        if let Some(state) = &state {
            // Before anything else takes one of their ports.
            restore(state, &config, &sessions, &policy, &metrics).await;
        }
        let content = Arc::new(Content::new(
            &config.content,
            config.downloads.as_deref(),
            config.content_url.as_deref(),
        ));
        let downloads = config.downloads.clone();
        let downloads = downloads
            .map(|folder| Downloads::new(folder, &config, content.clone(), resolver.clone()));
        let downloads = downloads.transpose()?.map(Arc::new);
        let permits = Permits::new(max_connections, config.max_connections_per_address);
        let relay_state = Arc::new(RelayState {
            permits: permits.clone(),
            downloads,
            config: config.clone(),
            sessions: sessions.clone(),
            status: Status::new(policy.servers(), &config.masters, resolver),
            budgets: budgets.clone(),
            metrics: metrics.clone(),
        });
        let workers = Arc::new(Workers::start(config.threads).context("cannot start threads")?);
        let quic = match config.no_webtransport {
            true => None,
            false => Some(
                Quic::start(
                    address,
                    workers.clone(),
                    relay_state.clone(),
                    policy.clone(),
                )
                .await?,
            ),
        };
        let (stop, stopping) = watch::channel(false);
        let site = Site {
            forwarded: Permits::new(max_connections, config.max_connections_per_address),
            content,
            relay_state,
            policy,
            workers: workers.clone(),
            quic: quic.clone(),
            stopping: stopping.clone(),
        };
        let router = web::router(Arc::new(site));
        let https = Https::new(&config).await?;
        let front = Front {
            router,
            https: https.clone(),
            config: Arc::new(config.clone()),
            metrics,
            permits,
            stopping,
        };
        let listening = workers
            .http_runtime()
            .spawn(listen::run(listener.into_std()?, front));
        let mut tasks = vec![tokio::spawn(tidy(config, budgets, https))];
        if let Some(state) = &state {
            let saving = state::keep_saved(state.clone(), sessions.clone());
            tasks.push(tokio::spawn(saving));
        }
        Ok(Self {
            address,
            sessions,
            quic,
            stop,
            state,
            listening,
            tasks,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Tells all players why, and ends.
    pub async fn stop(self, reason: &str) {
        self.stop.send_replace(true);
        self.sessions.announce(|| Order::Stop(reason.to_owned()));
        let begun = Instant::now();
        while self.sessions.counts().0 > 0 && begun.elapsed() < FAREWELL {
            sleep(Duration::from_millis(20)).await;
        }
        self.sessions.end_waiting();
        // The last close frames leave after their sessions.
        sleep(Duration::from_millis(50)).await;
        self.listening.abort();
        for task in self.tasks {
            task.abort();
            // Cut off, as it should be.
            let _ = task.await;
        }
        if let Some(state) = self.state
            && let Err(error) = state.save(&self.sessions)
        {
            tracing::error!("cannot save the sessions: {error:#}");
        }
        if let Some(quic) = self.quic {
            quic.stop();
        }
    }
}

/// Takes up the sessions of an earlier run that may still be played.
async fn restore(
    state: &State,
    config: &Config,
    sessions: &Arc<Sessions>,
    policy: &Policy,
    metrics: &Metrics,
) {
    let left = state.load();
    let is_late = left.age > config.hold;
    for saved in left.sessions {
        let target = policy.restored_target(&saved.server, saved.address);
        let Some(target) = target.filter(|_| !policy.is_banned(saved.user)) else {
            continue;
        };
        match sessions.restore(saved, target, is_late).await {
            Ok(()) if is_late => {}
            Ok(()) => metrics.sessions_restored.add(1),
            Err(error) => tracing::warn!(%error, "a session of the earlier run is lost"),
        }
    }
    let count = metrics.sessions_restored.get();
    if count > 0 {
        tracing::info!(count, "sessions of the earlier run wait for their players");
    }
}

/// What is due now and then.
async fn tidy(config: Config, budgets: Arc<Budgets>, https: Option<Arc<Https>>) {
    let mut renewed = Instant::now();
    loop {
        sleep(TIDY).await;
        budgets.tidy();
        let Some(https) = &https else { continue };
        if renewed.elapsed() > tls::renewal(&config) {
            renewed = Instant::now();
            if let Err(error) = https.renew(&config).await {
                tracing::error!(%error, "cannot renew the certificate for HTTPS");
            }
        }
    }
}
