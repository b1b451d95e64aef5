//! Files of the game as typed values: maps, models, archives, scripts, images and sounds.

pub mod reader;
