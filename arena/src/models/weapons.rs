//! The ten weapons: each with its own outline, so that it is known at a glance.

use super::{add_bore, around, block, facing_sheet, file, finish, sheet, tube};
use crate::mesh::{
    Model, Sculpt, Solid, Tag, ball, disc, extruded, hose, lathe, pitch, roll, torus, yaw,
};
use crate::{PakFile, textures::Cell};
use glam::{Mat3, Vec2, Vec3, vec3};

/// A weapon's models, and how it is held.
pub struct Weapon {
    /// Folder and name of its files.
    pub name: &'static str,
    pub icon: &'static str,
    pub body: fn() -> Sculpt,
    /// What turns in front of the body, and where it sits.
    pub barrel: Option<(fn() -> Sculpt, Vec3)>,
    /// Shader, length and half width of the flash, and where it sits.
    flash: (&'static str, f32, f32, Vec3),
    /// Where it is held in the first person's view.
    hand: Vec3,
    /// How far it kicks back.
    kick: f32,
}

const HAND: Vec3 = Vec3::new(12.5, -6.4, -9.8);

pub const WEAPONS: [Weapon; 10] = [
    Weapon {
        name: "gauntlet",
        icon: "gauntlet",
        body: gauntlet,
        barrel: Some((gauntlet_blades, Vec3::new(10.5, 0.0, 0.6))),
        flash: (
            "models/strafe/flash_spark",
            5.0,
            4.0,
            Vec3::new(13.0, 0.0, 0.6),
        ),
        hand: Vec3::new(11.0, -6.0, -8.6),
        kick: -4.0,
    },
    Weapon {
        name: "machinegun",
        icon: "machinegun",
        body: machinegun,
        barrel: Some((machinegun_barrels, Vec3::new(8.5, 0.0, 2.4))),
        flash: (
            "models/strafe/flash_fire",
            11.0,
            5.0,
            Vec3::new(19.0, 0.0, 2.4),
        ),
        hand: HAND,
        kick: 1.6,
    },
    Weapon {
        name: "shotgun",
        icon: "shotgun",
        body: shotgun,
        barrel: None,
        flash: (
            "models/strafe/flash_fire",
            14.0,
            8.0,
            Vec3::new(18.5, 0.0, 2.6),
        ),
        hand: HAND,
        kick: 4.0,
    },
    Weapon {
        name: "grenadel",
        icon: "grenade",
        body: grenade_launcher,
        barrel: None,
        flash: (
            "models/strafe/flash_fire",
            8.0,
            6.0,
            Vec3::new(15.5, 0.0, 3.0),
        ),
        hand: Vec3::new(13.0, -7.0, -10.8),
        kick: 3.0,
    },
    Weapon {
        name: "rocketl",
        icon: "rocket",
        body: rocket_launcher,
        barrel: None,
        flash: (
            "models/strafe/flash_fire",
            13.0,
            8.0,
            Vec3::new(18.5, 0.0, 3.6),
        ),
        hand: Vec3::new(16.0, -8.2, -13.0),
        kick: 3.4,
    },
    Weapon {
        name: "lightning",
        icon: "lightning",
        body: lightning_gun,
        barrel: None,
        flash: (
            "models/strafe/flash_spark",
            9.0,
            6.0,
            Vec3::new(19.5, 0.0, 2.6),
        ),
        hand: Vec3::new(13.0, -7.0, -10.8),
        kick: 0.6,
    },
    Weapon {
        name: "railgun",
        icon: "railgun",
        body: railgun,
        barrel: None,
        flash: (
            "models/strafe/flash_rail",
            12.0,
            6.0,
            Vec3::new(24.0, 0.0, 2.8),
        ),
        hand: Vec3::new(14.0, -6.8, -10.2),
        kick: 3.6,
    },
    Weapon {
        name: "plasma",
        icon: "plasma",
        body: plasma_gun,
        barrel: None,
        flash: (
            "models/strafe/flash_plasma",
            9.0,
            6.0,
            Vec3::new(17.0, 0.0, 2.8),
        ),
        hand: Vec3::new(13.0, -7.0, -10.8),
        kick: 1.0,
    },
    Weapon {
        name: "bfg",
        icon: "bfg",
        body: bfg,
        barrel: Some((bfg_claws, Vec3::new(13.0, 0.0, 3.0))),
        flash: (
            "models/strafe/flash_green",
            14.0,
            10.0,
            Vec3::new(20.0, 0.0, 3.0),
        ),
        hand: Vec3::new(15.0, -8.4, -13.4),
        kick: 4.4,
    },
    Weapon {
        name: "grapple",
        icon: "grapple",
        body: grapple,
        barrel: Some((grapple_hook, Vec3::new(11.0, 0.0, 2.4))),
        flash: (
            "models/strafe/flash_spark",
            5.0,
            4.0,
            Vec3::new(16.0, 0.0, 2.4),
        ),
        hand: HAND,
        kick: 2.0,
    },
];

impl Weapon {
    /// The model as it lies in the world, with the places of its parts.
    pub fn world(&self) -> Model {
        let mut sculpt = (self.body)();
        if let Some((_, at)) = self.barrel {
            sculpt.tag("tag_barrel", at);
        }
        sculpt.tag("tag_flash", self.flash.3);
        finish(sculpt)
    }

