//! Models: MD3 files with up to three levels of detail, and parts of the map.

use super::{FileUse, Prepared, Task, Weigh};
use crate::{
    assets::{
        Assets,
        budget::Kind,
        material::Lightmap,
        model::{Lod, MeshModel, Model},
        vfs::Packed,
    },
    jobs::JobHandle,
    scene::ModelId,
};
use shared::formats::md3::{self, Md3};

/// Models of players have some megabytes.
const MAX_BYTES: u64 = 64 << 20;
/// Levels of detail of a model, coarsest first as they are registered.
const LOD_SUFFIXES: [&str; 3] = ["_2", "_1", ""];

/// A model and the order of its materials.
#[derive(Clone, Copy, Debug)]
pub(in crate::assets) struct ModelTask(pub ModelId, pub u64);

#[derive(Clone, Copy, Debug)]
struct ModelFile {
    id: ModelId,
    lod: usize,
}

#[derive(Clone, Debug)]
pub(in crate::assets) struct ModelWork {
    order: u64,
    waiting: usize,
    /// By index in `LOD_SUFFIXES`.
    meshes: [Option<Md3>; 3],
}

impl Task for ModelTask {
    fn open(&self, assets: &mut Assets) {
        let Self(id, order) = *self;
        let name = assets.models.name(id.0).to_owned();
        if let Some(number) = name.strip_prefix('*') {
            let model = number.parse().ok().map(Model::Brush);
            return assets.models.set(id.0, model);
        }
        let stem = &name[..name.find('.').unwrap_or(name.len())];
        let mut waiting = 0;
        for (lod, suffix) in LOD_SUFFIXES.iter().enumerate() {
            let path = format!("{stem}{suffix}.md3");
            waiting += usize::from(assets.open(&path, MAX_BYTES, ModelFile { id, lod }));
        }
        if waiting == 0 {
            assets.tell(format!("The model {name} is in none of the paks"));
            return assets.models.set(id.0, None);
        }
        let work = ModelWork {
            order,
            waiting,
            meshes: [None, None, None],
        };
        assets.loader.models.insert(id, work);
    }
}

impl FileUse for ModelFile {
    fn cost(&self, _: &mut Assets, file: &Packed) -> Result<u64, String> {
        Ok(file.size() + md3::max_bytes(file.size()))
    }

    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self { id, lod } = *self;
        let parse = |bytes: Vec<u8>| Md3::parse(&bytes).map_err(|error| error.to_string());
        assets.prepare_file(file, parse, move |assets, mesh| {
            assets.finish_model(id, lod, mesh);
        })
    }
}

impl Weigh for Md3 {
    fn weight(&self) -> usize {
        self.bytes()
    }
}

impl Assets {
    fn finish_model(&mut self, id: ModelId, lod: usize, result: Result<Md3, String>) {
        let name = self.models.name(id.0).to_owned();
        let mesh = self.ok_or_tell(&name, result);
        let Some(work) = self.loader.models.get_mut(&id) else {
            return;
        };
        let bytes = mesh.as_ref().map_or(0, Md3::bytes) as u64;
        let fits = self.budgets.spend(Kind::Models, bytes);
        work.meshes[lod] = mesh.filter(|_| fits);
        work.waiting -= 1;
        let is_waiting = work.waiting > 0;
        if !fits {
            self.leave_out(Kind::Models, &name);
        }
        if is_waiting {
            return;
        }
        let Some(work) = self.loader.models.remove(&id) else {
            return;
        };
        let mut order = work.order;
        let mut lods = Vec::new();
        for mesh in work.meshes.into_iter().flatten() {
            let shaders = mesh.surfaces.iter().map(|surface| {
                let register = |shader: &String| {
                    order += 1;
                    self.register_material(shader, Lightmap::None, true, order)
                };
                surface.shaders.iter().map(register).collect()
            });
            let shaders = shaders.collect();
            lods.push(Lod { mesh, shaders });
        }
        lods.reverse();
        let model = (!lods.is_empty()).then_some(Model::Mesh(MeshModel { name, lods }));
        self.models.set(id.0, model);
    }
}
