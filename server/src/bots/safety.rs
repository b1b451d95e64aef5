//! Safety: where a step, a hit or a flight would end in lava, in pain or in the void.

use super::{
    bot::{Around, Bot},
    probe::{Ground, ZoneKind},
    senses::Enemy,
};
use crate::game::Situation;
use glam::{Vec2, Vec3};

/// A hit throws one about so far.
const THROW: f32 = 210.0;
/// Length of a step that is looked at.
const STRIDE: f32 = 70.0;
/// A floor so far below is none.
const DEPTH: f32 = 260.0;

impl Bot {
    /// Whether a few steps that way end badly.
    pub(crate) fn is_dangerous(&self, around: &Around<'_>, here: Vec3, direction: Vec2) -> bool {
        let ground = around.map.ground(around.game);
        is_bad_within(&ground, here, direction, STRIDE)
    }

    /// Whether a hit from where the enemy is would throw the bot from a place to its death.
    pub(crate) fn is_exposed(&self, around: &Around<'_>, place: Vec3, enemy: &Enemy) -> bool {
        let away = (place - enemy.place).truncate().normalize_or_zero();
        let ground = around.map.ground(around.game);
        is_bad_within(&ground, place, away, THROW)
    }

    /// A direction to where it is safe to be hit, for whoever is not and does not go there.
    pub(crate) fn safer_direction(
        &mut self,
        around: &Around<'_>,
        here: Vec3,
        enemy: &Enemy,
        direction: Vec2,
    ) -> Option<Vec2> {
        const AHEAD: f32 = 90.0;
        if around.time < self.exposed_look_at {
            return self.safer;
        }
        const AGAIN_MSEC: i32 = 200;
        self.exposed_look_at = around.time + AGAIN_MSEC;
        self.safer = None;
        if !self.is_exposed(around, here, enemy) {
            return None;
        }
        let towards = (enemy.place - here).truncate().normalize_or_zero();
        let side = Vec2::new(towards.y, -towards.x) * self.strafe_side;
        let ways = [
            direction,
            side,
            -side,
            (towards + side).normalize_or_zero(),
            towards,
            -towards,
        ];
        let ground = around.map.ground(around.game);
        self.safer = ways.into_iter().find(|way| {
            let there = ground.body(here, here + way.extend(0.0) * AHEAD).end;
            there.distance(here) > 24.0
                && !is_bad_within(&ground, here, *way, STRIDE)
                && !self.is_exposed(around, there, enemy)
        });
        self.safer
    }

    /// Whether it is so fast that it does not come to a halt before a bad end.
    pub(crate) fn runs_over_edge(&self, around: &Around<'_>, own: &Situation<'_>) -> bool {
        const SLOW: f32 = 80.0;
        const SECONDS: f32 = 0.15;
        let velocity = own.state.velocity.with_z(0.0);
        if velocity.length() < SLOW {
            return false;
        }
        let ground = around.map.ground(around.game);
        let here = own.state.origin + Vec3::Z;
        let ahead = ground.body(here, here + velocity * SECONDS).end;
        is_bad_below(&ground, ahead, DEPTH)
    }

    /// The way back, for whoever flies to his death: to where his feet were last.
    pub(crate) fn way_back(&self, around: &Around<'_>, own: &Situation<'_>) -> Option<Vec2> {
        let safe = self.safe_place?;
        let ground = around.map.ground(around.game);
        let gravity = own.state.gravity as f32;
        let ends_badly = flight_ends_badly(&ground, own.state.origin, own.state.velocity, gravity);
        ends_badly.then(|| (safe - own.state.origin).truncate().normalize_or_zero())
    }
}

fn is_bad_within(ground: &Ground<'_>, here: Vec3, direction: Vec2, reach: f32) -> bool {
    let mut at = here;
    let mut gone = 0.0;
    while gone < reach {
        let step = STRIDE.min(reach - gone);
        let trace = ground.body(at, at + direction.extend(0.0) * step);
        at = trace.end;
        if is_bad_below(ground, at, DEPTH) {
            return true;
        }
        if trace.fraction < 1.0 {
            return false;
        }
        gone += step;
    }
    false
}

/// Whether who falls from there dies or falls very far.
fn is_bad_below(ground: &Ground<'_>, at: Vec3, depth: f32) -> bool {
    let trace = ground.body(at, at - Vec3::Z * depth);
    trace.fraction == 1.0 || is_bad(ground, trace.end) || is_hazard(ground, at)
}

fn is_bad(ground: &Ground<'_>, place: Vec3) -> bool {
    ground.is_deadly(place) || is_hazard(ground, place)
}

fn is_hazard(ground: &Ground<'_>, place: Vec3) -> bool {
    let zone = ground.zone_at(place);
    zone.is_some_and(|zone| ground.zones[zone].kind == ZoneKind::Hazard)
}

fn flight_ends_badly(ground: &Ground<'_>, from: Vec3, velocity: Vec3, gravity: f32) -> bool {
    const SECONDS: f32 = 0.15;
    const MAX_STEPS: usize = 8;
    /// Below the end of what is looked at.
    const FAR: f32 = 600.0;
    let (mut at, mut speed) = (from, velocity);
    for _ in 0..MAX_STEPS {
        let next = at + speed * SECONDS - Vec3::Z * (0.5 * gravity * SECONDS * SECONDS);
        speed.z -= gravity * SECONDS;
        let trace = ground.body(at, next);
        at = trace.end;
        if trace.fraction < 1.0 {
            let normal = trace.plane.normal;
            if normal.z > 0.7 {
                return is_bad(ground, at);
            }
            // Along the wall from there.
            speed -= normal * speed.dot(normal);
        } else if is_hazard(ground, at) {
            return true;
        }
    }
    is_bad_below(ground, at, FAR)
}
