//! Arrived files: unpacked and decoded within what memory and time allow, then taken in.

use super::{
    AnimationId, AssetState, Assets, ImageId, RawId,
    budget::Kind,
    decode,
    image::{Image, ImageOptions, TextureLimits},
    loader::{Purpose, Scripts},
    material::Lightmap,
    model::{Lod, MeshModel, Model, Skin},
    sound::{self, Sound},
    vfs::Packed,
};
use crate::{
    jobs::JobHandle,
    scene::{ModelId, SkinId, SoundId},
};
use shared::formats::{
    animcfg::AnimationConfig,
    bsp::{Bsp, SurfaceKind},
    mapents,
    md3::{self, Md3},
    skin,
};
use std::sync::Arc;

/// Files are unpacked and decoded so many ahead of those that are taken in, so that helpers stay busy while a frame is
/// drawn.
const MAX_AHEAD: usize = 12;
/// They take at most so many bytes meanwhile; a file that takes more goes alone.
const MAX_AHEAD_BYTES: u64 = 384 << 20;
/// Most images are known by so many bytes of their head, nearly all others by these.
const HEADS: [usize; 2] = [4 << 10, 64 << 10];
/// A file that is to be unpacked and decoded.
#[derive(Debug)]
pub(super) struct Arrived {
    purpose: Purpose,
    file: Result<Packed, String>,
    /// How many bytes there are at once while that is done.
    cost: u64,
}

/// A file that is being unpacked and decoded.
#[derive(Debug)]
pub(super) struct Coming {
    purpose: Purpose,
    prepared: JobHandle<Prepared>,
    cost: u64,
}

/// A file that was unpacked and decoded.
struct Prepared {
    /// How much work that was, in bytes that were made.
    bytes: usize,
    take_in: Box<dyn FnOnce(&mut Assets) + Send>,
}

impl Prepared {
    /// Unpacks and decodes a file, and keeps what comes of it until it is taken in.
    fn new<T: Weigh + Send + 'static>(
        file: Result<Packed, String>,
        decode: impl FnOnce(Vec<u8>) -> Result<T, String>,
        take_in: impl FnOnce(&mut Assets, Result<T, String>) + Send + 'static,
    ) -> Self {
        let unpacked = file.and_then(|packed| packed.unpack());
        let bytes = 1000 + unpacked.as_ref().map_or(0, Vec::len);
        let result = unpacked.and_then(decode);
        Self {
            bytes: bytes + result.as_ref().map_or(0, T::weight),
            take_in: Box::new(|assets| take_in(assets, result)),
        }
    }
}

/// How many bytes were made of a file beyond its own.
trait Weigh {
    fn weight(&self) -> usize {
        0
    }
}

impl Weigh for Vec<u8> {}
impl Weigh for Bsp {}

impl Weigh for Md3 {
    fn weight(&self) -> usize {
        self.bytes()
    }
}

impl Weigh for MadeImage {
    fn weight(&self) -> usize {
        self.image.levels.iter().map(Vec::len).sum::<usize>() * 2
    }
}

impl Weigh for Sound {
    fn weight(&self) -> usize {
        self.samples.len() * 2
    }
}

/// All that is needed to make an image of a file.
struct ImageRecipe {
    name: String,
    path: String,
    options: ImageOptions,
    limits: TextureLimits,
}

/// An image, and whether it is smaller than it should be.
struct MadeImage {
    image: Image,
    is_reduced: bool,
}

impl ImageRecipe {
    fn make(&self, bytes: &[u8]) -> Result<MadeImage, String> {
        let pixels = decode::decode(&self.path, bytes)?;
        let size = [pixels.width, pixels.height];
        Ok(MadeImage {
            is_reduced: self.limits.reduces(size, self.options),
            image: Image::prepare(&self.name, pixels, self.options, self.limits),
        })
    }
}

impl Assets {
    /// Goes on with what has arrived, for about `budget` bytes of files and pixels; at least one
    /// file if there is any. True if more could be done at once.
    pub fn poll(&mut self, budget: usize) -> bool {
        if self.vfs.is_ready() {
            self.start_scripts();
            self.run_tasks();
        }
        let mut spent = 0;
        while spent < budget {
            self.begin_files();
            let coming = &mut self.loader.coming;
            // While somebody else prepares the next file, those behind it are prepared here.
            while coming
                .front_mut()
                .is_some_and(|next| !next.prepared.is_done())
                && coming.iter().any(|file| file.prepared.run_here())
            {}
            let Some(next) = coming.pop_front() else {
                return false;
            };
            // A decoder that fell is no reason to wait for ever.
            let failed = || Err("its decoder failed".to_owned());
            let prepared = next.prepared.wait();
            if let Some(prepared) = prepared.or_else(|| self.begin(next.purpose, failed()).wait()) {
                spent += prepared.bytes;
                (prepared.take_in)(self);
            }
            self.run_tasks();
        }
        true
    }

