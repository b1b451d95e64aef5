//! What fills the place at a point.

use super::{ClipBrush, ClipMap, Group, entities::Solid, span};
use crate::base::math::{Axes, rotate};
use glam::Vec3;

impl ClipMap {
    /// Contents bits of all brushes of the world around a point; curves do not count.
    pub fn point_contents(&self, point: Vec3) -> u32 {
        self.group_contents(&self.leafs[self.leaf_at(point)].group, point)
    }

    /// Contents bits of an inline model that was moved and turned; 0 for models that do not exist.
    pub fn model_contents(&self, point: Vec3, model: usize, origin: Vec3, angles: Vec3) -> u32 {
        let Some(found) = self.models.get(model) else {
            return 0;
        };
        let mut point = point - origin;
        if angles != Vec3::ZERO {
            point = rotate(&Axes::from_angles(angles).rows(), point);
        }
        if model == 0 {
            return self.point_contents(point);
        }
        self.group_contents(&found.group, point)
    }

    /// Contents bits of a solid entity; boxes do not count.
    pub fn solid_contents(&self, point: Vec3, solid: Solid, origin: Vec3, angles: Vec3) -> u32 {
        match solid {
            Solid::Model(model) => self.model_contents(point, model, origin, angles),
            Solid::Box { .. } => 0,
        }
    }

    pub(super) fn leaf_at(&self, point: Vec3) -> usize {
        let mut next = 0;
        while let Ok(node) = usize::try_from(next) {
            let node = &self.nodes[node];
            let plane = &node.plane;
            let dist = match plane.axis {
                3 => plane.normal.dot(point) - plane.dist,
                axis => point[usize::from(axis)] - plane.dist,
            };
            next = node.children[usize::from(dist < 0.0)];
        }
        !next as usize
    }

    fn group_contents(&self, group: &Group, point: Vec3) -> u32 {
        let mut contents = 0;
        for &number in &self.leaf_brushes[span(group.brushes)] {
            let brush = &self.brushes[number as usize];
            if may_hold(brush, point)
                && self.sides[span(brush.sides)]
                    .iter()
                    .all(|side| point.dot(side.plane.normal) <= side.plane.dist)
            {
                contents |= brush.cull.contents;
            }
        }
        contents
    }
}

/// The reference grows the point, not the brush, which may round differently.
fn may_hold(brush: &ClipBrush, point: Vec3) -> bool {
    const EPSILON: f64 = 0.125;
    (0..3).all(|axis| {
        let at = f64::from(point[axis]);
        !(f64::from(brush.maxs[axis]) < at - EPSILON || f64::from(brush.mins[axis]) > at + EPSILON)
    })
}
