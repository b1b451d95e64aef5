//! Weapons: what a shot hits at once, and what it sends flying.

use super::{
    Game,
    combat::{Hit, means_of_death},
    gentity::{snapped, snapped_towards},
};
use glam::Vec3;
use shared::{
    base::math::Axes,
    bg::{
        directions::byte_from_direction,
        numbers::{entity_flags, event, persistant, pm_flags, powerup, weapon},
        random::Random,
        shots,
    },
    cm::Sweep,
    types::{
        limits::ENTITYNUM_WORLD,
        trace::{Trace, contents, surface},
        usercmd::{Usercmd, buttons},
    },
};

/// From the eye to the muzzle, along the view.
const MUZZLE: f32 = 14.0;
const GAUNTLET_RANGE: f32 = 32.0;
const LIGHTNING_RANGE: f32 = 768.0;
const RAIL_RANGE: f32 = 8192.0;
/// A rail goes through so many at most.
const MAX_RAIL_HITS: usize = 4;
const BULLET_SPREAD: f32 = 200.0 * 16.0;
const GAUNTLET_DAMAGE: i32 = 50;
const LIGHTNING_DAMAGE: i32 = 8;
const RAIL_DAMAGE: i32 = 100;
const PELLET_DAMAGE: i32 = 10;

/// From where and whereto a weapon is fired.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    pub shooter: usize,
    pub muzzle: Vec3,
    pub axes: Axes,
    pub quad_factor: f32,
}

impl Aim {
    /// Damage with what powerups make of it.
    pub(super) fn damage(&self, amount: i32) -> i32 {
        (amount as f32 * self.quad_factor) as i32
    }

    fn hit(&self, amount: i32, direction: Vec3, cause: i32) -> Hit {
        Hit {
            direction: Some(direction),
            ..Hit::by(self.shooter, self.damage(amount), cause)
        }
    }
}

impl Game {
    fn aim_of(&self, client: usize) -> Aim {
        let player = &self.players[client];
        let axes = self.settings.numeric.profile.axes(player.state.view_angles);
        let eye =
            self.world.entities[client].state.pos.base + Vec3::Z * player.state.view_height as f32;
        let has_quad = player.has_powerup(powerup::QUAD);
        Aim {
            shooter: client,
            muzzle: snapped(eye + axes.forward * MUZZLE),
            axes,
            quad_factor: if has_quad {
                self.settings.quad_factor
            } else {
                1.0
            },
        }
    }

    pub(super) fn fire_weapon(&mut self, client: usize) {
        let aim = self.aim_of(client);
        let player = &mut self.players[client];
        let held = player.state.weapon;
        if !matches!(held, weapon::GAUNTLET | weapon::HOOK) {
            player.accuracy_shots += 1;
        }
        let is_hitscan = matches!(
            held,
            weapon::MACHINEGUN | weapon::SHOTGUN | weapon::LIGHTNING | weapon::RAIL
        );
        let moved = match is_hitscan {
            true => self.rewind_players(client),
            false => Vec::new(),
        };
        match held {
            weapon::MACHINEGUN => self.fire_bullet(&aim),
            weapon::SHOTGUN => self.fire_shotgun(&aim),
            weapon::LIGHTNING => self.fire_lightning(&aim),
            weapon::RAIL => self.fire_rail(&aim),
            weapon::GRENADE | weapon::ROCKET | weapon::PLASMA | weapon::BFG => {
                self.fire_missile(&aim, held);
            }
            weapon::HOOK => self.fire_hook(&aim),
            _ => {}
        }
        self.restore_players(moved);
    }

    pub(super) fn trace_shot(&self, start: Vec3, end: Vec3, pass: usize) -> Trace {
        let sweep = Sweep {
            start,
            end,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            mask: contents::MASK_SHOT,
        };
        self.world.trace(&sweep, pass as i32)
    }

