//! Integration tests of the pure half.

mod bsp;
mod data;
mod gamedata;
mod wire_base;
