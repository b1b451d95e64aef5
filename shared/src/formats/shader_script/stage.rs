//! One stage of a material script.

use super::{
    Map, Problem, StageScript,
    general::{ImageOptions, number_on_line, skip_rest_of_line, vector, wave},
    terms::{AlphaFunc, AlphaGen, Blend, BlendFactor, RgbGen, TcGen, TcMod},
};
use crate::formats::lexer::{Lexer, number};
use glam::{Vec2, Vec3};

/// Frames of an animation that are used.
const MAX_FRAMES: usize = 8;
/// More texture coordinate changes than this make a script invalid.
const MAX_TC_MODS: usize = 4;
const DEFAULT_PORTAL_RANGE: f32 = 256.0;

/// What has been read of a stage so far.
#[derive(Default)]
struct Draft {
    map: Map,
    blend: Option<Blend>,
    alpha_func: Option<AlphaFunc>,
    depth_equal: bool,
    force_depth_write: bool,
    is_detail: bool,
    rgb_gen: Option<RgbGen>,
    alpha_gen: Option<AlphaGen>,
    tc_gen: Option<TcGen>,
    tc_mods: Vec<TcMod>,
    tc_mod_count: usize,
    tc_mods_ended: bool,
}

/// Reads up to the closing brace of a stage.
pub(super) fn parse(lexer: &mut Lexer<'_>, images: ImageOptions) -> Result<StageScript, Problem> {
    let mut draft = Draft::default();
    loop {
        match lexer.token() {
            None | Some("") => {
                return Err(Problem::new(lexer, "the text ends before the } of a stage"));
            }
            Some(token) if token.starts_with('}') => return Ok(draft.finish(images)),
            Some(keyword) => draft.line(keyword, lexer)?,
        }
    }
}

impl Draft {
    fn line(&mut self, keyword: &str, lexer: &mut Lexer<'_>) -> Result<(), Problem> {
        match keyword.to_ascii_lowercase().as_str() {
            "map" => self.map = map(needed(lexer, keyword)?, false),
            "clampmap" => self.map = map(needed(lexer, keyword)?, true),
            "animmap" => self.map = animation(needed(lexer, keyword)?, lexer),
            "videomap" => self.map = Map::Video(needed(lexer, keyword)?.to_owned()),
            "alphafunc" => self.alpha_func = alpha_func(needed(lexer, keyword)?),
            "depthfunc" => {
                self.depth_equal = depth_equal(needed(lexer, keyword)?, self.depth_equal)
            }
            "depthwrite" => self.force_depth_write = true,
            "detail" => self.is_detail = true,
            "blendfunc" => self.blend = blend(lexer).or(self.blend),
            "rgbgen" => self.rgb_gen(lexer),
            "alphagen" => self.alpha_gen = alpha_gen(lexer).or(self.alpha_gen),
            "tcgen" | "texgen" => self.tc_gen = tc_gen(lexer).or(self.tc_gen),
            "tcmod" => self.tc_mod(lexer)?,
            _ => {
                return Err(Problem::new(
                    lexer,
                    format!("unknown word {keyword:?} in a stage"),
                ));
            }
        }
        Ok(())
    }

    fn rgb_gen(&mut self, lexer: &mut Lexer<'_>) {
        let Some(word) = lexer.token_on_line() else {
            return;
        };
        let found = match word.to_ascii_lowercase().as_str() {
            "identity" => RgbGen::Identity,
            "identitylighting" => RgbGen::IdentityLighting,
            "entity" => RgbGen::Entity,
            "oneminusentity" => RgbGen::OneMinusEntity,
            "vertex" => {
                if matches!(self.alpha_gen, None | Some(AlphaGen::Identity)) {
                    self.alpha_gen = Some(AlphaGen::Vertex);
                }
                RgbGen::Vertex
            }
            "exactvertex" => RgbGen::ExactVertex,
            "oneminusvertex" => RgbGen::OneMinusVertex,
            "lightingdiffuse" => RgbGen::LightingDiffuse,
            "wave" => RgbGen::Wave(wave(lexer)),
            "const" => RgbGen::Const(vector(lexer).unwrap_or(Vec3::ZERO)),
            _ => return,
        };
        self.rgb_gen = Some(found);
    }

