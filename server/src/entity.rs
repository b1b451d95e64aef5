//! Entity: what stands in a level, with its shape, its place in the world and what snapshots say about it.

use glam::Vec3;
use shared::{
    cm::BoxLeaf,
    types::{entitystate::EntityState, limits::ENTITYNUM_NONE},
};

/// Whom snapshots tell of an entity; bits of [`Entity::sv_flags`].
pub mod sv_flags {
    /// Nobody.
    pub const NO_CLIENT: u32 = 1;
    /// A bot, whom nothing is sent.
    pub const BOT: u32 = 8;
    /// Everybody, wherever they are.
    pub const BROADCAST: u32 = 0x20;
    /// Whoever sees it sees also what is seen from its `origin2`.
    pub const PORTAL: u32 = 0x40;
    /// Contact is tested where it is, not where its path says.
    pub const USE_CURRENT_ORIGIN: u32 = 0x80;
    /// Only [`super::Entity::single_client`].
    pub const SINGLE_CLIENT: u32 = 0x100;
    /// All but [`super::Entity::single_client`].
    pub const NOT_SINGLE_CLIENT: u32 = 0x800;
}

/// One slot of the level's entities.
#[derive(Clone, Debug)]
pub struct Entity {
    pub is_in_use: bool,
    /// What clients are told.
    pub state: EntityState,
    /// Bits of [`sv_flags`].
    pub sv_flags: u32,
    pub single_client: i32,
    /// The inline model that is its shape, instead of the box.
    pub brush_model: Option<usize>,
    pub mins: Vec3,
    pub maxs: Vec3,
    /// Bits of [`shared::types::trace::contents`].
    pub contents: u32,
    pub origin: Vec3,
    pub angles: Vec3,
    /// Neither hits the other; [`ENTITYNUM_NONE`] for none.
    pub owner: i32,
    /// Where the world has it; none while it is not linked.
    pub link: Option<Link>,
}

/// Where an entity lies, as it was when it was linked.
#[derive(Clone, Debug)]
pub struct Link {
    /// One unit wider than its shape on every side.
    pub bounds: [Vec3; 2],
    /// Up to two; −1 for none.
    pub areas: [i32; 2],
    /// At most [`MAX_CLUSTERS`].
    pub clusters: Vec<i32>,
    /// The cluster of its last leaf, if it has more than were kept.
    pub last_cluster: Option<i32>,
    pub(crate) sector: usize,
}

/// Clusters that are kept of each entity.
pub const MAX_CLUSTERS: usize = 16;

impl Link {
    pub(crate) fn new(bounds: [Vec3; 2], sector: usize, leafs: &[BoxLeaf]) -> Self {
        let mut link = Self {
            bounds,
            areas: [-1; 2],
            clusters: Vec::new(),
            last_cluster: None,
            sector,
        };
        for leaf in leafs {
            match link.areas {
                _ if leaf.area < 0 => {}
                [-1, _] => link.areas[0] = leaf.area,
                [first, _] if first != leaf.area => link.areas[1] = leaf.area,
                _ => {}
            }
        }
        let mut clusters = leafs.iter().map(|leaf| leaf.cluster);
        let mut found = clusters.by_ref().filter(|cluster| *cluster >= 0);
        link.clusters.extend(found.by_ref().take(MAX_CLUSTERS));
        if found.next().is_some() {
            link.last_cluster = leafs.last().map(|leaf| leaf.cluster);
        }
        link
    }
}

impl Entity {
    /// A slot that nothing uses.
    pub fn free(number: u16) -> Self {
        Self {
            is_in_use: false,
            state: EntityState {
                number,
                ..EntityState::default()
            },
            sv_flags: 0,
            single_client: 0,
            brush_model: None,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            contents: 0,
            origin: Vec3::ZERO,
            angles: Vec3::ZERO,
            owner: ENTITYNUM_NONE,
            link: None,
        }
    }

    pub fn is_linked(&self) -> bool {
        self.link.is_some()
    }
}
