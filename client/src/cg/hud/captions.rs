//! Captions of sounds, in lines above the status bar.

use super::canvas::{self, Anchor, Canvas, SMALL, WHITE};
use crate::cg::present::captions::SHOWN_MSEC;

pub fn draw(canvas: &mut Canvas<'_>) {
    const BOTTOM: f32 = 372.0;
    let input = canvas.input;
    let size = SMALL.map(|side| side * input.settings.caption_size);
    let mut y = BOTTOM;
    for line in input.notices.captions.lines.iter().rev() {
        let alpha = canvas::fade(input.now - line.at, SHOWN_MSEC);
        if alpha <= 0.0 {
            continue;
        }
        y -= size[1];
        let text = line.text();
        let width = canvas::width(&text, size);
        let x = 320.0 - width / 2.0;
        // Words must be readable over any map.
        let back = [x - 4.0, y, width + 8.0, size[1]];
        canvas.fill(back, [0.0, 0.0, 0.0, 0.7 * alpha], Anchor::Center);
        let color = [WHITE[0], WHITE[1], WHITE[2], alpha];
        canvas.text(x, y, &text, size, color, Anchor::Center);
    }
}
