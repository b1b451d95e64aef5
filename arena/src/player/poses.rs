//! How the runner moves: each animation as a row of poses, and the table of them.

use super::{Pose, bend, bone};
use crate::mesh::{pitch, roll, sin_cos, yaw};
use crate::noise::{lerp, smooth};
use glam::{Mat3, Vec3, vec3};
use std::fmt::Write as _;

pub(crate) const THIGH: f32 = 11.5;
pub(crate) const SHIN: f32 = 11.5;
pub(crate) const UPPER_ARM: f32 = 6.8;
pub(crate) const FOREARM: f32 = 6.6;

/// Height of the ankles over the soles, and where the ground is.
const ANKLE: f32 = -21.0;
const HIP: f32 = 3.6;
const SHOULDER: f32 = 7.0;

/// The legs at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LegPose {
    pelvis: Vec3,
    turn: Mat3,
    /// Left, then right.
    feet: [Foot; 2],
}

#[derive(Clone, Copy, Debug)]
struct Foot {
    ankle: Vec3,
    /// Toes down, and outward.
    tip: f32,
    out: f32,
}

impl LegPose {
    /// Pelvis, thighs, shins and feet.
    pub(crate) fn bones(&self) -> [Pose; 7] {
        let mut places = [(self.pelvis, self.turn); 7];
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let foot = self.feet[side];
            let hip = self.pelvis + self.turn * vec3(0.0, sign * HIP, 0.0);
            let facing = self.turn * yaw(foot.out * sign);
            let pole = facing * vec3(1.0, 0.0, 0.15);
            let (knee, ankle) = bend(hip, foot.ankle, [THIGH, SHIN], pole);
            places[1 + side] = bone(hip, knee, pole);
            places[3 + side] = bone(knee, ankle, pole);
            places[5 + side] = (ankle, yaw(foot.out * sign) * pitch(foot.tip));
        }
        places
    }

    /// Where the torso sits.
    pub(crate) fn waist(&self) -> Pose {
        (self.pelvis + self.turn * vec3(0.0, 0.0, 5.4), self.turn)
    }
}

/// The torso at one moment, from the waist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TorsoPose {
    chest: Mat3,
    head: Mat3,
    pub weapon: Pose,
    /// Where the left hand is; on the weapon if there is no place.
    left_hand: Option<Vec3>,
    /// Where the right hand is if it lets the weapon go.
    right_hand: Option<Vec3>,
}

impl TorsoPose {
    /// Waist, chest, upper arms and forearms.
    pub(crate) fn bones(&self) -> [Pose; 6] {
        let mut places = [(Vec3::ZERO, half_turn(self.chest)); 6];
        places[1] = (Vec3::ZERO, self.chest);
        let (at, axes) = self.weapon;
        let grip = self.right_hand.unwrap_or(at + axes * vec3(-3.6, 0.0, -2.6));
        let fore = self.left_hand.unwrap_or(at + axes * vec3(3.6, 1.4, -0.6));
        for (side, (sign, hand)) in [(1.0, fore), (-1.0, grip)].into_iter().enumerate() {
            let shoulder = self.chest * vec3(-0.4, sign * SHOULDER, 11.6);
            let pole = self.chest * vec3(-0.5, sign * 0.9, -0.7);
            let (elbow, wrist) = bend(shoulder, hand, [UPPER_ARM, FOREARM], pole);
            places[2 + side] = bone(shoulder, elbow, self.chest * Vec3::X);
            places[4 + side] = bone(elbow, wrist, -pole);
        }
        places
    }

    pub(crate) fn neck(&self) -> Pose {
        (self.chest * vec3(-0.4, 0.0, 15.2), self.head)
    }
}

/// About half of a turn: what the waist does when the chest turns.
fn half_turn(turn: Mat3) -> Mat3 {
    let mix = |axis: Vec3, rest: Vec3| (axis + rest).normalize_or(rest);
    let forward = mix(turn.x_axis, Vec3::X);
    let up = mix(turn.z_axis, Vec3::Z);
    let left = up.cross(forward).normalize_or(Vec3::Y);
    Mat3::from_cols(left.cross(up), left, up)
}

