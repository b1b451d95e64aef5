//! The planes and facets made from curved surfaces.

use super::{
    Report,
    table::{bits, rows},
};
use serde_json::Value;
use shared::{
    cm::Rounding,
    cm::patch::{self, Patch},
    formats::bsp::{Bsp, SurfaceKind},
};

/// Compares the bounds, counts and checksums of all curves.
pub fn check_all(bsp: &Bsp, text: &str, report: &mut Report) {
    for mut row in rows(text) {
        let surface: usize = row.decimal();
        let patch = build(bsp, surface);
        let bounds = [row.vec3(), row.vec3()];
        let counts: [usize; 2] = [row.decimal(), row.decimal()];
        let sums = [row.hex(), row.hex()];
        let flags = [row.hex(), row.hex()];
        let shader = &bsp.shaders[bsp.surfaces[surface].shader as usize];
        let found_counts = [patch.planes.len(), patch.facets.len()];
        let found_sums = checksums(&patch);
        let same = patch.bounds.map(bits) == bounds.map(bits)
            && found_counts == counts
            && found_sums == sums
            && [shader.surface_flags, shader.contents] == flags;
        report.expect(same, || {
            format!(
                "{}\n  found {:?} {found_counts:?} {found_sums:x?}",
                row.line(),
                patch.bounds
            )
        });
    }
}

/// Compares some curves in full, which tells where a checksum goes wrong.
pub fn check_dumps(bsp: &Bsp, text: &str, report: &mut Report) {
    for line in text.lines() {
        let dump: Value = serde_json::from_str(line).expect("the golden data is JSON");
        let surface = dump["surface"].as_u64().expect("a surface number") as usize;
        let patch = build(bsp, surface);
        let plane = |plane: &shared::types::trace::Plane| {
            let [x, y, z] = bits(plane.normal);
            [x, y, z, plane.dist.to_bits()].map(positive_zero).to_vec()
        };
        let planes: Vec<Vec<u32>> = patch.planes.iter().map(plane).collect();
        let wanted: Vec<Vec<u32>> = dump["planes"]
            .as_array()
            .expect("a list of planes")
            .iter()
            .map(|plane| numbers(plane).map(positive_zero).collect())
            .collect();
        report.expect(planes == wanted, || {
            let differs = planes.iter().zip(&wanted).position(|(a, b)| a != b);
            format!("surface {surface}: planes differ from {differs:?} on")
        });
        let facets: Vec<Value> = patch
            .facets
            .iter()
            .map(|facet| {
                serde_json::json!({
                    "plane": facet.surface,
                    "borders": facet.borders.iter().map(|border| border.plane).collect::<Vec<_>>(),
                    "inward": facet.borders.iter().map(|border| u8::from(border.inward)).collect::<Vec<_>>(),
                })
            })
            .collect();
        let facets = Value::Array(facets);
        report.expect(facets == dump["facets"], || {
            format!("surface {surface}: facets differ: {facets}")
        });
    }
}

fn build(bsp: &Bsp, surface: usize) -> Patch {
    let surface = &bsp.surfaces[surface];
    let SurfaceKind::Patch { width, .. } = surface.kind else {
        panic!("the golden data is about another version of the map");
    };
    patch::build(
        width as usize,
        &bsp.control_points(surface),
        Rounding::Written,
    )
    .expect("known curves can be built")
}

/// CRC-32 of the planes and of the facets.
fn checksums(patch: &Patch) -> [u32; 2] {
    let mut planes = flate2::Crc::new();
    for plane in &patch.planes {
        for value in plane.normal.to_array().into_iter().chain([plane.dist]) {
            planes.update(&positive_zero(value.to_bits()).to_le_bytes());
        }
    }
    let mut facets = flate2::Crc::new();
    for facet in &patch.facets {
        let counts = [facet.surface, facet.borders.len()];
        let indexes = facet.borders.iter().map(|border| border.plane);
        let inward = facet
            .borders
            .iter()
            .map(|border| usize::from(border.inward));
        for number in counts.into_iter().chain(indexes).chain(inward) {
            facets.update(&(number as i32).to_le_bytes());
        }
    }
    [planes.sum(), facets.sum()]
}

fn numbers(value: &Value) -> impl Iterator<Item = u32> {
    value
        .as_array()
        .expect("a list of numbers")
        .iter()
        .map(|number| number.as_u64().expect("a bit pattern") as u32)
}

fn positive_zero(bits: u32) -> u32 {
    if bits == 0x8000_0000 { 0 } else { bits }
}
