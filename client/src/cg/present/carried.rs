//! What players carry on them beside weapons: runes, shields, skulls, and the chain of taken cubes.

use super::{
    bodies::Figure,
    frame::{Frame, part_of},
};
use crate::cg::{angles, media::roles::Media, timeline::entities::CEntity};
use crate::scene::{ModelId, RefEntity, RefEntityKind, entity::EntityFlags};
use glam::Vec3;
use shared::bg::numbers::{entity_flags as ef, gametype, powerup, team};
use std::f32::consts::TAU;

/// Draws all of it; the runes hang on the torso.
pub fn add(frame: &mut Frame<'_>, media: &mut Media, figure: &mut Figure<'_>, torso: &RefEntity) {
    let level = frame.level;
    let entity = figure.entity;
    if !level.profile.is_open_arena() {
        return;
    }
    add_runes(frame, media, entity, torso);
    add_shield(frame, media, figure);
    add_skulls(frame, media, entity, torso.flags);
    add_cubes(frame, media, figure);
}

/// Guard, scout, doubler, ammo regeneration: a model around the chest.
fn add_runes(frame: &mut Frame<'_>, media: &mut Media, entity: &CEntity, torso: &RefEntity) {
    let models = &media.models;
    let runes = [
        (powerup::GUARD, models.guard),
        (powerup::SCOUT, models.scout),
        (powerup::DOUBLER, models.doubler),
        (powerup::AMMOREGEN, models.ammo_regen),
    ];
    for (number, model) in runes {
        if entity.current.powerups & (1 << number) != 0 {
            let mut rune = part_of(torso, model);
            rune.axis = torso.axis;
            frame.add(rune);
        }
    }
}

/// The sphere of invulnerability, seen by its owner too; it grows and shrinks.
fn add_shield(frame: &mut Frame<'_>, media: &Media, figure: &mut Figure<'_>) {
    let entity = figure.entity;
    const CHANGE_MSEC: i32 = 250;
    let now = frame.now;
    let shield = &mut figure.body.carried.shield;
    if entity.current.powerups & (1 << powerup::INVULNERABILITY) != 0 {
        let began = shield.map_or(now, |(began, _)| began);
        *shield = Some((began, now));
    }
    let Some((began, seen)) = *shield else {
        return;
    };
    if !now.is_within(seen, CHANGE_MSEC) {
        *shield = None;
        return;
    }
    let part = |elapsed: i32| elapsed as f32 / CHANGE_MSEC as f32;
    let size = part(now - began).min(1.0) * (1.0 - part(now - seen));
    let mut sphere = RefEntity::new(RefEntityKind::Model(media.models.shield), entity.origin);
    sphere.axis = angles::scale(&angles::UPRIGHT, size.max(0.001));
    sphere.flags.scaled = true;
    frame.add(sphere);
}

/// Three skulls around who carries a kamikaze, one above his body.
fn add_skulls(frame: &mut Frame<'_>, media: &Media, entity: &CEntity, flags: EntityFlags) {
    const RADIUS: f32 = 20.0;
    let state = &entity.current;
    if state.e_flags & ef::KAMIKAZE == 0 {
        return;
    }
    let turn = |shift: i32| ((frame.now.0 / shift) & 255) as f32 * TAU / 255.0;
    let around = |angle: f32, height: f32| {
        let (sin, cos) = libm::sincosf(angle);
        (
            Vec3::new(cos * RADIUS, sin * RADIUS, height),
            Vec3::new(-sin, cos, 0.0),
        )
    };
    let bob = 8.0 * libm::sinf(turn(7));
    let skulls = if state.e_flags & ef::DEAD != 0 {
        vec![around(turn(7), 8.0 + bob)]
    } else {
        vec![
            around(turn(4), bob),
            around(turn(4) + TAU / 2.0, 8.0 - bob),
            around(-turn(3), 16.0),
        ]
    };
    for (place, forward) in skulls {
        let mut skull = model(media.models.kamikaze_skull, entity.origin + place, flags);
        skull.axis = angles::axis_along(forward, 0.0);
        frame.add(skull);
    }
}

/// The enemy's cubes in a chain behind who collects them.
fn add_cubes(frame: &mut Frame<'_>, media: &Media, figure: &mut Figure<'_>) {
    let level = frame.level;
    let entity = figure.entity;
    const MAX: i32 = 10;
    const LONGEST: f32 = 30.0;
    let state = entity.current;
    let is_dead = state.e_flags & ef::DEAD != 0;
    if level.game_type != gametype::HARVESTER || is_dead {
        figure.body.carried.cubes.clear();
        return;
    }
    let count = state.generic1.clamp(0, MAX) as usize;
    let model_id = match level.client(state.client_num).map(|info| info.team) {
        Some(team::BLUE) => media.models.red_cube,
        _ => media.models.blue_cube,
    };
    let cubes = &mut figure.body.carried.cubes;
    cubes.resize(count, entity.origin);
    let mut before = entity.origin;
    let yaw = (frame.now.0 & 2047) as f32 * 360.0 / 2048.0;
    for (place, cube) in cubes.iter_mut().enumerate() {
        let pull = *cube - before;
        if pull.length() > LONGEST {
            *cube = before + pull.normalize_or_zero() * LONGEST;
        }
        before = *cube;
        let bob = 10.0 * libm::sinf(frame.now.0 as f32 * 0.004 + place as f32);
        let mut shown = model(model_id, *cube + Vec3::Z * bob, EntityFlags::default());
        shown.axis = angles::axis_from_yaw(yaw);
        frame.add(shown);
    }
}

fn model(id: ModelId, origin: Vec3, flags: EntityFlags) -> RefEntity {
    let mut entity = RefEntity::new(RefEntityKind::Model(id), origin);
    entity.flags = flags;
    entity
}
