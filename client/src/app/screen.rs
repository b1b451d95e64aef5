//! Screen: the window's graphics adapter, its surface, and the renderer on them.

use super::screenshot::Picture;
use crate::{
    client::Client,
    con::cvar::Cvars,
    jobs::JobQueue,
    platform::clock::Clock,
    render::{
        Renderer,
        gpu::{Gpu, GpuError, Offscreen, WindowSurface},
        settings::RenderSettings,
    },
    scene::Scene,
};

use std::sync::Arc;
use winit::{event_loop::OwnedDisplayHandle, window::Window};

pub struct Screen {
    // Dropped in this order: what is drawn with, where to, the adapter.
    renderer: Renderer,
    surface: WindowSurface,
    gpu: Gpu,
    description: String,
    has_told_complaint: bool,
}

impl Screen {
    /// Opens the adapter that can draw to this window.
    pub async fn open(
        display: OwnedDisplayHandle,
        window: Arc<Window>,
        size: [u32; 2],
        jobs: JobQueue,
    ) -> Result<Self, String> {
        let instance = wgpu::Instance::new(
            wgpu::InstanceDescriptor::new_with_display_handle_from_env(Box::new(display)),
        );
        let (gpu, surface) = Gpu::open_window(&instance, window, size)
            .await
            .map_err(|error| error.to_string())?;
        let mut renderer = Renderer::new(&gpu, surface.format(), surface.size());
        renderer.set_beside(jobs);
        let description = gpu.description();
        Ok(Self {
            gpu,
            surface,
            renderer,
            description,
            has_told_complaint: false,
        })
    }

    /// Lets go of the window and the adapter, once nothing is being drawn.
    pub fn close(self) {
        self.gpu.wait_until_idle();
    }

    /// What the adapter refused to do, once.
    pub fn take_complaint(&mut self) -> Option<&str> {
        let complaint = self.gpu.complaint()?;
        let is_new = !std::mem::replace(&mut self.has_told_complaint, true);
        is_new.then_some(complaint)
    }

    /// Which adapter by which interface, for the log.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Whether it has to be opened anew.
    pub fn is_lost(&self) -> bool {
        self.gpu.is_lost()
    }

    /// Everything worth knowing about what draws, for `gfxinfo`.
    pub fn details(&self) -> String {
        let [width, height] = self.surface.size();
        let limits = self.gpu.device.limits();
        let (texture, bindings) = (
            limits.max_texture_dimension_2d,
            limits.max_sampled_textures_per_shader_stage,
        );
        let (format, mode) = (self.surface.format(), self.surface.present_mode());
        format!(
            "{}\n{width}x{height}, {format:?}, shown by {mode:?}\ntextures up to {texture}, {bindings} of them at once\n",
            self.description
        )
    }

    /// Draws a scene and shows it; a window that cannot be drawn to just now keeps its last picture.
    ///
    /// Returns the milliseconds that drawing took, without what the display made us wait.
    pub fn draw(&mut self, scene: &Scene, size: [u32; 2], client: &Client, clock: &Clock) -> f64 {
        self.surface.resize(&self.gpu, size);
        let waits = client.cvars().is_on("r_swapInterval") && client.timedemo_frames() == 0;
        self.surface.set_vsync(&self.gpu, waits);
        let Some(picture) = self.surface.acquire(&self.gpu) else {
            return 0.0;
        };
        let began_at = clock.now_exact();
        self.renderer.resize(self.surface.size());
        self.renderer.configure(&settings(client.cvars()));
        let view = picture
            .texture
            .create_view(&wgpu::TextureViewDescriptor::default());
        self.renderer.draw(scene, client.assets(), &view);
        let drawn_at = clock.now_exact();
        self.gpu.queue.present(picture);
        drawn_at - began_at
    }

    /// Goes on with what a load takes, without a picture.
    pub fn prepare(&mut self, client: &Client) {
        self.renderer.configure(&settings(client.cvars()));
        self.renderer.prepare(client.assets());
    }

    /// Draws a scene once more, into a picture; reading it back may take longer than a frame.
    pub fn capture(
        &mut self,
        scene: &Scene,
        client: &Client,
    ) -> impl Future<Output = Result<Picture, GpuError>> + use<> {
        let size = self.surface.size();
        let target = Offscreen::new(&self.gpu, size, self.surface.format());
        self.renderer.resize(size);
        self.renderer.draw(scene, client.assets(), &target.view);
        let gpu = self.gpu.clone();
        async move {
            let rgba = target.read(&gpu).await?;
            Ok(Picture { size, rgba })
        }
    }

    pub fn renderer_mut(&mut self) -> &mut Renderer {
        &mut self.renderer
    }
}

/// What the cvars say about the picture.
pub fn settings(cvars: &Cvars) -> RenderSettings {
    let count = |name| u32::try_from(cvars.integer(name)).unwrap_or(0);
    let sharpens = cvars.is_on("r_ext_texture_filter_anisotropic");
    RenderSettings {
        gamma: cvars.number("r_gamma"),
        samples: count("r_ext_multisample"),
        anisotropy: u16::try_from(count("r_ext_max_anisotropy"))
            .ok()
            .filter(|_| sharpens)
            .map_or(1, |anisotropy| anisotropy.max(1)),
        picmip: count("r_picmip"),
        curve_error: cvars.number("r_subdivisions"),
        lod_bias: cvars.integer("r_lodbias"),
        fast_sky: cvars.is_on("r_fastsky"),
        dynamic_lights: cvars.is_on("r_dynamiclight"),
        vertex_light: cvars.is_on("r_vertexLight"),
        skips_back_end: cvars.is_on("r_skipBackEnd"),
        measures_gpu: cvars.is_on("timedemo"),
    }
}

/// The sizes that players know by number (`r_mode`).
const MODES: [[i32; 2]; 12] = [
    [320, 240],
    [400, 300],
    [512, 384],
    [640, 480],
    [800, 600],
    [960, 720],
    [1024, 768],
    [1152, 864],
    [1280, 1024],
    [1600, 1200],
    [2048, 1536],
    [856, 480],
];

/// Where the window was when it was moved last: `r_windowPosition`.
pub fn window_place(cvars: &Cvars) -> Option<[i32; 2]> {
    let (x, y) = cvars.text("r_windowPosition").split_once(' ')?;
    Some([x.parse().ok()?, y.parse().ok()?])
}

/// The window's size in pixels that the player wants; `None` is as large as the desktop.
pub fn window_size(cvars: &Cvars) -> Option<[i32; 2]> {
    match cvars.integer("r_mode") {
        -2 => None,
        mode => {
            let listed = usize::try_from(mode).ok().and_then(|mode| MODES.get(mode));
            let custom = ["r_customwidth", "r_customheight"].map(|name| cvars.integer(name));
            Some(listed.copied().unwrap_or(custom))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::cvars::TABLE;

    #[test]
    fn modes_are_sizes() {
        let mut cvars = Cvars::new(TABLE);
        assert_eq!(window_size(&cvars), Some([1280, 720]));
        for (mode, size) in [
            ("3", Some([640, 480])),
            ("11", Some([856, 480])),
            ("-2", None),
        ] {
            cvars.set("r_mode", mode).unwrap();
            assert_eq!(window_size(&cvars), size, "r_mode {mode}");
        }
    }
}
