//! World: the two questions pmove asks.

use crate::types::trace::Trace;
use glam::Vec3;

/// What a player moves through; a client answers from its map and snapshot, a server from its entities.
pub trait World {
    /// What a box (`mins` and `maxs` around a moving point) hits on its way from `start` to `end`.
    ///
    /// Only things with one of the contents bits of `mask` count, and never the entity `pass_entity`.
    #[expect(
        clippy::too_many_arguments,
        reason = "the trace of the game, as whoever writes a World knows it"
    )]
    fn trace(
        &self,
        start: Vec3,
        mins: Vec3,
        maxs: Vec3,
        end: Vec3,
        pass_entity: i32,
        mask: u32,
    ) -> Trace;

    /// Contents bits of what is at a point.
    fn point_contents(&self, point: Vec3, pass_entity: i32) -> u32;
}
