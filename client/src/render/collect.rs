//! What a view holds: batches of the map, of models, of sprites and polygons, gathered before they are sorted.

use super::deforms::{self, Facing};
use super::frame::{Batch, DepthRange, ENTITY_WORLD, Frame, Geometry, Object};
use super::lights::entity_light;
use super::materials::{self, Ground, Look};
use super::overlays::Overlays;
use super::pipeline_key::VertexKind;
use super::view::{Camera, Placement};
use super::visibility::{
    Frustum, VisibilityQuery, Visible, VisibleSurface, is_culled, reaches_box,
};
use super::world::{Shape, World, WorldVertex};
use crate::assets::Assets;
use crate::assets::material::{FogPass, Material};
use crate::assets::model::Model;
use crate::scene::{DynamicLight, ModelId, RefEntity, RefEntityKind, Refdef, ShaderId};
use glam::Vec3;
use shared::formats::shader_script::terms::sort;

/// What a view is made from.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub assets: &'a Assets,
    pub world: Option<&'a World>,
    pub view: &'a Refdef,
    /// None if the player does not want them.
    pub lights: &'a [DynamicLight],
    pub beam: &'a Material,
    pub lod_bias: i32,
}

/// Gathers the batches of one view.
pub struct Collector<'a, 'f> {
    pub sources: Sources<'a>,
    pub camera: Camera,
    pub frame: &'f mut Frame,
    pub batches: Vec<Batch<'a>>,
    /// Stands for everything that is already in world space.
    pub world_object: Object,
    /// Lights and fogs on the map.
    pub overlays: &'f mut Overlays,
}

impl<'a, 'f> Collector<'a, 'f> {
    /// Starts with what the map shows of itself.
    pub fn new(
        mut sources: Sources<'a>,
        mut camera: Camera,
        frame: &'f mut Frame,
        visible: &mut Visible,
        overlays: &'f mut Overlays,
    ) -> Self {
        overlays.clear();
        sources.world = sources.world.filter(|_| sources.view.has_world);
        if let Some(world) = sources.world {
            let query = VisibilityQuery {
                eye: camera.eye,
                pvs_origin: camera.pvs_origin,
                frustum: camera.frustum(),
                area_mask: &sources.view.area_mask,
                lights: sources.lights,
            };
            visible.update(world, query);
            camera.far = visible.far;
        }
        let uniform = camera.object(&Placement::WORLD);
        let world_object = frame.add_object(&uniform, Placement::WORLD, Look::default());
        let mut collector = Self {
            sources,
            camera,
            frame,
            batches: Vec::with_capacity(256),
            world_object,
            overlays,
        };
        if let Some(world) = sources.world {
            for batch in world.models.first().cloned().unwrap_or_default() {
                let surfaces = &mut visible.batches[batch];
                collector.world_batch(world, batch, surfaces, world_object, ENTITY_WORLD);
            }
        }
        collector
    }

    /// Adds the view's polygons and entities.
    pub fn add_scene(&mut self, visible: &mut Visible) {
        super::sprites::add_polys(self);
        for (number, entity) in self.sources.view.entities.iter().enumerate() {
            let is_absent = self.hides(entity) && entity.shadow.is_none();
            if is_absent || !entity.origin.is_finite() {
                continue;
            }
            let number = number.min(usize::from(ENTITY_WORLD) - 1) as u16;
            match entity.kind {
                RefEntityKind::Model(model) => self.add_model(model, entity, number, visible),
                RefEntityKind::PortalSurface { .. } => {}
                _ if self.hides(entity) => {}
                _ => super::sprites::add(self, entity, number),
            }
        }
    }

    /// Whether a thing is not shown in this view; its shadow may be.
    pub fn hides(&self, entity: &RefEntity) -> bool {
        if self.camera.is_portal() {
            entity.flags.first_person
        } else {
            entity.flags.third_person
        }
    }

