//! Floors, ceilings, gratings and the runway.

use super::walls::{METAL, hazard};
use super::{AMBER, CYAN, Plate, TEAL, bolt, brushed, chamfer, weathered};
use crate::canvas::{Canvas, Lighting, Texel, inside_box, inside_disc, light, mix, rgb, scale};
use crate::noise::{fbm, step};

const FLOOR: Lighting = Lighting {
    relief: 0.7,
    hollows: 0.35,
    bare: [0.66, 0.71, 0.74],
};

/// Square tiles with a rim, small dark squares where four meet.
pub(crate) fn floor() -> Canvas {
    light(256, 256, FLOOR, |x, y| {
        let tile = Plate::at(x, y, 128.0, 128.0);
        let (cx, cy) = ((tile.x - 64.0).abs(), (tile.y - 64.0).abs());
        // Tiles lose their corners to the squares between them.
        let corner = (128.0 - cx - cy - 20.0) * 0.707;
        let inside = tile.inside.min(corner);
        let mut height = chamfer(inside - 1.5, 3.0) * 3.0;
        height -= chamfer(1.5 - (inside - 11.0).abs(), 1.0) * 0.9;
        height += fbm(x / 8.0, y / 8.0, 32, 3, 101) * 0.7;
        let mut color = weathered(0x68_72_7a, x, y, 256.0, 103);
        color = scale(color, 0.93 + 0.14 * tile.chance(105));
        if corner < 0.0 {
            color = weathered(0x3c_44_4b, x, y, 256.0, 107);
            height += chamfer(-corner - 1.5, 3.0) * 3.0;
        }
        // Where many walk it is polished.
        let polish = fbm(x / 64.0, y / 64.0, 4, 3, 109);
        color = scale(color, 1.0 + 0.16 * step(0.5, 0.75, polish));
        Texel::new(color, height).worn(0.6)
    })
}

/// Tread plate: raised lugs that lie crosswise in turn.
pub(crate) fn floor_metal() -> Canvas {
    light(256, 256, METAL, |x, y| {
        let lug = Plate::at(x, y, 32.0, 32.0);
        let (dx, dy) = (lug.x - 16.0, lug.y - 16.0);
        let turned = (lug.column + lug.row) % 2 == 0;
        let (along, across) = if turned {
            (dx + dy, dx - dy)
        } else {
            (dx - dy, dx + dy)
        };
        let round = 1.0 - (along / 17.0) * (along / 17.0) - (across / 6.0) * (across / 6.0);
        let mut height = if round > 0.0 { 3.4 * round.sqrt() } else { 0.0 };
        let plate = Plate::at(x, y, 256.0, 256.0);
        height += chamfer(plate.inside - 1.0, 3.0) * 2.5;
        height += bolt(plate.x, plate.y, [12.0, 12.0], 4.0)
            + bolt(plate.x, plate.y, [244.0, 12.0], 4.0)
            + bolt(plate.x, plate.y, [12.0, 244.0], 4.0)
            + bolt(plate.x, plate.y, [244.0, 244.0], 4.0);
        let color = brushed(0x59_63_6b, x, y, 256.0, 111);
        let dirt = fbm(x / 16.0, y / 16.0, 16, 4, 113);
        let shade = 1.0 - 0.25 * step(0.45, 0.75, dirt);
        Texel::new(scale(color, shade), height).worn(1.0)
    })
}

/// Plates between ribs, seen from below.
pub(crate) fn ceiling() -> Canvas {
    light(256, 256, FLOOR, |x, y| {
        let bay = Plate::at(x, y, 128.0, 128.0);
        let field = inside_box(bay.x, bay.y, [14.0, 14.0, 114.0, 114.0], 10.0);
        let mut height = 6.0 - chamfer(field, 8.0) * 5.0;
        height -= (1.0 - chamfer(bay.inside, 1.6)) * 3.0;
        let holes = Plate::at(bay.x, bay.y, 10.0, 10.0);
        if field > 16.0 {
            height -= chamfer(inside_disc(holes.x, holes.y, [5.0, 5.0], 3.0) + 1.0, 1.5) * 1.6;
        }
        let mut color = weathered(0x60_69_70, x, y, 256.0, 121);
        if field > 6.0 {
            color = weathered(0x4a_53_5a, x, y, 256.0, 123);
        }
        for center in [[7.0, 7.0], [121.0, 7.0], [7.0, 121.0], [121.0, 121.0]] {
            height += bolt(bay.x, bay.y, center, 3.0);
        }
        Texel::new(color, height).worn(0.4)
    })
}

