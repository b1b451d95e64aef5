//! Connection: one server, as a state machine.

pub mod clock;
pub mod input;
pub mod reliable;
pub mod send;
pub mod systeminfo;
