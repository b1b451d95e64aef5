//! Marks that shots leave on walls, and the blobs of shadow under players: pictures cut to the surfaces below them.

use super::frame::Frame;
use crate::cg::angles::rotate_around;
use crate::scene::{PolyVertex, ShaderId};
use glam::Vec3;
use shared::base::time::ServerTime;
use shared::cm::marks::MarkMap;
use shared::formats::bsp::Bsp;
use std::{collections::VecDeque, sync::Arc};

/// The oldest goes when more are on the walls.
const MAX_MARKS: usize = 256;
/// Corners that one piece may have.
const MAX_CORNERS: usize = 10;
const LIFE_MSEC: i32 = 10_000;
const FADE_MSEC: i32 = 1000;
/// How far marks are pressed into the wall.
const DEPTH: f32 = 20.0;

/// A picture to press onto a wall.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    pub shader: ShaderId,
    pub at: Vec3,
    /// Away from the wall.
    pub normal: Vec3,
    pub turn_deg: f32,
    pub radius: f32,
    /// 0 to 1 each.
    pub color: Vec3,
    /// It glows, then fades by alpha; others fade by color.
    pub is_energy: bool,
}

/// One piece of a mark.
#[derive(Clone, Debug)]
struct Mark {
    stamp: Stamp,
    start: ServerTime,
    vertices: Vec<PolyVertex>,
}

/// All marks of a level, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    map: Option<MarkMap>,
    alive: VecDeque<Mark>,
}

impl Marks {
    /// Marks land on this map from now on.
    pub fn set_map(&mut self, bsp: &Arc<Bsp>) {
        self.map = Some(MarkMap::new(Arc::clone(bsp)));
        self.alive.clear();
    }

    /// Walls are clean again.
    pub fn clear(&mut self) {
        self.alive.clear();
    }

    /// Leaves a mark.
    pub fn add(&mut self, stamp: Stamp, now: ServerTime) {
        for vertices in self.press(&stamp) {
            if self.alive.len() == MAX_MARKS {
                self.alive.pop_front();
            }
            self.alive.push_back(Mark {
                stamp,
                start: now,
                vertices,
            });
        }
    }

    /// Draws a mark for this frame only.
    pub fn show(&mut self, stamp: Stamp, frame: &mut Frame<'_>) {
        for vertices in self.press(&stamp) {
            frame.view.polys.push(stamp.shader, vertices);
        }
    }

    /// Draws what is on the walls and forgets what is over.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let now = frame.now;
        self.alive
            .retain(|mark| now.is_within(mark.start, LIFE_MSEC));
        for mark in &self.alive {
            let vertices = mark.vertices_at(now);
            frame.view.polys.push(mark.stamp.shader, vertices);
        }
    }

    fn press(&mut self, stamp: &Stamp) -> Vec<Vec<PolyVertex>> {
        let (Some(map), Some(normal)) = (&mut self.map, stamp.normal.try_normalize()) else {
            return Vec::new();
        };
        let up = rotate_around(normal.any_orthonormal_vector(), normal, stamp.turn_deg);
        let right = normal.cross(up);
        let (x, y) = (right * stamp.radius, up * stamp.radius);
        let corners = [-x - y, x - y, x + y, y - x].map(|corner| stamp.at + corner);
        let mut pieces = map.fragments(&corners, normal * -DEPTH);
        pieces.retain(|piece| piece.len() >= 3);
        let finished = |piece: Vec<Vec3>| {
            let finish = |position: Vec3| {
                let offset = position - stamp.at;
                let along = |axis: Vec3| 0.5 + offset.dot(axis) * 0.5 / stamp.radius;
                PolyVertex {
                    position,
                    tex_coord: [along(right), along(up)],
                    color: rgba(stamp.color, 1.0, 1.0),
                }
            };
            piece.into_iter().take(MAX_CORNERS).map(finish).collect()
        };
        pieces.into_iter().map(finished).collect()
    }
}

impl Mark {
    fn vertices_at(&self, now: ServerTime) -> impl Iterator<Item = PolyVertex> {
        let age = now - self.start;
        let left = ((LIFE_MSEC - age) as f32 / FADE_MSEC as f32).min(1.0);
        let glow = if self.stamp.is_energy {
            (450.0 / 255.0 * (1.0 - age as f32 / 3000.0)).clamp(0.0, 1.0)
        } else {
            left
        };
        let color = rgba(
            self.stamp.color,
            glow,
            if self.stamp.is_energy { left } else { 1.0 },
        );
        let vertices = self.vertices.iter();
        vertices.map(move |vertex| PolyVertex { color, ..*vertex })
    }
}

fn rgba(color: Vec3, brightness: f32, alpha: f32) -> [u8; 4] {
    let [r, g, b] = (color * brightness).to_array();
    [r, g, b, alpha].map(|c| (c.clamp(0.0, 1.0) * 255.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(is_energy: bool) -> Mark {
        let stamp = Stamp {
            shader: ShaderId(0),
            at: Vec3::ZERO,
            normal: Vec3::Z,
            turn_deg: 0.0,
            radius: 8.0,
            color: Vec3::ONE,
            is_energy,
        };
        let vertex = PolyVertex {
            position: Vec3::ZERO,
            tex_coord: [0.0; 2],
            color: [255; 4],
        };
        Mark {
            stamp,
            start: ServerTime(1000),
            vertices: vec![vertex],
        }
    }

    #[test]
    fn marks_fade_in_their_last_second() {
        let color = |is_energy, now| {
            let mark = mark(is_energy);
            mark.vertices_at(ServerTime(now)).next().unwrap().color
        };
        assert_eq!(color(false, 1000), [255; 4]);
        assert_eq!(color(false, 10_000), [255; 4]);
        assert_eq!(color(false, 10_500), [127, 127, 127, 255]);
        assert_eq!(color(true, 2000), [255; 4]);
        assert_eq!(color(true, 3500), [75, 75, 75, 255]);
        assert_eq!(color(true, 10_500), [0, 0, 0, 127]);
    }
}
