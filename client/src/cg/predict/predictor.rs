//! Replays unacknowledged usercmds through pmove, so that the own movement answers in the same frame.
//!
//! The server tells in each snapshot which usercmd it executed last and what came of it. From there the
//! [`Predictor`] runs every newer usercmd through the same rules that the server will run them through. The result of
//! each command is kept; a frame runs only commands that are new. A new snapshot is compared with what had been
//! predicted for the command that it acknowledges. If nothing differs, and nothing solid changed along the way, the
//! kept results stay; otherwise everything is run again from the snapshot, and the difference that the player would
//! see is faded out (see `correct`).
//!
//! Guarantees: no command is run twice without need, none is left out, and the state after the newest command depends
//! only on the snapshot, its entities and the commands.

use super::{
    case::Case,
    correct::Correction,
    misses::{Miss, PredictionStats, is_same_on_the_wire, take_told},
    pull::Pull,
    rules::{MoveRules, Variant, VariantChoice},
    solid::{Bounds, SolidWorld, overlap},
};
use crate::cg::timeline::snapshots::is_abrupt;
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        items::{ItemKind, item},
        numbers::{persistant, pm_type, powerup},
        pmove::{self, Contact, Settings as MoveSettings, pmove},
        ratmod::RatRules,
        triggers::{RatTriggers, Trigger, TriggerSettings, touch_triggers},
    },
    types::{
        playerstate::PlayerState,
        snapshot::Snapshot,
        usercmd::{Usercmd, UsercmdRing},
    },
};
use std::{collections::VecDeque, sync::Arc};

/// How far from its path a player can feel something solid, in units.
pub const REACH: f32 = 48.0;
/// dmflags bit: movement makes no footstep events.
const NO_FOOTSTEPS: i32 = 32;

/// What prediction needs to know in one frame.
#[derive(Clone, Copy, Debug)]
pub struct PredictInput<'a> {
    /// The snapshot to start from.
    pub base: &'a Arc<Snapshot>,
    /// Those that came before it in the same frame, oldest first.
    pub passed: &'a [Arc<Snapshot>],
    pub usercmds: &'a UsercmdRing,
    /// What the player did since the newest usercmd: shown, but not yet told to the server.
    pub provisional: Option<Usercmd>,
    /// The shown time.
    pub now: ServerTime,
    /// The player was moved abruptly: nothing of the past counts.
    pub is_abrupt: bool,
    pub predict_items: bool,
    /// What a usercmd takes to the server and back.
    pub latency_msec: i32,
    /// RatMod: a round has not begun, so that nothing is taken.
    pub waits_for_round: bool,
    /// Otherwise every frame runs everything again, as the originals do.
    pub keeps_results: bool,
    pub error_decay_msec: f32,
    /// Misses come with what it takes to look for their causes.
    pub explains: bool,
}

/// The result of one frame.
#[derive(Clone, Debug, Default)]
pub struct Predicted {
    pub player: PlayerState,
    /// The error was measured or made void: an abrupt change is dealt with.
    pub is_compared: bool,
    pub is_in_hyperspace: bool,
    /// Items that are taken already, as far as one can predict.
    pub taken: Vec<i32>,
    pub misses: Vec<Miss>,
}

/// The state after one usercmd.
#[derive(Clone, Debug)]
struct Step {
    number: i32,
    command: Usercmd,
    player: PlayerState,
    contact: Contact,
    is_in_hyperspace: bool,
    teleported: bool,
    taken: Vec<i32>,
}

impl Step {
    /// The command with the time at which it ended, which a fixed step of time rounds.
    fn command_as_run(&self) -> Usercmd {
        Usercmd {
            server_time: ServerTime(self.player.command_time),
            ..self.command
        }
    }
}

/// Keeps what was predicted, to run again only what changed.
#[derive(Clone, Debug)]
pub struct Predictor {
    pub world: SolidWorld,
    pub rules: MoveRules,
    pub choice: VariantChoice,
    pub stats: PredictionStats,
    pub correction: Correction,
    base: Option<Arc<Snapshot>>,
    /// The base ends where no command did.
    is_base_cut: bool,
    /// After each command since the base, oldest first.
    steps: VecDeque<Step>,
    pull: Pull,
}

impl Predictor {
    pub fn new(rules: MoveRules, choice: VariantChoice) -> Self {
        let mut world = SolidWorld::default();
        world.profile = choice.chosen().numeric.profile;
        Self {
            world,
            rules,
            choice,
            stats: PredictionStats::default(),
            correction: Correction::default(),
            base: None,
            is_base_cut: false,
            steps: VecDeque::new(),
            pull: match rules.rat {
                Some(_) => Pull::RATMOD,
                None => Pull::USUAL,
            },
        }
    }

