//! A frame's data on its way to the GPU: everything in one buffer by one copy, where the device allows it.
//!
//! Every copy of its own makes software adapters wait until the frame before is drawn.

use super::uniforms::OBJECTS_SIZE;

/// Room behind the last byte: as much as is bound at once, wherever it begins.
const RESERVE: u64 = OBJECTS_SIZE as u64;

/// What a frame sends; uniforms lie at multiples of their strides.
#[derive(Clone, Copy)]
pub struct FrameBytes<'a> {
    pub objects: &'a [u8],
    pub stages: &'a [u8],
    pub vertices: &'a [u8],
    pub indices: &'a [u8],
}

/// The buffers of a frame; they grow as needed and never shrink.
pub struct FrameBuffers {
    main: wgpu::Buffer,
    /// WebGL2 wants indices in a buffer of their own.
    own_indices: Option<wgpu::Buffer>,
    /// Where stages, vertices and indices begin.
    stages_at: u64,
    vertices_at: u64,
    indices_at: u64,
}

impl FrameBuffers {
    pub fn new(device: &wgpu::Device, can_mix: bool) -> Self {
        let size = 1 << 19;
        Self {
            main: create(device, main_usage(can_mix), size),
            own_indices: (!can_mix).then(|| create(device, wgpu::BufferUsages::INDEX, size)),
            stages_at: 0,
            vertices_at: 0,
            indices_at: 0,
        }
    }

    /// Holds objects from the start and stages from [`Self::stages_at`] on.
    pub fn uniforms(&self) -> &wgpu::Buffer {
        &self.main
    }

    /// What to add to the offset of a stage.
    pub fn stages_at(&self) -> u32 {
        self.stages_at as u32
    }

    pub fn vertices(&self) -> wgpu::BufferSlice<'_> {
        self.main.slice(self.vertices_at..)
    }

    pub fn indices(&self) -> wgpu::BufferSlice<'_> {
        match &self.own_indices {
            Some(buffer) => buffer.slice(..),
            None => self.main.slice(self.indices_at..),
        }
    }

    /// Sends a frame; true if the uniforms moved to another buffer.
    pub fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        frame: FrameBytes<'_>,
    ) -> bool {
        self.stages_at = frame.objects.len() as u64;
        self.vertices_at = self.stages_at + frame.stages.len() as u64;
        self.indices_at = self.vertices_at + frame.vertices.len() as u64;
        let parts = [frame.objects, frame.stages, frame.vertices, frame.indices];
        let can_mix = self.own_indices.is_none();
        if let Some(buffer) = &mut self.own_indices {
            if frame.indices.len() as u64 > buffer.size() {
                let size = frame.indices.len() as u64;
                *buffer = create(device, wgpu::BufferUsages::INDEX, size);
            }
            write(queue, buffer, &parts[3..]);
        }
        let parts = if can_mix { &parts[..] } else { &parts[..3] };
        let size = parts.iter().map(|part| part.len() as u64).sum::<u64>() + RESERVE;
        let grows = size > self.main.size();
        if grows {
            self.main = create(device, main_usage(can_mix), size);
        }
        write(queue, &self.main, parts);
        grows
    }
}

fn main_usage(can_mix: bool) -> wgpu::BufferUsages {
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::VERTEX;
    if can_mix {
        usage | wgpu::BufferUsages::INDEX
    } else {
        usage
    }
}

/// Writes parts one behind the other from the start.
fn write(queue: &wgpu::Queue, buffer: &wgpu::Buffer, parts: &[&[u8]]) {
    let size = parts.iter().map(|part| part.len() as u64).sum();
    let Some(size) = wgpu::BufferSize::new(size) else {
        return;
    };
    let Some(mut view) = queue.write_buffer_with(buffer, 0, size) else {
        // The device is lost; so is the frame.
        return;
    };
    let mut at = 0;
    for part in parts {
        view.slice(at..at + part.len()).copy_from_slice(part);
        at += part.len();
    }
}

fn create(device: &wgpu::Device, usage: wgpu::BufferUsages, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("frame"),
        size: size.next_power_of_two(),
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
