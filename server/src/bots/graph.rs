//! Graph: the places of a map where one can stand or swim, and the ways between them.

use glam::Vec3;
use shared::base::sort::sort_by;
use std::collections::{BTreeMap, VecDeque};

/// Side of the squares that have a place each.
pub(super) const CELL: f32 = 64.0;
/// More places are not kept.
pub(super) const MAX_NODES: usize = 12_000;

/// How one gets along a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Link {
    Walk,
    /// Over an edge.
    Drop,
    /// With a jump at a place, after a run that begins at the other.
    Jump {
        run_from: Vec3,
        at: Vec3,
    },
    Pad,
    Teleport,
    /// By number among the lifts.
    Lift(usize),
    Swim,
    /// Out of the water.
    Climb,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub to: usize,
    pub link: Link,
    pub msec: u32,
    /// A door that has to be open, by number among the gates.
    pub gate: Option<usize>,
}

/// One way of a path: from a place, by one of its ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub from: usize,
    pub edge: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub at: Vec3,
    pub swims: bool,
    /// Stands on this lift while it is up.
    pub raised: Option<usize>,
    /// The middle of a pad or teleporter: one does not stay.
    pub is_passage: bool,
    pub edges: Vec<Edge>,
}

/// An item of the map, and from where it is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub entity: usize,
    pub item: i32,
    pub place: Vec3,
    pub node: Option<usize>,
    /// It hangs above the place; one has to jump.
    pub needs_hop: bool,
    /// It hangs above this way from the place (number among its ways).
    pub via: Option<usize>,
    /// The way there leads through a gate.
    pub is_hidden: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    cells: BTreeMap<(i32, i32), Vec<usize>>,
    pub spots: Vec<Spot>,
    pub spawns: Vec<usize>,
    /// For each gate, from which places one walks against what opens it, and where that is.
    pub presses: Vec<Vec<(usize, Vec3)>>,
}

pub(super) fn cell_of(at: Vec3) -> (i32, i32) {
    ((at.x / CELL).floor() as i32, (at.y / CELL).floor() as i32)
}

pub(super) fn cell_middle((x, y): (i32, i32), z: f32) -> Vec3 {
    Vec3::new((x as f32 + 0.5) * CELL, (y as f32 + 0.5) * CELL, z)
}

impl Graph {
    /// Adds a place; none if there are too many.
    pub(crate) fn add(&mut self, at: Vec3, swims: bool) -> Option<usize> {
        let number = self.add_apart(at)?;
        self.nodes[number].swims = swims;
        self.cells.entry(cell_of(at)).or_default().push(number);
        Some(number)
    }

    /// Adds a place that is not found by where it is.
    pub(crate) fn add_apart(&mut self, at: Vec3) -> Option<usize> {
        (self.nodes.len() < MAX_NODES).then(|| {
            self.nodes.push(Node {
                at,
                swims: false,
                raised: None,
                is_passage: false,
                edges: Vec::new(),
            });
            self.nodes.len() - 1
        })
    }

    pub(crate) fn link(&mut self, from: usize, to: usize, link: Link, msec: u32) -> Option<usize> {
        if from == to || self.nodes[from].edges.iter().any(|edge| edge.to == to) {
            return None;
        }
        self.nodes[from].edges.push(Edge {
            to,
            link,
            msec,
            gate: None,
        });
        Some(self.nodes[from].edges.len() - 1)
    }

    pub(crate) fn edge(&self, leg: Leg) -> Edge {
        self.nodes[leg.from].edges[leg.edge]
    }

    /// The place where a way leads.
    pub(crate) fn end_of(&self, leg: Leg) -> &Node {
        &self.nodes[self.edge(leg).to]
    }

    pub(crate) fn in_cell(&self, cell: (i32, i32)) -> &[usize] {
        self.cells.get(&cell).map_or(&[], Vec::as_slice)
    }

    /// Places near another, nearest first.
    pub(crate) fn near(&self, at: Vec3, height: f32) -> Vec<usize> {
        let (x, y) = cell_of(at);
        let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
        let mut found: Vec<usize> = around
            .flat_map(|cell| self.in_cell(cell))
            .copied()
            .filter(|&node| (self.nodes[node].at.z - at.z).abs() <= height)
            .collect();
        let away = |node: &usize| self.nodes[*node].at.distance_squared(at);
        sort_by(&mut found, |a, b| {
            away(a).total_cmp(&away(b)).then(a.cmp(b))
        });
        found
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.nodes.iter().map(|node| node.edges.len()).sum()
    }

    /// Which places one gets to from where players come into the level; by which ways, `may_take` says.
    pub(crate) fn reachable(&self, may_take: impl Fn(&Edge) -> bool) -> Vec<bool> {
        let mut found = vec![false; self.nodes.len()];
        let mut waiting: VecDeque<usize> = self.spawns.iter().copied().collect();
        for &spawn in &self.spawns {
            found[spawn] = true;
        }
        while let Some(node) = waiting.pop_front() {
            for edge in &self.nodes[node].edges {
                if !found[edge.to] && may_take(edge) {
                    found[edge.to] = true;
                    waiting.push_back(edge.to);
                }
            }
        }
        found
    }
}