    /// The barrel where it sits on the weapon, for pictures.
    pub fn placed_barrel(&self) -> Option<Model> {
        let (make, at) = self.barrel?;
        let mut model = finish(make());
        for surface in &mut model.surfaces {
            for (position, _) in surface.frames.iter_mut().flatten() {
                *position += at;
            }
        }
        Some(model)
    }

    fn flash_model(&self) -> Model {
        let (shader, length, half, _) = self.flash;
        let mut sculpt = Sculpt::default();
        let blade = sheet([
            vec3(0.0, half * 0.8, 0.0),
            vec3(length, half * 0.8, 0.0),
            vec3(length, -half * 0.8, 0.0),
            vec3(0.0, -half * 0.8, 0.0),
        ]);
        sculpt.add_shaded(shader, blade.clone());
        sculpt.add_shaded(shader, blade.turned(roll(90.0)));
        let front = format!("{shader}_front");
        sculpt.add_shaded(&front, facing_sheet(0.8, half));
        finish(sculpt)
    }

    /// Where the weapon is held, through firing, lowering and raising.
    fn hand_model(&self) -> Model {
        let frames = (0..15)
            .map(|frame| match frame {
                // Fired: back at once, then slowly forward.
                1..=5 => {
                    let left = (6.0 - frame as f32) / 5.0;
                    let back = self.kick * left * left;
                    let offset = vec3(-back, 0.0, back * 0.18);
                    (self.hand + offset, pitch(-back * 1.3))
                }
                // Lowered from 6 to 10, raised from 11 to 14.
                7..=14 => {
                    let down = if frame <= 10 {
                        (frame - 6) as f32 / 4.0
                    } else {
                        (15 - frame) as f32 / 5.0
                    };
                    let offset = vec3(-3.0, 0.6, -9.0) * (down * down);
                    let turn = pitch(38.0 * down * down) * yaw(8.0 * down);
                    (self.hand + offset, turn)
                }
                _ => (self.hand, Mat3::IDENTITY),
            })
            .collect();
        Model {
            surfaces: Vec::new(),
            tags: vec![Tag {
                name: "tag_weapon",
                frames,
            }],
            grain: 1,
        }
    }
}

/// All files of all weapons.
pub fn files() -> Vec<PakFile> {
    let mut files = Vec::new();
    for weapon in &WEAPONS {
        let base = format!("models/weapons2/{0}/{0}", weapon.name);
        files.push(file(&base, &weapon.world()));
        if let Some((make, _)) = weapon.barrel {
            files.push(file(&format!("{base}_barrel"), &finish(make())));
        }
        files.push(file(&format!("{base}_flash"), &weapon.flash_model()));
        files.push(file(&format!("{base}_hand"), &weapon.hand_model()));
    }
    files
}

/// A slanted handle with a guard around the trigger.
fn add_grip(sculpt: &mut Sculpt, x: f32, top: f32) {
    sculpt.add(
        Cell::Grip,
        extruded(
            &[
                [x - 0.6, top],
                [x + 1.9, top],
                [x + 0.9, top - 4.6],
                [x - 2.1, top - 4.8],
            ],
            0.8,
            0.35,
        ),
    );
    let guard = [
        vec3(x + 1.4, 0.0, top - 1.8),
        vec3(x + 2.9, 0.0, top - 2.0),
        vec3(x + 3.6, 0.0, top - 1.2),
        vec3(x + 3.6, 0.0, top + 0.2),
    ];
    sculpt.add(Cell::PlainDark, hose(&guard, 0.22, 5));
}

/// A fist in a steel cuff; three blades turn in front of it.
fn gauntlet() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Cell::Steel,
        extruded(
            &[
                [-8.5, -2.0],
                [3.0, -2.9],
                [6.5, -1.6],
                [6.5, 2.6],
                [2.0, 3.6],
                [-8.5, 2.4],
            ],
            2.7,
            0.8,
        ),
    );
    gun.add(
        Cell::Accent,
        block([-5.5, -3.0, -1.0], [1.5, 3.0, 1.4], 0.4),
    );
    gun.add(Cell::Vent, block([-4.5, -1.7, 2.6], [0.5, 1.7, 4.0], 0.4));
    gun.add(
        Cell::Dark,
        lathe(&[[6.0, 2.9], [8.4, 2.5], [8.4, 0.0]], 12).moved(vec3(0.0, 0.0, 0.6)),
    );
    let knuckle = block([3.0, 0.9, -4.0], [6.4, 2.5, -2.4], 0.5);
    gun.add(Cell::Dark, knuckle.both_sides());
    gun.add(
        Cell::GlowAccent,
        block([-5.0, -3.15, 0.0], [1.0, 3.15, 0.5], 0.1),
    );
    let piston = lathe(&[[-7.0, 0.0], [-7.0, 0.55], [5.6, 0.55], [5.6, 0.0]], 8);
    gun.add(
        Cell::PlainSteel,
        piston.moved(vec3(0.0, 2.9, 2.0)).both_sides(),
    );
    gun
}

