//! The map on the GPU: all surfaces in one vertex buffer, grouped into batches of one material and fog.

use super::fog::FogVolume;
use super::lights::{LightGrid, shift_color};
use super::settings::RenderSettings;
use super::textures;
use super::vertex_light::vertex_lit;
use crate::assets::Assets;
use crate::assets::material::{Lightmap, Material};
use crate::scene::ShaderId;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use shared::base::math::bounds_of;
use shared::formats::bsp::patch::{self, Grid};
use shared::formats::bsp::{Bsp, DrawVert, LIGHTMAP_BYTES, LIGHTMAP_SIZE, Surface, SurfaceKind};
use shared::formats::shader_script::terms::{Cull, sort};
use shared::types::trace::surface;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Most vertices of all curves: 100 MB with their grids; the largest known maps have a tenth.
const MAX_CURVE_VERTICES: usize = 1 << 20;
/// Most vertices of everything: what fits the smallest largest buffer of a device, 256 MB.
const MAX_VERTICES: usize = 5 << 20;
/// Most corners of triangles but those of curves.
const MAX_INDICES: usize = 16 << 20;

/// A finished vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WorldVertex {
    pub position: [f32; 3],
    pub normal: [f32; 3],
    pub tex: [f32; 2],
    pub lightmap: [f32; 2],
    pub color: [u8; 4],
    /// Layer of the lightmap.
    pub layer: u32,
}

/// A map, ready to be drawn.
pub struct World {
    pub bsp: Arc<Bsp>,
    /// Also kept here for what is placed on the CPU.
    pub vertices: Vec<WorldVertex>,
    /// Triangles of all surfaces except curves, which choose theirs by distance.
    pub indices: Vec<u32>,
    /// By the number of the surface in the map.
    pub surfaces: Vec<WorldSurface>,
    pub grids: Vec<Grid>,
    pub batches: Vec<WorldBatch>,
    /// The batches of each model of the map; model 0 is the world.
    pub models: Vec<Range<usize>>,
    pub fogs: Vec<FogVolume>,
    pub light_grid: Option<LightGrid>,
    pub vertex_buffer: wgpu::Buffer,
    pub lightmaps: wgpu::TextureView,
    /// What had to be left out, as lines for the player.
    pub left_out: Vec<String>,
}

/// Surfaces that are drawn together.
pub struct WorldBatch {
    pub shader: ShaderId,
    pub material: Arc<Material>,
    pub fog: Option<usize>,
    /// The material is not what its name stands for elsewhere.
    pub is_own: bool,
}

/// One surface of the map.
#[derive(Clone, Debug)]
pub struct WorldSurface {
    /// `None` is never drawn.
    pub batch: Option<usize>,
    pub shape: Shape,
    pub mins: Vec3,
    pub maxs: Vec3,
    pub cull: Cull,
    /// In `World::indices`.
    pub indices: Range<usize>,
}

impl WorldSurface {
    /// From a point in the surface's space to its box.
    pub fn distance_squared(&self, point: Vec3) -> f32 {
        point.clamp(self.mins, self.maxs).distance_squared(point)
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Planar {
        normal: Vec3,
        distance: f32,
    },
    /// A curve: its place in `World::grids` and its first vertex.
    Curve {
        grid: usize,
        first_vertex: u32,
    },
    Triangles,
}

impl World {
    /// Builds the map; `None` as long as one of its materials is missing.
    pub fn build(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        assets: &Assets,
        bsp: &Arc<Bsp>,
        settings: &RenderSettings,
    ) -> Option<Self> {
        let Geometry {
            builder,
            models,
            light_grid,
            fogs,
        } = Geometry::build(assets, bsp, settings)?;
        let vertex_buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("map"),
            size: (size_of::<WorldVertex>() * builder.vertices.len().max(1)) as u64,
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&vertex_buffer, 0, bytemuck::cast_slice(&builder.vertices));
        let max_layers = device.limits().max_texture_array_layers as usize;
        let stored = bsp.lightmap_images().take(max_layers);
        let layers: Vec<_> = stored.map(lightmap_pixels).collect();
        Some(Self {
            left_out: builder.left_out.lines(),
            vertices: builder.vertices,
            indices: builder.indices,
            surfaces: builder.surfaces,
            grids: builder.grids,
            batches: builder.batches,
            models,
            fogs,
            light_grid,
            vertex_buffer,
            lightmaps: textures::create_lightmaps(device, queue, LIGHTMAP_SIZE as u32, &layers),
            bsp: Arc::clone(bsp),
        })
    }

