//! Curved patches: control points to a grid of vertices on the curve, with a level of detail per row and column.
//!
//! A patch is a net of quadratic Bézier pieces. Each piece is halved until it is flat enough, first along the rows,
//! then along the columns, so the grid stays regular. Every inner row and column remembers how far from the eye it may
//! be left out (its `error`); neighbours that share an edge agree on these numbers, so that no cracks open.

mod sharing;

pub use sharing::{Sharing, share_edges};

use super::DrawVert;
use glam::Vec3;

/// Most rows or columns of a grid.
const MAX_SIZE: usize = 65;
/// Marks a row or column that lies on a straight line between its neighbours.
const STRAIGHT: f32 = 999.0;
/// How much error is allowed at a distance of one unit ("r_lodCurveError").
const LOD_CURVE_ERROR: f32 = 250.0;

/// A tessellated patch.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Vertices in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Row after row.
    pub vertices: Vec<DrawVert>,
    /// By how much leaving out a column (0) or row (1) is visible: kept if at most the allowed error.
    errors: [Vec<f32>; 2],
    lod_center: Vec3,
    lod_radius: f32,
}

impl Grid {
    /// Tessellates a net of control points (odd numbers from 3 on), so that it is off by at most `max_error` units.
    pub fn new(
        [width, height]: [usize; 2],
        control: &[DrawVert],
        lod_bounds: [Vec3; 2],
        max_error: f32,
    ) -> Self {
        let mut grid = Self {
            width,
            height,
            vertices: control.to_vec(),
            errors: [vec![0.0; MAX_SIZE + 2], vec![0.0; MAX_SIZE + 2]],
            lod_center: (lod_bounds[0] + lod_bounds[1]) * 0.5,
            lod_radius: (lod_bounds[1] - lod_bounds[0]).length() * 0.5,
        };
        for direction in 0..2 {
            grid.subdivide_columns(direction, max_error);
            grid.transpose();
        }
        grid.put_on_curve();
        grid.drop_straight_lines();
        if grid.height > grid.width {
            grid.turn();
        }
        grid.compute_normals();
        grid
    }

    fn subdivide_columns(&mut self, direction: usize, max_error: f32) {
        let mut j = 0;
        while j + 2 < self.width {
            let error = (0..self.height)
                .map(|row| self.bend(row, j))
                .fold(0.0, f32::max);
            if error < 0.1 {
                self.errors[direction][j + 1] = STRAIGHT;
                j += 2;
            } else if self.width + 2 > MAX_SIZE || error <= max_error {
                self.errors[direction][j + 1] = 1.0 / error;
                j += 2;
            } else {
                self.errors[direction][j + 2] = 1.0 / error;
                self.insert_columns(j);
            }
        }
    }

    /// Distance of the curve's middle from the straight line, for the piece that starts at column `j`.
    fn bend(&self, row: usize, j: usize) -> f32 {
        let at = |k: usize| self.vertices[row * self.width + k].position;
        let (a, b, c) = (at(j), at(j + 1), at(j + 2));
        let from_start = (a + b * 2.0 + c) * 0.25 - a;
        let along = (c - a).normalize_or_zero();
        (from_start - along * from_start.dot(along)).length()
    }

    fn insert_columns(&mut self, j: usize) {
        let mut vertices = Vec::with_capacity((self.width + 2) * self.height);
        for row in self.vertices.chunks_exact(self.width) {
            let before = mid(&row[j], &row[j + 1]);
            let after = mid(&row[j + 1], &row[j + 2]);
            vertices.extend_from_slice(&row[..=j]);
            vertices.extend([before, mid(&before, &after), after]);
            vertices.extend_from_slice(&row[j + 2..]);
        }
        self.vertices = vertices;
        self.width += 2;
    }

    fn transpose(&mut self) {
        let mut vertices = Vec::with_capacity(self.vertices.len());
        for column in 0..self.width {
            vertices.extend((0..self.height).map(|row| self.vertices[row * self.width + column]));
        }
        self.vertices = vertices;
        std::mem::swap(&mut self.width, &mut self.height);
    }

    /// Moves the inner control points, which lie beside the curve, onto it.
    fn put_on_curve(&mut self) {
        let (width, height) = (self.width, self.height);
        for column in 0..width {
            for row in (1..height - 1).step_by(2) {
                self.smooth(row * width + column, width);
            }
        }
        for row in 0..height {
            for column in (1..width - 1).step_by(2) {
                self.smooth(row * width + column, 1);
            }
        }
    }

