//! All that an operator can set: the core's options, and those of each plugin that is built in.

use clap::Parser;
#[cfg(feature = "light")]
use clap::Subcommand;

use crate::core;

/// Brings browsers onto Quake 3 servers: WebSocket in, UDP out; serves the page and the game files.
#[derive(Clone, Debug, Parser)]
#[command(name = "strafe-relay", version)]
pub struct Config {
    /// What to do instead of serving.
    #[cfg(feature = "light")]
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub core: core::Config,
    #[cfg(feature = "content")]
    #[command(flatten)]
    pub content: crate::content::Options,
    #[cfg(feature = "downloads")]
    #[command(flatten)]
    pub downloads: crate::downloads::Options,
    #[cfg(feature = "servers")]
    #[command(flatten)]
    pub servers: crate::servers::Options,
    #[cfg(feature = "inspection")]
    #[command(flatten)]
    pub inspection: crate::inspection::Options,
    #[cfg(feature = "state")]
    #[command(flatten)]
    pub state: crate::state::Options,
    #[cfg(feature = "metrics")]
    #[command(flatten)]
    pub metrics: crate::metrics::Options,
    /// Write the log as JSON lines.
    #[arg(long)]
    pub log_json: bool,
}

/// What the program does instead of serving.
#[cfg(feature = "light")]
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Writes what pages read of the paks into a folder, for a host that only hands out files.
    Prepare(crate::prepare::PrepareOptions),
}
