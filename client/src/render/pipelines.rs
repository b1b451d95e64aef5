//! Pipelines: one for each combination of fixed state that some material needs, made once and kept.

use super::pipeline_key::{
    Deforms, DepthTest, PassKind, PipelineKey, VertexKind, usual_keys, variant,
};
use super::shader_source::shader_source;
use super::textures::{sampler_entry, texture_entry};
use super::uniforms::{OBJECTS_SIZE, StageUniform};
use super::world::WorldVertex;
use crate::jobs::{JobHandle, JobQueue};
use shared::formats::shader_script::terms::{Blend, BlendFactor, Cull};
use std::collections::{HashMap, HashSet};

pub const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth24Plus;
/// How far marks are lifted off their wall, in the smallest steps of depth (2⁻²⁴): more than corners that were rounded
/// where they lie, up to 4096 units from the map's middle, move before one's nose.
pub const LIFT: i32 = 64;

/// A pipeline by its place in [`Pipelines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineSlot(u32);

/// All pipelines that were needed so far.
pub struct Pipelines {
    pub object_layout: wgpu::BindGroupLayout,
    pub stage_layout: wgpu::BindGroupLayout,
    recipe: Recipe,
    slots: HashMap<PipelineKey, Made>,
    queue: PipelineQueue,
    /// What to make while the first load waits for files, the most needed last.
    usual: Vec<PipelineKey>,
    pipelines: Vec<wgpu::RenderPipeline>,
    jobs: JobQueue,
    /// Nobody makes them beside the frame: what the first picture can do without is made after it.
    makes_later: bool,
    /// The frame had to make one that it could not do without.
    has_made: bool,
}

/// Pipelines that are made once the first picture has been shown, one in a frame.
#[derive(Default)]
struct PipelineQueue {
    /// Each stands in one of both lists.
    known: HashSet<PipelineKey>,
    /// What a picture lacked.
    missed: Vec<PipelineKey>,
    expected: Vec<PipelineKey>,
}

impl PipelineQueue {
    fn add_expected(&mut self, key: PipelineKey) {
        if self.known.insert(key) {
            self.expected.push(key);
        }
    }

    fn miss(&mut self, key: PipelineKey) {
        if self.known.insert(key) {
            self.missed.push(key);
        } else if let Some(place) = self.expected.iter().position(|other| *other == key) {
            self.missed.push(self.expected.swap_remove(place));
        }
    }

    /// Those that a picture lacks go first; of the others only where there is time for them, and first those for which a
    /// frame would have to wait.
    fn next(&mut self, has_time: bool) -> Option<PipelineKey> {
        let key = match self.missed.pop() {
            None if has_time => self.next_expected()?,
            missed => missed?,
        };
        self.known.remove(&key);
        Some(key)
    }

    fn next_expected(&mut self) -> Option<PipelineKey> {
        match self.expected.iter().position(|key| key.is_essential()) {
            Some(place) => Some(self.expected.remove(place)),
            None => self.expected.pop(),
        }
    }
}

/// What became of a pipeline.
enum Made {
    Here(PipelineSlot),
    /// It is being made beside the frame.
    Coming(JobHandle<wgpu::RenderPipeline>),
}

/// What all pipelines have in common.
#[derive(Clone)]
struct Recipe {
    device: wgpu::Device,
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    format: wgpu::TextureFormat,
    samples: u32,
}

