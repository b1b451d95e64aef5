//! Missiles: rockets, grenades, plasma and the grappling hook, on their paths between two frames.

use super::{
    Game,
    combat::{Blast, Hit, means_of_death},
    gentity::{Class, Payload, Think, set_origin, snapped, snapped_towards},
    weapons::Aim,
};
use crate::entity::sv_flags;
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        directions::byte_from_direction,
        numbers::{entity_flags, entity_type, event, pm_flags, weapon},
        trajectory,
    },
    cm::Sweep,
    types::{
        trace::{Trace, contents, surface},
        trajectory::{Trajectory, kind},
    },
};

/// Missiles start as if they had been fired so many milliseconds ago.
const PRESTEP_MSEC: i32 = 50;
/// The share of its speed that a grenade keeps.
const BOUNCE_SHARE: f32 = 0.65;
/// Slower grenades come to rest on floors.
const REST_SPEED: f32 = 40.0;

/// What a weapon sends flying.
struct Kind {
    weapon: i32,
    speed: f32,
    life_msec: i32,
    payload: Payload,
}

const fn kind_of(weapon: i32, speed: f32, life_msec: i32, payload: Payload) -> Kind {
    Kind {
        weapon,
        speed,
        life_msec,
        payload,
    }
}

const fn payload(damage: i32, splash: (i32, f32), cause: i32, splash_cause: i32) -> Payload {
    Payload {
        damage,
        splash_damage: splash.0,
        splash_radius: splash.1,
        cause,
        splash_cause,
    }
}

#[rustfmt::skip]
const KINDS: &[Kind] = &[
    kind_of(weapon::GRENADE, 700.0, 2500, payload(100, (100, 150.0), means_of_death::GRENADE, means_of_death::GRENADE_SPLASH)),
    kind_of(weapon::ROCKET, 900.0, 15_000, payload(100, (100, 120.0), means_of_death::ROCKET, means_of_death::ROCKET_SPLASH)),
    kind_of(weapon::PLASMA, 2000.0, 10_000, payload(20, (15, 20.0), means_of_death::PLASMA, means_of_death::PLASMA_SPLASH)),
    kind_of(weapon::BFG, 2000.0, 10_000, payload(100, (100, 120.0), means_of_death::BFG, means_of_death::BFG_SPLASH)),
    kind_of(weapon::HOOK, 800.0, 10_000, payload(0, (0, 0.0), means_of_death::GRAPPLE, means_of_death::GRAPPLE)),
];

impl Game {
    pub(super) fn fire_missile(&mut self, aim: &Aim, weapon: i32) -> Option<usize> {
        let kind = KINDS.iter().find(|kind| kind.weapon == weapon)?;
        let mut direction = aim.axes.forward;
        if weapon == weapon::GRENADE {
            // Thrown a little upward.
            direction.z += 0.2;
        }
        let direction = self.settings.numeric.normalize(direction).0;
        let at = self.spawn()?;
        let is_grenade = weapon == weapon::GRENADE;
        let entity = &mut self.world.entities[at];
        entity.state.e_type = entity_type::MISSILE;
        entity.state.weapon = weapon;
        entity.sv_flags = sv_flags::USE_CURRENT_ORIGIN;
        entity.owner = aim.shooter as i32;
        if is_grenade {
            entity.state.e_flags = entity_flags::BOUNCE_HALF;
        }
        entity.state.pos = Trajectory {
            kind: if is_grenade {
                kind::GRAVITY
            } else {
                kind::LINEAR
            },
            time: self.time - PRESTEP_MSEC,
            duration: 0,
            base: aim.muzzle,
            delta: snapped(direction * kind.speed),
        };
        entity.origin = aim.muzzle;
        if weapon == weapon::HOOK {
            entity.state.other_entity_num = aim.shooter as i32;
        }
        let gentity = &mut self.gentities[at];
        gentity.class = match weapon {
            weapon::HOOK => Class::Hook,
            _ => Class::Missile,
        };
        gentity.parent = Some(aim.shooter);
        gentity.payload = Payload {
            damage: aim.damage(kind.payload.damage),
            splash_damage: aim.damage(kind.payload.splash_damage),
            ..kind.payload
        };
        gentity.clip_mask = contents::MASK_SHOT;
        let think = match weapon {
            weapon::HOOK => Think::FreeHook,
            _ => Think::Explode,
        };
        self.think_in(at, think, kind.life_msec);
        Some(at)
    }

