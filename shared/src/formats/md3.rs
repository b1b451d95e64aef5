//! MD3 models: frames of compressed vertices, tags to hang other models on, and the materials worn.

use crate::{
    base::error::DecodeError,
    formats::{reader::Reader, wave::direction_from_bytes},
};
use glam::Vec3;

const SUBJECT: &str = "MD3 model";
const VERSION: i32 = 15;
/// Limits of the format; the reference refuses bigger files.
const MAX_FRAMES: usize = 1024;
const MAX_TAGS: usize = 16;
const MAX_SURFACES: usize = 32;
const MAX_SHADERS: usize = 256;
const MAX_VERTICES: usize = 1000;
const MAX_TRIANGLES: usize = 2000;
const SURFACE_HEADER_SIZE: usize = 108;
/// Vertices of all frames and surfaces, which may share their bytes in the file; the largest known models have a tenth.
const MAX_ALL_VERTICES: usize = 4 << 20;

/// How many bytes a model may take that is read from a file of this size.
pub fn max_bytes(size: u64) -> u64 {
    // Surfaces can share all their bytes.
    (size * MAX_SURFACES as u64).min(64 << 20) + size * 2
}

/// One level of detail of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Md3 {
    /// What the file calls itself.
    pub name: String,
    /// Never empty.
    pub frames: Vec<Frame>,
    /// One entry per tag, in the order within each frame of `tags`.
    pub tag_names: Vec<String>,
    /// All tags of frame 0, then all of frame 1, and so on.
    pub tags: Vec<Tag>,
    /// Its parts.
    pub surfaces: Vec<Surface>,
}

/// What one frame occupies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Lowest corner of the bounding box.
    pub mins: Vec3,
    /// Highest corner.
    pub maxs: Vec3,
    /// Middle of the bounding sphere.
    pub origin: Vec3,
    /// Radius of the bounding sphere.
    pub radius: f32,
}

/// A place on the model where another model is attached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// Relative to the model's origin.
    pub origin: Vec3,
    /// Forward, left, up.
    pub axis: [Vec3; 3],
}

/// A part of the model with one material.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Lower case, without the level-of-detail suffix: what skins call it.
    pub name: String,
    /// Names of materials; an entity's skin number chooses among them.
    pub shaders: Vec<String>,
    /// Indices of vertices, each below `vertex_count`.
    pub triangles: Vec<[u32; 3]>,
    /// One per vertex.
    pub tex_coords: Vec<[f32; 2]>,
    /// Vertices of one frame.
    pub vertex_count: usize,
    /// All vertices of frame 0, then all of frame 1, and so on.
    pub vertices: Vec<Vertex>,
}

/// A vertex in the compressed form of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vertex {
    /// In 1/64 units.
    pub position: [i16; 3],
    /// Latitude in the high byte, longitude in the low byte.
    pub normal: u16,
}

impl Vertex {
    /// In units.
    pub fn position(self) -> Vec3 {
        Vec3::from(self.position.map(f32::from)) / 64.0
    }

    /// The direction the vertex faces, of length 1.
    pub fn normal(self) -> Vec3 {
        let [longitude, latitude] = self.normal.to_le_bytes();
        direction_from_bytes(latitude, longitude)
    }
}

impl Surface {
    /// The vertices of a frame.
    pub fn frame_vertices(&self, frame: usize) -> &[Vertex] {
        &self.vertices[frame * self.vertex_count..][..self.vertex_count]
    }
}

