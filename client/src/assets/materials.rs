//! Materials by name, made as soon as the scripts are known.

use super::{
    AssetState, Assets, ImageId,
    finish::{default_material, explicit_material, implicit_material},
    image::ImageOptions,
    kinds::Scripts,
    loader::Priority,
    material::{Lightmap, Material},
    shaders::{Entry, LEFT_OUT},
};
use crate::scene::ShaderId;

impl Assets {
    pub(super) fn register_material(
        &mut self,
        name: &str,
        lightmap: Lightmap,
        use_mipmaps: bool,
        order: u64,
    ) -> ShaderId {
        self.register_in(Priority::InTurn, name, lightmap, use_mipmaps, order)
    }

    fn register_in(
        &mut self,
        priority: Priority,
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
        if is_new && matches!(self.loader.scripts, Scripts::Ready(_)) {
            self.resolve_material(id, priority);
        } else if is_new {
            self.loader.unresolved.push((id, priority));
        }
        id
    }

    /// A picture that is shown while everything else is still on its way.
    pub(super) fn register_urgent(&mut self, name: &str, order: u64) -> ShaderId {
        let id = self.register_in(Priority::First, name, Lightmap::TwoD, false, order);
        let mut waiting = self.loader.unresolved.iter_mut();
        if let Some((_, priority)) = waiting.find(|(waiting, _)| *waiting == id) {
            *priority = Priority::First;
        }
        id
    }

    pub(super) fn resolve_material(&mut self, id: ShaderId, priority: Priority) {
        let Some(entry) = self.shaders.entry(id).cloned() else {
            return;
        };
        let Some(made) = self.make_material(&entry, priority) else {
            return;
        };
        let material = made.unwrap_or_else(|problem| {
            self.tell(problem);
            default_material(&entry.name, entry.lightmap, entry.order)
        });
        self.set_material(id, material);
    }

    /// Makes a material of its script, or of the image that was asked for; an error says why there is neither. `None` while
    /// the scripts are on their way.
    pub(super) fn make_material(
        &mut self,
        entry: &Entry,
        priority: Priority,
    ) -> Option<Result<Material, String>> {
        let Scripts::Ready(library) = &self.loader.scripts else {
            return None;
        };
        let (name, lightmap, order) = (&*entry.name, entry.lightmap, entry.order);
        Some(match library.script(name) {
            Some(Ok(script)) => {
                let keep_details = self.settings.keep_details;
                let mut find = |image: &str, options| self.find_image(image, options, priority);
                explicit_material(name, lightmap, order, script, keep_details, &mut find).map_err(
                    |problem| format!("material {name}: {problem}; it is drawn as a grey box"),
                )
            }
            Some(Err(error)) => Err(error.to_string()),
            None => {
                let options = if entry.use_mipmaps {
                    ImageOptions::SURFACE
                } else {
                    ImageOptions::FLAT
                };
                let image = self.find_image(&entry.request, options, priority);
                let made = image.map(|image| implicit_material(name, lightmap, order, image));
                made.ok_or_else(|| {
                    format!("material {name}: there is neither a script nor an image of this name")
                })
            }
        })
    }

    pub(super) fn set_material(&mut self, id: ShaderId, material: Material) {
        let images = &self.images;
        let is_here = |image: ImageId| images.state(image.0) != AssetState::Wanted;
        self.shaders.set(id, material, is_here);
    }
}
