//! Sight: what bots may ask of a level: the map's places, their own state, and what a player could see.

use super::{
    Game, STATS,
    gentity::{Class, MoverState},
    think::BOT_CLIP,
};
use crate::entity::Entity;
use glam::Vec3;
use shared::{
    bg::{numbers::entity_type, pmove::Settings as MoveSettings},
    types::{limits::ENTITYNUM_NONE, playerstate::PlayerState, trace::contents},
};

/// An inline model that stands in the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Obstacle {
    pub model: usize,
    pub origin: Vec3,
    pub angles: Vec3,
}

/// What carries players up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lift {
    pub entity: usize,
    pub model: usize,
    /// Low and high.
    pub places: [Vec3; 2],
}

/// A door that a button or a trigger opens.
#[derive(Clone, Debug)]
pub(crate) struct OpenableDoor {
    pub entity: usize,
    pub model: usize,
    pub shut_at: Vec3,
    /// Middles of what opens it.
    pub openers: Vec<Vec3>,
}

/// The places of a map that matter to whoever walks through it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Landmarks {
    pub spawns: Vec<Vec3>,
    /// Entity, number in the list of items, place.
    pub items: Vec<(usize, i32, Vec3)>,
    /// Entity and throw.
    pub pads: Vec<(usize, Vec3)>,
    /// Entity and where it leads.
    pub teleporters: Vec<(usize, Vec<Vec3>)>,
    pub hazards: Vec<usize>,
    pub obstacles: Vec<Obstacle>,
    pub lifts: Vec<Lift>,
    pub gates: Vec<OpenableDoor>,
}

/// What a player knows of himself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation<'a> {
    pub state: &'a PlayerState,
    pub is_spectator: bool,
    pub water_level: i32,
    pub respawn_at: i32,
}

impl Situation<'_> {
    pub(crate) fn health(&self) -> i32 {
        self.state.stats[STATS.health]
    }

    pub(crate) fn armor(&self) -> i32 {
        self.state.stats[STATS.armor]
    }

    pub(crate) fn has_weapon(&self, weapon: i32) -> bool {
        self.state.stats[STATS.weapons] & 1 << weapon != 0
    }

    /// Whether it has a weapon that it can fire.
    pub(crate) fn is_loaded(&self, weapon: i32) -> bool {
        self.has_weapon(weapon) && self.state.ammo[weapon as usize] != 0
    }

    pub(crate) fn eye(&self) -> Vec3 {
        self.state.origin + Vec3::Z * self.state.view_height as f32
    }

    pub(crate) fn is_on_ground(&self) -> bool {
        self.state.ground_entity_num != ENTITYNUM_NONE
    }

    /// Neither on the ground nor in water.
    pub(crate) fn is_flying(&self) -> bool {
        !self.is_on_ground() && self.water_level < 2
    }

    pub(crate) fn holdable(&self) -> i32 {
        self.state.stats[STATS.holdable_item]
    }
}

impl Game {
    pub(crate) fn is_bot(&self, client: usize) -> bool {
        self.players.get(client).is_some_and(|one| one.is_bot)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.intermission_at.is_some() || self.has_exited
    }

