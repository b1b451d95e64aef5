//! Convex polygons on a plane that planes cut smaller.

use crate::{cm::Rounding, types::trace::Plane};
use glam::Vec3;

/// Half the side of the square to begin with: larger than any map.
const HALF_SIDE: f32 = 65_535.0;
/// Points this close to a plane lie on it.
const ON_EPSILON: f32 = 0.1;

/// A convex polygon.
#[derive(Clone, Debug)]
pub(super) struct Winding {
    pub points: Vec<Vec3>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Front,
    Back,
    On,
}

impl Winding {
    /// A square on the plane that reaches beyond every map (`cm_polylib.c`, `BaseWindingForPlane`).
    pub(super) fn on_plane(plane: &Plane, rounding: Rounding) -> Self {
        let normal = plane.normal;
        let sizes = normal.abs();
        let steep = sizes.z > sizes.x && sizes.z > sizes.y;
        let up = if steep { Vec3::X } else { Vec3::Z };
        let up = up + normal * -up.dot(normal);
        let (up, _) = rounding.normalize(up);
        let middle = normal * plane.dist;
        let right = up.cross(normal) * HALF_SIDE;
        let up = up * HALF_SIDE;
        Self {
            points: vec![
                (middle - right) + up,
                (middle + right) + up,
                (middle + right) - up,
                (middle - right) - up,
            ],
        }
    }

    /// What lies in front of the plane; None if nothing does (`cm_polylib.c`, `ChopWindingInPlace`).
    pub(super) fn chop(self, plane: &Plane) -> Option<Self> {
        let dists: Vec<f32> = self
            .points
            .iter()
            .map(|point| point.dot(plane.normal) - plane.dist)
            .collect();
        let side = |dist: f32| {
            if dist > ON_EPSILON {
                Side::Front
            } else if dist < -ON_EPSILON {
                Side::Back
            } else {
                Side::On
            }
        };
        if !dists.iter().any(|&dist| side(dist) == Side::Front) {
            return None;
        }
        if !dists.iter().any(|&dist| side(dist) == Side::Back) {
            return Some(self);
        }
        let mut points = Vec::with_capacity(self.points.len() + 4);
        for (index, &point) in self.points.iter().enumerate() {
            let next = (index + 1) % self.points.len();
            let here = side(dists[index]);
            if here != Side::Back {
                points.push(point);
            }
            let there = side(dists[next]);
            if here != Side::On && there != Side::On && there != here {
                let way = dists[index] / (dists[index] - dists[next]);
                points.push(crossing(plane, point, self.points[next], way));
            }
        }
        Some(Self { points })
    }

    pub(super) fn bounds(&self) -> [Vec3; 2] {
        let mut mins = Vec3::splat(HALF_SIDE);
        let mut maxs = Vec3::splat(-HALF_SIDE);
        for &point in &self.points {
            mins = mins.min(point);
            maxs = maxs.max(point);
        }
        [mins, maxs]
    }
}

/// The point on the edge from `a` to `b`, exact where the plane is axial.
fn crossing(plane: &Plane, a: Vec3, b: Vec3, way: f32) -> Vec3 {
    let component = |normal: f32, a: f32, b: f32| {
        if normal == 1.0 {
            plane.dist
        } else if normal == -1.0 {
            -plane.dist
        } else {
            a + way * (b - a)
        }
    };
    let normal = plane.normal;
    Vec3::new(
        component(normal.x, a.x, b.x),
        component(normal.y, a.y, b.y),
        component(normal.z, a.z, b.z),
    )
}
