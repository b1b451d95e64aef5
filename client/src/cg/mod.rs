//! CGame: one level as the player sees it; the order of a frame.
//!
//! Everything comes in as values ([`FrameInput`]) and goes out as values ([`FrameOutput`], above all the scene). Between
//! them data goes one way through the rooms: `timeline` tells what happened, `predict` where the player is, `present`
//! draws and sounds both into the scene, `hud` draws the flat pictures over it, and `diagnose` measures and explains what
//! the others did. No room knows those after it; only [`CGame`] knows all of them.

pub mod angles;
pub mod diagnose;
mod hud;
pub mod io;
mod media;
pub mod predict;
mod present;
pub mod settings;
pub mod timeline;

pub use io::{
    Action, FiredEvent, FrameInput, FrameOutput, GapNote, LevelStart, LinkState, Listener,
    SnapshotArrival, TestModelStep,
};
pub use media::roles::crosshair_name;
pub use settings::Settings;

use crate::{assets::Assets, scene::ShaderId};
use diagnose::{Diagnose, shots::Shots, smoothness::Smoothness};
use glam::Vec3;
use hud::{Hud, HudInput};
use predict::{Predict, Progress, misses::PredictionStats};
use present::{EventCounts, Present, frame::Picture};
use shared::{
    base::time::ServerTime,
    bg::numbers::{entity_type, persistant, pm_flags},
    types::playerstate::PlayerState,
};
use timeline::{Happening, Timeline, game_static::GameStatic};

/// One level as the player sees it; dropped when the next gamestate comes.
#[derive(Clone, Debug)]
pub struct CGame {
    timeline: Timeline,
    predict: Predict,
    present: Present,
    hud: Hud,
    diagnose: Diagnose,
}

impl CGame {
    /// Begins a level: asks for all media that it will need for sure, so that loading can wait for them.
    ///
    /// The paks must be known by now, since players' models are chosen by what the paks hold.
    pub fn new(start: &LevelStart<'_>, settings: &Settings, assets: &mut Assets) -> Self {
        let timeline = Timeline::new(start);
        Self {
            predict: Predict::new(timeline.level()),
            present: Present::new(start, timeline.level(), settings, assets),
            hud: Hud::default(),
            diagnose: Diagnose::default(),
            timeline,
        }
    }

    /// One picture of the level at `input.time`.
    pub fn frame(&mut self, input: &FrameInput<'_>, assets: &mut Assets) -> FrameOutput {
        self.timeline.take_in(input);
        let level = self.timeline.level();
        if self.predict.take_map(level, assets)
            && let Some(bsp) = assets.world()
        {
            self.present.set_map(bsp);
        }
        let mut picture = self.present.begin(input, level, assets);
        self.act(&mut picture);
        while let Some(happening) = self.timeline.poll(input.time, input.settings) {
            self.happen(&happening, &mut picture);
        }
        if self.timeline.is_in_game() {
            let now = self.timeline.snapshots().clamp(input.time);
            self.timeline.place_all(now, input.settings);
            let progress = self.move_player(now, &mut picture);
            let mut frame = picture.frame(now, &self.timeline, &self.predict);
            self.present.draw(&mut frame);
            self.diagnose.draw(self.present.white(), &mut frame);
            let stats = self.predict.stats_mut();
            self.diagnose
                .explain(progress, stats, input, &mut picture.output);
            self.diagnose
                .judge_shots(&self.timeline, input, &mut picture.output);
            self.timeline.end_frame(input.time);
            self.draw_hud(&mut picture);
        }
        let waits = self
            .timeline
            .snap()
            .is_some_and(|snap| snap.player.pm_flags & pm_flags::SCOREBOARD != 0);
        if !self.timeline.is_demo() {
            let requests = self.hud.requests(input.time, waits);
            picture.output.server_commands.extend(requests);
        }
        picture.output.is_in_game = self.timeline.is_in_game();
        self.present.finish(self.timeline.level(), picture)
    }

