//! Polygons and lights that live for one frame.

use super::ShaderId;
use glam::Vec3;
use serde::Serialize;

/// The polygons of a view. Mods add thousands in a frame, so all corners lie in one list.
#[derive(Clone, Debug, Default)]
pub struct Polys {
    /// Each one's material, and where its corners end.
    ends: Vec<(ShaderId, usize)>,
    vertices: Vec<PolyVertex>,
}

/// A convex polygon in the world, drawn as a fan.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Poly<'a> {
    pub shader: ShaderId,
    pub vertices: &'a [PolyVertex],
}

impl Polys {
    pub fn push(&mut self, shader: ShaderId, vertices: impl IntoIterator<Item = PolyVertex>) {
        self.vertices.extend(vertices);
        self.ends.push((shader, self.vertices.len()));
    }

    /// In the order in which they came.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Poly<'_>> {
        let begins = |index: usize| index.checked_sub(1).map_or(0, |before| self.ends[before].1);
        let ends = self.ends.iter().enumerate();
        ends.map(move |(index, &(shader, end))| Poly {
            shader,
            vertices: &self.vertices[begins(index)..end],
        })
    }
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
