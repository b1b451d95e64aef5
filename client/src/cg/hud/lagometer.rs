//! The lagometer: above, how far the shown time is ahead of or behind the newest snapshot; below, each snapshot's ping.

use super::{
    HudInput,
    canvas::{self, Anchor, Canvas, WHITE},
};
use crate::cg::{media::roles::Media, timeline::lagometer::SnapshotSample};

const LEFT: f32 = 592.0;
const TOP: f32 = 432.0;
const SIZE: f32 = 48.0;
/// Milliseconds that fill the upper graph's one third.
const FRAME_RANGE: f32 = 300.0;
/// Milliseconds that fill the lower half.
const PING_RANGE: f32 = 900.0;

pub fn draw(canvas: &mut Canvas, input: &HudInput<'_>, media: &Media) {
    if input.is_connection_interrupted {
        canvas.centered(100.0, "Connection Interrupted", canvas::BIG, 1.0);
        if input.client_now.0 >> 9 & 1 == 0 {
            canvas.picture(
                [LEFT, TOP, SIZE, SIZE],
                media.pictures.net,
                WHITE,
                Anchor::Right,
            );
        }
    }
    if input.settings.lagometer == 0 {
        return;
    }
    canvas.picture(
        [LEFT, TOP, SIZE, SIZE],
        media.pictures.lagometer,
        WHITE,
        Anchor::Right,
    );
    let column = |age: usize| LEFT + SIZE - 1.0 - age as f32;
    let zero = TOP + SIZE / 3.0;
    for (age, &offset) in input
        .lagometer
        .frames()
        .iter()
        .rev()
        .take(SIZE as usize)
        .enumerate()
    {
        let height = (offset.abs() as f32 * (SIZE / 3.0) / FRAME_RANGE).min(SIZE / 3.0);
        if offset > 0 {
            canvas.fill(
                [column(age), zero - height, 1.0, height],
                [1.0, 1.0, 0.0, 1.0],
                Anchor::Right,
            );
        } else if offset < 0 {
            canvas.fill(
                [column(age), zero, 1.0, height],
                [0.0, 0.0, 1.0, 1.0],
                Anchor::Right,
            );
        }
    }
    for (age, sample) in input
        .lagometer
        .snapshots()
        .iter()
        .rev()
        .take(SIZE as usize)
        .enumerate()
    {
        let (height, color) = match sample {
            SnapshotSample::Lost => (SIZE / 2.0, [1.0, 0.0, 0.0, 1.0]),
            SnapshotSample::Received {
                ping_msec,
                is_rate_delayed,
            } => {
                let height = (*ping_msec as f32 * (SIZE / 2.0) / PING_RANGE).clamp(0.0, SIZE / 2.0);
                (
                    height,
                    if *is_rate_delayed {
                        [1.0, 1.0, 0.0, 1.0]
                    } else {
                        [0.0, 1.0, 0.0, 1.0]
                    },
                )
            }
        };
        canvas.fill(
            [column(age), TOP + SIZE - height, 1.0, height],
            color,
            Anchor::Right,
        );
    }
    if input.settings.lagometer == 2 {
        draw_gap(canvas, input);
    }
    if !input.is_predicting {
        canvas.text(LEFT, TOP, "snc", canvas::BIG, WHITE, Anchor::Right);
    }
}

/// Why the last gap was one, beside the picture for a while.
fn draw_gap(canvas: &mut Canvas, input: &HudInput<'_>) {
    const SHOWN_MSEC: i32 = 3000;
    let Some(gap) = input.link.gap else { return };
    if (0..SHOWN_MSEC).contains(&(input.client_now - gap.ended_at)) {
        let text = format!("{} {} ms", gap.cause, gap.msec);
        let size = canvas::SMALL;
        let left = LEFT - 4.0 - canvas::width(&text, size);
        let top = TOP + SIZE - size[1];
        canvas.text(left, top, &text, size, WHITE, Anchor::Right);
    }
}
