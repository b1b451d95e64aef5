//! Aim: where a bot looks, how fast it turns there, and how far it misses.

use super::{
    bot::{Around, Bot},
    senses::{Enemy, is_clear},
};
use glam::Vec3;
use shared::bg::numbers::weapon;

/// How fast a missile of a weapon flies; none for what hits at once.
pub(super) fn missile_speed(held: i32) -> Option<f32> {
    match held {
        weapon::GRENADE => Some(700.0),
        weapon::ROCKET => Some(900.0),
        weapon::PLASMA | weapon::BFG => Some(2000.0),
        _ => None,
    }
}

impl Bot {
    /// Where to shoot to hit an enemy; the error changes slowly, as a hand's does.
    pub(crate) fn aim_point(
        &mut self,
        around: &Around<'_>,
        enemy: &Enemy,
        held: i32,
        eye: Vec3,
    ) -> Vec3 {
        let away = enemy.place.distance(eye);
        let mut point = enemy.place + Vec3::Z * 8.0;
        if let Some(speed) = missile_speed(held)
            && self.skill.aim > 0.4
        {
            let seconds = (away / speed).min(1.5);
            let share = ((self.skill.aim - 0.4) / 0.5).clamp(0.3, 1.0);
            point += enemy.velocity.with_z(0.0) * seconds * share;
            let feet = point - Vec3::Z * 30.0;
            let is_low = enemy.place.z < eye.z + 16.0 && away > 100.0;
            if held == weapon::ROCKET
                && self.skill.aim > 0.6
                && is_low
                && is_clear(around, eye, feet, enemy.client)
            {
                point = feet;
            }
            if held == weapon::GRENADE {
                point.z += away * away / 2400.0;
            }
        }
        let mut accuracy = self.skill.accuracy(held);
        let is_hitscan = missile_speed(held).is_none();
        if is_hitscan {
            accuracy *= 0.6 + 0.4 * away.min(150.0) / 150.0;
        }
        let wrong = 1.0 - accuracy.clamp(0.0, 1.0);
        self.error_age += around.msec;
        const CHANGE_MSEC: i32 = 180;
        if self.error_age >= CHANGE_MSEC {
            self.error_age = 0;
            let mut draw = || 2.0 * self.rng.fraction() - 1.0;
            let [x, y, z] = [draw(), draw(), draw()];
            self.error_goal = Vec3::new(x, y, z * 0.6);
        }
        self.error += (self.error_goal - self.error) * 0.35;
        point + self.error * wrong * (20.0 + 0.3 * away)
    }

    /// Turns the view towards angles, as fast as the skill has it; it swings past a little.
    pub(crate) fn turn_view(&mut self, around: &Around<'_>, wanted: Vec3, is_fighting: bool) {
        let seconds = around.msec as f32 / 1000.0;
        let (factor, fastest) = match is_fighting {
            true => (self.skill.view_factor, self.skill.turn_speed.max(240.0)),
            false => (0.35, 300.0),
        };
        // The same turn in the same time, however long a frame is.
        let share = 1.0 - libm::powf(1.0 - factor.min(0.95), seconds / 0.1);
        for axis in 0..2 {
            let off = angle_between(self.view[axis], wanted[axis]);
            let limit = fastest * seconds;
            let step =
                (off * share + self.view_speed[axis] * 0.25 * (1.0 - factor)).clamp(-limit, limit);
            // Arms do not jerk: speed changes over some frames.
            let before = self.view_speed[axis];
            let jerk = limit * 0.6 + 1.0;
            let step = step.clamp(before - jerk, before + jerk);
            self.view_speed[axis] = step;
            self.view[axis] += step;
        }
        self.view.x = self.view.x.clamp(-85.0, 85.0);
        self.view.z = 0.0;
    }
}

/// From one angle to another, the shorter way.
pub(super) fn angle_between(from: f32, to: f32) -> f32 {
    (to - from + 180.0).rem_euclid(360.0) - 180.0
}

/// Pitch and yaw of a direction.
pub(super) fn angles_of(way: Vec3) -> Vec3 {
    let flat = way.truncate().length();
    let pitch = -libm::atan2f(way.z, flat.max(0.001)).to_degrees();
    let yaw = libm::atan2f(way.y, way.x).to_degrees();
    Vec3::new(pitch, yaw, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_go_the_shorter_way() {
        assert_eq!(angle_between(170.0, -170.0), 20.0);
        assert_eq!(angle_between(10.0, 350.0), -20.0);
        assert_eq!(angles_of(Vec3::Y).y, 90.0);
        assert!((angles_of(Vec3::Z).x + 90.0).abs() < 0.1);
    }
}
