//! Rock, ice, water and the sky around the station.

use crate::canvas::{Canvas, Lighting, Rgb, Texel, light, mix, opaque, rgb, scale};
use crate::noise::{cells, chance, fbm, lerp, ridges, smooth, step};
use std::f32::consts::TAU;

const ROCK: Lighting = Lighting {
    relief: 1.1,
    hollows: 0.3,
    bare: [0.5, 0.55, 0.6],
};

/// Dark rock that broke into blocks.
pub(crate) fn basalt() -> Canvas {
    light(256, 256, ROCK, |x, y| {
        let bend = fbm(x / 32.0, y / 32.0, 8, 3, 201) * 1.4;
        let (near, gap, which) = cells(x / 42.666 + bend, y / 42.666 - bend, 6, 203);
        let block = (which & 255) as f32 / 255.0;
        let crack = step(0.0, 0.14, gap);
        let mut height = crack * (4.0 + block * 3.0) - near * 2.5;
        height += ridges(x / 32.0, y / 32.0, 8, 4, 207) * 3.0;
        let tone = fbm(x / 64.0, y / 64.0, 4, 5, 211);
        let mut color = mix(rgb(0x25_2b_31), rgb(0x4a_52_59), tone);
        color = scale(color, 0.85 + 0.3 * block);
        color = mix(rgb(0x14_18_1c), color, 0.25 + 0.75 * crack);
        // Frost settles on what looks up.
        let frost = fbm(x / 20.0, y / 20.0, 13, 4, 213);
        color = mix(
            color,
            rgb(0x9f_b4_c0),
            step(0.62, 0.8, frost) * 0.45 * crack,
        );
        Texel::new(color, height).worn(0.35)
    })
}

/// Pale ice with long cracks and clouds frozen inside.
pub(crate) fn ice() -> Canvas {
    light(256, 256, ROCK, |x, y| {
        let bend = fbm(x / 64.0, y / 64.0, 4, 4, 221) * 1.8;
        let (_, gap, which) = cells(x / 64.0 + bend, y / 64.0 + bend, 4, 223);
        let (_, fine, _) = cells(x / 32.0 - bend, y / 32.0 + bend, 8, 225);
        let crack = 1.0 - step(0.0, 0.05, gap);
        let hair = 1.0 - step(0.0, 0.04, fine);
        let cloud = fbm(x / 64.0, y / 32.0, 4, 5, 227);
        let mut color = mix(rgb(0x7f_a3_b8), rgb(0xd6_e4_ea), cloud);
        color = scale(color, 0.94 + 0.1 * (which & 255) as f32 / 255.0);
        color = mix(color, rgb(0xee_f6_f8), crack * 0.55);
        color = mix(color, rgb(0x5c_86_a0), hair * 0.3);
        let height = fbm(x / 32.0, y / 32.0, 8, 4, 229) * 5.0 - crack * 1.6 - hair * 0.6;
        Texel::new(color, height)
    })
}

/// Light that waves gather on a dark ground.
pub(crate) fn water() -> Canvas {
    Canvas::from_fn(128, 128, |x, y| {
        let bend = fbm(x / 32.0, y / 32.0, 4, 3, 231);
        let (_, first, _) = cells(x / 25.6 + bend, y / 25.6 - bend, 5, 233);
        let (_, second, _) = cells(x / 18.2857 - bend, y / 18.2857 + bend, 7, 235);
        let web = (1.0 - step(0.0, 0.35, first)) * 0.7 + (1.0 - step(0.0, 0.4, second)) * 0.4;
        let deep = mix(rgb(0x12_36_44), rgb(0x1f_55_63), bend);
        opaque(mix(deep, rgb(0x9e_dc_e4), web * web * 0.75))
    })
}

/// The sky's side of a box; the direction of each pixel comes from the face's own axes.
pub(crate) fn sky(size: usize, direction: fn(f32, f32) -> [f32; 3]) -> Canvas {
    Canvas::from_fn(size, size, |x, y| {
        let s = x / size as f32 * 2.0 - 1.0;
        let t = 1.0 - y / size as f32 * 2.0;
        let [dx, dy, dz] = direction(s, t);
        let length = (dx * dx + dy * dy + dz * dz).sqrt();
        let [r, g, b] = dawn([dx / length, dy / length, dz / length]);
        // What JPEG would turn into bands is broken up.
        let grain = (chance(x as i32, y as i32, 241) - 0.5) * 0.008;
        [r + grain, g + grain, b + grain, 1.0]
    })
}