    fn add_model(&mut self, id: ModelId, entity: &RefEntity, number: u16, visible: &mut Visible) {
        let Some(model) = self.sources.assets.model(id) else {
            return;
        };
        match &**model {
            Model::Mesh(mesh) => super::models::add(self, id, mesh, entity, number),
            Model::Brush(brush) if !self.hides(entity) => {
                self.add_brush(*brush, entity, number, visible);
            }
            Model::Brush(_) => {}
        }
    }

    /// A part of the map that moves.
    fn add_brush(
        &mut self,
        number: usize,
        entity: &RefEntity,
        entity_number: u16,
        visible: &mut Visible,
    ) {
        let Some(world) = self.sources.world else {
            return;
        };
        let (Some(model), Some(batches)) = (world.bsp.models.get(number), world.models.get(number))
        else {
            return;
        };
        let placement = placement_of(entity);
        let Camera { fov_x, fov_y, .. } = self.camera;
        let local_eye = placement.to_local(self.camera.eye);
        let local_axis = self
            .camera
            .axis
            .map(|axis| placement.direction_to_local(axis));
        let local_frustum = Frustum::new(local_eye, &local_axis, fov_x, fov_y);
        if local_frustum.hides_box(model.mins, model.maxs) {
            return;
        }
        let mut lights = 0;
        for (k, light) in self.sources.lights.iter().enumerate().take(32) {
            let reach = (placement.to_local(light.origin), light.radius);
            lights |= u32::from(reaches_box(reach, model.mins, model.maxs)) << k;
        }
        for surface in model.surfaces.range() {
            let found = &world.surfaces[surface];
            if let Some(batch) = found
                .batch
                .filter(|_| !is_culled(found, local_eye, local_frustum))
            {
                visible.batches[batch].push(VisibleSurface {
                    surface: surface as u32,
                    lights,
                    distance: found.distance_squared(local_eye),
                });
            }
        }
        let object = self.lit_object(entity, placement, 0.0);
        for batch in batches.clone() {
            let surfaces = &mut visible.batches[batch];
            self.world_batch(world, batch, surfaces, object, entity_number);
            surfaces.clear();
        }
    }

