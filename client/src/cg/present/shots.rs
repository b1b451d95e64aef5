//! What shots leave in the air: tracers, bubbles, and the rings around a rail's core.

use super::anim;
use super::{
    Present,
    frame::{Frame, channel},
    local_entities::{LocalEntity, LocalEntityKind, Puff},
};
use crate::cg::{angles, timeline::entities::CEntity};
use crate::scene::PolyVertex;
use glam::Vec3;
use shared::{
    bg::trajectory::position_at,
    types::{entitystate::EntityState, limits::ENTITYNUM_WORLD, trace::contents, trajectory::kind},
};

const BULLET_BUBBLES: f32 = 32.0;
const MISSILE_BUBBLES: f32 = 8.0;

impl Present {
    /// A bullet's way through air and water, from whoever shot it.
    pub(super) fn bullet_way(&mut self, shooter: i32, to: Vec3, frame: &mut Frame<'_>) {
        let Some(from) = self.muzzle(shooter, frame) else {
            return;
        };
        self.shot_bubbles(from, to, frame);
        if frame.chance() < frame.settings.tracer_chance {
            self.add_tracer(from, to, frame);
        }
    }

    /// Where a player's shots leave the gun; `None` for whoever is not to be seen.
    fn muzzle(&self, shooter: i32, frame: &Frame<'_>) -> Option<Vec3> {
        const FORWARD: f32 = 14.0;
        if shooter == frame.viewed_client {
            let player = &frame.timeline.snap()?.player;
            let forward = angles::axis_from_angles(player.view_angles)[0];
            let height = Vec3::Z * player.view_height as f32;
            return Some(player.origin + height + forward * FORWARD);
        }
        let entity = frame
            .timeline
            .entity(shooter)
            .filter(|entity| entity.is_valid)?;
        let forward = angles::axis_from_angles(entity.angles)[0];
        let height = Vec3::Z * anim::eye_height(&entity.current);
        Some(entity.origin + height + forward * FORWARD)
    }

    /// A streak of light somewhere on the way.
    fn add_tracer(&mut self, from: Vec3, to: Vec3, frame: &mut Frame<'_>) {
        const SHORTEST_WAY: f32 = 100.0;
        let length = from.distance(to);
        if length < SHORTEST_WAY {
            return;
        }
        let width = frame.settings.tracer_width;
        let forward = (to - from) / length;
        let begin = 50.0 + frame.chance() * (length - 60.0);
        let end = (begin + frame.settings.tracer_length).min(length);
        let (begin, end) = (from + forward * begin, from + forward * end);
        let across = forward.cross(begin - frame.view.eye).normalize_or_zero() * width;
        let corner = |position: Vec3, s: f32, t: f32| PolyVertex {
            position,
            tex_coord: [s, t],
            color: [255; 4],
        };
        let vertices = [
            corner(end + across, 0.0, 1.0),
            corner(end - across, 1.0, 0.0),
            corner(begin - across, 1.0, 1.0),
            corner(begin + across, 0.0, 0.0),
        ];
        let tracer = self.media.shaders.tracer;
        frame.view.polys.push(tracer, vertices);
        let middle = (begin + end) * 0.5;
        let sound = self.media.sounds.tracer;
        frame.start_at(middle, ENTITYNUM_WORLD, channel::AUTO, sound);
    }

    /// Bubbles where a shot goes through water.
    pub(super) fn shot_bubbles(&mut self, from: Vec3, to: Vec3, frame: &mut Frame<'_>) {
        if frame.settings.no_projectile_trail {
            return;
        }
        let is_wet = |at: Vec3| frame.world.contents_at(at) & contents::WATER != 0;
        let (starts_wet, ends_wet) = (is_wet(from), is_wet(to));
        let surface = |from: Vec3, to: Vec3| frame.world.line(from, to, -1, contents::WATER).end;
        let (from, to) = match (starts_wet, ends_wet) {
            (false, false) => return,
            (true, true) => (from, to),
            (true, false) => (from, surface(to, from)),
            (false, true) => (surface(from, to), to),
        };
        self.add_bubbles(from, to, BULLET_BUBBLES, frame);
    }

