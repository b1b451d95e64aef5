//! The own player between snapshots: interpolated where nothing is predicted.

use super::{
    CGame, angles,
    entities::{CEntity, entity_of_player},
    frame::Frame,
    io::FrameInput,
};
use glam::Vec3;
use shared::{
    bg::World,
    cm::{ClipMap, Sweep},
    types::{playerstate::PlayerState, trace::Trace},
};

/// The own player as he is shown.
#[derive(Clone, Debug, Default)]
pub struct Prediction {
    pub player: PlayerState,
    /// The same as an entity: the own body in mirrors and third person.
    pub entity: CEntity,
    /// Inside a teleporter: nothing is drawn until the server has answered.
    pub is_in_hyperspace: bool,
}

impl Prediction {
    /// What is left of the last prediction error, to be added to the eye.
    pub fn error_offset(&self, _now: i32, _decay_msec: f32) -> Vec3 {
        Vec3::ZERO
    }
}

impl CGame {
    /// Moves the own player to the shown time.
    pub(super) fn predict(&mut self, _input: &FrameInput<'_>, frame: &mut Frame<'_>) {
        let Some(player) = self.interpolated_player(frame.now, true) else {
            return;
        };
        self.prediction.player = player;
        self.update_own_entity(frame);
    }

    /// The playerstate between the two snapshots; all but place and view comes from the older one.
    pub(super) fn interpolated_player(&self, now: i32, with_angles: bool) -> Option<PlayerState> {
        let snap = self.snapshots.snap.as_ref()?;
        let mut player = snap.player.clone();
        let Some(next) = self
            .snapshots
            .next
            .as_ref()
            .filter(|_| !self.snapshots.next_teleport)
        else {
            return Some(player);
        };
        let fraction = self.snapshots.fraction(shared::base::time::ServerTime(now));
        let to = &next.player;
        player.origin = player.origin.lerp(to.origin, fraction);
        player.velocity = player.velocity.lerp(to.velocity, fraction);
        if with_angles {
            player.view_angles = angles::lerp_angles(player.view_angles, to.view_angles, fraction);
        }
        let bob_to = if to.bob_cycle < player.bob_cycle {
            to.bob_cycle + 256
        } else {
            to.bob_cycle
        };
        player.bob_cycle += (fraction * (bob_to - player.bob_cycle) as f32) as i32;
        Some(player)
    }

    /// The own body follows the shown playerstate.
    fn update_own_entity(&mut self, frame: &Frame<'_>) {
        let prediction = &mut self.prediction;
        let before = prediction.entity.current.number;
        let state = entity_of_player(&prediction.player, &prediction.entity.current);
        if before != state.number || self.snapshots.this_teleport {
            prediction.entity.body.needs_reset = true;
        }
        prediction.entity.current = state;
        prediction.entity.origin = prediction.player.origin;
        prediction.entity.angles = prediction.player.view_angles;
        self.snapshots.this_teleport = false;
        let _ = frame;
    }
}

/// The map without entities.
pub struct MapOnly<'a>(pub &'a ClipMap);

impl World for MapOnly<'_> {
    fn trace(
        &self,
        start: Vec3,
        mins: Vec3,
        maxs: Vec3,
        end: Vec3,
        _pass_entity: i32,
        mask: u32,
    ) -> Trace {
        self.0.trace(&Sweep {
            start,
            mins,
            maxs,
            end,
            mask,
        })
    }

    fn point_contents(&self, point: Vec3, _pass_entity: i32) -> u32 {
        self.0.point_contents(point)
    }
}
