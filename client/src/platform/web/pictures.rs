//! Pictures as files, made by the browser's own encoders: ours would be a fortieth of what a page has to fetch.

use super::host;
use crate::app::screenshot::{Picture, PictureKind};
use wasm_bindgen::Clamped;

/// The file that a picture becomes.
///
/// # Errors
/// The picture lacks pixels, or the browser makes none of that size.
pub async fn encode(mut picture: Picture, kind: PictureKind) -> Result<Vec<u8>, String> {
    // What was drawn behind what, alpha does not tell any more.
    for pixel in picture.rgba.chunks_exact_mut(4) {
        pixel[3] = u8::MAX;
    }
    let media = match kind {
        PictureKind::Png => "image/png",
        PictureKind::Jpeg => "image/jpeg",
    };
    let [width, height] = picture.size;
    host::bytes_of(host::encode_picture(Clamped(&picture.rgba), width, height, media).await)
}