    /// The triangles of a surface of a kind other than a curve.
    pub fn triangles(&self, surface: &WorldSurface) -> &[u32] {
        &self.indices[surface.indices.clone()]
    }
}

/// How many vertices and indices a map comes to: builds all of it that needs no GPU; `None` as long as one of its
/// materials is missing.
pub fn size(assets: &Assets, bsp: &Bsp, settings: &RenderSettings) -> Option<[usize; 2]> {
    let builder = Geometry::build(assets, bsp, settings)?.builder;
    Some([builder.vertices.len(), builder.indices.len()])
}

/// What of a map needs no GPU.
struct Geometry {
    builder: Builder,
    /// Batches of each model.
    models: Vec<Range<usize>>,
    light_grid: Option<LightGrid>,
    fogs: Vec<FogVolume>,
}

impl Geometry {
    fn build(assets: &Assets, bsp: &Bsp, settings: &RenderSettings) -> Option<Self> {
        let materials = Materials::collect(assets, bsp, settings.vertex_light)?;
        let mut builder = Builder {
            curve_error: settings.curve_error,
            ..Builder::default()
        };
        let mut models = Vec::new();
        for model in &bsp.models {
            let first = builder.batches.len();
            builder.batch_ids.clear();
            for number in model.surfaces.range() {
                builder.add(bsp, &materials, number);
            }
            models.push(first..builder.batches.len());
        }
        builder.finish_grids();
        Some(Self {
            builder,
            models,
            light_grid: LightGrid::new(bsp),
            fogs: fogs(bsp, &materials),
        })
    }
}

/// The materials of a map, by surface and fog.
struct Materials {
    surfaces: Vec<(ShaderId, Arc<Material>)>,
    fogs: Vec<Arc<Material>>,
    lights_by_vertex: bool,
}

impl Materials {
    fn collect(assets: &Assets, bsp: &Bsp, lights_by_vertex: bool) -> Option<Self> {
        let (surfaces, fogs) = (assets.world_surface_shaders(), assets.world_fog_shaders());
        if surfaces.len() < bsp.surfaces.len() || fogs.len() < bsp.fogs.len() {
            return None;
        }
        let find = |shader: &ShaderId| assets.shader(*shader).map(Arc::clone);
        let seen = |material: Arc<Material>| match lights_by_vertex {
            true => vertex_lit(&material).map_or(material, Arc::new),
            false => material,
        };
        Some(Self {
            surfaces: surfaces
                .iter()
                .map(|id| Some((*id, seen(find(id)?))))
                .collect::<Option<_>>()?,
            fogs: fogs.iter().map(find).collect::<Option<_>>()?,
            lights_by_vertex,
        })
    }
}

#[derive(Default)]
struct Builder {
    curve_error: f32,
    vertices: Vec<WorldVertex>,
    indices: Vec<u32>,
    surfaces: Vec<WorldSurface>,
    grids: Vec<Grid>,
    /// The surface of each grid.
    grid_surfaces: Vec<usize>,
    batches: Vec<WorldBatch>,
    /// Batches of the current model.
    batch_ids: HashMap<(MergeKey, Option<usize>), usize>,
    curve_vertices: usize,
    left_out: LeftOut,
}

/// How much of a map is too much.
#[derive(Debug, Default)]
struct LeftOut {
    curves: usize,
    others: usize,
    has_cracks: bool,
}

impl LeftOut {
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.curves > 0 {
            lines.push(format!(
                "Left out: {} curves of the map, because all curves together have more than {MAX_CURVE_VERTICES} vertices",
                self.curves
            ));
        }
        if self.others > 0 {
            lines.push(format!(
                "Left out: {} surfaces of the map, because all together have more than {MAX_VERTICES} vertices or {MAX_INDICES} corners",
                self.others
            ));
        }
        if self.has_cracks {
            lines.push(
                "Curves of the map may show cracks, because too many of them meet".to_owned(),
            );
        }
        lines
    }
}

/// What surfaces must have in common to be drawn together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum MergeKey {
    /// The lightmap may differ: each vertex knows its own.
    Name(String),
    Shader(ShaderId),
}