    /// Moves a missile to where it is now, and lets it hit what is on the way.
    pub(super) fn run_missile(&mut self, at: usize) {
        let place = self.place_of(at);
        let entity = &self.world.entities[at];
        let owner = entity.owner;
        let sweep = Sweep {
            start: entity.origin,
            end: place,
            mins: entity.mins,
            maxs: entity.maxs,
            mask: contents::MASK_SHOT,
        };
        let mut trace = self.world.trace(&sweep, owner);
        if trace.start_solid || trace.all_solid {
            // What it is stuck in, only a trace on the spot tells.
            let spot = Sweep {
                end: sweep.start,
                ..sweep
            };
            trace = self.world.trace(&spot, owner);
            trace.fraction = 0.0;
        } else {
            self.world.entities[at].origin = trace.end;
        }
        self.world.link(at);
        if trace.fraction != 1.0 {
            if trace.surface_flags & surface::NOIMPACT != 0 {
                return self.free_missile(at);
            }
            self.missile_impact(at, &trace);
            if self.world.entities[at].state.e_type != entity_type::MISSILE {
                return;
            }
        }
        self.run_think(at);
    }

    pub(super) fn free_missile(&mut self, at: usize) {
        let owner = self.gentities[at].parent;
        if let Some(owner) = owner.filter(|_| self.gentities[at].class == Class::Hook)
            && self.is_client(owner)
        {
            return self.free_hook(owner);
        }
        self.free(at);
    }

    fn missile_impact(&mut self, at: usize, trace: &Trace) {
        let other = self.slot_of(trace.entity_num);
        let takes_damage = other.is_some_and(|other| self.gentities[other].takes_damage);
        let bounces = self.world.entities[at].state.e_flags & entity_flags::BOUNCE_HALF != 0;
        if !takes_damage && bounces {
            self.bounce_missile(at, trace);
            return self.add_event(at, event::GRENADE_BOUNCE, 0);
        }
        if self.gentities[at].class == Class::Hook {
            return self.stick_hook(at, trace);
        }
        let payload = self.gentities[at].payload;
        let attacker = self.gentities[at].parent;
        let mut has_hit = false;
        if let Some(other) = other.filter(|_| takes_damage && payload.damage != 0) {
            has_hit = self.is_accurate(other, attacker);
            let profile = self.settings.numeric.profile;
            let path = &self.world.entities[at].state.pos;
            let velocity = trajectory::velocity(path, ServerTime(self.time), profile);
            let direction = if velocity == Vec3::ZERO {
                Vec3::Z
            } else {
                velocity
            };
            let hit = Hit {
                inflictor: Some(at),
                attacker,
                direction: Some(direction),
                ..Hit::new(payload.damage, payload.cause)
            };
            self.damage(other, &hit);
        }
        let normal = byte_from_direction(trace.plane.normal);
        let is_player = other.is_some_and(|other| takes_damage && self.is_client(other));
        if is_player {
            self.world.entities[at].state.other_entity_num = trace.entity_num;
            self.add_event(at, event::MISSILE_HIT, normal);
        } else if trace.surface_flags & surface::METALSTEPS != 0 {
            self.add_event(at, event::MISSILE_MISS_METAL, normal);
        } else {
            self.add_event(at, event::MISSILE_MISS, normal);
        }
        self.gentities[at].is_freed_after_event = true;
        let entity = &mut self.world.entities[at];
        entity.state.e_type = entity_type::GENERAL;
        let place = snapped_towards(trace.end, entity.state.pos.base);
        set_origin(entity, place);
        has_hit |= self.splash(at, other);
        if has_hit && let Some(player) = attacker.and_then(|at| self.players.get_mut(at)) {
            player.accuracy_hits += 1;
        }
        self.world.link(at);
    }

