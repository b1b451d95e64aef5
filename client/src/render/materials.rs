//! Materials as passes: which pipeline each stage needs, and its numbers at a given time.

use super::fog::FogVolume;
use super::pipeline_key::{
    Combine, Deforms, DepthTest, LightmapAt, PassKind, PipelineKey, VertexKind,
};
use super::tex_chain::TexChain;
use super::uniforms::{DeformUniform, StageUniform, TexCoordsUniform};
use crate::assets::material::{
    Collapse, FogAdjust, FogPass, Lightmap, Material, Stage, StageImage,
};
use glam::{Mat2, Vec3};
use shared::formats::shader_script::terms::{
    AlphaGen, Blend, BlendFactor, Cull, Deform, RgbGen, TcGen, TcMod, sort, surface,
};
use shared::formats::wave::WaveFunc;
use std::f64::consts::TAU;

/// What an entity contributes to its materials.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    pub color: [u8; 4],
    pub tex_coord: [f32; 2],
    pub shader_time: f32,
    /// Up in model space, and the height of the origin above the floor that a shadow falls on.
    pub shadow: [f32; 4],
}

/// Whether things of this material that differ in nothing but their looks are drawn alike.
pub fn look_alike(material: &Material, a: &Look, b: &Look) -> bool {
    let takes_color = |stage: &Stage| {
        matches!(stage.rgb_gen, RgbGen::Entity | RgbGen::OneMinusEntity)
            || matches!(stage.alpha_gen, AlphaGen::Entity | AlphaGen::OneMinusEntity)
    };
    let keeps_time = |stage: &Stage| {
        matches!(stage.image, StageImage::Image(_) | StageImage::Lightmap)
            && !matches!(stage.rgb_gen, RgbGen::Wave(_))
            && !matches!(stage.alpha_gen, AlphaGen::Wave(_))
            && stage
                .tc_mods
                .iter()
                .all(|tc_mod| matches!(tc_mod, TcMod::Scale(_) | TcMod::Transform { .. }))
    };
    let stages = &material.stages;
    (a.color == b.color || !stages.iter().any(takes_color))
        && ((a.shader_time == b.shader_time && a.tex_coord == b.tex_coord)
            || (stages.iter().all(keeps_time) && material.deforms.is_empty()))
        && (a.shadow == b.shadow || material.deforms.is_empty())
}

/// Whether all that a material does is to add light, so that the order of its things makes no difference.
pub fn additive(material: &Material) -> bool {
    let adds = |blend: Option<Blend>| blend.is_some_and(|blend| blend.dst == BlendFactor::One);
    let mut stages = material.stages.iter();
    stages.all(|stage| !stage.depth_write && adds(stage.blend))
        && passes(material).all(|pass| adds(pass.blend))
}

/// One draw of a batch: a stage, or the first two at once.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    pub first: &'a Stage,
    pub second: Option<&'a Stage>,
    pub combine: Combine,
    pub blend: Option<Blend>,
}

/// The passes of a material, in order.
pub fn passes(material: &Material) -> impl Iterator<Item = Pass<'_>> {
    let stages = &material.stages[..];
    let (collapsed, rest) = match (material.collapse, stages) {
        (Some(collapse), [first, second, rest @ ..]) => {
            let (combine, blend) = match collapse {
                Collapse::Modulate { blend } => (Combine::Modulate, blend),
                Collapse::Add { blend } => (Combine::Add, blend),
            };
            let second = Some(second);
            let pass = Pass {
                first,
                second,
                combine,
                blend,
            };
            (Some(pass), rest)
        }
        _ => (None, stages),
    };
    let single = |first| Pass {
        first,
        second: None,
        combine: Combine::One,
        blend: first.blend,
    };
    collapsed.into_iter().chain(rest.iter().map(single))
}

