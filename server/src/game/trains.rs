//! Trains: movers that go from corner to corner of a way.

use super::{
    Game,
    gentity::{MoverState, Think, or_default},
};
use crate::entity::sv_flags;
use shared::types::trajectory::kind;

impl Game {
    /// Chains the corners of a train's way, and puts it at the first.
    pub(super) fn set_up_train(&mut self, at: usize) {
        let target = self.gentities[at].keys.target.clone();
        let Some(&first) = self.named(&target).first() else {
            return self.print(format!("A train has no corner named {target} and stays"));
        };
        let is_corner =
            |game: &Self, at: usize| game.gentities[at].keys.class_name == "path_corner";
        let mut corner = first;
        // Ways may lead in circles, or into one that does not come back here.
        for _ in 0..self.world.entities.len() {
            let target = self.gentities[corner].keys.target.clone();
            let next = self
                .named(&target)
                .into_iter()
                .find(|&next| is_corner(self, next));
            let Some(next) = next else {
                return self.print(format!("A train's way ends at {target} and it stays"));
            };
            self.gentities[corner].mover.target = Some(next);
            corner = next;
            if corner == first {
                break;
            }
        }
        self.gentities[at].mover.target = Some(first);
        self.train_reached(at);
    }

    /// Sends a train from a corner to the next.
    pub(super) fn train_reached(&mut self, at: usize) {
        let Some(corner) = self.gentities[at].mover.target else {
            return;
        };
        let Some(next) = self.gentities[corner].mover.target else {
            return;
        };
        self.use_corner_targets(corner);
        let places = [corner, next].map(|corner| self.gentities[corner].keys.origin);
        let keys = &self.gentities[corner].keys;
        let (corner_speed, wait) = (keys.speed, keys.wait);
        let own = or_default(self.gentities[at].keys.speed, 100.0);
        let speed = or_default(corner_speed, own).max(1.0);
        let msec = (places[0].distance(places[1]) * 1000.0 / speed) as i32;
        let gentity = &mut self.gentities[at];
        gentity.mover.target = Some(next);
        gentity.mover.places = places;
        let entity = &mut self.world.entities[at];
        entity.sv_flags &= !sv_flags::NO_CLIENT;
        if msec < 1 {
            entity.sv_flags |= sv_flags::NO_CLIENT;
        }
        entity.state.pos.duration = msec.max(1);
        self.set_mover_state(at, MoverState::From1To2, self.time);
        if wait > 0.0 {
            self.world.entities[at].state.pos.kind = kind::STATIONARY;
            self.think_in(at, Think::BeginTrainLeg, (wait * 1000.0) as i32);
        }
    }

    fn use_corner_targets(&mut self, corner: usize) {
        let target = self.gentities[corner].keys.target.clone();
        for other in self.named(&target) {
            if self.gentities[other].keys.class_name != "path_corner" {
                self.use_entity(other, None);
            }
        }
    }

    pub(super) fn begin_train_leg(&mut self, at: usize) {
        let time = self.time;
        let path = &mut self.world.entities[at].state.pos;
        path.time = time;
        path.kind = kind::LINEAR_STOP;
    }
}
