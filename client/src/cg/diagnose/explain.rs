//! Finds out why a prediction missed, by running the same usercmds again under other assumptions.

use crate::cg::predict::{
    case::Case,
    misses::{MISS, Miss, MissCause, PredictionStats},
    predictor::REACH,
    solid::{Bounds, SolidWorld},
};
use core::ops::Range;
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_type, powerup},
        pmove::{Contact, pmove},
        triggers::touch_triggers,
    },
};

/// Whoever leads to a place this near to the server's, and to nearly its velocity, did what the server did.
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

/// Looks closer at a miss whose signs are weak; takes as long as hundreds of moves.
pub fn explain(miss: &mut Miss, stats: &mut PredictionStats) {
    if let Some(case) = miss.take_case()
        && let Some(cause) = Search(&case).cause()
    {
        stats.explain(miss, cause);
    }
}

struct Search<'a>(&'a Case);

impl Search<'_> {
    /// Which assumption leads to what the server says; where none does, what was in the way.
    fn cause(&self) -> Option<MissCause> {
        let (near_player, near_mover) = (self.is_near_player(), self.is_near_mover());
        let nobody = self.0.actual_world.without_players();
        let without_change = |world| self.distance_with(world, &Change::Nothing).is_alike();
        if near_player && (without_change(&self.0.actual_world) || without_change(&nobody)) {
            return Some(MissCause::PlayerContact);
        }
        if near_mover && without_change(&self.0.actual_world) {
            return Some(MissCause::Mover);
        }
        let mut worlds = vec![&self.0.predicted_world];
        if near_player || near_mover {
            worlds.push(&self.0.actual_world);
        }
        if near_player {
            worlds.push(&nobody);
        }
        if worlds.iter().any(|world| self.is_same_by_usual_loss(world)) {
            Some(MissCause::LostUsercmd)
        } else if self.is_same_by_pause() {
            Some(MissCause::ServerPause)
        } else if self.is_same_by_last_bits() {
            Some(MissCause::LastBits)
        } else if worlds.iter().any(|world| self.is_same_by_long_loss(world)) {
            Some(MissCause::LostUsercmd)
        } else if near_mover {
            Some(MissCause::Mover)
        } else {
            near_player.then_some(MissCause::PlayerContact)
        }
    }

    /// Everywhere that the player was or can have been.
    fn path(&self) -> Bounds {
        let places = self.0.steps.iter().map(|(_, player)| player.origin);
        let [mins, maxs] = places.fold(
            [
                self.0.actual.origin.min(self.0.start.origin),
                self.0.actual.origin.max(self.0.start.origin),
            ],
            |[mins, maxs], place| [mins.min(place), maxs.max(place)],
        );
        [
            mins + self.0.bounds[0] - REACH,
            maxs + self.0.bounds[1] + REACH,
        ]
    }

    fn is_near_player(&self) -> bool {
        let path = self.path();
        [&self.0.predicted_world, &self.0.actual_world]
            .into_iter()
            .any(|world| world.has_player_near(path))
    }

    fn is_near_mover(&self) -> bool {
        let path = self.path();
        let grounds = [
            self.0.predicted.ground_entity_num,
            self.0.actual.ground_entity_num,
        ];
        [&self.0.predicted_world, &self.0.actual_world]
            .into_iter()
            .any(|world| {
                let is_mover = |number: i32| {
                    let state = world.state(number);
                    state.is_some_and(|state| state.e_type == entity_type::MOVER)
                };
                grounds.into_iter().any(is_mover) || world.solids_near(path).any(is_mover)
            })
    }

    fn first(&self) -> usize {
        self.0.steps.len().saturating_sub(MAX)
    }

    /// Leaving out some commands, a few in a row or two apart. The last one is what the server tells of.
    fn is_same_by_usual_loss(&self, world: &SolidWorld) -> bool {
        let last = self.0.steps.len().saturating_sub(1);
        let pairs = (last.saturating_sub(NUDGED)..last)
            .flat_map(|one| (one + 2..last).map(move |other| Change::LeaveOutBoth(one, other)));
        self.is_same(world, self.rows(0, USUAL_LOSS).chain(pairs))
    }

    /// Leaving out any number in a row.
    fn is_same_by_long_loss(&self, world: &SolidWorld) -> bool {
        self.is_same(world, self.rows(USUAL_LOSS, usize::MAX))
    }

    fn rows(&self, least: usize, max: usize) -> impl Iterator<Item = Change> {
        let (first, last) = (self.first(), self.0.steps.len().saturating_sub(1));
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
        let frames = (0..3).map(|frame| self.0.start_time + (frame * FRAME_MSEC + AHEAD_MSEC));
        let cuts = frames.chain(
            self.0
                .is_cut
                .then_some(ServerTime(self.0.start.command_time)),
        );
        let held = cuts.flat_map(|latest| {
            let steps = self.0.steps.iter().enumerate();
            steps
                .filter(move |(_, (command, _))| command.server_time.is_after(latest))
                .map(move |(number, _)| Change::Hold(number, latest))
        });
        self.is_same(&self.0.predicted_world, held)
    }

    /// Differences as small as those between compilers decide where the player is on an edge.
    ///
    /// Servers compiled with fast-math differ from strict arithmetic by up to 0.0005 units in a step on flat ground.
    fn is_same_by_last_bits(&self) -> bool {
        const PLACE: f32 = 0.0005;
        const SPEED: f32 = 0.002;
        let (from, end) = (self.first(), self.0.steps.len());
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
        self.is_same(&self.0.predicted_world, nudges)
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
            Some(kept) => self.0.steps[kept].1.clone(),
            None => self.0.start.clone(),
        };
        self.0.pull.complete(&mut player);
        let has_haste = player.powerups[powerup::HASTE] != 0;
        let mut contact = Contact::default();
        for (number, (command, _)) in self.0.steps.iter().enumerate().skip(first) {
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
            self.0.pull.hasten(&mut player, has_haste);
            pmove(world, &mut player, command, &self.0.settings, &mut contact);
            let is_inside =
                |model: i32, origin: Vec3, bounds: Bounds| world.is_inside(model, origin, bounds);
            let mut triggers = world.triggers.clone();
            touch_triggers(
                &mut player,
                &contact,
                &mut triggers,
                &self.0.triggers,
                &is_inside,
            );
        }
        Distance {
            place: (player.origin + self.0.carried).distance(self.0.actual.origin),
            velocity: player.velocity.distance(self.0.actual.velocity),
        }
    }
}