    /// What the player asked for by keys and commands.
    fn act(&mut self, picture: &mut Picture<'_>) {
        let input = picture.input;
        for action in input.actions {
            match action {
                Action::ShowScores(shows) => self.hud.show_scores(*shows),
                Action::ShowAccuracy(shows) => self.hud.show_accuracy(*shows),
                Action::Tell(listener, text) => {
                    let client = self.listener(*listener);
                    let told = client.map(|client| format!("tell {client} {text}"));
                    picture.output.server_commands.extend(told);
                }
                Action::Signal(number) => {
                    let client = self.listener(Listener::Target);
                    let told = client.map(|client| format!("gc {client} {number}"));
                    picture.output.server_commands.extend(told);
                }
                Action::TestModel { .. } | Action::StepTestModel(_) => {
                    self.diagnose.act(action, &mut picture.output);
                }
                _ => {
                    let mut frame = picture.frame(input.time, &self.timeline, &self.predict);
                    self.present.act(action, &mut frame);
                }
            }
        }
    }

    /// Lets every room take in what happened, in their order.
    fn happen(&mut self, happening: &Happening, picture: &mut Picture<'_>) {
        let now = picture.input.time;
        match happening {
            Happening::Configstring { index, .. } => {
                self.predict.set_configstring(*index, self.timeline.level());
            }
            Happening::Began(snap) => self.predict.begin(&snap.player),
            Happening::Restarted => {
                self.predict.restart();
                self.hud.restart();
            }
            Happening::Event(event) if self.predict.confirm_burst(event) => return,
            Happening::PlayerPassed { previous, snap } => {
                self.change_player(&previous.player, &snap.player, now, picture);
            }
            _ => {}
        }
        let mut frame = picture.frame(now, &self.timeline, &self.predict);
        self.present.show(happening, &mut frame);
    }

    /// Moves the local player; what prediction knows of missiles and items before the server tells it is shown at once.
    fn move_player(&mut self, now: ServerTime, picture: &mut Picture<'_>) -> Progress {
        let input = picture.input;
        self.lead_others(now, picture);
        let mut progress = self.predict.run(&self.timeline, input, now);
        self.timeline.hide_items(&progress.taken);
        if progress.has_landed {
            self.timeline.forget_teleport();
        }
        match progress.before.take() {
            Some(before) => {
                let player = self.predict.view().player.clone();
                self.change_player(&before, &player, now, picture);
            }
            None if progress.has_landed => self.present.forget_motion(),
            None => {}
        }
        self.predict.update_entity();
        progress
    }

    /// Shows missiles, and others where they are predicted, ahead of the shown time.
    fn lead_others(&mut self, now: ServerTime, picture: &mut Picture<'_>) {
        let settings = picture.input.settings;
        let led = self.predict.lead_missiles(&self.timeline, settings, now);
        for led in &led {
            self.timeline
                .lead_missile(led.number, led.origin, led.lead_msec);
        }
        for player in self.predict.lead_players(&self.timeline, settings, now) {
            let motion = [player.origin, player.velocity];
            self.timeline
                .lead_player(player.number, motion, now, settings);
        }
        if !settings.predict_others {
            return;
        }
        for event in self.predict.predict_bursts(&self.timeline, &led, now) {
            let mut frame = picture.frame(now, &self.timeline, &self.predict);
            let burst = Happening::Event(Box::new(event));
            self.present.show(&burst, &mut frame);
        }
        self.timeline.hide_items(&self.predict.burst_missiles());
    }

    fn change_player(
        &mut self,
        old: &PlayerState,
        new: &PlayerState,
        now: ServerTime,
        picture: &mut Picture<'_>,
    ) {
        let timeline = &self.timeline;
        let shown = || shown_players(timeline);
        self.diagnose.note_shot(old, new, now, shown);
        let change = self.timeline.change_player(old, new);
        let mut frame = picture.frame(now, &self.timeline, &self.predict);
        self.present.show_change(&change, &mut frame);
    }

