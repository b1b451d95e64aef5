//! Fragments: pieces of bodies and cases of bullets that fly, bounce, leave stains, and sink away.

use super::{
    Present,
    frame::{Frame, channel},
    local_entities::{LocalEntity, LocalEntityKind, Puff},
    marks::Stamp,
};
use crate::cg::{angles, timeline::entities::CEntity};
use crate::scene::{ModelId, RefEntity, RefEntityKind};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::weapon,
        trajectory::{position_at, velocity_at},
    },
    types::{
        limits::ENTITYNUM_WORLD,
        trace::{Trace, contents},
        trajectory::{Trajectory, kind},
    },
};
use std::collections::VecDeque;

/// The oldest goes when more are about.
const MAX_FRAGMENTS: usize = 256;
const TRAIL_MSEC: i32 = 150;
/// A fragment sinks into the ground in the last second.
const SINK_MSEC: i32 = 1000;
const SINK_UNITS: f32 = 16.0;

/// One piece.
#[derive(Clone, Debug)]
struct Fragment {
    model: ModelId,
    path: Trajectory,
    /// Degrees at the start, and degrees a second.
    angles: [Vec3; 2],
    start: ServerTime,
    end: ServerTime,
    /// Part of the speed that a bounce leaves.
    bounce: f32,
    /// It bleeds: trail, stain and sound.
    is_flesh: bool,
    has_hit: bool,
    trail_time: ServerTime,
}

/// All pieces, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Fragments {
    alive: VecDeque<Fragment>,
    /// Counts all that were ever thrown.
    pub begun: u32,
}

impl Fragments {
    pub fn clear(&mut self) {
        self.alive.clear();
    }

    fn add(&mut self, fragment: Fragment) {
        if self.alive.len() == MAX_FRAGMENTS {
            self.alive.pop_front();
        }
        self.begun = self.begun.wrapping_add(1);
        self.alive.push_back(fragment);
    }
}

impl Present {
    /// A body bursts.
    pub(super) fn throw_gibs(&mut self, at: Vec3, frame: &mut Frame<'_>) {
        if !frame.settings.blood {
            return;
        }
        let [skull, brain, rest @ ..] = self.media.gibs;
        let head = frame.one_of([skull, brain]);
        let count = if frame.settings.gibs { rest.len() } else { 0 };
        for model in std::iter::once(head).chain(rest.into_iter().take(count)) {
            let c = |frame: &mut Frame<'_>| frame.random.centred() * 250.0;
            let velocity = Vec3::new(c(frame), c(frame), 250.0 + c(frame));
            let life_msec = 5000 + (frame.chance() * 3000.0) as i32;
            self.fragments.add(Fragment {
                model,
                path: flight(at, velocity, frame.now),
                angles: [Vec3::ZERO; 2],
                start: frame.now,
                end: frame.now + life_msec,
                bounce: 0.6,
                is_flesh: true,
                has_hit: false,
                trail_time: frame.now,
            });
        }
    }

    /// The case of a shot leaves the gun.
    pub(super) fn eject_brass(&mut self, entity: &CEntity, frame: &mut Frame<'_>) {
        let base = frame.settings.brass_time_msec;
        if base <= 0 {
            return;
        }
        if entity.current.weapon == weapon::NAILGUN {
            return self.puff_of_nails(entity, frame);
        }
        let (from, axis) = (entity.origin, angles::axis_from_angles(entity.angles));
        let (count, offset, bounce, model) = match entity.current.weapon {
            weapon::MACHINEGUN | weapon::CHAINGUN => (
                1,
                Vec3::new(8.0, -4.0, 24.0),
                0.4,
                self.media.models.bullet_case,
            ),
            weapon::SHOTGUN => (2, Vec3::new(8.0, 0.0, 24.0), 0.3, self.media.models.shell),
            _ => return,
        };
        let at = from + angles::to_world(offset, &axis);
        let slows = if frame.world.contents_at(at) & contents::MASK_WATER != 0 {
            0.1
        } else {
            1.0
        };
        for number in 0..count {
            let c = |frame: &mut Frame<'_>| frame.random.centred();
            let (velocity, life_msec, rate) = if count == 1 {
                let velocity = Vec3::new(0.0, -50.0 + 40.0 * c(frame), 100.0 + 50.0 * c(frame));
                let life = base as f32 * (1.0 + 0.25 * frame.chance());
                (velocity, life, Vec3::new(2.0, 1.0, 0.0))
            } else {
                let side = if number == 0 { 40.0 } else { -40.0 };
                let velocity = Vec3::new(
                    60.0 + 60.0 * c(frame),
                    side + 10.0 * c(frame),
                    100.0 + 50.0 * c(frame),
                );
                let life = base as f32 * (3.0 + frame.chance());
                (velocity, life, Vec3::new(1.0, 0.5, 0.0))
            };
            let turn = |frame: &mut Frame<'_>| frame.random.below(32) as f32;
            let start_angles = Vec3::new(turn(frame), turn(frame), turn(frame));
            self.fragments.add(Fragment {
                model,
                path: flight(at, angles::to_world(velocity, &axis) * slows, frame.now),
                angles: [start_angles, rate],
                start: frame.now,
                end: frame.now + (life_msec as i32).max(0),
                bounce,
                is_flesh: false,
                has_hit: false,
                trail_time: frame.now,
            });
        }
    }

