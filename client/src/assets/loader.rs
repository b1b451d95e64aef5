//! Arrived bytes to models, materials, pixels and samples.

use super::{
    AnimationId, AssetState, Assets, ImageId, RawId, builtin, decode,
    finish::{default_material, explicit_material, implicit_material},
    image::{Image, ImageOptions},
    material::{Lightmap, Material},
    model::{Lod, MeshModel, Model, Skin},
    sound,
    vfs::FileId,
};
use crate::scene::{ModelId, ShaderId, SkinId, SoundId};
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

#[derive(Debug)]
struct ImageWork {
    options: ImageOptions,
    /// Files that may hold it, best last.
    candidates: Vec<String>,
    is_urgent: bool,
    opened: String,
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
            let Some((file, result)) = self.vfs.poll() else {
                return false;
            };
            let Some(purpose) = self.loader.open.remove(&file) else {
                continue;
            };
            spent += result.as_ref().map_or(0, Vec::len) + 1000;
            spent += self.handle_file(purpose, result);
            self.run_tasks();
        }
        true
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
        let (library, errors) = Library::new(present);
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

    fn open_sound(&mut self, id: SoundId) {
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

    /// Returns how many bytes were made beyond those of the file.
    fn handle_file(&mut self, purpose: Purpose, result: Result<Vec<u8>, String>) -> usize {
        match purpose {
            Purpose::Script(index) => {
                let bytes = result.map_err(|problem| self.tell(problem)).ok();
                if let Scripts::Loading { files, missing } = &mut self.loader.scripts {
                    files[index].1 = bytes;
                    *missing -= 1;
                }
                self.finish_scripts();
                0
            }
            Purpose::World(order) => self.finish_world(order, result),
            Purpose::Image(id) => self.finish_image(id, result),
            Purpose::Model(id, lod) => self.finish_model(id, lod, result),
            Purpose::Skin(id, order) => {
                self.finish_skin(id, order, result);
                0
            }
            Purpose::Sound(id, path) => {
                let sound = result.and_then(|bytes| sound::decode(&path, &bytes));
                let sound = sound
                    .map_err(|problem| self.tell(format!("{path}: {problem}")))
                    .ok();
                let size = sound.as_ref().map_or(0, |sound| sound.samples.len() * 2);
                self.sounds.set(id.0, sound);
                size
            }
            Purpose::Animation(id) => {
                let name = self.animations.key(id.0).cloned().unwrap_or_default();
                let parsed = result.and_then(|bytes| {
                    AnimationConfig::parse(&bytes).map_err(|error| error.to_string())
                });
                let parsed = parsed
                    .map_err(|problem| self.tell(format!("{name}: {problem}")))
                    .ok();
                self.animations.set(id.0, parsed);
                0
            }
            Purpose::Raw(id) => {
                let bytes = result.map_err(|problem| self.tell(problem)).ok();
                self.raws.set(id.0, bytes);
                0
            }
        }
    }

    fn finish_image(&mut self, id: ImageId, result: Result<Vec<u8>, String>) -> usize {
        let Some(work) = self.loader.images.get(&id) else {
            return 0;
        };
        let (path, options) = (work.opened.clone(), work.options);
        let decoded = result.and_then(|bytes| decode::decode(&path, &bytes));
        match decoded {
            Ok(pixels) => {
                let size = pixels.rgba.len() * 2;
                let name = self.images.key(id.0).cloned().unwrap_or_default();
                let image = Image::prepare(&name, pixels, options, self.settings.textures);
                self.set_image(id, Some(image));
                self.loader.images.remove(&id);
                size
            }
            Err(problem) => {
                self.tell(format!("{path}: {problem}"));
                self.open_image(id);
                0
            }
        }
    }

    fn finish_model(&mut self, id: ModelId, lod: usize, result: Result<Vec<u8>, String>) -> usize {
        let name = self.models.key(id.0).cloned().unwrap_or_default();
        let mesh = result.and_then(|bytes| Md3::parse(&bytes).map_err(|error| error.to_string()));
        let mesh = mesh
            .map_err(|problem| self.tell(format!("{name}: {problem}")))
            .ok();
        let Some(work) = self.loader.models.get_mut(&id) else {
            return 0;
        };
        work.meshes[lod] = mesh;
        work.waiting -= 1;
        if work.waiting > 0 {
            return 0;
        }
        let Some(work) = self.loader.models.remove(&id) else {
            return 0;
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
        0
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

    fn finish_world(&mut self, order: u64, result: Result<Vec<u8>, String>) -> usize {
        // Another map may have been asked for in the meantime.
        if self.world.as_ref().is_none_or(|world| world.order != order) {
            return 0;
        }
        let bsp =
            match result.and_then(|bytes| Bsp::parse(&bytes).map_err(|error| error.to_string())) {
                Ok(bsp) => bsp,
                Err(problem) => {
                    self.fail_world(problem);
                    return 0;
                }
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
        0
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
