//! What an operator can set, with the limits that hold when nothing is said.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{SocketAddr, UdpSocket};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{Parser, ValueEnum};

use crate::network::Network;

/// Whether datagrams of the game go to a browser twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Repeat {
    /// Where its path loses packets.
    #[default]
    Auto,
    Never,
    Always,
}

/// Brings browsers onto Quake 3 servers: WebSocket in, UDP out; serves the page and the game files.
#[derive(Clone, Debug, Parser)]
#[command(name = "strafe-relay", version)]
pub struct Config {
    /// Address and port to listen on; 0.0.0.0 or [::] for everybody.
    #[arg(long, default_value = "127.0.0.1:8080", value_parser = listen, value_name = "ADDRESS:PORT")]
    pub listen: SocketAddr,
    /// A game server that may be joined (repeatable); the first is the default.
    #[arg(long = "server", value_parser = host_and_port, value_name = "HOST:PORT")]
    pub servers: Vec<String>,
    /// A master server whose servers are listed for players to choose from (repeatable), like
    /// dpmaster.deathmask.net:27950. Players join them as those of --open.
    #[arg(long = "master", requires = "open", value_parser = host_and_port, value_name = "HOST:PORT")]
    pub masters: Vec<String>,
    /// Folder with the built page, instead of the one that a release carries inside it.
    #[arg(long, value_name = "DIR")]
    pub web: Option<PathBuf>,
    /// Folder with game folders that hold pk3 files, or one game folder itself (repeatable).
    #[arg(long, value_name = "DIR")]
    pub content: Vec<PathBuf>,
    /// Where browsers fetch the paks instead of here: a server with the same folders of games,
    /// like https://files.example.org/content, see relay/deploy/nginx.conf.
    #[arg(long, value_parser = http_url, value_name = "URL")]
    pub content_url: Option<String>,
    /// Another origin whose pages may play through this relay, like https://example.org; * for all.
    #[arg(long = "origin", value_parser = origin, value_name = "ORIGIN")]
    pub origins: Vec<String>,
    /// A name by which pages reach this relay, like play.example.org (repeatable). Addresses, localhost,
    /// this machine's own name and those of --tls-certificate need not be told.
    #[arg(long = "host", value_parser = host, value_name = "NAME")]
    pub hosts: Vec<String>,
    /// A proxy, or a network of proxies, whose X-Forwarded-For is believed (repeatable).
    #[arg(long = "proxy", value_name = "NETWORK")]
    pub proxies: Vec<Network>,
    /// Do without WebTransport; otherwise it listens on the same address and port over UDP.
    #[arg(long)]
    pub no_webtransport: bool,
    /// Certificate chain (PEM) for HTTPS and WebTransport, read again twice a day. Without it the
    /// relay speaks HTTP, and makes a certificate for WebTransport which pages pin by its hash.
    #[arg(long, requires = "tls_key", value_name = "FILE")]
    pub tls_certificate: Option<PathBuf>,
    /// Private key (PEM) of the certificate.
    #[arg(long, requires = "tls_certificate", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// An address or network that may read /metrics, besides programs on this machine (repeatable).
    #[arg(long, value_name = "NETWORK")]
    pub metrics_for: Vec<Network>,
    /// Most players at a time.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub max_sessions: usize,
    /// Most players at a time from one address (in IPv6: from one network of 64 bits); 16 of them may
    /// be on their way into a server.
    #[arg(long, default_value_t = 64, value_name = "N")]
    pub max_sessions_per_address: usize,
    /// Most open connections at a time, besides those of players whom a server has let in. The networks
    /// around an address may have some times as many as one address, and at most half of all.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub max_connections: usize,
    /// Most open connections from one address.
    #[arg(long, default_value_t = 128, value_name = "N")]
    pub max_connections_per_address: usize,
    /// Threads that share the players; by default one for each processor.
    #[arg(long, default_value_t = processors(), value_name = "N")]
    pub threads: NonZeroUsize,
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
    /// The same for a connection that the page's side ended in the midst of play: the page was closed or
    /// killed before it could say so, or it is back at once. Never longer than --hold.
    #[arg(long, default_value = "10", value_parser = seconds, value_name = "SECONDS")]
    pub hold_ended: Duration,
    /// Folder in which sessions are kept for the next run of the relay: players go on where they were
    /// after it was restarted or killed, if it is back within --hold. Whoever may read the folder can
    /// take over sessions, so it is made for the relay's user alone.
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Let players name any public server, not only those of --server. Private, loopback and
    /// multicast addresses stay closed, and a target must prove to be a Quake 3 server.
    #[arg(long)]
    pub open: bool,
    /// Send each player's datagrams from an address of its own out of this network (repeatable, for
    /// IPv4 and IPv6): servers limit players and questions per address.
    #[arg(long = "source", value_name = "NETWORK")]
    pub sources: Vec<Network>,
    /// A network whose users may not play (repeatable).
    #[arg(long = "ban", value_name = "NETWORK")]
    pub bans: Vec<Network>,
    /// Datagrams per second that one player may send.
    #[arg(long, default_value = "250", value_name = "N")]
    pub player_rate: NonZeroU32,
    /// Datagrams per second that all players together may send.
    #[arg(long, default_value = "200000", value_name = "N")]
    pub total_rate: NonZeroU32,
    /// Whether datagrams of the game go to players over WebTransport twice, 10 ms apart; `auto` does
    /// so while a player's path loses more than one packet in a hundred.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub repeat: Repeat,
    /// For demonstrations: delay on each way between relay and server.
    #[arg(long, default_value = "0", value_parser = milliseconds, value_name = "MSEC")]
    pub delay: Duration,
    /// For demonstrations: up to this much more delay, at random.
    #[arg(long, default_value = "0", value_parser = milliseconds, value_name = "MSEC")]
    pub jitter: Duration,
    /// For demonstrations: this part of the datagrams gets lost on each way, from 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = part, value_name = "PART")]
    pub loss: f64,
    /// Folder for paks that a server of --server plays with and that --content lacks: they are
    /// fetched from where its sv_dlURL points, checked, and kept here.
    #[arg(long, value_name = "DIR")]
    pub downloads: Option<PathBuf>,
    /// Most megabytes of that folder; the oldest paks give way.
    #[arg(long, default_value_t = 4096, value_name = "MB")]
    pub downloads_limit: u64,
    /// Most megabytes of one pak.
    #[arg(long, default_value_t = 512, value_name = "MB")]
    pub download_limit: u64,
    /// Certificates (PEM) of an authority of your own that the web servers of paks are trusted by,
    /// besides those of the system.
    #[arg(long, requires = "downloads", value_name = "FILE")]
    pub download_authority: Option<PathBuf>,
    /// Let players read along in their own session at /api/inspect: each message with the bits of
    /// its fields. Costs up to 2 MB of memory per session.
    #[arg(long)]
    pub inspect: bool,
    /// Write the log as JSON lines.
    #[arg(long)]
    pub log_json: bool,
}

