//! The tables of all targets, by the program that runs them.

pub mod client;
pub mod files;
pub mod relay;
pub mod wire;

use crate::Target;

/// Every target.
pub fn all() -> impl Iterator<Item = &'static Target> {
    [
        wire::TARGETS,
        relay::TARGETS,
        files::TARGETS,
        client::TARGETS,
    ]
    .into_iter()
    .flatten()
}
