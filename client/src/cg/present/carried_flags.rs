//! Flags on their carriers: a pole with a waving cloth where a body has a place for it, else a flag behind the back.

use super::{
    anim::Pace,
    bodies::Figure,
    frame::{Frame, part_of},
};
use crate::cg::{
    angles::{self, Axis},
    media::roles::{FlagMedia, Media},
    timeline::entities::CEntity,
};
use crate::scene::{ModelId, RefEntity, SkinId};
use glam::Vec3;
use shared::{
    bg::{
        numbers::{powerup, team},
        pmove::animation::anim,
    },
    formats::animcfg::Animation,
};

/// A cloth's own animations, behind those of bodies.
const FLAG_RUN: i32 = 34;
const FLAG_STAND: i32 = 35;

/// Where newer bodies carry a flag.
const TAG: &str = "tag_flag";

/// Draws the flags that a player carries.
pub fn add(
    frame: &mut Frame<'_>,
    media: &Media,
    figure: &mut Figure<'_>,
    animations: &[Animation],
    torso: &RefEntity,
    torso_model: ModelId,
) {
    let entity = figure.entity;
    let models = &media.models;
    let shell = media.shaders.team_shell;
    let flags = [
        (powerup::REDFLAG, team::RED, models.red_flag),
        (powerup::BLUEFLAG, team::BLUE, models.blue_flag),
        (powerup::NEUTRALFLAG, team::FREE, models.neutral_flag),
    ];
    for (number, side, model) in flags {
        if entity.current.powerups & (1 << number) == 0 {
            continue;
        }
        match media.flag {
            Some(parts) if has_place(frame, torso_model) => {
                let skin = match number {
                    powerup::REDFLAG => parts.red,
                    powerup::BLUEFLAG => parts.blue,
                    _ => parts.neutral,
                };
                let mut pole = part_of(torso, parts.pole);
                frame.attach(&mut pole, torso, torso_model, TAG);
                frame.add(pole.clone());
                let cloth = cloth(frame, figure, animations, &pole, &parts, skin);
                frame.add_of_team(shell, cloth, side);
            }
            _ => frame.add_of_team(shell, behind(entity, torso, model), side),
        }
    }
}

fn has_place(frame: &Frame<'_>, torso_model: ModelId) -> bool {
    frame.tag(torso_model, 0, 0, 0.0, TAG).is_some()
}

/// The old way: upright behind the player.
fn behind(entity: &CEntity, torso: &RefEntity, model: ModelId) -> RefEntity {
    let yaw = entity.angles.y;
    let forward = angles::axis_from_yaw(yaw)[0];
    let at = entity.origin - forward * 16.0 + Vec3::Z * 16.0;
    let mut flag = part_of(torso, model);
    flag.origin = at;
    flag.axis = angles::axis_from_yaw(yaw + 90.0);
    flag
}

/// The new way: from a pole on the back the cloth flies behind.
fn cloth(
    frame: &mut Frame<'_>,
    figure: &mut Figure<'_>,
    animations: &[Animation],
    pole: &RefEntity,
    parts: &FlagMedia,
    skin: SkinId,
) -> RefEntity {
    let entity = figure.entity;
    let (number, is_turning) = waving(anim::shown_legs(entity.current.legs_anim));
    let state = &mut figure.body.flag;
    if let (true, Some(yaw)) = (is_turning, wind_yaw(&pole.axis, entity.current.pos.delta)) {
        let step = frame.msec as f32 * 0.15;
        state.swing_yaw(yaw, 25.0, 90.0, step);
    }
    state.run(frame.now, number, animations, Pace::STEADY);
    let mut cloth = part_of(pole, parts.cloth);
    cloth.custom_skin = Some(skin);
    cloth.axis = angles::axis_from_yaw(state.yaw);
    frame.attach(&mut cloth, pole, parts.pole, TAG);
    (cloth.old_frame, cloth.frame, cloth.backlerp) = (state.old_frame, state.frame, state.backlerp);
    cloth
}

/// How the cloth waves above legs that do this, and whether it turns with the wind.
fn waving(legs_anim: i32) -> (i32, bool) {
    match legs_anim & !anim::TOGGLE_BIT {
        anim::LEGS_IDLE | anim::LEGS_IDLECR => (FLAG_STAND, false),
        anim::LEGS_WALK | anim::LEGS_WALKCR => (FLAG_STAND, true),
        _ => (FLAG_RUN, true),
    }
}

/// Which way around its pole a moving flag turns; `None` where the wind blows along the pole.
fn wind_yaw(pole: &Axis, velocity: Vec3) -> Option<f32> {
    /// What keeps the cloth of whoever stands still from turning at every twitch.
    const UPWARD: f32 = 100.0;
    const ALONG_THE_POLE: f32 = 0.9;
    let wind = (velocity + Vec3::Z * UPWARD).normalize_or_zero();
    let [forward, left, up] = pole.map(|axis| axis.dot(wind));
    (up.abs() < ALONG_THE_POLE).then(|| libm::atan2f(left, forward).to_degrees().rem_euclid(360.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cloth_turns_with_who_moves_and_hangs_on_who_does_not() {
        let pole = angles::axis_from_yaw(90.0);
        assert_eq!(wind_yaw(&pole, Vec3::ZERO), None);
        assert_eq!(wind_yaw(&pole, Vec3::Z * 300.0), None);
        for (velocity, expected) in [(Vec3::Y, 0.0), (Vec3::X, 270.0), (Vec3::NEG_X, 90.0)] {
            let yaw = wind_yaw(&pole, velocity * 320.0).expect("it moves across");
            let off = angles::difference(yaw, expected);
            assert!(off.abs() < 0.1, "{velocity}: {yaw}");
        }
    }

    #[test]
    fn cloth_waves_as_the_legs_move() {
        assert_eq!(
            waving(anim::LEGS_IDLE | anim::TOGGLE_BIT),
            (FLAG_STAND, false)
        );
        assert_eq!(waving(anim::LEGS_WALK), (FLAG_STAND, true));
        assert_eq!(waving(anim::LEGS_RUN), (FLAG_RUN, true));
    }
}
