//! Turns the bytes of a map file into the arrays of a [`Bsp`].

use super::{
    Brush, BrushSide, Bsp, Child, DrawVert, Fog, LIGHTMAP_BYTES, Leaf, MapShader, Model, Node,
    Span, Surface, SurfaceKind, Visibility, check,
};
use crate::{base::error::DecodeError, formats::reader::Reader, types::trace::Plane};
use glam::{Vec2, Vec3};
use std::ops::Range;

impl Bsp {
    /// Reads a map of version 46, or of version 47, whose known lumps are laid out the same.
    ///
    /// # Errors
    /// Says which lump is cut short, refers to something that is not there, or holds a senseless value.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let lumps = Lumps::read(bytes)?;
        let mut bsp = Self {
            entities: entity_text(lumps.lump(0)?)?,
            shaders: lumps.records(1, "shaders", 72, shader)?,
            planes: lumps.records(2, "planes", 16, plane)?,
            nodes: lumps.records(3, "nodes", 36, node)?,
            leafs: lumps.records(4, "leafs", 48, leaf)?,
            leaf_surfaces: lumps.records(5, "leaf surfaces", 4, leaf_surface)?,
            leaf_brushes: lumps.records(6, "leaf brushes", 4, index)?,
            models: lumps.records(7, "models", 40, model)?,
            brushes: lumps.records(8, "brushes", 12, brush)?,
            brush_sides: lumps.records(9, "brush sides", 8, brush_side)?,
            draw_verts: lumps.records(10, "vertices", 44, draw_vert)?,
            // Only the indexes that a surface uses must make sense; the check looks at those.
            draw_indexes: lumps.records(11, "vertex indexes", 4, Reader::u32)?,
            fogs: lumps.records(12, "fogs", 72, fog)?,
            surfaces: lumps.records(13, "surfaces", 104, surface)?,
            lightmaps: lumps.lump(LIGHTMAPS)?.rest().to_vec(),
            light_grid: light_grid(lumps.lump(LIGHT_GRID)?)?,
            visibility: visibility(lumps.lump(16)?)?,
        };
        bsp.lightmaps
            .truncate(bsp.lightmaps.len() / LIGHTMAP_BYTES * LIGHTMAP_BYTES);
        for surface in &mut bsp.surfaces {
            // A known map (aggressor) has fogged surfaces and no fogs.
            surface.fog = surface.fog.filter(|&fog| (fog as usize) < bsp.fogs.len());
        }
        check::all(&bsp)?;
        Ok(bsp)
    }
}

/// The names of a map's materials, without looking at the rest of the file.
///
/// # Errors
/// Says what is wrong with the file's head or with the lump of the materials.
pub fn material_names(bytes: &[u8]) -> Result<Vec<String>, DecodeError> {
    let shaders = Lumps::read(bytes)?.records(1, "shaders", 72, shader)?;
    Ok(shaders.into_iter().map(|shader| shader.name).collect())
}

/// Where a map's lightmaps lie in its file, without looking at the rest of it.
///
/// # Errors
/// Says what is wrong with the file's head, or that they lie outside of the file or on something else.
pub fn lightmap_range(bytes: &[u8]) -> Result<Range<usize>, DecodeError> {
    Lumps::read(bytes)?.own_range(LIGHTMAPS)
}

/// Where the light of a map's free space lies in its file, in records of 8 bytes.
///
/// # Errors
/// Says what is wrong with the file's head, or that it lies outside of the file or on something else.
pub fn light_grid_range(bytes: &[u8]) -> Result<Range<usize>, DecodeError> {
    Lumps::read(bytes)?.own_range(LIGHT_GRID)
}

/// The lump of the lightmaps.
const LIGHTMAPS: usize = 14;
/// The lump of the light grid.
pub(in crate::formats) const LIGHT_GRID: usize = 15;
/// What errors call the file.
pub(super) const SUBJECT: &str = "map";
/// Most bytes of the entity text; the reference's compiler writes a sixteenth of it at most.
const MAX_ENTITY_TEXT: usize = 4 << 20;

/// Where each lump lies.
pub(in crate::formats) struct Lumps<'a> {
    file: Reader<'a>,
    pub(in crate::formats) directory: [(usize, usize); 17],
}

