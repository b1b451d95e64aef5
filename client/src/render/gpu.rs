//! Adapter, device and queue; the window's surface, or a picture to draw into instead.

use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicBool, Ordering},
};
use std::task::{Poll, Waker};

/// Why there is nothing to draw with.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    #[error(
        "no usable graphics adapter was found; install a Vulkan, OpenGL ES 3, Metal or DirectX 12 driver ({0})"
    )]
    Adapter(#[from] wgpu::RequestAdapterError),
    #[error("the graphics adapter refused to open: {0}")]
    Device(#[from] wgpu::RequestDeviceError),
    #[error("the window cannot be drawn to: {0}")]
    Surface(#[from] wgpu::CreateSurfaceError),
    #[error("the window has no pixel format that the adapter can draw to")]
    Format,
    #[error("the picture could not be read back: {0}")]
    ReadBack(String),
}

/// An opened graphics adapter.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    is_lost: Arc<AtomicBool>,
    complaint: Arc<OnceLock<String>>,
}

impl Gpu {
    /// Asked for where the adapter has it, to measure frames.
    pub const TIMESTAMPS: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY;

    /// Opens an adapter without a window, for tests and pictures.
    pub async fn open_offscreen() -> Result<Self, GpuError> {
        let instance =
            wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        Self::open(&instance, None).await
    }

    /// Opens the adapter that shows pictures in this window.
    pub async fn open_window(
        instance: &wgpu::Instance,
        target: impl Into<wgpu::SurfaceTarget<'static>>,
        size: [u32; 2],
    ) -> Result<(Self, WindowSurface), GpuError> {
        let surface = instance.create_surface(target)?;
        let gpu = Self::open(instance, Some(&surface)).await?;
        let surface = WindowSurface::new(&gpu, surface, size)?;
        Ok((gpu, surface))
    }

    async fn open(
        instance: &wgpu::Instance,
        surface: Option<&wgpu::Surface<'static>>,
    ) -> Result<Self, GpuError> {
        let wanted = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        };
        let adapter = match instance.request_adapter(&wanted).await {
            Ok(adapter) => adapter,
            // A browser that draws in software finds none in one of four starts, and one when asked again.
            Err(_) => instance.request_adapter(&wanted).await?,
        };
        let adapter = faster(instance, surface, adapter).await;
        // What the weakest browser offers is enough; only textures may be as large as the adapter allows.
        let limits = wgpu::Limits::downlevel_webgl2_defaults().using_resolution(adapter.limits());
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("strafe"),
                required_features: adapter.features() & Self::TIMESTAMPS,
                required_limits: limits,
                ..Default::default()
            })
            .await?;
        let is_lost = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_lost);
        device.set_device_lost_callback(move |_, _| told.store(true, Ordering::Relaxed));
        let complaint = Arc::new(OnceLock::new());
        // A match goes on without the thing that was refused, and a browser's context that has just gone refuses
        // everything. Pictures that nobody sees are for finding faults of ours, so there they end the program.
        let goes_on = surface.is_some();
        let (heard, lost) = (Arc::clone(&complaint), Arc::clone(&is_lost));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let is_ours = !lost.load(Ordering::Relaxed);
            assert!(goes_on || !is_ours, "the graphics adapter refused: {error}");
            heard.get_or_init(|| error.to_string());
        }));
        Ok(Self {
            adapter,
            device,
            queue,
            is_lost,
            complaint,
        })
    }

    /// The first thing that the adapter refused to do, which is a fault of ours unless it has gone.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.get().map(String::as_str)
    }

    /// Whether the adapter has gone, by a reset of its driver for instance; nothing is drawn any more.
    pub fn is_lost(&self) -> bool {
        // Some losses are told only to those who ask; an answer other than by the callback tells nothing new.
        let _ = self.device.poll(wgpu::PollType::Poll);
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Waits until everything asked for is drawn, so that nothing is at work on what is about to be dropped.
    pub fn wait_until_idle(&self) {
        // One that does not answer any more has nothing at work.
        let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
    }

    /// Whether the CPU does the GPU's work, by Vulkan.
    pub fn is_software_vulkan(&self) -> bool {
        is_software_vulkan(&self.adapter)
    }

    /// One line for the log: which adapter by which interface.
    pub fn description(&self) -> String {
        let info = self.adapter.get_info();
        format!("{} ({}, {})", info.name, info.backend, info.driver_info)
    }
}

