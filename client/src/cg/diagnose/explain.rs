//! Finds out why a prediction missed, by running the same usercmds again under other assumptions.

use crate::cg::predict::{
    correct::MISS,
    pull::Pull,
    solid::{Bounds, SolidWorld},
};
use core::ops::Range;
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_type, powerup},
        pmove::{Contact, Settings, pmove},
        triggers::{TriggerSettings, touch_triggers},
    },
    types::{playerstate::PlayerState, usercmd::Usercmd},
};

/// How far from its path a player can feel something solid, in units.
pub const REACH: f32 = 48.0;
/// Who leads to a place this near to the server's, and to nearly its velocity, did what the server did.
const SAME_PLACE: f32 = 0.02;
const SAME_VELOCITY: f32 = 1.0;
/// With more commands than this between two snapshots, only the latest are looked at.
const MAX: usize = 24;
/// So many commands in a row are often lost together: those of one packet, or of two.
const USUAL_LOSS: usize = 4;
/// A server executes no command for a later time than this ahead of its own, which stands still while it pauses.
const AHEAD_MSEC: i32 = 200;
/// Nudges are tried at so many moments; where commands come faster, some in a row are nudged together.
const NUDGED: usize = 8;

/// Everything that a second opinion needs.
pub struct Case<'a> {
    /// What was solid when the commands were foretold, and what the server has there now.
    pub foreseen: SolidWorld,
    pub told: &'a SolidWorld,
    pub settings: Settings<'a>,
    pub triggers: TriggerSettings<'a>,
    pub pull: Pull,
    /// Where the server had the player before these commands, and its time then.
    pub start: &'a PlayerState,
    pub start_time: ServerTime,
    /// No command ended when that state did: the server had cut one short.
    pub is_cut: bool,
    /// The commands between the two snapshots as they ran, oldest first, and what was predicted after each.
    pub steps: Vec<(Usercmd, &'a PlayerState)>,
    /// The size of the player.
    pub bounds: Bounds,
    /// What was predicted in the end, and what the server made of it.
    pub predicted: &'a PlayerState,
    pub actual: &'a PlayerState,
    /// How far movers carried the player afterwards.
    pub carried: Vec3,
}

/// What a replay does differently.
#[derive(Clone)]
enum Change {
    Nothing,
    LeaveOut(usize, usize),
    LeaveOutBoth(usize, usize),
    /// All up to this step end at this time at the latest.
    Hold(usize, ServerTime),
    /// Before these steps: the place and the velocity.
    Nudge(Range<usize>, Vec3, Vec3),
}

/// How far a replay is from what the server says.
struct Distance {
    place: f32,
    velocity: f32,
}

impl Distance {
    fn is_same(&self) -> bool {
        self.place <= SAME_PLACE && self.velocity <= SAME_VELOCITY
    }

    /// Others stand in snapshots in whole units, so who leans on them ends up a little beside.
    fn is_alike(&self) -> bool {
        self.place <= MISS && self.velocity <= SAME_VELOCITY
    }
}

