//! A frame being put together: batches to sort, draws in order, and the data they refer to.

use super::baked;
use super::fog::FogVolume;
use super::materials::{self, Ground, Look, PassContext};
use super::pipeline_key::{PipelineKey, VertexKind};
use super::pipelines::{PipelineSlot, Pipelines};
use super::textures::{TextureSlot, Textures};
use super::uniforms::{OBJECT_STRIDE, ObjectUniform, STAGE_STRIDE, StageUniform, UniformBytes};
use super::upload::{FrameBuffers, FrameBytes};
use super::view::{Camera, Placement, Window};
use super::visibility::chosen;
use super::world::WorldVertex;
use crate::assets::material::{Material, Stage};
use crate::assets::{Assets, ImageId};
use crate::scene::{DynamicLight, ModelId};
use shared::formats::shader_script::terms::sort;
use std::ops::Range;

/// The entity number of the map and of polygons when batches are sorted.
pub const ENTITY_WORLD: u16 = 1023;

/// Which vertices a draw takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Geometry {
    /// The map's, with this frame's indices.
    World,
    /// This frame's own.
    Stream,
    Model(ModelGeometry),
}

/// A level of detail of an MD3 model between two of its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelGeometry {
    pub model: ModelId,
    pub lod: u8,
    pub frame: u16,
    pub old_frame: u16,
}

/// Which part of the depth buffer is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum DepthRange {
    #[default]
    Full,
    /// In front of everything: the weapon in hand.
    Near,
    /// Behind everything: the sky.
    Far,
}

impl DepthRange {
    pub fn bounds(self) -> [f32; 2] {
        match self {
            Self::Full => [0.0, 1.0],
            Self::Near => [0.0, 0.3],
            Self::Far => [1.0, 1.0],
        }
    }
}

/// One draw call.
#[derive(Clone, Debug)]
pub struct Draw {
    pub pipeline: PipelineSlot,
    pub images: [TextureSlot; 2],
    pub stage: u32,
    pub place: DrawTarget,
}

/// What a draw call draws, and where.
#[derive(Clone, Debug)]
pub struct DrawTarget {
    /// Offset of its numbers.
    pub object: u32,
    pub geometry: Geometry,
    pub indices: Range<u32>,
    pub depth: DepthRange,
    /// How many things, whose numbers lie one behind the other.
    pub instances: u32,
}

impl DrawTarget {
    /// Its things, each for itself.
    fn one_by_one(&self) -> impl Iterator<Item = Self> {
        (0..self.instances).map(|number| Self {
            object: self.object + number * OBJECT_STRIDE as u32,
            instances: 1,
            ..self.clone()
        })
    }
}

/// Something placed in a view.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    pub offset: u32,
    pub placement: Placement,
    pub look: Look,
}

/// Decides the order of batches: material, then entity, fog and whether dynamic lights shine on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortKey {
    sort: u32,
    order: u64,
    pub entity: u16,
    fog: u16,
    is_lit: bool,
    /// Keeps what is equal in the order in which it came.
    sequence: u32,
}

/// Triangles with one material, at one place.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    pub key: SortKey,
    pub material: &'a Material,
    pub object: Object,
    pub geometry: Geometry,
    pub indices: Range<u32>,
    pub fog: Option<usize>,
    /// Bits of the view's dynamic lights that shine on it.
    pub lights: u32,
    pub depth: DepthRange,
    /// The batch of the map that this is, for portals.
    pub world_batch: Option<usize>,
    /// About how far its nearest part is from the eye, squared.
    pub distance: f32,
    /// Its lights and fog are drawn together with those of others.
    pub is_overlaid: bool,
    /// Its vertices hold what its material does.
    pub is_baked: bool,
    /// Offsets of what else looks like this and is drawn with it.
    pub others: Vec<u32>,
}