pub(crate) fn standing_legs() -> LegPose {
    LegPose {
        pelvis: vec3(0.0, 0.0, 0.6),
        turn: Mat3::IDENTITY,
        feet: [
            Foot {
                ankle: vec3(3.6, 4.8, ANKLE),
                tip: 0.0,
                out: 8.0,
            },
            Foot {
                ankle: vec3(-4.4, -5.0, ANKLE),
                tip: 0.0,
                out: 24.0,
            },
        ],
    }
}

pub(crate) fn standing_torso() -> TorsoPose {
    TorsoPose {
        chest: yaw(-18.0) * pitch(4.0),
        head: Mat3::IDENTITY,
        weapon: (vec3(6.6, -3.6, 7.6), Mat3::IDENTITY),
        left_hand: None,
        right_hand: None,
    }
}

/// How legs step: where feet touch and leave the ground, how high they swing.
#[derive(Clone, Copy)]
struct Gait {
    front: f32,
    back: f32,
    lift: f32,
    /// Share of the time that a foot stands.
    stand: f32,
    /// Height of the pelvis over the origin, and how much it bobs.
    height: f32,
    bob: f32,
    lean: f32,
    width: f32,
}

const RUN: Gait = Gait {
    front: 10.0,
    back: -13.0,
    lift: 10.0,
    stand: 0.42,
    height: -1.0,
    bob: 1.6,
    lean: 13.0,
    width: 3.0,
};

const WALK: Gait = Gait {
    front: 7.0,
    back: -8.0,
    lift: 3.6,
    stand: 0.58,
    height: 0.2,
    bob: 0.7,
    lean: 4.0,
    width: 3.8,
};

const CROUCHED: Gait = Gait {
    front: 7.0,
    back: -7.0,
    lift: 3.4,
    stand: 0.6,
    height: -8.6,
    bob: 0.6,
    lean: 14.0,
    width: 5.4,
};

const TURNING: Gait = Gait {
    front: 2.0,
    back: -2.0,
    lift: 3.0,
    stand: 0.5,
    height: 0.2,
    bob: 0.4,
    lean: 0.0,
    width: 4.8,
};

impl Gait {
    /// The pose after a share of a whole cycle of two steps.
    fn at(&self, phase: f32) -> LegPose {
        let foot = |phase: f32, sign: f32| {
            let phase = phase.fract();
            let (x, z, tip) = if phase < self.stand {
                let t = phase / self.stand;
                let heel = smooth((t - 0.55) / 0.45);
                let x = lerp(self.front, self.back, t);
                (
                    x,
                    heel * self.lift * 0.25,
                    lerp(-8.0, 0.0, smooth(t * 4.0)) + heel * 34.0,
                )
            } else {
                let t = (phase - self.stand) / (1.0 - self.stand);
                let (up, _) = sin_cos(t * 180.0);
                let x = lerp(self.back, self.front, smooth(t));
                let z = up * self.lift + (1.0 - t) * self.lift * 0.25;
                (x, z, lerp(40.0, -10.0, smooth(t)))
            };
            Foot {
                ankle: vec3(x, sign * self.width, ANKLE + z),
                tip,
                out: 6.0,
            }
        };
        let (swing, _) = sin_cos(phase * 360.0);
        let (_, bounce) = sin_cos(phase * 720.0 + 40.0);
        let sway = self.bob * 0.5;
        LegPose {
            pelvis: vec3(0.0, -swing * sway, self.height - bounce * self.bob),
            turn: yaw(swing * self.bob * 5.0) * pitch(self.lean) * roll(swing * self.bob * 1.6),
            feet: [foot(phase, 1.0), foot(phase + 0.5, -1.0)],
        }
    }

    fn cycle(&self, frames: usize) -> Vec<LegPose> {
        (0..frames)
            .map(|frame| self.at(frame as f32 / frames as f32))
            .collect()
    }
}

