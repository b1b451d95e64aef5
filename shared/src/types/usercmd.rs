//! What a player does in one frame.

use crate::base::{ring::Ring, time::ServerTime};

/// One step of a player's input, as sent to the server and fed to pmove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usercmd {
    /// The server time the player saw when acting.
    pub server_time: ServerTime,
    /// Pitch, yaw and roll; 65536 steps to the circle.
    pub angles: [u16; 3],
    /// −127 to 127 each.
    pub forward_move: i8,
    pub right_move: i8,
    pub up_move: i8,
    /// Bits of [`buttons`].
    pub buttons: u16,
    pub weapon: u8,
}

/// The newest usercmds by number: what is sent, repeated against loss and replayed by prediction.
pub type UsercmdRing = Ring<Usercmd>;

/// How many usercmds are kept: two seconds at 500 a second (the originals keep 64).
pub const USERCMD_BACKUP: usize = 1024;

/// Bits of [`Usercmd::buttons`].
pub mod buttons {
    pub const ATTACK: u16 = 1;
    pub const TALK: u16 = 2;
    pub const USE_HOLDABLE: u16 = 4;
    pub const GESTURE: u16 = 8;
    pub const WALKING: u16 = 16;
    pub const AFFIRMATIVE: u16 = 32;
    pub const NEGATIVE: u16 = 64;
    pub const GETFLAG: u16 = 128;
    pub const GUARDBASE: u16 = 256;
    pub const PATROL: u16 = 512;
    pub const FOLLOWME: u16 = 1024;
    pub const ANY: u16 = 2048;
}
