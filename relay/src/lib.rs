//! The relay: brings browsers onto Quake 3 servers, WebSocket in, UDP out.
//!
//! [`core`] carries the datagrams. All else is a plugin of it, and a feature of this crate: `content` (the page and
//! the paks), `light` (smaller copies of their files), `downloads` (paks that only a server has), `servers` (the list of servers), `inspection` (what a
//! session's messages say), `state` (sessions outlive the relay), `metrics` (its counts).
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

use std::sync::Arc;

pub mod config;
#[cfg(feature = "content")]
mod content;
pub mod core;
#[cfg(feature = "downloads")]
mod downloads;
#[doc(hidden)]
pub mod fuzz;
#[cfg(feature = "inspection")]
mod inspection;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(feature = "servers")]
mod servers;
#[cfg(any(feature = "content", feature = "servers"))]
mod single_flight;
#[cfg(feature = "state")]
mod state;
#[cfg(all(test, any(feature = "downloads", feature = "light")))]
#[path = "../tests/it/folder.rs"]
mod test_folder;

#[cfg(feature = "light")]
pub use content::{light_pak, prepare};
pub use core::Relay;

use config::Config;
use core::{Plugin, Resolver};

/// Starts a relay with all plugins that are built in.
///
/// # Errors
/// If an option asks for what cannot be.
pub async fn start(config: Config) -> anyhow::Result<Relay> {
    Relay::start(config.core.clone(), |resolver| plugins(&config, resolver)).await
}

#[allow(
    unused_variables,
    unused_mut,
    reason = "a relay without a plugin has no use for what it needs"
)]
fn plugins(config: &Config, resolver: &Arc<Resolver>) -> anyhow::Result<Vec<Arc<dyn Plugin>>> {
    let mut plugins: Vec<Arc<dyn Plugin>> = Vec::new();
    // First, because the sessions that it restores need the ports that they had.
    #[cfg(feature = "state")]
    if let Some(folder) = &config.state.state {
        plugins.push(Arc::new(state::State::open(folder)?));
    }
    #[cfg(feature = "downloads")]
    let fetched = config.downloads.downloads.as_deref();
    #[cfg(all(feature = "content", not(feature = "downloads")))]
    let fetched = None;
    #[cfg(feature = "content")]
    let content = content::Content::new(&config.content, fetched)?;
    #[cfg(feature = "downloads")]
    let gamestates =
        downloads::Downloads::start(&config.downloads, content.clone(), resolver.clone())?;
    #[cfg(all(feature = "inspection", not(feature = "downloads")))]
    let gamestates = None;
    #[cfg(feature = "content")]
    plugins.push(content);
    #[cfg(feature = "inspection")]
    plugins.push(Arc::new(inspection::Inspection::new(
        &config.inspection,
        gamestates,
    )));
    #[cfg(feature = "servers")]
    plugins.push(servers::Status::new(
        &config.core.servers,
        &config.servers.masters,
        resolver.clone(),
    ));
    #[cfg(feature = "metrics")]
    plugins.push(Arc::new(metrics::Metrics(config.metrics.clone())));
    Ok(plugins)
}
