//! Material: a finished "shader" of Quake 3, ready to be drawn.

use super::ImageId;
use shared::formats::shader_script::terms::{
    AlphaFunc, AlphaGen, Blend, Cull, Deform, FogParms, RgbGen, Sun, TcGen, TcMod,
};

/// How a surface looks: everything the renderer needs, except the pixels of the images.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// As registered, without extension.
    pub name: String,
    pub lightmap: Lightmap,
    /// Lower is drawn first; ties are broken by `order`.
    pub sort: f32,
    /// Grows with the time of registration, however late the bytes arrived.
    pub order: u64,
    /// Neither script nor image was found, or the script is defective: drawn as a grey box texture.
    pub is_default: bool,
    /// A script describes it, not only an image.
    pub is_explicit: bool,
    pub cull: Cull,
    pub polygon_offset: bool,
    /// Bits of `shared::types::trace::surface`.
    pub surface_flags: u32,
    pub content_flags: u32,
    /// Sprites of different entities may share one batch.
    pub entity_mergable: bool,
    /// Seconds that its time never exceeds.
    pub clamp_time: Option<f32>,
    /// Seconds to take off its time; set by remaps.
    pub time_offset: f32,
    pub deforms: Vec<Deform>,
    /// Only stages that are drawn, in order.
    pub stages: Vec<Stage>,
    /// How the first two stages are drawn as one.
    pub collapse: Option<Collapse>,
    pub sky: Option<Sky>,
    pub fog: Option<FogParms>,
    pub fog_pass: FogPass,
    pub sun: Option<Sun>,
}

impl Material {
    /// A material without stages.
    pub fn blank(name: &str, lightmap: Lightmap, order: u64) -> Self {
        Self {
            name: name.to_owned(),
            lightmap,
            sort: 0.0,
            order,
            is_default: false,
            is_explicit: false,
            cull: Cull::Back,
            polygon_offset: false,
            surface_flags: 0,
            content_flags: 0,
            entity_mergable: false,
            clamp_time: None,
            time_offset: 0.0,
            deforms: Vec::new(),
            stages: Vec::new(),
            collapse: None,
            sky: None,
            fog: None,
            fog_pass: FogPass::None,
            sun: None,
        }
    }

    /// Every image that it may show.
    pub fn images(&self) -> impl Iterator<Item = ImageId> {
        let sky = self.sky.iter().filter_map(|sky| sky.far_box).flatten();
        let stages = self.stages.iter().flat_map(|stage| stage.image.all());
        stages.copied().chain(sky)
    }
}

/// Which light a material was looked up for; the same name may look different for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lightmap {
    /// A lightmap of the map.
    Number(u16),
    /// Models, skins and fogs.
    None,
    /// Full brightness.
    White,
    /// Colors of the vertices: triangle soups and maps without lightmaps.
    Vertex,
    /// Everything flat, and sprites, marks and beams.
    TwoD,
}

impl Lightmap {
    /// From the number stored in a map's surface; `count` is how many lightmaps the map has.
    pub fn from_map(number: i32, count: usize) -> Self {
        match number {
            -1 => Self::None,
            -2 => Self::White,
            -4 => Self::TwoD,
            _ => match u16::try_from(number) {
                Ok(number) if usize::from(number) < count => Self::Number(number),
                _ => Self::Vertex,
            },
        }
    }
}

/// One pass over the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    pub image: StageImage,
    /// `None` replaces what is there.
    pub blend: Option<Blend>,
    pub alpha_func: Option<AlphaFunc>,
    /// Drawn only where the depth is exactly the same, not nearer.
    pub depth_equal: bool,
    /// Off only for pictures without a script.
    pub depth_test: bool,
    pub depth_write: bool,
    pub rgb_gen: RgbGen,
    pub alpha_gen: AlphaGen,
    pub tc_gen: TcGen,
    pub tc_mods: Vec<TcMod>,
    pub fog_adjust: FogAdjust,
}

impl Stage {
    /// One that replaces what is behind it.
    pub fn new(image: StageImage, rgb_gen: RgbGen) -> Self {
        Self {
            image,
            blend: None,
            alpha_func: None,
            depth_equal: false,
            depth_test: true,
            depth_write: true,
            rgb_gen,
            alpha_gen: AlphaGen::Identity,
            tc_gen: TcGen::Base,
            tc_mods: Vec::new(),
            fog_adjust: FogAdjust::None,
        }
    }
}

/// What a stage paints with.
#[derive(Clone, Debug, PartialEq)]
pub enum StageImage {
    Image(ImageId),
    /// The lightmap that `Material::lightmap` names; always a `Number`.
    Lightmap,
    /// Frames in turn, so many per second; never empty.
    Animation {
        fps: f32,
        frames: Vec<ImageId>,
    },
}

impl StageImage {
    /// Every image that it ever shows.
    pub fn all(&self) -> &[ImageId] {
        match self {
            Self::Image(id) => std::slice::from_ref(id),
            Self::Lightmap => &[],
            Self::Animation { frames, .. } => frames,
        }
    }

    /// The image at a shader time in seconds; `None` for the lightmap.
    pub fn at(&self, seconds: f64) -> Option<ImageId> {
        match self {
            Self::Image(id) => Some(*id),
            Self::Lightmap => None,
            Self::Animation { fps, frames } => {
                // The reference counts in 1024ths here as in its wave tables.
                let index = ((seconds * f64::from(*fps) * 1024.0) as i64 >> 10).max(0);
                Some(frames[index as usize % frames.len()])
            }
        }
    }
}

/// What fades when a blended stage lies in fog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FogAdjust {
    #[default]
    None,
    Rgb,
    Alpha,
    Rgba,
}

/// How the first two stages combine before they meet the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collapse {
    /// texture 0 · texture 1 · color.
    Modulate { blend: Option<Blend> },
    /// texture 0 · color + texture 1.
    Add { blend: Option<Blend> },
}

/// Whether a surface in fog is drawn once more in the fog's color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FogPass {
    #[default]
    None,
    /// Where the depth is exactly that of the stages.
    Equal,
    LessEqual,
}

/// A sky behind everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Sky {
    /// Right, left, back, front, up, down; `None` if there is no box.
    pub far_box: Option<[ImageId; 6]>,
    /// Height of the cloud layer in units.
    pub cloud_height: f32,
}
