//! What the loader asks of a kind of asset: which files it needs, what they cost, how they are decoded, what becomes of
//! them. Each kind answers in its own file.

mod animation;
mod image;
mod model;
mod raw;
mod script;
mod skin;
mod sound;
mod world;

pub(super) use animation::AnimationFile;
pub(super) use image::ImageWork;
pub(super) use model::{ModelTask, ModelWork};
pub(super) use raw::RawFile;
pub(super) use script::Scripts;
pub(super) use skin::SkinFile;
pub(super) use sound::SoundTask;
pub(super) use world::WorldTask;

use super::{Assets, vfs::Packed};
use crate::jobs::JobHandle;
use std::fmt::Debug;

/// An asset that is to be opened when names can be looked up.
pub(super) trait Task: Debug + Send {
    /// Opens the files that it needs, or settles that there are none.
    fn open(&self, assets: &mut Assets);
}

/// What an opened file is for.
pub(super) trait FileUse: Debug + Send + Sync {
    /// How many bytes there are at once while the file is unpacked and decoded; an error if that is more than there is for
    /// its kind.
    fn cost(&self, _: &mut Assets, file: &Packed) -> Result<u64, String> {
        Ok(file.size())
    }

    /// Has the file unpacked and decoded.
    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared>;
}

/// Skins and animations have some kilobytes.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// A file that was unpacked and decoded.
pub(super) struct Prepared {
    /// How much work that was, in bytes that were made.
    pub bytes: usize,
    pub take_in: Box<dyn FnOnce(&mut Assets) + Send>,
}

impl Assets {
    /// Has a file unpacked and decoded; what comes of it is kept until it is taken in.
    pub(super) fn prepare_file<T: Weigh + Send + 'static>(
        &self,
        file: Result<Packed, String>,
        decode: impl FnOnce(Vec<u8>) -> Result<T, String> + Send + 'static,
        take_in: impl FnOnce(&mut Self, Result<T, String>) + Send + 'static,
    ) -> JobHandle<Prepared> {
        self.jobs.submit(move || {
            let unpacked = file.and_then(|packed| packed.unpack());
            let bytes = 1000 + unpacked.as_ref().map_or(0, Vec::len);
            let result = unpacked.and_then(decode);
            Prepared {
                bytes: bytes + result.as_ref().map_or(0, T::weight),
                take_in: Box::new(|assets| take_in(assets, result)),
            }
        })
    }
}

/// How many bytes were made of a file beyond its own.
pub(super) trait Weigh {
    fn weight(&self) -> usize {
        0
    }
}

impl Weigh for Vec<u8> {}
