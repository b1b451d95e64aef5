//! CGame: one level as the player sees it; the steps of a frame.
//!
//! Everything comes in as values ([`FrameInput`]) and goes out as values ([`FrameOutput`], above all the scene).
//! A frame goes: take in what arrived → advance the snapshots (server commands first, then entities and their events)
//! → predict or interpolate the local player → place the camera → entities → effects → weapon → HUD.

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
    Action, FiredEvent, FrameInput, FrameOutput, LevelStart, Listener, SnapshotArrival,
    TestModelStep,
};
pub use settings::Settings;

use crate::{
    assets::Assets,
    scene::{Draw2d, ShaderId, SoundScene, View},
};
use diagnose::{ghosts, smoothness, test_model};
use glam::Vec3;
use media::{player_media::PlayerMediaSet, roles::Media};
use predict::{
    local_player::LocalPlayer,
    misses,
    predictor::Predictor,
    rules::{self, MoveRules, VariantChoice},
};
use present::{
    announcer, draw_frame, effects, events, flares, fragments, frame::Frame, marks,
    selection::Selection, special, view::ViewMotion,
};
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{persistant, pm_flags},
        random::Random,
        ruleset::dmflags,
    },
    cm::ClipMap,
    types::{
        limits::MAX_CLIENTS, playerstate::PlayerState, servercmd::ServerCommand, snapshot::flags,
        trace::Trace,
    },
};
use std::{collections::VecDeque, sync::Arc};
use timeline::{
    entities::Entities, game_static::GameStatic, lagometer::Lagometer, snapshots::Snapshots,
    team_info,
};

/// One level as the player sees it; dropped when the next gamestate comes.
#[derive(Debug)]
pub struct CGame {
    level: GameStatic,
    is_demo: bool,
    media: Media,
    players: PlayerMediaSet,
    snapshots: Snapshots,
    commands: VecDeque<ServerCommand>,
    lagometer: Lagometer,
    entities: Entities,
    /// The local player as shown.
    prediction: LocalPlayer,
    predictor: Predictor,
    effects: effects::Effects,
    marks: marks::Marks,
    /// Of the map, while they are wanted.
    flares: Option<flares::Flares>,
    fragments: fragments::Fragments,
    timed_effects: special::TimedEffects,
    announcer: announcer::Announcer,
    team_info: team_info::TeamInfo,
    ghosts: ghosts::Ghosts,
    hud: hud::Hud,
    /// Something of a vote that the player sees is new.
    vote_changed: bool,
    event_counts: events::EventCounts,
    motion: ViewMotion,
    selection: Selection,
    test_model: test_model::TestModels,
    /// The solid side of the map, as soon as the map is here.
    clip: Option<Arc<ClipMap>>,
    random: Random,
    time: ServerTime,
    frame_number: u32,
}

impl CGame {
    /// Begins a level: asks for all media that it will need for sure, so that loading can wait for them.
    ///
    /// The paks must be known by now, since players' models are chosen by what the paks hold.
    pub fn new(start: &LevelStart<'_>, settings: &Settings, assets: &mut Assets) -> Self {
        let level = GameStatic::new(start.gamestate);
        Self {
            media: Media::register(&level, assets),
            players: PlayerMediaSet::register(&level, settings, assets),
            is_demo: start.is_demo,
            snapshots: Snapshots::default(),
            commands: VecDeque::new(),
            lagometer: Lagometer::default(),
            entities: Entities::default(),
            prediction: LocalPlayer::default(),
            predictor: Predictor::new(MoveRules::new(&level), VariantChoice::new(&level)),
            effects: effects::Effects::default(),
            marks: marks::Marks::default(),
            flares: None,
            fragments: fragments::Fragments::default(),
            timed_effects: special::TimedEffects::default(),
            announcer: announcer::Announcer::default(),
            team_info: team_info::TeamInfo::default(),
            ghosts: ghosts::Ghosts::default(),
            hud: hud::Hud::default(),
            vote_changed: false,
            event_counts: events::EventCounts::default(),
            motion: ViewMotion::default(),
            selection: Selection::default(),
            clip: None,
            test_model: test_model::TestModels::default(),
            random: Random(start.gamestate.checksum_feed),
            time: ServerTime::default(),
            frame_number: 0,
            level,
        }
    }

    /// Icons for the loading screen: of the players, the own first, and of the items that the level holds.
    pub fn icons(&self) -> (Vec<ShaderId>, Vec<ShaderId>) {
        let own = self.level.client_num;
        let others = (0..MAX_CLIENTS).filter(|&client| client != own);
        let players = std::iter::once(own)
            .chain(others)
            .filter_map(|client| self.players.get(client as i32))
            .map(|looks| looks.icon);
        (players.collect(), self.media.item_icons())
    }