impl<'a> Lumps<'a> {
    pub(in crate::formats) fn read(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let file = Reader::new(SUBJECT, bytes);
        let mut header = file.clone();
        if header.array()? != *b"IBSP" {
            return Err(file.error("it does not begin with IBSP, so this is no Quake 3 map"));
        }
        let version = header.i32()?;
        if !(46..=47).contains(&version) {
            return Err(file.error(format!(
                "its version is {version}; only 46 and 47 can be read"
            )));
        }
        let mut directory = [(0, 0); 17];
        for entry in &mut directory {
            *entry = (header.u32()? as usize, header.u32()? as usize);
        }
        // Lumps that share their bytes would unfold to many times the file.
        let sum: usize = directory.iter().map(|&(_, length)| length).sum();
        if sum > bytes.len().saturating_mul(2) {
            return Err(file.error("its lumps are longer than the file"));
        }
        Ok(Self { file, directory })
    }

    /// Where a lump lies that shares no byte with others.
    fn own_range(&self, number: usize) -> Result<Range<usize>, DecodeError> {
        self.lump(number)?;
        let (start, length) = self.directory[number];
        let overlaps = |&(other, size): &(usize, usize)| {
            size > 0 && other < start + length && start < other.saturating_add(size)
        };
        let mut others = (0..).zip(&self.directory);
        match others.find(|(one, lump)| *one != number && overlaps(lump)) {
            Some((other, _)) => Err(self
                .file
                .error(format!("its lump {number} lies on its lump {other}"))),
            None => Ok(start..start + length),
        }
    }

    fn lump(&self, number: usize) -> Result<Reader<'a>, DecodeError> {
        let (offset, length) = self.directory[number];
        self.file.part(offset, length)
    }

    fn records<T>(
        &self,
        number: usize,
        name: &str,
        size: usize,
        read: fn(&mut Reader<'a>) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let mut lump = self.lump(number)?;
        let length = lump.remaining();
        if !length.is_multiple_of(size) {
            return Err(lump.error(format!(
                "the {length} bytes of {name} are no multiple of {size}"
            )));
        }
        let count = length / size;
        let mut records = Vec::with_capacity(count);
        for number in 0..count {
            let record = read(&mut lump.take(size)?).map_err(|mut error| {
                error.problem = format!("{name} {number}: {}", error.problem).into();
                error
            })?;
            records.push(record);
        }
        Ok(records)
    }
}

fn entity_text(lump: Reader<'_>) -> Result<String, DecodeError> {
    let text = lump.rest().split(|&byte| byte == 0).next();
    let text = text.unwrap_or_default();
    if text.len() > MAX_ENTITY_TEXT {
        return Err(lump.error(format!(
            "the entity text has {} bytes, more than {MAX_ENTITY_TEXT}",
            text.len()
        )));
    }
    Ok(text.iter().map(|&byte| char::from(byte)).collect())
}

fn shader(reader: &mut Reader<'_>) -> Result<MapShader, DecodeError> {
    Ok(MapShader {
        name: reader.text(64)?,
        surface_flags: reader.u32()?,
        contents: reader.u32()?,
    })
}

fn plane(reader: &mut Reader<'_>) -> Result<Plane, DecodeError> {
    Ok(Plane {
        normal: reader.vec3()?,
        dist: reader.f32()?,
    })
}

fn node(reader: &mut Reader<'_>) -> Result<Node, DecodeError> {
    Ok(Node {
        plane: index(reader)?,
        children: [child(reader)?, child(reader)?],
        mins: ivec3(reader)?,
        maxs: ivec3(reader)?,
    })
}

fn child(reader: &mut Reader<'_>) -> Result<Child, DecodeError> {
    let number = reader.i32()?;
    Ok(match u32::try_from(number) {
        Ok(node) => Child::Node(node),
        // −1 is leaf 0, −2 is leaf 1 and so on: the bits inverted.
        Err(_) => Child::Leaf(!number.cast_unsigned()),
    })
}

fn leaf(reader: &mut Reader<'_>) -> Result<Leaf, DecodeError> {
    Ok(Leaf {
        cluster: reader.i32()?,
        area: reader.i32()?,
        mins: ivec3(reader)?,
        maxs: ivec3(reader)?,
        surfaces: span(reader)?,
        brushes: span(reader)?,
    })
}

/// One known map stores −1 here, which its authors' engine took for surface 0.
fn leaf_surface(reader: &mut Reader<'_>) -> Result<u32, DecodeError> {
    match reader.i32()? {
        -1 => Ok(0),
        number => u32::try_from(number).map_err(|_| reader.error("a negative index")),
    }
}

