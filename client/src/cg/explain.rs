//! Finds out why a prediction missed, by running the same usercmds again under other assumptions.

use super::{
    correct::{MISS, Surroundings},
    solid::SolidWorld,
};
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
const MOST: usize = 12;

/// Everything that a second opinion needs.
pub struct Case<'a> {
    pub world: &'a SolidWorld,
    pub settings: Settings<'a>,
    /// Where the server had the player before these commands.
    pub start: &'a PlayerState,
    /// The commands between the two snapshots as they ran, oldest first, and what was predicted after each.
    pub steps: Vec<(Usercmd, &'a PlayerState)>,
    /// What the server made of them.
    pub actual: &'a PlayerState,
    /// How far movers carried the player afterwards.
    pub carried: Vec3,
}

/// What a replay does differently.
#[derive(Clone, Copy)]
enum Change {
    LeaveOut(usize, usize),
    LeaveOutBoth(usize, usize),
    /// Before the step of this number.
    Nudge(usize, Vec3, Vec3),
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
        Surroundings {
            touches_player: near
                .iter()
                .any(|&number| (0..MAX_CLIENTS as i32).contains(&number)),
            touches_mover: on_mover || near.iter().any(|&number| is_mover(number)),
            last_bits: self.last_bits_explain(),
            lost_command: self.lost_command_explains(),
        }
    }

    fn first(&self) -> usize {
        self.steps.len().saturating_sub(MOST)
    }

    /// Whether leaving out some of the commands, all in a row or two apart, leads to what the server says.
    fn lost_command_explains(&self) -> bool {
        let Some(last) = self.steps.len().checked_sub(1) else {
            return false;
        };
        (self.first()..last).any(|from| {
            (from..last).any(|to| {
                self.reaches(Change::LeaveOut(from, to))
                    || self.reaches(Change::LeaveOutBoth(from, to))
            })
        })
    }

    /// Whether the player was on an edge, where a difference as small as those between compilers decides.
    ///
    /// Servers compiled with fast-math differ from strict arithmetic by up to 0.0005 units in a step on flat ground.
    fn last_bits_explain(&self) -> bool {
        const PLACE: f32 = 0.0005;
        const SPEED: f32 = 0.002;
        (self.first()..self.steps.len()).any(|step| {
            [Vec3::X, Vec3::Y, Vec3::Z].into_iter().any(|axis| {
                [-1.0, 1.0].into_iter().any(|sign| {
                    let axis = axis * sign;
                    self.reaches(Change::Nudge(step, axis * PLACE, Vec3::ZERO))
                        || self.reaches(Change::Nudge(step, Vec3::ZERO, axis * SPEED))
                })
            })
        })
    }

    fn reaches(&self, change: Change) -> bool {
        let first = self.first();
        let mut player = match first.checked_sub(1) {
            Some(kept) => self.steps[kept].1.clone(),
            None => self.start.clone(),
        };
        let mut contact = Contact::default();
        for (number, (command, _)) in self.steps.iter().enumerate().skip(first) {
            match change {
                Change::LeaveOut(from, to) if (from..=to).contains(&number) => continue,
                Change::LeaveOutBoth(one, other) if number == one || number == other => continue,
                Change::Nudge(at, place, speed) if at == number => {
                    player.origin += place;
                    player.velocity += speed;
                }
                _ => {}
            }
            pmove(
                self.world,
                &mut player,
                *command,
                &self.settings,
                &mut contact,
            );
        }
        (player.origin + self.carried).distance(self.actual.origin) <= MISS
    }
}
