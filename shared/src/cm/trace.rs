//! Sweeps a box through the ClipMap.
//!
//! A box is made symmetric around its middle, then either tested where it stands (start equals end) or
//! swept. A sweep walks down the tree of nodes, nearer side first, and tests the whole movement against the
//! brushes and curves of each leaf it may touch. What cannot change the answer is skipped: parts of the tree
//! whose solids lie off the sweep, and things tested before. Testing twice would give the same answer again,
//! so the memory of what was tested (`Seen`) may forget.

use super::{
    ClipBrush, ClipMap, ClipNode, ClipPlane, ClipSide, Cull, Group, Reach, Rounding, Solid, span,
};
use crate::{
    base::math::{Axes, rotate, transpose},
    types::trace::{Plane, Sweep, Trace, contents},
};
use glam::Vec3;

/// Distance kept from surfaces.
const SURFACE_CLIP_EPSILON: f32 = 0.125;
/// What is this far from the way of the box is not hit: much more than rounding and
/// [`SURFACE_CLIP_EPSILON`] can make up for.
const CULL_MARGIN: f32 = 1.0;
/// Most leafs that a box at rest is tested in.
const MAX_POSITION_LEAFS: usize = 1024;

impl ClipMap {
    /// Sweeps through the world. `entity_num` is left as in [`Trace::default`].
    pub fn trace(&self, sweep: &Sweep) -> Trace {
        let mut mover = Mover::new(self, sweep);
        if sweep.start == sweep.end {
            mover.test_world();
        } else {
            mover.walk(0, 0.0, 1.0, mover.start, mover.end);
        }
        mover.finish(sweep)
    }

    /// Sweeps against an inline model where the map has it; models that do not exist are not hit.
    pub fn trace_model(&self, sweep: &Sweep, model: usize) -> Trace {
        if model == 0 {
            return self.trace(sweep);
        }
        let mut mover = Mover::new(self, sweep);
        if let Some(model) = self.models.get(model) {
            if sweep.start == sweep.end {
                mover.test_group(&model.group);
            } else {
                mover.sweep_group(&model.group);
            }
        }
        mover.finish(sweep)
    }

    /// Sweeps against a model or box that stands at `origin`; models are turned by `angles`
    /// (`cm_trace.c`, `CM_TransformedBoxTrace`).
    pub fn trace_solid(&self, sweep: &Sweep, solid: Solid, origin: Vec3, angles: Vec3) -> Trace {
        let offset = (sweep.mins + sweep.maxs) * 0.5;
        let mut local = Sweep {
            start: (sweep.start + offset) - origin,
            end: (sweep.end + offset) - origin,
            mins: sweep.mins - offset,
            maxs: sweep.maxs - offset,
            mask: sweep.mask,
        };
        let mut trace = match solid {
            Solid::Box { mins, maxs } => self.trace_box(&local, mins, maxs),
            Solid::Model(model) if angles == Vec3::ZERO => self.trace_model(&local, model),
            Solid::Model(model) => {
                let rows = Axes::from_angles(angles).rows();
                local.start = rotate(&rows, local.start);
                local.end = rotate(&rows, local.end);
                let mut trace = self.trace_model(&local, model);
                if trace.fraction != 1.0 {
                    trace.plane.normal = rotate(&transpose(&rows), trace.plane.normal);
                }
                trace
            }
        };
        trace.end = sweep.start + trace.fraction * (sweep.end - sweep.start);
        trace
    }

