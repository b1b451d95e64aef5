//! Lights, jump pads, teleporters, mirrors and targets.

use super::walls::METAL;
use super::{AMBER, CYAN, Plate, brushed, chamfer};
use crate::canvas::{Canvas, Texel, inside_box, inside_disc, light, mix, opaque, rgb, scale};
use crate::noise::{fbm, smooth, step};
use std::f32::consts::TAU;

/// A housing with a diffuser inside; the diffuser's own light comes from the glow picture.
pub(crate) fn lamp(size: [usize; 2], color: u32, frame: f32) -> Canvas {
    let color = rgb(color);
    let [width, height] = size.map(|side| side as f32);
    light(size[0], size[1], METAL, |x, y| {
        let inside = inside_box(x, y, [frame, frame, width - frame, height - frame], 5.0);
        let edge = x.min(width - x).min(y.min(height - y));
        let mut relief = chamfer(edge - 1.0, 3.0) * 3.0;
        relief -= chamfer(inside + 2.0, 4.0) * 3.0;
        let metal = brushed(0x58_62_6a, x, y, width, 301);
        let mut texel = Texel::new(metal, relief).worn(0.8);
        if inside > 0.0 {
            let cell = Plate::at(x - frame, y - frame, 16.0, 16.0);
            let rib = 0.82 + 0.18 * chamfer(cell.inside, 2.0);
            texel.color = scale(color, 0.5 * rib);
            texel.glow = scale(color, 0.45 * rib * (0.6 + 0.4 * chamfer(inside, 10.0)));
        }
        texel
    })
}

/// What a lamp adds to what the light map gives.
pub(crate) fn lamp_glow(size: [usize; 2], color: u32, frame: f32) -> Canvas {
    let color = rgb(color);
    let [width, height] = size.map(|side| side as f32 / 2.0);
    let frame = frame / 2.0;
    Canvas::from_fn(size[0] / 2, size[1] / 2, |x, y| {
        let inside = inside_box(x, y, [frame, frame, width - frame, height - frame], 2.5);
        let cell = Plate::at(x - frame, y - frame, 8.0, 8.0);
        let core = chamfer(inside, 7.0) * (0.84 + 0.16 * chamfer(cell.inside, 1.0));
        let halo = 0.14 * step(-frame, 0.0, inside);
        let bright = if inside > 0.0 { 0.3 + 0.6 * core } else { halo };
        opaque(scale(mix(color, [1.0; 3], core * 0.35), bright))
    })
}

/// A round pad: rings of metal around a dish, arrows that point inward.
pub(crate) fn jumppad() -> Canvas {
    light(256, 256, METAL, |x, y| {
        let (dx, dy) = (x - 128.0, y - 128.0);
        let radius = (dx * dx + dy * dy).sqrt();
        let turn = libm::atan2f(dy, dx) / TAU + 0.5;
        let edge = x.min(256.0 - x).min(y.min(256.0 - y));
        let mut height = chamfer(edge - 1.0, 3.0) * 3.0;
        height += chamfer(118.0 - radius, 4.0) * 4.0 - chamfer(96.0 - radius, 5.0) * 4.0;
        height += chamfer(4.0 - (radius - 62.0).abs(), 2.0) * 3.0;
        height += chamfer(30.0 - radius, 4.0) * 3.0;
        let mut color = brushed(0x55_5f_67, x, y, 256.0, 311);
        if (96.0..118.0).contains(&radius) {
            let spoke = (turn * 16.0).fract();
            color = if spoke < 0.5 {
                brushed(0x74_80_88, x, y, 256.0, 313)
            } else {
                brushed(0x3b_43_4a, x, y, 256.0, 315)
            };
            height -= if (spoke - 0.5).abs() < 0.04 { 1.5 } else { 0.0 };
        }
        for (cx, cy) in [(20.0, 20.0), (236.0, 20.0), (20.0, 236.0), (236.0, 236.0)] {
            height += super::bolt(x, y, [cx, cy], 7.0);
        }
        Texel::new(color, height).worn(0.9)
    })
}

