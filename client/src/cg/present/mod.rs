//! Present: what is seen and heard of the game; all of it goes into the scene.
//!
//! It shows each happening of the timeline, then everything at the shown time. It reads the timeline and the predicted
//! view through the [`Frame`] and keeps only what it needs to go on drawing.

mod anim;
pub mod announcer;
mod bases;
mod bodies;
pub mod captions;
mod carried;
mod carried_flags;
mod draw_frame;
mod events;
mod flares;
mod fragments;
pub mod frame;
mod hitscan;
mod impacts;
mod items;
mod local_entities;
mod marks;
pub mod notices;
mod obituary;
mod packet_entities;
mod player_changes;
mod players;
mod rat;
pub mod selection;
mod server_commands;
mod shots;
mod smoke;
mod special;
mod team_sounds;
pub mod view;
mod voices;
mod weapons;

use super::{
    io::{Action, FrameInput, FrameOutput, LevelStart},
    media::{player_media::PlayerMediaSet, roles::Media},
    settings::Settings,
    timeline::{Happening, game_static::GameStatic},
};
use crate::{
    assets::Assets,
    scene::{ShaderId, SoundScene},
};
use announcer::Announcer;
use bodies::Bodies;
pub use events::EventCounts;
use flares::Flares;
use fragments::Fragments;
use frame::{Frame, Picture};
use local_entities::LocalEntities;
use marks::Marks;
use notices::Notices;
use selection::Selection;
use shared::{
    base::time::ServerTime, bg::random::Random, formats::bsp::Bsp, types::limits::MAX_CLIENTS,
};
use special::TimedEffects;
use std::sync::Arc;
use view::ViewMotion;

/// What is kept to go on drawing and sounding.
#[derive(Clone, Debug)]
pub struct Present {
    media: Media,
    players: PlayerMediaSet,
    bodies: Bodies,
    local_entities: LocalEntities,
    marks: Marks,
    /// Of the map, while they are wanted.
    flares: Option<Flares>,
    fragments: Fragments,
    timed_effects: TimedEffects,
    announcer: Announcer,
    notices: Notices,
    /// Something of a vote that the player sees is new.
    vote_changed: bool,
    event_counts: EventCounts,
    motion: ViewMotion,
    selection: Selection,
    random: Random,
    /// The shown time of the last frame.
    time: ServerTime,
    frame_number: u32,
}

/// What the HUD shows of it.
#[derive(Clone, Debug)]
pub struct HudSource<'a> {
    pub selection: Selection,
    pub announcer: &'a Announcer,
    pub notices: &'a Notices,
    pub players: &'a PlayerMediaSet,
}

impl Present {
    pub fn new(
        start: &LevelStart<'_>,
        level: &GameStatic,
        settings: &Settings,
        assets: &mut Assets,
    ) -> Self {
        Self {
            media: Media::register(level, assets),
            players: PlayerMediaSet::register(level, settings, assets),
            bodies: Bodies::default(),
            local_entities: LocalEntities::default(),
            marks: Marks::default(),
            flares: None,
            fragments: Fragments::default(),
            timed_effects: TimedEffects::default(),
            announcer: Announcer::default(),
            notices: Notices::default(),
            vote_changed: false,
            event_counts: EventCounts::default(),
            motion: ViewMotion::default(),
            selection: Selection::default(),
            random: Random(start.gamestate.checksum_feed),
            time: ServerTime::default(),
            frame_number: 0,
        }
    }

    /// Icons for the loading screen: of the players, the own first, and of the items that the level holds.
    pub fn icons(&self, own: usize) -> (Vec<ShaderId>, Vec<ShaderId>) {
        let others = (0..MAX_CLIENTS).filter(|&client| client != own);
        let players = std::iter::once(own)
            .chain(others)
            .filter_map(|client| self.players.get(client as i32))
            .map(|looks| looks.icon);
        (players.collect(), self.media.item_icons())
    }

    /// Marks land on this map from now on.
    pub fn set_map(&mut self, bsp: &Arc<Bsp>) {
        self.marks.set_map(bsp);
    }

