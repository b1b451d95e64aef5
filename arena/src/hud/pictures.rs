//! Crosshairs, frames, medals, marks, and backgrounds.

use crate::{
    PakFile,
    canvas::{Canvas, Rgb, inside_box, inside_disc, mix, opaque, rgb, scale},
    effects::plug,
    image_file::{jpeg, targa},
    noise::{chance, fbm, ridges, smooth, step},
    strokes::Pen,
    textures::{AMBER, CYAN, TEAL},
};
use std::f32::consts::TAU;

pub(crate) fn files() -> Vec<PakFile> {
    let mut files: Vec<PakFile> = ('a'..='j')
        .map(|letter| targa(&format!("gfx/2d/crosshair{letter}"), &crosshair(letter)))
        .collect();
    let translucent = [
        ("gfx/2d/select", select()),
        ("gfx/2d/net", plug().outlined(2, [0.02, 0.03, 0.04], 0.9)),
        ("gfx/2d/defer", crossed(rgb(AMBER))),
        ("icons/noammo", crossed(rgb(0xff_3a_2a))),
        ("gfx/2d/colorbar", color_bar()),
        ("gfx/strafe/lagometer", lagometer()),
        ("gfx/strafe/detail", detail()),
    ];
    files.extend(translucent.iter().map(|(name, canvas)| targa(name, canvas)));
    for (name, color, sign) in [
        ("impressive", 0x5c_e6_f2, Sign::Slash),
        ("excellent", 0xff_c8_3a, Sign::Star),
        ("gauntlet", 0xff_6a_3a, Sign::Fist),
        ("defend", 0x5a_9a_ff, Sign::Shield),
        ("assist", 0x6a_e0_7a, Sign::Plus),
        ("capture", 0xe8_ee_f2, Sign::Flag),
    ] {
        files.push(targa(
            &format!("gfx/strafe/medal_{name}"),
            &medal(rgb(color), sign),
        ));
    }
    for skill in 1..=5 {
        files.push(targa(&format!("menu/art/skill{skill}"), &skill_mark(skill)));
    }
    files.push(jpeg("gfx/2d/backtile", &back_tile(), 66));
    files.push(jpeg("menu/art/unknownmap", &unknown_map(), 62));
    files.push(jpeg("gfx/strafe/menuback", &menu_back(), 62));
    files
}

/// How deep a point is inside a shape of lines and discs around the middle, in pixels of 64.
fn crosshair(letter: char) -> Canvas {
    let bar = |x: f32, y: f32, from: f32, to: f32, width: f32| {
        // One arm to each side.
        let (dx, dy) = ((x - 32.0).abs(), (y - 32.0).abs());
        let across = (width - dy).min(dx - from).min(to - dx);
        let up = (width - dx).min(dy - from).min(to - dy);
        across.max(up)
    };
    let dot = |x: f32, y: f32, radius: f32| inside_disc(x, y, [32.0, 32.0], radius);
    let ring = |x: f32, y: f32, radius: f32, width: f32| width - dot(x, y, radius).abs();
    let canvas = Canvas::from_fn(64, 64, |x, y| {
        let turned = ((x - 32.0 + y - 32.0) * 0.707 + 32.0, (y - x) * 0.707 + 32.0);
        let inside = match letter {
            'a' => bar(x, y, 7.0, 24.0, 2.2),
            'b' => bar(x, y, -1.0, 22.0, 2.0),
            'c' => dot(x, y, 5.0),
            'd' => ring(x, y, 18.0, 2.0).max(dot(x, y, 3.4)),
            'e' => bar(x, y, 8.0, 20.0, 2.0).max(dot(x, y, 3.4)),
            'f' => bar(turned.0, turned.1, 8.0, 22.0, 2.2),
            'g' => ring(x, y, 20.0, 2.0).max(bar(x, y, 12.0, 28.0, 2.0)),
            'h' => {
                let corner = inside_box(x, y, [10.0, 10.0, 54.0, 54.0], 2.0);
                let open = (x - 32.0).abs().min((y - 32.0).abs()) - 10.0;
                (2.2 - (corner - 2.2).abs()).min(open).max(dot(x, y, 3.0))
            }
            'i' => ring(x, y, 12.0, 2.0),
            _ => {
                // A chevron below a dot.
                let leg = 2.4 - ((y - 40.0) - (x - 32.0).abs()).abs() * 0.707;
                leg.min(14.0 - (x - 32.0).abs()).max(dot(x, y, 3.4))
            }
        };
        [1.0, 1.0, 1.0, smooth(inside * 0.7 + 0.5)]
    });
    let mut canvas = canvas.outlined(2, [0.0; 3], 0.55);
    canvas.map(|pixel| pixel.map(|value| (value * 24.0).round() / 24.0));
    canvas
}

