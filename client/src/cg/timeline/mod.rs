//! Timeline: what happened, one happening after the other, and where everybody else is.
//!
//! Snapshots and server commands come in; [`Timeline::poll`] gives out what they make happen in the order in which it
//! is shown: the server commands of a snapshot first, then its events, then what became of the player. Whoever shows a
//! happening finds everything else as it was at that moment.

pub mod entities;
mod even_motion;
mod finite;
pub mod game_static;
pub mod lagometer;
pub mod player_change;
pub mod scores;
pub mod snapshots;
pub mod team_info;

use super::{
    io::{FrameInput, LevelStart},
    settings::Settings,
};
pub use entities::GameEvent;
use entities::{CEntity, Entities, is_early};
use game_static::GameStatic;
use glam::Vec3;
use lagometer::Lagometer;
use player_change::PlayerChange;
use scores::{Accuracies, Scoreboard, accuracies};
use shared::{
    base::time::ServerTime,
    bg::numbers::{configstring as cs, pm_flags},
    types::{
        entitystate::EntityState,
        playerstate::PlayerState,
        servercmd::{ServerCommand, ServerCommandBody},
        snapshot::{Snapshot, flags},
    },
};
use snapshots::{Snapshots, Step};
use std::{collections::VecDeque, sync::Arc};
use team_info::TeamInfo;

/// What became of the snapshots and server commands up to the shown time.
#[derive(Clone, Debug)]
pub struct Timeline {
    level: GameStatic,
    is_demo: bool,
    snapshots: Snapshots,
    commands: VecDeque<ServerCommand>,
    lagometer: Lagometer,
    entities: Entities,
    team_info: TeamInfo,
    scores: Scoreboard,
    accuracies: Accuracies,
    /// The snapshots that became past in this frame, oldest first.
    passed: Vec<Arc<Snapshot>>,
    /// Whom one looks through: oneself, or the one followed.
    viewed_client: i32,
    /// A restarted match begins like a respawn.
    must_respawn: bool,
    pending: VecDeque<Pending>,
}

/// Something that happened; each is shown before the next one is asked for.
#[derive(Clone, Debug)]
pub enum Happening {
    /// A string of the level changed.
    Configstring {
        index: usize,
        warmup_before: i32,
    },
    /// A server command that changes nothing here.
    Words(Vec<String>),
    /// The match begins again in the same map.
    Restarted,
    /// All server commands of a snapshot are carried out.
    CommandsDone,
    /// The first snapshot is shown.
    Began(Arc<Snapshot>),
    Event(Box<GameEvent>),
    /// A snapshot was reached, and all its events are shown.
    Reached,
    /// The player is taken from one snapshot to the next; only where nothing is predicted.
    PlayerPassed {
        previous: Arc<Snapshot>,
        snap: Arc<Snapshot>,
    },
}

/// What is left to do of a change of the pair of snapshots.
#[derive(Clone, Debug)]
enum Pending {
    Commands {
        up_to: i32,
    },
    Begin(Arc<Snapshot>),
    Transition {
        previous: Arc<Snapshot>,
        snap: Arc<Snapshot>,
    },
    Early {
        state: Box<EntityState>,
        snap_time: ServerTime,
        next_time: ServerTime,
    },
    Event {
        number: i32,
        snap_time: ServerTime,
    },
    Reach,
    PassPlayer {
        previous: Arc<Snapshot>,
        snap: Arc<Snapshot>,
    },
}

impl Timeline {
    pub fn new(start: &LevelStart<'_>) -> Self {
        let level = GameStatic::new(start.gamestate);
        Self {
            is_demo: start.is_demo,
            snapshots: Snapshots::default(),
            commands: VecDeque::new(),
            lagometer: Lagometer::default(),
            entities: Entities::default(),
            team_info: TeamInfo::default(),
            scores: Scoreboard::default(),
            accuracies: Accuracies::default(),
            passed: Vec::new(),
            viewed_client: level.client_num as i32,
            must_respawn: false,
            pending: VecDeque::new(),
            level,
        }
    }

    /// Takes in what arrived since the last frame.
    pub fn take_in(&mut self, input: &FrameInput<'_>) {
        self.passed.clear();
        for arrival in input.snapshots {
            self.snapshots.push(arrival, &mut self.lagometer);
        }
        self.commands.extend(input.commands.iter().cloned());
    }

