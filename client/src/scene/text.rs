//! Text with color codes, laid out as pictures of a character set.

use super::{Draw2d, ShaderId};
pub use shared::base::text::without_colors as plain;

/// Red, green, blue, alpha, 0 to 1.
pub type Color = [f32; 4];

/// The colors that `^0` to `^7` name.
pub const COLORS: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
];

/// A character set of 16 × 16 cells in one picture, such as `gfx/2d/bigchars`.
#[derive(Clone, Copy, Debug)]
pub struct Charset {
    pub shader: ShaderId,
    /// A plain white picture, for bars and boxes.
    pub white: ShaderId,
}

/// How a line of text is drawn.
#[derive(Clone, Copy, Debug)]
pub struct TextStyle {
    /// Width and height of a character in pixels of the frame.
    pub size: [f32; 2],
    /// The color until a code changes it; its alpha holds throughout.
    pub color: Color,
    pub has_shadow: bool,
    /// Draws everything in `color`, codes or not.
    pub ignores_codes: bool,
}

impl Charset {
    /// Draws one line with its left top corner at `(x, y)`; returns where it ends.
    pub fn line(&self, out: &mut Vec<Draw2d>, x: f32, y: f32, text: &str, style: TextStyle) -> f32 {
        if style.has_shadow {
            let offset = style.size[0] / 8.0;
            let color = [0.0, 0.0, 0.0, style.color[3]];
            let shadow = TextStyle {
                color,
                ignores_codes: true,
                ..style
            };
            self.glyphs(out, x + offset, y + offset, text, shadow);
        }
        self.glyphs(out, x, y, text, style)
    }

    /// Fills a rectangle: left, top, width, height.
    pub fn fill(&self, out: &mut Vec<Draw2d>, rect: [f32; 4], color: Color) {
        out.push(Draw2d {
            rect,
            tex: [0.0, 0.0, 1.0, 1.0],
            color,
            shader: self.white,
        });
    }

    fn glyphs(&self, out: &mut Vec<Draw2d>, x: f32, y: f32, text: &str, style: TextStyle) -> f32 {
        let mut at = x;
        let mut color = style.color;
        for piece in pieces(text) {
            match piece {
                Piece::Color(index) if !style.ignores_codes => {
                    let [r, g, b] = COLORS[usize::from(index & 7)];
                    color = [r, g, b, style.color[3]];
                }
                Piece::Color(_) => {}
                Piece::Char(c) => {
                    if c != ' ' {
                        out.push(self.glyph(at, y, c, style.size, color));
                    }
                    at += style.size[0];
                }
            }
        }
        at
    }

    fn glyph(&self, x: f32, y: f32, c: char, size: [f32; 2], color: Color) -> Draw2d {
        const CELL: f32 = 1.0 / 16.0;
        let code = u8::try_from(c).unwrap_or(b'.');
        let left = f32::from(code & 15) * CELL;
        let top = f32::from(code >> 4) * CELL;
        let tex = [left, top, left + CELL, top + CELL];
        Draw2d {
            rect: [x, y, size[0], size[1]],
            tex,
            color,
            shader: self.shader,
        }
    }
}

/// A part of a text with color codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Index into [`COLORS`].
    Color(u8),
    Char(char),
}

/// Takes a text apart: `^` and a letter or digit is a color, all else is shown.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece> + '_ {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        let c = chars.next()?;
        if c == '^'
            && let Some(code) = chars.next_if(char::is_ascii_alphanumeric)
        {
            // ASCII was just checked, so the cast keeps the value.
            return Some(Piece::Color((code as u8).wrapping_sub(b'0') & 7));
        }
        Some(Piece::Char(c))
    })
}

/// How many characters a text takes on the screen.
pub fn visible_len(text: &str) -> usize {
    pieces(text)
        .filter(|piece| matches!(piece, Piece::Char(_)))
        .count()
}

/// Breaks a text at blanks into at most `most` lines of `length` visible letters; each goes on in the last color.
pub fn wrap(text: &str, length: usize, max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut letters) = (String::new(), 0);
    // Where the line was blank last: how long it was in bytes, and the color there.
    let (mut color, mut blank): (Option<u8>, Option<(usize, Option<u8>)>) = (None, None);
    for piece in pieces(text) {
        let letter = match piece {
            Piece::Color(code) => {
                color = Some(code);
                line.push_str(&format!("^{code}"));
                continue;
            }
            Piece::Char(letter) => letter,
        };
        if letters == length {
            let here = (line.len(), color);
            let (end, last_color) = if letter == ' ' {
                here
            } else {
                blank.unwrap_or(here)
            };
            blank = None;
            let rest = line.split_off(end);
            lines.push(std::mem::take(&mut line));
            if lines.len() == max {
                return lines;
            }
            let rest = rest.trim_start();
            line = last_color.map_or(String::new(), |code| format!("^{code}"));
            line.push_str(rest);
            letters = visible_len(rest);
            if letter == ' ' {
                continue;
            }
        } else if letter == ' ' {
            blank = Some((line.len(), color));
        }
        line.push(letter);
        letters += 1;
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHARSET: Charset = Charset {
        shader: ShaderId(1),
        white: ShaderId(2),
    };

    #[test]
    fn codes_color_and_take_no_room() {
        let mut out = Vec::new();
        let style = TextStyle {
            size: [8.0, 16.0],
            color: [1.0, 1.0, 1.0, 0.5],
            has_shadow: false,
            ignores_codes: false,
        };
        let end = CHARSET.line(&mut out, 10.0, 20.0, "a^1b c", style);
        assert_eq!(end, 42.0);
        assert_eq!(out.len(), 3);
        assert_eq!(out[1].rect, [18.0, 20.0, 8.0, 16.0]);
        assert_eq!(out[1].color, [1.0, 0.0, 0.0, 0.5]);
        assert_eq!(out[0].tex, [1.0 / 16.0, 6.0 / 16.0, 2.0 / 16.0, 7.0 / 16.0]);
    }

    #[test]
    fn a_caret_alone_is_a_character() {
        assert_eq!(plain("a^^1b^"), "a^b^");
        assert_eq!(visible_len("^1^2^3x"), 1);
        assert_eq!(plain("100^ %"), "100^ %");
    }

    #[test]
    fn long_lines_break_at_blanks_and_keep_their_color() {
        assert_eq!(wrap("^5hello", 80, 8), ["^5hello"]);
        assert_eq!(wrap("", 80, 8), Vec::<String>::new());
        let text = format!("{} ^5{} end", "a".repeat(60), "b".repeat(30));
        let expected = ["a".repeat(60), format!("^5{} end", "b".repeat(30))];
        assert_eq!(wrap(&text, 80, 8), expected);
        assert_eq!(wrap("^2abc def", 3, 8), ["^2abc", "^2def"]);
        assert_eq!(wrap("abcd", 3, 8), ["abc", "d"]);
        let long = wrap(&"x".repeat(10_000), 80, 8);
        assert_eq!(long.len(), 8);
        assert!(long.iter().all(|line| line.len() == 80));
    }
}
