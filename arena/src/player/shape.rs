//! The runner's body: armor plates over a dark suit, piece by piece.

use super::Piece;
use super::poses::{FOREARM, SHIN, THIGH, UPPER_ARM};
use crate::mesh::{Solid, ball, bevelled, extruded, lathe, pitch, roll, torus, yaw};
use crate::textures::AtlasCell::{self, *};
use glam::{Vec3, vec2, vec3};

/// Bones of the legs, in the order of [`super::poses::LegPose::bones`].
mod leg {
    pub(crate) const PELVIS: usize = 0;
    /// Left, then right.
    pub(crate) const THIGH: [usize; 2] = [1, 2];
    pub(crate) const SHIN: [usize; 2] = [3, 4];
    pub(crate) const FOOT: [usize; 2] = [5, 6];
}

/// Bones of the torso, in the order of [`super::poses::TorsoPose::bones`].
mod torso {
    pub(crate) const WAIST: usize = 0;
    pub(crate) const CHEST: usize = 1;
    /// Left, then right.
    pub(crate) const UPPER_ARM: [usize; 2] = [2, 3];
    pub(crate) const FOREARM: [usize; 2] = [4, 5];
}

fn block(min: [f32; 3], max: [f32; 3], bevel: f32) -> Solid {
    bevelled(Vec3::from(min), Vec3::from(max), bevel)
}

/// A limb's suit: a tapered tube that hangs from its joint.
fn sleeve(length: f32, radii: [f32; 3]) -> Solid {
    let [top, middle, bottom] = radii;
    let profile = [[0.0, top], [length * 0.4, middle], [length, bottom]];
    lathe(&profile, 6).turned(pitch(90.0)).turned(yaw(30.0))
}

/// Adds a piece for the left, and its mirror image for the right.
fn pair(pieces: &mut Vec<Piece>, bones: [usize; 2], cell: AtlasCell, solid: Solid) {
    pieces.push(Piece {
        cell,
        bone: bones[1],
        solid: solid.clone().mirrored(),
    });
    pieces.push(Piece {
        cell,
        bone: bones[0],
        solid,
    });
}

pub(crate) fn legs() -> Vec<Piece> {
    let one = |cell, solid| Piece {
        cell,
        solid,
        bone: leg::PELVIS,
    };
    let mut pieces = vec![
        one(PlainDark, block([-2.9, -4.4, -1.8], [2.9, 4.4, 4.6], 1.2)),
        one(Accent, block([-3.3, -4.6, 2.4], [3.3, 4.6, 4.2], 0.6)),
        one(
            Ceramic,
            extruded(
                &[[1.6, 2.6], [3.4, 2.2], [3.0, -2.6], [1.4, -3.6]],
                1.7,
                0.5,
            ),
        ),
    ];
    let thigh = sleeve(THIGH, [2.7, 2.6, 1.9]);
    pair(&mut pieces, leg::THIGH, PlainDark, thigh);
    let plate = extruded(
        &[
            [0.4, -0.6],
            [2.7, -1.0],
            [3.1, -4.0],
            [2.3, -8.0],
            [0.4, -8.0],
        ],
        2.2,
        0.7,
    );
    pair(
        &mut pieces,
        leg::THIGH,
        Ceramic,
        plate.moved(vec3(0.0, 0.5, 0.0)),
    );
    let shin = sleeve(SHIN, [2.0, 2.2, 1.5]);
    pair(&mut pieces, leg::SHIN, PlainDark, shin);
    let guard = extruded(
        &[
            [0.2, 1.8],
            [2.2, 2.4],
            [3.3, 0.6],
            [2.8, -2.6],
            [2.3, -9.6],
            [0.2, -9.6],
        ],
        1.9,
        0.6,
    );
    pair(&mut pieces, leg::SHIN, Ceramic, guard);
    let knee = block([2.0, -1.2, -0.4], [3.6, 1.2, 1.4], 0.4);
    pair(&mut pieces, leg::SHIN, Accent, knee);
    let boot = extruded(
        &[
            [-3.2, -3.0],
            [5.2, -3.0],
            [5.4, -1.6],
            [2.4, 0.4],
            [1.6, 2.2],
            [-2.4, 2.2],
            [-3.4, -0.6],
        ],
        1.9,
        0.6,
    );
    pair(&mut pieces, leg::FOOT, Dark, boot);
    let lamp = block([-3.6, -0.7, -0.6], [-3.0, 0.7, 0.6], 0.2);
    pair(&mut pieces, leg::FOOT, GlowAccent, lamp);
    pieces
}

