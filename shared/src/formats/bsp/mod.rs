//! Map lumps as typed arrays, checked once: every index and range in a [`Bsp`] is valid.
//!
//! The collision model and the renderer read the same value. What [`Bsp::parse`] accepts can be walked
//! without further checks: the node tree has no cycles and is at most [`MAX_TREE_DEPTH`] deep, spans lie
//! inside their arrays, and all coordinates are finite.

mod check;
mod parse;
pub mod patch;

pub(super) use parse::{LIGHT_GRID, Lumps};
pub use parse::{light_grid_range, lightmap_range, material_names};

use crate::types::trace::Plane;
use glam::{Vec2, Vec3};
use std::ops::Range;

/// Deeper node trees are refused, so that walking one needs a bounded stack.
pub const MAX_TREE_DEPTH: usize = 1024;
/// Most control points of one curved surface.
pub const MAX_PATCH_POINTS: u32 = 1024;
/// Most elements of all spans of one kind together. Spans may share elements, so a small map could make its readers go
/// through any number of them; the largest known maps have a tenth.
pub const MAX_SPAN_ELEMENTS: u64 = 1 << 22;
/// Width and height of a lightmap.
pub const LIGHTMAP_SIZE: usize = 128;
/// Bytes of one stored lightmap: 128 × 128 RGB.
pub const LIGHTMAP_BYTES: usize = LIGHTMAP_SIZE * LIGHTMAP_SIZE * 3;

/// A map.
#[derive(Clone, Debug, Default)]
pub struct Bsp {
    /// The entity text; [`super::mapents::parse`] takes it apart.
    pub entities: String,
    /// The materials.
    pub shaders: Vec<MapShader>,
    /// The planes of nodes and brush sides.
    pub planes: Vec<Plane>,
    /// Node 0 is the root.
    pub nodes: Vec<Node>,
    /// The leaves of the tree.
    pub leafs: Vec<Leaf>,
    /// Indices into `surfaces`, by [`Leaf::surfaces`].
    pub leaf_surfaces: Vec<u32>,
    /// Indices into `brushes`, by [`Leaf::brushes`].
    pub leaf_brushes: Vec<u32>,
    /// Model 0 is the world, model N the inline model `*N`.
    pub models: Vec<Model>,
    /// The solids.
    pub brushes: Vec<Brush>,
    /// By [`Brush::sides`].
    pub brush_sides: Vec<BrushSide>,
    /// By [`Surface::verts`].
    pub draw_verts: Vec<DrawVert>,
    /// Relative to the first vertex of the surface that uses them; in range for that surface.
    pub draw_indexes: Vec<u32>,
    /// The places filled with fog.
    pub fogs: Vec<Fog>,
    /// All that can be drawn.
    pub surfaces: Vec<Surface>,
    /// All lightmaps in a row, [`LIGHTMAP_BYTES`] each.
    pub lightmaps: Vec<u8>,
    /// Light samples: ambient RGB, directed RGB, longitude, latitude. Their number is not checked.
    pub light_grid: Vec<[u8; 8]>,
    /// None: every cluster sees every other.
    pub visibility: Option<Visibility>,
}

impl Bsp {
    /// The stored lightmaps, 128 × 128 RGB each, first row at the texture's row 0.
    pub fn lightmap_images(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.lightmaps.chunks_exact(LIGHTMAP_BYTES)
    }

    /// The control points of a curved surface, row after row; nothing for other surfaces.
    pub fn control_points(&self, surface: &Surface) -> Vec<Vec3> {
        let SurfaceKind::Patch { width, height } = surface.kind else {
            return Vec::new();
        };
        self.draw_verts[surface.verts.range()]
            .iter()
            .take((width * height) as usize)
            .map(|vertex| vertex.position)
            .collect()
    }

    /// The leaf that holds a point, by its index.
    pub fn leaf_at(&self, point: Vec3) -> usize {
        let mut next = 0;
        loop {
            let node = &self.nodes[next];
            let plane = &self.planes[node.plane as usize];
            let side = usize::from(plane.normal.dot(point) - plane.dist < 0.0);
            match node.children[side] {
                Child::Node(node) => next = node as usize,
                Child::Leaf(leaf) => return leaf as usize,
            }
        }
    }

    /// Whether something in cluster `to` may be seen from cluster `from`; both as stored in [`Leaf`].
    pub fn cluster_sees(&self, from: i32, to: i32) -> bool {
        self.visibility
            .as_ref()
            .is_none_or(|visibility| visibility.sees(from, to))
    }
}

/// A run of elements of another array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Index of the first element.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

