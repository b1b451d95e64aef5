//! Everything but players: items that bob, missiles that fly, movers, models, beams, portals and speakers.

use super::{
    angles,
    entities::CEntity,
    frame::{Frame, channel},
    level::Level,
    media::Media,
};
use crate::scene::{Entity, EntityKind, entity::EntityFlags};
use glam::Vec3;
use shared::{
    bg::{
        directions::direction_from_byte,
        items::{self, ItemKind},
        numbers::{entity_flags as ef, entity_type as et, weapon},
        trajectory,
    },
    types::trajectory::kind,
};

/// Marks an entity whose model is a part of the map.
const SOLID_BMODEL: i32 = 0xff_ffff;
/// How long a respawned item grows.
const GROW_MSEC: i32 = 1000;

/// Draws an entity that is no player; unknown types draw nothing.
pub fn add_thing(frame: &mut Frame<'_>, level: &Level, media: &mut Media, entity: &mut CEntity) {
    match entity.current.e_type {
        et::GENERAL => add_general(frame, media, entity),
        et::ITEM => add_item(frame, media, entity),
        et::MISSILE => add_missile(frame, media, entity),
        et::MOVER => add_mover(frame, media, entity),
        et::BEAM => add_beam(frame, entity),
        et::PORTAL => add_portal(frame, entity),
        et::SPEAKER => add_speaker(frame, media, entity),
        et::GRAPPLE => add_grapple(frame, media, entity),
        et::TEAM => add_team_base(frame, level, media, entity),
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
    let mut thing = Entity::new(EntityKind::Model(model), entity.origin);
    thing.frame = state.frame;
    thing.old_frame = state.frame;
    thing.axis = angles::axis_from_angles(entity.angles);
    thing.flags.third_person = i32::from(state.number) == frame.viewed_client;
    frame.add(thing);
}

fn add_item(frame: &mut Frame<'_>, media: &mut Media, entity: &CEntity) {
    let state = &entity.current;
    let (Some(item), Some(look)) = (
        items::item(state.model_index),
        media.item(state.model_index, frame.assets),
    ) else {
        return;
    };
    if state.e_flags & ef::NODRAW != 0 {
        return;
    }
    if frame.settings.simple_items && item.kind != ItemKind::Team {
        let mut sprite = Entity::new(
            EntityKind::Sprite {
                radius: 14.0,
                rotation_deg: 0.0,
            },
            entity.origin,
        );
        sprite.custom_shader = Some(look.icon);
        frame.add(sprite);
        return;
    }
    let bob_speed = 0.005 + f32::from(state.number) * 0.00001;
    let mut origin = entity.origin;
    origin.z += 4.0 + ((frame.now + 1000) as f32 * bob_speed).cos() * 4.0;
    let slow = angles::axis_from_yaw((frame.now & 2047) as f32 * 360.0 / 2048.0);
    let fast = angles::axis_from_yaw((frame.now & 1023) as f32 * 360.0 / 1024.0);
    let mut axis = if item.kind == ItemKind::Health {
        fast
    } else {
        slow
    };
    if item.kind == ItemKind::Weapon {
        if let Some((mins, maxs)) = frame.bounds(look.model) {
            origin -= angles::to_world((mins + maxs) * 0.5, &axis);
        }
        origin.z += 8.0;
        axis = angles::scale(&axis, 1.5);
    }
    let since_respawn = frame.now - entity.misc_time;
    let is_growing = entity.misc_time != 0 && (0..GROW_MSEC).contains(&since_respawn);
    let growth = if is_growing {
        since_respawn as f32 / GROW_MSEC as f32
    } else {
        1.0
    };
    let mut thing = Entity::new(EntityKind::Model(look.model), origin);
    thing.axis = angles::scale(&axis, growth);
    thing.flags = EntityFlags {
        no_shadow: true,
        scaled: is_growing || item.kind == ItemKind::Weapon,
        ..EntityFlags::default()
    };
    frame.add(thing.clone());
    if item.kind == ItemKind::Weapon {
        add_item_barrel(frame, media, i32::from(item.tag), &thing, look.model);
    }
    let Some(second) = look.second_model else {
        return;
    };
    let (lift, second_axis) = match item.kind {
        ItemKind::Health => (0.0, angles::UPRIGHT),
        ItemKind::Powerup => (
            12.0,
            angles::axis_from_yaw(-((frame.now & 1023) as f32 * 360.0 / 1024.0)),
        ),
        _ => return,
    };
    let mut around = thing;
    around.kind = EntityKind::Model(second);
    around.origin.z += lift;
    around.axis = angles::scale(&second_axis, growth);
    frame.add(around);
}

fn add_item_barrel(
    frame: &mut Frame<'_>,
    media: &mut Media,
    number: i32,
    gun: &Entity,
    gun_model: crate::scene::ModelId,
) {
    let Some(model) = media
        .weapon(number, frame.assets)
        .and_then(|weapon| weapon.barrel)
    else {
        return;
    };
    let mut barrel = Entity::new(EntityKind::Model(model), gun.origin);
    barrel.flags = gun.flags;
    frame.attach(&mut barrel, gun, gun_model, "tag_barrel");
    frame.add(barrel);
}

fn add_missile(frame: &mut Frame<'_>, media: &mut Media, entity: &mut CEntity) {
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
        let mut ball = Entity::new(
            EntityKind::Sprite {
                radius: 16.0,
                rotation_deg: 0.0,
            },
            entity.origin,
        );
        ball.custom_shader = Some(media.shaders.plasma_ball);
        frame.add(ball);
        return;
    }
    let Some(mut model) = look.missile else {
        return;
    };
    if state.weapon == weapon::PROX && state.generic1 == 2 {
        model = media.models.blue_mine;
    }
    let mut missile = Entity::new(EntityKind::Model(model), entity.origin);
    missile.flags.no_shadow = true;
    missile.skin_num = (frame.number & 1) as i32;
    let spin = if is_still { state.time } else { frame.now / 4 };
    missile.axis = if is_still && state.weapon == weapon::PROX {
        angles::axis_from_angles(entity.angles)
    } else {
        angles::axis_along(state.pos.delta, (spin % 360) as f32)
    };
    super::players::add_with_powerups(frame, media, missile, &state);
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
        let mut thing = Entity::new(EntityKind::Model(model), entity.origin);
        thing.axis = angles::axis_from_angles(entity.angles);
        thing.flags.no_shadow = true;
        thing.skin_num = frame.now >> 6 & 1;
        frame.add(thing);
    }
}

