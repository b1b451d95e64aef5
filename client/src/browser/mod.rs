//! The list of servers: whom to ask next, and what masters, neighbours and servers have said.
//!
//! No socket is known here. [`Browser::poll`] yields the questions of a frame, [`Browser::handle_answer`] takes what came
//! back. Whoever lies can do no more than fill the places that are there: an answer counts only from whom it was asked, with
//! the token of the question, and servers, datagrams and texts are counted before they are kept.

pub mod entry;
pub mod order;
pub mod relay_list;
#[cfg(test)]
mod tests;

use crate::output::{Query, QueryTo};
use core::net::{IpAddr, SocketAddr};
use entry::{Details, Server};
use shared::{
    base::{rng::Rng, time::ClientTime},
    net::{
        oob::{ClientPacket, ServerPacket, ServersRequest},
        protocol::{CLASSIC, CURRENT, GAMENAME, PORT_MASTER, PORT_SERVER},
    },
};
use std::collections::{HashMap, VecDeque};

/// From where servers are known; several can hold.
pub mod lists {
    pub const INTERNET: u8 = 1;
    pub const LAN: u8 = 2;
    pub const FAVOURITE: u8 = 4;
    pub const RECENT: u8 = 8;
}

/// Servers that are kept, whoever named them.
pub const MAX_SERVERS: usize = 4096;
/// Of these, what one master and the neighbourhood may fill.
const MAX_PER_MASTER: usize = 2048;
const MAX_NEIGHBOURS: usize = 256;
/// Servers whose players are known by name.
const MAX_NAMED: usize = 512;
/// Datagrams of one master that are read after one question.
const MAX_DATAGRAMS: usize = 128;
const MAX_MASTERS: usize = 16;
/// Questions at once, a second, and in one frame.
const MAX_IN_FLIGHT: usize = 512;
const PER_SECOND: f32 = 600.0;
const PER_FRAME: f32 = 16.0;
/// How often a silent server or master is asked.
const MAX_TRIES: u8 = 3;
const MASTER_TIMEOUT_MSEC: i32 = 1200;
/// How long answers of masters and neighbours are heard.
const WINDOW_MSEC: i32 = 5000;
/// Ports on which neighbours are looked for, beginning with the usual one.
const NEIGHBOUR_PORTS: u16 = 4;
/// Milliseconds between two looks at the server that is shown in full.
const WATCH_MSEC: i32 = 2000;
/// No server that may be asked on somebody else's word listens below.
const LOWEST_PORT: u16 = 1024;

/// What is known, and what is being asked.
#[derive(Clone, Debug)]
pub struct Browser {
    servers: Vec<Server>,
    by_address: HashMap<SocketAddr, usize>,
    /// What of each server is being asked.
    asked: Vec<Asked>,
    waiting: VecDeque<(usize, Kind)>,
    /// Of questions that are on their way: when they are given up, and which.
    flights: VecDeque<(ClientTime, usize, u64)>,
    masters: Vec<Master>,
    neighbours: Option<Neighbours>,
    named: usize,
    watched: Option<usize>,
    watched_at: ClientTime,
    details: Option<Details>,
    credit: f32,
    polled_at: ClientTime,
    timeout_msec: i32,
    random: Rng,
    generation: u64,
}

/// What is being asked of one server.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    /// Token, time and kind of the question that may still be answered.
    open: Option<(u64, ClientTime, Kind)>,
    tries: u8,
    has_names: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Info,
    Status,
}

#[derive(Clone, Debug)]
struct Master {
    at: SocketAddr,
    asked_at: Option<ClientTime>,
    tries: u8,
    datagrams: usize,
    named: usize,
}

#[derive(Clone, Debug)]
struct Neighbours {
    token: u64,
    asked_at: ClientTime,
    series: u8,
    found: usize,
}

impl Browser {
    /// A list without servers; `seed` makes tokens that others cannot guess.
    pub fn new(seed: u64) -> Self {
        Self {
            servers: Vec::new(),
            by_address: HashMap::new(),
            asked: Vec::new(),
            waiting: VecDeque::new(),
            flights: VecDeque::new(),
            masters: Vec::new(),
            neighbours: None,
            named: 0,
            watched: None,
            watched_at: ClientTime(0),
            details: None,
            credit: 0.0,
            polled_at: ClientTime(0),
            timeout_msec: 800,
            random: Rng::new(seed),
            generation: 0,
        }
    }

    /// Forgets everything; answers of before are no longer heard.
    pub fn clear(&mut self) {
        let (random, generation) = (self.random.clone(), self.generation + 1);
        *self = Self {
            random,
            generation,
            timeout_msec: self.timeout_msec,
            polled_at: self.polled_at,
            ..Self::new(0)
        };
    }

    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// Grows with every change of what is known.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Rules and players of the server that is watched.
    pub fn details(&self) -> Option<&Details> {
        self.details.as_ref()
    }