    /// Forgets all kept results: rules or the map changed, or prediction paused.
    pub fn reset(&mut self) {
        self.base = None;
        self.steps.clear();
        self.correction.forget_shown();
    }

    /// What the player runs and falls with.
    pub fn speed_and_gravity(&self) -> (i32, i32) {
        const USUAL: (i32, i32) = (320, 800);
        let base = self.base.as_ref();
        base.map_or(USUAL, |base| match base.player.powerups[powerup::HASTE] {
            0 => (base.player.speed, base.player.gravity),
            _ => (USUAL.0, base.player.gravity),
        })
    }

    /// Where the player is now; `None` if commands are missing, then the last state stays on the screen.
    pub fn run(&mut self, input: &PredictInput<'_>) -> Option<Predicted> {
        if self.lacks_commands(input) {
            self.stats.frozen += 1;
            return None;
        }
        let mut output = Predicted::default();
        self.check_ring(input.usercmds);
        let mut was_replayed = self.pass(input, &mut output);
        let is_new = self
            .base
            .as_ref()
            .is_none_or(|base| !Arc::ptr_eq(base, input.base));
        if is_new || input.is_abrupt {
            was_replayed |= self.take_base(input, &mut output);
        }
        if !input.keeps_results {
            self.steps.clear();
            was_replayed = true;
        }
        self.run_commands(input);
        output.is_compared = self.correct(input, was_replayed);
        self.finish(input, &mut output);
        Some(output)
    }

    /// The player after the usercmd that made an event, by the event's number.
    pub fn at_event(&self, number: i32) -> Option<&PlayerState> {
        self.steps
            .iter()
            .map(|step| &step.player)
            .find(|player| player.event_sequence.wrapping_sub(number) > 0)
    }

    /// The ring no longer holds the command after the one that the server executed last.
    fn lacks_commands(&self, input: &PredictInput<'_>) -> bool {
        let Some(oldest) = input.usercmds.get(input.usercmds.oldest_number()) else {
            return false;
        };
        let is_first_ever = input.usercmds.oldest_number() <= 1;
        let acknowledged = ServerTime(input.base.player.command_time);
        !is_first_ever
            && oldest.server_time.is_after(acknowledged)
            && oldest.server_time.is_before(input.now)
    }

    /// Commands that were wiped out (by a restart of the match) take their results with them.
    fn check_ring(&mut self, usercmds: &UsercmdRing) {
        let is_stale = |step: &Step| {
            usercmds
                .get(step.number)
                .is_some_and(|command| *command != step.command)
        };
        if self.steps.back().is_some_and(is_stale) || self.steps.front().is_some_and(is_stale) {
            self.steps.clear();
            self.base = None;
        }
    }

    /// Compares with every snapshot on the way to the base: how far movers carried the player, and what the
    /// server alone decided, is known from one to the next. True if something was run again.
    fn pass(&mut self, input: &PredictInput<'_>, output: &mut Predicted) -> bool {
        /// After a long pause the last ones have to do.
        const MAX: usize = 8;
        let mut was_replayed = false;
        for base in input.passed.iter().rev().take(MAX).rev() {
            let follows = self.base.as_ref().is_some_and(|before| {
                before.server_time.is_before(base.server_time) && !is_abrupt(before, base)
            });
            if !follows {
                continue;
            }
            let input = PredictInput {
                base,
                is_abrupt: false,
                ..*input
            };
            if self.take_base(&input, output) {
                self.run_commands(&input);
                was_replayed = true;
            }
        }
        was_replayed
    }

