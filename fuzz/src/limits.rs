//! The limits of one execution: a panic, too much memory or too much processor time is a finding.

use crate::Target;
use cap::Cap;
use rustix::time::{ClockId, clock_gettime};
use std::{
    alloc::System,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Counts what is allocated, and refuses what is beyond the limit, which ends the program with a message.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What one input may hold at once.
pub const MAX_MEMORY: usize = 512 << 20;
/// No input may take longer.
pub const MAX_TIME: Duration = Duration::from_secs(1);
/// What every input may take, however short.
const BASE_TIME: Duration = Duration::from_millis(50);

/// Runs a target on one input; `slack` is by how much the build is slower than an optimised one.
///
/// # Panics
/// The target does, or takes too long.
pub fn run(target: &Target, bytes: &[u8], slack: u32) {
    let began = Instant::now();
    within_memory(target, bytes);
    let allowed = allowed(target, bytes.len()) * slack;
    if began.elapsed() <= allowed {
        return;
    }
    // Other programs may have had the processor, so an input is judged by its own time, and the best of some.
    let took = (0..3).map(|_| {
        let before = processor_time();
        within_memory(target, bytes);
        processor_time().saturating_sub(before)
    });
    let took = took.min().unwrap_or_default();
    assert!(
        took <= allowed,
        "{}: {} bytes took {took:?}, and {allowed:?} are allowed",
        target.name,
        bytes.len()
    );
}

fn allowed(target: &Target, length: usize) -> Duration {
    let for_bytes = Duration::from_micros(u64::from(target.usec_per_byte) * length as u64);
    (BASE_TIME + for_bytes).min(MAX_TIME)
}

fn within_memory(target: &Target, bytes: &[u8]) {
    // Tests of one process run beside each other, and the limit is one for all.
    static RUNNING: Mutex<()> = Mutex::new(());
    let _running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = ALLOCATOR.allocated().saturating_add(MAX_MEMORY);
    // It can only fail if the limit is below what is allocated.
    let _ = ALLOCATOR.set_limit(limit);
    (target.run)(bytes);
    let _ = ALLOCATOR.set_limit(usize::MAX);
}

/// The processor time that this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