    /// Hits with the gauntlet what is right in front; pmove needs to know, for it fires on hits only.
    pub(super) fn gauntlet_hits(&mut self, client: usize, usercmd: &Usercmd) -> bool {
        let player = &self.players[client];
        let state = &player.state;
        let is_attack = usercmd.buttons & (buttons::ATTACK | buttons::TALK) == buttons::ATTACK;
        if state.weapon != weapon::GAUNTLET
            || !is_attack
            || state.weapon_time > 0
            || player.life.is_noclip
            || player.health() <= 0
        {
            return false;
        }
        let aim = self.aim_of(client);
        let end = aim.muzzle + aim.axes.forward * GAUNTLET_RANGE;
        let trace = self.trace_shot(aim.muzzle, end, client);
        let Some(victim) = self.slot_of(trace.entity_num) else {
            return false;
        };
        if trace.surface_flags & surface::NOIMPACT != 0 || !self.gentities[victim].takes_damage {
            return false;
        }
        if self.is_client(victim) {
            self.show_impact(&trace, weapon::GAUNTLET);
        }
        if aim.quad_factor != 1.0 {
            self.add_event(client, event::POWERUP_QUAD, 0);
        }
        let hit = aim.hit(GAUNTLET_DAMAGE, aim.axes.forward, means_of_death::GAUNTLET);
        self.damage(victim, &hit);
        true
    }

    /// The mark of a weapon on a player, or on a wall without a weapon.
    fn show_impact(&mut self, trace: &Trace, shown_weapon: i32) {
        let normal = byte_from_direction(trace.plane.normal);
        let victim = trace.entity_num;
        let is_player = self.slot_of(victim).is_some_and(|at| self.is_client(at));
        let number = match is_player {
            true => event::MISSILE_HIT,
            false => event::MISSILE_MISS,
        };
        if let Some(entity) = self.temp_entity(trace.end, number) {
            entity.state.event_parm = normal;
            if is_player {
                entity.state.other_entity_num = victim;
                entity.state.weapon = shown_weapon;
            }
        }
    }

    fn count_accuracy(&mut self, shooter: usize) {
        self.players[shooter].accuracy_hits += 1;
    }

    fn fire_bullet(&mut self, aim: &Aim) {
        let damage = if self.settings.is_team_deathmatch() {
            5
        } else {
            7
        };
        let mut drawn = match self.settings.has_lag_compensation {
            // What the shooter can compute as well.
            true => Random(self.attack_time(aim.shooter) & 255),
            false => Random(self.rng.next_u64() as i32),
        };
        let around = drawn.uniform() * core::f32::consts::TAU;
        let (sin, cos) = libm::sincosf(around);
        let upward = sin * drawn.centred() * BULLET_SPREAD;
        let across = cos * drawn.centred() * BULLET_SPREAD;
        let end = aim.muzzle
            + aim.axes.forward * shots::BULLET_RANGE
            + aim.axes.right * across
            + aim.axes.up * upward;
        let trace = self.trace_shot(aim.muzzle, end, aim.shooter);
        if trace.surface_flags & surface::NOIMPACT != 0 {
            return;
        }
        let place = snapped_towards(trace.end, aim.muzzle);
        let victim = self.slot_of(trace.entity_num);
        let is_player = victim.is_some_and(|at| self.is_client(at));
        let (number, parm) = match is_player {
            true => (event::BULLET_HIT_FLESH, trace.entity_num),
            false => (
                event::BULLET_HIT_WALL,
                byte_from_direction(trace.plane.normal),
            ),
        };
        if let Some(entity) = self.temp_entity(place, number) {
            entity.state.event_parm = parm;
            entity.state.other_entity_num = aim.shooter as i32;
        }
        let Some(victim) = victim else { return };
        if self.is_accurate(victim, Some(aim.shooter)) {
            self.count_accuracy(aim.shooter);
        }
        let hit = aim.hit(damage, aim.axes.forward, means_of_death::MACHINEGUN);
        self.damage(victim, &hit);
    }

    fn fire_shotgun(&mut self, aim: &Aim) {
        let seed = match self.settings.has_lag_compensation {
            true => self.attack_time(aim.shooter) & 255,
            false => self.rng.below(256) as i32,
        };
        let direction = snapped(aim.axes.forward * 4096.0);
        if let Some(entity) = self.temp_entity(aim.muzzle, event::SHOTGUN) {
            entity.state.origin2 = direction;
            entity.state.event_parm = seed;
            entity.state.other_entity_num = aim.shooter as i32;
        }
        let mut has_hit = false;
        for end in shots::pellet_ends(aim.muzzle, direction, seed) {
            let trace = self.trace_shot(aim.muzzle, end, aim.shooter);
            let Some(victim) = self.slot_of(trace.entity_num) else {
                continue;
            };
            if trace.surface_flags & surface::NOIMPACT != 0 || !self.gentities[victim].takes_damage
            {
                continue;
            }
            has_hit |= self.is_accurate(victim, Some(aim.shooter));
            let hit = aim.hit(PELLET_DAMAGE, aim.axes.forward, means_of_death::SHOTGUN);
            self.damage(victim, &hit);
        }
        if has_hit {
            self.count_accuracy(aim.shooter);
        }
    }

