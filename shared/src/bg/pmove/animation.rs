//! What arms and legs do, and the sound of steps.

use super::{Move, weapon::weapon_state};
use crate::{
    bg::{
        numbers::{event, pm_flags, pm_type, powerup, rat_event, weapon},
        ratmod::rat_flags,
    },
    types::{limits::ENTITYNUM_NONE, trace::surface, usercmd::buttons},
};

/// Animation numbers that the move uses, as in `legs_anim` and `torso_anim` without the toggle bit.
pub mod anim {
    use super::master;

    numbers! { i32:
        TOGGLE_BIT = 128, "Flips whenever an animation starts anew.";
        TORSO_GESTURE = 6, "A taunt.";
        TORSO_ATTACK = 7, "A shot.";
        TORSO_ATTACK2 = 8, "A blow with the gauntlet.";
        TORSO_DROP = 9, "The weapon goes down.";
        TORSO_RAISE = 10, "The next weapon comes up.";
        TORSO_STAND = 11, "At rest with a weapon.";
        TORSO_STAND2 = 12, "At rest with the gauntlet.";
        LEGS_WALKCR = 13, "Walking crouched.";
        LEGS_WALK = 14, "Walking.";
        LEGS_RUN = 15, "Running.";
        LEGS_BACK = 16, "Running backwards.";
        LEGS_SWIM = 17, "Swimming.";
        LEGS_JUMP = 18, "Jumping forwards.";
        LEGS_LAND = 19, "Landing from it.";
        LEGS_JUMPB = 20, "Jumping backwards.";
        LEGS_LANDB = 21, "Landing from it.";
        LEGS_IDLE = 22, "Standing.";
        LEGS_IDLECR = 23, "Crouching at rest.";
        LEGS_TURN = 24, "Turning on the spot.";
        TORSO_GETFLAG = 25, "The sign \"get the flag\".";
        TORSO_GUARDBASE = 26, "The sign \"guard the base\".";
        TORSO_PATROL = 27, "The sign \"patrol\".";
        TORSO_FOLLOWME = 28, "The sign \"follow me\".";
        TORSO_AFFIRMATIVE = 29, "The sign \"yes\".";
        TORSO_NEGATIVE = 30, "The sign \"no\".";
        LEGS_BACKCR = 32, "Walking backwards crouched; made of `LEGS_WALKCR`.";
        LEGS_BACKWALK = 33, "Walking backwards; made of `LEGS_WALK`.";
    }

    /// The animation in this list that shows what legs do, for the number in a state; the toggle bit stays.
    ///
    /// OpenArena after 0.8.8 sends more of them than models have frames for, and shows them like these.
    pub fn shown_legs(number: i32) -> i32 {
        let shown = match number & !TOGGLE_BIT {
            master::LEGS_STRAFE_LEFT | master::LEGS_STRAFE_RIGHT => LEGS_RUN,
            master::LEGS_BACKCR => LEGS_BACKCR,
            master::LEGS_BACKWALK => LEGS_BACKWALK,
            other => other,
        };
        shown | number & TOGGLE_BIT
    }

    /// The same for a torso.
    pub fn shown_torso(number: i32) -> i32 {
        let shown = match number & !TOGGLE_BIT {
            master::TORSO_RUN2 | master::TORSO_FALL2 => TORSO_STAND2,
            master::TORSO_RUN..=master::TORSO_STRAFE => TORSO_STAND,
            other => other,
        };
        shown | number & TOGGLE_BIT
    }
}

/// Animation numbers of OpenArena after 0.8.8.
mod master {
    pub(super) const TORSO_RUN: i32 = 31;
    pub(super) const TORSO_RUN2: i32 = 32;
    pub(super) const TORSO_RUN3: i32 = 33;
    pub(super) const TORSO_STAND3: i32 = 34;
    pub(super) const TORSO_JUMP: i32 = 35;
    pub(super) const TORSO_JUMP2: i32 = 36;
    pub(super) const TORSO_FALL: i32 = 38;
    pub(super) const TORSO_FALL2: i32 = 39;
    pub(super) const TORSO_STRAFE: i32 = 42;
    pub(super) const LEGS_STRAFE_LEFT: i32 = 43;
    pub(super) const LEGS_STRAFE_RIGHT: i32 = 44;
    pub(super) const LEGS_BACKCR: i32 = 46;
    pub(super) const LEGS_BACKWALK: i32 = 47;
}

