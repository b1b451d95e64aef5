//! Everything before a connection: challenges, connecting, questions from outside, the remote console.

use crate::{
    io::Peer,
    server::Server,
    slot::{Handshake, Slot, SlotState},
};
use shared::{
    base::info::{Info, MAX_INFO},
    net::{
        oob::{Challenge, ClientPacket, ServerPacket, Status, StatusPlayer},
        protocol::{self, WireForm},
    },
};
use std::collections::{HashMap, VecDeque};

/// Challenges that are remembered; the oldest gives way.
const MAX_CHALLENGES: usize = 2048;
/// Of those so many for one host.
const MAX_CHALLENGES_OF_HOST: usize = MAX_CHALLENGES / 2;
/// Questions that one host may ask at once, and after how many milliseconds one more.
const HOST_BUDGET: (i32, i32) = (10, 1000);
/// The same for everybody together.
const TOTAL_BUDGET: (i32, i32) = (10, 100);
/// Hosts whose questions are counted one by one.
const MAX_HOSTS: usize = 1024;
/// Characters of one piece of the remote console's answer.
const RCON_PIECE: usize = 1008;

/// The numbers that clients must bring, and who asked how often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Challenges {
    given: VecDeque<Given>,
    total: Budget,
    hosts: HashMap<core::net::IpAddr, Budget>,
    /// Wrong passwords of the remote console.
    wrong_passwords: Budget,
}

/// A challenge and whom it was given to.
#[derive(Clone, Copy, Debug)]
struct Given {
    peer: Peer,
    challenge: i32,
    at: i32,
    /// Its ping was not what is wanted here; it is not told again.
    was_refused: bool,
}

/// A bucket that fills with time.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    used: i32,
    at: i32,
}

impl Budget {
    fn take(&mut self, now: i32, (burst, period): (i32, i32)) -> bool {
        let refilled = now.wrapping_sub(self.at) / period;
        if refilled > 0 {
            self.used = (self.used - refilled).max(0);
            self.at = self.at.wrapping_add(refilled.wrapping_mul(period));
        }
        let may = self.used < burst;
        self.used += i32::from(may);
        may
    }
}

impl Challenges {
    pub(crate) fn forget(&mut self, peer: Peer) {
        self.given.retain(|one| one.peer != peer);
    }

    fn find(&mut self, peer: Peer) -> Option<&mut Given> {
        self.given.iter_mut().find(|one| one.peer == peer)
    }

    fn give(&mut self, peer: Peer, random: i32, at: i32) -> i32 {
        if let Some(given) = self.find(peer) {
            given.at = at;
            return given.challenge;
        }
        let of_host = |one: &Given| one.peer.is_same_host(peer);
        if self.given.iter().filter(|one| of_host(one)).count() >= MAX_CHALLENGES_OF_HOST
            && let Some(oldest) = self.given.iter().position(of_host)
        {
            self.given.remove(oldest);
        } else if self.given.len() >= MAX_CHALLENGES {
            self.given.pop_front();
        }
        self.given.push_back(Given {
            peer,
            challenge: random,
            at,
            was_refused: false,
        });
        random
    }

    /// Whether a host may ask, whatever others ask.
    fn may_ask_alone(&mut self, peer: Peer, now: i32) -> bool {
        let Peer::Net(address) = peer else {
            return true;
        };
        if self.hosts.len() >= MAX_HOSTS {
            self.hosts
                .retain(|_, budget| now.wrapping_sub(budget.at) < HOST_BUDGET.0 * HOST_BUDGET.1);
        }
        let is_known = self.hosts.contains_key(&address.ip()) || self.hosts.len() < MAX_HOSTS;
        is_known
            && self
                .hosts
                .entry(address.ip())
                .or_default()
                .take(now, HOST_BUDGET)
    }

    fn may_ask(&mut self, peer: Peer, now: i32) -> bool {
        self.may_ask_alone(peer, now)
            && (!matches!(peer, Peer::Net(_)) || self.total.take(now, TOTAL_BUDGET))
    }
}

