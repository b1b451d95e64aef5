//! What the relay reads from browsers and servers.

use crate::Target;
use ::relay::fuzz;

pub const TARGETS: &[Target] = &[
    target("gate", 8192, fuzz::gate),
    target("http3_request", 8192, fuzz::http3_request),
    target("split", 8192, fuzz::split),
    target("tap", 16_384, fuzz::tap),
];

const fn target(name: &'static str, max_len: usize, run: fn(&[u8])) -> Target {
    Target {
        name,
        max_len,
        usec_per_byte: 20,
        run,
    }
}