/// A frame with bright corners.
fn select() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let inside = inside_box(x, y, [2.0, 2.0, 62.0, 62.0], 7.0);
        let line = smooth(2.6 - (inside - 2.4).abs());
        let corner = step(14.0, 20.0, (x - 32.0).abs().min((y - 32.0).abs()));
        let fill = if inside > 0.0 { 0.14 } else { 0.0 };
        let [r, g, b] = mix(rgb(TEAL), rgb(CYAN), corner);
        [r, g, b, (line * (0.55 + 0.45 * corner)).max(fill)]
    })
}

fn crossed(color: Rgb) -> Canvas {
    let mut canvas = Canvas::filled(64, 64, [color[0], color[1], color[2], 0.0]);
    let pen = Pen::new([10.0, 10.0], [44.0, 44.0], 7.0);
    pen.draw(&mut canvas, 'X', color, 0.9);
    canvas.outlined(2, [0.02, 0.03, 0.04], 0.8)
}

/// A bar that teams' colors tint: bright at its upper edge.
fn color_bar() -> Canvas {
    Canvas::from_fn(16, 32, |_, y| {
        let bright = if y < 2.0 {
            1.0
        } else {
            0.72 + 0.2 * (1.0 - y / 32.0)
        };
        [bright, bright, bright, 1.0]
    })
}

fn lagometer() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let inside = inside_box(x, y, [0.0, 0.0, 64.0, 64.0], 3.0);
        let line = (y / 10.666).fract() < 0.09;
        let [r, g, b] = if inside < 2.0 {
            rgb(TEAL)
        } else if line {
            rgb(0x2c_3a_42)
        } else {
            rgb(0x000c_1216)
        };
        [r, g, b, if inside < 2.0 { 0.7 } else { 0.6 }]
    })
}

/// Fine lines over the loading screen, darker toward the middle so that words can be read.
fn detail() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let line = if (y / 4.0).fract() < 0.5 { 0.16 } else { 0.08 };
        let cross = ((x / 64.0).fract() - 0.5).abs() < 0.01 && (y - 32.0).abs() < 4.0;
        if cross {
            [0.36, 0.9, 0.95, 0.3]
        } else {
            [0.0, 0.02, 0.03, line + 0.14]
        }
    })
}

#[derive(Clone, Copy)]
enum Sign {
    Slash,
    Star,
    Fist,
    Shield,
    Plus,
    Flag,
}

/// How deep a point lies inside a medal's sign, in pixels around the middle.
fn inside_sign(sign: Sign, x: f32, y: f32) -> f32 {
    match sign {
        Sign::Slash => {
            let beam = 2.6 - (x * 0.5 + y * 0.866).abs();
            let end = 13.0 - (x * 0.866 - y * 0.5).abs();
            let ring = 2.2 - ((x * x + y * y).sqrt() - 9.0).abs();
            beam.min(end).max(ring)
        }
        Sign::Star => {
            let turn = libm::atan2f(x, -y) / TAU * 5.0;
            let aside = (turn - turn.round()).abs() * 2.0;
            let reach = 13.0 - 7.6 * smooth(aside);
            reach - (x * x + y * y).sqrt()
        }
        Sign::Fist => {
            let palm = inside_box(x, y, [-9.0, -3.0, 9.0, 10.0], 4.0);
            let knuckle = ((x + 9.0) / 4.5).fract() - 0.5;
            let finger = (3.4 - knuckle.abs() * 2.0)
                .min(9.0 - x.abs())
                .min(y + 10.0)
                .min(4.0 - y);
            let gap = if knuckle.abs() > 0.42 && y < 3.0 {
                -1.0
            } else {
                9.0
            };
            palm.max(finger).min(gap)
        }
        Sign::Shield => {
            let side = 10.0 - x.abs() - (y - 1.0).max(0.0) * (y - 1.0).max(0.0) * 0.075;
            side.min(y + 11.0).min(13.0 - y)
        }
        Sign::Plus => {
            let (dx, dy) = (x.abs(), y.abs());
            (3.6 - dx).min(11.0 - dy).max((3.6 - dy).min(11.0 - dx))
        }
        Sign::Flag => {
            let pole = (1.6 - (x + 8.0).abs()).min(13.0 - y.abs());
            let sail = (10.0 - x)
                .min(x + 7.0)
                .min(y + 12.0)
                .min(2.0 - y + libm::sinf(x * 0.4) * 1.5);
            pole.max(sail)
        }
    }
}

