//! Slides along planes and steps up stairs.

use super::Move;
use crate::bg::numbers::event;
use glam::Vec3;

/// How much velocity into a plane is turned away, so that rounding does not leave the player in it.
pub(super) const OVERCLIP: f32 = 1.001;
const STEP_SIZE: f32 = 18.0;
const MAX_CLIP_PLANES: usize = 5;
const BUMPS: usize = 4;

/// Takes the part into the plane out of a velocity (`bg_pmove.c`, `PM_ClipVelocity`).
pub(super) fn clip(velocity: Vec3, normal: Vec3) -> Vec3 {
    clip_with(velocity, normal, OVERCLIP)
}

/// The same with another bounce than the move's.
pub fn clip_with(velocity: Vec3, normal: Vec3, overbounce: f32) -> Vec3 {
    let into = velocity.dot(normal);
    let backoff = if into < 0.0 {
        into * overbounce
    } else {
        into / overbounce
    };
    velocity - normal * backoff
}

/// What a slide does with the velocity at a hit.
enum Redirected {
    /// The new velocity now, and at the end of the step.
    To(Vec3, Vec3),
    /// Three planes form a corner.
    Stuck,
}

impl Move<'_> {
    /// Moves along whatever is hit; the answer is whether anything was (`bg_slidemove.c`, `PM_SlideMove`).
    pub(super) fn slide_move(&mut self, gravity: bool) -> bool {
        let mut primal = self.player.velocity;
        let mut end_velocity = primal;
        if gravity {
            end_velocity.z -= self.player.gravity as f32 * self.seconds;
            // Half of the step's gravity now: the mean velocity of the step.
            self.player.velocity.z = (self.player.velocity.z + end_velocity.z) * 0.5;
            primal.z = end_velocity.z;
            if self.on_plane {
                self.player.velocity = clip(self.player.velocity, self.ground.plane.normal);
            }
        }
        let mut planes = Planes::default();
        if self.on_plane {
            planes.push(self.ground.plane.normal);
        }
        // Never turn against the original direction.
        planes.push(self.normalize(self.player.velocity).0);
        let mut left = self.seconds;
        let mut bumps = 0;
        while bumps < BUMPS {
            let end = self.player.origin + self.player.velocity * left;
            let trace = self.trace(self.player.origin, end);
            if trace.all_solid {
                // Keep from building up falling damage.
                self.player.velocity.z = 0.0;
                return true;
            }
            if trace.fraction > 0.0 {
                self.player.origin = trace.end;
            }
            if trace.fraction == 1.0 {
                break;
            }
            self.touch(trace.entity_num);
            left = self.settings.numeric.profile.left_of(left, trace.fraction);
            bumps += 1;
            if planes.is_full() {
                self.player.velocity = Vec3::ZERO;
                return true;
            }
            let normal = trace.plane.normal;
            if self.is_same_plane(&planes, normal) {
                // Nudge away from a plane that was clipped to before but still is in the way.
                self.player.velocity += normal;
                continue;
            }
            planes.push(normal);
            match self.redirect(&planes, end_velocity) {
                Redirected::To(velocity, at_end) => {
                    self.player.velocity = velocity;
                    end_velocity = at_end;
                }
                Redirected::Stuck => {
                    self.player.velocity = Vec3::ZERO;
                    return true;
                }
            }
        }
        if gravity {
            self.player.velocity = end_velocity;
        }
        if self.player.pm_time != 0 {
            // A timer runs: bumping into something changes nothing.
            self.player.velocity = primal;
        }
        bumps != 0
    }

    fn is_same_plane(&self, planes: &Planes, normal: Vec3) -> bool {
        let profile = self.settings.numeric.profile;
        planes
            .iter()
            .any(|plane| profile.is_above(normal.dot(plane), 0.99))
    }

    /// Turns the velocity parallel to the first plane it goes into, and to all others at once.
    fn redirect(&self, planes: &Planes, end_velocity: Vec3) -> Redirected {
        /// Velocities this little into a plane do no harm.
        const HARMLESS: f32 = 0.1;
        let start = self.player.velocity;
        for (i, first) in planes.iter().enumerate() {
            if start.dot(first) >= HARMLESS {
                continue;
            }
            let mut velocity = clip(start, first);
            let mut at_end = clip(end_velocity, first);
            for (j, second) in planes.iter().enumerate() {
                if j == i || velocity.dot(second) >= HARMLESS {
                    continue;
                }
                velocity = clip(velocity, second);
                at_end = clip(at_end, second);
                if velocity.dot(first) >= 0.0 {
                    continue;
                }
                // Going into the first one again: move along the crease of both.
                let (crease, _) = self.normalize(first.cross(second));
                velocity = crease * crease.dot(start);
                at_end = crease * crease.dot(end_velocity);
                let stuck = planes
                    .iter()
                    .enumerate()
                    .any(|(m, third)| m != i && m != j && velocity.dot(third) < HARMLESS);
                if stuck {
                    return Redirected::Stuck;
                }
            }
            return Redirected::To(velocity, at_end);
        }
        Redirected::To(start, end_velocity)
    }

    /// Slides, and tries the same one step higher if something was in the way
    /// (`bg_slidemove.c`, `PM_StepSlideMove`).
    pub(super) fn step_slide_move(&mut self, gravity: bool) {
        let start = self.player.origin;
        let start_velocity = self.player.velocity;
        if !self.slide_move(gravity) {
            return;
        }
        let below = self.trace(start, start - Vec3::new(0.0, 0.0, STEP_SIZE));
        let steep = self
            .settings
            .numeric
            .profile
            .is_below(below.plane.normal.dot(Vec3::Z), 0.7);
        if self.player.velocity.z > self.max_rise_on_stairs() && (below.fraction == 1.0 || steep) {
            // Never step up while going up without ground.
            return;
        }
        let above = self.trace(start, start + Vec3::new(0.0, 0.0, STEP_SIZE));
        if above.all_solid {
            return;
        }
        let step = above.end.z - start.z;
        self.player.origin = above.end;
        self.player.velocity = start_velocity;
        self.slide_move(gravity);
        let origin = self.player.origin;
        let down = self.trace(origin, origin - Vec3::new(0.0, 0.0, step));
        if !down.all_solid {
            self.player.origin = down.end;
        }
        if down.fraction < 1.0 {
            self.player.velocity = self.clip_on_stair(down.plane.normal);
        }
        let height = self.player.origin.z - start.z;
        if height > 2.0 {
            self.event(if height < 7.0 {
                event::STEP_4
            } else if height < 11.0 {
                event::STEP_8
            } else if height < 15.0 {
                event::STEP_12
            } else {
                event::STEP_16
            });
        }
    }
}

/// The planes hit so far.
#[derive(Default)]
struct Planes {
    normals: [Vec3; MAX_CLIP_PLANES],
    count: usize,
}

impl Planes {
    fn push(&mut self, normal: Vec3) {
        self.normals[self.count] = normal;
        self.count += 1;
    }

    fn is_full(&self) -> bool {
        self.count == MAX_CLIP_PLANES
    }

    fn iter(&self) -> impl Iterator<Item = Vec3> {
        self.normals[..self.count].iter().copied()
    }
}
