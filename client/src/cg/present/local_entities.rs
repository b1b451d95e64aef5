//! Local entities: what lives for a moment without a server, such as explosions, puffs of smoke, beams, blood.

use super::{frame::Frame, frame::rgba};
use crate::cg::{
    angles::{self, Axis},
    media::roles::Media,
    timeline::entities::CEntity,
};
use crate::scene::{ModelId, RefEntity, RefEntityKind, ShaderId};
use glam::Vec3;
use shared::base::time::ServerTime;
use shared::types::{trace::contents, trajectory::Trajectory};
use std::collections::VecDeque;

/// The oldest goes when more are alive.
const MAX_LOCAL_ENTITIES: usize = 512;

/// One short-lived thing.
#[derive(Clone, Debug)]
pub struct LocalEntity {
    pub kind: LocalEntityKind,
    pub start: ServerTime,
    pub end: ServerTime,
    pub path: Trajectory,
    pub shader: Option<ShaderId>,
    /// 0 to 1 each.
    pub color: Vec3,
    pub alpha: f32,
    pub light: f32,
    pub light_color: [f32; 3],
    /// So long it becomes denser before it fades.
    pub fade_in_msec: i32,
}

/// How it changes over its life.
#[derive(Clone, Debug)]
pub enum LocalEntityKind {
    /// A puff; it grows unless `keeps_size`, and fades.
    Puff {
        radius: f32,
        rotation_deg: f32,
        keeps_size: bool,
    },
    /// A model that stays as it is.
    Model { model: ModelId, axis: Axis },
    /// A model or beam that fades to black.
    FadingModel { model: ModelId },
    /// A growing ball of fire that faces the viewer.
    SpriteExplosion { rotation_deg: f32 },
    /// A drop that falls, spreads and fades.
    Drop {
        radius: f32,
        rotation_deg: f32,
        /// How far it falls.
        depth: f32,
    },
    /// A spray of fixed size.
    Spray {
        radius: f32,
        rotation_deg: f32,
        hidden_from: i32,
    },
    /// Pictures of a fire one after the other, on a growing square that faces the viewer.
    Flame { rotation_deg: f32 },
    /// A rail's core; the path's base is its end.
    RailCore { from: Vec3 },
}

impl LocalEntityKind {
    fn name(&self) -> &'static str {
        match self {
            Self::Puff { .. } => "puff",
            Self::Drop { .. } => "drop",
            Self::Model { .. } => "model",
            Self::FadingModel { .. } => "flash",
            Self::SpriteExplosion { .. } => "explosion",
            Self::Spray { .. } => "blood",
            Self::Flame { .. } => "flame",
            Self::RailCore { .. } => "rail",
        }
    }
}

/// A puff of smoke or a bubble drifting away.
#[derive(Clone)]
pub struct Puff {
    pub at: Vec3,
    /// Units a second.
    pub velocity: Vec3,
    pub radius: f32,
    pub start: ServerTime,
    pub life_msec: i32,
    pub shader: ShaderId,
    /// Smoke spreads; bubbles and pads do not.
    pub keeps_size: bool,
}

impl Puff {
    /// The same as an effect, whose color and density may still be chosen.
    pub fn effect(&self) -> LocalEntity {
        let Self { at, start, .. } = *self;
        let mut effect = LocalEntity::new(
            // Each puff is turned differently; where it is decides how, so that nothing flickers.
            LocalEntityKind::Puff {
                radius: self.radius,
                rotation_deg: (at.x * 7.0 + at.y * 3.0 + start.0 as f32).rem_euclid(360.0),
                keeps_size: self.keeps_size,
            },
            at,
            start,
            self.life_msec,
        );
        effect.shader = Some(self.shader);
        effect.path.kind = shared::types::trajectory::kind::LINEAR;
        effect.path.delta = self.velocity;
        effect.alpha = 0.33;
        effect
    }
}

/// All that is alive, oldest first.
#[derive(Clone, Debug, Default)]
pub struct LocalEntities {
    alive: VecDeque<LocalEntity>,
    /// Kinds of what was added since this was last cleared.
    pub begun: Vec<&'static str>,
}

impl LocalEntities {
    pub fn clear(&mut self) {
        self.alive.clear();
    }

    pub fn add(&mut self, effect: LocalEntity) {
        if self.alive.len() == MAX_LOCAL_ENTITIES {
            self.alive.pop_front();
        }
        self.begun.push(effect.kind.name());
        self.alive.push_back(effect);
    }