    fn fire_lightning(&mut self, aim: &Aim) {
        let end = aim.muzzle + aim.axes.forward * LIGHTNING_RANGE;
        let trace = self.trace_shot(aim.muzzle, end, aim.shooter);
        if trace.fraction == 1.0 {
            return;
        }
        let victim = self.slot_of(trace.entity_num);
        let is_client = victim.is_some_and(|at| self.is_client(at));
        let takes_damage = victim.is_some_and(|at| self.gentities[at].takes_damage);
        if let Some(victim) = victim.filter(|_| takes_damage) {
            if self.is_accurate(victim, Some(aim.shooter)) {
                self.count_accuracy(aim.shooter);
            }
            let hit = aim.hit(
                LIGHTNING_DAMAGE,
                aim.axes.forward,
                means_of_death::LIGHTNING,
            );
            self.damage(victim, &hit);
        }
        let is_silent = takes_damage && !is_client;
        if !is_silent && (is_client || trace.surface_flags & surface::NOIMPACT == 0) {
            self.show_impact(&trace, weapon::LIGHTNING);
        }
    }

    fn fire_rail(&mut self, aim: &Aim) {
        let end = aim.muzzle + aim.axes.forward * RAIL_RANGE;
        let mut pierced = Vec::new();
        let mut hits = 0;
        let mut trace;
        loop {
            trace = self.trace_shot(aim.muzzle, end, aim.shooter);
            let Some(victim) = self.slot_of(trace.entity_num) else {
                break;
            };
            if trace.entity_num >= ENTITYNUM_WORLD {
                break;
            }
            if self.gentities[victim].takes_damage {
                hits += i32::from(self.is_accurate(victim, Some(aim.shooter)));
                let hit = aim.hit(RAIL_DAMAGE, aim.axes.forward, means_of_death::RAILGUN);
                self.damage(victim, &hit);
            }
            if trace.contents & contents::SOLID != 0 || pierced.len() + 1 == MAX_RAIL_HITS {
                break;
            }
            // The rail goes on as if this one were not there.
            self.world.unlink(victim);
            pierced.push(victim);
        }
        for victim in pierced {
            if self.world.entities[victim].is_in_use {
                self.world.link(victim);
            }
        }
        let leaves_no_mark = trace.surface_flags & surface::NOIMPACT != 0;
        let normal = match leaves_no_mark {
            true => 255,
            false => byte_from_direction(trace.plane.normal),
        };
        let place = snapped_towards(trace.end, aim.muzzle);
        if let Some(entity) = self.temp_entity(place, event::RAILTRAIL) {
            entity.state.client_num = aim.shooter as i32;
            entity.state.origin2 = aim.muzzle + aim.axes.right * 4.0 - aim.axes.up;
            entity.state.event_parm = normal;
        }
        self.count_rail_hits(aim.shooter, hits);
    }

    /// Two rails that hit one after the other are impressive.
    fn count_rail_hits(&mut self, shooter: usize, hits: i32) {
        let player = &mut self.players[shooter];
        if hits == 0 {
            player.life.rail_hits = 0;
            return;
        }
        player.accuracy_hits += 1;
        player.life.rail_hits += hits;
        if player.life.rail_hits >= 2 {
            player.life.rail_hits -= 2;
            let flag = entity_flags::AWARD_IMPRESSIVE;
            self.give_award(shooter, persistant::IMPRESSIVE_COUNT, flag);
        }
    }

    fn fire_hook(&mut self, aim: &Aim) {
        let life = &self.players[aim.shooter].life;
        if life.hook.is_some() || life.holds_hook_fire {
            return;
        }
        let hook = self.fire_missile(aim, weapon::HOOK);
        let life = &mut self.players[aim.shooter].life;
        (life.hook, life.holds_hook_fire) = (hook, true);
    }

    pub(super) fn free_hook(&mut self, client: usize) {
        let player = &mut self.players[client];
        if let Some(hook) = player.life.hook.take() {
            player.state.pm_flags &= !pm_flags::GRAPPLE_PULL;
            self.free(hook);
        }
    }
}
