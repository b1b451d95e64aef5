//! Walls, trims, pillars and doors.

use super::{AMBER, CYAN, Plate, TEAL, bolt, brushed, chamfer, weathered};
use crate::canvas::{
    Canvas, Lighting, Rgb, Texel, inside_box, inside_disc, light, mix, rgb, scale,
};
use crate::noise::{chance, fbm, step};

const STONE: Lighting = Lighting {
    relief: 0.9,
    hollows: 0.35,
    bare: [0.78, 0.82, 0.84],
};

pub(crate) const METAL: Lighting = Lighting {
    relief: 0.8,
    hollows: 0.4,
    bare: [0.76, 0.80, 0.83],
};

/// Poured in forms: slabs with chamfered joints, and holes where the forms were tied.
pub(crate) fn concrete() -> Canvas {
    light(256, 256, STONE, |x, y| {
        let slab = Plate::at(x, y, 128.0, 256.0);
        let half = Plate::at(x, y, 128.0, 128.0);
        let mut height = chamfer(slab.inside - 1.0, 3.0) * 3.5;
        height += chamfer(half.inside, 1.5) * 0.8;
        height += fbm(x / 8.0, y / 8.0, 32, 3, 11) * 0.9;
        // Bubbles that the forms left.
        let bubble = chance((x / 3.0) as i32, (y / 3.0) as i32, 15);
        height -= if bubble > 0.994 { 1.3 } else { 0.0 };
        let mut color = weathered(0x8e_97_9e, x, y, 256.0, 3);
        color = scale(color, 0.96 + 0.08 * slab.chance(5));
        for center in [[28.0, 32.0], [100.0, 32.0], [28.0, 96.0], [100.0, 96.0]] {
            let inside = inside_disc(half.x, half.y, center, 5.0);
            height -= chamfer(inside + 1.0, 2.5) * 4.0;
            let below = half.y - center[1];
            if (half.x - center[0]).abs() < 3.5 && below > 4.0 {
                let fade = (1.0 - below / 30.0).max(0.0) * fbm(x / 4.0, y / 16.0, 16, 2, 21);
                color = scale(color, 1.0 - 0.3 * fade);
            }
        }
        Texel::new(color, height).worn(0.55)
    })
}

/// The lower wall: long dark blocks with a wide chamfer.
pub(crate) fn concrete_dark() -> Canvas {
    light(256, 256, STONE, |x, y| {
        let row = (y / 128.0).floor();
        let shifted = (x + row * 128.0).rem_euclid(256.0);
        let block = Plate::at(shifted, y, 256.0, 128.0);
        let mut height = chamfer(block.inside - 1.5, 7.0) * 5.0;
        height += fbm(x / 8.0, y / 8.0, 32, 3, 31) * 1.0;
        let chipped = fbm(x / 10.0, y / 10.0, 26, 2, 37);
        if block.inside < 12.0 {
            height -= step(0.62, 0.75, chipped) * (12.0 - block.inside) * 0.2;
        }
        let color = weathered(0x50_58_60, x, y, 256.0, 33);
        let foot = 1.0 - 0.16 * step(88.0, 126.0, block.y);
        Texel::new(scale(color, foot), height).worn(0.5)
    })
}

/// The raised face of a bolted plate: its height, and how far the face's rim is.
fn plate_relief(plate: Plate, width: f32, height: f32) -> (f32, f32) {
    let outer = inside_box(plate.x, plate.y, [2.0, 2.0, width - 2.0, height - 2.0], 5.0);
    let inner = inside_box(
        plate.x,
        plate.y,
        [16.0, 16.0, width - 16.0, height - 16.0],
        6.0,
    );
    let mut relief = chamfer(outer, 3.0) * 4.0;
    // A groove around the inner field.
    relief -= chamfer(2.5 - (inner - 1.0).abs(), 1.5) * 2.0;
    relief += chamfer(inner - 3.0, 2.0) * 0.8;
    for cx in [9.0, width - 9.0] {
        for cy in [9.0, height - 9.0] {
            if outer > 0.0 {
                relief += bolt(plate.x, plate.y, [cx, cy], 3.2);
            }
        }
    }
    (relief, inner)
}

