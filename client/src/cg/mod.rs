//! CGame: one level as the player sees it; the steps of a frame.

pub mod io;
pub mod lagometer;
pub mod settings;
pub mod snapshots;

pub use io::{Action, FrameInput, FrameOutput, LevelStart, ServerCommand, SnapshotArrival};
pub use settings::Settings;