/// Standing with the pelvis moved by `by` and turned, feet moved by `feet`.
fn shifted(by: Vec3, turn: Mat3, feet: [Vec3; 2], tips: [f32; 2]) -> LegPose {
    let mut pose = standing_legs();
    pose.pelvis += by;
    pose.turn = turn;
    for side in 0..2 {
        pose.feet[side].ankle += feet[side];
        pose.feet[side].tip = tips[side];
    }
    pose
}

/// Frames of the three deaths: how many, and how fast.
const DEATH_FRAMES: usize = 7;

/// Whether a frame of either part belongs to a death.
#[cfg(test)]
pub(crate) fn is_fall(frame: usize) -> bool {
    frame < 3 * DEATH_FRAMES
}

/// How legs fall in one of the deaths, from 0 to 1.
fn falling_legs(death: usize, t: f32) -> LegPose {
    let drop = t * t;
    let swing = smooth(t);
    match death {
        // Thrown on the back.
        0 => shifted(
            vec3(-12.0 * swing, 0.0, -20.0 * drop),
            pitch(-86.0 * swing),
            [
                vec3(
                    8.0 * swing,
                    3.0 * swing,
                    -0.5 * drop + 7.0 * t * (1.0 - t) * 2.0,
                ),
                vec3(10.0 * swing, -2.0 * swing, 3.0 * t * (1.0 - t)),
            ],
            [-70.0 * swing, -55.0 * swing],
        ),
        // On the knees, then on the face.
        1 => shifted(
            vec3(
                4.0 * swing,
                0.0,
                -19.0 * smooth(t * 1.25) + 22.0 * t * (1.0 - t),
            ),
            pitch(84.0 * drop) * roll(8.0 * drop),
            [
                vec3(-18.0 * swing, 1.0, 2.6 * swing),
                vec3(-13.0 * swing, -2.0, 2.6 * swing),
            ],
            [62.0 * swing, 66.0 * swing],
        ),
        // Twisted to the side.
        _ => shifted(
            vec3(-3.0 * swing, 8.0 * swing, -18.0 * drop),
            yaw(-50.0 * swing) * roll(-80.0 * drop),
            [
                vec3(-20.0 * swing, -8.0 * swing, 5.0 * t * (1.0 - t)),
                vec3(-13.0 * swing, -4.0 * swing, 0.0),
            ],
            [30.0 * swing, 50.0 * swing],
        ),
    }
}

fn falling_torso(death: usize, t: f32) -> TorsoPose {
    let swing = smooth(t);
    let fling = smooth(t * 2.0);
    let rest = standing_torso();
    let (chest, left, right) = match death {
        0 => (
            yaw(-18.0 * (1.0 - swing)) * pitch(-6.0 * swing + 20.0 * t * (1.0 - t)),
            vec3(-1.0, 17.0, 12.0),
            vec3(-3.0, -16.0, 15.0),
        ),
        1 => (
            yaw(-18.0 * (1.0 - swing)) * pitch(6.0 + 30.0 * t * (1.0 - t)),
            vec3(8.0, 10.0, 18.0),
            vec3(4.0, -13.0, 9.0),
        ),
        _ => (
            yaw(-18.0 + 40.0 * swing) * roll(-6.0 * swing),
            vec3(9.0, 9.0, 8.0),
            vec3(6.0, -10.0, 16.0),
        ),
    };
    let (at, axes) = rest.weapon;
    let grip = at + axes * vec3(-3.6, 0.0, -2.6);
    let fore = at + axes * vec3(3.6, 1.4, -0.6);
    TorsoPose {
        chest,
        head: chest * pitch(-14.0 * swing) * yaw(20.0 * swing),
        weapon: rest.weapon,
        left_hand: Some(fore.lerp(left, fling)),
        right_hand: Some(grip.lerp(right, fling)),
    }
}

fn falls<T>(fall: fn(usize, f32) -> T) -> Vec<T> {
    (0..3 * DEATH_FRAMES)
        .map(|frame| {
            let t = (frame % DEATH_FRAMES) as f32 / (DEATH_FRAMES - 1) as f32;
            fall(frame / DEATH_FRAMES, t)
        })
        .collect()
}

