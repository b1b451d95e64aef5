//! Integration tests of the pure half.

mod bsp;
mod capture;
mod data;
mod formats_mutations;
mod formats_paks;
mod gamedata;
#[path = "../golden/mod.rs"]
mod golden;
mod golden_moves;
mod golden_world;
mod moves;
mod moves_captured;
mod moves_swimming;
mod sim;
mod tables;
mod wire_base;
mod wire_captures;
mod wire_demos;
mod wire_limits;
mod wire_messages;
mod wire_mutations;
mod wire_netchan;
mod wire_oob;
mod wire_pure;
mod wire_states;
#[cfg(feature = "tap")]
mod wire_tap;
