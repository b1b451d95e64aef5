//! Senses: whom a bot notices, by sight, by sound and by pain.

use super::bot::{Around, Bot};
use glam::Vec3;
use shared::{
    bg::numbers::{entity_flags, persistant, powerup},
    cm::Sweep,
    types::trace::contents,
};

/// Someone a bot fights or looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enemy {
    pub client: usize,
    pub first_seen_at: i32,
    pub last_seen_at: i32,
    pub place: Vec3,
    pub velocity: Vec3,
    pub is_seen: bool,
}

/// An enemy out of sight is looked for so long.
const MEMORY_MSEC: i32 = 4000;
/// Whoever is seen again after less is no surprise.
const FAMILIAR_MSEC: i32 = 2000;
/// Shots are heard so far.
const HEARING: f32 = 700.0;

impl Bot {
    /// Looks around, and remembers whom it fights.
    pub(crate) fn look_around(&mut self, around: &Around<'_>) {
        let Some(own) = around.game.situation(self.client) else {
            return;
        };
        let eye = own.eye();
        let is_hurt = own.health() < self.last_health;
        self.last_health = own.health();
        let attacker = own.state.persistant[persistant::ATTACKER];
        let mut best: Option<(f32, usize)> = None;
        for other in around.game.opponents_of(self.client) {
            let entity = &around.game.world().entities[other];
            let away = entity.origin.distance(eye);
            let is_shooting = entity.state.e_flags & entity_flags::FIRING != 0;
            let is_hidden = entity.state.powerups & 1 << powerup::INVIS != 0 && !is_shooting;
            let noticed = (is_hurt && attacker == other as i32)
                || (is_shooting && away < HEARING)
                || self.enemy.is_some_and(|enemy| enemy.client == other)
                || self.is_in_field(own.state.view_angles, entity.origin - eye, away);
            if is_hidden || away > self.skill.sight || !noticed {
                continue;
            }
            // Whom it fights already it does not leave for someone a little nearer.
            let is_current = self.enemy.is_some_and(|enemy| enemy.client == other);
            let weight = if is_current { away * 0.6 } else { away };
            if best.is_none_or(|(least, _)| weight < least) && self.sees(around, eye, other) {
                best = Some((weight, other));
            }
        }
        self.remember(around, best.map(|(_, client)| client));
    }

    fn remember(&mut self, around: &Around<'_>, seen: Option<usize>) {
        let time = around.time;
        match seen {
            Some(client) => {
                let entity = &around.game.world().entities[client];
                let before = self.enemy.filter(|enemy| {
                    enemy.client == client && time - enemy.last_seen_at < FAMILIAR_MSEC
                });
                self.enemy = Some(Enemy {
                    client,
                    first_seen_at: before.map_or(time, |enemy| enemy.first_seen_at),
                    last_seen_at: time,
                    place: entity.state.pos.base,
                    velocity: entity.state.pos.delta,
                    is_seen: true,
                });
            }
            None => {
                let is_alive = |client: usize| {
                    around
                        .game
                        .opponents_of(self.client)
                        .any(|other| other == client)
                };
                self.enemy = self
                    .enemy
                    .filter(|enemy| {
                        time - enemy.last_seen_at < MEMORY_MSEC && is_alive(enemy.client)
                    })
                    .map(|enemy| Enemy {
                        is_seen: false,
                        ..enemy
                    });
            }
        }
    }

    /// Whether something is in the field of view, which is wider for what is far.
    fn is_in_field(&self, view: Vec3, way: Vec3, away: f32) -> bool {
        const FAR: f32 = 810.0;
        let squared = away.min(FAR).powi(2);
        let degrees = 180.0 - (90.0 - squared / (FAR * 9.0));
        let forward = shared::base::math::Axes::from_angles(view).forward;
        let off = way.normalize_or_zero().dot(forward).clamp(-1.0, 1.0);
        libm::acosf(off).to_degrees() < degrees * 0.5
    }

    /// Whether nothing is between an eye and a player's middle, head or feet.
    pub(crate) fn sees(&self, around: &Around<'_>, eye: Vec3, other: usize) -> bool {
        let origin = around.game.world().entities[other].origin;
        [8.0, 28.0, -20.0].into_iter().any(|height| {
            let to = origin + Vec3::Z * height;
            is_clear(around, eye, to, other)
        })
    }
}

/// Whether a straight line is free of walls.
pub(super) fn is_clear(around: &Around<'_>, from: Vec3, to: Vec3, target: usize) -> bool {
    let sweep = Sweep {
        start: from,
        end: to,
        mins: Vec3::ZERO,
        maxs: Vec3::ZERO,
        mask: contents::SOLID,
    };
    around.game.world().trace(&sweep, target as i32).fraction == 1.0
}
