//! Bodies: which frames legs, torso and head show, how they turn, and what is drawn on and around them.

use super::{
    anim::{LerpFrame, Pace},
    bodies::Figure,
    carried, carried_flags,
    frame::{Frame, sprite},
    weapons,
};
use crate::cg::{
    angles,
    media::{player_media::PlayerMediaSet, roles::Media},
    timeline::{entities::CEntity, game_static::ClientInfo},
};
use crate::scene::{ModelId, RefEntity, RefEntityKind, entity::EntityFlags};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags as ef, powerup, team},
        pmove::animation::anim,
    },
    formats::animcfg::AnimationConfig,
    types::entitystate::EntityState,
};

/// Draws a player with everything on him.
pub fn add_player(
    frame: &mut Frame<'_>,
    media: &mut Media,
    players: &PlayerMediaSet,
    figure: &mut Figure<'_>,
) {
    let level = frame.level;
    let entity = figure.entity;
    let client = entity.current.client_num;
    let (Some(info), Some(looks)) = (level.client(client), players.shown(client, level)) else {
        return;
    };
    let Some(config) = frame.assets.animation(looks.animation).cloned() else {
        return;
    };
    let is_own = i32::from(entity.current.number) == frame.viewed_client;
    let flags = EntityFlags {
        third_person: is_own && !frame.settings.third_person && !is_dead(&entity.current),
        ..EntityFlags::default()
    };

    if figure.body.animation.replace(looks.animation) != Some(looks.animation) {
        figure.body.needs_reset = true;
    }
    let starts_over = figure.body.needs_reset;
    if starts_over {
        reset(figure, &config, frame.now);
        if frame.settings.debug_position {
            let (number, at) = (entity.current.number, entity.origin);
            let text = format!("entity {number} starts over at {at}\n");
            frame.output.printed.push(text);
        }
    }
    if frame.settings.debug_anim {
        tell_animations(frame, figure);
    }
    if !frame.settings.is_animated() {
        figure.body.legs.hold_still();
        figure.body.torso.hold_still();
    } else if !starts_over {
        let returns = level.profile.is_open_arena();
        run_animations(figure, &config, frame.now, returns);
    }
    let [legs_axis, torso_axis, head_axis] = turn(frame, figure, &config);

    let glow = glow(frame, &entity.current, info.team);
    let mut legs = part(entity, looks.legs, flags);
    legs.glow = glow;
    legs.custom_skin = looks.legs_skin;
    legs.axis = legs_axis;
    (legs.old_frame, legs.frame, legs.backlerp) = frames(&figure.body.legs);
    add_with_powerups(frame, media, legs.clone(), &entity.current, info.team);
    // Everything else hangs on the legs; without their model there is nothing to hang on.
    if frame.assets.model(looks.legs).is_none() {
        return;
    }

    let mut torso = part(entity, looks.torso, flags);
    torso.glow = glow;
    torso.custom_skin = looks.torso_skin;
    torso.axis = torso_axis;
    frame.attach(&mut torso, &legs, looks.legs, "tag_torso");
    (torso.old_frame, torso.frame, torso.backlerp) = frames(&figure.body.torso);
    add_with_powerups(frame, media, torso.clone(), &entity.current, info.team);

    let mut head = part(entity, looks.head, flags);
    head.glow = glow;
    head.custom_skin = looks.head_skin;
    head.axis = head_axis;
    frame.attach(&mut head, &torso, looks.torso, "tag_head");
    head.backlerp = 0.0;
    figure.body.head = Some((head.origin, head.axis[0]));
    add_with_powerups(frame, media, head, &entity.current, info.team);

    weapons::add_on_player(frame, media, info, figure, &torso, looks.torso);
    add_powerup_effects(frame, media, entity);
    carried_flags::add(
        frame,
        media,
        figure,
        &config.animations,
        &torso,
        looks.torso,
    );
    carried::add(frame, media, figure, &torso);
    add_sprite(frame, media, entity, info, flags);
}

/// Where a player casts a shadow, and which way he stands; the invisible cast none.
pub fn shadow(figure: &Figure<'_>) -> Option<(Vec3, f32)> {
    let entity = figure.entity;
    let is_seen = entity.current.powerups & (1 << powerup::INVIS) == 0;
    is_seen.then_some((entity.origin, figure.body.legs.yaw))
}

fn is_dead(state: &EntityState) -> bool {
    state.e_flags & ef::DEAD != 0
}

/// The light of `cg_brightSkins` on a living player: the color of the side, green without sides.
fn glow(frame: &Frame<'_>, state: &EntityState, side: i32) -> Option<Vec3> {
    const GREEN: Vec3 = Vec3::new(0.4, 1.0, 0.4);
    let own = frame.level.client(frame.viewed_client);
    let is_own_side = frame.level.is_team_game() && own.is_some_and(|own| own.team == side);
    let is_wanted = match frame.settings.bright_skins {
        0 => false,
        1 => !is_own_side,
        _ => true,
    };
    let is_other = i32::from(state.number) != frame.viewed_client;
    let color = frame.settings.team_color(side).map(Vec3::from_array);
    (is_wanted && is_other && !is_dead(state)).then_some(color.unwrap_or(GREEN))
}

