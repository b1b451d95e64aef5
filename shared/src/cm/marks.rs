//! Marks on walls: which pieces of the map's drawn surfaces a flat picture covers when it is pressed onto them.

use crate::base::math::bounds_of;
use crate::formats::bsp::patch::Grid;
use crate::formats::bsp::{Bsp, Child, Surface, SurfaceKind};
use crate::types::trace::{Plane, contents, surface};
use glam::Vec3;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;

/// Surfaces that one mark may touch.
const MAX_SURFACES: usize = 64;
/// How flat curves are made; the same as what is drawn, so that marks lie on it.
const CURVE_ERROR: f32 = 4.0;
/// Points this near to a cutting plane count as on it.
const EPSILON: f32 = 0.5;
/// How far a mark reaches in front of its corners, and behind them.
const REACH: [f32; 2] = [32.0, 20.0];

/// Most pieces of one mark, and most corners of all of them.
pub const MAX_FRAGMENTS: usize = 128;
/// See [`MAX_FRAGMENTS`].
pub const MAX_POINTS: usize = 384;

/// Finds where marks land on one map.
#[derive(Clone, Debug)]
pub struct MarkMap {
    bsp: Arc<Bsp>,
    /// Of each surface what decides whether it takes a mark; the map itself has it in three places, far apart.
    targets: Vec<Option<Target>>,
    /// Curves that were touched so far.
    curves: HashMap<u32, Curve>,
    cut: Cut,
}

/// A surface that takes marks.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// It lies in this plane.
    Flat(Plane),
    Curve,
}

/// A curve as it is drawn.
#[derive(Clone, Debug)]
struct Curve {
    grid: Grid,
    /// What each row of cells fills.
    strips: Vec<[Vec3; 2]>,
}

impl MarkMap {
    /// For the surfaces of this map.
    pub fn new(bsp: Arc<Bsp>) -> Self {
        let targets = bsp.surfaces.iter().map(|surface| Target::of(surface, &bsp));
        Self {
            targets: targets.collect(),
            bsp,
            curves: HashMap::new(),
            cut: Cut::default(),
        }
    }

    /// The pieces of surfaces under a mark with these corners, pressed along `projection` (direction and reach).
    pub fn fragments(&mut self, corners: &[Vec3; 4], projection: Vec3) -> Vec<Vec<Vec3>> {
        let Some(direction) = projection.try_normalize() else {
            return Vec::new();
        };
        let planes = cutting_planes(corners, projection, direction);
        let mut fragments = Fragments {
            planes,
            found: Vec::new(),
            points: 0,
            cut: std::mem::take(&mut self.cut),
        };
        for number in self.surfaces_near(corners, projection, direction) {
            self.cut_surface(number, direction, &mut fragments);
            if fragments.found.len() >= MAX_FRAGMENTS {
                break;
            }
        }
        self.cut = fragments.cut;
        fragments.found
    }

    fn surfaces_near(
        &self,
        corners: &[Vec3; 4],
        projection: Vec3,
        direction: Vec3,
    ) -> SmallVec<[u32; MAX_SURFACES]> {
        let reached = corners
            .iter()
            .flat_map(|&at| [at, at + projection, at - direction * REACH[1]]);
        let (mins, maxs) = bounds_of(reached);
        let mut found = SmallVec::new();
        let mut open: SmallVec<[Child; 64]> = SmallVec::new();
        open.push(Child::Node(0));
        while let Some(child) = open.pop() {
            match child {
                Child::Node(node) => {
                    let node = &self.bsp.nodes[node as usize];
                    let [front, back] = sides(&self.bsp.planes[node.plane as usize], mins, maxs);
                    open.extend(back.then_some(node.children[1]));
                    open.extend(front.then_some(node.children[0]));
                }
                Child::Leaf(leaf) => {
                    let surfaces = self.bsp.leafs[leaf as usize].surfaces;
                    for &number in &self.bsp.leaf_surfaces[surfaces.range()] {
                        let is_new = found.len() < MAX_SURFACES && !found.contains(&number);
                        if is_new && self.takes_mark(number, mins, maxs, direction) {
                            found.push(number);
                        }
                    }
                }
            }
        }
        found
    }

