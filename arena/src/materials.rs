//! The table of surfaces: what a map may be made of, how each shines, and what its faces stop.

/// One surface that brushes and patches can wear. Its pictures and its shader script are made under the same name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Material {
    /// The shader's name.
    pub name: &'static str,
    /// `CONTENTS_*` of a brush made of it.
    pub contents: u32,
    /// `SURF_*` of its faces.
    pub surface: u32,
    /// Red, green and blue that a square unit sends out when light is baked; black for most.
    pub glow: [f32; 3],
    /// What share of red, green and blue comes back from it; roughly the mean of its picture.
    pub albedo: [f32; 3],
}

impl Material {
    const fn flags(mut self, contents: u32, surface: u32) -> Self {
        self.contents = contents;
        self.surface = surface;
        self
    }

    const fn glowing(mut self, glow: [f32; 3]) -> Self {
        self.glow = glow;
        self
    }

    /// Whether its faces are seen.
    pub(crate) fn is_drawn(&self) -> bool {
        const NODRAW: u32 = 0x80;
        self.surface & NODRAW == 0
    }

    /// Whether light is baked for its faces: what is water, fog, sky or shines by itself needs none.
    pub(crate) fn is_lightmapped(&self) -> bool {
        const NOLIGHTMAP: u32 = 0x400;
        const SOLID: u32 = 1;
        self.surface & NOLIGHTMAP == 0 && self.contents & SOLID != 0
    }
}

/// How a material's picture lies on faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tiling {
    /// Again and again, every so many units.
    Every([f32; 2]),
    /// Once over each face.
    Once,
    /// As a band: once over the height of each upright face.
    Band(f32),
}

/// How the picture of a material lies.
pub(crate) fn tiling_of(material: usize) -> Tiling {
    match material {
        id::LIGHT_WHITE
        | id::LIGHT_CYAN
        | id::LIGHT_AMBER
        | id::JUMPPAD
        | id::TELEPORTER
        | id::LIFT
        | id::MIRROR
        | id::TARGET
        | id::SIGN_PLAY
        | id::SIGN_LAB
        | id::SIGN_1
        | id::SIGN_2
        | id::SIGN_3
        | id::SIGN_4 => Tiling::Once,
        id::TRIM => Tiling::Band(64.0),
        id::ICE | id::BASALT => Tiling::Every([192.0, 192.0]),
        id::PILLAR | id::PIPE => Tiling::Every([64.0, 128.0]),
        _ => Tiling::Every([128.0, 128.0]),
    }
}

/// Index of each material in [`TABLE`].
#[expect(dead_code, reason = "names the whole table, also what no map uses yet")]
pub(crate) mod id {
    pub(crate) const CONCRETE: usize = 0;
    pub(crate) const CONCRETE_DARK: usize = 1;
    pub(crate) const PANEL: usize = 2;
    pub(crate) const PANEL_STRIPE: usize = 3;
    pub(crate) const TRIM: usize = 4;
    pub(crate) const FLOOR: usize = 5;
    pub(crate) const FLOOR_METAL: usize = 6;
    pub(crate) const CEILING: usize = 7;
    pub(crate) const BASALT: usize = 8;
    pub(crate) const ICE: usize = 9;
    pub(crate) const GRATE: usize = 10;
    pub(crate) const PILLAR: usize = 11;
    pub(crate) const PIPE: usize = 12;
    pub(crate) const LIGHT_WHITE: usize = 13;
    pub(crate) const LIGHT_CYAN: usize = 14;
    pub(crate) const LIGHT_AMBER: usize = 15;
    pub(crate) const JUMPPAD: usize = 16;
    pub(crate) const TELEPORTER: usize = 17;
    pub(crate) const LIFT: usize = 18;
    pub(crate) const DOOR: usize = 19;
    pub(crate) const WATER: usize = 20;
    pub(crate) const FOG: usize = 21;
    pub(crate) const SKY: usize = 22;
    pub(crate) const MIRROR: usize = 23;
    pub(crate) const RUNWAY: usize = 24;
    pub(crate) const RUNWAY_MARK: usize = 25;
    pub(crate) const SIGN_PLAY: usize = 26;
    pub(crate) const SIGN_LAB: usize = 27;
    pub(crate) const SIGN_1: usize = 28;
    pub(crate) const SIGN_2: usize = 29;
    pub(crate) const SIGN_3: usize = 30;
    pub(crate) const SIGN_4: usize = 31;
    pub(crate) const TARGET: usize = 32;
    pub(crate) const CLIP: usize = 33;
    pub(crate) const CAULK: usize = 34;
    pub(crate) const TRIGGER: usize = 35;
    pub(crate) const NODRAW: usize = 36;
    pub(crate) const NUMBERS: usize = 37;
    pub(crate) const STRIPE_AMBER: usize = 38;
    pub(crate) const STRIPE_CYAN: usize = 39;
}

