//! The camera: bob, kick, steps, landing, zoom, death and third person.

use super::frame::Frame;
use crate::cg::angles;
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{World, ratmod::rat_flags, ruleset::dmflags},
    types::{
        playerstate::PlayerState,
        trace::{Sweep, contents},
    },
};

const DUCK_MSEC: i32 = 100;
const STEP_MSEC: i32 = 200;
const LAND_MSEC: i32 = 150;
const LAND_RETURN_MSEC: i32 = 300;
const DAMAGE_DEFLECT_MSEC: i32 = 100;
const DAMAGE_RETURN_MSEC: i32 = 400;
const ZOOM_MSEC: i32 = 150;
/// Larger steps are not smoothed any further.
const MAX_STEP: f32 = 32.0;
/// How far ahead a third-person camera looks.
const FOCUS_DISTANCE: f32 = 512.0;

/// What moves the camera away from the player's eyes, and since when.
#[derive(Clone, Debug, Default)]
pub struct ViewMotion {
    /// Angles of the camera in this frame.
    pub angles: Vec3,
    step_change: f32,
    step_time: ServerTime,
    duck_change: f32,
    duck_time: ServerTime,
    land_change: f32,
    land_time: ServerTime,
    damage_time: Option<ServerTime>,
    kick_pitch: f32,
    kick_roll: f32,
    /// Where the blood is seen, −1 to 1, and how much of it.
    pub damage_at: [f32; 2],
    pub damage_value: f32,
    is_zoomed: bool,
    zoom_time: Option<ServerTime>,
    landing: f32,
    bob_sin: f32,
    bob_is_odd: bool,
    speed_xy: f32,
    axis_before: Option<angles::Axis>,
}

/// Field of view in degrees, and what the mouse's sensitivity is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fov {
    pub x: f32,
    pub y: f32,
    pub sensitivity: f32,
}

impl ViewMotion {
    pub fn zoom(&mut self, is_zoomed: bool, now: ServerTime) {
        if self.is_zoomed != is_zoomed {
            self.is_zoomed = is_zoomed;
            self.zoom_time = Some(now);
        }
    }

    /// A stair of this many units was climbed.
    pub fn add_step(&mut self, height: f32, now: ServerTime) {
        let left = left_over(self.step_change, now - self.step_time, STEP_MSEC);
        self.step_change = (left + height).min(MAX_STEP);
        self.step_time = now;
    }

    /// Landed from a fall; negative is down.
    pub fn add_landing(&mut self, change: f32, now: ServerTime) {
        self.land_change = change;
        self.land_time = now;
    }

    /// Crouched or stood up.
    pub fn add_duck(&mut self, change: f32, now: ServerTime) {
        self.duck_change = change;
        self.duck_time = now;
    }

    /// Forgets all motion: the player is somewhere else now.
    pub fn reset(&mut self) {
        let (is_zoomed, zoom_time) = (self.is_zoomed, self.zoom_time);
        *self = Self {
            is_zoomed,
            zoom_time,
            ..Self::default()
        };
    }

    /// Damage from a direction: kicks the view and places the blood.
    pub fn add_damage(&mut self, player: &PlayerState, health: i32, now: ServerTime) {
        let scale = if health < 40 {
            1.0
        } else {
            40.0 / health as f32
        };
        let kick = (player.damage_count as f32 * scale).clamp(5.0, 10.0);
        self.damage_value = kick;
        self.damage_time = Some(now);
        if player.damage_yaw == 255 && player.damage_pitch == 255 {
            self.damage_at = [0.0; 2];
            self.kick_roll = 0.0;
            self.kick_pitch = -kick;
            return;
        }
        let byte_angle = |byte: i32| byte as f32 / 255.0 * 360.0;
        let from = angles::axis_from_angles(Vec3::new(
            byte_angle(player.damage_pitch),
            byte_angle(player.damage_yaw),
            0.0,
        ))[0];
        let axis = self
            .axis_before
            .unwrap_or_else(|| angles::axis_from_angles(player.view_angles));
        let [front, left, up] = axis.map(|row| row.dot(-from));
        let distance = libm::hypotf(front, left).max(0.1);
        self.kick_roll = kick * left;
        self.kick_pitch = -kick * front;
        self.damage_at = [
            (-left / front.max(0.1)).clamp(-1.0, 1.0),
            (up / distance).clamp(-1.0, 1.0),
        ];
    }

