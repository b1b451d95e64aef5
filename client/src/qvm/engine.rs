//! Engine: what compiles and runs modules on a platform; the host knows nothing else of it.

use super::host::Host;
use vm::{Machine, Trap};
use wgpu::{WasmNotSend, WasmNotSendSync};

/// Compiles modules.
pub trait Engine: WasmNotSendSync {
    /// Reads, checks and compiles a .qvm file. That takes up to a second, so it is a job.
    ///
    /// # Errors
    /// Says what is wrong with the file.
    fn compile(&self, file: &[u8]) -> Result<Box<dyn Program>, String>;
}

/// A compiled module.
pub trait Program: WasmNotSend {
    /// Whether it can be started: a browser goes on compiling it beside the frames.
    ///
    /// # Errors
    /// Says why it cannot be compiled.
    fn is_ready(&self) -> Result<bool, String>;

    /// Starts it with fresh memory; each outermost call may cost `budget`.
    ///
    /// # Errors
    /// If memory is short.
    fn start(&self, host: Host, budget: i32) -> Result<Box<dyn Machine<Host>>, Trap>;
}
