//! The next map: its images are loaded while the one before is still played, so that it begins with them.

use super::{
    Assets,
    kinds::{FileUse, Prepared, Task, Weigh},
    loader::Priority,
    material::Lightmap,
    shaders::Entry,
    vfs::Packed,
};
use crate::jobs::JobHandle;
use shared::formats::bsp;
use std::collections::VecDeque;

/// So many materials are looked up at a time, and no others before their images are here.
const AT_ONCE: usize = 8;

/// How far the next map has come.
#[derive(Clone, Debug, Default)]
pub(super) struct NextMap {
    map: String,
    /// Materials whose images were not asked for yet.
    materials: VecDeque<String>,
}

#[derive(Clone, Copy, Debug)]
struct NextMapTask;

#[derive(Clone, Debug)]
struct NextMapFile(String);

impl Assets {
    /// Goes on loading what the map with this name will show, while nothing else is on its way; to be called again and again.
    pub fn load_next_map(&mut self, map: &str) {
        if !self.is_idle() {
            return;
        }
        if self.next_map.map != map {
            self.next_map = NextMap {
                map: map.to_owned(),
                materials: VecDeque::new(),
            };
            self.loader.add(NextMapTask);
            return;
        }
        let count = self.next_map.materials.len().min(AT_ONCE);
        let names: Vec<_> = self.next_map.materials.drain(..count).collect();
        for name in names {
            // Only its images are kept; what is wrong with it is said when it is registered.
            let entry = Entry::new(&name, Lightmap::Number(0), true, 0);
            let _ = self.make_material(&entry, Priority::InTurn);
        }
    }
}

impl Task for NextMapTask {
    fn open(&self, assets: &mut Assets) {
        let map = assets.next_map.map.clone();
        let max_bytes = assets.budgets.limits().world;
        assets.open(&format!("maps/{map}.bsp"), max_bytes, NextMapFile(map));
    }
}

impl FileUse for NextMapFile {
    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self(map) = self.clone();
        let names = |bytes: Vec<u8>| bsp::material_names(&bytes).map_err(|error| error.to_string());
        assets.prepare_file(file, names, move |assets, names| {
            // What is wrong with the map is said when it is played.
            if assets.next_map.map == map {
                assets.next_map.materials = names.unwrap_or_default().into();
            }
        })
    }
}

impl Weigh for Vec<String> {}
