//! Models of weapons, items, missiles and what else lies or flies about.

mod ammo;
mod flying;
mod items;
mod powerups;
mod weapons;

pub(crate) use weapons::WEAPONS;

use crate::{
    PakFile,
    mesh::{Model, Sculpt, Solid, Vertex},
    textures::AtlasCell,
};
use glam::{Vec3, vec2, vec3};

/// What lit parts of models wear, and what shines.
pub(crate) const KIT: &str = "models/strafe/kit";
pub(crate) const KIT_GLOW: &str = "models/strafe/kit_glow";

/// A file's name without extension, and how it is made.
pub(crate) type Recipe = (&'static str, fn() -> Model);

/// Everything but weapons and players.
pub(crate) fn recipes() -> Vec<Recipe> {
    [
        ammo::RECIPES.as_slice(),
        items::RECIPES.as_slice(),
        powerups::RECIPES.as_slice(),
        flying::RECIPES.as_slice(),
    ]
    .concat()
}

/// The model of a name, if it is one of [`recipes`].
pub(crate) fn recipe(name: &str) -> Option<Model> {
    recipes()
        .into_iter()
        .find(|(own, _)| *own == name)
        .map(|(_, make)| make())
}

pub(crate) fn files() -> Vec<PakFile> {
    let mut files: Vec<PakFile> = recipes()
        .into_iter()
        .map(|(name, make)| file(name, &make()))
        .collect();
    files.extend(weapons::files());
    files
}

fn file(name: &str, model: &Model) -> PakFile {
    let name = format!("{name}.md3");
    PakFile::new(name.clone(), model.md3(&name))
}

/// The usual way to finish a model.
fn finish(sculpt: Sculpt) -> Model {
    sculpt.model(KIT, KIT_GLOW)
}

/// A box with cut edges, from its lowest to its highest corner.
fn block(min: [f32; 3], max: [f32; 3], bevel: f32) -> Solid {
    crate::mesh::bevelled(Vec3::from(min), Vec3::from(max), bevel)
}

/// A flat picture between four corners, seen from both sides if its shader allows it.
fn sheet(corners: [Vec3; 4]) -> Solid {
    let normal = (corners[1] - corners[0])
        .cross(corners[3] - corners[0])
        .normalize_or_zero();
    let uvs = [
        vec2(0.0, 0.0),
        vec2(1.0, 0.0),
        vec2(1.0, 1.0),
        vec2(0.0, 1.0),
    ];
    Solid {
        vertices: corners
            .iter()
            .zip(uvs)
            .map(|(&position, uv)| Vertex {
                position,
                normal,
                uv,
            })
            .collect(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

/// A square that looks forward.
fn facing_sheet(x: f32, half: f32) -> Solid {
    sheet([
        vec3(x, half, half),
        vec3(x, -half, half),
        vec3(x, -half, -half),
        vec3(x, half, -half),
    ])
}

/// An upright outline in the plane of left and up, `thick` units deep.
fn upright(outline: &[[f32; 2]], thick: f32, bevel: f32) -> Solid {
    crate::mesh::extruded(outline, thick / 2.0, bevel).turned(crate::mesh::yaw(90.0))
}

/// A star-like outline: points at two radii in turn.
fn star(points: usize, outer: f32, inner: f32, first_degrees: f32) -> Vec<[f32; 2]> {
    (0..points * 2)
        .map(|index| {
            let radius = if index % 2 == 0 { outer } else { inner };
            let degrees = first_degrees + index as f32 * 180.0 / points as f32;
            let (sin, cos) = crate::mesh::sin_cos(degrees);
            [radius * cos, radius * sin]
        })
        .collect()
}

/// A plus sign.
fn cross(arm: f32, half_width: f32) -> Vec<[f32; 2]> {
    let (a, w) = (arm, half_width);
    vec![
        [w, w],
        [w, a],
        [-w, a],
        [-w, w],
        [-a, w],
        [-a, -w],
        [-w, -w],
        [-w, -a],
        [w, -a],
        [w, -w],
        [a, -w],
        [a, w],
    ]
}

/// Repeats a solid around the forward axis.
fn around(solid: &Solid, count: usize, first_degrees: f32) -> Solid {
    let mut all = Solid::default();
    for index in 0..count {
        let degrees = first_degrees + index as f32 * 360.0 / count as f32;
        all.append(solid.clone().turned(crate::mesh::roll(degrees)));
    }
    all
}

/// A barrel along the forward axis with an open end.
fn tube(from: f32, to: f32, radius: f32, bore: f32) -> Solid {
    let lip = (radius - bore) * 0.4;
    crate::mesh::lathe(
        &[
            [from, radius],
            [to - lip, radius],
            [to, radius - lip],
            [to, bore],
            [to - radius * 1.6, bore * 0.9],
        ],
        10,
    )
}

/// The dark bottom of a barrel.
fn add_bore(sculpt: &mut Sculpt, x: f32, bore: f32, at: Vec3) {
    sculpt.add(AtlasCell::Rubber, crate::mesh::disc(x, bore, 10).moved(at));
}
