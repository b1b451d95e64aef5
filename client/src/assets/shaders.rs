//! Registered materials: their names, order, and replacements.

use super::{
    ImageId,
    decode::strip_extension,
    material::{Lightmap, Material},
};
use crate::scene::ShaderId;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// Most materials of a level, as in the reference; the same name counts for each lightmap.
const MAX_SHADERS: usize = 16_384;

/// What stands for all that are too many.
pub(super) const LEFT_OUT: &str = "*left out";

/// Each step costs as much as the things it concerns, however many materials there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Shaders {
    entries: Vec<Entry>,
    by_key: HashMap<(String, Lightmap), ShaderId>,
    /// By the name in lower case, whatever the light.
    by_name: HashMap<String, Vec<ShaderId>>,
    /// Which materials have an image among theirs.
    by_image: HashMap<ImageId, BTreeSet<ShaderId>>,
    /// Instead of which materials a material is drawn.
    replaced: HashMap<ShaderId, BTreeSet<ShaderId>>,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Without extension, as first registered.
    pub name: String,
    /// With extension, for the image of a material without script.
    pub request: String,
    pub lightmap: Lightmap,
    /// Registered for surfaces rather than for pictures.
    pub use_mipmaps: bool,
    pub order: u64,
    pub material: Option<Arc<Material>>,
    /// No image of the material is still on its way.
    is_complete: bool,
    /// Drawn instead.
    pub replacement: Option<Replacement>,
}

#[derive(Clone, Debug)]
pub(super) struct Replacement {
    pub shader: ShaderId,
    pub time_offset: f32,
    pub material: Option<Arc<Material>>,
}

impl Entry {
    /// Without a material as yet.
    pub fn new(name: &str, lightmap: Lightmap, use_mipmaps: bool, order: u64) -> Self {
        let request = name.replace('\\', "/");
        Self {
            name: strip_extension(&request).to_owned(),
            request,
            lightmap,
            use_mipmaps,
            order,
            material: None,
            is_complete: false,
            replacement: None,
        }
    }
}

impl Shaders {
    /// The number of a name, and whether it is new; `None` if there are too many. An earlier order replaces a later one.
    pub fn register(
        &mut self,
        name: &str,
        lightmap: Lightmap,
        use_mipmaps: bool,
        order: u64,
    ) -> Option<(ShaderId, bool)> {
        let entry = Entry::new(name, lightmap, use_mipmaps, order);
        let key = (entry.name.to_ascii_lowercase(), lightmap);
        if let Some(&id) = self.by_key.get(&key) {
            self.move_forward(id, order);
            return Some((id, false));
        }
        if self.entries.len() >= MAX_SHADERS && entry.name != LEFT_OUT {
            return None;
        }
        let id = ShaderId(self.entries.len() as u32);
        self.entries.push(entry);
        let named = self.by_name.entry(key.0.clone()).or_default();
        named.push(id);
        self.by_key.insert(key, id);
        Some((id, true))
    }

    /// Whether half of all numbers are given.
    pub fn is_crowded(&self) -> bool {
        self.entries.len() > MAX_SHADERS / 2
    }