    fn takes_mark(&self, number: u32, mins: Vec3, maxs: Vec3, direction: Vec3) -> bool {
        match &self.targets[number as usize] {
            Some(Target::Flat(plane)) => {
                sides(plane, mins, maxs) == [true, true] && plane.normal.dot(direction) <= -0.5
            }
            Some(Target::Curve) => true,
            None => false,
        }
    }

    fn cut_surface(&mut self, number: u32, direction: Vec3, fragments: &mut Fragments) {
        let surface = &self.bsp.surfaces[number as usize];
        let stored = &self.bsp.draw_verts[surface.verts.range()];
        let SurfaceKind::Patch { width, height } = surface.kind else {
            let at = |index: u32| stored[index as usize].position;
            for corners in self.bsp.draw_indexes[surface.indexes.range()].chunks_exact(3) {
                let triangle = [at(corners[0]), at(corners[1]), at(corners[2])];
                if fragments.may_cut(&triangle) {
                    fragments.cut_reached(&triangle);
                }
            }
            return;
        };
        let Curve { grid, strips } = self.curves.entry(number).or_insert_with(|| {
            let [mins, maxs, _] = surface.lightmap_vectors;
            let size = [width as usize, height as usize];
            Curve::new(Grid::new(
                size,
                &stored[..size[0] * size[1]],
                [mins, maxs],
                CURVE_ERROR,
            ))
        });
        let at = |row: usize, column: usize| grid.vertices[row * grid.width + column].position;
        for (row, strip) in strips.iter().enumerate() {
            if !fragments.reach_into(strip) {
                continue;
            }
            for column in 0..grid.width - 1 {
                let (a, b) = (at(row, column), at(row + 1, column));
                let (c, d) = (at(row, column + 1), at(row + 1, column + 1));
                for (triangle, limit) in [([a, b, c], -0.1), ([c, b, d], -0.05)] {
                    // Most of a curve is far from the mark; what faces where is dearer to say.
                    if fragments.may_cut(&triangle) && front(&triangle).dot(direction) < limit {
                        fragments.cut_reached(&triangle);
                    }
                }
            }
        }
    }
}

impl Target {
    fn of(surface: &Surface, bsp: &Bsp) -> Option<Self> {
        let shader = &bsp.shaders[surface.shader as usize];
        let refuses = surface::NOIMPACT | surface::NOMARKS;
        if shader.surface_flags & refuses != 0 || shader.contents & contents::FOG != 0 {
            return None;
        }
        match surface.kind {
            SurfaceKind::Planar => {
                let normal = surface.lightmap_vectors[2];
                let first = bsp.draw_verts[surface.verts.range()].first()?;
                let dist = normal.dot(first.position);
                Some(Self::Flat(Plane { normal, dist }))
            }
            SurfaceKind::Patch { .. } => {
                (shader.surface_flags & surface::NODRAW == 0).then_some(Self::Curve)
            }
            SurfaceKind::TriangleSoup | SurfaceKind::Flare => None,
        }
    }
}

impl Curve {
    fn new(grid: Grid) -> Self {
        let rows: Vec<_> = grid.vertices.chunks_exact(grid.width).collect();
        let empty = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let strips = rows.windows(2).map(|rows| {
            let vertices = rows.iter().copied().flatten();
            vertices.fold(empty, |[mins, maxs], vertex| {
                [mins.min(vertex.position), maxs.max(vertex.position)]
            })
        });
        Self {
            strips: strips.collect(),
            grid,
        }
    }
}

/// What is left of surfaces inside the cutting planes.
struct Fragments {
    planes: [Plane; 6],
    found: Vec<Vec<Vec3>>,
    points: usize,
    cut: Cut,
}

/// A convex polygon while it is cut; one mark cuts hundreds of triangles, so the buffers live on.
#[derive(Clone, Debug, Default)]
struct Cut {
    polygon: Vec<Vec3>,
    heights: Vec<f32>,
    kept: Vec<Vec3>,
}

impl Fragments {
    /// False where no corner of a box, and of nothing within it, is on the inner side of some plane.
    fn reach_into(&self, [mins, maxs]: &[Vec3; 2]) -> bool {
        let reaches = |plane: &Plane| {
            let farthest = Vec3::select(plane.normal.cmpge(Vec3::ZERO), *maxs, *mins);
            // What lies within is rounded differently; half the limit is far more than that.
            height(farthest, plane) > EPSILON / 2.0
        };
        self.planes.iter().all(reaches)
    }

