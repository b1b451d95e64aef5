//! Draws a frame of the level: camera, entities, shadows, warnings.

use super::{
    announcer, effects,
    frame::{self, Frame},
    marks, packet_entities, players, view, weapons,
};
use crate::cg::{CGame, FrameInput, angles, hud, timeline::entities::CEntity};
use crate::scene::{Entity, EntityKind, Shadow, View};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::numbers::{entity_type, persistant, pm_type, powerup, team, weapon},
    cm::Sweep,
    types::{limits::MAX_CLIENTS, trace::contents},
};
use std::ops::Range;

impl CGame {
    pub(in crate::cg) fn draw(&mut self, input: &FrameInput<'_>, frame: &mut Frame<'_>) {
        frame.now = self.snapshots.clamp(input.time);
        frame.msec = (frame.now - self.time).max(0);
        frame.view.time_msec = frame.now.0;
        self.place_entities(frame);
        self.predict(input, frame);
        self.place_camera(input, frame);
        self.add_entities(frame);
        if !frame.view.hyperspace {
            self.run_fragments(frame);
            self.run_stories(frame);
            self.effects.draw(frame);
            self.marks.draw(frame);
            self.add_flares(frame);
        }
        self.add_ghosts(frame);
        self.test_model.add(frame);
        self.add_damage_blood(frame);
        self.add_weapon(frame);
        self.place_ear(frame);
        self.look_at(frame);
        self.count_down(frame);
        self.warn(frame);
        self.lagometer
            .add_frame(input.time - self.snapshots.newest_time());
        self.time = frame.now;
    }

    /// Remembers whom the crosshair points at.
    fn look_at(&mut self, frame: &Frame<'_>) {
        const REACH: f32 = 131_072.0;
        if !frame.settings.draw_crosshair_names || frame.view.hyperspace || self.clip.is_none() {
            return;
        }
        let from = frame.view.eye;
        let to = from + frame.view.axis[0] * REACH;
        let hit = self.trace(
            from,
            to,
            frame.viewed_client,
            contents::SOLID | contents::BODY,
        );
        let is_player = (0..MAX_CLIENTS as i32).contains(&hit.entity_num);
        let is_seen = is_player
            && self
                .entities
                .get(hit.entity_num)
                .is_some_and(|entity| entity.current.powerups & (1 << powerup::INVIS) == 0)
            && self.contents_at(hit.end) & contents::FOG == 0;
        if is_seen {
            self.hud.note_aim(hit.entity_num, frame.now);
        }
    }

    /// Tells what runs out, and what is waiting to be told.
    fn warn(&mut self, frame: &mut Frame<'_>) {
        let player = &self.prediction.player;
        let is_playing = !self.level.is_intermission
            && player.persistant[persistant::TEAM] != team::SPECTATOR
            && player.stats[self.level.stats.health] > 0;
        if is_playing {
            let sounds = &self.media.sounds;
            announcer::watch_powerups(player, self.time, sounds.wear_off, frame);
            self.announcer
                .watch_ammo(&self.level, player, sounds.no_ammo, frame);
        }
        self.announcer.run(frame);
    }

    /// Speaks the last three seconds before the match, a round, or a score for points that are held.
    fn count_down(&self, frame: &mut Frame<'_>) {
        let (level, info) = (&self.level, &self.team_info);
        let round = if level.has_rounds() {
            info.round_start
        } else {
            ServerTime::default()
        };
        let score = match hud::points_held(level, info, frame.now) {
            Some((_, msec)) => frame.now + msec,
            None => ServerTime::default(),
        };
        for due in [ServerTime(level.warmup), round, score] {
            let seconds_left = |now: ServerTime| (due - now).div_euclid(1000);
            let (before, after) = (seconds_left(self.time), seconds_left(frame.now));
            if due.0 <= 0 || before == after {
                continue;
            }
            let feedback = &self.media.feedback;
            let sound = match after {
                0 => feedback.one,
                1 => feedback.two,
                2 => feedback.three,
                _ => continue,
            };
            frame.start_local(frame::channel::ANNOUNCER, sound);
        }
    }

    fn place_entities(&mut self, frame: &Frame<'_>) {
        let own = frame.settings.extrapolate_others_msec;
        let extrapolation_msec = if own == 0 && self.level.profile.is_open_arena() {
            self.level.server_frame_msec()
        } else {
            own
        };
        self.entities.place_all(
            &self.snapshots,
            frame.now,
            frame.settings,
            extrapolation_msec,
        );
        self.lead_missiles(frame);
    }

