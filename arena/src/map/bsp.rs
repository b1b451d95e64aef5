//! The bytes of a Quake III map, lump by lump, out of parts, their light, visibility and entities.

use super::carve::Carved;
use super::lightmap::{Baked, Placement};
use super::lumps::Lumps;
use super::source::{Entity, MapSource, TOP};
use super::visibility::Visibility;
use super::{Part, tree};
use crate::materials::{TABLE, id};

/// All that a map's file is written from; the first part is the world.
pub(crate) struct Map<'a> {
    pub parts: &'a [Part],
    pub placement: &'a Placement,
    pub baked: &'a Baked,
    pub source: &'a MapSource,
    pub carved: &'a Carved,
    pub visibility: &'a Visibility,
}

/// Puts a map together.
pub(crate) fn write(map: &Map) -> Vec<u8> {
    let mut lumps = Lumps::default();
    lumps.data[0] = entity_text(&map.source.entities);
    for material in TABLE {
        let mut record = [0; 72];
        record[..material.name.len()].copy_from_slice(material.name.as_bytes());
        record[64..68].copy_from_slice(&material.surface.to_le_bytes());
        record[68..].copy_from_slice(&material.contents.to_le_bytes());
        lumps.data[1].extend(record);
    }
    let (mut brushes, mut surfaces) = (0, 0);
    for (number, part) in map.parts.iter().enumerate() {
        let bounds = part.brushes.iter().map(|b| (b.mins, b.maxs));
        let (mins, maxs) = bounds
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or_default();
        lumps.points(7, &[mins, maxs]);
        let count = part.faces.len() + part.curves.len();
        lumps.ints(7, &[surfaces, count, brushes, part.brushes.len()]);
        brushes += part.brushes.len();
        surfaces += count;
        part.brushes.iter().for_each(|brush| lumps.brush(brush));
        for (at, face) in part.faces.iter().enumerate() {
            lumps.face(face, map.placement.face(number, at));
        }
        for (at, curve) in part.curves.iter().enumerate() {
            if let Some(rect) = map.placement.curve(number, at) {
                lumps.curve(curve, rect);
            }
        }
    }
    if let Some(world) = map.parts.first() {
        tree::write(&mut lumps, world, map.carved);
        let first = world.brushes.len() - map.source.fogs.len();
        for number in 0..map.source.fogs.len() {
            let mut name = [0; 64];
            let known = TABLE[id::FOG].name.as_bytes();
            name[..known.len()].copy_from_slice(known);
            lumps.data[12].extend(name);
            lumps.ints(12, &[first + number, TOP]);
        }
    }
    for plane in std::mem::take(&mut lumps.planes) {
        lumps.points(2, &[plane.normal]);
        lumps.data[2].extend(plane.dist.to_le_bytes());
    }
    lumps.data[14].clone_from(&map.baked.pages);
    lumps.data[15].clone_from(&map.baked.grid);
    lumps.data[16] = map.visibility.bytes();
    lumps.file()
}

fn entity_text(entities: &[Entity]) -> Vec<u8> {
    let mut text = String::new();
    let mut model = 0;
    for entity in entities {
        text.push_str("{\n");
        for (key, value) in &entity.keys {
            text.push_str(&format!("\"{key}\" \"{value}\"\n"));
        }
        if !entity.brushes.is_empty() {
            model += 1;
            text.push_str(&format!("\"model\" \"*{model}\"\n"));
        }
        text.push_str("}\n");
    }
    text.push('\0');
    text.into_bytes()
}
