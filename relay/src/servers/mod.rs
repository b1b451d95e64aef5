//! Asks the servers for their state, once for all viewers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Extension, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use clap::Args;
use futures_util::future::join_all;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use shared::base::info::Info;
use shared::base::text;
use tokio::net::UdpSocket;
use tokio::time::timeout_at;

use crate::core::network::any_address;
use crate::core::{
    MAX_FROM_SERVER, Peer, Played, Plugin, REVALIDATED, RelayState, Resolver, Routes, Target,
    host_and_port,
};
use crate::single_flight::SingleFlight;

mod masters;

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
/// Servers that players ask for by name, per second together.
const NAMED_PER_SECOND: NonZeroU32 = NonZeroU32::new(16).expect("16 is not zero");
/// Servers of which something is known: the operator's, those of the masters, those that players name.
const MAX_KNOWN: usize = 2048;

/// As many as the cvars server1 to server16 of other clients.
const MAX_FAVOURITES: usize = 16;

#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Options {
    /// A master server whose servers are listed for players to choose from (repeatable), like
    /// dpmaster.deathmask.net:27950. Players join them as those of --open.
    #[arg(long = "master", requires = "open", value_parser = host_and_port, value_name = "HOST:PORT")]
    pub masters: Vec<String>,
}

/// Servers that a player keeps, with commas between them.
#[derive(Debug, Deserialize)]
struct Favourites {
    favourites: Option<String>,
}

/// All that was learnt of servers, each asked once for all who want to know.
#[derive(Debug)]
pub(crate) struct Status {
    servers: Vec<String>,
    masters: Vec<String>,
    resolver: Arc<Resolver>,
    list: SingleFlight<Arc<Vec<Server>>>,
    /// What the masters told.
    told: SingleFlight<Arc<Vec<SocketAddr>>>,
    of_masters: SingleFlight<Arc<Vec<Server>>>,
    /// Every server that was asked lately, whoever named it.
    asked: Mutex<HashMap<SocketAddr, Arc<SingleFlight<Server>>>>,
    namings: DefaultDirectRateLimiter,
}

/// What is known of one server.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Server {
    pub address: String,
    pub online: bool,
    pub ping_msec: Option<f64>,
    pub info: BTreeMap<String, String>,
    pub status: BTreeMap<String, String>,
    pub players: Vec<Player>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Player {
    pub score: i32,
    pub ping: i32,
    pub name: String,
}

impl Plugin for Status {
    fn routes(self: Arc<Self>, relay: &Arc<RelayState>) -> Routes {
        let router = Router::new().route("/api/servers", get(answer));
        Routes {
            open: router.with_state((self, relay.clone())),
            ..Routes::default()
        }
    }

    /// The last known delay; asks anew in the background if that is old.
    fn server_msec(self: Arc<Self>, name: &str) -> Option<f64> {
        self.known(name, OLD, |server| server.ping_msec)
    }

    /// As the last answer says; asks anew in the background if that is old.
    fn played(self: Arc<Self>, name: &str) -> Option<Played> {
        self.known(name, FRESH, |server| {
            let value = |key: &str| server.info.get(key).map(|value| value.to_lowercase());
            Some(Played {
                game: value("game").unwrap_or_default(),
                map: value("mapname")?,
            })
        })
    }
}

async fn answer(
    State((status, relay)): State<(Arc<Status>, Arc<RelayState>)>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
    Query(asked): Query<Favourites>,
) -> Response {
    let user = relay.policy.user(peer.ip(), &headers);
    let favourites = asked.favourites.unwrap_or_default();
    let names = favourites.split(',').filter(|name| !name.is_empty());
    let mut wanted = Vec::new();
    for name in names.take(MAX_FAVOURITES) {
        // Before anything is looked up or asked.
        if relay.budgets.namings.check(user) {
            // Only what may be joined is asked.
            wanted.push(async {
                let target = relay.policy.target(Some(name)).await.ok()?;
                status.of_named(&target).await
            });
        }
    }
    let (servers, of_masters, favourites) =
        tokio::join!(status.servers(), status.of_masters(), join_all(wanted));
    let body = Json(serde_json::json!({
        "servers": &*servers,
        "masters": &*of_masters,
        "favourites": favourites.into_iter().flatten().collect::<Vec<_>>(),
    }));
    ([(header::CACHE_CONTROL, REVALIDATED)], body).into_response()
}

