//! Spawn: entities from the text of a map.

use super::{
    Game,
    flags::FlagStatus,
    gentity::{Class, Keys, Think, float, or_default, set_origin},
    movers::move_dir,
};
use crate::{cvars::Cvars, entity::sv_flags};
use glam::Vec3;
use shared::{
    base::text::number,
    bg::numbers::{configstring as cs, entity_type, weapon},
    formats::mapents::MapEntity,
    types::trace::contents,
};

/// What the games are called where servers tell their version.
const GAME_VERSION: &str = "baseq3-1";
const OPENARENA_VERSION: &str = "baseoa-1";
/// What acts on others waits until those have their places.
const AIM_MSEC: i32 = 100;
/// When a map's own triggers begin.
const ALWAYS_MSEC: i32 = 300;
const SHOOTER_MSEC: i32 = 500;

impl Game {
    pub(super) fn spawn_entities(&mut self, entities: &[MapEntity], cvars: &Cvars) {
        self.fry_sound = self.sound_index("sound/player/fry.wav");
        if let Some(world) = entities.first() {
            self.spawn_world(world, cvars);
        }
        for entity in entities.iter().skip(1) {
            self.spawn_entity(entity);
        }
        self.find_teams();
        self.tell_items();
        if self.settings.is_ctf() {
            self.set_flag_status(shared::bg::numbers::team::RED, FlagStatus::Home);
        }
    }

    fn spawn_world(&mut self, world: &MapEntity, cvars: &Cvars) {
        let text = |key: &str| world.get(key).unwrap_or_default().to_owned();
        let version = match self.settings.is_openarena {
            true => OPENARENA_VERSION,
            false => GAME_VERSION,
        };
        let strings = [
            (cs::GAME_VERSION, version.to_owned()),
            (cs::LEVEL_START_TIME, self.start_time.to_string()),
            (cs::MUSIC, text("music")),
            (cs::MESSAGE, text("message")),
            (cs::MOTD, cvars.get("g_motd").to_owned()),
        ];
        for (index, text) in strings {
            self.set_configstring(index, text);
        }
        if let Some(gravity) = world.get("gravity") {
            let value = gravity.to_owned();
            self.effects.push(super::Effect::Setting {
                name: "g_gravity",
                value,
            });
            self.settings.gravity = number(gravity);
        }
    }

    fn is_for_this_game(&self, entity: &MapEntity) -> bool {
        let is_set = |key: &str| entity.get(key).is_some_and(|value| number(value) != 0);
        let (excluded, word) = match self.settings.game_type {
            0 => ("notfree", "ffa"),
            1 => ("notfree", "tournament"),
            2 => ("notsingle", "single"),
            3 => ("notteam", "team"),
            _ => ("notteam", "ctf"),
        };
        let is_named = entity
            .get("gametype")
            .is_none_or(|words| words.contains(word));
        !is_set(excluded) && !is_set("notq3a") && is_named
    }

    fn spawn_entity(&mut self, entity: &MapEntity) {
        // The slot is taken even for what goes at once: numbers of later ones depend on it.
        let Some(at) = self.spawn() else {
            return self.print("The map has more entities than there is room for".to_owned());
        };
        self.gentities[at].keys = Keys::read(entity);
        if !self.is_for_this_game(entity) {
            return self.discard(at);
        }
        let (origin, angles) = (
            self.gentities[at].keys.origin,
            self.gentities[at].keys.angles,
        );
        let slot = &mut self.world.entities[at];
        slot.state.origin = origin;
        slot.state.angles = angles;
        set_origin(slot, origin);
        let is_known = self.spawn_item(at, entity)
            || self.spawn_mover(at, entity)
            || self.spawn_trigger(at, entity)
            || self.spawn_target(at, entity)
            || self.spawn_place(at, entity);
        if !is_known {
            let class = self.gentities[at].keys.class_name.clone();
            self.print(format!("{class} is no class that this game knows"));
            self.discard(at);
        }
    }

    /// Frees a slot at once, for the next entity of the map.
    fn discard(&mut self, at: usize) {
        self.free(at);
        self.gentities[at].freed_at = 0;
    }