const TIMER_LAND: i32 = 130;
/// A gesture lasts 34 frames at 15 per second, and a moment.
const TIMER_GESTURE: i32 = 2294;
const TIMER_COMMAND_GESTURE: i32 = 600;

impl Move<'_> {
    fn start_legs(&mut self, animation: i32) {
        let player = &mut self.player;
        if player.pm_type < pm_type::DEAD && player.legs_timer <= 0 {
            player.legs_anim = toggled(player.legs_anim, animation);
        }
    }

    fn continue_legs(&mut self, animation: i32) {
        if self.player.legs_anim & !anim::TOGGLE_BIT != animation {
            self.start_legs(animation);
        }
    }

    fn force_legs(&mut self, animation: i32) {
        self.player.legs_timer = 0;
        self.start_legs(animation);
    }

    fn start_torso(&mut self, animation: i32) {
        if self.player.pm_type < pm_type::DEAD {
            self.player.torso_anim = toggled(self.player.torso_anim, animation);
        }
    }

    fn continue_torso(&mut self, animation: i32) {
        let player = &self.player;
        if player.torso_anim & !anim::TOGGLE_BIT != animation && player.torso_timer <= 0 {
            self.start_torso(animation);
        }
    }

    pub(super) fn start_torso_standing(&mut self) {
        self.start_torso(self.standing());
    }

    pub(super) fn start_torso_dropping(&mut self) {
        self.start_torso(anim::TORSO_DROP);
    }

    pub(super) fn start_torso_raising(&mut self) {
        self.start_torso(anim::TORSO_RAISE);
    }

    pub(super) fn start_torso_attack(&mut self) {
        self.start_torso(if self.has_gauntlet() {
            anim::TORSO_ATTACK2
        } else {
            anim::TORSO_ATTACK
        });
    }

    fn standing(&self) -> i32 {
        if self.has_gauntlet() {
            anim::TORSO_STAND2
        } else {
            anim::TORSO_STAND
        }
    }

    fn has_gauntlet(&self) -> bool {
        self.player.weapon == weapon::GAUNTLET
    }

    /// Legs leave the ground.
    pub(super) fn air_animation(&mut self) {
        if self.command.forward_move >= 0 {
            self.force_legs(anim::LEGS_JUMP);
            self.player.pm_flags &= !pm_flags::BACKWARDS_JUMP;
        } else {
            self.force_legs(anim::LEGS_JUMPB);
            self.player.pm_flags |= pm_flags::BACKWARDS_JUMP;
        }
    }

    /// Legs come down.
    pub(super) fn land_animation(&mut self) {
        self.force_legs(if self.has_flag(pm_flags::BACKWARDS_JUMP) {
            anim::LEGS_LANDB
        } else {
            anim::LEGS_LAND
        });
        self.player.legs_timer = TIMER_LAND;
    }

    /// Taunts, and Team Arena's signals (`bg_pmove.c`, `PM_Animate`).
    pub(super) fn gestures(&mut self) {
        const SIGNALS: [(u16, i32); 6] = [
            (buttons::GETFLAG, anim::TORSO_GETFLAG),
            (buttons::GUARDBASE, anim::TORSO_GUARDBASE),
            (buttons::PATROL, anim::TORSO_PATROL),
            (buttons::FOLLOWME, anim::TORSO_FOLLOWME),
            (buttons::AFFIRMATIVE, anim::TORSO_AFFIRMATIVE),
            (buttons::NEGATIVE, anim::TORSO_NEGATIVE),
        ];
        if self.has_button(buttons::GESTURE) {
            if self.player.torso_timer == 0 {
                self.start_torso(anim::TORSO_GESTURE);
                self.player.torso_timer = TIMER_GESTURE;
                self.event(event::TAUNT);
            }
            return;
        }
        if !self.settings.rules.team_arena || self.player.torso_timer != 0 {
            return;
        }
        let signal = SIGNALS.iter().find(|(button, _)| self.has_button(*button));
        if let Some(&(_, animation)) = signal {
            self.start_torso(animation);
            self.player.torso_timer = TIMER_COMMAND_GESTURE;
        }
    }

    /// Arms at rest (`bg_pmove.c`, `PM_TorsoAnimation`).
    pub(super) fn torso_idle(&mut self) {
        if self.player.weapon_state == weapon_state::READY {
            self.continue_torso(self.standing());
        }
    }

    /// Arms at rest in OpenArena after 0.8.8, which shows running and falling.
    pub(super) fn torso_of_master(&mut self) {
        if self.player.weapon_state != weapon_state::READY {
            return;
        }
        let powerups = &self.player.powerups;
        let carries = [powerup::REDFLAG, powerup::BLUEFLAG, powerup::NEUTRALFLAG]
            .iter()
            .any(|&flag| powerups[flag] != 0);
        let gauntlet = self.has_gauntlet();
        let laden = gauntlet || carries;
        let up = self.player.velocity.z;
        let slick = self.ground.surface_flags & surface::SLICK != 0;
        let walks = self.has_button(buttons::WALKING);
        let (forward, right) = (self.command.forward_move, self.command.right_move);
        let strafes = right != 0 && self.on_plane && !walks;
        let animation = if (up < 0.0 && !self.on_plane) || (up < -7.0 && slick && self.on_plane) {
            if laden {
                master::TORSO_FALL2
            } else {
                master::TORSO_FALL
            }
        } else if up > 0.0 && !self.on_plane {
            if laden {
                master::TORSO_JUMP2
            } else {
                master::TORSO_JUMP
            }
        } else if forward != 0 || (strafes && self.contact.xy_speed > 200.0) {
            if gauntlet {
                master::TORSO_RUN2
            } else if carries {
                master::TORSO_RUN3
            } else if strafes && forward == 0 {
                master::TORSO_STRAFE
            } else {
                master::TORSO_RUN
            }
        } else if gauntlet {
            anim::TORSO_STAND2
        } else if carries {
            master::TORSO_STAND3
        } else {
            anim::TORSO_STAND
        };
        self.continue_torso(animation);
    }

    /// Legs, and the sound of steps (`bg_pmove.c`, `PM_Footsteps`).
    pub(super) fn footsteps(&mut self) {
        let velocity = self.player.velocity;
        self.contact.xy_speed = (velocity.x * velocity.x + velocity.y * velocity.y).sqrt();
        if self.player.ground_entity_num == ENTITYNUM_NONE {
            if self.player.powerups[powerup::INVULNERABILITY] != 0 {
                self.continue_legs(anim::LEGS_IDLECR);
            }
            if self.contact.water_level > 1 {
                self.continue_legs(anim::LEGS_SWIM);
            }
            return;
        }
        let ducked = self.has_flag(pm_flags::DUCKED);
        if self.command.forward_move == 0 && self.command.right_move == 0 {
            if self.contact.xy_speed < 5.0 {
                self.player.bob_cycle = 0;
                self.forget_bob_rest();
                self.continue_legs(if ducked {
                    anim::LEGS_IDLECR
                } else {
                    anim::LEGS_IDLE
                });
            }
            return;
        }
        let walking = self.has_button(buttons::WALKING);
        let slides = ducked && self.is_sliding();
        self.continue_legs(if slides {
            anim::LEGS_IDLECR
        } else {
            self.moving_legs(ducked, walking)
        });
        let rate = match (ducked, walking) {
            (true, _) if !slides => 0.5,
            (false, true) => 0.3,
            _ => 0.4,
        };
        let before = self.player.bob_cycle;
        let after = if self.has_rat(rat_flags::REGULAR_FOOTSTEPS) {
            self.regular_bob(rate)
        } else {
            (before as f32 + rate * self.msec as f32) as i32 & 255
        };
        self.player.bob_cycle = after;
        if (before.wrapping_add(64) ^ (after + 64)) & 128 != 0 {
            let audible = (slides || !ducked && !walking) && !self.settings.no_footsteps;
            match self.contact.water_level {
                0 if audible && self.is_sliding() => self.event(rat_event::FOOTSLIDE),
                0 if audible => self.event(self.footstep()),
                1 => self.event(event::FOOTSPLASH),
                2 => self.event(event::SWIM),
                _ => {}
            }
        }
    }

    fn moving_legs(&self, ducked: bool, walking: bool) -> i32 {
        let master = self.settings.rules.openarena_master;
        let backwards = self.has_flag(pm_flags::BACKWARDS_RUN);
        match (ducked, walking, backwards) {
            (true, _, true) if master => master::LEGS_BACKCR,
            (true, _, true) => anim::LEGS_BACKCR,
            (true, _, false) => anim::LEGS_WALKCR,
            (false, false, true) => anim::LEGS_BACK,
            (false, false, false) if master && self.command.forward_move == 0 => {
                if self.command.right_move < 0 {
                    master::LEGS_STRAFE_LEFT
                } else {
                    master::LEGS_STRAFE_RIGHT
                }
            }
            (false, false, false) => anim::LEGS_RUN,
            (false, true, true) if master => master::LEGS_BACKWALK,
            (false, true, true) => anim::LEGS_BACKWALK,
            (false, true, false) => anim::LEGS_WALK,
        }
    }

    /// The event of a step on this ground; 0 if steps are silent there.
    pub(super) fn footstep(&self) -> i32 {
        const MASTER_STEPS: [(u32, i32); 7] = [
            (0x8_0000, event::FOOTSTEP_SNOW),
            (0x10_0000, event::FOOTSTEP_WOOD),
            (0x20_0000, event::FOOTSTEP_SAND),
            (0x40_0000, event::FOOTSTEP_GRAVEL),
            (0x200_0000, event::FOOTSTEP_FOILAGE),
            (0x80_0000, event::FOOTSTEP_ICE),
            (0x100_0000, event::FOOTSTEP_GLASS),
        ];
        let flags = self.ground.surface_flags;
        if flags & surface::NOSTEPS != 0 {
            return event::NONE;
        }
        if flags & surface::METALSTEPS != 0 {
            return event::FOOTSTEP_METAL;
        }
        MASTER_STEPS
            .iter()
            .find(|(flag, _)| self.settings.rules.openarena_master && flags & flag != 0)
            .map_or(event::FOOTSTEP, |&(_, event)| event)
    }
}

/// The animation with the toggle bit flipped.
fn toggled(before: i32, animation: i32) -> i32 {
    ((before & anim::TOGGLE_BIT) ^ anim::TOGGLE_BIT) | animation
}

#[cfg(test)]
mod tests {
    use super::anim::{self, TOGGLE_BIT, shown_legs, shown_torso};

    #[test]
    fn later_animations_are_shown_like_those_that_models_have() {
        assert_eq!(shown_legs(43 | TOGGLE_BIT), anim::LEGS_RUN | TOGGLE_BIT);
        assert_eq!(shown_legs(46), anim::LEGS_BACKCR);
        assert_eq!(shown_torso(42), anim::TORSO_STAND);
        assert_eq!(
            shown_torso(39 | TOGGLE_BIT),
            anim::TORSO_STAND2 | TOGGLE_BIT
        );
        for number in 0..31 {
            assert_eq!([shown_legs(number), shown_torso(number)], [number; 2]);
        }
        // Crouched and backwards, as all other games number it.
        assert_eq!(shown_legs(anim::LEGS_BACKCR), anim::LEGS_BACKCR);
    }
}
