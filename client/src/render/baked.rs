//! Sprites whose vertices already hold what their material does at their moment, so that many are one draw.

use super::materials::{self, EXACTLY_FROM_VERTEX, FROM_VERTEX, PassContext};
use super::tex_chain::TexChain;
use super::uniforms::StageUniform;
use super::world::WorldVertex;
use crate::assets::material::{Material, StageImage};
use glam::Vec2;
use shared::formats::shader_script::terms::TcGen;

/// Puts a material's colors and texture coordinates into vertices; false if it does more than can be put there.
pub fn bake(material: &Material, context: PassContext<'_>, vertices: &mut [WorldVertex]) -> bool {
    let [stage] = &material.stages[..] else {
        return false;
    };
    let has_one_image = matches!(stage.image, StageImage::Image(_));
    if !has_one_image
        || !matches!(stage.tc_gen, TcGen::Base)
        || materials::is_rich(stage)
        || materials::is_weakened(stage)
        || materials::deforms_on_gpu(material)
    {
        return false;
    }
    let (color, rgb, alpha) = materials::color(stage, context);
    if rgb > EXACTLY_FROM_VERTEX || alpha > FROM_VERTEX {
        return false;
    }
    let [r, g, b, a] = color.map(|part| part as u8);
    let chain = TexChain::of(stage, context.time, context.look.tex_coord.into());
    for vertex in vertices {
        if rgb == 0 {
            vertex.color[..3].copy_from_slice(&[r, g, b]);
        }
        if alpha == 0 {
            vertex.color[3] = a;
        }
        vertex.tex = (chain.matrix * Vec2::from(vertex.tex) + chain.offset).into();
    }
    true
}

/// The numbers of a stage whose vertices are baked.
pub fn uniform() -> StageUniform {
    let mut uniform = materials::plain_uniform();
    uniform.kinds = [0, EXACTLY_FROM_VERTEX, FROM_VERTEX, 0];
    uniform
}