fn gauntlet_blades() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Cell::Steel,
        lathe(&[[-2.2, 2.2], [0.6, 2.0], [2.6, 0.7], [3.0, 0.0]], 12),
    );
    let blade = extruded(
        &[[-1.2, 1.2], [0.8, 1.2], [5.6, 3.2], [3.2, 5.0], [-0.2, 4.4]],
        0.42,
        0.35,
    );
    gun.add(Cell::PlainCeramic, around(&blade, 3, 90.0));
    let edge = extruded(&[[5.7, 3.2], [3.2, 5.2], [3.0, 4.9], [5.4, 3.1]], 0.2, 0.1);
    gun.add(Cell::GlowAccent, around(&edge, 3, 90.0));
    gun
}

/// Slim, with a box magazine and three barrels that turn.
fn machinegun() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Cell::Steel,
        extruded(
            &[
                [-9.0, 0.6],
                [-3.0, -0.6],
                [6.0, -0.2],
                [9.0, 0.8],
                [9.0, 4.0],
                [2.0, 4.6],
                [-5.0, 4.2],
                [-9.0, 3.2],
            ],
            1.6,
            0.5,
        ),
    );
    gun.add(Cell::Dark, block([-4.5, -1.9, 1.0], [4.5, 1.9, 2.9], 0.4));
    gun.add(
        Cell::Dark,
        extruded(
            &[[2.2, 0.0], [5.0, 0.0], [5.8, -5.2], [3.2, -5.6]],
            1.0,
            0.3,
        ),
    );
    gun.add(
        Cell::Amber,
        block([3.3, -1.06, -3.4], [5.0, 1.06, -2.6], 0.1),
    );
    gun.add(Cell::Dark, block([-3.0, -0.6, 4.2], [3.6, 0.6, 5.2], 0.3));
    gun.add(
        Cell::GlowAmber,
        block([-3.1, -0.3, 4.6], [-2.9, 0.3, 5.0], 0.05),
    );
    gun.add(
        Cell::Rubber,
        extruded(
            &[[-13.0, -0.8], [-9.0, 0.4], [-9.0, 3.2], [-13.0, 3.0]],
            1.1,
            0.4,
        ),
    );
    gun.add(Cell::Accent, block([-1.0, -2.0, 3.0], [4.0, 2.0, 3.6], 0.2));
    add_grip(&mut gun, -2.6, -0.3);
    gun
}

