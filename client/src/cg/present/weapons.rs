//! Weapons in hands: on other players' bodies and before the own eyes, with flashes, barrels and hums.

use super::{
    anim::eye_height,
    bodies::Figure,
    frame::{Frame, channel, part_of, rgba},
    view::ViewMotion,
};
use crate::cg::{
    angles,
    media::{player_media::PlayerMedia, roles::Media, weapon_media::WeaponMedia},
    timeline::game_static::ClientInfo,
};
use crate::scene::{ModelId, RefEntity, RefEntityKind, entity::EntityFlags};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags as ef, persistant, pm_type, powerup, team, weapon},
        pmove::animation::anim,
    },
    types::{entitystate::EntityState, trace::contents},
};

/// How long a muzzle flash of a single shot is seen.
const MUZZLE_FLASH_MSEC: i32 = 20;
/// How long a railgun's color takes to come back.
const RAIL_COOLS_MSEC: i32 = 1500;
/// `weapon_state` between a shot and the next.
const FIRING: i32 = 3;

/// The weapon in a player's hands, seen from outside.
pub fn add_on_player(
    frame: &mut Frame<'_>,
    media: &mut Media,
    info: &ClientInfo,
    figure: &mut Figure<'_>,
    torso: &RefEntity,
    torso_model: ModelId,
) {
    let entity = figure.entity;
    let Some(weapon_media) = media.weapon(entity.current.weapon, frame.assets).cloned() else {
        return;
    };
    add_loops(frame, figure, &weapon_media);
    let mut gun = part_of(torso, weapon_media.model);
    tint_gun(&mut gun, info, figure, frame.now);
    frame.attach(&mut gun, torso, torso_model, "tag_weapon");
    let is_first_person = torso.flags.third_person;
    add_gun(frame, media, &weapon_media, figure, &gun);
    add_flash(frame, &weapon_media, info, figure, &gun, is_first_person);
}

/// The weapon before the own eyes.
pub fn add_view_weapon(
    frame: &mut Frame<'_>,
    media: &mut Media,
    figure: &mut Figure<'_>,
    motion: &ViewMotion,
    looks: Option<&PlayerMedia>,
) {
    let level = frame.level;
    let player = &frame.predicted.player;
    let info = level.client(player.client_num);
    let is_open_arena = level.profile.is_open_arena();
    let is_away = matches!(
        player.pm_type,
        pm_type::INTERMISSION | pm_type::SPINTERMISSION | pm_type::SPECTATOR
    ) || player.persistant[persistant::TEAM] == team::SPECTATOR;
    if is_away {
        return;
    }
    if frame.settings.draw_gun == 0 {
        let is_firing = player.e_flags & ef::FIRING != 0;
        if is_firing && player.weapon == weapon::LIGHTNING {
            figure.body.lightning_from = Some(frame.view.eye - frame.view.axis[2] * 8.0);
        }
        return;
    }
    let Some(weapon_media) = media.weapon(player.weapon, frame.assets).cloned() else {
        return;
    };
    let hand = hand(frame, &weapon_media, figure, motion, looks);
    let hand_model = if frame.assets.model(weapon_media.hand).is_some() {
        weapon_media.hand
    } else {
        media.models.shotgun_hand
    };
    let mut gun = RefEntity::new(RefEntityKind::Model(weapon_media.model), hand.origin);
    gun.flags = EntityFlags {
        first_person: true,
        depth_hack: true,
        ..EntityFlags::default()
    };
    if is_open_arena && player.weapon == weapon::RAIL && player.weapon_state == FIRING {
        let cooled = 1.0 - player.weapon_time as f32 / RAIL_COOLS_MSEC as f32;
        gun.color = rgba(Vec3::new(cooled, 0.0, cooled));
    } else if let (Some(info), false) = (info, is_open_arena) {
        tint_gun(&mut gun, info, figure, frame.now);
    }
    attach_hand(frame, &mut gun, &hand, hand_model);
    if let Some(info) = info {
        add_gun(frame, media, &weapon_media, figure, &gun);
        add_flash(frame, &weapon_media, info, figure, &gun, false);
    }
}

/// `cg_drawGun` of a weapon that keeps its place whatever the player does.
const STILL_GUN: i32 = 4;

