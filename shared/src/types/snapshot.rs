//! The state of the world at one ServerTime.

use super::{
    limits::MAX_MAP_AREA_BYTES, packet_entities::PacketEntities, playerstate::PlayerState,
};
use crate::base::time::ServerTime;

/// One complete snapshot, after delta decoding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The number of the server message that brought it.
    pub message_num: i32,
    /// The time it shows.
    pub server_time: ServerTime,
    /// Bits of [`flags`].
    pub flags: u8,
    /// A set bit marks an area that cannot be seen.
    pub area_mask: [u8; MAX_MAP_AREA_BYTES],
    /// How many bytes of the areamask the server sent; the others are zero.
    pub area_len: u8,
    /// The player one looks through.
    pub player: PlayerState,
    /// All other entities he may know of.
    pub entities: PacketEntities,
    /// The newest server command known when it was parsed.
    pub server_command_num: i32,
    /// The number of the snapshot it was told against; `None` if it came in full.
    pub delta_num: Option<i32>,
}

/// Bits of [`Snapshot::flags`].
pub mod flags {
    /// The rate kept the server from sending it earlier.
    pub const RATE_DELAYED: u8 = 1;
    /// The player is not yet in the game.
    pub const NOT_ACTIVE: u8 = 2;
    /// Toggles at each map load and map_restart.
    pub const SERVER_COUNT: u8 = 4;
}
