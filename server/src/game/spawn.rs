//! Entities from the text of a map, and the places it names.

use super::Game;
use crate::{cvars::Cvars, entity::sv_flags};
use glam::Vec3;
use shared::{
    base::text::number,
    bg::numbers::{configstring as cs, entity_type},
    formats::mapents::MapEntity,
};

/// What the base game is called where servers tell their version.
const GAME_VERSION: &str = "baseq3-1";
/// Bit of a teleporter's `spawnflags`: for spectators only.
const SPECTATORS_ONLY: i32 = 1;
/// Bit of a spawn point's `spawnflags`: the first choice of who enters first.
const INITIAL: i32 = 1;

/// Places that the map names.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub spawn_points: Vec<SpawnPoint>,
    /// Where triggers lead, by the names they have.
    pub destinations: Vec<Destination>,
    pub intermission: Option<(Vec3, Vec3)>,
    /// Brushes that throw or teleport players, by entity number, with the names of their targets.
    pub triggers: Vec<TargetedTrigger>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SpawnPoint {
    pub origin: Vec3,
    pub angles: Vec3,
    pub is_initial: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Destination {
    pub name: String,
    pub origin: Vec3,
    pub angles: Vec3,
}

#[derive(Clone, Debug)]
pub(super) struct TargetedTrigger {
    pub entity: usize,
    pub target: String,
    /// Jump pads are aimed in the first frame, when everything has its place.
    pub is_aimed: bool,
}

impl Game {
    pub(super) fn spawn_entities(&mut self, entities: &[MapEntity], cvars: &Cvars) {
        if let Some(world) = entities.first() {
            self.spawn_world(world, cvars);
        }
        for entity in entities.iter().skip(1) {
            if self.is_for_this_game(entity, cvars) {
                self.spawn_entity(entity);
            }
        }
    }

    fn spawn_world(&mut self, world: &MapEntity, cvars: &Cvars) {
        let music = world.get("music").unwrap_or_default().to_owned();
        let message = world.get("message").unwrap_or_default().to_owned();
        let strings = [
            (cs::GAME_VERSION, GAME_VERSION.to_owned()),
            (cs::LEVEL_START_TIME, self.time.to_string()),
            (cs::MUSIC, music),
            (cs::MESSAGE, message),
            (cs::MOTD, cvars.get("g_motd").to_owned()),
        ];
        for (index, text) in strings {
            self.set_configstring(index, text);
        }
    }

    fn is_for_this_game(&self, entity: &MapEntity, cvars: &Cvars) -> bool {
        let is_set = |key: &str| entity.get(key).is_some_and(|value| number(value) != 0);
        let excluded = match cvars.integer("g_gametype") {
            2 => "notsingle",
            3.. => "notteam",
            _ => "notfree",
        };
        !is_set(excluded) && !is_set("notq3a")
    }

    fn spawn_entity(&mut self, entity: &MapEntity) {
        let class = entity.get("classname").unwrap_or_default();
        let origin = entity.vector("origin").unwrap_or_default();
        let angles = angles(entity);
        match class.to_ascii_lowercase().as_str() {
            "info_player_deathmatch" | "info_player_start" => {
                let flags = entity.get("spawnflags").map_or(0, number);
                self.places.spawn_points.push(SpawnPoint {
                    origin,
                    angles,
                    is_initial: flags & INITIAL != 0,
                });
            }
            "info_player_intermission" => self.places.intermission = Some((origin, angles)),
            "trigger_push" => self.spawn_trigger(entity, entity_type::PUSH_TRIGGER),
            "trigger_teleport" => self.spawn_trigger(entity, entity_type::TELEPORT_TRIGGER),
            _ => {}
        }
        if let Some(name) = entity.get("targetname") {
            self.places.destinations.push(Destination {
                name: name.to_owned(),
                origin,
                angles,
            });
        }
    }

    fn spawn_trigger(&mut self, entity: &MapEntity, e_type: i32) {
        let model = entity.get("model").and_then(|name| name.strip_prefix('*'));
        let model = model.and_then(|number| number.parse().ok());
        let (Some(model), Some(at)) = (model, self.world.add_entity()) else {
            return;
        };
        self.world.set_brush_model(at, model);
        let flags = entity.get("spawnflags").map_or(0, number);
        let slot = &mut self.world.entities[at];
        slot.state.e_type = e_type;
        slot.contents = shared::types::trace::contents::TRIGGER;
        let is_hidden = e_type == entity_type::TELEPORT_TRIGGER && flags & SPECTATORS_ONLY != 0;
        slot.sv_flags = if is_hidden { sv_flags::NO_CLIENT } else { 0 };
        self.world.link(at);
        self.places.triggers.push(TargetedTrigger {
            entity: at,
            target: entity.get("target").unwrap_or_default().to_owned(),
            is_aimed: false,
        });
    }
}

fn angles(entity: &MapEntity) -> Vec3 {
    let yaw = || {
        let yaw = entity.get("angle")?.trim().parse().ok()?;
        Some(Vec3::new(0.0, yaw, 0.0))
    };
    entity.vector("angles").or_else(yaw).unwrap_or_default()
}