fn part(entity: &CEntity, model: ModelId, flags: EntityFlags) -> RefEntity {
    let mut part = RefEntity::new(RefEntityKind::Model(model), entity.origin);
    part.flags = flags;
    part.lighting_origin = Some(entity.origin);
    part
}

fn frames(part: &LerpFrame) -> (i32, i32, f32) {
    (part.old_frame, part.frame, part.backlerp)
}

fn reset(figure: &mut Figure<'_>, config: &AnimationConfig, now: ServerTime) {
    let entity = figure.entity;
    let body = &mut figure.body;
    body.needs_reset = false;
    body.legs.reset(
        now,
        anim::shown_legs(entity.current.legs_anim),
        &config.animations,
        entity.angles.y,
        0.0,
    );
    body.torso.reset(
        now,
        anim::shown_torso(entity.current.torso_anim),
        &config.animations,
        entity.angles.y,
        entity.angles.x,
    );
}

/// Names the animations that begin in this frame.
fn tell_animations(frame: &mut Frame<'_>, figure: &Figure<'_>) {
    let entity = figure.entity;
    let state = &entity.current;
    for (part, begins, running) in [
        (
            "legs",
            anim::shown_legs(state.legs_anim),
            figure.body.legs.number(),
        ),
        (
            "torso",
            anim::shown_torso(state.torso_anim),
            figure.body.torso.number(),
        ),
    ] {
        if begins != running {
            let number = begins & !anim::TOGGLE_BIT;
            let text = format!("entity {} {part}: animation {number}\n", state.number);
            frame.output.printed.push(text);
        }
    }
}

/// `returns`: gestures to the team are played back to where they began, as in OpenArena.
fn run_animations(
    figure: &mut Figure<'_>,
    config: &AnimationConfig,
    now: ServerTime,
    returns: bool,
) {
    let entity = figure.entity;
    let speed = if entity.current.powerups & (1 << powerup::HASTE) != 0 {
        1.5
    } else {
        1.0
    };
    let legs_anim = anim::shown_legs(entity.current.legs_anim);
    let is_turning = figure.body.legs.is_yawing && legs_anim & !anim::TOGGLE_BIT == anim::LEGS_IDLE;
    let legs_anim = if is_turning {
        anim::LEGS_TURN
    } else {
        legs_anim
    };
    let torso_anim = anim::shown_torso(entity.current.torso_anim);
    let pace = Pace { speed, returns };
    let animations = &config.animations;
    figure.body.legs.run(now, legs_anim, animations, pace);
    figure.body.torso.run(now, torso_anim, animations, pace);
}

/// Axes of legs, torso (relative to the legs) and head (relative to the torso).
fn turn(frame: &Frame<'_>, figure: &mut Figure<'_>, config: &AnimationConfig) -> [angles::Axis; 3] {
    let entity = figure.entity;
    /// How far the legs turn away from the view for each of the eight directions of movement.
    const MOVEMENT_OFFSETS: [f32; 8] = [0.0, 22.0, 45.0, -22.0, 0.0, 22.0, -45.0, -22.0];
    let state = &entity.current;
    let mut head = entity.angles;
    head.y = head.y.rem_euclid(360.0);
    let body = &mut figure.body;

    let legs_anim = anim::shown_legs(state.legs_anim) & !anim::TOGGLE_BIT;
    let torso_anim = anim::shown_torso(state.torso_anim) & !anim::TOGGLE_BIT;
    if legs_anim != anim::LEGS_IDLE || !matches!(torso_anim, anim::TORSO_STAND | anim::TORSO_STAND2)
    {
        body.torso.is_yawing = true;
        body.torso.is_pitching = true;
        body.legs.is_yawing = true;
    }
    let direction = if is_dead(state) {
        0
    } else {
        state.angles2.y as usize
    };
    let offset = MOVEMENT_OFFSETS.get(direction).copied().unwrap_or(0.0);
    let step = frame.msec as f32 * frame.settings.swing_speed;
    body.torso
        .swing_yaw(head.y + 0.25 * offset, 25.0, 90.0, step);
    body.legs.swing_yaw(head.y + offset, 40.0, 90.0, step);
    let mut torso = Vec3::new(0.0, body.torso.yaw, 0.0);
    let mut legs = Vec3::new(0.0, body.legs.yaw, 0.0);

    body.torso.swing_pitch(
        angles::normalize_180(head.x) * 0.75,
        15.0,
        30.0,
        frame.msec as f32 * 0.1,
    );
    if !config.fixed_torso {
        torso.x = body.torso.pitch;
    }
    if let Some(direction) = state.pos.delta.try_normalize() {
        let speed = state.pos.delta.length() * 0.05;
        let axis = angles::axis_from_angles(legs);
        legs.z -= speed * direction.dot(axis[1]);
        legs.x += speed * direction.dot(axis[0]);
    }
    if config.fixed_legs {
        legs = Vec3::new(0.0, torso.y, 0.0);
    }
    if let Some(elapsed) = body
        .pain_time
        .map(|since| frame.now - since)
        .filter(|elapsed| (0..200).contains(elapsed))
    {
        let twitch = 20.0 * (1.0 - elapsed as f32 / 200.0);
        torso.z += if body.pain_is_right { twitch } else { -twitch };
    }
    let relative = |a: Vec3, b: Vec3| (a - b).map(angles::normalize_180);
    [legs, relative(torso, legs), relative(head, torso)].map(angles::axis_from_angles)
}

