//! Draws a frame of the level: camera, entities, shadows, warnings.

use super::{
    Present, announcer,
    bodies::Figure,
    frame::{self, Frame},
    hitscan::lightning_aim,
    local_entities,
    marks::{self, Marks},
    packet_entities, players, smoke, view, weapons,
};
use crate::cg::{
    angles,
    io::FrameInput,
    media::roles::Media,
    timeline::{entities::CEntity, team_info::points_held},
};
use crate::scene::{RefEntity, RefEntityKind, Refdef, Shadow};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::numbers::{entity_flags, entity_type, persistant, pm_type, powerup, team, weapon},
    cm::Sweep,
    types::{limits::MAX_CLIENTS, trace::contents},
};
use std::ops::Range;

impl Present {
    /// Draws everything at the shown time.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        frame.msec = (frame.now - self.time).max(0);
        frame.number = self.frame_number;
        frame.view.time_msec = frame.now.0;
        if frame.predicted.has_jumped {
            self.bodies.own.needs_reset = true;
        }
        self.place_camera(frame);
        self.add_entities(frame);
        if !frame.view.hyperspace {
            self.run_fragments(frame);
            self.run_timed_effects(frame);
            self.local_entities.draw(frame);
            self.marks.draw(frame);
            self.add_flares(frame);
        }
        self.add_damage_blood(frame);
        self.add_weapon(frame);
        place_ear(frame);
        self.look_at(frame);
        self.count_down(frame);
        self.warn(frame);
        self.notices.captions.hear(frame);
        self.time = frame.now;
    }

    /// Remembers whom the crosshair points at.
    fn look_at(&mut self, frame: &Frame<'_>) {
        const REACH: f32 = 131_072.0;
        if !frame.settings.draw_crosshair_names || frame.view.hyperspace || !frame.world.has_map() {
            return;
        }
        let from = frame.view.eye;
        let to = from + frame.view.axis[0] * REACH;
        let hit = frame.world.line(
            from,
            to,
            frame.viewed_client,
            contents::SOLID | contents::BODY,
        );
        let is_player = (0..MAX_CLIENTS as i32).contains(&hit.entity_num);
        let is_seen = is_player
            && frame
                .timeline
                .entity(hit.entity_num)
                .is_some_and(|entity| entity.current.powerups & (1 << powerup::INVIS) == 0)
            && frame.world.contents_at(hit.end) & contents::FOG == 0;
        if is_seen {
            self.notices.note_aim(hit.entity_num, frame.now);
        }
    }

    /// Tells what runs out, and what is waiting to be told.
    fn warn(&mut self, frame: &mut Frame<'_>) {
        let player = &frame.predicted.player;
        let is_playing = !frame.level.is_intermission
            && player.persistant[persistant::TEAM] != team::SPECTATOR
            && player.stats[frame.level.stats.health] > 0;
        if is_playing {
            let sounds = &self.media.sounds;
            announcer::watch_powerups(player, self.time, sounds.wear_off, frame);
            self.announcer.watch_ammo(sounds.no_ammo, frame);
        }
        self.announcer.run(frame);
    }

    /// Speaks the last three seconds before the match, a round, or a score for points that are held.
    fn count_down(&self, frame: &mut Frame<'_>) {
        let (level, info) = (frame.level, &frame.timeline.team_info());
        let round = if level.has_rounds() {
            info.round_start
        } else {
            ServerTime::default()
        };
        let score = match points_held(level, info, frame.now) {
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

    fn place_camera(&mut self, frame: &mut Frame<'_>) {
        let (Some(snap), player) = (frame.timeline.snap(), &frame.predicted.player) else {
            return;
        };
        let is_spectator = player.persistant[persistant::TEAM] == team::SPECTATOR;
        let is_dead = player.stats[frame.level.stats.health] <= 0;
        *frame.is_third_person = !is_spectator && (frame.settings.third_person || is_dead);
        view::place(frame, &mut self.motion);
        let liquids = contents::MASK_WATER;
        let is_under_water = frame.world.contents_at(frame.view.eye) & liquids != 0;
        frame.sound.ear.is_under_water = is_under_water;
        let rect = view_rect(frame.input, player.pm_type);
        let fov = view::fov(frame, &self.motion, [rect[2], rect[3]]);
        frame.view.viewport = rect;
        (frame.view.fov_x, frame.view.fov_y) = (fov.x, fov.y);
        frame.output.sensitivity = fov.sensitivity;
        frame.view.area_mask = snap.area_mask;
        frame.view.hyperspace = frame.predicted.is_in_hyperspace;
    }

    fn add_entities(&mut self, frame: &mut Frame<'_>) {
        let Some(snap) = frame.timeline.snap() else {
            return;
        };
        let shown = frame.timeline.entities().shown(snap);
        for &number in &shown {
            if let (Some(entity), Some(body)) =
                (frame.timeline.entity(number), self.bodies.get_mut(number))
            {
                body.follow(entity);
            }
        }
        if frame.view.hyperspace {
            return;
        }
        let own = &frame.predicted.entity;
        packet_entities::add_effects(frame, &mut self.media, own);
        if own.current.e_type == entity_type::PLAYER {
            self.add_player(None, own, frame);
            self.add_own_lightning(frame);
        }
        for number in shown {
            self.add_cable(number, frame);
            let Some(entity) = frame.timeline.entity(number) else {
                continue;
            };
            let is_missile = entity.current.e_type == entity_type::MISSILE;
            let is_hidden = entity.current.e_flags & entity_flags::NODRAW != 0;
            if is_missile && (is_hidden || frame.level.has_burst(&entity.current)) {
                // It has burst here already, or on the server.
                continue;
            }
            packet_entities::add_effects(frame, &mut self.media, entity);
            if is_missile {
                if entity.current.weapon == weapon::PLASMA && !frame.settings.old_plasma {
                    local_entities::add_plasma_spark(
                        &mut self.local_entities,
                        &mut self.media,
                        frame,
                        entity,
                    );
                }
                self.add_missile_trail(number, entity, frame);
            }
            if entity.current.e_type == entity_type::PLAYER {
                self.add_player(Some(number), entity, frame);
            } else if let Some(body) = self.bodies.get_mut(number) {
                let mut figure = Figure { entity, body };
                packet_entities::add_thing(frame, &mut self.media, &mut figure);
            }
        }
    }

    /// A player with what he throws and leaves; without a number it is the predicted one.
    fn add_player(&mut self, number: Option<i32>, entity: &CEntity, frame: &mut Frame<'_>) {
        let Self {
            bodies,
            media,
            players,
            local_entities,
            marks,
            ..
        } = self;
        let body = match number {
            Some(number) => bodies.get_mut(number),
            None => Some(&mut bodies.own),
        };
        let Some(body) = body else { return };
        let mut figure = Figure { entity, body };
        let first = frame.view.entities.len();
        players::add_player(frame, media, players, &mut figure);
        let parts = first..frame.view.entities.len();
        if number.is_some() {
            weapons::add_lightning(frame, media, &mut figure, entity.angles);
        }
        add_shadow(frame, media, marks, &figure, parts);
        smoke::add(frame, media, local_entities, &mut figure);
    }

    /// The cable from a grappling hook, in the air or on a wall, to the hand that holds it.
    fn add_cable(&self, number: i32, frame: &mut Frame<'_>) {
        const SHORTEST: f32 = 64.0;
        let Some(hook) = frame.timeline.entity(number) else {
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
        let Some(owner) = frame.entity(state.other_entity_num) else {
            return;
        };
        let up = angles::axis_from_angles(owner.angles)[2];
        let from = owner.origin + Vec3::Z * 26.0 - up * 6.0;
        if from.distance(hook.origin) < SHORTEST {
            return;
        }
        let width = frame.settings.rail_core_width;
        let (kind, shader) = if frame.level.profile.is_open_arena() {
            let rope = self.media.shaders.grapple_rope;
            (RefEntityKind::RailCore { width }, rope)
        } else {
            (RefEntityKind::Lightning, self.media.shaders.lightning)
        };
        let mut cable = RefEntity::new(kind, from);
        cable.old_origin = hook.origin;
        cable.custom_shader = Some(shader);
        frame.add(cable);
    }

    fn add_weapon(&mut self, frame: &mut Frame<'_>) {
        if *frame.is_third_person || frame.view.hyperspace {
            return;
        }
        let client = frame.predicted.player.client_num;
        let looks = self.players.shown(client, frame.level);
        let mut figure = Figure {
            entity: &frame.predicted.entity,
            body: &mut self.bodies.own,
        };
        weapons::add_view_weapon(frame, &mut self.media, &mut figure, &self.motion, looks);
        self.add_own_lightning(frame);
    }

    /// The bolt from the own muzzle, if it was drawn just now.
    fn add_own_lightning(&mut self, frame: &mut Frame<'_>) {
        let aim = lightning_aim(frame);
        let mut figure = Figure {
            entity: &frame.predicted.entity,
            body: &mut self.bodies.own,
        };
        weapons::add_lightning(frame, &self.media, &mut figure, aim);
    }

    /// Blood before the eyes after damage.
    fn add_damage_blood(&self, frame: &mut Frame<'_>) {
        let fade = self.motion.damage_fade(frame.now);
        if fade <= 0.0 || !frame.settings.blood || *frame.is_third_person {
            return;
        }
        let [x, y] = self.motion.damage_at;
        let [forward, left, up] = frame.view.axis;
        let origin = frame.view.eye + forward * 8.0 - left * (8.0 * x) + up * (8.0 * y);
        let radius = self.motion.damage_value * 3.0;
        let mut blood = frame::sprite(origin, radius, self.media.shaders.blood_view);
        blood.flags.first_person = true;
        blood.color[3] = (200.0 * fade) as u8;
        frame.add(blood);
    }
}

fn place_ear(frame: &mut Frame<'_>) {
    let ear = &mut frame.sound.ear;
    ear.entity_num = u16::try_from(frame.viewed_client).unwrap_or(0);
    ear.origin = frame.view.eye;
    ear.axis = frame.view.axis;
}

/// The shadow of a player on the ground below: a blob, or what the parts that he was drawn with throw.
fn add_shadow(
    frame: &mut Frame<'_>,
    media: &Media,
    marks: &mut Marks,
    player: &Figure<'_>,
    parts: Range<usize>,
) {
    const REACH: f32 = 128.0;
    // Lest it flickers with the floor.
    const HEIGHT: f32 = 1.0;
    let Some(clip) = frame
        .world
        .clip
        .as_ref()
        .filter(|_| frame.settings.shadows > 0)
    else {
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
            shader: media.shaders.flat_shadow,
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
        shader: media.shaders.shadow,
        at: trace.end,
        normal: trace.plane.normal,
        turn_deg: yaw,
        radius: 24.0,
        color: Vec3::splat(1.0 - trace.fraction),
        is_energy: false,
    };
    marks.show(stamp, frame);
}

pub fn empty_view(input: &FrameInput<'_>) -> Refdef {
    let [width, height] = input.screen;
    Refdef {
        viewport: [0.0, 0.0, width, height],
        fov_y: 73.74,
        time_msec: input.time.0,
        ..Refdef::default()
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
