//! What players make heard themselves: steps, cries, pain above and under water.

use super::{
    Present, anim,
    bodies::Body,
    frame::{Frame, channel},
};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::numbers::event as ev,
    formats::animcfg::Footsteps as FootstepKind,
    types::{entitystate::EntityState, trace::contents},
};

/// The own sounds of a player, by their place in [`VOICES`].
pub mod voice {
    pub const DEATH1: usize = 0;
    pub const JUMP: usize = 3;
    pub const PAIN25: usize = 4;
    pub const PAIN50: usize = 5;
    pub const PAIN75: usize = 6;
    pub const PAIN100: usize = 7;
    pub const GASP: usize = 9;
    pub const DROWN: usize = 10;
    pub const FALL: usize = 11;
    pub const TAUNT: usize = 12;
}

/// Pain is heard at most this often from one player.
const PAIN_MSEC: i32 = 500;

impl Present {
    /// One of a player's own sounds.
    pub(super) fn voice(&mut self, state: &EntityState, index: usize, frame: &mut Frame<'_>) {
        if let Some(looks) = self.players.get(state.client_num) {
            frame.start_on(i32::from(state.number), channel::VOICE, looks.voices[index]);
        }
    }

    pub(super) fn pain(&mut self, state: &EntityState, health: i32, frame: &mut Frame<'_>) {
        let Some(body) = self.bodies.get_mut(i32::from(state.number)) else {
            return;
        };
        if is_pain_due(body, frame.now) {
            body.pain_is_right = !body.pain_is_right;
            self.cry(state, health, frame);
        }
    }

    /// Pain by how much health is left, or what is heard of it under water.
    fn cry(&mut self, state: &EntityState, health: i32, frame: &mut Frame<'_>) {
        let number = i32::from(state.number);
        let at = if number == frame.viewed_client {
            frame.predicted.player.origin
        } else {
            frame
                .timeline
                .entity(number)
                .map_or(Vec3::ZERO, |entity| entity.origin)
        };
        if !is_drowning(frame, number, at) {
            return self.voice(state, pain_voice(health), frame);
        }
        let sounds = &self.media.sounds;
        let sound = frame.one_of([sounds.gurp1, sounds.gurp2]);
        frame.start_on(number, channel::VOICE, sound);
    }

    /// The own pain comes from the own health, not from an event.
    pub(super) fn own_pain(&mut self, state: &EntityState, health: i32, frame: &mut Frame<'_>) {
        if is_pain_due(&mut self.bodies.own, frame.now) {
            self.cry(state, health, frame);
        }
    }

    pub(super) fn step_sound(&mut self, state: &EntityState, event: i32, frame: &mut Frame<'_>) {
        if !frame.settings.footsteps {
            return;
        }
        let steps = &self.media.footsteps;
        let four = match event {
            ev::FOOTSTEP_METAL => steps.metal,
            // The newer game tells the ground too; its samples are not in the paks.
            ev::FOOTSTEP | ev::FOOTSTEP_SNOW..=ev::FOOTSTEP_GLASS => {
                let looks = self.players.get(state.client_num);
                let kind = looks
                    .and_then(|looks| frame.assets.animation(looks.animation))
                    .map(|config| config.footsteps);
                match kind.unwrap_or_default() {
                    FootstepKind::Normal => steps.normal,
                    FootstepKind::Boot => steps.boot,
                    FootstepKind::Flesh => steps.flesh,
                    FootstepKind::Mech => steps.mech,
                    FootstepKind::Energy => steps.energy,
                }
            }
            _ => steps.splash,
        };
        let sound = frame.one_of(four);
        frame.start_on(i32::from(state.number), channel::BODY, sound);
    }
}

/// Whether a player is heard again to be hurt; then the time until the next cry begins.
fn is_pain_due(body: &mut Body, now: ServerTime) -> bool {
    let is_due = body
        .pain_time
        .is_none_or(|since| !now.is_within(since, PAIN_MSEC));
    if is_due {
        body.pain_time = Some(now);
    }
    is_due
}

/// Whether a player is all under water; OpenArena looks at the eyes alone.
pub fn is_drowning(frame: &Frame<'_>, number: i32, at: Vec3) -> bool {
    let height = frame
        .timeline
        .entity(number)
        .map_or(26.0, |entity| anim::eye_height(&entity.current));
    let heights: &[f32] = if frame.level.profile.is_open_arena() {
        &[height]
    } else {
        &[-23.0, (height + 24.0) / 2.0 - 24.0, height]
    };
    heights
        .iter()
        .all(|&z| frame.world.contents_at(at + Vec3::Z * z) & contents::MASK_WATER != 0)
}

fn pain_voice(health: i32) -> usize {
    match health {
        ..25 => voice::PAIN25,
        25..50 => voice::PAIN50,
        50..75 => voice::PAIN75,
        _ => voice::PAIN100,
    }
}