    /// Sweeps against a box, which counts as a body.
    fn trace_box(&self, sweep: &Sweep, mins: Vec3, maxs: Vec3) -> Trace {
        let mut mover = Mover::new(self, sweep);
        if sweep.mask & contents::BODY != 0 {
            let side = |normal, dist| ClipSide {
                plane: ClipPlane::new(&Plane { normal, dist }),
                surface_flags: 0,
            };
            let sides = [
                side(Vec3::X, maxs.x),
                side(Vec3::NEG_X, -mins.x),
                side(Vec3::Y, maxs.y),
                side(Vec3::NEG_Y, -mins.y),
                side(Vec3::Z, maxs.z),
                side(Vec3::NEG_Z, -mins.z),
            ];
            let brush = ClipBrush {
                cull: Cull::everywhere(contents::BODY),
                mins,
                maxs,
                reach: Reach::around([mins, maxs]),
                sides: [0, 6],
            };
            if sweep.start == sweep.end {
                mover.test_brush(&brush, &sides);
            } else if mover.overlaps(&brush.reach) {
                mover.sweep_brush(&brush, &sides);
            }
        }
        mover.finish(sweep)
    }
}

/// One trace under way.
pub(super) struct Mover<'a> {
    map: &'a ClipMap,
    /// The box's middle at start and end.
    pub(super) start: Vec3,
    pub(super) end: Vec3,
    /// The box around its middle.
    size: [Vec3; 2],
    /// The box's corners; index by the sign bits of a normal for the corner furthest behind it.
    pub(super) corners: [Vec3; 8],
    /// Around the whole movement.
    bounds: [Vec3; 2],
    /// One over the movement.
    inverse: Vec3,
    /// How far the box reaches down and up from what it passes, and more.
    cull_grow: [Vec3; 2],
    pub(super) is_point: bool,
    mask: u32,
    pub(super) trace: Trace,
    seen_brushes: Seen<64>,
    seen_patches: Seen<16>,
}

impl<'a> Mover<'a> {
    fn new(map: &'a ClipMap, sweep: &Sweep) -> Self {
        let offset = (sweep.mins + sweep.maxs) * 0.5;
        let size = [sweep.mins - offset, sweep.maxs - offset];
        let (start, end) = (sweep.start + offset, sweep.end + offset);
        let mut bounds = [Vec3::ZERO; 2];
        for axis in 0..3 {
            let (low, high) = if start[axis] < end[axis] {
                (start[axis], end[axis])
            } else {
                (end[axis], start[axis])
            };
            bounds[0][axis] = low + size[0][axis];
            bounds[1][axis] = high + size[1][axis];
        }
        Self {
            map,
            start,
            end,
            size,
            corners: std::array::from_fn(|bits| {
                Vec3::new(size[bits & 1].x, size[bits >> 1 & 1].y, size[bits >> 2].z)
            }),
            bounds,
            inverse: (end - start).recip(),
            cull_grow: [size[1] + CULL_MARGIN, CULL_MARGIN - size[0]],
            is_point: size[0] == Vec3::ZERO,
            mask: sweep.mask,
            trace: Trace::default(),
            seen_brushes: Seen::default(),
            seen_patches: Seen::default(),
        }
    }

    fn finish(mut self, sweep: &Sweep) -> Trace {
        self.trace.end = if self.trace.fraction == 1.0 {
            sweep.end
        } else {
            sweep.start + self.trace.fraction * (sweep.end - sweep.start)
        };
        self.trace
    }

    pub(super) fn rounding(&self) -> Rounding {
        self.map.rounding
    }

    /// The distance of a plane as the box's middle meets it.
    pub(super) fn expanded_dist(&self, plane: &ClipPlane) -> f32 {
        let corner = self.corners[usize::from(plane.sign_bits)];
        self.map.rounding.expanded_dist(plane, corner)
    }

    fn overlaps(&self, reach: &Reach) -> bool {
        let [mins, maxs] = self.bounds;
        !(maxs.x < reach.mins.x
            || maxs.y < reach.mins.y
            || maxs.z < reach.mins.z
            || mins.x > reach.maxs.x
            || mins.y > reach.maxs.y
            || mins.z > reach.maxs.z)
    }