fn machinegun_barrels() -> Sculpt {
    let mut gun = Sculpt::default();
    let center = Vec3::ZERO;
    let one = tube(0.0, 10.0, 0.62, 0.38).moved(vec3(0.0, 1.0, 0.0));
    gun.add(Cell::Barrel, around(&one, 3, 90.0));
    let bore = disc(9.2, 0.4, 8).moved(vec3(0.0, 1.0, 0.0));
    gun.add(Cell::Rubber, around(&bore, 3, 90.0));
    for x in [0.4, 4.6, 8.2] {
        let ring = lathe(&[[x, 0.0], [x, 1.9], [x + 0.9, 1.9], [x + 0.9, 0.0]], 12);
        gun.add(Cell::PlainDark, ring.moved(center));
    }
    gun
}

/// Two wide barrels side by side, a ribbed pump below, a stock behind.
fn shotgun() -> Sculpt {
    let mut gun = Sculpt::default();
    let barrel = tube(2.0, 18.0, 1.25, 0.95).moved(vec3(0.0, 1.25, 2.8));
    gun.add(Cell::Barrel, barrel.both_sides());
    add_bore(&mut gun, 16.4, 1.0, vec3(0.0, 1.25, 2.8));
    add_bore(&mut gun, 16.4, 1.0, vec3(0.0, -1.25, 2.8));
    gun.add(Cell::Steel, block([-6.0, -2.4, 0.8], [4.0, 2.4, 4.6], 0.8));
    gun.add(Cell::Dark, block([11.4, -2.8, 1.3], [13.0, 2.8, 4.4], 0.5));
    gun.add(Cell::Steel, block([4.0, -0.4, 4.0], [17.0, 0.4, 4.7], 0.2));
    gun.add(
        Cell::Grip,
        extruded(
            &[[4.6, -0.8], [10.6, -0.8], [11.2, 1.6], [4.0, 1.6]],
            2.2,
            0.6,
        ),
    );
    gun.add(
        Cell::Accent,
        extruded(
            &[
                [-14.5, -3.0],
                [-12.0, -3.0],
                [-5.6, 0.8],
                [-5.6, 4.0],
                [-8.0, 4.0],
                [-14.5, 2.2],
            ],
            1.3,
            0.5,
        ),
    );
    gun.add(
        Cell::Rubber,
        block([-15.3, -1.2, -3.0], [-14.3, 1.2, 2.2], 0.3),
    );
    let shell = lathe(&[[-3.6, 0.0], [-3.6, 0.5], [-1.4, 0.5], [-1.4, 0.0]], 8);
    for step in 0..3 {
        let at = vec3(step as f32 * 2.4 - 0.4, 2.6, 2.9);
        gun.add(
            Cell::Red,
            shell
                .clone()
                .turned(pitch(90.0))
                .moved(at + vec3(0.0, 0.0, -2.4)),
        );
        let cap = lathe(&[[-0.3, 0.56], [0.3, 0.56], [0.3, 0.0]], 8);
        gun.add(
            Cell::Brass,
            cap.turned(pitch(90.0)).moved(at + vec3(0.0, 0.0, -1.0)),
        );
    }
    gun.add(
        Cell::GlowAmber,
        block([-1.0, -2.46, 3.8], [2.6, 2.46, 4.1], 0.05),
    );
    add_grip(&mut gun, -3.6, 0.9);
    gun
}

