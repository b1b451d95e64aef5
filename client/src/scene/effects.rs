//! Polygons and lights that live for one frame.

use super::ShaderId;
use glam::Vec3;
use serde::Serialize;
use smallvec::SmallVec;

/// Most polygons have four corners, and mods add thousands in a frame: those lie in the polygon itself.
pub type PolyVertices = SmallVec<[PolyVertex; 4]>;

/// A convex polygon in the world, drawn as a fan.
#[derive(Clone, Debug, Serialize)]
pub struct Poly {
    pub shader: ShaderId,
    pub vertices: PolyVertices,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct PolyVertex {
    pub position: Vec3,
    pub tex_coord: [f32; 2],
    pub color: [u8; 4],
}

/// A light that brightens world and models around it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DynamicLight {
    pub origin: Vec3,
    /// Units up to which it reaches.
    pub radius: f32,
    /// 0 to 1 each.
    pub color: [f32; 3],
    /// Adds light instead of scaling what is there.
    pub additive: bool,
}
