//! The rules that client and server share: movement, items, numbers.

pub mod directions;
pub mod items;
pub mod mover;
pub mod numbers;
pub mod numeric;
pub mod pickup;
pub mod player_entity;
pub mod pmove;
pub mod random;
pub mod ratmod;
pub mod ruleset;
pub mod shots;
pub mod trajectory;
pub mod triggers;
pub mod world;

pub use world::World;
