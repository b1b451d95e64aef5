//! What RatMod adds to the move: no throwing back by the ground, jumps that add up, slides, steering in the air.

use super::{
    Move,
    slide::{OVERCLIP, clip},
};
use crate::{
    bg::{
        numbers::pm_flags,
        ratmod::{
            Movement, RatRules, rat_flags,
            rat_stats::{BOB_REST, FREEZE, FROZEN, JUMP_TIME, KEYS, SLIDE_TIME, SLIDING, STATE},
        },
    },
    types::{playerstate::PlayerState, trace::surface, usercmd::Usercmd},
};
use glam::Vec3;

/// What is slower does not slide on, and steers no faster in a slide.
const SLIDE_SPEED: f32 = 226.0;
const SLIDE_MSEC: i32 = 400;
const SLIDE_ACCELERATE: f32 = 15.0;
/// Whoever stands up from a slide may go on with it for so long.
const SLIDE_REST_MSEC: i32 = 300;
/// Faster than this a slide gains nothing.
const SLIDE_LIMIT: f32 = 600.0;
/// A second jump within this time gains [`DOUBLE_JUMP`].
const DOUBLE_JUMP_MSEC: i32 = 400;
const DOUBLE_JUMP: f32 = 100.0;
/// How fast one brakes in the air with CPM's movements.
const STOP_ACCELERATE: f32 = 2.5;
const AIR_CONTROL: f32 = 150.0;

/// Tells whoever follows the player which keys he holds.
pub(super) fn note_keys(player: &mut PlayerState, command: &Usercmd) {
    let key = |amount: i8, positive: i32, negative: i32| match amount.signum() {
        1 => positive,
        -1 => negative,
        _ => 0,
    };
    player.stats[KEYS] = key(command.up_move, 16, 32)
        | key(command.forward_move, 1, 2)
        | key(command.right_move, 8, 4);
}

/// Takes out of a velocity what goes into the plane, and leaves what goes away from it.
fn clip_into(velocity: Vec3, normal: Vec3) -> Vec3 {
    let into = velocity.dot(normal);
    let backoff = if into < 0.0 { into * OVERCLIP } else { 0.0 };
    velocity - normal * backoff
}

