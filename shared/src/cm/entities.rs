//! The solid things that move: inline models and boxes among the entities.

use super::{ClipMap, Sweep};
use crate::types::{
    limits::{ENTITYNUM_NONE, ENTITYNUM_WORLD},
    trace::Trace,
};
use glam::Vec3;

/// The shape of a solid entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// An inline model of the map, by number.
    Model(usize),
    Box {
        mins: Vec3,
        maxs: Vec3,
    },
}

impl Solid {
    /// Decodes an entity state's `solid` and `model_index`; None if the entity is not solid.
    pub fn from_entity(solid: i32, model_index: i32) -> Option<Self> {
        /// Says that the shape is an inline model.
        const BMODEL: i32 = 0xFF_FFFF;
        match solid {
            0 => None,
            BMODEL => usize::try_from(model_index).ok().map(Self::Model),
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
    pub number: i32,
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
        for entity in entities {
            if entity.number == pass_entity {
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