    /// Whether something with these contents may be hit, sooner than what was hit already.
    ///
    /// A box at rest moves by 0 and its inverse is infinite: then only places around the box are left.
    pub(super) fn may_hit(&self, cull: &Cull) -> bool {
        if cull.contents & self.mask == 0 {
            return false;
        }
        let ways_a = (cull.mins - self.cull_grow[0] - self.start) * self.inverse;
        let ways_b = (cull.maxs + self.cull_grow[1] - self.start) * self.inverse;
        let enter = ways_a.min(ways_b).max_element();
        let leave = ways_a.max(ways_b).min_element();
        !(enter > leave || enter > self.trace.fraction || leave < 0.0)
    }

    /// Walks down the tree (`cm_trace.c`, `CM_TraceThroughTree`); `from` and `to` bound the part of the
    /// movement that lies in the node, as fractions and as points.
    fn walk(&mut self, number: i32, from: f32, to: f32, start: Vec3, end: Vec3) {
        if self.trace.fraction <= from {
            return;
        }
        let Ok(number) = usize::try_from(number) else {
            return self.sweep_group(&self.map.leafs[!number as usize].group);
        };
        let node = &self.map.nodes[number];
        if !self.may_hit(&node.cull) {
            return;
        }
        let (start_dist, end_dist, offset) = self.node_distances(node, start, end);
        if start_dist >= offset + 1.0 && end_dist >= offset + 1.0 {
            return self.walk(node.children[0], from, to, start, end);
        }
        if start_dist < -offset - 1.0 && end_dist < -offset - 1.0 {
            return self.walk(node.children[1], from, to, start, end);
        }
        let (near_side, near_way, far_way) = split(start_dist, end_dist, offset);
        let point = |way: f32| start + way * (end - start);
        let middle = from + (to - from) * near_way;
        let near = node.children[near_side];
        self.walk(near, from, middle, start, point(near_way));
        let middle = from + (to - from) * far_way;
        let far = node.children[1 - near_side];
        self.walk(far, middle, to, point(far_way), end);
    }

    /// Distances of start and end from a node's plane, and how far the box reaches.
    fn node_distances(&self, node: &ClipNode, start: Vec3, end: Vec3) -> (f32, f32, f32) {
        let plane = &node.plane;
        match plane.axis {
            3 => (
                plane.normal.dot(start) - plane.dist,
                plane.normal.dot(end) - plane.dist,
                // A guess that is large enough for every box.
                if self.is_point { 0.0 } else { 2048.0 },
            ),
            axis => {
                let axis = usize::from(axis);
                let extent = if self.is_point {
                    0.0
                } else {
                    self.size[1][axis]
                };
                (start[axis] - plane.dist, end[axis] - plane.dist, extent)
            }
        }
    }

    fn sweep_group(&mut self, group: &Group) {
        if !self.may_hit(&group.cull) {
            return;
        }
        let map = self.map;
        for &number in &map.leaf_brushes[span(group.brushes)] {
            let brush = &map.brushes[number as usize];
            if !self.may_hit(&brush.cull)
                || self.seen_brushes.check(number)
                || !self.overlaps(&brush.reach)
            {
                continue;
            }
            self.sweep_brush(brush, &map.sides[span(brush.sides)]);
            if self.trace.fraction == 0.0 {
                return;
            }
        }
        for &number in &map.leaf_patches[span(group.patches)] {
            let patch = &map.patches[number as usize];
            if !self.may_hit(&patch.cull)
                || self.seen_patches.check(number)
                || !self.overlaps(&patch.reach)
            {
                continue;
            }
            let before = self.trace.fraction;
            self.sweep_patch(map, patch);
            if self.trace.fraction < before {
                self.trace.surface_flags = patch.surface_flags;
                self.trace.contents = patch.cull.contents;
            }
            if self.trace.fraction == 0.0 {
                return;
            }
        }
    }