/// An animation of legs or torso: its poses, and how they are played.
struct Strip<T> {
    poses: Vec<T>,
    /// How many frames at the end repeat.
    looping: usize,
    rate: usize,
}

fn strip<T>(poses: Vec<T>, looping: usize, rate: usize) -> Strip<T> {
    Strip {
        poses,
        looping,
        rate,
    }
}

/// Crouched walk, walk, run, swim, jump, land, idle, idle crouched, turn.
fn leg_strips() -> [Strip<LegPose>; 9] {
    let swim = (0..6).map(|frame| {
        let (kick, _) = sin_cos(frame as f32 * 60.0);
        shifted(
            vec3(-2.0, 0.0, kick * 0.5),
            pitch(38.0) * roll(kick * 4.0),
            [
                vec3(-16.0, -1.0, 4.0 + kick * 5.0),
                vec3(-9.0, 1.0, 4.0 - kick * 5.0),
            ],
            [55.0 - kick * 12.0, 55.0 + kick * 12.0],
        )
    });
    let jump = (0..4).map(|frame| {
        let up = smooth(frame as f32 / 2.0);
        shifted(
            vec3(0.0, 0.0, 1.0),
            pitch(8.0 * up),
            [vec3(4.0, -1.0, 11.0) * up, vec3(-6.0, 0.0, 5.0) * up],
            [14.0 * up, 46.0 * up],
        )
    });
    let land = [-6.5, -4.0, -1.2].into_iter().map(|sink: f32| {
        shifted(
            vec3(0.0, 0.0, sink),
            pitch(-sink * 2.4),
            [Vec3::ZERO; 2],
            [0.0; 2],
        )
    });
    let idle = (0..4).map(|frame| {
        let (breath, weight) = sin_cos(frame as f32 * 90.0);
        shifted(
            vec3(weight * 0.15, weight * 0.5, breath * 0.3 - 0.2),
            yaw(weight * 1.2) * roll(weight * 0.8),
            [Vec3::ZERO; 2],
            [0.0; 2],
        )
    });
    let low = (0..4).map(|frame| {
        let (breath, _) = sin_cos(frame as f32 * 90.0);
        shifted(
            vec3(-1.0, 0.0, breath * 0.3 - 9.4),
            pitch(12.0),
            [vec3(4.0, 1.0, 0.0), vec3(-3.0, -1.0, 3.0)],
            [0.0, 38.0],
        )
    });
    [
        strip(CROUCHED.cycle(6), 6, 12),
        strip(WALK.cycle(8), 8, 13),
        strip(RUN.cycle(8), 8, 19),
        strip(swim.collect(), 6, 10),
        strip(jump.collect(), 0, 14),
        strip(land.collect(), 0, 14),
        strip(idle.collect(), 4, 4),
        strip(low.collect(), 4, 4),
        strip(TURNING.cycle(4), 4, 10),
    ]
}