    /// False where a triangle has no corner on the inner side of some plane.
    fn may_cut(&self, triangle: &[Vec3; 3]) -> bool {
        let reaches = |plane: &Plane| triangle.iter().any(|at| height(*at, plane) > EPSILON);
        self.planes.iter().all(reaches)
    }

    fn cut_reached(&mut self, triangle: &[Vec3; 3]) {
        self.cut.polygon.clear();
        self.cut.polygon.extend(triangle);
        for plane in &self.planes {
            self.cut.clip(plane);
            if self.cut.polygon.is_empty() {
                return;
            }
        }
        let polygon = &self.cut.polygon;
        if self.found.len() < MAX_FRAGMENTS && self.points + polygon.len() <= MAX_POINTS {
            self.points += polygon.len();
            self.found.push(polygon.clone());
        }
    }
}

impl Cut {
    /// Leaves the part in front of a plane; nothing if nothing is clearly in front.
    fn clip(&mut self, plane: &Plane) {
        let Self {
            polygon,
            heights,
            kept,
        } = self;
        heights.clear();
        heights.extend(polygon.iter().map(|at| height(*at, plane)));
        if !heights.iter().any(|&height| height > EPSILON) {
            polygon.clear();
            return;
        }
        if heights.iter().all(|&height| height >= -EPSILON) {
            return;
        }
        kept.clear();
        for (k, &at) in polygon.iter().enumerate() {
            let next = (k + 1) % polygon.len();
            if heights[k] >= -EPSILON {
                kept.push(at);
            }
            let crosses = heights[k] > EPSILON && heights[next] < -EPSILON
                || heights[k] < -EPSILON && heights[next] > EPSILON;
            if crosses {
                kept.push(at.lerp(polygon[next], heights[k] / (heights[k] - heights[next])));
            }
        }
        std::mem::swap(polygon, kept);
    }
}

/// The planes through the edges of a mark, one before it and one behind; insides in front.
fn cutting_planes(corners: &[Vec3; 4], projection: Vec3, direction: Vec3) -> [Plane; 6] {
    let plane = |normal: Vec3, dist: f32| Plane { normal, dist };
    let edge = |k: usize| {
        let along = corners[(k + 1) % 4] - corners[k];
        let normal = along.cross(-projection).normalize_or_zero();
        plane(normal, normal.dot(corners[k]))
    };
    let near = plane(direction, direction.dot(corners[0]) - REACH[0]);
    let far = plane(-direction, -direction.dot(corners[0]) - REACH[1]);
    [edge(0), edge(1), edge(2), edge(3), near, far]
}