    fn place_camera(&mut self, input: &FrameInput<'_>, frame: &mut Frame<'_>) {
        let Some(snap) = self.snapshots.snap.clone() else {
            return;
        };
        let player = self.prediction.player.clone();
        let is_spectator = player.persistant[3] == team::SPECTATOR;
        let is_dead = player.stats[self.level.stats.health] <= 0;
        let is_third_person = !is_spectator && (frame.settings.third_person || is_dead);
        frame.is_third_person = is_third_person;
        self.prediction.is_third_person = is_third_person;
        let origin = player.origin
            + self
                .predictor
                .correction
                .left(frame.now, frame.settings.error_decay_msec);
        let world = self
            .clip
            .is_some()
            .then_some(&self.predictor.world as &dyn shared::bg::World);
        view::place(
            frame,
            &mut self.motion,
            &self.level,
            &player,
            origin,
            is_third_person,
            world,
        );
        let eye = frame.view.eye;
        let liquids = contents::MASK_WATER;
        let is_under_water = self
            .clip
            .as_ref()
            .is_some_and(|clip| clip.point_contents(eye) & liquids != 0);
        frame.sound.ear.is_under_water = is_under_water;
        let rect = view_rect(input, player.pm_type);
        let size = [rect[2], rect[3]];
        let fov = view::fov(
            &self.motion,
            frame.settings,
            &self.level,
            &player,
            frame.now,
            size,
            is_under_water,
        );
        frame.view.viewport = rect;
        (frame.view.fov_x, frame.view.fov_y) = (fov.x, fov.y);
        frame.output.sensitivity = fov.sensitivity;
        frame.view.area_mask = snap.area_mask;
        frame.view.hyperspace = self.prediction.is_in_hyperspace;
    }

    fn add_entities(&mut self, frame: &mut Frame<'_>) {
        let Some(snap) = self.snapshots.snap.clone() else {
            return;
        };
        if frame.view.hyperspace {
            return;
        }
        let own = &mut self.prediction.entity;
        packet_entities::add_effects(frame, &mut self.media, own);
        if own.current.e_type == entity_type::PLAYER {
            let first = frame.view.entities.len();
            players::add_player(frame, &self.level, &mut self.media, &self.players, own);
            let drawn = own.clone();
            self.add_shadow(&drawn, first..frame.view.entities.len(), frame);
            self.prediction.entity.body.smoke = self.add_smoke(&drawn, frame);
            self.add_own_lightning(frame);
        }
        for number in self.entities.shown(&snap) {
            self.add_cable(number, frame);
            let Some(entity) = self.entities.get_mut(number) else {
                continue;
            };
            packet_entities::add_effects(frame, &mut self.media, entity);
            if entity.current.e_type == entity_type::MISSILE {
                let clip = self.clip.clone();
                let is_in_liquid = |at: Vec3| {
                    clip.as_ref()
                        .is_some_and(|clip| clip.point_contents(at) & contents::MASK_WATER != 0)
                };
                if entity.current.weapon == weapon::PLASMA && !frame.settings.old_plasma {
                    effects::add_plasma_spark(
                        &mut self.effects,
                        &mut self.media,
                        frame,
                        entity,
                        &is_in_liquid,
                    );
                }
                self.add_missile_trail(number, frame);
            }
            let Some(entity) = self.entities.get_mut(number) else {
                continue;
            };
            if entity.current.e_type == entity_type::PLAYER {
                let first = frame.view.entities.len();
                players::add_player(frame, &self.level, &mut self.media, &self.players, entity);
                let parts = first..frame.view.entities.len();
                let aim = entity.angles;
                weapons::add_lightning(frame, &self.media, entity, aim, &self.predictor.world);
                let drawn = entity.clone();
                self.add_shadow(&drawn, parts, frame);
                let smoke = self.add_smoke(&drawn, frame);
                if let Some(entity) = self.entities.get_mut(number) {
                    entity.body.smoke = smoke;
                }
            } else {
                packet_entities::add_thing(frame, &self.level, &mut self.media, entity);
            }
        }
    }