    /// A nailgun throws no cases: it smokes.
    fn puff_of_nails(&mut self, entity: &CEntity, frame: &Frame<'_>) {
        let axis = angles::axis_from_angles(entity.angles);
        self.local_entities.add_puff(&Puff {
            at: entity.origin + angles::to_world(Vec3::new(0.0, -12.0, 24.0), &axis),
            velocity: Vec3::Z * 64.0,
            radius: 32.0,
            start: frame.now,
            life_msec: 700,
            shader: self.media.shaders.smoke_puff,
            keeps_size: false,
        });
    }

    /// Moves and draws all pieces.
    pub(super) fn run_fragments(&mut self, frame: &mut Frame<'_>) {
        let mut alive = std::mem::take(&mut self.fragments.alive);
        alive.retain_mut(|fragment| {
            let life_msec = fragment.end - fragment.start;
            frame.now.is_within(fragment.start, life_msec) && self.run_fragment(fragment, frame)
        });
        self.fragments.alive = alive;
    }

    /// False if it fell where nothing may lie.
    fn run_fragment(&mut self, fragment: &mut Fragment, frame: &mut Frame<'_>) -> bool {
        if fragment.path.kind == kind::STATIONARY {
            fragment.draw(fragment.path.base, frame);
            return true;
        }
        let from = position_at(&fragment.path, frame.now - frame.msec);
        let to = position_at(&fragment.path, frame.now);
        let hit = frame.world.line(from, to, -1, contents::SOLID);
        if hit.fraction == 1.0 {
            if fragment.is_flesh {
                self.bleed(fragment, frame);
            }
            fragment.draw(to, frame);
            return true;
        }
        if frame.world.contents_at(hit.end) & contents::NODROP != 0 {
            return false;
        }
        if fragment.is_flesh && !fragment.has_hit {
            self.stain(&hit, frame);
        }
        fragment.has_hit = true;
        fragment.bounce(&hit, frame);
        fragment.draw(hit.end, frame);
        true
    }

    /// Drops of blood that fall behind a piece.
    fn bleed(&mut self, fragment: &mut Fragment, frame: &mut Frame<'_>) {
        /// A piece that was not drawn for long leaves no curtain of blood.
        const MAX_DROPS: i32 = 16;
        let due = frame
            .now
            .steps_since(fragment.trail_time, TRAIL_MSEC, MAX_DROPS);
        for time in due {
            fragment.trail_time = time;
            let at = position_at(&fragment.path, time);
            let kind = LocalEntityKind::Drop {
                radius: 20.0,
                rotation_deg: frame.chance() * 360.0,
                depth: 40.0,
            };
            let mut effect = LocalEntity::new(kind, at, time, 2000);
            effect.shader = Some(self.media.shaders.blood_trail);
            self.local_entities.add(effect);
        }
    }

    fn stain(&mut self, hit: &Trace, frame: &mut Frame<'_>) {
        if frame.settings.marks {
            let stamp = Stamp {
                shader: self.media.shaders.blood_mark,
                at: hit.end,
                normal: hit.plane.normal,
                turn_deg: frame.chance() * 360.0,
                radius: 16.0 + frame.random.below(32) as f32,
                color: Vec3::ONE,
                is_energy: false,
            };
            self.marks.add(stamp, frame.now);
        }
        if frame.random.below(2) == 0 {
            let sounds = &self.media.sounds;
            let (one, two, three) = (sounds.gib_impact1, sounds.gib_impact2, sounds.gib_impact3);
            let sound = frame.one_of([one, two, three, three]);
            frame.start_at(hit.end, ENTITYNUM_WORLD, channel::AUTO, sound);
        }
    }
}

impl Fragment {
    fn bounce(&mut self, hit: &Trace, frame: &Frame<'_>) {
        let hit_time = frame.now - frame.msec + (hit.fraction * frame.msec as f32) as i32;
        let velocity = velocity_at(&self.path, hit_time);
        let normal = hit.plane.normal;
        let reflected = (velocity - normal * 2.0 * velocity.dot(normal)) * self.bounce;
        self.path = flight(hit.end, reflected, frame.now);
        let is_slow = reflected.z < 40.0 || reflected.z < -(frame.msec as f32) * reflected.z;
        if hit.all_solid || (normal.z > 0.0 && is_slow) {
            self.path.kind = kind::STATIONARY;
            self.angles[0] += self.angles[1] * ((frame.now - self.start) as f32 * 0.001);
            self.angles[1] = Vec3::ZERO;
        }
    }

    fn draw(&self, at: Vec3, frame: &mut Frame<'_>) {
        let mut piece = RefEntity::new(RefEntityKind::Model(self.model), at);
        let elapsed = (frame.now - self.start) as f32 * 0.001;
        piece.axis = angles::axis_from_angles(self.angles[0] + self.angles[1] * elapsed);
        let left = self.end - frame.now;
        if self.path.kind == kind::STATIONARY && left < SINK_MSEC {
            piece.lighting_origin = Some(at);
            piece.origin.z -= SINK_UNITS * (1.0 - left as f32 / SINK_MSEC as f32);
        }
        frame.add(piece);
    }
}

fn flight(at: Vec3, velocity: Vec3, now: ServerTime) -> Trajectory {
    Trajectory {
        kind: kind::GRAVITY,
        time: now.0,
        base: at,
        delta: velocity,
        ..Trajectory::default()
    }
}
