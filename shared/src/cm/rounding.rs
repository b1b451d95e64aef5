//! How a server's engine rounds what it computes about planes.

use super::ClipPlane;
use crate::base::{fast_math, math};
use glam::Vec3;

/// In which order sums are taken and how roots are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// As the reference has it written.
    #[default]
    Written,
    /// As ioquake3's builds for x86-64 have it, whose compiler may compute faster than exactly. Found by
    /// counting what agrees with Debian's.
    Fast,
}

impl Rounding {
    /// Shortens or lengthens to length 1, and returns the former length.
    pub(super) fn normalize(self, vector: Vec3) -> (Vec3, f32) {
        let square = vector.dot(vector);
        match self {
            Self::Fast if square.is_normal() => {
                let reciprocal = fast_math::reciprocal_root(square);
                (vector * reciprocal, square * reciprocal)
            }
            Self::Written | Self::Fast => math::normalize(vector),
        }
    }

    /// How far in front of a plane a point is.
    pub(super) fn distance(self, point: Vec3, normal: Vec3, dist: f32) -> f32 {
        let products = point * normal;
        match self {
            Self::Written => ((products.x + products.y) + products.z) - dist,
            Self::Fast => (products.x + products.y) + (products.z - dist),
        }
    }

    /// The distance of a plane as the middle of a box meets it one of whose corners touches it.
    pub(super) fn expanded_dist(self, plane: &ClipPlane, corner: Vec3) -> f32 {
        let products = corner * plane.normal;
        match self {
            Self::Written => plane.dist - ((products.x + products.y) + products.z),
            Self::Fast => (plane.dist - products.z) - (products.x + products.y),
        }
    }
}
