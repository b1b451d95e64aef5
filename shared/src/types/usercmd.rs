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
    numbers! { u16:
        ATTACK = 1, "Fire.";
        TALK = 2, "Writes a message; others see a balloon.";
        USE_HOLDABLE = 4, "Uses the item held.";
        GESTURE = 8, "Taunts.";
        WALKING = 16, "Walks instead of running.";
        AFFIRMATIVE = 32, "Says yes.";
        NEGATIVE = 64, "Says no.";
        GETFLAG = 128, "Says to get the flag.";
        GUARDBASE = 256, "Says to guard the base.";
        PATROL = 512, "Says to patrol.";
        FOLLOWME = 1024, "Says to follow.";
        ANY = 2048, "Any key is down.";
    }
}
