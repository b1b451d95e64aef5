//! Plays a demo as fast as possible into a picture that nobody sees, and reports what it cost.

use crate::{
    app::{
        App, StartOptions,
        screen::settings,
        timedemo::{FrameCost, Timedemo, TimedemoReport},
        wake::Wake,
    },
    cl::State,
    event::Event,
    jobs::JobQueue,
    render::{
        Renderer,
        gpu::{Gpu, Offscreen},
    },
    scene::Scene,
};
use std::time::Duration;

/// The picture instead of a window.
struct Canvas {
    // Dropped in this order: what is drawn with, where to, the adapter.
    renderer: Renderer,
    target: Offscreen,
    gpu: Gpu,
    /// The frame before; its end is waited for, so that frames do not pile up.
    previous: Option<wgpu::SubmissionIndex>,
}

impl Canvas {
    fn new(gpu: Gpu, size: [u32; 2], jobs: JobQueue) -> Self {
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let mut renderer = Renderer::new(&gpu, format, size);
        renderer.set_beside(jobs);
        Self {
            target: Offscreen::new(&gpu, size, format),
            renderer,
            gpu,
            previous: None,
        }
    }

    fn draw(&mut self, scene: &Scene, app: &App) {
        self.renderer.configure(&settings(app.client.cvars()));
        self.renderer
            .draw(scene, app.client.assets(), &self.target.view);
    }

    /// One frame may be drawn while the next is made, as on a window.
    fn wait(&mut self) -> Result<(), String> {
        let drawn = self.gpu.queue.submit([]);
        let Some(previous) = self.previous.replace(drawn) else {
            return Ok(());
        };
        self.gpu
            .device
            .poll(wgpu::PollType::Wait {
                submission_index: Some(previous),
                timeout: None,
            })
            .map(drop)
            .map_err(|error| format!("the graphics adapter does not answer: {error}"))
    }
}

/// Loading waits for the disk; nothing is measured yet.
const LOADING_PAUSE: Duration = Duration::from_millis(1);

/// Plays the demo that the commands ask for, up to its end.
///
/// # Errors
/// Without an adapter or a demo, and if the demo holds no picture.
pub fn run(options: StartOptions, size: [u32; 2]) -> Result<(TimedemoReport, String), String> {
    let mut app = App::start(options, Wake::default())?;
    let mut opening = app
        .jobs()
        .submit(|| pollster::block_on(Gpu::open_offscreen()));
    app.push(Event::Resized {
        width: size[0],
        height: size[1],
    });
    // What the demo needs is loaded while the adapter opens.
    while !opening.is_done() && app.client.state() < State::Active && !app.wants_quit() {
        app.frame();
        std::thread::sleep(LOADING_PAUSE);
    }
    let gpu = opening.wait().ok_or("the graphics adapter fell")?;
    let gpu = gpu.map_err(|error| error.to_string())?;
    let largest = gpu.device.limits().max_texture_dimension_2d;
    if size.into_iter().max() > Some(largest) {
        return Err(format!(
            "{} draws into {largest}x{largest} at most",
            gpu.description()
        ));
    }
    let mut canvas = Canvas::new(gpu, size, app.jobs());
    let outcome = measure(&mut app, &mut canvas);
    // Pipelines may still be in the making on other threads, which hold the device: they end first, then it is idle,
    // then it goes, all before the program exits and the driver takes itself apart.
    app.end_helpers();
    canvas.gpu.wait_until_idle();
    drop(canvas);
    outcome
}

/// Plays until there is a report.
fn measure(app: &mut App, canvas: &mut Canvas) -> Result<(TimedemoReport, String), String> {
    let mut timedemo = Timedemo::default();
    while !app.wants_quit() {
        let began_at = app.clock.now_exact();
        let output = app.frame();
        let client_at = app.clock.now_exact();
        canvas.draw(&output.scene, app);
        let drawn_at = app.clock.now_exact();
        canvas.wait()?;
        let cost = FrameCost {
            ended_at: app.clock.now_exact(),
            client_msec: client_at - began_at,
            render_msec: drawn_at - client_at,
            stats: canvas.renderer.stats(),
        };
        let gpu_times = canvas.renderer.take_gpu_times();
        if let Some(report) = timedemo.note(&app.client, cost, gpu_times) {
            return Ok((report, canvas.gpu.description()));
        }
        if app.client.timedemo_frames() == 0 {
            std::thread::sleep(LOADING_PAUSE);
        }
    }
    Err("the demo ended before it showed a picture".to_owned())
}
