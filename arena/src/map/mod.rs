//! Compiles rooms, brushes and entities to a map with baked light.

mod brush;
mod bsp;
mod build;
mod geometry;
mod light;
mod strafe1;
#[cfg(test)]
mod tests;

use crate::PakFile;
use brush::Brush;
use bsp::Part;
use build::{Carved, Face, Level};
use geometry::middle;
use glam::Vec3;
use light::{Baked, Placed};
use shared::{cm::ClipMap, formats::bsp::Bsp};

/// All maps.
pub fn files() -> Vec<PakFile> {
    vec![PakFile::new("maps/strafe1.bsp", compile(&strafe1::level()))]
}

/// A level as the bytes of its file.
fn compile(level: &Level) -> Vec<u8> {
    let carved = Carved::new(&level.rooms);
    let mut world = carved.brushes(&level.rooms);
    let mut faces = carved.faces(&level.rooms);
    for brush in &level.brushes {
        faces.extend(faces_of(brush).filter(|face| {
            // What looks into rock is never seen.
            let before = middle(&face.winding) + face.plane.normal;
            carved.room_at(before).is_some() && !is_inside(&level.brushes, brush, before)
        }));
    }
    world.extend(level.brushes.iter().cloned());
    let models: Vec<(&[Brush], Vec<Face>)> = level
        .entities
        .iter()
        .filter(|entity| !entity.brushes.is_empty())
        .map(|entity| {
            let faces = entity.brushes.iter().flat_map(faces_of).collect();
            (entity.brushes.as_slice(), faces)
        })
        .collect();
    let all: Vec<(&[Brush], &[Face])> = std::iter::once((world.as_slice(), faces.as_slice()))
        .chain(
            models
                .iter()
                .map(|(brushes, faces)| (*brushes, faces.as_slice())),
        )
        .collect();
    let mut places = light::place(all.iter().flat_map(|(_, faces)| faces.iter()));
    let write = |places: &[Placed], baked: &Baked| {
        let mut at = 0;
        let parts: Vec<Part> = all
            .iter()
            .map(|&(brushes, faces)| {
                let lit = &places[at..at + faces.len()];
                at += faces.len();
                Part {
                    brushes,
                    faces,
                    lit,
                }
            })
            .collect();
        bsp::write(&parts, &level.entities, baked)
    };
    let dark = write(&places, &Baked::default());
    let solid = Bsp::parse(&dark)
        .ok()
        .and_then(|bsp| ClipMap::new(&bsp).ok());
    let baked = match &solid {
        Some(map) => light::bake(&all, &mut places, &carved, map),
        None => Baked::default(),
    };
    write(&places, &baked)
}

/// What of a brush can be seen.
fn faces_of(brush: &Brush) -> impl Iterator<Item = Face> + '_ {
    let sides = brush.sides.iter().enumerate();
    sides.filter_map(|(number, side)| {
        let is_drawn = !side.bevel && crate::materials::TABLE[side.material].is_drawn();
        let winding = brush.winding(number);
        (is_drawn && winding.len() >= 3).then_some(Face {
            winding,
            plane: side.plane,
            material: side.material,
        })
    })
}

/// Whether another opaque brush holds a point.
fn is_inside(brushes: &[Brush], own: &Brush, point: Vec3) -> bool {
    brushes
        .iter()
        .any(|other| !std::ptr::eq(other, own) && other.is_opaque() && other.holds(point))
}