    /// How visible the blood of the last damage still is, 0 to 1.
    pub fn damage_fade(&self, now: ServerTime) -> f32 {
        const DAMAGE_MSEC: i32 = 500;
        match self.damage_time.map(|since| now - since) {
            Some(elapsed) if (1..DAMAGE_MSEC).contains(&elapsed) => {
                1.0 - elapsed as f32 / DAMAGE_MSEC as f32
            }
            _ => 0.0,
        }
    }

    /// What the swing of walking and idling does to the weapon's angles.
    pub fn sway(&self, now: ServerTime) -> Vec3 {
        let sided = if self.bob_is_odd {
            -self.speed_xy
        } else {
            self.speed_xy
        };
        let idle = (self.speed_xy + 40.0) * libm::sinf(now.0 as f32 * 0.001) * 0.01;
        Vec3::new(
            self.speed_xy * self.bob_sin * 0.005 + idle,
            sided * self.bob_sin * 0.01 + idle,
            sided * self.bob_sin * 0.005 + idle,
        )
    }

    /// How far the weapon hangs behind when landing.
    pub fn gun_drop(&self) -> Vec3 {
        Vec3::Z * self.landing * 0.25
    }
}

/// The camera's place and angles for a living, dead or watching player.
pub fn place(frame: &mut Frame<'_>, motion: &mut ViewMotion) {
    let (level, player) = (frame.level, &frame.predicted.player);
    let origin = player.origin + frame.predicted.offset;
    let settings = frame.settings;
    let now = frame.now;
    let bob = (player.bob_cycle & 127) as f32 / 127.0 * std::f32::consts::PI;
    motion.bob_sin = libm::sinf(bob).abs();
    motion.bob_is_odd = player.bob_cycle & 128 != 0;
    motion.speed_xy = player.velocity.truncate().length();
    motion.landing = land_offset(motion.land_change, now - motion.land_time);
    let mut eye = origin;
    let mut view_angles = player.view_angles;
    let is_watching = matches!(player.pm_type, 5 | 6);
    let dead_yaw = player.stats[level.stats.dead_yaw] as f32;
    let is_dead = player.stats[level.stats.health] <= 0;
    if *frame.is_third_person && !is_watching {
        let steps = now.0 / settings.camera_orbit_delay_msec.max(1);
        let around = settings.third_person_angle + settings.camera_orbit_deg * steps as f32 % 360.0;
        let dead_yaw = (is_dead && !level.has_rounds()).then_some(dead_yaw);
        (eye, view_angles) = third_person(frame, around, dead_yaw);
    } else if is_dead && !is_watching {
        view_angles = Vec3::new(-15.0, dead_yaw, 40.0);
        eye.z += player.view_height as f32;
    } else if !is_watching {
        let is_calm = (level.rat).is_some_and(|rat| !rat.has(rat_flags::SCREEN_SHAKE));
        if level.has_rounds() || is_calm {
            // Nobody is thrown about by damage where everybody has but one life, or the server wants that.
            (motion.kick_pitch, motion.kick_roll) = (0.0, 0.0);
        }
        offset_first_person(frame, motion, &mut eye, &mut view_angles);
    }
    motion.angles = view_angles;
    frame.view.eye = eye;
    frame.view.axis = angles::axis_from_angles(view_angles);
    motion.axis_before = Some(frame.view.axis);
}