impl Pipelines {
    pub fn new(
        device: &wgpu::Device,
        format: wgpu::TextureFormat,
        image_layout: &wgpu::BindGroupLayout,
    ) -> Self {
        let object_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("object"),
            entries: &[
                uniform_entry(OBJECTS_SIZE),
                texture_entry(1, wgpu::TextureViewDimension::D2Array),
                sampler_entry(2),
            ],
        });
        let stage_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("stage"),
            entries: &[uniform_entry(size_of::<StageUniform>())],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("stage"),
            bind_group_layouts: &[
                Some(&object_layout),
                Some(&stage_layout),
                Some(image_layout),
                Some(image_layout),
            ],
            immediate_size: 0,
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("stage"),
            source: shader_source!("stage"),
        });
        Self {
            object_layout,
            stage_layout,
            recipe: Recipe {
                device: device.clone(),
                module,
                layout,
                format,
                samples: 1,
            },
            slots: HashMap::new(),
            queue: PipelineQueue::default(),
            usual: Vec::new(),
            pipelines: Vec::new(),
            jobs: JobQueue::default(),
            makes_later: false,
            has_made: false,
        }
    }

    /// Makes pipelines that are wanted ahead of their use beside the frame from now on; where nobody does that, puts off
    /// those that a picture can do without.
    pub fn set_beside(&mut self, jobs: JobQueue) {
        self.makes_later = !jobs.is_there();
        self.jobs = jobs;
        self.begin_with_usual();
    }

    fn begin_with_usual(&mut self) {
        if self.makes_later {
            self.usual = usual_keys().into_iter().rev().collect();
        }
    }

    /// Makes one of those that nearly every map needs, where nobody makes them beside the frame.
    pub fn make_usual(&mut self) {
        if let Some(key) = self.usual.pop() {
            self.slot(key);
        }
    }

    /// Whether pipelines that are wanted ahead of their use are made at once, on this thread.
    pub fn makes_at_once(&self) -> bool {
        !self.makes_later && !self.jobs.is_there()
    }

    pub fn get(&self, slot: PipelineSlot) -> &wgpu::RenderPipeline {
        &self.pipelines[slot.0 as usize]
    }

    /// The pipeline for this state; none if it would have to be made in this frame and the picture can do without.
    pub fn pick(&mut self, key: PipelineKey) -> Option<PipelineSlot> {
        let is_made = matches!(self.slots.get(&key), Some(Made::Here(_)));
        if self.makes_later && !is_made && !key.is_essential() {
            self.queue.miss(key);
            return None;
        }
        Some(self.slot(key))
    }

    /// The pipeline for this state; made on the first call, waited for if somebody has begun with it.
    fn slot(&mut self, key: PipelineKey) -> PipelineSlot {
        if let Some(Made::Here(slot)) = self.slots.get(&key) {
            return *slot;
        }
        let coming = match self.slots.remove(&key) {
            Some(Made::Coming(job)) => job.wait(),
            _ => None,
        };
        self.has_made |= coming.is_none();
        let pipeline = coming.unwrap_or_else(|| self.recipe.create(key));
        self.pipelines.push(pipeline);
        let slot = PipelineSlot(self.pipelines.len() as u32 - 1);
        self.slots.insert(key, Made::Here(slot));
        slot
    }

    /// Has a pipeline made that will be needed, beside the frame or after the first picture if it can; returns whether
    /// that took this thread's time.
    pub fn prepare(&mut self, key: PipelineKey) -> bool {
        if self.slots.contains_key(&key) {
            return false;
        }
        if self.makes_later {
            // Several things are drawn one by one until there is a pipeline for all at once.
            if !key.is_instanced {
                self.queue.add_expected(key);
            }
            return false;
        }
        if !self.jobs.is_there() {
            self.slot(key);
            return true;
        }
        let recipe = self.recipe.clone();
        // Whoever needs it before makes it, so what is needed for anything at all goes first.
        let job = self.jobs.submit(move || recipe.create(key));
        self.slots.insert(key, Made::Coming(job));
        false
    }

    /// Makes one that was put off: one that a picture lacked, or, where there is time, one that a picture may need. None
    /// if one was made since the last call.
    pub fn make_one(&mut self, has_time: bool) {
        if std::mem::take(&mut self.has_made) {
            return;
        }
        while let Some(key) = self.queue.next(has_time) {
            if !self.slots.contains_key(&key) {
                self.slot(key);
                self.has_made = false;
                return;
            }
        }
    }

    /// Draws with so many samples per pixel from now on.
    pub fn set_samples(&mut self, samples: u32) {
        self.recipe.samples = samples;
        self.slots.clear();
        self.queue = PipelineQueue::default();
        self.begin_with_usual();
        self.pipelines.clear();
    }

    /// How many a picture lacked that are still to be made.
    pub fn lacking(&self) -> usize {
        self.queue.missed.len()
    }

    /// How many were asked for so far.
    pub fn len(&self) -> usize {
        self.slots.len()
    }
}

