//! Cuts the cells of a grid out of their planes.

use super::{
    Border, Facet, PatchError,
    grid::Grid,
    planes::{Facing, PlaneList, PointSide, nearly_equal},
    winding::Winding,
};
use crate::{cm::Rounding, types::trace::Plane};
use glam::Vec3;

const MAX_FACETS: usize = 1024;
/// Four edges, six axial bevels and sixteen edge bevels.
const MAX_BORDERS: usize = 26;
/// Facets that reach further than this are dropped.
const MAX_MAP_BOUNDS: f32 = 65_535.0;

/// Builds the planes and facets of a grid (`cm_patch.c`, `CM_PatchCollideFromGrid`).
pub(super) fn build(
    grid: &Grid,
    rounding: Rounding,
) -> Result<(PlaneList, Vec<Facet>), PatchError> {
    let mut planes = PlaneList {
        rounding,
        ..PlaneList::default()
    };
    let triangles = triangle_planes(grid, &mut planes)?;
    let mut builder = Builder {
        grid,
        planes,
        triangles,
        facets: Vec::new(),
    };
    for i in 0..grid.width() - 1 {
        for j in 0..grid.height() - 1 {
            builder.cell(i, j)?;
        }
    }
    Ok((builder.planes, builder.facets))
}

/// The planes of the two triangles of each cell, column after column.
type Triangles = Vec<Vec<[Option<usize>; 2]>>;

fn triangle_planes(grid: &Grid, planes: &mut PlaneList) -> Result<Triangles, PatchError> {
    let mut triangles = Vec::with_capacity(grid.width() - 1);
    for i in 0..grid.width() - 1 {
        let mut column = Vec::with_capacity(grid.height() - 1);
        for j in 0..grid.height() - 1 {
            let corners = corners(grid, i, j);
            let first = planes.through([corners[0], corners[1], corners[2]])?;
            let second = planes.through([corners[2], corners[3], corners[0]])?;
            column.push([first, second]);
        }
        triangles.push(column);
    }
    Ok(triangles)
}

/// The corners of a cell: top left, top right, bottom right, bottom left.
fn corners(grid: &Grid, i: usize, j: usize) -> [Vec3; 4] {
    [
        grid.point(i, j),
        grid.point(i + 1, j),
        grid.point(i + 1, j + 1),
        grid.point(i, j + 1),
    ]
}

/// The cell before one in a row of so many points; the last where the row wraps.
fn before(at: usize, points: usize, wraps: bool) -> Option<usize> {
    at.checked_sub(1).or_else(|| wraps.then(|| points - 2))
}

/// The cell after one; the first where the row wraps.
fn after(at: usize, points: usize, wraps: bool) -> Option<usize> {
    if at + 2 < points {
        return Some(at + 1);
    }
    wraps.then_some(0)
}

/// The lines of a cell; each diagonal serves the triangle on its side.
#[derive(Clone, Copy)]
enum Edge {
    Top,
    Right,
    Bottom,
    Left,
    DiagonalOfFirst,
    DiagonalOfSecond,
}

/// What is done so far.
struct Builder<'a> {
    grid: &'a Grid,
    planes: PlaneList,
    triangles: Triangles,
    facets: Vec<Facet>,
}

