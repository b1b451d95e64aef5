//! The player's box, and how deep it stands in water.

use super::Move;
use crate::{
    bg::numbers::{event, pm_flags, pm_type, powerup},
    types::trace::contents,
};
use glam::Vec3;

const MINS: Vec3 = Vec3::new(-15.0, -15.0, -24.0);
const VIEW_HEIGHT_STANDING: i32 = 26;
const VIEW_HEIGHT_DUCKED: i32 = 12;
const VIEW_HEIGHT_DEAD: i32 = -16;

impl Move<'_> {
    /// Sets box and view height; stands up only where there is room (`bg_pmove.c`, `PM_CheckDuck`).
    pub(super) fn check_duck(&mut self) {
        if self.player.powerups[powerup::INVULNERABILITY] != 0 {
            return self.invulnerable_posture();
        }
        self.player.pm_flags &= !pm_flags::INVULEXPAND;
        if self.player.pm_type == pm_type::DEAD && !self.is_frozen() {
            return self.posture(-8.0, VIEW_HEIGHT_DEAD);
        }
        if self.command.up_move < 0 {
            self.player.pm_flags |= pm_flags::DUCKED;
        } else if self.has_flag(pm_flags::DUCKED) {
            self.posture(32.0, self.player.view_height);
            let origin = self.player.origin;
            if !self.trace(origin, origin).all_solid {
                self.player.pm_flags &= !pm_flags::DUCKED;
                self.stand_up_from_slide();
            }
        }
        if self.has_flag(pm_flags::DUCKED) {
            self.posture(16.0, VIEW_HEIGHT_DUCKED);
        } else {
            self.posture(32.0, VIEW_HEIGHT_STANDING);
        }
    }

    fn invulnerable_posture(&mut self) {
        self.posture(16.0, VIEW_HEIGHT_DUCKED);
        if self.has_flag(pm_flags::INVULEXPAND) {
            self.contact.mins = Vec3::splat(-42.0);
            self.contact.maxs = Vec3::splat(42.0);
        }
        self.player.pm_flags |= pm_flags::DUCKED;
    }

    fn posture(&mut self, top: f32, view_height: i32) {
        self.contact.mins = MINS;
        self.contact.maxs = Vec3::new(15.0, 15.0, top);
        self.player.view_height = view_height;
    }

    /// Looks for liquid at feet, waist and eyes (`bg_pmove.c`, `PM_SetWaterLevel`).
    pub(super) fn sample_water(&mut self) {
        self.contact.water_level = 0;
        self.contact.water_type = 0;
        let origin = self.player.origin;
        let feet = origin.z + MINS.z;
        let to_eyes = self.player.view_height - MINS.z as i32;
        let heights = [1, to_eyes / 2, to_eyes];
        for (level, height) in (1..).zip(heights) {
            let found = self.contents(Vec3::new(origin.x, origin.y, feet + height as f32));
            if found & contents::MASK_WATER == 0 {
                return;
            }
            if level == 1 {
                self.contact.water_type = found;
            }
            self.contact.water_level = level;
        }
    }

    /// Tells of getting in and out of water (`bg_pmove.c`, `PM_WaterEvents`).
    pub(super) fn water_events(&mut self) {
        let (before, after) = (self.start_water_level, self.contact.water_level);
        if before == 0 && after != 0 {
            self.event(event::WATER_TOUCH);
        }
        if before != 0 && after == 0 {
            self.event(event::WATER_LEAVE);
        }
        if before != 3 && after == 3 {
            self.event(event::WATER_UNDER);
        }
        if before == 3 && after != 3 {
            self.event(event::WATER_CLEAR);
        }
    }
}
