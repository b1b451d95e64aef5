//! Pictures of fire, smoke, light, marks and sprites.

use crate::{
    PakFile,
    canvas::{Canvas, Rgb, inside_box, inside_disc, mix, opaque, rgb, scale},
    image_file::{jpeg, targa},
    noise::{cells, chance, fbm, lerp, smooth, step},
    strokes::Pen,
    textures::{AMBER, CYAN, TEAL},
};
use std::f32::consts::TAU;

/// Frames of an explosion.
pub(crate) const FIRE_FRAMES: usize = 8;

/// All pictures of effects.
pub(crate) fn files() -> Vec<PakFile> {
    let mut files: Vec<PakFile> = (0..FIRE_FRAMES)
        .map(|frame| {
            let name = format!("gfx/strafe/fire{}", frame + 1);
            jpeg(&name, &fire(frame as f32 / (FIRE_FRAMES - 1) as f32), 72)
        })
        .collect();
    let added: [(&str, Canvas, u8); 16] = [
        ("gfx/strafe/flare", flare(), 80),
        ("gfx/strafe/ring", ring(), 78),
        ("gfx/strafe/spark", spark(), 76),
        ("gfx/strafe/flash", flash(), 76),
        ("gfx/strafe/bolt", bolt(), 80),
        ("gfx/strafe/beam", beam(), 80),
        ("gfx/strafe/energy", energy(), 66),
        ("gfx/strafe/column", column(), 72),
        ("gfx/strafe/wake", wake(), 76),
        ("gfx/strafe/soft_dark", soft_dark(), 80),
        ("gfx/damage/bullet_mrk", bullet_mark(), 76),
        ("gfx/damage/burn_med_mrk", burn_mark(), 72),
        ("gfx/damage/hole_lg_mrk", hole_mark(), 76),
        ("models/strafe/flag_red", cloth(0xd0_30_28), 74),
        ("models/strafe/flag_blue", cloth(0x2a_5c_d8), 74),
        ("models/strafe/flag_white", cloth(0xd8_de_e2), 74),
    ];
    files.extend(
        added
            .iter()
            .map(|(name, canvas, quality)| jpeg(name, canvas, *quality)),
    );
    let blended = [
        ("gfx/strafe/smoke", smoke()),
        ("gfx/strafe/blood", blood()),
        ("gfx/strafe/blood_mark", blood_mark()),
        ("gfx/strafe/bubble", bubble()),
        ("gfx/damage/plasma_mrk", plasma_mark()),
        ("sprites/balloon3", balloon()),
        ("sprites/foe", friend()),
        ("gfx/strafe/disconnected", disconnected()),
    ];
    files.extend(blended.iter().map(|(name, canvas)| targa(name, canvas)));
    files
}

/// Polar coordinates from the middle of a square picture: radius 1 at the edges, a whole turn is 1.
fn polar(x: f32, y: f32, size: f32) -> (f32, f32) {
    let (dx, dy) = (x / size * 2.0 - 1.0, y / size * 2.0 - 1.0);
    ((dx * dx + dy * dy).sqrt(), libm::atan2f(dy, dx) / TAU + 0.5)
}

/// What hot gas looks like, from cold at 0 to white at 1.
fn heat(value: f32) -> Rgb {
    let value = value.clamp(0.0, 1.0);
    [
        smooth(value * 2.2),
        smooth(value * 1.5 - 0.22) * 0.92,
        smooth(value * 1.6 - 0.65) * 0.85,
    ]
}

/// A ball of fire at a moment from 0 to 1: bright and small, then wide and torn, then gone.
fn fire(t: f32) -> Canvas {
    const SIZE: usize = 64;
    Canvas::from_fn(SIZE, SIZE, |x, y| {
        let (radius, turn) = polar(x, y, SIZE as f32);
        let (sin, cos) = (libm::sinf(turn * TAU), libm::cosf(turn * TAU));
        let lobes = fbm(cos * 2.0 + 9.0, sin * 2.0 + 9.0, 64, 3, 503);
        let reach = lerp(0.45, 0.92, 1.0 - (1.0 - t) * (1.0 - t)) * (0.72 + 0.42 * lobes);
        let roll = fbm(
            x / 9.0 + cos * t * 1.5,
            y / 9.0 + sin * t * 1.5,
            64,
            4,
            501 + (t * 3.0) as u32,
        );
        let body = smooth((reach - radius) / (0.3 + 0.2 * t));
        // Holes open from the inside as it burns out.
        let torn = step(t * 0.95 - 0.35, t * 0.95 + 0.1, roll + 0.12 * (1.0 - t));
        let hot = body * torn * (1.3 - t * 0.75) * (0.45 + 0.75 * roll);
        opaque(heat(hot))
    })
}

