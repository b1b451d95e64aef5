//! What bodies leave behind: smoke of haste, breath in the cold, dust of a landing, rings on water.

use super::{
    bodies::Figure,
    frame::Frame,
    local_entities::{LocalEntities, LocalEntity, Puff},
};
use crate::cg::{media::roles::Media, timeline::entities::CEntity};
use crate::scene::PolyVertex;
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags as ef, powerup},
        pmove::animation::anim,
    },
    types::trace::{contents, surface},
};

/// Whether `every` milliseconds have passed; then they begin anew.
fn is_due(last: &mut ServerTime, every: i32, now: ServerTime) -> bool {
    let is_due = !now.is_within(*last, every);
    if is_due {
        *last = now;
    }
    is_due
}

/// Leaves what is due of a player who was drawn.
pub fn add(
    frame: &mut Frame<'_>,
    media: &Media,
    local_entities: &mut LocalEntities,
    figure: &mut Figure<'_>,
) {
    let entity = figure.entity;
    let times = &mut figure.body.smoke;
    let legs = anim::shown_legs(entity.current.legs_anim) & !anim::TOGGLE_BIT;
    let has_haste = entity.current.powerups & (1 << powerup::HASTE) != 0;
    let is_running = matches!(legs, anim::LEGS_RUN | anim::LEGS_BACK);
    if has_haste && is_running && is_due(&mut times.haste, 100, frame.now) {
        let at = entity.origin - Vec3::Z * 16.0;
        let mut smoke = haste_puff(media, at, frame.now).effect();
        smoke.alpha = 1.0;
        local_entities.add(smoke);
    }
    let is_alive = entity.current.e_flags & ef::DEAD == 0;
    let is_open_arena = frame.level.profile.is_open_arena();
    let lands = matches!(legs, anim::LEGS_LAND | anim::LEGS_LANDB);
    if is_open_arena && frame.level.has_dust && lands {
        local_entities.extend(dust(frame, media, entity, &mut times.dust));
    }
    let number = i32::from(entity.current.number);
    let is_seen = number != frame.viewed_client || *frame.is_third_person;
    if is_open_arena && frame.level.has_breath && is_alive && is_seen {
        local_entities.extend(breath(frame, media, figure.body.head, &mut times.breath));
    }
    add_wake(frame, media, entity);
}

fn haste_puff(media: &Media, at: Vec3, now: ServerTime) -> Puff {
    Puff {
        at,
        velocity: Vec3::ZERO,
        radius: 8.0,
        start: now,
        life_msec: 500,
        shader: media.shaders.haste_puff,
        keeps_size: false,
    }
}

fn dust(
    frame: &Frame<'_>,
    media: &Media,
    entity: &CEntity,
    last: &mut ServerTime,
) -> Option<LocalEntity> {
    let below = entity.origin - Vec3::Z * 64.0;
    let number = i32::from(entity.current.number);
    let ground = frame
        .world
        .line(entity.origin, below, number, contents::MASK_PLAYERSOLID);
    if ground.surface_flags & surface::DUST == 0 || !is_due(last, 40, frame.now) {
        return None;
    }
    let mut puff = haste_puff(media, entity.origin - Vec3::Z * 16.0, frame.now);
    puff.velocity = Vec3::Z * -30.0;
    puff.radius = 24.0;
    let mut dust = puff.effect();
    dust.color = Vec3::new(0.8, 0.8, 0.7);
    Some(dust)
}

fn breath(
    frame: &Frame<'_>,
    media: &Media,
    head: Option<(Vec3, Vec3)>,
    last: &mut ServerTime,
) -> Option<LocalEntity> {
    let (head, forward) = head?;
    let is_wet = frame.world.contents_at(head) & contents::MASK_WATER != 0;
    if is_wet || !is_due(last, 2000, frame.now) {
        return None;
    }
    let puff = Puff {
        at: head + forward * 8.0 - Vec3::Z * 4.0,
        velocity: Vec3::Z * 8.0,
        radius: 16.0,
        start: frame.now,
        life_msec: 1500,
        shader: media.shaders.shotgun_puff,
        keeps_size: true,
    };
    let mut breath = puff.effect();
    breath.alpha = 0.66;
    breath.fade_in_msec = 400;
    Some(breath)
}

/// Rings around who wades: feet in the water, head in the air.
fn add_wake(frame: &mut Frame<'_>, media: &Media, entity: &CEntity) {
    const SIDE: f32 = 32.0;
    if frame.settings.shadows == 0 {
        return;
    }
    let (feet, head) = (
        entity.origin - Vec3::Z * 24.0,
        entity.origin + Vec3::Z * 32.0,
    );
    let dry = contents::MASK_WATER | contents::SOLID;
    if frame.world.contents_at(feet) & contents::MASK_WATER == 0
        || frame.world.contents_at(head) & dry != 0
    {
        return;
    }
    let hit = frame.world.line(head, feet, -1, contents::MASK_WATER);
    if hit.fraction == 1.0 {
        return;
    }
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
    let vertices = corners.map(|(x, y): (f32, f32)| PolyVertex {
        position: hit.end + Vec3::new(x, y, 0.0) * SIDE,
        tex_coord: [(x + 1.0) / 2.0, (y + 1.0) / 2.0],
        color: [255; 4],
    });
    frame.view.polys.push(media.shaders.wake, vertices);
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