    /// Begins a frame: dresses who has changed, and says how often that was done.
    pub fn begin<'a>(
        &mut self,
        input: &'a FrameInput<'a>,
        level: &GameStatic,
        assets: &'a mut Assets,
    ) -> Picture<'a> {
        self.players.follow(level, input.settings, assets);
        let mut output = FrameOutput {
            sensitivity: 1.0,
            ..FrameOutput::default()
        };
        if input.settings.stats {
            let text = format!("frame {}\n", self.frame_number);
            output.printed.push(text);
        }
        Picture {
            input,
            assets,
            view: draw_frame::empty_view(input),
            flares: Vec::new(),
            figures: Vec::new(),
            sound: SoundScene::default(),
            is_third_person: false,
            random: self.random,
            output,
        }
    }

    /// What the player asked for by keys and commands.
    pub fn act(&mut self, action: &Action, frame: &mut Frame<'_>) {
        let (player, level, now) = (&frame.predicted.player, frame.level, frame.now);
        let selection = &mut self.selection;
        match action {
            Action::NextWeapon => selection.cycle(1, player, level, frame.settings, now),
            Action::PreviousWeapon => selection.cycle(-1, player, level, frame.settings, now),
            Action::SelectWeapon(number) => selection.select(*number, player, level, now),
            Action::BestWeapon => selection.best(&frame.settings.weapon_order, player, level, now),
            Action::Zoom(is_zoomed) => self.motion.zoom(*is_zoomed, now),
            Action::TellPlace => {
                let [x, y, z] = player.origin.to_array().map(|part| part as i32);
                let (yaw, eye) = (player.view_angles.y as i32, player.view_height);
                let text = format!("({x} {y} {}) : {yaw}\n", z + eye);
                frame.output.printed.push(text);
            }
            _ => {}
        }
    }

    /// Shows something that happened.
    pub fn show(&mut self, happening: &Happening, frame: &mut Frame<'_>) {
        match happening {
            Happening::Configstring {
                index,
                warmup_before,
            } => {
                self.show_configstring(*index, *warmup_before, frame);
            }
            Happening::Words(words) => self.show_words(words, frame),
            Happening::Restarted => self.restart(frame),
            Happening::CommandsDone => self.end_commands(frame),
            Happening::Began(snap) => self.respawn(snap.player.weapon, frame),
            Happening::Event(event) => self.fire_event(event, frame),
            Happening::Reached if !frame.level.is_intermission => {
                let feedback = &self.media.feedback;
                self.announcer.watch_limits(feedback, frame);
            }
            Happening::Reached | Happening::PlayerPassed { .. } => {}
        }
    }

    /// The player is somewhere else without having been predicted there.
    pub fn forget_motion(&mut self) {
        self.motion.reset();
    }

    /// Ends a frame: everything goes into the scene.
    pub fn finish(&mut self, level: &GameStatic, picture: Picture<'_>) -> FrameOutput {
        let mut output = picture.output;
        let scene = &mut output.scene;
        if output.is_in_game {
            scene.draw2d = picture.flares;
            scene.views.push(picture.view);
            scene.views.extend(picture.figures);
        }
        scene.sound = picture.sound;
        scene.sound.music = match picture.input.settings.music.as_str() {
            "" => level.music.clone(),
            "none" => "".into(),
            wanted => wanted.into(),
        };
        output.weapon = self.selection.weapon;
        self.random = picture.random;
        self.frame_number = self.frame_number.wrapping_add(1);
        output
    }

    /// What the HUD shows, and the media that it shows it with.
    pub fn hud_source(&mut self) -> (HudSource<'_>, &mut Media) {
        let source = HudSource {
            selection: self.selection,
            announcer: &self.announcer,
            notices: &self.notices,
            players: &self.players,
        };
        (source, &mut self.media)
    }

    /// The client that the crosshair points at or has just left.
    pub fn aimed_at(&self) -> Option<i32> {
        self.notices.aimed_at(self.time)
    }

    pub fn was_attacked(&self) -> bool {
        self.notices.attacked_at.is_some()
    }

    /// The shown time of the last frame.
    pub fn time(&self) -> ServerTime {
        self.time
    }

    /// A plain white picture.
    pub fn white(&self) -> ShaderId {
        self.media.pictures.white
    }

    /// Events that happened, and how many of them no game knows.
    pub fn event_counts(&self) -> &EventCounts {
        &self.event_counts
    }
}
