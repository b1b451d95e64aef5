//! The lagometer: above, how far the shown time is ahead of or behind the newest snapshot; below, each snapshot's ping.

use super::canvas::{self, Anchor, Canvas, WHITE};
use crate::{cg::timeline::lagometer::SnapshotSample, scene::text::Color};

const LEFT: f32 = 592.0;
const TOP: f32 = 432.0;
const SIZE: f32 = 48.0;
const RECT: [f32; 4] = [LEFT, TOP, SIZE, SIZE];
const YELLOW: Color = [1.0, 1.0, 0.0, 1.0];
const BLUE: Color = [0.0, 0.0, 1.0, 1.0];
const RED: Color = [1.0, 0.0, 0.0, 1.0];
const GREEN: Color = [0.0, 1.0, 0.0, 1.0];
/// Milliseconds that fill the upper graph's one third.
const FRAME_RANGE: f32 = 300.0;
/// Milliseconds that fill the lower half.
const PING_RANGE: f32 = 900.0;

pub fn draw(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    if input.is_connection_interrupted {
        canvas.centered(100.0, "Connection Interrupted", canvas::BIG, 1.0);
        if input.client_now.0 >> 9 & 1 == 0 {
            let picture = canvas.media.pictures.net;
            canvas.picture(RECT, picture, WHITE, Anchor::Right);
        }
    }
    if input.settings.lagometer == 0 {
        return;
    }
    let picture = canvas.media.pictures.lagometer;
    canvas.picture(RECT, picture, WHITE, Anchor::Right);
    // From right to left, the newest first.
    let columns = || (0..SIZE as usize).map(|age| LEFT + SIZE - 1.0 - age as f32);
    let mut bar = |x: f32, top: f32, height: f32, color: Color| {
        canvas.fill([x, top, 1.0, height], color, Anchor::Right);
    };
    let zero = TOP + SIZE / 3.0;
    for (x, &offset) in columns().zip(input.lagometer.frames().iter().rev()) {
        let height = (offset.abs() as f32 * (SIZE / 3.0) / FRAME_RANGE).min(SIZE / 3.0);
        match offset {
            1.. => bar(x, zero - height, height, YELLOW),
            ..0 => bar(x, zero, height, BLUE),
            0 => {}
        }
    }
    for (x, sample) in columns().zip(input.lagometer.snapshots().iter().rev()) {
        let (height, color) = match *sample {
            SnapshotSample::Lost => (SIZE / 2.0, RED),
            SnapshotSample::Received {
                ping_msec,
                is_rate_delayed,
            } => {
                let height = (ping_msec as f32 * (SIZE / 2.0) / PING_RANGE).clamp(0.0, SIZE / 2.0);
                (height, if is_rate_delayed { YELLOW } else { GREEN })
            }
        };
        bar(x, TOP + SIZE - height, height, color);
    }
    if input.settings.lagometer == 2 {
        draw_gap(canvas);
    }
    if !input.is_predicting {
        canvas.text(LEFT, TOP, "snc", canvas::BIG, WHITE, Anchor::Right);
    }
}

/// Why the last gap was one, beside the picture for a while.
fn draw_gap(canvas: &mut Canvas<'_>) {
    const SHOWN_MSEC: i32 = 3000;
    let input = canvas.input;
    let Some(gap) = input.link.gap else { return };
    if (0..SHOWN_MSEC).contains(&(input.client_now - gap.ended_at)) {
        let text = format!("{} {} ms", gap.cause, gap.msec);
        let size = canvas::SMALL;
        let left = LEFT - 4.0 - canvas::width(&text, size);
        let top = TOP + SIZE - size[1];
        canvas.text(left, top, &text, size, WHITE, Anchor::Right);
    }
}