impl Status {
    pub(crate) fn new(
        servers: &[String],
        masters: &[String],
        resolver: Arc<Resolver>,
    ) -> Arc<Self> {
        Arc::new(Self {
            servers: servers.to_vec(),
            masters: masters.to_vec(),
            resolver,
            list: SingleFlight::default(),
            told: SingleFlight::default(),
            of_masters: SingleFlight::default(),
            asked: Mutex::default(),
            namings: RateLimiter::direct(Quota::per_second(NAMED_PER_SECOND)),
        })
    }

    /// Looks at the last answer of one of the operator's servers; they are asked anew in the background if it is old.
    fn known<T>(
        self: &Arc<Self>,
        name: &str,
        fresh: Duration,
        look: impl FnOnce(&Server) -> Option<T>,
    ) -> Option<T> {
        let servers = self.list.refresh(fresh, || self.clone().ask_listed())?;
        let mut servers = servers.iter();
        look(servers.find(|server| server.address == name)?)
    }

    /// The servers of the masters that answered, those with most players first.
    pub(crate) async fn of_masters(self: &Arc<Self>) -> Arc<Vec<Server>> {
        if self.masters.is_empty() {
            return Arc::default();
        }
        let status = self.clone();
        let servers = self.of_masters.get(OTHERS_FRESH, || status.ask_masters());
        servers.await.unwrap_or_default()
    }

    async fn ask_masters(self: Arc<Self>) -> Arc<Vec<Server>> {
        let (masters, resolver) = (self.masters.clone(), self.resolver.clone());
        let told = self.told.get(MASTERS_FRESH, || async move {
            Arc::new(masters::ask_all(&masters, &resolver).await)
        });
        let mut servers = Vec::new();
        for batch in told.await.unwrap_or_default().chunks(BATCH) {
            let asked = batch
                .iter()
                .map(|address| self.of_address(*address, OTHERS_FRESH));
            servers.extend(join_all(asked).await.into_iter().flatten());
        }
        servers.retain(|server| server.online);
        servers.sort_by_key(|server| Reverse(server.players.len()));
        Arc::new(servers)
    }

    /// A server that a player named and may join. Nothing if too many were asked for just now.
    pub(crate) async fn of_named(&self, target: &Target) -> Option<Server> {
        let is_known = {
            let asked = self.asked.lock();
            let known = asked.get(&target.address);
            known.is_some_and(|server| server.is_fresh(OTHERS_FRESH))
        };
        if !is_known {
            self.namings.check().ok()?;
        }
        let server = self.of_address(target.address, OTHERS_FRESH).await?;
        Some(Server {
            address: target.name.clone(),
            ..server
        })
    }

    /// All servers in the operator's order; asks them if the last answers are old.
    pub(crate) async fn servers(self: &Arc<Self>) -> Arc<Vec<Server>> {
        let status = self.clone();
        let servers = self.list.get(FRESH, || status.ask_listed());
        servers.await.unwrap_or_default()
    }

    async fn ask_listed(self: Arc<Self>) -> Arc<Vec<Server>> {
        let status = &self;
        let listed = self.servers.iter().map(|name| async move {
            let address = status.resolver.own(name).await;
            let server = match address {
                // The list itself is asked for no more often than a server may be.
                Ok(address) => status.of_address(address, FRESH).await,
                Err(error) => {
                    tracing::debug!(server = name, %error, "no status");
                    None
                }
            };
            Server {
                address: name.clone(),
                ..server.unwrap_or_default()
            }
        });
        Arc::new(join_all(listed).await)
    }

    /// A server by its address. Nothing if so many are known that there is no room for one more.
    async fn of_address(&self, address: SocketAddr, fresh: Duration) -> Option<Server> {
        let server = {
            let mut asked = self.asked.lock();
            if asked.len() >= MAX_KNOWN {
                asked.retain(|_, server| server.is_fresh(OTHERS_FRESH));
            }
            let is_full = asked.len() >= MAX_KNOWN;
            match asked.get(&address) {
                Some(server) => server.clone(),
                None if is_full => return None,
                None => asked.entry(address).or_default().clone(),
            }
        };
        server.get(fresh, || ask(address)).await
    }
}

async fn ask(address: SocketAddr) -> Server {
    let mut server = Server {
        address: address.to_string(),
        ..Server::default()
    };
    if let Err(error) = ask_both(address, &mut server).await {
        tracing::debug!(server = server.address, %error, "no status");
    }
    server
}

async fn ask_both(address: SocketAddr, server: &mut Server) -> anyhow::Result<()> {
    let socket = UdpSocket::bind((any_address(address), 0)).await?;
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
