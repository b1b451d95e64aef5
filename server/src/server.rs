//! Server: slots of clients, one level, and the order of a frame.

use crate::{
    connect::Challenges,
    cvars::{Cvars, Told},
    game::{Effect, Game},
    io::{Event, Output, Peer, Request},
    slot::{Slot, SlotState},
};
use shared::{
    base::{rng::Rng, tokens::Tokens},
    cm::ClipMap,
    formats::bsp::Bsp,
    net::oob::ServerPacket,
    types::{configstring::index, gamestate::Gamestate},
};
use std::sync::Arc;

/// Levels begin after so many frames in which things find their places.
const SETTLING_FRAMES: i32 = 3;
/// Their length in milliseconds.
const SETTLING_MSEC: i32 = 100;
/// More time than this between two frames is lost.
const MAX_FRAME_MSEC: i32 = 5000;
/// A client that says nothing is dropped after so many frames beyond its time.
const SILENT_FRAMES: u32 = 5;

/// A whole server.
#[derive(Debug)]
pub struct Server {
    pub cvars: Cvars,
    pub(crate) rng: Rng,
    /// Milliseconds since the start, by whole frames of the game.
    pub(crate) now: i32,
    /// Time that has passed and made no frame yet.
    residual_msec: i32,
    pub(crate) slots: Vec<Option<Slot>>,
    pub(crate) challenges: Challenges,
    pub(crate) level: Option<Level>,
    /// The map that is being read.
    awaited_map: Option<String>,
    pub(crate) output: Output,
}

/// What lasts as long as a map.
#[derive(Debug)]
pub(crate) struct Level {
    pub game: Game,
    /// What clients get when they enter; its configstrings are kept up to date.
    pub gamestate: Gamestate,
    pub server_id: i32,
    /// Clients that name this or a later number know the map, though not its latest restart.
    pub restarted_server_id: i32,
    /// Milliseconds of the level.
    pub time: i32,
    /// Toggles with each level.
    pub snapshot_flag: u8,
}

impl Server {
    /// A server without a level. Whatever is left to chance follows from the seed.
    pub fn new(seed: u64) -> Self {
        Self {
            cvars: Cvars::default(),
            rng: Rng::new(seed),
            now: 0,
            residual_msec: 0,
            slots: Vec::new(),
            challenges: Challenges::default(),
            level: None,
            awaited_map: None,
            output: Output::default(),
        }
    }

    /// Milliseconds of the level that is played.
    pub fn level_time(&self) -> Option<i32> {
        self.level.as_ref().map(|level| level.time)
    }

    /// How far the client in a slot is.
    pub fn slot_state(&self, client: usize) -> SlotState {
        self.slots
            .get(client)
            .and_then(Option::as_ref)
            .map_or(SlotState::Free, |slot| slot.state)
    }

    /// Handles what happened, then lets `msec` milliseconds pass.
    pub fn frame(&mut self, msec: i32, events: Vec<Event>) -> Output {
        for event in events {
            match event {
                Event::Packet { from, bytes } => self.handle_packet(from, &bytes),
                Event::Command(line) => self.run_command(&line),
                Event::MapRead { name, result } => self.map_read(&name, result),
            }
        }
        self.follow_cvars();
        let frame_msec = self.frame_msec();
        self.residual_msec += msec.clamp(0, MAX_FRAME_MSEC);
        while self.residual_msec >= frame_msec {
            self.residual_msec -= frame_msec;
            self.run_frame(frame_msec);
        }
        self.drop_silent();
        self.send_snapshots();
        std::mem::take(&mut self.output)
    }

    pub(crate) fn fps(&self) -> i32 {
        match self.cvars.integer("sv_fps") {
            fps if fps < 1 => 10,
            fps => fps.min(1000),
        }
    }

    fn frame_msec(&self) -> i32 {
        1000 / self.fps()
    }

