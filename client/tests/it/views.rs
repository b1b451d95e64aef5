//! Draws the reference views offscreen and compares them with the reference client's frames.
#![allow(
    clippy::disallowed_methods,
    reason = "what measures is no part of a frame"
)]

use crate::disk::{Disk, SETTINGS};
use client::assets::Assets;
use client::render::gpu::{Gpu, Offscreen};
use client::render::{RenderStats, Renderer};
use client::scene::{DynamicLight, RefEntity, RefEntityKind, Refdef, Scene};
use glam::Vec3;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub const WIDTH: u32 = 640;
pub const HEIGHT: u32 = 360;
/// How far the mean of all channels may be off, in 1/255.
pub const MAX_MEAN_ERROR: f64 = 1.5;
/// Which share of the pixels may be off by more than 16 in some channel.
pub const MAX_SHARE_OVER_16: f64 = 0.01;
pub const MAX_DRAWS: u32 = 300;

/// One view, drawn and compared.
pub struct Outcome {
    pub name: String,
    pub mean_abs_error: f64,
    pub share_over_16: f64,
    pub stats: RenderStats,
    /// What drawing took on the CPU's side, without waiting for the GPU.
    pub cpu_time: Duration,
    /// Red, green, blue.
    pub drawn: Vec<u8>,
    pub reference: Vec<u8>,
}

impl Outcome {
    pub fn passes(&self) -> bool {
        self.mean_abs_error <= MAX_MEAN_ERROR
            && self.share_over_16 <= MAX_SHARE_OVER_16
            && self.stats.draws <= MAX_DRAWS
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/views")
}

/// A renderer with OpenArena's paks and a picture to draw into.
pub struct Studio {
    pub gpu: Gpu,
    target: Offscreen,
    disk: Disk,
    pub renderer: Renderer,
    pub assets: Assets,
}

impl Studio {
    pub fn open() -> Self {
        Self::with(Disk::assets(), [WIDTH, HEIGHT])
    }

    /// One that has these files and draws pictures of a size.
    pub fn with((disk, assets): (Disk, Assets), size: [u32; 2]) -> Self {
        let gpu = pollster::block_on(Gpu::open_offscreen())
            .expect("a graphics adapter, such as mesa-vulkan-drivers");
        eprintln!("drawing on {}", gpu.description());
        let format = wgpu::TextureFormat::Rgba8Unorm;
        Self {
            target: Offscreen::new(&gpu, size, format),
            renderer: Renderer::new(&gpu, format, size),
            gpu,
            disk,
            assets,
        }
    }

    /// Complaints of the graphics interface from now on, which otherwise end the program.
    pub fn collect_errors(&self) -> Arc<Mutex<Vec<String>>> {
        let errors = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&errors);
        self.gpu
            .device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
                if let Ok(mut list) = list.lock() {
                    list.push(error.to_string());
                }
            }));
        errors
    }

    pub fn load_map(&mut self, map: &str) {
        self.assets.reset(SETTINGS);
        self.assets.load_world(map);
        self.finish_loading();
    }

    pub fn finish_loading(&mut self) {
        self.disk.serve(&mut self.assets);
    }

    pub fn draw(&mut self, scene: &Scene) {
        self.renderer.draw(scene, &self.assets, &self.target.view);
    }

    /// What was drawn: red, green, blue, rows from the top.
    pub fn pixels(&self) -> Vec<u8> {
        let pixels =
            pollster::block_on(self.target.read(&self.gpu)).expect("the frame can be read");
        pixels
            .chunks_exact(4)
            .flat_map(|p| [p[0], p[1], p[2]])
            .collect()
    }
}

fn manifest() -> Value {
    let text = std::fs::read_to_string(folder().join("manifest.json"))
        .expect("the manifest is part of the repository");
    serde_json::from_str(&text).expect("the manifest is JSON")
}

/// The maps that the views show.
pub fn maps() -> BTreeSet<String> {
    let manifest = manifest();
    let views = manifest["views"].as_array().expect("a list");
    views.iter().map(|view| text_of(view, "map")).collect()
}

/// The scene of a view; loads what is in it.
pub fn reference_scene(studio: &mut Studio, name: &str) -> Scene {
    let manifest = manifest();
    let mut views = manifest["views"].as_array().expect("a list").iter();
    let view = views
        .find(|view| text_of(view, "id") == name)
        .expect("the view exists");
    studio.load_map(&text_of(view, "map"));
    let scene = scene_of(view, &mut studio.assets);
    studio.finish_loading();
    scene
}