/// Short and fat: a wide tube over a drum.
fn grenade_launcher() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 3.2);
    gun.add(
        Cell::Barrel,
        lathe(
            &[
                [1.0, 2.7],
                [11.5, 2.7],
                [12.2, 3.4],
                [15.0, 3.4],
                [15.4, 3.0],
                [15.4, 2.4],
                [9.0, 2.2],
            ],
            14,
        )
        .moved(axis),
    );
    add_bore(&mut gun, 9.4, 2.4, axis);
    let drum = lathe(
        &[
            [-2.2, 0.0],
            [-2.2, 3.6],
            [-1.5, 4.2],
            [1.5, 4.2],
            [2.2, 3.6],
            [2.2, 0.0],
        ],
        14,
    );
    let drum_at = vec3(3.0, 0.0, -0.9);
    gun.add(Cell::Dark, drum.turned(yaw(90.0)).moved(drum_at));
    let loaded = disc(2.3, 1.0, 8).moved(vec3(0.0, 0.0, 2.5));
    let loaded = around(&loaded, 5, 0.0).turned(yaw(90.0));
    gun.add(Cell::Green, loaded.clone().moved(drum_at));
    gun.add(Cell::Green, loaded.mirrored().moved(drum_at));
    gun.add(
        Cell::Steel,
        extruded(
            &[
                [-9.0, 0.4],
                [-1.0, 0.4],
                [2.0, 1.2],
                [3.0, 5.6],
                [-1.0, 6.8],
                [-7.0, 6.0],
                [-9.0, 4.4],
            ],
            2.3,
            0.7,
        ),
    );
    gun.add(Cell::Hazard, block([5.0, -2.9, 2.0], [8.0, 2.9, 4.4], 0.3));
    gun.add(Cell::Dark, block([0.4, -0.5, 6.2], [2.2, 0.5, 8.0], 0.2));
    gun.add(
        Cell::Green,
        block([-6.0, -2.42, 3.0], [0.5, 2.42, 4.4], 0.2),
    );
    gun.add(
        Cell::GlowGreen,
        block([-7.8, -2.36, 3.4], [-6.8, 2.36, 4.2], 0.1),
    );
    add_grip(&mut gun, -4.0, 0.7);
    gun
}

/// A long square tube with a flared mouth, an exhaust behind and the next rocket's tip in front.
fn rocket_launcher() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 3.8);
    gun.add(
        Cell::Steel,
        lathe(
            &[
                [-14.0, 3.8],
                [-11.0, 2.7],
                [12.0, 2.7],
                [13.5, 3.9],
                [17.6, 3.9],
                [18.2, 3.4],
                [18.2, 2.9],
                [11.0, 2.6],
            ],
            8,
        )
        .turned(roll(22.5))
        .moved(axis),
    );
    gun.add(
        Cell::Muzzle,
        disc(-13.6, 3.6, 8)
            .turned(yaw(180.0))
            .moved(axis + vec3(-27.2, 0.0, 0.0)),
    );
    gun.add(
        Cell::Rubber,
        disc(12.0, 2.9, 8).turned(roll(22.5)).moved(axis),
    );
    gun.add(
        Cell::Red,
        lathe(&[[12.0, 1.7], [14.5, 1.5], [17.4, 0.0]], 10).moved(axis),
    );
    for x in [-9.0, 6.6] {
        gun.add(Cell::Dark, block([x, -3.2, 0.6], [x + 2.4, 3.2, 7.0], 0.8));
    }
    gun.add(Cell::Hazard, block([9.6, -2.9, 1.0], [11.4, 2.9, 6.6], 0.9));
    gun.add(
        Cell::Accent,
        extruded(
            &[[-5.5, -1.2], [6.0, -0.6], [6.0, 1.8], [-5.5, 1.8]],
            2.0,
            0.5,
        ),
    );
    gun.add(Cell::Dark, block([-3.0, 2.0, 5.2], [3.6, 4.4, 8.0], 0.6));
    gun.add(
        Cell::Screen,
        block([-3.15, 2.4, 5.6], [-2.9, 4.0, 7.6], 0.05),
    );
    gun.add(Cell::GlowRed, disc(3.7, 0.8, 8).moved(vec3(0.0, 3.2, 6.6)));
    gun.add(
        Cell::GlowAmber,
        block([-8.0, -3.3, 3.4], [-7.4, 3.3, 4.2], 0.05),
    );
    add_grip(&mut gun, -3.6, -0.6);
    gun
}