impl Builder<'_> {
    fn cell(&mut self, i: usize, j: usize) -> Result<(), PatchError> {
        let [first, second] = self.triangles[i][j];
        let (width, wraps_width) = (self.grid.width(), self.grid.wraps_width);
        let (height, wraps_height) = (self.grid.height(), self.grid.wraps_height);
        let triangle = |i: usize, j: usize, number: usize| self.triangles[i][j][number];
        let above = before(j, height, wraps_height).and_then(|j| triangle(i, j, 1));
        let below = after(j, height, wraps_height).and_then(|j| triangle(i, j, 0));
        let left_of = before(i, width, wraps_width).and_then(|i| triangle(i, j, 0));
        let right_of = after(i, width, wraps_width).and_then(|i| triangle(i, j, 1));
        let top = self.border(i, j, Edge::Top, above)?;
        let bottom = self.border(i, j, Edge::Bottom, below)?;
        let left = self.border(i, j, Edge::Left, left_of)?;
        let right = self.border(i, j, Edge::Right, right_of)?;
        let corners = corners(self.grid, i, j);
        if first == second {
            if first.is_some() {
                self.facet(first, &[top, right, bottom, left], &corners)?;
            }
            return Ok(());
        }
        let diagonal = match second.or(bottom) {
            Some(plane) => Some(plane),
            None => self.edge_plane(i, j, Edge::DiagonalOfFirst)?,
        };
        let triangle = [corners[0], corners[1], corners[2]];
        self.facet(first, &[top, right, diagonal], &triangle)?;
        let diagonal = match first.or(top) {
            Some(plane) => Some(plane),
            None => self.edge_plane(i, j, Edge::DiagonalOfSecond)?,
        };
        let triangle = [corners[2], corners[3], corners[0]];
        self.facet(second, &[bottom, left, diagonal], &triangle)
    }

    /// The neighbour's plane, or one along the edge where there is no neighbour with a plane of its own.
    fn border(
        &mut self,
        i: usize,
        j: usize,
        edge: Edge,
        neighbour: Option<usize>,
    ) -> Result<Option<usize>, PatchError> {
        let own = match edge {
            Edge::Top | Edge::Right => self.triangles[i][j][0],
            _ => self.triangles[i][j][1],
        };
        if neighbour.is_none() || neighbour == own {
            return self.edge_plane(i, j, edge);
        }
        Ok(neighbour)
    }

    /// A plane through an edge and upright on its triangle.
    fn edge_plane(&mut self, i: usize, j: usize, edge: Edge) -> Result<Option<usize>, PatchError> {
        let [top_left, top_right, bottom_right, bottom_left] = corners(self.grid, i, j);
        let (from, to, triangle, swapped) = match edge {
            Edge::Top => (top_left, top_right, 0, false),
            Edge::Right => (top_right, bottom_right, 0, false),
            Edge::Bottom => (bottom_left, bottom_right, 1, true),
            Edge::Left => (top_left, bottom_left, 1, true),
            Edge::DiagonalOfFirst => (bottom_right, top_left, 0, false),
            Edge::DiagonalOfSecond => (top_left, bottom_right, 1, false),
        };
        let planes = self.triangles[i][j];
        let Some(reference) = planes[triangle].or(planes[1 - triangle]) else {
            return Ok(None);
        };
        let up = from + self.planes.planes[reference].normal * 4.0;
        if swapped {
            self.planes.through([to, from, up])
        } else {
            self.planes.through([from, to, up])
        }
    }

    fn facet(
        &mut self,
        surface: Option<usize>,
        borders: &[Option<usize>],
        polygon: &[Vec3],
    ) -> Result<(), PatchError> {
        let borders: Option<Vec<Border>> = borders
            .iter()
            .map(|&border| self.orient(border, polygon))
            .collect();
        let (Some(surface), Some(borders)) = (surface, borders) else {
            return Ok(());
        };
        let mut facet = Facet { surface, borders };
        if !self.is_valid(&facet) {
            return Ok(());
        }
        if self.facets.len() == MAX_FACETS {
            return Err(PatchError("it needs more than 1024 facets"));
        }
        self.add_bevels(&mut facet)?;
        self.facets.push(facet);
        Ok(())
    }

    /// Finds out which way a border faces; None if the polygon lies in its plane.
    fn orient(&self, border: Option<usize>, polygon: &[Vec3]) -> Option<Border> {
        let on_side = |side| {
            polygon
                .iter()
                .any(|&point| self.planes.side(point, border) == side)
        };
        match (on_side(PointSide::Front), on_side(PointSide::Back)) {
            (false, false) => None,
            (front, back) => Some(Border {
                plane: border?,
                inward: front && !back,
            }),
        }
    }

    fn is_valid(&self, facet: &Facet) -> bool {
        let Some(winding) = self.cut_out(facet) else {
            return false;
        };
        let [mins, maxs] = winding.bounds();
        (0..3).all(|axis| {
            maxs[axis] - mins[axis] <= MAX_MAP_BOUNDS
                && mins[axis] < MAX_MAP_BOUNDS
                && maxs[axis] > -MAX_MAP_BOUNDS
        })
    }

    /// The facet as a polygon.
    fn cut_out(&self, facet: &Facet) -> Option<Winding> {
        let mut winding =
            Winding::on_plane(&self.planes.planes[facet.surface], self.planes.rounding);
        for &border in &facet.borders {
            winding = winding.chop(&self.clip_plane(border))?;
        }
        Some(winding)
    }

    /// The border's plane, its front on the facet's side.
    fn clip_plane(&self, border: Border) -> Plane {
        let plane = self.planes.planes[border.plane];
        if border.inward {
            return plane;
        }
        Plane {
            normal: Vec3::ZERO - plane.normal,
            dist: -plane.dist,
        }
    }

    /// Adds borders that a box touches before its corner reaches an edge (`cm_patch.c`, `CM_AddFacetBevels`).
    fn add_bevels(&mut self, facet: &mut Facet) -> Result<(), PatchError> {
        let mut winding = Some(Winding::on_plane(
            &self.planes.planes[facet.surface],
            self.planes.rounding,
        ));
        for &border in &facet.borders {
            if border.plane != facet.surface {
                let plane = self.clip_plane(border);
                winding = winding.and_then(|winding| winding.chop(&plane));
            }
        }
        let Some(winding) = winding else {
            return Ok(());
        };
        self.add_axial_bevels(facet, &winding)?;
        self.add_edge_bevels(facet, &winding)?;
        if facet.borders.len() < MAX_BORDERS {
            // The back side, which must come last: it ends traces without ever being hit.
            facet.borders.push(Border {
                plane: facet.surface,
                inward: true,
            });
        }
        Ok(())
    }

    fn add_axial_bevels(&mut self, facet: &mut Facet, winding: &Winding) -> Result<(), PatchError> {
        let [mins, maxs] = winding.bounds();
        for axis in 0..3 {
            for direction in [-1.0, 1.0] {
                let plane = Plane {
                    normal: along(axis, direction),
                    dist: if direction > 0.0 {
                        maxs[axis]
                    } else {
                        -mins[axis]
                    },
                };
                if self.has_room_for(facet, &plane) {
                    let border = self.bevel(plane)?;
                    facet.borders.push(border);
                }
            }
        }
        Ok(())
    }

    fn add_edge_bevels(&mut self, facet: &mut Facet, winding: &Winding) -> Result<(), PatchError> {
        let points = &winding.points;
        for (index, &start) in points.iter().enumerate() {
            let edge = start - points[(index + 1) % points.len()];
            let (edge, length) = self.planes.rounding.normalize(edge);
            if length < 0.5 {
                continue;
            }
            let edge = snap(edge);
            if edge.to_array().iter().any(|size| size.abs() == 1.0) {
                continue;
            }
            for axis in 0..3 {
                for direction in [-1.0, 1.0] {
                    self.add_edge_bevel(facet, winding, start, edge.cross(along(axis, direction)))?;
                }
            }
        }
        Ok(())
    }

    fn add_edge_bevel(
        &mut self,
        facet: &mut Facet,
        winding: &Winding,
        on_edge: Vec3,
        normal: Vec3,
    ) -> Result<(), PatchError> {
        let (normal, length) = self.planes.rounding.normalize(normal);
        if length < 0.5 {
            return Ok(());
        }
        let plane = Plane {
            normal,
            dist: on_edge.dot(normal),
        };
        let in_front = |point: &Vec3| f64::from(point.dot(normal) - plane.dist) > 0.1;
        if winding.points.iter().any(in_front) || !self.has_room_for(facet, &plane) {
            return Ok(());
        }
        let border = self.bevel(plane)?;
        // The plane found may differ a little from the one asked for, and cut everything away.
        if winding.clone().chop(&self.clip_plane(border)).is_some() {
            facet.borders.push(border);
        }
        Ok(())
    }

    /// Whether a bevel is new to the facet and may still be added.
    fn has_room_for(&self, facet: &Facet, plane: &Plane) -> bool {
        let planes = &self.planes.planes;
        nearly_equal(&planes[facet.surface], plane).is_none()
            && facet
                .borders
                .iter()
                .all(|border| nearly_equal(&planes[border.plane], plane).is_none())
            && facet.borders.len() < MAX_BORDERS
    }

    fn bevel(&mut self, plane: Plane) -> Result<Border, PatchError> {
        let (plane, facing) = self.planes.find_or_add(plane)?;
        Ok(Border {
            plane,
            inward: facing == Facing::Flipped,
        })
    }
}

fn along(axis: usize, direction: f32) -> Vec3 {
    let mut vector = Vec3::ZERO;
    vector[axis] = direction;
    vector
}

/// Makes a direction that is almost axial exactly axial (`cm_patch.c`, `CM_SnapVector`).
fn snap(vector: Vec3) -> Vec3 {
    for axis in 0..3 {
        let size = f64::from(vector[axis]);
        if (size - 1.0).abs() < 0.0001 {
            return along(axis, 1.0);
        }
        if (size + 1.0).abs() < 0.0001 {
            return along(axis, -1.0);
        }
    }
    vector
}
