//! Text in the two proportional fonts of menus and titles, laid out as pictures.

use crate::scene::{
    Draw2d, ShaderId,
    text::{COLORS, Color, Piece, pieces},
};

/// Side of the fonts' images in the texels that the tables count.
const IMAGE_SIZE: f32 = 256.0;

/// A font whose letters are as wide as they need to be.
#[derive(Clone, Copy, Debug)]
pub struct Font {
    pub shader: ShaderId,
    pub face: &'static Face,
}

/// Where the letters of a font lie in its image, in texels.
#[derive(Clone, Debug)]
pub struct Face {
    /// Registered without mips.
    pub image: &'static str,
    height: f32,
    gap: f32,
    space: f32,
    /// Those that it has.
    letters: &'static str,
    /// Left, top and width of each of them.
    glyphs: &'static [u8],
}

/// Where a line begins, ends or has its middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Center,
    Right,
}

impl Face {
    fn glyph(&self, c: char) -> Option<[f32; 3]> {
        let (glyphs, _) = self.glyphs.as_chunks();
        let glyph = glyphs.get(self.letters.find(c)?)?;
        Some(glyph.map(f32::from))
    }

    /// Width of a line without the gap behind its last letter, at scale 1.
    pub fn width(&self, text: &str) -> f32 {
        let letters = pieces(text).filter_map(|piece| match piece {
            Piece::Char(c) => Some(self.advance(self.case(c))),
            Piece::Color(_) => None,
        });
        (letters.sum::<f32>() - self.gap).max(0.0)
    }

    /// Height of a line at scale 1.
    pub fn height(&self) -> f32 {
        self.height
    }

    fn advance(&self, c: char) -> f32 {
        let width = if c == ' ' {
            self.space
        } else {
            self.glyph(c).map_or(0.0, |[.., width]| width)
        };
        width + self.gap
    }

    /// Both fonts have capital letters only.
    fn case(&self, c: char) -> char {
        c.to_ascii_uppercase()
    }
}

impl Font {
    /// Draws one line from `(x, y)` in pixels of the frame; `scale` is pixels per texel across and down.
    #[expect(
        clippy::too_many_arguments,
        reason = "a line of text has no fewer properties"
    )]
    pub fn line(
        &self,
        out: &mut Vec<Draw2d>,
        at: [f32; 2],
        scale: [f32; 2],
        align: Align,
        text: &str,
        color: Color,
    ) {
        let width = self.face.width(text) * scale[0];
        let mut x = match align {
            Align::Left => at[0],
            Align::Center => at[0] - width / 2.0,
            Align::Right => at[0] - width,
        };
        let mut paint = color;
        for piece in pieces(text) {
            match piece {
                Piece::Color(index) => {
                    let [r, g, b] = COLORS[usize::from(index & 7)];
                    paint = [r, g, b, color[3]];
                }
                Piece::Char(c) => {
                    let c = self.face.case(c);
                    out.extend(self.picture(c, [x, at[1]], scale, paint));
                    x += self.face.advance(c) * scale[0];
                }
            }
        }
    }

    fn picture(&self, c: char, at: [f32; 2], scale: [f32; 2], color: Color) -> Option<Draw2d> {
        let [left, top, width] = self.face.glyph(c)?;
        let height = self.face.height;
        let tex = [left, top, left + width, top + height].map(|texel| texel / IMAGE_SIZE);
        Some(Draw2d {
            rect: [at[0], at[1], width * scale[0], height * scale[1]],
            tex,
            color,
            shader: self.shader,
        })
    }
}

