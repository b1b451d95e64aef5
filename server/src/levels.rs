//! Levels: how one begins, and how it begins anew.

use crate::{
    game::{Game, Start},
    io::Peer,
    server::{Level, Server},
    slot::SlotState,
};
use shared::{
    cm::{ClipMap, Rounding},
    formats::bsp::Bsp,
    types::{configstring::index, gamestate::Gamestate},
};
use std::sync::Arc;

/// Levels begin after so many frames in which things find their places.
const SETTLING_FRAMES: i32 = 3;
/// Their length in milliseconds.
const SETTLING_MSEC: i32 = 100;
/// A restart is announced so many seconds before.
const RESTART_SEC: i32 = 5;

impl Server {
    pub(crate) fn map_read(&mut self, name: &str, result: Result<Arc<Bsp>, String>) {
        if self.awaited_map.as_deref() != Some(name) {
            return;
        }
        self.awaited_map = None;
        let started = result.and_then(|bsp| {
            // As the clients that most people have: who predicts with them agrees to the last bit.
            let map =
                ClipMap::with_rounding(&bsp, Rounding::Fast).map_err(|error| error.to_string())?;
            self.start_level(name, map, bsp)
        });
        if let Err(error) = started {
            self.print(format!("The map {name} cannot be played: {error}"));
        }
    }

    /// Begins a level; who is connected goes over to it.
    fn start_level(&mut self, name: &str, map: ClipMap, bsp: Arc<Bsp>) -> Result<(), String> {
        let start = Start {
            seed: self.rng.next_u64(),
            sessions: self.game().map(Game::sessions).unwrap_or_default(),
            ..Start::default()
        };
        let mut game =
            Game::new(map, &bsp, start, &self.cvars).map_err(|error| error.to_string())?;
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
        let checksum_feed = self.rng.next_u64() as i32;
        let paks = self.level_paks(checksum_feed);
        let gamestate = Gamestate {
            baselines: game.baselines(),
            checksum_feed,
            ..Gamestate::default()
        };
        self.bots.forget_level();
        self.level = Some(Level {
            game,
            bsp,
            paks,
            restart_at: None,
            begun_with: self.begun_with(),
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
        let (serverinfo, systeminfo) = (self.cvars.serverinfo(), self.systeminfo());
        self.set_configstring(index::SERVERINFO, &serverinfo);
        self.set_configstring(index::SYSTEMINFO, &systeminfo);
        self.print(format!("The map {name} is played"));
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
            let (userinfo, is_bot) = (slot.userinfo.clone(), slot.peer == Peer::Bot);
            let Some(level) = &mut self.level else { return };
            match level.game.connect(client, &userinfo, false, &self.cvars) {
                Ok(effects) => self.apply(effects),
                Err(reason) => self.drop_client(client, &reason),
            }
            if is_bot {
                self.begin_bot(client);
            }
        }
    }

    /// What a restart cannot change.
    fn begun_with(&self) -> [i32; 2] {
        ["g_gametype", "sv_maxclients"].map(|name| self.cvars.integer(name))
    }

    /// The command `map_restart`: at once, or announced before.
    pub(crate) fn map_restart(&mut self, seconds: &str) {
        let is_after_warmup = std::mem::take(&mut self.is_after_warmup);
        let begun_with = self.begun_with();
        let Some(level) = &mut self.level else {
            return self.print("No map is running that could be restarted");
        };
        let seconds = match seconds {
            "" => RESTART_SEC,
            seconds => shared::base::text::number(seconds).clamp(0, 3600),
        };
        if seconds > 0 && !self.cvars.is_on("g_doWarmup") {
            if level.restart_at.is_none() {
                let at = level.time.wrapping_add(seconds * 1000);
                level.restart_at = Some(at);
                let effects = level.game.announce_restart(at);
                self.apply(effects);
            }
            return;
        }
        if level.begun_with != begun_with {
            let line = format!("map {}", self.cvars.get("mapname"));
            return self.run_command(&line);
        }
        self.restart_level(is_after_warmup);
    }

    pub(crate) fn restart_if_due(&mut self) {
        if let Some(level) = &self.level
            && level.restart_at.is_some_and(|at| level.time >= at)
        {
            self.map_restart("0");
        }
    }

    /// Begins the level anew; clients stay in it and load nothing.
    fn restart_level(&mut self, is_after_warmup: bool) {
        let Some(mut level) = self.level.take() else {
            return;
        };
        let start = Start {
            seed: self.rng.next_u64(),
            time: level.time,
            is_after_warmup,
            sessions: level.game.sessions(),
        };
        let game = Game::new(level.game.into_map(), &level.bsp, start, &self.cvars);
        let Ok(game) = game else {
            // The text was read before.
            return self.stop("The map cannot be restarted");
        };
        level.game = game;
        self.bots.forget_round();
        level.restart_at = None;
        level.snapshot_flag ^= 4;
        level.server_id = (level.server_id + 1).max(self.now);
        self.cvars.set("sv_serverid", &level.server_id.to_string());
        let old_time = level.time;
        let mut effects = Vec::new();
        for _ in 0..SETTLING_FRAMES {
            effects.extend(level.game.frame(level.time, &self.cvars));
            level.time = level.time.wrapping_add(SETTLING_MSEC);
            self.now = self.now.wrapping_add(SETTLING_MSEC);
        }
        self.level = Some(level);
        self.apply(effects);
        for client in 0..self.slots.len() {
            self.restart_client(client, old_time);
        }
        self.run_frame(SETTLING_MSEC);
        self.follow_cvars();
    }

    fn restart_client(&mut self, client: usize, old_time: i32) {
        let Some(slot) = &mut self.slots[client] else {
            return;
        };
        if slot.state < SlotState::Connected {
            return;
        }
        if slot.state == SlotState::Primed {
            slot.old_server_time = old_time;
        }
        let (state, userinfo) = (slot.state, slot.userinfo.clone());
        let usercmd = slot.last_usercmd;
        slot.delta_base = None;
        self.send_command(client, "map_restart\n");
        let Some(level) = &mut self.level else { return };
        match level.game.connect(client, &userinfo, false, &self.cvars) {
            Ok(effects) => self.apply(effects),
            Err(reason) => return self.drop_client(client, &reason),
        }
        if state == SlotState::Active
            && let Some(level) = &mut self.level
        {
            let effects = level.game.begin(client, Some(usercmd), &self.cvars);
            self.apply(effects);
        }
    }
}
