//! A frame on its way to the GPU: its passes as commands.

use super::Renderer;
use super::frame::{Draw, Frame, Geometry};
use super::pipelines::Pipelines;
use super::target::Attachment;
use super::textures::bind_entry;
use super::uniforms::{OBJECTS_SIZE, StageUniform};
use std::ops::Range;

/// The bind groups that hold the frame's uniforms.
pub struct Bindings {
    objects: wgpu::BindGroup,
    stages: wgpu::BindGroup,
}

/// Draws with one depth buffer, into one viewport or several in turn.
#[derive(Debug, Default)]
pub struct Pass {
    clear: Option<wgpu::Color>,
    draws: Range<usize>,
}

/// The passes of a frame. Their draws lie one behind the other, pass after pass.
#[derive(Debug, Default)]
pub struct Passes {
    passes: Vec<Pass>,
    /// With the draw that is the first there.
    viewports: Vec<(usize, [f32; 4])>,
}

impl Passes {
    pub fn clear(&mut self) {
        self.passes.clear();
        self.viewports.clear();
    }

    pub fn len(&self) -> usize {
        self.passes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.passes.is_empty()
    }

    /// Begins a pass, which has no depths and, with `clear`, no colors of those before.
    pub fn begin(&mut self, clear: Option<wgpu::Color>, viewport: [f32; 4], draws: Range<usize>) {
        self.viewports.push((draws.start, viewport));
        self.passes.push(Pass { clear, draws });
    }

    /// Goes on in the last pass, in another viewport; in a new one if there is none.
    pub fn go_on(&mut self, viewport: [f32; 4], draws: Range<usize>) {
        match self.passes.last_mut() {
            Some(pass) => {
                self.viewports.push((draws.start, viewport));
                pass.draws.end = draws.end;
            }
            None => self.begin(None, viewport, draws),
        }
    }

    /// Some draws of one pass by the viewports they go to.
    fn by_viewport(
        &self,
        draws: Range<usize>,
    ) -> impl Iterator<Item = ([f32; 4], Range<usize>)> + use<'_> {
        let ends = self.viewports.iter().skip(1).map(|(first, _)| *first);
        let ends = ends.chain([usize::MAX]);
        let viewports = self.viewports.iter().zip(ends);
        viewports.filter_map(move |((first, viewport), end)| {
            let draws = draws.start.max(*first)..draws.end.min(end);
            (!draws.is_empty()).then_some((*viewport, draws))
        })
    }
}

/// So many draws at once are handed to the painting threads of a software Vulkan. They begin when a pass ends, so in
/// one long pass they would idle while its vertices are placed.
const DRAWS_PER_PIECE: usize = 40;

/// A pass, or a part of one that goes on where the part before ended.
struct Piece {
    pass: usize,
    draws: Range<usize>,
}

/// The passes in pieces of at most so many draws.
fn pieces(passes: &[Pass], max: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (pass, Pass { draws, .. }) in passes.iter().enumerate() {
        let count = draws.len().div_ceil(max).max(1);
        let at = |part: usize| draws.start + draws.len() * part / count;
        pieces.extend((0..count).map(|part| Piece {
            pass,
            draws: at(part)..at(part + 1),
        }));
    }
    pieces
}

