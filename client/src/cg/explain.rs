//! Finds out why a prediction missed, by running the same usercmds again under other assumptions.

use super::{
    correct::{MISS, Surroundings},
    solid::SolidWorld,
};
use core::ops::Range;
use glam::Vec3;
use shared::{
    bg::{
        numbers::entity_type,
        pmove::{Contact, Settings, pmove},
    },
    types::{limits::MAX_CLIENTS, playerstate::PlayerState, usercmd::Usercmd},
};

/// How far from its path a player can feel something solid, in units.
pub const REACH: f32 = 48.0;
/// With more commands than this between two snapshots, only the latest are looked at.
const MOST: usize = 24;
/// So many commands in a row are often lost together: those of one packet, or of two.
const USUAL_LOSS: usize = 4;
/// A server executes no command for a later time than this ahead of its own, which stands still while it pauses.
const AHEAD_MSEC: i32 = 200;
/// Nudges are tried at so many moments; where commands come faster, some in a row are nudged together.
const NUDGED: usize = 8;

/// Everything that a second opinion needs.
pub struct Case<'a> {
    pub world: &'a SolidWorld,
    pub settings: Settings<'a>,
    /// Where the server had the player before these commands, and its time then.
    pub start: &'a PlayerState,
    pub start_time: i32,
    /// No command ended when that state did: the server had cut one short.
    pub is_cut: bool,
    /// The commands between the two snapshots as they ran, oldest first, and what was predicted after each.
    pub steps: Vec<(Usercmd, &'a PlayerState)>,
    /// What the server made of them.
    pub actual: &'a PlayerState,
    /// How far movers carried the player afterwards.
    pub carried: Vec3,
}

/// What a replay does differently.
#[derive(Clone)]
enum Change {
    LeaveOut(usize, usize),
    LeaveOutBoth(usize, usize),
    /// All up to this step end at this time at the latest.
    Hold(usize, i32),
    /// Before these steps: the place and the velocity.
    Nudge(Range<usize>, Vec3, Vec3),
}

impl Case<'_> {
    /// What may have been in the way, and which assumptions lead to what the server says.
    pub fn surroundings(&self, contact: &Contact, predicted: &PlayerState) -> Surroundings {
        let around = [
            contact.mins + self.actual.origin - REACH,
            contact.maxs + self.actual.origin + REACH,
        ];
        let is_mover = |number: i32| {
            self.world
                .state(number)
                .is_some_and(|state| state.e_type == entity_type::MOVER)
        };
        let near: Vec<i32> = self.world.solids_near(around).collect();
        let on_mover =
            is_mover(predicted.ground_entity_num) || is_mover(self.actual.ground_entity_num);
        let (by_bits, by_loss) = (self.closest_by_last_bits(), self.closest_by_loss());
        Surroundings {
            touches_player: near
                .iter()
                .any(|&number| (0..MAX_CLIENTS as i32).contains(&number)),
            touches_mover: on_mover || near.iter().any(|&number| is_mover(number)),
            last_bits: by_bits <= MISS && by_bits < by_loss,
            lost_command: by_loss <= MISS && by_loss <= by_bits,
            server_paused: by_loss > MISS && self.closest_by_pause() <= MISS,
        }
    }

    fn first(&self) -> usize {
        self.steps.len().saturating_sub(MOST)
    }

    /// How near one comes to what the server says by leaving out some commands, all in a row or two apart.
    fn closest_by_loss(&self) -> f32 {
        let last = self.steps.len().saturating_sub(1);
        let rows = |least: usize, most: usize| {
            (self.first()..last).flat_map(move |from| {
                (from + least..last.min(from.saturating_add(most)))
                    .map(move |to| Change::LeaveOut(from, to))
            })
        };
        let pairs = (last.saturating_sub(NUDGED)..last)
            .flat_map(|one| (one + 2..last).map(move |other| Change::LeaveOutBoth(one, other)));
        let usual = self.closest(rows(0, USUAL_LOSS).chain(pairs));
        if usual <= MISS {
            return usual;
        }
        usual.min(self.closest(rows(USUAL_LOSS, usize::MAX)))
    }

    /// The same if the server stood still, so that it cut what lay too far ahead of it: in these commands, or already
    /// before them, and the next ones were cut away whole.
    fn closest_by_pause(&self) -> f32 {
        /// Of most servers; a frame or two may have passed since the snapshot.
        const FRAME_MSEC: i32 = 50;
        let frames = (0..3).map(|frame| self.start_time + frame * FRAME_MSEC + AHEAD_MSEC);
        let cuts = frames.chain(self.is_cut.then_some(self.start.command_time));
        self.closest(cuts.flat_map(|latest| {
            let steps = self.steps.iter().enumerate();
            steps
                .filter(move |(_, (command, _))| command.server_time.0 > latest)
                .map(move |(number, _)| Change::Hold(number, latest))
        }))
    }

    /// The same by differences as small as those between compilers: they decide where the player is on an edge.
    ///
    /// Servers compiled with fast-math differ from strict arithmetic by up to 0.0005 units in a step on flat ground.
    fn closest_by_last_bits(&self) -> f32 {
        const PLACE: f32 = 0.0005;
        const SPEED: f32 = 0.002;
        let (from, end) = (self.first(), self.steps.len());
        let row = (end - from).div_ceil(NUDGED).max(1);
        // An edge that lasts asks the question anew in every step.
        let steps = (from..end)
            .step_by(row)
            .flat_map(|step| [step..end.min(step + row), step..end]);
        let sides = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
        let corners = (0..8u32).map(|bits| {
            Vec3::from_array([0, 1, 2].map(|axis| if bits >> axis & 1 == 0 { 1.0 } else { -1.0 }))
        });
        let ways: Vec<Vec3> = sides.into_iter().chain(corners).collect();
        self.closest(steps.flat_map(|steps| {
            ways.iter().flat_map(move |&way| {
                [
                    Change::Nudge(steps.clone(), way * PLACE, Vec3::ZERO),
                    Change::Nudge(steps.clone(), Vec3::ZERO, way * SPEED),
                ]
            })
        }))
    }

    fn closest(&self, changes: impl Iterator<Item = Change>) -> f32 {
        changes
            .map(|change| self.distance_with(&change))
            .fold(f32::INFINITY, f32::min)
    }

    fn distance_with(&self, change: &Change) -> f32 {
        let first = match change {
            Change::Hold(..) => 0,
            _ => self.first(),
        };
        let mut player = match first.checked_sub(1) {
            Some(kept) => self.steps[kept].1.clone(),
            None => self.start.clone(),
        };
        let mut contact = Contact::default();
        for (number, (command, _)) in self.steps.iter().enumerate().skip(first) {
            let mut command = *command;
            match change {
                Change::Hold(last, latest) if number <= *last => {
                    command.server_time.0 = command.server_time.0.min(*latest);
                }
                Change::LeaveOut(from, to) if (*from..=*to).contains(&number) => continue,
                Change::LeaveOutBoth(one, other) if [*one, *other].contains(&number) => continue,
                Change::Nudge(steps, place, speed) if steps.contains(&number) => {
                    player.origin += *place;
                    player.velocity += *speed;
                }
                _ => {}
            }
            pmove(
                self.world,
                &mut player,
                command,
                &self.settings,
                &mut contact,
            );
        }
        (player.origin + self.carried).distance(self.actual.origin)
    }
}
