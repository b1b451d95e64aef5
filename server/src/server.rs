//! Server: slots of clients, one level, and the order of a frame.

use crate::{
    bans::Bans,
    bots::Bots,
    connect::Challenges,
    console::WaitingLines,
    cvars::{Cvars, Published},
    game::{Effect, Game},
    io::{Event, Output, Peer},
    pure::{LevelPaks, Pak},
    slot::{Slot, SlotState},
};
use shared::{
    base::rng::Rng,
    formats::bsp::Bsp,
    net::oob::ServerPacket,
    types::{configstring::index, gamestate::Gamestate},
};
use std::sync::Arc;

/// More time than this between two frames is lost.
const MAX_FRAME_MSEC: i32 = 5000;
/// A client that says nothing is dropped after so many frames beyond its time.
const SILENT_FRAMES: u32 = 5;

/// A whole server.
#[derive(Clone, Debug, Default)]
pub struct Server {
    pub cvars: Cvars,
    pub(crate) rng: Rng,
    /// Milliseconds since the start, by whole frames of the game.
    pub(crate) now: i32,
    /// Time that has passed and made no frame yet.
    pub(crate) residual_msec: i32,
    pub(crate) slots: Vec<Option<Slot>>,
    pub(crate) challenges: Challenges,
    pub(crate) bans: Bans,
    pub(crate) bots: Bots,
    pub(crate) level: Option<Level>,
    /// What the next level is played with.
    pub(crate) paks: Vec<Pak>,
    /// Bytes of downloads that may be sent by now.
    pub(crate) download_bytes: i64,
    /// The map that is being read.
    pub(crate) awaited_map: Option<String>,
    /// What the game wants the console to run.
    pub(crate) waiting_lines: Vec<String>,
    /// What has to wait for the file that `exec` reads.
    pub(crate) held: Option<WaitingLines>,
    /// The next restart is the one that ends a warm-up.
    pub(crate) is_after_warmup: bool,
    pub(crate) output: Output,
}

/// What lasts as long as a map.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub game: Game,
    pub bsp: Arc<Bsp>,
    pub paks: LevelPaks,
    /// When a restart that was announced is due.
    pub restart_at: Option<i32>,
    /// The game type and number of places that it began with.
    pub begun_with: [i32; 2],
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
            rng: Rng::new(seed),
            ..Self::default()
        }
    }

    /// Milliseconds of the level that is played.
    pub fn level_time(&self) -> Option<i32> {
        self.level.as_ref().map(|level| level.time)
    }

    /// The same to the millisecond: how far the time is since the last frame of the game too.
    pub fn exact_level_time(&self) -> Option<i32> {
        Some(self.level_time()?.wrapping_add(self.residual_msec))
    }

    /// The level that is played.
    pub fn game(&self) -> Option<&Game> {
        self.level.as_ref().map(|level| &level.game)
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
                Event::ConfigRead { name, result } => self.config_read(&name, result),
                Event::PaksFound(paks) => self.paks = paks,
                Event::PakRead {
                    path,
                    start,
                    result,
                } => self.pak_read(&path, start, &result),
            }
        }
        self.keep_bans();
        self.follow_cvars();
        let frame_msec = self.frame_msec();
        self.residual_msec += msec.clamp(0, MAX_FRAME_MSEC);
        while self.residual_msec >= frame_msec {
            self.residual_msec -= frame_msec;
            self.restart_if_due();
            self.run_frame(frame_msec);
            self.run_waiting_lines();
        }
        self.drop_silent();
        self.send_downloads(msec);
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

    pub(crate) fn run_frame(&mut self, msec: i32) {
        let pings: Vec<(usize, i32)> = self
            .clients()
            .map(|(client, slot)| (client, slot.measured_ping()))
            .collect();
        for (client, ping) in pings {
            if let Some(slot) = &mut self.slots[client] {
                slot.ping = ping;
            }
            if let Some(level) = &mut self.level {
                level.game.set_ping(client, ping);
            }
        }
        self.now = self.now.wrapping_add(msec);
        self.fill_with_bots();
        let Some(level) = &mut self.level else { return };
        level.time = level.time.wrapping_add(msec);
        let time = level.time;
        for (client, usercmd) in self.bots.think(&level.game, time, msec) {
            if let Some(slot) = &mut self.slots[client] {
                slot.last_usercmd = usercmd;
            }
            // It waits for the frame, so there are no effects yet.
            level.game.think(client, usercmd, &self.cvars);
        }
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
                Effect::Print(text) => self.print(text),
                Effect::Drop { client, reason } => self.drop_client(client, &reason),
                Effect::Console(line) => self.waiting_lines.push(line),
                Effect::Setting { name, value } => {
                    self.cvars.set(name, &value);
                }
                Effect::RestartAfterWarmup => {
                    self.waiting_lines.push("map_restart 0".to_owned());
                    self.is_after_warmup = true;
                }
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
            Err(refusal) => return self.print(refusal.to_string()),
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
        if peer == Peer::Bot {
            self.slots[client] = None;
            self.bots.remove(client);
        } else if let Some(slot) = &mut self.slots[client] {
            slot.state = SlotState::Zombie;
            slot.download = None;
            slot.last_packet_at = self.now;
        }
        self.print(format!("{name}^7 {reason}"));
    }

    /// Frees the places of players who left, and drops those who said nothing for too long.
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
            } else if silent_msec > silence_msec && matches!(slot.peer, Peer::Net(_)) {
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
    pub(crate) fn follow_cvars(&mut self) {
        for told in self.cvars.take_changes() {
            match told {
                Published::Serverinfo => {
                    let text = self.cvars.serverinfo();
                    self.set_configstring(index::SERVERINFO, &text);
                }
                Published::Systeminfo => {
                    let text = self.systeminfo();
                    self.set_configstring(index::SYSTEMINFO, &text);
                }
                Published::No => {}
            }
        }
    }

    /// Says goodbye to everybody.
    pub(crate) fn stop(&mut self, reason: &str) {
        for client in 0..self.slots.len() {
            self.send_command(client, &format!("print \"{reason}\n\""));
            self.send_command(client, &format!("disconnect \"{reason}\""));
            for _ in 0..2 {
                self.send_snapshot(client, &mut None);
            }
        }
        self.level = None;
        self.slots.clear();
        self.bots.clear();
    }

    /// Writes a line on the console.
    pub(crate) fn print(&mut self, line: impl Into<String>) {
        self.output.printed.push(line.into());
    }

    pub(crate) fn score_of(&self, client: usize) -> i32 {
        self.game().map_or(0, |game| game.score(client))
    }

    /// Sends a packet outside of connections.
    pub(crate) fn answer(&mut self, to: Peer, packet: &ServerPacket) {
        self.output.datagrams.push((to, packet.write()));
    }
}
