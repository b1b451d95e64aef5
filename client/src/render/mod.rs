//! Renderer: draws a Scene with wgpu, natively and in the browser.
//!
//! A frame goes through these steps. For every view: find what can be seen (`visibility`), gather it as batches of one
//! material (`collect`, `models`, `sprites`) and what lies over them (`overlays`), sort them into drawing order, look
//! through a portal if there is one (`portals`), and turn the batches into draws with their numbers (`frame`,
//! `materials`, `sky`). Then the flat pictures (`draw2d`). Only then does anything reach the GPU: all data by one copy
//! (`upload`), and one render pass for each view.
//!
//! One shader draws everything (`shaders/stage.wgsl`); it evaluates per vertex what the reference evaluates per vertex,
//! so that frames match it closely. Nothing here needs more than WebGL2 offers.

mod baked;
mod collect;
mod deforms;
mod draw2d;
mod encode;
mod fog;
mod frame;
pub mod gpu;
mod gpu_clock;
mod instances;
mod lights;
mod materials;
mod models;
mod overlays;
mod pipeline_key;
mod pipelines;
mod portals;
pub mod settings;
mod shader_source;
mod sky;
mod sprites;
mod staging;
mod target;
mod tex_chain;
mod textures;
mod uniforms;
mod upload;
mod vertex_light;
mod view;
mod visibility;
mod warm_up;
mod world;

pub use world::size as world_size;

use crate::assets::Assets;
use crate::assets::material::Material;
use crate::jobs::JobQueue;
use crate::scene::{Refdef, Scene};
use collect::{Collector, Sources};
use encode::{Bindings, Passes};
use frame::{Batch, Frame, Geometry, Phase, Recorder, order_batches, sort_batches};
use gpu::Gpu;
use gpu_clock::GpuClock;
use models::Models;
use overlays::Overlays;
use pipelines::Pipelines;
use settings::RenderSettings;
use std::sync::Arc;
use target::Target;
use textures::Textures;
use view::Camera;
use visibility::Visible;
use warm_up::WarmUp;
use world::World;

/// What the last frame cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenderStats {
    pub draws: u32,
    pub triangles: u32,
    pub passes: u32,
    /// Pipelines made so far.
    pub pipelines: u32,
    /// Pipelines that pictures lacked and that are still to be made.
    pub lacking: u32,
}

/// Draws scenes; keeps what it has uploaded.
pub struct Renderer {
    device: wgpu::Device,
    queue: wgpu::Queue,
    format: wgpu::TextureFormat,
    /// The CPU does the GPU's work.
    is_software: bool,
    /// It paints nothing before a pass ends.
    paints_by_passes: bool,
    settings: RenderSettings,
    gpu_clock: Option<GpuClock>,
    target: Target,
    warm_up: WarmUp,
    textures: Textures,
    pipelines: Pipelines,
    models: Models,
    world: Option<World>,
    /// Bound while there is no map.
    no_lightmaps: wgpu::TextureView,
    lightmap_sampler: wgpu::Sampler,
    bindings: Bindings,
    frame: Frame,
    visible: [Visible; 2],
    overlays: [Overlays; 2],
    passes: Passes,
    beam: Material,
    /// The epoch of the assets that were uploaded.
    epoch: u32,
    messages: Vec<String>,
    stats: RenderStats,
}

