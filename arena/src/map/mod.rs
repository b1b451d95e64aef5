//! Compiles rooms, brushes, curves and entities to a map with baked light and visibility.

mod brush;
mod bsp;
mod carve;
mod face;
mod field;
mod geometry;
mod light;
mod lightmap;
mod lumps;
mod patch;
mod source;
mod strafe1;
#[cfg(test)]
mod tests;
mod tree;
mod visibility;

use crate::PakFile;
use brush::Brush;
use bsp::Map;
use carve::Carved;
use face::{Face, faces_of};
use geometry::middle;
use glam::Vec3;
use light::Surroundings;
use lightmap::{Baked, Placement};
use patch::Patch;
use shared::{cm::ClipMap, formats::bsp::Bsp};
use source::MapSource;
use visibility::Visibility;

/// Least and greatest coordinates.
type Extent = (Vec3, Vec3);

/// All maps.
pub(crate) fn files() -> Vec<PakFile> {
    vec![
        PakFile::new("maps/strafe1.bsp", compile(&strafe1::source())),
        PakFile::new("maps/strafe_field.bsp", compile(&field::source())),
    ]
}

/// The world, or the model of an entity.
#[derive(Clone, Debug, Default)]
struct Part {
    brushes: Vec<Brush>,
    faces: Vec<Face>,
    curves: Vec<Patch>,
    /// Where its entity stands, for those whose coordinates are told from there.
    origin: Vec3,
}

/// The bytes of a map's file.
fn compile(source: &MapSource) -> Vec<u8> {
    let carved = Carved::new(&source.rooms);
    let visibility = Visibility::new(carved.clusters(), &carved.portals());
    let mut parts = vec![world_of(source, &carved)];
    let movers = source.entities.iter();
    let movers = movers.filter(|entity| !entity.brushes.is_empty());
    parts.extend(movers.map(|entity| Part {
        brushes: entity.brushes.clone(),
        faces: entity.brushes.iter().flat_map(faces_of).collect(),
        curves: Vec::new(),
        origin: entity.origin(),
    }));
    let map = |parts: &[Part], placement: &Placement, baked: &Baked| {
        bsp::write(&Map {
            parts,
            placement,
            baked,
            source,
            carved: &carved,
            visibility: &visibility,
        })
    };
    // What stops light: the brushes alone. A curve's collision lies before and behind the curve itself.
    let plain: Vec<Part> = parts
        .iter()
        .map(|part| Part {
            faces: Vec::new(),
            curves: Vec::new(),
            ..part.clone()
        })
        .collect();
    let dark = map(&plain, &Placement::default(), &Baked::default());
    let solid = Bsp::parse(&dark)
        .ok()
        .and_then(|bsp| ClipMap::new(&bsp).ok())
        .expect("what this crate writes is a map");
    let placement = lightmap::place(&parts, source.coarse);
    let surroundings = Surroundings {
        carved: &carved,
        visibility: &visibility,
        solid: &solid,
        sun: source.sun,
        cell: source.cell,
    };
    let baked = light::bake(&parts, &placement, &surroundings);
    map(&parts, &placement, &baked)
}

/// All that does not move, with each face cut where fog begins and joined to its neighbours.
fn world_of(source: &MapSource, carved: &Carved) -> Part {
    let mut brushes = carved.brushes(&source.rooms);
    let mut faces = carved.faces(&source.rooms);
    for brush in &source.brushes {
        faces.extend(faces_of(brush).filter(|face| {
            // What looks into rock is never seen.
            let before = middle(&face.winding) + face.plane.normal;
            carved.room_at(before).is_some() && !is_inside(&source.brushes, brush, before)
        }));
    }
    brushes.extend(source.brushes.iter().cloned());
    let mut curves = source.curves.clone();
    for (number, fog) in source.fogs.iter().enumerate() {
        let all = std::mem::take(&mut faces);
        for face in all {
            let (outside, inside) = face.cut_by(fog);
            faces.extend(outside);
            faces.extend(inside.map(|face| Face {
                fog: Some(number),
                ..face
            }));
        }
        let in_fog = |curve: &&mut Patch| {
            let (low, high) = geometry::extent(&curve.points);
            low.cmplt(fog.maxs).all() && high.cmpgt(fog.mins).all()
        };
        curves
            .iter_mut()
            .filter(in_fog)
            .for_each(|curve| curve.fog = Some(number));
        faces.extend(faces_of(fog).map(|face| Face {
            fog: Some(number),
            ..face
        }));
    }
    face::weld(&mut faces);
    // What lies on other faces touches their edges nowhere.
    faces.extend(source.decals.iter().cloned());
    // Fogs come last, and their numbers are told from here.
    brushes.extend(source.fogs.iter().cloned());
    Part {
        brushes,
        faces,
        curves,
        origin: Vec3::ZERO,
    }
}

/// Whether another opaque brush holds a point.
fn is_inside(brushes: &[Brush], own: &Brush, point: Vec3) -> bool {
    brushes
        .iter()
        .any(|other| !std::ptr::eq(other, own) && other.is_opaque() && other.holds(point))
}
