//! What an operator can set, with the limits that hold when nothing is said.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

/// Brings browsers onto Quake 3 servers: WebSocket in, UDP out; serves the page and the game files.
#[derive(Clone, Debug, Parser)]
#[command(name = "strafe-relay", version)]
pub struct Config {
    /// Address and port to listen on; 0.0.0.0 or [::] for everybody.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    pub listen: SocketAddr,
    /// A game server that may be joined (repeatable); the first is the default.
    #[arg(long = "server", value_name = "HOST:PORT")]
    pub servers: Vec<String>,
    /// Folder with the built page.
    #[arg(long, value_name = "DIR")]
    pub web: Option<PathBuf>,
    /// Folder with game folders that hold pk3 files, or one game folder itself (repeatable).
    #[arg(long, value_name = "DIR")]
    pub content: Vec<PathBuf>,
    /// Another origin whose pages may play through this relay, like https://example.org; * for all.
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub origins: Vec<String>,
    /// A proxy whose X-Forwarded-For is believed (repeatable).
    #[arg(long = "proxy", value_name = "ADDRESS")]
    pub proxies: Vec<IpAddr>,
    /// An address that may read /metrics, besides programs on this machine (repeatable).
    #[arg(long, value_name = "ADDRESS")]
    pub metrics_for: Vec<IpAddr>,
    /// Most players at a time.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub max_sessions: usize,
    /// Most players at a time from one address.
    #[arg(long, default_value_t = 16, value_name = "N")]
    pub max_sessions_per_address: usize,
    /// Most open HTTP connections at a time, players included.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub max_connections: usize,
    /// Most open HTTP connections from one address.
    #[arg(long, default_value_t = 128, value_name = "N")]
    pub max_connections_per_address: usize,
    /// How long a request's head may take to arrive.
    #[arg(long, default_value = "10", value_parser = seconds, value_name = "SECONDS")]
    pub request_timeout: Duration,
    /// How long a player may take until the server has let them in.
    #[arg(long, default_value = "120", value_parser = seconds, value_name = "SECONDS")]
    pub handshake_timeout: Duration,
    /// How long a page may be silent.
    #[arg(long, default_value = "120", value_parser = seconds, value_name = "SECONDS")]
    pub idle_timeout: Duration,
    /// How long a player's place is kept after their connection dropped; 0 for not at all.
    #[arg(long, default_value = "30", value_parser = seconds, value_name = "SECONDS")]
    pub hold: Duration,
    /// Write the log as JSON lines.
    #[arg(long)]
    pub log_json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("{text:?} is not a number of seconds"))?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}