fn flare() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let (radius, _) = polar(x, y, 64.0);
        let fall = (1.0 - radius).max(0.0);
        opaque([(fall * fall * 0.75 + smooth(1.0 - radius * 3.2) * 0.5).min(1.0); 3])
    })
}

fn ring() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let (radius, _) = polar(x, y, 64.0);
        let line = smooth(1.0 - (radius - 0.78).abs() / 0.13);
        let inner = smooth((radius - 0.1) / 0.7) * step(0.86, 0.74, radius) * 0.28;
        opaque([(line + inner).min(1.0); 3])
    })
}

/// Rays from a bright middle.
fn spark() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let (radius, turn) = polar(x, y, 64.0);
        let ray = (turn * 14.0).floor();
        let long = 0.45 + 0.55 * chance(ray as i32 % 14, 1, 511);
        let aside = ((turn * 14.0).fract() - 0.5).abs() * 2.0;
        let thin = smooth(1.0 - aside * (0.35 + radius * 3.4));
        let rays = thin * smooth((long - radius) / 0.5);
        let core = smooth(1.0 - radius * 2.6);
        let bright = (rays * 0.9 + core).min(1.0);
        opaque(mix(scale([1.0, 0.86, 0.55], bright), [1.0; 3], core))
    })
}

/// A tongue of fire from left to right.
fn flash() -> Canvas {
    Canvas::from_fn(64, 32, |x, y| {
        let along = x / 64.0;
        let aside = (y / 16.0 - 1.0).abs();
        let wide = 0.85 * (1.0 - along) * (0.35 + libm::sqrtf(along) * 1.3);
        let rough = fbm(x / 8.0, y / 5.0, 64, 3, 521);
        let hot = smooth((wide * (0.6 + rough * 0.8) - aside) / 0.4) * (1.15 - along * 0.8);
        opaque(heat(hot * step(0.0, 0.06, along)))
    })
}

/// Lightning that repeats from left to right.
fn bolt() -> Canvas {
    Canvas::from_fn(128, 32, |x, y| {
        let mut bright = 0.0_f32;
        for (seed, strength, swing) in [(531, 1.0, 0.5), (532, 0.5, 0.95), (533, 0.4, 0.85)] {
            let wander = fbm(x / 16.0, 0.5, 8, 4, seed) - 0.5;
            let middle = 0.5 + wander * swing;
            let away = (y / 32.0 - middle).abs();
            let line = smooth(1.0 - away * 16.0) + 0.35 * smooth(1.0 - away * 5.0);
            bright = bright.max(line * strength);
        }
        let fade = smooth((1.0 - (y / 16.0 - 1.0).abs()) * 3.0);
        let bright = (bright * fade).min(1.0);
        let color = mix(rgb(0x2a_6c_ff), rgb(0xbf_f2_ff), bright);
        opaque(scale(color, bright))
    })
}

/// A thread of light; white, for entities color it.
fn beam() -> Canvas {
    Canvas::from_fn(32, 32, |x, y| {
        let away = (y / 16.0 - 1.0).abs();
        let pulse = 0.86 + 0.14 * libm::sinf(x / 32.0 * TAU);
        let bright = smooth(1.0 - away * 3.2) + 0.4 * smooth(1.0 - away) * pulse;
        opaque([bright.min(1.0); 3])
    })
}

/// A web of light that repeats, for shells around bodies.
fn energy() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let bend = fbm(x / 16.0, y / 16.0, 4, 3, 541);
        let (_, gap, _) = cells(x / 16.0 + bend, y / 16.0 - bend, 4, 543);
        let web = 1.0 - step(0.0, 0.3, gap);
        opaque([(web * web * 0.8 + 0.18 * bend).min(1.0); 3])
    })
}

/// Light that rises, bright at the foot.
fn column() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let up = 1.0 - y / 64.0;
        let rays = fbm(x / 4.0, y / 32.0, 16, 3, 551);
        let fade = smooth(1.0 - up) * step(0.0, 0.1, 1.0 - up) * step(1.0, 0.9, 1.0 - up);
        let rings = smooth((y / 10.666).fract() * 2.0 - 0.9) * 0.4;
        let bright = (step(0.3, 0.85, rays) + rings) * fade;
        opaque(scale(mix(rgb(CYAN), [1.0; 3], bright * 0.5), bright))
    })
}