/// An open fork of two prongs around a glowing rod with coils.
fn lightning_gun() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 2.6);
    gun.add(
        Cell::Steel,
        extruded(
            &[
                [-10.0, 0.0],
                [-2.0, -1.4],
                [4.0, -0.6],
                [5.0, 2.6],
                [4.0, 5.8],
                [-4.0, 6.4],
                [-10.0, 4.6],
            ],
            2.2,
            0.7,
        ),
    );
    let upper = extruded(
        &[
            [2.0, 3.2],
            [6.0, 2.6],
            [17.0, 1.5],
            [19.5, 0.4],
            [18.0, 2.5],
            [8.0, 4.0],
            [3.0, 4.4],
        ],
        0.8,
        0.35,
    );
    gun.add(Cell::Ceramic, upper.clone().moved(axis));
    gun.add(Cell::Ceramic, upper.turned(roll(180.0)).moved(axis));
    gun.add(
        Cell::GlowAccent,
        lathe(&[[4.0, 0.7], [15.0, 0.5], [17.0, 0.0]], 8).moved(axis),
    );
    for step in 0..4 {
        let x = 6.0 + step as f32 * 2.4;
        let coil = torus(1.5 - step as f32 * 0.12, Vec2::splat(0.36), 12, 5).turned(pitch(90.0));
        gun.add(Cell::Copper, coil.moved(axis + vec3(x, 0.0, 0.0)));
    }
    let cell = lathe(&[[-3.4, 0.0], [-3.4, 1.3], [3.4, 1.3], [3.4, 0.0]], 10);
    gun.add(
        Cell::GlowAccent,
        cell.moved(vec3(-2.0, 2.4, 3.2)).both_sides(),
    );
    for x in [-5.8, -2.4, 1.0] {
        let band = lathe(&[[x, 1.0], [x, 1.6], [x + 0.8, 1.6], [x + 0.8, 1.0]], 10);
        gun.add(
            Cell::PlainDark,
            band.moved(vec3(0.0, 2.4, 3.2)).both_sides(),
        );
    }
    gun.add(Cell::Vent, block([-8.5, -1.4, 4.6], [-1.0, 1.4, 7.0], 0.5));
    let cable = [
        vec3(-8.0, 1.2, 6.0),
        vec3(-4.0, 2.0, 7.8),
        vec3(2.0, 1.6, 7.2),
        vec3(5.0, 0.8, 6.0),
    ];
    gun.add(Cell::Rubber, hose(&cable, 0.4, 6));
    add_grip(&mut gun, -3.4, -0.9);
    gun
}

/// Very long and thin: two rails with light between them, a scope above.
fn railgun() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Cell::Steel,
        extruded(
            &[
                [-12.0, 0.0],
                [-4.0, -0.6],
                [3.0, -0.8],
                [6.0, 0.8],
                [6.0, 4.8],
                [-2.0, 5.4],
                [-9.0, 4.6],
                [-12.0, 3.2],
            ],
            1.5,
            0.5,
        ),
    );
    let rail = extruded(
        &[
            [3.0, 3.4],
            [22.0, 3.4],
            [24.0, 3.8],
            [23.0, 4.9],
            [10.0, 5.1],
            [3.0, 4.9],
        ],
        0.9,
        0.35,
    );
    gun.add(Cell::Ceramic, rail.clone());
    let low = rail.turned(roll(180.0)).moved(vec3(0.0, 0.0, 5.6));
    gun.add(Cell::Ceramic, low);
    let beam = block([5.0, -0.35, 2.3], [22.5, 0.35, 3.3], 0.2);
    gun.add_shaded("models/strafe/glow_entity", beam);
    for step in 0..4 {
        let x = 8.0 + step as f32 * 3.8;
        gun.add(Cell::Dark, block([x, -1.3, 0.6], [x + 1.2, 1.3, 5.0], 0.4));
    }
    let scope = lathe(
        &[
            [-5.0, 0.0],
            [-5.0, 0.7],
            [-4.6, 1.0],
            [-1.0, 0.8],
            [2.0, 0.8],
            [3.0, 1.1],
            [4.6, 1.1],
            [4.6, 0.8],
        ],
        10,
    );
    let above = vec3(-0.5, 0.0, 7.0);
    gun.add(Cell::PlainDark, scope.moved(above));
    gun.add_shaded("models/strafe/glow_entity", disc(4.3, 0.9, 10).moved(above));
    gun.add(Cell::Dark, block([-2.6, -0.4, 5.0], [-1.4, 0.4, 6.6], 0.15));
    gun.add(Cell::Dark, block([1.0, -0.4, 5.0], [2.2, 0.4, 6.6], 0.15));
    gun.add(
        Cell::Accent,
        extruded(
            &[
                [-17.0, -2.6],
                [-15.0, -2.6],
                [-11.0, 0.6],
                [-11.0, 3.2],
                [-17.0, 3.0],
            ],
            1.0,
            0.4,
        ),
    );
    gun.add(
        Cell::Accent,
        block([-8.0, -1.62, 1.6], [2.0, 1.62, 3.0], 0.3),
    );
    add_grip(&mut gun, -4.6, -0.2);
    gun
}

