//! Loads every map of the paks, draws it from five places, and puts the pictures on contact sheets.
//!
//! `maps [--out FOLDER] [WORD…]`: only maps whose name contains a word.

#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;
#[path = "../tests/it/views.rs"]
#[expect(dead_code, reason = "tests compare pictures too")]
mod views;

use client::scene::{RefEntity, RefEntityKind, Refdef, Scene};
use glam::Vec3;
use image::{RgbImage, imageops};
use shared::formats::bsp::Bsp;
use shared::formats::mapents::{self, MapEntity};
use std::path::PathBuf;
use std::process::ExitCode;
use views::{HEIGHT, Studio, WIDTH, axis_of};

const VIEWS: usize = 5;
const MAPS_PER_SHEET: usize = 10;
const SMALL: [u32; 2] = [256, 144];
/// Eyes stand this high above the place where players appear.
const EYE_HEIGHT: f32 = 35.0;

fn main() -> ExitCode {
    let mut out = PathBuf::from("target/maps");
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--out" => out = arguments.next().map(PathBuf::from).unwrap_or(out),
            _ => words.push(argument),
        }
    }
    if let Err(error) = std::fs::create_dir_all(&out) {
        eprintln!("{} cannot be made: {error}", out.display());
        return ExitCode::FAILURE;
    }
    let mut studio = Studio::open();
    let errors = studio.collect_errors();
    studio.finish_loading();
    let mut maps = studio.assets.vfs().list("maps", ".bsp");
    for map in &mut maps {
        map.truncate(map.len() - ".bsp".len());
    }
    maps.retain(|map| words.is_empty() || words.iter().any(|word| map.contains(word)));
    let mut failed = 0;
    for (sheet_number, group) in maps.chunks(MAPS_PER_SHEET).enumerate() {
        let size = [SMALL[0] * VIEWS as u32, SMALL[1] * group.len() as u32];
        let mut sheet = RgbImage::new(size[0], size[1]);
        for (row, map) in group.iter().enumerate() {
            let outcome = draw_map(&mut studio, map, |column, picture| {
                let at = [column as u32 * SMALL[0], row as u32 * SMALL[1]].map(i64::from);
                imageops::replace(&mut sheet, &picture, at[0], at[1]);
            });
            let told = errors.lock().map(|mut told| std::mem::take(&mut *told));
            let problems: Vec<_> = outcome
                .err()
                .into_iter()
                .chain(told.unwrap_or_default())
                .collect();
            failed += usize::from(!problems.is_empty());
            problems
                .iter()
                .for_each(|problem| println!("{map}: ERROR {problem}"));
        }
        let path = out.join(format!("sheet{sheet_number}.png"));
        if let Err(error) = sheet.save(&path) {
            eprintln!("{} cannot be written: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    println!(
        "{} maps, {failed} failed; contact sheets in {}",
        maps.len(),
        out.display()
    );
    if failed == 0 && !maps.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Loads a map and draws it from all its places.
fn draw_map(
    studio: &mut Studio,
    map: &str,
    mut done: impl FnMut(usize, RgbImage),
) -> Result<(), String> {
    studio.assets.take_messages();
    studio.load_map(map);
    let bsp = studio
        .assets
        .world()
        .cloned()
        .ok_or_else(|| format!("not loaded: {}", studio.assets.take_messages().join("; ")))?;
    let entities = mapents::parse(&bsp.entities).map_err(|error| error.to_string())?;
    let parts = parts(studio, &entities);
    studio.finish_loading();
    let mut max_draws = 0;
    for (column, (eye, yaw)) in places(&bsp, &entities).into_iter().enumerate() {
        let view = Refdef {
            viewport: [0.0, 0.0, WIDTH as f32, HEIGHT as f32],
            fov_y: 58.716,
            eye,
            axis: axis_of([0.0, yaw, 0.0]),
            time_msec: 5000,
            entities: parts.clone(),
            ..Refdef::default()
        };
        let scene = Scene {
            views: vec![view],
            ..Scene::default()
        };
        studio.draw(&Scene::default());
        studio.draw(&scene);
        max_draws = max_draws.max(studio.renderer.stats().draws);
        let picture = RgbImage::from_raw(WIDTH, HEIGHT, studio.pixels())
            .ok_or("the picture has another size")?;
        done(column, imageops::thumbnail(&picture, SMALL[0], SMALL[1]));
    }
    println!("{map}: at most {max_draws} draws");
    for message in studio.assets.take_messages() {
        println!("{map}: {message}");
    }
    Ok(())
}

/// Doors, lifts and the like where the map puts them.
fn parts(studio: &mut Studio, entities: &[MapEntity]) -> Vec<RefEntity> {
    let is_seen = |entity: &&MapEntity| {
        entity
            .get("classname")
            .is_some_and(|class| !class.starts_with("trigger_") && class != "worldspawn")
    };
    let part = |entity: &MapEntity| {
        let model = entity.get("model").filter(|model| model.starts_with('*'))?;
        let model = studio.assets.register_model(model);
        let origin = entity.vector("origin").unwrap_or(Vec3::ZERO);
        Some(RefEntity::new(RefEntityKind::Model(model), origin))
    };
    entities.iter().filter(is_seen).filter_map(part).collect()
}

/// Where to look from: the intermission and places where players appear, spread over the map.
fn places(bsp: &Bsp, entities: &[MapEntity]) -> Vec<(Vec3, f32)> {
    let place = |entity: &MapEntity| {
        let yaw = entity.get("angle").and_then(|angle| angle.parse().ok());
        Some((entity.vector("origin")?, yaw.unwrap_or(0.0)))
    };
    let of = |class: fn(&str) -> bool| -> Vec<(Vec3, f32)> {
        let matches = |entity: &&MapEntity| entity.get("classname").is_some_and(class);
        entities.iter().filter(matches).filter_map(place).collect()
    };
    let mut found = of(|class| class == "info_player_intermission");
    found.truncate(1);
    let spawns = of(|class| {
        class == "info_player_deathmatch"
            || class == "info_player_start"
            || class.starts_with("team_CTF_")
    });
    let wanted = VIEWS - found.len();
    found.extend((0..wanted.min(spawns.len())).map(|k| {
        let (at, yaw) = spawns[k * spawns.len() / wanted.min(spawns.len())];
        (at + Vec3::Z * EYE_HEIGHT, yaw)
    }));
    // Some maps have fewer: then the same places the other way around, or the middle of the map.
    for k in 0.. {
        if found.len() >= VIEWS {
            break;
        }
        let turned = found.get(k).map(|&(at, yaw)| (at, yaw + 135.0));
        let middle = bsp
            .models
            .first()
            .map_or(Vec3::ZERO, |world| (world.mins + world.maxs) * 0.5);
        found.push(turned.unwrap_or((middle, 72.0 * k as f32)));
    }
    found
}