impl Server {
    /// Handles a packet that belongs to no connection.
    pub(crate) fn handle_out_of_band(&mut self, from: Peer, bytes: &[u8]) {
        match ClientPacket::read(bytes) {
            Some(ClientPacket::GetChallenge { own, .. }) if self.may_be_asked(from) => {
                let random = self.rng.next_u64() as i32;
                let at = self.fine_time();
                let challenge = self.challenges.give(from, random, at);
                let answer = Challenge {
                    challenge,
                    own: Some(own.unwrap_or(0)),
                    protocol: Some(protocol::CURRENT),
                };
                self.answer(from, &ServerPacket::Challenge(answer));
            }
            Some(ClientPacket::Connect { userinfo }) => self.handle_connect(from, userinfo),
            Some(ClientPacket::GetInfo { token }) if self.may_be_asked(from) => {
                let info = self.info(&token);
                self.answer(from, &ServerPacket::Info(info));
            }
            Some(ClientPacket::GetStatus { token }) if self.may_be_asked(from) => {
                let status = self.status(&token);
                self.answer(from, &ServerPacket::Status(status));
            }
            Some(ClientPacket::Rcon { password, command }) => {
                self.handle_rcon(from, &password, &command);
            }
            _ => {}
        }
    }

    fn may_be_asked(&mut self, from: Peer) -> bool {
        self.challenges.may_ask(from, self.now)
    }

    fn handle_connect(&mut self, from: Peer, mut userinfo: Info) {
        let refuse = |server: &mut Self, text: &str| {
            server.answer(from, &ServerPacket::Print(format!("{text}\n")));
        };
        if self.bans.is_banned(from) {
            return refuse(self, "You are banned from this server.");
        }
        let Some(wire) = (match userinfo.number("protocol") {
            protocol::CLASSIC => Some(Some(WireForm::Legacy)),
            // ioquake3 and OpenArena mean different forms by it.
            protocol::CURRENT => Some(None),
            _ => None,
        }) else {
            let theirs = userinfo.get("protocol");
            let text = format!(
                "Server uses protocol version {} (yours is {theirs}).",
                protocol::CURRENT
            );
            return refuse(self, &text);
        };
        if self.level.is_none() {
            return refuse(self, "No map is running.");
        }
        let qport = userinfo.number("qport") as u16;
        let same = self
            .clients()
            .find(|(_, slot)| {
                slot.peer.is_same_host(from) && (slot.qport == qport || slot.peer == from)
            })
            .map(|(client, slot)| (client, slot.last_connect_at, slot.state));
        let limit_msec = self.cvars.integer("sv_reconnectlimit").saturating_mul(1000);
        if let Some((_, connected_at, _)) = same
            && self.now.wrapping_sub(connected_at) < limit_msec
        {
            return;
        }
        let challenge = userinfo.number("challenge");
        match self.challenge_refusal(from, challenge) {
            None => {}
            Some("") => return,
            Some(text) => return refuse(self, text),
        }
        let address = match from {
            Peer::Net(address) => address.to_string(),
            Peer::Local | Peer::Bot => from.text(),
        };
        if userinfo.set("ip", &address, MAX_INFO).is_err() {
            return refuse(self, "Userinfo string length exceeded.");
        }
        let Some(client) = same
            .map(|(client, ..)| client)
            .or_else(|| self.free_slot(&userinfo))
            .or_else(|| self.make_room(&userinfo))
        else {
            return refuse(self, "Server is full.");
        };
        let mut effects = Vec::new();
        let Some(level) = &mut self.level else { return };
        if same.is_some_and(|(.., state)| state > SlotState::Zombie) {
            effects.extend(level.game.disconnect(client));
        }
        match level.game.connect(client, &userinfo, true, &self.cvars) {
            Ok(more) => effects.extend(more),
            Err(reason) => {
                self.slots[client] = None;
                self.apply(effects);
                return refuse(self, &reason);
            }
        }
        let handshake = Handshake {
            peer: from,
            qport,
            challenge,
            wire,
        };
        let mut slot = Slot::new(handshake, Info::new(), self.now);
        slot.set_userinfo(userinfo, self.fps());
        self.slots[client] = Some(slot);
        self.apply(effects);
        let answer = ServerPacket::Connected {
            challenge: Some(challenge),
            protocol: None,
        };
        self.answer(from, &answer);
    }

