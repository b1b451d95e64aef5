//! Builds a ClipMap from the lumps of a map.

use super::{
    ClipBorder, ClipBrush, ClipFacet, ClipLeaf, ClipMap, ClipModel, ClipNode, ClipPatch, ClipPlane,
    ClipSide, Cull, Group, Reach, Rounding, patch,
};
use crate::{
    base::error::DecodeError,
    formats::bsp::{Bsp, Child, Span, Surface, SurfaceKind},
    types::trace::Plane,
};
use glam::Vec3;

/// Bounds are grown by this before they are compared.
const CULL_EPSILON: f64 = 0.125;
/// Most comparisons of planes while building all curves: a second or so, 80 times what real maps need.
const MAX_PATCH_WORK: u64 = 1 << 28;
/// Most borders of all curves together, which take 24 bytes each; real maps have 30,000.
const MAX_PATCH_BORDERS: usize = 1 << 20;

impl ClipMap {
    /// Makes the solid side of a map, rounded as the reference has it written.
    ///
    /// # Errors
    /// Names the curved surface that cannot be built within the limits.
    pub fn new(bsp: &Bsp) -> Result<Self, DecodeError> {
        Self::with_rounding(bsp, Rounding::Written)
    }

    /// Makes the solid side of a map as an engine has it that rounds like this.
    ///
    /// # Errors
    /// Names the curved surface that cannot be built within the limits.
    pub fn with_rounding(bsp: &Bsp, rounding: Rounding) -> Result<Self, DecodeError> {
        let mut map = Self {
            rounding,
            nodes: Vec::new(),
            leafs: Vec::new(),
            leaf_brushes: bsp.leaf_brushes.clone(),
            leaf_patches: Vec::new(),
            brushes: brushes(bsp),
            sides: sides(bsp),
            patches: Vec::new(),
            facets: Vec::new(),
            borders: Vec::new(),
            models: Vec::new(),
            visibility: bsp.visibility.clone(),
        };
        let patch_of_surface = map.add_patches(bsp)?;
        map.add_leafs(bsp, &patch_of_surface);
        map.add_models(bsp, &patch_of_surface);
        map.add_nodes(bsp);
        Ok(map)
    }

    /// Builds all curves; the answer tells the number of each surface's curve.
    fn add_patches(&mut self, bsp: &Bsp) -> Result<Vec<Option<u32>>, DecodeError> {
        let mut patch_of_surface = vec![None; bsp.surfaces.len()];
        let mut work = 0;
        for (number, surface) in bsp.surfaces.iter().enumerate() {
            let SurfaceKind::Patch { width, .. } = surface.kind else {
                continue;
            };
            let built = patch::build(width as usize, &bsp.control_points(surface), self.rounding);
            let too_large = |reason: &str| {
                let problem = format!("the curved surface {number} is too large: {reason}");
                DecodeError::new("map", 0, problem)
            };
            let built = built.map_err(|error| too_large(error.0))?;
            work += built.work;
            patch_of_surface[number] = Some(self.patches.len() as u32);
            self.add_patch(bsp, surface, &built);
            if work > MAX_PATCH_WORK || self.borders.len() > MAX_PATCH_BORDERS {
                return Err(too_large(
                    "all curves together need too much time or memory",
                ));
            }
        }
        Ok(patch_of_surface)
    }

    fn add_patch(&mut self, bsp: &Bsp, surface: &Surface, built: &patch::Patch) {
        let first_facet = self.facets.len() as u32;
        for facet in &built.facets {
            let first_border = self.borders.len() as u32;
            self.borders.extend(facet.borders.iter().map(|border| {
                let mut plane = ClipPlane::new(&built.planes[border.plane]);
                if border.inward {
                    plane.normal = -plane.normal;
                    plane.dist = -plane.dist;
                }
                ClipBorder {
                    plane,
                    inward: border.inward,
                }
            }));
            self.facets.push(ClipFacet {
                cull: facet_cull(built, facet, bsp.shaders[surface.shader as usize].contents),
                plane: ClipPlane::new(&built.planes[facet.surface]),
                borders: [first_border, self.borders.len() as u32],
            });
        }
        let shader = &bsp.shaders[surface.shader as usize];
        let [mins, maxs] = built.bounds;
        self.patches.push(ClipPatch {
            cull: if is_closed(built) {
                Cull {
                    mins: mins - PATCH_CULL_MARGIN,
                    maxs: maxs + PATCH_CULL_MARGIN,
                    contents: shader.contents,
                }
            } else {
                Cull::everywhere(shader.contents)
            },
            reach: Reach::around(built.bounds),
            surface_flags: shader.surface_flags,
            facets: [first_facet, self.facets.len() as u32],
        });
    }