    /// What happens next, up to a time; `None` if everything up to then has been shown.
    pub fn poll(&mut self, now: ServerTime, settings: &Settings) -> Option<Happening> {
        loop {
            let Some(pending) = self.pending.pop_front() else {
                let step = self.snapshots.advance(now)?;
                self.plan(step);
                continue;
            };
            let happening = match pending {
                Pending::Commands { up_to } => match self.next_command(up_to) {
                    Some(command) => {
                        self.pending.push_front(Pending::Commands { up_to });
                        self.run_command(command)
                    }
                    None => Some(Happening::CommandsDone),
                },
                Pending::Begin(snap) => {
                    self.viewed_client = snap.player.client_num;
                    self.note_respawn();
                    Some(Happening::Began(snap))
                }
                Pending::Transition { previous, snap } => {
                    self.entities.transition(&previous, &snap);
                    self.viewed_client = snap.player.client_num;
                    None
                }
                Pending::Early {
                    state,
                    snap_time,
                    next_time,
                } => {
                    self.entities.set_early(&state, snap_time, next_time);
                    self.take_event(i32::from(state.number), next_time)
                }
                Pending::Event { number, snap_time } => self.take_event(number, snap_time),
                Pending::Reach => Some(Happening::Reached),
                Pending::PassPlayer { previous, snap } => {
                    (!self.predicts(settings)).then_some(Happening::PlayerPassed { previous, snap })
                }
            };
            if happening.is_some() {
                return happening;
            }
        }
    }

    fn plan(&mut self, step: Step) {
        let Some(snap) = self.snapshots.snap.clone() else {
            return;
        };
        let up_to = snap.server_command_num;
        match step {
            Step::Initial => {
                self.entities.set_initial(&snap);
                self.pending.push_back(Pending::Commands { up_to });
                self.pending.push_back(Pending::Begin(snap.clone()));
                self.plan_events(&snap);
            }
            Step::Next => self.plan_early(snap.server_time),
            Step::Transition { previous } => {
                self.passed.push(snap.clone());
                self.pending.push_back(Pending::Commands { up_to });
                self.pending.push_back(Pending::Transition {
                    previous: previous.clone(),
                    snap: snap.clone(),
                });
                self.plan_events(&snap);
                self.pending.push_back(Pending::Reach);
                self.pending
                    .push_back(Pending::PassPlayer { previous, snap });
            }
        }
    }

    fn plan_events(&mut self, snap: &Snapshot) {
        let snap_time = snap.server_time;
        self.pending
            .extend(snap.entities.iter().map(|state| Pending::Event {
                number: i32::from(state.number),
                snap_time,
            }));
    }

    /// Takes over a newer snapshot, and what of it does not wait for its time (OpenArena).
    fn plan_early(&mut self, snap_time: ServerTime) {
        let Some(next) = &self.snapshots.next else {
            return;
        };
        self.entities.set_next(next);
        if self.level.profile.is_open_arena() {
            let early = next.entities.iter().filter(|state| is_early(state));
            self.pending.extend(early.map(|state| Pending::Early {
                state: Box::new(*state),
                snap_time,
                next_time: next.server_time,
            }));
        }
    }

    fn take_event(&mut self, number: i32, snap_time: ServerTime) -> Option<Happening> {
        let event = self.entities.take_event(number, snap_time)?;
        Some(Happening::Event(Box::new(event)))
    }

    fn next_command(&mut self, up_to: i32) -> Option<ServerCommand> {
        self.commands
            .pop_front_if(|command| command.number.wrapping_sub(up_to) <= 0)
    }

    fn run_command(&mut self, command: ServerCommand) -> Option<Happening> {
        match command.body {
            ServerCommandBody::Configstring { index, text } => {
                let warmup_before = self.level.warmup;
                self.level
                    .set(index, &text)
                    .then_some(Happening::Configstring {
                        index,
                        warmup_before,
                    })
            }
            ServerCommandBody::Words(words) => self.run_words(words),
        }
    }

    fn run_words(&mut self, words: Vec<String>) -> Option<Happening> {
        match words.first().map_or("", String::as_str) {
            "scores" | "ratscores" | "ratscores1" => {
                self.scores.read(&words);
                if let Some(start) = self.scores.round_start {
                    self.team_info.round_start = start;
                    let [red, blue] = self.scores.team_scores.map(|score| score.to_string());
                    self.take_round_scores(&red, &blue);
                }
            }
            "elimination" => {
                self.team_info.read(&words);
                let word = |number: usize| words.get(number).map_or("", String::as_str);
                self.take_round_scores(word(1), word(2));
            }
            // Damage, awards and pickups, by the same rows.
            "ratscores2" | "ratscores3" | "ratscores4" | "ratscores5" => {}
            "accs" => self.accuracies = accuracies(&words),
            "map_restart" => {
                self.team_info = TeamInfo::default();
                self.scores = Scoreboard::default();
                self.must_respawn = true;
                return Some(Happening::Restarted);
            }
            _ if self.team_info.read(&words) => {}
            _ => return Some(Happening::Words(words)),
        }
        None
    }

