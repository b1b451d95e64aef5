//! Standing, walking and landing on the ground.

use super::Move;
use crate::bg::ruleset::STAT_HEALTH;
use crate::{
    bg::{
        numbers::{event, pm_flags, pm_type, powerup},
        numeric::Profile,
        pmove::slide::clip,
        ratmod::rat_flags,
        ruleset::dmflags,
    },
    types::{
        limits::ENTITYNUM_NONE,
        trace::{Trace, surface},
    },
};
use glam::Vec3;

/// Steeper ground cannot be walked on.
const MIN_WALK_NORMAL: f32 = 0.7;
const STOP_SPEED: f32 = 100.0;
const FRICTION: f32 = 6.0;
const WATER_FRICTION: f32 = 1.0;
const FLIGHT_FRICTION: f32 = 3.0;
const SPECTATOR_FRICTION: f32 = 5.0;
const ACCELERATE: f32 = 10.0;
const AIR_ACCELERATE: f32 = 1.0;
const DUCK_SCALE: f32 = 0.25;
const SWIM_SCALE: f32 = 0.5;
const JUMP_VELOCITY: f32 = 270.0;

impl Move<'_> {
    /// Finds the ground, if any (`bg_pmove.c`, `PM_GroundTrace`).
    pub(super) fn ground_trace(&mut self) {
        let mut trace = self.look_down();
        self.ground = trace;
        if trace.all_solid {
            let Some(again) = self.unstick() else {
                return;
            };
            trace = again;
        }
        if trace.fraction == 1.0 {
            return self.ground_missed();
        }
        let velocity = self.player.velocity;
        if velocity.z > 0.0 && velocity.dot(trace.plane.normal) > 10.0 {
            // Thrown off the ground, by a jump or by a ramp.
            self.air_animation();
            return self.leave_ground();
        }
        if trace.plane.normal.z < MIN_WALK_NORMAL {
            self.leave_ground();
            self.on_plane = true;
            return;
        }
        self.on_plane = true;
        self.walking = true;
        if self.has_flag(pm_flags::TIME_WATERJUMP) {
            self.player.pm_flags &= !(pm_flags::TIME_WATERJUMP | pm_flags::TIME_LAND);
            self.player.pm_time = 0;
        }
        if self.player.ground_entity_num == ENTITYNUM_NONE {
            self.crash_land();
            if self.start_velocity.z < -200.0 {
                self.player.pm_flags |= pm_flags::TIME_LAND;
                self.player.pm_time = 250;
            }
        }
        self.player.ground_entity_num = trace.entity_num;
        self.touch(trace.entity_num);
    }

    fn look_down(&self) -> Trace {
        let origin = self.player.origin;
        self.trace(origin, Vec3::new(origin.x, origin.y, origin.z - 0.25))
    }

    pub(super) fn leave_ground(&mut self) {
        self.player.ground_entity_num = ENTITYNUM_NONE;
        self.on_plane = false;
        self.walking = false;
    }

    fn ground_missed(&mut self) {
        if self.player.ground_entity_num != ENTITYNUM_NONE {
            // Just walked off: fall visibly, unless it is only a stair.
            let origin = self.player.origin;
            let below = self.trace(origin, Vec3::new(origin.x, origin.y, origin.z - 64.0));
            if below.fraction == 1.0 {
                self.air_animation();
            }
        }
        self.leave_ground();
    }

    /// Looks whether a place nearby is free; the player is not moved there (`PM_CorrectAllSolid`).
    fn unstick(&mut self) -> Option<Trace> {
        let steps = [-1.0, 0.0, 1.0];
        for x in steps {
            for y in steps {
                for z in steps {
                    let place = self.player.origin + Vec3::new(x, y, z);
                    if !self.trace(place, place).all_solid {
                        self.ground = self.look_down();
                        return Some(self.ground);
                    }
                }
            }
        }
        self.leave_ground();
        None
    }

    /// Comes down on the ground (`bg_pmove.c`, `PM_CrashLand`).
    fn crash_land(&mut self) {
        self.land_animation();
        let Some(mut impact) = self.landing_impact() else {
            return;
        };
        if self.has_flag(pm_flags::DUCKED) && self.lands_crouched() {
            impact *= 2.0;
        }
        match self.contact.water_level {
            3 => return,
            2 => impact *= 0.25,
            1 => impact *= 0.5,
            _ => {}
        }
        if impact < 1.0 {
            return;
        }
        if self.ground.surface_flags & surface::NODAMAGE == 0 {
            if impact > 60.0 {
                self.event(event::FALL_FAR);
            } else if impact > 40.0 {
                if self.player.stats[STAT_HEALTH] > 0 {
                    self.event(event::FALL_MEDIUM);
                }
            } else if impact > 7.0 {
                self.event(event::FALL_SHORT);
            } else {
                self.event(self.footstep());
            }
        }
        self.reset_steps();
    }

    /// The square of the landing speed over 10,000, as if the fall had ended exactly on the ground.
    fn landing_impact(&self) -> Option<f32> {
        let fallen = self.player.origin.z - self.start_origin.z;
        let speed = self.start_velocity.z;
        let gravity = -(self.player.gravity as f32);
        let half_gravity = gravity / 2.0;
        let radicand = speed * speed - (4.0 * half_gravity) * -fallen;
        if radicand < 0.0 {
            return None;
        }
        let doubled = 2.0 * half_gravity;
        let profile = self.settings.numeric.profile;
        let seconds = match profile {
            Profile::Native | Profile::Fast => {
                let root = f64::from(radicand).sqrt();
                ((f64::from(-speed) - root) / f64::from(doubled)) as f32
            }
            Profile::Bytecode => (-speed - radicand.sqrt()) / doubled,
        };
        let impact = speed + seconds * gravity;
        Some(profile.scale(impact * impact, 0.0001))
    }

    /// Slows down on the ground, in water and in flight (`bg_pmove.c`, `PM_Friction`).
    pub(super) fn friction(&mut self) {
        let mut measured = self.player.velocity;
        if self.walking {
            measured.z = 0.0;
        }
        let speed = measured.dot(measured).sqrt();
        if speed < 1.0 {
            self.player.velocity.x = 0.0;
            self.player.velocity.y = 0.0;
            return;
        }
        let mut drop = 0.0;
        let water_level = self.contact.water_level;
        if water_level <= 1 && self.walking && !self.is_loose() && !self.is_sliding() {
            let control = if speed < STOP_SPEED {
                STOP_SPEED
            } else {
                speed
            };
            let profile = self.settings.numeric.profile;
            drop += profile.over_time(control, FRICTION, self.seconds);
        }
        if water_level != 0 {
            drop += ((speed * WATER_FRICTION) * water_level as f32) * self.seconds;
        }
        if self.player.powerups[powerup::FLIGHT] != 0 {
            drop += (speed * FLIGHT_FRICTION) * self.seconds;
        }
        if self.player.pm_type == pm_type::SPECTATOR {
            drop += (speed * SPECTATOR_FRICTION) * self.seconds;
        }
        let left = speed - drop;
        let left = if left < 0.0 { 0.0 } else { left };
        self.player.velocity *= left / speed;
    }

    /// The ground gives no hold.
    fn is_loose(&self) -> bool {
        self.ground.surface_flags & surface::SLICK != 0 || self.has_flag(pm_flags::TIME_KNOCKBACK)
    }

    /// Gains speed towards a direction. Only the speed that is already along it counts, which is what makes
    /// strafe jumping work (`bg_pmove.c`, `PM_Accelerate`).
    pub(super) fn accelerate(&mut self, direction: Vec3, wish_speed: f32, acceleration: f32) {
        let rules = self.settings.rules;
        if rules.openarena && self.settings.dmflags & dmflags::NO_BUNNY != 0 {
            let push = direction * wish_speed - self.player.velocity;
            let (push, length) = self.normalize(push);
            let gain = ((acceleration * self.seconds) * wish_speed).min(length);
            self.player.velocity += push * gain;
            return;
        }
        let profile = self.settings.numeric.profile;
        let missing = profile.missing_speed(wish_speed, self.player.velocity, direction);
        if missing <= 0.0 {
            return;
        }
        let gain = (acceleration * self.seconds) * wish_speed;
        let gain = if gain > missing { missing } else { gain };
        self.player.velocity += direction * gain;
    }

    /// Walks along the ground (`bg_pmove.c`, `PM_WalkMove`).
    pub(super) fn walk_move(&mut self) {
        let normal = self.ground.plane.normal;
        if self.contact.water_level > 2 && self.axes.forward.dot(normal) > 0.0 {
            return self.water_move();
        }
        if self.check_jump() {
            return if self.contact.water_level > 1 {
                self.water_move()
            } else {
                self.air_move()
            };
        }
        self.friction();
        self.end_slide_without_keys();
        let scale = self.walk_scale();
        self.set_movement_dir();
        self.axes.forward.z = 0.0;
        self.axes.right.z = 0.0;
        self.axes.forward = self.normalize(clip(self.axes.forward, normal)).0;
        self.axes.right = self.normalize(clip(self.axes.right, normal)).0;
        let (direction, speed) = self.normalize(self.wished_by_keys());
        let speed = self.limit_walk(speed * scale);
        let loose = self.is_loose();
        self.accelerate_on_ground(direction, speed, loose);
        if loose || self.is_sliding() {
            self.player.velocity.z -= self.player.gravity as f32 * self.seconds;
        }
        let velocity = self.player.velocity;
        let speed = velocity.dot(velocity).sqrt();
        let (along, _) = self.normalize(clip(velocity, normal));
        self.player.velocity = along * speed;
        if self.player.velocity.x != 0.0 || self.player.velocity.y != 0.0 {
            self.step_slide_move(false);
        }
    }

    fn accelerate_on_ground(&mut self, direction: Vec3, wish_speed: f32, is_loose: bool) {
        let acceleration = match self.settings.rat {
            Some(rat) => self.rat_ground_acceleration(rat, is_loose),
            None if is_loose => AIR_ACCELERATE,
            None => ACCELERATE,
        };
        let slides = self.is_sliding();
        let before = self.player.velocity;
        self.accelerate(direction, wish_speed, acceleration);
        if slides {
            self.slide_on(before.dot(before).sqrt(), wish_speed);
        }
    }

    /// Forward and sideward keys along the view's directions.
    pub(super) fn wished_by_keys(&self) -> Vec3 {
        self.axes.forward * f32::from(self.command.forward_move)
            + self.axes.right * f32::from(self.command.right_move)
    }

    /// Ducked and wading players are slower.
    fn limit_walk(&self, mut wish_speed: f32) -> f32 {
        let speed = self.player.speed as f32;
        if self.has_flag(pm_flags::DUCKED) && wish_speed > speed * DUCK_SCALE {
            wish_speed = speed * DUCK_SCALE;
        }
        wish_speed = self.limit_slide(wish_speed);
        let water_level = self.contact.water_level;
        if water_level != 0 && !self.wades_freely() {
            let depth = water_level as f32 / 3.0;
            let scale = 1.0 - (1.0 - self.swim_scale()) * depth;
            if wish_speed > speed * scale {
                wish_speed = speed * scale;
            }
        }
        wish_speed
    }

    /// How fast one swims compared with running.
    pub(super) fn swim_scale(&self) -> f32 {
        let fast = self.settings.dmflags & dmflags::FAST_WATER != 0;
        if self.has_rat(rat_flags::FAST_SWIM) {
            0.75
        } else if self.settings.rules.openarena_master && fast {
            5.0
        } else {
            SWIM_SCALE
        }
    }

    /// Leaves the ground if the player wants to and may (`bg_pmove.c`, `PM_CheckJump`).
    fn check_jump(&mut self) -> bool {
        if self.has_flag(pm_flags::RESPAWNED) || self.command.up_move < 10 {
            return false;
        }
        if self.has_flag(pm_flags::JUMP_HELD) {
            self.command.up_move = 0;
            return false;
        }
        self.leave_ground();
        self.player.pm_flags |= pm_flags::JUMP_HELD;
        self.player.velocity.z = match self.settings.rat {
            Some(rat) => self.rat_jump(rat, JUMP_VELOCITY),
            None => JUMP_VELOCITY,
        };
        self.event(event::JUMP);
        self.air_animation();
        true
    }
}
