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

#[derive(Debug, Default)]
pub(super) struct Shaders {
    entries: Vec<Entry>,
    /// Those of whose images some are still on their way.
    incomplete: BTreeSet<ShaderId>,
    by_key: HashMap<(String, Lightmap), ShaderId>,
}

#[derive(Debug)]
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

impl Shaders {
    /// The number of a name, and whether it is new. An earlier order replaces a later one.
    pub fn register(
        &mut self,
        name: &str,
        lightmap: Lightmap,
        use_mipmaps: bool,
        order: u64,
    ) -> (ShaderId, bool) {
        let request = name.replace('\\', "/");
        let stripped = strip_extension(&request).to_owned();
        let key = (stripped.to_ascii_lowercase(), lightmap);
        if let Some(&id) = self.by_key.get(&key) {
            self.move_forward(id, order);
            return (id, false);
        }
        let id = ShaderId(self.entries.len() as u32);
        self.entries.push(Entry {
            name: stripped,
            request,
            lightmap,
            use_mipmaps,
            order,
            material: None,
            is_complete: false,
            replacement: None,
        });
        self.by_key.insert(key, id);
        (id, true)
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
        if let Some(entry) = self.entries.get_mut(id.0 as usize) {
            entry.is_complete = material.images().all(is_here);
            if entry.is_complete {
                self.incomplete.remove(&id);
            } else {
                self.incomplete.insert(id);
            }
            entry.material = Some(Arc::new(material));
        }
        self.refresh_replacements();
    }

    /// Finds those that the latest image was the last for.
    pub fn complete_those_with(&mut self, is_here: impl Fn(ImageId) -> bool) {
        let entries = &mut self.entries;
        self.incomplete.retain(|id| {
            let Some(entry) = entries.get_mut(id.0 as usize) else {
                return false;
            };
            let mut images = entry.material.iter().flat_map(|material| material.images());
            entry.is_complete = images.all(&is_here);
            !entry.is_complete
        });
    }

    /// All numbers whose name is this, whatever their light.
    pub fn named(&self, name: &str) -> Vec<ShaderId> {
        let stripped = strip_extension(name);
        let matches = |entry: &Entry| entry.name.eq_ignore_ascii_case(stripped);
        self.ids()
            .filter(|&id| self.entry(id).is_some_and(matches))
            .collect()
    }

    pub fn replace(&mut self, id: ShaderId, replacement: Option<(ShaderId, f32)>) {
        if let Some(entry) = self.entries.get_mut(id.0 as usize) {
            entry.replacement = replacement.map(|(shader, time_offset)| Replacement {
                shader,
                time_offset,
                material: None,
            });
        }
        self.refresh_replacements();
    }

    /// All by name, those that are not made yet without material.
    pub fn all(&self) -> impl Iterator<Item = (&String, Option<&Material>)> {
        self.entries
            .iter()
            .map(|entry| (&entry.name, entry.material.as_deref()))
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

    fn refresh_replacements(&mut self) {
        for index in 0..self.entries.len() {
            let Some(replacement) = self.entries[index].replacement.clone() else {
                continue;
            };
            let material = self
                .entry(replacement.shader)
                .and_then(|entry| entry.material.clone());
            let material = material.map(|mut material| {
                Arc::make_mut(&mut material).time_offset = replacement.time_offset;
                material
            });
            self.entries[index].replacement = Some(Replacement {
                material,
                ..replacement
            });
        }
    }
}