    /// Places an entity with the light that falls on it.
    pub fn lit_object(
        &mut self,
        entity: &RefEntity,
        placement: Placement,
        backlerp: f32,
    ) -> Object {
        let at = entity.lighting_origin.unwrap_or(entity.origin);
        let grid = self
            .sources
            .world
            .and_then(|world| world.light_grid.as_ref());
        let mut light = entity_light(grid, at, self.sources.lights);
        if let Some(glow) = entity.glow {
            (light.ambient, light.directed) = (glow * 255.0, Vec3::ZERO);
        }
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

    /// The visible surfaces of one batch, if there are any.
    fn world_batch(
        &mut self,
        world: &'a World,
        number: usize,
        surfaces: &mut [VisibleSurface],
        object: Object,
        entity: u16,
    ) {
        if surfaces.is_empty() {
            return;
        }
        let source = &world.batches[number];
        // Servers may remap materials at any time.
        let material = self
            .material(source.shader)
            .filter(|_| !source.is_own)
            .unwrap_or(&source.material);
        let first = self.frame.indices.len();
        let mut batch = Batch::new(material, entity, object, Geometry::World, 0..0);
        batch.fog = source.fog;
        batch.world_batch = Some(number);
        if material.deforms.is_empty() && material.sort <= sort::OPAQUE {
            if material.sort > sort::PORTAL {
                // What is near hides what follows.
                surfaces.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance));
                batch.distance = surfaces.first().map_or(0.0, |nearest| nearest.distance);
            }
            batch.is_overlaid = true;
            let lit = materials::takes_light(material);
            for visible in surfaces.iter() {
                self.add_still(world, visible, &batch, lit);
            }
            self.push_indices(batch, first);
        } else {
            self.moving_batches(world, surfaces, batch);
        }
    }

    /// Adds a surface that keeps its shape, and its part of what is laid over the map.
    fn add_still(
        &mut self,
        world: &World,
        visible: &VisibleSurface,
        batch: &Batch<'_>,
        is_lit: bool,
    ) {
        let first = self.frame.indices.len();
        self.add_indices(world, visible, &batch.object.placement);
        let ground = Ground::new(batch.material, VertexKind::World);
        let triangles = &self.frame.indices[first..];
        if batch.material.sky.is_some() {
            return;
        }
        if let Some(fog) = batch
            .fog
            .filter(|_| batch.material.fog_pass == FogPass::Equal)
        {
            self.overlays.add_fog(fog, ground, &batch.object, triangles);
        }
        let mut lights = if is_lit { visible.lights } else { 0 };
        while lights != 0 {
            let k = lights.trailing_zeros() as usize;
            lights &= lights - 1;
            let light = &self.sources.lights[k];
            let at = batch.object.placement.to_local(light.origin);
            let (reach, under) = ((at, light.radius), (ground, &batch.object));
            self.overlays
                .add_light(k, reach, under, &world.vertices, triangles);
        }
    }

    /// The surfaces of a material that moves vertices or is seen through: those without dynamic lights, then those with.
    fn moving_batches(&mut self, world: &World, surfaces: &[VisibleSurface], batch: Batch<'a>) {
        let material = batch.material;
        let object = batch.object;
        let takes_light = materials::takes_light(material);
        let all_lights = surfaces
            .iter()
            .fold(0, |lights, surface| lights | surface.lights);
        for wants_lit in [false, true] {
            if wants_lit && (all_lights == 0 || !takes_light) {
                break;
            }
            let chosen = surfaces
                .iter()
                .filter(|surface| !takes_light || (surface.lights != 0) == wants_lit);
            let first = self.frame.indices.len();
            let mut batch = batch.clone();
            if materials::deforms_on_cpu(material) {
                let facing = self.facing(material, &object.placement, object.look.shader_time);
                chosen.for_each(|visible| self.add_deformed(world, visible, material, &facing));
                batch.geometry = Geometry::Stream;
            } else {
                chosen.for_each(|visible| self.add_indices(world, visible, &object.placement));
            }
            batch.lights = if wants_lit { all_lights } else { 0 };
            self.push_indices(batch, first);
        }
    }

    /// Keeps a batch that has the indices since `first`, if there are any.
    fn push_indices(&mut self, mut batch: Batch<'a>, first: usize) {
        batch.indices = self.frame.indices_since(first);
        if !batch.indices.is_empty() {
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

    /// The viewer in the space of something with this material and place, whose material's clock began then.
    pub fn facing(&self, material: &Material, placement: &Placement, entity_time: f32) -> Facing {
        let [left, up] = self.camera.facing();
        let scene_msec = self.sources.view.time_msec;
        Facing {
            forward: placement.direction_to_local(self.camera.axis[0]) / placement.scale,
            left: placement.direction_to_local(left) / placement.scale,
            up: placement.direction_to_local(up) / placement.scale,
            time: materials::shader_time(material, scene_msec, entity_time),
            scene_msec,
        }
    }

    /// How a surface looks; `None` as long as images of it are still on their way.
    pub fn material(&self, id: ShaderId) -> Option<&'a Material> {
        self.sources
            .assets
            .complete_shader(id)
            .map(|material| &**material)
    }
}

/// Where an entity stands.
pub fn placement_of(entity: &RefEntity) -> Placement {
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
pub fn look_of(entity: &RefEntity) -> Look {
    let [up_x, up_y, up_z] = entity.axis.map(|axis| axis.z);
    let height = entity
        .shadow
        .map_or(0.0, |shadow| entity.origin.z - shadow.floor);
    Look {
        color: entity.color,
        tex_coord: entity.tex_coord,
        shader_time: entity.shader_time,
        shadow: [up_x, up_y, up_z, height],
    }
}

/// The depth range of an entity.
pub fn depth_of(entity: &RefEntity) -> DepthRange {
    if entity.flags.depth_hack {
        DepthRange::Near
    } else {
        DepthRange::Full
    }
}
