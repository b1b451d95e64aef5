//! Animations: a player model's `animation.cfg`.

use super::{FileUse, MAX_TEXT_BYTES, Prepared, Task};
use crate::{
    assets::{AnimationId, Assets, vfs::Packed},
    jobs::JobHandle,
};
use shared::formats::animcfg::AnimationConfig;

#[derive(Clone, Copy, Debug)]
pub(in crate::assets) struct AnimationFile(pub AnimationId);

impl Task for AnimationFile {
    fn open(&self, assets: &mut Assets) {
        let Self(id) = *self;
        let name = assets.animations.key(id.0).cloned().unwrap_or_default();
        if !assets.open(&name, MAX_TEXT_BYTES, *self) {
            assets.animations.set(id.0, None);
        }
    }
}

impl FileUse for AnimationFile {
    fn cost(&self, _: &mut Assets, file: &Packed) -> Result<u64, String> {
        Ok(file.size())
    }

    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self(id) = *self;
        assets.jobs.submit(move || {
            Prepared::new(file, Ok, move |assets, bytes| {
                assets.finish_animation(id, bytes);
            })
        })
    }
}

impl Assets {
    fn finish_animation(&mut self, id: AnimationId, result: Result<Vec<u8>, String>) {
        let name = self.animations.key(id.0).cloned().unwrap_or_default();
        let parsed = result
            .and_then(|bytes| AnimationConfig::parse(&bytes).map_err(|error| error.to_string()));
        let parsed = parsed
            .map_err(|problem| self.tell_problem(&name, problem))
            .ok();
        self.animations.set(id.0, parsed);
    }
}
