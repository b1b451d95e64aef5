//! Areas of a map, which doors connect and separate, and the leafs that a box touches: what decides whom a server tells of what.

use super::{ClipMap, ClipPlane};
use glam::Vec3;

/// More areas than an areamask can name are all one.
const MAX_AREAS: usize = 256;

/// A leaf as visibility has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxLeaf {
    /// Negative outside of the playable space.
    pub cluster: i32,
    /// −1 for none.
    pub area: i32,
}

/// Which areas are connected now.
#[derive(Clone, Debug)]
pub struct Areas {
    count: usize,
    /// How often each pair is open, row by row.
    open: Vec<u16>,
    /// Areas with the same number are connected.
    flood: Vec<usize>,
}

impl Areas {
    /// All areas of a map, each on its own.
    pub fn new(map: &ClipMap) -> Self {
        let last = map.leafs.iter().map(|leaf| leaf.area).max().unwrap_or(0);
        let count = usize::try_from(last).map_or(0, |last| last + 1);
        let count = if count > MAX_AREAS { 0 } else { count };
        Self {
            count,
            open: vec![0; count * count],
            flood: (0..count).collect(),
        }
    }

    /// How many areas the map has.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A door between two areas opened, or one of several closed again.
    pub fn set_open(&mut self, areas: [i32; 2], is_open: bool) {
        let [Some(one), Some(other)] = areas.map(|area| self.index(area)) else {
            return;
        };
        for at in [one * self.count + other, other * self.count + one] {
            self.open[at] = match is_open {
                true => self.open[at].saturating_add(1),
                false => self.open[at].saturating_sub(1),
            };
        }
        self.fill();
    }

    /// Whether something in one area can be seen or heard from the other. What lies in no area never is.
    pub fn are_connected(&self, one: i32, other: i32) -> bool {
        if one < 0 || other < 0 {
            return false;
        }
        match (self.index(one), self.index(other)) {
            (Some(one), Some(other)) => self.flood[one] == self.flood[other],
            _ => true,
        }
    }

    fn index(&self, area: i32) -> Option<usize> {
        usize::try_from(area).ok().filter(|area| *area < self.count)
    }

    fn fill(&mut self) {
        self.flood.fill(usize::MAX);
        for first in 0..self.count {
            if self.flood[first] != usize::MAX {
                continue;
            }
            let mut waiting = vec![first];
            while let Some(area) = waiting.pop() {
                if self.flood[area] == usize::MAX {
                    self.flood[area] = first;
                    let row = &self.open[area * self.count..][..self.count];
                    waiting.extend((0..self.count).filter(|&next| row[next] > 0));
                }
            }
        }
    }
}

impl ClipMap {
    /// The leaf that holds a point.
    pub fn leaf_of(&self, point: Vec3) -> BoxLeaf {
        let leaf = &self.leafs[self.leaf_at(point)];
        BoxLeaf {
            cluster: leaf.cluster,
            area: leaf.area,
        }
    }

    /// The leafs that a box touches, in the order of the tree, at most `max` of them.
    pub fn leafs_in_box(&self, mins: Vec3, maxs: Vec3, max: usize) -> Vec<BoxLeaf> {
        let mut found = Vec::new();
        let mut waiting = vec![0];
        while let Some(next) = waiting.pop() {
            let Ok(node) = usize::try_from(next) else {
                if found.len() == max {
                    break;
                }
                let leaf = &self.leafs[!next as usize];
                found.push(BoxLeaf {
                    cluster: leaf.cluster,
                    area: leaf.area,
                });
                continue;
            };
            let node = &self.nodes[node];
            let [is_front, is_back] = sides(&node.plane, mins, maxs);
            // The front is taken first.
            if is_back {
                waiting.push(node.children[1]);
            }
            if is_front {
                waiting.push(node.children[0]);
            }
        }
        found
    }
}

/// Whether a box reaches to the front and to the back of a plane.
fn sides(plane: &ClipPlane, mins: Vec3, maxs: Vec3) -> [bool; 2] {
    if plane.axis < 3 {
        let axis = usize::from(plane.axis);
        let is_front_only = plane.dist <= mins[axis];
        let is_back_only = !is_front_only && plane.dist >= maxs[axis];
        return [!is_back_only, !is_front_only];
    }
    let corner = |is_far: bool| {
        let component = |axis: usize| {
            let is_negative = plane.sign_bits & 1 << axis != 0;
            if is_negative == is_far {
                mins[axis]
            } else {
                maxs[axis]
            }
        };
        plane
            .normal
            .dot(Vec3::new(component(0), component(1), component(2)))
    };
    [corner(true) >= plane.dist, corner(false) < plane.dist]
}
