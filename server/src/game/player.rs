//! Player: a client as the game knows it, and how one comes into the level.

use super::{
    Game, STATS,
    combat::{self, Hit, means_of_death},
    session::{ClientSession, SpectatorState},
    spawn_points::SpawnPoint,
};
use crate::entity::sv_flags;
use glam::Vec3;
use shared::{
    base::{info::Info, text::number},
    bg::{
        numbers::{configstring as cs, entity_flags, event, persistant, pm_flags, team, weapon},
        numeric::angle_to_short,
        player_entity::{Path, player_to_entity},
        pmove::{Contact, animation::anim, weapon::weapon_state},
    },
    types::{limits::ENTITYNUM_NONE, playerstate::PlayerState, trace::contents, usercmd::Usercmd},
};

/// The box of a player that stands.
pub(super) const MINS: Vec3 = Vec3::new(-15.0, -15.0, -24.0);
pub(super) const MAXS: Vec3 = Vec3::new(15.0, 15.0, 32.0);
/// So far above its point a player spawns.
const SPAWN_HEIGHT: f32 = 9.0;
/// One can hold one's breath for so long.
pub(super) const AIR_MSEC: i32 = 12_000;
/// Damage of the first second without air.
pub(super) const FIRST_DROWNING_DAMAGE: i32 = 2;
/// Longest visible name.
const MAX_NAME: usize = 35;
/// Blanks in a row that a name may have.
const MAX_BLANKS: usize = 3;

/// A client as the game knows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Player {
    /// Somebody has this slot; what a free one holds counts for nobody.
    pub is_connected: bool,
    pub name: String,
    pub userinfo: Info,
    pub handicap: i32,
    pub is_local: bool,
    pub is_bot: bool,
    pub predicts_items: bool,
    pub has_team_overlay: bool,
    /// Has begun; before, he is only connected.
    pub is_in_game: bool,
    pub session: ClientSession,
    pub state: PlayerState,
    pub contact: Contact,
    pub last_usercmd: Usercmd,
    /// When the last usercmd came, in server time.
    pub last_command_at: i32,
    /// Events that others have been shown.
    pub events_shown: i32,
    pub entered_at: i32,
    pub ping: i32,
    pub vote_count: i32,
    pub team_vote_count: i32,
    pub team_changed_at: i32,
    pub accuracy_shots: i32,
    pub accuracy_hits: i32,
    pub is_ready_to_exit: bool,
    pub had_first_spawn: bool,
    /// In a team: for the spawn points of those who just joined.
    pub has_spawned_in_team: bool,
    pub location: i32,
    pub flag_times: FlagTimes,
    pub life: Life,
}

/// When a player did what capture the flag rewards.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlagTimes {
    pub returned_flag_at: Option<i32>,
    pub fragged_carrier_at: Option<i32>,
    pub hurt_carrier_at: Option<i32>,
}

/// What lasts from one spawn to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Life {
    pub is_god: bool,
    pub is_noclip: bool,
    pub is_no_target: bool,
    pub has_no_knockback: bool,
    pub air_until: i32,
    pub drowning_damage: i32,
    /// No sound of pain before.
    pub pain_until: i32,
    /// Since the last feedback.
    pub damage_blood: i32,
    pub damage_armor: i32,
    /// None if the world did it.
    pub damage_from: Option<Vec3>,
    pub residual_msec: i32,
    /// What health has grown or fallen by the player's own time since the last frame's end: pmove, items and the player
    /// hear of it there.
    pub untold_health: i32,
    pub respawn_at: i32,
    pub inactive_at: i32,
    pub was_warned: bool,
    pub reward_until: i32,
    pub last_kill_at: Option<i32>,
    pub rail_hits: i32,
    pub last_hurt_client: Option<usize>,
    pub last_hurt_cause: i32,
    pub hook: Option<usize>,
    pub holds_hook_fire: bool,
    pub buttons: u16,
    pub pressed_buttons: u16,
}

impl Player {
    pub(super) fn new(client: usize, session: ClientSession) -> Self {
        Self {
            is_connected: true,
            handicap: 100,
            session,
            state: PlayerState {
                client_num: client as i32,
                ..PlayerState::default()
            },
            ping: 999,
            ..Self::default()
        }
    }

