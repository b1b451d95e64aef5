//! The local player in each frame: predicted, or interpolated where nothing can be predicted.

use super::{predictor::PredictInput, solid::SolidWorld};
use crate::cg::diagnose::explain::explain;
use crate::cg::{
    CGame, angles,
    io::FrameInput,
    present::frame::Frame,
    timeline::entities::{CEntity, entity_of_player},
};
use crate::scene::{Entity, EntityKind};
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags, pm_flags},
        pmove,
    },
    types::{playerstate::PlayerState, snapshot::Snapshot},
};
use std::sync::Arc;

/// The local player as shown.
#[derive(Clone, Debug, Default)]
pub struct LocalPlayer {
    pub player: PlayerState,
    /// The same as an entity: the own body in mirrors and third person.
    pub entity: CEntity,
    /// Inside a teleporter: nothing is drawn until the server has answered.
    pub is_in_hyperspace: bool,
    pub is_third_person: bool,
    /// A restarted match begins like a respawn.
    pub must_respawn: bool,
    /// What the ghosts are, in numbers.
    pub ghost_texts: Vec<String>,
    /// What stands at the marks of misses, newest first.
    pub ghost_labels: Vec<crate::cg::diagnose::ghosts::Label>,
    /// The snapshots that became past in this frame, oldest first.
    pub passed: Vec<Arc<Snapshot>>,
}

impl CGame {
    /// Whether the own movement is computed here, not taken from the snapshots.
    pub(in crate::cg) fn predicts(&self, frame: &Frame<'_>) -> bool {
        let is_following = self
            .snapshots
            .snap
            .as_ref()
            .is_some_and(|snap| snap.player.pm_flags & pm_flags::FOLLOW != 0);
        !(self.is_demo || is_following || frame.settings.no_predict || self.level.is_synchronous)
    }

    /// Moves the local player to the shown time.
    pub(in crate::cg) fn predict(&mut self, input: &FrameInput<'_>, frame: &mut Frame<'_>) {
        self.prediction.is_in_hyperspace = false;
        if self.predicts(frame) && self.clip.is_some() {
            self.run_prediction(input, frame);
        } else {
            self.interpolate(input, frame);
        }
        self.update_own_entity();
    }

    fn interpolate(&mut self, input: &FrameInput<'_>, frame: &Frame<'_>) {
        let is_follow = self
            .snapshots
            .snap
            .as_ref()
            .is_some_and(|snap| snap.player.pm_flags & pm_flags::FOLLOW != 0);
        let takes_angles = self.is_demo || is_follow;
        let Some(mut player) = self.interpolated_player(frame.now, takes_angles) else {
            return;
        };
        let newest = input.provisional.as_ref().or(input.usercmds.newest());
        if let (Some(command), false) = (newest, takes_angles) {
            pmove::update_view_angles(&mut player, command);
        }
        self.predictor.reset();
        self.rebuild_world();
        self.prediction.player = player;
        if self.snapshots.this_teleport {
            self.snapshots.this_teleport = false;
            self.prediction.entity.body.needs_reset = true;
            self.motion.reset();
        }
    }

    /// Traces of effects need the solid entities even when nothing is predicted.
    fn rebuild_world(&mut self) {
        if let Some(base) = self.snapshots.base() {
            self.predictor.world.rebuild(base);
        }
    }

    fn run_prediction(&mut self, input: &FrameInput<'_>, frame: &mut Frame<'_>) {
        let Some(base) = self.snapshots.base().cloned() else {
            return;
        };
        let predict_input = PredictInput {
            base: &base,
            passed: &self.prediction.passed,
            usercmds: input.usercmds,
            provisional: input.provisional,
            now: frame.now,
            is_abrupt: self.snapshots.this_teleport,
            predict_items: frame.settings.predict_items,
            keeps_results: frame.settings.keeps_predicted,
            error_decay_msec: frame.settings.error_decay_msec,
            explains: frame.settings.show_miss > 0 || frame.settings.draw_ghosts,
        };
        let Some(predicted) = self.predictor.run(&predict_input) else {
            if frame.settings.show_miss > 0 {
                frame
                    .output
                    .printed
                    .push("exceeded the window of usercmds\n".to_owned());
            }
            return;
        };
        if predicted.is_compared && self.snapshots.this_teleport {
            self.snapshots.this_teleport = false;
            self.prediction.entity.body.needs_reset = true;
        }
        for mut miss in predicted.misses {
            explain(&mut miss, &mut self.predictor.stats);
            if frame.settings.show_miss > 0 {
                let length = miss.predicted.distance(miss.actual);
                let (cause, field, time) = (miss.cause, miss.field, miss.server_time);
                frame.output.printed.push(format!(
                    "Prediction miss: {length:.3} ({field}, {cause}) at {}\n",
                    time.0
                ));
            }
            if frame.settings.show_miss > 1 {
                frame.output.printed.push(format!("{}\n", miss.detail));
            }
            self.ghosts.add_miss(miss, frame.now);
        }
        for number in predicted.taken {
            if let Some(entity) = self.entities.get_mut(number) {
                entity.current.e_flags |= entity_flags::NODRAW;
            }
        }
        self.prediction.is_in_hyperspace = predicted.is_in_hyperspace;
        let before = std::mem::replace(&mut self.prediction.player, predicted.player);
        let now = self.prediction.player.clone();
        self.player_transition(&before, &now, frame);
    }

    /// The playerstate between the two snapshots; all but place and view comes from the older one.
    pub(in crate::cg) fn interpolated_player(
        &self,
        now: ServerTime,
        with_angles: bool,
    ) -> Option<PlayerState> {
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
        let fraction = self.snapshots.fraction(now);
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
    fn update_own_entity(&mut self) {
        let own = &mut self.prediction;
        let before = own.entity.current.number;
        let state = entity_of_player(&own.player, &own.entity.current);
        if before != state.number {
            own.entity.body.needs_reset = true;
        }
        own.entity.current = state;
        own.entity.origin = own.player.origin;
        own.entity.angles = own.player.view_angles;
    }

    /// Blood before the eyes after damage.
    pub(in crate::cg) fn add_damage_blood(&self, frame: &mut Frame<'_>) {
        let fade = self.motion.damage_fade(frame.now);
        if fade <= 0.0 || !frame.settings.blood || frame.is_third_person {
            return;
        }
        let [x, y] = self.motion.damage_at;
        let [forward, left, up] = frame.view.axis;
        let origin = frame.view.eye + forward * 8.0 - left * (8.0 * x) + up * (8.0 * y);
        let kind = EntityKind::Sprite {
            radius: self.motion.damage_value * 3.0,
            rotation_deg: 0.0,
        };
        let mut blood = Entity::new(kind, origin);
        blood.flags.first_person = true;
        blood.custom_shader = Some(self.media.shaders.blood_view);
        blood.color[3] = (200.0 * fade) as u8;
        frame.add(blood);
    }

    /// The solid side of the level as prediction sees it.
    pub fn solid_world(&self) -> &SolidWorld {
        &self.predictor.world
    }
}
