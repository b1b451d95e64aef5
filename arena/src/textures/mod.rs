//! The pictures of walls, floors, fixtures, sky and models, each made by one function.

mod fixtures;
mod floors;
mod kit;
mod nature;
mod signs;
mod walls;

pub(crate) use kit::{AtlasCell, KIT, SUITS, kit_canvas};

use crate::{
    PakFile,
    canvas::{Canvas, Rgb, rgb},
    image_file::{jpeg, targa},
    noise::{chance, fbm},
};
use fixtures::{lamp, lamp_glow};
use nature::sky;
use signs::sign;

/// What the whole place is painted with.
pub(crate) const TEAL: u32 = 0x1f_9c_96;
pub(crate) const CYAN: u32 = 0x5c_e6_f2;
pub(crate) const AMBER: u32 = 0xff_a2_2e;
const WHITE: u32 = 0xe9_f4_ff;

/// Makes one picture.
type Make = fn() -> Canvas;

/// Opaque pictures of the maps: name, how to make it, JPEG quality.
const OPAQUE: [(&str, Make, u8); 40] = [
    ("concrete", walls::concrete, 52),
    ("concrete_dark", walls::concrete_dark, 52),
    ("panel", walls::panel, 48),
    ("panel_stripe", walls::panel_stripe, 54),
    ("trim", walls::trim, 60),
    ("pillar", walls::pillar, 56),
    ("pipe", walls::pipe, 56),
    ("door", walls::door, 46),
    ("floor", floors::floor, 52),
    ("floor_metal", floors::floor_metal, 46),
    ("ceiling", floors::ceiling, 46),
    ("lift", floors::lift, 42),
    ("runway", floors::runway, 56),
    ("runway_mark", floors::runway_mark, 60),
    ("jumppad", fixtures::jumppad, 46),
    ("jumppad_glow", fixtures::jumppad_glow, 56),
    ("light_white", || lamp([128, 128], WHITE, 14.0), 60),
    (
        "light_white_glow",
        || lamp_glow([128, 128], WHITE, 14.0),
        50,
    ),
    ("light_cyan", || lamp([128, 64], CYAN, 18.0), 60),
    ("light_cyan_glow", || lamp_glow([128, 64], CYAN, 18.0), 50),
    ("light_amber", || lamp([128, 64], AMBER, 18.0), 60),
    ("light_amber_glow", || lamp_glow([128, 64], AMBER, 18.0), 50),
    ("teleporter", fixtures::teleporter, 50),
    ("teleporter_rim", fixtures::teleporter_rim, 50),
    ("target", fixtures::target, 46),
    ("basalt", nature::basalt, 42),
    ("ice", nature::ice, 42),
    ("water", nature::water, 46),
    ("sky_rt", || sky(256, |s, t| [1.0, -s, t]), 56),
    ("sky_lf", || sky(256, |s, t| [-1.0, s, t]), 56),
    ("sky_bk", || sky(256, |s, t| [s, 1.0, t]), 56),
    ("sky_ft", || sky(256, |s, t| [-s, -1.0, t]), 56),
    ("sky_up", || sky(256, |s, t| [-t, -s, 1.0]), 56),
    ("sky_dn", || sky(32, |s, t| [t, -s, -1.0]), 56),
    ("sign_play", || sign("PLAY", AMBER, true), 44),
    ("sign_lab", || sign("LAB", CYAN, true), 44),
    ("sign_1", || sign("1", CYAN, false), 48),
    ("sign_2", || sign("2", CYAN, false), 48),
    ("sign_3", || sign("3", CYAN, false), 48),
    ("sign_4", || sign("4", CYAN, false), 48),
];

/// Pictures with holes or that are seen through.
const TRANSLUCENT: [(&str, Make); 3] = [
    ("grate", floors::grate),
    ("mirror", fixtures::mirror),
    ("numbers", signs::numbers),
];

/// All textures under `textures/strafe`, and those that models wear.
pub(crate) fn files() -> Vec<PakFile> {
    let mut files: Vec<PakFile> = OPAQUE
        .iter()
        .map(|(name, make, quality)| jpeg(&format!("textures/strafe/{name}"), &make(), *quality))
        .collect();
    files.extend(
        TRANSLUCENT
            .iter()
            .map(|(name, make)| targa(&format!("textures/strafe/{name}"), &make())),
    );
    files.extend(kit::files());
    files
}

/// All pictures under `textures/strafe` as they are before they become files.
#[cfg(test)]
pub(crate) fn canvases() -> Vec<(&'static str, Canvas)> {
    let opaque = OPAQUE.iter().map(|&(name, make, _)| (name, make()));
    let translucent = TRANSLUCENT.iter().map(|&(name, make)| (name, make()));
    opaque.chain(translucent).collect()
}

/// Where a point lies in a grid of plates: its column and row, and how far it is from the nearest joint.
#[derive(Clone, Copy, Debug)]
struct Plate {
    column: i32,
    row: i32,
    /// From the plate's top left.
    x: f32,
    y: f32,
    /// Pixels to the nearest edge.
    inside: f32,
}

impl Plate {
    fn at(x: f32, y: f32, width: f32, height: f32) -> Self {
        let (column, row) = ((x / width).floor(), (y / height).floor());
        let (px, py) = (x - column * width, y - row * height);
        Self {
            column: column as i32,
            row: row as i32,
            x: px,
            y: py,
            inside: px.min(width - px).min(py).min(height - py),
        }
    }

    /// Differs from plate to plate, 0 to 1.
    fn chance(&self, seed: u32) -> f32 {
        chance(self.column, self.row, seed)
    }
}

/// 0 to 1 within the first `width` pixels from an edge: the profile of a chamfer.
fn chamfer(inside: f32, width: f32) -> f32 {
    (inside / width).clamp(0.0, 1.0)
}

/// A paint with stains and grain; `x` and `y` in pixels of a picture of `size` that repeats.
fn weathered(color: u32, x: f32, y: f32, size: f32, seed: u32) -> Rgb {
    let stains = fbm(x / size * 4.0, y / size * 4.0, 4, 4, seed) - 0.5;
    let streaks = fbm(x / size * 24.0, y / size * 3.0, 3, 2, seed + 9) - 0.5;
    let grain = chance(x as i32, y as i32, seed + 17) - 0.5;
    let factor = 1.0 + stains * 0.34 + streaks * 0.1 + grain * 0.045;
    let [r, g, b] = rgb(color);
    // Stains are a little warmer than what they lie on.
    [
        r * factor,
        g * factor,
        b * (factor + stains.max(0.0) * 0.04),
    ]
}

/// Metal with fine lines along `x`.
fn brushed(color: u32, x: f32, y: f32, size: f32, seed: u32) -> Rgb {
    let lines = fbm(x / size * 2.0, y / size * 128.0, 2, 1, seed) - 0.5;
    let clouds = fbm(x / size * 4.0, y / size * 4.0, 4, 3, seed + 5) - 0.5;
    let factor = 1.0 + lines * 0.12 + clouds * 0.22;
    rgb(color).map(|value| value * factor)
}

/// The head of a bolt: its height above what it sits on.
fn bolt(x: f32, y: f32, center: [f32; 2], radius: f32) -> f32 {
    let inside = crate::canvas::inside_disc(x, y, center, radius);
    let ring = crate::canvas::inside_disc(x, y, center, radius + 2.0);
    if inside > 0.0 {
        chamfer(inside, 2.0) * 2.2
    } else if ring > 0.0 {
        -1.2
    } else {
        0.0
    }
}
