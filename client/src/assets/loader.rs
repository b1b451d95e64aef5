//! Arrived bytes to models, materials, pixels and samples.

use super::{
    AnimationId, AssetState, Assets, ImageId, RawId, builtin, decode,
    finish::{default_material, explicit_material, implicit_material},
    image::{Image, ImageOptions, TextureLimits},
    material::{Lightmap, Material},
    model::{Lod, MeshModel, Model, Skin},
    sound::{self, Sound},
    vfs::{FileId, Packed},
};
use crate::{
    beside::Promise,
    scene::{ModelId, ShaderId, SkinId, SoundId},
};
use shared::formats::{
    animcfg::AnimationConfig,
    bsp::{Bsp, SurfaceKind},
    mapents,
    md3::Md3,
    shader_script::Library,
    skin,
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

/// Script files beyond these are ignored, as in the reference.
const MAX_SCRIPTS: usize = 4096;
/// Files are unpacked and decoded so many ahead of those that are taken in: helpers stay busy while a frame is drawn, and
/// what waits stays within tens of megabytes.
const MOST_AHEAD: usize = 12;
/// Levels of detail of a model, coarsest first as they are registered.
const LOD_SUFFIXES: [&str; 3] = ["_2", "_1", ""];

/// What is to be opened when names can be looked up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    World,
    Image(ImageId),
    Model(ModelId, u64),
    Skin(SkinId, u64),
    Sound(SoundId),
    Animation(AnimationId),
    Raw(RawId),
}

/// Work in progress.
#[derive(Debug, Default)]
pub(super) struct Loader {
    tasks: VecDeque<Task>,
    open: HashMap<FileId, Purpose>,
    /// Files that have arrived, in that order, which is also the order in which they are taken in.
    coming: VecDeque<(Purpose, Promise<Prepared>)>,
    scripts: Scripts,
    /// Materials that wait for the scripts.
    unresolved: Vec<ShaderId>,
    /// Those of them whose images go before everything else.
    urgent: HashSet<ShaderId>,
    /// What is resolved now is one of them.
    is_urgent: bool,
    images: HashMap<ImageId, ImageWork>,
    models: HashMap<ModelId, ModelWork>,
    told: HashSet<String>,
}

impl Loader {
    pub fn add(&mut self, task: Task) {
        self.tasks.push_back(task);
    }

    pub fn add_first(&mut self, task: Task) {
        self.tasks.push_front(task);
    }
}

#[derive(Debug, Default)]
enum Scripts {
    #[default]
    Unknown,
    Loading {
        files: Vec<(String, Option<Vec<u8>>)>,
        missing: usize,
    },
    Ready(Library),
}