    fn spawn_place(&mut self, at: usize, entity: &MapEntity) -> bool {
        let class = self.gentities[at].keys.class_name.clone();
        match class.as_str() {
            "info_null" | "light" | "func_group" | "misc_model" => self.discard(at),
            "info_player_deathmatch"
            | "info_player_start"
            | "info_player_intermission"
            | "team_ctf_redplayer"
            | "team_ctf_blueplayer"
            | "team_ctf_redspawn"
            | "team_ctf_bluespawn"
            | "info_notnull"
            | "info_camp"
            | "target_position"
            | "misc_teleporter_dest"
            | "item_botroam" => {}
            "path_corner" => self.gentities[at].class = Class::PathCorner,
            "func_timer" => self.spawn_timer(at, entity),
            "misc_portal_surface" => self.spawn_portal(at),
            "misc_portal_camera" => {
                let roll = entity.get("roll").map_or(0.0, float);
                self.gentities[at].class = Class::PortalCamera;
                self.world.entities[at].state.client_num = (roll / 360.0 * 256.0) as i32;
                self.world.entities[at].state.angles = Vec3::ZERO;
                self.world.link(at);
            }
            "shooter_rocket" => self.spawn_shooter(at, weapon::ROCKET),
            "shooter_plasma" => self.spawn_shooter(at, weapon::PLASMA),
            "shooter_grenade" => self.spawn_shooter(at, weapon::GRENADE),
            _ => return false,
        }
        true
    }

    fn spawn_timer(&mut self, at: usize, entity: &MapEntity) {
        const ON: i32 = 1;
        let gentity = &mut self.gentities[at];
        gentity.class = Class::Timer;
        let keys = &mut gentity.keys;
        keys.random = entity.get("random").map_or(1.0, float);
        keys.wait = entity.get("wait").map_or(1.0, float);
        if keys.random >= keys.wait {
            keys.random = keys.wait - 100.0;
        }
        if keys.has_flag(ON) {
            gentity.activator = Some(at);
            self.think_in(at, Think::TimerFires, AIM_MSEC);
        }
    }

    fn spawn_portal(&mut self, at: usize) {
        self.gentities[at].class = Class::PortalSurface;
        let entity = &mut self.world.entities[at];
        entity.sv_flags = sv_flags::PORTAL;
        entity.state.e_type = entity_type::PORTAL;
        entity.state.angles = Vec3::ZERO;
        if self.gentities[at].keys.target.is_empty() {
            // A mirror.
            entity.state.origin2 = entity.state.origin;
        } else {
            self.think_in(at, Think::SetUpPortal, AIM_MSEC);
        }
        self.world.link(at);
    }

    fn spawn_shooter(&mut self, at: usize, weapon: i32) {
        let gentity = &mut self.gentities[at];
        gentity.class = Class::Shooter(weapon);
        gentity.move_dir = move_dir(gentity.keys.angles);
        let degrees = or_default(gentity.keys.random, 1.0);
        gentity.keys.random = libm::sinf(degrees.to_radians());
        let has_target = !gentity.keys.target.is_empty();
        let entity = &mut self.world.entities[at];
        entity.state.weapon = weapon;
        entity.state.angles = Vec3::ZERO;
        if has_target {
            self.think_in(at, Think::AimShooter, SHOOTER_MSEC);
        }
        self.world.link(at);
    }

    fn spawn_trigger(&mut self, at: usize, entity: &MapEntity) -> bool {
        const SPECTATORS_ONLY: i32 = 1;
        const STARTS_OFF: i32 = 1;
        let class = self.gentities[at].keys.class_name.clone();
        let (class, e_type) = match class.as_str() {
            "trigger_multiple" => (Class::Multiple, entity_type::GENERAL),
            "trigger_push" => (Class::Push, entity_type::PUSH_TRIGGER),
            "trigger_teleport" => (Class::Teleport, entity_type::TELEPORT_TRIGGER),
            "trigger_hurt" => (Class::Hurt, entity_type::GENERAL),
            "trigger_always" => {
                self.gentities[at].class = Class::Always;
                self.think_in(at, Think::FireTargets, ALWAYS_MSEC);
                return true;
            }
            _ => return false,
        };
        self.gentities[at].class = class;
        let keys = &mut self.gentities[at].keys;
        let flags = keys.spawn_flags;
        keys.wait = entity.get("wait").map_or(0.5, float);
        if keys.damage == 0 {
            keys.damage = 5;
        }
        if keys.random >= keys.wait && keys.wait >= 0.0 {
            keys.random = keys.wait - 0.1;
        }
        self.set_brush_model(at, entity);
        let slot = &mut self.world.entities[at];
        slot.state.e_type = e_type;
        slot.state.angles = Vec3::ZERO;
        slot.contents = contents::TRIGGER;
        slot.sv_flags = match class {
            Class::Push => 0,
            Class::Teleport if flags & SPECTATORS_ONLY == 0 => 0,
            _ => sv_flags::NO_CLIENT,
        };
        match class {
            Class::Push => {
                self.sound_index("sound/world/jumppad.wav");
                self.think_in(at, Think::AimPad, AIM_MSEC);
            }
            Class::Teleport => {
                self.sound_index("sound/world/jumppad.wav");
            }
            Class::Hurt => {
                self.gentities[at].sound = self.sound_index("sound/world/electro.wav");
            }
            _ => {}
        }
        self.world.link(at);
        if class == Class::Hurt && flags & STARTS_OFF != 0 {
            self.world.unlink(at);
        }
        true
    }

