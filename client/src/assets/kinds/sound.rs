//! Sounds: WAVE and Ogg Vorbis.

use super::{FileUse, Prepared, Task, Weigh};
use crate::{
    assets::{
        AssetState, Assets,
        budget::Kind,
        decode,
        sound::{self, Sound},
        vfs::Packed,
    },
    jobs::JobHandle,
    scene::SoundId,
};

/// Sounds have some 100 kB.
const MAX_BYTES: u64 = 64 << 20;
/// A light sound tells its length in so many bytes of its head.
const HEAD: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(in crate::assets) struct SoundTask(pub SoundId);

#[derive(Clone, Debug)]
struct SoundFile {
    id: SoundId,
    path: String,
}

impl Task for SoundTask {
    fn open(&self, assets: &mut Assets) {
        let Self(id) = *self;
        if !assets.hears {
            assets.sounds.set(id.0, None);
            return;
        }
        let name = assets.sounds.name(id.0).to_owned();
        let stem = decode::strip_extension(&name).to_owned();
        let candidates = [name.clone(), format!("{stem}.wav"), format!("{stem}.ogg")];
        for path in candidates {
            let file = SoundFile {
                id,
                path: path.clone(),
            };
            if assets.open(&path, MAX_BYTES, file) {
                return;
            }
        }
        assets.tell(format!("The sound {name} is in none of the paks"));
        assets.sounds.set(id.0, None);
    }
}

impl FileUse for SoundFile {
    fn cost(&self, assets: &mut Assets, file: &Packed) -> Result<u64, String> {
        let size = file.size();
        if assets.budgets.left(Kind::Sounds) < size {
            assets.leave_out(Kind::Sounds, &self.path);
            return Err(String::new());
        }
        Ok(size + sound::max_bytes(&self.path, size, &file.head(HEAD)))
    }

    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self { id, path } = self.clone();
        let decoded = path.clone();
        let decode = move |bytes: Vec<u8>| sound::decode(&path, &bytes);
        assets.prepare_file(file, decode, move |assets, sound| {
            assets.finish_sound(id, &decoded, sound);
        })
    }
}

impl Weigh for Sound {
    fn weight(&self) -> usize {
        self.samples.len() * 2
    }
}

impl Assets {
    /// Loads sounds from now on, those that were left out as well, or leaves them out.
    pub fn set_hears(&mut self, hears: bool) {
        if hears && !self.hears {
            for id in 0..self.sounds.len() as u32 {
                if self.sounds.state(id) == AssetState::Missing {
                    self.loader.add(SoundTask(SoundId(id)));
                }
            }
        }
        self.hears = hears;
    }

    fn finish_sound(&mut self, id: SoundId, path: &str, result: Result<Sound, String>) {
        if matches!(&result, Err(problem) if problem == sound::TOO_LONG) {
            // Its decoding took its time all the same.
            let bytes = sound::max_bytes(path, 0, &[]).min(self.budgets.left(Kind::Sounds));
            self.budgets.count(Kind::Sounds, bytes);
        }
        let sound = self.ok_or_tell(path, result);
        let bytes = sound.as_ref().map_or(0, |sound| sound.samples.len() * 2);
        let fits = self.budgets.spend(Kind::Sounds, bytes as u64);
        if !fits {
            self.leave_out(Kind::Sounds, path);
        }
        self.sounds.set(id.0, sound.filter(|_| fits));
    }
}
