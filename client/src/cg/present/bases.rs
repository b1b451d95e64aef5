//! What stands at the goals of team games: flag stands, the obelisks of overload, the pits of harvester.

use super::{
    bodies::Figure,
    frame::{Frame, channel},
};
use crate::cg::{
    angles,
    media::roles::{GoalModels, Media},
    timeline::entities::CEntity,
};
use crate::scene::{ModelId, RefEntity, RefEntityKind, SoundId};
use glam::Vec3;
use shared::base::time::ServerTime;
use shared::bg::numbers::{gametype, team};

/// What the frame of an obelisk tells.
const EXPLODING: i32 = 1;
const COMING_BACK: i32 = 2;
/// The target floats so far above its base.
const TARGET_HEIGHT: f32 = 56.0;
/// An obelisk is lit again so long before it is back.
const LIT_MSEC: i32 = 5000;

/// Draws the base of a team in the game types that have one; flags themselves are items.
pub fn add_base(frame: &mut Frame<'_>, media: &Media, figure: &mut Figure<'_>) {
    let level = frame.level;
    let entity = figure.entity;
    if !level.profile.is_open_arena() {
        return;
    }
    let models = &media.models;
    match (level.game_type, &media.goals) {
        (gametype::CTF | gametype::ONE_FLAG_CTF | gametype::CTF_ELIMINATION, _) => {
            let model = match entity.current.model_index {
                1 => models.red_base,
                2 => models.blue_base,
                _ => models.neutral_base,
            };
            let side = match entity.current.model_index {
                1 => team::RED,
                2 => team::BLUE,
                _ => team::FREE,
            };
            let base = standing(entity, model);
            frame.add_of_team(media.shaders.team_shell, base, side);
        }
        (gametype::OVERLOAD, Some(goals)) => {
            let sound = media.oa_sounds.obelisk_returns;
            add_obelisk(frame, goals, sound, figure);
        }
        (gametype::HARVESTER, Some(goals)) => {
            let model = match entity.current.model_index {
                1 | 2 => goals.harvester,
                _ => goals.neutral_obelisk,
            };
            frame.add(standing(entity, model));
        }
        _ => {}
    }
}

fn standing(entity: &CEntity, model: ModelId) -> RefEntity {
    let mut base = RefEntity::new(RefEntityKind::Model(model), entity.origin);
    base.axis = angles::axis_from_angles(entity.angles);
    base
}

/// An obelisk reddens with damage, bursts, and grows again out of the dark.
fn add_obelisk(frame: &mut Frame<'_>, goals: &GoalModels, sound: SoundId, figure: &mut Figure<'_>) {
    let entity = figure.entity;
    frame.add(standing(entity, goals.obelisk_base));
    let health = entity.current.model_index2.clamp(0, 255) as u8;
    let reddened = [255, health, health, 255];
    if entity.current.frame != COMING_BACK {
        figure.body.misc_time = ServerTime::default();
    }
    match entity.current.frame {
        EXPLODING => {
            let mut energy = standing(entity, goals.obelisk_energy);
            energy.color = reddened;
            frame.add(energy);
        }
        COMING_BACK => add_returning(frame, goals, sound, figure),
        _ => {
            for mut part in [
                standing(entity, goals.obelisk_lights),
                floating(entity, goals),
            ] {
                part.color = reddened;
                frame.add(part);
            }
        }
    }
}

/// The lights come on again, then the target grows and turns ever slower.
fn add_returning(
    frame: &mut Frame<'_>,
    goals: &GoalModels,
    sound: SoundId,
    figure: &mut Figure<'_>,
) {
    let level = frame.level;
    let entity = figure.entity;
    if figure.body.misc_time == ServerTime::default() {
        figure.body.misc_time = frame.now;
    }
    let dark_msec = (level.rules.obelisk_msec - LIT_MSEC).max(1);
    let elapsed = frame.now - figure.body.misc_time;
    let grown = (elapsed.saturating_sub(dark_msec) as f32 / dark_msec as f32).clamp(0.0, 1.0);
    let mut lights = standing(entity, goals.obelisk_lights);
    lights.color = [(255.0 * grown) as u8; 4];
    frame.add(lights);
    if elapsed <= dark_msec {
        return;
    }
    if elapsed.saturating_sub(frame.msec) <= dark_msec {
        frame.start_on(i32::from(entity.current.number), channel::BODY, sound);
    }
    let mut target = floating(entity, goals);
    let turned = Vec3::Y * (16.0 * libm::acosf(1.0 - grown).to_degrees());
    let axis = angles::axis_from_angles(entity.angles + turned);
    target.axis = angles::scale(&axis, grown.max(0.001));
    target.flags.scaled = true;
    frame.add(target);
}

fn floating(entity: &CEntity, goals: &GoalModels) -> RefEntity {
    let mut target = standing(entity, goals.obelisk_target);
    target.origin.z += TARGET_HEIGHT;
    target
}