/// Menus and titles of the scoreboard.
pub const PROPORTIONAL: Face = Face {
    image: "menu/art/font1_prop",
    height: 27.0,
    gap: 3.0,
    space: 8.0,
    letters: "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`{|}~",
    glyphs: &[
        11, 122, 7, 154, 181, 14, 55, 122, 17, 79, 122, 18, 101, 122, 23, 153, 122, 18, 9, 93, 7,
        207, 122, 8, 230, 122, 9, 177, 122, 18, 30, 152, 18, 85, 181, 7, 34, 93, 11, 110, 181, 6,
        130, 152, 14, 22, 64, 17, 41, 64, 12, 58, 64, 17, 78, 64, 18, 98, 64, 19, 120, 64, 18, 141,
        64, 18, 204, 64, 16, 162, 64, 17, 182, 64, 18, 59, 181, 7, 35, 181, 7, 203, 152, 14, 56,
        93, 14, 228, 152, 14, 177, 181, 18, 28, 122, 22, 5, 4, 18, 27, 4, 18, 48, 4, 18, 69, 4, 17,
        90, 4, 13, 106, 4, 13, 121, 4, 18, 143, 4, 17, 164, 4, 8, 175, 4, 16, 195, 4, 18, 216, 4,
        12, 230, 4, 23, 6, 34, 18, 27, 34, 18, 48, 34, 18, 68, 34, 18, 90, 34, 17, 110, 34, 18,
        130, 34, 14, 146, 34, 18, 166, 34, 19, 185, 34, 29, 215, 34, 18, 234, 34, 18, 5, 64, 14,
        60, 152, 7, 106, 151, 13, 83, 152, 7, 128, 122, 17, 4, 152, 21, 134, 181, 5, 153, 152, 13,
        11, 181, 5, 180, 152, 13, 79, 93, 17,
    ],
};

/// Large headings; letters only.
pub const BANNER: Face = Face {
    image: "menu/art/font2_prop",
    height: 36.0,
    gap: 4.0,
    space: 12.0,
    letters: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    glyphs: &[
        11, 12, 33, 49, 12, 31, 85, 12, 31, 120, 12, 30, 156, 12, 21, 183, 12, 21, 207, 12, 32, 13,
        55, 30, 49, 55, 13, 66, 55, 29, 101, 55, 31, 135, 55, 21, 158, 55, 40, 204, 55, 32, 12, 97,
        31, 48, 97, 31, 82, 97, 30, 118, 97, 30, 153, 97, 30, 185, 97, 25, 213, 97, 30, 11, 139,
        32, 42, 139, 51, 93, 139, 32, 126, 139, 31, 158, 139, 25,
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_has_its_place_and_width() {
        for face in [PROPORTIONAL, BANNER] {
            assert_eq!(face.glyphs.len(), 3 * face.letters.chars().count());
        }
    }

    #[test]
    fn widths_are_letters_and_gaps() {
        // A and 1 with the gap between them; color codes take no room.
        assert_eq!(PROPORTIONAL.width("a^31"), 18.0 + 3.0 + 12.0);
        assert_eq!(PROPORTIONAL.width("A B"), 18.0 + 3.0 + 8.0 + 3.0 + 18.0);
        assert_eq!(PROPORTIONAL.width(""), 0.0);
        assert_eq!(BANNER.width("I Z"), 13.0 + 4.0 + 12.0 + 4.0 + 25.0);
    }

    #[test]
    fn lines_are_pictures_side_by_side() {
        let font = Font {
            shader: ShaderId(5),
            face: &PROPORTIONAL,
        };
        let mut out = Vec::new();
        let (at, scale, color) = ([100.0, 10.0], [2.0, 1.0], [1.0, 1.0, 1.0, 0.5]);
        font.line(&mut out, at, scale, Align::Right, "B ^1€7", color);
        let rects: Vec<_> = out.iter().map(|picture| picture.rect).collect();
        assert_eq!(rects, [[-2.0, 10.0, 36.0, 27.0], [68.0, 10.0, 32.0, 27.0]]);
        assert_eq!(out[1].color, [1.0, 0.0, 0.0, 0.5]);
        assert_eq!(out[0].tex[0], 27.0 / 256.0);
    }
}