    /// A line that makes no sense ends the list without breaking the script.
    fn tc_mod(&mut self, lexer: &mut Lexer<'_>) -> Result<(), Problem> {
        self.tc_mod_count += 1;
        if self.tc_mod_count > MAX_TC_MODS {
            return Err(Problem::new(
                lexer,
                format!("more than {MAX_TC_MODS} tcMod lines in a stage"),
            ));
        }
        let found = tc_mod(lexer);
        skip_rest_of_line(lexer);
        self.tc_mods_ended |= found.is_none();
        if !self.tc_mods_ended {
            self.tc_mods.extend(found);
        }
        Ok(())
    }

    fn finish(self, images: ImageOptions) -> StageScript {
        let blend_keeps_depth = self.blend.is_none();
        let blend = self
            .blend
            .filter(|&blend| blend != Blend::new(BlendFactor::One, BlendFactor::Zero));
        let is_bright = match blend {
            None => true,
            Some(blend) => matches!(blend.src, BlendFactor::One | BlendFactor::SrcAlpha),
        };
        StageScript {
            map: self.map,
            use_mipmaps: images.use_mipmaps,
            use_picmip: images.use_picmip,
            blend,
            alpha_func: self.alpha_func,
            depth_equal: self.depth_equal,
            depth_write: self.force_depth_write || blend_keeps_depth || blend.is_none(),
            is_detail: self.is_detail,
            rgb_gen: self.rgb_gen.unwrap_or(if is_bright {
                RgbGen::IdentityLighting
            } else {
                RgbGen::Identity
            }),
            alpha_gen: self.alpha_gen.unwrap_or(AlphaGen::Identity),
            tc_gen: self.tc_gen,
            tc_mods: self.tc_mods,
        }
    }
}

fn needed<'a>(lexer: &mut Lexer<'a>, keyword: &str) -> Result<&'a str, Problem> {
    lexer
        .token_on_line()
        .ok_or_else(|| Problem::new(lexer, format!("{keyword:?} lacks its parameter")))
}

fn map(name: &str, clamp: bool) -> Map {
    match name.to_ascii_lowercase().as_str() {
        "$whiteimage" | "*white" if !clamp => Map::White,
        "$lightmap" if !clamp => Map::Lightmap,
        _ => Map::Image {
            name: name.to_owned(),
            clamp,
        },
    }
}

fn animation(fps: &str, lexer: &mut Lexer<'_>) -> Map {
    let mut names = Vec::new();
    while let Some(name) = lexer.token_on_line() {
        if names.len() < MAX_FRAMES {
            names.push(name.to_owned());
        }
    }
    Map::Animation {
        fps: number(fps),
        names,
    }
}

fn alpha_func(word: &str) -> Option<AlphaFunc> {
    match word.to_ascii_lowercase().as_str() {
        "gt0" => Some(AlphaFunc::Gt0),
        "lt128" => Some(AlphaFunc::Lt128),
        "ge128" => Some(AlphaFunc::Ge128),
        _ => None,
    }
}

fn depth_equal(word: &str, before: bool) -> bool {
    match word.to_ascii_lowercase().as_str() {
        "equal" => true,
        "lequal" => false,
        _ => before,
    }
}

fn blend(lexer: &mut Lexer<'_>) -> Option<Blend> {
    let first = lexer.token_on_line()?.to_ascii_lowercase();
    Some(match first.as_str() {
        "add" => Blend::ADD,
        "filter" => Blend::FILTER,
        "blend" => Blend::ALPHA,
        src => Blend::new(
            source_factor(src),
            target_factor(&lexer.token_on_line()?.to_ascii_lowercase()),
        ),
    })
}

