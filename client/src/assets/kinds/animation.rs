//! Animations: a player model's `animation.cfg`.

use super::{FileUse, MAX_TEXT_BYTES, Prepared, Task, Weigh};
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
        let name = assets.animations.name(id.0).to_owned();
        if !assets.open(&name, MAX_TEXT_BYTES, *self) {
            assets.animations.set(id.0, None);
        }
    }
}

impl FileUse for AnimationFile {
    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self(id) = *self;
        let parse =
            |bytes: Vec<u8>| AnimationConfig::parse(&bytes).map_err(|error| error.to_string());
        assets.prepare_file(file, parse, move |assets, parsed| {
            let name = assets.animations.name(id.0).to_owned();
            let parsed = assets.ok_or_tell(&name, parsed);
            assets.animations.set(id.0, parsed);
        })
    }
}

impl Weigh for AnimationConfig {}