impl<'a> Batch<'a> {
    pub fn new(
        material: &'a Material,
        entity: u16,
        object: Object,
        geometry: Geometry,
        indices: Range<u32>,
    ) -> Self {
        // Orders floats of both signs like numbers.
        let bits = material.sort.to_bits();
        let sort = if bits >> 31 == 1 {
            !bits
        } else {
            bits | 1 << 31
        };
        let key = SortKey {
            sort,
            order: material.order,
            entity,
            fog: 0,
            is_lit: false,
            sequence: 0,
        };
        Self {
            key,
            material,
            object,
            geometry,
            indices,
            fog: None,
            lights: 0,
            depth: DepthRange::Full,
            world_batch: None,
            distance: 0.0,
            is_overlaid: false,
            is_baked: false,
            others: Vec::new(),
        }
    }

    pub fn phase(&self) -> Phase {
        let material = self.material;
        let is_solid = material
            .stages
            .first()
            .is_some_and(|stage| stage.blend.is_none() && stage.depth_test && stage.depth_write);
        if material.sort <= sort::PORTAL {
            Phase::Portals
        } else if material.sky.is_some() {
            Phase::Sky
        } else if material.sort > sort::OPAQUE {
            Phase::Blended
        } else if is_solid {
            Phase::Solid
        } else {
            Phase::Unclear
        }
    }

    /// Whether both can be one draw, because they look the same at the same place.
    fn goes_with(&self, other: &Self) -> bool {
        self.geometry == Geometry::Stream
            && other.geometry == Geometry::Stream
            && std::ptr::eq(self.material, other.material)
            && self.object.offset == other.object.offset
            && self.fog == other.fog
            && self.depth == other.depth
            && self.is_baked == other.is_baked
            && (self.material.entity_mergable
                || self.is_baked
                || materials::look_alike(self.material, &self.object.look, &other.object.look))
    }
}

/// Sorts batches into drawing order and joins neighbours; their indices are brought together where they are apart.
pub fn sort_batches(batches: &mut Vec<Batch<'_>>, indices: &mut Vec<u32>) {
    for (sequence, batch) in batches.iter_mut().enumerate() {
        batch.key.sequence = sequence as u32;
        batch.key.fog = batch.fog.map_or(0, |fog| fog as u16 + 1);
        batch.key.is_lit = batch.lights != 0;
    }
    batches.sort_unstable_by_key(|batch| batch.key);
    // Where the last batch ends that can still grow in place.
    let mut copied_to = usize::MAX;
    batches.dedup_by(|next, previous| {
        let joins = previous.goes_with(next);
        if joins && previous.indices.end == next.indices.start {
            previous.indices.end = next.indices.end;
        } else if joins {
            let mut copy = |range: Range<u32>| {
                indices.extend_from_within(range.start as usize..range.end as usize);
                indices.len() as u32
            };
            if previous.indices.end as usize != copied_to {
                let count = previous.indices.end - previous.indices.start;
                let end = copy(previous.indices.clone());
                previous.indices = end - count..end;
            }
            previous.indices.end = copy(next.indices.clone());
            copied_to = previous.indices.end as usize;
        }
        joins
    });
}

/// When a batch is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Portals,
    /// Replaces what was there, so the order makes no difference to the picture.
    Solid,
    /// Among the solid by its material's word, but it mixes with what was there.
    Unclear,
    /// Where nothing else is.
    Sky,
    /// After the lights and fogs on everything before.
    Blended,
}

