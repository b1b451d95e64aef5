//! What is measured and explained about frames; nothing of the game depends on it.

pub mod explain;
pub mod ghosts;
pub mod smoothness;
pub mod test_model;
