//! The world for prediction: the map plus the solid entities of a snapshot.

use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{World, mover, numbers::entity_type, numeric::Profile, trajectory, triggers::Trigger},
    cm::{ClipMap, Solid, SolidEntity, Sweep},
    types::{
        entitystate::{EntityState, SOLID_BMODEL},
        limits::MAX_CLIENTS,
        snapshot::Snapshot,
        trace::{Trace, contents},
    },
};
use std::sync::Arc;

/// What one snapshot lets a player bump into and set off.
#[derive(Clone, Debug, Default)]
pub struct SolidWorld {
    pub clip: Option<Arc<ClipMap>>,
    solids: Vec<SolidEntity>,
    pub triggers: Vec<Trigger>,
    /// Brushes of jump pads and teleporters: nobody bumps into them, but a server that asks what is at a
    /// point finds them, mostly solid, which lets players jump out of water before them.
    trigger_models: Vec<SolidEntity>,
    /// Where items lie.
    item_places: Vec<Vec3>,
    /// All entities of the snapshot, to find movers that carry the player.
    states: Vec<EntityState>,
    /// How the server computes where they are.
    pub profile: Profile,
}

/// Corners of a box that something is in.
pub type Bounds = [Vec3; 2];

impl SolidWorld {
    /// Takes the entities of a snapshot; returns the places where something changed since the one before.
    pub fn rebuild(&mut self, snapshot: &Snapshot) -> Vec<Bounds> {
        let time = snapshot.server_time;
        let triggers: Vec<Trigger> = snapshot
            .entities
            .iter()
            .filter_map(Trigger::from_entity)
            .collect();
        let solids: Vec<SolidEntity> = snapshot
            .entities
            .iter()
            .filter(|state| Trigger::from_entity(state).is_none())
            .filter_map(|state| self.solid_entity(state, time))
            .collect();
        let mut changed = Vec::new();
        for (old, new) in [(&self.solids, &solids), (&solids, &self.solids)] {
            changed.extend(
                old.iter()
                    .filter(|solid| !new.contains(solid))
                    .map(|solid| self.solid_bounds(solid)),
            );
        }
        let is_same = |a: &Trigger, b: &Trigger| a.entity == b.entity;
        for (old, new) in [(&self.triggers, &triggers), (&triggers, &self.triggers)] {
            let gone = old
                .iter()
                .filter(|trigger| !new.iter().any(|other| is_same(trigger, other)));
            changed.extend(gone.map(|trigger| self.trigger_bounds(&trigger.entity, time)));
        }
        self.solids = solids;
        self.trigger_models = triggers
            .iter()
            .filter_map(|trigger| self.solid_entity(&trigger.entity, time))
            .filter(|solid| matches!(solid.solid, Solid::Model(_)))
            .collect();
        self.item_places = triggers
            .iter()
            .filter(|trigger| trigger.entity.e_type == entity_type::ITEM)
            .map(|trigger| trajectory::position(&trigger.entity.pos, time, self.profile))
            .collect();
        self.triggers = triggers;
        self.states = snapshot.entities.to_vec();
        changed
    }

    /// Whether the map is here; without it nothing is solid.
    pub fn has_map(&self) -> bool {
        self.clip.is_some()
    }

    /// What a line hits in the map and among its solid entities.
    pub fn line(&self, start: Vec3, end: Vec3, pass_entity: i32, mask: u32) -> Trace {
        let sweep = Sweep {
            start,
            end,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            mask,
        };
        World::trace(self, &sweep, pass_entity)
    }

    /// What the map alone has at a point.
    pub fn contents_at(&self, at: Vec3) -> u32 {
        self.clip.as_ref().map_or(0, |clip| clip.point_contents(at))
    }

    fn solid_entity(&self, state: &EntityState, time: ServerTime) -> Option<SolidEntity> {
        let solid = Solid::from_entity(state.solid, state.model_index)?;
        let origin = trajectory::position(&state.pos, time, self.profile);
        let angles = match solid {
            Solid::Model(_) => trajectory::position(&state.apos, time, self.profile),
            Solid::Box { .. } => Vec3::ZERO,
        };
        Some(SolidEntity {
            number: i32::from(state.number),
            solid,
            trace_origin: origin,
            origin,
            angles,
        })
    }

