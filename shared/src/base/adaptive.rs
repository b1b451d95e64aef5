//! The adaptive Huffman coder which packs the "connect" datagram and defines the fixed code.

/// Most bytes a block can hold: its length is written in 16 bits.
pub const MAX_BLOCK: usize = 0xFFFF;

/// Packs at most [`MAX_BLOCK`] bytes into a block with its length in front.
pub fn compress(plain: &[u8]) -> Vec<u8> {
    let plain = &plain[..plain.len().min(MAX_BLOCK)];
    let mut out = Bits {
        bytes: (plain.len() as u16).to_be_bytes().to_vec(),
        at: 16,
    };
    let mut tree = AdaptiveTree::new();
    for &byte in plain {
        if !tree.write_path(Some(byte), &mut out) {
            tree.write_path(None, &mut out);
            (0..8).rev().for_each(|bit| out.push(byte >> bit & 1 != 0));
        }
        tree.feed(byte);
    }
    // Readers expect a spare byte where the last bit fills its byte.
    out.bytes.resize((out.at + 8) / 8, 0);
    out.bytes
}

/// Unpacks a block into at most `limit` bytes; a block that ends early gives what it holds.
pub fn decompress(block: &[u8], limit: usize) -> Vec<u8> {
    let [high, low, ..] = *block else {
        return Vec::new();
    };
    let length = usize::from(u16::from_be_bytes([high, low])).min(limit);
    // Each byte takes at least one bit, so the block bounds the memory as well.
    let mut plain = Vec::with_capacity(length.min(block.len() * 8));
    let mut tree = AdaptiveTree::new();
    let mut bits = (16..block.len() * 8).map(|at| block[at / 8] >> (at % 8) & 1 != 0);
    while plain.len() < length {
        let Some(byte) = tree.read_byte(&mut bits) else {
            break;
        };
        plain.push(byte);
        tree.feed(byte);
    }
    plain
}

struct Bits {
    bytes: Vec<u8>,
    at: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.at.is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.bytes[self.at / 8] |= u8::from(bit) << (self.at % 8);
        self.at += 1;
    }
}

/// A Huffman tree that moves frequent bytes towards its root while it is fed.
///
/// All nodes stand in one order, `ranks`, lowest first; weights never decrease along it. The escape
/// leaf, which stands for every byte not seen yet, is always the lowest.
pub struct AdaptiveTree {
    nodes: Vec<Node>,
    ranks: Vec<NodeId>,
    leaf_of: [Option<NodeId>; 256],
    root: NodeId,
}

type NodeId = usize;

/// The escape leaf is the first node made.
const ESCAPE: NodeId = 0;

struct Node {
    weight: u32,
    rank: usize,
    parent: Option<NodeId>,
    content: Content,
}

#[derive(Clone, Copy)]
enum Content {
    Inner([NodeId; 2]),
    Leaf(Option<u8>),
}

impl AdaptiveTree {
    /// A tree that knows no byte yet, only the escape leaf.
    pub fn new() -> Self {
        Self {
            nodes: vec![Node {
                weight: 0,
                rank: 0,
                parent: None,
                content: Content::Leaf(None),
            }],
            ranks: vec![ESCAPE],
            leaf_of: [None; 256],
            root: ESCAPE,
        }
    }

    /// Counts one more occurrence of a byte.
    pub fn feed(&mut self, byte: u8) {
        match self.leaf_of[usize::from(byte)] {
            Some(leaf) => self.raise(leaf),
            None => {
                let inner = self.add_leaf(byte);
                if let Some(parent) = self.nodes[inner].parent {
                    self.raise(parent);
                }
            }
        }
    }

    /// The code word of a byte, or of the escape leaf, root first; `None` for a byte never fed.
    pub fn path(&self, byte: Option<u8>) -> Option<Vec<bool>> {
        let mut node = match byte {
            Some(byte) => self.leaf_of[usize::from(byte)]?,
            None => ESCAPE,
        };
        let mut path = Vec::new();
        while let Some(parent) = self.nodes[node].parent {
            path.push(self.slot(parent, node) == 1);
            node = parent;
        }
        path.reverse();
        Some(path)
    }

