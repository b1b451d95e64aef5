//! Files that are handed out as they are: configs, lists, demos, music.

use super::{FileUse, Prepared, Task};
use crate::{
    assets::{Assets, RawId, budget::Kind, vfs::Packed},
    jobs::JobHandle,
};

/// Music has some megabytes.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Clone, Copy, Debug)]
pub(in crate::assets) struct RawFile(pub RawId);

impl Task for RawFile {
    fn open(&self, assets: &mut Assets) {
        let Self(id) = *self;
        let name = assets.raws.name(id.0).to_owned();
        let max_bytes = if name.contains(".dm_") {
            assets.budgets.limits().files
        } else {
            MAX_BYTES
        };
        // Modules read files byte by byte; music is decoded by what it is.
        let is_open = match name.starts_with("music/") {
            true => assets.open(&name, max_bytes, *self),
            false => assets.open_exact(&name, max_bytes, *self),
        };
        if !is_open {
            assets.raws.set(id.0, None);
        }
    }
}

impl FileUse for RawFile {
    fn cost(&self, assets: &mut Assets, file: &Packed) -> Result<u64, String> {
        if !assets.budgets.spend(Kind::Files, file.size()) {
            let name = assets.raws.name(self.0.0).to_owned();
            assets.leave_out(Kind::Files, &name);
            return Err(String::new());
        }
        Ok(file.size())
    }

    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self(id) = *self;
        assets.prepare_file(file, Ok, move |assets, bytes| {
            let bytes = assets.ok_or_tell("", bytes);
            assets.raws.set(id.0, bytes);
        })
    }
}
