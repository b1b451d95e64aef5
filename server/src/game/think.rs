//! Client think: what one usercmd of a player does.

use super::{
    Game, STATS,
    combat::{Hit, means_of_death},
    gentity::Class,
    session::SpectatorState,
};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags, entity_type, event, persistant, pm_type, powerup, team},
        pickup,
        pmove::{self, pmove},
        ruleset, triggers,
    },
    types::{
        trace::contents,
        usercmd::{Usercmd, buttons},
    },
};

/// A usercmd is at most so far ahead of the level's time, and so far behind it, in milliseconds.
const MAX_AHEAD_MSEC: i32 = 200;
const MAX_BEHIND_MSEC: i32 = 1000;
/// Longest time that timers count for one usercmd.
const MAX_TIMER_MSEC: i32 = 200;
/// Triggers are looked for in a box of this size around the player.
const REACH: Vec3 = Vec3::new(40.0, 40.0, 52.0);
/// Whoever does nothing is warned so long before he is dropped.
const WARNING_MSEC: i32 = 10_000;

impl Game {
    /// Takes a usercmd and executes it, unless all of them wait for the frame.
    pub(super) fn think_player(&mut self, client: usize, usercmd: Usercmd) {
        let player = &mut self.players[client];
        player.last_usercmd = usercmd;
        player.last_command_at = self.time;
        if !self.settings.is_synchronous && !player.is_bot {
            self.run_usercmd(client);
        }
    }

    /// Executes the last usercmd of a player.
    pub(super) fn run_usercmd(&mut self, client: usize) {
        let time = self.time;
        let is_intermission = self.intermission_at.is_some();
        let fixed_msec = self.settings.fixed_msec;
        let is_following = self.is_following(client);
        let player = &mut self.players[client];
        if !player.is_in_game {
            return;
        }
        let usercmd = &mut player.last_usercmd;
        let earliest = time.wrapping_sub(MAX_BEHIND_MSEC);
        let ahead = usercmd.server_time.0.wrapping_sub(earliest);
        let ahead = ahead.clamp(0, MAX_BEHIND_MSEC + MAX_AHEAD_MSEC);
        usercmd.server_time = ServerTime(earliest.wrapping_add(ahead));
        let msec = usercmd
            .server_time
            .0
            .wrapping_sub(player.state.command_time);
        if msec < 1 && !is_following {
            return;
        }
        if let Some(step) = fixed_msec {
            usercmd.server_time = pmove::round_up_time(usercmd.server_time, step);
        }
        let usercmd = *usercmd;
        if is_intermission {
            return self.think_in_intermission(client, &usercmd);
        }
        if player.is_spectator() {
            return self.think_spectator(client, usercmd);
        }
        if !self.is_active_enough(client, &usercmd) {
            return;
        }
        self.move_player(client, usercmd);
        let player = &mut self.players[client];
        press_buttons(player, &usercmd);
        if player.health() <= 0 {
            return self.wait_for_respawn(client, &usercmd);
        }
        self.run_timers(client, msec.min(MAX_TIMER_MSEC));
    }

    /// Warns and drops who does nothing, if the operator wants that; false if he is gone.
    fn is_active_enough(&mut self, client: usize, usercmd: &Usercmd) -> bool {
        let limit_msec = self.settings.inactivity_sec.saturating_mul(1000);
        let time = self.time;
        let player = &mut self.players[client];
        let is_active = usercmd.forward_move != 0
            || usercmd.right_move != 0
            || usercmd.up_move != 0
            || usercmd.buttons & buttons::ATTACK != 0;
        if limit_msec == 0 || is_active || player.is_bot {
            player.life.inactive_at = time.saturating_add(limit_msec.max(60_000));
            player.life.was_warned = false;
        } else if !player.is_local {
            if time > player.life.inactive_at {
                self.drop(client, "Dropped due to inactivity");
                return false;
            }
            if time > player.life.inactive_at - WARNING_MSEC && !player.life.was_warned {
                player.life.was_warned = true;
                self.tell(client, "cp \"Ten seconds until inactivity drop!\n\"");
            }
        }
        true
    }

