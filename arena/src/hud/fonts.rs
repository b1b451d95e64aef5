//! The console's characters, the proportional fonts, the large digits and the words over the scoreboard.

use crate::{
    PakFile,
    canvas::{Canvas, mix},
    image_file::targa,
    noise::smooth,
    strokes::Pen,
};

const WHITE: [f32; 3] = [1.0; 3];

pub(crate) fn files() -> Vec<PakFile> {
    let mut files = vec![targa("gfx/2d/bigchars", &bigchars())];
    let prop = proportional(&PROP, 27.0, 2.6);
    files.push(targa("menu/art/font1_prop_glo", &glow(&prop)));
    files.push(targa("menu/art/font1_prop", &prop));
    files.push(targa(
        "menu/art/font2_prop",
        &proportional(&BANNER, 36.0, 4.4),
    ));
    for (name, digit) in [
        ("zero", '0'),
        ("one", '1'),
        ("two", '2'),
        ("three", '3'),
        ("four", '4'),
        ("five", '5'),
        ("six", '6'),
        ("seven", '7'),
        ("eight", '8'),
        ("nine", '9'),
        ("minus", '-'),
    ] {
        files.push(targa(&format!("gfx/2d/numbers/{name}_32b"), &number(digit)));
    }
    for name in ["name", "ping", "score", "time"] {
        files.push(targa(&format!("menu/tab/{name}"), &heading(name)));
    }
    files
}

/// 256 characters in cells of 16 by 16 pixels; the upper half shows the lower half again.
pub(crate) fn bigchars() -> Canvas {
    let mut canvas = Canvas::filled(256, 256, [1.0, 1.0, 1.0, 0.0]);
    for code in 0..256_usize {
        let (left, top) = ((code % 16 * 16) as f32, (code / 16 * 16) as f32);
        let low = code % 128;
        let mut cell = Canvas::filled(16, 16, [1.0, 1.0, 1.0, 0.0]);
        match low {
            0..32 => draw_sign(&mut cell, low),
            127 => draw_sign(&mut cell, 11),
            _ => {
                let letter = low as u8 as char;
                let pen = Pen::new([3.0, 2.4], [9.6, 9.4], 2.2);
                pen.draw(&mut cell, letter, WHITE, 1.0);
            }
        }
        canvas.stamp(&cell, left as i32, top as i32);
    }
    // What is transparent stays white, so that no dark rim appears when it is enlarged.
    canvas.map(|[_, _, _, alpha]| [1.0, 1.0, 1.0, (alpha * 20.0).round() / 20.0]);
    canvas
}

/// Codes below the space: cursors, and bars of growing height.
fn draw_sign(cell: &mut Canvas, code: usize) {
    let rect = match code {
        10 => [2, 13, 14, 15],
        11 => [2, 2, 14, 15],
        13 => [5, 4, 11, 12],
        _ => [2, 15 - (code as i32 % 14), 14, 15],
    };
    for y in rect[1]..rect[3] {
        for x in rect[0]..rect[2] {
            cell.over(x, y, WHITE, 1.0);
        }
    }
}

/// Left, top and width of the letters of a font, in texels of 256.
type Places = [(char, u8, u8, u8)];

/// Capitals, digits and signs; small letters are shown as capitals.
const PROP: [(char, u8, u8, u8); 68] = [
    ('!', 11, 122, 7),
    ('"', 154, 181, 14),
    ('#', 55, 122, 17),
    ('$', 79, 122, 18),
    ('%', 101, 122, 23),
    ('&', 153, 122, 18),
    ('\'', 9, 93, 7),
    ('(', 207, 122, 8),
    (')', 230, 122, 9),
    ('*', 177, 122, 18),
    ('+', 30, 152, 18),
    (',', 85, 181, 7),
    ('-', 34, 93, 11),
    ('.', 110, 181, 6),
    ('/', 130, 152, 14),
    ('0', 22, 64, 17),
    ('1', 41, 64, 12),
    ('2', 58, 64, 17),
    ('3', 78, 64, 18),
    ('4', 98, 64, 19),
    ('5', 120, 64, 18),
    ('6', 141, 64, 18),
    ('7', 204, 64, 16),
    ('8', 162, 64, 17),
    ('9', 182, 64, 18),
    (':', 59, 181, 7),
    (';', 35, 181, 7),
    ('<', 203, 152, 14),
    ('=', 56, 93, 14),
    ('>', 228, 152, 14),
    ('?', 177, 181, 18),
    ('@', 28, 122, 22),
    ('A', 5, 4, 18),
    ('B', 27, 4, 18),
    ('C', 48, 4, 18),
    ('D', 69, 4, 17),
    ('E', 90, 4, 13),
    ('F', 106, 4, 13),
    ('G', 121, 4, 18),
    ('H', 143, 4, 17),
    ('I', 164, 4, 8),
    ('J', 175, 4, 16),
    ('K', 195, 4, 18),
    ('L', 216, 4, 12),
    ('M', 230, 4, 23),
    ('N', 6, 34, 18),
    ('O', 27, 34, 18),
    ('P', 48, 34, 18),
    ('Q', 68, 34, 18),
    ('R', 90, 34, 17),
    ('S', 110, 34, 18),
    ('T', 130, 34, 14),
    ('U', 146, 34, 18),
    ('V', 166, 34, 19),
    ('W', 185, 34, 29),
    ('X', 215, 34, 18),
    ('Y', 234, 34, 18),
    ('Z', 5, 64, 14),
    ('[', 60, 152, 7),
    ('\\', 106, 151, 13),
    (']', 83, 152, 7),
    ('^', 128, 122, 17),
    ('_', 4, 152, 21),
    ('`', 134, 181, 5),
    ('{', 153, 152, 13),
    ('|', 11, 181, 5),
    ('}', 180, 152, 13),
    ('~', 79, 93, 17),
];