/// The direction that the visible side of a triangle faces.
fn front([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (a - b).cross(c - b).normalize_or_zero()
}

/// Whether a box reaches in front of a plane, and behind it.
fn sides(plane: &Plane, mins: Vec3, maxs: Vec3) -> [bool; 2] {
    let positive = plane.normal.cmpge(Vec3::ZERO);
    let farthest = Vec3::select(positive, maxs, mins);
    let nearest = Vec3::select(positive, mins, maxs);
    [
        plane.normal.dot(farthest) >= plane.dist,
        plane.normal.dot(nearest) < plane.dist,
    ]
}

/// Above a plane, negative below it.
fn height(at: Vec3, plane: &Plane) -> f32 {
    plane.normal.dot(at) - plane.dist
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::bsp::{DrawVert, Leaf, MapShader, Node, Span};

    /// A floor of 200 × 200 units at height 0.
    fn floor() -> Arc<Bsp> {
        let corner = |x: f32, y: f32| DrawVert {
            position: Vec3::new(x, y, 0.0),
            ..DrawVert::default()
        };
        let leaf = Leaf {
            cluster: 0,
            area: 0,
            mins: [-100; 3],
            maxs: [100; 3],
            surfaces: Span { first: 0, count: 1 },
            brushes: Span::default(),
        };
        let plane = Plane {
            normal: Vec3::X,
            dist: 0.0,
        };
        Arc::new(Bsp {
            shaders: vec![MapShader::default()],
            planes: vec![plane],
            nodes: vec![Node {
                plane: 0,
                children: [Child::Leaf(0), Child::Leaf(0)],
                mins: [-100; 3],
                maxs: [100; 3],
            }],
            leafs: vec![leaf],
            leaf_surfaces: vec![0],
            draw_verts: vec![
                corner(-100.0, -100.0),
                corner(-100.0, 100.0),
                corner(100.0, 100.0),
                corner(100.0, -100.0),
            ],
            draw_indexes: vec![0, 1, 2, 0, 2, 3],
            surfaces: vec![Surface {
                kind: SurfaceKind::Planar,
                shader: 0,
                fog: None,
                verts: Span { first: 0, count: 4 },
                indexes: Span { first: 0, count: 6 },
                lightmap: -1,
                lightmap_origin: Vec3::ZERO,
                lightmap_vectors: [Vec3::X, Vec3::Y, Vec3::Z],
            }],
            ..Bsp::default()
        })
    }

    /// A mark of 16 × 16 units, seen from above.
    fn square(x: f32, z: f32) -> [Vec3; 4] {
        [[-8.0, -8.0], [-8.0, 8.0], [8.0, 8.0], [8.0, -8.0]]
            .map(|[dx, dy]| Vec3::new(x + dx, dy, z))
    }

    fn area(fragments: &[Vec<Vec3>]) -> f32 {
        let fan = |polygon: &Vec<Vec3>| -> f32 {
            let fan = polygon[1..].windows(2);
            fan.map(|w| (w[0] - polygon[0]).cross(w[1] - polygon[0]).length() * 0.5)
                .sum()
        };
        fragments.iter().map(fan).sum()
    }

    fn mark(corners: [Vec3; 4]) -> Vec<Vec<Vec3>> {
        MarkMap::new(floor()).fragments(&corners, Vec3::new(0.0, 0.0, -20.0))
    }

    /// A wavy sheet of 9 × 9 control points over 200 × 200 units.
    fn waves() -> Arc<Bsp> {
        let mut bsp = Bsp::clone(&floor());
        let point = |k: usize| {
            let (x, y) = ((k % 9) as f32 * 25.0 - 100.0, (k / 9) as f32 * 25.0 - 100.0);
            DrawVert {
                position: Vec3::new(x, y, ((k * 7) % 5) as f32 * 6.0 - 12.0),
                ..DrawVert::default()
            }
        };
        bsp.draw_verts = (0..81).map(point).collect();
        let surface = &mut bsp.surfaces[0];
        surface.kind = SurfaceKind::Patch {
            width: 9,
            height: 9,
        };
        surface.verts.count = 81;
        let reach = Vec3::new(100.0, 100.0, 12.0);
        surface.lightmap_vectors = [-reach, reach, Vec3::ZERO];
        Arc::new(bsp)
    }

    #[test]
    fn rows_of_a_curve_that_are_left_out_would_add_nothing() {
        let (mut map, mut whole) = (MarkMap::new(waves()), MarkMap::new(waves()));
        let mut found = 0;
        for x in -60..60 {
            for along in [-Vec3::Z, Vec3::Z, Vec3::new(0.6, 0.0, -0.8)] {
                let corners = square(x as f32 * 2.0, -along.z * 4.0);
                let cut = map.fragments(&corners, along * 20.0);
                whole.fragments(&corners, along * 20.0);
                for curve in whole.curves.values_mut() {
                    curve.strips.fill([Vec3::splat(-1e6), Vec3::splat(1e6)]);
                }
                assert_eq!(cut, whole.fragments(&corners, along * 20.0));
                found += cut.len();
            }
        }
        let strips = map.curves.values().map(|curve| curve.strips.len());
        assert!(found > 100 && strips.sum::<usize>() > 8, "{found}");
    }

    #[test]
    fn marks_are_cut_out_of_the_floor() {
        assert!((area(&mark(square(0.0, 1.0))) - 256.0).abs() < 1.0);
        assert!((area(&mark(square(98.0, 1.0))) - 160.0).abs() < 1.0);
    }

    #[test]
    fn marks_far_from_the_floor_leave_nothing() {
        assert!(mark(square(0.0, 60.0)).is_empty());
        assert!(mark(square(200.0, 1.0)).is_empty());
    }
}