    fn solid_bounds(&self, entity: &SolidEntity) -> Bounds {
        let [mins, maxs] = match entity.solid {
            Solid::Box { mins, maxs } => [mins, maxs],
            Solid::Model(number) => self.model_bounds(number, entity.angles != Vec3::ZERO),
        };
        [entity.origin + mins, entity.origin + maxs]
    }

    fn trigger_bounds(&self, state: &EntityState, time: ServerTime) -> Bounds {
        /// More than an item's box reaches on any side.
        const ITEM_REACH: f32 = 64.0;
        let origin = trajectory::position(&state.pos, time, self.profile);
        match Solid::from_entity(state.solid, state.model_index) {
            Some(Solid::Model(number)) => self
                .model_bounds(number, false)
                .map(|corner| corner + origin),
            _ => [origin - ITEM_REACH, origin + ITEM_REACH],
        }
    }

    /// A turned model may reach as far as its farthest corner on every side.
    fn model_bounds(&self, number: usize, is_turned: bool) -> Bounds {
        let bounds = self
            .clip
            .as_ref()
            .and_then(|clip| clip.model_bounds(number))
            .unwrap_or([Vec3::ZERO; 2]);
        if !is_turned {
            return bounds;
        }
        let reach = Vec3::splat(bounds[0].abs().max(bounds[1].abs()).length());
        [-reach, reach]
    }

    /// Where a mover takes a player who stands on it, and how far it turns.
    pub fn ride(
        &self,
        point: Vec3,
        bounds: Bounds,
        ground: i32,
        from: ServerTime,
        to: ServerTime,
    ) -> (Vec3, Vec3) {
        let carrier = |state: &EntityState| self.carried(point, bounds, (state, from), (state, to));
        match self.state(ground) {
            Some(state) if ground > 0 => carrier(state),
            _ => {
                let before =
                    |state: &EntityState| trajectory::position(&state.pos, from, self.profile);
                self.pusher(point, bounds, before, to)
                    .map_or((point, Vec3::ZERO), carrier)
            }
        }
    }

    /// The mover that runs into a player who does not stand on it; a server moves him along then. `place_before` tells
    /// where a mover was.
    fn pusher(
        &self,
        point: Vec3,
        bounds: Bounds,
        place_before: impl Fn(&EntityState) -> Vec3,
        to: ServerTime,
    ) -> Option<&EntityState> {
        self.states.iter().find(|state| {
            if state.e_type != entity_type::MOVER || state.solid != SOLID_BMODEL {
                return false;
            }
            let place = trajectory::position(&state.pos, to, self.profile);
            let turn = trajectory::position(&state.apos, to, self.profile);
            // What turns while it moves is rare, and seldom runs into anybody.
            place_before(state) != place
                && turn == Vec3::ZERO
                && self.is_inside(state.model_index, point - place, bounds)
        })
    }

    /// Where a mover takes whom it carries, and how far it turns, from one state and time of it to another.
    ///
    /// A server leaves a rider where he is if carrying him along would put him into a wall.
    fn carried(
        &self,
        point: Vec3,
        bounds: Bounds,
        from: (&EntityState, ServerTime),
        to: (&EntityState, ServerTime),
    ) -> (Vec3, Vec3) {
        let moved = mover::ride(point, from, to, self.profile);
        if moved.0 != point && self.is_in_wall(moved.0, bounds) && !self.is_in_wall(point, bounds) {
            return (point, Vec3::ZERO);
        }
        moved
    }

    /// Whether the map itself, not something in it, is in the way of a player's box.
    fn is_in_wall(&self, origin: Vec3, bounds: Bounds) -> bool {
        let sweep = standing(origin, bounds, contents::MASK_PLAYERSOLID);
        self.clip
            .as_ref()
            .is_some_and(|clip| clip.trace_all(&sweep, &[], -1).start_solid)
    }

    /// The same from an older snapshot to this one. A mover may have started or come to
    /// rest between the two, so each is asked where it had the mover.
    pub fn was_carried(
        &self,
        point: Vec3,
        bounds: Bounds,
        ground: i32,
        before: &Snapshot,
        to: ServerTime,
    ) -> Vec3 {
        let older = before
            .entities
            .iter()
            .find(|state| i32::from(state.number) == ground);
        match (older, self.state(ground)) {
            (Some(older), Some(state)) if ground > 0 => {
                let older = (older, before.server_time);
                self.carried(point, bounds, older, (state, to)).0
            }
            _ => self.was_pushed(point, bounds, before, to),
        }
    }

