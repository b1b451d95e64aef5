//! Files of the game as typed values: maps, models, archives, scripts, images and sounds.

pub mod animcfg;
pub mod bsp;
pub mod columns;
pub mod lexer;
pub mod light;
pub mod mapents;
pub mod md3;
pub mod pcx;
pub mod pk3;
pub mod reader;
pub mod shader_script;
pub mod skin;
pub mod tga;
pub mod wav;
pub mod wave;

/// The extensions that are tried for a picture, best first.
pub const PICTURE_EXTENSIONS: [&str; 6] = ["tga", "jpg", "jpeg", "png", "pcx", "bmp"];
