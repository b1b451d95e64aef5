//! Items: how they appear, who may take them and what they give, when they come back, what the dead drop.

use super::{
    Game, STATS,
    combat::DENIED_REWARD,
    gentity::{Class, Think, float, set_origin, snapped},
};
use crate::entity::sv_flags;
use glam::Vec3;
use shared::{
    bg::{
        items::{BASEQ3_ITEM_COUNT, ITEMS, Item, ItemKind, item},
        numbers::{
            configstring as cs, entity_flags, entity_type, event, persistant, powerup, weapon,
        },
        pickup,
        pmove::add_predictable_event,
    },
    cm::Sweep,
    formats::mapents::MapEntity,
    types::{
        limits::ENTITYNUM_NONE,
        trace::contents,
        trajectory::{Trajectory, kind},
    },
};

/// Half the side of an item's box.
const HALF_SIZE: f32 = 15.0;
/// Items look for their places after the second frame, when movers have theirs.
const FINISH_MSEC: i32 = 200;
/// So far below its point an item looks for a floor.
const MAX_DROP: f32 = 4096.0;
/// Most ammo of one sort.
const MAX_AMMO: i32 = 200;
/// What lies where someone died is gone after so long.
const DROPPED_MSEC: i32 = 30_000;
/// Bit of an item's `spawnflags`: it stays where it is.
const SUSPENDED: i32 = 1;
/// So near one must be to be denied a powerup.
const DENIED_RANGE: f32 = 192.0;

impl Game {
    /// Makes an item of the map; true if the class names one.
    pub(super) fn spawn_item(&mut self, at: usize, entity: &MapEntity) -> bool {
        let class = &self.gentities[at].keys.class_name;
        let mut known = ITEMS.iter().take(BASEQ3_ITEM_COUNT - 1);
        let Some(index) = known.position(|item| item.class_name.eq_ignore_ascii_case(class)) else {
            return false;
        };
        let number = index as i32 + 1;
        self.item_mask[number as usize] = true;
        if self.disabled_items.contains(&number) {
            self.free(at);
            return true;
        }
        let is_powerup = ITEMS[index].kind == ItemKind::Powerup;
        if is_powerup {
            self.sound_index("sound/items/poweruprespawn.wav");
        }
        let gentity = &mut self.gentities[at];
        gentity.class = Class::Item(number);
        gentity.bounce = 0.5;
        gentity.is_physical = true;
        // The sounds of this one are not for everybody.
        gentity.keys.speed = entity.get("noglobalsound").map_or(0.0, float);
        self.think_in(at, Think::FinishItem, FINISH_MSEC);
        true
    }

    /// Tells clients which items they will need to load.
    pub(super) fn tell_items(&mut self) {
        self.item_mask[10] = true; // The machinegun, which everybody has.
        self.item_mask[8] = true; // The gauntlet.
        let digit = |known: &bool| if *known { '1' } else { '0' };
        let text = self.item_mask.iter().map(digit).collect();
        self.set_configstring(cs::ITEMS, text);
    }

    /// Puts an item where it will lie.
    pub(super) fn finish_item(&mut self, at: usize) {
        let Class::Item(number) = self.gentities[at].class else {
            return;
        };
        let half = Vec3::splat(HALF_SIZE);
        let keys = &self.gentities[at].keys;
        let (origin, is_suspended) = (keys.origin, keys.has_flag(SUSPENDED));
        let is_hidden = self.gentities[at]
            .team_master
            .is_some_and(|master| master != at)
            || !keys.target_name.is_empty();
        let entity = &mut self.world.entities[at];
        (entity.mins, entity.maxs) = (-half, half);
        entity.state.e_type = entity_type::ITEM;
        entity.state.model_index = number;
        entity.state.model_index2 = 0;
        entity.contents = contents::TRIGGER;
        if is_suspended {
            set_origin(entity, origin);
        } else {
            let sweep = Sweep {
                start: origin,
                end: origin - Vec3::Z * MAX_DROP,
                mins: -half,
                maxs: half,
                mask: contents::MASK_SOLID,
            };
            let trace = self.world.trace(&sweep, at as i32);
            if trace.start_solid {
                let class = self.gentities[at].keys.class_name.clone();
                self.print(format!("{class} at {origin} is in solid and is left out"));
                return self.free(at);
            }
            let entity = &mut self.world.entities[at];
            entity.state.ground_entity_num = trace.entity_num;
            set_origin(entity, trace.end);
        }
        if is_hidden {
            return self.hide_item(at);
        }
        if item(number).is_some_and(|item| item.kind == ItemKind::Powerup) {
            self.hide_item(at);
            let seconds = 45.0 + self.centred() * 15.0;
            return self.think_in(at, Think::RespawnItem, (seconds * 1000.0) as i32);
        }
        self.world.link(at);
    }