    /// What the configstrings say about the level.
    pub fn level(&self) -> &GameStatic {
        &self.level
    }

    /// One picture of the level at `input.time`.
    pub fn frame(&mut self, input: &FrameInput<'_>, assets: &mut Assets) -> FrameOutput {
        self.take_in(input);
        self.players.follow(&self.level, input.settings, assets);
        if self.clip.is_none()
            && let Some(bsp) = assets.world()
        {
            // A defective map was already told by the assets; then nothing is solid.
            let rounding = rules::clip_rounding(&self.level);
            self.clip = ClipMap::with_rounding(bsp, rounding).ok().map(Arc::new);
            self.marks.set_map(bsp);
            self.predictor.world.clip.clone_from(&self.clip);
            self.predictor.reset();
        }
        let mut output = FrameOutput {
            sensitivity: 1.0,
            ..FrameOutput::default()
        };
        self.act(input, &mut output);
        if input.settings.stats {
            let text = format!("frame {}\n", self.frame_number);
            output.printed.push(text);
        }
        let mut random = self.random;
        let mut frame = Frame {
            now: input.time,
            msec: 0,
            number: self.frame_number,
            settings: input.settings,
            assets,
            view: draw_frame::empty_view(input),
            flares: Vec::new(),
            sound: SoundScene::default(),
            viewed_client: self.viewed_client(),
            is_third_person: false,
            hides_invisible: self.level.profile.is_open_arena()
                && self.level.dm_flags & dmflags::INVISIBLE != 0,
            random: &mut random,
            output: &mut output,
        };
        self.advance(&mut frame);
        if self.is_in_game() {
            self.draw(input, &mut frame);
        }
        let Frame {
            view,
            flares,
            sound,
            ..
        } = frame;
        if self.is_in_game() {
            let tile = self.media.shaders.back_tile;
            output.scene.draw2d = flares;
            let surround = hud::surround(input.screen, view.viewport, tile);
            output.scene.draw2d.extend(surround);
            output.scene.views.push(view);
            let (pictures, figures) = self.draw_hud(input, assets);
            output.scene.draw2d.extend(pictures);
            output.scene.views.extend(figures);
        }
        output.scene.sound = sound;
        output.scene.sound.music = match input.settings.music.as_str() {
            "" => self.level.music.clone(),
            "none" => "".into(),
            wanted => wanted.into(),
        };
        output.is_in_game = self.is_in_game();
        self.request_scores(input, &mut output);
        output.weapon = self.selection.weapon;
        self.random = random;
        self.frame_number = self.frame_number.wrapping_add(1);
        output
    }

    fn take_in(&mut self, input: &FrameInput<'_>) {
        for arrival in input.snapshots {
            self.snapshots.push(arrival, &mut self.lagometer);
        }
        self.commands.extend(input.commands.iter().cloned());
    }

    /// How well movement was foretold so far.
    pub fn prediction_stats(&self) -> &misses::PredictionStats {
        &self.predictor.stats
    }

    /// How evenly the others moved so far.
    pub fn smoothness(&self) -> &smoothness::Smoothness {
        &self.entities.smoothness
    }

    /// Events that happened, and how many of them no game knows.
    pub fn event_counts(&self) -> &events::EventCounts {
        &self.event_counts
    }

    /// Client number and score of each row, in the order in which the board lists them.
    pub fn listed_scores(&self) -> Vec<(i32, i32)> {
        hud::listed(&self.hud.scores, &self.level)
    }

    /// How much of 640 the team-mates in the upper right corner took in the last frame.
    pub fn mates_width(&self) -> f32 {
        self.hud.mates_width
    }

    /// The local player as shown.
    pub fn player(&self) -> &PlayerState {
        &self.prediction.player
    }

