//! Sweeps a box or point against the facets of a curve.

use super::{
    ClipBorder, ClipFacet, ClipMap, ClipPatch, span,
    trace::{Mover, enter_fraction, leave_fraction, stays_in_front},
};
use crate::types::trace::Plane;

impl Mover<'_> {
    /// Shortens the trace if the movement hits the curve.
    pub(super) fn sweep_patch(&mut self, map: &ClipMap, patch: &ClipPatch) {
        for facet in &map.facets[span(patch.facets)] {
            if !self.may_hit(&facet.cull) {
                continue;
            }
            let borders = &map.borders[span(facet.borders)];
            if self.is_point {
                self.sweep_point(facet, borders);
            } else {
                self.sweep_facet(facet, borders);
            }
        }
    }

    /// A box against one facet (`cm_patch.c`, `CM_TraceThroughPatchCollide`).
    fn sweep_facet(&mut self, facet: &ClipFacet, borders: &[ClipBorder]) {
        let surface = Plane {
            normal: facet.plane.normal,
            dist: self.expanded_dist(&facet.plane),
        };
        let stays_out = |plane: &Plane| {
            let (start_dist, end_dist) = self.distances(plane);
            stays_in_front(start_dist, end_dist)
        };
        // Most facets are missed, which costs no division to find out.
        if stays_out(&surface)
            || borders
                .iter()
                .any(|border| stays_out(&self.expanded_border(border)))
        {
            return;
        }
        let mut passage = Passage {
            enter: -1.0,
            leave: 1.0,
        };
        let mut best = surface;
        let mut hit = None;
        passage.cross(self, &surface);
        for (index, border) in borders.iter().enumerate() {
            let plane = self.expanded_border(border);
            if passage.cross(self, &plane) {
                hit = Some(index);
                best = plane;
            }
        }
        // The last border is the back side, through which one may leave but never come.
        if hit.is_some_and(|index| index + 1 == borders.len()) {
            return;
        }
        let Passage { enter, leave } = passage;
        if enter < leave && enter >= 0.0 && enter < self.trace.fraction {
            self.trace.fraction = enter;
            self.trace.plane = best;
        }
    }

    /// A point against one facet (`cm_patch.c`, `CM_TracePointThroughPatchCollide`).
    fn sweep_point(&mut self, facet: &ClipFacet, borders: &[ClipBorder]) {
        let (start_dist, end_dist) = self.distances(&Plane {
            normal: facet.plane.normal,
            dist: facet.plane.dist,
        });
        let fraction = crossing_fraction(start_dist, end_dist);
        if start_dist <= 0.0 || fraction < 0.0 || fraction > self.trace.fraction {
            return;
        }
        for border in borders {
            let (border_start, border_end) = self.distances(&Plane {
                normal: border.plane.normal,
                dist: border.plane.dist,
            });
            let way = crossing_fraction(border_start, border_end);
            // Borders that faced inwards are stored turned around, which turns the distance as well.
            let in_front = if border.inward {
                border_start < 0.0
            } else {
                border_start > 0.0
            };
            let missed = if in_front == border.inward {
                way < fraction
            } else {
                way > fraction
            };
            if missed {
                return;
            }
        }
        self.trace.fraction = enter_fraction(start_dist, end_dist);
        self.trace.plane = Plane {
            normal: facet.plane.normal,
            dist: facet.plane.dist,
        };
    }

    /// Whether the box at rest is inside of the curve.
    pub(super) fn is_in_patch(&self, map: &ClipMap, patch: &ClipPatch) -> bool {
        let rounding = self.rounding();
        let behind = |plane: &Plane| rounding.distance(self.start, plane.normal, plane.dist) <= 0.0;
        map.facets[span(patch.facets)].iter().any(|facet| {
            let surface = Plane {
                normal: facet.plane.normal,
                dist: self.expanded_dist(&facet.plane),
            };
            behind(&surface)
                && map.borders[span(facet.borders)]
                    .iter()
                    .all(|border| behind(&self.expanded_border(border)))
        })
    }

    fn expanded_border(&self, border: &ClipBorder) -> Plane {
        let plane = &border.plane;
        let reach = self.corners[usize::from(plane.sign_bits)].dot(plane.normal);
        Plane {
            normal: plane.normal,
            dist: plane.dist + reach.abs(),
        }
    }

    fn distances(&self, plane: &Plane) -> (f32, f32) {
        let of = |point| self.rounding().distance(point, plane.normal, plane.dist);
        (of(self.start), of(self.end))
    }
}

/// The part of a movement that is behind all planes so far.
struct Passage {
    enter: f32,
    leave: f32,
}

impl Passage {
    /// Takes a plane into account; true if it is the last one entered so far.
    fn cross(&mut self, mover: &Mover<'_>, plane: &Plane) -> bool {
        let (start_dist, end_dist) = mover.distances(plane);
        if start_dist <= 0.0 && end_dist <= 0.0 {
            return false;
        }
        if start_dist > end_dist {
            let fraction = enter_fraction(start_dist, end_dist);
            if fraction > self.enter {
                self.enter = fraction;
                return true;
            }
        } else {
            self.leave = self.leave.min(leave_fraction(start_dist, end_dist));
        }
        false
    }
}

/// Where the movement crosses a plane; far away if it does not.
fn crossing_fraction(start_dist: f32, end_dist: f32) -> f32 {
    const NEVER: f32 = 99_999.0;
    if start_dist == end_dist {
        return NEVER;
    }
    let fraction = start_dist / (start_dist - end_dist);
    if fraction <= 0.0 { NEVER } else { fraction }
}
