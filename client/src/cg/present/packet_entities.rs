//! Packet entities other than players and items: missiles, movers, models, beams, portals, speakers.

use super::{
    bases,
    bodies::Figure,
    frame::{Frame, channel, sprite},
    items,
};
use crate::cg::{angles, media::roles::Media, timeline::entities::CEntity};
use crate::scene::{RefEntity, RefEntityKind};
use glam::Vec3;
use shared::{
    bg::{
        directions::direction_from_byte,
        numbers::{entity_type as et, team, weapon},
        trajectory,
    },
    types::{entitystate::SOLID_BMODEL, trajectory::kind},
};

/// Draws an entity that is no player; unknown types draw nothing.
pub fn add_thing(frame: &mut Frame<'_>, media: &mut Media, figure: &mut Figure<'_>) {
    let entity = figure.entity;
    match entity.current.e_type {
        et::GENERAL => add_general(frame, media, entity),
        et::ITEM => items::add_item(frame, media, figure),
        et::MISSILE => add_missile(frame, media, entity),
        et::MOVER => add_mover(frame, media, entity),
        et::BEAM => add_beam(frame, entity),
        et::PORTAL => add_portal(frame, entity),
        et::SPEAKER => add_speaker(frame, media, figure),
        et::GRAPPLE => add_grapple(frame, media, entity),
        et::TEAM => bases::add_base(frame, media, figure),
        _ => {}
    }
}

/// The loop and the light that any entity may have.
pub fn add_effects(frame: &mut Frame<'_>, media: &mut Media, entity: &CEntity) {
    let state = &entity.current;
    let number = i32::from(state.number);
    let origin = sound_origin(frame, media, entity);
    frame.place_sound(number, origin);
    if let Some(sound) = media.level_sound(state.loop_sound) {
        if state.e_type == et::SPEAKER {
            frame.add_ambient_loop(number, origin, sound);
        } else {
            frame.add_loop(number, origin, Vec3::ZERO, sound);
        }
    }
    if state.constant_light != 0 {
        let [r, g, b, radius] = state.constant_light.to_le_bytes();
        let color = [r, g, b].map(|part| f32::from(part) / 255.0);
        frame.add_light(entity.origin, f32::from(radius) * 4.0, color);
    }
}

/// Where an entity is heard: brush models at their middle.
pub fn sound_origin(frame: &mut Frame<'_>, media: &mut Media, entity: &CEntity) -> Vec3 {
    if entity.current.solid == SOLID_BMODEL
        && let Some(model) = media.brush_model(entity.current.model_index, frame.assets)
        && let Some((mins, maxs)) = frame.bounds(model)
    {
        return entity.origin + (mins + maxs) * 0.5;
    }
    entity.origin
}

fn add_general(frame: &mut Frame<'_>, media: &Media, entity: &CEntity) {
    let state = &entity.current;
    let Some(model) = media.level_model(state.model_index) else {
        return;
    };
    let mut thing = RefEntity::new(RefEntityKind::Model(model), entity.origin);
    thing.frame = state.frame;
    thing.old_frame = state.frame;
    thing.axis = angles::axis_from_angles(entity.angles);
    thing.flags.third_person = i32::from(state.number) == frame.viewed_client;
    frame.add(thing);
}

fn add_missile(frame: &mut Frame<'_>, media: &mut Media, entity: &CEntity) {
    let state = entity.current;
    let is_still = state.pos.kind == kind::STATIONARY;
    let Some(look) = media.weapon(state.weapon, frame.assets).cloned() else {
        return;
    };
    frame.add_light(
        entity.origin,
        look.look.missile_light,
        look.look.missile_color,
    );
    if let Some(sound) = look.missile_sound {
        let velocity = trajectory::velocity_at(&state.pos, frame.now);
        frame.add_loop(i32::from(state.number), entity.origin, velocity, sound);
    }
    if state.weapon == weapon::PLASMA {
        let shader = media.shaders.plasma_ball;
        return frame.add(sprite(entity.origin, 16.0, shader));
    }
    let Some(mut model) = look.missile else {
        return;
    };
    if state.weapon == weapon::PROX && state.generic1 == 2 {
        model = media.models.blue_mine;
    }
    let mut missile = RefEntity::new(RefEntityKind::Model(model), entity.origin);
    missile.flags.no_shadow = true;
    missile.skin_num = (frame.number & 1) as i32;
    let spin = if is_still {
        state.time
    } else {
        frame.now.0 / 4
    };
    missile.axis = if is_still && state.weapon == weapon::PROX {
        // The way it stands on its wall, not a path of angles.
        angles::axis_from_angles(state.angles)
    } else {
        angles::axis_along(state.pos.delta, (spin % 360) as f32)
    };
    super::players::add_with_powerups(frame, media, missile, &state, team::FREE);
}

fn add_mover(frame: &mut Frame<'_>, media: &mut Media, entity: &CEntity) {
    let state = &entity.current;
    let model = if state.solid == SOLID_BMODEL {
        media.brush_model(state.model_index, frame.assets)
    } else {
        media.level_model(state.model_index)
    };
    for model in [model, media.level_model(state.model_index2)]
        .into_iter()
        .flatten()
    {
        let mut thing = RefEntity::new(RefEntityKind::Model(model), entity.origin);
        thing.axis = angles::axis_from_angles(entity.angles);
        thing.flags.no_shadow = true;
        thing.skin_num = frame.now.0 >> 6 & 1;
        frame.add(thing);
    }
}

fn add_beam(frame: &mut Frame<'_>, entity: &CEntity) {
    let mut beam = RefEntity::new(RefEntityKind::Beam, entity.current.pos.base);
    beam.old_origin = entity.current.origin2;
    beam.flags.no_shadow = true;
    frame.add(beam);
}

/// Tells the renderer what the nearest portal surface shows: the other end's view, rolled.
fn add_portal(frame: &mut Frame<'_>, entity: &CEntity) {
    let state = &entity.current;
    let forward = direction_from_byte(state.event_parm);
    let left = -angles::perpendicular(forward);
    let is_mirror = state.origin2 == entity.origin;
    let mut portal = RefEntity::new(RefEntityKind::PortalSurface { is_mirror }, entity.origin);
    portal.old_origin = state.origin2;
    portal.axis = [forward, left, forward.cross(left)];
    portal.old_frame = state.powerups;
    portal.frame = state.frame;
    portal.skin_num = (state.client_num as f32 / 256.0 * 360.0) as i32;
    frame.add(portal);
}

fn add_speaker(frame: &mut Frame<'_>, media: &Media, figure: &mut Figure<'_>) {
    let entity = figure.entity;
    let state = &entity.current;
    if state.client_num == 0 || frame.now.is_before(figure.body.misc_time) {
        return;
    }
    let (number, wait) = (i32::from(state.number), state.frame.wrapping_mul(100));
    if let Some(sound) = media.level_sound(state.event_parm) {
        frame.start_on(number, channel::ITEM, sound);
    }
    let spread = entity.current.client_num.wrapping_mul(100) as f32 * frame.random.centred();
    figure.body.misc_time = frame.now + wait.saturating_add(spread as i32);
}

fn add_grapple(frame: &mut Frame<'_>, media: &mut Media, entity: &CEntity) {
    let Some(model) = media
        .weapon(weapon::HOOK, frame.assets)
        .and_then(|look| look.missile)
    else {
        return;
    };
    let mut hook = RefEntity::new(RefEntityKind::Model(model), entity.origin);
    hook.flags.no_shadow = true;
    hook.axis = angles::axis_along(entity.current.pos.delta, 0.0);
    frame.add(hook);
}
