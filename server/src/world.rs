//! World: the map and the entities in it; links them, and says what a box hits, touches and sees.
//!
//! The order in which entities are found shows in play: who takes an item first, whom an explosion
//! hurts first. So the sectors, and the order within one (newest link first), are the original's.

use crate::entity::{Entity, Link};
use glam::Vec3;
use shared::{
    bg,
    cm::{Areas, ClipMap, Solid, Sweep},
    types::{
        entitystate::SOLID_BMODEL,
        limits::{ENTITYNUM_NONE, ENTITYNUM_WORLD, MAX_CLIENTS},
        trace::{Trace, contents},
    },
};

/// Levels of the tree of sectors.
const SECTOR_DEPTH: usize = 4;
/// Leafs that a box is looked up in.
const MAX_LEAFS: usize = 128;

/// A map with what stands in it.
#[derive(Clone, Debug)]
pub struct World {
    pub map: ClipMap,
    pub areas: Areas,
    /// By number; the slots of clients come first.
    pub entities: Vec<Entity>,
    sectors: Vec<Sector>,
}

/// A node of a tree that halves the map by turns along its longer side.
#[derive(Clone, Debug)]
struct Sector {
    split: Option<Split>,
    /// Newest last.
    linked: Vec<Linked>,
}

/// An entity in a sector, with its bounds: most are looked at only to see that they lie elsewhere.
#[derive(Clone, Copy, Debug)]
struct Linked {
    at: usize,
    bounds: [Vec3; 2],
}

#[derive(Clone, Copy, Debug)]
struct Split {
    axis: usize,
    at: f32,
    /// Above and below.
    children: [usize; 2],
}

impl World {
    pub fn new(map: ClipMap) -> Self {
        let mut sectors = Vec::new();
        let [mins, maxs] = map.model_bounds(0).unwrap_or_default();
        divide(&mut sectors, mins, maxs, 0);
        Self {
            areas: Areas::new(&map),
            entities: (0..MAX_CLIENTS as u16).map(Entity::free).collect(),
            map,
            sectors,
        }
    }

    /// The entity of a number, if there is such a slot.
    pub fn entity(&self, number: i32) -> Option<&Entity> {
        self.entities.get(usize::try_from(number).ok()?)
    }

    /// Takes a slot; at most one above the last.
    pub fn take_slot(&mut self, at: usize) {
        if at == self.entities.len() {
            self.entities.push(Entity::free(at as u16));
        }
        self.unlink(at);
        self.entities[at] = Entity::free(at as u16);
        self.entities[at].is_in_use = true;
    }

    pub fn remove_entity(&mut self, at: usize) {
        self.unlink(at);
        self.entities[at] = Entity::free(at as u16);
    }

    /// Makes an inline model the shape of an entity, solid to everything, and links it.
    pub fn set_brush_model(&mut self, at: usize, model: usize) {
        let Some([mins, maxs]) = self.map.model_bounds(model) else {
            return;
        };
        let entity = &mut self.entities[at];
        entity.brush_model = Some(model);
        entity.state.model_index = model as i32;
        (entity.mins, entity.maxs) = (mins, maxs);
        entity.contents = u32::MAX;
        self.link(at);
    }

    /// Puts an entity where its origin says, and says in its state what it is as an obstacle.
    pub fn link(&mut self, at: usize) {
        self.unlink(at);
        let entity = &mut self.entities[at];
        entity.state.solid = solid_bits(entity);
        let bounds = bounds_of(entity);
        let leafs = self.map.leafs_in_box(bounds[0], bounds[1], MAX_LEAFS);
        // Outside of the map it is nowhere.
        if leafs.is_empty() {
            return;
        }
        let mut sector = 0;
        while let Some(split) = self.sectors[sector].split {
            if bounds[0][split.axis] > split.at {
                sector = split.children[0];
            } else if bounds[1][split.axis] < split.at {
                sector = split.children[1];
            } else {
                break;
            }
        }
        self.sectors[sector].linked.push(Linked { at, bounds });
        self.entities[at].link = Some(Link::new(bounds, sector, &leafs));
    }

    pub fn unlink(&mut self, at: usize) {
        if let Some(link) = self.entities[at].link.take() {
            self.sectors[link.sector]
                .linked
                .retain(|linked| linked.at != at);
        }
    }