fn wake() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let (radius, _) = polar(x, y, 64.0);
        let waves = libm::sinf(radius * 20.0) * 0.5 + 0.5;
        let fade = smooth((1.0 - radius) * 2.0) * smooth(radius * 3.0);
        opaque(scale([0.7, 0.9, 1.0], waves * waves * fade * 0.5))
    })
}

/// What is taken away under a body: white where it is darkest.
fn soft_dark() -> Canvas {
    Canvas::from_fn(32, 32, |x, y| {
        let (radius, _) = polar(x, y, 32.0);
        opaque([smooth(1.0 - radius) * 0.85; 3])
    })
}

fn bullet_mark() -> Canvas {
    Canvas::from_fn(32, 32, |x, y| {
        let (radius, turn) = polar(x, y, 32.0);
        let rough = fbm(x / 4.0, y / 4.0, 64, 3, 561) * 0.4;
        let rays = smooth(1.0 - ((turn * 9.0).fract() - 0.5).abs() * 5.0) * 0.3;
        let hole = smooth((0.34 - radius) * 6.0);
        let dust = smooth((0.62 + rough + rays - radius * 1.25) * 1.4) * 0.5;
        let fade = smooth((0.96 - radius) * 5.0);
        opaque([(hole.max(dust) * fade).min(1.0); 3])
    })
}

fn burn_mark() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let (radius, turn) = polar(x, y, 64.0);
        let (sin, cos) = (libm::sinf(turn * TAU), libm::cosf(turn * TAU));
        let rays = fbm(cos * 5.0 + 9.0, sin * 5.0 + 9.0, 64, 3, 571);
        let rough = fbm(x / 6.0, y / 6.0, 64, 4, 573);
        let dark = smooth((0.5 + rays * 0.6 - radius) * 1.6) * (0.55 + 0.6 * rough);
        opaque([(dark * smooth((0.97 - radius) * 4.0)).min(0.95); 3])
    })
}

fn hole_mark() -> Canvas {
    Canvas::from_fn(32, 32, |x, y| {
        let (radius, _) = polar(x, y, 32.0);
        let rough = fbm(x / 5.0, y / 5.0, 64, 3, 581) * 0.5;
        let dark = smooth((0.55 + rough - radius * 1.3) * 2.2);
        opaque([(dark * smooth((0.96 - radius) * 5.0)).min(0.95); 3])
    })
}

fn plasma_mark() -> Canvas {
    Canvas::from_fn(32, 32, |x, y| {
        let (radius, _) = polar(x, y, 32.0);
        let rough = fbm(x / 5.0, y / 5.0, 64, 3, 591);
        let hot = smooth((0.4 + rough * 0.3 - radius) * 3.0);
        let alpha = smooth((0.95 - radius) * 2.2) * (0.35 + 0.65 * rough.max(hot));
        let [r, g, b] = mix([0.05, 0.05, 0.06], [1.0; 3], hot);
        [r, g, b, alpha]
    })
}

/// A banner with an emblem of chevrons.
fn cloth(color: u32) -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let weave = 0.92 + 0.08 * chance(x as i32, y as i32 / 2, 601);
        let border = x.min(64.0 - x).min(y.min(64.0 - y));
        let mark = (x - 32.0).abs() * 0.8;
        let chevron = ((y + mark - 20.0) / 11.0).fract() < 0.45;
        let is_mark = chevron && inside_disc(x, y, [32.0, 32.0], 21.0) > 0.0;
        let base = rgb(color);
        let paint = if is_mark || (4.0..6.5).contains(&border) {
            mix(base, [1.0; 3], 0.75)
        } else {
            base
        };
        opaque(scale(paint, weave))
    })
}

fn smoke() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let (radius, _) = polar(x, y, 64.0);
        let rough = fbm(x / 14.0, y / 14.0, 64, 4, 611);
        let shape = smooth((0.66 + rough * 0.5 - radius) * 1.7) * smooth((0.98 - radius) * 4.0);
        let light = 0.62 + 0.4 * rough - (y / 64.0 - 0.5) * 0.3;
        // Few levels, which the pak packs better.
        let level = |value: f32| (value * 40.0).round() / 40.0;
        let grey = level(light.clamp(0.0, 1.0));
        [grey, grey, grey, level(shape * 0.9)]
    })
}

