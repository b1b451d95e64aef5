//! What happened: snapshots, server commands and entities, in the order in which they are shown.

pub mod entities;
pub mod finite;
pub mod game_static;
pub mod lagometer;
pub mod server_commands;
pub mod snapshot_transitions;
pub mod snapshots;
pub mod team_info;