    /// Finds where the movement enters and leaves a brush (`cm_trace.c`, `CM_TraceThroughBrush`).
    fn sweep_brush(&mut self, brush: &ClipBrush, sides: &[ClipSide]) {
        let mut enter = -1.0;
        let mut leave = 1.0;
        let mut lead = None;
        let (mut starts_out, mut ends_out) = (false, false);
        let rounding = self.map.rounding;
        for side in sides {
            let plane = &side.plane;
            let dist = self.expanded_dist(plane);
            let start_dist = rounding.distance(self.start, plane.normal, dist);
            let end_dist = rounding.distance(self.end, plane.normal, dist);
            ends_out |= end_dist > 0.0;
            starts_out |= start_dist > 0.0;
            if start_dist > 0.0 && (end_dist >= SURFACE_CLIP_EPSILON || end_dist >= start_dist) {
                return;
            }
            if start_dist <= 0.0 && end_dist <= 0.0 {
                continue;
            }
            if start_dist > end_dist {
                let fraction = enter_fraction(start_dist, end_dist);
                if fraction > enter {
                    enter = fraction;
                    lead = Some(side);
                }
            } else {
                let fraction = leave_fraction(start_dist, end_dist);
                if fraction < leave {
                    leave = fraction;
                }
            }
        }
        if !starts_out {
            self.trace.start_solid = true;
            if !ends_out {
                self.trace.all_solid = true;
                self.trace.fraction = 0.0;
                self.trace.contents = brush.cull.contents;
            }
            return;
        }
        let Some(lead) = lead else {
            return;
        };
        if enter < leave && enter > -1.0 && enter < self.trace.fraction {
            self.trace.fraction = enter;
            self.trace.plane = Plane {
                normal: lead.plane.normal,
                dist: lead.plane.dist,
            };
            self.trace.surface_flags = lead.surface_flags;
            self.trace.contents = brush.cull.contents;
        }
    }

    /// Tests the box at rest in all leafs that it touches (`cm_trace.c`, `CM_PositionTest`).
    fn test_world(&mut self) {
        let mins = (self.start + self.size[0]) - 1.0;
        let maxs = (self.start + self.size[1]) + 1.0;
        self.test_node(0, [mins, maxs], &mut 0);
    }

    fn test_node(&mut self, mut number: i32, bounds: [Vec3; 2], leafs: &mut usize) {
        while let Ok(node) = usize::try_from(number) {
            let node = &self.map.nodes[node];
            let [front, back] = node.children;
            number = match box_sides(&node.plane, bounds) {
                (true, false) => front,
                (true, true) => {
                    self.test_node(front, bounds, leafs);
                    back
                }
                _ => back,
            };
        }
        *leafs += 1;
        if *leafs <= MAX_POSITION_LEAFS && !self.trace.all_solid {
            self.test_group(&self.map.leafs[!number as usize].group);
        }
    }

    fn test_group(&mut self, group: &Group) {
        if !self.may_hit(&group.cull) {
            return;
        }
        let map = self.map;
        for &number in &map.leaf_brushes[span(group.brushes)] {
            let brush = &map.brushes[number as usize];
            if brush.cull.contents & self.mask != 0 {
                self.test_brush(brush, &map.sides[span(brush.sides)]);
                if self.trace.all_solid {
                    return;
                }
            }
        }
        for &number in &map.leaf_patches[span(group.patches)] {
            let patch = &map.patches[number as usize];
            if !self.may_hit(&patch.cull) || self.seen_patches.check(number) {
                continue;
            }
            if self.is_in_patch(map, patch) {
                self.set_all_solid(patch.cull.contents);
                return;
            }
        }
    }

    fn test_brush(&mut self, brush: &ClipBrush, sides: &[ClipSide]) {
        // The box where it stands: start and end are the same here.
        let [mins, maxs] = self.bounds;
        let apart = mins.x > brush.maxs.x
            || mins.y > brush.maxs.y
            || mins.z > brush.maxs.z
            || maxs.x < brush.mins.x
            || maxs.y < brush.mins.y
            || maxs.z < brush.mins.z;
        if apart {
            return;
        }
        // The bounds have taken care of the first six sides.
        let outside = sides.iter().skip(6).any(|side| {
            let dist = self.expanded_dist(&side.plane);
            self.map
                .rounding
                .distance(self.start, side.plane.normal, dist)
                > 0.0
        });
        if !outside {
            self.set_all_solid(brush.cull.contents);
        }
    }

