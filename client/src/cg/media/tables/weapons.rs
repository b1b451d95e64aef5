//! How weapons look and sound: flashes, missiles, trails and impacts by weapon number.

use shared::bg::numbers::weapon;

/// Media and numbers of one weapon; empty names mean none.
#[derive(Clone, Copy, Debug)]
pub struct WeaponLook {
    /// World model; its parts are named after it: `_flash`, `_barrel`, `_hand`.
    pub model: &'static str,
    pub has_barrel: bool,
    pub flash_color: [f32; 3],
    /// One is chosen by chance.
    pub fire_sounds: &'static [&'static str],
    pub firing_loop: &'static str,
    pub ready_loop: &'static str,
    pub missile_model: &'static str,
    pub missile_sound: &'static str,
    pub missile_light: f32,
    pub missile_color: [f32; 3],
    pub trail: Option<Trail>,
    pub impact: Impact,
}

/// Puffs that a missile leaves behind.
#[derive(Clone, Copy, Debug)]
pub struct Trail {
    pub shader: &'static str,
    pub radius: f32,
    pub life_msec: i32,
}

/// What is seen where a shot ends.
#[derive(Clone, Copy, Debug)]
pub struct Impact {
    pub model: &'static str,
    pub shader: &'static str,
    pub life_msec: i32,
    pub is_sprite: bool,
    /// One is chosen by chance.
    pub sounds: &'static [&'static str],
    /// Instead of `sounds`, on some surfaces.
    pub metal_sound: &'static str,
    pub flesh_sound: &'static str,
    pub mark: &'static str,
    pub mark_radius: f32,
    /// Energy marks fade by alpha, others by color.
    pub mark_fades_alpha: bool,
    pub light: f32,
    pub light_color: [f32; 3],
}

const NO_IMPACT: Impact = Impact {
    model: "",
    shader: "",
    life_msec: 0,
    is_sprite: false,
    sounds: &[],
    metal_sound: "",
    flesh_sound: "",
    mark: "",
    mark_radius: 0.0,
    mark_fades_alpha: false,
    light: 0.0,
    light_color: [0.0; 3],
};

const NONE: WeaponLook = WeaponLook {
    model: "",
    has_barrel: false,
    flash_color: [0.6, 0.6, 1.0],
    fire_sounds: &[],
    firing_loop: "",
    ready_loop: "",
    missile_model: "",
    missile_sound: "",
    missile_light: 0.0,
    missile_color: [1.0, 0.75, 0.0],
    trail: None,
    impact: NO_IMPACT,
};

const RICOCHETS: &[&str] = &[
    "sound/weapons/machinegun/ric1.wav",
    "sound/weapons/machinegun/ric2.wav",
    "sound/weapons/machinegun/ric3.wav",
    "sound/weapons/machinegun/ric3.wav",
];

const BULLET_IMPACT: Impact = Impact {
    model: "models/weaphits/bullet.md3",
    shader: "bulletExplosion",
    life_msec: 600,
    sounds: RICOCHETS,
    mark: "gfx/damage/bullet_mrk",
    mark_radius: 8.0,
    ..NO_IMPACT
};

const ROCKET_IMPACT: Impact = Impact {
    model: "models/weaphits/boom01.md3",
    shader: "rocketExplosion",
    life_msec: 1000,
    is_sprite: true,
    sounds: &["sound/weapons/rocket/rocklx1a.wav"],
    mark: "gfx/damage/burn_med_mrk",
    mark_radius: 64.0,
    light: 300.0,
    light_color: [1.0, 0.75, 0.0],
    ..NO_IMPACT
};

const PLASMA_IMPACT: Impact = Impact {
    model: "models/weaphits/ring02.md3",
    shader: "plasmaExplosion",
    life_msec: 600,
    sounds: &["sound/weapons/plasma/plasmx1a.wav"],
    mark: "gfx/damage/plasma_mrk",
    mark_radius: 16.0,
    mark_fades_alpha: true,
    ..NO_IMPACT
};

/// Numbers of weapons are below.
pub const WEAPON_COUNT: usize = LOOKS.len();

/// How a weapon looks; `None` for no or an unknown weapon.
pub fn weapon_look(number: i32, is_open_arena: bool) -> Option<&'static WeaponLook> {
    if number == weapon::HOOK && !is_open_arena {
        return Some(&OLD_HOOK);
    }
    let index = usize::try_from(number).ok().filter(|&index| index > 0)?;
    LOOKS.get(index)
}

/// The grappling hook of games that never finished theirs: it flies as a rocket and hums as the gauntlet.
const OLD_HOOK: WeaponLook = WeaponLook {
    model: "models/weapons2/grapple/grapple.md3",
    has_barrel: true,
    firing_loop: "sound/weapons/melee/fstrun.wav",
    ready_loop: "sound/weapons/melee/fsthum.wav",
    missile_model: "models/ammo/rocket/rocket.md3",
    missile_light: 200.0,
    ..NONE
};

