//! What flies, falls or flashes: missiles, cartridge cases, gibs and impacts.

use super::{Recipe, around, block, facing_sheet, finish, sheet};
use crate::mesh::{Model, Sculpt, Solid, ball, extruded, hose, lathe, pitch, roll, sin_cos, yaw};
use crate::textures::AtlasCell::{self, *};
use glam::{Vec3, vec2, vec3};

pub(crate) const RECIPES: [Recipe; 20] = [
    ("models/ammo/grenade1", grenade),
    ("models/ammo/rocket/rocket", rocket),
    ("models/weaphits/bfg", bfg_ball),
    ("models/weaphits/boom01", boom),
    ("models/weaphits/bullet", bullet_hit),
    ("models/weaphits/crackle", crackle),
    ("models/weaphits/ring02", energy_hit),
    ("models/misc/telep", teleport_column),
    ("models/weapons2/shells/m_shell", bullet_case),
    ("models/weapons2/shells/s_shell", shotgun_shell),
    ("models/gibs/abdomen", abdomen),
    ("models/gibs/arm", arm),
    ("models/gibs/brain", brain),
    ("models/gibs/chest", chest),
    ("models/gibs/fist", fist),
    ("models/gibs/foot", foot),
    ("models/gibs/forearm", forearm),
    ("models/gibs/intestine", intestine),
    ("models/gibs/leg", leg),
    ("models/gibs/skull", skull),
];

fn grenade() -> Model {
    let mut item = Sculpt::default();
    item.add(
        Green,
        lathe(
            &[
                [-4.6, 0.0],
                [-4.6, 2.2],
                [-3.4, 3.2],
                [3.0, 3.2],
                [4.6, 2.0],
                [4.6, 0.0],
            ],
            10,
        ),
    );
    item.add(GlowAmber, lathe(&[[-0.9, 3.4], [0.9, 3.4]], 10));
    item.add(PlainSteel, lathe(&[[4.6, 1.3], [6.2, 1.1], [6.2, 0.0]], 8));
    finish(item)
}

fn rocket() -> Model {
    let mut item = Sculpt::default();
    item.add(
        PlainCeramic,
        lathe(&[[-8.0, 1.6], [-7.0, 2.0], [5.0, 2.0]], 10),
    );
    item.add(Red, lathe(&[[5.0, 2.4], [7.0, 2.3], [11.0, 0.0]], 10));
    let fin = extruded(
        &[[-8.6, 1.4], [-4.0, 1.8], [-6.4, 4.6], [-9.6, 5.0]],
        0.3,
        0.15,
    );
    item.add(Dark, around(&fin, 4, 45.0));
    let flame = sheet([
        vec3(-7.6, 3.4, 0.0),
        vec3(-30.0, 3.4, 0.0),
        vec3(-30.0, -3.4, 0.0),
        vec3(-7.6, -3.4, 0.0),
    ]);
    item.add_shaded("models/strafe/flame", flame.clone());
    item.add_shaded("models/strafe/flame", flame.turned(roll(90.0)));
    item.add_shaded("models/strafe/flare_amber", facing_sheet(-9.0, 9.0));
    finish(item)
}

fn bfg_ball() -> Model {
    let mut item = Sculpt::default();
    item.add_shaded("models/strafe/energy_green", ball(9.0, 8, 12));
    item.add_shaded("models/strafe/flare_green", facing_sheet(0.0, 22.0));
    finish(item)
}

fn boom() -> Model {
    let mut item = Sculpt::default();
    item.add_shaded("rocketExplosion", facing_sheet(0.0, 30.0));
    finish(item)
}

/// Sparks that fly from a wall; the way out is forward.
fn bullet_hit() -> Model {
    let mut item = Sculpt::default();
    let blade = sheet([
        vec3(12.0, 7.0, 0.0),
        vec3(12.0, -7.0, 0.0),
        vec3(0.0, -7.0, 0.0),
        vec3(0.0, 7.0, 0.0),
    ]);
    for degrees in [0.0, 60.0, 120.0] {
        item.add_shaded("bulletExplosion", blade.clone().turned(roll(degrees)));
    }
    item.add_shaded("bulletExplosion", facing_sheet(0.6, 6.0));
    finish(item)
}