    /// Has files that arrived unpacked and decoded.
    fn begin_files(&mut self) {
        while self.loader.coming.len() < MAX_AHEAD {
            let Some(arrived) = self.loader.next.take().or_else(|| self.next_arrived()) else {
                return;
            };
            let under_way: u64 = self.loader.coming.iter().map(|file| file.cost).sum();
            if under_way > 0 && under_way + arrived.cost > MAX_AHEAD_BYTES {
                self.loader.next = Some(arrived);
                return;
            }
            let Arrived {
                purpose,
                file,
                cost,
            } = arrived;
            let prepared = self.begin(purpose.clone(), file);
            self.loader.coming.push_back(Coming {
                purpose,
                prepared,
                cost,
            });
        }
    }

    fn next_arrived(&mut self) -> Option<Arrived> {
        loop {
            let (id, file) = self.vfs.poll()?;
            let Some(purpose) = self.loader.open.remove(&id) else {
                continue;
            };
            return Some(match file.and_then(|file| self.admit(&purpose, file)) {
                Ok((file, cost)) => Arrived {
                    purpose,
                    file: Ok(file),
                    cost,
                },
                Err(problem) => Arrived {
                    purpose,
                    file: Err(problem),
                    cost: 0,
                },
            });
        }
    }

    /// What a file costs while it is unpacked and decoded; an error if that is more than there is for its kind.
    fn admit(&mut self, purpose: &Purpose, file: Packed) -> Result<(Packed, u64), String> {
        let size = file.size();
        if !self.budgets.spend(Kind::Unpacked, size) {
            self.leave_out(Kind::Unpacked, file.name());
            return Err(String::new());
        }
        let cost = match purpose {
            Purpose::Script(_) | Purpose::Skin(..) | Purpose::Animation(_) => size,
            Purpose::Raw(id) => {
                if !self.budgets.spend(Kind::Files, size) {
                    let name = self.raws.key(id.0).cloned().unwrap_or_default();
                    self.leave_out(Kind::Files, &name);
                    return Err(String::new());
                }
                size
            }
            Purpose::Image(id) => size + self.image_cost(*id, &file)?,
            Purpose::Model(..) => size + md3::max_bytes(size),
            Purpose::Sound(_, path) => {
                if self.budgets.left(Kind::Sounds) < size {
                    self.leave_out(Kind::Sounds, path);
                    return Err(String::new());
                }
                size + sound::max_bytes(path, size)
            }
            // Its arrays take about as much as the file, names and materials more.
            Purpose::World(_) => size * 4,
        };
        Ok((file, cost))
    }

    fn image_cost(&mut self, id: ImageId, file: &Packed) -> Result<u64, String> {
        let path = &self.image_recipe(id).path;
        let size = HEADS
            .iter()
            .find_map(|&count| decode::size_of(path, &file.head(count)));
        // One that hides its size may have any that can be decoded.
        let size = size.unwrap_or([8192, 4096]);
        let decoded = decode::cost(path, size)?;
        let pixels = size.map(u64::from).iter().product();
        if !self.budgets.spend(Kind::Pixels, pixels) {
            self.leave_out(Kind::Pixels, path);
            return Err(String::new());
        }
        let prepared = self.settings.textures.cost(size);
        Ok(decoded.max(prepared))
    }

    fn begin(&self, purpose: Purpose, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let jobs = &self.jobs;
        match purpose {
            Purpose::Script(index) => jobs.submit(move || {
                Prepared::new(file, Ok, move |assets, bytes| {
                    assets.finish_script(index, bytes);
                })
            }),
            Purpose::World(order) => jobs.submit(move || {
                let parse = |bytes: Vec<u8>| Bsp::parse(&bytes).map_err(|error| error.to_string());
                Prepared::new(file, parse, move |assets, bsp| {
                    assets.finish_world(order, bsp);
                })
            }),
            Purpose::Image(id) => {
                let recipe = self.image_recipe(id);
                jobs.submit(move || {
                    let make = |bytes: Vec<u8>| recipe.make(&bytes);
                    Prepared::new(file, make, move |assets, image| {
                        assets.finish_image(id, image);
                    })
                })
            }
            Purpose::Model(id, lod) => jobs.submit(move || {
                let parse = |bytes: Vec<u8>| Md3::parse(&bytes).map_err(|error| error.to_string());
                Prepared::new(file, parse, move |assets, mesh| {
                    assets.finish_model(id, lod, mesh);
                })
            }),
            Purpose::Skin(id, order) => jobs.submit(move || {
                Prepared::new(file, Ok, move |assets, bytes| {
                    assets.finish_skin(id, order, bytes);
                })
            }),
            Purpose::Sound(id, path) => jobs.submit(move || {
                let decode = |bytes: Vec<u8>| sound::decode(&path, &bytes);
                let decoded = path.clone();
                Prepared::new(file, decode, move |assets, sound| {
                    assets.finish_sound(id, &decoded, sound);
                })
            }),
            Purpose::Animation(id) => jobs.submit(move || {
                Prepared::new(file, Ok, move |assets, bytes| {
                    assets.finish_animation(id, bytes);
                })
            }),
            Purpose::Raw(id) => jobs.submit(move || {
                Prepared::new(file, Ok, move |assets, bytes| {
                    assets.finish_raw(id, bytes);
                })
            }),
        }
    }