/// Draws the views whose name contains one of these words (all views if there are none), map by map.
pub fn draw_views(
    studio: &mut Studio,
    words: &[String],
    mut done: impl FnMut(&Outcome),
) -> Vec<Outcome> {
    let manifest = manifest();
    let mut views: Vec<&Value> = manifest["views"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let is_wanted = |view: &&Value| {
        words.is_empty() || words.iter().any(|word| text_of(view, "id").contains(word))
    };
    views.retain(is_wanted);
    views.sort_by_key(|view| text_of(view, "map"));
    let mut outcomes = Vec::new();
    for group in views.chunk_by(|a, b| a["map"] == b["map"]) {
        studio.load_map(&text_of(group[0], "map"));
        for view in group {
            let scene = scene_of(view, &mut studio.assets);
            studio.finish_loading();
            // A loading screen makes everything ready; the first frame then builds what it alone needs.
            studio.draw(&Scene::default());
            studio.draw(&scene);
            studio.pixels();
            let started = Instant::now();
            studio.draw(&scene);
            let cpu_time = started.elapsed();
            let drawn = studio.pixels();
            let outcome = compare(view, drawn, studio.renderer.stats(), cpu_time);
            done(&outcome);
            outcomes.push(outcome);
        }
    }
    outcomes
}

fn compare(view: &Value, drawn: Vec<u8>, stats: RenderStats, cpu_time: Duration) -> Outcome {
    let file = folder().join(text_of(view, "file"));
    let reference = image::open(&file)
        .expect("the picture is part of the repository")
        .to_rgb8()
        .into_raw();
    let differences: Vec<u8> = drawn
        .iter()
        .zip(&reference)
        .map(|(a, b)| a.abs_diff(*b))
        .collect();
    let sum: u64 = differences.iter().map(|&d| u64::from(d)).sum();
    let far_off = differences
        .chunks_exact(3)
        .filter(|d| d.iter().any(|&d| d > 16))
        .count();
    Outcome {
        name: text_of(view, "id"),
        mean_abs_error: sum as f64 / differences.len() as f64,
        share_over_16: far_off as f64 / (differences.len() / 3) as f64,
        stats,
        cpu_time,
        drawn,
        reference,
    }
}

fn scene_of(view: &Value, assets: &mut Assets) -> Scene {
    let [pitch, yaw, roll] = numbers(&view["angles_pitch_yaw_roll"]);
    let mut scene = Refdef {
        viewport: [0.0, 0.0, WIDTH as f32, HEIGHT as f32],
        fov_x: number(&view["fov_x_deg"]),
        fov_y: number(&view["fov_y_deg"]),
        eye: numbers(&view["origin"]).into(),
        axis: axis_of([pitch, yaw, roll]),
        time_msec: number(&view["refdef_time_ms"]) as i32,
        ..Refdef::default()
    };
    for listed in view["entities"].as_array().expect("a list") {
        let origin = Vec3::from(numbers(&listed["origin"]));
        match listed["type"].as_str() {
            Some("brush_model" | "model") => {
                let model = assets.register_model(&text_of(listed, "model"));
                let mut entity = RefEntity::new(RefEntityKind::Model(model), origin);
                entity.axis = axis_of(numbers(&listed["angles"]));
                entity.color = [0; 4];
                scene.entities.push(entity);
            }
            Some("portal_surface") => {
                let is_mirror = listed["mirror"].as_bool().expect("true or false");
                let mut entity = RefEntity::new(RefEntityKind::PortalSurface { is_mirror }, origin);
                entity.old_origin = numbers(&listed["camera_origin"]).into();
                entity.axis = std::array::from_fn(|k| numbers(&listed["camera_axis"][k]).into());
                entity.old_frame = number(&listed["rotate_enabled"]) as i32;
                entity.frame = number(&listed["rotate_speed"]) as i32;
                entity.skin_num = number(&listed["roll_degrees"]) as i32;
                scene.entities.push(entity);
            }
            Some("dlight") => scene.lights.push(DynamicLight {
                origin,
                radius: number(&listed["radius"]),
                color: numbers(&listed["color"]),
                additive: listed["additive"].as_bool().expect("true or false"),
            }),
            other => panic!("unknown kind of entity: {other:?}"),
        }
    }
    Scene {
        views: vec![scene],
        ..Scene::default()
    }
}

/// Forward, left and up for angles in degrees.
pub fn axis_of([pitch, yaw, roll]: [f32; 3]) -> [Vec3; 3] {
    let (sp, cp) = pitch.to_radians().sin_cos();
    let (sy, cy) = yaw.to_radians().sin_cos();
    let (sr, cr) = roll.to_radians().sin_cos();
    [
        Vec3::new(cp * cy, cp * sy, -sp),
        Vec3::new(sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp),
        Vec3::new(cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp),
    ]
}

fn text_of(value: &Value, key: &str) -> String {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} is a text in {value}"))
        .to_owned()
}

fn number(value: &Value) -> f32 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is a number")) as f32
}

fn numbers(value: &Value) -> [f32; 3] {
    std::array::from_fn(|k| number(&value[k]))
}