fn metal_plates(x: f32, y: f32, seed: u32) -> Texel {
    let plate = Plate::at(x, y, 128.0, 128.0);
    let (mut height, inner) = plate_relief(plate, 128.0, 128.0);
    let mut color = brushed(0x70_7b_84, x, y, 256.0, seed);
    color = scale(color, 0.94 + 0.1 * plate.chance(seed + 3));
    if inner > 4.0 {
        color = mix(color, brushed(0x5d_68_71, x, y, 256.0, seed + 1), 0.8);
    }
    // One plate in four is a vent.
    let is_vent = (plate.column, plate.row) == (1, 0);
    if is_vent && inner > 10.0 {
        let slat = (plate.y / 11.0).fract();
        height += if slat < 0.62 { 2.0 * slat } else { -3.0 };
        color = scale(color, if slat < 0.62 { 0.95 } else { 0.55 });
    }
    let dirt = fbm(x / 16.0, y / 16.0, 16, 3, seed + 7);
    color = scale(color, 1.0 - 0.18 * step(0.5, 0.8, dirt));
    Texel::new(color, height).worn(0.75)
}

/// Bolted plates, one of them a vent.
pub(crate) fn panel() -> Canvas {
    light(256, 256, METAL, |x, y| metal_plates(x, y, 41))
}

/// Plates with a painted band at the height of the hips.
pub(crate) fn panel_stripe() -> Canvas {
    light(256, 256, METAL, |x, y| {
        let plate = Plate::at(x, y, 256.0, 128.0);
        let mut texel = metal_plates(x, y + 128.0, 47);
        let is_band = (y - 128.0).abs() < 22.0;
        if is_band {
            let edge = 22.0 - (y - 128.0).abs();
            texel.height = 3.4 + chamfer(edge, 2.0) * 1.6;
            let joint = Plate::at(x, y, 128.0, 256.0).inside;
            texel.height -= (1.0 - chamfer(joint, 2.0)) * 2.0;
            let worn = fbm(x / 9.0, y / 9.0, 28, 4, 51);
            let paint = weathered(TEAL, x, y, 256.0, 53);
            texel.color = mix(rgb(0x78_84_8c), paint, step(0.24, 0.34, worn));
            if edge < 6.0 {
                texel.color = mix(
                    texel.color,
                    weathered(0xc9_d1_d5, x, y, 256.0, 55),
                    step(3.0, 4.0, edge),
                );
            }
            texel.wear = 0.8;
        } else {
            texel.color = scale(texel.color, 0.97 + 0.03 * plate.chance(57));
        }
        texel
    })
}

/// A moulding of 64 units: lip, groove with a painted line, raised belt with bolts, lip.
pub(crate) fn trim() -> Canvas {
    light(256, 128, METAL, |x, y| {
        let lip = y.min(128.0 - y);
        let mut height = chamfer(lip - 1.0, 6.0) * 4.0;
        let belt = inside_box(x, y, [-64.0, 40.0, 320.0, 88.0], 4.0);
        height += chamfer(belt + 2.0, 5.0) * 4.0;
        let groove = 3.0 - (y - 28.0).abs().min((y - 100.0).abs());
        height -= chamfer(groove, 2.0) * 3.0;
        let joint = Plate::at(x, y, 128.0, 256.0).inside;
        height -= (1.0 - chamfer(joint, 1.8)) * 3.0;
        let column = Plate::at(x, y, 64.0, 128.0);
        if belt > 0.0 {
            height += bolt(column.x, y, [32.0, 64.0], 5.0);
        }
        let mut color = brushed(0x66_71_7a, x, y, 256.0, 61);
        if belt > 3.0 {
            color = brushed(0x7d_89_92, x, y, 256.0, 63);
        }
        if groove > 0.0 {
            color = mix(color, rgb(TEAL), 0.85);
        }
        Texel::new(color, height).worn(0.9)
    })
}

