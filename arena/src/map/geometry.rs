//! Planes and flat convex polygons, cut exactly enough for whole-unit maps.

use glam::Vec3;

/// Points nearer to a plane than this lie on it.
pub const ON: f32 = 0.01;

/// All points whose product with the normal is `dist`; the normal points out of what it bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    pub normal: Vec3,
    pub dist: f32,
}

impl Plane {
    /// How far a point lies in front.
    pub fn distance(&self, point: Vec3) -> f32 {
        self.normal.dot(point) - self.dist
    }

    /// The same plane seen from behind.
    pub fn flipped(&self) -> Self {
        Self {
            normal: -self.normal,
            dist: -self.dist,
        }
    }

    /// Whether both are one plane, facing the same way.
    pub fn same(&self, other: &Self) -> bool {
        (self.normal - other.normal).length() < 1e-5 && (self.dist - other.dist).abs() < ON
    }
}

/// Corners in clockwise order, seen from where the normal points to.
pub type Winding = Vec<Vec3>;

/// A square on the plane, larger than any map.
pub fn base_winding(plane: &Plane) -> Winding {
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
pub fn split(winding: &[Vec3], plane: &Plane) -> (Winding, Winding) {
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
pub fn area(winding: &[Vec3]) -> f32 {
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
pub fn middle(winding: &[Vec3]) -> Vec3 {
    winding.iter().copied().sum::<Vec3>() / winding.len().max(1) as f32
}
