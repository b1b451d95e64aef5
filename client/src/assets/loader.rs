//! Opens files for what is registered, and makes materials of scripts and images.

use super::{
    AnimationId, AssetState, Assets, ImageId, RawId,
    arrivals::{Arrived, Coming},
    budget::Kind,
    builtin, decode,
    finish::{default_material, explicit_material, implicit_material},
    image::{Image, ImageOptions},
    material::{Lightmap, Material},
    model::{Model, Skin},
    shaders::LEFT_OUT,
    vfs::FileId,
};
use crate::scene::{ModelId, ShaderId, SkinId, SoundId};
use shared::formats::{md3::Md3, shader_script::Library};
use std::collections::{HashMap, HashSet, VecDeque};

/// Script files beyond these are ignored, as in the reference.
const MAX_SCRIPTS: usize = 4096;
/// Larger scripts are left out; real ones have some 100 kB.
const MAX_SCRIPT_BYTES: u64 = 8 << 20;
/// Skins and animations have some kilobytes.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// Models of players have some megabytes.
const MAX_MODEL_BYTES: u64 = 64 << 20;
/// Sounds have some 100 kB, music some megabytes.
const MAX_SOUND_BYTES: u64 = 64 << 20;
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
    pub tasks: VecDeque<Task>,
    pub open: HashMap<FileId, Purpose>,
    /// A file that has arrived and finds no room among those that are coming.
    pub next: Option<Arrived>,
    /// Files that have arrived, in that order, which is also the order in which they are taken in.
    pub coming: VecDeque<Coming>,
    pub scripts: Scripts,
    /// Materials that wait for the scripts.
    pub unresolved: Vec<ShaderId>,
    /// Those of them whose images go before everything else.
    pub urgent: HashSet<ShaderId>,
    /// What is resolved now is one of them.
    pub is_urgent: bool,
    pub images: HashMap<ImageId, ImageWork>,
    pub models: HashMap<ModelId, ModelWork>,
    pub told: HashSet<String>,
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
pub(super) enum Scripts {
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
pub(super) enum Purpose {
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
pub(super) struct ImageWork {
    pub options: ImageOptions,
    /// Files that may hold it, best last.
    pub candidates: Vec<String>,
    pub is_urgent: bool,
    pub opened: String,
}

#[derive(Debug)]
pub(super) struct ModelWork {
    pub order: u64,
    pub waiting: usize,
    /// By index in `LOD_SUFFIXES`.
    pub meshes: [Option<Md3>; 3],
}

impl Assets {
    pub(super) fn register_material(
        &mut self,
        name: &str,
        lightmap: Lightmap,
        use_mipmaps: bool,
        order: u64,
    ) -> ShaderId {
        let registered = self.shaders.register(name, lightmap, use_mipmaps, order);
        let Some((id, is_new)) = registered else {
            self.tell_full("materials");
            return self.register_material(LEFT_OUT, Lightmap::None, false, order);
        };
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

    pub(super) fn start_scripts(&mut self) {
        if !matches!(self.loader.scripts, Scripts::Unknown) {
            return;
        }
        let mut names = self.vfs.list("scripts", ".shader");
        names.truncate(MAX_SCRIPTS);
        let mut files = Vec::with_capacity(names.len());
        for name in names {
            let path = format!("scripts/{name}");
            // One that is too large by itself is told so when it is opened.
            let size = self.vfs.size(&path).unwrap_or(0);
            if size <= MAX_SCRIPT_BYTES && !self.budgets.spend(Kind::Scripts, size) {
                self.leave_out(Kind::Scripts, &path);
                continue;
            }
            if let Some(file) = self.vfs.open(&path, MAX_SCRIPT_BYTES) {
                self.loader.open.insert(file, Purpose::Script(files.len()));
                files.push((path, None));
            }
        }
        let missing = files.len();
        self.loader.scripts = Scripts::Loading { files, missing };
        self.finish_scripts();
    }

    pub(super) fn finish_scripts(&mut self) {
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
        let Some((id, _)) = self.images.register(name.to_owned()) else {
            self.tell_full("images");
            return None;
        };
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

    pub(super) fn run_tasks(&mut self) {
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
        let max_size = match &purpose {
            Purpose::Script(_) => MAX_SCRIPT_BYTES,
            Purpose::Skin(..) | Purpose::Animation(_) => MAX_TEXT_BYTES,
            Purpose::World(_) => self.budgets.limits().world,
            Purpose::Image(_) => decode::MAX_DECODE_BYTES,
            Purpose::Model(..) => MAX_MODEL_BYTES,
            Purpose::Sound(..) => MAX_SOUND_BYTES,
            Purpose::Raw(_) if name.contains(".dm_") => self.budgets.limits().files,
            // Music and configs.
            Purpose::Raw(_) => MAX_SOUND_BYTES,
        };
        let Some(file) = self.vfs.open(name, max_size) else {
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

    pub(super) fn fail_world(&mut self, problem: String) {
        if let Some(world) = &mut self.world {
            world.state = AssetState::Missing;
        }
        self.tell(format!("The map cannot be shown: {problem}"));
    }

    pub(super) fn open_image(&mut self, id: ImageId) {
        while let Some(work) = self.loader.images.get_mut(&id) {
            let Some(candidate) = work.candidates.pop() else {
                self.loader.images.remove(&id);
                return self.fail_image(id);
            };
            work.opened.clone_from(&candidate);
            let file = if work.is_urgent {
                self.vfs.open_urgent(&candidate, decode::MAX_DECODE_BYTES)
            } else {
                self.vfs.open(&candidate, decode::MAX_DECODE_BYTES)
            };
            if let Some(file) = file {
                self.loader.open.insert(file, Purpose::Image(id));
                return;
            }
        }
    }

    /// Every material that needs the image becomes the default one, as if it had not existed.
    fn fail_image(&mut self, id: ImageId) {
        let users = self.shaders.users(id);
        self.set_image(id, None);
        for shader in users {
            let entry = self.shaders.entry(shader);
            let Some(material) = entry.and_then(|entry| entry.material.clone()) else {
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

    pub(super) fn set_image(&mut self, id: ImageId, image: Option<Image>) {
        self.images.set(id.0, image);
        let images = &self.images;
        let is_here = |image: ImageId| images.state(image.0) != AssetState::Wanted;
        self.shaders.complete_those_with(id, is_here);
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

    /// Says that something exceeds what there is for its kind, once.
    pub(super) fn leave_out(&mut self, kind: Kind, name: &str) {
        if let Some(line) = self.budgets.excess(kind, name) {
            self.tell(line);
        }
    }

    /// Says that a level registers too many things of a kind, once.
    pub(super) fn tell_full(&mut self, kind: &str) {
        self.tell(format!(
            "Left out: what comes from now on, because there are too many {kind}"
        ));
    }

    /// Says what is wrong with a file, unless that was said before with others of its kind.
    pub(super) fn tell_problem(&mut self, file: &str, problem: String) {
        match (file, problem.as_str()) {
            (_, "") => {}
            ("", _) => self.tell(problem),
            _ => self.tell(format!("{file}: {problem}")),
        }
    }

    pub(super) fn tell(&mut self, message: String) {
        if self.loader.told.insert(message.clone()) {
            self.messages.push(message);
        }
    }
}