/// The pipeline of a pass in a plain view.
pub fn pass_key(
    material: &Material,
    pass: Pass<'_>,
    vertices: VertexKind,
    is_in_fog: bool,
) -> PipelineKey {
    let is_lightmap = |stage: &Stage| stage.image == StageImage::Lightmap;
    let lightmap = if is_lightmap(pass.first) {
        LightmapAt::First
    } else if pass.second.is_some_and(is_lightmap) {
        LightmapAt::Second
    } else {
        LightmapAt::Nowhere
    };
    let is_rich = is_rich(pass.first) || pass.second.is_some_and(is_rich);
    PipelineKey {
        vertices,
        pass: if is_in_fog && is_weakened(pass.first) {
            PassKind::FoggedStage
        } else if is_rich {
            PassKind::RichStage
        } else {
            PassKind::PlainStage
        },
        deforms: deforms(material),
        combine: pass.combine,
        lightmap,
        alpha_func: pass.first.alpha_func,
        blend: pass.blend,
        depth_test: match (pass.first.depth_test, pass.first.depth_equal) {
            (false, _) => DepthTest::Off,
            (true, true) => DepthTest::Equal,
            (true, false) => DepthTest::LessEqual,
        },
        depth_write: pass.first.depth_write,
        cull: material.cull,
        polygon_offset: material.polygon_offset,
        is_clipped: false,
        is_instanced: false,
    }
}

/// Whether fog over it makes a stage weaker.
pub fn is_weakened(stage: &Stage) -> bool {
    stage.fog_adjust != FogAdjust::None
}

/// Whether a stage needs the whole shader.
pub fn is_rich(stage: &Stage) -> bool {
    let has_rich_color = matches!(stage.rgb_gen, RgbGen::OneMinusVertex)
        || matches!(
            stage.alpha_gen,
            AlphaGen::OneMinusVertex | AlphaGen::Portal { .. } | AlphaGen::LightingSpecular
        );
    has_rich_color
        || !matches!(stage.tc_gen, TcGen::Base | TcGen::Lightmap)
        || stage
            .tc_mods
            .iter()
            .any(|tc_mod| matches!(tc_mod, TcMod::Turb { .. }))
}

/// What an overlay must share with the surface beneath to meet it at exactly its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ground {
    vertices: VertexKind,
    deforms: Deforms,
    cull: Cull,
    polygon_offset: bool,
}

impl Ground {
    pub fn new(material: &Material, vertices: VertexKind) -> Self {
        Self {
            vertices,
            deforms: deforms(material),
            cull: material.cull,
            polygon_offset: material.polygon_offset,
        }
    }
}

/// The pipeline of the fog over a material; `None` if it has no fog pass.
pub fn fog_key(material: &Material, vertices: VertexKind) -> Option<PipelineKey> {
    let equal = equal_fog_key(Ground::new(material, vertices));
    match material.fog_pass {
        FogPass::None => None,
        FogPass::Equal => Some(equal),
        FogPass::LessEqual => Some(PipelineKey {
            depth_test: DepthTest::LessEqual,
            ..equal
        }),
    }
}

/// The pipeline of fog over what is solid.
pub fn equal_fog_key(ground: Ground) -> PipelineKey {
    overlay_key(ground, PassKind::Fog, Blend::ALPHA)
}

/// The pipeline of a dynamic light.
pub fn light_key(ground: Ground, is_additive: bool) -> PipelineKey {
    use shared::formats::shader_script::terms::BlendFactor::{DstColor, One};
    let blend = if is_additive {
        Blend::ADD
    } else {
        Blend::new(DstColor, One)
    };
    overlay_key(ground, PassKind::DynamicLight, blend)
}

fn overlay_key(ground: Ground, pass: PassKind, blend: Blend) -> PipelineKey {
    PipelineKey {
        vertices: ground.vertices,
        pass,
        deforms: ground.deforms,
        blend: Some(blend),
        depth_test: DepthTest::Equal,
        depth_write: false,
        cull: ground.cull,
        polygon_offset: ground.polygon_offset,
        ..PipelineKey::WALL
    }
}

/// Whether dynamic lights shine on it.
pub fn takes_light(material: &Material) -> bool {
    material.sort <= sort::OPAQUE
        && material.surface_flags & (surface::NODLIGHT | surface::SKY) == 0
}

/// The pipeline of a flat picture: no depth, both sides.
pub fn flat_key(material: &Material, pass: Pass<'_>) -> PipelineKey {
    PipelineKey {
        depth_test: DepthTest::Off,
        depth_write: false,
        cull: Cull::None,
        polygon_offset: false,
        ..pass_key(material, pass, VertexKind::World, false)
    }
}

/// The pipeline that changes no color and forgets all depths.
pub fn wipe_key() -> PipelineKey {
    PipelineKey {
        blend: Some(Blend {
            src: BlendFactor::Zero,
            dst: BlendFactor::One,
        }),
        depth_test: DepthTest::Wipe,
        cull: Cull::None,
        ..PipelineKey::WALL
    }
}

