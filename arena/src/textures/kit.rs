//! The atlases that all models wear: 32 small surfaces in one picture, painted in a palette.

use super::walls::METAL;
use super::{AMBER, CYAN, TEAL, chamfer};
use crate::PakFile;
use crate::canvas::{Canvas, Rgb, Texel, inside_box, inside_disc, light, mix, opaque, rgb, scale};
use crate::image_file::jpeg;
use crate::noise::{chance, fbm, smooth, step};
use glam::{Vec2, vec2};

/// Columns and rows of an atlas.
pub(crate) const COLUMNS: usize = 8;
pub(crate) const ROWS: usize = 4;

/// A surface in the atlas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtlasCell {
    Steel,
    Dark,
    Rubber,
    Ceramic,
    Accent,
    Amber,
    Brass,
    Copper,
    GlowAccent,
    GlowAmber,
    GlowGreen,
    GlowRed,
    GlowBlue,
    GlowViolet,
    GlowWhite,
    Vent,
    Grip,
    Barrel,
    PlainSteel,
    PlainDark,
    Red,
    Blue,
    Green,
    Yellow,
    Hazard,
    Screen,
    Bone,
    Flesh,
    Cloth,
    Gold,
    PlainCeramic,
    Muzzle,
}

impl AtlasCell {
    /// Where a point of the cell lies in the atlas; a margin keeps neighbors out.
    pub(crate) fn uv(self, at: Vec2) -> Vec2 {
        const MARGIN: f32 = 0.04;
        let index = self as usize;
        let corner = vec2((index % COLUMNS) as f32, (index / COLUMNS) as f32);
        let inside = at.clamp(Vec2::ZERO, Vec2::ONE) * (1.0 - 2.0 * MARGIN) + Vec2::splat(MARGIN);
        (corner + inside) / vec2(COLUMNS as f32, ROWS as f32)
    }

    /// It needs no light.
    pub(crate) fn shines(self) -> bool {
        let (first, last) = (Self::GlowAccent as usize, Self::GlowWhite as usize);
        (first..=last).contains(&(self as usize)) || self == Self::Screen
    }
}

/// How a cell is drawn.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// A plate whose rim is chamfered and worn.
    Plate,
    /// No rim: for what is round.
    Plain,
    Glow,
    Vent,
    Grip,
    /// Rings along the cell.
    Barrel,
    Hazard,
    Screen,
    Flesh,
    Cloth,
    Muzzle,
}

/// Colors that differ between the kit of all and the suits of players.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    pub accent: u32,
    pub glow: u32,
    /// Plates of armor and guns.
    pub steel: u32,
    pub ceramic: u32,
}

pub(crate) const KIT: Palette = Palette {
    accent: TEAL,
    glow: CYAN,
    steel: 0x7e_8a_93,
    ceramic: 0xc4_ce_d3,
};

/// Suits: name of the skin, and its palette.
pub(crate) const SUITS: [(&str, Palette); 3] = [
    (
        "default",
        Palette {
            ceramic: 0xb9_c4_ca,
            ..KIT
        },
    ),
    (
        "red",
        Palette {
            accent: 0xd8_2e_24,
            glow: 0xff_6a_4a,
            steel: 0x8d_80_7e,
            ceramic: 0xc2_5a_50,
        },
    ),
    (
        "blue",
        Palette {
            accent: 0x24_5c_dc,
            glow: 0x66_b0_ff,
            steel: 0x7b_85_95,
            ceramic: 0x55_7f_c8,
        },
    ),
];

