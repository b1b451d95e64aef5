//! The screen between "connect" and the game: what is awaited, what is being loaded, what went wrong.

use crate::scene::{
    Draw2d,
    text::{Charset, TextStyle, visible_len},
};

/// What the connection screen tells.
#[derive(Clone, Debug, Default)]
pub struct ConnectScreen {
    pub title: String,
    /// One line per step; the last is the current one.
    pub lines: Vec<String>,
    /// 0 to 1 while something is being loaded.
    pub progress: Option<f32>,
    /// Why the last connection ended.
    pub error: Option<String>,
}

impl ConnectScreen {
    /// Draws over a whole frame of `screen` pixels.
    pub fn draw(&self, out: &mut Vec<Draw2d>, charset: Charset, screen: [f32; 2]) {
        let [width, height] = screen;
        charset.fill(out, [0.0, 0.0, width, height], [0.03, 0.04, 0.06, 1.0]);
        let unit = (height / 480.0).clamp(1.0, 4.0).floor();
        let style = TextStyle {
            size: [8.0 * unit, 16.0 * unit],
            color: [0.9, 0.9, 0.9, 1.0],
            has_shadow: false,
            ignores_codes: false,
        };
        let big = TextStyle {
            size: [16.0 * unit, 16.0 * unit],
            color: [1.0; 4],
            ..style
        };
        let mut y = height * 0.3;
        centred(out, charset, [width / 2.0, y], &self.title, big);
        y += 32.0 * unit;
        for line in &self.lines {
            centred(out, charset, [width / 2.0, y], line, style);
            y += 18.0 * unit;
        }
        if let Some(progress) = self.progress {
            let bar = [width * 0.25, y + 6.0 * unit, width * 0.5, 10.0 * unit];
            charset.fill(out, bar, [0.15, 0.16, 0.2, 1.0]);
            let done = bar[2] * progress.clamp(0.0, 1.0);
            charset.fill(out, [bar[0], bar[1], done, bar[3]], [0.85, 0.25, 0.1, 1.0]);
            y += 28.0 * unit;
        }
        if let Some(error) = &self.error {
            let red = TextStyle {
                color: [1.0, 0.35, 0.3, 1.0],
                ..style
            };
            let columns = (width / style.size[0]) as usize;
            for row in super::console::wrap(error, columns.saturating_sub(4).max(8)) {
                centred(out, charset, [width / 2.0, y + 12.0 * unit], &row, red);
                y += 18.0 * unit;
            }
        }
    }
}

fn centred(
    out: &mut Vec<Draw2d>,
    charset: Charset,
    [x, y]: [f32; 2],
    text: &str,
    style: TextStyle,
) {
    let width = visible_len(text) as f32 * style.size[0];
    charset.line(out, (x - width / 2.0).round(), y.round(), text, style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::CHARSET;

    #[test]
    fn everything_stays_on_the_screen() {
        let screen = ConnectScreen {
            title: "Some ^1server".into(),
            lines: vec!["Awaiting gamestate...".into()],
            progress: Some(7.0),
            error: Some("The server is full. ".repeat(20)),
        };
        let mut out = Vec::new();
        screen.draw(&mut out, CHARSET, [640.0, 480.0]);
        assert!(out.len() > 100);
        for picture in &out {
            assert!(picture.rect[0] >= 0.0 && picture.rect[0] + picture.rect[2] <= 640.0);
        }
    }
}