impl Md3 {
    /// Reads a `.md3` file.
    ///
    /// # Errors
    /// It is no MD3 file of version 15, is cut off, has no frame, or something in it lies outside.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let reader = Reader::new(SUBJECT, bytes);
        let FileHead {
            name,
            frame_count,
            tag_count,
            surface_count,
            frames_at,
            tags_at,
            surfaces_at,
        } = FileHead::read(&mut reader.clone())?;
        let frames = read_frames(reader.part(frames_at, frame_count * 56)?)?;
        let (tag_names, tags) = read_tags(
            reader.part(tags_at, frame_count * tag_count * 112)?,
            tag_count,
        )?;
        let mut surfaces = Vec::with_capacity(surface_count);
        let mut at = surfaces_at;
        let mut vertices_left = MAX_ALL_VERTICES;
        for _ in 0..surface_count {
            let length = bytes.len().saturating_sub(at);
            let whole = reader.part(at, length)?;
            let (surface, size) = read_surface(whole, frame_count, vertices_left)?;
            vertices_left -= surface.vertices.len();
            surfaces.push(surface);
            at += size;
        }
        Ok(Self {
            name,
            frames,
            tag_names,
            tags,
            surfaces,
        })
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let surface = |surface: &Surface| {
            size_of_val(&*surface.vertices)
                + size_of_val(&*surface.triangles)
                + size_of_val(&*surface.tex_coords)
                + surface.shaders.len() * 64
        };
        self.surfaces.iter().map(surface).sum::<usize>()
            + size_of_val(&*self.frames)
            + size_of_val(&*self.tags)
    }

    /// A tag of a frame; frames past the end give the last one.
    pub fn tag(&self, frame: usize, name: &str) -> Option<Tag> {
        let index = self
            .tag_names
            .iter()
            .position(|found| found.eq_ignore_ascii_case(name))?;
        let frame = frame.min(self.frames.len() - 1);
        self.tags.get(frame * self.tag_names.len() + index).copied()
    }

    /// A tag between two frames; `fraction` 0 is all `start`, 1 is all `end`.
    pub fn lerp_tag(&self, start: usize, end: usize, fraction: f32, name: &str) -> Option<Tag> {
        let (from, to) = (self.tag(start, name)?, self.tag(end, name)?);
        let mix = |a: Vec3, b: Vec3| a * (1.0 - fraction) + b * fraction;
        Some(Tag {
            origin: mix(from.origin, to.origin),
            axis: std::array::from_fn(|i| mix(from.axis[i], to.axis[i]).normalize_or_zero()),
        })
    }
}

fn expect_ident(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    if reader.rest().starts_with(b"IDP3") {
        reader.array::<4>()?;
        Ok(())
    } else {
        Err(reader.error("the letters IDP3 are missing at the start"))
    }
}

/// What a file begins with.
pub(super) struct FileHead {
    name: String,
    pub frame_count: usize,
    pub tag_count: usize,
    pub surface_count: usize,
    pub frames_at: usize,
    pub tags_at: usize,
    pub surfaces_at: usize,
}

impl FileHead {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        expect_ident(reader)?;
        let version = reader.i32()?;
        if version != VERSION {
            return Err(reader.error(format!("version {version} where {VERSION} is needed")));
        }
        let name = reader.text(64)?;
        reader.i32()?; // flags, unused
        let frame_count = count(reader, "frames", MAX_FRAMES)?;
        if frame_count == 0 {
            return Err(reader.error("a model needs at least one frame"));
        }
        let tag_count = count(reader, "tags", MAX_TAGS)?;
        let surface_count = count(reader, "surfaces", MAX_SURFACES)?;
        reader.i32()?; // number of skins, unused
        Ok(Self {
            name,
            frame_count,
            tag_count,
            surface_count,
            frames_at: offset(reader)?,
            tags_at: offset(reader)?,
            surfaces_at: offset(reader)?,
        })
    }
}

/// What a surface begins with; places count from there.
pub(super) struct SurfaceHead {
    name: String,
    shader_count: usize,
    pub vertex_count: usize,
    pub triangle_count: usize,
    pub triangles_at: usize,
    shaders_at: usize,
    tex_coords_at: usize,
    pub vertices_at: usize,
    /// Up to the next surface.
    pub size: usize,
}

