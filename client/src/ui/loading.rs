//! The screen while a level is loaded: its picture, what is being fetched, where one will be and by which rules.

use super::font::{Align, Font};
use crate::scene::{
    Draw2d, ShaderId,
    text::{Charset, Color, plain},
};

/// What the loading screen tells.
#[derive(Clone, Debug, Default)]
pub struct LoadingScreen {
    pub background: Option<ShaderId>,
    /// Lies over the background, so that letters can be read.
    pub detail: Option<ShaderId>,
    /// Until it is here, nothing can be written.
    pub font: Option<Font>,
    pub doing: String,
    pub amount: String,
    /// 0 to 1.
    pub progress: f32,
    /// Server, map, rules.
    pub about: Vec<String>,
    /// Icons of those that are loaded.
    pub players: Vec<ShaderId>,
    pub items: Vec<ShaderId>,
}

/// Players and items that have room.
const MAX_PLAYERS: usize = 16;
const MAX_ITEMS: usize = 26;
const ITEMS_IN_A_ROW: usize = 13;
const LETTER_SCALE: f32 = 0.75;

impl LoadingScreen {
    /// Draws over a whole frame of `screen` pixels.
    pub fn draw(&self, out: &mut Vec<Draw2d>, charset: Charset, screen: [f32; 2]) {
        let [width, height] = screen;
        let all = [0.0, 0.0, width, height];
        charset.fill(out, all, [0.03, 0.04, 0.06, 1.0]);
        let layers = [
            (self.background, [0.0, 0.0, 1.0, 1.0]),
            (self.detail, [0.0, 0.0, 2.5, 2.0]),
        ];
        for (shader, tex) in layers {
            out.extend(shader.map(|shader| Draw2d {
                rect: all,
                tex,
                color: [1.0; 4],
                shader,
            }));
        }
        let page = Page {
            scale: (width / 640.0).min(height / 480.0),
            screen,
        };
        for (place, &icon) in self.players.iter().take(MAX_PLAYERS).enumerate() {
            // More than a row of them stands closer together.
            let step = (78.0_f32).min(608.0 / self.players.len().min(MAX_PLAYERS) as f32);
            let side = step.min(64.0);
            let rect = [16.0 + place as f32 * step, 284.0, side, side];
            out.push(page.picture(rect, icon));
        }
        for (place, &icon) in self.items.iter().take(MAX_ITEMS).enumerate() {
            let (row, column) = (place / ITEMS_IN_A_ROW, place % ITEMS_IN_A_ROW);
            let (x, y) = (16.0 + column as f32 * 48.0, 360.0 + row as f32 * 40.0);
            out.push(page.picture([x, y, 32.0, 32.0], icon));
        }
        let [x, y, bar_width, bar_height] = page.rect([160.0, 124.0, 320.0, 6.0]);
        charset.fill(out, [x, y, bar_width, bar_height], [0.0, 0.0, 0.0, 0.5]);
        let done = bar_width * self.progress.clamp(0.0, 1.0);
        charset.fill(out, [x, y, done, bar_height], [0.85, 0.25, 0.1, 1.0]);
        if let Some(font) = self.font {
            self.write(out, font, page);
        }
    }

    fn write(&self, out: &mut Vec<Draw2d>, font: Font, page: Page) {
        page.centred(out, font, 96.0, &self.doing);
        page.centred(out, font, 56.0, &self.amount);
        let mut y = 148.0;
        for line in &self.about {
            page.centred(out, font, y, line);
            y += 27.0 * LETTER_SCALE;
        }
    }
}

/// 640 by 480 units in the middle of the frame.
#[derive(Clone, Copy)]
struct Page {
    scale: f32,
    screen: [f32; 2],
}

impl Page {
    fn rect(self, [x, y, width, height]: [f32; 4]) -> [f32; 4] {
        let [left, top] = [
            (self.screen[0] - 640.0 * self.scale) / 2.0,
            (self.screen[1] - 480.0 * self.scale) / 2.0,
        ];
        [
            left + x * self.scale,
            top + y * self.scale,
            width * self.scale,
            height * self.scale,
        ]
    }

    fn picture(self, rect: [f32; 4], shader: ShaderId) -> Draw2d {
        Draw2d {
            rect: self.rect(rect),
            tex: [0.0, 0.0, 1.0, 1.0],
            color: [1.0; 4],
            shader,
        }
    }

    fn centred(self, out: &mut Vec<Draw2d>, font: Font, y: f32, text: &str) {
        const SHADOW: Color = [0.0, 0.0, 0.0, 1.0];
        let [x, y, ..] = self.rect([320.0, y, 0.0, 0.0]);
        // A long name becomes narrower rather than leaving the screen.
        let widest = self.screen[0] * 0.96;
        let across = (LETTER_SCALE * self.scale).min(widest / font.face.width(text).max(1.0));
        let scale = [across, LETTER_SCALE * self.scale];
        let aside = 2.0 * self.scale;
        let below = [x + aside, y + aside];
        font.line(out, below, scale, Align::Center, &plain(text), SHADOW);
        font.line(out, [x, y], scale, Align::Center, text, [1.0; 4]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{CHARSET, font::PROPORTIONAL};

    #[test]
    fn everything_stays_on_the_screen() {
        let screen = LoadingScreen {
            background: Some(ShaderId(2)),
            detail: Some(ShaderId(3)),
            font: Some(Font {
                shader: ShaderId(4),
                face: &PROPORTIONAL,
            }),
            doing: "Loading... the map".into(),
            amount: "1 of 2 kB".into(),
            progress: 7.0,
            about: vec!["A very long name of a ^1server ".repeat(4); 8],
            players: vec![ShaderId(5); 40],
            items: vec![ShaderId(6); 40],
        };
        for size in [[640.0, 480.0], [1280.0, 400.0], [300.0, 700.0]] {
            let mut out = Vec::new();
            screen.draw(&mut out, CHARSET, size);
            let players = out.iter().filter(|picture| picture.shader == ShaderId(5));
            assert_eq!(players.count(), MAX_PLAYERS);
            for picture in &out {
                let [x, y, width, height] = picture.rect;
                assert!(
                    x >= -0.5 && x + width <= size[0] + 2.5 * size[0] / 640.0,
                    "{picture:?}"
                );
                assert!(y >= 0.0 && y + height <= size[1] + 0.5, "{picture:?}");
            }
        }
    }
}
