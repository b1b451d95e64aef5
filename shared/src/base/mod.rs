//! Ground floor: things that know nothing of Quake.

pub mod time;
