//! What a view holds: batches of the map, of models, of sprites and polygons, gathered before they are sorted.

use super::deforms::{self, Facing};
use super::frame::{Batch, DepthRange, ENTITY_WORLD, Frame, Geometry, Object};
use super::lights::entity_light;
use super::materials::{self, Look};
use super::view::{Camera, Placement};
use super::visibility::{VisibilityQuery, Visible, VisibleSurface, is_culled};
use super::world::{Shape, World, WorldVertex};
use crate::assets::Assets;
use crate::assets::material::Material;
use crate::scene::{DynamicLight, Entity, EntityKind, ShaderId, View};
use glam::Vec3;

/// What a view is made from.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub assets: &'a Assets,
    pub world: Option<&'a World>,
    pub view: &'a View,
    /// None if the player does not want them.
    pub lights: &'a [DynamicLight],
    pub beam: &'a Material,
    pub lod_bias: i32,
}

/// Gathers the batches of one view.
pub struct Collector<'a, 'f> {
    pub assets: &'a Assets,
    pub world: Option<&'a World>,
    pub view: &'a View,
    pub lights: &'a [DynamicLight],
    pub camera: Camera,
    pub frame: &'f mut Frame,
    pub batches: Vec<Batch<'a>>,
    /// Stands for everything that is already in world space.
    pub world_object: Object,
    pub beam: &'a Material,
    pub lod_bias: i32,
}

impl<'a, 'f> Collector<'a, 'f> {
    /// Starts with what the map shows of itself.
    pub fn new(
        sources: Sources<'a>,
        mut camera: Camera,
        frame: &'f mut Frame,
        visible: &mut Visible,
    ) -> Self {
        let Sources {
            assets,
            view,
            lights,
            beam,
            lod_bias,
            ..
        } = sources;
        let world = sources.world.filter(|_| view.has_world);
        if let Some(world) = world {
            let query = VisibilityQuery {
                eye: camera.eye,
                pvs_origin: camera.pvs_origin,
                frustum: camera.frustum(),
                area_mask: &view.area_mask,
                lights,
            };
            visible.update(world, query);
            camera.far = visible.far;
        }
        let uniform = camera.object(&Placement::WORLD);
        let world_object = frame.add_object(&uniform, Placement::WORLD, Look::default());
        let mut collector = Self {
            assets,
            world,
            view,
            lights,
            camera,
            frame,
            batches: Vec::with_capacity(256),
            world_object,
            beam,
            lod_bias,
        };
        if let Some(world) = world {
            for batch in world.models.first().cloned().unwrap_or_default() {
                collector.world_batch(
                    world,
                    batch,
                    &visible.batches[batch],
                    world_object,
                    ENTITY_WORLD,
                );
            }
        }
        collector
    }

    /// Adds the view's polygons and entities.
    pub fn add_scene(&mut self, visible: &mut Visible) {
        super::sprites::add_polys(self);
        for (number, entity) in self.view.entities.iter().enumerate() {
            let is_hidden = if self.camera.is_portal() {
                entity.flags.first_person
            } else {
                entity.flags.third_person
            };
            if is_hidden || !entity.origin.is_finite() {
                continue;
            }
            let number = number.min(usize::from(ENTITY_WORLD) - 1) as u16;
            match entity.kind {
                EntityKind::Model(model) => self.add_model(model, entity, number, visible),
                EntityKind::PortalSurface { .. } => {}
                _ => super::sprites::add(self, entity, number),
            }
        }
    }

    fn add_model(
        &mut self,
        id: crate::scene::ModelId,
        entity: &'a Entity,
        number: u16,
        visible: &mut Visible,
    ) {
        use crate::assets::model::Model;
        let Some(model) = self.assets.model(id) else {
            return;
        };
        match &**model {
            Model::Mesh(mesh) => super::models::add(self, id, mesh, entity, number),
            Model::Brush(brush) => self.add_brush(*brush, entity, number, visible),
        }
    }

    /// A part of the map that moves.
    fn add_brush(
        &mut self,
        number: usize,
        entity: &Entity,
        entity_number: u16,
        visible: &mut Visible,
    ) {
        let Some(world) = self.world else { return };
        let (Some(model), Some(batches)) = (world.bsp.models.get(number), world.models.get(number))
        else {
            return;
        };
        let placement = placement_of(entity);
        let local_frustum = super::visibility::Frustum::new(
            placement.to_local(self.camera.eye),
            &self
                .camera
                .axis
                .map(|axis| placement.direction_to_local(axis)),
            self.camera.fov_x,
            self.camera.fov_y,
        );
        if local_frustum.hides_box(model.mins, model.maxs) {
            return;
        }
        let mut lights = 0;
        for (k, light) in self.lights.iter().enumerate().take(32) {
            let (at, radius) = (placement.to_local(light.origin), Vec3::splat(light.radius));
            let reaches =
                (at - radius).cmple(model.maxs).all() && (at + radius).cmpge(model.mins).all();
            lights |= u32::from(reaches) << k;
        }
        let local_eye = placement.to_local(self.camera.eye);
        for surface in model.surfaces.range() {
            let found = &world.surfaces[surface];
            if let Some(batch) = found
                .batch
                .filter(|_| !is_culled(found, local_eye, local_frustum))
            {
                visible.batches[batch].push(VisibleSurface {
                    surface: surface as u32,
                    lights,
                });
            }
        }
        let object = self.lit_object(entity, placement, 0.0);
        for batch in batches.clone() {
            self.world_batch(world, batch, &visible.batches[batch], object, entity_number);
            visible.batches[batch].clear();
        }
    }