    /// Draws what is alive and forgets what is over.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let (now, eye) = (frame.now, frame.view.eye);
        self.begun.clear();
        self.alive.retain(|effect| {
            now.is_within(effect.start, effect.end - effect.start) && !effect.surrounds(eye, now)
        });
        for effect in &self.alive {
            effect.draw(frame);
        }
    }

    pub fn extend(&mut self, effect: Option<LocalEntity>) {
        effect.into_iter().for_each(|effect| self.add(effect));
    }

    pub fn add_puff(&mut self, puff: &Puff) {
        self.add(puff.effect());
    }

    /// The flash of a player coming or going.
    pub fn add_teleport(&mut self, at: Vec3, media: &Media, now: ServerTime) {
        let kind = LocalEntityKind::FadingModel {
            model: media.models.teleport,
        };
        let mut effect = LocalEntity::new(kind, at - Vec3::Z * 24.0, now, 500);
        effect.shader = Some(media.shaders.teleport);
        self.add(effect);
    }

    /// Blood where a player was hit; nobody sees his own.
    pub fn add_blood(&mut self, at: Vec3, entity_num: i32, media: &Media, frame: &mut Frame<'_>) {
        if !frame.settings.blood {
            return;
        }
        let rotation_deg = frame.chance() * 360.0;
        let kind = LocalEntityKind::Spray {
            radius: 24.0,
            rotation_deg,
            hidden_from: entity_num,
        };
        let mut effect = LocalEntity::new(kind, at, frame.now, 500);
        effect.shader = Some(media.shaders.blood_spray);
        self.add(effect);
    }
}

impl LocalEntity {
    pub fn new(kind: LocalEntityKind, at: Vec3, start: ServerTime, life_msec: i32) -> Self {
        Self {
            kind,
            start,
            end: start + life_msec.max(0),
            path: Trajectory {
                time: start.0,
                base: at,
                ..Trajectory::default()
            },
            shader: None,
            color: Vec3::ONE,
            alpha: 1.0,
            light: 0.0,
            light_color: [1.0; 3],
            fade_in_msec: 0,
        }
    }

    /// Whether the eye is inside smoke or blood, which would cover all; it ends there.
    fn surrounds(&self, eye: Vec3, now: ServerTime) -> bool {
        let at = shared::bg::trajectory::position_at(&self.path, now);
        match self.kind {
            LocalEntityKind::Puff { radius, .. } => at.distance(eye) < radius,
            LocalEntityKind::Drop { radius, depth, .. } => {
                let fallen = at - Vec3::Z * (1.0 - self.left(now)) * depth;
                fallen.distance(eye) < radius
            }
            _ => false,
        }
    }

    /// How much of it is left, from 1 to 0; what fades in rises to 1 before.
    fn left(&self, now: ServerTime) -> f32 {
        let passed = now - self.start;
        if (0..self.fade_in_msec).contains(&passed) {
            return passed as f32 / self.fade_in_msec as f32;
        }
        let life = (self.end - self.start).max(1) as f32;
        ((self.end - now) as f32 / life).clamp(0.0, 1.0)
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let left = self.left(frame.now);
        let at = shared::bg::trajectory::position_at(&self.path, frame.now);
        let mut entity = RefEntity::new(RefEntityKind::Beam, at);
        entity.custom_shader = self.shader;
        entity.shader_time = self.start.0 as f32 * 0.001;
        entity.color = rgba(self.color);
        let facing = |radius, rotation_deg| RefEntityKind::Sprite {
            radius,
            rotation_deg,
        };
        match self.kind {
            LocalEntityKind::Puff {
                radius,
                rotation_deg,
                keeps_size,
            } => {
                let radius = if keeps_size {
                    radius
                } else {
                    radius * (1.0 - left) + 8.0
                };
                entity.kind = facing(radius, rotation_deg);
                entity.color[3] = (255.0 * left * self.alpha) as u8;
            }
            LocalEntityKind::Drop {
                radius,
                rotation_deg,
                depth,
            } => {
                entity.kind = facing(radius * (1.0 - left) + 16.0, rotation_deg);
                entity.origin.z -= (1.0 - left) * depth;
                entity.color[3] = (255.0 * left * self.alpha) as u8;
            }
            LocalEntityKind::Model { model, axis } => {
                entity.kind = RefEntityKind::Model(model);
                entity.axis = axis;
            }
            LocalEntityKind::FadingModel { model } => {
                entity.kind = RefEntityKind::Model(model);
                entity.color = [(255.0 * left) as u8; 4];
            }
            LocalEntityKind::SpriteExplosion { rotation_deg } => {
                entity.kind = facing(42.0 * (1.0 - left) + 30.0, rotation_deg);
                entity.color = [255, 255, 255, (255.0 * 0.33 * left) as u8];
            }
            LocalEntityKind::Spray {
                radius,
                rotation_deg,
                hidden_from,
            } => {
                entity.kind = facing(radius, rotation_deg);
                entity.flags.third_person =
                    hidden_from == frame.viewed_client && !*frame.is_third_person;
            }
            LocalEntityKind::Flame { rotation_deg } => {
                let radius = 10.0 + 5.0 * (1.0 - left);
                if at.distance(frame.view.eye) < radius / 0.75 {
                    return;
                }
                entity.kind = facing(radius, rotation_deg);
                let picture =
                    (((1.0 - left) * FLAME_PICTURES) as i32 + 1).min(FLAME_PICTURES as i32);
                let name = format!("explode1{picture}");
                entity.custom_shader = Some(frame.assets.register_shader(&name));
            }
            LocalEntityKind::RailCore { from } => {
                let width = frame.settings.rail_core_width;
                entity.kind = RefEntityKind::RailCore { width };
                entity.old_origin = from;
                entity.color = rgba(self.color * left);
                entity.color[3] = (255.0 * left) as u8;
            }
        }
        frame.add(entity);
        if self.light > 0.0 {
            let strength = if left > 0.5 { 1.0 } else { left * 2.0 };
            frame.add_light(at, self.light * strength, self.light_color);
        }
    }
}