    fn write_path(&self, byte: Option<u8>, out: &mut Bits) -> bool {
        let Some(path) = self.path(byte) else {
            return false;
        };
        path.into_iter().for_each(|bit| out.push(bit));
        true
    }

    fn read_byte(&self, bits: &mut impl Iterator<Item = bool>) -> Option<u8> {
        let mut node = self.root;
        loop {
            match self.nodes[node].content {
                Content::Inner(children) => node = children[usize::from(bits.next()?)],
                Content::Leaf(Some(byte)) => return Some(byte),
                Content::Leaf(None) => break,
            }
        }
        // A new byte follows the escape leaf, highest bit first.
        let mut byte = 0;
        for _ in 0..8 {
            byte = byte << 1 | u8::from(bits.next()?);
        }
        Some(byte)
    }

    /// Puts a new inner node in the escape leaf's place, with the escape leaf and a new leaf below.
    fn add_leaf(&mut self, byte: u8) -> NodeId {
        let inner = self.nodes.len();
        let leaf = inner + 1;
        let parent = self.nodes[ESCAPE].parent;
        match parent {
            Some(parent) => self.put(parent, self.slot(parent, ESCAPE), inner),
            None => self.root = inner,
        }
        self.nodes.push(Node {
            weight: 1,
            rank: 2,
            parent,
            content: Content::Inner([ESCAPE, leaf]),
        });
        self.nodes.push(Node {
            weight: 1,
            rank: 1,
            parent: Some(inner),
            content: Content::Leaf(Some(byte)),
        });
        self.nodes[ESCAPE].parent = Some(inner);
        self.leaf_of[usize::from(byte)] = Some(leaf);
        self.ranks.splice(1..1, [leaf, inner]);
        for rank in 3..self.ranks.len() {
            self.nodes[self.ranks[rank]].rank = rank;
        }
        inner
    }

    /// Adds one to the weight of a node and of all above it, keeping the order by weight.
    fn raise(&mut self, node: NodeId) {
        let weight = self.nodes[node].weight;
        let above = &self.ranks[self.nodes[node].rank..];
        let highest = above
            .iter()
            .take_while(|&&other| self.nodes[other].weight == weight)
            .last()
            .copied()
            .unwrap_or(node);
        if highest != node {
            if self.nodes[node].parent != Some(highest) {
                self.exchange_places(highest, node);
            }
            self.exchange_ranks(highest, node);
        }
        self.nodes[node].weight += 1;
        if let Some(parent) = self.nodes[node].parent {
            self.raise(parent);
            if self.nodes[parent].rank + 1 == self.nodes[node].rank {
                self.exchange_ranks(node, parent);
            }
        }
    }

    fn exchange_places(&mut self, one: NodeId, other: NodeId) {
        let place = |node: NodeId| {
            let parent = self.nodes[node].parent;
            parent.map(|parent| (parent, self.slot(parent, node)))
        };
        let (place_of_one, place_of_other) = (place(one), place(other));
        for (node, place) in [(one, place_of_other), (other, place_of_one)] {
            match place {
                Some((parent, slot)) => self.put(parent, slot, node),
                None => self.root = node,
            }
            self.nodes[node].parent = place.map(|(parent, _)| parent);
        }
    }

    fn exchange_ranks(&mut self, one: NodeId, other: NodeId) {
        let (rank_of_one, rank_of_other) = (self.nodes[one].rank, self.nodes[other].rank);
        self.ranks.swap(rank_of_one, rank_of_other);
        self.nodes[one].rank = rank_of_other;
        self.nodes[other].rank = rank_of_one;
    }

    /// Which child of `parent` the node is: 0 left, 1 right.
    fn slot(&self, parent: NodeId, node: NodeId) -> usize {
        match self.nodes[parent].content {
            Content::Inner([left, _]) if left == node => 0,
            _ => 1,
        }
    }

    fn put(&mut self, parent: NodeId, slot: usize, node: NodeId) {
        if let Content::Inner(children) = &mut self.nodes[parent].content {
            children[slot] = node;
        }
    }
}

impl Default for AdaptiveTree {
    fn default() -> Self {
        Self::new()
    }
}