impl Builder {
    fn add(&mut self, bsp: &Bsp, materials: &Materials, number: usize) {
        let hidden = WorldSurface {
            batch: None,
            shape: Shape::Triangles,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            cull: Cull::Back,
            indices: 0..0,
        };
        if self.surfaces.len() <= number {
            self.surfaces.resize(number + 1, hidden);
        }
        let stored = &bsp.surfaces[number];
        let (shader, material) = &materials.surfaces[number];
        let first_vertex = self.vertices.len();
        let first_index = self.indices.len();
        let layer = match material.lightmap {
            Lightmap::Number(number) => u32::from(number),
            _ => 0,
        };
        let Some(shape) = self.add_shape(bsp, stored, layer) else {
            return;
        };
        if let Shape::Curve { .. } = shape {
            self.grid_surfaces.push(number);
        }
        let fog = stored.fog.map(|fog| fog as usize);
        let batch = self.batch(*shader, material, fog, materials.lights_by_vertex);
        let added = &self.vertices[first_vertex..];
        let (mins, maxs) = bounds_of(added.iter().map(|v| v.position.into()));
        self.surfaces[number] = WorldSurface {
            batch: Some(batch),
            shape,
            mins,
            maxs,
            cull: material.cull,
            indices: first_index..self.indices.len(),
        };
    }

    fn add_shape(&mut self, bsp: &Bsp, stored: &Surface, layer: u32) -> Option<Shape> {
        let first_vertex = self.vertices.len() as u32;
        let has_room = self.vertices.len() + stored.verts.count as usize <= MAX_VERTICES
            && self.indices.len() + stored.indexes.count as usize <= MAX_INDICES;
        if !has_room {
            self.left_out.others += 1;
            return None;
        }
        let vertices = bsp.draw_verts[stored.verts.range()].iter().map(lit_vertex);
        let indices = bsp.draw_indexes[stored.indexes.range()]
            .iter()
            .map(|index| first_vertex + index);
        match stored.kind {
            SurfaceKind::Planar => {
                let normal = stored.lightmap_vectors[2];
                let flat = vertices.map(|v| finished(&DrawVert { normal, ..v }, layer));
                self.vertices.extend(flat);
                self.indices.extend(indices);
                let first = Vec3::from(self.vertices.get(first_vertex as usize)?.position);
                Some(Shape::Planar {
                    normal,
                    distance: normal.dot(first),
                })
            }
            SurfaceKind::TriangleSoup => {
                self.vertices.extend(vertices.map(|v| finished(&v, layer)));
                self.indices.extend(indices);
                Some(Shape::Triangles)
            }
            SurfaceKind::Patch { width, height } => {
                if bsp.shaders[stored.shader as usize].surface_flags & surface::NODRAW != 0 {
                    return None;
                }
                // What is too much is not even tried.
                if self.left_out.curves > 0 {
                    self.left_out.curves += 1;
                    return None;
                }
                let (width, height) = (width as usize, height as usize);
                let control: Vec<_> = vertices.take(width * height).collect();
                let [mins, maxs, _] = stored.lightmap_vectors;
                let grid = Grid::new([width, height], &control, [mins, maxs], self.curve_error);
                let count = self.curve_vertices + grid.vertices.len();
                if count > MAX_CURVE_VERTICES {
                    self.left_out.curves += 1;
                    return None;
                }
                self.curve_vertices = count;
                self.vertices
                    .extend(grid.vertices.iter().map(|v| finished(v, layer)));
                self.grids.push(grid);
                Some(Shape::Curve {
                    grid: self.grids.len() - 1,
                    first_vertex,
                })
            }
            SurfaceKind::Flare => None,
        }
    }

    fn batch(
        &mut self,
        shader: ShaderId,
        material: &Arc<Material>,
        fog: Option<usize>,
        is_own: bool,
    ) -> usize {
        // Opaque surfaces hide each other whatever their order, so those that differ by lightmap only go together.
        let is_opaque = material.sort <= sort::OPAQUE
            && material.sky.is_none()
            && material
                .stages
                .first()
                .is_some_and(|stage| stage.blend.is_none() && stage.depth_write);
        let key = match material.lightmap {
            Lightmap::Number(_) if is_opaque => MergeKey::Name(material.name.to_ascii_lowercase()),
            _ => MergeKey::Shader(shader),
        };
        *self.batch_ids.entry((key, fog)).or_insert_with(|| {
            self.batches.push(WorldBatch {
                shader,
                material: Arc::clone(material),
                fog,
                is_own,
            });
            self.batches.len() - 1
        })
    }

    /// Lets neighbouring curves agree on what to leave out, now that all are known.
    fn finish_grids(&mut self) {
        self.left_out.has_cracks = !patch::share_edges(&mut self.grids).is_complete;
    }
}

/// A stored vertex with its color at its real brightness.
fn lit_vertex(stored: &DrawVert) -> DrawVert {
    let [r, g, b, a] = stored.color;
    let [r, g, b] = shift_color([r, g, b]);
    DrawVert {
        color: [r, g, b, a],
        ..*stored
    }
}

