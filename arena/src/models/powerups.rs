//! The six powerups: a sign for each, and a ring that turns around it.

use super::{Recipe, around, finish, star, upright};
use crate::mesh::{Model, Sculpt, Solid, ball, extruded, lathe, pitch, roll, torus, yaw};
use crate::textures::AtlasCell::{self, *};
use glam::{Vec2, Vec3, vec2, vec3};

pub(crate) const RECIPES: [Recipe; 12] = [
    ("models/powerups/instant/quad", quad),
    ("models/powerups/instant/quad_ring", || ring(GlowBlue, Blue)),
    ("models/powerups/instant/enviro", enviro),
    ("models/powerups/instant/enviro_ring", || {
        ring(GlowAmber, Gold)
    }),
    ("models/powerups/instant/haste", haste),
    ("models/powerups/instant/haste_ring", || {
        ring(GlowAmber, Red)
    }),
    ("models/powerups/instant/invis", invisibility),
    ("models/powerups/instant/invis_ring", || {
        ring(GlowWhite, Ceramic)
    }),
    ("models/powerups/instant/regen", regeneration),
    ("models/powerups/instant/regen_ring", || ring(GlowRed, Red)),
    ("models/powerups/instant/flight", flight),
    ("models/powerups/instant/flight_ring", || {
        ring(GlowViolet, Ceramic)
    }),
];

/// Where signs float.
const MIDDLE: Vec3 = Vec3::new(0.0, 0.0, 6.0);

/// A wide ring of segments, each with a lamp.
fn ring(glow: AtlasCell, paint: AtlasCell) -> Model {
    let mut item = Sculpt::default();
    item.add(glow, torus(23.0, vec2(0.6, 0.6), 28, 5));
    let segment = crate::mesh::bevelled(vec3(21.4, -3.4, -1.5), vec3(24.6, 3.4, 1.5), 0.7);
    let mut all = Solid::default();
    for index in 0..6 {
        all.append(segment.clone().turned(yaw(index as f32 * 60.0)));
    }
    item.add(paint, all);
    finish(item)
}

/// Four blades around a ball of blue light.
fn quad() -> Model {
    let mut item = Sculpt::default();
    item.add(GlowBlue, ball(4.4, 8, 12).moved(MIDDLE));
    let blade = extruded(
        &[
            [-2.0, 4.0],
            [2.0, 4.0],
            [3.4, 8.0],
            [0.0, 14.0],
            [-3.4, 8.0],
        ],
        1.3,
        0.8,
    );
    item.add(Blue, around(&blade.turned(yaw(90.0)), 4, 0.0).moved(MIDDLE));
    let hub = torus(5.4, Vec2::splat(0.8), 20, 6).turned(pitch(90.0));
    item.add(Steel, hub.moved(MIDDLE));
    finish(item)
}

/// A golden helmet-shaped shield.
fn enviro() -> Model {
    let mut item = Sculpt::default();
    let outline = [
        [-8.0, 6.0],
        [-4.0, 9.6],
        [0.0, 10.8],
        [4.0, 9.6],
        [8.0, 6.0],
        [7.4, -2.0],
        [4.4, -7.6],
        [0.0, -11.0],
        [-4.4, -7.6],
        [-7.4, -2.0],
    ];
    item.add(Gold, upright(&outline, 4.4, 1.6).moved(MIDDLE));
    let inner = outline.map(|[y, z]| [y * 0.62, z * 0.62]);
    item.add(Dark, upright(&inner, 5.2, 0.5).moved(MIDDLE));
    let visor = [[-4.0, 1.2], [4.0, 1.2], [3.4, -1.6], [-3.4, -1.6]];
    item.add(
        GlowAmber,
        upright(&visor, 5.8, 0.2).moved(MIDDLE + Vec3::Z * 1.4),
    );
    finish(item)
}

/// Three arrow heads, one behind another.
fn haste() -> Model {
    let mut item = Sculpt::default();
    for (index, cell) in [Amber, GlowAmber, Red].into_iter().enumerate() {
        let base = 5.6 - index as f32 * 6.4;
        let chevron = [
            [0.0, base + 6.0],
            [8.6, base - 2.6],
            [8.6, base - 6.4],
            [0.0, base + 1.6],
            [-8.6, base - 6.4],
            [-8.6, base - 2.6],
        ];
        item.add(cell, upright(&chevron, 4.0, 0.9).moved(MIDDLE));
    }
    finish(item)
}

/// An eye of glass.
fn invisibility() -> Model {
    let mut item = Sculpt::default();
    let rim = [
        [-12.0, 0.0],
        [-6.0, 5.4],
        [0.0, 7.2],
        [6.0, 5.4],
        [12.0, 0.0],
        [6.0, -5.4],
        [0.0, -7.2],
        [-6.0, -5.4],
    ];
    item.add(Ceramic, upright(&rim, 2.4, 0.8).moved(MIDDLE));
    let inner = rim.map(|[y, z]| [y * 0.78, z * 0.76]);
    item.add(Dark, upright(&inner, 3.0, 0.3).moved(MIDDLE));
    item.add_shaded("models/strafe/shell_blue", ball(4.6, 8, 12).moved(MIDDLE));
    item.add(GlowWhite, ball(1.7, 6, 8).moved(MIDDLE));
    finish(item)
}

/// A heart with a pulse.
fn regeneration() -> Model {
    let mut item = Sculpt::default();
    let heart = [
        [0.0, -10.0],
        [9.0, 0.0],
        [9.6, 4.4],
        [7.0, 8.0],
        [3.4, 8.0],
        [0.0, 4.8],
        [-3.4, 8.0],
        [-7.0, 8.0],
        [-9.6, 4.4],
        [-9.0, 0.0],
    ];
    item.add(Red, upright(&heart, 4.6, 1.4).moved(MIDDLE));
    let pulse = [
        [-6.6, 0.4],
        [-2.6, 0.4],
        [-1.0, 4.6],
        [1.4, -2.6],
        [2.6, 0.4],
        [6.6, 0.4],
        [6.6, -1.0],
        [3.4, -1.0],
        [1.2, -6.4],
        [-1.2, 1.2],
        [-1.8, -1.0],
        [-6.6, -1.0],
    ];
    item.add(GlowRed, upright(&pulse, 5.2, 0.15).moved(MIDDLE));
    finish(item)
}

/// Two wings at a jet.
fn flight() -> Model {
    let mut item = Sculpt::default();
    let body = lathe(
        &[[-8.0, 1.4], [-7.0, 2.6], [2.0, 3.0], [7.0, 1.8], [9.6, 0.0]],
        10,
    );
    item.add(Ceramic, body.turned(pitch(-90.0)).moved(MIDDLE));
    item.add(GlowViolet, ball(2.2, 6, 8).moved(MIDDLE - Vec3::Z * 8.0));
    for (lift, length) in [(0.0, 13.0), (-4.0, 10.0), (-7.6, 7.0)] {
        let feather = [
            [2.0, lift + 3.0],
            [length * 0.6, lift + 6.0],
            [length, lift + 8.4],
            [length * 0.8, lift + 3.0],
            [2.0, lift - 0.6],
        ];
        let wing = upright(&feather, 1.8, 0.6);
        item.add(Steel, wing.moved(MIDDLE).both_sides());
    }
    let crest = upright(&star(4, 2.2, 0.9, 0.0), 6.6, 0.2).turned(roll(0.0));
    item.add(GlowViolet, crest.moved(MIDDLE + Vec3::Z * 2.0));
    finish(item)
}