/// The pipelines that a material needs where it is usually drawn.
pub fn likely_keys(material: &Material) -> Vec<PipelineKey> {
    let vertices = usual_vertices(material);
    let mut keys: Vec<_> = passes(material)
        .map(|pass| pass_key(material, pass, vertices, false))
        .collect();
    if material.lightmap == Lightmap::TwoD {
        keys.extend(passes(material).map(|pass| flat_key(material, pass)));
    }
    keys
}

/// Those that it needs besides when it lies in fog, when something flashes, when there are several of it, or when it is
/// laid around a model.
pub fn occasional_keys(material: &Material) -> Vec<PipelineKey> {
    let vertices = usual_vertices(material);
    let keys = |vertices, is_in_fog| {
        passes(material).map(move |pass| pass_key(material, pass, vertices, is_in_fog))
    };
    let several = keys(vertices, false).filter_map(PipelineKey::instanced);
    let fogged = keys(vertices, true).filter(|key| key.needs_fog());
    let mut wanted: Vec<_> = several.chain(fogged).collect();
    wanted.extend(fog_key(material, vertices));
    if !matches!(material.lightmap, Lightmap::None | Lightmap::TwoD) {
        wanted.push(light_key(Ground::new(material, vertices), false));
    }
    if material.lightmap == Lightmap::TwoD && is_shell(material) {
        wanted.extend(keys(VertexKind::Model, false));
    }
    wanted
}

/// Whether a material looks like what powerups lay around models.
fn is_shell(material: &Material) -> bool {
    let is_more = |pass: Pass<'_>| is_rich(pass.first) || is_weakened(pass.first);
    !material.deforms.is_empty() || passes(material).any(is_more)
}

fn usual_vertices(material: &Material) -> VertexKind {
    match material.lightmap {
        Lightmap::None => VertexKind::Model,
        _ => VertexKind::World,
    }
}

/// Whether the shape depends on the view or on whole quads, so that vertices are placed before they are uploaded.
pub fn deforms_on_cpu(material: &Material) -> bool {
    material.deforms.iter().any(|deform| {
        matches!(
            deform,
            Deform::Autosprite | Deform::Autosprite2 | Deform::Text(_)
        )
    })
}

/// What the shader does to vertices.
fn deforms(material: &Material) -> Deforms {
    let bends = |deform: &Deform| matches!(deform, Deform::Normal { .. });
    if !deforms_on_gpu(material) {
        Deforms::Nothing
    } else if material.deforms.iter().any(bends) {
        Deforms::Normals
    } else {
        Deforms::Positions
    }
}

/// Whether the shader moves vertices.
pub fn deforms_on_gpu(material: &Material) -> bool {
    !material.deforms.is_empty() && !deforms_on_cpu(material)
}

/// The material's time in seconds.
pub fn shader_time(material: &Material, scene_msec: i32, entity_time: f32) -> f64 {
    let time =
        f64::from(scene_msec) / 1000.0 - f64::from(entity_time) - f64::from(material.time_offset);
    material
        .clamp_time
        .map_or(time, |clamp| time.min(f64::from(clamp)))
}

/// The moment and the thing that a pass is drawn for.
#[derive(Clone, Copy, Debug)]
pub struct PassContext<'a> {
    pub look: &'a Look,
    /// Seconds of the material's clock.
    pub time: f64,
    pub scene_msec: i32,
    pub is_in_fog: bool,
}

impl<'a> PassContext<'a> {
    /// Of something outside of fog.
    pub fn new(material: &Material, look: &'a Look, scene_msec: i32) -> Self {
        Self {
            look,
            time: shader_time(material, scene_msec, look.shader_time),
            scene_msec,
            is_in_fog: false,
        }
    }
}

/// The numbers of a stage.
pub fn stage_uniform(
    material: &Material,
    pass: Pass<'_>,
    context: PassContext<'_>,
) -> StageUniform {
    let mut uniform = base_uniform(material, context);
    let (color, rgb_gen, alpha_gen) = color(pass.first, context);
    let fog_adjust = match pass.first.fog_adjust {
        _ if !context.is_in_fog => 0,
        FogAdjust::None => 0,
        FogAdjust::Rgb => 1,
        FogAdjust::Alpha => 2,
        FogAdjust::Rgba => 3,
    };
    uniform.kinds = [0, rgb_gen, alpha_gen, fog_adjust];
    uniform.color = color;
    if let AlphaGen::Portal { range } = pass.first.alpha_gen {
        uniform.values[0] = range;
    }
    for (bundle, stage) in [Some(pass.first), pass.second]
        .into_iter()
        .flatten()
        .enumerate()
    {
        let (kind, turbs) = tex_coords(stage, context, &mut uniform.tex[bundle]);
        uniform.counts[bundle] = kind;
        uniform.counts[3] |= turbs << (4 * bundle);
    }
    uniform
}