/// Gesture, attack, attack with the gauntlet, lower, raise, stand, stand with the gauntlet.
fn torso_strips() -> [Strip<TorsoPose>; 7] {
    let rest = standing_torso();
    let held = |offset: Vec3, turn: Mat3, chest: Mat3| TorsoPose {
        chest,
        weapon: (rest.weapon.0 + offset, turn),
        ..rest
    };
    let guard = TorsoPose {
        chest: yaw(-8.0) * pitch(6.0),
        weapon: (vec3(8.4, -4.6, 8.4), Mat3::IDENTITY),
        left_hand: Some(vec3(7.0, 4.6, 8.6)),
        ..rest
    };
    let gesture = (0..8).map(|frame| {
        let t = frame as f32 / 7.0;
        let (up, _) = sin_cos(t * 180.0);
        let (pump, _) = sin_cos(t * 720.0);
        TorsoPose {
            chest: yaw(-18.0 + 22.0 * up) * pitch(4.0 - 10.0 * up),
            head: yaw(8.0 * up) * pitch(-8.0 * up),
            weapon: (
                rest.weapon.0 + vec3(-2.0, -2.0, -3.0) * up,
                pitch(26.0 * up),
            ),
            left_hand: Some(vec3(10.2, -2.2, 7.0).lerp(vec3(5.0, 9.0, 21.0 + pump * 2.0), up)),
            ..rest
        }
    });
    let attack = [3.4, 2.6, 1.8, 1.1, 0.5, 0.0].into_iter().map(|kick: f32| {
        let chest = yaw(-18.0 - kick * 1.6) * pitch(4.0 - kick * 1.8);
        held(vec3(-kick, 0.0, kick * 0.3), pitch(-kick * 2.6), chest)
    });
    let punch = [0.5, 1.0, 0.85, 0.5, 0.2, 0.0]
        .into_iter()
        .map(|reach: f32| TorsoPose {
            chest: yaw(-8.0 + 26.0 * reach) * pitch(6.0 + 10.0 * reach),
            weapon: (
                guard.weapon.0 + vec3(4.6, 3.0, 1.6) * reach,
                pitch(-6.0 * reach),
            ),
            left_hand: Some(vec3(7.0, 4.6, 8.6) + vec3(-4.0, 2.0, -2.0) * reach),
            ..guard
        });
    let lowered = |down: f32| {
        held(
            vec3(-1.6, 0.6, -4.6) * down,
            pitch(46.0 * down) * yaw(10.0 * down),
            yaw(-18.0 + 10.0 * down) * pitch(4.0 + 6.0 * down),
        )
    };
    let lower = (0..5).map(|frame| lowered(smooth((frame + 1) as f32 / 5.0)));
    let raise = (0..4).map(|frame| lowered(1.0 - smooth((frame + 1) as f32 / 4.0)));
    [
        strip(gesture.collect(), 0, 10),
        strip(attack.collect(), 0, 15),
        strip(punch.collect(), 0, 15),
        strip(lower.collect(), 0, 20),
        strip(raise.collect(), 0, 16),
        strip(vec![rest], 0, 15),
        strip(vec![guard], 0, 15),
    ]
}

pub(crate) fn leg_frames() -> Vec<LegPose> {
    let strips = leg_strips().into_iter().flat_map(|strip| strip.poses);
    falls(falling_legs).into_iter().chain(strips).collect()
}

pub(crate) fn torso_frames() -> Vec<TorsoPose> {
    let strips = torso_strips().into_iter().flat_map(|strip| strip.poses);
    falls(falling_torso).into_iter().chain(strips).collect()
}

/// The text of `animation.cfg`.
pub(crate) fn config() -> String {
    let mut text =
        String::from("// A runner in armor.\nsex n\nfootsteps boot\nheadoffset 0 0 0\n\n");
    let mut row = |first: usize, count: i32, looping: usize, rate: usize| {
        writeln!(text, "{first}\t{count}\t{looping}\t{rate}").expect("text takes any line");
    };
    for death in 0..3 {
        let first = death * DEATH_FRAMES;
        row(first, DEATH_FRAMES as i32, 0, 12);
        row(first + DEATH_FRAMES - 1, 1, 0, 12);
    }
    let mut first = 3 * DEATH_FRAMES;
    for strip in torso_strips() {
        let count = strip.poses.len();
        row(first, count as i32, strip.looping, strip.rate);
        first += count;
    }
    // Legs go on counting after the torso's frames. To go back is to run in reverse, and a jump backward is a jump.
    let mut places = Vec::new();
    for strip in leg_strips() {
        let count = strip.poses.len();
        places.push((first, count as i32, strip.looping, strip.rate));
        first += count;
    }
    let [crouched, walk, run, swim, jump, land, idle, low, turn] =
        <[_; 9]>::try_from(places).expect("there are nine animations of the legs");
    let back = (run.0, -run.1, run.2, run.3);
    for (first, count, looping, rate) in [
        crouched, walk, run, back, swim, jump, land, jump, land, idle, low, turn,
    ] {
        row(first, count, looping, rate);
    }
    text
}
