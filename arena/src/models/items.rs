//! Health, armor, flags, and what one carries for later use.

use super::{Recipe, block, cross, finish, upright};
use crate::mesh::{Model, Sculpt, ball, disc, extruded, lathe, pitch, roll, torus, yaw};
use crate::textures::AtlasCell::{self, *};
use glam::{Vec2, Vec3, vec2, vec3};

pub(crate) const RECIPES: [Recipe; 18] = [
    ("models/powerups/health/small_cross", || health_cross(0)),
    ("models/powerups/health/small_sphere", || {
        shell("green", 8.0)
    }),
    ("models/powerups/health/medium_cross", || health_cross(1)),
    ("models/powerups/health/medium_sphere", || {
        shell("yellow", 11.4)
    }),
    ("models/powerups/health/large_cross", || health_cross(2)),
    ("models/powerups/health/large_sphere", || shell("red", 12.0)),
    ("models/powerups/health/mega_cross", || health_cross(3)),
    ("models/powerups/health/mega_sphere", || shell("blue", 14.0)),
    ("models/powerups/armor/shard", shard),
    ("models/powerups/armor/shard_sphere", || shell("green", 6.0)),
    ("models/powerups/armor/armor_yel", || {
        vest(Yellow, GlowAmber, false)
    }),
    ("models/powerups/armor/armor_red", || {
        vest(Red, GlowRed, true)
    }),
    ("models/powerups/holdable/teleporter", teleporter),
    ("models/powerups/holdable/medkit", medkit),
    ("models/powerups/holdable/medkit_sphere", || {
        shell("red", 12.0)
    }),
    ("models/flags/r_flag", || flag("red", Red, GlowRed)),
    ("models/flags/b_flag", || flag("blue", Blue, GlowBlue)),
    ("models/flags/n_flag", || flag("white", Ceramic, GlowWhite)),
];

/// A cross whose size and color tell how much it heals.
fn health_cross(rank: usize) -> Model {
    let (arm, half, glow, rim) = [
        (4.6, 1.7, GlowGreen, Green),
        (7.0, 2.4, GlowAmber, Yellow),
        (7.6, 2.8, GlowRed, Red),
        (9.0, 3.2, GlowBlue, Blue),
    ][rank];
    let mut item = Sculpt::default();
    item.add(rim, upright(&cross(arm, half), 3.2, 0.6));
    item.add(glow, upright(&cross(arm - 1.0, half - 1.0), 3.7, 0.2));
    if rank == 3 {
        // The greatest one wears a second cross and a ring.
        let slanted = upright(&cross(arm - 1.4, half * 0.6), 2.4, 0.5).turned(roll(45.0));
        item.add(Ceramic, slanted);
        let ring = torus(arm + 1.2, vec2(0.7, 1.1), 24, 6).turned(pitch(90.0));
        item.add(Ceramic, ring);
    }
    finish(item)
}

/// A clear ball around an item.
fn shell(color: &str, radius: f32) -> Model {
    let mut item = Sculpt::default();
    item.add_shaded(&format!("models/strafe/shell_{color}"), ball(radius, 8, 14));
    finish(item)
}

/// A splinter of plate.
fn shard() -> Model {
    let mut item = Sculpt::default();
    let outline = [
        [-1.0, 0.0],
        [3.6, 3.0],
        [5.0, 9.0],
        [1.6, 15.6],
        [-0.6, 11.0],
        [-4.6, 9.4],
        [-3.6, 4.0],
    ];
    item.add(Green, upright(&outline, 2.4, 0.9));
    let inner: Vec<[f32; 2]> = outline
        .iter()
        .map(|[y, z]| [y * 0.5, 7.6 + (z - 7.6) * 0.5])
        .collect();
    item.add(GlowGreen, upright(&inner, 2.9, 0.2));
    finish(item)
}