/// Brings sorted batches into the order in which least is drawn in vain: what is near hides what follows.
pub fn order_batches(batches: &mut [Batch<'_>]) {
    batches.sort_by(|a, b| {
        let (phase, other) = (a.phase(), b.phase());
        let nearer = if phase == Phase::Solid && other == Phase::Solid {
            (a.depth != DepthRange::Near)
                .cmp(&(b.depth != DepthRange::Near))
                .then(a.distance.total_cmp(&b.distance))
        } else {
            std::cmp::Ordering::Equal
        };
        phase.cmp(&other).then(nearer)
    });
}

/// Everything that a frame sends to the GPU.
pub struct Frame {
    pub objects: UniformBytes,
    pub stages: UniformBytes,
    pub buffers: FrameBuffers,
    pub vertices: Vec<WorldVertex>,
    pub indices: Vec<u32>,
    pub draws: Vec<Draw>,
}

impl Frame {
    /// Without `can_mix`, indices need a buffer of their own.
    pub fn new(device: &wgpu::Device, can_mix: bool) -> Self {
        Self {
            objects: UniformBytes::default(),
            stages: UniformBytes::default(),
            buffers: FrameBuffers::new(device, can_mix),
            vertices: Vec::new(),
            indices: Vec::new(),
            draws: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.objects.clear();
        self.stages.clear();
        self.vertices.clear();
        self.indices.clear();
        self.draws.clear();
    }

    /// Sends the frame's data; true if the uniforms moved to another buffer.
    pub fn upload(&mut self, device: &wgpu::Device, queue: &wgpu::Queue) -> bool {
        let bytes = FrameBytes {
            objects: self.objects.bytes(),
            stages: self.stages.bytes(),
            vertices: bytemuck::cast_slice(&self.vertices),
            indices: bytemuck::cast_slice(&self.indices),
        };
        self.buffers.upload(device, queue, bytes)
    }

    /// Places something in a view.
    pub fn add_object(
        &mut self,
        uniform: &ObjectUniform,
        placement: Placement,
        look: Look,
    ) -> Object {
        Object {
            offset: self.objects.push(uniform, OBJECT_STRIDE),
            placement,
            look,
        }
    }

    /// The indices written since there were `first` of them.
    pub fn indices_since(&self, first: usize) -> Range<u32> {
        first as u32..self.indices.len() as u32
    }
}

/// Turns batches into draws.
pub struct Recorder<'a> {
    pub assets: &'a Assets,
    pub textures: &'a mut Textures,
    pub pipelines: &'a mut Pipelines,
    pub frame: &'a mut Frame,
    pub fogs: &'a [FogVolume],
    pub camera: Camera,
    pub lights: &'a [DynamicLight],
    pub scene_msec: i32,
}

impl Recorder<'_> {
    /// Draws all passes of a batch: its stages, its lights, its fog.
    pub fn batch(&mut self, batch: &Batch<'_>) {
        let material = batch.material;
        let vertices = match batch.geometry {
            Geometry::Model(_) => VertexKind::Model,
            Geometry::World | Geometry::Stream => VertexKind::World,
        };
        let context = PassContext {
            is_in_fog: batch.fog.is_some(),
            ..PassContext::new(material, &batch.object.look, self.scene_msec)
        };
        let place = self.place(batch);
        for pass in materials::passes(material) {
            let mut uniform = if batch.is_baked {
                baked::uniform()
            } else {
                materials::stage_uniform(material, pass, context)
            };
            self.add_fog(&mut uniform, batch);
            let images = self.images([Some(pass.first), pass.second], context.time);
            let key = materials::pass_key(material, pass, vertices, context.is_in_fog);
            self.draw_at(place.clone(), key, images, &uniform);
        }
        if batch.is_overlaid {
            return;
        }
        if materials::takes_light(material) {
            self.lights(batch, context);
        }
        if let (Some(fog), Some(key)) = (batch.fog, materials::fog_key(material, vertices)) {
            let base = materials::base_uniform(material, context);
            let mut uniform = materials::fog_uniform(base, &self.fogs[fog]);
            self.add_fog(&mut uniform, batch);
            let image = self.image(ImageId::FOG);
            self.draw_at(place, key, [image, TextureSlot::WHITE], &uniform);
        }
    }

    fn lights(&mut self, batch: &Batch<'_>, context: PassContext<'_>) {
        let ground = Ground::new(batch.material, VertexKind::World);
        for (_, light) in chosen(self.lights, batch.lights) {
            let local = batch.object.placement.to_local(light.origin);
            let base = materials::base_uniform(batch.material, context);
            let uniform = materials::light_uniform(base, local, light.radius, light.color);
            let key = materials::light_key(ground, light.additive);
            let image = self.image(ImageId::DLIGHT);
            self.draw(batch, key, [image, TextureSlot::WHITE], &uniform);
        }
    }

    fn add_fog(&self, uniform: &mut StageUniform, batch: &Batch<'_>) {
        if let Some(fog) = batch.fog {
            let placement = &batch.object.placement;
            self.fogs[fog].fill(uniform, &placement.axis, placement.origin, self.camera.eye);
        }
    }

    /// The textures of one or two stages.
    pub fn images(&mut self, stages: [Option<&Stage>; 2], time: f64) -> [TextureSlot; 2] {
        stages.map(|stage| {
            stage
                .and_then(|stage| stage.image.at(time))
                .map_or(TextureSlot::WHITE, |id| self.image(id))
        })
    }

    pub fn image(&mut self, id: ImageId) -> TextureSlot {
        self.textures.slot(self.assets, id)
    }

    /// One draw of a batch.
    pub fn draw(
        &mut self,
        batch: &Batch<'_>,
        key: PipelineKey,
        images: [TextureSlot; 2],
        uniform: &StageUniform,
    ) {
        let place = self.place(batch);
        self.draw_at(place, key, images, uniform);
    }

    /// Where a batch is drawn; brings the numbers of several things together.
    fn place(&mut self, batch: &Batch<'_>) -> DrawTarget {
        let mut object = batch.object.offset;
        if !batch.others.is_empty() {
            let objects = &mut self.frame.objects;
            object = objects.repeat(object, OBJECT_STRIDE);
            for other in &batch.others {
                objects.repeat(*other, OBJECT_STRIDE);
            }
        }
        DrawTarget {
            object,
            geometry: batch.geometry,
            indices: batch.indices.clone(),
            depth: batch.depth,
            instances: 1 + batch.others.len() as u32,
        }
    }

    /// Draws with a pipeline for the screen, which is adapted to the view: several things at once if there is a pipeline
    /// for that, else one by one.
    pub fn draw_at(
        &mut self,
        place: DrawTarget,
        key: PipelineKey,
        images: [TextureSlot; 2],
        uniform: &StageUniform,
    ) {
        if place.indices.is_empty() {
            return;
        }
        let key = PipelineKey {
            is_instanced: place.instances > 1,
            ..key
        };
        let key = match self.camera.window {
            Window::Screen => key,
            Window::Portal { is_mirror, .. } => key.in_portal(is_mirror),
        };
        let stage = self.frame.stages.push(uniform, STAGE_STRIDE);
        let mut add = |pipeline, place| {
            self.frame.draws.push(Draw {
                pipeline,
                images,
                stage,
                place,
            });
        };
        let single = key.single();
        if let Some(pipeline) = self.pipelines.pick(key) {
            add(pipeline, place);
        } else if let Some(pipeline) = single.and_then(|key| self.pipelines.pick(key)) {
            place.one_by_one().for_each(|place| add(pipeline, place));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_that_are_drawn_one_by_one_have_their_own_numbers() {
        let stride = OBJECT_STRIDE as u32;
        let several = DrawTarget {
            object: 5 * stride,
            geometry: Geometry::Stream,
            indices: 6..12,
            depth: DepthRange::Near,
            instances: 3,
        };
        let single: Vec<_> = several.one_by_one().collect();
        let objects: Vec<_> = single.iter().map(|one| one.object / stride).collect();
        assert_eq!(objects, [5, 6, 7]);
        assert!(single.iter().all(|one| one.instances == 1
            && one.indices == several.indices
            && one.depth == several.depth));
    }
}
