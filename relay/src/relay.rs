//! A running relay: from its configuration to its end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::config::Config;
use crate::content::Content;
use crate::listen;
use crate::metrics::Metrics;
use crate::policy::Policy;
use crate::pump::Ground;
use crate::session::{Order, Sessions};
use crate::status::Status;
use crate::web::{self, Site};

/// How long players may take to hear of the end.
const FAREWELL: Duration = Duration::from_secs(3);

/// A relay that serves until it is stopped.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    sessions: Arc<Sessions>,
    stop: watch::Sender<bool>,
    listening: JoinHandle<()>,
}

impl Relay {
    /// Starts to serve; a port of 0 takes a free one.
    pub async fn start(config: Config) -> anyhow::Result<Self> {
        if let Some(web) = &config.web {
            ensure!(
                web.join("index.html").is_file(),
                "--web {}: there is no index.html in it",
                web.display()
            );
        }
        for folder in &config.content {
            ensure!(
                folder.is_dir(),
                "--content {}: there is no such folder",
                folder.display()
            );
        }
        let listener = TcpListener::bind(config.listen)
            .await
            .with_context(|| format!("cannot listen on {}", config.listen))?;
        let address = listener.local_addr()?;
        let sessions = Sessions::new(
            config.max_sessions,
            config.max_sessions_per_address,
            config.hold,
        );
        let policy = Policy::new(&config);
        let metrics = Arc::new(Metrics::default());
        let site = Site {
            content: Content::new(&config.content),
            ground: Ground {
                config: config.clone(),
                sessions: sessions.clone(),
                status: Arc::new(Status::new(policy.servers())),
                metrics: metrics.clone(),
            },
            policy,
        };
        let (stop, stopping) = watch::channel(false);
        let router = web::router(Arc::new(site));
        let listening = tokio::spawn(listen::run(listener, router, config, metrics, stopping));
        Ok(Self {
            address,
            sessions,
            stop,
            listening,
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
        // The last close frames leave after their sessions.
        sleep(Duration::from_millis(50)).await;
        self.listening.abort();
    }
}