    fn move_player(&mut self, client: usize, usercmd: Usercmd) {
        let time = self.time;
        let no_footsteps = self.settings.dm_flags & ruleset::dmflags::NO_FOOTSTEPS != 0;
        let gauntlet_hit = self.gauntlet_hits(client, &usercmd);
        let settings = &self.settings;
        let player = &mut self.players[client];
        if time > player.life.reward_until {
            player.state.e_flags &= !AWARDS;
        }
        let is_dead = player.health() <= 0;
        let state = &mut player.state;
        state.pm_type = match (player.life.is_noclip, is_dead) {
            (true, _) => pm_type::NOCLIP,
            (_, true) => pm_type::DEAD,
            _ => pm_type::NORMAL,
        };
        state.gravity = settings.gravity;
        state.speed = settings.speed;
        if state.powerups[powerup::HASTE] != 0 {
            state.speed = (f64::from(state.speed) * 1.3) as i32;
        }
        if player.life.hook.is_some() && usercmd.buttons & buttons::ATTACK == 0 {
            self.free_hook(client);
        }
        let player = &mut self.players[client];
        let state = &mut player.state;
        let move_settings = pmove::Settings {
            trace_mask: pmove::trace_mask(state.pm_type, state.persistant[persistant::TEAM])
                | if player.is_bot { BOT_CLIP } else { 0 },
            no_footsteps,
            gauntlet_hit,
            fixed_msec: self.settings.fixed_msec,
            ..self.settings.movement()
        };
        let events_before = state.event_sequence;
        let contact = &mut player.contact;
        pmove(&self.world, state, usercmd, &move_settings, contact);
        if player.state.event_sequence != events_before {
            self.gentities[client].event_at = time;
        }
        let contact = &player.contact;
        let entity = &mut self.world.entities[client];
        (entity.mins, entity.maxs) = (contact.mins, contact.maxs);
        self.update_player_state(client);
        self.send_pending_event(client);
        let entity = &mut self.world.entities[client];
        entity.origin = entity.state.pos.base;
        self.execute_events(client, events_before);
        self.world.link(client);
        if !self.players[client].life.is_noclip {
            self.touch_triggers(client);
        }
        self.world.entities[client].origin = self.players[client].state.origin;
        self.touch_bumped(client);
    }

    /// Does what the events of a move mean for the game.
    fn execute_events(&mut self, client: usize, before: i32) {
        let player = &self.players[client];
        let (events, sequence) = (player.state.events, player.state.event_sequence);
        for at in before.max(sequence.wrapping_sub(2))..sequence {
            match events[(at & 1) as usize] {
                number @ (event::FALL_MEDIUM | event::FALL_FAR) => self.fall(client, number),
                event::FIRE_WEAPON => self.fire_weapon(client),
                number if number == event::USE_ITEM0 + TELEPORTER => {
                    self.use_personal_teleporter(client);
                }
                number if number == event::USE_ITEM0 + MEDKIT => {
                    let player = &mut self.players[client];
                    let full = player.state.stats[STATS.max_health] + 25;
                    player.set_health(full);
                }
                _ => {}
            }
        }
    }

    fn fall(&mut self, client: usize, number: i32) {
        let is_player = self.world.entities[client].state.e_type == entity_type::PLAYER;
        if !is_player || !self.settings.has_falling_damage() {
            return;
        }
        self.players[client].life.pain_until = self.time + 200;
        let amount = if number == event::FALL_FAR { 10 } else { 5 };
        self.damage(client, &Hit::new(amount, means_of_death::FALLING));
    }

    fn use_personal_teleporter(&mut self, client: usize) {
        self.drop_flags(client);
        let from = self.players[client].state.origin;
        if let Some(point) = self.furthest_spawn_point(from, client) {
            self.teleport_player(client, point.origin, point.angles);
        }
    }

    /// Sets off what a player touches after a move.
    pub(super) fn touch_triggers(&mut self, client: usize) {
        let player = &self.players[client];
        if player.health() <= 0 {
            return;
        }
        let is_spectator = player.is_spectator();
        let origin = player.state.origin;
        let box_at = [origin + player.contact.mins, origin + player.contact.maxs];
        let found = self.world.entities_in_box(origin - REACH, origin + REACH);
        for at in found {
            let entity = &self.world.entities[at];
            if entity.contents & contents::TRIGGER == 0 || !entity.is_in_use {
                continue;
            }
            let class = self.gentities[at].class;
            let is_for_spectators = matches!(class, Class::Teleport | Class::DoorTrigger);
            if is_spectator && !is_for_spectators {
                continue;
            }
            let is_touched = match class {
                Class::Item(_) => pickup::touches_item(origin, self.place_of(at)),
                _ => self.world.is_in_contact(box_at[0], box_at[1], at),
            };
            if is_touched {
                self.touch(at, client);
            }
        }
        triggers::leave_jump_pad(&mut self.players[client].state);
    }

    /// Where an entity is on its path at the time of the frame.
    pub(super) fn place_of(&self, at: usize) -> Vec3 {
        let path = &self.world.entities[at].state.pos;
        let profile = self.settings.numeric.profile;
        shared::bg::trajectory::position(path, ServerTime(self.time), profile)
    }

    /// Sets off what a move bumped into.
    fn touch_bumped(&mut self, client: usize) {
        for number in self.players[client].contact.touched.clone() {
            if let Some(at) = self.slot_of(number) {
                self.touch(at, client);
            }
        }
    }