fn cell_look(index: usize, palette: Palette) -> (Style, u32) {
    use Style::{Barrel, Cloth, Flesh, Glow, Grip, Hazard, Muzzle, Plain, Plate, Screen, Vent};
    let looks = [
        (Plate, palette.steel),
        (Plate, 0x46_4f_57),
        (Plain, 0x24_28_2c),
        (Plate, palette.ceramic),
        (Plate, palette.accent),
        (Plate, AMBER),
        (Plain, 0xb9_93_45),
        (Plain, 0xa6_62_3c),
        (Glow, palette.glow),
        (Glow, AMBER),
        (Glow, 0x5c_ff_6a),
        (Glow, 0xff_4a_3a),
        (Glow, 0x4a_8c_ff),
        (Glow, 0xc0_6a_ff),
        (Glow, 0xf2_f8_ff),
        (Vent, 0x4a_53_5b),
        (Grip, 0x2c_31_36),
        (Barrel, 0x6b_76_7e),
        (Plain, palette.steel),
        (Plain, 0x40_48_50),
        (Plate, 0xc8_36_2c),
        (Plate, 0x2c_64_d0),
        (Plate, 0x3c_b0_4c),
        (Plate, 0xe8_c0_30),
        (Hazard, AMBER),
        (Screen, palette.glow),
        (Plain, 0xd6_cf_b8),
        (Flesh, 0xa0_28_28),
        (Cloth, 0xe6_ea_ec),
        (Plain, 0xe8_b8_40),
        (Plain, palette.ceramic),
        (Muzzle, 0x50_59_60),
    ];
    looks[index]
}

/// The whole atlas, with cells of `size` pixels.
pub(crate) fn kit_canvas(palette: Palette, size: usize) -> Canvas {
    let mut atlas = Canvas::filled(COLUMNS * size, ROWS * size, [0.0, 0.0, 0.0, 1.0]);
    for index in 0..COLUMNS * ROWS {
        let (style, color) = cell_look(index, palette);
        let cell = draw_cell(style, rgb(color), size, index as u32);
        let (left, top) = (index % COLUMNS * size, index / COLUMNS * size);
        atlas.stamp(&cell, left as i32, top as i32);
    }
    atlas
}

fn draw_cell(style: Style, color: Rgb, size: usize, seed: u32) -> Canvas {
    let to_grid = 64.0 / size as f32;
    let mut canvas = light(size, size, METAL, |px, py| {
        let (x, y) = (px * to_grid, py * to_grid);
        let edge = x.min(64.0 - x).min(y.min(64.0 - y));
        let tone = fbm(x / 16.0, y / 16.0, 4, 4, seed * 7) - 0.5;
        let grain = chance(px as i32, py as i32, seed) - 0.5;
        let paint = scale(color, 1.0 + tone * 0.3 + grain * 0.04);
        match style {
            Style::Plate => plate(x, y, edge, paint, seed),
            Style::Plain => Texel::new(paint, 0.0),
            Style::Glow => glow(x, y, color),
            Style::Vent => {
                let slat = (y / 10.666).fract();
                let is_slat = slat < 0.55 || edge < 6.0;
                let height = if edge < 6.0 {
                    chamfer(edge - 1.0, 2.0) * 3.0
                } else {
                    slat * 3.0
                };
                let shade = if is_slat { 1.0 } else { 0.25 };
                Texel::new(scale(paint, shade), height).worn(0.9)
            }
            Style::Grip => {
                let (a, b) = (
                    ((x + y) / 8.0).fract() - 0.5,
                    ((x - y) / 8.0).rem_euclid(1.0) - 0.5,
                );
                let knob = 1.0 - a.abs().max(b.abs()) * 2.0;
                Texel::new(paint, chamfer(knob, 0.5) * 2.0).worn(0.4)
            }
            Style::Barrel => {
                let ring = (x / 21.333).fract();
                let groove = chamfer((ring - 0.12).abs() * 21.0 - 1.5, 2.0);
                Texel::new(paint, groove * 2.0).worn(0.8)
            }
            Style::Hazard => {
                let stripe = ((x + y) / 21.333).fract();
                let stripes = if stripe < 0.5 { color } else { rgb(0x22_26_2a) };
                Texel::new(
                    scale(stripes, 1.0 + tone * 0.3),
                    chamfer(edge - 1.0, 3.0) * 2.0,
                )
                .worn(0.8)
            }
            Style::Screen => screen(x, y, color),
            Style::Flesh => {
                let fiber = fbm(x / 16.0, y / 4.0, 4, 4, seed * 3);
                Texel::new(
                    mix(scale(color, 0.55), scale(color, 1.3), fiber),
                    fiber * 4.0,
                )
            }
            Style::Cloth => {
                let fold = smooth((x / 32.0 + tone).fract() * 2.0 - 0.5);
                Texel::new(scale(paint, 0.82 + 0.18 * fold), 0.0)
            }
            Style::Muzzle => {
                let inside = inside_disc(x, y, [32.0, 32.0], 22.0);
                let hole = smooth(inside / 6.0);
                Texel::new(
                    mix(paint, [0.02, 0.02, 0.025], hole),
                    -chamfer(inside, 4.0) * 3.0,
                )
                .worn(1.0)
            }
        }
    });
    canvas.map(|[r, g, b, _]| [r, g, b, 1.0]);
    canvas
}

