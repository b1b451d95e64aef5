//! World: the two questions pmove asks.

use crate::types::trace::{Sweep, Trace};
use glam::Vec3;

/// What a player moves through; a client answers from its map and snapshot, a server from its entities.
pub trait World {
    /// What a box hits on its way; never the entity `pass_entity`.
    fn trace(&self, sweep: &Sweep, pass_entity: i32) -> Trace;

    /// Contents bits of what is at a point.
    fn point_contents(&self, point: Vec3, pass_entity: i32) -> u32;
}