fn blood() -> Canvas {
    Canvas::from_fn(32, 32, |x, y| {
        let (radius, _) = polar(x, y, 32.0);
        let rough = fbm(x / 5.0, y / 5.0, 64, 3, 621);
        let shape = smooth((0.45 + rough * 0.8 - radius * 1.2) * 2.4);
        let alpha = shape * smooth((0.96 - radius) * 5.0);
        let [r, g, b] = mix([0.3, 0.01, 0.02], [0.75, 0.06, 0.05], rough);
        [r, g, b, alpha]
    })
}

fn blood_mark() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let (radius, turn) = polar(x, y, 64.0);
        let (sin, cos) = (libm::sinf(turn * TAU), libm::cosf(turn * TAU));
        let arms = fbm(cos * 3.0 + 9.0, sin * 3.0 + 9.0, 64, 3, 631);
        let pool = smooth((0.24 + arms * 0.75 - radius) * 7.0);
        let (drop, _, which) = cells(x / 9.0, y / 9.0, 8, 633);
        let is_drop = which & 7 < 3 && radius > 0.4 && radius < 0.85;
        let drops = if is_drop {
            smooth((0.32 - drop) * 8.0)
        } else {
            0.0
        };
        let alpha = pool.max(drops) * smooth((0.97 - radius) * 6.0) * 0.9;
        [0.42, 0.02, 0.03, alpha]
    })
}

fn bubble() -> Canvas {
    Canvas::from_fn(32, 32, |x, y| {
        let (radius, _) = polar(x, y, 32.0);
        let rim = smooth(1.0 - (radius - 0.78).abs() * 6.0);
        let shine =
            smooth(1.0 - (((x - 11.0) * (x - 11.0) + (y - 11.0) * (y - 11.0)).sqrt()) / 5.0);
        [0.75, 0.93, 1.0, (rim * 0.7 + shine * 0.8).min(1.0)]
    })
}

/// A speech balloon with three dots.
fn balloon() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let body = inside_box(x, y, [4.0, 6.0, 60.0, 44.0], 12.0);
        let tail = (y - 40.0)
            .min(58.0 - y)
            .min((58.0 - y) * 0.7 - (x - 22.0).abs());
        let inside = body.max(tail);
        let dots = [18.0, 32.0, 46.0]
            .into_iter()
            .map(|cx| inside_disc(x, y, [cx, 25.0], 4.5))
            .fold(f32::MIN, f32::max);
        let [r, g, b] = mix(rgb(0x12_1a_20), rgb(CYAN), step(-0.5, 0.5, dots));
        let [r, g, b] = mix(rgb(0xe8_f0_f4), [r, g, b], step(2.0, 3.2, inside));
        [r, g, b, step(-0.5, 0.5, inside)]
    })
}

/// A mark over team-mates: an arrow head that points down.
fn friend() -> Canvas {
    Canvas::from_fn(32, 32, |x, y| {
        let inside = (y - 6.0).min((28.0 - y) * 0.72 - (x - 16.0).abs() * 0.9 + 1.0);
        let [r, g, b] = mix(rgb(0x0a_30_30), rgb(TEAL), step(2.0, 3.0, inside));
        let [r, g, b] = mix([r, g, b], rgb(0xd8_ff_f8), step(5.0, 6.5, inside));
        [r, g, b, step(-0.5, 0.8, inside)]
    })
}

/// A plug that is out of its socket, crossed.
fn disconnected() -> Canvas {
    let mut canvas = plug();
    let pen = Pen::new([18.0, 16.0], [28.0, 32.0], 5.0);
    pen.draw(&mut canvas, '/', rgb(0xff_4a_3a), 1.0);
    canvas.outlined(2, [0.02, 0.03, 0.04], 0.9)
}

/// Two halves of a connector, apart.
pub(crate) fn plug() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let left = inside_box(x, y, [6.0, 22.0, 24.0, 42.0], 6.0);
        let cable = inside_box(x, y, [-4.0, 29.0, 8.0, 35.0], 1.0);
        let pins = inside_box(x, y, [22.0, 25.0, 30.0, 28.0], 1.0).max(inside_box(
            x,
            y,
            [22.0, 36.0, 30.0, 39.0],
            1.0,
        ));
        let right = inside_box(x, y, [40.0, 20.0, 58.0, 44.0], 6.0);
        let cable = cable.max(inside_box(x, y, [56.0, 29.0, 68.0, 35.0], 1.0));
        let inside = left.max(right).max(cable).max(pins);
        let color = if pins > 0.0 {
            rgb(0xd8_e0_e4)
        } else {
            rgb(AMBER)
        };
        let [r, g, b] = scale(color, 1.05 - (y - 20.0) / 64.0);
        [r, g, b, step(-0.5, 0.5, inside)]
    })
}