    pub(super) fn set_userinfo(&mut self, userinfo: &Info) {
        self.userinfo = userinfo.clone();
        self.name = clean_name(userinfo.get("name"));
        self.handicap = match number(userinfo.get("handicap")) {
            handicap @ 1..=100 => handicap,
            _ => 100,
        };
        self.is_local = userinfo.get("ip") == "localhost";
        self.is_bot = userinfo.get("ip") == super::BOT_ADDRESS;
        self.predicts_items = userinfo.number("cg_predictItems") != 0;
        let overlay = userinfo.get("teamoverlay");
        self.has_team_overlay = overlay.is_empty() || number(overlay) != 0;
        self.state.stats[STATS.max_health] = self.handicap;
    }

    /// Turns the view whatever the usercmds say.
    pub(super) fn turn_to(&mut self, angles: Vec3) {
        let usercmd = self.last_usercmd.angles;
        self.state.delta_angles = std::array::from_fn(|axis| {
            i32::from(angle_to_short(angles[axis])) - i32::from(usercmd[axis])
        });
        self.state.view_angles = angles;
    }

    pub(super) fn health(&self) -> i32 {
        self.state.stats[STATS.health] + self.life.untold_health
    }

    pub(super) fn set_health(&mut self, health: i32) {
        self.state.stats[STATS.health] = health;
        self.life.untold_health = 0;
    }

    pub(super) fn team(&self) -> i32 {
        self.session.team
    }

    pub(super) fn is_spectator(&self) -> bool {
        self.session.team == team::SPECTATOR
    }

    pub(super) fn follows(&self, whom: usize) -> bool {
        self.is_spectator() && self.session.spectator_state == SpectatorState::Follow(whom)
    }

    pub(super) fn is_alive(&self) -> bool {
        self.is_in_game && !self.is_spectator() && self.health() > 0
    }

    pub(super) fn has_powerup(&self, which: usize) -> bool {
        self.state.powerups[which] != 0
    }

    /// What others are told of him in his configstring.
    fn info_text(&self, is_team_game: bool) -> String {
        let value = |key: &str, default: &'static str| match self.userinfo.get(key) {
            "" => default.to_owned(),
            value => value.to_owned(),
        };
        let [model, head] = match is_team_game {
            true => ["team_model", "team_headmodel"],
            false => ["model", "headmodel"],
        };
        let skill = match self.is_bot {
            true => format!("\\skill\\{}", self.userinfo.get("skill")),
            false => String::new(),
        };
        format!(
            "n\\{}\\t\\{}\\model\\{}\\hmodel\\{}\\g_redteam\\{}\\g_blueteam\\{}\\c1\\{}\\c2\\{}\\hc\\{}\\w\\{}\\l\\{}\\tt\\{}\\tl\\{}{skill}",
            self.name,
            self.session.team,
            value(model, "sarge"),
            value(head, "sarge"),
            self.userinfo.get("g_redteam"),
            self.userinfo.get("g_blueteam"),
            value("color1", "4"),
            value("color2", "5"),
            self.handicap,
            self.session.wins,
            self.session.losses,
            self.userinfo.number("teamtask"),
            i32::from(self.session.is_leader),
        )
    }
}

impl Game {
    pub(super) fn set_player_info(&mut self, client: usize, userinfo: &Info) {
        let player = &mut self.players[client];
        if player.is_connected {
            player.set_userinfo(userinfo);
            self.tell_player_info(client);
        }
    }

    pub(super) fn tell_player_info(&mut self, client: usize) {
        let is_team_game = self.settings.is_team_game();
        let player = &self.players[client];
        let text = player.info_text(is_team_game);
        self.set_configstring(cs::PLAYERS + client, text);
    }