const BANNER: [(char, u8, u8, u8); 26] = [
    ('A', 11, 12, 33),
    ('B', 49, 12, 31),
    ('C', 85, 12, 31),
    ('D', 120, 12, 30),
    ('E', 156, 12, 21),
    ('F', 183, 12, 21),
    ('G', 207, 12, 32),
    ('H', 13, 55, 30),
    ('I', 49, 55, 13),
    ('J', 66, 55, 29),
    ('K', 101, 55, 31),
    ('L', 135, 55, 21),
    ('M', 158, 55, 40),
    ('N', 204, 55, 32),
    ('O', 12, 97, 31),
    ('P', 48, 97, 31),
    ('Q', 82, 97, 30),
    ('R', 118, 97, 30),
    ('S', 153, 97, 30),
    ('T', 185, 97, 25),
    ('U', 213, 97, 30),
    ('V', 11, 139, 32),
    ('W', 42, 139, 51),
    ('X', 93, 139, 32),
    ('Y', 126, 139, 31),
    ('Z', 158, 139, 25),
];

/// A font's sheet: each letter fills the width of its place.
fn proportional(places: &Places, height: f32, thickness: f32) -> Canvas {
    let mut canvas = Canvas::filled(256, 256, [1.0, 1.0, 1.0, 0.0]);
    for &(letter, left, top, width) in places {
        // Signs whose strokes fill less than the grid are drawn wider, so that they fill their place.
        let (first, last) = reach(letter);
        let room = (f32::from(width) - thickness - 0.6).max(0.2);
        let stretch = if last > first {
            room / (last - first)
        } else {
            1.0
        };
        let middle = f32::from(left) + f32::from(width) / 2.0;
        let left = middle - (first + last) / 2.0 * stretch;
        let corner = [left, f32::from(top) + height * 0.13];
        let pen = Pen::new(corner, [6.0 * stretch, height * 0.62], thickness);
        pen.draw(&mut canvas, letter, WHITE, 1.0);
    }
    canvas.map(|[_, _, _, alpha]| [1.0, 1.0, 1.0, (alpha * 20.0).round() / 20.0]);
    canvas
}

/// The leftmost and rightmost column of the grid that a letter uses.
fn reach(letter: char) -> (f32, f32) {
    let wide = Pen::new([0.0, 0.0], [60.0, 90.0], 2.0);
    let (mut first, mut last) = (6.0_f32, 0.0_f32);
    for column in 0..=6 {
        let x = column as f32 * 10.0;
        if (-10..=130).any(|y| wide.inside(letter, x, y as f32) >= 0.0) {
            first = first.min(column as f32);
            last = last.max(column as f32);
        }
    }
    (first.min(last), last)
}

/// A soft light around a font's letters.
fn glow(font: &Canvas) -> Canvas {
    let mut soft = font.outlined(3, WHITE, 0.6);
    soft.map(|[_, _, _, alpha]| [1.0, 1.0, 1.0, (alpha * 12.0).round() / 12.0]);
    soft
}

/// A large digit: white, a little darker toward the foot, with a dark rim.
fn number(digit: char) -> Canvas {
    let pen = Pen::new([12.0, 10.0], [40.0, 44.0], 11.0);
    let canvas = Canvas::from_fn(64, 64, |x, y| {
        let inside = pen.inside(digit, x, y);
        let face = mix([1.0; 3], [0.74; 3], smooth((y - 8.0) / 48.0));
        let bevel = smooth(inside / 3.0);
        let [r, g, b] = mix([0.62; 3], face, bevel);
        [r, g, b, smooth(inside + 0.5)]
    });
    let mut canvas = canvas.outlined(3, [0.03, 0.04, 0.05], 0.8);
    canvas.map(|pixel| pixel.map(|value| (value * 30.0).round() / 30.0));
    canvas
}

/// A word over a column of the scoreboard.
fn heading(word: &str) -> Canvas {
    let mut canvas = Canvas::filled(128, 32, [1.0, 1.0, 1.0, 0.0]);
    let pen = Pen::new([6.0, 8.0], [14.0, 16.0], 3.4);
    pen.write(
        &mut canvas,
        &word.to_ascii_uppercase(),
        22.0,
        [0.86, 0.95, 0.97],
    );
    canvas.outlined(2, [0.02, 0.03, 0.04], 0.7)
}
