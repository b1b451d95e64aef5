//! What the relay reads from browsers and servers.

use crate::Target;
use ::relay::fuzz;

pub const TARGETS: &[Target] = &[
    Target::new("gate", 8192, 20, fuzz::gate),
    Target::new("split", 8192, 20, fuzz::split),
    Target::new("tap", 16_384, 20, fuzz::tap),
];