impl Recipe {
    fn create(&self, key: PipelineKey) -> wgpu::RenderPipeline {
        let constants = [("VARIANT", f64::from(variant(key)))];
        let compilation_options = wgpu::PipelineCompilationOptions {
            constants: &constants,
            ..Default::default()
        };
        // Those for one thing only leave drivers less to compile.
        let is_still = key.deforms == Deforms::Nothing;
        let entry_point = match (key.vertices, key.pass) {
            (VertexKind::World, PassKind::PlainStage) if is_still => "vs_world_plain",
            (VertexKind::Model, PassKind::PlainStage) if is_still => "vs_model_plain",
            (VertexKind::World, PassKind::Fog) if is_still => "vs_world_fog",
            (VertexKind::Model, PassKind::Fog) if is_still => "vs_model_fog",
            (VertexKind::World, PassKind::DynamicLight) if is_still => "vs_world_light",
            (VertexKind::World, _) => "vs_world",
            (VertexKind::Model, _) => "vs_model",
        };
        let buffers = match key.vertices {
            VertexKind::World => vec![Some(world_layout())],
            VertexKind::Model => model_layouts().map(Some).to_vec(),
        };
        self.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some("stage"),
                layout: Some(&self.layout),
                vertex: wgpu::VertexState {
                    module: &self.module,
                    entry_point: Some(entry_point),
                    compilation_options: compilation_options.clone(),
                    buffers: &buffers,
                },
                primitive: wgpu::PrimitiveState {
                    front_face: wgpu::FrontFace::Cw,
                    cull_mode: match key.cull {
                        Cull::Back => Some(wgpu::Face::Back),
                        Cull::Front => Some(wgpu::Face::Front),
                        Cull::None => None,
                    },
                    ..Default::default()
                },
                depth_stencil: Some(depth_state(key)),
                multisample: wgpu::MultisampleState {
                    count: self.samples,
                    ..Default::default()
                },
                fragment: Some(wgpu::FragmentState {
                    module: &self.module,
                    entry_point: Some("fs_main"),
                    compilation_options,
                    targets: &[Some(wgpu::ColorTargetState {
                        format: self.format,
                        blend: key.blend.map(blend_state),
                        // Blending keeps the target's alpha of one; whole pixels are written faster than parts.
                        write_mask: wgpu::ColorWrites::ALL,
                    })],
                }),
                multiview_mask: None,
                cache: None,
            })
    }
}

fn uniform_entry(size: usize) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::VERTEX,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: wgpu::BufferSize::new(size as u64),
        },
        count: None,
    }
}

fn depth_state(key: PipelineKey) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(key.depth_write && key.depth_test != DepthTest::Off),
        depth_compare: Some(match key.depth_test {
            DepthTest::LessEqual => wgpu::CompareFunction::LessEqual,
            DepthTest::Equal => wgpu::CompareFunction::Equal,
            DepthTest::Off | DepthTest::Wipe => wgpu::CompareFunction::Always,
        }),
        stencil: Default::default(),
        bias: if key.polygon_offset {
            wgpu::DepthBiasState {
                constant: -LIFT,
                slope_scale: -1.0,
                clamp: 0.0,
            }
        } else {
            Default::default()
        },
    }
}

fn blend_state(blend: Blend) -> wgpu::BlendState {
    let sum = |src_factor, dst_factor| wgpu::BlendComponent {
        src_factor,
        dst_factor,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::BlendState {
        color: sum(blend_factor(blend.src), blend_factor(blend.dst)),
        // What is there stays.
        alpha: sum(wgpu::BlendFactor::Zero, wgpu::BlendFactor::One),
    }
}

fn blend_factor(factor: BlendFactor) -> wgpu::BlendFactor {
    match factor {
        // The reference's target has no alpha, which reads as one.
        BlendFactor::Zero | BlendFactor::OneMinusDstAlpha => wgpu::BlendFactor::Zero,
        BlendFactor::One | BlendFactor::DstAlpha => wgpu::BlendFactor::One,
        BlendFactor::SrcColor => wgpu::BlendFactor::Src,
        BlendFactor::OneMinusSrcColor => wgpu::BlendFactor::OneMinusSrc,
        BlendFactor::DstColor => wgpu::BlendFactor::Dst,
        BlendFactor::OneMinusDstColor => wgpu::BlendFactor::OneMinusDst,
        BlendFactor::SrcAlpha => wgpu::BlendFactor::SrcAlpha,
        BlendFactor::OneMinusSrcAlpha => wgpu::BlendFactor::OneMinusSrcAlpha,
        // min(source alpha, 1 − target alpha) with a target alpha of one.
        BlendFactor::SrcAlphaSaturate => wgpu::BlendFactor::Zero,
    }
}

const WORLD_ATTRIBUTES: [wgpu::VertexAttribute; 6] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32x2, 4 => Unorm8x4, 5 => Uint32
];

fn world_layout() -> wgpu::VertexBufferLayout<'static> {
    wgpu::VertexBufferLayout {
        array_stride: size_of::<WorldVertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &WORLD_ATTRIBUTES,
    }
}

const FRAME_ATTRIBUTES: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Sint16x4];
const OLD_FRAME_ATTRIBUTES: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![1 => Sint16x4];
const TEX_ATTRIBUTES: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![2 => Float32x2];

