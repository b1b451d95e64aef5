//! Path: the quickest ways from a place to all others.

use super::graph::{Graph, Leg, Link};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The quickest ways from one place.
#[derive(Clone, Debug)]
pub(crate) struct Ways {
    /// Milliseconds to each place; `u32::MAX` if there is no way.
    pub msec: Vec<u32>,
    /// From where, and by which of its ways, one comes to each place.
    came_by: Vec<Option<(usize, usize)>>,
}

impl Ways {
    /// Searches from a place; ways that `is_shut` says are not taken.
    pub(crate) fn search(
        graph: &Graph,
        start: usize,
        is_shut: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let mut ways = Self {
            msec: vec![u32::MAX; graph.nodes.len()],
            came_by: vec![None; graph.nodes.len()],
        };
        let mut waiting = BinaryHeap::new();
        ways.msec[start] = 0;
        waiting.push(Reverse((0, start)));
        while let Some(Reverse((msec, at))) = waiting.pop() {
            if msec > ways.msec[at] {
                continue;
            }
            for (number, edge) in graph.nodes[at].edges.iter().enumerate() {
                let there = msec.saturating_add(edge.msec);
                if there < ways.msec[edge.to] && !is_shut(at, number) {
                    ways.msec[edge.to] = there;
                    ways.came_by[edge.to] = Some((at, number));
                    waiting.push(Reverse((there, edge.to)));
                }
            }
        }
        ways
    }

    /// The legs of the way to a place.
    pub(crate) fn path(&self, to: usize) -> Vec<Leg> {
        let mut legs = Vec::new();
        let mut at = to;
        while let Some((from, edge)) = self.came_by[at] {
            legs.push(Leg { from, edge });
            at = from;
        }
        legs.reverse();
        legs
    }
}

/// Whether one simply walks there.
pub(super) fn is_walk(graph: &Graph, leg: Leg) -> bool {
    graph.edge(leg).link == Link::Walk
}
