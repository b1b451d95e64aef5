//! Names to ids; the state of each asset: wanted, here, missing.

pub mod vfs;