fn add_beam(frame: &mut Frame<'_>, entity: &CEntity) {
    let mut beam = Entity::new(EntityKind::Beam, entity.current.pos.base);
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
    let mut portal = Entity::new(EntityKind::PortalSurface { is_mirror }, entity.origin);
    portal.old_origin = state.origin2;
    portal.axis = [forward, left, forward.cross(left)];
    portal.old_frame = state.powerups;
    portal.frame = state.frame;
    portal.skin_num = (state.client_num as f32 / 256.0 * 360.0) as i32;
    frame.add(portal);
}

fn add_speaker(frame: &mut Frame<'_>, media: &Media, entity: &mut CEntity) {
    let state = &entity.current;
    if state.client_num == 0 || frame.now < entity.misc_time {
        return;
    }
    let (number, wait) = (i32::from(state.number), state.frame.wrapping_mul(100));
    if let Some(sound) = media.level_sound(state.event_parm) {
        frame.start_on(number, channel::ITEM, sound);
    }
    let spread = entity.current.client_num.wrapping_mul(100) as f32 * frame.random.centred();
    entity.misc_time = frame.now.saturating_add(wait).saturating_add(spread as i32);
}

fn add_grapple(frame: &mut Frame<'_>, media: &mut Media, entity: &CEntity) {
    let Some(model) = media
        .weapon(weapon::HOOK, frame.assets)
        .and_then(|look| look.missile)
    else {
        return;
    };
    let mut hook = Entity::new(EntityKind::Model(model), entity.origin);
    hook.flags.no_shadow = true;
    hook.axis = angles::axis_along(entity.current.pos.delta, 0.0);
    frame.add(hook);
}

/// Flag stands; other bases of team games look the same from the outside.
fn add_team_base(frame: &mut Frame<'_>, level: &Level, media: &Media, entity: &CEntity) {
    if !level.profile.is_open_arena() {
        return;
    }
    let model = match entity.current.model_index {
        1 => media.models.red_base,
        2 => media.models.blue_base,
        _ => media.models.neutral_base,
    };
    let mut base = Entity::new(EntityKind::Model(model), entity.origin);
    base.axis = angles::axis_from_angles(entity.angles);
    frame.add(base);
}
