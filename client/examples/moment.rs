//! Draws moments of a demo offscreen as the player would see them: `moment DEMO FOLDER [--scores] [--dressed] SECONDS…`.

#[path = "../tests/it/cg_demos.rs"]
#[expect(dead_code, unused_imports, reason = "tests look at more than pictures")]
mod cg_demos;
#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;

use cg_demos::{FRAME_MSEC, Shown, play_bytes};
use client::{
    cg::Action,
    render::{
        Renderer,
        gpu::{Gpu, Offscreen},
    },
};
use std::{path::PathBuf, process::ExitCode};

/// As large as the demos are shown.
const SIZE: [u32; 2] = [1280, 720];

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let shows_scores = arguments.iter().any(|word| word == "--scores");
    let is_dressed = arguments.iter().any(|word| word == "--dressed");
    arguments.retain(|word| !word.starts_with("--"));
    let [demo, folder, seconds @ ..] = arguments.as_slice() else {
        eprintln!("moment DEMO FOLDER [--scores] [--dressed] SECONDS…");
        return ExitCode::FAILURE;
    };
    let bytes = match std::fs::read(demo) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{demo} cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut seconds: Vec<f32> = seconds.iter().flat_map(|word| word.parse()).collect();
    seconds.sort_by(f32::total_cmp);
    let folder = PathBuf::from(folder);
    let gpu = pollster::block_on(Gpu::open_offscreen())
        .expect("a graphics adapter, such as mesa-vulkan-drivers");
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let target = Offscreen::new(&gpu, SIZE, format);
    let mut renderer = Renderer::new(&gpu, format, SIZE);
    let (disk, mut assets) = disk::Disk::assets();
    let disk = std::cell::RefCell::new(disk);
    disk.borrow_mut().serve(&mut assets);
    let shown = Shown {
        actions: vec![Action::ShowScores(shows_scores)],
        disguise: is_dressed.then_some(cg_demos::dress),
        ..Shown::default()
    };
    let mut time = 0;
    let mut wanted = seconds.iter().copied().peekable();
    play_bytes(
        demo,
        bytes,
        &shown,
        &mut assets,
        |assets, map| {
            assets.load_world(map);
            disk.borrow_mut().serve(assets);
        },
        |_, output, assets| {
            time += FRAME_MSEC;
            disk.borrow_mut().serve(assets);
            let Some(at) = wanted.next_if(|at| *at * 1000.0 <= time as f32) else {
                return;
            };
            // The first frame builds what it alone needs.
            renderer.draw(&output.scene, assets, &target.view);
            renderer.draw(&output.scene, assets, &target.view);
            let pixels = pollster::block_on(target.read(&gpu)).expect("the frame can be read");
            let picture = image::RgbaImage::from_raw(SIZE[0], SIZE[1], pixels)
                .expect("the frame is as large as the picture");
            let path = folder.join(format!("{at:07.2}.png"));
            let picture = image::DynamicImage::from(picture).to_rgb8();
            match picture.save(&path) {
                Ok(()) => println!("{}", path.display()),
                Err(error) => eprintln!("{} cannot be written: {error}", path.display()),
            }
        },
    );
    ExitCode::SUCCESS
}
