//! What a frame is drawn into on its way to the window: depth, more samples, and the brightness curve at the end.

use super::gpu::create_target;
use super::pipelines::DEPTH_FORMAT;
use super::shader_source::shader_source;
use super::textures::{bind_entry, texture_entry};

/// The pictures that belong to one size of the window.
pub struct Target {
    size: [u32; 2],
    format: wgpu::TextureFormat,
    samples: u32,
    pub depth: wgpu::TextureView,
    multisampled: Option<wgpu::TextureView>,
    brightness: Option<Brightness>,
}

impl Target {
    pub fn new(
        device: &wgpu::Device,
        format: wgpu::TextureFormat,
        size: [u32; 2],
        samples: u32,
    ) -> Self {
        let create = |format| {
            let render = wgpu::TextureUsages::RENDER_ATTACHMENT;
            let texture = create_target(device, size, format, samples, render);
            texture.create_view(&Default::default())
        };
        Self {
            depth: create(DEPTH_FORMAT),
            multisampled: (samples > 1).then(|| create(format)),
            brightness: None,
            size,
            format,
            samples,
        }
    }

    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Takes the brightness curve into or out of the way to the window.
    pub fn set_gamma(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, gamma: f32) {
        if gamma == 1.0 {
            self.brightness = None;
            return;
        }
        let brightness = self
            .brightness
            .get_or_insert_with(|| Brightness::new(device, self.format, self.size));
        queue.write_buffer(
            &brightness.uniform,
            0,
            bytemuck::bytes_of(&[1.0 / gamma, 0.0, 0.0, 0.0]),
        );
    }

    /// What the passes draw into, and what their samples are resolved into.
    pub fn attachment<'a>(&'a self, window: &'a wgpu::TextureView) -> Attachment<'a> {
        let brightness = self.brightness.as_ref();
        let plain = brightness.map_or(window, |brightness| &brightness.frame);
        Attachment {
            view: self.multisampled.as_ref().unwrap_or(plain),
            resolve_target: self.multisampled.as_ref().map(|_| plain),
        }
    }

    /// Copies the frame to the window if it is not there yet.
    pub fn finish(&self, encoder: &mut wgpu::CommandEncoder, window: &wgpu::TextureView) {
        let Some(brightness) = &self.brightness else {
            return;
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("brightness"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: window,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&brightness.pipeline);
        pass.set_bind_group(0, &brightness.bind_group, &[]);
        pass.draw(0..3, 0..1);
    }
}

/// Where the passes of a frame go.
#[derive(Clone, Copy)]
pub struct Attachment<'a> {
    pub view: &'a wgpu::TextureView,
    pub resolve_target: Option<&'a wgpu::TextureView>,
}

/// The last pass: the frame through a curve.
struct Brightness {
    frame: wgpu::TextureView,
    uniform: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    pipeline: wgpu::RenderPipeline,
}

impl Brightness {
    fn new(device: &wgpu::Device, format: wgpu::TextureFormat, size: [u32; 2]) -> Self {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let frame = create_target(device, size, format, 1, usage).create_view(&Default::default());
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("brightness"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("brightness"),
            entries: &[
                wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::FRAGMENT,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Uniform,
                        has_dynamic_offset: false,
                        min_binding_size: wgpu::BufferSize::new(16),
                    },
                    count: None,
                },
                texture_entry(1, wgpu::TextureViewDimension::D2),
            ],
        });
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("brightness"),
            layout: &layout,
            entries: &[
                bind_entry(0, uniform.as_entire_binding()),
                bind_entry(1, wgpu::BindingResource::TextureView(&frame)),
            ],
        });
        let pipeline = create_pipeline(device, format, &layout);
        Self {
            frame,
            uniform,
            bind_group,
            pipeline,
        }
    }
}

fn create_pipeline(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    layout: &wgpu::BindGroupLayout,
) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("brightness"),
        source: shader_source!("brightness"),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("brightness"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("brightness"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vs_main"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fs_main"),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