    /// Where teams are eliminated, scores come with these commands sooner than by the strings of the level.
    fn take_round_scores(&mut self, red: &str, blue: &str) {
        if self.level.has_rounds() && self.level.is_team_game() {
            self.level.set(cs::SCORES1, red);
            self.level.set(cs::SCORES2, blue);
        }
    }

    fn note_respawn(&mut self) {
        self.must_respawn = false;
        self.snapshots.this_teleport = true;
    }

    /// What is new about the player, each change once.
    pub fn change_player<'a>(
        &mut self,
        old: &'a PlayerState,
        new: &'a PlayerState,
    ) -> PlayerChange<'a> {
        if old.client_num != new.client_num {
            self.snapshots.this_teleport = true;
        }
        let change = PlayerChange::new(old, new, self.must_respawn, &self.level.stats);
        if change.respawned {
            self.note_respawn();
            self.level.check_stats(&new.stats);
        }
        change
    }

    /// Moves everything of the shown snapshot to where it is at a time.
    pub fn place_all(&mut self, now: ServerTime, settings: &Settings) {
        let own = settings.extrapolate_others_msec;
        let extrapolation_msec = if own == 0 && self.level.profile.is_open_arena() {
            self.level.server_frame_msec()
        } else {
            own
        };
        self.entities
            .place_all(&self.snapshots, now, settings, extrapolation_msec);
    }

    /// Shows a missile where prediction has it.
    pub fn lead_missile(&mut self, number: i32, origin: Vec3, lead_msec: i32) {
        if let Some(entity) = self.entities.get_mut(number) {
            (entity.origin, entity.lead_msec) = (origin, lead_msec);
        }
    }

    /// Shows another player where prediction has him: his place and his velocity there.
    pub fn lead_player(
        &mut self,
        number: i32,
        motion: [Vec3; 2],
        now: ServerTime,
        settings: &Settings,
    ) {
        /// Every turn is a miss of that prediction: some smoothing there always is.
        const LEAST_MSEC: f32 = 100.0;
        let smooth_msec = match settings.smooth_others_msec {
            chosen if chosen > 0.0 => chosen,
            _ => LEAST_MSEC,
        };
        self.entities.lead_player(number, motion, now, smooth_msec);
    }

    /// Hides items that prediction has taken already, and missiles that have burst.
    pub fn hide_items(&mut self, numbers: &[i32]) {
        for &number in numbers {
            self.entities.hide(number);
        }
    }

    /// The abrupt change of the player's place is dealt with.
    pub fn forget_teleport(&mut self) {
        self.snapshots.this_teleport = false;
    }

    /// Ends a frame: notes for the lagometer how old what was shown is.
    pub fn end_frame(&mut self, time: ServerTime) {
        let age = time - self.snapshots.newest_time();
        self.lagometer.add_frame(age);
    }

    /// Whether the own movement is computed here, not taken from the snapshots.
    pub fn predicts(&self, settings: &Settings) -> bool {
        let is_paused = (self.snap())
            .is_some_and(|snap| snap.server_time.is_before(self.team_info.paused_until));
        let is_told_only = settings.no_predict || self.level.is_synchronous || is_paused;
        !(self.is_demo || self.is_following() || is_told_only)
    }

    /// The view of another player is shown.
    pub fn is_following(&self) -> bool {
        self.snap()
            .is_some_and(|snap| snap.player.pm_flags & pm_flags::FOLLOW != 0)
    }

    pub fn is_in_game(&self) -> bool {
        self.snap()
            .is_some_and(|snap| snap.flags & flags::NOT_ACTIVE == 0)
    }

    pub fn level(&self) -> &GameStatic {
        &self.level
    }

    pub fn is_demo(&self) -> bool {
        self.is_demo
    }

    pub fn snapshots(&self) -> &Snapshots {
        &self.snapshots
    }

    /// The shown snapshot.
    pub fn snap(&self) -> Option<&Arc<Snapshot>> {
        self.snapshots.snap.as_ref()
    }

    /// The snapshots that became past in this frame, oldest first.
    pub fn passed(&self) -> &[Arc<Snapshot>] {
        &self.passed
    }

    pub fn entities(&self) -> &Entities {
        &self.entities
    }

    pub fn entity(&self, number: i32) -> Option<&CEntity> {
        self.entities.get(number)
    }

    pub fn team_info(&self) -> &TeamInfo {
        &self.team_info
    }

    pub fn scores(&self) -> &Scoreboard {
        &self.scores
    }

    pub fn accuracies(&self) -> &Accuracies {
        &self.accuracies
    }

    pub fn lagometer(&self) -> &Lagometer {
        &self.lagometer
    }

    pub fn viewed_client(&self) -> i32 {
        self.viewed_client
    }
}