    fn hide_item(&mut self, at: usize) {
        let entity = &mut self.world.entities[at];
        entity.state.e_flags |= entity_flags::NODRAW;
        entity.contents = 0;
    }

    pub(super) fn respawn_item(&mut self, at: usize) {
        let members = self.team_members(at);
        let at = members[self.rng.below(members.len())];
        let entity = &mut self.world.entities[at];
        entity.contents = contents::TRIGGER;
        entity.state.e_flags &= !entity_flags::NODRAW;
        entity.sv_flags &= !sv_flags::NO_CLIENT;
        self.gentities[at].is_unlinked_after_event = false;
        self.world.link(at);
        let Class::Item(number) = self.gentities[at].class else {
            return;
        };
        if item(number).is_some_and(|item| item.kind == ItemKind::Powerup) {
            let sound = self.sound_index("sound/items/poweruprespawn.wav");
            let origin = self.world.entities[at].state.pos.base;
            let number = match self.gentities[at].keys.speed {
                0.0 => event::GLOBAL_SOUND,
                _ => event::GENERAL_SOUND,
            };
            self.broadcast(origin, number, sound);
        }
        self.add_event(at, event::ITEM_RESPAWN, 0);
        self.gentities[at].think_at = 0;
    }

    pub(super) fn touch_item(&mut self, at: usize, client: usize, number: i32) {
        let Some(item) = item(number) else { return };
        let player = &self.players[client];
        let state = &self.world.entities[at].state;
        let rules = self.settings.rules();
        let game_type = self.settings.game_type;
        if player.health() < 1 || !pickup::can_grab(rules, game_type, state, &player.state) {
            return;
        }
        let Some(respawn_sec) = self.give_item(at, client, item) else {
            return;
        };
        self.announce_pickup(at, client, number, item);
        self.use_targets(at, Some(client));
        self.hide_until_respawn(at, respawn_sec);
    }

    /// What an item gives, and after how many seconds it is back; none if it was not taken after all.
    fn give_item(&mut self, at: usize, client: usize, item: &Item) -> Option<i32> {
        let count = self.gentities[at].keys.count;
        let is_dropped = self.world.entities[at].state.model_index2 != 0;
        let is_team_deathmatch = self.settings.is_team_deathmatch();
        let quantity = if count != 0 { count } else { item.quantity };
        let tag = usize::from(item.tag);
        if item.kind == ItemKind::Powerup {
            self.give_powerup(client, tag, quantity);
            return Some(120);
        }
        if item.kind == ItemKind::Team {
            return self.touch_flag(at, client, tag);
        }
        let weapon_respawn_sec = self.settings.weapon_respawn_sec;
        let player = &mut self.players[client];
        let health = player.health();
        let state = &mut player.state;
        let max = state.stats[STATS.max_health];
        match item.kind {
            ItemKind::Weapon => {
                let ammo = &mut state.ammo[tag];
                let added = match quantity {
                    _ if count < 0 => 0,
                    quantity if is_dropped || is_team_deathmatch => quantity,
                    quantity if *ammo < quantity => quantity.saturating_sub(*ammo),
                    _ => 1,
                };
                state.stats[STATS.weapons] |= 1 << item.tag;
                add_ammo(ammo, added);
                if item.tag == weapon::HOOK as u8 {
                    *ammo = -1;
                }
                Some(weapon_respawn_sec)
            }
            ItemKind::Ammo => {
                add_ammo(&mut state.ammo[tag], quantity);
                Some(40)
            }
            ItemKind::Armor => {
                let armor = &mut state.stats[STATS.armor];
                *armor = (*armor + item.quantity).min(max * 2);
                Some(25)
            }
            ItemKind::Health => {
                let limit = if matches!(item.quantity, 5 | 100) {
                    max * 2
                } else {
                    max
                };
                player.set_health(health.saturating_add(quantity).min(limit));
                Some(35)
            }
            ItemKind::Holdable => {
                state.stats[STATS.holdable_item] = self.world.entities[at].state.model_index;
                Some(60)
            }
            _ => None,
        }
    }

    fn give_powerup(&mut self, client: usize, which: usize, seconds: i32) {
        let time = self.time;
        let player = &mut self.players[client];
        let until = &mut player.state.powerups[which];
        if *until == 0 {
            *until = time - time % 1000;
        }
        *until = until.saturating_add(seconds.saturating_mul(1000));
        let origin = player.state.origin;
        for other in 0..self.players.len() {
            if other != client && !self.is_same_team(client, other) && self.is_denied(other, origin)
            {
                self.players[other].state.persistant[persistant::PLAYEREVENTS] ^= DENIED_REWARD;
            }
        }
    }

