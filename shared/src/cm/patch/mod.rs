//! Turns a curved surface into facets to collide with.
//!
//! The curve becomes a grid of points (`grid`), each cell of the grid one or two flat facets. A facet is a
//! plane and the borders which cut it out; further "bevel" borders keep boxes from catching on its edges.
//! Servers build the same facets from the same numbers, and a player stands on them: every operation is
//! in the reference's order (`cm_patch.c`), down to the order in which planes enter the list.

mod facets;
mod grid;
mod planes;
mod winding;

use super::Rounding;
use crate::types::trace::Plane;
use glam::Vec3;

/// Why a curve cannot be built; the sentence continues "the curve is too large: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchError(pub &'static str);

/// The facets of one curve.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The box around all points, one unit larger on every side.
    pub bounds: [Vec3; 2],
    /// All planes, by the indices in facets and borders.
    pub planes: Vec<Plane>,
    /// The flat pieces.
    pub facets: Vec<Facet>,
    /// A measure of the time that building it took, in comparisons of planes.
    pub work: u64,
}

/// A flat piece of a curve, solid behind its plane and within its borders.
#[derive(Clone, Debug)]
pub struct Facet {
    /// Index of its plane.
    pub surface: usize,
    /// Its edges.
    pub borders: Vec<Border>,
}

/// An edge of a facet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border {
    /// Index of its plane.
    pub plane: usize,
    /// The plane faces the facet and has to be turned around.
    pub inward: bool,
}

impl Border {
    /// Normal and distance of its plane, facing away from the facet.
    pub fn outward(&self, planes: &[Plane]) -> (Vec3, f32) {
        let plane = &planes[self.plane];
        if self.inward {
            (-plane.normal, -plane.dist)
        } else {
            (plane.normal, plane.dist)
        }
    }
}

/// Builds the facets of a curve whose control points come row after row.
///
/// # Errors
/// The curve would take too many planes, facets or too much work.
pub fn build(width: usize, points: &[Vec3], rounding: Rounding) -> Result<Patch, PatchError> {
    let grid = grid::Grid::new(width, points)?;
    let (planes, facets) = facets::build(&grid, rounding)?;
    Ok(Patch {
        bounds: grid.bounds(),
        work: planes.work,
        planes: planes.planes,
        facets,
    })
}
