//! Players: from the spawn point through each usercmd to the end of a frame.

use super::{Game, spawn::SpawnPoint, triggers::delta_angles};
use crate::cvars::Cvars;
use glam::Vec3;
use shared::{
    base::{info::Info, text::number, time::ServerTime},
    bg::{
        numbers::{entity_flags, persistant, pm_flags, pm_type, team, weapon},
        numeric::Numeric,
        player_entity::{Path, player_to_entity},
        pmove::{self, Contact, pmove, weapon::weapon_state},
        ruleset,
    },
    types::{limits::ENTITYNUM_NONE, playerstate::PlayerState, trace::contents, usercmd::Usercmd},
};

/// The box of a player that stands.
const MINS: Vec3 = Vec3::new(-15.0, -15.0, -24.0);
const MAXS: Vec3 = Vec3::new(15.0, 15.0, 32.0);
/// So far above its point a player spawns.
const SPAWN_HEIGHT: f32 = 9.0;
/// A usercmd is at most so far ahead of the level's time, and so far behind it, in milliseconds.
const MAX_AHEAD_MSEC: i32 = 200;
const MAX_BEHIND_MSEC: i32 = 1000;
/// Who sends nothing for so long is marked, in milliseconds.
const SILENT_MSEC: i32 = 1000;
/// Longest visible name.
const MAX_NAME: usize = 35;

/// A client as the game knows it.
#[derive(Debug)]
pub(super) struct Player {
    pub name: String,
    pub handicap: i32,
    pub is_in_game: bool,
    pub state: PlayerState,
    pub contact: Contact,
    pub last_usercmd: Usercmd,
    /// When the last usercmd came, in server time.
    pub last_command_at: i32,
    /// Events that others have been shown.
    events_shown: i32,
}

impl Player {
    pub fn new(client: usize) -> Self {
        Self {
            name: String::new(),
            handicap: 100,
            is_in_game: false,
            state: PlayerState {
                client_num: client as i32,
                ..PlayerState::default()
            },
            contact: Contact::default(),
            last_usercmd: Usercmd::default(),
            last_command_at: 0,
            events_shown: 0,
        }
    }

    pub fn set_userinfo(&mut self, userinfo: &Info) {
        self.name = clean_name(userinfo.get("name"));
        self.handicap = match number(userinfo.get("handicap")) {
            handicap @ 1..=100 => handicap,
            _ => 100,
        };
    }

    /// Turns the view whatever the usercmds say.
    pub fn turn_to(&mut self, angles: Vec3) {
        self.state.delta_angles = delta_angles(angles, self.last_usercmd.angles);
        self.state.view_angles = angles;
    }
}

impl Game {
    /// Puts a player at a spawn point with what one begins with.
    pub(super) fn spawn_player(&mut self, client: usize, cvars: &Cvars) {
        let Some(point) = self.choose_spawn_point(client) else {
            return;
        };
        let time = self.time;
        let Some(player) = &mut self.players[client] else {
            return;
        };
        let before = std::mem::take(&mut player.state);
        let kept = entity_flags::VOTED | entity_flags::TEAM_VOTED | entity_flags::TELEPORT_BIT;
        let mut persistants = before.persistant;
        persistants[persistant::SPAWN_COUNT] += 1;
        persistants[persistant::TEAM] = team::FREE;
        let layout = ruleset::IOQUAKE3.stats;
        let state = &mut player.state;
        *state = PlayerState {
            client_num: client as i32,
            e_flags: (before.e_flags & kept) ^ entity_flags::TELEPORT_BIT,
            event_sequence: before.event_sequence,
            persistant: persistants,
            origin: point.origin + Vec3::Z * SPAWN_HEIGHT,
            ground_entity_num: ENTITYNUM_NONE,
            pm_flags: pm_flags::RESPAWNED | pm_flags::TIME_KNOCKBACK,
            pm_time: 100,
            gravity: cvars.integer("g_gravity"),
            speed: cvars.integer("g_speed"),
            weapon: weapon::MACHINEGUN,
            weapon_state: weapon_state::READY,
            view_height: 26,
            command_time: time - 100,
            ..PlayerState::default()
        };
        state.stats[layout.max_health] = player.handicap;
        state.stats[layout.health] = player.handicap + 25;
        state.stats[layout.weapons] = 1 << weapon::GAUNTLET | 1 << weapon::MACHINEGUN;
        state.ammo[weapon::MACHINEGUN as usize] = 100;
        state.ammo[weapon::GAUNTLET as usize] = -1;
        player.turn_to(point.angles);
        let entity = &mut self.world.entities[client];
        entity.is_in_use = true;
        (entity.mins, entity.maxs) = (MINS, MAXS);
        entity.contents = contents::BODY;
        let usercmd = player.last_usercmd;
        self.think_player(client, usercmd, cvars);
        self.update_player_entity(client);
    }