    pub fn entry(&self, id: ShaderId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)
    }

    /// What is drawn for a number, replacements included.
    pub fn material(&self, id: ShaderId) -> Option<&Arc<Material>> {
        Some(self.drawn(id)?.0)
    }

    /// The same, once it has all its images.
    pub fn complete(&self, id: ShaderId) -> Option<&Arc<Material>> {
        let (material, is_complete) = self.drawn(id)?;
        is_complete.then_some(material)
    }

    fn drawn(&self, id: ShaderId) -> Option<(&Arc<Material>, bool)> {
        let entry = self.entry(id)?;
        if let Some(replacement) = &entry.replacement
            && let Some(material) = &replacement.material
        {
            let origin = self.entry(replacement.shader)?;
            return Some((material, origin.is_complete));
        }
        Some((entry.material.as_ref()?, entry.is_complete))
    }

    /// Makes a material known; `is_here` tells whether an image has arrived or never will.
    pub fn set(&mut self, id: ShaderId, material: Material, is_here: impl Fn(ImageId) -> bool) {
        let Some(entry) = self.entries.get_mut(id.0 as usize) else {
            return;
        };
        entry.is_complete = material.images().all(is_here);
        for image in entry.material.iter().flat_map(|before| before.images()) {
            if let Some(users) = self.by_image.get_mut(&image) {
                users.remove(&id);
            }
        }
        for image in material.images() {
            self.by_image.entry(image).or_default().insert(id);
        }
        entry.material = Some(Arc::new(material));
        let replaced = self.replaced.get(&id).cloned().unwrap_or_default();
        for old in replaced {
            self.refresh_replacement(old);
        }
    }

    /// The materials that have an image among theirs.
    pub fn users(&self, image: ImageId) -> BTreeSet<ShaderId> {
        self.by_image.get(&image).cloned().unwrap_or_default()
    }

    /// Finds those that this image was the last for.
    pub fn complete_those_with(&mut self, image: ImageId, is_here: impl Fn(ImageId) -> bool) {
        let entries = &mut self.entries;
        for id in self.by_image.get(&image).into_iter().flatten() {
            if let Some(entry) = entries.get_mut(id.0 as usize)
                && !entry.is_complete
            {
                let mut images = entry.material.iter().flat_map(|material| material.images());
                entry.is_complete = images.all(&is_here);
            }
        }
    }

    /// All numbers whose name is this, whatever their light.
    pub fn named(&self, name: &str) -> Vec<ShaderId> {
        let stripped = strip_extension(name).to_ascii_lowercase();
        self.by_name.get(&stripped).cloned().unwrap_or_default()
    }

    pub fn replace(&mut self, id: ShaderId, replacement: Option<(ShaderId, f32)>) {
        let Some(entry) = self.entries.get_mut(id.0 as usize) else {
            return;
        };
        let before = std::mem::replace(
            &mut entry.replacement,
            replacement.map(|(shader, time_offset)| Replacement {
                shader,
                time_offset,
                material: None,
            }),
        );
        if let Some(replaced) = before.and_then(|before| self.replaced.get_mut(&before.shader)) {
            replaced.remove(&id);
        }
        if let Some((shader, _)) = replacement {
            self.replaced.entry(shader).or_default().insert(id);
        }
        self.refresh_replacement(id);
    }

    /// All by name, those that are not made yet without material.
    pub fn all(&self) -> impl Iterator<Item = (&str, Option<&Arc<Material>>)> {
        let entries = self.entries.iter();
        entries.map(|entry| (entry.name.as_str(), entry.material.as_ref()))
    }

    pub fn ids(&self) -> impl Iterator<Item = ShaderId> + use<> {
        (0..self.entries.len() as u32).map(ShaderId)
    }

    /// How many are wanted, ready and missing.
    pub fn count(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for entry in &self.entries {
            let index = match &entry.material {
                None => 0,
                Some(material) => 1 + usize::from(material.is_default),
            };
            counts[index] += 1;
        }
        counts
    }

    fn move_forward(&mut self, id: ShaderId, order: u64) {
        let Some(entry) = self.entries.get_mut(id.0 as usize) else {
            return;
        };
        if order < entry.order {
            entry.order = order;
            if let Some(material) = &mut entry.material {
                Arc::make_mut(material).order = order;
            }
        }
    }

    fn refresh_replacement(&mut self, id: ShaderId) {
        let Some(replacement) = self.entry(id).and_then(|entry| entry.replacement.clone()) else {
            return;
        };
        let origin = self.entry(replacement.shader);
        let mut material = origin.and_then(|entry| entry.material.clone());
        if let Some(material) = &mut material {
            Arc::make_mut(material).time_offset = replacement.time_offset;
        }
        if let Some(entry) = self.entries.get_mut(id.0 as usize) {
            entry.replacement = Some(Replacement {
                material,
                ..replacement
            });
        }
    }
}
