//! Pixels on their way to textures.
//!
//! A queue's own way takes new memory for every copy. Software adapters fill that with zeros, and the new pages cost
//! them more than the copy; so for them there is one belt of memory that is used again and again.

use wgpu::util::StagingBelt;

/// The belt's memory; larger pictures get some of their own.
const CHUNK_BYTES: u64 = 8 << 20;
/// So much is collected before it is copied.
const MAX_UNSENT: u64 = CHUNK_BYTES / 2;

/// Copies pixels into textures; without a belt by the queue.
pub struct Staging {
    device: wgpu::Device,
    queue: wgpu::Queue,
    belt: Option<Belt>,
}

struct Belt {
    memory: StagingBelt,
    encoder: wgpu::CommandEncoder,
    unsent: u64,
}

impl Staging {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, is_software: bool) -> Self {
        let belt = || Belt {
            memory: StagingBelt::new(device.clone(), CHUNK_BYTES),
            encoder: device.create_command_encoder(&Default::default()),
            unsent: 0,
        };
        Self {
            belt: is_software.then(belt),
            device: device.clone(),
            queue: queue.clone(),
        }
    }

    /// Copies one layer's RGBA pixels of this size; they have arrived after the next [`Self::send`].
    pub fn write(
        &mut self,
        target: wgpu::TexelCopyTextureInfo<'_>,
        size: wgpu::Extent3d,
        pixels: &[u8],
    ) {
        let Some(belt) = &mut self.belt else {
            let layout = layout(0, size.width * 4, size.height);
            return self.queue.write_texture(target, pixels, layout, size);
        };
        belt.write(target, size, pixels);
        if belt.unsent >= MAX_UNSENT {
            self.send();
        }
    }

    /// Goes before the commands that draw what was written.
    pub fn send(&mut self) {
        let Some(belt) = self.belt.as_mut().filter(|belt| belt.unsent > 0) else {
            return;
        };
        belt.unsent = 0;
        let next = self.device.create_command_encoder(&Default::default());
        let encoder = std::mem::replace(&mut belt.encoder, next);
        belt.memory.finish_and_recall_on_submit(&encoder);
        self.queue.submit([encoder.finish()]);
        // Such adapters copy at once, so the memory is free again. A lost device shows itself when the frame is drawn.
        let _ = self.device.poll(wgpu::PollType::Poll);
    }
}

impl Belt {
    fn write(
        &mut self,
        target: wgpu::TexelCopyTextureInfo<'_>,
        size: wgpu::Extent3d,
        pixels: &[u8],
    ) {
        const ALIGNMENT: wgpu::BufferSize =
            wgpu::BufferSize::new(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as u64).unwrap();
        let row = size.width * 4;
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let total = u64::from(padded) * u64::from(size.height);
        let Some(wanted) = wgpu::BufferSize::new(total) else {
            return;
        };
        let room = self.memory.allocate(wanted, ALIGNMENT);
        let Ok(mut bytes) = room.get_mapped_range_mut() else {
            // The device is lost, and the texture with it.
            return;
        };
        if padded == row {
            bytes.slice(..).copy_from_slice(pixels);
        } else {
            for (index, pixels) in pixels.chunks_exact(row as usize).enumerate() {
                let at = index * padded as usize;
                bytes.slice(at..at + pixels.len()).copy_from_slice(pixels);
            }
        }
        drop(bytes);
        let source = wgpu::TexelCopyBufferInfo {
            buffer: room.buffer(),
            layout: layout(room.offset(), padded, size.height),
        };
        self.encoder.copy_buffer_to_texture(source, target, size);
        self.unsent += total;
    }
}

/// Where pixels of four bytes lie in a buffer, row behind row.
pub fn layout(offset: u64, bytes_per_row: u32, rows: u32) -> wgpu::TexelCopyBufferLayout {
    wgpu::TexelCopyBufferLayout {
        offset,
        bytes_per_row: Some(bytes_per_row),
        rows_per_image: Some(rows),
    }
}