/// A platform that moves: tread in a frame of stripes that warn.
pub(crate) fn lift() -> Canvas {
    light(256, 256, METAL, |x, y| {
        let edge = x.min(256.0 - x).min(y.min(256.0 - y));
        let field = edge - 34.0;
        let mut height = chamfer(edge - 1.0, 4.0) * 3.5 - chamfer(field + 2.0, 4.0) * 2.0;
        let mut color = if field < 0.0 {
            mix(brushed(0x59_63_6b, x, y, 256.0, 131), hazard(x, y), 0.85)
        } else {
            brushed(0x5b_65_6e, x, y, 256.0, 133)
        };
        if field > 6.0 {
            let bar = (y / 16.0).fract();
            height += if bar < 0.4 { 2.2 } else { 0.0 };
        }
        let disc = inside_disc(x, y, [128.0, 128.0], 34.0);
        if disc > -3.0 {
            height = 3.0 + chamfer(disc, 3.0) * 1.5;
            color = brushed(0x6c_77_80, x, y, 256.0, 135);
            // Arrow heads that point where the platform goes.
            let slope = y - 128.0 - (x - 128.0).abs() * 0.8;
            let arrow = (3.5 - (slope + 9.0).abs().min((slope - 5.0).abs()))
                .min(17.0 - (x - 128.0).abs())
                .min(disc - 6.0);
            color = mix(color, rgb(TEAL), step(-0.5, 1.0, arrow));
        }
        Texel::new(color, height).worn(0.8)
    })
}

/// Dark floor with a fine line every 64 units, a coarser one every 128.
pub(crate) fn runway() -> Canvas {
    light(256, 256, FLOOR, |x, y| {
        let far = (y - 128.0 * (y / 128.0).round()).abs();
        let is_long = (y / 128.0).round() as i32 % 2 == 0;
        let side = x.min(256.0 - x);
        let mut height = fbm(x / 8.0, y / 8.0, 32, 3, 141) * 0.6 + 2.0;
        let mut color = weathered(0x33_3a_41, x, y, 256.0, 143);
        let (width, paint) = if is_long {
            (2.0, rgb(0xc8_d4_da))
        } else {
            (1.2, rgb(0x7c_8a_93))
        };
        color = mix(color, paint, step(width + 0.8, width - 0.8, far));
        if side < 2.5 {
            height -= 1.6 * (1.0 - side / 2.5);
        }
        let middle = (x - 128.0).abs();
        if middle < 2.0 && (y / 32.0).fract() < 0.5 {
            color = mix(color, rgb(TEAL), 0.8);
        }
        Texel::new(color, height).worn(0.3)
    })
}

/// A bright line across the runway, with an empty plate for a number.
pub(crate) fn runway_mark() -> Canvas {
    light(256, 256, FLOOR, |x, y| {
        let mut height = fbm(x / 8.0, y / 8.0, 32, 3, 151) * 0.6 + 2.0;
        let mut color = weathered(0x33_3a_41, x, y, 256.0, 153);
        let line = 9.0 - (y - 128.0).abs();
        color = mix(color, rgb(AMBER), step(-0.8, 0.8, line));
        height += chamfer(line, 2.0) * 0.8;
        let plate = inside_box(x, y, [88.0, 92.0, 168.0, 164.0], 8.0);
        if plate > -2.0 {
            color = mix(
                rgb(AMBER),
                weathered(0x1d_22_27, x, y, 256.0, 155),
                step(1.0, 3.0, plate),
            );
            height += chamfer(plate, 3.0) * 1.4;
        }
        let glow = scale(rgb(AMBER), 0.12 * step(-6.0, 4.0, line));
        Texel::new(color, height).worn(0.3).glowing(glow)
    })
}

/// Bars to walk on, with holes between them.
pub(crate) fn grate() -> Canvas {
    let mut canvas = light(128, 128, METAL, |x, y| {
        let cell = Plate::at(x, y, 32.0, 32.0);
        let round = chamfer(8.0 - cell.inside.min(8.0), 4.0);
        let bar = Plate::at(x, y, 128.0, 128.0);
        let frame = chamfer(9.0 - bar.inside, 3.0);
        let mut texel = Texel::new(
            brushed(0x66_71_79, x, y, 128.0, 161),
            round * 3.0 + frame * 2.0,
        )
        .worn(0.9);
        if frame > 0.9 && (x - 64.0).abs() < 10.0 {
            texel.color = mix(texel.color, rgb(CYAN), 0.25);
        }
        texel
    });
    for y in 0..canvas.height {
        for x in 0..canvas.width {
            let cell = Plate::at(x as f32 + 0.5, y as f32 + 0.5, 32.0, 32.0);
            let hole = inside_box(cell.x, cell.y, [5.0, 5.0, 27.0, 27.0], 5.0);
            canvas.pixels[y * 128 + x][3] = step(0.7, -0.7, hole);
        }
    }
    // What is cut away needs no color, and few levels make a small file.
    canvas.map(|[r, g, b, a]| {
        if a < 0.25 {
            return [0.3, 0.33, 0.36, 0.0];
        }
        let [r, g, b] = [r, g, b].map(|value| (value * 20.0).round() / 20.0);
        [r, g, b, (a * 4.0).round() / 4.0]
    });
    canvas
}