    /// The smoke or the bubbles that a missile has left since it was last looked at.
    pub(super) fn add_missile_trail(
        &mut self,
        number: i32,
        entity: &CEntity,
        frame: &mut Frame<'_>,
    ) {
        const STEP_MSEC: i32 = 50;
        /// A missile not seen for long leaves no wall of smoke behind.
        const LONGEST_MSEC: i32 = 1000;
        /// Of that, and of the way that it is drawn ahead.
        const MAX_PUFFS: i32 = 2 * LONGEST_MSEC / STEP_MSEC;
        let Some(body) = self.bodies.get_mut(number) else {
            return;
        };
        let since = body.trail_time.later(frame.now - LONGEST_MSEC);
        // It reaches to where the missile is drawn.
        let until = frame.now + entity.lead_msec;
        body.trail_time = until.later(body.trail_time);
        let EntityState { pos, weapon, .. } = entity.current;
        let is_wanted = !frame.settings.no_projectile_trail && pos.kind != kind::STATIONARY;
        if !is_wanted || !until.is_after(since) {
            return;
        }
        let Some((trail, shader)) = self
            .media
            .weapon(weapon, frame.assets)
            .and_then(|look| look.look.trail.zip(look.trail))
        else {
            return;
        };
        let [before, now] = [since, until].map(|time| position_at(&pos, time));
        let [contents_before, contents] = [before, now].map(|at| frame.world.contents_at(at));
        if contents & contents::MASK_WATER != 0 {
            if contents & contents_before & contents::WATER != 0 {
                self.add_bubbles(before, now, MISSILE_BUBBLES, frame);
            }
            return;
        }
        // Puffs stand where the clock shows whole steps, whichever frames there are.
        let step_before = since - since.0.rem_euclid(STEP_MSEC);
        for time in until.steps_since(step_before, STEP_MSEC, MAX_PUFFS) {
            self.local_entities.add_puff(&Puff {
                at: position_at(&pos, time),
                velocity: Vec3::ZERO,
                radius: trail.radius,
                start: time.earlier(frame.now),
                life_msec: trail.life_msec,
                shader,
                keeps_size: false,
            });
        }
    }

    fn add_bubbles(&mut self, from: Vec3, to: Vec3, spacing: f32, frame: &mut Frame<'_>) {
        /// A long shot through a lake makes no more.
        const MAX: usize = 128;
        let length = from.distance(to);
        let forward = (to - from).normalize_or_zero();
        let mut at = frame.random.below(spacing as usize) as f32;
        for _ in 0..MAX {
            if at >= length {
                return;
            }
            let kind = LocalEntityKind::Puff {
                radius: 3.0,
                rotation_deg: frame.chance() * 360.0,
                keeps_size: true,
            };
            let life_msec = 1000 + (frame.chance() * 250.0) as i32;
            let mut bubble = LocalEntity::new(kind, from + forward * at, frame.now, life_msec);
            bubble.shader = Some(self.media.shaders.bubble);
            bubble.path.kind = kind::LINEAR;
            let mut drift = || frame.random.centred() * 5.0;
            bubble.path.delta = Vec3::new(drift(), drift(), drift() + 6.0);
            self.local_entities.add(bubble);
            at += spacing;
        }
    }

    /// The rail of a shot: its core, and the rings that wind around it.
    pub(super) fn add_rail(
        &mut self,
        mut from: Vec3,
        to: Vec3,
        client: i32,
        frame: &mut Frame<'_>,
    ) {
        let colors = frame
            .level
            .client(client)
            .map_or([Vec3::ONE; 2], |info| info.colors);
        let is_own_shot = client == frame.viewed_client && !*frame.is_third_person;
        let aside = match frame.settings.draw_gun {
            2 => 8.0,
            3 => 4.0,
            _ => 0.0,
        };
        if is_own_shot {
            from += frame.view.axis[1] * aside;
        }
        let is_open_arena = frame.level.profile.is_open_arena();
        let is_old = frame.settings.has_old_rail().unwrap_or(!is_open_arena);
        let usual_msec = if is_open_arena { 600 } else { 400 };
        let stay_msec = frame.settings.rail_stay_msec().unwrap_or(usual_msec);
        let [from_drop, to_drop] = if is_old { [12.0, 8.0] } else { [4.0, 0.0] };
        let kind = LocalEntityKind::RailCore {
            from: from - Vec3::Z * from_drop,
        };
        let end = to - Vec3::Z * to_drop;
        let mut core = LocalEntity::new(kind, end, frame.now, stay_msec.max(1));
        core.shader = Some(self.media.shaders.rail_core);
        core.color = colors[0] * 0.75;
        self.local_entities.add(core);
        if !is_old {
            self.add_rings(from - Vec3::Z * 4.0, to, colors[1], frame);
        }
    }

    fn add_rings(&mut self, from: Vec3, to: Vec3, color: Vec3, frame: &Frame<'_>) {
        const SPACING: f32 = 5.0;
        let length = from.distance(to);
        let forward = (to - from).normalize_or_zero();
        let side = angles::perpendicular(forward);
        let mut at = from + forward * 20.0;
        // A rail across the largest map fills the pool of effects; more would only push out its own beginning.
        let steps = ((length / SPACING) as usize).min(1024);
        for step in 0..steps {
            if step % 2 == 0 {
                let turn = ((18 + step) % 36) as f32 * 10.0;
                let out = angles::rotate_around(side, forward, turn);
                let kind = LocalEntityKind::Puff {
                    radius: 1.1,
                    rotation_deg: 0.0,
                    keeps_size: true,
                };
                let along = step as f32 * SPACING;
                let life_msec = 600 + (along / 2.0) as i32;
                let mut ring = LocalEntity::new(kind, at + out * 4.0, frame.now, life_msec);
                ring.shader = Some(self.media.shaders.rail_disc);
                ring.color = color;
                ring.path.kind = kind::LINEAR;
                ring.path.delta = out * 6.0;
                self.local_entities.add(ring);
            }
            at += forward * SPACING;
        }
    }
}
