//! GpuClock: how long the GPU works on each frame, by its own timestamps; nothing where it has none.

use super::gpu::Gpu;
use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

/// Frames that may be on their way at once; one more is simply not measured.
const SLOTS: usize = 4;
/// Two timestamps of eight bytes.
const BYTES: u64 = 16;
const PENDING: u8 = 0;
const READY: u8 = 1;
const FAILED: u8 = 2;

/// Measures frames from the beginning of their first pass to the end of their last.
pub struct GpuClock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    slots: [Slot; SLOTS],
    msec_per_tick: f64,
    /// The slot of the frame that is being encoded.
    open: Option<usize>,
}

struct Slot {
    buffer: wgpu::Buffer,
    /// Set while the frame is on its way.
    state: Option<Arc<AtomicU8>>,
}

impl GpuClock {
    /// A clock, if the device was opened with timestamps.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Option<Self> {
        if !device.features().contains(Gpu::TIMESTAMPS) {
            return None;
        }
        let buffer = |label, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: BYTES,
                usage,
                mapped_at_creation: false,
            })
        };
        let read = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        Some(Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("frame time"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(
                "frame time",
                wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            ),
            slots: std::array::from_fn(|_| Slot {
                buffer: buffer("frame time read back", read),
                state: None,
            }),
            msec_per_tick: f64::from(queue.get_timestamp_period()) / 1e6,
            open: None,
        })
    }

    /// Begins a frame.
    pub fn begin(&mut self) {
        self.open = self.slots.iter().position(|slot| slot.state.is_none());
    }

    /// What a pass must write; only a frame's first and last write anything.
    pub fn writes(
        &self,
        is_first: bool,
        is_last: bool,
    ) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        (self.open.is_some() && (is_first || is_last)).then_some(wgpu::RenderPassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: is_first.then_some(0),
            end_of_pass_write_index: is_last.then_some(1),
        })
    }

    /// Behind the last pass: fetches the timestamps.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(open) = self.open {
            encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(
                &self.resolved,
                0,
                &self.slots[open].buffer,
                0,
                Some(BYTES),
            );
        }
    }

    /// Behind the submission: asks for the result.
    pub fn submitted(&mut self) {
        let Some(open) = self.open.take() else { return };
        let slot = &mut self.slots[open];
        let state = Arc::new(AtomicU8::new(PENDING));
        slot.state = Some(Arc::clone(&state));
        slot.buffer
            .map_async(wgpu::MapMode::Read, .., move |result| {
                let outcome = if result.is_ok() { READY } else { FAILED };
                state.store(outcome, Ordering::Release);
            });
    }

    /// Milliseconds of frames that have become known.
    pub fn take(&mut self) -> Vec<f64> {
        let mut known = Vec::new();
        for slot in &mut self.slots {
            let state = slot
                .state
                .as_ref()
                .map_or(PENDING, |state| state.load(Ordering::Acquire));
            if state == PENDING {
                continue;
            }
            slot.state = None;
            if state != READY {
                continue;
            }
            if let Ok(mapped) = slot.buffer.get_mapped_range(..) {
                let ticks: [u64; 2] = bytemuck::pod_read_unaligned(&mapped[..BYTES as usize]);
                known.push(ticks[1].saturating_sub(ticks[0]) as f64 * self.msec_per_tick);
            }
            slot.buffer.unmap();
        }
        known
    }
}