    /// What the player asked for by keys and commands.
    fn act(&mut self, input: &FrameInput<'_>, output: &mut FrameOutput) {
        let now = input.time;
        let player = self.prediction.player.clone();
        for action in input.actions {
            match action {
                Action::NextWeapon => {
                    self.selection
                        .cycle(1, &player, &self.level, input.settings, now);
                }
                Action::PreviousWeapon => {
                    self.selection
                        .cycle(-1, &player, &self.level, input.settings, now);
                }
                Action::SelectWeapon(number) => {
                    self.selection.select(*number, &player, &self.level, now)
                }
                Action::Zoom(is_zoomed) => self.motion.zoom(*is_zoomed, now),
                Action::ShowScores(shows) => self.hud.shows_scores = *shows,
                Action::ShowAccuracy(shows) => self.hud.shows_accuracy = *shows,
                Action::BestWeapon => {
                    let order = &input.settings.weapon_order;
                    self.selection.best(order, &player, &self.level, now);
                }
                Action::Tell(listener, text) => {
                    let told = self
                        .listener(*listener)
                        .map(|client| format!("tell {client} {text}"));
                    output.server_commands.extend(told);
                }
                Action::Signal(number) => {
                    let told = self
                        .listener(Listener::Target)
                        .map(|client| format!("gc {client} {number}"));
                    output.server_commands.extend(told);
                }
                Action::TellPlace => {
                    let [x, y, z] = player.origin.to_array().map(|part| part as i32);
                    let (yaw, eye) = (player.view_angles.y as i32, player.view_height);
                    let text = format!("({x} {y} {}) : {yaw}\n", z + eye);
                    output.printed.push(text);
                }
                Action::TestModel { name, is_held } => self.test_model.wish(name, *is_held),
                Action::StepTestModel(step) => self.test_model.step(*step, output),
            }
        }
    }

    /// The client number of whom the player means; `None` if there is nobody.
    pub fn listener(&self, listener: Listener) -> Option<i32> {
        match listener {
            Listener::Target => self.hud.aimed_at(self.time),
            Listener::Attacker => self
                .hud
                .was_attacked()
                .then(|| self.prediction.player.persistant[persistant::ATTACKER]),
        }
    }

    /// Asks for scores and accuracies while they are shown, each at most every two seconds.
    fn request_scores(&mut self, input: &FrameInput<'_>, output: &mut FrameOutput) {
        const INTERVAL_MSEC: i32 = 2000;
        let now = input.time;
        let is_due =
            |at: Option<ServerTime>| at.is_none_or(|at| !now.is_within(at, INTERVAL_MSEC + 1));
        if self.is_demo {
            return;
        }
        let waits = self
            .snapshots
            .snap
            .as_ref()
            .is_some_and(|snap| snap.player.pm_flags & pm_flags::SCOREBOARD != 0);
        if (self.hud.shows_scores || waits) && is_due(self.hud.scores.requested_at) {
            self.hud.scores.requested_at = Some(now);
            output.server_commands.push("score".to_owned());
        }
        if self.hud.shows_accuracy && is_due(self.hud.accuracies_requested_at) {
            self.hud.accuracies_requested_at = Some(now);
            output.server_commands.push("acc".to_owned());
        }
    }

    fn draw_hud(
        &mut self,
        input: &FrameInput<'_>,
        assets: &mut Assets,
    ) -> (Vec<Draw2d>, Vec<View>) {
        let Some(snap) = self.snapshots.snap.clone() else {
            return Default::default();
        };
        let hud_input = hud::HudInput {
            now: self.time,
            client_now: input.now,
            screen: input.screen,
            settings: input.settings,
            level: &self.level,
            player: &self.prediction.player,
            snap: &snap,
            selection: self.selection,
            lagometer: &self.lagometer,
            newest_message: self.snapshots.newest_message(),
            ping_msec: self.lagometer.newest_ping_msec(),
            is_predicting: !(input.settings.no_predict || self.level.is_synchronous),
            is_third_person: self.prediction.is_third_person,
            is_connection_interrupted: input.is_connection_interrupted,
            prediction: &self.predictor.stats,
            ghost_texts: &self.prediction.ghost_texts,
            ghost_labels: &self.prediction.ghost_labels,
            announcer: &self.announcer,
            team_info: &self.team_info,
            players: &self.players,
        };
        self.hud.draw(&hud_input, &mut self.media, assets)
    }

    /// What a line hits in the map and among its solid entities.
    fn trace(&self, start: Vec3, end: Vec3, pass_entity: i32, mask: u32) -> Trace {
        shared::bg::World::trace(
            &self.predictor.world,
            start,
            Vec3::ZERO,
            Vec3::ZERO,
            end,
            pass_entity,
            mask,
        )
    }

    /// The player one looks through: oneself, or the one followed.
    fn viewed_client(&self) -> i32 {
        self.snapshots
            .snap
            .as_ref()
            .map_or(self.level.client_num as i32, |snap| snap.player.client_num)
    }

    fn is_in_game(&self) -> bool {
        self.snapshots
            .snap
            .as_ref()
            .is_some_and(|snap| snap.flags & flags::NOT_ACTIVE == 0)
    }
}