/// What an opened file is for.
#[derive(Clone, Debug)]
enum Purpose {
    Script(usize),
    /// The order tells which map was asked for.
    World(u64),
    Image(ImageId),
    Model(ModelId, usize),
    Skin(SkinId, u64),
    Sound(SoundId, String),
    Animation(AnimationId),
    Raw(RawId),
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
impl Weigh for Md3 {}

impl Weigh for Image {
    fn weight(&self) -> usize {
        self.levels.iter().map(Vec::len).sum::<usize>() * 2
    }
}

impl Weigh for Sound {
    fn weight(&self) -> usize {
        self.samples.len() * 2
    }
}

#[derive(Debug)]
struct ImageWork {
    options: ImageOptions,
    /// Files that may hold it, best last.
    candidates: Vec<String>,
    is_urgent: bool,
    opened: String,
}

/// All that is needed to make an image of a file.
struct ImageRecipe {
    name: String,
    path: String,
    options: ImageOptions,
    limits: TextureLimits,
}

impl ImageRecipe {
    fn make(&self, bytes: &[u8]) -> Result<Image, String> {
        let pixels = decode::decode(&self.path, bytes)?;
        Ok(Image::prepare(
            &self.name,
            pixels,
            self.options,
            self.limits,
        ))
    }
}

#[derive(Debug)]
struct ModelWork {
    order: u64,
    waiting: usize,
    /// By index in `LOD_SUFFIXES`.
    meshes: [Option<Md3>; 3],
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
            while coming.front_mut().is_some_and(|(_, next)| !next.is_kept())
                && coming.iter().any(|(_, promise)| promise.help())
            {}
            let Some((purpose, next)) = coming.pop_front() else {
                return false;
            };
            // A decoder that fell is no reason to wait for ever.
            let failed = || Err("its decoder failed".to_owned());
            let prepared = next.wait();
            if let Some(prepared) = prepared.or_else(|| self.begin(purpose, failed()).wait()) {
                spent += prepared.bytes;
                (prepared.take_in)(self);
            }
            self.run_tasks();
        }
        true
    }

    /// Has files that arrived unpacked and decoded.
    fn begin_files(&mut self) {
        while self.loader.coming.len() < MOST_AHEAD {
            let Some((file, packed)) = self.vfs.poll() else {
                return;
            };
            if let Some(purpose) = self.loader.open.remove(&file) {
                let promise = self.begin(purpose.clone(), packed);
                self.loader.coming.push_back((purpose, promise));
            }
        }
    }

    fn begin(&self, purpose: Purpose, file: Result<Packed, String>) -> Promise<Prepared> {
        let beside = &self.beside;
        match purpose {
            Purpose::Script(index) => beside.promise(move || {
                Prepared::new(file, Ok, move |assets, bytes| {
                    assets.finish_script(index, bytes);
                })
            }),
            Purpose::World(order) => beside.promise(move || {
                let parse = |bytes: Vec<u8>| Bsp::parse(&bytes).map_err(|error| error.to_string());
                Prepared::new(file, parse, move |assets, bsp| {
                    assets.finish_world(order, bsp);
                })
            }),
            Purpose::Image(id) => {
                let recipe = self.image_recipe(id);
                beside.promise(move || {
                    let make = |bytes: Vec<u8>| recipe.make(&bytes);
                    Prepared::new(file, make, move |assets, image| {
                        assets.finish_image(id, image);
                    })
                })
            }
            Purpose::Model(id, lod) => beside.promise(move || {
                let parse = |bytes: Vec<u8>| Md3::parse(&bytes).map_err(|error| error.to_string());
                Prepared::new(file, parse, move |assets, mesh| {
                    assets.finish_model(id, lod, mesh);
                })
            }),
            Purpose::Skin(id, order) => beside.promise(move || {
                Prepared::new(file, Ok, move |assets, bytes| {
                    assets.finish_skin(id, order, bytes);
                })
            }),
            Purpose::Sound(id, path) => beside.promise(move || {
                let decode = |bytes: Vec<u8>| sound::decode(&path, &bytes);
                let decoded = path.clone();
                Prepared::new(file, decode, move |assets, sound| {
                    let sound =
                        sound.map_err(|problem| assets.tell(format!("{decoded}: {problem}")));
                    assets.sounds.set(id.0, sound.ok());
                })
            }),
            Purpose::Animation(id) => beside.promise(move || {
                Prepared::new(file, Ok, move |assets, bytes| {
                    assets.finish_animation(id, bytes);
                })
            }),
            Purpose::Raw(id) => beside.promise(move || {
                Prepared::new(file, Ok, move |assets, bytes| {
                    let bytes = bytes.map_err(|problem| assets.tell(problem)).ok();
                    assets.raws.set(id.0, bytes);
                })
            }),
        }
    }

    pub(super) fn register_material(
        &mut self,
        name: &str,
        lightmap: Lightmap,
        use_mipmaps: bool,
        order: u64,
    ) -> ShaderId {
        let (id, is_new) = self.shaders.register(name, lightmap, use_mipmaps, order);
        if is_new {
            if matches!(self.loader.scripts, Scripts::Ready(_)) {
                self.resolve_material(id);
            } else {
                self.loader.unresolved.push(id);
            }
        }
        id
    }

    /// A picture that is shown while everything else is still on its way.
    pub(super) fn register_urgent(&mut self, name: &str, order: u64) -> ShaderId {
        self.loader.is_urgent = true;
        let id = self.register_material(name, Lightmap::TwoD, false, order);
        self.loader.is_urgent = false;
        if self.loader.unresolved.contains(&id) {
            self.loader.urgent.insert(id);
        }
        id
    }

    fn start_scripts(&mut self) {
        if !matches!(self.loader.scripts, Scripts::Unknown) {
            return;
        }
        let mut names = self.vfs.list("scripts", ".shader");
        names.truncate(MAX_SCRIPTS);
        let mut files = Vec::with_capacity(names.len());
        for name in names {
            let path = format!("scripts/{name}");
            if let Some(file) = self.vfs.open(&path) {
                self.loader.open.insert(file, Purpose::Script(files.len()));
                files.push((path, None));
            }
        }
        let missing = files.len();
        self.loader.scripts = Scripts::Loading { files, missing };
        self.finish_scripts();
    }

    fn finish_scripts(&mut self) {
        let Scripts::Loading { files, missing: 0 } = &self.loader.scripts else {
            return;
        };
        let present = files
            .iter()
            .filter_map(|(name, bytes)| Some((name.clone(), bytes.as_deref()?)));
        let (name, text) = builtin::SCRIPTS;
        let own = (name.to_owned(), text.as_bytes());
        let (library, errors) = Library::new([own].into_iter().chain(present));
        self.loader.scripts = Scripts::Ready(library);
        for error in errors {
            self.tell(error.to_string());
        }
        for id in std::mem::take(&mut self.loader.unresolved) {
            self.loader.is_urgent = self.loader.urgent.remove(&id);
            self.resolve_material(id);
        }
        self.loader.is_urgent = false;
    }

    fn resolve_material(&mut self, id: ShaderId) {
        let Some(entry) = self.shaders.entry(id) else {
            return;
        };
        let (name, request, lightmap) = (entry.name.clone(), entry.request.clone(), entry.lightmap);
        let (use_mipmaps, order) = (entry.use_mipmaps, entry.order);
        let Scripts::Ready(library) = &self.loader.scripts else {
            return;
        };
        let material = match library.script(&name) {
            Some(Ok(script)) => {
                let keep_details = self.settings.keep_details;
                let mut find = |image: &str, options| self.find_image(image, options);
                explicit_material(&name, lightmap, order, script, keep_details, &mut find).map_err(
                    |problem| format!("material {name}: {problem}; it is drawn as a grey box"),
                )
            }
            Some(Err(error)) => Err(error.to_string()),
            None => {
                let options = if use_mipmaps {
                    ImageOptions::SURFACE
                } else {
                    ImageOptions::FLAT
                };
                let image = self.find_image(&request, options);
                let made = image.map(|image| implicit_material(&name, lightmap, order, image));
                made.ok_or_else(|| {
                    format!("material {name}: there is neither a script nor an image of this name")
                })
            }
        };
        let material = material.unwrap_or_else(|problem| {
            self.tell(problem);
            default_material(&name, lightmap, order)
        });
        self.set_material(id, material);
    }

    /// The image of a name, if a file for it exists.
    fn find_image(&mut self, name: &str, options: ImageOptions) -> Option<ImageId> {
        if let Some(id) = self.images.find(&name.to_owned()) {
            let id = ImageId(id);
            return (self.state(id) != AssetState::Missing).then_some(id);
        }
        if let Some(index) = builtin::NAMES
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name))
        {
            return Some(ImageId(index as u32));
        }
        let mut candidates = self.image_candidates(name);
        candidates.reverse();
        if candidates.is_empty() {
            return None;
        }
        let (id, _) = self.images.register(name.to_owned());
        let id = ImageId(id);
        let work = ImageWork {
            options,
            candidates,
            is_urgent: self.loader.is_urgent,
            opened: String::new(),
        };
        self.loader.images.insert(id, work);
        self.loader.add(Task::Image(id));
        Some(id)
    }

    /// Existing files that may hold an image, best first; the extension counts more than the pak.
    fn image_candidates(&self, name: &str) -> Vec<String> {
        let lower = super::asset_name(name);
        let own = decode::extension(&lower);
        let is_known = decode::EXTENSIONS.contains(&own);
        let stem = if is_known {
            decode::strip_extension(&lower)
        } else {
            &lower
        };
        let first = is_known.then(|| lower.clone());
        let others = decode::EXTENSIONS
            .iter()
            .filter(|&&other| other != own || !is_known);
        first
            .into_iter()
            .chain(others.map(|extension| format!("{stem}.{extension}")))
            .filter(|path| self.vfs.exists(path))
            .collect()
    }

    fn run_tasks(&mut self) {
        if !self.vfs.is_ready() {
            return;
        }
        while let Some(task) = self.loader.tasks.pop_front() {
            match task {
                Task::World => self.open_world(),
                Task::Image(id) => self.open_image(id),
                Task::Model(id, order) => self.open_model(id, order),
                Task::Skin(id, order) => self.open_skin(id, order),
                Task::Sound(id) => self.open_sound(id),
                Task::Animation(id) => {
                    let name = self.animations.key(id.0).cloned().unwrap_or_default();
                    if !self.open(&name, Purpose::Animation(id)) {
                        self.animations.set(id.0, None);
                    }
                }
                Task::Raw(id) => {
                    let name = self.raws.key(id.0).cloned().unwrap_or_default();
                    if !self.open(&name, Purpose::Raw(id)) {
                        self.raws.set(id.0, None);
                    }
                }
            }
        }
    }

    fn open(&mut self, name: &str, purpose: Purpose) -> bool {
        let Some(file) = self.vfs.open(name) else {
            return false;
        };
        self.loader.open.insert(file, purpose);
        true
    }

    fn open_world(&mut self) {
        let Some(world) = &self.world else { return };
        let path = format!("maps/{}.bsp", world.name);
        let order = world.order;
        if !self.open(&path, Purpose::World(order)) {
            self.fail_world(format!("{path} is in none of the paks"));
        }
    }

    fn fail_world(&mut self, problem: String) {
        if let Some(world) = &mut self.world {
            world.state = AssetState::Missing;
        }
        self.tell(format!("The map cannot be shown: {problem}"));
    }

    fn open_image(&mut self, id: ImageId) {
        while let Some(work) = self.loader.images.get_mut(&id) {
            let Some(candidate) = work.candidates.pop() else {
                self.loader.images.remove(&id);
                return self.fail_image(id);
            };
            work.opened.clone_from(&candidate);
            let file = if work.is_urgent {
                self.vfs.open_urgent(&candidate)
            } else {
                self.vfs.open(&candidate)
            };
            if let Some(file) = file {
                self.loader.open.insert(file, Purpose::Image(id));
                return;
            }
        }
    }

    /// Every material that needs the image becomes the default one, as if it had not existed.
    fn fail_image(&mut self, id: ImageId) {
        self.set_image(id, None);
        for shader in self.shaders.ids() {
            let Some(material) = self
                .shaders
                .entry(shader)
                .and_then(|entry| entry.material.clone())
            else {
                continue;
            };
            let mut stages = material.stages.iter();
            if stages.any(|stage| stage.image.all().contains(&id)) {
                self.set_material(
                    shader,
                    default_material(&material.name, material.lightmap, material.order),
                );
            }
        }
    }

    fn set_material(&mut self, id: ShaderId, material: Material) {
        let images = &self.images;
        let is_here = |image: ImageId| images.state(image.0) != AssetState::Wanted;
        self.shaders.set(id, material, is_here);
    }

    fn set_image(&mut self, id: ImageId, image: Option<Image>) {
        self.images.set(id.0, image);
        let images = &self.images;
        let is_here = |image: ImageId| images.state(image.0) != AssetState::Wanted;
        self.shaders.complete_those_with(is_here);
    }

    fn open_model(&mut self, id: ModelId, order: u64) {
        let name = self.models.key(id.0).cloned().unwrap_or_default();
        if let Some(number) = name.strip_prefix('*') {
            let model = number.parse().ok().map(Model::Brush);
            return self.models.set(id.0, model);
        }
        let stem = &name[..name.find('.').unwrap_or(name.len())];
        let mut waiting = 0;
        for (lod, suffix) in LOD_SUFFIXES.iter().enumerate() {
            let path = format!("{stem}{suffix}.md3");
            waiting += usize::from(self.open(&path, Purpose::Model(id, lod)));
        }
        if waiting == 0 {
            self.tell(format!("The model {name} is in none of the paks"));
            return self.models.set(id.0, None);
        }
        let work = ModelWork {
            order,
            waiting,
            meshes: [None, None, None],
        };
        self.loader.models.insert(id, work);
    }

    fn open_skin(&mut self, id: SkinId, order: u64) {
        let name = self.skins.key(id.0).cloned().unwrap_or_default();
        if !name.ends_with(".skin") {
            let shader = self.register_material(&name, Lightmap::None, true, order);
            let skin = Skin {
                name,
                surfaces: vec![(String::new(), shader)],
            };
            return self.skins.set(id.0, Some(skin));
        }
        if !self.open(&name, Purpose::Skin(id, order)) {
            self.skins.set(id.0, None);
        }
    }

    /// Loads sounds from now on, those that were left out as well, or leaves them out.
    pub fn set_hears(&mut self, hears: bool) {
        if hears && !self.hears {
            for id in 0..self.sounds.len() as u32 {
                if self.sounds.state(id) == AssetState::Missing {
                    self.loader.add(Task::Sound(SoundId(id)));
                }
            }
        }
        self.hears = hears;
    }

    fn open_sound(&mut self, id: SoundId) {
        if !self.hears {
            self.sounds.set(id.0, None);
            return;
        }
        let name = self.sounds.key(id.0).cloned().unwrap_or_default();
        let stem = decode::strip_extension(&name).to_owned();
        let candidates = [name.clone(), format!("{stem}.wav"), format!("{stem}.ogg")];
        for path in candidates {
            if self.open(&path, Purpose::Sound(id, path.clone())) {
                return;
            }
        }
        self.tell(format!("The sound {name} is in none of the paks"));
        self.sounds.set(id.0, None);
    }

    fn finish_script(&mut self, index: usize, result: Result<Vec<u8>, String>) {
        let bytes = result.map_err(|problem| self.tell(problem)).ok();
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
            .map_err(|problem| self.tell(format!("{name}: {problem}")))
            .ok();
        self.animations.set(id.0, parsed);
    }

    fn image_recipe(&self, id: ImageId) -> ImageRecipe {
        let work = self.loader.images.get(&id);
        ImageRecipe {
            name: self.images.key(id.0).cloned().unwrap_or_default(),
            path: work.map_or_else(String::new, |work| work.opened.clone()),
            options: work.map_or(ImageOptions::FLAT, |work| work.options),
            limits: self.settings.textures,
        }
    }

    fn finish_image(&mut self, id: ImageId, result: Result<Image, String>) {
        let Some(work) = self.loader.images.get(&id) else {
            return;
        };
        match result {
            Ok(image) => {
                self.loader.images.remove(&id);
                self.set_image(id, Some(image));
            }
            Err(problem) => {
                let problem = format!("{}: {problem}", work.opened);
                self.tell(problem);
                self.open_image(id);
            }
        }
    }

    fn finish_model(&mut self, id: ModelId, lod: usize, result: Result<Md3, String>) {
        let name = self.models.key(id.0).cloned().unwrap_or_default();
        let mesh = result
            .map_err(|problem| self.tell(format!("{name}: {problem}")))
            .ok();
        let Some(work) = self.loader.models.get_mut(&id) else {
            return;
        };
        work.meshes[lod] = mesh;
        work.waiting -= 1;
        if work.waiting > 0 {
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

    fn finish_skin(&mut self, id: SkinId, order: u64, result: Result<Vec<u8>, String>) {
        let name = self.skins.key(id.0).cloned().unwrap_or_default();
        let entries = result
            .map_err(|problem| self.tell(problem))
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

    fn tell(&mut self, message: String) {
        if self.loader.told.insert(message.clone()) {
            self.messages.push(message);
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