    /// Whether a player was near a powerup that another took, and looked at it.
    fn is_denied(&self, client: usize, origin: Vec3) -> bool {
        let player = &self.players[client];
        let way = origin - player.state.origin;
        let profile = self.settings.numeric.profile;
        let forward = profile.axes(player.state.view_angles).forward;
        let is_near = way.length() <= DENIED_RANGE && way.normalize_or_zero().dot(forward) >= 0.4;
        if !is_near || !player.is_alive() {
            return false;
        }
        self.trace_sight(player.state.origin, origin).fraction == 1.0
    }

    fn announce_pickup(&mut self, at: usize, client: usize, number: i32, item: &Item) {
        let player = &mut self.players[client];
        if player.predicts_items && item.kind != ItemKind::Powerup {
            add_predictable_event(&mut player.state, event::ITEM_PICKUP, number);
        } else {
            self.add_event(client, event::ITEM_PICKUP, number);
        }
        if !matches!(item.kind, ItemKind::Powerup | ItemKind::Team) {
            return;
        }
        let is_quiet = self.gentities[at].keys.speed != 0.0;
        let origin = self.world.entities[at].state.pos.base;
        if let Some(entity) = self.temp_entity(origin, event::GLOBAL_ITEM_PICKUP) {
            entity.state.event_parm = number;
            if is_quiet {
                entity.sv_flags |= sv_flags::SINGLE_CLIENT;
                entity.single_client = client as i32;
            } else {
                entity.sv_flags |= sv_flags::BROADCAST;
            }
        }
    }

    fn hide_until_respawn(&mut self, at: usize, respawn_sec: i32) {
        let keys = &self.gentities[at].keys;
        let (wait, random) = (keys.wait, keys.random);
        let is_dropped = self.world.entities[at].state.model_index2 != 0;
        let mut seconds = if wait != 0.0 {
            wait
        } else {
            respawn_sec as f32
        };
        if random != 0.0 {
            seconds = (seconds + self.centred() * random).max(1.0);
        }
        self.hide_item(at);
        self.world.entities[at].sv_flags |= sv_flags::NO_CLIENT;
        let gentity = &mut self.gentities[at];
        if wait == -1.0 {
            gentity.is_unlinked_after_event = true;
            gentity.think_at = 0;
            return;
        }
        if is_dropped {
            gentity.is_freed_after_event = true;
        }
        if seconds <= 0.0 {
            gentity.think_at = 0;
        } else {
            self.think_in(at, Think::RespawnItem, (seconds * 1000.0) as i32);
        }
        self.world.link(at);
    }

    /// Throws an item that was carried.
    pub(super) fn drop_item(&mut self, client: usize, number: i32, yaw: f32) -> Option<usize> {
        let player = &self.players[client];
        let angles = Vec3::new(0.0, player.state.view_angles.y + yaw, 0.0);
        let forward = self.settings.numeric.profile.axes(angles).forward;
        let mut velocity = forward * 150.0;
        velocity.z += 200.0 + self.centred() * 50.0;
        let origin = self.world.entities[client].state.pos.base;
        let at = self.spawn()?;
        let half = Vec3::splat(HALF_SIZE);
        let entity = &mut self.world.entities[at];
        entity.state.e_type = entity_type::ITEM;
        entity.state.model_index = number;
        entity.state.model_index2 = 1;
        (entity.mins, entity.maxs) = (-half, half);
        entity.contents = contents::TRIGGER;
        entity.state.e_flags |= entity_flags::BOUNCE_HALF;
        entity.state.pos = Trajectory {
            kind: kind::GRAVITY,
            time: self.time,
            duration: 0,
            base: origin,
            delta: velocity,
        };
        entity.origin = origin;
        let gentity = &mut self.gentities[at];
        gentity.class = Class::Item(number);
        gentity.bounce = 0.5;
        gentity.is_physical = true;
        if self.is_flag(at) {
            self.think_in(at, Think::ReturnFlag, DROPPED_MSEC);
            self.flag_dropped(number);
        } else {
            self.think_in(at, Think::Free, DROPPED_MSEC);
        }
        self.world.link(at);
        Some(at)
    }

