//! Subdivides the control points of a curve into a grid of points that lie close enough to it.

use super::PatchError;
use glam::Vec3;

/// How far the middle of a curve may be from its chord before it is split.
const SUBDIVIDE_DISTANCE: f32 = 16.0;
/// Points closer than this on every axis count as one.
const SAME_POINT_EPSILON: f64 = 0.1;
/// Most points on one side of a grid.
const MAX_GRID_SIDE: usize = 129;

/// Points by column and row.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    columns: Vec<Vec<Vec3>>,
    /// The last column is the first one again.
    pub wraps_width: bool,
    pub wraps_height: bool,
}

impl Grid {
    /// The grid of a curve whose control points come row after row (`cm_patch.c`, `CM_GeneratePatchCollide`).
    ///
    /// The result is transposed: its columns are the rows of the curve.
    pub(super) fn new(width: usize, points: &[Vec3]) -> Result<Self, PatchError> {
        let column = |x| points.iter().skip(x).step_by(width).copied().collect();
        let mut grid = Self {
            columns: (0..width).map(column).collect(),
            wraps_width: false,
            wraps_height: false,
        };
        grid.refine_columns()?;
        grid.transpose();
        grid.refine_columns()?;
        Ok(grid)
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn height(&self) -> usize {
        self.columns[0].len()
    }

    pub(super) fn point(&self, column: usize, row: usize) -> Vec3 {
        self.columns[column][row]
    }

    /// The smallest box around all points, one unit larger on every side.
    pub(super) fn bounds(&self) -> [Vec3; 2] {
        let mut mins = Vec3::splat(99_999.0);
        let mut maxs = Vec3::splat(-99_999.0);
        for &point in self.columns.iter().flatten() {
            mins = mins.min(point);
            maxs = maxs.max(point);
        }
        [mins - 1.0, maxs + 1.0]
    }

    fn refine_columns(&mut self) -> Result<(), PatchError> {
        self.wraps_width = same_points(&self.columns[0], &self.columns[self.width() - 1]);
        self.subdivide_columns()?;
        self.drop_equal_columns();
        Ok(())
    }

    fn subdivide_columns(&mut self) -> Result<(), PatchError> {
        let mut first = 0;
        while first + 2 < self.width() {
            let [a, b, c] = [0, 1, 2].map(|step| &self.columns[first + step]);
            if !(0..self.height()).any(|row| bends(a[row], b[row], c[row])) {
                self.columns.remove(first + 1);
                first += 1;
                continue;
            }
            if self.width() + 2 > MAX_GRID_SIDE {
                return Err(PatchError("it would need more than 129 points on a side"));
            }
            let middle = |(&a, &b): (&Vec3, &Vec3)| (a + b) * 0.5;
            let before: Vec<Vec3> = a.iter().zip(b).map(middle).collect();
            let after: Vec<Vec3> = b.iter().zip(c).map(middle).collect();
            let between = before.iter().zip(&after).map(middle).collect();
            self.columns
                .splice(first + 1..first + 2, [before, between, after]);
        }
        Ok(())
    }

    fn drop_equal_columns(&mut self) {
        self.columns.dedup_by(|next, kept| same_points(kept, next));
    }

    fn transpose(&mut self) {
        let row = |y: usize| self.columns.iter().map(|column| column[y]).collect();
        self.columns = (0..self.height()).map(row).collect();
        self.wraps_height = self.wraps_width;
    }
}

/// Whether the curve over three control points is too far from the straight line.
fn bends(a: Vec3, b: Vec3, c: Vec3) -> bool {
    let straight = (a + c) * 0.5;
    let half = |sum: f32| 0.5 * f64::from(sum);
    let curved = |ab: f32, bc: f32| (0.5 * (half(ab) + half(bc))) as f32;
    let (ab, bc) = (a + b, b + c);
    let curve = Vec3::new(curved(ab.x, bc.x), curved(ab.y, bc.y), curved(ab.z, bc.z));
    let off = curve - straight;
    off.dot(off).sqrt() >= SUBDIVIDE_DISTANCE
}

fn same_points(a: &[Vec3], b: &[Vec3]) -> bool {
    a.iter().zip(b).all(|(&a, &b)| {
        (a - b)
            .to_array()
            .iter()
            .all(|&difference| f64::from(difference.abs()) <= SAME_POINT_EPSILON)
    })
}