    /// Puts a player at a spawn point with what one begins with.
    pub(super) fn spawn_player(&mut self, client: usize) {
        let Some(point) = self.spawn_point_for(client) else {
            return;
        };
        let time = self.time;
        let is_team_deathmatch = self.settings.is_team_deathmatch();
        let (gravity, speed) = (self.settings.gravity, self.settings.speed);
        let player = &mut self.players[client];
        player.had_first_spawn = true;
        player.has_spawned_in_team = true;
        let before = std::mem::take(&mut player.state);
        let kept = entity_flags::VOTED | entity_flags::TEAM_VOTED | entity_flags::TELEPORT_BIT;
        let mut persistants = before.persistant;
        persistants[persistant::SPAWN_COUNT] += 1;
        persistants[persistant::TEAM] = player.session.team;
        player.life = Life {
            air_until: time + AIR_MSEC,
            drowning_damage: FIRST_DROWNING_DAMAGE,
            inactive_at: time.saturating_add(self.settings.inactivity_sec.saturating_mul(1000)),
            buttons: player.last_usercmd.buttons,
            ..Life::default()
        };
        player.contact = Contact {
            mins: MINS,
            maxs: MAXS,
            ..Contact::default()
        };
        player.state = PlayerState {
            client_num: client as i32,
            e_flags: (before.e_flags & kept) ^ entity_flags::TELEPORT_BIT,
            event_sequence: before.event_sequence,
            persistant: persistants,
            origin: point.origin + Vec3::Z * SPAWN_HEIGHT,
            ground_entity_num: ENTITYNUM_NONE,
            pm_flags: pm_flags::RESPAWNED | pm_flags::TIME_KNOCKBACK,
            pm_time: 100,
            gravity,
            speed,
            torso_anim: anim::TORSO_STAND,
            legs_anim: anim::LEGS_IDLE,
            command_time: time - 100,
            ..PlayerState::default()
        };
        let state = &mut player.state;
        state.stats[STATS.max_health] = player.handicap;
        state.stats[STATS.health] = player.handicap + 25;
        state.stats[STATS.weapons] = 1 << weapon::GAUNTLET | 1 << weapon::MACHINEGUN;
        state.ammo[weapon::MACHINEGUN as usize] = if is_team_deathmatch { 50 } else { 100 };
        state.ammo[weapon::GAUNTLET as usize] = -1;
        state.ammo[weapon::HOOK as usize] = -1;
        player.turn_to(point.angles);
        let is_spectator = player.is_spectator();
        let enters = !is_spectator && self.intermission_at.is_none();
        self.make_solid(client);
        if self.intermission_at.is_some() {
            self.move_to_intermission(client);
        } else if enters {
            self.enter_level(client, &point);
        }
        self.run_usercmd(client);
        if enters && self.settings.is_openarena {
            self.appear_where_he_is(client);
        }
        if !self.is_following(client) {
            self.end_player_frame(client);
        }
        self.update_player_entity(client);
    }

    /// Gives a fresh player's entity its shape.
    fn make_solid(&mut self, client: usize) {
        let number = client as u16;
        let is_bot = self.is_bot(client);
        let entity = &mut self.world.entities[client];
        *entity = crate::entity::Entity {
            is_in_use: true,
            sv_flags: if is_bot { sv_flags::BOT } else { 0 },
            contents: contents::BODY,
            mins: MINS,
            maxs: MAXS,
            link: entity.link.take(),
            ..crate::entity::Entity::free(number)
        };
        self.world.unlink(client);
        let event_at = self.gentities[client].event_at;
        self.gentities[client] = super::gentity::Gentity {
            takes_damage: true,
            is_kept: true,
            clip_mask: contents::MASK_PLAYERSOLID,
            event_at,
            ..Default::default()
        };
    }

    /// What others notice when someone appears at a spawn point.
    fn enter_level(&mut self, client: usize, point: &SpawnPoint) {
        let player = &mut self.players[client];
        player.state.weapon = weapon::MACHINEGUN;
        player.state.weapon_state = weapon_state::READY;
        self.kill_box(client);
        if let Some(spot) = point.entity {
            self.use_targets(spot, Some(client));
        }
        if !self.settings.is_openarena {
            self.appear_where_he_is(client);
        }
        self.update_player_entity(client);
    }

    /// OpenArena tells of it after the first move, in which the player falls.
    fn appear_where_he_is(&mut self, client: usize) {
        if let Some(origin) = self.player(client).map(|state| state.origin) {
            self.appear(client, event::PLAYER_TELEPORT_IN, origin);
        }
    }

    /// The flash of a player who comes or goes.
    pub(super) fn appear(&mut self, client: usize, number: i32, origin: Vec3) {
        if let Some(entity) = self.temp_entity(origin, number) {
            entity.state.client_num = client as i32;
        }
    }