    fn run_frame(&mut self, msec: i32) {
        let pings: Vec<(usize, i32)> = self
            .clients()
            .map(|(client, slot)| (client, slot.measured_ping()))
            .collect();
        for (client, ping) in pings {
            if let Some(slot) = &mut self.slots[client] {
                slot.ping = ping;
            }
        }
        self.now = self.now.wrapping_add(msec);
        let Some(level) = &mut self.level else { return };
        level.time = level.time.wrapping_add(msec);
        let time = level.time;
        let effects = level.game.frame(time, &self.cvars);
        self.apply(effects);
    }

    /// The slots that are in use, with their numbers.
    pub(crate) fn clients(&self) -> impl Iterator<Item = (usize, &Slot)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(client, slot)| Some((client, slot.as_ref()?)))
    }

    /// Carries out what the game wants.
    pub(crate) fn apply(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Command { client: None, text } => self.send_command_to_all(&text),
                Effect::Command {
                    client: Some(client),
                    text,
                } => self.send_command(client, &text),
                Effect::Configstring { index, text } => self.set_configstring(index, &text),
                Effect::Print(text) => self.output.printed.push(text),
                Effect::Drop { client, reason } => self.drop_client(client, &reason),
            }
        }
    }

    /// Adds a reliable command for everybody who has a gamestate.
    pub(crate) fn send_command_to_all(&mut self, text: &str) {
        for client in 0..self.slots.len() {
            self.send_command(client, text);
        }
    }

    /// Stores a configstring and tells those who are in the game.
    pub(crate) fn set_configstring(&mut self, index: usize, text: &str) {
        let Some(level) = &mut self.level else { return };
        match level.gamestate.configstrings.set(index, text) {
            Ok(true) => {}
            Ok(false) => return,
            Err(refusal) => {
                self.output.printed.push(refusal.to_string());
                return;
            }
        }
        for client in 0..self.slots.len() {
            match &mut self.slots[client] {
                Some(slot) if slot.state == SlotState::Active => {
                    self.send_configstring(client, index);
                }
                Some(slot) if slot.state == SlotState::Primed => {
                    slot.changed_configstrings.insert(index);
                }
                _ => {}
            }
        }
    }

    /// Sends a configstring as it is now, in pieces if it is long.
    pub(crate) fn send_configstring(&mut self, client: usize, index: usize) {
        /// Characters of one piece.
        const PIECE: usize = 999;
        let Some(level) = &self.level else { return };
        let text = level.gamestate.configstrings.get(index).to_owned();
        if text.len() <= PIECE {
            return self.send_command(client, &format!("cs {index} \"{text}\"\n"));
        }
        let characters: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = characters
            .chunks(PIECE)
            .map(|piece| piece.iter().collect())
            .collect();
        for (at, piece) in pieces.iter().enumerate() {
            let word = match at {
                0 => "bcs0",
                _ if at + 1 == pieces.len() => "bcs2",
                _ => "bcs1",
            };
            self.send_command(client, &format!("{word} {index} \"{piece}\"\n"));
        }
    }

    /// Ends a client's stay; the place stays taken for a moment.
    pub(crate) fn drop_client(&mut self, client: usize, reason: &str) {
        let Some(Some(slot)) = self.slots.get(client) else {
            return;
        };
        if slot.state == SlotState::Zombie {
            return;
        }
        let (name, peer) = (slot.name().to_owned(), slot.peer);
        self.challenges.forget(peer);
        self.send_command_to_all(&format!("print \"{name}^7 {reason}\n\""));
        if let Some(level) = &mut self.level {
            let effects = level.game.disconnect(client);
            self.apply(effects);
        }
        self.send_command(client, &format!("disconnect \"{reason}\""));
        if let Some(slot) = &mut self.slots[client] {
            slot.state = SlotState::Zombie;
            slot.last_packet_at = self.now;
        }
        self.output.printed.push(format!("{name}^7 {reason}"));
    }

    /// Frees the places of who left, and drops who said nothing for too long.
    fn drop_silent(&mut self) {
        let zombie_msec = self.cvars.integer("sv_zombietime").saturating_mul(1000);
        let silence_msec = self.cvars.integer("sv_timeout").saturating_mul(1000);
        let mut dropped = Vec::new();
        for (client, place) in self.slots.iter_mut().enumerate() {
            let Some(slot) = place else { continue };
            let silent_msec = self.now.wrapping_sub(slot.last_packet_at);
            if slot.state == SlotState::Zombie {
                if silent_msec > zombie_msec {
                    *place = None;
                }
            } else if silent_msec > silence_msec && slot.peer != Peer::Local {
                slot.silent_frames += 1;
                if slot.silent_frames > SILENT_FRAMES {
                    dropped.push(client);
                }
            } else {
                slot.silent_frames = 0;
            }
        }
        for client in dropped {
            self.drop_client(client, "timed out");
            self.slots[client] = None;
        }
    }

    /// Tells clients of settings that were changed.
    fn follow_cvars(&mut self) {
        for told in self.cvars.take_changes() {
            match told {
                Told::Server => {
                    let text = self.cvars.serverinfo();
                    self.set_configstring(index::SERVERINFO, &text);
                }
                Told::System => {
                    let text = self.cvars.systeminfo();
                    self.set_configstring(index::SYSTEMINFO, &text);
                }
                Told::Nobody => {}
            }
        }
    }

    /// Runs a line of the server's console.
    pub(crate) fn run_command(&mut self, line: &str) {
        let tokens = Tokens::new(line);
        match tokens.get(0).to_ascii_lowercase().as_str() {
            "" => {}
            "map" | "devmap" => {
                let name = tokens.get(1).to_owned();
                let has_cheats = tokens.get(0).eq_ignore_ascii_case("devmap");
                self.cvars
                    .set("sv_cheats", if has_cheats { "1" } else { "0" });
                self.awaited_map = Some(name.clone());
                self.output.requests.push(Request::ReadMap { name });
            }
            "set" | "seta" | "sets" => self.set_cvar(tokens.get(1), tokens.get(2)),
            "status" => self.print_status(),
            "kick" | "clientkick" => self.kick(tokens.get(1)),
            "say" => {
                let text = tokens.rest(1).replace('"', "'");
                self.send_command_to_all(&format!("chat \"console: {text}\n\""));
            }
            "quit" => {
                self.stop("Server quit");
                self.output.requests.push(Request::Quit);
            }
            name if tokens.len() > 1 => self.set_cvar(name, tokens.get(1)),
            name => {
                let text = match self.cvars.get(name) {
                    "" => format!("{name} is no command or setting"),
                    value => format!("{name} is \"{value}\""),
                };
                self.output.printed.push(text);
            }
        }
    }

    fn set_cvar(&mut self, name: &str, value: &str) {
        if !self.cvars.set(name, value) {
            let text = format!("{name} is no setting of the server");
            self.output.printed.push(text);
        }
    }

    fn print_status(&mut self) {
        let header = format!("map: {}", self.cvars.get("mapname"));
        let rows = self.clients().map(|(client, slot)| {
            format!(
                "{client:>2} {:>4} {:<9} {:<15} {}",
                slot.ping,
                format!("{:?}", slot.state),
                slot.name(),
                slot.peer.text()
            )
        });
        let lines: Vec<String> = std::iter::once(header).chain(rows).collect();
        self.output.printed.extend(lines);
    }

    fn kick(&mut self, who: &str) {
        let by_number = who
            .parse()
            .ok()
            .filter(|client| self.slot_state(*client) > SlotState::Zombie);
        let by_name = || {
            let mut clients = self.clients();
            clients
                .find(|(_, slot)| slot.name().eq_ignore_ascii_case(who))
                .map(|(client, _)| client)
        };
        match by_number.or_else(by_name) {
            Some(client) => self.drop_client(client, "was kicked"),
            None => self
                .output
                .printed
                .push(format!("Player {who} is not on the server")),
        }
    }

    /// Says goodbye to everybody.
    fn stop(&mut self, reason: &str) {
        for client in 0..self.slots.len() {
            self.send_command(client, &format!("print \"{reason}\n\""));
            self.send_command(client, &format!("disconnect \"{reason}\""));
            for _ in 0..2 {
                self.send_snapshot(client);
            }
        }
        self.level = None;
        self.slots.clear();
    }

    fn map_read(&mut self, name: &str, result: Result<Arc<Bsp>, String>) {
        if self.awaited_map.as_deref() != Some(name) {
            return;
        }
        self.awaited_map = None;
        let started = result.and_then(|bsp| {
            let map = ClipMap::new(&bsp).map_err(|error| error.to_string())?;
            self.start_level(name, map, &bsp)
        });
        if let Err(error) = started {
            self.output
                .printed
                .push(format!("The map {name} cannot be played: {error}"));
        }
    }

    /// Begins a level; who is connected goes over to it.
    fn start_level(&mut self, name: &str, map: ClipMap, bsp: &Bsp) -> Result<(), String> {
        let seed = self.rng.next_u64();
        let mut game = Game::new(map, bsp, seed, &self.cvars).map_err(|error| error.to_string())?;
        let count = usize::try_from(self.cvars.integer("sv_maxclients")).unwrap_or(0);
        let count = count.clamp(1, shared::types::limits::MAX_CLIENTS);
        for client in count..self.slots.len() {
            self.drop_client(client, "the server has fewer places now");
        }
        self.slots.resize_with(count, || None);
        let before = self.level.take();
        let server_id = before.as_ref().map_or(0, |level| level.server_id) + 1;
        let server_id = server_id.max(self.now);
        self.cvars.set("mapname", name);
        self.cvars.set("sv_serverid", &server_id.to_string());
        let mut effects = Vec::new();
        let mut time = 0;
        for _ in 0..SETTLING_FRAMES {
            effects.extend(game.frame(time, &self.cvars));
            time += SETTLING_MSEC;
            self.now = self.now.wrapping_add(SETTLING_MSEC);
        }
        let gamestate = Gamestate {
            baselines: game.baselines(),
            checksum_feed: self.rng.next_u64() as i32,
            ..Gamestate::default()
        };
        self.level = Some(Level {
            game,
            gamestate,
            server_id,
            restarted_server_id: server_id,
            time,
            snapshot_flag: before.as_ref().map_or(0, |level| level.snapshot_flag ^ 4),
        });
        let old_time = before.map_or(0, |level| level.time);
        self.apply(effects);
        self.reconnect_clients(old_time);
        self.run_frame(SETTLING_MSEC);
        self.cvars.take_changes();
        let (serverinfo, systeminfo) = (self.cvars.serverinfo(), self.cvars.systeminfo());
        self.set_configstring(index::SERVERINFO, &serverinfo);
        self.set_configstring(index::SYSTEMINFO, &systeminfo);
        self.output
            .printed
            .push(format!("The map {name} is played"));
        Ok(())
    }

    /// Lets those of the level before into the new one.
    fn reconnect_clients(&mut self, old_time: i32) {
        for client in 0..self.slots.len() {
            let Some(slot) = &mut self.slots[client] else {
                continue;
            };
            if slot.state < SlotState::Connected {
                continue;
            }
            slot.state = SlotState::Connected;
            slot.delta_base = None;
            slot.old_server_time = old_time.wrapping_add(slot.old_server_time);
            let userinfo = slot.userinfo.clone();
            let Some(level) = &mut self.level else { return };
            match level.game.connect(client, &userinfo, false, &self.cvars) {
                Ok(effects) => self.apply(effects),
                Err(reason) => self.drop_client(client, &reason),
            }
        }
    }

    /// Sends a packet outside of connections.
    pub(crate) fn answer(&mut self, to: Peer, packet: &ServerPacket) {
        self.output.datagrams.push((to, packet.write()));
    }
}
