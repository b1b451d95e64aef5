//! The lines of a material script outside its stages.

use super::{
    Problem, Script,
    terms::{Cull, Deform, FogParms, SkyParms, Sun, sort},
};
use crate::formats::{
    lexer::{Lexer, number},
    wave::{Wave, WaveFunc},
};
use glam::Vec3;

/// More deforms than this break a script.
const MAX_DEFORMS: usize = 3;
const DEFAULT_CLOUD_HEIGHT: f32 = 512.0;

/// How the images of the stages that follow are prepared.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageOptions {
    pub use_mipmaps: bool,
    pub use_picmip: bool,
}

impl Default for ImageOptions {
    fn default() -> Self {
        Self {
            use_mipmaps: true,
            use_picmip: true,
        }
    }
}

/// Reads one line whose first word is `keyword`.
pub(super) fn parse(
    script: &mut Script,
    images: &mut ImageOptions,
    keyword: &str,
    lexer: &mut Lexer<'_>,
) -> Result<(), Problem> {
    let keyword = keyword.to_ascii_lowercase();
    match keyword.as_str() {
        "surfaceparm" => surfaceparm(script, lexer.token_on_line().unwrap_or_default()),
        "cull" => cull(script, lexer.token_on_line().unwrap_or_default()),
        "nopicmip" => images.use_picmip = false,
        "nomipmaps" => {
            *images = ImageOptions {
                use_mipmaps: false,
                use_picmip: false,
            }
        }
        "polygonoffset" => script.polygon_offset = true,
        "portal" => script.sort = Some(sort::PORTAL),
        "sort" => script.sort = lexer.token_on_line().map(sort_value).or(script.sort),
        "deformvertexes" => {
            // One too many is not read, so that its words break the script as in the reference.
            if script.deforms.len() < MAX_DEFORMS {
                script.deforms.extend(deform(lexer));
            }
        }
        "skyparms" => {
            if let Some(sky) = sky(lexer) {
                script.sky = Some(sky);
            }
        }
        "fogparms" => {
            let color = vector(lexer)
                .ok_or_else(|| Problem::new(lexer, "fogParms needs ( r g b ) depth"))?;
            let depth_for_opaque = number_on_line(lexer);
            script.fog = Some(FogParms {
                color,
                depth_for_opaque,
            });
            skip_rest_of_line(lexer);
        }
        "entitymergable" => script.entity_mergable = true,
        "clamptime" => script.clamp_time = lexer.token_on_line().map(number).or(script.clamp_time),
        "light" => {
            lexer.token_on_line();
        }
        "q3map_sun" | "q3map_sunext" => {
            script.sun = Some(sun(lexer));
            skip_rest_of_line(lexer);
        }
        _ if ["tesssize", "q3map", "qer"]
            .iter()
            .any(|start| keyword.starts_with(start)) =>
        {
            skip_rest_of_line(lexer)
        }
        _ => return Err(Problem::new(lexer, format!("unknown word {keyword:?}"))),
    }
    Ok(())
}

/// The next number of this line; 0 if there is none.
pub(super) fn number_on_line(lexer: &mut Lexer<'_>) -> f32 {
    lexer.token_on_line().map_or(0.0, number)
}

/// `( a b c )`.
pub(super) fn vector(lexer: &mut Lexer<'_>) -> Option<Vec3> {
    lexer.token_on_line().filter(|&token| token == "(")?;
    let mut values = [0.0; 3];
    for value in &mut values {
        *value = number(lexer.token_on_line()?);
    }
    lexer.token_on_line().filter(|&token| token == ")")?;
    Some(Vec3::from_array(values))
}

/// `func base amplitude phase frequency`; numbers that are missing stay zero.
pub(super) fn wave(lexer: &mut Lexer<'_>) -> Wave {
    let Some(name) = lexer.token_on_line() else {
        return Wave::default();
    };
    let func = match name.to_ascii_lowercase().as_str() {
        "square" => WaveFunc::Square,
        "triangle" => WaveFunc::Triangle,
        "sawtooth" => WaveFunc::Sawtooth,
        "inversesawtooth" => WaveFunc::InverseSawtooth,
        "noise" => WaveFunc::Noise,
        _ => WaveFunc::Sin,
    };
    Wave {
        func,
        base: number_on_line(lexer),
        amplitude: number_on_line(lexer),
        phase: number_on_line(lexer),
        frequency: number_on_line(lexer),
    }
}

/// Drops what is left of the line; the break itself may already be behind us.
pub(super) fn skip_rest_of_line(lexer: &mut Lexer<'_>) {
    while lexer.token_on_line().is_some() {}
}