    fn wait_for_respawn(&mut self, client: usize, usercmd: &Usercmd) {
        let player = &self.players[client];
        let waited = self.time.wrapping_sub(player.life.respawn_at);
        let forced_msec = self.settings.forced_respawn_sec.saturating_mul(1000);
        let is_forced = forced_msec > 0 && waited > forced_msec;
        let wants = usercmd.buttons & (buttons::ATTACK | buttons::USE_HOLDABLE) != 0;
        if waited > 0 && (is_forced || wants) {
            self.respawn_player(client);
        }
    }

    /// Once a second of a player's own time: regeneration, and what is above the limit fades.
    fn run_timers(&mut self, client: usize, msec: i32) {
        let player = &mut self.players[client];
        player.life.residual_msec += msec;
        let mut has_regenerated = false;
        while player.life.residual_msec >= 1000 {
            player.life.residual_msec -= 1000;
            let (health, stats) = (player.health(), &mut player.state.stats);
            let max = stats[STATS.max_health];
            if player.state.powerups[powerup::REGEN] != 0 {
                let limit = match health < max {
                    true => (f64::from(max) * 1.1) as i32,
                    false => max * 2,
                };
                let step = if health < max { 15 } else { 5 };
                if health < max * 2 {
                    player.life.untold_health += (health + step).min(limit) - health;
                    has_regenerated = true;
                }
            } else if health > max {
                player.life.untold_health -= 1;
            }
            if stats[STATS.armor] > max {
                stats[STATS.armor] -= 1;
            }
        }
        if has_regenerated {
            self.add_event(client, event::POWERUP_REGEN, 0);
        }
    }

    /// Moves who watches; who follows another sees through his eyes.
    fn think_spectator(&mut self, client: usize, usercmd: Usercmd) {
        let player = &mut self.players[client];
        if player.session.spectator_state == SpectatorState::Free {
            let state = &mut player.state;
            state.pm_type = pm_type::SPECTATOR;
            state.speed = SPECTATOR_SPEED;
            let settings = pmove::Settings {
                trace_mask: pmove::trace_mask(pm_type::SPECTATOR, team::SPECTATOR),
                no_footsteps: false,
                dmflags: 0,
                ..self.settings.movement()
            };
            pmove(&self.world, state, usercmd, &settings, &mut player.contact);
            self.world.entities[client].origin = player.state.origin;
            self.touch_triggers(client);
            self.world.unlink(client);
        }
        let player = &mut self.players[client];
        press_buttons(player, &usercmd);
        if player.life.pressed_buttons & buttons::ATTACK != 0
            && player.session.spectator_state != SpectatorState::Scoreboard
        {
            self.follow_next(client, 1);
        }
    }

    /// Between matches a pressed key says that one is ready for the next.
    fn think_in_intermission(&mut self, client: usize, usercmd: &Usercmd) {
        let player = &mut self.players[client];
        player.state.e_flags &= !(entity_flags::TALK | entity_flags::FIRING);
        press_buttons(player, usercmd);
        if player.life.pressed_buttons & (buttons::ATTACK | buttons::USE_HOLDABLE) != 0 {
            player.is_ready_to_exit = true;
        }
    }
}

/// Contents that stop bots alone.
pub(super) const BOT_CLIP: u32 = 0x40_0000;
/// How fast one flies who watches, in units a second.
const SPECTATOR_SPEED: i32 = 400;
/// Holdable numbers.
const TELEPORTER: i32 = 1;
const MEDKIT: i32 = 2;
/// What is shown over a player's head for a while.
pub(super) const AWARDS: i32 = entity_flags::AWARD_IMPRESSIVE
    | entity_flags::AWARD_EXCELLENT
    | entity_flags::AWARD_GAUNTLET
    | entity_flags::AWARD_ASSIST
    | entity_flags::AWARD_DEFEND
    | entity_flags::AWARD_CAP;

/// Notes which buttons are held, and which were not before.
fn press_buttons(player: &mut super::player::Player, usercmd: &Usercmd) {
    let before = player.life.buttons;
    player.life.buttons = usercmd.buttons;
    player.life.pressed_buttons = usercmd.buttons & !before;
}

impl Game {
    pub(super) fn touch_jump_pad(&mut self, at: usize, client: usize) {
        let profile = self.settings.numeric.profile;
        let pad = self.world.entities[at].state;
        triggers::touch_jump_pad(&mut self.players[client].state, &pad, profile);
    }

    pub(super) fn touch_teleporter(&mut self, at: usize, client: usize) {
        const SPECTATORS_ONLY: i32 = 1;
        let keys = &self.gentities[at].keys;
        let player = &self.players[client];
        let is_dead = player.state.pm_type == pm_type::DEAD;
        if is_dead || keys.has_flag(SPECTATORS_ONLY) && !player.is_spectator() {
            return;
        }
        let target = keys.target.clone();
        if let Some(destination) = self.pick_named(&target) {
            let keys = &self.gentities[destination].keys;
            let (origin, angles) = (keys.origin, keys.angles);
            self.teleport_player(client, origin, angles);
        }
    }
}
