//! Servers as a relay lists them for pages, which cannot ask servers themselves.

use super::{
    MAX_NAMED,
    entry::{self, Details, Server},
    lists,
};
use serde::Deserialize;
use shared::base::info::{Info, MAX_BIG_INFO};
use std::collections::BTreeMap;

/// Relays tell of fewer.
const MAX_LISTED: usize = 1024;

/// The answer of `/api/servers`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct List {
    servers: Vec<ListedServer>,
    masters: Vec<ListedServer>,
    favourites: Vec<ListedServer>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListedServer {
    address: String,
    online: bool,
    ping_msec: Option<f64>,
    info: BTreeMap<String, String>,
    status: BTreeMap<String, String>,
    players: Vec<ListedPlayer>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListedPlayer {
    score: i32,
    ping: i32,
    name: String,
}

/// The servers of an answer. The relay's own stand for the neighbourhood.
///
/// # Errors
/// It is no such answer.
pub fn read(text: &str) -> Result<Vec<Server>, String> {
    let list: List = serde_json::from_str(text)
        .map_err(|error| format!("the relay's list of servers cannot be read: {error}"))?;
    let parts = [
        (list.servers, lists::LAN | lists::INTERNET),
        (list.favourites, lists::FAVOURITE),
        (list.masters, lists::INTERNET),
    ];
    let listed = parts
        .into_iter()
        .flat_map(|(part, from)| part.into_iter().map(move |one| server(one, from)));
    let mut servers: Vec<Server> = listed.take(MAX_LISTED).collect();
    servers.retain(|server| is_address(&server.address));
    for server in servers.iter_mut().skip(MAX_NAMED) {
        server.told = None;
    }
    Ok(servers)
}

/// What may stand behind `connect`.
fn is_address(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
    (1..=255).contains(&text.len()) && text.chars().all(is_part)
}

fn server(listed: ListedServer, from: u8) -> Server {
    let mut server = Server::new(listed.address, from);
    if !listed.online {
        return server;
    }
    let mut info = Info::new();
    for (key, value) in &listed.info {
        // What is too long for an info string no server has said.
        let _ = info.set(key, value, MAX_BIG_INFO);
    }
    // Far from what a float of JSON can be, and the cast clamps.
    server.take_info(
        &info,
        Some(listed.ping_msec.unwrap_or(0.0).clamp(0.0, 9999.0) as i32),
    );
    let pairs = listed.status.iter();
    let players = listed.players.iter();
    let details = Details {
        rules: entry::rules(pairs.map(|(key, value)| (key.as_str(), value.as_str()))),
        players: players
            .map(|player| entry::player(player.score, player.ping, &player.name))
            .take(64)
            .collect(),
    };
    server.names = details.names();
    server.told = Some(details);
    server
}
