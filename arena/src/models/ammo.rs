//! Ammunition: one kind of tray for all, and in it what the weapon takes.

use super::{Recipe, around, block, finish};
use crate::mesh::{Model, Sculpt, Solid, ball, hose, lathe, pitch, torus};
use crate::textures::AtlasCell::{self, *};
use glam::{Vec2, Vec3, vec3};

pub(crate) const RECIPES: [Recipe; 8] = [
    ("models/powerups/ammo/shotgunam", shells),
    ("models/powerups/ammo/machinegunam", bullets),
    ("models/powerups/ammo/grenadeam", grenades),
    ("models/powerups/ammo/plasmaam", cells),
    ("models/powerups/ammo/lightningam", charge),
    ("models/powerups/ammo/rocketam", rockets),
    ("models/powerups/ammo/railgunam", slugs),
    ("models/powerups/ammo/bfgam", core),
];

/// The tray: dark walls with a painted band and lit corners in the weapon's color.
fn tray(paint: AtlasCell, glow: AtlasCell) -> Sculpt {
    let mut tray = Sculpt::default();
    tray.add(Dark, block([-8.0, -11.0, -8.0], [8.0, 11.0, -5.0], 1.0));
    tray.add(Steel, block([-8.6, -11.6, -5.4], [-6.4, 11.6, 1.0], 0.7));
    tray.add(Steel, block([6.4, -11.6, -5.4], [8.6, 11.6, 1.0], 0.7));
    tray.add(Steel, block([-7.0, 9.4, -5.4], [7.0, 11.6, 1.0], 0.7));
    tray.add(Steel, block([-7.0, -11.6, -5.4], [7.0, -9.4, 1.0], 0.7));
    tray.add(paint, block([-8.9, -7.0, -3.6], [8.9, 7.0, -0.6], 0.4));
    let lamp = block([-8.9, 8.6, -3.4], [8.9, 10.2, -0.8], 0.3);
    tray.add(glow, lamp.both_sides());
    tray
}

/// Copies of a solid on a grid of places.
fn rows(solid: &Solid, along: &[f32], across: &[f32], z: f32) -> Solid {
    let mut all = Solid::default();
    for &x in along {
        for &y in across {
            all.append(solid.clone().moved(vec3(x, y, z)));
        }
    }
    all
}

/// A profile turned around the up axis.
fn upright_lathe(profile: &[[f32; 2]], sides: usize) -> Solid {
    lathe(profile, sides).turned(pitch(-90.0))
}

fn shells() -> Model {
    let mut box_ = tray(Red, GlowAmber);
    let body = upright_lathe(&[[0.0, 1.7], [8.0, 1.7], [8.4, 1.3], [8.4, 0.0]], 8);
    let cap = upright_lathe(&[[0.0, 1.95], [2.6, 1.95], [2.6, 1.6]], 8);
    let (along, across) = ([-3.4, 3.4], [-6.6, -2.2, 2.2, 6.6]);
    box_.add(Red, rows(&body, &along, &across, -3.0));
    box_.add(Brass, rows(&cap, &along, &across, -2.6));
    finish(box_)
}

fn bullets() -> Model {
    let mut box_ = tray(Yellow, GlowAmber);
    let case = upright_lathe(&[[0.0, 1.0], [6.0, 0.9]], 6);
    let tip = upright_lathe(&[[6.0, 0.8], [8.8, 0.0]], 6);
    let (along, across) = ([-4.4, -1.5, 1.5, 4.4], [-7.6, -4.6, -1.5, 1.5, 4.6, 7.6]);
    box_.add(Brass, rows(&case, &along, &across, -4.0));
    box_.add(Copper, rows(&tip, &along, &across, -4.0));
    finish(box_)
}

