//! Weapons that strike or fire bullets: gauntlet, machinegun, shotgun.

use super::add_grip;
use crate::{
    mesh::{Sculpt, disc, extruded, lathe, pitch},
    models::{add_bore, around, block, tube},
    textures::AtlasCell::*,
};
use glam::{Vec3, vec3};

/// A fist in a steel cuff; three blades turn in front of it.
pub(super) fn gauntlet() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Steel,
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
    gun.add(Accent, block([-5.5, -3.0, -1.0], [1.5, 3.0, 1.4], 0.4));
    gun.add(Vent, block([-4.5, -1.7, 2.6], [0.5, 1.7, 4.0], 0.4));
    gun.add(
        Dark,
        lathe(&[[6.0, 2.9], [8.4, 2.5], [8.4, 0.0]], 12).moved(vec3(0.0, 0.0, 0.6)),
    );
    let knuckle = block([3.0, 0.9, -4.0], [6.4, 2.5, -2.4], 0.5);
    gun.add(Dark, knuckle.both_sides());
    gun.add(GlowAccent, block([-5.0, -3.15, 0.0], [1.0, 3.15, 0.5], 0.1));
    let piston = lathe(&[[-7.0, 0.0], [-7.0, 0.55], [5.6, 0.55], [5.6, 0.0]], 8);
    gun.add(PlainSteel, piston.moved(vec3(0.0, 2.9, 2.0)).both_sides());
    gun
}

pub(super) fn gauntlet_blades() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Steel,
        lathe(&[[-2.2, 2.2], [0.6, 2.0], [2.6, 0.7], [3.0, 0.0]], 12),
    );
    let blade = extruded(
        &[[-1.2, 1.2], [0.8, 1.2], [5.6, 3.2], [3.2, 5.0], [-0.2, 4.4]],
        0.42,
        0.35,
    );
    gun.add(PlainCeramic, around(&blade, 3, 90.0));
    let edge = extruded(&[[5.7, 3.2], [3.2, 5.2], [3.0, 4.9], [5.4, 3.1]], 0.2, 0.1);
    gun.add(GlowAccent, around(&edge, 3, 90.0));
    gun
}

/// Slim, with a box magazine and three barrels that turn.
pub(super) fn machinegun() -> Sculpt {
    let mut gun = Sculpt::default();
    gun.add(
        Steel,
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
    gun.add(Dark, block([-4.5, -1.9, 1.0], [4.5, 1.9, 2.9], 0.4));
    gun.add(
        Dark,
        extruded(
            &[[2.2, 0.0], [5.0, 0.0], [5.8, -5.2], [3.2, -5.6]],
            1.0,
            0.3,
        ),
    );
    gun.add(Amber, block([3.3, -1.06, -3.4], [5.0, 1.06, -2.6], 0.1));
    gun.add(Dark, block([-3.0, -0.6, 4.2], [3.6, 0.6, 5.2], 0.3));
    gun.add(GlowAmber, block([-3.1, -0.3, 4.6], [-2.9, 0.3, 5.0], 0.05));
    gun.add(
        Rubber,
        extruded(
            &[[-13.0, -0.8], [-9.0, 0.4], [-9.0, 3.2], [-13.0, 3.0]],
            1.1,
            0.4,
        ),
    );
    gun.add(Accent, block([-1.0, -2.0, 3.0], [4.0, 2.0, 3.6], 0.2));
    add_grip(&mut gun, -2.6, -0.3);
    gun
}

pub(super) fn machinegun_barrels() -> Sculpt {
    let mut gun = Sculpt::default();
    let center = Vec3::ZERO;
    let one = tube(0.0, 10.0, 0.62, 0.38).moved(vec3(0.0, 1.0, 0.0));
    gun.add(Barrel, around(&one, 3, 90.0));
    let bore = disc(9.2, 0.4, 8).moved(vec3(0.0, 1.0, 0.0));
    gun.add(Rubber, around(&bore, 3, 90.0));
    for x in [0.4, 4.6, 8.2] {
        let ring = lathe(&[[x, 0.0], [x, 1.9], [x + 0.9, 1.9], [x + 0.9, 0.0]], 12);
        gun.add(PlainDark, ring.moved(center));
    }
    gun
}

/// Two wide barrels side by side, a ribbed pump below, a stock behind.
pub(super) fn shotgun() -> Sculpt {
    let mut gun = Sculpt::default();
    let barrel = tube(2.0, 18.0, 1.25, 0.95).moved(vec3(0.0, 1.25, 2.8));
    gun.add(Barrel, barrel.both_sides());
    add_bore(&mut gun, 16.4, 1.0, vec3(0.0, 1.25, 2.8));
    add_bore(&mut gun, 16.4, 1.0, vec3(0.0, -1.25, 2.8));
    gun.add(Steel, block([-6.0, -2.4, 0.8], [4.0, 2.4, 4.6], 0.8));
    gun.add(Dark, block([11.4, -2.8, 1.3], [13.0, 2.8, 4.4], 0.5));
    gun.add(Steel, block([4.0, -0.4, 4.0], [17.0, 0.4, 4.7], 0.2));
    gun.add(
        Grip,
        extruded(
            &[[4.6, -0.8], [10.6, -0.8], [11.2, 1.6], [4.0, 1.6]],
            2.2,
            0.6,
        ),
    );
    gun.add(
        Accent,
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
    gun.add(Rubber, block([-15.3, -1.2, -3.0], [-14.3, 1.2, 2.2], 0.3));
    let shell = lathe(&[[-3.6, 0.0], [-3.6, 0.5], [-1.4, 0.5], [-1.4, 0.0]], 8);
    for step in 0..3 {
        let at = vec3(step as f32 * 2.4 - 0.4, 2.6, 2.9);
        gun.add(
            Red,
            shell
                .clone()
                .turned(pitch(90.0))
                .moved(at + vec3(0.0, 0.0, -2.4)),
        );
        let cap = lathe(&[[-0.3, 0.56], [0.3, 0.56], [0.3, 0.0]], 8);
        gun.add(
            Brass,
            cap.turned(pitch(90.0)).moved(at + vec3(0.0, 0.0, -1.0)),
        );
    }
    gun.add(GlowAmber, block([-1.0, -2.46, 3.8], [2.6, 2.46, 4.1], 0.05));
    add_grip(&mut gun, -3.6, 0.9);
    gun
}
