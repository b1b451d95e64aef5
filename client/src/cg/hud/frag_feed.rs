//! Deaths at the right edge, in words or as killer, weapon and victim (`cg_obituaryOutput` 2 and 3).

use super::canvas::{self, Anchor, Canvas, SMALL};

const SHOWN_MSEC: i32 = 5000;
const TOP: f32 = 150.0;

/// Draws the newest deaths, oldest first.
pub fn draw(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let mut y = TOP;
    for frag in &input.notices.frags.frags {
        let alpha = canvas::fade(input.now - frag.at, SHOWN_MSEC);
        if alpha <= 0.0 {
            continue;
        }
        let color = [1.0, 1.0, 1.0, alpha];
        match (input.settings.obituary_output, frag.weapon) {
            (..=1, _) => continue,
            (3.., Some(number)) => {
                let icon = canvas.weapon_icon(number);
                canvas.right(y, &frag.victim, SMALL, color);
                let x = 635.0 - canvas::width(&frag.victim, SMALL) - 20.0;
                if let Some(icon) = icon {
                    canvas.picture([x, y, 16.0, 16.0], icon, color, Anchor::Right);
                }
                let killer = frag.killer.as_deref().unwrap_or("");
                let x = x - 4.0 - canvas::width(killer, SMALL);
                canvas.text(x, y, killer, SMALL, color, Anchor::Right);
            }
            _ => canvas.right(y, &frag.text, SMALL, color),
        }
        y += 18.0;
    }
}