/// Where the sun is about to rise.
const SUN: [f32; 3] = [0.74, 0.66, 0.12];

/// The color of the sky in a direction: a cold dawn over two ranges of mountains.
fn dawn(at: [f32; 3]) -> Rgb {
    let sun = (at[0] * SUN[0] + at[1] * SUN[1] + at[2] * SUN[2]).max(0.0);
    let up = at[2].max(0.0);
    let warm = smooth(sun) * (1.0 - smooth(up * 2.4));
    let low = mix(rgb(0x8a_a6_bb), rgb(0xf2_b8_86), warm);
    let middle = mix(rgb(0x3f_68_8c), rgb(0x8a_8f_a6), warm * 0.8);
    let high = rgb(0x13_26_40);
    let mut color = mix(low, middle, step(0.0, 0.34, up));
    color = mix(color, high, step(0.2, 0.95, up));
    // Long thin clouds, lit from below where the sun is.
    let flat = [at[0] / (up + 0.16), at[1] / (up + 0.16)];
    let veil = fbm(flat[0] * 1.3 + 40.0, flat[1] * 3.1 + 40.0, 512, 5, 251);
    let cloud = step(0.5, 0.78, veil) * step(0.02, 0.2, up) * 0.7;
    let lit = mix(
        rgb(0x5b_71_88),
        rgb(0xf6_c9_9c),
        smooth(sun * sun) * (1.0 - up),
    );
    color = mix(color, lit, cloud);
    let glare = sun * sun;
    let glare = glare * glare * glare * glare;
    color = mix(color, rgb(0xff_e6_c0), glare * glare * 0.85 + glare * 0.2);
    if up > 0.3 {
        let star = chance(
            (at[0] * 260.0) as i32,
            (at[1] * 260.0) as i32 + (at[2] * 40.0) as i32 * 977,
            257,
        );
        let bright = if star > 0.9985 { (up - 0.3) * 1.2 } else { 0.0 };
        color = mix(color, [1.0; 3], bright * (1.0 - cloud));
    }
    mountains(at, color, sun)
}

fn mountains(at: [f32; 3], mut color: Rgb, sun: f32) -> Rgb {
    let turn = libm::atan2f(at[1], at[0]) / TAU + 0.5;
    let slope = at[2] / (1.0 - at[2] * at[2]).max(0.01).sqrt();
    let ranges = [
        (12, 0.42, 0.05, rgb(0x5d_76_8c), 261),
        (24, 0.22, 0.0, rgb(0x2b_3c_4d), 271),
    ];
    for (peaks, tall, foot, shade, seed) in ranges {
        let along = turn * peaks as f32;
        let crest = foot + tall * (ridges(along, 3.5, peaks, 5, seed) - 0.3).max(0.0);
        let below = (crest - slope) / tall;
        if below > 0.0 {
            // Snow lies near the crest; flanks toward the sun are lit.
            let lean = ridges(along + 0.06, 3.5, peaks, 5, seed)
                - ridges(along - 0.06, 3.5, peaks, 5, seed);
            let rough = fbm(along * 6.0, slope * 70.0, 512, 3, seed + 7);
            let snow = step(0.42, 0.12, below + rough * 0.3);
            let light = lerp(0.75, 1.25, smooth(0.5 + lean * 3.0)) * lerp(0.85, 1.2, sun);
            let face = scale(mix(shade, rgb(0xb7_c8_d6), snow * 0.7), light);
            let mist = step(0.0, 0.9, below) * 0.75;
            let haze = mix(rgb(0x8a_a6_bb), rgb(0xe8_b7_8e), smooth(sun) * 0.7);
            let cover = step(0.0, 0.02, below);
            color = mix(color, mix(face, haze, mist), cover);
        }
    }
    // The ground under the horizon is lost in mist.
    mix(color, rgb(0x6d_86_99), step(0.0, -0.35, at[2]))
}