    /// What speaks against a client by its challenge; empty if it was told before.
    fn challenge_refusal(&mut self, from: Peer, challenge: i32) -> Option<&'static str> {
        if from == Peer::Local {
            return None;
        }
        let now = self.fine_time();
        let limits = ["sv_minPing", "sv_maxPing"].map(|name| self.cvars.integer(name));
        let given = self.challenges.find(from);
        let Some(given) = given.filter(|given| given.challenge == challenge) else {
            return Some("No or bad challenge for your address.");
        };
        if given.was_refused {
            return Some("");
        }
        let ping = now.wrapping_sub(given.at);
        let text = match limits {
            _ if from.is_near() => return None,
            [least, _] if least != 0 && ping < least => "Server is for high pings only",
            [_, most] if most != 0 && ping > most => "Server is for low pings only",
            _ => return None,
        };
        given.was_refused = true;
        Some(text)
    }

    /// Milliseconds since the start, those included that made no frame yet.
    fn fine_time(&self) -> i32 {
        self.now.wrapping_add(self.residual_msec)
    }

    /// Places that are kept for those who know a password.
    fn private_places(&self) -> usize {
        let kept = usize::try_from(self.cvars.integer("sv_privateClients")).unwrap_or(0);
        kept.min(self.slots.len())
    }

    /// A place for a newcomer; the first ones are for those who know a password.
    fn free_slot(&self, userinfo: &Info) -> Option<usize> {
        let private = self.cvars.get("sv_privatePassword");
        let knows = !private.is_empty() && userinfo.get("password") == private;
        let first = if knows { 0 } else { self.private_places() };
        (first..self.slots.len()).find(|&client| self.slots[client].is_none())
    }

    /// Lets a bot give up its place to a player, where bots only fill the server up.
    fn make_room(&mut self, userinfo: &Info) -> Option<usize> {
        if self.cvars.integer("bot_minplayers") <= 0 {
            return None;
        }
        self.remove_least_bot("makes room");
        self.free_slot(userinfo)
    }

    fn info(&self, token: &str) -> Info {
        let clients = self
            .clients()
            .filter(|(_, slot)| slot.state >= SlotState::Connected)
            .count();
        let humans = clients - self.bots.count();
        let pairs = [
            ("challenge", token.to_owned()),
            ("gamename", protocol::GAMENAME.to_owned()),
            ("protocol", protocol::CLASSIC.to_string()),
            ("hostname", self.cvars.get("sv_hostname").to_owned()),
            ("mapname", self.cvars.get("mapname").to_owned()),
            ("clients", clients.to_string()),
            ("g_humanplayers", humans.to_string()),
            (
                "sv_maxclients",
                (self.slots.len() - self.private_places()).to_string(),
            ),
            ("gametype", self.cvars.get("g_gametype").to_owned()),
            ("pure", self.cvars.get("sv_pure").to_owned()),
            ("g_needpass", self.cvars.get("g_needpass").to_owned()),
        ];
        let mut info = Info::new();
        for (key, value) in pairs {
            // A token that cannot be part of an info string is not repeated.
            let _ = info.set(key, &value, MAX_INFO);
        }
        for (key, name) in [("minPing", "sv_minPing"), ("maxPing", "sv_maxPing")] {
            if self.cvars.integer(name) != 0 {
                let _ = info.set(key, self.cvars.get(name), MAX_INFO);
            }
        }
        info
    }

    fn status(&self, token: &str) -> Status {
        let mut info = Info::parse(&self.cvars.serverinfo());
        let _ = info.set("challenge", token, MAX_INFO);
        let players = self
            .clients()
            .filter(|(_, slot)| slot.state >= SlotState::Connected);
        let players = players.map(|(client, slot)| StatusPlayer {
            score: self.score_of(client),
            ping: slot.ping,
            name: slot.name().to_owned(),
        });
        Status {
            players: players.collect(),
            info,
        }
    }

    fn handle_rcon(&mut self, from: Peer, password: &str, command: &str) {
        // Long answers to short questions with another's address, and guessing.
        if !self.challenges.may_ask_alone(from, self.now) {
            return;
        }
        let secret = self.cvars.get("rconPassword");
        if secret.is_empty() || secret != password {
            if self.challenges.wrong_passwords.take(self.now, (10, 1000)) {
                self.print(format!("Bad rcon from {}", from.text()));
                self.answer(from, &ServerPacket::Print("Bad rconpassword.\n".to_owned()));
            }
            return;
        }
        let before = self.output.printed.len();
        self.run_command(command);
        let text: String = self.output.printed[before..]
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(RCON_PIECE) {
            self.answer(from, &ServerPacket::Print(piece.iter().collect()));
        }
    }
}
