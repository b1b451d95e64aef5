//! Lines over the game: what was printed last, what is being typed, how long the server has been silent.

use super::Client;
use crate::{
    scene::{
        Draw2d,
        text::{Color, TextStyle, wrap},
    },
    session::Session,
};

impl Client {
    pub(super) fn draw_notify(&self, out: &mut Vec<Draw2d>) {
        let style = self.line_style([1.0; 4]);
        let max_age = (self.cvars.number("con_notifytime") * 1000.0) as i32;
        let count = usize::try_from(self.cvars.integer("con_notifylines")).unwrap_or(0);
        let mates = self.session.as_ref().map_or(0.0, Session::mates_width);
        let mut y = 0.0;
        for line in self.scrollback.notify(self.now, max_age, count) {
            let x = 8.0 + self.cvars.number("cl_conXOffset");
            // On small displays a long line would run into the timer and the team-mates.
            let length = notify_length(self.screen, x, style.size[0], mates);
            for part in wrap(&line.text, length, count) {
                self.charset.line(out, x, y, &part, style);
                y += style.size[1];
            }
        }
        if let Some(chat) = &self.chat {
            chat.draw(out, self.charset, [8.0, y], style);
        }
    }

    fn line_style(&self, color: Color) -> TextStyle {
        let scale = self.text_scale();
        TextStyle {
            size: [8.0 * scale, 16.0 * scale],
            color,
            has_shadow: true,
            ignores_codes: false,
        }
    }

    /// Below the middle, where nothing else stands: how long the server has been silent, and how long that may last.
    pub(super) fn draw_silence(&self, out: &mut Vec<Draw2d>) {
        let text = self.session.as_ref().map_or("", Session::silence_text);
        if text.is_empty() {
            return;
        }
        let style = self.line_style([1.0, 1.0, 0.0, 1.0]);
        let length = ((self.screen[0] / style.size[0]) as usize).max(20);
        let top = self.screen[1] * SILENCE_TOP / 480.0;
        for (row, part) in wrap(text, length, 3).iter().enumerate() {
            let x = (self.screen[0] - part.len() as f32 * style.size[0]) / 2.0;
            let y = top + row as f32 * style.size[1];
            self.charset.line(out, x, y, part, style);
        }
    }
}

/// Of 480 lines: under the words that tell of an interruption.
const SILENCE_TOP: f32 = 132.0;

/// Letters of a line at the top of the screen: what the timer, the frame rate and the team-mates leave in the upper right
/// corner is its own.
fn notify_length(screen: [f32; 2], x: f32, letter: f32, mates: f32) -> usize {
    const CORNER: f32 = 112.0;
    let width = screen[0] - x - CORNER.max(mates) * screen[1] / 480.0;
    // Whole letters; the width is finite and the cast clamps.
    ((width / letter) as usize).max(20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_at_the_top_leave_the_corner_free() {
        let length = |screen, mates| notify_length(screen, 8.0, 8.0, mates);
        assert_eq!(length([640.0, 360.0], 0.0), 68);
        assert_eq!(length([1280.0, 720.0], 0.0), 138);
        assert_eq!(length([100.0, 360.0], 0.0), 20);
        assert_eq!(length([640.0, 480.0], 312.0), 40);
    }
}
