//! Chooses native or web: the one place of the project that asks what it is compiled for.
//!
//! Both sides offer the same names with the same signatures:
//! `start::run` (the way in), `clock::Clock`, `socket::Socket`, `queries::Queries` (who is asked beside), `files::Files`, `store::{load, store}`,
//! `speaker::SystemSpeaker` (what is heard), `workers::Helpers` (who works beside the frame), `outside::Outside` (what the surroundings say), `pictures::encode`, `modules::engine` (what runs mods' modules), `replay::HAS_WINDOW`, `window` (what winit leaves to each platform).

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(not(target_arch = "wasm32"))]
pub use native::{
    clipboard, clock, files, modules, outside, pictures, queries, replay, socket, speaker, start,
    store, window, workers,
};

#[cfg(target_arch = "wasm32")]
mod web;
#[cfg(target_arch = "wasm32")]
pub use web::{
    clipboard, clock, files, modules, outside, pictures, queries, replay, socket, speaker, start,
    store, window, workers,
};