impl Renderer {
    /// A renderer for targets of this format and size in pixels.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, size: [u32; 2]) -> Self {
        let (device, queue) = (gpu.device.clone(), gpu.queue.clone());
        let info = gpu.adapter.get_info();
        let is_software = info.device_type == wgpu::DeviceType::Cpu;
        let textures = Textures::new(&device, &queue, is_software);
        let pipelines = Pipelines::new(&device, format, textures.layout());
        let no_lightmaps =
            textures::create_lightmaps(&device, &queue, 1, &[vec![255; 4], vec![255; 4]]);
        let lightmap_sampler =
            textures::create_sampler(&device, wgpu::AddressMode::ClampToEdge, None);
        let flags = gpu.adapter.get_downlevel_capabilities().flags;
        let frame = Frame::new(
            &device,
            flags.contains(wgpu::DownlevelFlags::UNRESTRICTED_INDEX_BUFFER),
        );
        let bindings = Bindings::new(
            &device,
            &pipelines,
            &frame,
            &no_lightmaps,
            &lightmap_sampler,
        );
        Self {
            target: Target::new(&device, format, size.map(|side| side.max(1)), 1),
            format,
            is_software,
            paints_by_passes: gpu.is_software_vulkan(),
            settings: RenderSettings::REFERENCE,
            gpu_clock: None,
            warm_up: WarmUp::default(),
            textures,
            pipelines,
            models: Models::default(),
            world: None,
            no_lightmaps,
            lightmap_sampler,
            bindings,
            frame,
            visible: Default::default(),
            overlays: Default::default(),
            passes: Passes::default(),
            beam: sprites::beam_material(),
            epoch: 0,
            messages: Vec::new(),
            stats: RenderStats::default(),
            device,
            queue,
        }
    }

    /// Lends threads on which pipelines are made while images are decoded. Where there are none, those that the first
    /// picture can do without are made after it.
    pub fn set_beside(&mut self, jobs: JobQueue) {
        self.pipelines.set_beside(jobs);
    }

    /// Follows the size of the target.
    pub fn resize(&mut self, size: [u32; 2]) {
        let size = size.map(|side| side.max(1));
        if size != self.target.size() {
            self.make_target(size, self.target.samples());
        }
    }

    /// Follows the player's choices; cheap if they are the same as before.
    pub fn configure(&mut self, settings: &RenderSettings) {
        let mut settings = *settings;
        if self.is_software {
            // Sharpness at flat angles takes most of a frame's time where no hardware helps.
            settings.anisotropy = 1;
            // Every look at its clock waits until it has drawn everything.
            settings.measures_gpu = false;
        }
        let previous = std::mem::replace(&mut self.settings, settings);
        let samples = if settings.samples > 1 { 4 } else { 1 };
        if samples != self.target.samples() {
            self.pipelines.set_samples(samples);
            self.warm_up = WarmUp::default();
            self.make_target(self.target.size(), samples);
        } else if settings.gamma != previous.gamma {
            self.target
                .set_gamma(&self.device, &self.queue, settings.gamma);
        }
        if settings.anisotropy != previous.anisotropy {
            self.textures.set_anisotropy(settings.anisotropy);
            self.warm_up = WarmUp::default();
        }
        if settings.picmip != previous.picmip {
            self.textures.set_picmip(settings.picmip);
            self.warm_up = WarmUp::default();
        }
        if (settings.curve_error, settings.vertex_light)
            != (previous.curve_error, previous.vertex_light)
        {
            self.world = None;
        }
        if settings.measures_gpu != previous.measures_gpu {
            self.gpu_clock = settings
                .measures_gpu
                .then(|| GpuClock::new(&self.device, &self.queue))
                .flatten();
        }
    }

    fn make_target(&mut self, size: [u32; 2], samples: u32) {
        self.target = Target::new(&self.device, self.format, size, samples);
        self.target
            .set_gamma(&self.device, &self.queue, self.settings.gamma);
    }

    /// What the last frame cost.
    pub fn stats(&self) -> RenderStats {
        self.stats
    }

    /// Milliseconds that the GPU worked on frames of which that has become known, if it is measured.
    pub fn take_gpu_times(&mut self) -> Vec<f64> {
        self.gpu_clock
            .as_mut()
            .map_or_else(Vec::new, GpuClock::take)
    }

    /// What could not be drawn since the last call, as lines for the player.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }

    /// Builds the map if that is due; false while the map or one of its materials is still missing.
    pub fn prepare_world(&mut self, assets: &Assets) -> bool {
        let Some(bsp) = assets.world() else {
            if self.world.take().is_some() {
                self.bind();
            }
            return false;
        };
        if self
            .world
            .as_ref()
            .is_some_and(|world| Arc::ptr_eq(&world.bsp, bsp))
        {
            return true;
        }
        self.world = World::build(&self.device, &self.queue, assets, bsp, &self.settings);
        let left_out = self.world.iter_mut().map(|world| &mut world.left_out);
        left_out.for_each(|lines| self.messages.append(lines));
        self.bind();
        self.world.is_some()
    }

    /// Goes on with what a load takes, without drawing.
    pub fn prepare(&mut self, assets: &Assets) {
        self.follow(assets, true);
        self.textures.send();
        self.make_pipeline_while_loading(assets);
    }

    /// Takes over what has been loaded.
    fn follow(&mut self, assets: &Assets, is_loading: bool) {
        if self.epoch != assets.epoch() {
            self.epoch = assets.epoch();
            self.textures.clear();
            self.warm_up = WarmUp::default();
            self.models = Models::default();
            self.world = None;
        }
        self.prepare_world(assets);
        self.warm_up(assets, is_loading);
    }

    /// Draws a frame into `target`, which has the renderer's format and size.
    pub fn draw(&mut self, scene: &Scene, assets: &Assets, target: &wgpu::TextureView) {
        self.follow(assets, scene.views.is_empty());
        self.frame.clear();
        self.passes.clear();
        for view in &scene.views {
            if view.hyperspace {
                self.add_grey(view);
            } else {
                self.add_view(view, assets);
            }
        }
        self.add_pictures(scene, assets);
        if self.settings.skips_back_end {
            self.stats = self.frame_stats();
            return;
        }
        if self.frame.upload(&self.device, &self.queue) {
            self.bind();
        }
        self.textures.send();
        self.encode(target);
        self.stats = self.frame_stats();
        if scene.views.is_empty() {
            self.make_pipeline_while_loading(assets);
        } else {
            self.make_put_off_pipeline();
        }
    }

    /// The empty grey between two places.
    fn add_grey(&mut self, view: &Refdef) {
        let grey = f64::from(view.time_msec & 255) / 255.0;
        let clear = Some(wgpu::Color {
            r: grey,
            g: grey,
            b: grey,
            a: 1.0,
        });
        let end = self.frame.draws.len();
        self.passes.begin(clear, view.viewport, end..end);
    }

    fn add_view(&mut self, view: &Refdef, assets: &Assets) {
        let Self {
            device,
            queue,
            textures,
            pipelines,
            models,
            world,
            frame,
            visible,
            overlays,
            passes,
            beam,
            settings,
            ..
        } = self;
        let [visible, portal_visible] = visible;
        let lights = if settings.dynamic_lights && !settings.vertex_light {
            &view.lights[..]
        } else {
            &[]
        };
        let sources = Sources {
            assets,
            world: world.as_ref(),
            view,
            lights,
            beam,
            lod_bias: settings.lod_bias,
        };
        let [overlays, portal_overlays] = overlays;
        let mut main = Collector::new(sources, Camera::of_view(view), frame, visible, overlays);
        main.add_scene(visible);
        sort_batches(&mut main.batches, &mut main.frame.indices);
        let portal = portals::find(&main, visible).filter(|_| !settings.fast_sky);
        let mut seen = vec![(main.camera, main.batches, overlays)];
        if let Some(camera) = portal {
            let mut through =
                Collector::new(sources, camera, frame, portal_visible, portal_overlays);
            through.add_scene(portal_visible);
            sort_batches(&mut through.batches, &mut through.frame.indices);
            // The main view is drawn over what is seen through the portal.
            seen.insert(0, (through.camera, through.batches, portal_overlays));
        }
        // To forget depths where a small figure goes costs less than a pass, for which everything is stored and loaded.
        let joins = !view.has_world && !passes.is_empty();
        for (camera, mut batches, overlays) in seen {
            for batch in &batches {
                if let Geometry::Model(geometry) = batch.geometry {
                    models.upload(device, queue, assets, geometry.model);
                }
            }
            let first = frame.draws.len();
            let mut recorder = Recorder {
                assets,
                textures,
                pipelines,
                frame,
                fogs: world.as_ref().map_or(&[], |world| &world.fogs),
                camera,
                lights,
                scene_msec: view.time_msec,
            };
            if joins {
                draw2d::wipe(&mut recorder);
            }
            record(&mut recorder, &mut batches, overlays, settings.fast_sky);
            let draws = first..frame.draws.len();
            match joins {
                true => passes.go_on(view.viewport, draws),
                false => passes.begin(None, view.viewport, draws),
            }
        }
    }

    fn add_pictures(&mut self, scene: &Scene, assets: &Assets) {
        if scene.draw2d.is_empty() {
            return;
        }
        let [width, height] = self.target.size().map(|side| side as f32);
        let first = self.frame.draws.len();
        let mut recorder = Recorder {
            assets,
            textures: &mut self.textures,
            pipelines: &mut self.pipelines,
            frame: &mut self.frame,
            fogs: &[],
            camera: Camera::FLAT,
            lights: &[],
            scene_msec: scene.time_msec,
        };
        draw2d::draw(&mut recorder, &scene.draw2d, [width, height]);
        let end = self.frame.draws.len();
        // Pictures know no depth.
        self.passes.go_on([0.0, 0.0, width, height], first..end);
    }
}