impl SurfaceHead {
    pub(super) fn read(reader: &mut Reader<'_>, frame_count: usize) -> Result<Self, DecodeError> {
        expect_ident(reader)?;
        let name = surface_name(reader.text(64)?);
        reader.i32()?; // flags, unused
        let own_frames = reader.i32()?;
        if usize::try_from(own_frames) != Ok(frame_count) {
            return Err(reader.error(format!(
                "a surface of {own_frames} frames in a model of {frame_count}"
            )));
        }
        let head = Self {
            name,
            shader_count: count(reader, "materials", MAX_SHADERS)?,
            vertex_count: count(reader, "vertices", MAX_VERTICES - 1)?,
            triangle_count: count(reader, "triangles", MAX_TRIANGLES - 1)?,
            triangles_at: offset(reader)?,
            shaders_at: offset(reader)?,
            tex_coords_at: offset(reader)?,
            vertices_at: offset(reader)?,
            size: offset(reader)?,
        };
        if head.size < SURFACE_HEADER_SIZE {
            return Err(reader.error(format!(
                "a surface of {} bytes is shorter than its header",
                head.size
            )));
        }
        Ok(head)
    }
}

fn count(reader: &mut Reader<'_>, what: &str, limit: usize) -> Result<usize, DecodeError> {
    let value = reader.i32()?;
    usize::try_from(value)
        .ok()
        .filter(|&value| value <= limit)
        .ok_or_else(|| reader.error(format!("{value} {what}, where 0 to {limit} are possible")))
}

fn offset(reader: &mut Reader<'_>) -> Result<usize, DecodeError> {
    let value = reader.i32()?;
    usize::try_from(value).map_err(|_| reader.error(format!("the offset {value} is negative")))
}

fn read_frames(mut reader: Reader<'_>) -> Result<Vec<Frame>, DecodeError> {
    let mut frames = Vec::with_capacity(reader.remaining() / 56);
    while reader.remaining() > 0 {
        frames.push(Frame {
            mins: reader.vec3()?,
            maxs: reader.vec3()?,
            origin: reader.vec3()?,
            radius: reader.f32()?,
        });
        reader.bytes(16)?; // name, unused
    }
    Ok(frames)
}

fn read_tags(
    mut reader: Reader<'_>,
    tag_count: usize,
) -> Result<(Vec<String>, Vec<Tag>), DecodeError> {
    let mut names = Vec::with_capacity(tag_count);
    let mut tags = Vec::with_capacity(reader.remaining() / 112);
    while reader.remaining() > 0 {
        let name = reader.text(64)?;
        if names.len() < tag_count {
            names.push(name);
        }
        tags.push(Tag {
            origin: reader.vec3()?,
            axis: [reader.vec3()?, reader.vec3()?, reader.vec3()?],
        });
    }
    Ok((names, tags))
}

/// The surface at the start of `whole`, and its size in bytes up to the next one.
fn read_surface(
    whole: Reader<'_>,
    frame_count: usize,
    max_vertices: usize,
) -> Result<(Surface, usize), DecodeError> {
    let mut reader = whole.clone();
    let SurfaceHead {
        name,
        shader_count,
        vertex_count,
        triangle_count,
        triangles_at,
        shaders_at,
        tex_coords_at,
        vertices_at,
        size,
    } = SurfaceHead::read(&mut reader, frame_count)?;
    if frame_count * vertex_count > max_vertices {
        return Err(reader.error(format!(
            "all frames together have more than {MAX_ALL_VERTICES} vertices"
        )));
    }

    let mut reader = whole.part(shaders_at, shader_count * 68)?;
    let mut shaders = Vec::with_capacity(shader_count);
    for _ in 0..shader_count {
        shaders.push(reader.text(64)?);
        reader.i32()?; // index, unused
    }
    let mut reader = whole.part(tex_coords_at, vertex_count * 8)?;
    let mut tex_coords = Vec::with_capacity(vertex_count);
    for _ in 0..vertex_count {
        tex_coords.push([reader.f32()?, reader.f32()?]);
    }
    let surface = Surface {
        name,
        shaders,
        triangles: read_triangles(whole.part(triangles_at, triangle_count * 12)?, vertex_count)?,
        tex_coords,
        vertex_count,
        vertices: (whole
            .part(vertices_at, frame_count * vertex_count * 8)?
            .rest()
            .as_chunks()
            .0)
            .iter()
            .map(vertex)
            .collect(),
    };
    Ok((surface, size))
}