fn cull(script: &mut Script, word: &str) {
    script.cull = match word.to_ascii_lowercase().as_str() {
        "none" | "twosided" | "disable" => Cull::None,
        "back" | "backside" | "backsided" => Cull::Front,
        _ => script.cull,
    };
}

fn sort_value(word: &str) -> f32 {
    match word.to_ascii_lowercase().as_str() {
        "portal" => sort::PORTAL,
        "sky" => sort::SKY,
        "opaque" => sort::OPAQUE,
        "decal" => sort::DECAL,
        "seethrough" => sort::SEE_THROUGH,
        "banner" => sort::BANNER,
        "underwater" => sort::UNDERWATER,
        "additive" => sort::ADDITIVE,
        "nearest" => sort::NEAREST,
        word => number(word),
    }
}

fn deform(lexer: &mut Lexer<'_>) -> Option<Deform> {
    let kind = lexer.token_on_line()?.to_ascii_lowercase();
    Some(match kind.as_str() {
        "projectionshadow" => Deform::ProjectionShadow,
        "autosprite" => Deform::Autosprite,
        "autosprite2" => Deform::Autosprite2,
        "bulge" => Deform::Bulge {
            width: number_on_line(lexer),
            height: number_on_line(lexer),
            speed: number_on_line(lexer),
        },
        "wave" => {
            let div = number_on_line(lexer);
            let spread = if div == 0.0 { 100.0 } else { 1.0 / div };
            Deform::Wave {
                spread,
                wave: wave(lexer),
            }
        }
        "normal" => Deform::Normal {
            amplitude: number_on_line(lexer),
            frequency: number_on_line(lexer),
        },
        "move" => Deform::Move {
            direction: Vec3::from_array(std::array::from_fn(|_| number_on_line(lexer))),
            wave: wave(lexer),
        },
        _ => {
            let digit = kind.strip_prefix("text")?.bytes().next().unwrap_or(b'0');
            Deform::Text(digit.wrapping_sub(b'0').min(7))
        }
    })
}

fn sky(lexer: &mut Lexer<'_>) -> Option<SkyParms> {
    let far_box = lexer.token_on_line()?;
    let height = number(lexer.token_on_line()?);
    lexer.token_on_line()?; // the near box is never drawn
    Some(SkyParms {
        far_box: (far_box != "-").then(|| far_box.to_owned()),
        cloud_height: if height == 0.0 {
            DEFAULT_CLOUD_HEIGHT
        } else {
            height
        },
    })
}

fn sun(lexer: &mut Lexer<'_>) -> Sun {
    let color = Vec3::from_array(std::array::from_fn(|_| number_on_line(lexer)));
    let intensity = number_on_line(lexer);
    let [(yaw_sin, yaw_cos), (pitch_sin, pitch_cos)] =
        [(); 2].map(|()| libm::sincosf(number_on_line(lexer).to_radians()));
    Sun {
        light: color.normalize_or_zero() * intensity,
        direction: Vec3::new(yaw_cos * pitch_cos, yaw_sin * pitch_cos, pitch_sin),
    }
}

fn surfaceparm(script: &mut Script, name: &str) {
    let name = name.to_ascii_lowercase();
    if let Some((_, flags)) = SURFACE_FLAGS.iter().find(|(known, _)| *known == name) {
        script.surface_flags |= flags;
    }
    if let Some((_, flags)) = CONTENT_FLAGS.iter().find(|(known, _)| *known == name) {
        script.content_flags |= flags;
    }
}

const SURFACE_FLAGS: [(&str, u32); 18] = [
    ("nodamage", 0x1),
    ("slick", 0x2),
    ("sky", 0x4),
    ("ladder", 0x8),
    ("noimpact", 0x10),
    ("nomarks", 0x20),
    ("flesh", 0x40),
    ("nodraw", 0x80),
    ("hint", 0x100),
    ("nolightmap", 0x400),
    ("pointlight", 0x800),
    ("metalsteps", 0x1000),
    ("nosteps", 0x2000),
    ("nonsolid", 0x4000),
    ("lightfilter", 0x8000),
    ("alphashadow", 0x1_0000),
    ("nodlight", 0x2_0000),
    ("dust", 0x4_0000),
];

const CONTENT_FLAGS: [(&str, u32); 14] = [
    ("lava", 0x8),
    ("slime", 0x10),
    ("water", 0x20),
    ("fog", 0x40),
    ("areaportal", 0x8000),
    ("playerclip", 0x1_0000),
    ("monsterclip", 0x2_0000),
    ("clusterportal", 0x10_0000),
    ("donotenter", 0x20_0000),
    ("origin", 0x100_0000),
    ("detail", 0x800_0000),
    ("structural", 0x1000_0000),
    ("trans", 0x2000_0000),
    ("nodrop", 0x8000_0000),
];