/// Frame, old frame, texture coordinates.
fn model_layouts() -> [wgpu::VertexBufferLayout<'static>; 3] {
    [
        &FRAME_ATTRIBUTES[..],
        &OLD_FRAME_ATTRIBUTES[..],
        &TEX_ATTRIBUTES[..],
    ]
    .map(|attributes| wgpu::VertexBufferLayout {
        array_stride: 8,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes,
    })
}

#[cfg(test)]
mod tests {
    use super::super::pipeline_key::{Combine, LightmapAt};
    use super::*;
    use naga::back::glsl;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    const SHADERS: [&str; 2] = [
        include_str!("shaders/stage.wgsl"),
        include_str!("shaders/brightness.wgsl"),
    ];

    fn key(blend: Option<Blend>, pass: PassKind) -> PipelineKey {
        PipelineKey {
            pass,
            combine: Combine::Modulate,
            lightmap: LightmapAt::Second,
            blend,
            depth_write: blend.is_none(),
            ..PipelineKey::WALL
        }
    }

    fn blend(src: BlendFactor, dst: BlendFactor) -> Option<Blend> {
        Some(Blend { src, dst })
    }

    #[test]
    fn a_picture_can_do_without_what_is_added_to_it() {
        let stage = |blend| key(blend, PassKind::PlainStage);
        let flame = stage(blend(BlendFactor::One, BlendFactor::One));
        let lightmap = stage(blend(BlendFactor::DstColor, BlendFactor::Zero));
        let letter = PipelineKey {
            depth_test: DepthTest::Off,
            ..flame
        };
        let player = PipelineKey {
            vertices: VertexKind::Model,
            ..flame
        };
        for needed in [stage(None), lightmap, letter, player] {
            assert!(needed.is_essential(), "{needed:?}");
        }
        let light = key(
            blend(BlendFactor::DstColor, BlendFactor::One),
            PassKind::DynamicLight,
        );
        for spared in [flame, light] {
            assert!(!spared.is_essential(), "{spared:?}");
        }
    }

    #[test]
    fn what_a_picture_lacked_is_made_first() {
        let [first, second, third] =
            [PassKind::PlainStage, PassKind::RichStage, PassKind::Fog].map(|pass| key(None, pass));
        let mut queue = PipelineQueue::default();
        queue.add_expected(first);
        queue.add_expected(second);
        queue.miss(first);
        queue.miss(first);
        queue.miss(third);
        assert_eq!(
            [queue.next(false), queue.next(false), queue.next(false)],
            [Some(third), Some(first), None]
        );
        assert_eq!([queue.next(true), queue.next(true)], [Some(second), None]);
    }

    #[test]
    fn what_a_frame_would_wait_for_is_made_before_what_it_can_do_without() {
        let flame = key(
            blend(BlendFactor::One, BlendFactor::One),
            PassKind::PlainStage,
        );
        let wall = key(None, PassKind::PlainStage);
        let rich_wall = key(None, PassKind::RichStage);
        let mut queue = PipelineQueue::default();
        for key in [flame, wall, rich_wall] {
            queue.add_expected(key);
        }
        assert_eq!(
            [(); 4].map(|()| queue.next(true)),
            [Some(wall), Some(rich_wall), Some(flame), None]
        );
    }

    /// Browsers without WebGPU get GLSL ES 3.00.
    #[test]
    fn shaders_are_valid_and_suit_webgl2() {
        for source in SHADERS {
            let module = naga::front::wgsl::parse_str(source).unwrap();
            let info = Validator::new(ValidationFlags::all(), Capabilities::empty())
                .validate(&module)
                .unwrap();
            for entry in &module.entry_points {
                let (module, info) = naga::back::pipeline_constants::process_overrides(
                    &module,
                    &info,
                    None,
                    &Default::default(),
                )
                .unwrap();
                let options = glsl::Options {
                    version: glsl::Version::Embedded {
                        version: 300,
                        is_webgl: true,
                    },
                    ..Default::default()
                };
                let pipeline = glsl::PipelineOptions {
                    shader_stage: entry.stage,
                    entry_point: entry.name.clone(),
                    multiview: None,
                };
                let mut text = String::new();
                glsl::Writer::new(
                    &mut text,
                    &module,
                    &info,
                    &options,
                    &pipeline,
                    Default::default(),
                )
                .unwrap()
                .write()
                .unwrap();
                assert!(text.starts_with("#version 300 es"));
            }
        }
    }
}