fn grenades() -> Model {
    let mut box_ = tray(Green, GlowGreen);
    let ball = ball(2.9, 6, 8);
    let pin = upright_lathe(&[[2.4, 1.0], [4.2, 0.9], [4.2, 0.0]], 6);
    let (along, across) = ([-3.2, 3.2], [-6.2, 0.0, 6.2]);
    box_.add(Green, rows(&ball, &along, &across, 0.6));
    box_.add(PlainSteel, rows(&pin, &along, &across, 0.6));
    finish(box_)
}

fn cells() -> Model {
    let mut box_ = tray(Blue, GlowBlue);
    let cell = upright_lathe(&[[0.0, 2.3], [7.0, 2.3]], 10);
    let cap = upright_lathe(
        &[
            [7.0, 2.3],
            [7.0, 2.8],
            [9.0, 2.8],
            [9.0, 1.0],
            [9.8, 1.0],
            [9.8, 0.0],
        ],
        10,
    );
    let (along, across) = ([0.0], [-6.4, 0.0, 6.4]);
    box_.add(GlowBlue, rows(&cell, &along, &across, -4.0));
    box_.add(PlainSteel, rows(&cap, &along, &across, -4.0));
    finish(box_)
}

fn charge() -> Model {
    let mut box_ = tray(Ceramic, GlowWhite);
    let rod = upright_lathe(&[[0.0, 1.1], [9.0, 1.1], [9.6, 0.0]], 8);
    box_.add(GlowAccent, rows(&rod, &[0.0], &[-5.0, 5.0], -3.0));
    for z in [-1.0, 1.6, 4.2] {
        let coil = torus(2.3, Vec2::splat(0.55), 12, 5);
        box_.add(Copper, rows(&coil, &[0.0], &[-5.0, 5.0], z));
    }
    let arc = [
        vec3(0.0, -5.0, 6.4),
        vec3(0.6, -2.4, 8.4),
        vec3(-0.6, -0.4, 7.0),
        vec3(0.6, 2.0, 8.8),
        vec3(0.0, 5.0, 6.4),
    ];
    box_.add(GlowAccent, hose(&arc, 0.3, 5));
    finish(box_)
}

fn rockets() -> Model {
    let mut box_ = tray(Red, GlowRed);
    let body = upright_lathe(&[[0.0, 1.7], [9.0, 1.7]], 8);
    let tip = upright_lathe(&[[9.0, 2.0], [10.6, 1.8], [14.0, 0.0]], 8);
    let across = [-6.2, 0.0, 6.2];
    box_.add(PlainCeramic, rows(&body, &[0.0], &across, -4.6));
    box_.add(Red, rows(&tip, &[0.0], &across, -4.6));
    finish(box_)
}

fn slugs() -> Model {
    let mut box_ = tray(Accent, GlowAccent);
    let body = upright_lathe(&[[0.0, 1.1], [7.0, 1.1], [7.0, 1.5], [8.0, 1.5]], 8);
    let core = upright_lathe(&[[8.0, 0.8], [11.6, 0.4], [12.2, 0.0]], 8);
    let (along, across) = ([-3.2, 3.2], [-6.4, -2.2, 2.2, 6.4]);
    box_.add(PlainSteel, rows(&body, &along, &across, -4.0));
    box_.add(GlowAccent, rows(&core, &along, &across, -4.0));
    finish(box_)
}

fn core() -> Model {
    let mut box_ = tray(Green, GlowGreen);
    box_.add(GlowGreen, ball(4.6, 8, 12).moved(Vec3::Z * 3.4));
    let arm = lathe(&[[-5.6, 0.8], [5.6, 0.8]], 6).moved(vec3(0.0, 0.0, 5.2));
    box_.add(
        Dark,
        around(&arm, 4, 45.0)
            .turned(pitch(90.0))
            .moved(Vec3::Z * 3.4),
    );
    box_.add(
        PlainSteel,
        torus(5.4, Vec2::splat(0.7), 16, 5).moved(Vec3::Z * 3.4),
    );
    finish(box_)
}
