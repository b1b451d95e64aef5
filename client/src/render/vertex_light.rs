//! Materials of a map that is lit by its corners alone (`r_vertexLight`): one stage each, and no lightmap.

use crate::assets::material::{Material, Stage, StageImage};
use shared::formats::shader_script::terms::{AlphaGen, RgbGen, TcGen, sort};

/// The material with one stage instead of all; `None` if it stays as it is.
pub fn vertex_lit(material: &Material) -> Option<Material> {
    let uses_lightmap = material
        .stages
        .iter()
        .any(|s| s.image == StageImage::Lightmap);
    if material.sky.is_some() || (material.stages.len() < 2 && !uses_lightmap) {
        return None;
    }
    let mut stage = if material.sort == sort::OPAQUE {
        Stage {
            blend: None,
            depth_write: true,
            rgb_gen: RgbGen::ExactVertex,
            alpha_gen: AlphaGen::Identity,
            ..best(&material.stages)?.clone()
        }
    } else {
        let is_lightmap = |stage: &&Stage| stage.image != StageImage::Lightmap;
        material.stages.iter().take(2).find(is_lightmap)?.clone()
    };
    stage.depth_equal = false;
    Some(Material {
        stages: vec![stage],
        collapse: None,
        ..material.clone()
    })
}

/// The stage that tells most about what the surface looks like; the first of equals.
fn best(stages: &[Stage]) -> Option<&Stage> {
    let score = |stage: &Stage| {
        let is_plain = matches!(stage.rgb_gen, RgbGen::Identity | RgbGen::IdentityLighting);
        [
            (stage.image == StageImage::Lightmap, -100),
            (!matches!(stage.tc_gen, TcGen::Base), -5),
            (!stage.tc_mods.is_empty(), -5),
            (!is_plain, -3),
        ]
        .into_iter()
        .filter_map(|(applies, points)| applies.then_some(points))
        .sum::<i32>()
    };
    let found = stages.iter().rev().max_by_key(|stage| score(stage))?;
    (found.image != StageImage::Lightmap).then_some(found)
}
