//! The list of distinct planes of one curve.

use super::PatchError;
use crate::{cm::Rounding, types::trace::Plane};
use glam::Vec3;

/// Points this close to a plane lie on it.
const PLANE_TRI_EPSILON: f64 = 0.1;
const NORMAL_EPSILON: f64 = 0.0001;
const DIST_EPSILON: f64 = 0.02;
/// Most planes of one curve.
const MAX_PATCH_PLANES: usize = 4096;

/// Most work for one curve; a real one needs a hundredth.
const MAX_CURVE_WORK: u64 = 1 << 26;
/// What the cutting of polygons around a search costs, in comparisons.
const CALL_WORK: u64 = 100;

/// Planes in order of creation.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaneList {
    pub rounding: Rounding,
    pub planes: Vec<Plane>,
    /// A measure of the time spent, in comparisons of planes.
    pub work: u64,
}

/// On which side of a plane a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointSide {
    Front,
    Back,
    On,
}

/// How two planes agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Facing {
    Same,
    Flipped,
}

impl PlaneList {
    /// The plane through three points, an old one if it fits (`cm_patch.c`, `CM_FindPlane`).
    pub(super) fn through(&mut self, [a, b, c]: [Vec3; 3]) -> Result<Option<usize>, PatchError> {
        let (normal, length) = self.rounding.normalize((c - a).cross(b - a));
        if length == 0.0 {
            return Ok(None);
        }
        let plane = Plane {
            normal,
            dist: a.dot(normal),
        };
        self.begin_search()?;
        let near = |old: &Plane, point: Vec3| {
            let dist = f64::from(point.dot(old.normal) - old.dist);
            (-PLANE_TRI_EPSILON..=PLANE_TRI_EPSILON).contains(&dist)
        };
        // A negated comparison would differ for NaN only, which finite points cannot produce.
        let found = self.planes.iter().position(|old| {
            normal.dot(old.normal) >= 0.0 && near(old, a) && near(old, b) && near(old, c)
        });
        match found {
            Some(index) => Ok(Some(index)),
            None => self.append(plane).map(Some),
        }
    }

    /// The place of a plane, an old one if it is nearly equal (`cm_patch.c`, `CM_FindPlane2`).
    pub(super) fn find_or_add(&mut self, plane: Plane) -> Result<(usize, Facing), PatchError> {
        self.begin_search()?;
        for (index, old) in self.planes.iter().enumerate() {
            if let Some(facing) = nearly_equal(old, &plane) {
                return Ok((index, facing));
            }
        }
        Ok((self.append(plane)?, Facing::Same))
    }

    fn begin_search(&mut self) -> Result<(), PatchError> {
        self.work += CALL_WORK + self.planes.len() as u64;
        if self.work > MAX_CURVE_WORK {
            return Err(PatchError("it takes too long to build"));
        }
        Ok(())
    }

    pub(super) fn side(&self, point: Vec3, plane: Option<usize>) -> PointSide {
        let Some(plane) = plane else {
            return PointSide::On;
        };
        let plane = &self.planes[plane];
        let dist = f64::from(point.dot(plane.normal) - plane.dist);
        if dist > PLANE_TRI_EPSILON {
            PointSide::Front
        } else if dist < -PLANE_TRI_EPSILON {
            PointSide::Back
        } else {
            PointSide::On
        }
    }

    fn append(&mut self, plane: Plane) -> Result<usize, PatchError> {
        if self.planes.len() == MAX_PATCH_PLANES {
            return Err(PatchError("it needs more than 4096 planes"));
        }
        self.planes.push(plane);
        Ok(self.planes.len() - 1)
    }
}

/// Whether two planes are almost the same or almost opposite.
pub(super) fn nearly_equal(old: &Plane, new: &Plane) -> Option<Facing> {
    let equal = |normal: Vec3, dist: f32| {
        let difference = old.normal - normal;
        f64::from(difference.x.abs()) < NORMAL_EPSILON
            && f64::from(difference.y.abs()) < NORMAL_EPSILON
            && f64::from(difference.z.abs()) < NORMAL_EPSILON
            && f64::from((old.dist - dist).abs()) < DIST_EPSILON
    };
    if equal(new.normal, new.dist) {
        Some(Facing::Same)
    } else if equal(-new.normal, -new.dist) {
        Some(Facing::Flipped)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_for_one_curve_ends() {
        let mut list = PlaneList {
            work: MAX_CURVE_WORK,
            ..PlaneList::default()
        };
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert!(list.through(corners).is_err());
        assert!(list.find_or_add(Plane::default()).is_err());
        list.work = 0;
        assert_eq!(list.through(corners), Ok(Some(0)));
        assert!(list.work > 0);
    }
}
