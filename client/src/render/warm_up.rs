//! Pipelines and images of what has been loaded, made ready before a picture needs them.

use super::materials;
use super::pipelines::{DEPTH_FORMAT, PipelineKey, VertexKind};
use super::textures::TextureSlot;
use super::uniforms::{OBJECT_STRIDE, ObjectUniform, STAGE_STRIDE, StageUniform};
use super::world::WorldVertex;
use super::{Renderer, target};
use crate::assets::Assets;
use crate::scene::ShaderId;
use bytemuck::Zeroable;

/// Which materials have been made ready for the GPU.
#[derive(Debug, Default)]
pub struct WarmUp {
    /// Materials registered so far.
    known: u32,
    cold: Vec<ShaderId>,
    /// Pipelines that the first picture seldom needs; they wait until the game runs.
    later: Vec<PipelineKey>,
    /// So many of the pipelines have been drawn with.
    drawn: usize,
}

impl Renderer {
    /// Makes pipelines and uploads images of what has been loaded, so that it need not happen while playing: as much
    /// as there is behind a loading screen, a little in every other frame.
    pub(super) fn warm_up(&mut self, assets: &Assets, is_loading: bool) {
        let mut budget = if is_loading { 64 } else { 2 };
        let all = assets.shader_count() as u32;
        self.warm_up
            .cold
            .extend((self.warm_up.known..all).map(ShaderId));
        self.warm_up.known = all;
        let Self {
            device,
            queue,
            pipelines,
            textures,
            warm_up,
            ..
        } = self;
        pipelines.prepare(device, materials::wipe_key());
        let mut later = std::mem::take(&mut warm_up.later);
        while budget > 0 && !is_loading {
            let Some(key) = later.pop() else { break };
            budget -= usize::from(pipelines.prepare(device, key));
        }
        warm_up.cold.retain(|&shader| {
            let Some(material) = assets.shader(shader).filter(|_| budget > 0) else {
                return true;
            };
            let mut keys = materials::likely_keys(material);
            // Without workers, all that may halt a frame is made behind the loading screen.
            let occasional = materials::occasional_keys(material).into_iter();
            let (ahead, patient): (Vec<_>, Vec<_>) =
                occasional.partition(|key| !key.is_instanced && !pipelines.has_workers());
            keys.extend(ahead);
            let made = keys
                .iter()
                .filter(|key| pipelines.prepare(device, **key))
                .count();
            let uploaded = textures.len();
            for image in material.images() {
                textures.slot(device, queue, assets, image);
            }
            let waits = assets.complete_shader(shader).is_none();
            budget -= (made + textures.len() - uploaded).min(budget);
            if !waits {
                later.extend(patient);
            }
            waits
        });
        warm_up.later = later;
    }

    /// Draws a triangle without extent with each new pipeline: drivers of OpenGL compile when a pipeline is drawn with
    /// for the first time, which would halt the frame that needs it.
    pub(super) fn draw_nothing(&mut self) {
        let first = self.warm_up.drawn.min(self.pipelines.made());
        if first == self.pipelines.made() {
            return;
        }
        self.warm_up.drawn = self.pipelines.made();
        let frame = &mut self.frame;
        frame.clear();
        let object = frame.objects.push(&ObjectUniform::zeroed(), OBJECT_STRIDE);
        let stage = frame.stages.push(&StageUniform::zeroed(), STAGE_STRIDE);
        frame.vertices.push(WorldVertex::zeroed());
        frame.indices.extend([0; 3]);
        if frame.upload(&self.device, &self.queue) {
            self.bind();
        }
        /// The smallest target is enough: its format and samples are what matters.
        const SIZE: [u32; 2] = [4, 4];
        let attachment = |format| {
            let usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
            target::create(&self.device, SIZE, format, self.target.samples(), usage)
        };
        let (color, depth) = (attachment(self.format), attachment(DEPTH_FORMAT));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("nothing"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &color,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Discard,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        let buffers = &self.frame.buffers;
        pass.set_bind_group(0, &self.bindings.objects, &[object]);
        pass.set_bind_group(1, &self.bindings.stages, &[buffers.stages_at() + stage]);
        for group in [2, 3] {
            pass.set_bind_group(group, self.textures.bind_group(TextureSlot::WHITE), &[]);
        }
        pass.set_index_buffer(buffers.indices(), wgpu::IndexFormat::Uint32);
        for (pipeline, vertices) in self.pipelines.made_since(first) {
            pass.set_pipeline(pipeline);
            // A model's corners lie in three buffers; any bytes will do.
            let count = match vertices {
                VertexKind::World => 1,
                VertexKind::Model => 3,
            };
            for slot in 0..count {
                pass.set_vertex_buffer(slot, buffers.vertices());
            }
            pass.draw_indexed(0..3, 0, 0..1);
        }
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }
}
