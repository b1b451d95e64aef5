//! Painter: text, bars and lines of the lab as flat pictures, in units of a screen of 1280 × 720.

use crate::{
    scene::{
        Draw2d,
        text::{Charset, Color, TextStyle, visible_len, wrap},
    },
    ui::font::{Align, Font},
};

/// A letter's width and height.
pub const SMALL: [f32; 2] = [7.0, 11.0];
pub const NORMAL: [f32; 2] = [8.0, 13.0];

/// Draws into a frame; places are pixels, sizes of letters are units.
#[derive(Debug)]
pub struct Painter<'a> {
    pub out: &'a mut Vec<Draw2d>,
    pub charset: Charset,
    pub title_font: Font,
    /// Pixels of a unit.
    pub unit: f32,
}

impl Painter<'_> {
    pub fn fill(&mut self, rect: [f32; 4], color: Color) {
        self.charset.fill(self.out, rect, color);
    }

    /// The edges of a rectangle, one unit thick and inside.
    pub fn frame(&mut self, [x, y, width, height]: [f32; 4], color: Color) {
        let edge = self.unit.max(1.0);
        self.fill([x, y, width, edge], color);
        self.fill([x, y + height - edge, width, edge], color);
        self.fill([x, y + edge, edge, height - 2.0 * edge], color);
        self.fill(
            [x + width - edge, y + edge, edge, height - 2.0 * edge],
            color,
        );
    }

    /// One line; gives where it ends.
    pub fn text(&mut self, at: [f32; 2], text: &str, size: [f32; 2], color: Color) -> f32 {
        let style = TextStyle {
            size: size.map(|side| side * self.unit),
            color,
            has_shadow: false,
            ignores_codes: false,
        };
        self.charset
            .line(self.out, at[0].round(), at[1].round(), text, style)
    }

    /// One line around a middle.
    pub fn centered(&mut self, [x, y]: [f32; 2], text: &str, size: [f32; 2], color: Color) {
        let width = visible_len(text) as f32 * size[0] * self.unit;
        self.text([x - width / 2.0, y], text, size, color);
    }

    /// A text broken into lines of a width, as many as there is room for; gives where the next line would begin.
    pub fn paragraph(
        &mut self,
        [x, y, width, height]: [f32; 4],
        text: &str,
        size: [f32; 2],
        color: Color,
    ) -> f32 {
        let letter = size[0] * self.unit;
        let step = (size[1] + 3.0) * self.unit;
        // Both are finite and positive; the casts clamp.
        let letters = (width / letter) as usize;
        let lines = (height / step).max(0.0) as usize;
        let mut top = y;
        for line in wrap(text, letters.max(8), lines) {
            self.text([x, top], &line, size, color);
            top += step;
        }
        top
    }

    /// A line in the letters of titles.
    pub fn title(&mut self, at: [f32; 2], text: &str, height: f32, color: Color) {
        let font = self.title_font;
        let scale = height * self.unit / font.face.height();
        font.line(self.out, at, [scale; 2], Align::Left, text, color);
    }

    /// A slanted line in steps, as flat pictures have no other.
    pub fn slant(&mut self, from: [f32; 2], to: [f32; 2], color: Color) {
        let height = to[1] - from[1];
        let width = to[0] - from[0];
        let thick = self.unit.max(1.0);
        let steps = (height.abs() / (3.0 * self.unit)).clamp(1.0, 24.0) as usize;
        let part = 1.0 / steps as f32;
        for step in 0..steps {
            let share = step as f32 * part;
            let (x, y) = (from[0] + width * share, from[1] + height * share);
            let (dx, dy) = (width * part, height * part);
            let rect = [
                x.min(x + dx),
                y.min(y + dy),
                dx.abs().max(thick),
                dy.abs().max(thick),
            ];
            self.fill(rect, color);
        }
    }
}

/// What of a picture lies inside a rectangle.
pub fn clip(picture: &Draw2d, inside: [f32; 4]) -> Option<Draw2d> {
    let [x, y, width, height] = picture.rect;
    if !(width > 0.0 && height > 0.0) {
        return None;
    }
    let left = x.max(inside[0]);
    let top = y.max(inside[1]);
    let right = (x + width).min(inside[0] + inside[2]);
    let bottom = (y + height).min(inside[1] + inside[3]);
    if right <= left || bottom <= top {
        return None;
    }
    let [s1, t1, s2, t2] = picture.tex;
    let across = |at: f32| s1 + (s2 - s1) * (at - x) / width;
    let down = |at: f32| t1 + (t2 - t1) * (at - y) / height;
    Some(Draw2d {
        rect: [left, top, right - left, bottom - top],
        tex: [across(left), down(top), across(right), down(bottom)],
        ..*picture
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::ShaderId;

    #[test]
    fn pictures_are_cut_with_their_textures() {
        let picture = |rect| Draw2d {
            rect,
            tex: [0.0, 0.0, 1.0, 1.0],
            color: [1.0; 4],
            shader: ShaderId(0),
        };
        let inside = [100.0, 0.0, 100.0, 50.0];
        let cut = clip(&picture([50.0, 0.0, 100.0, 100.0]), inside).expect("a part is inside");
        assert_eq!(cut.rect, [100.0, 0.0, 50.0, 50.0]);
        assert_eq!(cut.tex, [0.5, 0.0, 1.0, 0.5]);
        assert!(clip(&picture([0.0, 0.0, 100.0, 100.0]), inside).is_none());
        assert!(clip(&picture([120.0, 0.0, 0.0, 10.0]), inside).is_none());
    }
}
