//! Asks the servers for their state, once for all viewers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use serde::Serialize;
use shared::base::info::Info;
use shared::base::text;
use tokio::net::UdpSocket;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::timeout_at;

use crate::gate::MAX_FROM_SERVER;
use crate::masters;
use crate::policy::{self, Target};

/// Servers answer one question per second and address, and players behind this relay share that.
const FRESH: Duration = Duration::from_secs(5);
/// Delays change slowly; players who look at theirs make us ask this often.
const OLD: Duration = Duration::from_secs(15);
const PATIENCE: Duration = Duration::from_millis(800);

/// Servers beyond the operator's own matter less: they are asked so often at most, whoever wants it.
const OTHERS_FRESH: Duration = Duration::from_secs(30);
const MASTERS_FRESH: Duration = Duration::from_secs(300);
/// How many of them are asked side by side.
const BATCH: usize = 64;
/// Servers that players ask for by name, per second together and remembered at most.
const NAMED_PER_SECOND: NonZeroU32 = NonZeroU32::new(16).expect("16 is not zero");
const MOST_NAMED: usize = 1024;

type Answers = (Instant, Arc<Vec<Server>>);

/// The last answers of all servers.
#[derive(Debug)]
pub struct Status {
    servers: Vec<String>,
    last: Mutex<Option<Answers>>,
    masters: Vec<String>,
    /// What the masters told, and when.
    known: Mutex<Option<(Instant, Vec<SocketAddr>)>>,
    of_masters: Mutex<Option<Answers>>,
    /// Servers that players asked for by name.
    named: Mutex<HashMap<SocketAddr, (Instant, Server)>>,
    namings: DefaultDirectRateLimiter,
}

/// What is known of one server.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Server {
    pub address: String,
    pub online: bool,
    pub ping_msec: Option<f64>,
    pub info: BTreeMap<String, String>,
    pub status: BTreeMap<String, String>,
    pub players: Vec<Player>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Player {
    pub score: i32,
    pub ping: i32,
    pub name: String,
}

impl Status {
    pub fn new(servers: &[String], masters: &[String]) -> Self {
        Self {
            servers: servers.to_vec(),
            last: Mutex::new(None),
            masters: masters.to_vec(),
            known: Mutex::new(None),
            of_masters: Mutex::new(None),
            named: Mutex::default(),
            namings: RateLimiter::direct(Quota::per_second(NAMED_PER_SECOND)),
        }
    }

    /// The servers of the masters that answered, those with most players first.
    pub async fn of_masters(&self) -> Arc<Vec<Server>> {
        if self.masters.is_empty() {
            return Arc::default();
        }
        let mut last = self.of_masters.lock().await;
        if let Some((_, servers)) = last.as_ref().filter(|(at, _)| at.elapsed() < OTHERS_FRESH) {
            return servers.clone();
        }
        let mut known = self.known.lock().await;
        if known
            .as_ref()
            .is_none_or(|(at, _)| at.elapsed() > MASTERS_FRESH)
        {
            *known = Some((Instant::now(), masters::ask_all(&self.masters).await));
        }
        let addresses = known.as_ref().map_or(&[][..], |(_, addresses)| addresses);
        let mut servers = Vec::new();
        for batch in addresses.chunks(BATCH) {
            let names = batch.iter().map(SocketAddr::to_string);
            servers.extend(ask_many(names.collect()).await);
        }
        servers.retain(|server| server.online);
        servers.sort_by_key(|server| Reverse(server.players.len()));
        let servers = Arc::new(servers);
        *last = Some((Instant::now(), servers.clone()));
        servers
    }

    /// A server that a player named and may join. Nothing if too many were asked for just now.
    pub async fn of_named(&self, target: &Target) -> Option<Server> {
        let mut named = self.named.lock().await;
        if let Some((at, server)) = named.get(&target.address)
            && at.elapsed() < OTHERS_FRESH
        {
            return Some(server.clone());
        }
        self.namings.check().ok()?;
        named.retain(|_, (at, _)| at.elapsed() < OTHERS_FRESH);
        if named.len() >= MOST_NAMED {
            return None;
        }
        // Whoever comes meanwhile finds a server that has not answered, rather than asking as well.
        let pending = Server {
            address: target.name.clone(),
            ..Server::default()
        };
        named.insert(target.address, (Instant::now(), pending));
        drop(named);
        let mut server = ask(target.address.to_string()).await;
        server.address.clone_from(&target.name);
        let mut named = self.named.lock().await;
        named.insert(target.address, (Instant::now(), server.clone()));
        Some(server)
    }

