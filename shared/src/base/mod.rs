//! Ground floor: things that know nothing of Quake.

pub mod error;
pub mod ring;
pub mod time;
