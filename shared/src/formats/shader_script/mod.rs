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
    pub cull: Cull,
    pub polygon_offset: bool,
    /// `None` lets the stages decide.
    pub sort: Option<f32>,
    pub surface_flags: u32,
    pub content_flags: u32,
    pub entity_mergable: bool,
    /// Seconds that its time never exceeds.
    pub clamp_time: Option<f32>,
    pub deforms: Vec<Deform>,
    pub sky: Option<SkyParms>,
    pub fog: Option<FogParms>,
    pub sun: Option<Sun>,
    pub stages: Vec<StageScript>,
}

/// One stage as its script describes it, with all defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct StageScript {
    pub map: Map,
    /// How its images are to be prepared.
    pub use_mipmaps: bool,
    pub use_picmip: bool,
    /// `None` replaces what is there.
    pub blend: Option<Blend>,
    pub alpha_func: Option<AlphaFunc>,
    pub depth_equal: bool,
    pub depth_write: bool,
    pub is_detail: bool,
    pub rgb_gen: RgbGen,
    pub alpha_gen: AlphaGen,
    /// `None`: lightmap coordinates for the lightmap, else the surface's own.
    pub tc_gen: Option<TcGen>,
    pub tc_mods: Vec<TcMod>,
}

/// What a stage paints with, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Map {
    /// No image was named: the stage and all after it are not drawn.
    #[default]
    None,
    White,
    Lightmap,
    Image {
        name: String,
        clamp: bool,
    },
    /// Frames in turn, so many per second.
    Animation {
        fps: f32,
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
    let may_be_empty =
        script.sky.is_some() || script.content_flags & terms::surface::CONTENTS_FOG != 0;
    if script.stages.is_empty() && !may_be_empty {
        return Err(Problem::new(lexer, "there are no stages"));
    }
    Ok(script)
}