fn finished(vertex: &DrawVert, layer: u32) -> WorldVertex {
    WorldVertex {
        position: vertex.position.into(),
        normal: vertex.normal.into(),
        tex: vertex.st.into(),
        lightmap: vertex.lightmap_st.into(),
        color: vertex.color,
        layer,
    }
}

fn lightmap_pixels(stored: &[u8]) -> Vec<u8> {
    debug_assert_eq!(stored.len(), LIGHTMAP_BYTES);
    stored
        .chunks_exact(3)
        .flat_map(|rgb| {
            let [r, g, b] = shift_color([rgb[0], rgb[1], rgb[2]]);
            [r, g, b, 255]
        })
        .collect()
}

fn fogs(bsp: &Bsp, materials: &Materials) -> Vec<FogVolume> {
    let volume = |(fog, material): (&shared::formats::bsp::Fog, &Arc<Material>)| {
        let sides = &bsp.brush_sides[bsp.brushes[fog.brush as usize].sides.range()];
        let plane = |side: usize| &bsp.planes[sides[side].plane as usize];
        let (color, depth) = material
            .fog
            .map_or((Vec3::ZERO, 0.0), |fog| (fog.color, fog.depth_for_opaque));
        FogVolume {
            mins: -Vec3::new(plane(0).dist, plane(2).dist, plane(4).dist),
            maxs: Vec3::new(plane(1).dist, plane(3).dist, plane(5).dist),
            color: color
                .to_array()
                .map(|c| (255.0 * c).trunc().clamp(0.0, 255.0)),
            tex_scale: 1.0 / (8.0 * depth.max(1.0)),
            surface: fog
                .visible_side
                .map(|side| (plane(side as usize).normal, plane(side as usize).dist)),
        }
    };
    bsp.fogs.iter().zip(&materials.fogs).map(volume).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::material::Material;
    use shared::formats::bsp::{MapShader, Span};

    /// A map of curves that share their nine control points.
    fn curves(count: usize) -> Bsp {
        let control = (0..9).map(|k| {
            let (x, y) = ((k % 3) as f32, (k / 3) as f32);
            let bulge = if k == 4 { 60_000.0 } else { 0.0 };
            DrawVert {
                position: Vec3::new(x * 8000.0, y * 8000.0, bulge + x * y * 9000.0),
                ..DrawVert::default()
            }
        });
        let surface = Surface {
            kind: SurfaceKind::Patch {
                width: 3,
                height: 3,
            },
            shader: 0,
            fog: None,
            verts: Span { first: 0, count: 9 },
            indexes: Span::default(),
            lightmap: -1,
            lightmap_origin: Vec3::ZERO,
            lightmap_vectors: [Vec3::ZERO, Vec3::ONE, Vec3::Z],
        };
        Bsp {
            shaders: vec![MapShader::default()],
            draw_verts: control.collect(),
            surfaces: vec![surface; count],
            ..Bsp::default()
        }
    }

    fn built(bsp: &Bsp) -> Builder {
        let material = Arc::new(Material::blank("x", Lightmap::Vertex, 0));
        let materials = Materials {
            surfaces: vec![(ShaderId(0), material); bsp.surfaces.len()],
            fogs: Vec::new(),
            lights_by_vertex: false,
        };
        let mut builder = Builder {
            curve_error: 4.0,
            ..Builder::default()
        };
        (0..bsp.surfaces.len()).for_each(|number| builder.add(bsp, &materials, number));
        builder
    }

    #[test]
    fn curves_beyond_the_budget_are_left_out_and_told() {
        let few = built(&curves(2));
        assert!(few.left_out.lines().is_empty());
        let each = few.vertices.len() / 2;
        assert!(each > 1000, "{each}");
        let wanted = MAX_CURVE_VERTICES / each + 10;
        let many = built(&curves(wanted));
        assert!(many.vertices.len() <= MAX_CURVE_VERTICES);
        assert_eq!(many.grids.len(), MAX_CURVE_VERTICES / each);
        assert_eq!(many.left_out.curves, wanted - many.grids.len());
        let lines = many.left_out.lines();
        assert!(lines.len() == 1 && lines[0].contains("curves"), "{lines:?}");
    }

    #[test]
    fn surfaces_beyond_what_a_buffer_holds_are_left_out() {
        let mut bsp = curves(1);
        let mut builder = built(&bsp);
        builder
            .vertices
            .resize(MAX_VERTICES - 8, WorldVertex::default());
        bsp.surfaces[0].kind = SurfaceKind::Planar;
        assert!(builder.add_shape(&bsp, &bsp.surfaces[0], 0).is_none());
        assert_eq!(builder.left_out.others, 1);
        assert_eq!(builder.vertices.len(), MAX_VERTICES - 8);
    }
}
