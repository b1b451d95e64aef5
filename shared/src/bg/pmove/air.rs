//! Falling, flying, and all that is neither walking nor swimming.

use super::Move;
use crate::bg::{numeric::Profile, pmove::slide::clip};
use glam::Vec3;

const AIR_ACCELERATE: f32 = 1.0;
const FLY_ACCELERATE: f32 = 8.0;
const NOCLIP_ACCELERATE: f32 = 10.0;
const NOCLIP_FRICTION: f32 = 9.0;
const STOP_SPEED: f32 = 100.0;
const VIEW_HEIGHT_STANDING: i32 = 26;

impl Move<'_> {
    /// Speed per unit of the command's keys; diagonals are no faster (`bg_pmove.c`, `PM_CmdScale`).
    pub(super) fn command_scale(&self) -> f32 {
        let command = &self.command;
        let keys = [command.forward_move, command.right_move, command.up_move].map(i32::from);
        let max = keys.into_iter().fold(0, |max, key| max.max(key.abs()));
        if max == 0 {
            return 0.0;
        }
        let squares: i32 = keys.iter().map(|key| key * key).sum();
        let total = (squares as f32).sqrt();
        let speed = self.player.speed as f32 * max as f32;
        match self.settings.numeric.profile {
            Profile::Native | Profile::Fast => {
                (f64::from(speed) / (127.0 * f64::from(total))) as f32
            }
            Profile::Bytecode => speed / (127.0 * total),
        }
    }

    /// Falls, steering a little (`bg_pmove.c`, `PM_AirMove`).
    pub(super) fn air_move(&mut self) {
        self.end_slide_in_air();
        self.friction();
        let scale = self.command_scale();
        self.set_movement_dir();
        self.axes.forward.z = 0.0;
        self.axes.right.z = 0.0;
        self.axes.forward = self.normalize(self.axes.forward).0;
        self.axes.right = self.normalize(self.axes.right).0;
        let mut wish = self.wished_by_keys();
        wish.z = 0.0;
        let (direction, speed) = self.normalize(wish);
        match self.settings.rat {
            Some(rat) => self.accelerate_in_air(rat, direction, speed * scale),
            None => self.accelerate(direction, speed * scale, AIR_ACCELERATE),
        }
        if self.on_plane {
            // Too steep to walk on, but not to slide along.
            self.player.velocity = clip(self.player.velocity, self.ground.plane.normal);
        }
        self.step_slide_move(true);
    }

    /// Moves freely but not through walls (`bg_pmove.c`, `PM_FlyMove`).
    pub(super) fn fly_move(&mut self) {
        self.friction();
        let scale = self.command_scale();
        let wish = if scale == 0.0 {
            Vec3::ZERO
        } else {
            self.wished_in_space(scale)
        };
        let (direction, speed) = self.normalize(wish);
        self.accelerate(direction, speed, FLY_ACCELERATE);
        self.step_slide_move(false);
    }

    /// All three keys as a velocity.
    pub(super) fn wished_in_space(&self, scale: f32) -> Vec3 {
        let command = &self.command;
        let keys = [command.forward_move, command.right_move, command.up_move].map(f32::from);
        let directions = [self.axes.forward, self.axes.right];
        let profile = self.settings.numeric.profile;
        profile.scaled_sum(scale, directions, keys)
    }

    /// Is pulled by the grapple (`bg_pmove.c`, `PM_GrappleMove`).
    pub(super) fn grapple_move(&mut self) {
        let target = self.player.grapple_point + self.axes.forward * -16.0;
        let way = target - self.player.origin;
        let distance = way.dot(way).sqrt();
        let (direction, _) = self.normalize(way);
        let speed = if distance <= 100.0 {
            10.0 * distance
        } else {
            800.0
        };
        self.player.velocity = direction * speed;
        self.on_plane = false;
    }

    /// A corpse comes to rest (`bg_pmove.c`, `PM_DeadMove`).
    pub(super) fn dead_move(&mut self) {
        if !self.walking {
            return;
        }
        let velocity = self.player.velocity;
        let speed = velocity.dot(velocity).sqrt() - 20.0;
        self.player.velocity = if speed <= 0.0 {
            Vec3::ZERO
        } else {
            self.normalize(velocity).0 * speed
        };
    }

    /// Moves freely, through walls too (`bg_pmove.c`, `PM_NoclipMove`).
    pub(super) fn noclip_move(&mut self) {
        self.player.view_height = VIEW_HEIGHT_STANDING;
        let velocity = self.player.velocity;
        let speed = velocity.dot(velocity).sqrt();
        if speed < 1.0 {
            self.player.velocity = Vec3::ZERO;
        } else {
            let control = if speed < STOP_SPEED {
                STOP_SPEED
            } else {
                speed
            };
            let left = speed - (control * NOCLIP_FRICTION) * self.seconds;
            let left = if left < 0.0 { 0.0 } else { left };
            self.player.velocity *= left / speed;
        }
        let scale = self.command_scale();
        let mut wish = self.wished_by_keys();
        wish.z += f32::from(self.command.up_move);
        let (direction, speed) = self.normalize(wish);
        let acceleration = match self.settings.rat {
            Some(rat) => rat.movement.acceleration().ground,
            None => NOCLIP_ACCELERATE,
        };
        self.accelerate(direction, speed * scale, acceleration);
        self.player.origin += self.player.velocity * self.seconds;
    }

    /// Remembers which way the legs go, in eighths of a turn (`bg_pmove.c`, `PM_SetMovementDir`).
    pub(super) fn set_movement_dir(&mut self) {
        let forward = self.command.forward_move.signum();
        let right = self.command.right_move.signum();
        let current = self.player.movement_dir;
        self.player.movement_dir = match (forward, right) {
            (1, 0) => 0,
            (1, -1) => 1,
            (0, -1) => 2,
            (-1, -1) => 3,
            (-1, 0) => 4,
            (-1, 1) => 5,
            (0, 1) => 6,
            (1, 1) => 7,
            // Standing still: feet that went sideways come to a diagonal.
            _ if current == 2 => 1,
            _ if current == 6 => 7,
            _ => current,
        };
    }
}
