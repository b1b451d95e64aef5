//! Items of the level: they bob, turn, hum, and grow when they respawn.

use super::{
    bodies::Figure,
    frame::{self, Frame},
};
use crate::cg::{angles, media::roles::Media, timeline::entities::CEntity};
use crate::scene::{ModelId, RefEntity, RefEntityKind, entity::EntityFlags};
use glam::Vec3;
use shared::base::time::ServerTime;
use shared::bg::{
    items::{self, Item, ItemKind},
    numbers::{entity_flags as ef, team, weapon},
};

/// How long a respawned item grows.
const GROW_MSEC: i32 = 1000;
/// Number of the holdable that is a kamikaze.
const KAMIKAZE: u8 = 3;

/// Draws an item, unless it waits to come back.
pub fn add_item(frame: &mut Frame<'_>, media: &mut Media, figure: &Figure<'_>) {
    let level = frame.level;
    let entity = figure.entity;
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
    let is_coin = item.kind == ItemKind::Coin;
    let is_simple = frame.settings.simple_items && item.kind != ItemKind::Team;
    // One that is still on its way is seen all the same.
    if is_coin || is_simple || frame.assets.is_coming(look.model) {
        frame.add(frame::sprite(entity.origin, 14.0, look.icon));
        return;
    }
    let is_weapon = item.kind == ItemKind::Weapon;
    let is_open_arena = level.profile.is_open_arena();
    let growth = growth(frame, figure) * what_is_left(frame, entity);
    let (origin, axis) = place(frame, item, look.model, entity);
    let is_large = is_open_arena && item.kind == ItemKind::Holdable && item.tag == KAMIKAZE;
    let size = growth * if is_large { 2.0 } else { 1.0 };
    let mut thing = RefEntity::new(RefEntityKind::Model(look.model), origin);
    thing.axis = angles::scale(&axis, size);
    thing.flags = EntityFlags {
        no_shadow: true,
        scaled: size != 1.0 || is_weapon,
        ..EntityFlags::default()
    };
    if is_weapon && i32::from(item.tag) == weapon::RAIL {
        let own = level.client(level.client_num as i32);
        thing.color = own.map_or(thing.color, |own| frame::rgba(own.colors[0]));
    }
    let is_of_team = |color| item.kind == ItemKind::Team && item.class_name.contains(color);
    let side = if is_of_team("red") {
        team::RED
    } else if is_of_team("blue") {
        team::BLUE
    } else {
        team::FREE
    };
    frame.add_of_team(media.shaders.team_shell, thing.clone(), side);
    if is_weapon {
        add_barrel(frame, media, i32::from(item.tag), &thing, look.model);
        if is_open_arena {
            let hum = media.oa_sounds.weapon_hover;
            frame.add_loop(i32::from(state.number), origin, Vec3::ZERO, hum);
        }
    }
    if let Some(second) = look.second_model {
        add_second(frame, item, second, thing, growth);
    }
}

/// 0 to 1: how much of an item is back.
fn growth(frame: &Frame<'_>, figure: &Figure<'_>) -> f32 {
    let since_respawn = frame.now - figure.body.misc_time;
    if figure.body.misc_time != ServerTime::default() && (0..GROW_MSEC).contains(&since_respawn) {
        since_respawn as f32 / GROW_MSEC as f32
    } else {
        1.0
    }
}

/// 0 to 1: what is left of an item that RatMod takes away soon.
fn what_is_left(frame: &Frame<'_>, entity: &CEntity) -> f32 {
    const SHRINK_MSEC: i32 = 3000;
    let gone_at = entity.current.time2;
    if frame.level.rat.is_none() || gone_at <= 0 {
        return 1.0;
    }
    let left = ServerTime(gone_at) - frame.now;
    left.clamp(0, SHRINK_MSEC) as f32 / SHRINK_MSEC as f32
}

/// Where an item floats and how it is turned; weapons turn around their middle and are larger than in hands.
fn place(frame: &Frame<'_>, item: &Item, model: ModelId, entity: &CEntity) -> (Vec3, angles::Axis) {
    let bob_speed = 0.005 + f32::from(entity.current.number) * 0.00001;
    let mut origin = entity.origin;
    origin.z += 4.0 + libm::cosf((frame.now + 1000).0 as f32 * bob_speed) * 4.0;
    let turn = match item.kind {
        ItemKind::Health => quick_turn(frame.now),
        _ => (frame.now.0 & 2047) as f32 * 360.0 / 2048.0,
    };
    let mut axis = angles::axis_from_yaw(turn);
    if item.kind == ItemKind::Weapon {
        if let Some((mins, maxs)) = frame.bounds(model) {
            origin -= angles::to_world((mins + maxs) * 0.5, &axis);
        }
        origin.z += 8.0;
        axis = angles::scale(&axis, 1.5);
    }
    (origin, axis)
}

fn quick_turn(now: ServerTime) -> f32 {
    (now.0 & 1023) as f32 * 360.0 / 1024.0
}

fn add_barrel(
    frame: &mut Frame<'_>,
    media: &mut Media,
    number: i32,
    gun: &RefEntity,
    gun_model: ModelId,
) {
    let Some(model) = media
        .weapon(number, frame.assets)
        .and_then(|weapon| weapon.barrel)
    else {
        return;
    };
    let mut barrel = frame::part_of(gun, model);
    frame.attach(&mut barrel, gun, gun_model, "tag_barrel");
    frame.add(barrel);
}

/// The sphere around health, the ring above a powerup.
fn add_second(
    frame: &mut Frame<'_>,
    item: &Item,
    model: ModelId,
    mut around: RefEntity,
    growth: f32,
) {
    let (lift, axis) = match item.kind {
        ItemKind::Health => (0.0, angles::UPRIGHT),
        ItemKind::Powerup => (12.0, angles::axis_from_yaw(-quick_turn(frame.now))),
        _ => return,
    };
    around.kind = RefEntityKind::Model(model);
    around.origin.z += lift;
    around.axis = angles::scale(&axis, growth);
    frame.add(around);
}
