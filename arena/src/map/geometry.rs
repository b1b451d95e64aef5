//! Planes and flat convex polygons, cut exactly enough for whole-unit maps, and how pictures lie on them.

use glam::Vec3;

/// Points nearer to a plane than this lie on it.
pub(crate) const ON: f32 = 0.01;

/// All points whose product with the normal is `dist`; the normal points out of what it bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub normal: Vec3,
    pub dist: f32,
}

impl Plane {
    /// The plane with this normal that a point lies on.
    pub(crate) fn through(normal: Vec3, point: Vec3) -> Self {
        let dist = normal.dot(point);
        Self { normal, dist }
    }

    /// How far a point lies in front.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        self.normal.dot(point) - self.dist
    }

    /// The same plane seen from behind.
    pub(crate) fn flipped(&self) -> Self {
        Self {
            normal: -self.normal,
            dist: -self.dist,
        }
    }

    /// Whether both are one plane, facing the same way.
    pub(crate) fn same(&self, other: &Self) -> bool {
        (self.normal - other.normal).length() < 1e-5 && (self.dist - other.dist).abs() < ON
    }
}

/// How a picture lies on a surface: its coordinates are products with two vectors, moved by an offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mapping {
    pub s: Vec3,
    pub t: Vec3,
    pub offset: [f32; 2],
}

impl Mapping {
    /// A picture that repeats every `size` units, from the world's origin.
    pub(crate) fn repeating(normal: Vec3, size: [f32; 2]) -> Self {
        let (s, t) = texture_axes(normal);
        Self {
            s: s / size[0],
            t: t / size[1],
            offset: [0.0; 2],
        }
    }

    /// A part of a picture (left, top, right, bottom) once over all between two corners.
    pub(crate) fn once((s, t): (Vec3, Vec3), (low, high): (Vec3, Vec3), part: [f32; 4]) -> Self {
        let along = |axis: Vec3, from: f32, to: f32| {
            let (a, b) = (axis.dot(low), axis.dot(high));
            let factor = (to - from) / (b - a).abs().max(1.0);
            (axis * factor, from - a.min(b) * factor)
        };
        let (s, s0) = along(s, part[0], part[2]);
        let (t, t0) = along(t, part[1], part[3]);
        Self {
            s,
            t,
            offset: [s0, t0],
        }
    }

    /// Where a point lies on the picture.
    pub(crate) fn st(&self, point: Vec3) -> [f32; 2] {
        [
            self.s.dot(point) + self.offset[0],
            self.t.dot(point) + self.offset[1],
        ]
    }
}

/// The directions along which pictures lie on a plane: walls upright, floors by the compass.
pub(crate) fn texture_axes(normal: Vec3) -> (Vec3, Vec3) {
    let a = normal.abs();
    if a.z >= a.x && a.z >= a.y {
        (Vec3::X, Vec3::NEG_Y)
    } else if a.x >= a.y {
        (Vec3::Y * normal.x.signum(), Vec3::NEG_Z)
    } else {
        (Vec3::NEG_X * normal.y.signum(), Vec3::NEG_Z)
    }
}

/// Least and greatest coordinates of some points.
pub(crate) fn extent(points: &[Vec3]) -> (Vec3, Vec3) {
    points
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), &p| {
            (low.min(p), high.max(p))
        })
}

/// Corners in clockwise order, seen from where the normal points to.
pub(crate) type Winding = Vec<Vec3>;

/// A square on the plane, larger than any map.
pub(crate) fn base_winding(plane: &Plane) -> Winding {
    let up = if plane.normal.z.abs() > 0.7 {
        Vec3::Y
    } else {
        Vec3::Z
    };
    let right = up.cross(plane.normal).normalize() * 16384.0;
    let up = plane.normal.cross(right);
    let middle = plane.normal * plane.dist;
    vec![
        middle - right + up,
        middle + right + up,
        middle + right - up,
        middle - right - up,
    ]
}

/// What lies in front of and behind a plane; an empty list where nothing does.
pub(crate) fn split(winding: &[Vec3], plane: &Plane) -> (Winding, Winding) {
    let far: Vec<f32> = winding.iter().map(|&point| plane.distance(point)).collect();
    if far.iter().all(|&d| d > -ON) {
        return (winding.to_vec(), Vec::new());
    }
    if far.iter().all(|&d| d < ON) {
        return (Vec::new(), winding.to_vec());
    }
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for (i, &point) in winding.iter().enumerate() {
        let next = (i + 1) % winding.len();
        if far[i] > -ON {
            front.push(point);
        }
        if far[i] < ON {
            back.push(point);
        }
        if (far[i] >= ON && far[next] <= -ON) || (far[i] <= -ON && far[next] >= ON) {
            let cut = point + (winding[next] - point) * (far[i] / (far[i] - far[next]));
            front.push(cut);
            back.push(cut);
        }
    }
    (front, back)
}

/// The area of a flat polygon.
pub(crate) fn area(winding: &[Vec3]) -> f32 {
    let Some((&first, rest)) = winding.split_first() else {
        return 0.0;
    };
    rest.windows(2)
        .map(|pair| (pair[0] - first).cross(pair[1] - first))
        .sum::<Vec3>()
        .length()
        * 0.5
}

/// The mean of the corners.
pub(crate) fn middle(winding: &[Vec3]) -> Vec3 {
    winding.iter().copied().sum::<Vec3>() / winding.len().max(1) as f32
}
