//! Names to ids; the state of each asset: wanted, here, missing.
//!
//! Registering a name never fails and never waits: the id is valid at once, and [`Assets::poll`]
//! turns it into an asset when its bytes have arrived. `Assets` opens no files itself: it asks the
//! platform through [`Assets::next_read`] and is answered through [`Assets::handle_read`].

mod arrivals;
mod budget;
pub mod builtin;
pub mod decode;
mod fetch;
mod finish;
pub mod image;
mod kinds;
mod lending;
mod loader;
pub mod material;
mod materials;
pub mod model;
mod next_map;
mod registry;
mod shaders;
pub mod sound;
pub mod source;
pub mod vfs;

pub use budget::Limits;
pub use loader::Later;
pub use registry::AssetState;

use crate::jobs::JobQueue;
use crate::scene::{ModelId, ShaderId, SkinId, SoundId};
use budget::Budgets;
use image::{Image, TextureLimits};
use kinds::{AnimationFile, ModelTask, RawFile, SkinFile, SoundTask, Task, WorldTask};
use loader::Loader;
use material::{Lightmap, Material};
use model::{Model, Skin};
use next_map::NextMap;
use registry::Registry;
use shaders::Shaders;
use shared::formats::{animcfg::AnimationConfig, bsp::Bsp};
use sound::Sound;
use source::{FoundSource, SourceId};
use std::sync::Arc;
use vfs::{Fetched, ReadId, ReadRequest, Vfs};

/// An image by registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageId(pub u32);

/// A player model's `animation.cfg` by registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnimationId(pub u32);

/// Any other file by registration, such as a script or an arena list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawId(pub u32);

/// Kinds of assets that can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    Shaders,
    Images,
    Models,
    Skins,
}

/// What decides how assets are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssetSettings {
    pub textures: TextureLimits,
    /// Stages marked as detail are drawn (`r_detailtextures`).
    pub keep_details: bool,
}

/// How far loading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Assets that are still on their way.
    pub wanted: usize,
    pub ready: usize,
    pub missing: usize,
    /// Bytes asked for so far, and how many of them arrived.
    pub bytes_wanted: u64,
    pub bytes_arrived: u64,
}

/// Most images of a level; the largest have some hundred.
const MAX_IMAGES: usize = 8192;
/// Most models, skins, sounds, animations, other files, each; the originals know 1024 or 4096.
const MAX_OTHERS: usize = 4096;

/// All assets by id, and the way to get them.
#[derive(Clone, Debug)]
pub struct Assets {
    vfs: Vfs,
    settings: AssetSettings,
    /// Counts registrations; the order of drawing follows it.
    sequence: u64,
    epoch: u32,
    shaders: Shaders,
    images: Registry<Image>,
    models: Registry<Model>,
    skins: Registry<Skin>,
    sounds: Registry<Sound>,
    /// Sounds are loaded.
    hears: bool,
    animations: Registry<AnimationConfig>,
    raws: Registry<Vec<u8>>,
    world: Option<World>,
    budgets: Budgets,
    loader: Loader,
    next_map: NextMap,
    /// Who unpacks and decodes files.
    jobs: JobQueue,
    messages: Vec<String>,
}

/// The map, once asked for.
#[derive(Clone, Debug)]
struct World {
    /// `oa_dm1`, without folder and extension.
    name: String,
    order: u64,
    state: AssetState,
    bsp: Option<Arc<Bsp>>,
    surface_shaders: Vec<ShaderId>,
    fog_shaders: Vec<ShaderId>,
}

/// An id whose state can be asked for.
pub trait AssetId: Copy {
    fn state(self, assets: &Assets) -> AssetState;
}

impl Assets {
    /// Whether no file is on its way.
    pub fn is_idle(&self) -> bool {
        self.loader.is_idle() && !self.vfs.is_busy()
    }

    pub fn new(settings: AssetSettings) -> Self {
        let mut assets = Self::empty(settings);
        assets.add_builtin_images();
        assets
    }