    pub fn watched(&self) -> Option<&Server> {
        self.servers.get(self.watched?)
    }

    /// Whether questions wait or are on their way.
    pub fn is_busy(&self) -> bool {
        let is_open = |window: ClientTime| self.polled_at - window < MASTER_TIMEOUT_MSEC;
        let masters = self.masters.iter().any(|master| {
            master.datagrams == 0 && master.tries < MAX_TRIES
                || master.asked_at.is_some_and(is_open)
        });
        let near = (self.neighbours.as_ref()).is_some_and(|near| is_open(near.asked_at));
        masters || near || !self.waiting.is_empty() || !self.flights.is_empty()
    }

    /// How long a server may take to answer.
    pub fn set_timeout(&mut self, msec: i32) {
        self.timeout_msec = msec.clamp(100, 2000);
    }

    /// Asks a master, in all the ways that masters understand.
    pub fn add_master(&mut self, at: SocketAddr) {
        let is_known = self.masters.iter().any(|master| master.at == at);
        if !is_known && self.masters.len() < MAX_MASTERS {
            self.masters.push(Master {
                at,
                asked_at: None,
                tries: 0,
                datagrams: 0,
                named: 0,
            });
        }
    }

    /// Looks for servers in the own network.
    pub fn ask_neighbours(&mut self) {
        self.neighbours = Some(Neighbours {
            token: self.random.next_u64(),
            asked_at: self.polled_at,
            series: 0,
            found: 0,
        });
    }

    /// A server that the player knows, under the name by which it is joined.
    pub fn add_server(&mut self, name: &str, at: SocketAddr, from: u8) {
        if let Some(number) = self.place(at, from) {
            name.clone_into(&mut self.servers[number].address);
        }
    }

    /// The number of a server, in the list from now on; none if there is no room, or it is there already.
    fn place(&mut self, at: SocketAddr, from: u8) -> Option<usize> {
        if let Some(&number) = self.by_address.get(&at) {
            let server = &mut self.servers[number];
            if server.lists & from == 0 {
                server.lists |= from;
                self.generation += 1;
            }
            return None;
        }
        if self.servers.len() >= MAX_SERVERS {
            return None;
        }
        let number = self.servers.len();
        self.servers.push(Server::new(at.to_string(), from));
        self.asked.push(Asked::default());
        self.by_address.insert(at, number);
        self.servers[number].at = Some(at);
        self.waiting.push_back((number, Kind::Info));
        self.generation += 1;
        Some(number)
    }

    /// A server as a relay tells of it, who has asked already.
    pub fn add_listed(&mut self, told: Server) {
        let known = (self.servers.iter()).position(|server| server.address == told.address);
        match known {
            Some(number) => {
                let known = &mut self.servers[number];
                let lists = known.lists | told.lists;
                *known = Server { lists, ..told };
                if self.watched == Some(number) {
                    self.details = self.servers[number].told.clone();
                }
            }
            None if self.servers.len() < MAX_SERVERS => {
                self.servers.push(told);
                self.asked.push(Asked::default());
            }
            None => return,
        }
        self.generation += 1;
    }

    /// Shows one server in full from now on, and asks it again and again; none ends that.
    pub fn watch(&mut self, number: Option<usize>) {
        self.watched = number.filter(|number| *number < self.servers.len());
        self.watched_at = self.polled_at;
        self.details = self.watched().and_then(|server| server.told.clone());
        if let Some(number) = self.watched {
            self.ask_again(number);
        }
    }

    fn ask_again(&mut self, number: usize) {
        if self.servers[number].at.is_some() {
            self.asked[number].tries = 0;
            // Before all that still waits: somebody looks at it.
            self.waiting.push_front((number, Kind::Status));
            self.waiting.push_front((number, Kind::Info));
        }
    }

    /// The questions of this frame.
    pub fn poll(&mut self, now: ClientTime) -> Vec<Query> {
        let since = (now - self.polled_at).clamp(0, 1000);
        self.polled_at = now;
        self.credit = (self.credit + since as f32 * PER_SECOND / 1000.0).min(PER_FRAME);
        let mut queries = Vec::new();
        self.poll_masters(now, &mut queries);
        self.poll_neighbours(now, &mut queries);
        if let Some(number) = self.watched
            && now - self.watched_at >= WATCH_MSEC
        {
            self.watched_at = now;
            self.ask_again(number);
        }
        self.give_up(now);
        while self.credit >= 1.0 && self.flights.len() < MAX_IN_FLIGHT {
            let Some((number, kind)) = self.waiting.pop_front() else {
                break;
            };
            if let Some(query) = self.question(number, kind, now) {
                self.credit -= 1.0;
                queries.push(query);
            }
        }
        queries
    }

