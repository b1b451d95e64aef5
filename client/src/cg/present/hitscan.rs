//! Own shots that hit at once, predicted: the trail, the holes and the blood in the frame of the trigger.
//!
//! An OpenArena server with lag compensation computes a shot from what the shooter saw, so its outcome is known here
//! already. The server's copies of the same effects, which come a round trip later, are then left out.

use super::{Present, frame::Frame, impacts::is_player};
use crate::cg::{angles, predict::interpolated_player, timeline::GameEvent};
use glam::Vec3;
use shared::{
    bg::{
        directions::byte_from_direction,
        numbers::{event as ev, weapon},
        random::Random,
    },
    types::{
        entitystate::EntityState,
        playerstate::PlayerState,
        trace::{contents, surface},
    },
};

/// From the eye to the muzzle, along the view.
const MUZZLE: f32 = 14.0;
const RAIL_RANGE: f32 = 8192.0;
const BULLET_RANGE: f32 = 131_072.0;
const MACHINEGUN_SPREAD: f32 = 200.0;
const CHAINGUN_SPREAD: f32 = 600.0;

impl Present {
    /// Shows what a shot hits. `shooter` is the player as he was after the firing usercmd.
    pub(super) fn predict_shot(&mut self, shooter: &PlayerState, frame: &mut Frame<'_>) {
        if !predicts(shooter.weapon, frame) {
            return;
        }
        let axis = angles::axis_from_angles(shooter.view_angles);
        // The server knows the shooter's place, and the muzzle, in whole units only.
        let eye = shooter.origin.trunc() + Vec3::Z * shooter.view_height as f32;
        let muzzle = (eye + axis[0] * MUZZLE).trunc();
        let seed = shooter.command_time.rem_euclid(256);
        match shooter.weapon {
            weapon::RAIL => self.predict_rail(shooter.client_num, muzzle, axis, frame),
            weapon::SHOTGUN => {
                let mut shot = EntityState {
                    other_entity_num: shooter.client_num,
                    origin2: (axis[0] * 4096.0).trunc(),
                    ..EntityState::default()
                };
                shot.pos.base = muzzle;
                self.predict_event(ev::SHOTGUN, shot, seed, muzzle, frame);
            }
            weapon::MACHINEGUN | weapon::CHAINGUN => {
                let spread = match shooter.weapon {
                    weapon::MACHINEGUN => MACHINEGUN_SPREAD,
                    _ => CHAINGUN_SPREAD,
                };
                let end = muzzle + spread_shot(axis, spread, &mut Random(seed));
                self.predict_bullet(shooter.client_num, muzzle, end, frame);
            }
            // The bolt follows the predicted view in every frame.
            _ => {}
        }
    }

    fn predict_rail(
        &mut self,
        client: i32,
        muzzle: Vec3,
        [forward, left, up]: [Vec3; 3],
        frame: &mut Frame<'_>,
    ) {
        let end = muzzle + forward * RAIL_RANGE;
        let hit = frame.world.line(muzzle, end, client, contents::SOLID);
        let leaves_no_mark = hit.surface_flags & surface::NOIMPACT != 0 || hit.fraction == 1.0;
        let shot = EntityState {
            client_num: client,
            origin2: muzzle - left * 4.0 - up,
            ..EntityState::default()
        };
        let normal = match leaves_no_mark {
            true => 255,
            false => byte_from_direction(hit.plane.normal),
        };
        self.predict_event(ev::RAILTRAIL, shot, normal, hit.end, frame);
    }

    fn predict_bullet(&mut self, client: i32, muzzle: Vec3, end: Vec3, frame: &mut Frame<'_>) {
        let hit = frame.world.line(muzzle, end, client, contents::MASK_SHOT);
        if hit.surface_flags & surface::NOIMPACT != 0 || hit.fraction == 1.0 {
            return;
        }
        let shot = EntityState {
            other_entity_num: client,
            ..EntityState::default()
        };
        let at = snap_towards(hit.end, muzzle);
        let (event, parm) = match is_player(frame, hit.entity_num) {
            true => (ev::BULLET_HIT_FLESH, hit.entity_num),
            false => (ev::BULLET_HIT_WALL, byte_from_direction(hit.plane.normal)),
        };
        self.predict_event(event, shot, parm, at, frame);
    }

