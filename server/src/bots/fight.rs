//! Fight: which weapon, whether to shoot, and how to move meanwhile.

use super::{
    aim::{angle_between, angles_of},
    bot::{Around, Bot},
    senses::{Enemy, is_clear},
};
use crate::game::Situation;
use glam::{Vec2, Vec3};
use shared::{bg::numbers::weapon, cm::Sweep, types::trace::contents};

/// Weapons that explode must not do so nearer than this.
const SPLASH_RANGE: f32 = 130.0;
const GAUNTLET_RANGE: f32 = 60.0;
const LIGHTNING_RANGE: f32 = 740.0;

impl Bot {
    /// The best weapon for a distance.
    pub(crate) fn choose_weapon(&self, own: &Situation<'_>, away: f32) -> i32 {
        let value = |held: i32| -> f32 {
            match held {
                weapon::BFG => 100.0,
                weapon::RAIL if away > 350.0 => 95.0,
                weapon::RAIL => 70.0,
                weapon::ROCKET => match away {
                    away if away < SPLASH_RANGE => 20.0,
                    away if away < 900.0 => 92.0,
                    _ => 60.0,
                },
                weapon::LIGHTNING if away < LIGHTNING_RANGE => 91.0,
                weapon::LIGHTNING => 0.0,
                weapon::PLASMA if away < 800.0 => 82.0,
                weapon::PLASMA => 55.0,
                weapon::SHOTGUN => match away {
                    away if away < 300.0 => 80.0,
                    away if away < 700.0 => 52.0,
                    _ => 20.0,
                },
                weapon::GRENADE if (200.0..500.0).contains(&away) => 45.0,
                weapon::GRENADE => 8.0,
                weapon::MACHINEGUN => 50.0,
                _ => 1.0,
            }
        };
        let bonus = |held: i32| if held == self.weapon { 6.0 } else { 0.0 };
        (weapon::GAUNTLET..=weapon::BFG)
            .filter(|&held| own.is_loaded(held))
            .max_by(|&a, &b| (value(a) + bonus(a)).total_cmp(&(value(b) + bonus(b))))
            .unwrap_or(weapon::GAUNTLET)
    }

    /// 0 to 100: whether it wants to fight.
    pub(crate) fn aggression(own: &Situation<'_>) -> i32 {
        let (health, armor) = (own.health(), own.armor());
        if health < 45 || health < 65 && armor < 30 {
            return 0;
        }
        let values = [
            (weapon::BFG, 100),
            (weapon::RAIL, 95),
            (weapon::ROCKET, 90),
            (weapon::LIGHTNING, 90),
            (weapon::PLASMA, 85),
            (weapon::GRENADE, 60),
            (weapon::SHOTGUN, 55),
            (weapon::MACHINEGUN, 40),
        ];
        let best = values.into_iter().find(|(held, _)| own.is_loaded(*held));
        best.map_or(0, |(_, value)| value)
    }

    /// Whether to hold the trigger now.
    pub(crate) fn wants_to_shoot(
        &mut self,
        around: &Around<'_>,
        own: &Situation<'_>,
        enemy: &Enemy,
        point: Vec3,
    ) -> bool {
        let held = own.state.weapon;
        let time = around.time;
        let eye = own.eye();
        let away = enemy.place.distance(eye);
        let has_reacted = time - enemy.first_seen_at >= self.skill.reaction_msec;
        if !enemy.is_seen || !has_reacted || held != self.weapon {
            return false;
        }
        let in_reach = match held {
            weapon::GAUNTLET => away < GAUNTLET_RANGE + 30.0,
            weapon::LIGHTNING => away < LIGHTNING_RANGE + 20.0,
            _ => true,
        };
        let wanted = angles_of(point - eye);
        let off = angle_between(self.view.y, wanted.y).abs();
        let off_high = angle_between(self.view.x, wanted.x).abs();
        // Slow weapons wait for a good moment, and the better the shooter the longer.
        let tolerance = match held {
            weapon::RAIL | weapon::ROCKET | weapon::SHOTGUN | weapon::GRENADE => {
                let body = libm::atanf(24.0 / away.max(24.0)).to_degrees();
                body + 10.0 * (1.0 - self.skill.aim)
            }
            _ if away < 100.0 => 50.0,
            _ => 12.0 + 10.0 * (1.0 - self.skill.aim),
        };
        if !in_reach || off > tolerance || off_high > tolerance.max(8.0) {
            return false;
        }
        let explodes = matches!(held, weapon::ROCKET | weapon::GRENADE | weapon::BFG);
        if explodes && self.is_wall_near(around, eye) {
            return false;
        }
        if !is_clear(around, eye, point, enemy.client)
            && !is_clear(around, eye, enemy.place, enemy.client)
        {
            return false;
        }
        self.holds_burst(around)
    }

    fn holds_burst(&mut self, around: &Around<'_>) -> bool {
        if around.time >= self.burst_until && around.time >= self.pause_until {
            let seconds = 1.0 - self.skill.throttle;
            if self.rng.fraction() < self.skill.throttle.max(0.5) {
                self.burst_until = around.time + 300 + (seconds * 600.0) as i32;
            } else {
                self.pause_until = around.time + (seconds * 700.0) as i32;
            }
        }
        around.time >= self.pause_until
    }

    fn is_wall_near(&self, around: &Around<'_>, eye: Vec3) -> bool {
        let forward = shared::base::math::Axes::from_angles(self.view).forward;
        let sweep = Sweep {
            start: eye,
            end: eye + forward * SPLASH_RANGE,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            mask: contents::SOLID | contents::BODY,
        };
        around
            .game
            .world()
            .trace(&sweep, self.client as i32)
            .fraction
            < 1.0
    }

    /// The direction of the feet in a fight: around the enemy, at a distance that suits the weapon.
    pub(crate) fn strafe(
        &mut self,
        around: &Around<'_>,
        own: &Situation<'_>,
        enemy: &Enemy,
    ) -> Vec2 {
        let way = (enemy.place - own.state.origin).truncate();
        let away = way.length();
        let forward = way.normalize_or_zero();
        let side = Vec2::new(forward.y, -forward.x);
        if around.time >= self.strafe_until {
            let msec = 400.0 + 300.0 * (1.0 - self.skill.attack) + 500.0 * self.rng.fraction();
            self.strafe_until = around.time + msec as i32;
            if self.rng.fraction() < 0.65 {
                self.strafe_side = -self.strafe_side;
            }
        }
        let best = match self.weapon {
            weapon::GAUNTLET => 0.0,
            weapon::SHOTGUN => 120.0,
            weapon::RAIL => 500.0,
            weapon::ROCKET | weapon::PLASMA => 320.0,
            _ => 260.0,
        };
        let along = ((away - best) / 150.0).clamp(-1.0, 1.0);
        let sideways = if self.skill.attack < 0.4 { 0.5 } else { 1.0 };
        let wish = forward * along + side * self.strafe_side * sideways;
        wish.normalize_or_zero()
    }
}