/// Of adapters that draw on the CPU, the one by OpenGL: Mesa's places the next draws while it still paints the last,
/// where its Vulkan waits.
async fn faster(
    instance: &wgpu::Instance,
    surface: Option<&wgpu::Surface<'static>>,
    adapter: wgpu::Adapter,
) -> wgpu::Adapter {
    if !is_software_vulkan(&adapter) {
        return adapter;
    }
    let others = instance.enumerate_adapters(wgpu::Backends::GL).await;
    let is_like_it = |other: &wgpu::Adapter| {
        other.get_info().device_type == wgpu::DeviceType::Cpu
            && surface.is_none_or(|surface| other.is_surface_supported(surface))
    };
    others.into_iter().find(is_like_it).unwrap_or(adapter)
}

fn is_software_vulkan(adapter: &wgpu::Adapter) -> bool {
    let info = adapter.get_info();
    info.device_type == wgpu::DeviceType::Cpu && info.backend == wgpu::Backend::Vulkan
}

/// The window's drawing area.
#[derive(Debug)]
pub struct WindowSurface {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    /// The ways to the display that there are.
    present_modes: Vec<wgpu::PresentMode>,
}

impl WindowSurface {
    fn new(gpu: &Gpu, surface: wgpu::Surface<'static>, size: [u32; 2]) -> Result<Self, GpuError> {
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let mut config = surface
            .get_default_config(&gpu.adapter, size[0].max(1), size[1].max(1))
            .ok_or(GpuError::Format)?;
        // Quake 3 mixes colors as plain numbers, so the target must not convert them.
        let plain = [
            wgpu::TextureFormat::Bgra8Unorm,
            wgpu::TextureFormat::Rgba8Unorm,
        ];
        let mut formats = capabilities.formats.iter().copied();
        let usable = (formats.clone())
            .find(|format| plain.contains(format))
            .or_else(|| formats.find(|format| !format.is_srgb()));
        config.format = usable.unwrap_or(config.format);
        config.present_mode = present_mode(&capabilities.present_modes, true);
        config.desired_maximum_frame_latency = 1;
        surface.configure(&gpu.device, &config);
        Ok(Self {
            surface,
            config,
            present_modes: capabilities.present_modes,
        })
    }

    pub fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    pub fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// How pictures reach the display.
    pub fn present_mode(&self) -> wgpu::PresentMode {
        self.config.present_mode
    }

    /// Follows the window; sizes of zero (minimised) are left alone.
    pub fn resize(&mut self, gpu: &Gpu, size: [u32; 2]) {
        if size[0] > 0 && size[1] > 0 && size != self.size() {
            [self.config.width, self.config.height] = size;
            self.surface.configure(&gpu.device, &self.config);
        }
    }

    /// Whether frames wait for the display.
    pub fn set_vsync(&mut self, gpu: &Gpu, waits: bool) {
        let mode = present_mode(&self.present_modes, waits);
        if mode != self.config.present_mode {
            self.config.present_mode = mode;
            self.surface.configure(&gpu.device, &self.config);
        }
    }

    /// The next picture to draw into; `None` if this frame must be skipped (hidden, or just resized).
    pub fn acquire(&mut self, gpu: &Gpu) -> Option<wgpu::SurfaceTexture> {
        match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture)
            | wgpu::CurrentSurfaceTexture::Suboptimal(texture) => Some(texture),
            wgpu::CurrentSurfaceTexture::Outdated | wgpu::CurrentSurfaceTexture::Lost => {
                self.surface.configure(&gpu.device, &self.config);
                None
            }
            _ => None,
        }
    }
}

