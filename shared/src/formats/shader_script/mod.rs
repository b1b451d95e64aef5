//! Quake "shaders": material scripts with stages.

pub mod terms;
