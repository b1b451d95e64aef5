//! Curves: grids of control points for columns, pipes and rounded corners, and the surface they stand for.

use super::geometry::extent;
use glam::Vec3;

/// A curved surface of quadratic pieces; odd numbers of columns and rows of control points, row after row.
/// It is seen from where columns × rows points to.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub width: usize,
    pub height: usize,
    pub points: Vec<Vec3>,
    pub st: Vec<[f32; 2]>,
    pub material: usize,
    /// Patches with one extent here are simplified alike, so that their common edges fit.
    pub group: (Vec3, Vec3),
    pub fog: Option<usize>,
}

impl Patch {
    /// A profile moved along a straight way; its picture repeats every `size` units.
    pub(crate) fn swept(profile: &[Vec3], way: Vec3, material: usize, size: [f32; 2]) -> Self {
        let mut along = vec![0.0];
        for pair in profile.windows(2) {
            along.push(along[along.len() - 1] + pair[0].distance(pair[1]));
        }
        let (mut points, mut st) = (Vec::new(), Vec::new());
        for row in [0.0, 0.5, 1.0] {
            points.extend(profile.iter().map(|&p| p + way * row));
            let t = way.length() * row / size[1];
            st.extend(along.iter().map(|s| [s / size[0], -t]));
        }
        let group = extent(&points);
        Self {
            width: profile.len(),
            height: 3,
            points,
            st,
            material,
            group,
            fog: None,
        }
    }

    /// A round column or pipe, seen from outside; the picture goes around it a whole number of times.
    pub(crate) fn tube(base: Vec3, way: Vec3, radius: f32, material: usize) -> Self {
        let axis = way.normalize();
        let side = if axis.z.abs() > 0.7 { Vec3::X } else { Vec3::Z };
        let other = axis.cross(side);
        let turns = [
            (1, 0),
            (1, 1),
            (0, 1),
            (-1, 1),
            (-1, 0),
            (-1, -1),
            (0, -1),
            (1, -1),
            (1, 0),
        ];
        let profile: Vec<Vec3> = turns
            .iter()
            .map(|&(a, b)| base + (side * a as f32 + other * b as f32) * radius)
            .collect();
        let around = radius * 8.0;
        let size = around / (around / 96.0).round().max(1.0);
        Self::swept(&profile, way, material, [size, 128.0])
    }

    /// The rounding of the corner between two points, along a way; seen from the side away from the corner.
    pub(crate) fn fillet(ends: [Vec3; 2], corner: Vec3, way: Vec3, material: usize) -> Self {
        let [mut a, mut b] = ends;
        if (b - a).cross(way).dot((a + b) / 2.0 - corner) < 0.0 {
            (a, b) = (b, a);
        }
        Self::swept(&[a, corner, b], way, material, [128.0, 128.0])
    }

    /// What closes the end of a rounded corner: flat between curve and corner, seen from where `normal` points to.
    pub(crate) fn cap(ends: [Vec3; 2], corner: Vec3, normal: Vec3, material: usize) -> Self {
        let [mut a, mut b] = ends;
        if (b - a).cross(corner - (a + b) / 2.0).dot(normal) < 0.0 {
            (a, b) = (b, a);
        }
        let points = vec![
            a,
            corner,
            b,
            (a + corner) / 2.0,
            corner,
            (b + corner) / 2.0,
            corner,
            corner,
            corner,
        ];
        let mapping = super::geometry::Mapping::repeating(normal, [128.0, 128.0]);
        Self {
            width: 3,
            height: 3,
            st: points.iter().map(|&p| mapping.st(p)).collect(),
            group: extent(&points),
            points,
            material,
            fog: None,
        }
    }

    /// The point of the surface at columns and rows counted from 0, and its normal.
    pub(crate) fn at(&self, column: f32, row: f32) -> (Vec3, Vec3) {
        let piece = |at: f32, count: usize| {
            let first = ((at / 2.0).floor().max(0.0) as usize * 2).min(count - 3);
            (first, (at - first as f32) / 2.0)
        };
        let (x, u) = piece(column, self.width);
        let (y, v) = piece(row, self.height);
        let control = |i: usize, j: usize| self.points[(y + j) * self.width + x + i];
        let (mut point, mut by_u, mut by_v) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for j in 0..3 {
            for i in 0..3 {
                point += control(i, j) * (weight(i, u) * weight(j, v));
                by_u += control(i, j) * (slope(i, u) * weight(j, v));
                by_v += control(i, j) * (weight(i, u) * slope(j, v));
            }
        }
        let normal = by_u.cross(by_v).try_normalize();
        (point, normal.unwrap_or_else(|| self.middle_normal()))
    }

    /// For places where edges shrink to a point.
    fn middle_normal(&self) -> Vec3 {
        let [a, b, c] = [0, self.width - 1, (self.height - 1) * self.width].map(|k| self.points[k]);
        (b - a).cross(c - a).try_normalize().unwrap_or(Vec3::Z)
    }

    /// The longest row and the longest column, along the control points.
    pub(crate) fn lengths(&self) -> [f32; 2] {
        let point = |column: usize, row: usize| self.points[row * self.width + column];
        let row = |row: usize| -> f32 {
            (1..self.width)
                .map(|k| point(k, row).distance(point(k - 1, row)))
                .sum()
        };
        let column = |column: usize| -> f32 {
            (1..self.height)
                .map(|k| point(column, k).distance(point(column, k - 1)))
                .sum()
        };
        [
            (0..self.height).map(row).fold(0.0, f32::max),
            (0..self.width).map(column).fold(0.0, f32::max),
        ]
    }
}

/// What the control points of a quadratic piece weigh at a share of it.
fn weight(number: usize, share: f32) -> f32 {
    let rest = 1.0 - share;
    [rest * rest, 2.0 * share * rest, share * share][number]
}

fn slope(number: usize, share: f32) -> f32 {
    [2.0 * share - 2.0, 2.0 - 4.0 * share, 2.0 * share][number]
}