impl Span {
    /// As a range of indices.
    pub fn range(self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

/// A material of the map, by name, with what the map's compiler stored about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapShader {
    /// Name of the material, without extension.
    pub name: String,
    /// Bits of [`crate::types::trace::surface`].
    pub surface_flags: u32,
    /// Bits of [`crate::types::trace::contents`].
    pub contents: u32,
}

/// What lies on one side of a [`Node`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// Index into [`Bsp::nodes`].
    Node(u32),
    /// Index into [`Bsp::leafs`].
    Leaf(u32),
}

/// Splits space by a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// In [`Bsp::planes`].
    pub plane: u32,
    /// Front (`normal · p >= dist`) and back.
    pub children: [Child; 2],
    /// Lowest corner of the bounding box.
    pub mins: [i32; 3],
    /// Highest corner.
    pub maxs: [i32; 3],
}

/// A convex piece of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Negative: outside of the playable space.
    pub cluster: i32,
    /// Which part between area portals; −1 for none.
    pub area: i32,
    /// Lowest corner of the bounding box.
    pub mins: [i32; 3],
    /// Highest corner.
    pub maxs: [i32; 3],
    /// In [`Bsp::leaf_surfaces`].
    pub surfaces: Span,
    /// In [`Bsp::leaf_brushes`].
    pub brushes: Span,
}

/// The world or a part of it that can move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Lowest corner of the bounding box.
    pub mins: Vec3,
    /// Highest corner.
    pub maxs: Vec3,
    /// In [`Bsp::surfaces`].
    pub surfaces: Span,
    /// In [`Bsp::brushes`].
    pub brushes: Span,
}

/// A convex solid, bounded by at least six sides: −X, +X, −Y, +Y, −Z, +Z, then others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brush {
    /// In [`Bsp::brush_sides`].
    pub sides: Span,
    /// Gives the contents.
    pub shader: u32,
}

/// One side of a [`Brush`], its plane facing outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrushSide {
    /// In [`Bsp::planes`].
    pub plane: u32,
    /// Gives the surface flags.
    pub shader: u32,
}

/// A corner of a drawn surface, or a control point of a curved one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DrawVert {
    /// In units.
    pub position: Vec3,
    /// Place in the material's picture; 1 is its width or height.
    pub st: Vec2,
    /// Place in the lightmap, likewise.
    pub lightmap_st: Vec2,
    /// The direction it faces, of length 1.
    pub normal: Vec3,
    /// RGBA.
    pub color: [u8; 4],
}

/// A place filled with fog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fog {
    /// Name of the material with the fog's colour and depth.
    pub shader: String,
    /// In [`Bsp::brushes`].
    pub brush: u32,
    /// The side of the brush through which one looks in, counted within the brush.
    pub visible_side: Option<u32>,
}

/// How the vertices of a [`Surface`] are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceKind {
    /// Flat triangles.
    Planar,
    /// A curve with `width` × `height` control points, row after row; both odd and at least 3.
    Patch {
        /// Control points in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// Any triangles, lit by vertex.
    TriangleSoup,
    /// A glare, without geometry.
    Flare,
}

/// Something to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// How its vertices are meant.
    pub kind: SurfaceKind,
    /// In [`Bsp::shaders`].
    pub shader: u32,
    /// In [`Bsp::fogs`].
    pub fog: Option<u32>,
    /// In [`Bsp::draw_verts`].
    pub verts: Span,
    /// In [`Bsp::draw_indexes`].
    pub indexes: Span,
    /// Which lightmap; negative numbers are special and too large ones are possible.
    pub lightmap: i32,
    /// The place of a flare.
    pub lightmap_origin: Vec3,
    /// Planar: `[2]` is the normal. Patch: `[0]` and `[1]` bound its group for level of detail.
    /// Flare: `[0]` is the colour and `[2]` the normal.
    pub lightmap_vectors: [Vec3; 3],
}

/// Which clusters may see which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visibility {
    /// How many clusters there are.
    pub clusters: u32,
    /// Bytes of a row.
    pub row_bytes: u32,
    /// One row of bits for each cluster.
    pub rows: Vec<u8>,
}

impl Visibility {
    /// Whether something in cluster `to` may be seen from cluster `from`; unknown clusters see all.
    pub fn sees(&self, from: i32, to: i32) -> bool {
        let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to)) else {
            return true;
        };
        if from >= self.clusters || to >= self.clusters {
            return true;
        }
        let row = from as usize * self.row_bytes as usize;
        self.rows[row + (to >> 3) as usize] & (1 << (to & 7)) != 0
    }
}
