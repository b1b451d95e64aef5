//! Image: pixels with their mip chain, prepared as the reference client does.

/// A picture ready for upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub name: String,
    /// Size of the first level; powers of two.
    pub width: u32,
    pub height: u32,
    /// RGBA, 8 bits each, rows from the top; each level half the size of the one before, down to 1 × 1.
    /// A single level if `is_mipmapped` is false.
    pub levels: Vec<Vec<u8>>,
    pub is_mipmapped: bool,
    /// Clamped to the edge instead of repeated.
    pub is_clamped: bool,
    /// Some pixel is not fully opaque.
    pub has_alpha: bool,
}