/// Where lightning strikes.
fn crackle() -> Model {
    let mut item = Sculpt::default();
    for turn in [yaw(0.0), yaw(60.0), yaw(120.0), pitch(90.0)] {
        item.add_shaded(
            "models/strafe/crackle",
            facing_sheet(0.0, 16.0).turned(turn),
        );
    }
    finish(item)
}

/// A bowl of light that opens away from the wall.
fn energy_hit() -> Model {
    let mut item = Sculpt::default();
    let mut bowl = Solid::default();
    const SIDES: usize = 14;
    for side in 0..=SIDES {
        let (sin, cos) = sin_cos(side as f32 * 360.0 / SIDES as f32);
        let u = side as f32 / SIDES as f32;
        for (x, radius, v) in [(1.0, 2.0, 1.0), (5.0, 14.0, 0.5), (11.0, 22.0, 0.0)] {
            bowl.vertices.push(crate::mesh::Vertex {
                position: vec3(x, radius * cos, radius * sin),
                normal: vec3(0.9, -0.4 * cos, -0.4 * sin).normalize_or_zero(),
                uv: vec2(u * 4.0, v),
            });
        }
    }
    for side in 0..SIDES as u32 {
        for ring in 0..2 {
            let at = side * 3 + ring;
            bowl.triangles.push([at, at + 3, at + 4]);
            bowl.triangles.push([at, at + 4, at + 1]);
        }
    }
    item.add_shaded("plasmaExplosion", bowl);
    item.add_shaded("plasmaExplosion", facing_sheet(1.0, 14.0));
    finish(item)
}

/// A column of light with rings, where somebody comes or goes. Each of its faces has corners of its own: clients draw it
/// with the shader of this name that their game has, and OpenArena's makes sprites of each four corners.
fn teleport_column() -> Model {
    let mut item = Sculpt::default();
    let mut column = Solid::default();
    const SIDES: usize = 16;
    const RINGS: [(f32, f32, f32); 3] = [(36.0, 14.0, 0.0), (4.0, 20.0, 0.5), (-26.0, 26.0, 1.0)];
    for side in 0..SIDES {
        for pair in RINGS.windows(2) {
            let at = column.vertices.len() as u32;
            for (turn, (z, radius, v)) in [
                (side, pair[0]),
                (side, pair[1]),
                (side + 1, pair[0]),
                (side + 1, pair[1]),
            ] {
                let u = turn as f32 / SIDES as f32;
                let (sin, cos) = sin_cos(u * 360.0);
                column.vertices.push(crate::mesh::Vertex {
                    position: vec3(radius * cos, radius * sin, z),
                    normal: vec3(cos, sin, 0.0),
                    uv: vec2(u * 2.0, v),
                });
            }
            column.triangles.push([at, at + 2, at + 3]);
            column.triangles.push([at, at + 3, at + 1]);
        }
    }
    item.add_shaded("teleportEffect", column);
    finish(item)
}

fn bullet_case() -> Model {
    let mut item = Sculpt::default();
    item.add(
        Brass,
        lathe(&[[-0.9, 0.0], [-0.9, 0.35], [0.6, 0.35], [0.9, 0.22]], 6),
    );
    finish(item)
}

fn shotgun_shell() -> Model {
    let mut item = Sculpt::default();
    item.add(Red, lathe(&[[-0.6, 0.55], [1.6, 0.55], [1.6, 0.0]], 8));
    item.add(Brass, lathe(&[[-1.4, 0.0], [-1.4, 0.65], [-0.6, 0.65]], 8));
    finish(item)
}

