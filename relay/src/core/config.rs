//! What an operator can set, with the limits that hold when nothing is said.

use std::fs::File;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum, value_parser};
use ipnet::IpNet;

use crate::core::network;

/// Whether datagrams of the game go to a browser twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Repeat {
    /// Where its path loses packets.
    #[default]
    Auto,
    Never,
    Always,
}

/// What the core of the relay can be told.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Config {
    /// Address and port to listen on; 0.0.0.0 or `[::]` for everybody.
    #[arg(long, default_value = "127.0.0.1:8080", value_parser = listen, value_name = "ADDRESS:PORT")]
    pub listen: SocketAddr,
    /// A game server that may be joined (repeatable); the first is the default.
    #[arg(long = "server", value_parser = host_and_port, value_name = "HOST:PORT")]
    pub servers: Vec<String>,
    /// Another origin whose pages may play through this relay, like `https://example.org`; `*` for all.
    #[arg(long = "origin", value_parser = origin, value_name = "ORIGIN")]
    pub origins: Vec<String>,
    /// A name by which pages reach this relay, like play.example.org (repeatable). Addresses, localhost,
    /// this machine's own name and those of --tls-certificate need not be told.
    #[arg(long = "host", value_parser = host, value_name = "NAME")]
    pub hosts: Vec<String>,
    /// A proxy, or a network of proxies, whose X-Forwarded-For is believed (repeatable).
    #[arg(long = "proxy", value_parser = network::parse, value_name = "NETWORK")]
    pub proxies: Vec<IpNet>,
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
    /// Let players name any public server, not only those of --server. Private, loopback and
    /// multicast addresses stay closed, and a target must prove to be a Quake 3 server.
    #[arg(long)]
    pub open: bool,
    /// Send each player's datagrams from an address of its own out of this network (repeatable, for
    /// IPv4 and IPv6): servers limit players and questions per address.
    #[arg(long = "source", value_parser = network::parse, value_name = "NETWORK")]
    pub sources: Vec<IpNet>,
    /// A network whose users may not play (repeatable).
    #[arg(long = "ban", value_parser = network::parse, value_name = "NETWORK")]
    pub bans: Vec<IpNet>,
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
    #[arg(long, default_value_t = 0, value_parser = value_parser!(i32).range(0..), value_name = "MSEC")]
    pub delay: i32,
    /// For demonstrations: so much more or less delay, at random.
    #[arg(long, default_value_t = 0, value_parser = value_parser!(i32).range(0..), value_name = "MSEC")]
    pub jitter: i32,
    /// For demonstrations: this part of the datagrams gets lost on each way, from 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = part, value_name = "PART")]
    pub loss: f32,
}

/// Threads that wake each other cost a fifth more for each datagram than half as many, but hold a crowd back for a
/// tenth of the time: with 500 players on two processors, whatever halts the only thread makes all of them wait.
fn processors() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

impl Config {
    /// Finds what cannot work before anything starts; an error names the option and what to do.
    pub fn check(&self) -> anyhow::Result<()> {
        for network in &self.sources {
            let address = network::first(network);
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

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "an IP address and a port are wanted, like 0.0.0.0:8080 or [::]:8080".to_owned()
    })
}

/// Names are looked up later and again and again, for they may change.
pub fn host_and_port(text: &str) -> Result<String, String> {
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

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("{text:?} is not a number of seconds"))?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

fn part(text: &str) -> Result<f32, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| format!("{text:?} is not a number from 0 to 1"))
}
