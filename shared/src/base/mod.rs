//! Ground floor: things that know nothing of Quake.

#[macro_use]
mod numbers;

pub mod adaptive;
pub mod bits;
pub mod error;
pub mod fast_math;
pub mod hex;
pub mod huffman;
pub mod info;
pub mod log_entries;
pub mod math;
pub mod ring;
pub mod rng;
pub mod sort;
pub mod text;
pub mod time;
pub mod tokens;
