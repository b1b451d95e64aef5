//! What bodies leave behind: smoke of haste, breath in the cold, dust of a landing, rings on water.

use super::{anim::ANIM_TOGGLE, effects::Puff, frame::Frame, players::anim};
use crate::cg::{CGame, timeline::entities::CEntity};
use crate::scene::{Poly, PolyVertex};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::numbers::{entity_flags as ef, powerup},
    types::trace::{contents, surface},
};

/// When each kind was left last.
#[derive(Clone, Copy, Debug, Default)]
pub struct SmokeTimes {
    haste: ServerTime,
    breath: ServerTime,
    dust: ServerTime,
}

/// Whether `every` milliseconds have passed; then they begin anew.
fn is_due(last: &mut ServerTime, every: i32, now: ServerTime) -> bool {
    let is_due = !now.is_within(*last, every);
    if is_due {
        *last = now;
    }
    is_due
}

impl CGame {
    /// Leaves what is due of a player who was drawn; gives back when that was.
    pub(in crate::cg) fn add_smoke(
        &mut self,
        entity: &CEntity,
        frame: &mut Frame<'_>,
    ) -> SmokeTimes {
        let mut times = entity.body.smoke;
        let legs = entity.current.legs_anim & !ANIM_TOGGLE;
        let now = frame.now;
        let has_haste = entity.current.powerups & (1 << powerup::HASTE) != 0;
        let is_running = matches!(legs, anim::LEGS_RUN | anim::LEGS_BACK);
        if has_haste && is_running && is_due(&mut times.haste, 100, now) {
            let at = entity.origin - Vec3::Z * 16.0;
            let mut smoke = self.haste_puff(at, now).effect();
            smoke.alpha = 1.0;
            self.effects.add(smoke);
        }
        let is_alive = entity.current.e_flags & ef::DEAD == 0;
        let is_open_arena = self.level.profile.is_open_arena();
        if is_open_arena
            && self.level.has_dust
            && matches!(legs, anim::LEGS_LAND | anim::LEGS_LANDB)
        {
            self.add_dust(entity, &mut times.dust, now);
        }
        let number = i32::from(entity.current.number);
        let is_seen = number != frame.viewed_client || frame.is_third_person;
        if is_open_arena && self.level.has_breath && is_alive && is_seen {
            self.add_breath(entity, &mut times.breath, now);
        }
        self.add_wake(entity, frame);
        times
    }

    fn haste_puff(&self, at: Vec3, now: ServerTime) -> Puff {
        Puff {
            at,
            velocity: Vec3::ZERO,
            radius: 8.0,
            start: now,
            life_msec: 500,
            shader: self.media.shaders.haste_puff,
            keeps_size: false,
        }
    }

    fn add_dust(&mut self, entity: &CEntity, last: &mut ServerTime, now: ServerTime) {
        let below = entity.origin - Vec3::Z * 64.0;
        let number = i32::from(entity.current.number);
        let ground = self.trace(entity.origin, below, number, contents::MASK_PLAYERSOLID);
        if ground.surface_flags & surface::DUST == 0 || !is_due(last, 40, now) {
            return;
        }
        let mut puff = self.haste_puff(entity.origin - Vec3::Z * 16.0, now);
        puff.velocity = Vec3::Z * -30.0;
        puff.radius = 24.0;
        let mut dust = puff.effect();
        dust.color = Vec3::new(0.8, 0.8, 0.7);
        self.effects.add(dust);
    }

    fn add_breath(&mut self, entity: &CEntity, last: &mut ServerTime, now: ServerTime) {
        let Some((head, forward)) = entity.body.head else {
            return;
        };
        let is_wet = self.contents_at(head) & contents::MASK_WATER != 0;
        if is_wet || !is_due(last, 2000, now) {
            return;
        }
        let puff = Puff {
            at: head + forward * 8.0 - Vec3::Z * 4.0,
            velocity: Vec3::Z * 8.0,
            radius: 16.0,
            start: now,
            life_msec: 1500,
            shader: self.media.shaders.shotgun_puff,
            keeps_size: true,
        };
        let mut breath = puff.effect();
        breath.alpha = 0.66;
        breath.fade_in_msec = 400;
        self.effects.add(breath);
    }

    /// Rings around who wades: feet in the water, head in the air.
    fn add_wake(&self, entity: &CEntity, frame: &mut Frame<'_>) {
        const SIDE: f32 = 32.0;
        if frame.settings.shadows == 0 {
            return;
        }
        let (feet, head) = (
            entity.origin - Vec3::Z * 24.0,
            entity.origin + Vec3::Z * 32.0,
        );
        let dry = contents::MASK_WATER | contents::SOLID;
        if self.contents_at(feet) & contents::MASK_WATER == 0 || self.contents_at(head) & dry != 0 {
            return;
        }
        let hit = self.trace(head, feet, -1, contents::MASK_WATER);
        if hit.fraction == 1.0 {
            return;
        }
        let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
        let vertices = corners.map(|(x, y): (f32, f32)| PolyVertex {
            position: hit.end + Vec3::new(x, y, 0.0) * SIDE,
            tex_coord: [(x + 1.0) / 2.0, (y + 1.0) / 2.0],
            color: [255; 4],
        });
        frame.view.polys.push(Poly {
            shader: self.media.shaders.wake,
            vertices: vertices.to_vec(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{ServerTime, is_due};

    #[test]
    fn smoke_comes_at_its_own_pace() {
        let mut last = ServerTime(0);
        let due = |last: &mut ServerTime, times: &[i32]| -> Vec<bool> {
            times
                .iter()
                .map(|&now| is_due(last, 100, ServerTime(now)))
                .collect()
        };
        assert_eq!(
            due(&mut last, &[1000, 1050, 1099, 1100, 1150]),
            [true, false, false, true, false]
        );
        // The clock of another level begins anew.
        assert_eq!(due(&mut last, &[10, 50]), [true, false]);
    }
}
