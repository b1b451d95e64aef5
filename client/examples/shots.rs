//! Draws a map of a pak from places that are named, as for levelshots and for looking at a map while it is made.
//!
//! `shots PAK MAP OUT [--size WIDTHxHEIGHT] X,Y,Z,PITCH,YAW…`: a PNG for each place, OUT0.png and so on.
#![allow(
    clippy::disallowed_methods,
    reason = "what measures is no part of a frame"
)]

#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;
#[path = "../tests/it/views.rs"]
#[expect(dead_code, reason = "tests compare pictures too")]
mod views;

use client::scene::{RefEntity, RefEntityKind, Refdef, Scene};
use disk::Disk;
use glam::Vec3;
use image::RgbImage;
use shared::formats::mapents;
use std::{path::PathBuf, process::ExitCode};
use views::{Studio, axis_of};

const FOV_X: f32 = 90.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [pak, map, out, rest @ ..] = arguments else {
        return Err("shots PAK MAP OUT [--size WIDTHxHEIGHT] X,Y,Z,PITCH,YAW…".to_owned());
    };
    let (size, places) = match rest {
        [option, size, places @ ..] if option == "--size" => (numbers(size, 'x')?, places),
        places => ([640.0, 480.0], places),
    };
    let [width, height] = size.map(|side| side as u32);
    let files = Disk::announced(Disk::of("strafe", vec![PathBuf::from(pak)]));
    let mut studio = Studio::with(files, [width, height]);
    studio.finish_loading();
    studio.load_map(map);
    let entities = movers(&mut studio)?;
    studio.finish_loading();
    for (number, place) in places.iter().enumerate() {
        let [x, y, z, pitch, yaw] = numbers(place, ',')?;
        let half = (FOV_X / 2.0).to_radians().tan() * size[1] / size[0];
        let view = Refdef {
            viewport: [0.0, 0.0, size[0], size[1]],
            fov_x: FOV_X,
            fov_y: half.atan().to_degrees() * 2.0,
            eye: Vec3::new(x, y, z),
            axis: axis_of([pitch, yaw, 0.0]),
            time_msec: 5000,
            entities: entities.clone(),
            ..Refdef::default()
        };
        let views = vec![view];
        studio.draw(&Scene::default());
        studio.draw(&Scene {
            views,
            ..Scene::default()
        });
        let path = format!("{out}{number}.png");
        let picture = RgbImage::from_raw(width, height, studio.pixels());
        let picture = picture.ok_or("the picture has another size")?;
        picture.save(&path).map_err(|error| error.to_string())?;
        println!("{path}: {} draws", studio.renderer.stats().draws);
    }
    for message in studio.assets.take_messages() {
        println!("{message}");
    }
    Ok(())
}

/// Lifts and targets where the map puts them, and its mirrors.
fn movers(studio: &mut Studio) -> Result<Vec<RefEntity>, String> {
    let world = studio.assets.world().cloned();
    let bsp = world.ok_or_else(|| studio.assets.take_messages().join("; "))?;
    let entities = mapents::parse(&bsp.entities).map_err(|error| error.to_string())?;
    let found = entities.iter().filter_map(|entity| {
        let class = entity.get("classname").unwrap_or_default();
        let origin = entity.vector("origin").unwrap_or(Vec3::ZERO);
        if class == "misc_portal_surface" {
            let mut mirror =
                RefEntity::new(RefEntityKind::PortalSurface { is_mirror: true }, origin);
            mirror.old_origin = origin;
            return Some(mirror);
        }
        let model = entity.get("model").filter(|_| class.starts_with("func_"))?;
        let model = studio.assets.register_model(model);
        Some(RefEntity::new(RefEntityKind::Model(model), origin))
    });
    Ok(found.collect())
}

fn numbers<const N: usize>(text: &str, between: char) -> Result<[f32; N], String> {
    let read: Result<Vec<f32>, _> = text.split(between).map(str::parse).collect();
    let read = read.map_err(|error| format!("{text}: {error}"))?;
    read.try_into()
        .map_err(|_| format!("{text}: {N} numbers are needed"))
}
