//! Flat pieces of surfaces: made from brushes and rooms, cut by boxes, and joined without gaps.

use super::brush::Brush;
use super::geometry::{Mapping, ON, Plane, Winding, extent, split, texture_axes};
use crate::materials::{TABLE, Tiling, tiling_of};
use glam::Vec3;

/// A flat piece of a surface.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    pub winding: Winding,
    pub plane: Plane,
    pub material: usize,
    pub mapping: Mapping,
    /// The number of the fog that it is in.
    pub fog: Option<usize>,
}

impl Face {
    /// A face whose picture lies as its material's do.
    pub(crate) fn new(winding: Winding, plane: Plane, material: usize) -> Self {
        let mapping = usual_mapping(&winding, plane.normal, material);
        Self {
            winding,
            plane,
            material,
            mapping,
            fog: None,
        }
    }

    /// Whether light is baked for it.
    pub(crate) fn is_lightmapped(&self) -> bool {
        TABLE[self.material].is_lightmapped()
    }

    /// What of it lies outside a box, and what lies inside.
    pub(crate) fn cut_by(&self, cutter: &Brush) -> (Vec<Self>, Option<Self>) {
        let whole = || (vec![self.clone()], None);
        let mut rest = self.winding.clone();
        let mut outside = Vec::new();
        for side in &cutter.sides {
            let (front, back) = split(&rest, &side.plane);
            // What lies in the plane itself counts as inside.
            let is_in_plane = rest.iter().all(|&p| side.plane.distance(p).abs() <= ON);
            if is_in_plane {
                continue;
            }
            if back.len() < 3 {
                return whole();
            }
            if front.len() >= 3 {
                outside.push(front);
            }
            rest = back;
        }
        let piece = |winding: Winding| Self {
            winding,
            ..self.clone()
        };
        (
            outside.into_iter().map(piece).collect(),
            Some(piece(rest.clone())),
        )
    }
}

fn usual_mapping(winding: &[Vec3], normal: Vec3, material: usize) -> Mapping {
    const WHOLE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
    let axes = texture_axes(normal);
    match tiling_of(material) {
        Tiling::Every(size) => Mapping::repeating(normal, size),
        Tiling::Once => Mapping::once(axes, extent(winding), WHOLE),
        Tiling::Band(length) => {
            let (low, high) = extent(winding);
            let size = high - low;
            // The band runs along the longer side, and its picture's height covers the shorter one.
            let (across, along) = if axes.0.abs().dot(size) >= axes.1.abs().dot(size) {
                (axes.1, axes.0)
            } else {
                (axes.0, axes.1)
            };
            let once = Mapping::once((along, across), (low, high), WHOLE);
            Mapping {
                s: along / length,
                t: once.t,
                offset: [0.0, once.offset[1]],
            }
        }
    }
}

/// What of a brush can be seen.
pub(crate) fn faces_of(brush: &Brush) -> impl Iterator<Item = Face> + '_ {
    let sides = brush.sides.iter().enumerate();
    sides.filter_map(|(number, side)| {
        let is_drawn = !side.bevel && TABLE[side.material].is_drawn();
        let winding = brush.winding(number);
        (is_drawn && winding.len() >= 3).then(|| {
            let face = Face::new(winding, side.plane, side.material);
            Face {
                mapping: side.mapping.unwrap_or(face.mapping),
                ..face
            }
        })
    })
}

/// Points nearer than this to each other, or to an edge, are one with it.
const NEAR: f32 = 0.03;

/// Puts corners on whole units where they nearly are, and a corner into every edge that another face's corner lies on: so no
/// crack is left between what meets.
pub(crate) fn weld(faces: &mut [Face]) {
    for corner in faces.iter_mut().flat_map(|face| &mut face.winding) {
        let whole = corner.round();
        for axis in 0..3 {
            if (corner[axis] - whole[axis]).abs() < NEAR {
                corner[axis] = whole[axis];
            }
        }
    }
    let mut corners: Vec<Vec3> = faces
        .iter()
        .flat_map(|face| face.winding.iter().copied())
        .collect();
    corners.sort_by(|a, b| {
        a.to_array()
            .partial_cmp(&b.to_array())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    corners.dedup();
    for face in faces {
        let (low, high) = extent(&face.winding);
        let (low, high) = (low - NEAR, high + NEAR);
        let first = corners.partition_point(|corner| corner.x < low.x);
        let near: Vec<Vec3> = corners[first..]
            .iter()
            .take_while(|corner| corner.x <= high.x)
            .filter(|corner| corner.cmpge(low).all() && corner.cmple(high).all())
            .copied()
            .collect();
        face.winding = with_corners(&face.winding, &near);
    }
}

fn with_corners(winding: &[Vec3], corners: &[Vec3]) -> Winding {
    let mut joined = Vec::with_capacity(winding.len());
    for (number, &from) in winding.iter().enumerate() {
        let to = winding[(number + 1) % winding.len()];
        joined.push(from);
        let mut on_edge: Vec<(f32, Vec3)> = corners
            .iter()
            .filter_map(|&corner| on_edge(from, to, corner).map(|share| (share, corner)))
            .collect();
        on_edge.sort_by(|a, b| a.0.total_cmp(&b.0));
        joined.extend(on_edge.into_iter().map(|(_, corner)| corner));
    }
    joined
}

/// How far along an edge a point lies that is on it, but at neither end.
pub(crate) fn on_edge(from: Vec3, to: Vec3, point: Vec3) -> Option<f32> {
    let edge = to - from;
    let share = (point - from).dot(edge) / edge.length_squared().max(1e-6);
    let is_inside = (point - from).length() > NEAR && (point - to).length() > NEAR;
    let is_near = (from + edge * share - point).length() <= NEAR;
    (is_inside && is_near && share > 0.0 && share < 1.0).then_some(share)
}