    fn spawn_target(&mut self, at: usize, entity: &MapEntity) -> bool {
        let class = match self.gentities[at].keys.class_name.as_str() {
            "target_give" => Class::Give,
            "target_remove_powerups" => Class::RemovePowerups,
            "target_delay" => Class::Delay,
            "target_print" => Class::Print,
            "target_speaker" => Class::Speaker,
            "target_laser" => Class::Laser,
            "target_score" => Class::Score,
            "target_teleporter" => Class::Teleporter,
            "target_relay" => Class::Relay,
            "target_kill" => Class::Kill,
            "target_push" => Class::TargetPush,
            "target_location" => Class::Location,
            _ => return false,
        };
        self.gentities[at].class = class;
        let keys = &mut self.gentities[at].keys;
        match class {
            Class::Delay => {
                let delay = entity.get("delay").or(entity.get("wait"));
                keys.wait = or_default(delay.map_or(1.0, float), 1.0);
            }
            Class::Score if keys.count == 0 => keys.count = 1,
            Class::Laser => {
                keys.damage = keys.damage.max(1);
                self.think_in(at, Think::StartLaser, AIM_MSEC);
            }
            Class::Location => self.think_in(at, Think::LinkLocations, 2 * AIM_MSEC),
            Class::Speaker => self.spawn_speaker(at, entity),
            Class::TargetPush => self.spawn_target_push(at),
            _ => {}
        }
        true
    }

    fn spawn_speaker(&mut self, at: usize, entity: &MapEntity) {
        const LOOPED_ON: i32 = 1;
        const GLOBAL: i32 = 4;
        let noise = entity.get("noise").unwrap_or_default();
        let path = match noise.contains(".wav") {
            true => noise.to_owned(),
            false => format!("{noise}.wav"),
        };
        // Sounds of players' own models play at the activator's.
        let sound = self.sound_index(&path);
        self.gentities[at].sound = sound;
        let keys = &self.gentities[at].keys;
        let entity = &mut self.world.entities[at];
        let state = &mut entity.state;
        state.e_type = entity_type::SPEAKER;
        state.event_parm = sound;
        state.frame = (keys.wait * 10.0) as i32;
        state.client_num = (keys.random * 10.0) as i32;
        state.angles = Vec3::ZERO;
        if keys.has_flag(LOOPED_ON) {
            state.loop_sound = sound;
        }
        if keys.has_flag(GLOBAL) {
            entity.sv_flags |= sv_flags::BROADCAST;
        }
        self.world.link(at);
    }

    fn spawn_target_push(&mut self, at: usize) {
        const JUMP_PAD_SOUND: i32 = 1;
        let keys = &self.gentities[at].keys;
        let way = move_dir(keys.angles) * or_default(keys.speed, 1000.0);
        let path = match keys.has_flag(JUMP_PAD_SOUND) {
            true => "sound/world/jumppad.wav",
            false => "sound/misc/windfly.wav",
        };
        let has_target = !keys.target.is_empty();
        self.world.entities[at].state.origin2 = way;
        self.gentities[at].sound = self.sound_index(path);
        if has_target {
            self.think_in(at, Think::AimPad, AIM_MSEC);
        }
    }

    /// Chains entities of one team behind the first of them.
    fn find_teams(&mut self) {
        for at in self.in_use(0).collect::<Vec<_>>() {
            let gentity = &self.gentities[at];
            if gentity.keys.team.is_empty() || gentity.team_master.is_some() {
                continue;
            }
            let name = gentity.keys.team.clone();
            self.gentities[at].team_master = Some(at);
            for other in self.in_use(at + 1).collect::<Vec<_>>() {
                let gentity = &self.gentities[other];
                if gentity.team_master.is_some() || gentity.keys.team != name {
                    continue;
                }
                // The newest comes right behind the master.
                self.gentities[other].team_chain = self.gentities[at].team_chain;
                self.gentities[at].team_chain = Some(other);
                self.gentities[other].team_master = Some(at);
                let own_name = std::mem::take(&mut self.gentities[other].keys.target_name);
                if !own_name.is_empty() {
                    self.gentities[at].keys.target_name = own_name;
                }
            }
        }
    }
}
