//! Swimming, and jumping out of the water.

use super::{ALL_TIMES, Move};
use crate::{
    bg::{numbers::pm_flags, pmove::slide::clip},
    types::trace::contents,
};
use glam::Vec3;

const WATER_ACCELERATE: f32 = 4.0;
/// Whoever does not swim sinks.
const SINKING: Vec3 = Vec3::new(0.0, 0.0, -60.0);

impl Move<'_> {
    /// Swims (`bg_pmove.c`, `PM_WaterMove`).
    pub(super) fn water_move(&mut self) {
        if self.check_water_jump() {
            return self.water_jump_move();
        }
        self.friction();
        let scale = self.command_scale();
        let wish = if scale == 0.0 {
            SINKING
        } else {
            self.wished_in_space(scale)
        };
        let (direction, speed) = self.normalize(wish);
        let limit = self.player.speed as f32 * self.swim_scale();
        let speed = if speed > limit { limit } else { speed };
        self.accelerate(direction, speed, WATER_ACCELERATE);
        let normal = self.ground.plane.normal;
        let velocity = self.player.velocity;
        if self.on_plane && velocity.dot(normal) < 0.0 {
            let speed = velocity.dot(velocity).sqrt();
            let (along, _) = self.normalize(clip(velocity, normal));
            self.player.velocity = along * speed;
        }
        self.slide_move(false);
    }

    /// Starts a jump if a wall ends just above the water (`bg_pmove.c`, `PM_CheckWaterJump`).
    fn check_water_jump(&mut self) -> bool {
        if self.player.pm_time != 0 || self.contact.water_level != 2 {
            return false;
        }
        let forward = self.axes.forward;
        let (flat, _) = self.normalize(Vec3::new(forward.x, forward.y, 0.0));
        let mut ahead = self.player.origin + flat * 30.0;
        ahead.z += 4.0;
        if self.contents(ahead) & contents::SOLID == 0 {
            return false;
        }
        ahead.z += 16.0;
        let blocking = if self.settings.rules.water_jump_needs_empty {
            u32::MAX
        } else {
            contents::SOLID | contents::PLAYERCLIP | contents::BODY
        };
        if self.contents(ahead) & blocking != 0 {
            return false;
        }
        self.player.velocity = forward * 200.0;
        self.player.velocity.z = 350.0;
        self.player.pm_flags |= pm_flags::TIME_WATERJUMP;
        self.player.pm_time = 2000;
        true
    }

    /// Flies out of the water without control (`bg_pmove.c`, `PM_WaterJumpMove`).
    pub(super) fn water_jump_move(&mut self) {
        self.step_slide_move(true);
        self.player.velocity.z -= self.player.gravity as f32 * self.seconds;
        if self.player.velocity.z < 0.0 {
            // Falling down again, so steering is possible again.
            self.player.pm_flags &= !ALL_TIMES;
            self.player.pm_time = 0;
        }
    }
}
