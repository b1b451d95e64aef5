//! Where shots end: holes, burns, blood, and the way of pellets.

use super::{
    Present,
    frame::Frame,
    local_entities::{self, Hit, LocalEntity, LocalEntityKind, Puff, Surface},
    marks::Stamp,
};
use crate::cg::timeline::GameEvent;
use glam::Vec3;
use shared::{
    bg::{
        directions::direction_from_byte,
        numbers::{entity_type, event as ev, weapon},
        ratmod::rat_flags,
        shots,
    },
    types::{
        entitystate::EntityState,
        limits::ENTITYNUM_WORLD,
        trace::{contents, surface},
    },
};

impl Present {
    /// Events of shots that end somewhere; any other number is counted and ignored.
    pub(super) fn fire_hit_event(&mut self, happened: &GameEvent, frame: &mut Frame<'_>) {
        let GameEvent { state, .. } = happened;
        let (event, parm) = (happened.event, happened.parm);
        // A missile of RatMod flies on in its states, and tells where it has burst.
        let at = match frame.level.has_burst(state) {
            true => state.origin2,
            false => happened.at,
        };
        let normal = direction_from_byte(parm);
        let hit = Hit {
            weapon: state.weapon,
            at,
            normal,
            surface: Surface::Wall,
            tint: None,
        };
        match event {
            ev::MISSILE_HIT => {
                self.local_entities
                    .add_blood(at, state.other_entity_num, &self.media, frame);
                if matches!(
                    state.weapon,
                    weapon::GRENADE
                        | weapon::ROCKET
                        | weapon::NAILGUN
                        | weapon::PROX
                        | weapon::CHAINGUN
                ) {
                    let surface = Surface::Flesh;
                    self.impact(Hit { surface, ..hit }, frame);
                }
            }
            ev::MISSILE_MISS => self.impact(hit, frame),
            ev::MISSILE_MISS_METAL => {
                let surface = Surface::Metal;
                self.impact(Hit { surface, ..hit }, frame);
            }
            ev::BULLET_HIT_WALL | ev::BULLET_HIT_WOOD..=ev::BULLET_HIT_GLASS => {
                self.bullet_way(state.other_entity_num, at, frame);
                let weapon = weapon::MACHINEGUN;
                self.impact(Hit { weapon, ..hit }, frame);
            }
            ev::BULLET_HIT_FLESH => {
                self.bullet_way(state.other_entity_num, at, frame);
                self.local_entities.add_blood(at, parm, &self.media, frame);
            }
            ev::RAILTRAIL => {
                let color = frame
                    .level
                    .client(state.client_num)
                    .map_or(Vec3::ONE, |info| info.colors[0]);
                self.add_rail(state.origin2, at, state.client_num, frame);
                if parm != 255 {
                    let (weapon, tint) = (weapon::RAIL, Some(color));
                    self.impact(
                        Hit {
                            weapon,
                            tint,
                            ..hit
                        },
                        frame,
                    );
                }
            }
            ev::SHOTGUN => self.shotgun(state, parm, frame),
            ev::OBELISKEXPLODE => {
                let kind = LocalEntityKind::SpriteExplosion { rotation_deg: 0.0 };
                let mut effect = LocalEntity::new(kind, at + Vec3::Z * 64.0, frame.now, 600);
                effect.light = 300.0;
                effect.light_color = [1.0, 0.75, 0.0];
                effect.shader = self
                    .media
                    .weapon(weapon::ROCKET, frame.assets)
                    .and_then(|look| look.impact_shader);
                self.local_entities.add(effect);
            }
            _ => self.fire_special_event(happened, frame),
        }
    }

    fn impact(&mut self, mut hit: Hit, frame: &mut Frame<'_>) {
        // The lightning gun's own hits come without a weapon.
        if hit.weapon == 0 {
            hit.weapon = weapon::LIGHTNING;
        }
        local_entities::add_impact(&mut self.local_entities, &mut self.media, frame, &hit);
        self.mark(&hit, frame);
    }

    /// The hole or burn of a shot.
    fn mark(&mut self, hit: &Hit, frame: &mut Frame<'_>) {
        let Some((shader, impact)) = self
            .media
            .weapon(hit.weapon, frame.assets)
            .and_then(|look| Some((look.impact_mark?, &look.look.impact)))
        else {
            return;
        };
        if frame.settings.marks {
            let stamp = Stamp {
                shader,
                at: hit.at,
                normal: hit.normal,
                turn_deg: frame.chance() * 360.0,
                radius: impact.mark_radius,
                color: hit.tint.unwrap_or(Vec3::ONE),
                is_energy: impact.mark_fades_alpha,
            };
            self.marks.add(stamp, frame.now);
        }
    }

    /// Pellets from a seed, as the server computed them.
    fn shotgun(&mut self, state: &EntityState, seed: i32, frame: &mut Frame<'_>) {
        let from = state.pos.base;
        let Some(forward) = state.origin2.try_normalize() else {
            return;
        };
        let shader = self.media.shaders.shotgun_puff;
        // Under water there are bubbles instead.
        if frame.world.contents_at(from) & contents::WATER == 0 {
            self.local_entities.add_puff(&Puff {
                at: from,
                velocity: forward * 32.0 + Vec3::Z * 8.0,
                radius: 32.0,
                start: frame.now,
                life_msec: 900,
                shader,
                keeps_size: true,
            });
        }
        let ends = match frame.level.has_rat(rat_flags::NEW_SHOTGUN) {
            true => shots::ring_ends(from, state.origin2, seed).to_vec(),
            false => shots::pellet_ends(from, state.origin2, seed).to_vec(),
        };
        for end in ends {
            let hit = frame
                .world
                .line(from, end, state.other_entity_num, contents::MASK_SHOT);
            self.shot_bubbles(from, hit.end, frame);
            if hit.surface_flags & surface::NOIMPACT != 0 || hit.fraction == 1.0 {
                continue;
            }
            if is_player(frame, hit.entity_num) {
                self.local_entities
                    .add_blood(hit.end, hit.entity_num, &self.media, frame);
            } else {
                let hit = Hit {
                    weapon: weapon::SHOTGUN,
                    at: hit.end,
                    normal: hit.plane.normal,
                    surface: match hit.surface_flags & surface::METALSTEPS {
                        0 => Surface::Wall,
                        _ => Surface::Metal,
                    },
                    tint: None,
                };
                self.impact(hit, frame);
            }
        }
    }
}

pub fn is_player(frame: &Frame<'_>, number: i32) -> bool {
    frame.timeline.entity(number).is_some_and(|entity| {
        number < ENTITYNUM_WORLD && entity.current.e_type == entity_type::PLAYER
    })
}