/// A fluted column, with a band every 128 units.
pub(crate) fn pillar() -> Canvas {
    light(256, 256, STONE, |x, y| {
        let flute = (x / 32.0).fract() * 2.0 - 1.0;
        let is_band = y < 40.0;
        let mut height = if is_band {
            4.0 + chamfer(y.min(40.0 - y), 4.0) * 2.5
        } else {
            5.5 * (1.0 - flute * flute).sqrt() - 1.0
        };
        height += fbm(x / 8.0, y / 8.0, 32, 3, 71) * 0.6;
        let mut color = weathered(
            if is_band { 0x5c_65_6d } else { 0x8b_95_9d },
            x,
            y,
            256.0,
            73,
        );
        if (y - 20.0).abs() < 5.0 {
            height -= 1.5;
            color = mix(color, rgb(TEAL), 0.9);
        }
        Texel::new(color, height).worn(0.5)
    })
}

/// A pipe that runs down the picture, with flanges.
pub(crate) fn pipe() -> Canvas {
    light(128, 256, METAL, |x, y| {
        let ring = (y - 32.0).abs();
        let mut height = chamfer(20.0 - ring, 4.0) * 4.0;
        height -= chamfer(1.8 - ring, 1.2) * 4.0;
        if ring < 20.0 {
            let spaced = (x / 32.0).fract() * 32.0;
            height += bolt(spaced, y, [16.0, 22.0], 3.0) + bolt(spaced, y, [16.0, 42.0], 3.0);
        }
        let mut color = brushed(
            if ring < 20.0 { 0x59_63_6b } else { 0x7f_8a_92 },
            y,
            x,
            256.0,
            81,
        );
        let mark = (y - 150.0).abs();
        if mark < 10.0 {
            let worn = fbm(x / 8.0, y / 8.0, 16, 3, 83);
            color = mix(color, rgb(AMBER), 0.85 * step(0.3, 0.42, worn));
        }
        Texel::new(color, height).worn(0.7)
    })
}

/// A leaf of a sliding door: two halves that meet in a bright groove.
pub(crate) fn door() -> Canvas {
    light(256, 256, METAL, |x, y| {
        let across = (x - 128.0).abs();
        let mut height = chamfer(across - 3.0, 4.0) * 4.0;
        height += chamfer(x.min(256.0 - x).min(y.min(256.0 - y)) - 1.0, 5.0) * 3.0;
        let field = inside_box(across, y, [24.0, 24.0, 112.0, 116.0], 14.0).max(inside_box(
            across,
            y,
            [24.0, 140.0, 112.0, 232.0],
            14.0,
        ));
        height -= chamfer(field, 5.0) * 4.0;
        let ribs = inside_box(across, y, [36.0, 160.0, 100.0, 212.0], 3.0);
        if ribs > 0.0 {
            height += if (y / 13.0).fract() < 0.5 { 2.5 } else { 0.0 };
        }
        let mut color = brushed(0x74_7f_88, x, y, 256.0, 91);
        if field > 3.0 {
            color = brushed(0x55_5f_68, x, y, 256.0, 93);
        }
        let band = (y - 128.0).abs();
        if band < 10.0 && across > 8.0 {
            color = mix(color, hazard(x, y), 0.9);
            height += 0.6;
        }
        let mut texel = Texel::new(color, height).worn(0.85);
        if across < 2.2 {
            texel.glow = scale(rgb(CYAN), 0.55);
        }
        let lamp = inside_box(across, y, [54.0, 62.0, 82.0, 72.0], 4.0);
        if lamp > 0.0 {
            texel.glow = scale(rgb(CYAN), 0.7 * chamfer(lamp, 3.0));
        }
        texel
    })
}

/// Slanted stripes in amber and near black.
pub(crate) fn hazard(x: f32, y: f32) -> Rgb {
    let stripe = ((x + y) / 22.6).fract();
    let worn = fbm(x / 8.0, y / 8.0, 32, 3, 95);
    let paint = if stripe < 0.5 {
        rgb(AMBER)
    } else {
        rgb(0x22_26_2a)
    };
    mix(rgb(0x6a_74_7c), paint, step(0.26, 0.4, worn))
}
