//! The virtual screen of 640 × 480 units, kept in proportion on any screen, with groups at its edges.

use crate::{
    cg::media::Media,
    scene::{
        Draw2d, ShaderId,
        text::{Charset, Color, TextStyle},
    },
};

/// Sizes of a character: width and height in virtual units.
pub const SMALL: [f32; 2] = [8.0, 16.0];
pub const BIG: [f32; 2] = [16.0, 16.0];
pub const GIANT: [f32; 2] = [32.0, 48.0];
pub const WHITE: Color = [1.0; 4];

/// Which edge a thing stays at when the screen is wider than 4:3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Center,
    Right,
}

/// Collects pictures in virtual units.
#[derive(Debug)]
pub struct Canvas {
    out: Vec<Draw2d>,
    charset: Charset,
    scale: f32,
    /// What is left of the width at each side.
    margin: f32,
    top: f32,
}

impl Canvas {
    pub fn new(screen: [f32; 2], media: &Media) -> Self {
        let [width, height] = screen;
        let scale = (width / 640.0).min(height / 480.0);
        Self {
            out: Vec::new(),
            charset: Charset {
                shader: media.pictures.charset,
                white: media.pictures.white,
            },
            scale,
            margin: (width - 640.0 * scale) / 2.0,
            top: (height - 480.0 * scale) / 2.0,
        }
    }

    pub fn finish(self) -> Vec<Draw2d> {
        self.out
    }

    fn x(&self, x: f32, anchor: Anchor) -> f32 {
        let edge = match anchor {
            Anchor::Left => 0.0,
            Anchor::Center => self.margin,
            Anchor::Right => self.margin * 2.0,
        };
        edge + x * self.scale
    }

    fn y(&self, y: f32) -> f32 {
        // A tall screen keeps the bottom at the bottom and the top at the top.
        let shift = if y > 240.0 { self.top * 2.0 } else { 0.0 };
        shift + y * self.scale
    }

    pub fn picture(&mut self, rect: [f32; 4], shader: ShaderId, color: Color, anchor: Anchor) {
        self.part(rect, [0.0, 0.0, 1.0, 1.0], shader, color, anchor);
    }

    pub fn part(
        &mut self,
        rect: [f32; 4],
        tex: [f32; 4],
        shader: ShaderId,
        color: Color,
        anchor: Anchor,
    ) {
        let [x, y, width, height] = rect;
        let rect = [
            self.x(x, anchor),
            self.y(y),
            width * self.scale,
            height * self.scale,
        ];
        self.out.push(Draw2d {
            rect,
            tex,
            color,
            shader,
        });
    }

    pub fn fill(&mut self, rect: [f32; 4], color: Color, anchor: Anchor) {
        self.picture(rect, self.charset.white, color, anchor);
    }

    /// One line with a shadow.
    pub fn text(
        &mut self,
        x: f32,
        y: f32,
        text: &str,
        size: [f32; 2],
        color: Color,
        anchor: Anchor,
    ) {
        let style = TextStyle {
            size: size.map(|side| side * self.scale),
            color,
            has_shadow: true,
            ignores_codes: false,
        };
        let (x, y) = (self.x(x, anchor), self.y(y));
        self.charset.line(&mut self.out, x, y, text, style);
    }

    /// One line in the middle of the screen.
    pub fn centered(&mut self, y: f32, text: &str, size: [f32; 2], alpha: f32) {
        let x = 320.0 - width(text, size) / 2.0;
        self.text(x, y, text, size, [1.0, 1.0, 1.0, alpha], Anchor::Center);
    }

    /// One line that ends at the right edge of the screen.
    pub fn right(&mut self, y: f32, text: &str, size: [f32; 2], color: Color) {
        self.text(
            635.0 - width(text, size),
            y,
            text,
            size,
            color,
            Anchor::Right,
        );
    }
}

/// Width of a text without its color codes, in virtual units.
pub fn width(text: &str, size: [f32; 2]) -> f32 {
    let shown = crate::scene::text::pieces(text)
        .filter(|piece| matches!(piece, crate::scene::text::Piece::Char(_)))
        .count();
    shown as f32 * size[0]
}

/// How visible a message is: whole, then fading over its last 200 ms, then gone.
pub fn fade(elapsed: i32, total: i32) -> f32 {
    const FADE_MSEC: i32 = 200;
    if !(0..total).contains(&elapsed) {
        return 0.0;
    }
    ((total - elapsed) as f32 / FADE_MSEC as f32).min(1.0)
}