    fn add_leafs(&mut self, bsp: &Bsp, patch_of_surface: &[Option<u32>]) {
        for leaf in &bsp.leafs {
            let surfaces = bsp.leaf_surfaces[leaf.surfaces.range()]
                .iter()
                .map(|&surface| surface as usize);
            let patches = self.add_group_patches(surfaces, patch_of_surface);
            let group = self.group(ends(leaf.brushes), patches);
            self.leafs.push(ClipLeaf {
                cluster: leaf.cluster,
                area: leaf.area,
                group,
            });
        }
    }

    /// Inline models are not in the tree: each has all its brushes and curves in one group.
    fn add_models(&mut self, bsp: &Bsp, patch_of_surface: &[Option<u32>]) {
        for (number, model) in bsp.models.iter().enumerate() {
            let (mut brushes, mut patches) = ([0; 2], [0; 2]);
            if number > 0 {
                let first = self.leaf_brushes.len() as u32;
                self.leaf_brushes
                    .extend(model.brushes.range().map(|brush| brush as u32));
                brushes = [first, self.leaf_brushes.len() as u32];
                patches = self.add_group_patches(model.surfaces.range(), patch_of_surface);
            }
            let group = self.group(brushes, patches);
            self.models.push(ClipModel {
                mins: model.mins - 1.0,
                maxs: model.maxs + 1.0,
                group,
            });
        }
    }

    fn add_group_patches(
        &mut self,
        surfaces: impl Iterator<Item = usize>,
        patch_of_surface: &[Option<u32>],
    ) -> [u32; 2] {
        let first = self.leaf_patches.len() as u32;
        self.leaf_patches
            .extend(surfaces.filter_map(|surface| patch_of_surface[surface]));
        [first, self.leaf_patches.len() as u32]
    }

    fn add_nodes(&mut self, bsp: &Bsp) {
        self.nodes = bsp
            .nodes
            .iter()
            .map(|node| ClipNode {
                plane: ClipPlane::new(&bsp.planes[node.plane as usize]),
                children: node.children.map(|child| match child {
                    Child::Node(node) => node as i32,
                    Child::Leaf(leaf) => !(leaf as i32),
                }),
                cull: Cull::NOTHING,
            })
            .collect();
        // Parents come before their children in this order, so its reverse finishes children first.
        let mut order = vec![0];
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            let children = self.nodes[node].children;
            order.extend(children.iter().filter_map(|&c| usize::try_from(c).ok()));
        }
        for node in order.into_iter().rev() {
            let mut cull = Cull::NOTHING;
            for child in self.nodes[node].children {
                cull = cull.join(match usize::try_from(child) {
                    Ok(node) => &self.nodes[node].cull,
                    Err(_) => &self.leafs[!child as usize].group.cull,
                });
            }
            self.nodes[node].cull = cull;
        }
    }

    fn group(&self, brushes: [u32; 2], patches: [u32; 2]) -> Group {
        let brush_culls = self.leaf_brushes[super::span(brushes)]
            .iter()
            .map(|&brush| &self.brushes[brush as usize].cull);
        let patch_culls = self.leaf_patches[super::span(patches)]
            .iter()
            .map(|&patch| &self.patches[patch as usize].cull);
        Group {
            cull: brush_culls
                .chain(patch_culls)
                .fold(Cull::NOTHING, |all, cull| all.join(cull)),
            brushes,
            patches,
        }
    }
}

/// How much a curve's facets may reach over its bounds: their bevels are axial to 0.0001 only, which makes
/// a difference of a few units at the other end of a map.
const PATCH_CULL_MARGIN: f32 = 8.0;

/// Whether every facet is bounded in all six directions, near the bounds of the curve.
fn is_closed(patch: &patch::Patch) -> bool {
    let [mins, maxs] = patch.bounds;
    patch.facets.iter().all(|facet| {
        let surface = &patch.planes[facet.surface];
        let planes = || {
            let surface = (surface.normal, surface.dist);
            let borders = facet
                .borders
                .iter()
                .map(|border| border.outward(&patch.planes));
            borders.chain([surface])
        };
        (0..3).all(|axis| {
            planes().any(|(normal, dist)| normal[axis] > 0.9999 && dist < maxs[axis] + 2.0)
                && planes().any(|(normal, dist)| normal[axis] < -0.9999 && dist < 2.0 - mins[axis])
        })
    })
}

