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
    /// −127 to 127, positive to the right.
    pub right_move: i8,
    /// −127 to 127, positive to jump, negative to crouch.
    pub up_move: i8,
    /// Bits of [`buttons`].
    pub buttons: u16,
    /// Number of the weapon wanted.
    pub weapon: u8,
}

/// The newest usercmds by number: what is sent, repeated against loss and replayed by prediction.
pub type UsercmdRing = Ring<Usercmd>;

/// How many usercmds are kept: two seconds at 500 a second (the originals keep 64).
pub const USERCMD_BACKUP: usize = 1024;

/// Bits of [`Usercmd::buttons`].
pub mod buttons {
    /// Fire.
    pub const ATTACK: u16 = 1;
    /// Writes a message; others see a balloon.
    pub const TALK: u16 = 2;
    /// Uses the item held.
    pub const USE_HOLDABLE: u16 = 4;
    /// Taunts.
    pub const GESTURE: u16 = 8;
    /// Walks instead of running.
    pub const WALKING: u16 = 16;
    /// Says yes.
    pub const AFFIRMATIVE: u16 = 32;
    /// Says no.
    pub const NEGATIVE: u16 = 64;
    /// Says to get the flag.
    pub const GETFLAG: u16 = 128;
    /// Says to guard the base.
    pub const GUARDBASE: u16 = 256;
    /// Says to patrol.
    pub const PATROL: u16 = 512;
    /// Says to follow.
    pub const FOLLOWME: u16 = 1024;
    /// Any key is down.
    pub const ANY: u16 = 2048;
}