    /// One of those spawn points that are free and in the further half from where the player was.
    fn choose_spawn_point(&mut self, client: usize) -> Option<SpawnPoint> {
        let avoided = self.players[client].as_ref()?.state.origin;
        let is_free = |point: &&SpawnPoint| {
            let found = self
                .world
                .entities_in_box(point.origin + MINS, point.origin + MAXS);
            !found
                .into_iter()
                .any(|at| at < self.players.len() && at != client)
        };
        let mut free: Vec<SpawnPoint> = self
            .places
            .spawn_points
            .iter()
            .filter(is_free)
            .copied()
            .collect();
        let is_first = self
            .players
            .iter()
            .flatten()
            .filter(|one| one.is_in_game)
            .count()
            <= 1;
        if is_first && let Some(initial) = free.iter().find(|point| point.is_initial) {
            return Some(*initial);
        }
        free.sort_by(|a, b| {
            let distance = |point: &SpawnPoint| point.origin.distance(avoided);
            distance(b).total_cmp(&distance(a))
        });
        let chosen = free.get(self.rng.below((free.len() / 2).max(1))).copied();
        chosen.or_else(|| self.places.spawn_points.first().copied())
    }

    /// Executes a usercmd.
    pub(super) fn think_player(&mut self, client: usize, mut usercmd: Usercmd, cvars: &Cvars) {
        let time = self.time;
        let Some(player) = self.players[client]
            .as_mut()
            .filter(|player| player.is_in_game)
        else {
            return;
        };
        player.last_usercmd = usercmd;
        player.last_command_at = time;
        usercmd.server_time = ServerTime(
            (usercmd.server_time.0).clamp(time - MAX_BEHIND_MSEC, time + MAX_AHEAD_MSEC),
        );
        let fixed_msec = cvars
            .is_on("pmove_fixed")
            .then(|| cvars.integer("pmove_msec").clamp(8, 33));
        if let Some(msec) = fixed_msec {
            usercmd.server_time = pmove::round_up_time(usercmd.server_time, msec);
        }
        if usercmd.server_time.0 - player.state.command_time < 1 {
            return;
        }
        let state = &mut player.state;
        let is_dead = state.stats[ruleset::IOQUAKE3.stats.health] <= 0;
        state.pm_type = if is_dead {
            pm_type::DEAD
        } else {
            pm_type::NORMAL
        };
        state.gravity = cvars.integer("g_gravity");
        state.speed = cvars.integer("g_speed");
        let settings = pmove::Settings {
            rules: &ruleset::IOQUAKE3,
            numeric: Numeric::default(),
            trace_mask: pmove::trace_mask(state.pm_type, state.persistant[persistant::TEAM]),
            no_footsteps: cvars.integer("dmflags") & ruleset::dmflags::NO_FOOTSTEPS != 0,
            gauntlet_hit: false,
            fixed_msec,
            float_velocity: false,
            dmflags: 0,
        };
        pmove(&self.world, state, usercmd, &settings, &mut player.contact);
        self.update_player_entity(client);
        self.touch_triggers(client);
    }

    /// Tells the world where a player is and others how he looks.
    pub(super) fn update_player_entity(&mut self, client: usize) {
        let Some(player) = &mut self.players[client] else {
            return;
        };
        let entity = &mut self.world.entities[client];
        player_to_entity(
            &player.state,
            &mut entity.state,
            &mut player.events_shown,
            Path::Interpolated,
            true,
        );
        entity.origin = entity.state.pos.base;
        if player.contact.maxs != player.contact.mins {
            (entity.mins, entity.maxs) = (player.contact.mins, player.contact.maxs);
        }
        self.world.link(client);
        if let Some(player) = &self.players[client] {
            // The next trace starts where he is, not where others see him.
            self.world.entities[client].origin = player.state.origin;
        }
    }

    /// What is due for a player at the end of each frame.
    pub(super) fn end_player_frame(&mut self, client: usize) {
        let time = self.time;
        let Some(player) = self.players[client]
            .as_mut()
            .filter(|player| player.is_in_game)
        else {
            return;
        };
        for until in &mut player.state.powerups {
            if *until < time {
                *until = 0;
            }
        }
        let is_silent = time - player.last_command_at > SILENT_MSEC;
        if is_silent {
            player.state.e_flags |= entity_flags::CONNECTION;
        } else {
            player.state.e_flags &= !entity_flags::CONNECTION;
        }
        self.update_player_entity(client);
    }
}

/// A name as others see it: no blanks in front, not black, not too long, and never empty.
fn clean_name(name: &str) -> String {
    let name = name.trim_start().replace("^0", "");
    let name: String = name
        .chars()
        .filter(|c| !c.is_control() && !matches!(c, '\\' | '"' | ';'))
        .take(MAX_NAME)
        .collect();
    let mut visible = name.chars().peekable();
    let mut has_visible = false;
    while let Some(c) = visible.next() {
        if c == '^' && visible.peek().is_some_and(|next| *next != '^') {
            visible.next();
        } else {
            has_visible |= !c.is_whitespace();
        }
    }
    if has_visible {
        name
    } else {
        "UnnamedPlayer".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::clean_name;

    #[test]
    fn names_can_be_read() {
        for (name, clean) in [
            ("  Sarge", "Sarge"),
            ("^0Dark", "Dark"),
            ("", "UnnamedPlayer"),
            ("^1^2", "UnnamedPlayer"),
            ("a\"b;c\\d\n", "abcd"),
            ("^1Red", "^1Red"),
        ] {
            assert_eq!(clean_name(name), clean, "{name:?}");
        }
        assert_eq!(clean_name(&"x".repeat(99)).len(), 35);
    }
}
