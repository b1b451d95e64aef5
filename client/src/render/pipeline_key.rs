//! All state that a pipeline fixes, and what the shader is told of it.

use shared::formats::shader_script::terms::{AlphaFunc, Blend, BlendFactor, Cull};

/// Where vertices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexKind {
    /// Finished vertices: the map, sprites, polygons, flat pictures.
    World,
    /// Two frames of an MD3 surface.
    Model,
}

/// How a pass makes its color; the order gives the shader's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    One,
    Modulate,
    Add,
}

/// What a pass lays over the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PassKind {
    /// A stage that does no more than most.
    PlainStage,
    /// A stage with whatever stages can have, but for what fog does to it.
    RichStage,
    /// The same where fog weakens it.
    FoggedStage,
    Fog,
    DynamicLight,
}

/// What happens to vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deforms {
    Nothing,
    /// Their positions change.
    Positions,
    /// Noise bends their normals; their positions may change too.
    Normals,
}

/// Which of the two images is the lightmap; the order gives the shader's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LightmapAt {
    Nowhere,
    First,
    Second,
}

/// How a pass tests depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthTest {
    LessEqual,
    Equal,
    Off,
    /// Writes what was there before anything was drawn.
    Wipe,
}

/// All state that a pipeline fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PipelineKey {
    pub vertices: VertexKind,
    pub pass: PassKind,
    pub deforms: Deforms,
    pub combine: Combine,
    pub lightmap: LightmapAt,
    pub alpha_func: Option<AlphaFunc>,
    pub blend: Option<Blend>,
    pub depth_test: DepthTest,
    pub depth_write: bool,
    pub cull: Cull,
    pub polygon_offset: bool,
    /// The view has a clip plane.
    pub is_clipped: bool,
    /// A draw has several things that look alike.
    pub is_instanced: bool,
}

impl PipelineKey {
    /// An opaque surface of the map with one image and no light on it.
    pub const WALL: Self = Self {
        vertices: VertexKind::World,
        pass: PassKind::PlainStage,
        deforms: Deforms::Nothing,
        combine: Combine::One,
        lightmap: LightmapAt::Nowhere,
        alpha_func: None,
        blend: None,
        depth_test: DepthTest::LessEqual,
        depth_write: true,
        cull: Cull::Back,
        polygon_offset: false,
        is_clipped: false,
        is_instanced: false,
    };

    /// The same for several things that look alike; `None` where that never happens.
    pub fn instanced(self) -> Option<Self> {
        (self.vertices == VertexKind::Model && self.pass != PassKind::Fog).then_some(Self {
            is_instanced: true,
            ..self
        })
    }

    /// The same for one thing; `None` where it is that already.
    pub fn single(self) -> Option<Self> {
        self.is_instanced.then_some(Self {
            is_instanced: false,
            ..self
        })
    }

    /// Whether a picture without this pass would look wrong rather than poorer: what covers, darkens or lies flat on the
    /// screen, and models, which may be players. Several of them can be drawn one by one.
    pub fn is_essential(self) -> bool {
        let is_stage = !matches!(self.pass, PassKind::Fog | PassKind::DynamicLight);
        let darkens = self.blend.is_some_and(|blend| {
            blend.src == BlendFactor::DstColor || blend.dst == BlendFactor::SrcColor
        });
        let is_model = self.vertices == VertexKind::Model && self.pass == PassKind::PlainStage;
        let is_flat = self.depth_test == DepthTest::Off;
        !self.is_instanced && (self.blend.is_none() || (is_stage && darkens) || is_model || is_flat)
    }

    /// Whether only maps with fog need it.
    pub fn needs_fog(self) -> bool {
        matches!(self.pass, PassKind::Fog | PassKind::FoggedStage)
    }

    /// The same as seen in a portal view.
    pub fn in_portal(mut self, is_mirror: bool) -> Self {
        self.is_clipped = true;
        self.cull = match self.cull {
            Cull::Back if is_mirror => Cull::Front,
            Cull::Front if is_mirror => Cull::Back,
            other => other,
        };
        self
    }
}

