//! Names to ids; the state of each asset: wanted, here, missing.

pub mod image;
pub mod material;
pub mod model;
pub mod vfs;

/// An image by registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageId(pub u32);
