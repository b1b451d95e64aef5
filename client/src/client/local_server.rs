//! The server in the same program: what `map` begins, and the way between it and the session.
//!
//! Both ends speak by datagrams, as over a network, and the session's conditioner can spoil them on their way. What the
//! player sends reaches the server within the same frame; what the server sends is read in the next.

use super::Client;
use crate::{
    assets::{AssetState, vfs::Fetched},
    session::Session,
    settings,
};
use core::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use server::{Event, Output, Peer, Request, Server, cvars as server_cvars};
use shared::base::{sort::sort, tokens::Tokens};
use std::collections::{BTreeMap, VecDeque};

/// A server of the player's own.
#[derive(Clone, Debug)]
pub(super) struct LocalServer {
    server: Server,
    /// For its console. What follows a `map` waits until the map is there.
    lines: VecDeque<String>,
    /// For its next frame.
    events: Vec<Event>,
    /// The map that it waits for; no time passes meanwhile.
    awaited: Option<Awaited>,
    /// Whom the player comes as.
    peer: Peer,
}

/// In the lab the player comes as from a network, so that the rate that the client asks for counts.
pub(super) const LAB_PEER: Peer = Peer::Net(SocketAddr::V4(SocketAddrV4::new(
    Ipv4Addr::LOCALHOST,
    27_960,
)));

impl LocalServer {
    pub(super) fn server(&self) -> &Server {
        &self.server
    }
}

#[derive(Clone, Debug)]
struct Awaited {
    map: String,
    /// It is being loaded; before that, the paks are being looked through.
    is_loading: bool,
}

/// What the player chose for servers of his own; it outlives them.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerSettings(BTreeMap<&'static str, String>);

/// What a server in the same program begins with where it is not what a dedicated one has.
const DEFAULTS: [(&str, &str); 3] = [
    ("sv_hostname", "Strafe"),
    ("sv_maxclients", "16"),
    ("bot_minplayers", "0"),
];
/// Settings that follow from the level, and those that mean the player's own program.
const NOT_CHOSEN: [&str; 6] = [
    "gamename",
    "mapname",
    "protocol",
    "sv_cheats",
    "sv_serverid",
    "version",
];

impl Client {
    /// Runs a line on the own server's console; `map` and `devmap` begin one.
    pub(crate) fn run_on_own_server(&mut self, line: &str) {
        match &mut self.local_server {
            Some(local) => local.lines.push_back(line.to_owned()),
            None => self.print("no match of your own runs; map NAME begins one\n"),
        }
    }

    /// The maps that there are.
    pub(crate) fn maps(&self) -> Vec<String> {
        let mut maps = self.assets.vfs().list("maps", ".bsp");
        sort(&mut maps);
        maps
    }

    /// Begins a match in this program, or goes on with another map.
    pub(crate) fn start_map(&mut self, line: &str) {
        if self.lab.is_some() {
            // Both its sides are on one map.
            self.disconnect("");
        }
        self.start_match(line, Peer::Local);
    }

