//! All integration tests of the client in one binary.

mod assets_images;
mod assets_load;
mod disk;
mod render;
mod views;