    /// Kills every player who stands where another arrives.
    pub(super) fn kill_box(&mut self, client: usize) {
        let player = &self.players[client];
        let origin = player.state.origin;
        let entity = &self.world.entities[client];
        let (mins, maxs) = (origin + entity.mins, origin + entity.maxs);
        let found = self.world.entities_in_box(mins, maxs);
        for at in found {
            if at != client && self.is_client(at) {
                let hit = Hit {
                    flags: combat::NO_PROTECTION,
                    ..Hit::by(client, 100_000, means_of_death::TELEFRAG)
                };
                self.damage(at, &hit);
            }
        }
    }

    /// Moves a player abruptly, as teleporters do.
    pub(super) fn teleport_player(&mut self, client: usize, origin: Vec3, angles: Vec3) {
        /// So steep a pitch says that view and speed stay.
        const KEEP_VIEW: f32 = 999_999.0;
        /// How fast one leaves, in units a second.
        const SPEED: f32 = 400.0;
        /// For so many milliseconds after it one cannot steer.
        const MSEC: i32 = 160;
        let axes = self.settings.numeric.profile.axes(angles);
        let player = &mut self.players[client];
        let (is_spectator, from) = (player.is_spectator(), player.state.origin);
        if !is_spectator {
            self.appear(client, event::PLAYER_TELEPORT_OUT, from);
            self.appear(client, event::PLAYER_TELEPORT_IN, origin);
        }
        self.world.unlink(client);
        let player = &mut self.players[client];
        player.state.origin = origin + Vec3::Z;
        if angles.x <= KEEP_VIEW {
            player.state.velocity = axes.forward * SPEED;
            player.state.pm_time = MSEC;
            player.state.pm_flags |= pm_flags::TIME_KNOCKBACK;
            player.turn_to(angles);
        }
        player.state.e_flags ^= entity_flags::TELEPORT_BIT;
        if !is_spectator {
            self.kill_box(client);
        }
        self.reset_history(client);
        self.update_player_state(client);
        self.world.entities[client].origin = self.players[client].state.origin;
        if !is_spectator {
            self.world.link(client);
        }
    }

    /// How others are told of a player's way.
    pub(super) fn path_of(&self, client: usize) -> Path {
        match self.settings.smooths_clients {
            true => Path::ExtrapolatedFrom(self.players[client].state.command_time),
            false => Path::Interpolated,
        }
    }

    /// Tells others how a player looks.
    pub(super) fn update_player_state(&mut self, client: usize) {
        let path = self.path_of(client);
        let player = &mut self.players[client];
        let entity = &mut self.world.entities[client];
        let shown = &mut player.events_shown;
        player_to_entity(&player.state, &mut entity.state, shown, path, true);
        entity.state.number = client as u16;
    }

    /// Tells the world where a player is, and others how he looks.
    pub(super) fn update_player_entity(&mut self, client: usize) {
        self.update_player_state(client);
        let player = &self.players[client];
        if player.is_spectator() || !player.is_in_game {
            return self.world.unlink(client);
        }
        let entity = &mut self.world.entities[client];
        entity.origin = entity.state.pos.base;
        self.world.link(client);
        // The next trace starts where he is, not where others see him.
        self.world.entities[client].origin = player.state.origin;
    }

    /// What is carried is dropped, and the body stays behind.
    pub(super) fn respawn_player(&mut self, client: usize) {
        self.leave_body(client);
        self.spawn_player(client);
    }

    pub(super) fn is_following(&self, client: usize) -> bool {
        let player = &self.players[client];
        player.is_spectator() && matches!(player.session.spectator_state, SpectatorState::Follow(_))
    }
}

/// A name as others see it: no blanks in front and few in a row, not black, not too long, never empty.
fn clean_name(name: &str) -> String {
    let name = name.trim_start().replace("^0", "");
    let mut blanks = 0;
    let is_kept = |c: &char| {
        blanks = if *c == ' ' { blanks + 1 } else { 0 };
        blanks <= MAX_BLANKS && !c.is_control() && !matches!(c, '\\' | '"' | ';')
    };
    let name: String = name.chars().filter(is_kept).take(MAX_NAME).collect();
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
            ("a     b", "a   b"),
        ] {
            assert_eq!(clean_name(name), clean, "{name:?}");
        }
        assert_eq!(clean_name(&"x".repeat(99)).len(), 35);
    }
}