/// What pictures of nearly every map need, to be made before the map is here. Where only blending or the like differs,
/// drivers have one program for several, so each stands for all of its kind.
pub fn usual_keys() -> Vec<PipelineKey> {
    use BlendFactor::{DstColor, One, SrcAlpha, SrcColor, Zero};
    let wall = PipelineKey::WALL;
    let blended = |key, src, dst| PipelineKey {
        blend: Some(Blend { src, dst }),
        depth_write: false,
        ..key
    };
    let rich = |key| PipelineKey {
        pass: PassKind::RichStage,
        ..key
    };
    let deformed = |key| PipelineKey {
        deforms: Deforms::Positions,
        cull: Cull::None,
        ..key
    };
    let lit = |lightmap, combine| PipelineKey {
        lightmap,
        combine,
        ..wall
    };
    let model = PipelineKey {
        vertices: VertexKind::Model,
        ..wall
    };
    let grate = |key| PipelineKey {
        alpha_func: Some(AlphaFunc::Ge128),
        cull: Cull::None,
        ..key
    };
    let flash = PipelineKey {
        pass: PassKind::DynamicLight,
        depth_test: DepthTest::Equal,
        ..blended(wall, DstColor, One)
    };
    let glow = PipelineKey {
        alpha_func: Some(AlphaFunc::Lt128),
        ..blended(model, One, One)
    };
    vec![
        lit(LightmapAt::First, Combine::Modulate),
        lit(LightmapAt::Second, Combine::Modulate),
        blended(lit(LightmapAt::First, Combine::One), DstColor, Zero),
        wall,
        rich(wall),
        blended(wall, DstColor, SrcColor),
        model,
        grate(model),
        rich(model),
        blended(model, DstColor, SrcColor),
        rich(blended(model, One, One)),
        rich(deformed(wall)),
        blended(deformed(wall), SrcAlpha, One),
        rich(blended(deformed(wall), One, One)),
        flash,
        rich(grate(model)),
        glow,
        deformed(model),
        rich(blended(deformed(model), One, One)),
        grate(deformed(model)),
        blended(deformed(model), DstColor, Zero),
    ]
}

/// The shader's `VARIANT`; what a pipeline does not need is not even compiled.
pub fn variant(key: PipelineKey) -> u32 {
    let (combine, lightmap) = (key.combine as u32, key.lightmap as u32);
    let alpha_test = match key.alpha_func {
        None => 0,
        Some(AlphaFunc::Gt0) => 1,
        Some(AlphaFunc::Lt128) => 2,
        Some(AlphaFunc::Ge128) => 3,
    };
    let pass = match key.pass {
        PassKind::PlainStage | PassKind::RichStage | PassKind::FoggedStage => 0,
        PassKind::Fog => 1,
        PassKind::DynamicLight => 2,
    };
    let switches = [
        key.is_clipped,
        key.deforms != Deforms::Nothing,
        matches!(key.pass, PassKind::RichStage | PassKind::FoggedStage),
        key.blend.is_none(),
        key.is_instanced,
        key.pass == PassKind::FoggedStage,
        key.deforms == Deforms::Normals,
    ];
    let switches = (8..)
        .zip(switches)
        .map(|(bit, is_on)| u32::from(is_on) << bit);
    combine | lightmap << 2 | alpha_test << 4 | pass << 6 | switches.sum::<u32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A pipeline whose program another one has already is made in no time when it is needed.
    #[test]
    fn what_is_made_ahead_is_a_program_each() {
        let keys = usual_keys();
        let programs: HashSet<_> = keys
            .iter()
            .map(|key| (key.vertices == VertexKind::Model, variant(*key)))
            .collect();
        assert_eq!(programs.len(), keys.len());
        assert!(keys.iter().all(|key| !key.is_instanced && !key.is_clipped));
    }

    #[test]
    fn several_things_are_drawn_one_by_one_with_the_same_state() {
        for key in usual_keys() {
            assert_eq!(key.single(), None);
            if let Some(several) = key.instanced() {
                assert_eq!(several.single(), Some(key));
                assert!(!several.is_essential(), "{several:?}");
            }
        }
    }
}
