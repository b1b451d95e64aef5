//! The translator of mods' modules as a file of its own, which a page fetches once a mod needs it.

use vm::Image;
use wasm_bindgen::prelude::wasm_bindgen;

/// A .qvm file as a WebAssembly module whose memory begins at byte `base` of the client's.
///
/// # Errors
/// Says what is wrong with the file.
#[wasm_bindgen]
pub fn translate(file: &[u8], base: u32) -> Result<Vec<u8>, String> {
    let image = Image::parse(file).map_err(|error| error.to_string())?;
    vm::translate(&image, base).map_err(|error| error.to_string())
}