    fn empty(settings: AssetSettings) -> Self {
        Self {
            vfs: Vfs::default(),
            settings,
            sequence: 0,
            epoch: 0,
            shaders: Shaders::default(),
            images: Registry::new(MAX_IMAGES),
            models: Registry::new(MAX_OTHERS),
            skins: Registry::new(MAX_OTHERS),
            sounds: Registry::new(MAX_OTHERS),
            hears: true,
            animations: Registry::new(MAX_OTHERS),
            raws: Registry::new(MAX_OTHERS),
            world: None,
            budgets: Budgets::new(Limits::DESKTOP),
            loader: Loader::default(),
            next_map: NextMap::default(),
            jobs: JobQueue::default(),
            messages: Vec::new(),
        }
    }

    /// Uses nothing that servers have handed out.
    pub fn use_own_paks(&mut self, settings: AssetSettings) {
        let before = self.vfs.generation();
        self.vfs.set_fetched(Fetched::None);
        if before != self.vfs.generation() {
            self.reset(settings);
        }
    }

    /// Forgets everything but the sources: all ids become invalid. For a change of game, of a pure
    /// server's paks, or of settings.
    pub fn reset(&mut self, settings: AssetSettings) {
        let vfs = std::mem::take(&mut self.vfs);
        let jobs = std::mem::take(&mut self.jobs);
        let epoch = self.epoch + 1;
        let budgets = Budgets::new(*self.budgets.limits());
        *self = Self {
            vfs,
            jobs,
            epoch,
            budgets,
            ..Self::new(settings)
        };
    }

    /// Whether somebody else unpacks and decodes files while a frame is drawn.
    pub fn decodes_beside(&self) -> bool {
        self.jobs.is_there()
    }

    /// Whether files have come that are not prepared yet.
    pub fn has_arrivals(&self) -> bool {
        self.loader.has_arrivals()
    }

    /// Sets what assets may cost together; meant for the start.
    pub fn set_limits(&mut self, limits: Limits) {
        self.budgets = Budgets::new(limits);
    }

    /// Whether so much has come together, as it does over many levels, that the next one should begin with a
    /// [`Assets::reset`].
    pub fn is_crowded(&self) -> bool {
        self.budgets.is_crowded()
            || self.images.is_crowded()
            || self.models.is_crowded()
            || self.skins.is_crowded()
            || self.sounds.is_crowded()
            || self.animations.is_crowded()
            || self.raws.is_crowded()
            || self.shaders.is_crowded()
    }

    /// Changes with every [`Assets::reset`]; what was kept by id is to be thrown away then.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Names, paks and the proof for pure servers.
    pub fn vfs(&self) -> &Vfs {
        &self.vfs
    }

    /// Chooses the game folders, first searched first, and the paks that a pure server allows.
    /// Returns whether names may resolve differently than before: then call [`Assets::reset`].
    pub fn choose_paks(
        &mut self,
        games: &[String],
        pure: Option<Vec<i32>>,
        fetched: Fetched,
    ) -> bool {
        let before = self.vfs.generation();
        self.vfs.set_fetched(fetched);
        self.vfs.set_games(games);
        self.vfs.set_pure(pure);
        before != self.vfs.generation()
    }

    /// To choose games and pure paks; call [`Assets::reset`] afterwards.
    pub fn vfs_mut(&mut self) -> &mut Vfs {
        &mut self.vfs
    }

    pub fn add_source(&mut self, found: FoundSource) {
        self.vfs.add_source(found);
    }

    /// Forgets a source; gives its name.
    pub fn remove_source(&mut self, id: SourceId) -> Option<String> {
        self.vfs.remove_source(id)
    }

    pub fn set_sources_complete(&mut self) {
        self.vfs.set_sources_complete();
    }

    pub fn set_sources_coming(&mut self, count: u32) {
        self.vfs.set_sources_coming(count);
    }

    pub fn next_read(&mut self) -> Option<ReadRequest> {
        self.vfs.next_read()
    }

    pub fn handle_read(&mut self, id: ReadId, result: Result<Vec<u8>, String>) {
        self.vfs.handle_read(id, result);
    }