fn offset_first_person(
    frame: &Frame<'_>,
    motion: &ViewMotion,
    eye: &mut Vec3,
    view_angles: &mut Vec3,
) {
    let (settings, player, now) = (frame.settings, &frame.predicted.player, frame.now);
    if let Some(elapsed) = motion.damage_time.map(|since| (now - since).max(0)) {
        let factor = if elapsed < DAMAGE_DEFLECT_MSEC {
            elapsed as f32 / DAMAGE_DEFLECT_MSEC as f32
        } else {
            1.0 - (elapsed - DAMAGE_DEFLECT_MSEC) as f32 / DAMAGE_RETURN_MSEC as f32
        };
        if factor > 0.0 {
            view_angles.x += factor * motion.kick_pitch * settings.kick_scale;
            view_angles.z += factor * motion.kick_roll * settings.kick_scale;
        }
    }
    let speed = motion.speed_xy.max(200.0);
    let is_ducked = player.pm_flags & 1 != 0;
    let crouch_factor = if is_ducked { 3.0 } else { 1.0 };
    let bob = Bob::of(settings.bob);
    let sided = if motion.bob_is_odd {
        -motion.bob_sin
    } else {
        motion.bob_sin
    };
    if bob.pitches {
        view_angles.x += motion.bob_sin * settings.bob_pitch * speed * crouch_factor;
    }
    if bob.rolls {
        view_angles.z += sided * settings.bob_roll * speed * crouch_factor;
    }
    if let (true, Some(axis)) = (bob.sways, motion.axis_before) {
        *eye += axis[1] * sided * SWAY * motion.speed_xy.min(SWAY_SPEED);
    }

    eye.z += player.view_height as f32;
    eye.z -= left_over(motion.duck_change, now - motion.duck_time, DUCK_MSEC);
    if bob.lifts && !frame.level.has_rat(rat_flags::NO_BOB_UP) {
        eye.z += (motion.bob_sin * motion.speed_xy * settings.bob_up).min(6.0);
    }
    eye.z += motion.landing;
    eye.z -= left_over(motion.step_change, now - motion.step_time, STEP_MSEC);
}

/// Sideways sway per unit of speed, up to the speed of running (OpenArena).
const SWAY: f32 = 0.006;
const SWAY_SPEED: f32 = 320.0;

/// Which motions of walking the view follows (`cg_bob`).
#[derive(Clone, Copy, Debug)]
struct Bob {
    pitches: bool,
    rolls: bool,
    lifts: bool,
    sways: bool,
}

impl Bob {
    fn of(choice: i32) -> Self {
        Self {
            pitches: matches!(choice, 1 | 2),
            rolls: matches!(choice, 1 | 3 | 5),
            lifts: matches!(choice, 1 | 4),
            sways: choice == 6,
        }
    }
}

/// What is left of a change that fades out in a straight line.
fn left_over(change: f32, elapsed: i32, duration: i32) -> f32 {
    if (0..duration).contains(&elapsed) {
        change * (duration - elapsed) as f32 / duration as f32
    } else {
        0.0
    }
}

/// Down quickly, up again slowly.
fn land_offset(change: f32, elapsed: i32) -> f32 {
    if (0..LAND_MSEC).contains(&elapsed) {
        change * elapsed as f32 / LAND_MSEC as f32
    } else {
        left_over(change, elapsed.saturating_sub(LAND_MSEC), LAND_RETURN_MSEC)
    }
}

/// Behind the player, not through walls.
fn third_person(frame: &Frame<'_>, around_deg: f32, dead_yaw: Option<f32>) -> (Vec3, Vec3) {
    let (settings, player) = (frame.settings, &frame.predicted.player);
    let origin = player.origin + frame.predicted.offset;
    let mut view_angles = player.view_angles;
    let mut eye = origin;
    eye.z += player.view_height as f32;
    if let Some(yaw) = dead_yaw {
        view_angles.y = yaw;
    }
    let mut focus_angles = view_angles;
    focus_angles.x = focus_angles.x.min(45.0);
    let focus = eye + angles::axis_from_angles(focus_angles)[0] * FOCUS_DISTANCE;
    view_angles.x *= 0.5;
    let [forward, left, _] = angles::axis_from_angles(view_angles);
    let (sin, cos) = libm::sincosf(around_deg.to_radians());
    let mut camera = eye + Vec3::Z * 8.0;
    camera -= forward * settings.third_person_range * cos;
    camera += left * settings.third_person_range * sin;
    if frame.world.has_map() {
        let half = Vec3::splat(4.0);
        let trace = |end| {
            let sweep = Sweep {
                start: eye,
                end,
                mins: -half,
                maxs: half,
                mask: contents::MASK_SOLID,
            };
            frame.world.trace(&sweep, player.client_num)
        };
        let first = trace(camera);
        if first.fraction < 1.0 {
            camera = first.end + Vec3::Z * ((1.0 - first.fraction) * 32.0);
            camera = trace(camera).end;
        }
    }
    let to_focus = focus - camera;
    let distance = to_focus.truncate().length().max(1.0);
    view_angles.x = -libm::atan2f(to_focus.z, distance).to_degrees();
    view_angles.y -= around_deg;
    (camera, view_angles)
}

