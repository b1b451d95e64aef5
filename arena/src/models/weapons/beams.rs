//! Weapons of light: lightning gun, railgun, plasma gun.

use super::add_grip;
use crate::{
    mesh::{Sculpt, disc, extruded, hose, lathe, pitch, roll, torus},
    models::block,
    textures::AtlasCell::*,
};
use glam::{Vec2, vec3};

/// An open fork of two prongs around a glowing rod with coils.
pub(super) fn lightning_gun() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 2.6);
    gun.add(
        Steel,
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
    gun.add(Ceramic, upper.clone().moved(axis));
    gun.add(Ceramic, upper.turned(roll(180.0)).moved(axis));
    gun.add(
        GlowAccent,
        lathe(&[[4.0, 0.7], [15.0, 0.5], [17.0, 0.0]], 8).moved(axis),
    );
    for step in 0..4 {
        let x = 6.0 + step as f32 * 2.4;
        let coil = torus(1.5 - step as f32 * 0.12, Vec2::splat(0.36), 12, 5).turned(pitch(90.0));
        gun.add(Copper, coil.moved(axis + vec3(x, 0.0, 0.0)));
    }
    let cell = lathe(&[[-3.4, 0.0], [-3.4, 1.3], [3.4, 1.3], [3.4, 0.0]], 10);
    gun.add(GlowAccent, cell.moved(vec3(-2.0, 2.4, 3.2)).both_sides());
    for x in [-5.8, -2.4, 1.0] {
        let band = lathe(&[[x, 1.0], [x, 1.6], [x + 0.8, 1.6], [x + 0.8, 1.0]], 10);
        gun.add(PlainDark, band.moved(vec3(0.0, 2.4, 3.2)).both_sides());
    }
    gun.add(Vent, block([-8.5, -1.4, 4.6], [-1.0, 1.4, 7.0], 0.5));
    let cable = [
        vec3(-8.0, 1.2, 6.0),
        vec3(-4.0, 2.0, 7.8),
        vec3(2.0, 1.6, 7.2),
        vec3(5.0, 0.8, 6.0),
    ];
    gun.add(Rubber, hose(&cable, 0.4, 6));
    add_grip(&mut gun, -3.4, -0.9);
    gun
}

/// Very long and thin: two rails with light between them, a scope above.
pub(super) fn railgun() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Steel,
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
    gun.add(Ceramic, rail.clone());
    let low = rail.turned(roll(180.0)).moved(vec3(0.0, 0.0, 5.6));
    gun.add(Ceramic, low);
    let beam = block([5.0, -0.35, 2.3], [22.5, 0.35, 3.3], 0.2);
    gun.add_shaded("models/strafe/glow_entity", beam);
    for step in 0..4 {
        let x = 8.0 + step as f32 * 3.8;
        gun.add(Dark, block([x, -1.3, 0.6], [x + 1.2, 1.3, 5.0], 0.4));
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
    gun.add(PlainDark, scope.moved(above));
    gun.add_shaded("models/strafe/glow_entity", disc(4.3, 0.9, 10).moved(above));
    gun.add(Dark, block([-2.6, -0.4, 5.0], [-1.4, 0.4, 6.6], 0.15));
    gun.add(Dark, block([1.0, -0.4, 5.0], [2.2, 0.4, 6.6], 0.15));
    gun.add(
        Accent,
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
    gun.add(Accent, block([-8.0, -1.62, 1.6], [2.0, 1.62, 3.0], 0.3));
    add_grip(&mut gun, -4.6, -0.2);
    gun
}

/// Round and bulbous: a glowing chamber with cooling rings and a short nozzle.
pub(super) fn plasma_gun() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 2.9);
    gun.add(
        Steel,
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
    gun.add(GlowBlue, chamber.moved(axis));
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
        gun.add(PlainSteel, ring.moved(axis));
    }
    gun.add(
        Barrel,
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
    gun.add(GlowBlue, disc(13.4, 1.4, 10).moved(axis));
    gun.add(Accent, block([-8.4, -2.0, 3.0], [-4.0, 2.0, 4.2], 0.3));
    gun.add(
        Dark,
        extruded(
            &[[1.4, -0.9], [5.0, -1.0], [4.4, -4.4], [2.0, -4.4]],
            1.1,
            0.4,
        ),
    );
    gun.add(GlowBlue, block([2.2, -1.16, -3.4], [4.2, 1.16, -2.6], 0.05));
    add_grip(&mut gun, -4.0, -0.3);
    gun
}
