//! Letters and digits as strokes, from which all fonts, numbers and signs are drawn.

use crate::canvas::{Canvas, Rgb};
use crate::noise::smooth;

/// Width and height of capitals in the grid of the table; tails reach down to [`DEPTH`].
const WIDTH: f32 = 6.0;
const CAP: f32 = 9.0;
/// Where the lowest tails end.
pub(crate) const DEPTH: f32 = 12.0 / 9.0;

/// From the space on: lines through points of two digits each, across from 0 to 6 and down from 0 to c.
const GLYPHS: [&str; 95] = [
    "",
    "3036 3939",
    "2022 4042",
    "2128 4148 0363 0666",
    "615010010314546568591908 303a",
    "6009 1112 5758",
    "691311204051520608194966",
    "3032",
    "40222749",
    "20424729",
    "3137 1256 5216",
    "3238 0565",
    "392b",
    "1555",
    "3939",
    "6009",
    "105061685919080110 3435",
    "123039 1959",
    "01105061630969",
    "01105061635424 546568591908",
    "59500666",
    "600004546568591908",
    "6150100108195968655404",
    "006029",
    "105061635414030110 145465685919080514",
    "0819596861501001041565",
    "3434 3939",
    "3434 392b",
    "520558",
    "0464 0767",
    "126518",
    "01105061633536 3939",
    "5919080110506166363363",
    "0903306369 0666",
    "09005061635404 5465685909",
    "6150100108195968",
    "00406267490900",
    "60000969 0454",
    "600009 0454",
    "61501001081959686535",
    "0009 6069 0464",
    "1050 3039 1959",
    "606859190807",
    "0009 042460 2469",
    "000969",
    "0900346069",
    "09006960",
    "105061685919080110",
    "09005061645505",
    "105061685919080110 4669",
    "09005061645505 3569",
    "615010010314546568591908",
    "0060 3039",
    "000819596860",
    "003960",
    "0019355960",
    "0069 6009",
    "003460 3439",
    "00600969",
    "40202949",
    "0069",
    "20404929",
    "133053",
    "0b6b",
    "2042",
    "13536469 661607081969",
    "00095968645303",
    "6453130408195968",
    "60691908041363",
    "066664531304081969",
    "50302129 0353",
    "631304081969 636b5c1c",
    "0009 03536469",
    "3131 233339",
    "4141 33434b3c1c",
    "0009 062653 2669",
    "20303849",
    "0903233439 3443536469",
    "0903536469",
    "135364685919080413",
    "0c035364685909",
    "6c631304081969",
    "0903 052353",
    "645313040516566768591908",
    "20283959 0353",
    "03081969 6369",
    "033963",
    "0319365963",
    "0369 6309",
    "0339 632c",
    "03630969",
    "504031342536384959",
    "303b",
    "102031344536382919",
    "061525465665",
];

/// Where and how thick a glyph is drawn, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    /// Middle of the leftmost strokes.
    pub left: f32,
    /// Middle of the topmost strokes of capitals.
    pub top: f32,
    pub width: f32,
    /// Of capitals.
    pub height: f32,
    pub thickness: f32,
}

impl Pen {
    /// For capitals of this size at a corner, both in pixels.
    pub(crate) fn new([left, top]: [f32; 2], [width, height]: [f32; 2], thickness: f32) -> Self {
        Self {
            left,
            top,
            width,
            height,
            thickness,
        }
    }

    /// How much of the pixel around a point the glyph covers, 0 to 1.
    pub(crate) fn coverage(&self, letter: char, x: f32, y: f32) -> f32 {
        smooth(self.inside(letter, x, y) + 0.5)
    }

    /// How deep a point lies inside the strokes; negative outside.
    pub(crate) fn inside(&self, letter: char, x: f32, y: f32) -> f32 {
        let mut nearest = f32::MAX;
        let index = (letter as usize).wrapping_sub(32);
        for line in GLYPHS.get(index).copied().unwrap_or_default().split(' ') {
            let mut previous = None;
            for &[across, down] in line.as_bytes().as_chunks::<2>().0 {
                let point = [
                    self.left + digit(across) / WIDTH * self.width,
                    self.top + digit(down) / CAP * self.height,
                ];
                nearest = nearest.min(distance([x, y], previous.unwrap_or(point), point));
                previous = Some(point);
            }
        }
        self.thickness / 2.0 - nearest
    }

    /// Draws one glyph.
    pub(crate) fn draw(&self, canvas: &mut Canvas, letter: char, color: Rgb, alpha: f32) {
        let margin = self.thickness + 1.0;
        let bottom = self.top + self.height * DEPTH + margin;
        for y in (self.top - margin) as i32..=bottom as i32 {
            for x in (self.left - margin) as i32..=(self.left + self.width + margin) as i32 {
                let covered = self.coverage(letter, x as f32 + 0.5, y as f32 + 0.5);
                canvas.over(x, y, color, covered * alpha);
            }
        }
    }

    /// Draws a line of text, each letter `step` pixels after the one before.
    pub(crate) fn write(&self, canvas: &mut Canvas, text: &str, step: f32, color: Rgb) {
        let mut pen = *self;
        for letter in text.chars() {
            pen.draw(canvas, letter, color, 1.0);
            pen.left += step;
        }
    }
}

fn digit(byte: u8) -> f32 {
    f32::from(match byte {
        b'0'..=b'9' => byte - b'0',
        _ => byte - b'a' + 10,
    })
}

fn distance(point: [f32; 2], from: [f32; 2], to: [f32; 2]) -> f32 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let offset = [point[0] - from[0], point[1] - from[1]];
    let length = along[0] * along[0] + along[1] * along[1];
    let t = if length > 0.0 {
        ((offset[0] * along[0] + offset[1] * along[1]) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let (dx, dy) = (offset[0] - along[0] * t, offset[1] - along[1] * t);
    (dx * dx + dy * dy).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each printable letter leaves ink, and no two leave the same.
    #[test]
    fn glyphs_differ() {
        let pen = Pen::new([4.0, 4.0], [16.0, 18.0], 2.0);
        let mut seen = std::collections::BTreeSet::new();
        for letter in '!'..='~' {
            let mut canvas = Canvas::filled(24, 32, [0.0; 4]);
            pen.draw(&mut canvas, letter, [1.0; 3], 1.0);
            let ink = canvas.pixels.iter().filter(|pixel| pixel[3] > 0.5).count();
            assert!(ink > 1, "{letter} has {ink} pixels");
            assert!(
                seen.insert(canvas.bytes()),
                "{letter} looks like another glyph"
            );
        }
        assert_eq!(seen.len(), 94);
    }
}