/// Draws a part as powerups make it look: shells over it, or nothing but a shimmer.
pub fn add_with_powerups(
    frame: &mut Frame<'_>,
    media: &Media,
    part: RefEntity,
    state: &EntityState,
    side: i32,
) {
    let has = |number: usize| state.powerups & (1 << number) != 0;
    let (now, hides_invisible) = (frame.now, frame.hides_invisible);
    let mut shell = |shader| {
        frame.add(RefEntity {
            custom_shader: Some(shader),
            ..part.clone()
        })
    };
    if has(powerup::INVIS) {
        if !hides_invisible {
            shell(media.shaders.invisible);
        }
        return;
    }
    if has(powerup::QUAD) {
        shell(match side {
            team::RED => media.shaders.red_quad,
            _ => media.shaders.quad,
        });
    }
    if has(powerup::BATTLESUIT) {
        shell(media.shaders.battle_suit);
    }
    let regenerates = has(powerup::REGEN) && (now.0 / 100) % 10 == 1;
    if regenerates {
        shell(media.shaders.regen);
    }
    // Skins are red and blue; a shell brings the chosen colors over them.
    let chosen = frame.settings.chosen_team_color(side);
    if let (Some([r, g, b]), true) = (chosen, frame.level.is_team_game()) {
        frame.add(RefEntity {
            custom_shader: Some(media.shaders.team_shell),
            color: [r, g, b, TEAM_SHELL_ALPHA].map(|part| (part * 255.0) as u8),
            ..part.clone()
        });
    }
    frame.add(part);
}

/// How much of a skin the color of a team covers.
const TEAM_SHELL_ALPHA: f32 = 0.6;

fn add_powerup_effects(frame: &mut Frame<'_>, media: &Media, entity: &CEntity) {
    let has = |number: usize| entity.current.powerups & (1 << number) != 0;
    let chosen = |team| frame.settings.chosen_team_color(team);
    let lights = [
        (powerup::QUAD, [0.2, 0.2, 1.0]),
        (
            powerup::REDFLAG,
            chosen(team::RED).unwrap_or([1.0, 0.2, 0.2]),
        ),
        (
            powerup::BLUEFLAG,
            chosen(team::BLUE).unwrap_or([0.2, 0.2, 1.0]),
        ),
        (powerup::NEUTRALFLAG, [1.0, 1.0, 1.0]),
    ];
    for (number, color) in lights {
        if has(number) {
            let radius = 200.0 + frame.flicker();
            frame.add_light(entity.origin, radius, color);
        }
    }
    if has(powerup::FLIGHT) {
        frame.add_loop(
            i32::from(entity.current.number),
            entity.origin,
            Vec3::ZERO,
            media.sounds.flight,
        );
    }
}

/// One sign over the head: trouble, talk, a medal, or a team-mate's marker.
fn add_sprite(
    frame: &mut Frame<'_>,
    media: &Media,
    entity: &CEntity,
    info: &ClientInfo,
    flags: EntityFlags,
) {
    let level = frame.level;
    let state = &entity.current;
    let shaders = &media.shaders;
    let signs = [
        (ef::CONNECTION, shaders.connection),
        (ef::TALK, shaders.balloon),
        (ef::AWARD_IMPRESSIVE, shaders.medal_impressive),
        (ef::AWARD_EXCELLENT, shaders.medal_excellent),
        (ef::AWARD_GAUNTLET, shaders.medal_gauntlet),
        (ef::AWARD_DEFEND, shaders.medal_defend),
        (ef::AWARD_ASSIST, shaders.medal_assist),
        (ef::AWARD_CAP, shaders.medal_capture),
    ];
    let own_team = level
        .client(frame.viewed_client)
        .map_or(team::FREE, |own| own.team);
    let is_friend = frame.settings.draw_friend
        && level.is_team_game()
        && info.team == own_team
        && !is_dead(state);
    let sign = signs
        .into_iter()
        .find(|(bit, _)| state.e_flags & bit != 0)
        .map(|(_, shader)| shader);
    let Some(shader) = sign.or(is_friend.then_some(shaders.friend)) else {
        return;
    };
    let mut sprite = sprite(entity.origin + Vec3::Z * 48.0, 10.0, shader);
    sprite.flags = flags;
    frame.add(sprite);
}