/// What pulses on a jump pad.
pub(crate) fn jumppad_glow() -> Canvas {
    Canvas::from_fn(128, 128, |x, y| {
        let (dx, dy) = (x * 2.0 - 128.0, y * 2.0 - 128.0);
        let radius = (dx * dx + dy * dy).sqrt();
        let turn = (libm::atan2f(dy, dx) / TAU + 0.5) * 8.0;
        let aside = (turn.fract() - 0.5).abs() * radius * 0.785;
        // Eight arrow heads between two rings.
        let arrow = (82.0 - radius - aside)
            .min(radius + aside - 66.0)
            .min(16.0 - aside);
        let ring = 3.5 - (radius - 62.0).abs();
        let core = 24.0 - radius;
        let bright = step(-3.0, 2.0, arrow)
            .max(step(-4.0, 1.0, ring))
            .max(step(-8.0, 10.0, core));
        let halo = 0.2 * smooth(1.0 - radius / 110.0);
        opaque(scale(
            mix(rgb(AMBER), [1.0, 0.95, 0.8], bright * 0.3),
            bright * 0.9 + halo,
        ))
    })
}

/// Arms of light that turn around a dark middle.
pub(crate) fn teleporter() -> Canvas {
    Canvas::from_fn(128, 128, |x, y| {
        let (dx, dy) = (x / 64.0 - 1.0, y / 64.0 - 1.0);
        let radius = (dx * dx + dy * dy).sqrt();
        let turn = libm::atan2f(dy, dx) / TAU + 0.5;
        let wound = (turn + radius * 0.55).fract();
        let arms = fbm(wound * 6.0, radius * 3.0, 6, 4, 321);
        let bright = step(0.38, 0.8, arms) * (1.0 - step(0.5, 1.2, radius) * 0.6);
        let core = smooth(1.0 - radius * 1.8);
        let color = mix(rgb(0x05_22_2c), rgb(CYAN), bright);
        opaque(mix(
            color,
            [0.92, 1.0, 1.0],
            (bright * bright * 0.6 + core * 0.7).min(1.0),
        ))
    })
}

/// Soft rings that are added over the arms.
pub(crate) fn teleporter_rim() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let noise = fbm(x / 16.0, y / 16.0, 4, 4, 331);
        let web = smooth(1.0 - (noise - 0.5).abs() * 9.0);
        opaque(scale(rgb(0x2a_b8_c4), web * 0.7))
    })
}

/// A frame around nearly clear glass.
pub(crate) fn mirror() -> Canvas {
    let mut canvas = light(128, 128, METAL, |x, y| {
        let edge = x.min(128.0 - x).min(y.min(128.0 - y));
        let height = chamfer(edge - 1.0, 2.0) * 2.0 - chamfer(edge - 6.0, 2.0) * 2.0;
        Texel::new(brushed(0x66_71_79, x, y, 128.0, 341), height).worn(0.9)
    });
    for y in 0..128 {
        for x in 0..128 {
            let edge = x.min(127 - x).min(y.min(127 - y)) as f32;
            let pixel = &mut canvas.pixels[y * 128 + x];
            if edge >= 8.0 {
                *pixel = [
                    0.55,
                    0.75,
                    0.8,
                    0.1 + 0.06 * (1.0 - chamfer(edge - 8.0, 14.0)),
                ];
            }
        }
    }
    canvas
}

/// The face of a disc to shoot at: rings in white, teal and amber.
pub(crate) fn target() -> Canvas {
    light(256, 256, METAL, |x, y| {
        let inside = inside_disc(x, y, [128.0, 128.0], 120.0);
        let radius = 120.0 - inside;
        let ring = (radius / 24.0).floor();
        let within = radius - ring * 24.0;
        let paint = match ring as i32 {
            0 => rgb(AMBER),
            1 | 3 => rgb(0xd8_e0_e4),
            2 | 4 => rgb(super::TEAL),
            _ => rgb(0x33_3a_40),
        };
        let worn = fbm(x / 12.0, y / 12.0, 21, 4, 351);
        let metal = brushed(0x60_6a_72, x, y, 256.0, 353);
        let color = mix(metal, paint, step(0.22, 0.34, worn) * 0.92);
        let mut height = chamfer(inside, 4.0) * 4.0;
        height -= 1.2 * (1.0 - chamfer(within.min(24.0 - within), 1.5));
        let glow = if ring < 1.0 {
            scale(rgb(AMBER), 0.25)
        } else {
            [0.0; 3]
        };
        Texel::new(color, height).worn(0.6).glowing(glow)
    })
}
