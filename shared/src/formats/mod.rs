//! Files of the game as typed values: maps, models, archives, scripts, images and sounds.

pub mod bsp;
pub mod mapents;
pub mod md3;
pub mod reader;
pub mod shader_script;
pub mod wave;
