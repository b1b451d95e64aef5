//! Flat pictures over the views, in pixels of the frame.

use super::ShaderId;
use serde::Serialize;

/// One textured rectangle; text is one rectangle per character.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Draw2d {
    /// Left, top, width, height in pixels of the frame.
    pub rect: [f32; 4],
    /// Left, top, right, bottom in the picture, 0 to 1.
    pub tex: [f32; 4],
    /// 0 to 1 each, not premultiplied.
    pub color: [f32; 4],
    pub shader: ShaderId,
}