    fn smooth(&mut self, at: usize, step: usize) {
        let v = &self.vertices;
        let next = mid(&v[at], &v[at + step]);
        let previous = mid(&v[at], &v[at - step]);
        self.vertices[at] = mid(&next, &previous);
    }

    fn drop_straight_lines(&mut self) {
        let kept = |errors: &[f32], count: usize| -> Vec<usize> {
            (0..count)
                .filter(|&k| k == 0 || k == count - 1 || errors[k] != STRAIGHT)
                .collect()
        };
        let columns = kept(&self.errors[0], self.width);
        let rows = kept(&self.errors[1], self.height);
        let mut vertices = Vec::with_capacity(columns.len() * rows.len());
        for &row in &rows {
            vertices.extend(
                columns
                    .iter()
                    .map(|&column| self.vertices[row * self.width + column]),
            );
        }
        self.errors[0] = columns.iter().map(|&k| self.errors[0][k]).collect();
        self.errors[1] = rows.iter().map(|&k| self.errors[1][k]).collect();
        self.vertices = vertices;
        (self.width, self.height) = (columns.len(), rows.len());
    }

    /// Turns the grid so that it is wider than high, keeping its front side.
    fn turn(&mut self) {
        self.transpose();
        let [columns, mut rows] = std::mem::take(&mut self.errors);
        rows.reverse();
        self.errors = [rows, columns];
        for row in self.vertices.chunks_exact_mut(self.width) {
            row.reverse();
        }
    }

    fn compute_normals(&mut self) {
        let wraps = self.wraps();
        for row in 0..self.height {
            for column in 0..self.width {
                let normal = self.normal_at(column, row, wraps);
                self.vertices[row * self.width + column].normal = normal;
            }
        }
    }

    /// Whether the left and right (top and bottom) borders meet.
    fn wraps(&self) -> [bool; 2] {
        let close = |a: usize, b: usize| self.position(a).distance(self.position(b)) <= 1.0;
        let (w, h) = (self.width, self.height);
        [
            (0..h).all(|row| close(row * w, row * w + w - 1)),
            (0..w).all(|column| close(column, (h - 1) * w + column)),
        ]
    }

    fn position(&self, index: usize) -> Vec3 {
        self.vertices[index].position
    }

    fn normal_at(&self, column: usize, row: usize, wraps: [bool; 2]) -> Vec3 {
        const STEPS: [[i32; 2]; 8] = [
            [0, 1],
            [1, 1],
            [1, 0],
            [1, -1],
            [0, -1],
            [-1, -1],
            [-1, 0],
            [-1, 1],
        ];
        let base = self.position(row * self.width + column);
        let around = STEPS.map(|step| self.direction([column, row], base, step, wraps));
        let mut sum = Vec3::ZERO;
        for k in 0..8 {
            let (Some(a), Some(b)) = (around[k], around[(k + 1) % 8]) else {
                continue;
            };
            let normal = b.cross(a);
            if normal.length() >= 0.001 {
                sum += normal.normalize();
            }
        }
        sum.normalize_or_zero()
    }

    /// Unit direction to the first neighbour along `step` that lies at another place.
    fn direction(
        &self,
        at: [usize; 2],
        base: Vec3,
        step: [i32; 2],
        wraps: [bool; 2],
    ) -> Option<Vec3> {
        for distance in 1..=3 {
            let column = walk(at[0], step[0] * distance, self.width, wraps[0])?;
            let row = walk(at[1], step[1] * distance, self.height, wraps[1])?;
            let offset = self.position(row * self.width + column) - base;
            if offset.length() >= 0.001 {
                return Some(offset.normalize());
            }
        }
        None
    }

    /// The error allowed for a view, given its eye and forward direction.
    pub fn allowed_error(&self, center_offset: Vec3, eye: Vec3, forward: Vec3) -> f32 {
        let distance = (self.lod_center + center_offset - eye).dot(forward).abs() - self.lod_radius;
        LOD_CURVE_ERROR / distance.max(1.0)
    }

