//! Instances: things that look alike wherever they stand become one draw.

use super::frame::{Batch, Geometry, ModelGeometry, Phase};
use super::materials::{self, additive};
use super::uniforms::MAX_INSTANCES;
use crate::assets::material::Material;
use std::collections::HashMap;

/// Brings sorted batches of the same part of a model and the same material together, whatever their places.
///
/// The first of them stays, and is as near as the nearest.
pub fn join_alike(batches: &mut Vec<Batch<'_>>) {
    let mut firsts: HashMap<(*const Material, ModelGeometry, u32), usize> = HashMap::new();
    let mut kept = 0;
    for next in 0..batches.len() {
        if let (Geometry::Model(geometry), true) =
            (batches[next].geometry, can_join(&batches[next]))
        {
            let key = (
                std::ptr::from_ref(batches[next].material),
                geometry,
                batches[next].indices.start,
            );
            if let Some(&first) = firsts.get(&key)
                && goes_with(&batches[first], &batches[next])
            {
                let (offset, distance) = (batches[next].object.offset, batches[next].distance);
                let first = &mut batches[first];
                first.others.push(offset);
                first.distance = first.distance.min(distance);
                continue;
            }
            firsts.insert(key, kept);
        }
        batches.swap(kept, next);
        kept += 1;
    }
    batches.truncate(kept);
}

/// Whether others of its kind may be drawn before or after it without a difference to the picture.
fn can_join(batch: &Batch<'_>) -> bool {
    // Where the fog lies is told from the thing's own space.
    batch.fog.is_none()
        && batch.lights == 0
        && (batch.phase() == Phase::Solid || additive(batch.material))
}

fn goes_with(first: &Batch<'_>, next: &Batch<'_>) -> bool {
    first.others.len() + 1 < MAX_INSTANCES
        && first.depth == next.depth
        && first.indices == next.indices
        && (first.material.entity_mergable
            || materials::look_alike(first.material, &first.object.look, &next.object.look))
}
