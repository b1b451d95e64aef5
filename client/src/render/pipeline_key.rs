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

/// How a pass makes its color.
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
    /// A stage with whatever stages can have.
    RichStage,
    Fog,
    DynamicLight,
}

/// Which of the two images is the lightmap.
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
    /// Vertices move.
    pub deforms: bool,
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
    /// The same for several things that look alike; `None` where that never happens.
    pub fn instanced(self) -> Option<Self> {
        (self.vertices == VertexKind::Model && self.pass != PassKind::Fog).then_some(Self {
            is_instanced: true,
            ..self
        })
    }

    /// Whether a picture without this pass would look wrong rather than poorer: what covers, darkens or lies flat on the
    /// screen, and models, which may be players.
    pub fn is_essential(self) -> bool {
        let is_stage = matches!(self.pass, PassKind::PlainStage | PassKind::RichStage);
        let darkens = self.blend.is_some_and(|blend| {
            blend.src == BlendFactor::DstColor || blend.dst == BlendFactor::SrcColor
        });
        let is_model = self.vertices == VertexKind::Model && self.pass == PassKind::PlainStage;
        let is_flat = self.depth_test == DepthTest::Off;
        self.blend.is_none() || (is_stage && darkens) || is_model || is_flat
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

/// The shader's `VARIANT`; what a pipeline does not need is not even compiled.
pub fn variant(key: PipelineKey) -> u32 {
    let combine = match key.combine {
        Combine::One => 0,
        Combine::Modulate => 1,
        Combine::Add => 2,
    };
    let lightmap = match key.lightmap {
        LightmapAt::Nowhere => 0,
        LightmapAt::First => 1,
        LightmapAt::Second => 2,
    };
    let alpha_test = match key.alpha_func {
        None => 0,
        Some(AlphaFunc::Gt0) => 1,
        Some(AlphaFunc::Lt128) => 2,
        Some(AlphaFunc::Ge128) => 3,
    };
    let (pass, is_rich) = match key.pass {
        PassKind::PlainStage => (0, false),
        PassKind::RichStage => (0, true),
        PassKind::Fog => (1, false),
        PassKind::DynamicLight => (2, false),
    };
    let switches = [
        key.is_clipped,
        key.deforms,
        is_rich,
        key.blend.is_none(),
        key.is_instanced,
    ];
    let switches = (8..)
        .zip(switches)
        .map(|(bit, is_on)| u32::from(is_on) << bit);
    combine | lightmap << 2 | alpha_test << 4 | pass << 6 | switches.sum::<u32>()
}