    /// The linked entities whose bounds touch a box.
    pub fn entities_in_box(&self, mins: Vec3, maxs: Vec3) -> Vec<usize> {
        let mut found = Vec::new();
        // Of each pair of children one waits while the other is looked through.
        let mut waiting = [0; SECTOR_DEPTH + 2];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let sector = &self.sectors[waiting[count]];
            for linked in sector.linked.iter().rev() {
                let [low, high] = linked.bounds;
                if low.cmple(maxs).all() && high.cmpge(mins).all() {
                    found.push(linked.at);
                }
            }
            let Some(split) = sector.split else { continue };
            if mins[split.axis] < split.at {
                waiting[count] = split.children[1];
                count += 1;
            }
            if maxs[split.axis] > split.at {
                waiting[count] = split.children[0];
                count += 1;
            }
        }
        found
    }

    /// What a sweep hits first of the map and the entities, but for one entity, what that owns and
    /// whose it is.
    pub fn trace(&self, sweep: &Sweep, pass_entity: i32) -> Trace {
        let mut nearest = self.map.trace(sweep);
        nearest.entity_num = match nearest.fraction == 1.0 {
            true => ENTITYNUM_NONE,
            false => ENTITYNUM_WORLD,
        };
        if nearest.fraction == 0.0 {
            return nearest;
        }
        let mins = sweep.start.min(sweep.end) + sweep.mins - Vec3::ONE;
        let maxs = sweep.start.max(sweep.end) + sweep.maxs + Vec3::ONE;
        let pass_owner = self
            .entity(pass_entity)
            .map_or(ENTITYNUM_NONE, |one| one.owner);
        for at in self.entities_in_box(mins, maxs) {
            if nearest.all_solid {
                break;
            }
            let entity = &self.entities[at];
            let is_passed = at as i32 == pass_entity
                || pass_entity != ENTITYNUM_NONE && entity.owner == pass_entity
                || pass_owner != ENTITYNUM_NONE && entity.owner == pass_owner;
            if is_passed || entity.contents & sweep.mask == 0 {
                continue;
            }
            let (solid, angles) = shape(entity);
            let mut part = *sweep;
            if entity.brush_model.is_none() {
                // A box stops what its contents stop; to the map's code every box is a body.
                part.mask = contents::BODY;
            }
            let mut hit = self.map.trace_solid(&part, solid, entity.origin, angles);
            hit.entity_num = at as i32;
            let (all_solid, start_solid) = (hit.all_solid, hit.start_solid);
            if hit.fraction < nearest.fraction {
                hit.start_solid |= nearest.start_solid;
                nearest = hit;
            }
            nearest.all_solid |= all_solid;
            nearest.start_solid |= start_solid || all_solid;
        }
        nearest
    }

    /// Contents bits of the map and the entities at a point, but for one entity.
    pub fn point_contents(&self, point: Vec3, pass_entity: i32) -> u32 {
        let found = self.entities_in_box(point, point);
        let others = found.into_iter().filter(|at| *at as i32 != pass_entity);
        others.fold(self.map.point_contents(point), |all, at| {
            let entity = &self.entities[at];
            all | match entity.brush_model {
                Some(model) => self
                    .map
                    .model_contents(point, model, entity.origin, entity.angles),
                None if is_inside(entity, point) => contents::BODY,
                None => 0,
            }
        })
    }

    /// Whether a box that stands still touches the shape of an entity.
    pub fn is_in_contact(&self, mins: Vec3, maxs: Vec3, at: usize) -> bool {
        let entity = &self.entities[at];
        let (solid, angles) = shape(entity);
        let middle = (mins + maxs) * 0.5;
        let sweep = Sweep {
            start: middle,
            end: middle,
            mins: mins - middle,
            maxs: maxs - middle,
            mask: u32::MAX,
        };
        let trace = self.map.trace_solid(&sweep, solid, entity.origin, angles);
        trace.start_solid
    }
}

impl bg::world::World for World {
    fn trace(&self, sweep: &Sweep, pass_entity: i32) -> Trace {
        World::trace(self, sweep, pass_entity)
    }

    fn point_contents(&self, point: Vec3, pass_entity: i32) -> u32 {
        World::point_contents(self, point, pass_entity)
    }
}

fn shape(entity: &Entity) -> (Solid, Vec3) {
    match entity.brush_model {
        Some(model) => (Solid::Model(model), entity.angles),
        None => {
            let (mins, maxs) = (entity.mins, entity.maxs);
            (Solid::Box { mins, maxs }, Vec3::ZERO)
        }
    }
}

/// Whether a point is in the box of an entity.
fn is_inside(entity: &Entity, point: Vec3) -> bool {
    let from_origin = point - entity.origin;
    from_origin.cmpge(entity.mins).all() && from_origin.cmple(entity.maxs).all()
}

/// The shape as entity states hold it, for prediction.
fn solid_bits(entity: &Entity) -> i32 {
    if entity.brush_model.is_some() {
        return SOLID_BMODEL;
    }
    if entity.contents & (contents::SOLID | contents::BODY) == 0 {
        return 0;
    }
    // Boxes are taken as symmetric and whole.
    let part = |length: f32| (length as i32).clamp(1, 255);
    part(entity.maxs.x) | part(-entity.mins.z) << 8 | part(entity.maxs.z + 32.0) << 16
}

fn bounds_of(entity: &Entity) -> [Vec3; 2] {
    if entity.brush_model.is_some() && entity.angles != Vec3::ZERO {
        // However it is turned, it stays within this.
        let radius = entity.mins.abs().max(entity.maxs.abs()).length() + 1.0;
        return [entity.origin - radius, entity.origin + radius];
    }
    [
        entity.origin + entity.mins - Vec3::ONE,
        entity.origin + entity.maxs + Vec3::ONE,
    ]
}

fn divide(sectors: &mut Vec<Sector>, mins: Vec3, maxs: Vec3, depth: usize) -> usize {
    let number = sectors.len();
    sectors.push(Sector {
        split: None,
        linked: Vec::new(),
    });
    if depth < SECTOR_DEPTH {
        let size = maxs - mins;
        let axis = usize::from(size.x <= size.y);
        let at = 0.5 * (maxs[axis] + mins[axis]);
        let (mut above, mut below) = (mins, maxs);
        (above[axis], below[axis]) = (at, at);
        let children = [
            divide(sectors, above, maxs, depth + 1),
            divide(sectors, mins, below, depth + 1),
        ];
        sectors[number].split = Some(Split { axis, at, children });
    }
    number
}