    /// Goes over to a newer snapshot; true if the kept results do not fit it.
    fn take_base(&mut self, input: &PredictInput<'_>, output: &mut Predicted) -> bool {
        let player = &input.base.player;
        let is_other = self
            .base
            .as_ref()
            .is_none_or(|base| !Arc::ptr_eq(base, input.base));
        let changed = if is_other {
            self.world.rebuild(input.base)
        } else {
            Vec::new()
        };
        let acknowledged = self
            .steps
            .iter()
            .position(|step| step.player.command_time == player.command_time);
        let before = self.base.clone();
        if let (Some(before), true) = (&before, is_other) {
            if let (Some(place), false) = (acknowledged, input.is_abrupt) {
                output.misses.extend(self.compare(place, before, input));
            }
            self.weigh_variants(before, input);
        }
        let had_haste = before
            .as_ref()
            .is_some_and(|before| before.player.powerups[powerup::HASTE] != 0);
        self.pull.learn(player, had_haste && is_other);
        let ends = |(_, command): (i32, &Usercmd)| command.server_time.0 == player.command_time;
        self.is_base_cut = self.rules.fixed_msec.is_none() && !input.usercmds.iter().any(ends);
        self.base = Some(input.base.clone());
        // A change of the variant has dropped all steps.
        if let (Some(place), false) = (acknowledged, input.is_abrupt)
            && let Some(step) = self.steps.get(place)
            && is_same_on_the_wire(&step.player, player)
            && !self.is_disturbed(&changed)
        {
            self.steps.drain(..=place);
            for step in &mut self.steps {
                take_told(&mut step.player, player);
            }
            self.stats.steps_kept += self.steps.len() as u64;
            return false;
        }
        self.steps.clear();
        true
    }

    fn compare(
        &mut self,
        place: usize,
        before: &Arc<Snapshot>,
        input: &PredictInput<'_>,
    ) -> Option<Miss> {
        let actual = &input.base.player;
        // The same command again tells nothing new.
        if actual.command_time == before.player.command_time {
            return None;
        }
        let (world, steps) = (&self.world, &self.steps);
        let mut predicted = steps[place].player.clone();
        let settings = self.settings(input, &predicted);
        let time = input.base.server_time;
        // After the commands of a frame the server moves its movers, and whoever stands on one along.
        let place_before = predicted.origin;
        predicted.origin = world.was_carried(
            predicted.origin,
            bounds_of(&steps[place].contact),
            predicted.ground_entity_num,
            before,
            input.base.server_time,
        );
        let (pull, triggers) = (self.pull, self.trigger_settings(input));
        let layout = &settings.rules.stats;
        self.stats.compare(&predicted, actual, time, layout, || {
            if !input.explains {
                return None;
            }
            let mut predicted_world = world.clone();
            predicted_world.rebuild(before);
            Some(Box::new(Case {
                predicted_world,
                actual_world: world.clone(),
                settings,
                triggers,
                pull,
                start: before.player.clone(),
                start_time: before.server_time,
                is_cut: self.is_base_cut,
                steps: steps
                    .range(..=place)
                    .map(|step| (step.command_as_run(), step.player.clone()))
                    .collect(),
                bounds: bounds_of(&steps[place].contact),
                predicted: predicted.clone(),
                actual: actual.clone(),
                carried: predicted.origin - place_before,
            }))
        })
    }

    /// Lets every variant predict this snapshot from the last one, to see which the server runs.
    fn weigh_variants(&mut self, before: &Arc<Snapshot>, input: &PredictInput<'_>) {
        /// Enough snapshots for a verdict.
        const ENOUGH: u64 = 2000;
        let (from, to) = (&before.player, &input.base.player);
        let is_comparable = ServerTime(from.command_time).is_before(ServerTime(to.command_time))
            && from.pm_type == pm_type::NORMAL
            && from.client_num == to.client_num
            && !input.is_abrupt;
        if !is_comparable || self.stats.predicted > ENOUGH || self.choice.variants().len() < 2 {
            return;
        }
        let variants: Vec<Variant> = self.choice.variants().to_vec();
        let exact: Vec<bool> = variants
            .iter()
            .map(|variant| {
                let mut player = from.clone();
                self.pull.complete(&mut player);
                let mut contact = Contact::default();
                for (_, command) in input.usercmds.iter() {
                    let reached = ServerTime(player.command_time);
                    if !command.server_time.is_after(reached)
                        || !reached.is_before(ServerTime(to.command_time))
                    {
                        continue;
                    }
                    let settings = self.settings_of(*variant, input, &player);
                    let command = self.rounded(command);
                    pmove(&self.world, &mut player, command, &settings, &mut contact);
                }
                player.origin == to.origin && player.velocity == to.velocity
            })
            .collect();
        if self.choice.score(&exact) {
            self.world.profile = self.choice.chosen().numeric.profile;
            self.steps.clear();
        }
    }

    /// Whether something solid changed within reach of the path that was predicted.
    fn is_disturbed(&self, changed: &[Bounds]) -> bool {
        let Some(first) = self.steps.front() else {
            return false;
        };
        let mut path = [first.player.origin; 2];
        for step in &self.steps {
            path[0] = path[0].min(step.player.origin);
            path[1] = path[1].max(step.player.origin);
        }
        let path = [path[0] - REACH, path[1] + REACH];
        changed.iter().any(|bounds| overlap(*bounds, path))
    }

