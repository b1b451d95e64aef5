//! What the game looks and sounds like: models, pictures and sounds by their roles.

pub mod player_media;
pub mod roles;
pub mod tables;
pub mod weapon_media;