    /// Writes the triangles of the rows and columns that the allowed error keeps; returns up to which errors they stay
    /// the same.
    pub fn write_indices(
        &self,
        allowed: f32,
        first_vertex: u32,
        out: &mut Vec<u32>,
    ) -> std::ops::Range<f32> {
        let mut valid = 0.0..f32::MAX;
        let mut kept = |errors: &[f32], out: &mut [u8; MAX_SIZE]| -> usize {
            let last = errors.len() - 1;
            let mut count = 0;
            for (k, &error) in errors.iter().enumerate() {
                let is_inner = k != 0 && k != last;
                if is_inner && error > allowed {
                    valid.end = valid.end.min(error);
                    continue;
                }
                if is_inner {
                    valid.start = valid.start.max(error);
                }
                out[count] = k as u8;
                count += 1;
            }
            count
        };
        let (mut columns, mut rows) = ([0; MAX_SIZE], [0; MAX_SIZE]);
        let column_count = kept(&self.errors[0], &mut columns);
        let row_count = kept(&self.errors[1], &mut rows);
        for row in rows[..row_count].windows(2) {
            for column in columns[..column_count].windows(2) {
                let at =
                    |r: u8, c: u8| first_vertex + u32::from(r) * self.width as u32 + u32::from(c);
                let (a, b) = (at(row[0], column[0]), at(row[1], column[0]));
                let (c, d) = (at(row[0], column[1]), at(row[1], column[1]));
                out.extend([a, b, c, c, b, d]);
            }
        }
        valid
    }
}

fn walk(at: usize, step: i32, count: usize, wraps: bool) -> Option<usize> {
    let (to, count) = (at as i32 + step, count as i32);
    let to = if wraps && to < 0 {
        count - 1 + to
    } else if wraps && to >= count {
        1 + to - count
    } else {
        to
    };
    // Steps may go around more than once where there are only two rows.
    (0..count).contains(&to).then_some(to as usize)
}

fn mid(a: &DrawVert, b: &DrawVert) -> DrawVert {
    DrawVert {
        position: (a.position + b.position) * 0.5,
        st: (a.st + b.st) * 0.5,
        lightmap_st: (a.lightmap_st + b.lightmap_st) * 0.5,
        normal: a.normal,
        color: std::array::from_fn(|k| {
            ((u16::from(a.color[k]) + u16::from(b.color[k])) >> 1) as u8
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn vertex(x: f32, y: f32, z: f32) -> DrawVert {
        DrawVert {
            position: Vec3::new(x, y, z),
            ..DrawVert::default()
        }
    }

    /// A quarter of a pipe of this radius, 100 units long.
    fn quarter_pipe(radius: f32) -> Grid {
        let control: Vec<_> = (0..3)
            .flat_map(|row| {
                let y = row as f32 * 50.0;
                [
                    vertex(radius, y, 0.0),
                    vertex(radius, y, radius),
                    vertex(0.0, y, radius),
                ]
            })
            .collect();
        Grid::new(
            [3, 3],
            &control,
            [Vec3::ZERO, Vec3::new(radius, 100.0, radius)],
            4.0,
        )
    }

    #[test]
    fn pipes_get_as_many_pieces_as_their_radius_needs() {
        let size = |radius| (quarter_pipe(radius).width, quarter_pipe(radius).height);
        assert_eq!(size(8.0), (3, 2));
        assert_eq!(size(64.0), (9, 2));
        assert_eq!(size(256.0), (17, 2));
    }

    #[test]
    fn patches_without_extent_have_no_normals() {
        for width in [3, 5, 9] {
            let control = vec![vertex(7.0, 8.0, 9.0); width * 3];
            for size in [[width, 3], [3, width]] {
                let grid = Grid::new(size, &control, [Vec3::ZERO, Vec3::ONE], 4.0);
                assert!(grid.vertices.iter().all(|v| v.normal == Vec3::ZERO));
            }
        }
    }

    #[test]
    fn flat_patches_become_one_quad() {
        let control: Vec<_> = (0..9)
            .map(|k| vertex((k % 3) as f32 * 32.0, (k / 3) as f32 * 32.0, 0.0))
            .collect();
        let grid = Grid::new([3, 3], &control, [Vec3::ZERO, Vec3::ONE], 4.0);
        let mut indices = Vec::new();
        grid.write_indices(1.0, 10, &mut indices);
        assert_eq!((grid.width, grid.height), (2, 2));
        assert_eq!(indices, [10, 12, 11, 11, 12, 13]);
        assert!(grid.vertices.iter().all(|v| v.normal.z.abs() > 0.999));
    }

    #[test]
    fn far_pipes_are_coarser() {
        let grid = quarter_pipe(256.0);
        let count = |distance: f32| {
            let mut indices = Vec::new();
            let allowed = grid.allowed_error(Vec3::ZERO, Vec3::new(-distance, 0.0, 0.0), Vec3::X);
            let valid = grid.write_indices(allowed, 0, &mut indices);
            assert!(
                valid.start <= allowed && allowed < valid.end,
                "{valid:?} {allowed}"
            );
            indices.len() / 6
        };
        assert_eq!(count(200.0), 16);
        assert!(count(20_000.0) < 16);
    }
}