    fn run_commands(&mut self, input: &PredictInput<'_>) {
        let Some(latest) = input.usercmds.newest().copied() else {
            return;
        };
        let mut player = self
            .steps
            .back()
            .map_or_else(|| input.base.player.clone(), |step| step.player.clone());
        self.pull.complete(&mut player);
        let mut contact = self
            .steps
            .back()
            .map_or_else(Contact::default, |step| step.contact.clone());
        let first = self.steps.back().map_or(i32::MIN, |step| step.number);
        self.mark_taken(input.now);
        let mut has_haste = player.powerups[powerup::HASTE] != 0
            || self.steps.iter().any(|step| self.takes_haste(&step.taken));
        let is_fixed = self.rules.fixed_msec.is_some();
        // Others are already in the state, or left from before a restart.
        let is_due = |command: &Usercmd, done: i32| {
            command.server_time.is_after(ServerTime(done))
                && !command.server_time.is_after(latest.server_time)
        };
        let done = player.command_time;
        // A thousand usercmds are kept; in fixed steps even those that are done turn the view.
        let is_new = |(number, command): &(i32, &Usercmd)| {
            *number > first && (is_fixed || is_due(command, done))
        };
        let count = input.usercmds.iter().rev().take_while(is_new).count();
        for (number, command) in input.usercmds.iter().rev().take(count).rev() {
            if is_fixed {
                pmove::update_view_angles(&mut player, command);
            }
            if !is_due(command, player.command_time) {
                continue;
            }
            self.pull.hasten(&mut player, has_haste);
            let settings = self.settings(input, &player);
            pmove(
                &self.world,
                &mut player,
                self.rounded(command),
                &settings,
                &mut contact,
            );
            self.stats.steps_run += 1;
            let touched = self.touch(&mut player, &contact, command, input);
            has_haste |= self.takes_haste(&touched.taken);
            self.steps.push_back(Step {
                number,
                command: *command,
                player: player.clone(),
                contact: contact.clone(),
                is_in_hyperspace: touched.hyperspace,
                teleported: touched.teleported,
                taken: touched.taken,
            });
        }
    }

    /// Whether one of these item entities makes the player faster.
    fn takes_haste(&self, taken: &[i32]) -> bool {
        let is_haste = |trigger: &Trigger| {
            let item = item(trigger.entity.model_index);
            item.is_some_and(|item| {
                item.kind == ItemKind::Powerup && usize::from(item.tag) == powerup::HASTE
            })
        };
        taken.iter().any(|&number| {
            let mut triggers = self.world.triggers.iter();
            triggers.any(|trigger| i32::from(trigger.entity.number) == number && is_haste(trigger))
        })
    }

    /// Items taken by a kept command are not taken again by a newer one.
    fn mark_taken(&mut self, now: ServerTime) {
        for trigger in &mut self.world.triggers {
            let number = i32::from(trigger.entity.number);
            let is_taken = self.steps.iter().any(|step| step.taken.contains(&number));
            trigger.taken_at = if is_taken { now } else { ServerTime(i32::MIN) };
        }
    }

    fn touch(
        &mut self,
        player: &mut PlayerState,
        contact: &Contact,
        command: &Usercmd,
        input: &PredictInput<'_>,
    ) -> shared::bg::triggers::Touched {
        let mut settings = self.trigger_settings(input);
        if let Some(rat) = &mut settings.rat {
            rat.command_angles = command.angles;
            rat.was_teleported = self.steps.iter().any(|step| step.teleported);
        }
        let mut triggers = std::mem::take(&mut self.world.triggers);
        let world = &self.world;
        let is_inside =
            |model: i32, origin: Vec3, bounds: Bounds| world.is_inside(model, origin, bounds);
        let touched = touch_triggers(player, contact, &mut triggers, &settings, &is_inside);
        self.world.triggers = triggers;
        touched
    }

