//! World: the map's solid side, as a module asks for it.

use super::layout::{Fields, maybe_vec3, put_trace, vec3_at};
use glam::Vec3;
use shared::{
    cm::{ClipMap, Rounding, Solid, marks::MarkMap},
    formats::bsp::Bsp,
    types::trace::{Sweep, contents},
};
use std::sync::Arc;
use vm::{Memory, Syscall, Trap};

/// Handles of the one box and the one capsule that a module may make.
const BOX: i32 = 255;
const CAPSULE: i32 = 254;
/// Corners of one mark, and of all its pieces together.
const MARK_CORNERS: i32 = 4;

/// The map, once it is loaded.
#[derive(Debug)]
pub struct World {
    bsp: Arc<Bsp>,
    clip: ClipMap,
    marks: MarkMap,
    made_box: [Vec3; 2],
    /// Where in the text of the entities the next token begins.
    token_at: usize,
}

impl World {
    /// # Errors
    /// If the map is defective.
    pub fn new(bsp: &Arc<Bsp>, rounding: Rounding) -> Result<Self, Trap> {
        let clip = ClipMap::with_rounding(bsp, rounding);
        Ok(Self {
            clip: clip.map_err(|error| Trap::Host(error.to_string()))?,
            marks: MarkMap::new(bsp.clone()),
            bsp: bsp.clone(),
            made_box: [Vec3::ZERO; 2],
            token_at: 0,
        })
    }

    pub fn model_count(&self) -> i32 {
        self.clip.model_count() as i32
    }

    /// The lowest and highest corner of an inline model, as it is drawn.
    pub fn drawn_bounds(&self, model: usize) -> Option<[Vec3; 2]> {
        let model = self.bsp.models.get(model)?;
        Some([model.mins, model.maxs])
    }

    /// # Errors
    /// If there is no such model.
    pub fn inline_model(&self, number: i32) -> Result<i32, Trap> {
        match (0..self.model_count()).contains(&number) {
            true => Ok(number),
            false => Err(Trap::Host(format!("the map has no model {number}"))),
        }
    }

    pub fn make_box(&mut self, memory: &Memory<'_>, call: &Syscall, is_capsule: bool) -> i32 {
        self.made_box = [0, 1].map(|index| vec3_at(memory, call.address(index)));
        if is_capsule { CAPSULE } else { BOX }
    }

    fn solid(&self, handle: i32) -> Result<Solid, Trap> {
        match handle {
            BOX | CAPSULE => Ok(Solid::Box {
                mins: self.made_box[0],
                maxs: self.made_box[1],
            }),
            _ => Ok(Solid::Model(self.inline_model(handle)? as usize)),
        }
    }

    /// Contents at a point; a model may be placed elsewhere and turned.
    ///
    /// # Errors
    /// If there is no such model.
    pub fn contents(
        &self,
        memory: &Memory<'_>,
        call: &Syscall,
        is_placed: bool,
    ) -> Result<i32, Trap> {
        let point = vec3_at(memory, call.address(0));
        let placed = |index| match is_placed {
            true => vec3_at(memory, call.address(index)),
            false => Vec3::ZERO,
        };
        let (origin, angles) = (placed(2), placed(3));
        Ok(match self.solid(call.int(1))? {
            Solid::Box { mins, maxs } => {
                let at = point - origin;
                let is_inside = at.cmpge(mins).all() && at.cmple(maxs).all();
                if is_inside { contents::BODY as i32 } else { 0 }
            }
            Solid::Model(model) => self.clip.model_contents(point, model, origin, angles) as i32,
        })
    }

    /// Sweeps a box; a model may be placed elsewhere and turned.
    ///
    /// # Errors
    /// If there is no such model.
    pub fn trace(
        &self,
        memory: &mut Memory<'_>,
        call: &Syscall,
        is_placed: bool,
    ) -> Result<(), Trap> {
        let corner = |index| maybe_vec3(memory, call.address(index)).unwrap_or(Vec3::ZERO);
        let sweep = Sweep {
            start: vec3_at(memory, call.address(1)),
            end: vec3_at(memory, call.address(2)),
            mins: corner(3),
            maxs: corner(4),
            mask: call.address(6),
        };
        let solid = self.solid(call.int(5))?;
        let trace = match (solid, is_placed) {
            (Solid::Model(model), false) => self.clip.trace_model(&sweep, model),
            (Solid::Box { .. }, false) => {
                (self.clip).trace_solid(&sweep, solid, Vec3::ZERO, Vec3::ZERO)
            }
            (_, true) => {
                let [origin, angles] = [7, 8].map(|index| vec3_at(memory, call.address(index)));
                self.clip.trace_solid(&sweep, solid, origin, angles)
            }
        };
        let is_box = matches!(solid, Solid::Box { .. });
        put_trace(memory, call.address(0), &trace, is_box);
        Ok(())
    }

    /// Presses a mark onto the map; gives how many pieces it has become.
    ///
    /// # Errors
    /// If the pieces have no room in the module's memory.
    pub fn marks(&mut self, memory: &mut Memory<'_>, call: &Syscall) -> Result<i32, Trap> {
        if call.int(0) != MARK_CORNERS {
            return Ok(0);
        }
        let corner = |index: u32| vec3_at(memory, call.address(1).wrapping_add(12 * index));
        let corners = [corner(0), corner(1), corner(2), corner(3)];
        let projection = vec3_at(memory, call.address(2));
        let [max_points, max_pieces] = [3, 5].map(|index| call.int(index).clamp(0, 4096) as usize);
        let pieces = self.marks.fragments(&corners, projection);
        let (mut count, mut points) = (0, 0);
        for piece in pieces.iter().take(max_pieces) {
            if points + piece.len() > max_points {
                break;
            }
            let at = call.address(4).wrapping_add(12 * points as u32);
            let mut fields = Fields(memory.slice_mut(at, 12 * piece.len() as u32)?);
            for (index, point) in piece.iter().enumerate() {
                fields.vec3(12 * index, *point);
            }
            let at = call.address(6).wrapping_add(8 * count as u32);
            let mut fields = Fields(memory.slice_mut(at, 8)?);
            fields.i32s(0, &[points as i32, piece.len() as i32]);
            points += piece.len();
            count += 1;
        }
        Ok(count)
    }

    /// Whether one place may be seen from another.
    pub fn sees(&self, memory: &Memory<'_>, call: &Syscall) -> bool {
        let cluster = |index| self.clip.cluster_at(vec3_at(memory, call.address(index)));
        self.clip.cluster_sees(cluster(0), cluster(1))
    }

    /// The next word of the map's entities; after the last it begins anew.
    pub fn next_token(&mut self) -> Option<&str> {
        let text = &self.bsp.entities;
        let rest = text.get(self.token_at..).unwrap_or("");
        let word = rest.trim_start_matches(|letter: char| letter <= ' ' || letter == '\0');
        let begin = self.token_at + (rest.len() - word.len());
        if word.is_empty() {
            self.token_at = 0;
            return None;
        }
        let (from, length, after) = match word.strip_prefix('"') {
            Some(quoted) => {
                let length = quoted.find('"').unwrap_or(quoted.len());
                (begin + 1, length, (begin + length + 2).min(text.len()))
            }
            None => {
                let length = word.find(|letter: char| letter <= ' ');
                let length = length.unwrap_or(word.len());
                (begin, length, begin + length)
            }
        };
        self.token_at = after;
        text.get(from..from + length)
    }
}
