//! Images: which files may hold one, and its pixels at the sizes that are drawn.

use super::{FileUse, Prepared, Task, Weigh};
use crate::{
    assets::{
        AssetState, Assets, ImageId, asset_name,
        budget::Kind,
        builtin, decode,
        finish::default_material,
        image::{Image, ImageOptions, TextureLimits},
        loader::Priority,
        vfs::Packed,
    },
    jobs::JobHandle,
};
use shared::formats::{PICTURE_EXTENSIONS, light};

/// Most images are known by so many bytes of their head, nearly all others by these.
const HEADS: [usize; 2] = [4 << 10, 64 << 10];

#[derive(Clone, Copy, Debug)]
struct ImageTask(ImageId);

#[derive(Clone, Copy, Debug)]
struct ImageFile(ImageId);

#[derive(Clone, Debug)]
pub(in crate::assets) struct ImageWork {
    options: ImageOptions,
    /// Files that may hold it, best last.
    candidates: Vec<String>,
    priority: Priority,
    opened: String,
}

impl Task for ImageTask {
    fn open(&self, assets: &mut Assets) {
        assets.open_image(self.0);
    }
}

impl FileUse for ImageFile {
    fn cost(&self, assets: &mut Assets, file: &Packed) -> Result<u64, String> {
        Ok(file.size() + assets.image_cost(self.0, file)?)
    }

    fn prepare(&self, assets: &Assets, file: Result<Packed, String>) -> JobHandle<Prepared> {
        let Self(id) = *self;
        let recipe = assets.image_recipe(id);
        let make = move |bytes: Vec<u8>| recipe.make(&bytes);
        assets.prepare_file(file, make, move |assets, image| {
            assets.finish_image(id, image);
        })
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

impl Weigh for MadeImage {
    fn weight(&self) -> usize {
        self.image.levels.iter().map(Vec::len).sum::<usize>() * 2
    }
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
    /// The image of a name, if a file for it exists.
    pub(in crate::assets) fn find_image(
        &mut self,
        name: &str,
        options: ImageOptions,
        priority: Priority,
    ) -> Option<ImageId> {
        if let Some(id) = self.images.find(name) {
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
            priority,
            opened: String::new(),
        };
        self.loader.images.insert(id, work);
        self.loader.add(ImageTask(id));
        Some(id)
    }

    /// Existing files that may hold an image, best first; the extension counts more than the pak.
    fn image_candidates(&self, name: &str) -> Vec<String> {
        let lower = asset_name(name);
        let own = decode::extension(&lower);
        let is_known = PICTURE_EXTENSIONS.contains(&own);
        let stem = if is_known {
            decode::strip_extension(&lower)
        } else {
            &lower
        };
        let first = is_known.then(|| lower.clone());
        let others = PICTURE_EXTENSIONS
            .iter()
            .filter(|&&other| other != own || !is_known);
        first
            .into_iter()
            .chain(others.map(|extension| format!("{stem}.{extension}")))
            .filter(|path| self.vfs.exists(path))
            .collect()
    }

    fn open_image(&mut self, id: ImageId) {
        while let Some(work) = self.loader.images.get_mut(&id) {
            let Some(candidate) = work.candidates.pop() else {
                self.loader.images.remove(&id);
                return self.fail_image(id);
            };
            work.opened.clone_from(&candidate);
            let (priority, max_bytes) = (work.priority, decode::MAX_DECODE_BYTES);
            if self.open_in(priority, &candidate, max_bytes, ImageFile(id)) {
                return;
            }
        }
    }

    fn image_cost(&mut self, id: ImageId, file: &Packed) -> Result<u64, String> {
        let path = &self.image_recipe(id).path;
        let mut is_light = false;
        let size = HEADS.iter().find_map(|&count| {
            let head = file.head(count);
            is_light = light::is_light(&head);
            decode::size_of(path, &head)
        });
        // One that hides its size may have any that can be decoded.
        let size = size.unwrap_or([8192, 4096]);
        let decoded = decode::cost(path, is_light, size)?;
        let pixels = size.map(u64::from).iter().product();
        if !self.budgets.spend(Kind::Pixels, pixels) {
            self.leave_out(Kind::Pixels, path);
            return Err(String::new());
        }
        let prepared = self.settings.textures.cost(size);
        Ok(decoded.max(prepared))
    }

    fn image_recipe(&self, id: ImageId) -> ImageRecipe {
        let work = self.loader.images.get(&id);
        ImageRecipe {
            name: self.images.name(id.0).to_owned(),
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
        let path = work.opened.clone();
        let Some(MadeImage { image, is_reduced }) = self.ok_or_tell(&path, result) else {
            return self.open_image(id);
        };
        self.loader.images.remove(&id);
        let bytes: usize = image.levels.iter().map(Vec::len).sum();
        self.budgets.count(Kind::Images, bytes as u64);
        if is_reduced {
            self.leave_out(Kind::Images, &path);
        }
        self.set_image(id, Some(image));
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

    pub(in crate::assets) fn set_image(&mut self, id: ImageId, image: Option<Image>) {
        self.images.set(id.0, image);
        let images = &self.images;
        let is_here = |image: ImageId| images.state(image.0) != AssetState::Wanted;
        self.shaders.complete_those_with(id, is_here);
    }
}