/// Around a facet, where its borders are exactly axial; elsewhere it cannot be missed.
fn facet_cull(patch: &patch::Patch, facet: &patch::Facet, contents: u32) -> Cull {
    let mut cull = Cull::everywhere(contents);
    let surface = &patch.planes[facet.surface];
    let borders = facet
        .borders
        .iter()
        .map(|border| border.outward(&patch.planes));
    for (normal, dist) in borders.chain([(surface.normal, surface.dist)]) {
        for axis in 0..3 {
            if normal[axis] == 1.0 {
                cull.maxs[axis] = cull.maxs[axis].min(dist);
            } else if normal[axis] == -1.0 {
                cull.mins[axis] = cull.mins[axis].max(-dist);
            }
        }
    }
    cull
}

fn brushes(bsp: &Bsp) -> Vec<ClipBrush> {
    let brush = |brush: &crate::formats::bsp::Brush| {
        let dist = |side: usize| {
            let side = &bsp.brush_sides[brush.sides.first as usize + side];
            bsp.planes[side.plane as usize].dist
        };
        let mins = Vec3::new(-dist(0), -dist(2), -dist(4));
        let maxs = Vec3::new(dist(1), dist(3), dist(5));
        let contents = bsp.shaders[brush.shader as usize].contents;
        ClipBrush {
            cull: if is_axial(bsp, brush) {
                Cull {
                    mins,
                    maxs,
                    contents,
                }
            } else {
                Cull::everywhere(contents)
            },
            mins,
            maxs,
            reach: Reach::around([mins, maxs]),
            sides: ends(brush.sides),
        }
    };
    bsp.brushes.iter().map(brush).collect()
}

/// Whether the first six sides are what they should be; the reference does not ask.
fn is_axial(bsp: &Bsp, brush: &crate::formats::bsp::Brush) -> bool {
    let axes = [
        Vec3::NEG_X,
        Vec3::X,
        Vec3::NEG_Y,
        Vec3::Y,
        Vec3::NEG_Z,
        Vec3::Z,
    ];
    bsp.brush_sides[brush.sides.range()]
        .iter()
        .zip(axes)
        .all(|(side, axis)| bsp.planes[side.plane as usize].normal == axis)
}

fn sides(bsp: &Bsp) -> Vec<ClipSide> {
    bsp.brush_sides
        .iter()
        .map(|side| ClipSide {
            plane: ClipPlane::new(&bsp.planes[side.plane as usize]),
            surface_flags: bsp.shaders[side.shader as usize].surface_flags,
        })
        .collect()
}

fn ends(span: Span) -> [u32; 2] {
    [span.first, span.first + span.count]
}

impl ClipPlane {
    pub(super) fn new(plane: &Plane) -> Self {
        let normal = plane.normal;
        let sign = |component: f32, axis: u8| u8::from(component < 0.0) << axis;
        Self {
            normal,
            dist: plane.dist,
            sign_bits: sign(normal.x, 0) | sign(normal.y, 1) | sign(normal.z, 2),
            axis: (0..3).find(|&axis| normal[axis] == 1.0).unwrap_or(3) as u8,
        }
    }
}

impl Cull {
    /// Contains nothing.
    const NOTHING: Self = Self {
        mins: Vec3::INFINITY,
        maxs: Vec3::NEG_INFINITY,
        contents: 0,
    };

    /// Cannot be missed.
    pub(super) fn everywhere(contents: u32) -> Self {
        Self {
            mins: Vec3::NEG_INFINITY,
            maxs: Vec3::INFINITY,
            contents,
        }
    }

    fn join(&self, other: &Self) -> Self {
        Self {
            mins: self.mins.min(other.mins),
            maxs: self.maxs.max(other.maxs),
            contents: self.contents | other.contents,
        }
    }
}

impl Reach {
    pub(super) fn around([mins, maxs]: [Vec3; 2]) -> Self {
        Self {
            mins: mins.map(|low| round_up(f64::from(low) - CULL_EPSILON)),
            maxs: maxs.map(|high| round_down(f64::from(high) + CULL_EPSILON)),
        }
    }
}

/// The smallest `f32` that is not below.
fn round_up(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value {
        near.next_up()
    } else {
        near
    }
}

/// The largest `f32` that is not above.
fn round_down(value: f64) -> f32 {
    -round_up(-value)
}
