//! Draws the lab offscreen as the player would see it: `lab FOLDER PAGE SECONDS [+COMMAND…]`, on the arena's own pak.

#[path = "../tests/it/cl_sim.rs"]
#[expect(dead_code, reason = "tests need more")]
mod cl_sim;
#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;
#[path = "../tests/it/recorded.rs"]
#[expect(dead_code, reason = "tests need more")]
mod recorded;
#[path = "../tests/it/rig.rs"]
#[expect(dead_code, reason = "tests need more")]
mod rig;

use client::{
    event::Event,
    render::{
        Renderer,
        gpu::{Gpu, Offscreen},
    },
};
use rig::Rig;
use std::{path::PathBuf, process::ExitCode};

const SIZE: [u32; 2] = [1280, 720];
/// Of the rig.
const FRAME_MSEC: f32 = 10.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, page, seconds, commands @ ..] = arguments.as_slice() else {
        eprintln!("lab FOLDER PAGE SECONDS [+COMMAND…]");
        return ExitCode::FAILURE;
    };
    let frames = (seconds.parse::<f32>().unwrap_or(10.0) * 1000.0 / FRAME_MSEC) as usize;
    let mut rig = Rig::on_arena(SIZE, &[&format!("lab {page}")]);
    rig.run_until(6000, |rig| {
        rig.scene.views.iter().filter(|view| view.has_world).count() == 2
    });
    for command in commands {
        let line = command.trim_start_matches('+');
        rig.frame(vec![Event::Command(format!("{line}\n"))]);
    }
    for _ in 0..frames {
        rig.frame(Vec::new());
    }
    let gpu = pollster::block_on(Gpu::open_offscreen())
        .expect("a graphics adapter, such as mesa-vulkan-drivers");
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let target = Offscreen::new(&gpu, SIZE, format);
    let mut renderer = Renderer::new(&gpu, format, SIZE);
    // The first frames build what they alone need.
    for _ in 0..3 {
        renderer.draw(&rig.scene, rig.client.assets(), &target.view);
    }
    let pixels = pollster::block_on(target.read(&gpu)).expect("the frame can be read");
    let picture = image::RgbaImage::from_raw(SIZE[0], SIZE[1], pixels)
        .expect("the frame is as large as the picture");
    let path = PathBuf::from(folder).join(format!("lab{page}.png"));
    let picture = image::DynamicImage::from(picture).to_rgb8();
    match picture.save(&path) {
        Ok(()) => {
            println!("{}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{} cannot be written: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}