/// Records a view: what is solid, the sky behind it, lights and fog over it, then what is seen through.
fn record(
    recorder: &mut Recorder<'_>,
    batches: &mut Vec<Batch<'_>>,
    overlays: &mut Overlays,
    has_fast_sky: bool,
) {
    instances::join_alike(batches);
    order_batches(batches);
    let blended = batches.partition_point(|batch| batch.phase() < Phase::Blended);
    for (number, batch) in batches.iter().enumerate() {
        if number == blended {
            overlays.draw(recorder);
        }
        match &batch.material.sky {
            Some(_) if has_fast_sky => {}
            Some(sky) => sky::draw(recorder, batch, sky),
            None => recorder.batch(batch),
        }
    }
    if blended == batches.len() {
        overlays.draw(recorder);
    }
}

impl Renderer {
    fn bind(&mut self) {
        let lightmaps = self
            .world
            .as_ref()
            .map_or(&self.no_lightmaps, |world| &world.lightmaps);
        self.bindings = Bindings::new(
            &self.device,
            &self.pipelines,
            &self.frame,
            lightmaps,
            &self.lightmap_sampler,
        );
    }

    /// What the collected passes would cost.
    fn frame_stats(&self) -> RenderStats {
        let indices: usize = self
            .frame
            .draws
            .iter()
            .map(|draw| draw.place.indices.len() * draw.place.instances as usize)
            .sum();
        RenderStats {
            draws: self.frame.draws.len() as u32,
            triangles: (indices / 3) as u32,
            passes: self.passes.len() as u32,
            pipelines: self.pipelines.len() as u32,
            lacking: self.pipelines.lacking() as u32,
        }
    }
}
