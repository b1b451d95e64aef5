//! The time line under a view: usercmds go down to the server, snapshots come up, each slanted by the time it takes.

use super::trace::{Trace, UsercmdOutcome};
use crate::{
    scene::text::Color,
    ui::painter::{Painter, SMALL},
};
use shared::base::time::ClientTime;

/// What the width of the time line stands for.
const SHOWN_MSEC: i32 = 1500;

const BACK: Color = [0.04, 0.05, 0.07, 0.95];
const LANE: Color = [0.30, 0.34, 0.40, 1.0];
const GRID: Color = [0.16, 0.18, 0.22, 1.0];
const PENDING: Color = [1.0, 0.85, 0.25, 1.0];
const EXECUTED: Color = [0.55, 0.85, 0.55, 1.0];
const ACKNOWLEDGED: Color = [0.30, 0.55, 0.38, 1.0];
const LOST: Color = [1.0, 0.25, 0.22, 1.0];
const PACKET: Color = [0.55, 0.62, 0.72, 0.75];
const SNAPSHOT: Color = [1.0, 0.58, 0.20, 0.85];
const WORDS: Color = [0.55, 0.60, 0.68, 1.0];

/// The colors and what they mean, for the legend.
pub const LEGEND: [(&str, Color); 6] = [
    ("replayed", PENDING),
    ("executed", EXECUTED),
    ("acknowledged", ACKNOWLEDGED),
    ("packet", PACKET),
    ("snapshot", SNAPSHOT),
    ("lost", LOST),
];

/// Where the lanes of client and server lie, and which moment is at the right edge.
struct Lanes {
    left: f32,
    right: f32,
    client: f32,
    server: f32,
    now: ClientTime,
}

impl Lanes {
    /// Pixels from the left; none where that is off the time line.
    fn x(&self, at: ClientTime) -> Option<f32> {
        let age = self.now - at;
        let share = age as f32 / SHOWN_MSEC as f32;
        (0..SHOWN_MSEC)
            .contains(&age)
            .then_some(self.right - share * (self.right - self.left))
    }

    /// A place on the way from one lane to the other, cut off at now and at the left edge.
    fn way(&self, from: ClientTime, to: ClientTime, lanes: [f32; 2]) -> Option<[[f32; 2]; 2]> {
        let total = (to - from).max(1) as f32;
        let share = |at: ClientTime| ((at - from) as f32 / total).clamp(0.0, 1.0);
        let begin = self.now + -(SHOWN_MSEC - 1);
        let first = if begin - from > 0 { begin } else { from };
        let last = if to - self.now > 0 { self.now } else { to };
        if last - first < 0 {
            return None;
        }
        let point = |at: ClientTime| {
            let y = lanes[0] + (lanes[1] - lanes[0]) * share(at);
            self.x(at).map(|x| [x, y])
        };
        Some([point(first)?, point(last)?])
    }
}

/// Draws the last seconds of a side.
pub fn draw(
    painter: &mut Painter<'_>,
    [x, y, width, height]: [f32; 4],
    now: ClientTime,
    trace: &Trace,
) {
    let unit = painter.unit;
    painter.fill([x, y, width, height], BACK);
    let names = 50.0 * unit;
    let lanes = Lanes {
        left: x + names,
        right: x + width - 6.0 * unit,
        client: y + 14.0 * unit,
        server: y + height - 14.0 * unit,
        now,
    };
    draw_grid(painter, &lanes);
    for (name, lane) in [("you", lanes.client), ("server", lanes.server)] {
        let at = [x + 6.0 * unit, lane - 6.0 * unit];
        painter.text(at, name, SMALL, WORDS);
    }
    draw_ways(painter, &lanes, trace);
    draw_usercmds(painter, &lanes, trace);
}

fn draw_grid(painter: &mut Painter<'_>, lanes: &Lanes) {
    const EVERY_MSEC: i32 = 250;
    let unit = painter.unit;
    let newest = lanes.now.0.div_euclid(EVERY_MSEC) * EVERY_MSEC;
    for back in 0..=SHOWN_MSEC / EVERY_MSEC {
        let at = ClientTime(newest.wrapping_sub(back * EVERY_MSEC));
        if let Some(x) = lanes.x(at) {
            let height = lanes.server - lanes.client;
            painter.fill([x, lanes.client, unit.max(1.0), height], GRID);
        }
    }
    for y in [lanes.client, lanes.server] {
        let width = lanes.right - lanes.left;
        painter.fill([lanes.left, y, width, unit.max(1.0)], LANE);
    }
}

fn draw_ways(painter: &mut Painter<'_>, lanes: &Lanes, trace: &Trace) {
    let down = [lanes.client, lanes.server];
    let up = [lanes.server, lanes.client];
    let packets = trace
        .packets
        .iter()
        .map(|packet| (packet.record, down, PACKET));
    let snapshots = trace.snapshots.iter().map(|record| (*record, up, SNAPSHOT));
    for (record, ends, color) in packets.chain(snapshots) {
        match record.arrives_at {
            Some(at) => {
                if let Some([from, to]) = lanes.way(record.sent_at, at, ends) {
                    painter.slant(from, to, color);
                }
            }
            None => {
                // It breaks off at the first third.
                let end = ends[0] + (ends[1] - ends[0]) * 0.34;
                if let Some(x) = lanes.x(record.sent_at) {
                    let unit = painter.unit;
                    painter.slant([x, ends[0]], [x + 2.0 * unit, end], LOST);
                    let size = 4.0 * unit;
                    painter.fill([x, end - size / 2.0, size, size], LOST);
                }
            }
        }
    }
}

fn draw_usercmds(painter: &mut Painter<'_>, lanes: &Lanes, trace: &Trace) {
    let unit = painter.unit;
    let width = (2.0 * unit).max(1.0);
    let (made, executed) = (9.0 * unit, 6.0 * unit);
    for usercmd in &trace.usercmds {
        let (color, executed_at) = match usercmd.outcome {
            UsercmdOutcome::Pending => (PENDING, None),
            UsercmdOutcome::Executed { at } => (PENDING, Some((at, EXECUTED))),
            UsercmdOutcome::Acknowledged { executed_at } => {
                (ACKNOWLEDGED, Some((executed_at, EXECUTED)))
            }
            UsercmdOutcome::Lost => (LOST, None),
        };
        if let Some(x) = lanes.x(usercmd.made_at) {
            painter.fill([x, lanes.client - made, width, made], color);
        }
        if let Some((at, color)) = executed_at
            && let Some(x) = lanes.x(at)
        {
            painter.fill([x, lanes.server + unit, width, executed], color);
        }
    }
}
