//! Which clusters (rooms, and halves of long ones) can be seen from which: sight goes through the openings between them, in straight
//! lines.

use super::geometry::{ON, Plane, Winding, split};
use glam::Vec3;

/// An opening from one cluster into another; its plane faces the way one goes.
#[derive(Clone, Debug)]
pub(crate) struct Portal {
    pub winding: Winding,
    pub plane: Plane,
    pub from: usize,
    pub to: usize,
}

/// For each cluster, which others may be seen from anywhere in it.
#[derive(Clone, Debug)]
pub(crate) struct Visibility {
    rows: Vec<Vec<bool>>,
}

impl Visibility {
    /// Follows sight from every cluster through all openings.
    pub(crate) fn new(clusters: usize, portals: &[Portal]) -> Self {
        let rows = (0..clusters).map(|cluster| {
            let mut seen = vec![false; clusters];
            seen[cluster] = true;
            for first in portals.iter().filter(|portal| portal.from == cluster) {
                seen[first.to] = true;
                let mut sight = Sight {
                    portals,
                    seen: &mut seen,
                    path: vec![first],
                };
                sight.follow(&first.winding, &first.winding);
            }
            seen
        });
        let rows: Vec<Vec<bool>> = rows.collect();
        // What is not seen from one side is not seen from the other; rounding decides that differently at times.
        let both = |from: usize| {
            (0..clusters)
                .map(|to| rows[from][to] && rows[to][from])
                .collect()
        };
        Self {
            rows: (0..clusters).map(both).collect(),
        }
    }

    /// Whether a place in one cluster may be seen from the other; what is in none sees all.
    pub(crate) fn sees(&self, from: Option<usize>, to: Option<usize>) -> bool {
        match (from, to) {
            (Some(from), Some(to)) => self.rows[from][to],
            _ => true,
        }
    }

    /// The lump: number of clusters, bytes of a row, rows of bits.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let row_bytes = self.rows.len().next_multiple_of(64) / 8;
        let mut bytes = (self.rows.len() as u32).to_le_bytes().to_vec();
        bytes.extend((row_bytes as u32).to_le_bytes());
        for row in &self.rows {
            let mut bits = vec![0; row_bytes];
            for (cluster, _) in row.iter().enumerate().filter(|(_, is_seen)| **is_seen) {
                bits[cluster / 8] |= 1 << (cluster % 8);
            }
            bytes.extend(bits);
        }
        bytes
    }
}

/// Lines of sight that have come through some openings one after the other.
struct Sight<'a> {
    portals: &'a [Portal],
    seen: &'a mut [bool],
    path: Vec<&'a Portal>,
}

impl<'a> Sight<'a> {
    /// Goes on from the last opening: what of it is `pass` is seen from what of the first is `source`.
    fn follow(&mut self, source: &[Vec3], pass: &[Vec3]) {
        let Some(&last) = self.path.last() else {
            return;
        };
        let portals: &'a [Portal] = self.portals;
        for next in portals.iter().filter(|portal| portal.from == last.to) {
            // A straight line crosses a plane once.
            let crossed = |&before: &&Portal| {
                before.plane.same(&next.plane) || before.plane.same(&next.plane.flipped())
            };
            if self.path.iter().any(crossed) {
                continue;
            }
            let mut target = next.winding.clone();
            for before in &self.path {
                target = split(&target, &before.plane).0;
            }
            // Nor does it come back from behind the next one.
            let mut source = split(source, &next.plane).1;
            if self.path.len() > 1 {
                target = within_sight(&source, pass, &target);
                source = within_sight(&target, pass, &source);
            }
            if target.len() < 3 || source.len() < 3 {
                continue;
            }
            self.seen[next.to] = true;
            self.path.push(next);
            self.follow(&source, &target);
            self.path.pop();
        }
    }
}

/// What of a target can be seen from somewhere on the source through the pass: planes that touch both, with the source behind and
/// the pass in front, bound it.
fn within_sight(source: &[Vec3], pass: &[Vec3], target: &[Vec3]) -> Winding {
    let mut target = target.to_vec();
    for (number, &a) in source.iter().enumerate() {
        let b = source[(number + 1) % source.len()];
        for &corner in pass {
            let Some(normal) = (b - a).cross(corner - a).try_normalize() else {
                continue;
            };
            let plane = Plane::through(normal, corner);
            let Some(off) = source
                .iter()
                .map(|&p| plane.distance(p))
                .find(|d| d.abs() > ON)
            else {
                continue;
            };
            let plane = if off > 0.0 { plane.flipped() } else { plane };
            let separates = source.iter().all(|&p| plane.distance(p) <= ON)
                && pass.iter().all(|&p| plane.distance(p) >= -ON)
                && pass.iter().any(|&p| plane.distance(p) > ON);
            if separates {
                target = split(&target, &plane).0;
                if target.len() < 3 {
                    return Vec::new();
                }
            }
        }
    }
    target
}