    /// All servers in the operator's order; asks them if the last answers are old. Whoever comes
    /// meanwhile waits for the same answers.
    pub async fn servers(&self) -> Arc<Vec<Server>> {
        let mut last = self.last.lock().await;
        if let Some((_, servers)) = last.as_ref().filter(|(at, _)| at.elapsed() < FRESH) {
            return servers.clone();
        }
        let servers = Arc::new(ask_many(self.servers.clone()).await);
        *last = Some((Instant::now(), servers.clone()));
        servers
    }

    /// The last known delay to a server; asks anew in the background if that is old.
    pub fn ping_msec(self: &Arc<Self>, name: &str) -> Option<f64> {
        // Somebody asks right now.
        let last = self.last.try_lock().ok()?;
        if last.as_ref().is_none_or(|(at, _)| at.elapsed() > OLD) {
            let status = self.clone();
            tokio::spawn(async move { status.servers().await });
        }
        let (_, servers) = last.as_ref()?;
        servers
            .iter()
            .find(|server| server.address == name)?
            .ping_msec
    }
}

/// Asks all at once; the answers come in the order of the names.
async fn ask_many(names: Vec<String>) -> Vec<Server> {
    let mut asked = JoinSet::new();
    for (number, name) in names.into_iter().enumerate() {
        asked.spawn(async move { (number, ask(name).await) });
    }
    let mut answers = asked.join_all().await;
    answers.sort_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, server)| server).collect()
}

async fn ask(name: String) -> Server {
    let mut server = Server {
        address: name.clone(),
        ..Server::default()
    };
    if let Err(error) = ask_both(&mut server).await {
        tracing::debug!(server = name, %error, "no status");
    }
    server
}

async fn ask_both(server: &mut Server) -> anyhow::Result<()> {
    let address = policy::resolve(&server.address).await?;
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(address).await?;
    let token = format!("{:x}", getrandom::u64()?);
    let asked_at = Instant::now();
    for question in ["getinfo", "getstatus"] {
        let datagram = [&[0xff; 4], question.as_bytes(), b" ", token.as_bytes()].concat();
        socket.send(&datagram).await?;
    }
    let deadline = (asked_at + PATIENCE).into();
    let mut buffer = vec![0; MAX_FROM_SERVER];
    while server.info.is_empty() || server.status.is_empty() {
        let Ok(size) = timeout_at(deadline, socket.recv(&mut buffer)).await else {
            break;
        };
        if read_answer(server, &buffer[..size?], &token) {
            server.online = true;
            server
                .ping_msec
                .get_or_insert(asked_at.elapsed().as_secs_f64() * 1000.0);
        }
    }
    Ok(())
}

/// Takes an answer that carries our token; yields whether it did.
fn read_answer(server: &mut Server, datagram: &[u8], token: &str) -> bool {
    let Some(body) = datagram.strip_prefix(&[0xff; 4]) else {
        return false;
    };
    let body = text::from_bytes(body);
    let mut lines = body.lines();
    let command = lines.next().unwrap_or_default().trim();
    let info = Info::parse(lines.next().unwrap_or_default());
    if info.get("challenge") != token {
        return false;
    }
    let pairs = || {
        info.iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    };
    if command.eq_ignore_ascii_case("infoResponse") {
        server.info = pairs();
    } else if command.eq_ignore_ascii_case("statusResponse") {
        server.status = pairs();
        server.players = lines.map_while(player).collect();
    } else {
        return false;
    }
    true
}

/// A line `score ping "name"`.
fn player(line: &str) -> Option<Player> {
    let (score, rest) = line.split_once(' ')?;
    let (ping, name) = rest.split_once(' ')?;
    Some(Player {
        score: score.parse().ok()?,
        ping: ping.parse().ok()?,
        name: name.trim().trim_matches('"').to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_by_token() {
        let mut server = Server::default();
        let status = b"\xff\xff\xff\xffstatusResponse\n\\challenge\\77\\mapname\\oa_dm1\n3 48 \"^1Sarge\"\n0 0 \"\"\n";
        assert!(!read_answer(&mut server, status, "78"));
        assert!(read_answer(&mut server, status, "77"));
        assert_eq!(server.status["mapname"], "oa_dm1");
        let sarge = Player {
            score: 3,
            ping: 48,
            name: "^1Sarge".to_owned(),
        };
        assert_eq!(server.players[0], sarge);
        assert_eq!(server.players.len(), 2);
        assert!(!read_answer(
            &mut server,
            b"\xff\xff\xff\xffprint\nno",
            "77"
        ));
    }
}