    /// A model: `models/x.md3`, or `*1` for a part of the map.
    pub fn register_model(&mut self, name: &str) -> ModelId {
        let order = self.next_order();
        let task = |id| ModelTask(ModelId(id), order);
        ModelId(self.register("models", |assets| &mut assets.models, name, task))
    }

    /// A material for pictures, sprites, marks and beams, whose image may be made smaller.
    pub fn register_shader(&mut self, name: &str) -> ShaderId {
        let order = self.next_order();
        self.register_material(name, Lightmap::TwoD, true, order)
    }

    /// A material for pictures of the HUD and menus, kept sharp.
    pub fn register_shader_no_mip(&mut self, name: &str) -> ShaderId {
        let order = self.next_order();
        self.register_material(name, Lightmap::TwoD, false, order)
    }

    /// A picture that is shown while everything else is still on its way, so it comes before all that waits.
    pub fn register_shader_urgent(&mut self, name: &str) -> ShaderId {
        let order = self.next_order();
        self.register_urgent(name, order)
    }

    /// A material of a map's surface, with the lightmap number that the map stores.
    pub fn register_world_shader(&mut self, name: &str, lightmap_index: i32) -> ShaderId {
        let count = self.world().map_or(0, |bsp| bsp.lightmap_images().len());
        let order = self.next_order();
        self.register_material(name, Lightmap::from_map(lightmap_index, count), true, order)
    }

    /// A skin: `models/players/x/head_default.skin`, or the name of one material.
    pub fn register_skin(&mut self, name: &str) -> SkinId {
        let order = self.next_order();
        let task = |id| SkinFile(SkinId(id), order);
        SkinId(self.register("skins", |assets| &mut assets.skins, name, task))
    }

    pub fn register_sound(&mut self, name: &str) -> SoundId {
        let Some((id, is_new)) = self.sounds.register(asset_name(name)) else {
            self.tell_full("sounds");
            return SoundId(u32::MAX);
        };
        if is_new {
            self.loader.add_spare(SoundTask(SoundId(id)));
        }
        SoundId(id)
    }

    /// A player model's `animation.cfg`.
    pub fn register_animation(&mut self, name: &str) -> AnimationId {
        let task = |id| AnimationFile(AnimationId(id));
        AnimationId(self.register("animations", |assets| &mut assets.animations, name, task))
    }

    /// Any file, as its bytes.
    pub fn register_file(&mut self, name: &str) -> RawId {
        let task = |id| RawFile(RawId(id));
        RawId(self.register("files", |assets| &mut assets.raws, name, task))
    }