/// By weapon number; 0 is no weapon.
const LOOKS: [WeaponLook; 14] = [
    NONE,
    WeaponLook {
        model: "models/weapons2/gauntlet/gauntlet.md3",
        has_barrel: true,
        fire_sounds: &["sound/weapons/melee/fstatck.wav"],
        firing_loop: "sound/weapons/melee/fstrun.wav",
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/machinegun/machinegun.md3",
        has_barrel: true,
        flash_color: [1.0, 1.0, 0.0],
        fire_sounds: &[
            "sound/weapons/machinegun/machgf1b.wav",
            "sound/weapons/machinegun/machgf2b.wav",
            "sound/weapons/machinegun/machgf3b.wav",
            "sound/weapons/machinegun/machgf4b.wav",
        ],
        impact: BULLET_IMPACT,
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/shotgun/shotgun.md3",
        flash_color: [1.0, 1.0, 0.0],
        fire_sounds: &["sound/weapons/shotgun/sshotf1b.wav"],
        impact: Impact {
            sounds: &[],
            mark_radius: 4.0,
            ..BULLET_IMPACT
        },
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/grenadel/grenadel.md3",
        flash_color: [1.0, 0.7, 0.0],
        fire_sounds: &["sound/weapons/grenade/grenlf1a.wav"],
        missile_model: "models/ammo/grenade1.md3",
        trail: Some(Trail {
            shader: "smokePuff",
            radius: 32.0,
            life_msec: 700,
        }),
        impact: Impact {
            shader: "grenadeExplosion",
            life_msec: 600,
            light_color: [1.0, 1.0, 0.0],
            ..ROCKET_IMPACT
        },
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/rocketl/rocketl.md3",
        flash_color: [1.0, 0.75, 0.0],
        fire_sounds: &["sound/weapons/rocket/rocklf1a.wav"],
        missile_model: "models/ammo/rocket/rocket.md3",
        missile_sound: "sound/weapons/rocket/rockfly.wav",
        missile_light: 200.0,
        trail: Some(Trail {
            shader: "smokePuff",
            radius: 64.0,
            life_msec: 2000,
        }),
        impact: ROCKET_IMPACT,
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/lightning/lightning.md3",
        fire_sounds: &["sound/weapons/lightning/lg_fire.wav"],
        firing_loop: "sound/weapons/lightning/lg_hum.wav",
        ready_loop: "sound/weapons/melee/fsthum.wav",
        impact: Impact {
            sounds: &[
                "sound/weapons/lightning/lg_hit2.wav",
                "sound/weapons/lightning/lg_hit2.wav",
                "sound/weapons/lightning/lg_hit.wav",
                "sound/weapons/lightning/lg_hit3.wav",
            ],
            mark: "gfx/damage/hole_lg_mrk",
            mark_radius: 12.0,
            ..NO_IMPACT
        },
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/railgun/railgun.md3",
        flash_color: [1.0, 0.5, 0.0],
        fire_sounds: &["sound/weapons/railgun/railgf1a.wav"],
        ready_loop: "sound/weapons/railgun/rg_hum.wav",
        impact: Impact {
            shader: "railExplosion",
            mark_radius: 24.0,
            ..PLASMA_IMPACT
        },
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/plasma/plasma.md3",
        fire_sounds: &["sound/weapons/plasma/hyprbf1a.wav"],
        missile_sound: "sound/weapons/plasma/lasfly.wav",
        impact: PLASMA_IMPACT,
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/bfg/bfg.md3",
        has_barrel: true,
        flash_color: [1.0, 0.7, 1.0],
        fire_sounds: &["sound/weapons/bfg/bfg_fire.wav"],
        ready_loop: "sound/weapons/bfg/bfg_hum.wav",
        missile_model: "models/weaphits/bfg.md3",
        missile_sound: "sound/weapons/rocket/rockfly.wav",
        impact: Impact {
            shader: "bfgExplosion",
            life_msec: 600,
            mark_radius: 32.0,
            light: 0.0,
            ..ROCKET_IMPACT
        },
        ..NONE
    },
    WeaponLook {
        model: "models/weapons2/grapple/grapple.md3",
        has_barrel: true,
        fire_sounds: &["sound/weapons/grapple/grapfire.wav"],
        missile_model: "models/ammo/hook/hook.md3",
        missile_sound: "sound/weapons/grapple/grappull.wav",
        ..NONE
    },
    WeaponLook {
        model: "models/weapons/nailgun/nailgun.md3",
        flash_color: [1.0, 0.75, 0.0],
        fire_sounds: &["sound/weapons/nailgun/wnalfire.wav"],
        missile_model: "models/weaphits/nail.md3",
        trail: Some(Trail {
            shader: "nailtrail",
            radius: 16.0,
            life_msec: 250,
        }),
        impact: Impact {
            sounds: &["sound/weapons/nailgun/wnalimpd.wav"],
            metal_sound: "sound/weapons/nailgun/wnalimpm.wav",
            flesh_sound: "sound/weapons/nailgun/wnalimpl.wav",
            mark: "gfx/damage/hole_lg_mrk",
            mark_radius: 12.0,
            ..NO_IMPACT
        },
        ..NONE
    },
    WeaponLook {
        model: "models/weapons/proxmine/proxmine.md3",
        flash_color: [1.0, 0.7, 0.0],
        fire_sounds: &["sound/weapons/proxmine/wstbfire.wav"],
        missile_model: "models/weaphits/proxmine.md3",
        trail: Some(Trail {
            shader: "smokePuff",
            radius: 32.0,
            life_msec: 700,
        }),
        impact: Impact {
            shader: "grenadeExplosion",
            life_msec: 600,
            sounds: &["sound/weapons/proxmine/wstbexpl.wav"],
            light_color: [1.0, 1.0, 0.0],
            ..ROCKET_IMPACT
        },
        ..NONE
    },
    WeaponLook {
        model: "models/weapons/vulcan/vulcan.md3",
        has_barrel: true,
        flash_color: [1.0, 1.0, 0.0],
        fire_sounds: &[
            "sound/weapons/vulcan/vulcanf1b.wav",
            "sound/weapons/vulcan/vulcanf2b.wav",
            "sound/weapons/vulcan/vulcanf3b.wav",
            "sound/weapons/vulcan/vulcanf4b.wav",
        ],
        firing_loop: "sound/weapons/vulcan/wvulfire.wav",
        impact: BULLET_IMPACT,
        ..NONE
    },
];