/// The numbers of fog over something; the caller adds where the fog is.
pub fn fog_uniform(mut base: StageUniform, fog: &FogVolume) -> StageUniform {
    let [r, g, b] = fog.color;
    base.color = [r, g, b, 255.0];
    base
}

/// The numbers of a dynamic light on something.
pub fn light_uniform(
    mut base: StageUniform,
    local_origin: Vec3,
    radius: f32,
    color: [f32; 3],
) -> StageUniform {
    let [r, g, b] = color.map(|c| c * 255.0);
    base.color = [r, g, b, 255.0];
    base.light = local_origin.extend(radius).to_array();
    base
}

/// An image as it is.
pub fn plain_uniform() -> StageUniform {
    let mut uniform: StageUniform = bytemuck::Zeroable::zeroed();
    uniform.color = [255.0; 4];
    uniform.tex[0].matrix = Mat2::IDENTITY.to_cols_array();
    uniform
}

/// What all passes over things that keep their shape have in common.
pub fn still_uniform() -> StageUniform {
    let mut uniform: StageUniform = bytemuck::Zeroable::zeroed();
    // Identity light is one: brightness is a matter of the last pass.
    uniform.values[1] = 1.0;
    uniform
}

/// What all passes of a material have in common.
pub fn base_uniform(material: &Material, context: PassContext<'_>) -> StageUniform {
    let mut uniform = still_uniform();
    if !deforms_on_cpu(material) {
        for deform in material.deforms.iter().take(uniform.deforms.len()) {
            let slot = &mut uniform.deforms[uniform.counts[2] as usize];
            *slot = deform_uniform(*deform, context);
            uniform.counts[2] += 1;
        }
    }
    uniform
}

fn deform_uniform(deform: Deform, context: PassContext<'_>) -> DeformUniform {
    let time = context.time;
    let (kind, func, values) = match deform {
        Deform::Wave { spread, wave } => {
            let phase = (f64::from(wave.phase) + time * f64::from(wave.frequency)).rem_euclid(1.0);
            let spread = if wave.frequency == 0.0 { 0.0 } else { spread };
            (
                0,
                wave_code(wave.func),
                [wave.base, wave.amplitude, phase as f32, spread],
            )
        }
        Deform::Bulge {
            width,
            height,
            speed,
        } => {
            let now = (f64::from(context.scene_msec) * 0.001 * f64::from(speed)).rem_euclid(TAU);
            (1, 0, [width, height, now as f32, 0.0])
        }
        Deform::Move { direction, wave } => {
            (2, 0, (direction * wave.at(time)).extend(0.0).to_array())
        }
        Deform::Normal {
            amplitude,
            frequency,
        } => (
            3,
            0,
            [
                amplitude,
                (time * f64::from(frequency)).rem_euclid(4096.0) as f32,
                0.0,
                0.0,
            ],
        ),
        Deform::ProjectionShadow => (4, 0, context.look.shadow),
        Deform::Autosprite | Deform::Autosprite2 | Deform::Text(_) => (u32::MAX, 0, [0.0; 4]),
    };
    DeformUniform {
        kind: [kind, func, 0, 0],
        values,
    }
}

fn wave_code(func: WaveFunc) -> u32 {
    match func {
        WaveFunc::Sin | WaveFunc::Noise => 0,
        WaveFunc::Square => 1,
        WaveFunc::Triangle => 2,
        WaveFunc::Sawtooth => 3,
        WaveFunc::InverseSawtooth => 4,
    }
}

pub const FROM_VERTEX: u32 = 1;
pub const EXACTLY_FROM_VERTEX: u32 = 2;

