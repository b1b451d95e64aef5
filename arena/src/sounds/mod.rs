//! All sounds, each reckoned from a recipe, and the table of their names.

mod feedback;
mod player;
mod synth;
mod weapons;
mod world;

use crate::PakFile;
use synth::Wave;

/// A sound's name under `sound/`, its recipe, and how loud it is.
type Recipe = (&'static str, fn() -> Wave, f32);

/// All sounds as WAV files.
pub(crate) fn files() -> Vec<PakFile> {
    let mut files: Vec<PakFile> = [
        weapons::RECIPES.as_slice(),
        world::RECIPES.as_slice(),
        feedback::RECIPES.as_slice(),
    ]
    .concat()
    .into_iter()
    .map(|(name, make, volume)| file(name, &make(), volume))
    .collect();
    files.extend(feedback::motifs());
    files.extend(player::files());
    files
}

fn file(name: &str, wave: &Wave, volume: f32) -> PakFile {
    PakFile::new(format!("sound/{name}.wav"), wave.file(volume))
}