    fn question(&mut self, number: usize, kind: Kind, now: ClientTime) -> Option<Query> {
        let at = self.servers[number].at?;
        let token = self.random.next_u64();
        let text = format!("{token:x}");
        let packet = match kind {
            Kind::Info => ClientPacket::GetInfo { token: text },
            Kind::Status => ClientPacket::GetStatus { token: text },
        };
        let asked = &mut self.asked[number];
        asked.open = Some((token, now, kind));
        asked.tries = asked.tries.saturating_add(1);
        self.flights
            .push_back((now + self.timeout_msec, number, token));
        // A token of hexadecimal digits is never refused.
        let datagram = packet.write().ok()?;
        Some(Query {
            to: QueryTo::Server(at),
            datagram,
        })
    }

    /// Asks those again whose answer is late, and forgets those that stay silent.
    fn give_up(&mut self, now: ClientTime) {
        while let Some(&(until, number, token)) = self.flights.front() {
            if now.is_before(until) {
                return;
            }
            self.flights.pop_front();
            let asked = &mut self.asked[number];
            let Some((_, _, kind)) = asked.open.filter(|(open, ..)| *open == token) else {
                continue;
            };
            asked.open = None;
            if asked.tries < MAX_TRIES {
                // Before those that nobody has waited for yet.
                self.waiting.push_front((number, kind));
            } else if kind == Kind::Info {
                self.servers[number].ping_msec = None;
                self.generation += 1;
            }
        }
    }

    fn poll_masters(&mut self, now: ClientTime, queries: &mut Vec<Query>) {
        for master in &mut self.masters {
            let is_due = (master.asked_at).is_none_or(|at| now - at >= MASTER_TIMEOUT_MSEC);
            if master.datagrams > 0 || master.tries >= MAX_TRIES || !is_due {
                continue;
            }
            master.asked_at = Some(now);
            master.tries += 1;
            let forms =
                [true, false].map(|is_extended| [(CURRENT, is_extended), (CLASSIC, is_extended)]);
            for (protocol, is_extended) in forms.into_iter().flatten() {
                let filters = match is_extended {
                    true => ["ipv4", "ipv6", "full", "empty"].as_slice(),
                    false => &["full", "empty"],
                };
                let packet = ClientPacket::GetServers(ServersRequest {
                    gamename: GAMENAME.to_owned(),
                    protocol,
                    is_extended,
                    filters: filters.iter().map(|filter| (*filter).to_owned()).collect(),
                });
                let to = QueryTo::Server(master.at);
                queries.extend(packet.write().ok().map(|datagram| Query { to, datagram }));
            }
        }
    }

    /// Two series, for datagrams to everybody are lost more easily than others.
    fn poll_neighbours(&mut self, now: ClientTime, queries: &mut Vec<Query>) {
        const SERIES: u8 = 2;
        const APART_MSEC: i32 = 500;
        let Some(near) = &mut self.neighbours else {
            return;
        };
        if near.series >= SERIES || near.series > 0 && now - near.asked_at < APART_MSEC {
            return;
        }
        near.series += 1;
        near.asked_at = now;
        let token = format!("{:x}", near.token);
        let Ok(datagram) = (ClientPacket::GetInfo { token }).write() else {
            return;
        };
        for port in PORT_SERVER..PORT_SERVER + NEIGHBOUR_PORTS {
            queries.push(Query {
                to: QueryTo::Neighbours { port },
                datagram: datagram.clone(),
            });
        }
    }

    /// Takes a datagram; what nobody was asked for is left unread.
    pub fn handle_answer(&mut self, from: SocketAddr, bytes: &[u8], at: ClientTime) {
        let from = canonical(from);
        if let Some(&number) = self.by_address.get(&from)
            && self.asked[number].open.is_some()
        {
            return self.handle_server(number, bytes, at);
        }
        if let Some(number) = self.masters.iter().position(|master| master.at == from) {
            return self.handle_master(number, bytes, at);
        }
        if self.neighbours.is_some() && is_near(from.ip()) {
            self.handle_neighbour(from, bytes, at);
        }
    }