/// The best of the ways to the display that there are. With waiting, only a picture that comes late is shown at once;
/// without, nothing waits where the system allows it.
fn present_mode(offered: &[wgpu::PresentMode], waits: bool) -> wgpu::PresentMode {
    use wgpu::PresentMode::{Fifo, FifoRelaxed, Immediate, Mailbox};
    let wanted = if waits {
        [FifoRelaxed, Fifo]
    } else {
        [Immediate, Mailbox]
    };
    let found = wanted.into_iter().find(|mode| offered.contains(mode));
    // The one that every display has.
    found.unwrap_or(Fifo)
}

/// A picture that is drawn into instead of a window.
#[derive(Debug)]
pub struct Offscreen {
    pub view: wgpu::TextureView,
    texture: wgpu::Texture,
}

impl Offscreen {
    pub fn new(gpu: &Gpu, size: [u32; 2], format: wgpu::TextureFormat) -> Self {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let texture = create_target(&gpu.device, size, format, 1, usage);
        Self {
            view: texture.create_view(&Default::default()),
            texture,
        }
    }

    /// The drawn pixels: rows from the top, red, green, blue, alpha.
    pub async fn read(&self, gpu: &Gpu) -> Result<Vec<u8>, GpuError> {
        let (width, height) = (self.texture.width(), self.texture.height());
        let row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: u64::from(row) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row),
                    rows_per_image: None,
                },
            },
            self.texture.size(),
        );
        gpu.queue.submit([encoder.finish()]);
        map(gpu, &buffer).await?;
        let mapped = buffer
            .get_mapped_range(..)
            .map_err(|error| GpuError::ReadBack(error.to_string()))?;
        let mut pixels = Vec::with_capacity((width * height * 4) as usize);
        for line in mapped.chunks_exact(row as usize) {
            pixels.extend_from_slice(&line[..width as usize * 4]);
        }
        if self.texture.format() == wgpu::TextureFormat::Bgra8Unorm {
            pixels
                .chunks_exact_mut(4)
                .for_each(|pixel| pixel.swap(0, 2));
        }
        Ok(pixels)
    }
}

/// Something to draw into.
pub fn create_target(
    device: &wgpu::Device,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    samples: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("target"),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Waits until the buffer can be read, without blocking where the browser does the waiting.
async fn map(gpu: &Gpu, buffer: &wgpu::Buffer) -> Result<(), GpuError> {
    type Shared = Arc<Mutex<(Option<Result<(), wgpu::BufferAsyncError>>, Option<Waker>)>>;
    let shared: Shared = Shared::default();
    let done = Arc::clone(&shared);
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        if let Ok(mut state) = done.lock() {
            state.0 = Some(result);
            if let Some(waker) = state.1.take() {
                waker.wake();
            }
        }
    });
    match gpu.device.poll(wgpu::PollType::wait_indefinitely()) {
        // WebGL cannot wait; the frames that follow bring the answer.
        Ok(_) | Err(wgpu::PollError::Timeout) => {}
        Err(error) => return Err(GpuError::ReadBack(error.to_string())),
    }
    let mapped = std::future::poll_fn(|context| {
        let Ok(mut state) = shared.lock() else {
            return Poll::Ready(None);
        };
        if let Some(result) = state.0.take() {
            return Poll::Ready(Some(result));
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    });
    match mapped.await {
        Some(Ok(())) => Ok(()),
        Some(Err(error)) => Err(GpuError::ReadBack(error.to_string())),
        None => Err(GpuError::ReadBack(
            "the driver's answer was lost".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::PresentMode::{Fifo, FifoRelaxed, Immediate, Mailbox};

    #[test]
    fn pictures_wait_for_the_display_only_if_wanted_or_unavoidable() {
        let all = [Fifo, FifoRelaxed, Immediate, Mailbox];
        assert_eq!(present_mode(&all, true), FifoRelaxed);
        assert_eq!(present_mode(&all, false), Immediate);
        assert_eq!(present_mode(&[Fifo, Mailbox], true), Fifo);
        assert_eq!(present_mode(&[Fifo, Mailbox], false), Mailbox);
        assert_eq!(present_mode(&[Fifo], false), Fifo);
    }
}