/// All materials, in the order of [`id`].
pub(crate) const TABLE: &[Material] = &[
    surface("textures/strafe/concrete", [0.34, 0.36, 0.38]),
    surface("textures/strafe/concrete_dark", [0.18, 0.19, 0.2]),
    surface("textures/strafe/panel", [0.3, 0.32, 0.34]),
    surface("textures/strafe/panel_stripe", [0.28, 0.34, 0.35]),
    surface("textures/strafe/trim", [0.4, 0.42, 0.44]),
    surface("textures/strafe/floor", [0.3, 0.31, 0.32]),
    surface("textures/strafe/floor_metal", [0.25, 0.26, 0.27]).flags(0x1, 0x1000),
    surface("textures/strafe/ceiling", [0.28, 0.29, 0.3]),
    surface("textures/strafe/basalt", [0.14, 0.15, 0.16]),
    surface("textures/strafe/ice", [0.6, 0.66, 0.7]),
    surface("textures/strafe/grate", [0.25, 0.25, 0.25]).flags(0x20000001, 0x1000),
    surface("textures/strafe/pillar", [0.35, 0.36, 0.38]),
    surface("textures/strafe/pipe", [0.25, 0.27, 0.3]).flags(0x1, 0x1000),
    surface("textures/strafe/light_white", [0.9, 0.9, 0.9]).glowing([1.0, 0.98, 0.92]),
    surface("textures/strafe/light_cyan", [0.5, 0.9, 0.9]).glowing([0.35, 0.95, 1.0]),
    surface("textures/strafe/light_amber", [0.9, 0.7, 0.4]).glowing([1.0, 0.68, 0.28]),
    surface("textures/strafe/jumppad", [0.3, 0.5, 0.5]).glowing([0.1, 0.4, 0.45]),
    surface("textures/strafe/teleporter", [0.3, 0.5, 0.6])
        .flags(0x1, 0x400)
        .glowing([0.2, 0.5, 0.6]),
    surface("textures/strafe/lift", [0.3, 0.3, 0.3]).flags(0x1, 0x1000),
    surface("textures/strafe/door", [0.3, 0.32, 0.34]).flags(0x1, 0x1000),
    surface("textures/strafe/water", [0.3, 0.4, 0.5]).flags(0x20000020, 0x0),
    surface("textures/strafe/fog", [0.5, 0.6, 0.7]).flags(0x40, 0x0),
    surface("textures/strafe/sky", [0.0, 0.0, 0.0]).flags(0x1, 0x414),
    surface("textures/strafe/mirror", [0.5, 0.5, 0.5]).flags(0x1, 0x400),
    surface("textures/strafe/runway", [0.2, 0.21, 0.22]),
    surface("textures/strafe/runway_mark", [0.5, 0.5, 0.4]),
    surface("textures/strafe/sign_play", [0.4, 0.6, 0.6]).glowing([0.1, 0.3, 0.3]),
    surface("textures/strafe/sign_lab", [0.4, 0.6, 0.6]).glowing([0.1, 0.3, 0.3]),
    surface("textures/strafe/sign_1", [0.6, 0.5, 0.3]).glowing([0.3, 0.2, 0.08]),
    surface("textures/strafe/sign_2", [0.6, 0.5, 0.3]).glowing([0.3, 0.2, 0.08]),
    surface("textures/strafe/sign_3", [0.6, 0.5, 0.3]).glowing([0.3, 0.2, 0.08]),
    surface("textures/strafe/sign_4", [0.6, 0.5, 0.3]).glowing([0.3, 0.2, 0.08]),
    surface("textures/strafe/target", [0.7, 0.4, 0.3]).glowing([0.3, 0.12, 0.05]),
    surface("textures/strafe/clip", [0.0, 0.0, 0.0]).flags(0x10000, 0x80),
    surface("textures/strafe/caulk", [0.0, 0.0, 0.0]).flags(0x1, 0xa0),
    surface("textures/strafe/trigger", [0.0, 0.0, 0.0]).flags(0x40000000, 0x80),
    surface("textures/strafe/nodraw", [0.0, 0.0, 0.0]).flags(0x0, 0x80),
    surface("textures/strafe/numbers", [0.5, 0.5, 0.5]).flags(0x20000000, 0x400),
    surface("textures/strafe/stripe_amber", [0.5, 0.5, 0.5])
        .flags(0x20000000, 0x400)
        .glowing([0.45, 0.28, 0.08]),
    surface("textures/strafe/stripe_cyan", [0.5, 0.5, 0.5])
        .flags(0x20000000, 0x400)
        .glowing([0.12, 0.4, 0.45]),
];

/// Most are solid and neither shine nor have flags.
const fn surface(name: &'static str, albedo: [f32; 3]) -> Material {
    Material {
        name,
        contents: 1,
        surface: 0,
        glow: [0.0; 3],
        albedo,
    }
}
