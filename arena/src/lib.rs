//! Makes the files of Strafe's own arena: the same bytes on every machine.
//!
//! Nothing here reads a file or a clock, and sine, cosine and powers come from `libm`, so that
//! the pak that one machine makes is the pak that all make.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod canvas;
mod effects;
mod hud;
mod image_file;
mod lists;
mod map;
mod materials;
mod mesh;
mod models;
mod noise;
mod player;
mod raster;
mod shaders;
mod sounds;
mod strokes;
#[cfg(test)]
mod tests;
mod textures;

pub use shared::formats::pk3::{PakFile, pack};

/// The whole pak. It lies in the tree as `strafe.pk3`, so that programs carry it without making it.
pub fn pak() -> Vec<u8> {
    let mut files = assets();
    files.extend(maps());
    pack(files)
}

/// The maps, and what menus show of them.
pub fn maps() -> Vec<PakFile> {
    let mut files = map::files();
    files.extend(lists::files());
    files
}

/// Everything that a game needs besides maps: textures, models, pictures, sounds and the scripts that use them.
pub fn assets() -> Vec<PakFile> {
    let mut files = textures::files();
    files.extend(effects::files());
    files.extend(models::files());
    files.extend(player::files());
    files.extend(hud::files());
    files.extend(sounds::files());
    files.extend(shaders::files(&files));
    files
}