/// Round and bulbous: a glowing chamber with cooling rings and a short nozzle.
fn plasma_gun() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 2.9);
    gun.add(
        Cell::Steel,
        extruded(
            &[
                [-9.0, 0.4],
                [-3.0, -0.8],
                [5.0, -1.2],
                [8.0, 0.2],
                [6.0, 1.4],
                [-2.0, 1.6],
                [-3.0, 5.2],
                [-7.0, 5.6],
                [-9.0, 4.2],
            ],
            1.9,
            0.6,
        ),
    );
    let chamber = lathe(
        &[[-3.0, 1.6], [-1.4, 2.5], [2.0, 2.8], [5.4, 2.5], [7.0, 1.7]],
        12,
    );
    gun.add(Cell::GlowBlue, chamber.moved(axis));
    for x in [-3.2, -0.4, 2.4, 5.2] {
        let radius = 2.9
            + if (0.0..4.0).contains(&(x + 1.0)) {
                0.35
            } else {
                0.0
            };
        let ring = lathe(
            &[[x, 1.6], [x, radius], [x + 1.0, radius], [x + 1.0, 1.6]],
            12,
        );
        gun.add(Cell::PlainSteel, ring.moved(axis));
    }
    gun.add(
        Cell::Barrel,
        lathe(
            &[
                [6.2, 1.9],
                [9.0, 1.5],
                [13.0, 1.5],
                [14.0, 2.3],
                [16.6, 2.3],
                [17.0, 1.9],
                [17.0, 1.3],
                [13.0, 1.2],
            ],
            12,
        )
        .moved(axis),
    );
    gun.add(Cell::GlowBlue, disc(13.4, 1.4, 10).moved(axis));
    gun.add(
        Cell::Accent,
        block([-8.4, -2.0, 3.0], [-4.0, 2.0, 4.2], 0.3),
    );
    gun.add(
        Cell::Dark,
        extruded(
            &[[1.4, -0.9], [5.0, -1.0], [4.4, -4.4], [2.0, -4.4]],
            1.1,
            0.4,
        ),
    );
    gun.add(
        Cell::GlowBlue,
        block([2.2, -1.16, -3.4], [4.2, 1.16, -2.6], 0.05),
    );
    add_grip(&mut gun, -4.0, -0.3);
    gun
}

