//! ClipMap: the solid side of a map, and what boxes hit when they move through it.
//!
//! [`ClipMap::new`] builds it from a [`crate::formats::bsp::Bsp`]; `trace` sweeps boxes, `contents` answers
//! point queries, `patch` makes curves solid, `entities` adds the things that move. All arithmetic is plain
//! `f32` in the reference's order, with `f64` where its constants made the compiler use it: a player's own
//! prediction has to agree with the server to the last bit.

mod areas;
mod contents;
pub mod entities;
mod load;
pub mod marks;
pub mod patch;
mod patch_trace;
mod rounding;
mod trace;

pub use crate::types::trace::Sweep;
pub use areas::{Areas, BoxLeaf};
pub use entities::{Solid, SolidEntity};
pub use rounding::Rounding;

use crate::formats::bsp::Visibility;
use glam::Vec3;

/// The solid parts of one map.
#[derive(Clone, Debug)]
pub struct ClipMap {
    rounding: Rounding,
    nodes: Vec<ClipNode>,
    leafs: Vec<ClipLeaf>,
    leaf_brushes: Vec<u32>,
    leaf_patches: Vec<u32>,
    brushes: Vec<ClipBrush>,
    sides: Vec<ClipSide>,
    patches: Vec<ClipPatch>,
    facets: Vec<ClipFacet>,
    borders: Vec<ClipBorder>,
    models: Vec<ClipModel>,
    visibility: Option<Visibility>,
}

/// A plane with what tests ask again and again.
#[derive(Clone, Copy, Debug)]
struct ClipPlane {
    normal: Vec3,
    dist: f32,
    /// Bit k is set if component k of the normal is negative.
    sign_bits: u8,
    /// The axis of a normal along +X, +Y or +Z, else 3.
    axis: u8,
}

#[derive(Clone, Copy, Debug)]
struct ClipNode {
    plane: ClipPlane,
    /// Front and back; negative c is leaf −1−c.
    children: [i32; 2],
    /// Around everything solid below.
    cull: Cull,
}

#[derive(Clone, Copy, Debug)]
struct ClipLeaf {
    cluster: i32,
    area: i32,
    group: Group,
}

/// The solid things of a leaf or of an inline model.
#[derive(Clone, Copy, Debug)]
struct Group {
    cull: Cull,
    /// First and end in `leaf_brushes`.
    brushes: [u32; 2],
    /// First and end in `leaf_patches`.
    patches: [u32; 2],
}

/// A box such that a sweep which stays well clear of it meets nothing of what it stands for, and the contents
/// to be found there.
///
/// Our own addition to the reference's tests: whatever is culled by it could not have changed the answer.
#[derive(Clone, Copy, Debug)]
struct Cull {
    mins: Vec3,
    maxs: Vec3,
    contents: u32,
}

/// The bounds test of the reference (bounds grown by 0.125 in `f64`) as a plain comparison: the limits are
/// rounded inwards so that no `f32` lies between them and the `f64` ones.
#[derive(Clone, Copy, Debug)]
struct Reach {
    mins: Vec3,
    maxs: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct ClipBrush {
    cull: Cull,
    mins: Vec3,
    maxs: Vec3,
    reach: Reach,
    /// First and end in `sides`.
    sides: [u32; 2],
}

#[derive(Clone, Copy, Debug)]
struct ClipSide {
    plane: ClipPlane,
    surface_flags: u32,
}

#[derive(Clone, Copy, Debug)]
struct ClipPatch {
    cull: Cull,
    reach: Reach,
    surface_flags: u32,
    /// First and end in `facets`.
    facets: [u32; 2],
}

#[derive(Clone, Copy, Debug)]
struct ClipFacet {
    cull: Cull,
    plane: ClipPlane,
    /// First and end in `borders`.
    borders: [u32; 2],
}

/// A border's plane, turned outwards if it faced inwards.
#[derive(Clone, Copy, Debug)]
struct ClipBorder {
    /// With the sign bits of the plane before turning.
    plane: ClipPlane,
    inward: bool,
}

#[derive(Clone, Copy, Debug)]
struct ClipModel {
    mins: Vec3,
    maxs: Vec3,
    group: Group,
}

impl ClipMap {
    /// How many models there are, the world included.
    pub fn model_count(&self) -> usize {
        self.models.len()
    }

    /// The box around a model, one unit larger on every side as the reference has it.
    pub fn model_bounds(&self, model: usize) -> Option<[Vec3; 2]> {
        let model = self.models.get(model)?;
        Some([model.mins, model.maxs])
    }

    fn model_cull(&self, model: usize) -> Option<&Cull> {
        Some(&self.models.get(model)?.group.cull)
    }

    /// The cluster that holds a point; negative outside of the playable space.
    pub fn cluster_at(&self, point: Vec3) -> i32 {
        self.leafs[self.leaf_at(point)].cluster
    }

    /// Whether something in cluster `to` may be seen from cluster `from`.
    pub fn cluster_sees(&self, from: i32, to: i32) -> bool {
        self.visibility
            .as_ref()
            .is_none_or(|visibility| visibility.sees(from, to))
    }
}

fn span([first, end]: [u32; 2]) -> std::ops::Range<usize> {
    first as usize..end as usize
}