    /// Begins a match as somebody, or goes on with another map.
    pub(super) fn start_match(&mut self, line: &str, peer: Peer) {
        if self.local_server.is_none() {
            self.disconnect("");
            self.error = None;
            self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005) | 1;
            let chosen = self.server_settings.0.iter();
            let chosen = chosen.map(|(name, value)| (*name, value.as_str()));
            let settings = DEFAULTS.into_iter().chain(chosen);
            self.local_server = Some(LocalServer {
                server: Server::new(self.seed),
                lines: settings
                    .map(|(name, value)| set_line(name, value))
                    .collect(),
                events: Vec::new(),
                awaited: None,
                peer,
            });
        }
        self.run_on_own_server(line);
    }

    /// Ends the own match, and with it the session there.
    pub(crate) fn kill_server(&mut self) {
        if self.local_server.is_none() {
            return self.print("no match of your own runs\n");
        }
        self.disconnect("");
        self.local_server = None;
    }

    /// The value of a setting of own matches; none if there is no such setting.
    pub(crate) fn server_setting(&self, name: &str) -> Option<(&'static str, String)> {
        let def = self.find_server_setting(name)?;
        let default = || {
            let mut own = DEFAULTS.iter();
            own.find(|(name, _)| *name == def.name)
                .map_or(def.default, |(_, value)| value)
        };
        let value = match (&self.local_server, self.server_settings.0.get(def.name)) {
            (Some(local), _) => local.server.cvars.get(def.name).to_owned(),
            (None, Some(value)) => value.clone(),
            (None, None) => default().to_owned(),
        };
        Some((def.help, value))
    }

    /// Sets what own matches are played by; false if there is no such setting.
    pub(crate) fn choose_server_setting(&mut self, name: &str, value: &str) -> bool {
        let Some(def) = self.find_server_setting(name) else {
            return false;
        };
        self.server_settings.0.insert(def.name, value.to_owned());
        if let Some(local) = &mut self.local_server {
            local.lines.push_back(set_line(def.name, value));
        }
        true
    }

    /// A setting of servers that the player may choose and that the client has no setting of that name for.
    fn find_server_setting(&self, name: &str) -> Option<&'static server_cvars::CvarDef> {
        use crate::con::cvar::flag::READ_ONLY;
        let is_ours = (self.cvars.get(name)).is_some_and(|cvar| !cvar.has(READ_ONLY));
        let mut settings = server_cvars::CVARS.iter();
        settings
            .find(|def| def.name.eq_ignore_ascii_case(name))
            .filter(|def| !is_ours && !NOT_CHOSEN.contains(&def.name))
    }

    /// Lets the own server go on, and the session hear of it.
    pub(super) fn run_local_server(&mut self) {
        let Some(mut local) = self.local_server.take() else {
            return;
        };
        if !self.bring_map(&mut local) {
            self.local_server = Some(local);
            return;
        }
        while let Some(line) = local.lines.pop_front() {
            let word = Tokens::new(&line).get(0).to_ascii_lowercase();
            let begins_map = word == "map" || word == "devmap";
            local.events.push(Event::Command(line));
            if begins_map {
                break;
            }
        }
        let mut events = std::mem::take(&mut local.events);
        let own = self.run_second_server(&events);
        events.extend(own);
        let output = local.server.frame(self.frame_msec, events);
        self.take_from_local_server(&mut local, output);
        if self.session.is_none() && local.awaited.is_none() && local.events.is_empty() {
            match local.server.level_time() {
                Some(_) => self.enter_own_match(),
                // Its only map could not be played.
                None => {
                    self.lab = None;
                    return self.assets.use_own_paks(settings::assets());
                }
            }
        }
        self.local_server = Some(local);
    }

    /// Gives the own server what the player sent, which it executes at once.
    pub(super) fn send_to_local_server(&mut self, datagrams: &mut Vec<Vec<u8>>) {
        if !self.session.as_ref().is_some_and(Session::is_own) {
            return;
        }
        let Some(mut local) = self.local_server.take() else {
            return;
        };
        let from = local.peer;
        let packets = (datagrams.drain(..)).map(|bytes| Event::Packet { from, bytes });
        if local.awaited.is_none() {
            let output = local.server.frame(0, packets.collect());
            self.take_from_local_server(&mut local, output);
        }
        self.local_server = Some(local);
    }

    fn take_from_local_server(&mut self, local: &mut LocalServer, output: Output) {
        for line in output.printed {
            self.print(&format!("{line}\n"));
        }
        let now = self.now;
        if let Some(session) = &mut self.session {
            let own = output.datagrams.into_iter();
            for (_, datagram) in own.filter(|(peer, _)| *peer == local.peer) {
                session.handle_packet(now, datagram);
            }
        }
        for request in output.requests {
            match request {
                Request::ReadMap { name } => {
                    local.awaited = Some(Awaited {
                        map: name,
                        is_loading: false,
                    });
                }
                // The console's own `exec` runs files.
                Request::ReadConfig { name } => {
                    let result = Err("this server reads no files".to_owned());
                    local.events.push(Event::ConfigRead { name, result });
                }
                // Downloads and bans are for those who come by the network.
                Request::ReadPak { .. } | Request::KeepBans { .. } => {}
                Request::Quit => self.request(crate::output::Request::Quit),
            }
        }
    }

    /// Loads the map that the server waits for; false while that goes on.
    fn bring_map(&mut self, local: &mut LocalServer) -> bool {
        let Some(awaited) = &mut local.awaited else {
            return true;
        };
        if !self.assets.vfs().is_settled() {
            return false;
        }
        let name = awaited.map.clone();
        let path = format!("maps/{}.bsp", name.to_ascii_lowercase());
        let result = if !awaited.is_loading {
            let Some(game) = self.assets.vfs().game_of(&path).map(str::to_owned) else {
                let reason = "it is in none of the paks here".to_owned();
                return self.answer_map(local, name, Err(reason));
            };
            awaited.is_loading = true;
            let rules = if game == "baseoa" { "baseoa" } else { "baseq3" };
            local
                .events
                .push(Event::Command(set_line("gamename", rules)));
            if let Some(session) = &mut self.session {
                session.await_level();
            }
            let games = crate::session::games(rules, "");
            if self.assets.choose_paks(&games, None, Fetched::None) {
                self.assets.reset(settings::assets());
            }
            self.assets.load_world(&name);
            return false;
        } else {
            match (self.assets.world_state(), self.assets.world()) {
                (AssetState::Ready, Some(bsp)) => Ok(bsp.clone()),
                (AssetState::Missing, _) => Err("its file cannot be read".to_owned()),
                _ => return false,
            }
        };
        let is_lost = result.is_err() && self.session.is_some();
        self.answer_map(local, name, result);
        if is_lost {
            self.disconnect("The map cannot be played.");
        }
        true
    }

    fn answer_map(
        &mut self,
        local: &mut LocalServer,
        name: String,
        result: Result<std::sync::Arc<shared::formats::bsp::Bsp>, String>,
    ) -> bool {
        if let Err(reason) = &result {
            self.error = Some(format!("The map {name} cannot be played: {reason}"));
        }
        local.events.push(Event::MapRead { name, result });
        local.awaited = None;
        true
    }

    fn enter_own_match(&mut self) {
        self.last_server = String::new();
        self.error = None;
        self.console.set_open(false, true);
        self.cvars.force("cl_currentServerAddress", "localhost");
        if self.lab.is_some() {
            return self.enter_second_match();
        }
        self.session = Some(Session::on_own_server(
            self.seed,
            self.qport,
            &self.cvars,
            self.now,
        ));
    }
}

fn set_line(name: &str, value: &str) -> String {
    format!("set {name} \"{}\"", value.replace(['"', '\n'], ""))
}