    pub(crate) fn situation(&self, client: usize) -> Option<Situation<'_>> {
        let player = self.players.get(client)?;
        player.is_in_game.then_some(Situation {
            state: &player.state,
            is_spectator: player.is_spectator(),
            water_level: player.contact.water_level,
            respawn_at: player.life.respawn_at,
        })
    }

    /// Who plays, by client number.
    pub(crate) fn opponents_of(&self, client: usize) -> impl Iterator<Item = usize> {
        let own = self.players[client].team();
        let is_team_game = self.settings.is_team_game();
        (0..self.players.len()).filter(move |&at| {
            let one = &self.players[at];
            at != client && one.is_alive() && !(is_team_game && one.team() == own)
        })
    }

    pub(crate) fn team_of(&self, client: usize) -> i32 {
        self.players[client].team()
    }

    pub(crate) fn game_type(&self) -> i32 {
        self.settings.game_type
    }

    /// Whether an item of the map or of the dead lies there to be taken.
    pub(crate) fn is_item_there(&self, at: usize) -> bool {
        let entity = self.world.entities.get(at);
        entity.is_some_and(|one| {
            one.is_in_use
                && one.state.e_type == entity_type::ITEM
                && one.contents & contents::TRIGGER != 0
        })
    }

    /// Whether the player would be allowed to take it.
    pub(crate) fn can_take(&self, at: usize, client: usize) -> bool {
        let item = &self.world.entities[at].state;
        let (rules, game_type) = (self.settings.rules(), self.settings.game_type);
        shared::bg::pickup::can_grab(rules, game_type, item, &self.players[client].state)
    }

    /// Whether a lift waits below.
    pub(crate) fn is_lift_down(&self, lift: &Lift) -> bool {
        let origin = self.world.entities.get(lift.entity).map(|one| one.origin);
        origin.is_some_and(|origin| (origin.z - lift.places[0].z).abs() < 4.0)
    }

    /// Whether a door has left the place where it is shut.
    pub(crate) fn is_gate_open(&self, gate: &OpenableDoor) -> bool {
        let origin = self.world.entities.get(gate.entity).map(|one| one.origin);
        origin.is_some_and(|origin| origin.distance(gate.shut_at) > 1.0)
    }

    /// How players move here, for trying moves out.
    pub(crate) fn movement(&self) -> (MoveSettings<'static>, PlayerState) {
        let mut settings = self.settings.movement();
        settings.trace_mask = settings.trace_mask & !contents::BODY | BOT_CLIP;
        let mut state = PlayerState {
            client_num: -1,
            gravity: self.settings.gravity,
            speed: self.settings.speed,
            ground_entity_num: ENTITYNUM_NONE,
            ..PlayerState::default()
        };
        state.stats[STATS.health] = 100;
        state.stats[STATS.max_health] = 100;
        (settings, state)
    }

    /// The map's places, once movers, pads and items have theirs.
    pub(crate) fn landmarks(&self) -> Landmarks {
        const SPECTATORS_ONLY: i32 = 1;
        let mut found = Landmarks::default();
        for at in self.in_use(super::BODIES.end) {
            let entity = &self.world.entities[at];
            let gentity = &self.gentities[at];
            match gentity.class {
                Class::Place => {
                    let name = gentity.keys.class_name.as_str();
                    let is_spot = matches!(name, "info_player_deathmatch" | "info_player_start")
                        || name.starts_with("team_ctf_redp")
                        || name.starts_with("team_ctf_bluep")
                        || name.starts_with("team_ctf_reds")
                        || name.starts_with("team_ctf_blues");
                    if is_spot {
                        found.spawns.push(gentity.keys.origin);
                    }
                }
                Class::Item(number) if entity.state.e_type == entity_type::ITEM => {
                    found.items.push((at, number, entity.origin));
                }
                Class::Push if entity.is_linked() => {
                    found.pads.push((at, entity.state.origin2));
                }
                Class::Teleport if !gentity.keys.has_flag(SPECTATORS_ONLY) => {
                    let ends = self.named(&gentity.keys.target);
                    let place = |end: usize| self.gentities[end].keys.origin;
                    let ends = ends.into_iter().map(place).collect();
                    found.teleporters.push((at, ends));
                }
                Class::Hurt if entity.is_linked() => found.hazards.push(at),
                class if class.is_mover() && entity.brush_model.is_some() => {
                    self.sort_mover(at, entity, &mut found);
                }
                _ => {}
            }
        }
        found
    }

    fn sort_mover(&self, at: usize, entity: &Entity, found: &mut Landmarks) {
        /// A lift rises at least so far, and has room for a player.
        const MIN_RISE: f32 = 40.0;
        const MIN_WIDTH: f32 = 40.0;
        let (Some(model), gentity) = (entity.brush_model, &self.gentities[at]) else {
            return;
        };
        let [first, second] = gentity.mover.places;
        let way = second - first;
        let size = entity.maxs - entity.mins;
        let is_lift = matches!(gentity.class, Class::Plat | Class::Door)
            && way.z.abs() > MIN_RISE
            && way.truncate().length() < 8.0
            && size.x.min(size.y) >= MIN_WIDTH
            && size.z < way.z.abs() + 64.0
            && (gentity.class == Class::Plat || way.z > 0.0 && size.z < 48.0);
        if is_lift {
            let mut places = [first, second];
            if way.z < 0.0 {
                places.reverse();
            }
            found.lifts.push(Lift {
                entity: at,
                model,
                places,
            });
            return;
        }
        // Doors open for whoever comes; those that nobody can open count as shut.
        let opens = gentity.class == Class::Door && gentity.keys.target_name.is_empty();
        if gentity.class == Class::Door && !opens && gentity.mover.state == MoverState::At1 {
            let openers = self.openers_of(&gentity.keys.target_name);
            if !openers.is_empty() {
                found.gates.push(OpenableDoor {
                    entity: at,
                    model,
                    shut_at: entity.origin,
                    openers,
                });
                return;
            }
        }
        let is_on_its_way = gentity.class == Class::Train
            || !matches!(gentity.mover.state, MoverState::At1 | MoverState::At2);
        if !opens && !is_on_its_way {
            found.obstacles.push(Obstacle {
                model,
                origin: entity.origin,
                angles: entity.angles,
            });
        }
    }

    /// The middles of buttons and triggers that set off what has a name, by a touch.
    fn openers_of(&self, name: &str) -> Vec<Vec3> {
        let opens = |at: &usize| {
            let gentity = &self.gentities[*at];
            let is_touched = gentity.class == Class::Multiple
                || gentity.class == Class::Button && gentity.keys.health == 0;
            is_touched && gentity.keys.target.eq_ignore_ascii_case(name)
        };
        let middle = |at: usize| {
            let [low, high] = self.world.entities[at].link.as_ref()?.bounds;
            Some((low + high) * 0.5)
        };
        self.in_use(super::BODIES.end)
            .filter(opens)
            .filter_map(middle)
            .collect()
    }
}