/// A heavy cradle around a ball of green fire.
fn bfg() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 3.0);
    gun.add(
        Cell::Dark,
        extruded(
            &[
                [-12.0, -0.6],
                [-4.0, -2.4],
                [2.0, -2.6],
                [3.0, 0.0],
                [3.0, 6.6],
                [-2.0, 8.6],
                [-9.0, 7.4],
                [-12.0, 5.0],
            ],
            3.6,
            1.0,
        ),
    );
    gun.add(
        Cell::GlowGreen,
        ball(3.5, 8, 12).moved(axis + vec3(6.0, 0.0, 0.0)),
    );
    for degrees in [45.0, 135.0, 225.0, 315.0] {
        let arm = extruded(
            &[
                [1.0, 3.6],
                [6.0, 5.4],
                [11.0, 4.6],
                [12.6, 3.0],
                [11.4, 2.6],
                [6.0, 4.0],
                [2.0, 2.4],
            ],
            1.1,
            0.4,
        );
        gun.add(Cell::Steel, arm.turned(roll(degrees)).moved(axis));
    }
    gun.add(
        Cell::Steel,
        lathe(
            &[
                [10.6, 3.2],
                [11.2, 3.9],
                [13.4, 3.9],
                [14.0, 3.4],
                [14.0, 2.6],
                [11.0, 2.4],
            ],
            14,
        )
        .moved(axis),
    );
    gun.add(
        Cell::Steel,
        block([-10.0, -4.2, 0.6], [-1.0, 4.2, 5.4], 0.9),
    );
    gun.add(Cell::Green, block([-8.6, -4.4, 2.0], [-2.4, 4.4, 4.0], 0.3));
    gun.add(Cell::Vent, block([-9.0, -2.4, 6.4], [-2.0, 2.4, 9.2], 0.6));
    gun.add(
        Cell::GlowGreen,
        block([-0.9, -3.9, 1.0], [0.2, 3.9, 1.8], 0.1),
    );
    for side in [1.0, -1.0] {
        let cable = [
            vec3(-8.0, side * 3.4, 7.0),
            vec3(-3.0, side * 4.6, 7.8),
            vec3(3.0, side * 4.4, 6.4),
            vec3(8.0, side * 3.4, 5.6),
        ];
        gun.add(Cell::Rubber, hose(&cable, 0.6, 6));
    }
    add_grip(&mut gun, -4.8, -1.6);
    gun
}

fn bfg_claws() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Cell::Dark,
        lathe(
            &[[0.0, 2.6], [1.0, 3.0], [2.4, 2.8], [2.4, 1.8], [0.4, 1.6]],
            12,
        ),
    );
    let claw = extruded(
        &[
            [1.0, 2.2],
            [3.6, 3.4],
            [6.8, 1.6],
            [5.4, 3.8],
            [3.0, 4.6],
            [0.6, 3.4],
        ],
        0.6,
        0.3,
    );
    gun.add(Cell::Ceramic, around(&claw, 3, 90.0));
    gun.add(Cell::GlowGreen, disc(1.2, 1.8, 10));
    gun
}

/// A reel of cable behind a hook.
fn grapple() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 2.4);
    gun.add(
        Cell::Steel,
        extruded(
            &[
                [-8.0, 0.4],
                [-2.0, -0.8],
                [7.0, 0.2],
                [9.0, 2.4],
                [7.0, 4.6],
                [-8.0, 4.2],
            ],
            1.7,
            0.5,
        ),
    );
    let reel = lathe(
        &[
            [-2.6, 0.0],
            [-2.6, 2.8],
            [-1.9, 2.8],
            [-1.9, 1.9],
            [1.9, 1.9],
            [1.9, 2.8],
            [2.6, 2.8],
            [2.6, 0.0],
        ],
        14,
    );
    gun.add(
        Cell::Copper,
        reel.turned(yaw(90.0)).moved(vec3(-2.0, 0.0, 4.6)),
    );
    gun.add(Cell::Barrel, tube(6.0, 11.0, 1.6, 1.0).moved(axis));
    gun.add(Cell::Amber, block([-6.6, -1.8, 1.4], [4.6, 1.8, 2.6], 0.3));
    add_grip(&mut gun, -3.0, -0.4);
    gun
}

fn grapple_hook() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Cell::Steel,
        lathe(&[[-1.0, 0.7], [3.0, 0.9], [6.0, 0.0]], 8),
    );
    let prong: Solid = extruded(
        &[[2.0, 0.6], [5.0, 2.0], [3.0, 4.6], [1.0, 3.6], [2.6, 2.4]],
        0.3,
        0.15,
    );
    gun.add(Cell::PlainCeramic, around(&prong, 3, 90.0));
    gun
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All three first-person poses of a weapon leave from and come back to rest.
    #[test]
    fn hands_come_to_rest() {
        for weapon in &WEAPONS {
            let hand = weapon.hand_model();
            let [rest, fired, last] = [0, 1, 6].map(|frame| hand.tags[0].frames[frame].0);
            assert_eq!(rest, last, "{}", weapon.name);
            assert_ne!(rest, fired, "{}", weapon.name);
            assert_eq!(hand.frame_count(), 15);
        }
    }
}