/// A limb: flesh and bone at its ends, a piece of suit between.
fn limb(length: f32, radius: f32, cell: AtlasCell) -> Sculpt {
    let mut item = Sculpt::default();
    let half = length / 2.0;
    item.add(
        cell,
        lathe(
            &[[-half, radius * 0.8], [0.0, radius], [half, radius * 0.75]],
            8,
        ),
    );
    item.add(
        Flesh,
        lathe(
            &[
                [half, radius * 0.7],
                [half + 0.9, radius * 0.5],
                [half + 1.0, 0.0],
            ],
            8,
        ),
    );
    item.add(
        Flesh,
        lathe(
            &[
                [-half - 1.0, 0.0],
                [-half - 0.9, radius * 0.5],
                [-half, radius * 0.75],
            ],
            8,
        ),
    );
    item.add(
        Bone,
        lathe(
            &[
                [half, radius * 0.3],
                [half + 2.0, radius * 0.25],
                [half + 2.2, 0.0],
            ],
            6,
        ),
    );
    item
}

fn arm() -> Model {
    finish(limb(7.0, 2.0, Rubber))
}

fn forearm() -> Model {
    let mut item = limb(7.0, 1.7, Rubber);
    item.add(Ceramic, block([-2.6, -1.8, 0.2], [2.6, 1.8, 2.2], 0.6));
    finish(item)
}

fn leg() -> Model {
    let mut item = limb(10.0, 2.6, Rubber);
    item.add(Ceramic, block([-3.4, -2.4, 0.6], [3.0, 2.4, 3.1], 0.8));
    finish(item)
}

fn fist() -> Model {
    let mut item = Sculpt::default();
    item.add(Rubber, block([-1.8, -1.6, -1.4], [2.0, 1.6, 1.4], 0.8));
    item.add(Flesh, lathe(&[[-3.0, 0.0], [-2.9, 0.9], [-1.8, 1.2]], 7));
    finish(item)
}

fn foot() -> Model {
    let mut item = Sculpt::default();
    item.add(
        Dark,
        extruded(
            &[
                [-2.4, -1.6],
                [4.6, -1.6],
                [4.4, 0.0],
                [1.0, 2.2],
                [-2.4, 2.4],
            ],
            1.7,
            0.5,
        ),
    );
    item.add(
        Flesh,
        lathe(&[[2.2, 1.4], [3.2, 1.0], [3.3, 0.0]], 7).turned(pitch(-90.0)),
    );
    finish(item)
}

fn chest() -> Model {
    let mut item = Sculpt::default();
    item.add(Ceramic, block([-3.0, -5.0, -4.0], [3.4, 5.0, 3.4], 1.6));
    item.add(Flesh, block([-2.4, -4.2, -5.4], [2.6, 4.2, 4.6], 1.8));
    item.add(GlowAccent, block([3.3, -0.9, -0.6], [3.6, 0.9, 0.8], 0.1));
    finish(item)
}

fn abdomen() -> Model {
    let mut item = Sculpt::default();
    item.add(Flesh, ball(3.6, 6, 8).scaled(vec3(0.8, 1.1, 0.8)));
    item.add(Rubber, block([-2.4, -3.4, -1.2], [2.8, 3.4, 1.2], 0.8));
    finish(item)
}

fn intestine() -> Model {
    let mut item = Sculpt::default();
    let points: Vec<Vec3> = (0..8)
        .map(|step| {
            let (sin, cos) = sin_cos(step as f32 * 70.0);
            vec3(step as f32 * 1.2 - 4.0, sin * 1.8, cos * 1.2)
        })
        .collect();
    item.add(Flesh, hose(&points, 0.8, 6));
    finish(item)
}

fn brain() -> Model {
    let mut item = Sculpt::default();
    let half = ball(2.6, 6, 8).scaled(vec3(1.1, 0.75, 0.85));
    item.add(Flesh, half.moved(vec3(0.0, 1.3, 0.0)).both_sides());
    finish(item)
}

fn skull() -> Model {
    let mut item = Sculpt::default();
    item.add(
        Bone,
        ball(3.4, 8, 10)
            .scaled(vec3(1.15, 0.95, 1.0))
            .moved(Vec3::Z * 4.0),
    );
    item.add(Bone, block([0.2, -1.8, -0.4], [3.6, 1.8, 2.6], 0.7));
    let socket = ball(0.95, 5, 7).moved(vec3(3.3, 1.4, 3.8));
    item.add(Rubber, socket.both_sides());
    item.add(Rubber, block([3.3, -1.3, 0.5], [3.75, 1.3, 0.9], 0.1));
    finish(item)
}