impl Case<'_> {
    /// Which assumption leads to what the server says; where none does, what was in the way.
    pub fn cause(&self) -> Option<&'static str> {
        let (near_player, near_mover) = (self.is_near_player(), self.is_near_mover());
        let nobody = self.told.without_players();
        let without_change = |world| self.distance_with(world, &Change::Nothing).is_alike();
        if near_player && (without_change(self.told) || without_change(&nobody)) {
            return Some("player contact");
        }
        if near_mover && without_change(self.told) {
            return Some("mover");
        }
        let mut worlds = vec![&self.foreseen];
        if near_player || near_mover {
            worlds.push(self.told);
        }
        if near_player {
            worlds.push(&nobody);
        }
        if worlds.iter().any(|world| self.is_same_by_usual_loss(world)) {
            Some("lost usercmd")
        } else if self.is_same_by_pause() {
            Some("server pause")
        } else if self.is_same_by_last_bits() {
            Some("last bits")
        } else if worlds.iter().any(|world| self.is_same_by_long_loss(world)) {
            Some("lost usercmd")
        } else if near_mover {
            Some("mover")
        } else {
            near_player.then_some("player contact")
        }
    }

    /// Everywhere that the player was or can have been.
    fn path(&self) -> Bounds {
        let places = self.steps.iter().map(|(_, player)| player.origin);
        let [mins, maxs] = places.fold(
            [
                self.actual.origin.min(self.start.origin),
                self.actual.origin.max(self.start.origin),
            ],
            |[mins, maxs], place| [mins.min(place), maxs.max(place)],
        );
        [mins + self.bounds[0] - REACH, maxs + self.bounds[1] + REACH]
    }

    fn is_near_player(&self) -> bool {
        let path = self.path();
        [&self.foreseen, self.told]
            .into_iter()
            .any(|world| world.has_player_near(path))
    }

    fn is_near_mover(&self) -> bool {
        let path = self.path();
        let grounds = [
            self.predicted.ground_entity_num,
            self.actual.ground_entity_num,
        ];
        [&self.foreseen, self.told].into_iter().any(|world| {
            let is_mover = |number: i32| {
                let state = world.state(number);
                state.is_some_and(|state| state.e_type == entity_type::MOVER)
            };
            grounds.into_iter().any(is_mover) || world.solids_near(path).any(is_mover)
        })
    }

    fn first(&self) -> usize {
        self.steps.len().saturating_sub(MAX)
    }

    /// Leaving out some commands, a few in a row or two apart. The last one is what the server tells of.
    fn is_same_by_usual_loss(&self, world: &SolidWorld) -> bool {
        let last = self.steps.len().saturating_sub(1);
        let pairs = (last.saturating_sub(NUDGED)..last)
            .flat_map(|one| (one + 2..last).map(move |other| Change::LeaveOutBoth(one, other)));
        self.is_same(world, self.rows(0, USUAL_LOSS).chain(pairs))
    }

    /// Leaving out any number in a row.
    fn is_same_by_long_loss(&self, world: &SolidWorld) -> bool {
        self.is_same(world, self.rows(USUAL_LOSS, usize::MAX))
    }

    fn rows(&self, least: usize, max: usize) -> impl Iterator<Item = Change> {
        let (first, last) = (self.first(), self.steps.len().saturating_sub(1));
        (first..last).flat_map(move |from| {
            (from + least..last.min(from.saturating_add(max)))
                .map(move |to| Change::LeaveOut(from, to))
        })
    }

    /// The server stood still, so that it cut what lay too far ahead of it: in these commands, or already
    /// before them, and the next ones were cut away whole.
    fn is_same_by_pause(&self) -> bool {
        /// Of most servers; a frame or two may have passed since the snapshot.
        const FRAME_MSEC: i32 = 50;
        let frames = (0..3).map(|frame| self.start_time + (frame * FRAME_MSEC + AHEAD_MSEC));
        let cuts = frames.chain(self.is_cut.then_some(ServerTime(self.start.command_time)));
        let held = cuts.flat_map(|latest| {
            let steps = self.steps.iter().enumerate();
            steps
                .filter(move |(_, (command, _))| command.server_time.is_after(latest))
                .map(move |(number, _)| Change::Hold(number, latest))
        });
        self.is_same(&self.foreseen, held)
    }

    /// Differences as small as those between compilers decide where the player is on an edge.
    ///
    /// Servers compiled with fast-math differ from strict arithmetic by up to 0.0005 units in a step on flat ground.
    fn is_same_by_last_bits(&self) -> bool {
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
        let nudges = steps.flat_map(|steps| {
            ways.iter().flat_map(move |&way| {
                [
                    Change::Nudge(steps.clone(), way * PLACE, Vec3::ZERO),
                    Change::Nudge(steps.clone(), Vec3::ZERO, way * SPEED),
                ]
            })
        });
        self.is_same(&self.foreseen, nudges)
    }

    fn is_same(&self, world: &SolidWorld, mut changes: impl Iterator<Item = Change>) -> bool {
        changes.any(|change| self.distance_with(world, &change).is_same())
    }

    fn distance_with(&self, world: &SolidWorld, change: &Change) -> Distance {
        let first = match change {
            Change::Nothing | Change::Hold(..) => 0,
            _ => self.first(),
        };
        let mut player = match first.checked_sub(1) {
            Some(kept) => self.steps[kept].1.clone(),
            None => self.start.clone(),
        };
        self.pull.complete(&mut player);
        let has_haste = player.powerups[powerup::HASTE] != 0;
        let mut contact = Contact::default();
        for (number, (command, _)) in self.steps.iter().enumerate().skip(first) {
            let mut command = *command;
            match change {
                Change::Hold(last, latest) if number <= *last => {
                    command.server_time = command.server_time.earlier(*latest);
                }
                Change::LeaveOut(from, to) if (*from..=*to).contains(&number) => continue,
                Change::LeaveOutBoth(one, other) if [*one, *other].contains(&number) => continue,
                Change::Nudge(steps, place, speed) if steps.contains(&number) => {
                    player.origin += *place;
                    player.velocity += *speed;
                }
                _ => {}
            }
            self.pull.hasten(&mut player, has_haste);
            pmove(world, &mut player, command, &self.settings, &mut contact);
            let is_inside =
                |model: i32, origin: Vec3, bounds: Bounds| world.is_inside(model, origin, bounds);
            let mut triggers = world.triggers.clone();
            touch_triggers(
                &mut player,
                &contact,
                &mut triggers,
                &self.triggers,
                &is_inside,
            );
        }
        Distance {
            place: (player.origin + self.carried).distance(self.actual.origin),
            velocity: player.velocity.distance(self.actual.velocity),
        }
    }
}
