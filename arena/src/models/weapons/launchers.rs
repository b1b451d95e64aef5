//! Weapons that throw something: grenade launcher, rocket launcher, BFG, grapple.

use super::add_grip;
use crate::{
    mesh::{Sculpt, Solid, ball, disc, extruded, hose, lathe, roll, yaw},
    models::{add_bore, around, block, tube},
    textures::AtlasCell::*,
};
use glam::vec3;

/// Short and fat: a wide tube over a drum.
pub(super) fn grenade_launcher() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 3.2);
    gun.add(
        Barrel,
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
    gun.add(Dark, drum.turned(yaw(90.0)).moved(drum_at));
    let loaded = disc(2.3, 1.0, 8).moved(vec3(0.0, 0.0, 2.5));
    let loaded = around(&loaded, 5, 0.0).turned(yaw(90.0));
    gun.add(Green, loaded.clone().moved(drum_at));
    gun.add(Green, loaded.mirrored().moved(drum_at));
    gun.add(
        Steel,
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
    gun.add(Hazard, block([5.0, -2.9, 2.0], [8.0, 2.9, 4.4], 0.3));
    gun.add(Dark, block([0.4, -0.5, 6.2], [2.2, 0.5, 8.0], 0.2));
    gun.add(Green, block([-6.0, -2.42, 3.0], [0.5, 2.42, 4.4], 0.2));
    gun.add(GlowGreen, block([-7.8, -2.36, 3.4], [-6.8, 2.36, 4.2], 0.1));
    add_grip(&mut gun, -4.0, 0.7);
    gun
}

/// A long square tube with a flared mouth, an exhaust behind and the next rocket's tip in front.
pub(super) fn rocket_launcher() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 3.8);
    gun.add(
        Steel,
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
        Muzzle,
        disc(-13.6, 3.6, 8)
            .turned(yaw(180.0))
            .moved(axis + vec3(-27.2, 0.0, 0.0)),
    );
    gun.add(Rubber, disc(12.0, 2.9, 8).turned(roll(22.5)).moved(axis));
    gun.add(
        Red,
        lathe(&[[12.0, 1.7], [14.5, 1.5], [17.4, 0.0]], 10).moved(axis),
    );
    for x in [-9.0, 6.6] {
        gun.add(Dark, block([x, -3.2, 0.6], [x + 2.4, 3.2, 7.0], 0.8));
    }
    gun.add(Hazard, block([9.6, -2.9, 1.0], [11.4, 2.9, 6.6], 0.9));
    gun.add(
        Accent,
        extruded(
            &[[-5.5, -1.2], [6.0, -0.6], [6.0, 1.8], [-5.5, 1.8]],
            2.0,
            0.5,
        ),
    );
    gun.add(Dark, block([-3.0, 2.0, 5.2], [3.6, 4.4, 8.0], 0.6));
    gun.add(Screen, block([-3.15, 2.4, 5.6], [-2.9, 4.0, 7.6], 0.05));
    gun.add(GlowRed, disc(3.7, 0.8, 8).moved(vec3(0.0, 3.2, 6.6)));
    gun.add(GlowAmber, block([-8.0, -3.3, 3.4], [-7.4, 3.3, 4.2], 0.05));
    add_grip(&mut gun, -3.6, -0.6);
    gun
}

/// A heavy cradle around a ball of green fire.
pub(super) fn bfg() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 3.0);
    gun.add(
        Dark,
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
        GlowGreen,
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
        gun.add(Steel, arm.turned(roll(degrees)).moved(axis));
    }
    gun.add(
        Steel,
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
    gun.add(Steel, block([-10.0, -4.2, 0.6], [-1.0, 4.2, 5.4], 0.9));
    gun.add(Green, block([-8.6, -4.4, 2.0], [-2.4, 4.4, 4.0], 0.3));
    gun.add(Vent, block([-9.0, -2.4, 6.4], [-2.0, 2.4, 9.2], 0.6));
    gun.add(GlowGreen, block([-0.9, -3.9, 1.0], [0.2, 3.9, 1.8], 0.1));
    for side in [1.0, -1.0] {
        let cable = [
            vec3(-8.0, side * 3.4, 7.0),
            vec3(-3.0, side * 4.6, 7.8),
            vec3(3.0, side * 4.4, 6.4),
            vec3(8.0, side * 3.4, 5.6),
        ];
        gun.add(Rubber, hose(&cable, 0.6, 6));
    }
    add_grip(&mut gun, -4.8, -1.6);
    gun
}

pub(super) fn bfg_claws() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Dark,
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
    gun.add(Ceramic, around(&claw, 3, 90.0));
    gun.add(GlowGreen, disc(1.2, 1.8, 10));
    gun
}

/// A reel of cable behind a hook.
pub(super) fn grapple() -> Sculpt {
    let mut gun = Sculpt::default();
    let axis = vec3(0.0, 0.0, 2.4);
    gun.add(
        Steel,
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
    gun.add(Copper, reel.turned(yaw(90.0)).moved(vec3(-2.0, 0.0, 4.6)));
    gun.add(Barrel, tube(6.0, 11.0, 1.6, 1.0).moved(axis));
    gun.add(Amber, block([-6.6, -1.8, 1.4], [4.6, 1.8, 2.6], 0.3));
    add_grip(&mut gun, -3.0, -0.4);
    gun
}

pub(super) fn grapple_hook() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(Steel, lathe(&[[-1.0, 0.7], [3.0, 0.9], [6.0, 0.0]], 8));
    let prong: Solid = extruded(
        &[[2.0, 0.6], [5.0, 2.0], [3.0, 4.6], [1.0, 3.6], [2.6, 2.4]],
        0.3,
        0.15,
    );
    gun.add(PlainCeramic, around(&prong, 3, 90.0));
    gun
}