pub(crate) fn torso() -> Vec<Piece> {
    let on = |bone, cell, solid| Piece { cell, solid, bone };
    let chest = extruded(
        &[
            [-3.6, 3.4],
            [2.4, 3.2],
            [4.4, 7.0],
            [3.8, 11.6],
            [1.0, 14.0],
            [-2.8, 13.6],
            [-4.6, 9.0],
        ],
        5.6,
        1.5,
    );
    let breast = extruded(
        &[[1.0, 6.2], [4.6, 5.8], [5.4, 8.6], [4.4, 11.8], [1.4, 13.4]],
        2.5,
        0.8,
    );
    let breast = breast.moved(vec3(0.0, 2.9, 0.0));
    let mut pieces = vec![
        on(
            torso::WAIST,
            Rubber,
            block([-2.6, -3.8, -1.6], [2.6, 3.8, 5.0], 1.2),
        ),
        on(
            torso::WAIST,
            Ceramic,
            block([0.6, -2.4, 0.6], [3.3, 2.4, 4.4], 0.7),
        ),
        on(torso::CHEST, PlainDark, chest),
        on(torso::CHEST, Ceramic, breast.clone()),
        on(torso::CHEST, Ceramic, breast.mirrored()),
        on(
            torso::CHEST,
            Steel,
            block([-7.4, -3.8, 4.6], [-3.6, 3.8, 13.0], 1.0),
        ),
        on(
            torso::CHEST,
            Vent,
            block([-8.0, -2.4, 6.0], [-7.0, 2.4, 11.6], 0.4),
        ),
        on(
            torso::CHEST,
            GlowAccent,
            block([4.6, -0.8, 7.2], [5.4, 0.8, 10.4], 0.3),
        ),
        on(
            torso::CHEST,
            Rubber,
            torus(2.6, vec2(0.9, 1.2), 10, 5).moved(vec3(-0.4, 0.0, 14.2)),
        ),
    ];
    let arm = sleeve(UPPER_ARM, [1.9, 1.9, 1.5]);
    pair(&mut pieces, torso::UPPER_ARM, PlainDark, arm);
    let pad = extruded(
        &[
            [-3.2, -2.6],
            [3.2, -2.6],
            [3.4, 0.4],
            [1.8, 2.6],
            [-1.8, 2.6],
            [-3.4, 0.4],
        ],
        1.7,
        0.8,
    );
    let pad = pad.turned(roll(-12.0)).moved(vec3(0.0, 1.2, -0.4));
    pair(&mut pieces, torso::UPPER_ARM, Accent, pad);
    let forearm = sleeve(FOREARM, [1.5, 1.7, 1.2]);
    pair(&mut pieces, torso::FOREARM, PlainDark, forearm);
    let bracer = block([-1.0, -1.9, -6.0], [2.1, 1.9, -1.2], 0.7);
    pair(&mut pieces, torso::FOREARM, Ceramic, bracer);
    let glove = block(
        [-1.3, -1.3, -FOREARM - 1.9],
        [1.5, 1.3, -FOREARM + 0.9],
        0.7,
    );
    pair(&mut pieces, torso::FOREARM, Rubber, glove);
    pieces
}

pub(crate) fn head() -> Vec<Piece> {
    let on = |cell, solid| Piece {
        cell,
        solid,
        bone: 0,
    };
    let dome = ball(4.0, 8, 12)
        .scaled(vec3(1.12, 0.92, 1.04))
        .moved(vec3(-0.2, 0.0, 3.8));
    let jaw = extruded(
        &[
            [-3.4, -0.6],
            [2.8, -1.2],
            [4.7, 0.4],
            [4.5, 2.2],
            [-1.0, 3.4],
            [-3.8, 2.8],
        ],
        3.0,
        0.9,
    );
    let visor = extruded(
        &[[1.2, 2.6], [4.7, 2.3], [5.0, 4.3], [3.4, 5.5], [1.0, 5.2]],
        2.9,
        0.7,
    );
    let crest = extruded(
        &[
            [-4.8, 3.0],
            [-3.6, 6.4],
            [0.4, 8.5],
            [3.4, 7.2],
            [2.0, 7.0],
            [-0.6, 7.4],
            [-3.0, 5.0],
        ],
        0.7,
        0.3,
    );
    let ear = lathe(&[[0.0, 1.5], [0.9, 1.3], [0.9, 0.0]], 8)
        .turned(yaw(90.0))
        .moved(vec3(-0.6, 3.3, 3.4));
    vec![
        on(Rubber, block([-2.0, -2.2, -2.4], [2.0, 2.2, 1.0], 0.7)),
        on(PlainCeramic, dome),
        on(PlainDark, jaw),
        on(Accent, crest),
        on(GlowAccent, visor),
        on(Dark, ear.clone()),
        on(Dark, ear.mirrored()),
    ]
}