/// The invisible hand that sways, kicks and carries the gun.
fn hand(
    frame: &Frame<'_>,
    weapon_media: &WeaponMedia,
    figure: &Figure<'_>,
    motion: &ViewMotion,
    looks: Option<&PlayerMedia>,
) -> RefEntity {
    let (sway, drop) = match frame.settings.draw_gun {
        STILL_GUN => (Vec3::ZERO, Vec3::ZERO),
        _ => (motion.sway(frame.now), motion.gun_drop()),
    };
    let axis = angles::axis_from_angles(motion.angles + sway);
    let [x, y, z] = frame.settings.gun_offset();
    let lowered = if frame.settings.fov > 90.0 {
        -0.2 * (frame.settings.fov - 90.0)
    } else {
        0.0
    };
    let at = frame.view.eye + drop;
    let mut hand = RefEntity::new(RefEntityKind::Model(weapon_media.hand), at);
    hand.origin += angles::to_world(Vec3::new(x, y, z + lowered), &axis);
    hand.axis = axis;
    if let Some(animations) = looks.and_then(|looks| frame.assets.animation(looks.animation)) {
        let torso = &figure.body.torso;
        hand.frame = hand_frame(torso.frame, animations);
        hand.old_frame = hand_frame(torso.old_frame, animations);
        hand.backlerp = torso.backlerp;
    }
    hand
}

/// On the hand's tag; left-handed and centred guns move sideways.
fn attach_hand(frame: &Frame<'_>, gun: &mut RefEntity, hand: &RefEntity, hand_model: ModelId) {
    let Some(mut tag) = frame.tag(
        hand_model,
        hand.old_frame,
        hand.frame,
        hand.backlerp,
        "tag_weapon",
    ) else {
        return;
    };
    match frame.settings.draw_gun {
        2 => tag.origin.y = -tag.origin.y,
        3 => tag.origin.y = 0.0,
        _ => {}
    }
    gun.origin = hand.origin + angles::to_world(tag.origin, &hand.axis);
    gun.axis = angles::multiply(&tag.axis, &hand.axis);
    gun.backlerp = hand.backlerp;
}

/// Which frame of the hand goes with a frame of the torso.
fn hand_frame(frame: i32, config: &shared::formats::animcfg::AnimationConfig) -> i32 {
    let within = |number: i32, count: i32| {
        let first = config.animations[number as usize].first_frame;
        (first..first + count)
            .contains(&frame)
            .then_some(frame - first)
    };
    if let Some(step) = within(anim::TORSO_DROP, 9) {
        return step + 6;
    }
    within(anim::TORSO_ATTACK, 6)
        .or_else(|| within(anim::TORSO_ATTACK2, 6))
        .map_or(0, |step| step + 1)
}

/// A railgun has its owner's color, which comes back slowly after a shot.
fn tint_gun(gun: &mut RefEntity, info: &ClientInfo, figure: &Figure<'_>, now: ServerTime) {
    let entity = figure.entity;
    if entity.current.weapon == weapon::RAIL {
        let elapsed = figure.body.rail_time.map_or(RAIL_COOLS_MSEC, |at| now - at);
        let cooled = elapsed.clamp(0, RAIL_COOLS_MSEC) as f32 / RAIL_COOLS_MSEC as f32;
        gun.color = rgba(info.colors[0] * cooled);
    }
}

fn tint(gun: &mut RefEntity, info: &ClientInfo, number: i32) {
    if number == weapon::RAIL {
        gun.color = rgba(info.colors[0]);
    }
}

fn add_loops(frame: &mut Frame<'_>, figure: &mut Figure<'_>, weapon_media: &WeaponMedia) {
    let entity = figure.entity;
    let is_firing = entity.current.e_flags & ef::FIRING != 0;
    figure.body.is_lightning_firing = is_firing && weapon_media.firing_loop.is_some();
    let sound = if is_firing && weapon_media.firing_loop.is_some() {
        weapon_media.firing_loop
    } else {
        weapon_media.ready_loop
    };
    if let Some(sound) = sound {
        frame.add_loop(
            i32::from(entity.current.number),
            entity.origin,
            Vec3::ZERO,
            sound,
        );
    }
}

/// The gun with its shells and its barrel.
fn add_gun(
    frame: &mut Frame<'_>,
    media: &Media,
    weapon_media: &WeaponMedia,
    figure: &mut Figure<'_>,
    gun: &RefEntity,
) {
    add_with_weapon_powerups(frame, media, gun.clone(), &figure.entity.current);
    add_barrel(frame, media, weapon_media, figure, gun);
}

/// What is seen at the muzzle for a moment after each shot, and its light.
fn add_flash(
    frame: &mut Frame<'_>,
    weapon_media: &WeaponMedia,
    info: &ClientInfo,
    figure: &mut Figure<'_>,
    gun: &RefEntity,
    is_hidden_first_person: bool,
) {
    let state = figure.entity.current;
    let is_firing = state.e_flags & ef::FIRING != 0;
    let is_flashing = if flashes_continuously(state.weapon) {
        is_firing
    } else {
        figure
            .body
            .muzzle_flash_time
            .is_some_and(|since| frame.now.is_within(since, MUZZLE_FLASH_MSEC + 1))
    };
    if !is_flashing || frame.assets.model(weapon_media.flash).is_none() {
        return;
    }
    let mut flash = part_of(gun, weapon_media.flash);
    let roll = frame.random.centred() * 10.0;
    flash.axis = angles::axis_from_angles(Vec3::new(0.0, 0.0, roll));
    tint(&mut flash, info, state.weapon);
    frame.attach(&mut flash, gun, weapon_media.model, "tag_flash");
    let origin = flash.origin;
    if frame.settings.draws_flashes {
        frame.add(flash);
    }
    if !is_hidden_first_person {
        let radius = 300.0 + frame.flicker();
        frame.add_light(origin, radius, weapon_media.look.flash_color);
        if state.weapon == weapon::LIGHTNING {
            figure.body.lightning_from = Some(origin);
        }
    }
}

