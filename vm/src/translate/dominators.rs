//! The order and the nesting of a function's blocks: what structured control flow is built from.

use crate::flow::{Block, Exit};

/// Beyond this the search for dominators could take long; such functions are translated as a dispatch loop.
const MAX_BLOCKS: usize = 8192;

/// A function whose loops all have one entry.
pub(super) struct Nesting {
    /// Each block's place in reverse postorder; unreachable blocks have none.
    pub order: Vec<Option<u32>>,
    /// Something jumps back to it.
    pub is_loop: Vec<bool>,
    /// The blocks that are reached over several ways and lie right below this block in the dominator tree, the last
    /// in order first.
    pub merges: Vec<Vec<usize>>,
    /// Whether it is one of those.
    pub is_merge: Vec<bool>,
}

impl Nesting {
    /// `None` where structured control flow cannot express the function.
    pub(super) fn of(blocks: &[Block]) -> Option<Self> {
        if blocks.len() > MAX_BLOCKS {
            return None;
        }
        let (order, sequence) = reverse_postorder(blocks);
        let place = |block: usize| order[block].expect("only reachable blocks are asked about");
        let dominators = dominators(blocks, &order, &sequence);
        let mut nesting = Self {
            is_loop: vec![false; blocks.len()],
            merges: vec![Vec::new(); blocks.len()],
            is_merge: vec![false; blocks.len()],
            order: order.clone(),
        };
        let mut forward_entries = vec![0; blocks.len()];
        for &from in &sequence {
            let is_computed = matches!(blocks[from].exit, Exit::Computed(_));
            for to in blocks[from].exit.successors() {
                if place(to) > place(from) {
                    forward_entries[to] += if is_computed { 2 } else { 1 };
                } else if dominates(&dominators, &order, to, from) {
                    nesting.is_loop[to] = true;
                } else {
                    return None;
                }
            }
        }
        for &block in sequence.iter().skip(1).rev() {
            if forward_entries[block] > 1 {
                nesting.is_merge[block] = true;
                nesting.merges[dominators[block]].push(block);
            }
        }
        Some(nesting)
    }
}

/// Each block's place, and the reachable blocks in order.
fn reverse_postorder(blocks: &[Block]) -> (Vec<Option<u32>>, Vec<usize>) {
    let mut seen = vec![false; blocks.len()];
    let mut finished = Vec::new();
    seen[0] = true;
    let mut path = vec![(0, blocks[0].exit.successors())];
    while let Some((block, successors)) = path.last_mut() {
        match successors.next() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                path.push((next, blocks[next].exit.successors()));
            }
            Some(_) => {}
            None => {
                finished.push(*block);
                path.pop();
            }
        }
    }
    finished.reverse();
    let mut order = vec![None; blocks.len()];
    for (place, &block) in finished.iter().enumerate() {
        order[block] = Some(place as u32);
    }
    (order, finished)
}

/// Each reachable block's immediate dominator over forward edges, after Cooper, Harvey and Kennedy, "A Simple, Fast
/// Dominance Algorithm". Where every other edge goes to a dominator of its start, those edges change nothing, so one
/// pass is enough.
fn dominators(blocks: &[Block], order: &[Option<u32>], sequence: &[usize]) -> Vec<usize> {
    let mut dominators: Vec<Option<usize>> = vec![None; blocks.len()];
    dominators[0] = Some(0);
    for &from in sequence {
        for to in blocks[from].exit.successors() {
            if order[to] <= order[from] {
                continue;
            }
            let common = dominators[to].map_or(from, |mut a| {
                let mut b = from;
                while a != b {
                    let higher = if order[a] > order[b] { &mut a } else { &mut b };
                    *higher = dominators[*higher].expect("what precedes in order has a dominator");
                }
                a
            });
            dominators[to] = Some(common);
        }
    }
    dominators
        .into_iter()
        .map(|dominator| dominator.unwrap_or(0))
        .collect()
}

fn dominates(dominators: &[usize], order: &[Option<u32>], above: usize, mut below: usize) -> bool {
    while order[below] > order[above] {
        below = dominators[below];
    }
    below == above
}