    fn finish_script(&mut self, index: usize, result: Result<Vec<u8>, String>) {
        let bytes = result
            .map_err(|problem| self.tell_problem("", problem))
            .ok();
        if let Scripts::Loading { files, missing } = &mut self.loader.scripts {
            files[index].1 = bytes;
            *missing -= 1;
        }
        self.finish_scripts();
    }

    fn finish_animation(&mut self, id: AnimationId, result: Result<Vec<u8>, String>) {
        let name = self.animations.key(id.0).cloned().unwrap_or_default();
        let parsed = result
            .and_then(|bytes| AnimationConfig::parse(&bytes).map_err(|error| error.to_string()));
        let parsed = parsed
            .map_err(|problem| self.tell_problem(&name, problem))
            .ok();
        self.animations.set(id.0, parsed);
    }

    fn image_recipe(&self, id: ImageId) -> ImageRecipe {
        let work = self.loader.images.get(&id);
        ImageRecipe {
            name: self.images.key(id.0).cloned().unwrap_or_default(),
            path: work.map_or_else(String::new, |work| work.opened.clone()),
            options: work.map_or(ImageOptions::FLAT, |work| work.options),
            limits: TextureLimits {
                max_bytes: self.budgets.image_bytes(),
                ..self.settings.textures
            },
        }
    }

    fn finish_image(&mut self, id: ImageId, result: Result<MadeImage, String>) {
        let Some(work) = self.loader.images.get(&id) else {
            return;
        };
        match result {
            Ok(MadeImage { image, is_reduced }) => {
                let path = work.opened.clone();
                self.loader.images.remove(&id);
                let bytes: usize = image.levels.iter().map(Vec::len).sum();
                self.budgets.count(Kind::Images, bytes as u64);
                if is_reduced {
                    self.leave_out(Kind::Images, &path);
                }
                self.set_image(id, Some(image));
            }
            Err(problem) => {
                let path = work.opened.clone();
                self.tell_problem(&path, problem);
                self.open_image(id);
            }
        }
    }

    fn finish_model(&mut self, id: ModelId, lod: usize, result: Result<Md3, String>) {
        let name = self.models.key(id.0).cloned().unwrap_or_default();
        let mesh = result
            .map_err(|problem| self.tell_problem(&name, problem))
            .ok();
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

    fn finish_raw(&mut self, id: RawId, result: Result<Vec<u8>, String>) {
        let bytes = result
            .map_err(|problem| self.tell_problem("", problem))
            .ok();
        self.raws.set(id.0, bytes);
    }

    fn finish_sound(&mut self, id: SoundId, path: &str, result: Result<Sound, String>) {
        if result
            .as_ref()
            .is_err_and(|problem| problem == sound::TOO_LONG)
        {
            // Its decoding took its time all the same.
            let bytes = sound::max_bytes(path, 0).min(self.budgets.left(Kind::Sounds));
            self.budgets.count(Kind::Sounds, bytes);
        }
        let sound = result
            .map_err(|problem| self.tell_problem(path, problem))
            .ok();
        let bytes = sound.as_ref().map_or(0, |sound| sound.samples.len() * 2);
        let fits = self.budgets.spend(Kind::Sounds, bytes as u64);
        if !fits {
            self.leave_out(Kind::Sounds, path);
        }
        self.sounds.set(id.0, sound.filter(|_| fits));
    }

    fn finish_skin(&mut self, id: SkinId, order: u64, result: Result<Vec<u8>, String>) {
        let name = self.skins.key(id.0).cloned().unwrap_or_default();
        let entries = result
            .map_err(|problem| self.tell_problem("", problem))
            .map(|bytes| skin::parse(&bytes))
            .unwrap_or_default();
        let mut surfaces = Vec::with_capacity(entries.len());
        for (index, (surface, shader)) in entries.into_iter().enumerate() {
            let shader =
                self.register_material(&shader, Lightmap::None, true, order + index as u64);
            surfaces.push((surface, shader));
        }
        let skin = (!surfaces.is_empty()).then_some(Skin { name, surfaces });
        self.skins.set(id.0, skin);
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
    let pairs = entities
        .first()
        .map(|worldspawn| worldspawn.pairs.as_slice())
        .unwrap_or_default();
    pairs
        .iter()
        .filter(|(key, _)| key.to_ascii_lowercase().starts_with("remapshader"))
        .filter_map(|(_, value)| value.split_once(';'))
        .map(|(old, new)| (old.to_owned(), new.to_owned()))
        .collect()
}
