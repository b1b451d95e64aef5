//! The rules that client and server share: movement, items, numbers.

pub mod directions;
pub mod items;
pub mod numbers;
pub mod random;
pub mod trajectory;
pub mod world;

pub use world::World;
