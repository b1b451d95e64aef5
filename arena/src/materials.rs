//! The table of surfaces: what a map may be made of, how each shines, and what its faces stop.

/// One surface that brushes and patches can wear. Its pictures and its shader script are made under the same name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// The shader's name.
    pub name: &'static str,
    /// `CONTENTS_*` of a brush made of it.
    pub contents: u32,
    /// `SURF_*` of its faces.
    pub surface: u32,
    /// Red, green and blue that a square unit sends out when light is baked; black for most.
    pub glow: [f32; 3],
    /// What share of red, green and blue comes back from it; roughly the mean of its picture.
    pub albedo: [f32; 3],
}