    fn draw_hud(&mut self, picture: &mut Picture<'_>) {
        let input = picture.input;
        let Some(snap) = self.timeline.snap() else {
            return;
        };
        let (level, lagometer) = (self.timeline.level(), self.timeline.lagometer());
        let now = self.present.time();
        let (measured_texts, labels) = self.diagnose.texts();
        let (source, media) = self.present.hud_source();
        let hud_input = HudInput {
            link: input.link,
            now,
            client_now: input.now,
            screen: input.screen,
            viewport: picture.view.viewport,
            settings: input.settings,
            level,
            player: &self.predict.view().player,
            snap,
            selection: source.selection,
            lagometer,
            newest_message: self.timeline.snapshots().newest_message(),
            ping_msec: lagometer.newest_ping_msec(),
            is_predicting: !(input.settings.no_predict || level.is_synchronous),
            is_third_person: picture.is_third_person,
            is_connection_interrupted: input.is_connection_interrupted,
            prediction: self.predict.stats(),
            measured_texts,
            labels,
            notices: source.notices,
            scores: self.timeline.scores(),
            accuracies: self.timeline.accuracies(),
            announcer: source.announcer,
            team_info: self.timeline.team_info(),
            players: source.players,
        };
        let (pictures, figures) = self.hud.draw(&hud_input, media, picture.assets);
        picture.flares.extend(pictures);
        picture.figures = figures;
    }

    /// Icons for the loading screen: of the players, the own first, and of the items that the level holds.
    pub fn icons(&self) -> (Vec<ShaderId>, Vec<ShaderId>) {
        self.present.icons(self.timeline.level().client_num)
    }

    /// What the configstrings say about the level.
    pub fn level(&self) -> &GameStatic {
        self.timeline.level()
    }

    /// How well movement was predicted so far.
    pub fn prediction_stats(&self) -> &PredictionStats {
        self.predict.stats()
    }

    /// How evenly the others moved so far.
    pub fn smoothness(&self) -> &Smoothness {
        self.diagnose.smoothness()
    }

    /// Events that happened, and how many of them no game knows.
    pub fn event_counts(&self) -> &EventCounts {
        self.present.event_counts()
    }

    /// Client number and score of each row, in the order in which the board lists them.
    pub fn listed_scores(&self) -> Vec<(i32, i32)> {
        hud::listed(self.timeline.scores(), self.timeline.level())
    }

    /// How much of 640 the team-mates in the upper right corner took in the last frame.
    pub fn mates_width(&self) -> f32 {
        self.hud.mates_width()
    }

    /// The local player as shown.
    pub fn player(&self) -> &PlayerState {
        &self.predict.view().player
    }

    /// The time of the newest usercmd that the shown place of the player is made of.
    pub fn shown_command_time(&self) -> ServerTime {
        let shown = self.predict.view().player.command_time;
        let snapshots = self.timeline.snapshots();
        let between = snapshots.snap.as_ref().zip(snapshots.next.as_ref());
        ServerTime(match between {
            Some((snap, next)) if snap.player.command_time == shown => {
                let gap = next.player.command_time.wrapping_sub(shown);
                let share = snapshots.fraction(self.present.time());
                shown.wrapping_add((gap as f32 * share) as i32)
            }
            _ => shown,
        })
    }

    /// Where the other players are shown, by client number.
    pub fn shown_players(&self) -> Vec<(i32, Vec3)> {
        shown_players(&self.timeline)
    }

    /// Own shots, and why they missed.
    pub fn shots(&self) -> &Shots {
        self.diagnose.shots()
    }

    /// The client number of whom the player means; `None` if there is nobody.
    pub fn listener(&self, listener: Listener) -> Option<i32> {
        match listener {
            Listener::Target => self.present.aimed_at(),
            Listener::Attacker => self
                .present
                .was_attacked()
                .then(|| self.player().persistant[persistant::ATTACKER]),
        }
    }
}

fn shown_players(timeline: &Timeline) -> Vec<(i32, Vec3)> {
    let Some(snap) = timeline.snap() else {
        return Vec::new();
    };
    let entities = timeline.entities();
    let shown = entities.shown(snap).into_iter();
    let players = shown.filter_map(|number| Some((number, entities.get(number)?)));
    players
        .filter(|(_, entity)| entity.current.e_type == entity_type::PLAYER)
        .map(|(number, entity)| (number, entity.origin))
        .collect()
}