    fn handle_master(&mut self, number: usize, bytes: &[u8], at: ClientTime) {
        let master = &mut self.masters[number];
        let is_open = (master.asked_at).is_some_and(|asked_at| at - asked_at < WINDOW_MSEC);
        if !is_open || master.datagrams >= MAX_DATAGRAMS || master.named >= MAX_PER_MASTER {
            return;
        }
        let Some(ServerPacket::Servers(addresses)) = ServerPacket::read(bytes) else {
            return;
        };
        master.datagrams += 1;
        let (of_master, room) = (master.at, MAX_PER_MASTER - master.named);
        let usable = addresses
            .into_iter()
            .map(canonical)
            .filter(|address| may_ask(*address, of_master));
        let mut named = 0;
        for address in usable {
            if named < room && self.place(address, lists::INTERNET).is_some() {
                named += 1;
            }
        }
        self.masters[number].named += named;
    }

    fn handle_neighbour(&mut self, from: SocketAddr, bytes: &[u8], at: ClientTime) {
        let Some(near) = &mut self.neighbours else {
            return;
        };
        let (asked_at, token) = (near.asked_at, near.token);
        if at - asked_at > WINDOW_MSEC || near.found >= MAX_NEIGHBOURS {
            return;
        }
        let Some(ServerPacket::Info(info)) = ServerPacket::read(bytes) else {
            return;
        };
        if info.get("challenge") != format!("{token:x}") || !entry::is_of_family(&info) {
            return;
        }
        near.found += 1;
        // Its own question follows, which measures better than one to everybody.
        if let Some(number) = self.place(from, lists::LAN) {
            self.servers[number].take_info(&info, Some((at - asked_at).max(0)));
            self.waiting.push_back((number, Kind::Status));
        }
    }

    fn handle_server(&mut self, number: usize, bytes: &[u8], at: ClientTime) {
        let Some((token, asked_at, kind)) = self.asked[number].open else {
            return;
        };
        let expected = format!("{token:x}");
        match (kind, ServerPacket::read(bytes)) {
            (Kind::Info, Some(ServerPacket::Info(info))) if info.get("challenge") == expected => {
                self.close(number);
                let server = &mut self.servers[number];
                if !entry::is_of_family(&info) {
                    server.ping_msec = None;
                    return;
                }
                server.take_info(&info, Some((at - asked_at).max(0)));
                let is_watched = self.watched == Some(number);
                if server.players > 0 && !is_watched && self.named < MAX_NAMED {
                    self.waiting.push_back((number, Kind::Status));
                }
            }
            (Kind::Status, Some(ServerPacket::Status(status)))
                if status.info.get("challenge") == expected =>
            {
                self.close(number);
                let details = Details::of(&status);
                let asked = &mut self.asked[number];
                if asked.has_names || self.named < MAX_NAMED {
                    self.named += usize::from(!asked.has_names);
                    asked.has_names = true;
                    self.servers[number].names = details.names();
                }
                if self.watched == Some(number) {
                    self.details = Some(details);
                }
            }
            _ => return,
        }
        self.generation += 1;
    }

    /// The open question is answered.
    fn close(&mut self, number: usize) {
        let asked = &mut self.asked[number];
        asked.tries = 0;
        if let Some((token, ..)) = asked.open.take() {
            self.flights.retain(|(_, _, flight)| *flight != token);
        }
    }
}

/// IPv4 in its own form; the zone of a link-local IPv6 address stays, for without it nobody is reached.
fn canonical(address: SocketAddr) -> SocketAddr {
    match address.ip().to_canonical() {
        IpAddr::V4(ip) => SocketAddr::new(ip.into(), address.port()),
        IpAddr::V6(_) => address,
    }
}

/// A public master must not send questions into private networks; one of the own network may.
fn may_ask(server: SocketAddr, master: SocketAddr) -> bool {
    server.port() >= LOWEST_PORT && (is_near(master.ip()) || !is_near(server.ip()))
}

/// Whether an address belongs to this machine or a network like one's own.
fn is_near(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            // 100.64/10 is that of providers, 0/8 nobody's.
            ip.is_loopback()
                || ip.is_private()
                || ip.is_link_local()
                || a == 0
                || (a, b & 0xC0) == (100, 64)
        }
        IpAddr::V6(ip) => {
            ip.is_loopback()
                || ip.is_unique_local()
                || ip.is_unicast_link_local()
                || ip.is_unspecified()
        }
    }
}

/// Where an address that names no port is asked: servers, or masters.
pub fn with_port(name: &str, is_master: bool) -> String {
    let has_port = name.rsplit_once(':').is_some_and(|(host, port)| {
        port.parse::<u16>().is_ok() && (!host.contains(':') || host.ends_with(']'))
    });
    let port = if is_master { PORT_MASTER } else { PORT_SERVER };
    match has_port {
        true => name.to_owned(),
        false if name.contains(':') && !name.starts_with('[') => format!("[{name}]:{port}"),
        false => format!("{name}:{port}"),
    }
}
