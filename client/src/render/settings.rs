//! RenderSettings: what the player chose about the picture.

/// Choices that change how frames are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderSettings {
    /// Brightness curve; 1 leaves colors as they are (`r_gamma`).
    pub gamma: f32,
    /// Samples per pixel; 0 and 1 are one, all else is four, which every device can (`r_ext_multisample`).
    pub samples: u32,
    /// Sharpness at flat angles, 1 to 16 (`r_ext_max_anisotropy`).
    pub anisotropy: u16,
    /// How often textures are halved (`r_picmip`).
    pub picmip: u32,
    /// How far curves may be off, in units (`r_subdivisions`); a change builds the map anew.
    pub curve_error: f32,
    /// Coarser models, by levels (`r_lodbias`).
    pub lod_bias: i32,
    /// A black sky and no portals (`r_fastsky`).
    pub fast_sky: bool,
    /// Lights that move brighten the map (`r_dynamiclight`).
    pub dynamic_lights: bool,
    /// The map's corners light it, not its lightmaps; a change builds the map anew (`r_vertexLight`).
    pub vertex_light: bool,
    /// Everything but the GPU's work, to measure the rest (`r_skipBackEnd`).
    pub skips_back_end: bool,
    /// Asks the GPU how long it works on each frame (`timedemo`).
    pub measures_gpu: bool,
}

impl RenderSettings {
    /// How the reference client draws in its default settings.
    pub const REFERENCE: Self = Self {
        gamma: 1.0,
        samples: 1,
        anisotropy: 1,
        picmip: 0,
        curve_error: 4.0,
        lod_bias: 0,
        fast_sky: false,
        dynamic_lights: true,
        vertex_light: false,
        skips_back_end: false,
        measures_gpu: false,
    };
}