    /// Where a mover has put a player who does not stand on it.
    fn was_pushed(&self, point: Vec3, bounds: Bounds, before: &Snapshot, to: ServerTime) -> Vec3 {
        // One that has come to rest since then no longer tells that it moved.
        let older_of = |state: &EntityState| {
            let mut states = before.entities.iter();
            *states
                .find(|older| older.number == state.number)
                .unwrap_or(state)
        };
        let place_before = |state: &EntityState| {
            trajectory::position(&older_of(state).pos, before.server_time, self.profile)
        };
        let Some(state) = self.pusher(point, bounds, place_before, to) else {
            return point;
        };
        let older = (&older_of(state), before.server_time);
        self.carried(point, bounds, older, (state, to)).0
    }

    /// The entity of this number, as the snapshot has it.
    pub fn state(&self, number: i32) -> Option<&EntityState> {
        self.states
            .iter()
            .find(|state| i32::from(state.number) == number)
    }

    /// Whether a box at a place is inside an inline model where the map has it.
    pub fn is_inside(&self, model: i32, origin: Vec3, bounds: Bounds) -> bool {
        let (Some(clip), Ok(model)) = (&self.clip, usize::try_from(model)) else {
            return false;
        };
        let sweep = standing(origin, bounds, u32::MAX);
        clip.trace_model(&sweep, model).start_solid
    }

    /// To a server that asks what is at a point, the box of everything is a body, of items too.
    fn contents_of_boxes(&self, point: Vec3, pass_entity: i32) -> u32 {
        const ITEM_RADIUS: f32 = 15.0;
        let is_in = |place: Vec3, mins: Vec3, maxs: Vec3| {
            let at = point - place;
            at.cmpge(mins).all() && at.cmple(maxs).all()
        };
        let is_in_player = self.solids.iter().any(|solid| match solid.solid {
            Solid::Box { mins, maxs } if solid.number != pass_entity => {
                is_in(solid.origin, mins, maxs)
            }
            _ => false,
        });
        let is_in_item = || {
            let corner = Vec3::splat(ITEM_RADIUS);
            let mut places = self.item_places.iter();
            places.any(|&place| is_in(place, -corner, corner))
        };
        if is_in_player || is_in_item() {
            contents::BODY
        } else {
            0
        }
    }

    /// The same with nobody else in it.
    pub fn without_players(&self) -> Self {
        let mut empty = self.clone();
        empty.solids.retain(|solid| !is_player(solid.number));
        empty
    }

    /// Whether another player comes near a box.
    pub fn has_player_near(&self, bounds: Bounds) -> bool {
        self.solids_near(bounds).any(is_player)
    }

    /// Solid entities that come near a box.
    pub fn solids_near(&self, [mins, maxs]: Bounds) -> impl Iterator<Item = i32> + '_ {
        self.solids
            .iter()
            .filter(move |solid| overlap(self.solid_bounds(solid), [mins, maxs]))
            .map(|solid| solid.number)
    }
}

impl World for SolidWorld {
    fn trace(&self, sweep: &Sweep, pass_entity: i32) -> Trace {
        match &self.clip {
            Some(clip) => clip.trace_all(sweep, &self.solids, pass_entity),
            None => Trace {
                end: sweep.end,
                ..Trace::default()
            },
        }
    }

    fn point_contents(&self, point: Vec3, pass_entity: i32) -> u32 {
        self.clip.as_ref().map_or(0, |clip| {
            clip.contents_all(point, &self.solids, pass_entity)
                | clip.contents_all(point, &self.trigger_models, pass_entity)
                | self.contents_of_boxes(point, pass_entity)
        })
    }
}

/// A box that stays where it is.
fn standing(origin: Vec3, [mins, maxs]: Bounds, mask: u32) -> Sweep {
    Sweep {
        start: origin,
        end: origin,
        mins,
        maxs,
        mask,
    }
}

fn is_player(number: i32) -> bool {
    (0..MAX_CLIENTS as i32).contains(&number)
}

/// Whether two boxes touch.
pub fn overlap(a: Bounds, b: Bounds) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}
