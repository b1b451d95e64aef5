//! Fuzz targets: everything that reads bytes from outside, as plain functions in tables, and the limits that hold for all.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod hostile;
pub mod limits;
pub mod memory_files;
pub mod mutate;
pub mod room;

pub mod targets;

use std::sync::OnceLock;

/// One function that may be called with any bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub name: &'static str,
    /// Longer inputs are not made.
    pub max_len: usize,
    /// What an input may take per byte, in microseconds of processor time, beside what every input may take.
    pub usec_per_byte: u32,
    pub run: fn(&[u8]),
}

impl Target {
    const fn new(name: &'static str, max_len: usize, usec_per_byte: u32, run: fn(&[u8])) -> Self {
        Self {
            name,
            max_len,
            usec_per_byte,
            run,
        }
    }
}

/// Names the target that a program of libFuzzer runs.
pub const TARGET: &str = "FUZZ_TARGET";

/// Runs the target that the environment names on one input, within its limits; prints the targets where it names none.
///
/// # Panics
/// The target does, breaks a limit, or is not in this program.
pub fn run_chosen(targets: &[Target], bytes: &[u8]) {
    static CHOSEN: OnceLock<Option<Target>> = OnceLock::new();
    let target = CHOSEN.get_or_init(|| {
        let Ok(name) = std::env::var(TARGET) else {
            for target in targets {
                println!("{} {}", target.name, target.max_len);
            }
            return None;
        };
        let found = targets.iter().find(|target| target.name == name);
        Some(*found.expect("FUZZ_TARGET names a target of this program"))
    });
    if let Some(target) = target {
        limits::run(target, bytes, 1);
    }
}