/// The barrel turns while the gun fires, and for a while after.
fn add_barrel(
    frame: &mut Frame<'_>,
    media: &Media,
    weapon_media: &WeaponMedia,
    figure: &mut Figure<'_>,
    gun: &RefEntity,
) {
    let entity = figure.entity;
    let Some(model) = weapon_media.barrel else {
        return;
    };
    let state = entity.current;
    let is_firing = state.e_flags & ef::FIRING != 0;
    let barrel = &mut figure.body.barrel;
    if barrel.is_spinning && !is_firing && state.weapon == weapon::CHAINGUN {
        let sound = media.oa_sounds.chaingun_stops;
        frame.start_on(i32::from(state.number), channel::WEAPON, sound);
    }
    let roll = barrel.turn(frame.now, is_firing);
    let mut barrel = part_of(gun, model);
    barrel.axis = angles::axis_from_angles(Vec3::new(0.0, 0.0, roll));
    frame.attach(&mut barrel, gun, weapon_media.model, "tag_barrel");
    add_with_weapon_powerups(frame, media, barrel, &state);
}

fn add_with_weapon_powerups(
    frame: &mut Frame<'_>,
    media: &Media,
    part: RefEntity,
    state: &EntityState,
) {
    let has = |number: usize| state.powerups & (1 << number) != 0;
    let with = |shader| RefEntity {
        custom_shader: Some(shader),
        ..part.clone()
    };
    if has(powerup::INVIS) {
        if !frame.hides_invisible {
            frame.add(with(media.shaders.invisible));
        }
        return;
    }
    frame.add(part.clone());
    if has(powerup::BATTLESUIT) {
        frame.add(with(media.shaders.battle_weapon));
    }
    if has(powerup::QUAD) {
        frame.add(with(media.shaders.quad_weapon));
    }
}

/// The bolt from a muzzle that was drawn in this frame to whatever it hits.
pub fn add_lightning(frame: &mut Frame<'_>, media: &Media, figure: &mut Figure<'_>, aim: Vec3) {
    let entity = figure.entity;
    const RANGE: f32 = 768.0;
    let Some(from) = figure.body.lightning_from.take() else {
        return;
    };
    let forward = angles::axis_from_angles(aim)[0];
    let height = eye_height(&entity.current);
    let muzzle = entity.origin + Vec3::Z * height + forward * 14.0;
    let end = muzzle + forward * RANGE;
    let number = i32::from(entity.current.number);
    let hit = frame.world.line(muzzle, end, number, contents::MASK_SHOT);
    let mut bolt = RefEntity::new(RefEntityKind::Lightning, from);
    bolt.old_origin = hit.end;
    bolt.custom_shader = Some(media.shaders.lightning);
    frame.add(bolt);
    if hit.fraction < 1.0 {
        let direction = (hit.end - from).normalize_or_zero();
        let kind = RefEntityKind::Model(media.models.crackle);
        let mut crackle = RefEntity::new(kind, hit.end - direction * 16.0);
        let turns = [frame.chance(), frame.chance(), frame.chance()];
        crackle.axis = angles::axis_from_angles(Vec3::from(turns) * 360.0);
        frame.add(crackle);
    }
}

/// Whether these two weapons point with a muzzle at all times while firing.
fn flashes_continuously(number: i32) -> bool {
    matches!(number, weapon::GAUNTLET | weapon::LIGHTNING | weapon::HOOK)
}

/// The sound and the flash of a shot.
pub fn fire(frame: &mut Frame<'_>, media: &mut Media, figure: &mut Figure<'_>) {
    let entity = figure.entity;
    let Some(weapon_media) = media.weapon(entity.current.weapon, frame.assets) else {
        return;
    };
    figure.body.muzzle_flash_time = Some(frame.now);
    if entity.current.weapon == weapon::LIGHTNING && figure.body.is_lightning_firing {
        return;
    }
    if entity.current.weapon == weapon::RAIL {
        figure.body.rail_time = Some(frame.now);
    }
    let number = i32::from(entity.current.number);
    let sounds = &weapon_media.fire_sounds;
    let sound = (!sounds.is_empty()).then(|| sounds[frame.random.below(sounds.len())]);
    if entity.current.powerups & (1 << powerup::QUAD) != 0 {
        frame.start_on(number, channel::ITEM, media.sounds.quad_fire);
    }
    frame.start_on(number, channel::WEAPON, sound);
}
