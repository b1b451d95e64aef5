//! The map: its file, and the materials of its surfaces and fogs.

use super::{FileUse, Prepared, Task, Weigh};
use crate::{
    assets::{AssetState, Assets, material::Lightmap, vfs::Packed},
    jobs::JobHandle,
};
use shared::formats::{
    bsp::{Bsp, SurfaceKind},
    mapents,
};
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub(in crate::assets) struct WorldTask;

/// The order tells which map was asked for.
#[derive(Clone, Copy, Debug)]
struct WorldFile(u64);

impl Task for WorldTask {
    fn open(&self, assets: &mut Assets) {
        let Some(world) = &assets.world else { return };
        let path = format!("maps/{}.bsp", world.name);
        let order = world.order;
        let max_bytes = assets.budgets.limits().world;
        if !assets.open(&path, max_bytes, WorldFile(order)) {
            assets.fail_world(format!("{path} is in none of the paks"));
        }
    }
}

impl FileUse for WorldFile {
    /// Its arrays take about as much as the file, names and materials more.
    fn cost(&self, _: &mut Assets, file: &Packed) -> Result<u64, String> {
        Ok(file.size() * 4)
    }

    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self(order) = *self;
        let parse = |bytes: Vec<u8>| Bsp::parse(&bytes).map_err(|error| error.to_string());
        assets.prepare_file(file, parse, move |assets, bsp| {
            assets.finish_world(order, bsp);
        })
    }
}

impl Weigh for Bsp {}

impl Assets {
    fn fail_world(&mut self, problem: String) {
        if let Some(world) = &mut self.world {
            world.state = AssetState::Missing;
        }
        self.tell(format!("The map cannot be shown: {problem}"));
    }

    fn finish_world(&mut self, order: u64, result: Result<Bsp, String>) {
        // Another map may have been asked for in the meantime.
        if self.world.as_ref().is_none_or(|world| world.order != order) {
            return;
        }
        let bsp = match result {
            Ok(bsp) => bsp,
            Err(problem) => return self.fail_world(problem),
        };
        let lightmap_count = bsp.lightmap_images().len();
        let mut next = order;
        let mut register = |assets: &mut Self, name: &str, lightmap| {
            next += 1;
            assets.register_material(name, lightmap, true, next)
        };
        let fogs = bsp
            .fogs
            .iter()
            .map(|fog| register(self, &fog.shader, Lightmap::None));
        let fog_shaders = fogs.collect();
        let surfaces = bsp.surfaces.iter().map(|surface| {
            let lightmap = match surface.kind {
                SurfaceKind::Planar | SurfaceKind::Patch { .. } => {
                    Lightmap::from_map(surface.lightmap, lightmap_count)
                }
                SurfaceKind::TriangleSoup | SurfaceKind::Flare => Lightmap::Vertex,
            };
            let name = bsp
                .shaders
                .get(surface.shader as usize)
                .map_or("", |shader| &shader.name);
            register(self, name, lightmap)
        });
        let surface_shaders = surfaces.collect();
        let remaps = remaps_of(&bsp);
        if let Some(world) = &mut self.world {
            world.fog_shaders = fog_shaders;
            world.surface_shaders = surface_shaders;
            world.bsp = Some(Arc::new(bsp));
            world.state = AssetState::Ready;
        }
        for (old, new) in remaps {
            self.remap_shader(&old, &new, 0.0);
        }
    }
}

/// `remapshader…` keys of the first entity: `old;new`.
fn remaps_of(bsp: &Bsp) -> Vec<(String, String)> {
    let entities = mapents::parse(&bsp.entities).unwrap_or_default();
    let worldspawn = entities.first().into_iter();
    worldspawn
        .flat_map(|worldspawn| &worldspawn.pairs)
        .filter(|(key, _)| key.to_ascii_lowercase().starts_with("remapshader"))
        .filter_map(|(_, value)| value.split_once(';'))
        .map(|(old, new)| (old.to_owned(), new.to_owned()))
        .collect()
}