    fn predict_event(
        &mut self,
        event: i32,
        state: EntityState,
        parm: i32,
        at: Vec3,
        frame: &mut Frame<'_>,
    ) {
        let happened = GameEvent {
            state,
            event,
            parm,
            at,
        };
        self.note_and_show(&happened, frame);
    }
}

/// Whether the own hits of a weapon are shown at once.
fn predicts(number: i32, frame: &Frame<'_>) -> bool {
    const ALL: i32 = 1;
    let bit = match number {
        weapon::MACHINEGUN | weapon::CHAINGUN => 2,
        weapon::SHOTGUN => 4,
        weapon::LIGHTNING => 8,
        weapon::RAIL => 16,
        _ => return false,
    };
    frame.level.has_lag_compensation && frame.predicts && frame.settings.delag & (ALL | bit) != 0
}

/// Whether an event of the server tells what was shown already.
pub fn was_predicted(happened: &GameEvent, frame: &Frame<'_>) -> bool {
    let state = &happened.state;
    let (shooter, number) = match happened.event {
        ev::RAILTRAIL => (state.client_num, weapon::RAIL),
        ev::SHOTGUN => (state.other_entity_num, weapon::SHOTGUN),
        ev::BULLET_HIT_WALL | ev::BULLET_HIT_FLESH => (state.other_entity_num, weapon::MACHINEGUN),
        _ => return false,
    };
    shooter == frame.viewed_client && predicts(number, frame)
}

/// Where the own lightning points: with the view at once, or as the server last said (`cg_trueLightning`).
pub fn lightning_aim(frame: &Frame<'_>) -> Vec3 {
    let aim = frame.predicted.player.view_angles;
    if !frame.predicts || predicts(weapon::LIGHTNING, frame) {
        return aim;
    }
    let told = interpolated_player(frame.timeline, frame.now, true);
    let told = told.map_or(aim, |player| player.view_angles);
    angles::lerp_angles(told, aim, frame.settings.true_lightning)
}

/// From the muzzle to where a bullet would end in the open, as client and server compute it from the same seed.
fn spread_shot([forward, left, up]: [Vec3; 3], spread: f32, random: &mut Random) -> Vec3 {
    let around = random.uniform() * core::f32::consts::TAU;
    let upward = libm::sinf(around) * random.centred() * spread * 16.0;
    let across = libm::cosf(around) * random.centred() * spread * 16.0;
    forward * BULLET_RANGE - left * across + up * upward
}

/// Whole units, as servers round a place towards where the shot came from so that it is not inside the wall.
fn snap_towards(at: Vec3, from: Vec3) -> Vec3 {
    let is_ahead = at.cmplt(from);
    at.trunc() + Vec3::select(is_ahead, Vec3::ONE, Vec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shots_spread_by_their_seed_and_stay_in_their_cone() {
        let axis = angles::axis_from_angles(Vec3::ZERO);
        let shot = |seed| spread_shot(axis, MACHINEGUN_SPREAD, &mut Random(seed));
        assert_eq!(shot(17), shot(17));
        assert_ne!(shot(17), shot(18));
        for seed in 0..256 {
            let aside = shot(seed).truncate().length() - BULLET_RANGE;
            let across = libm::hypotf(shot(seed).y, shot(seed).z);
            assert!(across <= MACHINEGUN_SPREAD * 16.0 * 1.5, "{across}");
            assert!(aside.abs() < BULLET_RANGE * 0.01);
        }
    }

    #[test]
    fn impacts_are_rounded_towards_the_shooter() {
        let at = Vec3::new(10.6, -3.2, 7.5);
        assert_eq!(
            snap_towards(at, Vec3::NEG_X * 9.0),
            Vec3::new(10.0, -2.0, 7.0)
        );
        assert_eq!(
            snap_towards(at, Vec3::splat(100.0)),
            Vec3::new(11.0, -2.0, 8.0)
        );
    }
}
