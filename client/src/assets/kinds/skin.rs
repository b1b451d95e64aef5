//! Skins: which material each surface of a model gets.

use super::{FileUse, MAX_TEXT_BYTES, Prepared, Task};
use crate::{
    assets::{Assets, material::Lightmap, model::Skin, vfs::Packed},
    jobs::JobHandle,
    scene::SkinId,
};
use shared::formats::skin;

/// A skin and the order of its materials.
#[derive(Clone, Copy, Debug)]
pub(in crate::assets) struct SkinFile(pub SkinId, pub u64);

impl Task for SkinFile {
    fn open(&self, assets: &mut Assets) {
        let Self(id, order) = *self;
        let name = assets.skins.name(id.0).to_owned();
        if !name.ends_with(".skin") {
            let shader = assets.register_material(&name, Lightmap::None, true, order);
            let skin = Skin {
                name,
                surfaces: vec![(String::new(), shader)],
            };
            return assets.skins.set(id.0, Some(skin));
        }
        if !assets.open(&name, MAX_TEXT_BYTES, *self) {
            assets.skins.set(id.0, None);
        }
    }
}

impl FileUse for SkinFile {
    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self(id, order) = *self;
        assets.prepare_file(file, Ok, move |assets, bytes| {
            assets.finish_skin(id, order, bytes);
        })
    }
}

impl Assets {
    fn finish_skin(&mut self, id: SkinId, order: u64, result: Result<Vec<u8>, String>) {
        let name = self.skins.name(id.0).to_owned();
        let bytes = self.ok_or_tell("", result);
        let entries = bytes.map_or_else(Vec::new, |bytes| skin::parse(&bytes));
        let mut surfaces = Vec::with_capacity(entries.len());
        for (index, (surface, shader)) in entries.into_iter().enumerate() {
            let shader =
                self.register_material(&shader, Lightmap::None, true, order + index as u64);
            surfaces.push((surface, shader));
        }
        let skin = (!surfaces.is_empty()).then_some(Skin { name, surfaces });
        self.skins.set(id.0, skin);
    }
}