impl Renderer {
    /// Sends the collected passes to the GPU.
    pub(super) fn encode(&mut self, target: &wgpu::TextureView) {
        if self.passes.is_empty() {
            let [width, height] = self.target.size().map(|side| side as f32);
            self.passes.begin(None, [0.0, 0.0, width, height], 0..0);
        }
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("frame"),
            });
        if let Some(clock) = &mut self.gpu_clock {
            clock.begin();
        }
        self.encode_passes(&mut encoder, target);
        self.target.finish(&mut encoder, target);
        if let Some(clock) = &self.gpu_clock {
            clock.resolve(&mut encoder);
        }
        self.queue.submit([encoder.finish()]);
        if let Some(clock) = &mut self.gpu_clock {
            clock.submitted();
        }
    }

    fn encode_passes(&mut self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::TextureView) {
        let max = if self.paints_by_passes {
            DRAWS_PER_PIECE
        } else {
            usize::MAX
        };
        let passes = std::mem::take(&mut self.passes);
        let pieces = pieces(&passes.passes, max);
        // A software adapter would join passes into the very same view.
        let twin = (pieces.len() > passes.len())
            .then(|| self.target.attachment(target).view.texture())
            .map(|texture| texture.create_view(&Default::default()));
        for (number, piece) in pieces.iter().enumerate() {
            let pass = &passes.passes[piece.pass];
            let is_last = number + 1 == pieces.len();
            let begins = number == 0 || pieces[number - 1].pass != piece.pass;
            let ends = is_last || pieces[number + 1].pass != piece.pass;
            let clear = pass.clear.filter(|_| begins);
            let clear = clear.or((number == 0).then_some(wgpu::Color::BLACK));
            let Attachment {
                view,
                resolve_target,
            } = self.target.attachment(target);
            let view = twin.as_ref().filter(|_| number % 2 == 1).unwrap_or(view);
            let mut render_pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("view"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: resolve_target.filter(|_| is_last),
                    ops: wgpu::Operations {
                        load: clear.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                depth_stencil_attachment: Some(self.depth_attachment(begins, ends)),
                timestamp_writes: self
                    .gpu_clock
                    .as_ref()
                    .and_then(|clock| clock.writes(number == 0, is_last)),
                occlusion_query_set: None,
                multiview_mask: None,
            });
            for (viewport, draws) in passes.by_viewport(piece.draws.clone()) {
                if let Some(viewport) = clamp_viewport(viewport, self.target.size()) {
                    self.encode_draws(&mut render_pass, viewport, draws);
                }
            }
        }
        self.passes = passes;
    }

    /// Depths live from the beginning of a pass to its end.
    fn depth_attachment(
        &self,
        begins: bool,
        ends: bool,
    ) -> wgpu::RenderPassDepthStencilAttachment<'_> {
        wgpu::RenderPassDepthStencilAttachment {
            view: &self.target.depth,
            depth_ops: Some(wgpu::Operations {
                load: if begins {
                    wgpu::LoadOp::Clear(1.0)
                } else {
                    wgpu::LoadOp::Load
                },
                store: if ends {
                    wgpu::StoreOp::Discard
                } else {
                    wgpu::StoreOp::Store
                },
            }),
            stencil_ops: None,
        }
    }

    fn encode_draws(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        [x, y, width, height]: [f32; 4],
        draws: Range<usize>,
    ) {
        let mut last: Option<&Draw> = None;
        for draw in &self.frame.draws[draws] {
            let place = &draw.place;
            if last.is_none_or(|last| last.place.depth != place.depth) {
                let [near, far] = place.depth.bounds();
                pass.set_viewport(x, y, width, height, near, far);
            }
            if last.is_none_or(|last| last.pipeline != draw.pipeline) {
                pass.set_pipeline(self.pipelines.get(draw.pipeline));
            }
            if last.is_none_or(|last| last.place.object != place.object) {
                pass.set_bind_group(0, &self.bindings.objects, &[place.object]);
            }
            let stage = self.frame.buffers.stages_at() + draw.stage;
            pass.set_bind_group(1, &self.bindings.stages, &[stage]);
            for (k, image) in draw.images.into_iter().enumerate() {
                if last.is_none_or(|last| last.images[k] != image) {
                    pass.set_bind_group(2 + k as u32, self.textures.bind_group(image), &[]);
                }
            }
            if last.is_none_or(|last| last.place.geometry != place.geometry)
                && !self.bind_geometry(pass, place.geometry)
            {
                last = None;
                continue;
            }
            pass.draw_indexed(place.indices.clone(), 0, 0..place.instances);
            last = Some(draw);
        }
    }

    /// Binds vertices and indices; false if a model has vanished.
    fn bind_geometry(&self, pass: &mut wgpu::RenderPass<'_>, geometry: Geometry) -> bool {
        let vertices = match (geometry, &self.world) {
            (Geometry::Model(geometry), _) => return self.models.bind(pass, geometry),
            (Geometry::World, Some(world)) => world.vertex_buffer.slice(..),
            (Geometry::World, None) => return false,
            (Geometry::Stream, _) => self.frame.buffers.vertices(),
        };
        pass.set_vertex_buffer(0, vertices);
        pass.set_index_buffer(self.frame.buffers.indices(), wgpu::IndexFormat::Uint32);
        true
    }
}

impl Bindings {
    pub fn new(
        device: &wgpu::Device,
        pipelines: &Pipelines,
        frame: &Frame,
        lightmaps: &wgpu::TextureView,
        sampler: &wgpu::Sampler,
    ) -> Self {
        let uniform = |size: usize| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: frame.buffers.uniforms(),
                offset: 0,
                size: wgpu::BufferSize::new(size as u64),
            })
        };
        let objects = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("objects"),
            layout: &pipelines.object_layout,
            entries: &[
                bind_entry(0, uniform(OBJECTS_SIZE)),
                bind_entry(1, wgpu::BindingResource::TextureView(lightmaps)),
                bind_entry(2, wgpu::BindingResource::Sampler(sampler)),
            ],
        });
        let stages = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("stages"),
            layout: &pipelines.stage_layout,
            entries: &[bind_entry(0, uniform(size_of::<StageUniform>()))],
        });
        Self { objects, stages }
    }
}

/// The part of a viewport inside the target; `None` if nothing is left.
fn clamp_viewport([x, y, width, height]: [f32; 4], size: [u32; 2]) -> Option<[f32; 4]> {
    let (left, top) = (x.max(0.0), y.max(0.0));
    let (right, bottom) = (
        (x + width).min(size[0] as f32),
        (y + height).min(size[1] as f32),
    );
    (right - left >= 1.0 && bottom - top >= 1.0).then_some([left, top, right - left, bottom - top])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_go_to_their_viewports_whatever_piece_they_are_in() {
        let [screen, small] = [[0.0, 0.0, 64.0, 48.0], [8.0, 8.0, 4.0, 4.0]];
        let mut passes = Passes::default();
        // There is none yet to go on in.
        passes.go_on(small, 0..2);
        passes.begin(None, screen, 2..6);
        passes.go_on(small, 6..9);
        passes.go_on(screen, 9..9);
        passes.go_on(screen, 9..11);
        assert_eq!(passes.len(), 2);
        let pieces: Vec<Vec<_>> = pieces(&passes.passes, 5)
            .into_iter()
            .map(|piece| passes.by_viewport(piece.draws).collect())
            .collect();
        assert_eq!(
            pieces,
            [
                vec![(small, 0..2)],
                vec![(screen, 2..6)],
                vec![(small, 6..9), (screen, 9..11)],
            ]
        );
    }

    #[test]
    fn pieces_cover_every_draw_once_and_in_order() {
        let pass = |draws| Pass { clear: None, draws };
        let passes = [pass(0..0), pass(0..7), pass(7..9)];
        let cut = |max| -> Vec<(usize, Range<usize>)> {
            pieces(&passes, max)
                .into_iter()
                .map(|piece| (piece.pass, piece.draws))
                .collect()
        };
        assert_eq!(cut(usize::MAX), [(0, 0..0), (1, 0..7), (2, 7..9)]);
        assert_eq!(
            cut(3),
            [(0, 0..0), (1, 0..2), (1, 2..4), (1, 4..7), (2, 7..9)]
        );
    }
}