/// A plate: worn rim, a groove inside it, and scratches.
fn plate(x: f32, y: f32, edge: f32, paint: Rgb, seed: u32) -> Texel {
    let mut height = chamfer(edge - 0.5, 4.0) * 3.5;
    height -= chamfer(1.6 - (edge - 11.0).abs(), 1.2) * 1.4;
    let scratched = fbm(x / 32.0 + y / 64.0, y / 2.0, 32, 2, seed + 90);
    let bare = step(0.72, 0.84, scratched) * 0.5;
    let chips = fbm(x / 6.0, y / 6.0, 10, 3, seed + 91);
    let rim = step(7.0, 1.0, edge) * step(0.42, 0.62, chips);
    // Darker toward the bottom, as what hangs in light from above.
    let fall = 1.06 - 0.16 * y / 64.0;
    let color = scale(
        mix(paint, METAL.bare, (bare * 0.4 + rim * 0.6).min(0.75)),
        fall,
    );
    Texel::new(color, height).worn(0.9)
}

/// A lens that is brightest in the middle.
fn glow(x: f32, y: f32, color: Rgb) -> Texel {
    let (dx, dy) = (x / 32.0 - 1.0, y / 32.0 - 1.0);
    let core = smooth(1.0 - (dx * dx + dy * dy).sqrt() * 0.8);
    let bright = mix(scale(color, 0.72), [1.0; 3], core * 0.28);
    Texel::new([0.0; 3], 0.0).glowing(bright)
}

/// A small display: lines of text that nobody can read, and a gauge.
fn screen(x: f32, y: f32, color: Rgb) -> Texel {
    let frame = inside_box(x, y, [4.0, 4.0, 60.0, 60.0], 5.0);
    if frame < 3.0 {
        return Texel::new(rgb(0x2a_30_36), chamfer(frame, 2.0) * 2.0).worn(0.8);
    }
    let row = (y / 7.0).floor();
    let end = 14.0 + 40.0 * chance(row as i32, 3, 5);
    let is_line = (y / 7.0).fract() < 0.45 && x > 10.0 && x < end && y < 44.0;
    let is_gauge = (46.0..54.0).contains(&y) && x > 10.0 && x < 44.0 && (x / 5.0).fract() < 0.7;
    let lit = if is_line || is_gauge { 0.95 } else { 0.14 };
    Texel::new([0.0; 3], 0.0).glowing(scale(color, lit))
}

/// The kit's atlas, the suits' atlases, and what bright metal mirrors.
pub(crate) fn files() -> Vec<PakFile> {
    let mut files = vec![
        jpeg("models/strafe/kit", &kit_canvas(KIT, 64), 66),
        jpeg("models/strafe/sheen", &sheen(), 60),
    ];
    for (name, palette) in SUITS {
        let atlas = kit_canvas(palette, 32);
        files.push(jpeg(&format!("models/strafe/suit_{name}"), &atlas, 68));
    }
    files
}

/// A soft horizon and lamps above it, for what mirrors its surroundings.
fn sheen() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let up = 1.0 - y / 64.0;
        let horizon = smooth(1.0 - (up - 0.52).abs() * 7.0) * 0.14;
        let lamp = inside_box(x, y, [14.0, 8.0, 26.0, 20.0], 5.0).max(inside_box(
            x,
            y,
            [38.0, 6.0, 50.0, 18.0],
            5.0,
        ));
        let bright = 0.02 + horizon + 0.12 * up * up + 0.3 * step(-4.0, 4.0, lamp);
        opaque(scale([0.86, 0.95, 1.0], bright))
    })
}