/// A disc with a rim of notches, and a sign in a color.
fn medal(color: Rgb, sign: Sign) -> Canvas {
    let mut canvas = Canvas::from_fn(64, 64, |x, y| {
        let (dx, dy) = (x - 32.0, y - 32.0);
        let turn = libm::atan2f(dy, dx) / TAU;
        let notch = smooth(((turn * 24.0).fract().abs() - 0.5).abs() * 4.0) * 1.6;
        let inside = 29.0 - notch - (dx * dx + dy * dy).sqrt();
        let light = 0.75 - (dx + dy * 2.0) / 110.0;
        let metal = scale(rgb(0x8d_9a_a3), light);
        let face = scale(rgb(0x1a_24_2b), 1.2 - dy / 60.0);
        let mut paint = mix(metal, face, step(5.0, 6.2, inside));
        paint = mix(paint, color, smooth(1.6 - (inside - 8.0).abs()));
        let deep = inside_sign(sign, dx, dy);
        let shine = scale(color, 1.06 - dy / 50.0);
        paint = mix(paint, shine, smooth(deep + 0.5));
        paint = mix(paint, [1.0; 3], smooth(deep - 2.0) * 0.25);
        let [r, g, b] = paint;
        [r, g, b, smooth(inside + 0.5)]
    });
    canvas.map(|pixel| pixel.map(|value| (value * 31.0).round() / 31.0));
    canvas
}

/// One to five bars, from calm teal to angry red.
fn skill_mark(skill: i32) -> Canvas {
    let hot = (skill - 1) as f32 / 4.0;
    let color = mix(rgb(TEAL), rgb(0xff_4a_3a), hot);
    let mut canvas = Canvas::from_fn(64, 64, |x, y| {
        let mut inside = f32::MIN;
        for bar in 0..skill {
            let left = 5.0 + bar as f32 * 11.0;
            let top = 44.0 - bar as f32 * 8.0;
            inside = inside.max(inside_box(x, y, [left, top, left + 8.0, 58.0], 2.0));
        }
        let [r, g, b] = scale(color, 1.15 - y / 180.0);
        [r, g, b, smooth(inside + 0.5)]
    });
    canvas = canvas.outlined(2, [0.02, 0.03, 0.04], 0.8);
    canvas
}

/// What surrounds a view that does not fill the screen.
fn back_tile() -> Canvas {
    Canvas::from_fn(64, 64, |x, y| {
        let edge = x.min(64.0 - x).min(y.min(64.0 - y));
        let tone = 0.9 + 0.2 * fbm(x / 8.0, y / 8.0, 8, 3, 701);
        let line = 1.0 - 0.4 * smooth(1.6 - edge);
        opaque(scale(rgb(0x1b_22_28), tone * line))
    })
}

/// Mountains under a cold sky, for maps without a picture.
fn unknown_map() -> Canvas {
    let mut canvas = Canvas::from_fn(256, 256, |x, y| {
        let mut color = mix(rgb(0x10_1c_2a), rgb(0x53_74_88), y / 200.0);
        for (range, shade) in [
            (0, rgb(0x35_4e_5e)),
            (1, rgb(0x1a_2a_36)),
            (2, rgb(0x0b_13_1a)),
        ] {
            let crest = 190.0 + range as f32 * 18.0
                - 80.0
                    * ridges(
                        x / 64.0 * (1.0 + range as f32),
                        1.5,
                        4 << range,
                        5,
                        711 + range,
                    );
            let depth = y - crest - range as f32 * 14.0;
            color = mix(color, shade, step(-0.8, 0.8, depth));
        }
        let grain = (chance(x as i32, y as i32, 713) - 0.5) * 0.02;
        opaque(color.map(|channel| channel + grain))
    });
    let pen = Pen::new([106.0, 66.0], [44.0, 76.0], 12.0);
    pen.draw(&mut canvas, '?', rgb(CYAN), 0.4);
    canvas
}

/// Panels in the dark, with one line of light.
fn menu_back() -> Canvas {
    Canvas::from_fn(256, 256, |x, y| {
        let panel = inside_box(
            x.rem_euclid(64.0),
            y.rem_euclid(64.0),
            [2.0, 2.0, 62.0, 62.0],
            6.0,
        );
        let tone = 0.7 + 0.5 * fbm(x / 64.0, y / 64.0, 4, 4, 721);
        let edge = 0.75 + 0.25 * smooth(panel / 3.0);
        let mut color = scale(rgb(0x14_1c_23), tone * edge);
        let line = smooth(1.0 - (y - 40.0).abs() / 2.0);
        color = mix(color, rgb(TEAL), line * 0.6);
        let grain = (chance(x as i32, y as i32, 723) - 0.5) * 0.012;
        opaque(color.map(|channel| channel + grain))
    })
}
