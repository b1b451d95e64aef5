//! What the shader is told: the layout of its uniforms, and a frame's worth of them.

use bytemuck::{Pod, Zeroable};

/// Distance between two uniforms in their buffer; a multiple of what WebGL2 asks for (256).
pub const OBJECT_STRIDE: usize = 256;
pub const STAGE_STRIDE: usize = 512;
/// How many things one draw can have: as many as fit into what WebGL2 binds at once (16 KiB).
pub const MAX_INSTANCES: usize = 64;
/// What is bound of the things' buffer.
pub const OBJECTS_SIZE: usize = MAX_INSTANCES * OBJECT_STRIDE;

/// Where a thing stands, seen from one view, and how it is lit; `Object` in `stage.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ObjectUniform {
    /// Of a model position less `local_eye`.
    pub clip_from_local: [[f32; 4]; 4],
    pub depth: [f32; 4],
    pub clip_plane: [f32; 4],
    pub local_eye: [f32; 4],
    pub world_eye: [f32; 4],
    pub light_dir: [f32; 4],
    pub ambient: [f32; 4],
    pub directed: [f32; 4],
    pub frame: [f32; 4],
    /// Fills the stride, so that the shader sees an array.
    pub spare: [[f32; 4]; 4],
}

/// One bundle of texture coordinates; `TexCoords` in `stage.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TexCoordsUniform {
    pub s_vector: [f32; 4],
    pub t_vector: [f32; 4],
    /// Columns: what s and t contribute.
    pub matrix: [f32; 4],
    pub offset: [f32; 4],
    pub turb: [[f32; 4]; 4],
    pub turb_phase: [f32; 4],
}

/// `Deform` in `stage.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct DeformUniform {
    pub kind: [u32; 4],
    pub values: [f32; 4],
}

/// One pass over a batch; `Stage` in `stage.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct StageUniform {
    pub kinds: [u32; 4],
    pub counts: [u32; 4],
    pub color: [f32; 4],
    pub values: [f32; 4],
    pub fog_plane: [f32; 4],
    pub fog: [f32; 4],
    pub light: [f32; 4],
    pub tex: [TexCoordsUniform; 2],
    pub deforms: [DeformUniform; 3],
}

const _: () = assert!(size_of::<ObjectUniform>() == OBJECT_STRIDE);
const _: () = assert!(size_of::<StageUniform>() <= STAGE_STRIDE);

/// Uniforms collected during a frame.
#[derive(Default)]
pub struct UniformBytes {
    bytes: Vec<u8>,
}

impl UniformBytes {
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Appends a value at a multiple of `stride` and returns its offset in bytes.
    pub fn push<T: Pod>(&mut self, value: &T, stride: usize) -> u32 {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::bytes_of(value));
        self.bytes.resize(offset + stride, 0);
        offset as u32
    }

    /// Appends a copy of what lies at `offset` and returns the copy's offset.
    pub fn repeat(&mut self, offset: u32, stride: usize) -> u32 {
        let (from, copy) = (offset as usize, self.bytes.len());
        self.bytes.extend_from_within(from..from + stride);
        copy as u32
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
