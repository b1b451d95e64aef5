//! Queries to servers that one is not on: `serverstatus`, `ping`, and `rcon` with `rconAddress`.

use super::Client;
use crate::{
    browser::{
        entry::{Details, Server},
        with_port,
    },
    output::Request,
    settings,
};
use shared::{
    base::time::ClientTime,
    net::oob::{ClientPacket, ServerPacket, Status},
};

/// What was asked last, while an answer may still come.
#[derive(Clone)]
pub(super) struct ServerQuery {
    server: String,
    kind: Kind,
    /// The question goes out when the way is open.
    asked_at: Option<ClientTime>,
    began_at: ClientTime,
    was_answered: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Status,
    Ping,
    Rcon,
}

/// Milliseconds after which nobody will answer any more; remote consoles answer in pieces.
const PATIENCE_MSEC: i32 = 3000;

impl Client {
    /// Asks a server who plays there; without a name the one that one is on.
    pub(crate) fn ask_status(&mut self, server: &str) {
        let packet = ClientPacket::GetStatus {
            token: self.now.0.to_string(),
        };
        self.ask(server, Kind::Status, &packet);
    }

    /// Measures how long a server takes to answer.
    pub(crate) fn ask_ping(&mut self, server: &str) {
        let packet = ClientPacket::GetInfo {
            token: self.now.0.to_string(),
        };
        self.ask(server, Kind::Ping, &packet);
    }

    /// Sends a line to the remote console of a server that one is not on.
    pub(super) fn ask_rcon(&mut self, server: &str, password: &str, command: &str) {
        let packet = ClientPacket::Rcon {
            password: password.to_owned(),
            command: command.to_owned(),
        };
        self.ask(server, Kind::Rcon, &packet);
    }

    fn ask(&mut self, server: &str, kind: Kind, packet: &ClientPacket) {
        let server = self.server_or_last(server);
        if server.is_empty() {
            return self.print("not on a server; name one\n");
        }
        let query = ServerQuery {
            server: server.clone(),
            kind,
            asked_at: None,
            began_at: self.now,
            was_answered: false,
        };
        let request = if !self.browsing.can_ask && kind != Kind::Rcon {
            Request::FetchServers { favourites: server }
        } else {
            match packet.write() {
                Ok(datagram) => Request::Ask {
                    server,
                    own: settings::own_address(&self.cvars),
                    datagram,
                },
                Err(refusal) => return self.print(&format!("{refusal}\n")),
            }
        };
        self.server_query = Some(query);
        self.request(request);
    }

    /// The question has gone out.
    pub(super) fn was_asked(&mut self, at: ClientTime) {
        if let Some(server_query) = &mut self.server_query {
            server_query.asked_at = Some(at);
        }
    }

    pub(super) fn cannot_ask(&mut self, reason: &str) {
        self.server_query = None;
        self.print(&format!("{reason}\n"));
    }

    pub(super) fn take_answer(&mut self, bytes: &[u8], at: ClientTime) {
        let Some(server_query) = &mut self.server_query else {
            return;
        };
        let msec = server_query.asked_at.map_or(0, |asked_at| at - asked_at);
        let server = &server_query.server;
        let (text, is_last) = match (server_query.kind, ServerPacket::read(bytes)) {
            (Kind::Status, Some(ServerPacket::Status(Status { info, players }))) => {
                let players = players.iter().map(|one| (one.score, one.ping, &*one.name));
                (status_text(info.iter(), players), true)
            }
            (Kind::Ping, Some(ServerPacket::Info(info))) => {
                let (map, players) = (info.get("mapname"), info.get("clients"));
                let max = info.get("sv_maxclients");
                let text = format!("{server}: {msec} ms, {map}, {players} of {max} players\n");
                (text, true)
            }
            (Kind::Rcon, Some(ServerPacket::Print(text))) => (text, false),
            _ => return,
        };
        server_query.was_answered = true;
        self.print(&text);
        if is_last {
            self.end_server_query();
        }
    }

    /// A relay has asked for us: its list may hold the answer.
    pub(super) fn answer_by_list(&mut self, servers: &[Server]) {
        let Some(query) = &self.server_query else {
            return;
        };
        let (name, kind) = (query.server.clone(), query.kind);
        let full = with_port(&name, false);
        let is_it = |server: &&Server| server.address == name || server.address == full;
        let Some(server) = servers.iter().find(is_it) else {
            return;
        };
        let text = match (kind, server.ping_msec, &server.told) {
            (Kind::Ping, Some(msec), _) => {
                let (map, players, max) = (&server.map, server.players, server.max_players);
                format!("{name}: {msec} ms from the relay, {map}, {players} of {max} players\n")
            }
            (Kind::Status, _, Some(Details { rules, players })) => {
                let rules = rules.iter().map(|(key, value)| (&**key, &**value));
                let players = players.iter().map(|one| (one.score, one.ping, &*one.name));
                status_text(rules, players)
            }
            _ => return,
        };
        self.server_query = None;
        self.print(&text);
    }

    /// Gives up a question that nobody answers.
    pub(super) fn watch_server_query(&mut self) {
        let Some(server_query) = &self.server_query else {
            return;
        };
        if self.now - server_query.began_at > PATIENCE_MSEC {
            if !server_query.was_answered {
                let text = format!("{} does not answer\n", server_query.server);
                self.print(&text);
            }
            self.end_server_query();
        }
    }

    fn end_server_query(&mut self) {
        self.server_query = None;
        self.request(Request::StopAsking);
    }
}

/// What a server says of itself, and who plays there: points, ping, name.
fn status_text<'a>(
    rules: impl Iterator<Item = (&'a str, &'a str)>,
    players: impl Iterator<Item = (i32, i32, &'a str)>,
) -> String {
    let rules = rules.map(|(key, value)| format!("{key:<24} {value}^7\n"));
    let head = std::iter::once("score ping name\n".to_owned());
    let players = players.map(|(score, ping, name)| format!("{score:>5} {ping:>4} {name}^7\n"));
    rules.chain(head).chain(players).collect()
}