/// Constant color bytes, and the codes of what replaces them at each vertex.
pub fn color(stage: &Stage, context: PassContext<'_>) -> ([f32; 4], u32, u32) {
    let entity = context.look.color.map(f32::from);
    let (rgb, rgb_code) = match stage.rgb_gen {
        RgbGen::Identity | RgbGen::IdentityLighting => ([255.0; 3], 0),
        RgbGen::Entity => ([entity[0], entity[1], entity[2]], 0),
        RgbGen::OneMinusEntity => ([255.0 - entity[0], 255.0 - entity[1], 255.0 - entity[2]], 0),
        RgbGen::Vertex => ([255.0; 3], FROM_VERTEX),
        RgbGen::ExactVertex => ([255.0; 3], EXACTLY_FROM_VERTEX),
        RgbGen::OneMinusVertex => ([255.0; 3], 3),
        RgbGen::LightingDiffuse => ([255.0; 3], 4),
        RgbGen::Wave(wave) => {
            let glow = if wave.func == WaveFunc::Noise {
                wave.noise_at(context.time)
            } else {
                wave.at(context.time)
            };
            ([byte(glow); 3], 0)
        }
        RgbGen::Const(color) => (color.to_array().map(byte), 0),
    };
    let (alpha, alpha_code) = match stage.alpha_gen {
        AlphaGen::Identity => match stage.rgb_gen {
            RgbGen::Vertex => (255.0, FROM_VERTEX),
            RgbGen::LightingDiffuse => (255.0, 5),
            _ => (255.0, 0),
        },
        AlphaGen::Entity => (entity[3], 0),
        AlphaGen::OneMinusEntity => (255.0 - entity[3], 0),
        AlphaGen::Vertex => (255.0, FROM_VERTEX),
        AlphaGen::OneMinusVertex => (255.0, 2),
        AlphaGen::Portal { .. } => (255.0, 3),
        AlphaGen::LightingSpecular => (255.0, 4),
        AlphaGen::Wave(wave) => (byte(wave.at(context.time)), 0),
        AlphaGen::Const(alpha) => (byte(alpha), 0),
    };
    ([rgb[0], rgb[1], rgb[2], alpha], rgb_code, alpha_code)
}

/// 0 to 1 as a byte, cut and not rounded.
fn byte(value: f32) -> f32 {
    (value.clamp(0.0, 1.0) * 255.0).trunc()
}

/// Fills a bundle; returns the code of the generator and how many turbulences there are.
fn tex_coords(stage: &Stage, context: PassContext<'_>, out: &mut TexCoordsUniform) -> (u32, u32) {
    let kind = match stage.tc_gen {
        TcGen::Base => 0,
        TcGen::Lightmap => 1,
        TcGen::Environment => 2,
        TcGen::Vector { s, t } => {
            out.s_vector = s.extend(0.0).to_array();
            out.t_vector = t.extend(0.0).to_array();
            3
        }
    };
    let chain = TexChain::of(stage, context.time, context.look.tex_coord.into());
    out.matrix = chain.matrix.to_cols_array();
    out.offset = chain.offset.extend(0.0).extend(0.0).to_array();
    for (k, (matrix, phase)) in chain.turbs.iter().take(out.turb.len()).enumerate() {
        out.turb[k] = matrix.to_cols_array();
        out.turb_phase[k] = *phase;
    }
    (kind, chain.turbs.len().min(out.turb.len()) as u32)
}

#[cfg(test)]
mod tests {
    use super::super::sprites::beam_material;
    use super::*;

    #[test]
    fn only_what_fog_and_noise_change_takes_a_program_for_them() {
        let mut glow = beam_material();
        let key = |material: &Material, is_in_fog| {
            let pass = passes(material).next().unwrap();
            pass_key(material, pass, VertexKind::World, is_in_fog)
        };
        assert_eq!(key(&glow, true), key(&glow, false));
        glow.stages[0].fog_adjust = FogAdjust::Rgb;
        assert_eq!(key(&glow, false).pass, PassKind::PlainStage);
        assert_eq!(key(&glow, true).pass, PassKind::FoggedStage);
        let fogged = occasional_keys(&glow);
        assert!(fogged.contains(&key(&glow, true)), "{fogged:?}");

        let (amplitude, frequency) = (0.1, 1.0);
        glow.deforms = vec![Deform::ProjectionShadow];
        assert_eq!(key(&glow, false).deforms, Deforms::Positions);
        glow.deforms.push(Deform::Normal {
            amplitude,
            frequency,
        });
        assert_eq!(key(&glow, false).deforms, Deforms::Normals);
    }
}