    /// Lets the weapon in hand and the powerups of a dying player fall.
    pub(super) fn toss_items(&mut self, client: usize) {
        let player = &self.players[client];
        let state = &player.state;
        let owned = state.stats[STATS.weapons];
        let mut held = self.world.entities[client].state.weapon;
        if matches!(held, weapon::MACHINEGUN | weapon::HOOK) {
            // While he changes weapons it is the next one.
            let next = i32::from(player.last_usercmd.weapon);
            let is_owned = (1..16).contains(&next) && owned & 1 << next != 0;
            held = if is_owned { next } else { 0 };
        }
        let powerups = state.powerups;
        let has_ammo = state.ammo.get(held as usize).is_some_and(|left| *left != 0);
        if held > weapon::MACHINEGUN
            && held != weapon::HOOK
            && has_ammo
            && let Some((number, _)) = shared::bg::items::weapon_item(held)
        {
            self.drop_item(client, number, 0.0);
        }
        if self.settings.is_team_deathmatch() {
            return;
        }
        let mut yaw = 45.0;
        for (which, until) in powerups.into_iter().enumerate().skip(1) {
            if until <= self.time {
                continue;
            }
            let Some(number) = powerup_item(which) else {
                continue;
            };
            if let Some(at) = self.drop_item(client, number, yaw) {
                let left_sec = (until.saturating_sub(self.time) / 1000).max(1);
                self.gentities[at].keys.count = left_sec;
            }
            yaw += 45.0;
        }
    }

    /// Moves what falls and bounces: items and bodies.
    pub(super) fn run_physical(&mut self, at: usize) {
        let entity = &mut self.world.entities[at];
        let path = &mut entity.state.pos;
        if entity.state.ground_entity_num == ENTITYNUM_NONE && path.kind != kind::GRAVITY {
            path.kind = kind::GRAVITY;
            path.time = self.time;
        }
        if path.kind == kind::STATIONARY {
            return self.run_think(at);
        }
        let place = self.place_of(at);
        let entity = &self.world.entities[at];
        let mask = match self.gentities[at].clip_mask {
            0 => contents::SOLID | contents::PLAYERCLIP,
            mask => mask,
        };
        let sweep = Sweep {
            start: entity.origin,
            end: place,
            mins: entity.mins,
            maxs: entity.maxs,
            mask,
        };
        let mut trace = self.world.trace(&sweep, entity.owner);
        self.world.entities[at].origin = trace.end;
        if trace.start_solid {
            trace.fraction = 0.0;
        }
        self.world.link(at);
        self.run_think(at);
        if trace.fraction == 1.0 || !self.world.entities[at].is_in_use {
            return;
        }
        let origin = self.world.entities[at].origin;
        if self.world.point_contents(origin, -1) & contents::NODROP != 0 {
            return match self.is_flag(at) {
                true => self.return_flag_item(at),
                false => self.free(at),
            };
        }
        self.bounce(at, &trace, self.gentities[at].bounce);
    }

    /// Throws something back from what it hit, or lets it rest.
    fn bounce(&mut self, at: usize, trace: &shared::types::trace::Trace, share: f32) {
        let velocity = self.velocity_at_hit(at, trace.fraction);
        let normal = trace.plane.normal;
        let velocity = (velocity + normal * (-2.0 * velocity.dot(normal))) * share;
        let time = self.time;
        let entity = &mut self.world.entities[at];
        entity.state.pos.delta = velocity;
        if normal.z > 0.0 && velocity.z < 40.0 {
            let rest = snapped(trace.end + Vec3::Z);
            set_origin(entity, rest);
            entity.state.ground_entity_num = trace.entity_num;
            return;
        }
        entity.origin += normal;
        entity.state.pos.base = entity.origin;
        entity.state.pos.time = time;
    }

    /// How fast something was when it hit, somewhere between two frames.
    pub(super) fn velocity_at_hit(&self, at: usize, fraction: f32) -> Vec3 {
        let msec = (self.time - self.previous_time) as f32 * fraction;
        let hit_at = (self.previous_time as f32 + msec) as i32;
        let path = &self.world.entities[at].state.pos;
        let profile = self.settings.numeric.profile;
        shared::bg::trajectory::velocity(path, shared::base::time::ServerTime(hit_at), profile)
    }
}

fn add_ammo(ammo: &mut i32, added: i32) {
    *ammo = (*ammo).saturating_add(added).min(MAX_AMMO);
}

/// The item of a powerup or flag.
pub(super) fn powerup_item(which: usize) -> Option<i32> {
    let is_one = |item: &&Item| {
        let is_flag = matches!(which, powerup::REDFLAG | powerup::BLUEFLAG);
        let kind = if is_flag {
            ItemKind::Team
        } else {
            ItemKind::Powerup
        };
        item.kind == kind && usize::from(item.tag) == which
    };
    let mut items = ITEMS.iter().take(BASEQ3_ITEM_COUNT - 1);
    items
        .position(|item| is_one(&item))
        .map(|index| index as i32 + 1)
}