    fn splash(&mut self, at: usize, ignored: Option<usize>) -> bool {
        let payload = self.gentities[at].payload;
        if payload.splash_damage == 0 {
            return false;
        }
        let blast = Blast {
            origin: self.world.entities[at].origin,
            inflictor: at,
            attacker: self.gentities[at].parent,
            damage: payload.splash_damage as f32,
            radius: payload.splash_radius,
            ignored,
            cause: payload.splash_cause,
        };
        self.radius_damage(&blast)
    }

    /// A missile whose time is up.
    pub(super) fn explode_missile(&mut self, at: usize) {
        let place = snapped(self.place_of(at));
        let entity = &mut self.world.entities[at];
        set_origin(entity, place);
        entity.state.e_type = entity_type::GENERAL;
        let up = byte_from_direction(Vec3::Z);
        self.add_event(at, event::MISSILE_MISS, up);
        self.gentities[at].is_freed_after_event = true;
        if self.splash(at, Some(at)) {
            let attacker = self.gentities[at].parent;
            if let Some(player) = attacker.and_then(|at| self.players.get_mut(at)) {
                player.accuracy_hits += 1;
            }
        }
        self.world.link(at);
    }

    fn bounce_missile(&mut self, at: usize, trace: &Trace) {
        let velocity = self.velocity_at_hit(at, trace.fraction);
        let normal = trace.plane.normal;
        let velocity = (velocity + normal * (-2.0 * velocity.dot(normal))) * BOUNCE_SHARE;
        let time = self.time;
        let entity = &mut self.world.entities[at];
        entity.state.pos.delta = velocity;
        if normal.z > 0.2 && velocity.length() < REST_SPEED {
            set_origin(entity, trace.end);
            entity.state.time = time / 4;
            return;
        }
        entity.origin += normal;
        entity.state.pos.base = entity.origin;
        entity.state.pos.time = time;
    }

    /// The hook holds what it hit, and pulls its owner there.
    fn stick_hook(&mut self, at: usize, trace: &Trace) {
        let other = self
            .slot_of(trace.entity_num)
            .filter(|&other| self.is_client(other));
        let owner = self.gentities[at].parent;
        let normal = byte_from_direction(trace.plane.normal);
        let base = self.world.entities[at].state.pos.base;
        let place = snapped_towards(trace.end, base);
        let number = match other {
            Some(_) => event::MISSILE_HIT,
            None => event::MISSILE_MISS,
        };
        if let Some(entity) = self.temp_entity(place, number) {
            entity.state.event_parm = normal;
            entity.state.weapon = weapon::HOOK;
            if other.is_some() {
                entity.state.other_entity_num = trace.entity_num;
            }
        }
        self.gentities[at].activator = other;
        self.gentities[at].class = Class::Place;
        let entity = &mut self.world.entities[at];
        entity.state.e_type = entity_type::GRAPPLE;
        set_origin(entity, place);
        self.think_in(at, Think::HookPull, 0);
        if let Some(player) = owner.and_then(|owner| self.players.get_mut(owner)) {
            player.state.pm_flags |= pm_flags::GRAPPLE_PULL;
            player.state.grapple_point = place;
        }
        self.world.link(at);
    }

    /// Keeps a hook with whom it holds.
    pub(super) fn pull_hook(&mut self, at: usize) {
        const AGAIN_MSEC: i32 = 100;
        let owner = self.gentities[at].parent;
        if let Some(held) = self.gentities[at].activator {
            let held = &self.world.entities[held];
            let middle = held.origin + (held.mins + held.maxs) * 0.5;
            let near = self.world.entities[at].origin;
            set_origin(&mut self.world.entities[at], snapped_towards(middle, near));
        }
        let place = self.world.entities[at].origin;
        if let Some(player) = owner.and_then(|owner| self.players.get_mut(owner)) {
            player.state.grapple_point = place;
        }
        self.think_in(at, Think::HookPull, AGAIN_MSEC);
    }
}