/// A breastplate with shoulders and a collar; the heavy one has more of everything.
fn vest(paint: AtlasCell, glow: AtlasCell, is_heavy: bool) -> Model {
    let mut item = Sculpt::default();
    let side = [
        [-6.4, -4.6],
        [3.4, -4.6],
        [6.4, 2.0],
        [7.6, 8.0],
        [5.0, 14.0],
        [-4.4, 14.0],
        [-7.4, 8.0],
        [-7.0, 1.0],
    ];
    item.add(Dark, extruded(&side, 7.4, 1.6));
    let chest = extruded(
        &[[1.0, 4.0], [8.4, 4.6], [9.0, 9.0], [6.6, 13.6], [1.0, 13.6]],
        3.6,
        1.0,
    );
    item.add(paint, chest.moved(vec3(0.0, 4.0, 0.0)).both_sides());
    for (z, half) in [(1.4, 6.6), (-2.2, 5.8)] {
        item.add(
            paint,
            block(
                [-1.0, -half, z - 1.5],
                [7.6 - (1.4 - z) * 0.3, half, z + 1.4],
                0.7,
            ),
        );
    }
    item.add(paint, block([-8.4, -6.0, 3.0], [-5.6, 6.0, 12.6], 0.9));
    item.add(Vent, block([-9.0, -3.2, 4.4], [-8.0, 3.2, 11.0], 0.4));
    let shoulder = extruded(
        &[
            [-5.6, 11.0],
            [5.6, 11.0],
            [4.6, 15.4],
            [0.0, 17.2],
            [-4.6, 15.4],
        ],
        3.0,
        1.2,
    );
    item.add(
        paint,
        shoulder
            .turned(roll(-16.0))
            .moved(vec3(0.0, 8.6, 0.6))
            .both_sides(),
    );
    item.add(
        Rubber,
        torus(4.2, vec2(1.0, 1.6), 14, 6).moved(vec3(-0.4, 0.0, 14.8)),
    );
    let lamp = lathe(&[[0.0, 1.8], [1.2, 1.8], [1.6, 1.2], [1.6, 0.0]], 10);
    item.add(Steel, lamp.moved(vec3(7.8, 0.0, 8.4)));
    item.add(glow, disc(9.5, 1.2, 10).moved(vec3(0.0, 0.0, 8.4)));
    if is_heavy {
        let high = block([-4.0, 6.4, 17.0], [4.0, 12.4, 19.0], 0.7);
        item.add(paint, high.both_sides());
        let horn = extruded(&[[-3.0, 14.0], [2.6, 14.0], [-4.0, 21.0]], 1.0, 0.4);
        item.add(Dark, horn.moved(vec3(0.0, 9.6, 2.0)).both_sides());
        item.add(glow, block([7.0, -4.6, 0.8], [7.9, 4.6, 1.8], 0.3));
    }
    finish(item)
}

/// A portal to carry: a ring with light in it.
fn teleporter() -> Model {
    let mut item = Sculpt::default();
    let ring = torus(9.6, vec2(1.4, 2.2), 20, 6).turned(pitch(90.0));
    item.add(Steel, ring);
    for degrees in [0.0, 90.0, 180.0, 270.0] {
        let clamp = block([-2.8, -1.8, 8.0], [2.8, 1.8, 12.4], 0.7);
        item.add(Accent, clamp.turned(roll(degrees)));
    }
    let both = disc(0.3, 8.8, 20);
    item.add_shaded("models/strafe/portal", both.clone());
    item.add_shaded("models/strafe/portal", both.turned(yaw(180.0)));
    finish(item)
}

/// A white case with a red cross.
fn medkit() -> Model {
    let mut item = Sculpt::default();
    item.add(Ceramic, block([-4.0, -9.0, -7.0], [4.0, 9.0, 6.0], 1.6));
    item.add(Dark, block([-4.2, -9.2, -0.6], [4.2, 9.2, 0.4], 0.3));
    for side in [1.0_f32, -1.0] {
        let mark = upright(&cross(4.0, 1.4), 0.6, 0.15).moved(Vec3::X * (side * 4.1));
        item.add(GlowRed, mark.moved(Vec3::Z * -0.5));
    }
    let handle = torus(3.4, Vec2::splat(0.8), 14, 6).scaled(vec3(0.6, 1.0, 1.0));
    item.add(Rubber, handle.turned(pitch(90.0)).moved(Vec3::Z * 6.4));
    finish(item)
}

/// A pole with a lamp at its top and cloth that hangs to one side.
fn flag(color: &str, paint: AtlasCell, glow: AtlasCell) -> Model {
    let mut item = Sculpt::default();
    let up = pitch(-90.0);
    item.add(
        PlainSteel,
        lathe(&[[-12.0, 0.8], [66.0, 0.8]], 8).turned(up),
    );
    for z in [-12.0, 24.0, 62.0] {
        let ring = lathe(&[[z, 0.8], [z, 1.6], [z + 3.0, 1.6], [z + 3.0, 0.8]], 8);
        item.add(paint, ring.turned(up));
    }
    item.add(glow, ball(2.0, 6, 8).moved(Vec3::Z * 67.0));
    let knot = torus(1.0, Vec2::splat(0.35), 8, 4);
    item.add(Cloth, knot.clone().moved(Vec3::Z * 59.0));
    item.add(Cloth, knot.moved(Vec3::Z * 29.0));
    let mut sail = crate::mesh::Solid::default();
    const COLUMNS: usize = 8;
    for column in 0..=COLUMNS {
        let share = column as f32 / COLUMNS as f32;
        let (wave, slope) = crate::mesh::sin_cos(share * 320.0);
        for (row, z) in [60.0, 44.0, 28.0].into_iter().enumerate() {
            let fall = share * share * 5.0;
            sail.vertices.push(crate::mesh::Vertex {
                position: vec3(-0.8 - share * 30.0, wave * 3.0 * share, z - fall),
                normal: vec3(slope * 0.5, 1.0, 0.0).normalize_or_zero(),
                uv: vec2(share, row as f32 / 2.0),
            });
        }
    }
    for column in 0..COLUMNS as u32 {
        for row in 0..2 {
            let at = column * 3 + row;
            sail.triangles.push([at, at + 3, at + 4]);
            sail.triangles.push([at, at + 4, at + 1]);
        }
    }
    item.add_shaded(&format!("models/strafe/flag_{color}"), sail);
    finish(item)
}
