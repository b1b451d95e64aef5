//! Which servers are shown, and in which order.

use super::entry::Server;
use shared::base::sort::sort_by;
use shared::base::text::without_colors;
use std::cmp::Ordering;

/// What the player wants to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Bits of [`super::lists`], of which one must hold.
    pub lists: u8,
    /// Only servers where one of `friends` plays.
    pub only_friends: bool,
    /// Parts of names, in small letters.
    pub friends: Vec<String>,
    pub shows_empty: bool,
    pub shows_full: bool,
    pub shows_private: bool,
    pub game_type: Option<i32>,
    /// Empty for all.
    pub mod_name: String,
    pub protocol: Option<i32>,
    /// A part of the name, map, address, mod or of a player's name, in small letters.
    pub text: String,
    pub key: SortKey,
}

/// What servers are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    Name,
    Map,
    /// Most players first.
    Players,
    GameType,
    #[default]
    Ping,
    Mod,
}

impl SortKey {
    /// By the numbers of `ui_browserSortKey`.
    pub fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Name,
            1 => Self::Map,
            2 => Self::Players,
            3 => Self::GameType,
            5 => Self::Mod,
            _ => Self::Ping,
        }
    }
}

/// Friends of the player who are on a server.
pub fn friends_on<'a>(server: &'a Server, friends: &[String]) -> Option<&'a str> {
    let is_friend = |name: &&String| {
        let name = name.to_lowercase();
        friends.iter().any(|friend| name.contains(friend.as_str()))
    };
    server.names.iter().find(is_friend).map(String::as_str)
}

/// Numbers of the servers that are shown, in their order; those that do not answer come last.
pub fn view(servers: &[Server], filter: &Filter) -> Vec<usize> {
    let mut view: Vec<usize> = (0..servers.len())
        .filter(|number| is_wanted(&servers[*number], filter))
        .collect();
    let names: Vec<String> = match filter.key {
        SortKey::Name => servers
            .iter()
            .map(|server| without_colors(&server.name).to_lowercase())
            .collect(),
        _ => Vec::new(),
    };
    let is_silent = |number: usize| servers[number].ping_msec.is_none();
    sort_by(&mut view, |&a, &b| {
        let by_key = match filter.key {
            SortKey::Name => names[a].cmp(&names[b]),
            key => compare(&servers[a], &servers[b], key),
        };
        is_silent(a).cmp(&is_silent(b)).then(by_key).then(a.cmp(&b))
    });
    view
}

fn compare(a: &Server, b: &Server, key: SortKey) -> Ordering {
    let by_key = match key {
        SortKey::Map => a.map.cmp(&b.map),
        SortKey::Players => b.players.cmp(&a.players),
        SortKey::GameType => a.game_type.cmp(&b.game_type),
        SortKey::Mod => a.mod_name.cmp(&b.mod_name),
        SortKey::Ping | SortKey::Name => Ordering::Equal,
    };
    by_key
        .then_with(|| a.ping_msec.cmp(&b.ping_msec))
        .then_with(|| a.address.cmp(&b.address))
}

fn is_wanted(server: &Server, filter: &Filter) -> bool {
    let has_answered = server.ping_msec.is_some();
    let is_known = server.lists & (super::lists::FAVOURITE | super::lists::RECENT) != 0;
    let is_friend = || friends_on(server, &filter.friends).is_some();
    let fits = match filter.only_friends {
        true => is_friend(),
        false => server.lists & filter.lists != 0,
    };
    // What the player keeps is shown though it be silent.
    fits && (has_answered || is_known)
        && has_text(server, &filter.text)
        && (!has_answered || passes(server, filter))
}

fn passes(server: &Server, filter: &Filter) -> bool {
    (filter.shows_empty || server.players > 0)
        && (filter.shows_full || !server.is_full())
        && (filter.shows_private || !server.needs_password)
        && filter.game_type.is_none_or(|kind| kind == server.game_type)
        && filter
            .protocol
            .is_none_or(|number| number == server.protocol)
        && (filter.mod_name.is_empty() || filter.mod_name.eq_ignore_ascii_case(&server.mod_name))
}

fn has_text(server: &Server, text: &str) -> bool {
    let has = |field: &str| field.to_lowercase().contains(text);
    text.is_empty()
        || has(&without_colors(&server.name))
        || [&server.map, &server.address, &server.mod_name]
            .into_iter()
            .any(|field| has(field))
        || server.names.iter().any(|name| has(name))
}
