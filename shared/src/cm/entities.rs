//! The solid things that move: inline models and boxes among the entities.

use super::{ClipMap, Sweep};
use crate::types::{
    entitystate::SOLID_BMODEL,
    limits::{ENTITYNUM_NONE, ENTITYNUM_WORLD},
    trace::Trace,
};
use glam::Vec3;

/// The shape of a solid entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// An inline model of the map, by number.
    Model(usize),
    /// A box around the entity's origin.
    Box {
        /// Lowest corner, relative to the origin.
        mins: Vec3,
        /// Highest corner.
        maxs: Vec3,
    },
}

impl Solid {
    /// Decodes an entity state's `solid` and `model_index`; None if the entity is not solid.
    pub fn from_entity(solid: i32, model_index: i32) -> Option<Self> {
        match solid {
            0 => None,
            SOLID_BMODEL => usize::try_from(model_index).ok().map(Self::Model),
            packed => {
                let half_width = (packed & 255) as f32;
                let down = (packed >> 8 & 255) as f32;
                let up = (packed >> 16 & 255) as f32 - 32.0;
                Some(Self::Box {
                    mins: Vec3::new(-half_width, -half_width, -down),
                    maxs: Vec3::new(half_width, half_width, up),
                })
            }
        }
    }
}

/// A solid entity where prediction has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidEntity {
    /// The entity's number.
    pub number: i32,
    /// Its shape.
    pub solid: Solid,
    /// Where traces meet it: movers at the time of physics, others where they are drawn.
    pub trace_origin: Vec3,
    /// Where point queries meet it: as drawn.
    pub origin: Vec3,
    /// As drawn; boxes are never turned.
    pub angles: Vec3,
}

impl ClipMap {
    /// Sweeps a box through the world and the entities, except the one numbered `pass_entity`
    /// (`cg_predict.c`, `CG_Trace`).
    pub fn trace_all(&self, sweep: &Sweep, entities: &[SolidEntity], pass_entity: i32) -> Trace {
        let mut nearest = self.trace(sweep);
        nearest.entity_num = if nearest.fraction == 1.0 {
            ENTITYNUM_NONE
        } else {
            ENTITYNUM_WORLD
        };
        let way = Way::new(sweep);
        for entity in entities {
            if entity.number == pass_entity || self.is_clear(&way, entity) {
                continue;
            }
            let mut hit = self.trace_solid(sweep, entity.solid, entity.trace_origin, entity.angles);
            if hit.all_solid || hit.fraction < nearest.fraction {
                hit.entity_num = entity.number;
                nearest = hit;
            } else if hit.start_solid {
                nearest.start_solid = true;
            }
            if nearest.all_solid {
                break;
            }
        }
        nearest
    }

    /// Whether an entity is too far off the way to be hit; most are, and this is quicker than to try.
    fn is_clear(&self, way: &Way, entity: &SolidEntity) -> bool {
        let [mut mins, mut maxs] = way.middle;
        let (size, low, high) = match entity.solid {
            Solid::Box { mins, maxs } => (way.size, mins, maxs),
            Solid::Model(0) => return false,
            Solid::Model(number) => {
                let Some(cull) = self.model_cull(number) else {
                    return true;
                };
                if entity.angles == Vec3::ZERO {
                    (way.size, cull.mins, cull.maxs)
                } else {
                    // Turned by any angles, model and box stay within these spheres.
                    let radius = Vec3::splat(cull.mins.abs().max(cull.maxs.abs()).length());
                    (Vec3::splat(way.size.length()), -radius, radius)
                }
            }
        };
        mins -= size + CLEARANCE;
        maxs += size + CLEARANCE;
        let (low, high) = (low + entity.trace_origin, high + entity.trace_origin);
        maxs.cmplt(low).any() || mins.cmpgt(high).any()
    }

    /// Contents bits of the world and of inline models among the entities
    /// (`cg_predict.c`, `CG_PointContents`).
    pub fn contents_all(&self, point: Vec3, entities: &[SolidEntity], pass_entity: i32) -> u32 {
        entities
            .iter()
            .filter(|entity| entity.number != pass_entity && entity.solid != Solid::Model(0))
            .fold(self.point_contents(point), |contents, entity| {
                contents | self.solid_contents(point, entity.solid, entity.origin, entity.angles)
            })
    }
}

/// Rounding and the distance kept from surfaces are far less than this.
const CLEARANCE: f32 = 1.0;

/// The space that a sweep needs.
struct Way {
    /// Where the middle of the box goes, from the lowest to the highest coordinates.
    middle: [Vec3; 2],
    /// Half the size of the box.
    size: Vec3,
}

impl Way {
    fn new(sweep: &Sweep) -> Self {
        let offset = (sweep.mins + sweep.maxs) * 0.5;
        let (start, end) = (sweep.start + offset, sweep.end + offset);
        Self {
            middle: [start.min(end), start.max(end)],
            size: (sweep.maxs - offset).abs(),
        }
    }
}