    /// The cable from a grappling hook, in the air or on a wall, to the hand that holds it.
    fn add_cable(&self, number: i32, frame: &mut Frame<'_>) {
        const SHORTEST: f32 = 64.0;
        let Some(hook) = self.entities.get(number) else {
            return;
        };
        let state = &hook.current;
        let is_hook = match state.e_type {
            entity_type::GRAPPLE => true,
            entity_type::MISSILE => state.weapon == weapon::HOOK,
            _ => false,
        };
        if !is_hook {
            return;
        }
        let owner = if state.other_entity_num == frame.viewed_client {
            Some(&self.prediction.entity)
        } else {
            self.entities.get(state.other_entity_num)
        };
        let Some(owner) = owner else {
            return;
        };
        let up = angles::axis_from_angles(owner.angles)[2];
        let from = owner.origin + Vec3::Z * 26.0 - up * 6.0;
        if from.distance(hook.origin) < SHORTEST {
            return;
        }
        let width = frame.settings.rail_core_width;
        let (kind, shader) = if self.level.profile.is_open_arena() {
            let rope = self.media.shaders.grapple_rope;
            (EntityKind::RailCore { width }, rope)
        } else {
            (EntityKind::Lightning, self.media.shaders.lightning)
        };
        let mut cable = Entity::new(kind, from);
        cable.old_origin = hook.origin;
        cable.custom_shader = Some(shader);
        frame.add(cable);
    }

    /// The shadow of a player on the ground below: a blob, or what the parts that he was drawn with throw.
    fn add_shadow(&mut self, player: &CEntity, parts: Range<usize>, frame: &mut Frame<'_>) {
        const REACH: f32 = 128.0;
        // Lest it flickers with the floor.
        const HEIGHT: f32 = 1.0;
        let Some(clip) = self.clip.as_ref().filter(|_| frame.settings.shadows > 0) else {
            return;
        };
        let Some((at, yaw)) = players::shadow(player) else {
            return;
        };
        let trace = clip.trace(&Sweep {
            start: at,
            end: at - Vec3::Z * REACH,
            mins: Vec3::new(-15.0, -15.0, 0.0),
            maxs: Vec3::new(15.0, 15.0, 2.0),
            mask: contents::MASK_PLAYERSOLID,
        });
        if trace.fraction == 1.0 || trace.start_solid || trace.all_solid {
            return;
        }
        if frame.settings.shadows > 1 {
            let shadow = Shadow {
                floor: trace.end.z + HEIGHT,
                shader: self.media.shaders.flat_shadow,
            };
            // Games without the material throw none.
            let shadow = (!frame.assets.is_missing(shadow.shader)).then_some(shadow);
            for part in &mut frame.view.entities[parts] {
                // Shells of powerups are light.
                if part.custom_shader.is_none() {
                    part.shadow = shadow;
                }
            }
            return;
        }
        let stamp = marks::Stamp {
            shader: self.media.shaders.shadow,
            at: trace.end,
            normal: trace.plane.normal,
            turn_deg: yaw,
            radius: 24.0,
            color: Vec3::splat(1.0 - trace.fraction),
            is_energy: false,
        };
        self.marks.show(stamp, frame);
    }

    fn add_weapon(&mut self, frame: &mut Frame<'_>) {
        if frame.is_third_person || frame.view.hyperspace {
            return;
        }
        let player = &self.prediction.player;
        let looks = self.players.shown(player.client_num, &self.level);
        let own = &mut self.prediction.entity;
        weapons::add_view_weapon(
            frame,
            &self.level,
            &mut self.media,
            player,
            own,
            &self.motion,
            looks,
        );
        self.add_own_lightning(frame);
    }

    /// The bolt from the own muzzle, if it was drawn just now.
    fn add_own_lightning(&mut self, frame: &mut Frame<'_>) {
        let aim = self.lightning_aim(frame);
        let own = &mut self.prediction.entity;
        weapons::add_lightning(frame, &self.media, own, aim, &self.predictor.world);
    }

    fn place_ear(&mut self, frame: &mut Frame<'_>) {
        let ear = &mut frame.sound.ear;
        ear.entity_num = u16::try_from(frame.viewed_client).unwrap_or(0);
        ear.origin = frame.view.eye;
        ear.axis = frame.view.axis;
    }
}

pub(in crate::cg) fn empty_view(input: &FrameInput<'_>) -> View {
    let [width, height] = input.screen;
    View {
        viewport: [0.0, 0.0, width, height],
        fov_y: 73.74,
        time_msec: input.time.0,
        ..View::default()
    }
}

/// The world's part of the screen: whole at the end of a match, else as large as chosen, centred, of even size.
fn view_rect(input: &FrameInput<'_>, pm_type: i32) -> [f32; 4] {
    let [width, height] = input.screen;
    let percent = if pm_type == pm_type::INTERMISSION {
        100.0
    } else {
        input.settings.view_size.clamp(30.0, 100.0)
    };
    if percent == 100.0 {
        return [0.0, 0.0, width, height];
    }
    let even = |side: f32| (side * percent / 100.0 / 2.0).floor() * 2.0;
    let (w, h) = (even(width), even(height));
    [
        ((width - w) / 2.0).floor(),
        ((height - h) / 2.0).floor(),
        w,
        h,
    ]
}