/// Threads that wake each other cost a fifth more for each datagram than half as many, but hold a crowd back for a
/// tenth of the time: with 500 players on two processors, whatever halts the only thread makes all of them wait.
fn processors() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

impl Config {
    /// Finds what cannot work before anything starts; an error names the option and what to do.
    pub fn check(&self) -> anyhow::Result<()> {
        if let Some(web) = &self.web {
            ensure!(
                web.join("index.html").is_file(),
                "--web {}: there is no index.html in it; `cargo xtask web` builds the page",
                web.display()
            );
        }
        for folder in &self.content {
            folder.read_dir().with_context(|| {
                format!("--content {}: cannot read this folder", folder.display())
            })?;
        }
        if let Some(folder) = &self.downloads {
            write_probe(folder).with_context(|| {
                format!(
                    "--downloads {}: cannot write into this folder",
                    folder.display()
                )
            })?;
        }
        for network in &self.sources {
            let address = network.first();
            UdpSocket::bind((address, 0)).with_context(|| {
                format!("--source: this machine cannot send from {address}; route the network to it, as relay/README.md tells")
            })?;
        }
        let files = [
            ("certificate", &self.tls_certificate),
            ("key", &self.tls_key),
        ];
        for (option, file) in files {
            if let Some(file) = file {
                File::open(file).with_context(|| {
                    format!("--tls-{option} {}: cannot read it", file.display())
                })?;
            }
        }
        Ok(())
    }

    /// Why the relay cannot listen, and what helps.
    pub fn cannot_listen(&self, error: &io::Error) -> String {
        let help = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "another program has this port; stop it, or choose another port with --listen"
            }
            io::ErrorKind::AddrNotAvailable => {
                "this machine has no such address; 0.0.0.0 or [::] takes all it has"
            }
            io::ErrorKind::PermissionDenied => {
                "ports below 1024 need the capability CAP_NET_BIND_SERVICE, which relay/deploy/strafe-relay.service gives"
            }
            _ => "choose another address with --listen",
        };
        format!("--listen {}: {help} ({error})", self.listen)
    }
}

/// Makes a folder if need be, and a file in it for a moment, under a name that nothing has.
fn write_probe(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let probe = folder.join(format!("probe-{:016x}.part", getrandom::u64()?));
    File::create_new(&probe)?.write_all(b"x")?;
    fs::remove_file(&probe)
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "an IP address and a port are wanted, like 0.0.0.0:8080 or [::]:8080".to_owned()
    })
}

/// Names are looked up later and again and again, for they may change.
fn host_and_port(text: &str) -> Result<String, String> {
    let parts = text.rsplit_once(':');
    let is_good = parts.is_some_and(|(host, port)| {
        let port = port.parse::<u16>();
        !host.is_empty() && !host.contains(['/', ' ']) && port.is_ok_and(|port| port > 0)
    });
    match is_good {
        true => Ok(text.to_owned()),
        false => Err("a name or address and a port are wanted, like 127.0.0.1:27960".to_owned()),
    }
}

fn host(text: &str) -> Result<String, String> {
    let name = text.trim_end_matches('.').to_ascii_lowercase();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    match !name.is_empty() && name.bytes().all(is_plain) {
        true => Ok(name),
        false => Err("a name without scheme and port is wanted, like play.example.org".to_owned()),
    }
}

fn origin(text: &str) -> Result<String, String> {
    let origin = text.trim_end_matches('/');
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    match origin == "*" || !host.is_empty() && !host.contains('/') {
        true => Ok(origin.to_owned()),
        false => Err("scheme and host are wanted, like https://example.org, or *".to_owned()),
    }
}

fn http_url(text: &str) -> Result<String, String> {
    let host = text
        .strip_prefix("https://")
        .or(text.strip_prefix("http://"));
    let is_good = host.is_some_and(|host| !host.is_empty() && !host.contains(['?', '#', ' ']));
    match is_good {
        true => Ok(text.trim_end_matches('/').to_owned()),
        false => Err("an address like https://files.example.org/content is wanted".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("{text:?} is not a number of seconds"))?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    let duration =
        seconds(text).map_err(|_| format!("{text:?} is not a number of milliseconds"))?;
    Ok(duration / 1000)
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| format!("{text:?} is not a number from 0 to 1"))
}