    fn trigger_settings(&self, input: &PredictInput<'_>) -> TriggerSettings<'static> {
        let variant = self.choice.chosen();
        TriggerSettings {
            rules: variant.rules,
            profile: variant.numeric.profile,
            pickup: self.rules.pickup,
            predict_items: input.predict_items,
            now: input.now,
            rat: self.rules.rat.map(|rules| RatTriggers {
                rules,
                latency_msec: input.latency_msec,
                waits_for_round: input.waits_for_round,
                ..RatTriggers::default()
            }),
        }
    }

    fn rounded(&self, command: &Usercmd) -> Usercmd {
        let mut command = *command;
        if let Some(msec) = self.rules.fixed_msec {
            command.server_time = pmove::round_up_time(command.server_time, msec);
        }
        command
    }

    fn settings(&self, input: &PredictInput<'_>, player: &PlayerState) -> MoveSettings<'static> {
        self.settings_of(self.choice.chosen(), input, player)
    }

    fn settings_of(
        &self,
        variant: Variant,
        input: &PredictInput<'_>,
        player: &PlayerState,
    ) -> MoveSettings<'static> {
        let team = input.base.player.persistant[persistant::TEAM];
        // The server lets free spectators fly in whole steps, fixed or not.
        let is_spectator = player.pm_type == pm_type::SPECTATOR;
        MoveSettings {
            rules: variant.rules,
            numeric: variant.numeric,
            trace_mask: self.rules.trace_mask(player.pm_type, team),
            no_footsteps: self.rules.dm_flags & NO_FOOTSTEPS != 0,
            gauntlet_hit: false,
            fixed_msec: self.rules.fixed_msec.filter(|_| !is_spectator),
            float_velocity: self.rules.float_velocity,
            dmflags: self.rules.dm_flags,
            // Spectators are moved without any of them.
            rat: (self.rules.rat).map(|rat| {
                if is_spectator {
                    RatRules::default()
                } else {
                    rat
                }
            }),
        }
    }

    /// Measures how far the replay moved the player shown in the last frame; false if that cannot be known.
    fn correct(&mut self, input: &PredictInput<'_>, was_replayed: bool) -> bool {
        let Some((shown, shown_at)) = self.correction.shown() else {
            return false;
        };
        if was_replayed {
            let steps = self.steps.iter().map(|step| &step.player);
            let mut states = std::iter::once(&input.base.player).chain(steps);
            let Some(same) = states.find(|same| same.command_time == shown.command_time) else {
                return false;
            };
            let (place, _) = self.world.ride(
                same.origin,
                self.bounds(),
                same.ground_entity_num,
                input.base.server_time,
                *shown_at,
            );
            if !input.is_abrupt {
                self.correction
                    .measure(place, input.now, input.error_decay_msec);
            }
        }
        if input.is_abrupt {
            self.correction.clear();
        }
        true
    }

    fn finish(&mut self, input: &PredictInput<'_>, output: &mut Predicted) {
        let told = self
            .steps
            .back()
            .map_or_else(|| input.base.player.clone(), |step| step.player.clone());
        let told = self.carried(told, input);
        output.player = match input.provisional {
            Some(command) if command.server_time.is_after(ServerTime(told.command_time)) => {
                self.carried(self.provisional(input, &command), input)
            }
            _ => told.clone(),
        };
        self.correction.set_shown(told, input.now);
        output.is_in_hyperspace = self.steps.iter().any(|step| step.is_in_hyperspace);
        output.taken = self
            .steps
            .iter()
            .flat_map(|step| step.taken.iter().copied())
            .collect();
    }

    /// One more step, which leaves no trace: the next frame makes it anew.
    fn provisional(&self, input: &PredictInput<'_>, command: &Usercmd) -> PlayerState {
        let (mut player, mut contact) = match self.steps.back() {
            Some(step) => (step.player.clone(), step.contact.clone()),
            None => (input.base.player.clone(), Contact::default()),
        };
        self.pull.complete(&mut player);
        // Where the server moves in whole steps of time, only the view follows at once.
        if self.rules.fixed_msec.is_some() {
            pmove::update_view_angles(&mut player, command);
        } else {
            let settings = self.settings(input, &player);
            pmove(&self.world, &mut player, *command, &settings, &mut contact);
        }
        player
    }

    /// The own box after the newest command.
    fn bounds(&self) -> Bounds {
        let contact = self.steps.back().map(|step| &step.contact);
        contact.map_or([Vec3::ZERO; 2], bounds_of)
    }

    /// A player as the mover that carries him has him at the shown time.
    fn carried(&self, mut player: PlayerState, input: &PredictInput<'_>) -> PlayerState {
        let ground = player.ground_entity_num;
        let (origin, turned) = self.world.ride(
            player.origin,
            self.bounds(),
            ground,
            input.base.server_time,
            input.now,
        );
        player.origin = origin;
        player.view_angles += turned;
        player
    }
}

fn bounds_of(contact: &Contact) -> Bounds {
    [contact.mins, contact.maxs]
}
