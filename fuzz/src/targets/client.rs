//! The whole client on a server that wants to harm it.

use crate::{Target, hostile};

pub const TARGETS: &[Target] = &[Target {
    name: "client_frame",
    max_len: 4096,
    // One byte can be a snapshot, or a second of frames.
    usec_per_byte: 20_000,
    run: hostile::play,
}];
