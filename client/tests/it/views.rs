//! Draws the reference views offscreen and compares them with the reference client's frames.

use crate::disk::{Disk, SETTINGS};
use client::assets::Assets;
use client::render::gpu::{Gpu, Offscreen};
use client::render::{RenderStats, Renderer};
use client::scene::{DynamicLight, Entity, EntityKind, Scene, View};
use glam::Vec3;
use serde_json::Value;
use std::path::{Path, PathBuf};
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

/// Draws the views whose name contains one of these words (all views if there are none), map by map.
pub fn draw_views(words: &[String], mut done: impl FnMut(&Outcome)) -> Vec<Outcome> {
    let text = std::fs::read_to_string(folder().join("manifest.json"))
        .expect("the manifest is part of the repository");
    let manifest: Value = serde_json::from_str(&text).expect("the manifest is JSON");
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
    let gpu = pollster::block_on(Gpu::open_offscreen())
        .expect("a graphics adapter, such as mesa-vulkan-drivers");
    eprintln!("drawing on {}", gpu.description());
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let mut renderer = Renderer::new(&gpu, format, [WIDTH, HEIGHT]);
    let target = Offscreen::new(&gpu, [WIDTH, HEIGHT], format);
    let (mut disk, mut assets) = Disk::assets();
    let mut outcomes = Vec::new();
    for group in views.chunk_by(|a, b| a["map"] == b["map"]) {
        assets.reset(SETTINGS);
        assets.load_world(&text_of(group[0], "map"));
        disk.serve(&mut assets);
        for view in group {
            let scene = scene_of(view, &mut assets);
            disk.serve(&mut assets);
            // The first frame also builds the map and uploads its images.
            renderer.draw(&scene, &assets, &target.view);
            pollster::block_on(target.read(&gpu)).expect("the frame can be read back");
            let started = Instant::now();
            renderer.draw(&scene, &assets, &target.view);
            let cpu_time = started.elapsed();
            let pixels = pollster::block_on(target.read(&gpu)).expect("the frame can be read back");
            let outcome = compare(view, &pixels, renderer.stats(), cpu_time);
            done(&outcome);
            outcomes.push(outcome);
        }
    }
    outcomes
}

fn compare(view: &Value, pixels: &[u8], stats: RenderStats, cpu_time: Duration) -> Outcome {
    let file = folder().join(text_of(view, "file"));
    let reference = image::open(&file)
        .expect("the picture is part of the repository")
        .to_rgb8()
        .into_raw();
    let drawn: Vec<u8> = pixels
        .chunks_exact(4)
        .flat_map(|p| [p[0], p[1], p[2]])
        .collect();
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
    let mut scene = View {
        viewport: [0.0, 0.0, WIDTH as f32, HEIGHT as f32],
        fov_x: number(&view["fov_x_deg"]),
        fov_y: number(&view["fov_y_deg"]),
        eye: numbers(&view["origin"]).into(),
        axis: axis_of([pitch, yaw, roll]),
        time_msec: number(&view["refdef_time_ms"]) as i32,
        has_world: true,
        hyperspace: false,
        area_mask: [0; 32],
        entities: Vec::new(),
        lights: Vec::new(),
        polys: Vec::new(),
    };
    for listed in view["entities"].as_array().expect("a list") {
        let origin = Vec3::from(numbers(&listed["origin"]));
        match listed["type"].as_str() {
            Some("brush_model" | "model") => {
                let model = assets.register_model(&text_of(listed, "model"));
                let mut entity = Entity::new(EntityKind::Model(model), origin);
                entity.axis = axis_of(numbers(&listed["angles"]));
                entity.color = [0; 4];
                scene.entities.push(entity);
            }
            Some("portal_surface") => {
                let is_mirror = listed["mirror"].as_bool().expect("true or false");
                let mut entity = Entity::new(EntityKind::PortalSurface { is_mirror }, origin);
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
fn axis_of([pitch, yaw, roll]: [f32; 3]) -> [Vec3; 3] {
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