    /// Places an entity with the light that falls on it.
    pub fn lit_object(&mut self, entity: &Entity, placement: Placement, backlerp: f32) -> Object {
        let at = entity.lighting_origin.unwrap_or(entity.origin);
        let grid = self.world.and_then(|world| world.light_grid.as_ref());
        let light = entity_light(grid, at, self.lights);
        let mut uniform = self.camera.object(&placement);
        uniform.ambient = light.ambient.extend(255.0).to_array();
        uniform.directed = light.directed.extend(0.0).to_array();
        uniform.light_dir = placement
            .direction_to_local(light.direction)
            .extend(0.0)
            .to_array();
        uniform.frame[0] = backlerp;
        self.frame.add_object(&uniform, placement, look_of(entity))
    }

    /// The visible surfaces of one batch: those without dynamic lights, then those with.
    fn world_batch(
        &mut self,
        world: &'a World,
        number: usize,
        surfaces: &[VisibleSurface],
        object: Object,
        entity: u16,
    ) {
        if surfaces.is_empty() {
            return;
        }
        let source = &world.batches[number];
        // Servers may remap materials at any time.
        let material = self.material(source.shader).unwrap_or(&source.material);
        let is_cpu = materials::deforms_on_cpu(material);
        let all_lights = surfaces
            .iter()
            .fold(0, |lights, surface| lights | surface.lights);
        for wants_lit in [false, true] {
            if wants_lit && all_lights == 0 {
                break;
            }
            let chosen = surfaces
                .iter()
                .filter(|surface| (surface.lights != 0) == wants_lit);
            let first = self.frame.indices.len();
            let geometry = if is_cpu {
                let time =
                    materials::shader_time(material, self.view.time_msec, object.look.shader_time);
                let facing = self.facing(&object.placement, time);
                chosen.for_each(|visible| self.add_deformed(world, visible, material, &facing));
                Geometry::Stream
            } else {
                chosen.for_each(|visible| self.add_indices(world, visible, &object.placement));
                Geometry::World
            };
            let indices = self.frame.indices_since(first);
            if indices.is_empty() {
                continue;
            }
            let mut batch = Batch::new(material, entity, object, geometry, indices);
            batch.fog = source.fog;
            batch.lights = if wants_lit { all_lights } else { 0 };
            batch.world_batch = Some(number);
            self.batches.push(batch);
        }
    }

    fn add_indices(&mut self, world: &World, visible: &VisibleSurface, placement: &Placement) {
        let surface = &world.surfaces[visible.surface as usize];
        match surface.shape {
            Shape::Curve { grid, first_vertex } => {
                let grid = &world.grids[grid];
                let allowed =
                    grid.allowed_error(placement.origin, self.camera.eye, self.camera.axis[0]);
                grid.write_indices(allowed, first_vertex, &mut self.frame.indices);
            }
            Shape::Planar { .. } | Shape::Triangles => {
                self.frame
                    .indices
                    .extend_from_slice(world.triangles(surface));
            }
        }
    }

    /// Adds a surface of the map whose vertices are placed for this view.
    fn add_deformed(
        &mut self,
        world: &World,
        visible: &VisibleSurface,
        material: &Material,
        facing: &Facing,
    ) {
        let surface = &world.surfaces[visible.surface as usize];
        let triangles = world.triangles(surface);
        let (Some(&first), Some(&last)) = (triangles.iter().min(), triangles.iter().max()) else {
            return;
        };
        let mut vertices = world.vertices[first as usize..=last as usize].to_vec();
        let mut indices: Vec<u32> = triangles.iter().map(|index| index - first).collect();
        deforms::apply(material, facing, &mut vertices, &mut indices);
        self.stream(&vertices, &indices);
    }

    /// Adds finished vertices to this frame's own.
    pub fn stream(&mut self, vertices: &[WorldVertex], indices: &[u32]) {
        let first = self.frame.vertices.len() as u32;
        self.frame.vertices.extend_from_slice(vertices);
        self.frame
            .indices
            .extend(indices.iter().map(|index| first + index));
    }

    /// The viewer in the space of something with this place.
    pub fn facing(&self, placement: &Placement, time: f64) -> Facing {
        let [left, up] = self.camera.facing();
        Facing {
            forward: placement.direction_to_local(self.camera.axis[0]) / placement.scale,
            left: placement.direction_to_local(left) / placement.scale,
            up: placement.direction_to_local(up) / placement.scale,
            time,
            scene_msec: self.view.time_msec,
        }
    }

    pub fn material(&self, id: ShaderId) -> Option<&'a Material> {
        self.assets.shader(id).map(|material| &**material)
    }
}

/// Where an entity stands.
pub fn placement_of(entity: &Entity) -> Placement {
    let scale = if entity.flags.scaled {
        entity.axis[0].length()
    } else {
        1.0
    };
    Placement {
        origin: entity.origin,
        axis: entity.axis,
        scale: if scale > 0.0 { scale } else { 1.0 },
    }
}

/// What an entity contributes to its materials.
pub fn look_of(entity: &Entity) -> Look {
    let [up_x, up_y, up_z] = entity.axis.map(|axis| axis.z);
    let height = entity
        .shadow_plane
        .map_or(0.0, |plane| entity.origin.z - plane);
    Look {
        color: entity.color,
        tex_coord: entity.tex_coord,
        shader_time: entity.shader_time,
        shadow: [up_x, up_y, up_z, height],
    }
}

/// The depth range of an entity.
pub fn depth_of(entity: &Entity) -> DepthRange {
    if entity.flags.depth_hack {
        DepthRange::Near
    } else {
        DepthRange::Full
    }
}
