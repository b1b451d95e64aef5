//! Figures to compare: the predicted self, the unpredicted self and the server's last word, and marks where prediction missed.

use crate::cg::{
    hud::Label,
    predict::{interpolated_player, misses::Miss},
    present::frame::Frame,
};
use crate::scene::{PolyVertex, Refdef, ShaderId};
use glam::Vec3;
use shared::base::time::ServerTime;
use std::collections::VecDeque;

const PREDICTED: [u8; 4] = [0, 255, 0, 255];
const UNPREDICTED: [u8; 4] = [255, 255, 0, 255];
const SERVER: [u8; 4] = [255, 64, 64, 255];
const MISSED: [u8; 4] = [255, 0, 255, 255];
/// How long a miss is marked in the world.
const MISS_MSEC: i32 = 10_000;
const MAX_MISSES: usize = 64;

/// Misses that are still marked.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    misses: VecDeque<(Miss, ServerTime)>,
    /// What the figures are, in numbers.
    pub texts: Vec<String>,
    /// What stands at the marks: size, field and cause of each miss, newest first.
    pub labels: Vec<Label>,
}

impl Ghosts {
    pub fn add_miss(&mut self, miss: Miss, now: ServerTime) {
        if self.misses.len() == MAX_MISSES {
            self.misses.pop_front();
        }
        self.misses.push_back((miss, now));
    }

    /// Draws the figures and says in numbers how far apart and how old they are.
    pub fn add(&mut self, shader: ShaderId, frame: &mut Frame<'_>) {
        self.texts.clear();
        self.labels.clear();
        self.misses
            .retain(|(_, since)| frame.now.is_within(*since, MISS_MSEC));
        if !frame.settings.draw_ghosts {
            return;
        }
        let snapshots = frame.timeline.snapshots();
        let newest = snapshots.next.as_ref().or(snapshots.snap.as_ref());
        let unpredicted = interpolated_player(frame.timeline, frame.now, true);
        let (Some(newest), Some(unpredicted)) = (newest, unpredicted) else {
            return;
        };
        let own = frame.predicted.player.origin;
        for (origin, color) in [
            (own, PREDICTED),
            (unpredicted.origin, UNPREDICTED),
            (newest.player.origin, SERVER),
        ] {
            add_box(frame.view, shader, origin, color);
        }
        for (miss, _) in self.misses.iter().rev() {
            let top = miss.actual + Vec3::Z * 24.0;
            let from = miss.actual + Vec3::Z;
            add_line(frame.view, shader, [miss.predicted, from], MISSED);
            add_line(frame.view, shader, [miss.actual, top], MISSED);
            if let Some(at) = frame.view.project(top) {
                let text = describe(miss);
                self.labels.push(Label { at, text });
            }
        }
        let age = frame.now - newest.server_time;
        let texts = &mut self.texts;
        let distance = |to: Vec3| own.distance(to);
        texts.push(format!(
            "^3unpredicted {:.1}u",
            distance(unpredicted.origin)
        ));
        texts.push(format!(
            "^1server {:.1}u {age}ms",
            distance(newest.player.origin)
        ));
        if let Some((miss, since)) = self.misses.back() {
            let (what, age) = (describe(miss), frame.now - *since);
            texts.push(format!("^6miss {what} {age}ms ago"));
        }
    }
}

fn describe(miss: &Miss) -> String {
    let length = miss.predicted.distance(miss.actual);
    format!("{length:.2}u {} {}", miss.field, miss.cause.name())
}

/// Draws the edges of a standing player's box.
pub fn add_box(view: &mut Refdef, shader: ShaderId, origin: Vec3, color: [u8; 4]) {
    let mins = origin + Vec3::new(-15.0, -15.0, -24.0);
    let size = Vec3::new(30.0, 30.0, 56.0);
    let corner = |bits: usize| {
        let side = |axis: usize| if bits & (1 << axis) != 0 { 1.0 } else { 0.0 };
        mins + size * Vec3::new(side(0), side(1), side(2))
    };
    for from in 0..8 {
        for axis in 0..3 {
            if from & (1 << axis) == 0 {
                let edge = [corner(from), corner(from | 1 << axis)];
                add_line(view, shader, edge, color);
            }
        }
    }
}

/// A thin ribbon that faces the eye.
pub(super) fn add_line(view: &mut Refdef, shader: ShaderId, [from, to]: [Vec3; 2], color: [u8; 4]) {
    /// Half the width of a line as seen from one unit away.
    const THICKNESS: f32 = 0.002;
    let distance = ((from + to) * 0.5).distance(view.eye).clamp(4.0, 2000.0);
    let side = (to - from).cross(from - view.eye).normalize_or_zero() * (THICKNESS * distance);
    let vertex = |position: Vec3| PolyVertex {
        position,
        tex_coord: [0.5, 0.5],
        color,
    };
    let corners = [from - side, from + side, to + side, to - side];
    view.polys.push(shader, corners.map(vertex));
}