/// Field of view with zoom and the wobble under water.
pub fn fov(frame: &Frame<'_>, motion: &ViewMotion, size: [f32; 2]) -> Fov {
    let (settings, level, now) = (frame.settings, frame.level, frame.now);
    let player = &frame.predicted.player;
    let is_watching = matches!(player.pm_type, 5 | 6);
    let is_fixed = is_watching || level.dm_flags & dmflags::FIXED_FOV != 0;
    let widest = if level.limits_fov { 140.0 } else { 160.0 };
    let base = if is_fixed {
        90.0
    } else {
        settings.fov.clamp(1.0, widest)
    };
    let zoomed = if level.dm_flags & dmflags::FIXED_FOV != 0 && level.profile.is_open_arena() {
        22.5
    } else {
        settings.zoom_fov.clamp(1.0, widest)
    };
    let fraction = motion.zoom_time.map_or(1.0, |since| {
        ((now - since) as f32 / ZOOM_MSEC as f32).clamp(0.0, 1.0)
    });
    let mut x = match (is_watching, motion.is_zoomed) {
        (true, _) => base,
        (false, true) => base + fraction * (zoomed - base),
        (false, false) if motion.zoom_time.is_some() => zoomed + fraction * (base - zoomed),
        (false, false) => base,
    };
    let [width, height] = size.map(|side| side.max(1.0));
    let mut y = if settings.fov_is_aspect_correct {
        let y = angle_across(3.0, 4.0, x);
        x = angle_across(width, height, y);
        y
    } else {
        angle_across(height, width, x)
    };
    let sensitivity = if motion.is_zoomed && !is_watching {
        y / 75.0 * settings.zoom_sensitivity
    } else {
        1.0
    };
    if frame.sound.ear.is_under_water {
        let wobble = libm::sinf(now.0 as f32 / 1000.0 * 0.4 * std::f32::consts::TAU);
        x += wobble;
        y -= wobble;
    }
    Fov { x, y, sensitivity }
}

/// The angle across `side` if the angle across `other` is `degrees`.
fn angle_across(side: f32, other: f32, degrees: f32) -> f32 {
    let distance = other / libm::tanf(degrees.to_radians() * 0.5);
    libm::atanf(side / distance).to_degrees() * 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up_and_fade() {
        let mut motion = ViewMotion::default();
        motion.add_step(16.0, ServerTime(1000));
        motion.add_step(16.0, ServerTime(1100));
        assert_eq!(left_over(motion.step_change, 0, STEP_MSEC), 24.0);
        assert_eq!(left_over(motion.step_change, 200, STEP_MSEC), 0.0);
        motion.add_step(30.0, ServerTime(1150));
        assert_eq!(motion.step_change, MAX_STEP);
    }

    #[test]
    fn vertical_angle_follows_the_aspect() {
        assert!((angle_across(3.0, 4.0, 90.0) - 73.74).abs() < 0.01);
        assert!((angle_across(480.0, 640.0, 90.0) - 73.74).abs() < 0.01);
    }

    #[test]
    fn landing_dips_and_returns() {
        assert_eq!(land_offset(-16.0, 75), -8.0);
        assert_eq!(land_offset(-16.0, 300), -8.0);
        assert_eq!(land_offset(-16.0, 500), 0.0);
    }
}