    /// The number of a name; its task loads what is new. What is too much gets a number that nothing has.
    fn register<T, K: Task + 'static>(
        &mut self,
        kind: &str,
        registry: fn(&mut Self) -> &mut Registry<T>,
        name: &str,
        task: impl FnOnce(u32) -> K,
    ) -> u32 {
        let Some((id, is_new)) = registry(self).register(asset_name(name)) else {
            self.tell_full(kind);
            return u32::MAX;
        };
        if is_new {
            self.loader.add(task(id));
        }
        id
    }

    /// Begins to load a map, `oa_dm1` or `maps/oa_dm1.bsp`, if it is not there already; an earlier one is dropped.
    pub fn load_world(&mut self, map: &str) {
        let name = asset_name(map);
        let name = name.strip_prefix("maps/").unwrap_or(&name);
        let name = name.strip_suffix(".bsp").unwrap_or(name).to_owned();
        let is_same = self.world.as_ref().is_some_and(|world| world.name == name);
        if is_same && self.world_state() != AssetState::Missing {
            return;
        }
        let order = self.next_order();
        self.world = Some(World {
            name,
            order,
            state: AssetState::Wanted,
            bsp: None,
            surface_shaders: Vec::new(),
            fog_shaders: Vec::new(),
        });
        self.loader.add_first(WorldTask);
    }

    /// Draws `new` wherever `old` is asked for; the same name twice ends that.
    pub fn remap_shader(&mut self, old: &str, new: &str, time_offset: f32) {
        for id in self.shaders.named(old) {
            let Some(entry) = self.shaders.entry(id) else {
                continue;
            };
            let (lightmap, use_mipmaps) = (entry.lightmap, entry.use_mipmaps);
            let replacement = (!old.eq_ignore_ascii_case(new)).then(|| {
                let order = self.next_order();
                (
                    self.register_material(new, lightmap, use_mipmaps, order),
                    time_offset,
                )
            });
            self.shaders.replace(id, replacement);
        }
    }

    pub fn world(&self) -> Option<&Arc<Bsp>> {
        self.world.as_ref()?.bsp.as_ref()
    }

    /// What became of the map; missing if none was asked for.
    pub fn world_state(&self) -> AssetState {
        self.world
            .as_ref()
            .map_or(AssetState::Missing, |world| world.state)
    }

    /// The material of each surface of the map.
    pub fn world_surface_shaders(&self) -> &[ShaderId] {
        self.world
            .as_ref()
            .map_or(&[], |world| &world.surface_shaders)
    }

    /// The material of each fog of the map.
    pub fn world_fog_shaders(&self) -> &[ShaderId] {
        self.world.as_ref().map_or(&[], |world| &world.fog_shaders)
    }

    pub fn model(&self, id: ModelId) -> Option<&Arc<Model>> {
        self.models.get(id.0)
    }

    /// The finished material, known as soon as the scripts are; its images may still be on their
    /// way. What does not exist gets the default material.
    pub fn shader(&self, id: ShaderId) -> Option<&Arc<Material>> {
        self.shaders.material(id)
    }

    /// The same, once no image of it is still on its way; until then it would be white.
    pub fn complete_shader(&self, id: ShaderId) -> Option<&Arc<Material>> {
        self.shaders.complete(id)
    }

    pub fn image(&self, id: ImageId) -> Option<&Arc<Image>> {
        self.images.get(id.0)
    }

    pub fn skin(&self, id: SkinId) -> Option<&Arc<Skin>> {
        self.skins.get(id.0)
    }

    pub fn sound(&self, id: SoundId) -> Option<&Arc<Sound>> {
        self.sounds.get(id.0)
    }

    /// The name that a model was registered by; empty for ids of an earlier life.
    pub fn model_name(&self, id: ModelId) -> &str {
        self.models.name(id.0)
    }

    /// The name that a sound was registered by; empty for ids of an earlier life.
    pub fn sound_name(&self, id: SoundId) -> &str {
        self.sounds.name(id.0)
    }

    /// All sounds by name, those that are still on their way or missing without samples.
    pub fn sounds(&self) -> impl Iterator<Item = (&str, Option<&Arc<Sound>>)> {
        self.sounds.all()
    }

    /// A line per asset that was asked for: its name and, once it is here, what it is.
    pub fn listed(&self, kind: Listed) -> Vec<String> {
        fn lines<'a, T: 'a>(
            all: impl Iterator<Item = (&'a str, Option<&'a Arc<T>>)>,
            tell: impl Fn(&T) -> String,
        ) -> Vec<String> {
            let line = |(name, value): (&str, Option<&Arc<T>>)| match value {
                Some(value) => format!("{name}  {}", tell(value)),
                None => format!("{name}  (not here)"),
            };
            all.map(line).collect()
        }
        match kind {
            Listed::Shaders => lines(self.shaders.all(), |material| {
                format!("{} stages", material.stages.len())
            }),
            Listed::Images => lines(self.images.all(), |image| {
                format!("{}x{}", image.width, image.height)
            }),
            Listed::Models => lines(self.models.all(), |model| match model {
                Model::Mesh(mesh) => format!("{} levels of detail", mesh.lods.len()),
                Model::Brush(number) => format!("part {number} of the map"),
            }),
            Listed::Skins => lines(self.skins.all(), |_| String::new()),
        }
    }

    pub fn animation(&self, id: AnimationId) -> Option<&Arc<AnimationConfig>> {
        self.animations.get(id.0)
    }

    pub fn file(&self, id: RawId) -> Option<&Arc<Vec<u8>>> {
        self.raws.get(id.0)
    }

    pub fn state(&self, id: impl AssetId) -> AssetState {
        id.state(self)
    }

    /// Whether a material and all its images have arrived, or never will.
    pub fn is_settled(&self, id: ShaderId) -> bool {
        match self.shader(id) {
            Some(_) => self.complete_shader(id).is_some(),
            None => self.state(id) != AssetState::Wanted,
        }
    }

    /// Whether a model that was put off is still on its way, or a material that it wears.
    pub fn is_coming(&self, id: ModelId) -> bool {
        self.streams() && self.is_incomplete(id)
    }

    fn is_incomplete(&self, id: ModelId) -> bool {
        match self.model(id).map(Arc::as_ref) {
            Some(Model::Mesh(mesh)) => mesh.lods.first().is_some_and(|lod| {
                let mut shaders = lod.shaders.iter().flatten();
                !shaders.all(|shader| self.is_settled(*shader))
            }),
            Some(Model::Brush(_)) => false,
            None => self.state(id) == AssetState::Wanted,
        }
    }

    pub fn is_missing(&self, id: impl AssetId) -> bool {
        self.state(id) == AssetState::Missing
    }

    /// How many materials were registered; their ids are all below.
    pub fn shader_count(&self) -> usize {
        self.shaders.ids().count()
    }

    pub fn progress(&self) -> Progress {
        let counts = self.counts();
        let sum = |index: usize| counts.iter().map(|(count, _)| count[index]).sum::<usize>();
        let world_state = self.world.as_ref().map(|world| world.state);
        let world = |state| usize::from(world_state == Some(state));
        let (bytes_wanted, bytes_arrived) = self.vfs.bytes();
        Progress {
            wanted: sum(0) + world(AssetState::Wanted),
            ready: sum(1) + world(AssetState::Ready),
            missing: sum(2) + world(AssetState::Missing),
            bytes_wanted,
            bytes_arrived,
        }
    }

    /// What is being loaded, in a word; `None` if nothing is.
    pub fn loading(&self) -> Option<&'static str> {
        if self.world_state() == AssetState::Wanted && self.world.is_some() {
            return Some("the map");
        }
        let mut counts = self.counts().into_iter();
        let (_, name) = counts.find(|([wanted, ..], _)| *wanted > 0)?;
        Some(name)
    }

    /// How many of each kind are wanted, ready and missing, and what they are called while they are loaded.
    fn counts(&self) -> [([usize; 3], &'static str); 7] {
        [
            (self.models.count(), "models"),
            (self.shaders.count(), "materials"),
            (self.images.count(), "pictures"),
            (self.sounds.count(), "sounds"),
            (self.skins.count(), "players"),
            (self.animations.count(), "players"),
            (self.raws.count(), "files"),
        ]
    }

    /// Lines about missing and defective assets since the last call, each told once.
    pub fn take_messages(&mut self) -> Vec<String> {
        let mut messages = self.vfs.take_messages();
        messages.append(&mut self.messages);
        messages
    }

    fn next_order(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence << 20
    }

    fn add_builtin_images(&mut self) {
        for image in builtin::images() {
            if let Some((id, _)) = self.images.register(image.name.clone()) {
                self.images.set(id, Some(image));
            }
        }
    }
}

/// Names are compared without case; they are stored with `/` and without a leading one.
fn asset_name(name: &str) -> String {
    let name = name.replace('\\', "/").to_ascii_lowercase();
    name.strip_prefix('/').map_or(name.clone(), str::to_owned)
}

macro_rules! asset_ids {
    ($($id:ident: $registry:ident),*) => {
        $(impl AssetId for $id {
            fn state(self, assets: &Assets) -> AssetState {
                assets.$registry.state(self.0)
            }
        })*
    };
}
asset_ids!(ImageId: images, ModelId: models, SkinId: skins, SoundId: sounds, AnimationId: animations, RawId: raws);

impl AssetId for ShaderId {
    fn state(self, assets: &Assets) -> AssetState {
        match assets.shaders.entry(self).map(|entry| &entry.material) {
            Some(None) => AssetState::Wanted,
            Some(Some(material)) if !material.is_default => AssetState::Ready,
            _ => AssetState::Missing,
        }
    }
}