    fn set_all_solid(&mut self, contents: u32) {
        self.trace.start_solid = true;
        self.trace.all_solid = true;
        self.trace.fraction = 0.0;
        self.trace.contents = contents;
    }
}

/// Where a movement comes within reach of a surface.
pub(super) fn enter_fraction(start_dist: f32, end_dist: f32) -> f32 {
    let gap = f64::from(start_dist) - f64::from(SURFACE_CLIP_EPSILON);
    let fraction = (gap / f64::from(start_dist - end_dist)) as f32;
    if fraction < 0.0 { 0.0 } else { fraction }
}

/// Where a movement gets out of reach of a surface.
pub(super) fn leave_fraction(start_dist: f32, end_dist: f32) -> f32 {
    let gap = f64::from(start_dist) + f64::from(SURFACE_CLIP_EPSILON);
    let fraction = (gap / f64::from(start_dist - end_dist)) as f32;
    if fraction > 1.0 { 1.0 } else { fraction }
}

/// Whether a movement given by its distances from a plane never gets behind it.
pub(super) fn stays_in_front(start_dist: f32, end_dist: f32) -> bool {
    start_dist > 0.0 && (end_dist >= SURFACE_CLIP_EPSILON || end_dist >= start_dist)
}

/// Which child is nearer, up to where the movement is in it, and from where on it is in the other one.
fn split(start_dist: f32, end_dist: f32, offset: f32) -> (usize, f32, f32) {
    let epsilon = f64::from(SURFACE_CLIP_EPSILON);
    if start_dist == end_dist || start_dist.is_nan() || end_dist.is_nan() {
        return (0, 1.0, 0.0);
    }
    let inverse = f64::from((1.0 / f64::from(start_dist - end_dist)) as f32);
    let outer = f64::from(start_dist + offset);
    let inner = f64::from(start_dist - offset);
    let (side, near, far) = if start_dist < end_dist {
        (1, inner + epsilon, outer + epsilon)
    } else {
        (0, outer + epsilon, inner - epsilon)
    };
    (
        side,
        ((near * inverse) as f32).clamp(0.0, 1.0),
        ((far * inverse) as f32).clamp(0.0, 1.0),
    )
}

/// Whether a box reaches in front of a plane, and behind it (`q_math.c`, `BoxOnPlaneSide`).
fn box_sides(plane: &ClipPlane, [mins, maxs]: [Vec3; 2]) -> (bool, bool) {
    let (normal, dist) = (plane.normal, plane.dist);
    if plane.axis < 3 {
        let axis = usize::from(plane.axis);
        return if dist <= mins[axis] {
            (true, false)
        } else if dist >= maxs[axis] {
            (false, true)
        } else {
            (true, true)
        };
    }
    let negative = normal.cmplt(Vec3::ZERO);
    let far = normal.dot(Vec3::select(negative, mins, maxs));
    let near = normal.dot(Vec3::select(negative, maxs, mins));
    (far >= dist, near < dist)
}

/// Remembers some of the numbers it was asked about, the latest of each remainder.
struct Seen<const PLACES: usize>([u32; PLACES]);

impl<const PLACES: usize> Default for Seen<PLACES> {
    fn default() -> Self {
        Self([u32::MAX; PLACES])
    }
}

impl<const PLACES: usize> Seen<PLACES> {
    /// Whether the number was certainly asked about before.
    fn check(&mut self, number: u32) -> bool {
        let place = &mut self.0[number as usize % PLACES];
        std::mem::replace(place, number) == number
    }
}
