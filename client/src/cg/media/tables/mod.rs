//! What things look and sound like, as data.

pub mod items;
pub mod weapons;
