//! Quake "shaders": material scripts with stages.

mod general;
mod library;
mod stage;
pub mod terms;

pub use library::{Library, ScriptError};

use super::lexer::Lexer;
use terms::{
    AlphaFunc, AlphaGen, Blend, Cull, Deform, FogParms, RgbGen, SkyParms, Sun, TcGen, TcMod,
};

/// More stages than this make a script invalid.
pub const MAX_STAGES: usize = 8;

/// One material as its script describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Which side is not drawn.
    pub cull: Cull,
    /// Drawn a little nearer, so that it lies on other surfaces.
    pub polygon_offset: bool,
    /// `None` lets the stages decide.
    pub sort: Option<f32>,
    /// Bits of [`crate::types::trace::surface`].
    pub surface_flags: u32,
    /// Bits of [`crate::types::trace::contents`].
    pub content_flags: u32,
    /// Entities with it may be drawn together.
    pub entity_mergable: bool,
    /// Seconds that its time never exceeds.
    pub clamp_time: Option<f32>,
    /// Changes of shape, in order.
    pub deforms: Vec<Deform>,
    /// It is a sky.
    pub sky: Option<SkyParms>,
    /// It is a fog.
    pub fog: Option<FogParms>,
    /// The sun that shines with it.
    pub sun: Option<Sun>,
    /// What is painted, in order.
    pub stages: Vec<StageScript>,
}

/// One stage as its script describes it, with all defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct StageScript {
    /// What it paints with.
    pub map: Map,
    /// How its images are to be prepared.
    pub use_mipmaps: bool,
    /// `r_picmip` may make them smaller.
    pub use_picmip: bool,
    /// `None` replaces what is there.
    pub blend: Option<Blend>,
    /// Which pixels are kept; `None` keeps all.
    pub alpha_func: Option<AlphaFunc>,
    /// Painted only where the depth is the same.
    pub depth_equal: bool,
    /// It hides what is drawn behind it later.
    pub depth_write: bool,
    /// Left out without `r_detailTextures`.
    pub is_detail: bool,
    /// Where its color comes from.
    pub rgb_gen: RgbGen,
    /// Where its alpha comes from.
    pub alpha_gen: AlphaGen,
    /// `None`: lightmap coordinates for the lightmap, else the surface's own.
    pub tc_gen: Option<TcGen>,
    /// Changes of texture coordinates, in order.
    pub tc_mods: Vec<TcMod>,
}

/// What a stage paints with, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Map {
    /// No image was named: the stage and all after it are not drawn.
    #[default]
    None,
    /// A white pixel.
    White,
    /// The surface's lightmap.
    Lightmap,
    /// One image.
    Image {
        /// Its name.
        name: String,
        /// It does not repeat beyond its edges.
        clamp: bool,
    },
    /// Frames in turn, so many per second.
    Animation {
        /// Frames a second.
        fps: f32,
        /// The frames' names.
        names: Vec<String>,
    },
    /// A looping film.
    Video(String),
}

/// What is wrong, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    line: usize,
    text: String,
}

impl Problem {
    fn new(lexer: &Lexer<'_>, text: impl Into<String>) -> Self {
        Self {
            line: lexer.line(),
            text: text.into(),
        }
    }
}

/// Reads the text between the braces of a material; `lexer` stands behind its name.
fn parse(lexer: &mut Lexer<'_>) -> Result<Script, Problem> {
    if !lexer.token().is_some_and(|token| token.starts_with('{')) {
        return Err(Problem::new(lexer, "expected { after the name"));
    }
    let mut script = Script::default();
    let mut images = general::ImageOptions::default();
    loop {
        match lexer.token() {
            None | Some("") => {
                return Err(Problem::new(lexer, "the text ends before the closing }"));
            }
            Some(token) if token.starts_with('}') => break,
            Some(token) if token.starts_with('{') => {
                if script.stages.len() == MAX_STAGES {
                    return Err(Problem::new(
                        lexer,
                        format!("more than {MAX_STAGES} stages"),
                    ));
                }
                let stage = stage::parse(lexer, images)?;
                script.stages.push(stage);
            }
            Some(keyword) => general::parse(&mut script, &mut images, keyword, lexer)?,
        }
    }
    let may_be_empty = script.sky.is_some() || script.content_flags & terms::contents::FOG != 0;
    if script.stages.is_empty() && !may_be_empty {
        return Err(Problem::new(lexer, "there are no stages"));
    }
    Ok(script)
}