fn read_triangles(
    mut reader: Reader<'_>,
    vertex_count: usize,
) -> Result<Vec<[u32; 3]>, DecodeError> {
    let mut triangles = Vec::with_capacity(reader.remaining() / 12);
    while reader.remaining() > 0 {
        let triangle = [reader.u32()?, reader.u32()?, reader.u32()?];
        if let Some(index) = triangle
            .iter()
            .find(|&&index| index as usize >= vertex_count)
        {
            return Err(reader.error(format!("a triangle names vertex {index} of {vertex_count}")));
        }
        triangles.push(triangle);
    }
    Ok(triangles)
}

fn vertex(&[a, b, c, d, e, f, g, h]: &[u8; 8]) -> Vertex {
    Vertex {
        position: [[a, b], [c, d], [e, f]].map(i16::from_le_bytes),
        normal: u16::from_le_bytes([g, h]),
    }
}

/// Levels of detail append `_1` and `_2`, which skins do not know.
fn surface_name(name: String) -> String {
    let mut name = name.to_ascii_lowercase();
    let second_last = name.chars().rev().nth(1);
    if second_last == Some('_') {
        name.pop();
        name.pop();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surface_names_lose_their_detail_suffix() {
        assert_eq!(surface_name("H_Head_1".into()), "h_head");
        assert_eq!(surface_name("head".into()), "head");
        assert_eq!(surface_name("_".into()), "_");
    }

    #[test]
    fn vertices_decode_to_units_and_directions() {
        let vertex = Vertex {
            position: [64, -128, 1],
            normal: 0,
        };
        assert_eq!(vertex.position(), Vec3::new(1.0, -2.0, 1.0 / 64.0));
        assert!((vertex.normal() - Vec3::Z).length() < 1e-5);
    }

    /// A model whose surfaces all have the same vertices in the file.
    fn heap(frames: i32, surfaces: i32, vertices: i32) -> Vec<u8> {
        let mut bytes = b"IDP3".to_vec();
        let put = |bytes: &mut Vec<u8>, values: &[i32]| {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        };
        put(&mut bytes, &[VERSION]);
        bytes.extend([0; 64]);
        let (header, surface) = (108, SURFACE_HEADER_SIZE as i32);
        put(&mut bytes, &[0, frames, 0, surfaces, 0, header, header]);
        put(&mut bytes, &[header + frames * 56, 0]);
        bytes.resize((header + frames * 56) as usize, 0);
        for number in 0..surfaces {
            bytes.extend(b"IDP3");
            bytes.extend([0; 64]);
            let shared_at = (surfaces - number) * surface;
            put(&mut bytes, &[0, frames, 0, vertices, 0]);
            put(&mut bytes, &[shared_at; 4]);
            put(&mut bytes, &[surface]);
        }
        bytes.resize(bytes.len() + (frames * vertices * 8) as usize, 0);
        bytes
    }

    #[test]
    fn surfaces_that_share_their_bytes_are_bounded_together() {
        let file = heap(100, 32, 900);
        let model = Md3::parse(&file).expect("a large model");
        assert_eq!(model.surfaces.len(), 32);
        assert!(model.bytes() > 32 * 100 * 900 * 8);
        assert!(model.bytes() as u64 <= max_bytes(file.len() as u64));
        let error = Md3::parse(&heap(200, 32, 900)).expect_err("too large");
        assert!(error.to_string().contains("4194304 vertices"), "{error}");
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        let error = Md3::parse(b"IDP2 and so on").expect_err("not an MD3");
        assert_eq!(
            error.to_string(),
            "MD3 model: the letters IDP3 are missing at the start (at 0)"
        );
    }
}
