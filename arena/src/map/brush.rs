//! Convex solids, their polygons, and the bevels that let boxes slide along them.

use super::geometry::{Mapping, ON, Plane, Winding, base_winding, split, texture_axes};
use crate::materials::TABLE;
use glam::Vec3;

/// One side of a [`Brush`]: its plane, facing outwards, and what it wears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    pub plane: Plane,
    pub material: usize,
    pub bevel: bool,
    /// How its picture lies, where it is not as its material's lie.
    pub mapping: Option<Mapping>,
}

/// A convex solid; its first six sides are −X, +X, −Y, +Y, −Z, +Z.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Brush {
    pub sides: Vec<Side>,
    pub material: usize,
    pub mins: Vec3,
    pub maxs: Vec3,
}

/// The outward normals of the six axial sides in the order that files have.
pub(crate) const AXIAL: [Vec3; 6] = [
    Vec3::NEG_X,
    Vec3::X,
    Vec3::NEG_Y,
    Vec3::Y,
    Vec3::NEG_Z,
    Vec3::Z,
];

impl Brush {
    /// A box, all of one material.
    pub(crate) fn cuboid(mins: [i32; 3], maxs: [i32; 3], material: usize) -> Self {
        let (mins, maxs) = (point(mins), point(maxs));
        let sides = AXIAL.iter().map(|&normal| {
            let corner = if normal.min_element() < 0.0 {
                mins
            } else {
                maxs
            };
            Side {
                plane: Plane::through(normal, corner),
                material,
                bevel: false,
                mapping: None,
            }
        });
        Self {
            sides: sides.collect(),
            material,
            mins,
            maxs,
        }
    }

    /// Clothes one of the axial sides, by its number in [`AXIAL`], in a material of its own.
    pub(crate) fn wearing(mut self, side: usize, material: usize) -> Self {
        self.sides[side].material = material;
        self
    }

    /// Lays a part of a picture (left, top, right, bottom) once over an axial side.
    pub(crate) fn showing(mut self, side: usize, material: usize, part: [f32; 4]) -> Self {
        let axes = texture_axes(AXIAL[side]);
        self.sides[side].mapping = Some(Mapping::once(axes, (self.mins, self.maxs), part));
        self.wearing(side, material)
    }

    /// The part of it behind a plane. The plane's side wears the brush's material.
    pub(crate) fn cut(mut self, normal: Vec3, through: Vec3) -> Self {
        let normal = normal.normalize();
        let plane = Plane::through(normal, through);
        self.sides.push(Side {
            plane,
            material: self.material,
            bevel: false,
            mapping: None,
        });
        self.settle();
        self
    }

    /// A box whose top falls from full height at one end to its foot at the other: `falls` is an axis of [`AXIAL`].
    pub(crate) fn ramp(mins: [i32; 3], maxs: [i32; 3], falls: Vec3, material: usize) -> Self {
        let (low, high) = (point(mins), point(maxs));
        let size = high - low;
        let run = falls.abs().dot(size);
        let normal = falls * size.z + Vec3::Z * run;
        let corner = if falls.min_element() < 0.0 { high } else { low };
        Self::cuboid(mins, maxs, material).cut(normal, Vec3::new(corner.x, corner.y, high.z))
    }

    /// Whether it stops light and hides faces.
    pub(crate) fn is_opaque(&self) -> bool {
        TABLE[self.material].contents == 1
    }

    /// The polygon of a side; fewer than three corners where it has none.
    pub(crate) fn winding(&self, side: usize) -> Winding {
        let mut winding = base_winding(&self.sides[side].plane);
        for (other, cutter) in self.sides.iter().enumerate() {
            if other != side && !cutter.bevel && !winding.is_empty() {
                winding = split(&winding, &cutter.plane).1;
            }
        }
        winding
    }

    /// Whether a point lies inside or on it.
    pub(crate) fn holds(&self, point: Vec3) -> bool {
        self.sides
            .iter()
            .all(|side| side.plane.distance(point) <= ON)
    }

    /// Fits bounds and axial sides to the real shape, drops useless sides and adds edge bevels.
    fn settle(&mut self) {
        self.sides.retain(|side| !side.bevel);
        let windings: Vec<Winding> = (0..self.sides.len())
            .map(|side| self.winding(side))
            .collect();
        let points: Vec<Vec3> = windings.iter().flatten().copied().collect();
        self.mins = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        self.maxs = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let mut kept = Vec::new();
        for (side, winding) in self.sides.iter().zip(&windings).skip(6) {
            if winding.len() >= 3 {
                kept.push((*side, winding.clone()));
            }
        }
        for (index, &normal) in AXIAL.iter().enumerate() {
            let corner = if normal.min_element() < 0.0 {
                self.mins
            } else {
                self.maxs
            };
            self.sides[index].plane.dist = normal.dot(corner);
            self.sides[index].bevel = windings[index].len() < 3;
        }
        self.sides.truncate(6);
        self.sides.extend(kept.iter().map(|(side, _)| *side));
        for (side, winding) in kept {
            for (i, &corner) in winding.iter().enumerate() {
                let edge = winding[(i + 1) % winding.len()] - corner;
                self.bevel_edge(edge, corner, &points, side.material);
            }
        }
    }

    fn bevel_edge(&mut self, edge: Vec3, corner: Vec3, points: &[Vec3], material: usize) {
        if edge.length() < 0.5 || edge.normalize().abs().max_element() > 0.9999 {
            return;
        }
        for axis in AXIAL {
            let normal = edge.normalize().cross(axis);
            if normal.length() < 0.5 {
                continue;
            }
            let normal = normal.normalize();
            let plane = Plane::through(normal, corner);
            let known = self.sides.iter().any(|side| side.plane.same(&plane));
            if !known && points.iter().all(|&p| plane.distance(p) < 0.1) {
                self.sides.push(Side {
                    plane,
                    material,
                    bevel: true,
                    mapping: None,
                });
            }
        }
    }
}

/// Whole-unit coordinates as a point.
pub(crate) fn point(p: [i32; 3]) -> Vec3 {
    Vec3::new(p[0] as f32, p[1] as f32, p[2] as f32)
}