fn model(reader: &mut Reader<'_>) -> Result<Model, DecodeError> {
    Ok(Model {
        mins: reader.vec3()?,
        maxs: reader.vec3()?,
        surfaces: span(reader)?,
        brushes: span(reader)?,
    })
}

fn brush(reader: &mut Reader<'_>) -> Result<Brush, DecodeError> {
    Ok(Brush {
        sides: span(reader)?,
        shader: index(reader)?,
    })
}

fn brush_side(reader: &mut Reader<'_>) -> Result<BrushSide, DecodeError> {
    Ok(BrushSide {
        plane: index(reader)?,
        shader: index(reader)?,
    })
}

fn draw_vert(reader: &mut Reader<'_>) -> Result<DrawVert, DecodeError> {
    Ok(DrawVert {
        position: reader.vec3()?,
        st: Vec2::new(loose(reader)?, loose(reader)?),
        lightmap_st: Vec2::new(loose(reader)?, loose(reader)?),
        normal: loose_vec3(reader)?,
        color: reader.array()?,
    })
}

fn fog(reader: &mut Reader<'_>) -> Result<Fog, DecodeError> {
    Ok(Fog {
        shader: reader.text(64)?,
        brush: index(reader)?,
        visible_side: u32::try_from(reader.i32()?).ok(),
    })
}

fn surface(reader: &mut Reader<'_>) -> Result<Surface, DecodeError> {
    let shader = index(reader)?;
    let fog = u32::try_from(reader.i32()?).ok();
    let kind = reader.i32()?;
    let verts = span(reader)?;
    let indexes = span(reader)?;
    let lightmap = reader.i32()?;
    // Position and size within the lightmap are of no use to anyone.
    reader.take(16)?;
    let lightmap_origin = loose_vec3(reader)?;
    let lightmap_vectors = [
        loose_vec3(reader)?,
        loose_vec3(reader)?,
        loose_vec3(reader)?,
    ];
    let (width, height) = (reader.u32()?, reader.u32()?);
    let kind = match kind {
        1 => SurfaceKind::Planar,
        2 => SurfaceKind::Patch { width, height },
        3 => SurfaceKind::TriangleSoup,
        4 => SurfaceKind::Flare,
        _ => return Err(reader.error(format!("there is no surface type {kind}"))),
    };
    Ok(Surface {
        kind,
        shader,
        fog,
        verts,
        indexes,
        lightmap,
        lightmap_origin,
        lightmap_vectors,
    })
}

/// A wrong number of samples only means that there is no light grid, so a remainder is no error.
fn light_grid(mut lump: Reader<'_>) -> Result<Vec<[u8; 8]>, DecodeError> {
    (0..lump.remaining() / 8).map(|_| lump.array()).collect()
}

fn visibility(mut lump: Reader<'_>) -> Result<Option<Visibility>, DecodeError> {
    if lump.remaining() == 0 {
        return Ok(None);
    }
    let (clusters, row_bytes) = (lump.u32()?, lump.u32()?);
    let length = u64::from(clusters) * u64::from(row_bytes);
    if length > lump.remaining() as u64 || row_bytes < clusters.div_ceil(8) {
        return Err(lump.error(format!(
            "visibility: {clusters} clusters of {row_bytes} bytes do not fit {} bytes",
            lump.remaining()
        )));
    }
    let rows = lump.bytes(clusters as usize * row_bytes as usize)?.to_vec();
    Ok(Some(Visibility {
        clusters,
        row_bytes,
        rows,
    }))
}

fn span(reader: &mut Reader<'_>) -> Result<Span, DecodeError> {
    Ok(Span {
        first: index(reader)?,
        count: index(reader)?,
    })
}

fn index(reader: &mut Reader<'_>) -> Result<u32, DecodeError> {
    let number = reader.i32()?;
    u32::try_from(number).map_err(|_| reader.error("a negative index or count"))
}

fn ivec3(reader: &mut Reader<'_>) -> Result<[i32; 3], DecodeError> {
    Ok([reader.i32()?, reader.i32()?, reader.i32()?])
}

/// Compilers store infinities in texture coordinates and normals of degenerate triangles; they become 0.
fn loose(reader: &mut Reader<'_>) -> Result<f32, DecodeError> {
    let value = f32::from_bits(reader.u32()?);
    Ok(if value.is_finite() { value } else { 0.0 })
}

fn loose_vec3(reader: &mut Reader<'_>) -> Result<Vec3, DecodeError> {
    Ok(Vec3::new(loose(reader)?, loose(reader)?, loose(reader)?))
}
