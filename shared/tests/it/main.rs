//! Integration tests of the pure half.

mod bsp;
mod gamedata;