fn source_factor(word: &str) -> BlendFactor {
    match word {
        "gl_zero" => BlendFactor::Zero,
        "gl_dst_color" => BlendFactor::DstColor,
        "gl_one_minus_dst_color" => BlendFactor::OneMinusDstColor,
        "gl_src_alpha_saturate" => BlendFactor::SrcAlphaSaturate,
        _ => alpha_factor(word),
    }
}

fn target_factor(word: &str) -> BlendFactor {
    match word {
        "gl_zero" => BlendFactor::Zero,
        "gl_src_color" => BlendFactor::SrcColor,
        "gl_one_minus_src_color" => BlendFactor::OneMinusSrcColor,
        _ => alpha_factor(word),
    }
}

/// The factors that both sides know; unknown words count as one.
fn alpha_factor(word: &str) -> BlendFactor {
    match word {
        "gl_src_alpha" => BlendFactor::SrcAlpha,
        "gl_one_minus_src_alpha" => BlendFactor::OneMinusSrcAlpha,
        "gl_dst_alpha" => BlendFactor::DstAlpha,
        "gl_one_minus_dst_alpha" => BlendFactor::OneMinusDstAlpha,
        _ => BlendFactor::One,
    }
}

fn alpha_gen(lexer: &mut Lexer<'_>) -> Option<AlphaGen> {
    Some(match lexer.token_on_line()?.to_ascii_lowercase().as_str() {
        "identity" => AlphaGen::Identity,
        "entity" => AlphaGen::Entity,
        "oneminusentity" => AlphaGen::OneMinusEntity,
        "vertex" => AlphaGen::Vertex,
        "oneminusvertex" => AlphaGen::OneMinusVertex,
        "lightingspecular" => AlphaGen::LightingSpecular,
        "wave" => AlphaGen::Wave(wave(lexer)),
        "const" => AlphaGen::Const(number_on_line(lexer)),
        "portal" => AlphaGen::Portal {
            range: lexer.token_on_line().map_or(DEFAULT_PORTAL_RANGE, number),
        },
        _ => return None,
    })
}

fn tc_gen(lexer: &mut Lexer<'_>) -> Option<TcGen> {
    Some(match lexer.token_on_line()?.to_ascii_lowercase().as_str() {
        "base" | "texture" => TcGen::Base,
        "lightmap" => TcGen::Lightmap,
        "environment" => TcGen::Environment,
        "vector" => TcGen::Vector {
            s: vector(lexer).unwrap_or(Vec3::ZERO),
            t: vector(lexer).unwrap_or(Vec3::ZERO),
        },
        _ => return None,
    })
}

fn tc_mod(lexer: &mut Lexer<'_>) -> Option<TcMod> {
    let kind = lexer.token_on_line()?.to_ascii_lowercase();
    if kind == "stretch" {
        let mut words = lexer.clone();
        let is_complete = (0..5).all(|_| words.token_on_line().is_some());
        return is_complete.then(|| TcMod::Stretch(wave(lexer)));
    }
    let mut next = || lexer.token_on_line().map(number);
    Some(match kind.as_str() {
        "scale" => TcMod::Scale(Vec2::new(next()?, next()?)),
        "scroll" => TcMod::Scroll(Vec2::new(next()?, next()?)),
        "rotate" => TcMod::Rotate(next()?),
        "turb" => {
            next()?; // base, unused
            TcMod::Turb {
                amplitude: next()?,
                phase: next()?,
                frequency: next()?,
            }
        }
        "transform" => TcMod::Transform {
            m00: next()?,
            m01: next()?,
            m10: next()?,
            m11: next()?,
            t0: next()?,
            t1: next()?,
        },
        "entitytranslate" => TcMod::EntityTranslate,
        _ => return None,
    })
}