/// Where a shot ends, and on what.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub weapon: i32,
    pub at: Vec3,
    pub normal: Vec3,
    pub surface: Surface,
    /// Color of the explosion and the mark.
    pub tint: Option<Vec3>,
}

/// What a hit sounds like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    #[default]
    Wall,
    Metal,
    Flesh,
}

/// What a shot leaves where it hits: noise, fire, light.
pub fn add_impact(
    local_entities: &mut LocalEntities,
    media: &mut Media,
    frame: &mut Frame<'_>,
    hit: &Hit,
) {
    let Hit {
        weapon, at, normal, ..
    } = *hit;
    let Some(look) = media.weapon(weapon, frame.assets).cloned() else {
        return;
    };
    let own = match hit.surface {
        Surface::Wall => None,
        Surface::Metal => look.metal_sound,
        Surface::Flesh => look.flesh_sound,
    };
    let sounds = own
        .as_ref()
        .map_or(&look.impact_sounds[..], std::slice::from_ref);
    if !sounds.is_empty() {
        let sound = sounds[frame.random.below(sounds.len())];
        frame.start_at(
            at,
            shared::types::limits::ENTITYNUM_WORLD,
            super::frame::channel::AUTO,
            sound,
        );
    }
    if weapon == shared::bg::numbers::weapon::ROCKET && !frame.settings.old_rocket {
        add_flame(local_entities, frame, at, normal);
    }
    let Some(model) = look.impact_model else {
        return;
    };
    let impact = &look.look.impact;
    // Explosions of one moment do not all begin with the same picture.
    let start = frame.now - frame.random.below(64) as i32;
    let rotation_deg = frame.chance() * 360.0;
    let (kind, at) = if impact.is_sprite {
        (
            LocalEntityKind::SpriteExplosion { rotation_deg },
            at + normal * 16.0,
        )
    } else {
        (
            LocalEntityKind::Model {
                model,
                axis: angles::axis_along(normal, rotation_deg),
            },
            at,
        )
    };
    let mut effect = LocalEntity::new(kind, at, start, impact.life_msec);
    effect.shader = look.impact_shader;
    effect.light = impact.light;
    effect.light_color = impact.light_color;
    if let Some(color) = hit.tint {
        effect.color = color;
    }
    local_entities.add(effect);
}

/// The fire that newer games add to a rocket's explosion (`cg_oldRocket 0`).
fn add_flame(local_entities: &mut LocalEntities, frame: &mut Frame<'_>, at: Vec3, normal: Vec3) {
    let rotation_deg = frame.chance() * 360.0;
    let kind = LocalEntityKind::Flame { rotation_deg };
    let mut flame = LocalEntity::new(kind, at + normal * 24.0, frame.now, 1400);
    flame.path.kind = shared::types::trajectory::kind::LINEAR;
    flame.path.delta = normal * 64.0;
    local_entities.add(flame);
}

const FLAME_PICTURES: f32 = 23.0;

/// One spark of a ball of plasma, for those who want them.
pub fn add_plasma_spark(
    local_entities: &mut LocalEntities,
    media: &mut Media,
    frame: &mut Frame<'_>,
    entity: &CEntity,
) {
    let Some(color) = media
        .weapon(entity.current.weapon, frame.assets)
        .map(|look| Vec3::from(look.look.flash_color))
    else {
        return;
    };
    let axis = angles::axis_from_angles(entity.angles);
    let slow = if frame.world.contents_at(entity.origin) & contents::MASK_WATER != 0 {
        0.1
    } else {
        1.0
    };
    let mut about = |middle: f32, far: f32| middle - far * frame.random.centred();
    let velocity = Vec3::new(about(60.0, 120.0), about(40.0, 80.0), about(100.0, 200.0));
    let puff = Puff {
        at: entity.origin + angles::to_world(Vec3::splat(2.0), &axis),
        velocity: angles::to_world(velocity, &axis) * slow,
        radius: 8.0,
        start: frame.now,
        life_msec: 600,
        shader: media.shaders.rail_disc,
        keeps_size: false,
    };
    let mut spark = puff.effect();
    spark.path.kind = shared::types::trajectory::kind::GRAVITY;
    spark.color = color * (63.0 / 255.0);
    spark.alpha = 0.25;
    local_entities.add(spark);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blood_that_falls_onto_the_eye_surrounds_it() {
        let kind = LocalEntityKind::Drop {
            radius: 20.0,
            rotation_deg: 0.0,
            depth: 40.0,
        };
        let drop = LocalEntity::new(kind, Vec3::Z * 45.0, ServerTime(1000), 2000);
        assert!(!drop.surrounds(Vec3::ZERO, ServerTime(1000)));
        assert!(!drop.surrounds(Vec3::ZERO, ServerTime(2000)));
        assert!(drop.surrounds(Vec3::ZERO, ServerTime(2600)));
    }
}
