//! Lit signs: words, arrows and numbers on dark plates.

use super::walls::METAL;
use super::{AMBER, bolt, brushed, chamfer};
use crate::canvas::{Canvas, Texel, inside_box, light, mix, rgb, scale};
use crate::noise::step;
use crate::strokes::Pen;

/// A plate of 256 by 128 with a line around it, letters and perhaps an arrow after them.
pub(crate) fn sign(text: &str, color: u32, has_arrow: bool) -> Canvas {
    let count = text.chars().count() as f32;
    let (width, step_x, thickness) = if count > 1.0 {
        (24.0, 38.0, 7.0)
    } else {
        (40.0, 60.0, 12.0)
    };
    let all = (count - 1.0) * step_x + width + if has_arrow { 62.0 } else { 0.0 };
    let left = (256.0 - all) / 2.0;
    let color = rgb(color);
    light(256, 128, METAL, |x, y| {
        let edge = inside_box(x, y, [2.0, 2.0, 254.0, 126.0], 10.0);
        let mut deep = f32::MIN;
        for (index, letter) in text.chars().enumerate() {
            let corner = [left + index as f32 * step_x, 36.0];
            let pen = Pen::new(corner, [width, 56.0], thickness);
            deep = deep.max(pen.inside(letter, x, y));
        }
        if has_arrow {
            let tip = left + all;
            let from_tip = tip - x;
            let aside = (y - 64.0).abs();
            let head = (from_tip - aside).min(30.0 - from_tip).min(30.0 - aside) * 0.7;
            let shaft = (6.0 - aside).min(from_tip - 20.0).min(52.0 - from_tip);
            deep = deep.max(head).max(shaft);
        }
        let line = 1.6 - (edge - 9.0).abs();
        let height = chamfer(edge, 3.0) * 3.0 - chamfer(edge - 5.0, 2.0) * 1.5;
        let mut texel = Texel::new(brushed(0x25_2b_31, x, y, 256.0, 401), height).worn(0.7);
        for center in [[16.0, 16.0], [240.0, 16.0], [16.0, 112.0], [240.0, 112.0]] {
            texel.height += bolt(x, y, center, 3.0);
        }
        let lit = step(-0.8, 0.8, deep);
        let halo = 0.22 * step(-9.0, 2.0, deep);
        texel.glow = scale(
            mix(color, [1.0; 3], 0.35 * step(1.0, 5.0, deep)),
            lit.max(halo),
        );
        if line > 0.0 {
            texel.glow = scale(color, 0.5);
        }
        texel
    })
}

/// The digits in cells of 32 by 64, eight in a row, as a stencil.
pub(crate) fn numbers() -> Canvas {
    Canvas::from_fn(256, 128, |x, y| {
        let (column, row) = ((x / 32.0).floor(), (y / 64.0).floor());
        let digit = column as u32 + row as u32 * 8;
        let pen = Pen::new([column * 32.0 + 7.0, row * 64.0 + 10.0], [18.0, 42.0], 7.0);
        let deep = char::from_digit(digit, 10).map_or(f32::MIN, |digit| pen.inside(digit, x, y));
        let [r, g, b] = mix(rgb(AMBER), [1.0; 3], 0.45);
        [r, g, b, step(-1.0, 1.0, deep)]
    })
}