impl Move<'_> {
    /// The server runs RatMod and has one of these flags set.
    pub(super) fn has_rat(&self, flags: i32) -> bool {
        self.settings.rat.is_some_and(|rat| rat.has(flags))
    }

    fn movement(&self) -> Movement {
        self.settings.rat.map_or(Movement::Vq3, |rat| rat.movement)
    }

    pub(super) fn is_sliding(&self) -> bool {
        self.settings.rat.is_some() && self.player.stats[STATE] & SLIDING != 0
    }

    /// A block of ice is solid and stands, although it has no health.
    pub(super) fn is_frozen(&self) -> bool {
        self.settings.rat.is_some() && self.player.stats[FREEZE] & FROZEN != 0
    }

    fn end_slide(&mut self) {
        self.player.stats[STATE] &= !SLIDING;
    }

    /// What the ground does to the velocity before anything else.
    pub(super) fn clip_overbounce(&mut self) {
        if self.on_plane && self.has_rat(rat_flags::NO_OVERBOUNCE) {
            self.player.velocity = clip_into(self.player.velocity, self.ground.plane.normal);
        }
    }

    /// Counts down the time for a second jump, and that of a slide.
    pub(super) fn drop_rat_timers(&mut self, rat: RatRules) {
        let is_timed = rat.has(rat_flags::SLIDE_MODE);
        let stats = &mut self.player.stats;
        if stats[JUMP_TIME] > 0 {
            stats[JUMP_TIME] -= self.msec;
        }
        let velocity = self.player.velocity;
        if is_timed && velocity.dot(velocity).sqrt() < SLIDE_SPEED {
            self.end_slide();
        }
        let goes_on = is_timed && self.has_flag(pm_flags::DUCKED);
        let stats = &mut self.player.stats;
        if stats[SLIDE_TIME] > if goes_on { -0x4000_0000 } else { 0 } {
            stats[SLIDE_TIME] -= self.msec;
            if stats[SLIDE_TIME] <= 0 && !goes_on {
                stats[SLIDE_TIME] = 0;
                self.end_slide();
            }
        }
    }

    pub(super) fn stand_up_from_slide(&mut self) {
        if self.has_rat(rat_flags::CROUCH_SLIDE) {
            self.player.stats[SLIDE_TIME] = SLIDE_REST_MSEC;
        }
    }

    /// Crouched one lands on a slide; where it is slippery, one does not land harder either.
    pub(super) fn lands_crouched(&mut self) -> bool {
        let Some(rat) = self.settings.rat else {
            return true;
        };
        if self.ground.surface_flags & surface::SLICK != 0 {
            return false;
        }
        if rat.has(rat_flags::CROUCH_SLIDE) {
            self.player.stats[STATE] |= SLIDING;
            if rat.has(rat_flags::SLIDE_MODE) {
                self.player.stats[SLIDE_TIME] = SLIDE_MSEC;
            }
            // The next step is heard at once.
            self.player.bob_cycle = 63;
            self.player.stats[BOB_REST] = 999;
        }
        true
    }

    /// Starts the steps anew after a landing that was no slide.
    pub(super) fn reset_steps(&mut self) {
        if self.is_sliding() {
            return;
        }
        self.player.bob_cycle = 0;
        if self.settings.rat.is_some() {
            self.player.stats[BOB_REST] = 0;
        }
    }

    /// How fast a jump is, where jumps may add to the speed upward.
    pub(super) fn rat_jump(&mut self, rat: RatRules, jump: f32) -> f32 {
        let adds = rat.has(rat_flags::RAMP_JUMP | rat_flags::ADDITIVE_JUMP);
        let upward = self.player.velocity.z;
        let mut speed = if adds && upward >= 0.0 {
            upward + jump
        } else {
            jump
        };
        if rat.has(rat_flags::RAMP_JUMP) && self.player.stats[JUMP_TIME] > 0 {
            speed += DOUBLE_JUMP;
        }
        self.player.stats[JUMP_TIME] = DOUBLE_JUMP_MSEC;
        speed
    }

    /// Whoever rises faster than this without ground does not step up.
    pub(super) fn max_rise_on_stairs(&self) -> f32 {
        match self.movement() {
            Movement::Vq3 => 0.0,
            _ => (25.0 * self.player.gravity as f32) * self.seconds,
        }
    }

    /// The velocity on a stair that was stepped up.
    pub(super) fn clip_on_stair(&self, normal: Vec3) -> Vec3 {
        let velocity = self.player.velocity;
        let is_plain = !self.has_rat(rat_flags::SMOOTH_STAIRS)
            || (self.has_rat(rat_flags::RAMP_JUMP) && self.jumps_again());
        if is_plain {
            clip(velocity, normal)
        } else {
            clip_into(velocity, normal)
        }
    }

    fn jumps_again(&self) -> bool {
        !self.has_flag(pm_flags::RESPAWNED | pm_flags::JUMP_HELD)
            && self.command.up_move >= 10
            && self.player.stats[JUMP_TIME] > 0
    }

    /// Gains speed in the air, and turns where the movement lets one.
    pub(super) fn accelerate_in_air(&mut self, rat: RatRules, direction: Vec3, wish_speed: f32) {
        let movement = rat.movement;
        let acceleration = movement.acceleration();
        let mut rate = acceleration.air;
        let velocity = self.player.velocity;
        if movement.is_cpm() {
            let (flat, _) = self.normalize(Vec3::new(velocity.x, velocity.y, 0.0));
            let against = -flat.dot(direction);
            let against = if against <= 0.0 { 0.0 } else { against };
            rate += (STOP_ACCELERATE - rate) * against;
        }
        let mut speed = wish_speed;
        let strafes = self.command.forward_move == 0 && self.command.right_move != 0;
        if let (Some((wish, strafe)), true) = (acceleration.strafe, strafes) {
            (speed, rate) = (wish, strafe);
        }
        self.accelerate(direction, speed, rate);
        if movement.is_cpm() && self.command.forward_move != 0 && self.command.right_move == 0 {
            self.turn_in_air(direction, wish_speed);
        }
    }

    /// Turns the velocity towards where one looks, without changing the speed.
    fn turn_in_air(&mut self, direction: Vec3, wish_speed: f32) {
        let mut turn = 32.0 * (wish_speed / 30.0).clamp(0.0, 1.0);
        let upward = self.player.velocity.z;
        self.player.velocity.z = 0.0;
        let (mut flat, speed) = self.normalize(self.player.velocity);
        let along = flat.dot(direction);
        if along > 0.0 {
            turn *= (along * along) * self.seconds;
            turn *= AIR_CONTROL;
            flat = self.normalize(flat * speed + direction * turn).0;
        }
        self.player.velocity = flat * speed;
        self.player.velocity.z = upward;
    }

    /// In the air nobody slides.
    pub(super) fn end_slide_in_air(&mut self) {
        if self.settings.rat.is_some() && !self.walking {
            self.end_slide();
            self.player.stats[SLIDE_TIME] = 0;
        }
    }

    /// A slide lasts only while one steers.
    pub(super) fn end_slide_without_keys(&mut self) {
        if self.command.forward_move == 0 && self.command.right_move == 0 && self.is_sliding() {
            self.end_slide();
        }
    }

    /// The speed that the keys give on foot; in a slide the one for crouching takes nothing away.
    pub(super) fn walk_scale(&mut self) -> f32 {
        if !self.is_sliding() {
            return self.command_scale();
        }
        let up = std::mem::replace(&mut self.command.up_move, 0);
        let scale = self.command_scale();
        self.command.up_move = up;
        scale
    }

    pub(super) fn limit_slide(&self, wish_speed: f32) -> f32 {
        if self.is_sliding() {
            SLIDE_SPEED
        } else {
            wish_speed
        }
    }

    /// Whoever stands in shallow water is not slower with RatMod's own movement.
    pub(super) fn wades_freely(&self) -> bool {
        self.movement() == Movement::Rat && self.contact.water_level == 1
    }

    /// How fast one gains speed on the ground, which may give no hold.
    pub(super) fn rat_ground_acceleration(&self, rat: RatRules, is_loose: bool) -> f32 {
        let acceleration = rat.movement.acceleration();
        if self.is_sliding() {
            SLIDE_ACCELERATE
        } else if !is_loose || rat.movement == Movement::Cpmd {
            acceleration.ground
        } else {
            acceleration.air
        }
    }

    /// What a slide does with the speed that was gained on the ground; `before` is the speed without that.
    pub(super) fn slide_on(&mut self, before: f32, wish_speed: f32) {
        let speed = |player: &PlayerState| player.velocity.dot(player.velocity).sqrt();
        let now = speed(self.player);
        if now < before {
            self.end_slide();
        }
        let is_timed = self.has_rat(rat_flags::SLIDE_MODE);
        let gains = now > before && before >= wish_speed;
        if gains || is_timed {
            let mut change = if is_timed {
                (self.player.stats[SLIDE_TIME] as f32 / SLIDE_MSEC as f32) * 2.0
            } else {
                -0.5
            };
            if is_timed && !gains && change > 0.0 {
                change = 0.0;
            }
            let (along, _) = self.normalize(self.player.velocity);
            self.player.velocity = along * (before + (change * wish_speed) * self.seconds);
        }
        if is_timed && speed(self.player) > before && before >= SLIDE_LIMIT {
            let (along, _) = self.normalize(self.player.velocity);
            self.player.velocity = along * before;
        }
    }

    /// Hangs on the grapple's rope.
    pub(super) fn swing_move(&mut self) {
        let target = self.player.grapple_point + self.axes.forward * -16.0;
        let (direction, _) = self.normalize(target - self.player.origin);
        let along = self.player.velocity.dot(direction);
        if along < 0.0 {
            self.player.velocity -= direction * along;
        }
        if along < 350.0 {
            self.player.velocity += direction * (1500.0 * self.seconds);
        }
        if self.player.velocity.z > 1.0 {
            self.on_plane = false;
            self.walking = false;
        }
    }

    /// `bob_cycle` after this step, which takes along what is less than a unit.
    pub(super) fn regular_bob(&mut self, rate: f32) -> i32 {
        let before = self.player.bob_cycle as f32;
        let step = rate * self.msec as f32;
        let rest = self.player.stats[BOB_REST] as f32 / 1000.0;
        let plain = (before + step) as i32;
        let full = ((before + step) + rest) as i32;
        let stats = &mut self.player.stats;
        if plain != full {
            stats[BOB_REST] = (1000.0 * (((before + step) + rest) - full as f32)) as i32;
            return full & 255;
        }
        stats[BOB_REST] += (1000.0 * (step - (step as i32) as f32)) as i32;
        plain & 255
    }

    /// Standing still one starts with a whole step.
    pub(super) fn forget_bob_rest(&mut self) {
        if self.settings.rat.is_some() {
            self.player.stats[BOB_REST] = 0;
        }
    }
}

#[cfg(test)]
mod tests;
