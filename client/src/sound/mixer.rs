//! Mixer: a scene's sounds, frame by frame, as orders for a speaker.

use super::{
    Order, SoundSettings, VoiceId,
    loops::{self, Loops},
    music::{Part, Tune},
    voices::{self, Voices},
};
use crate::{
    assets::{AssetState, Assets, RawId},
    scene::SoundScene,
};
use glam::Vec3;
use shared::{base::time::ClientTime, types::limits::MAX_GENTITIES};
use std::sync::Arc;

/// What plays, and what shall.
#[derive(Debug)]
pub struct Mixer {
    voices: Voices,
    loops: Loops,
    positions: Vec<Vec3>,
    last_voice: u64,
    /// Which life of the assets the ids belong to.
    epoch: u32,
    music: Arc<str>,
    /// Files of the music that is still on its way, for intro and rest each by likelihood.
    awaited: Option<[Vec<(String, RawId)>; 2]>,
    music_volume: Option<f32>,
    messages: Vec<String>,
}

impl Default for Mixer {
    fn default() -> Self {
        Self {
            voices: Voices::default(),
            loops: Loops::default(),
            positions: vec![Vec3::ZERO; MAX_GENTITIES],
            last_voice: 0,
            epoch: 0,
            music: Arc::default(),
            awaited: None,
            music_volume: None,
            messages: Vec::new(),
        }
    }
}

impl Mixer {
    /// What the speaker shall do so that `scene` is heard.
    pub fn update(
        &mut self,
        now: ClientTime,
        scene: &SoundScene,
        settings: &SoundSettings,
        assets: &mut Assets,
    ) -> Vec<Order> {
        let mut orders = Vec::new();
        if self.epoch != assets.epoch() {
            // Ids of another game mean other sounds.
            self.epoch = assets.epoch();
            self.voices.clear(&mut orders);
            self.loops.clear(&mut orders);
            self.music = Arc::default();
            self.awaited = None;
            orders.push(Order::Music(None));
        }
        for &(entity_num, origin) in &scene.positions {
            if let Some(position) = self.positions.get_mut(usize::from(entity_num)) {
                *position = origin;
            }
        }
        self.update_voices(now, scene, settings, assets, &mut orders);
        let around = loops::Around {
            now,
            ear: &scene.ear,
            settings,
            assets,
        };
        let last_voice = &mut self.last_voice;
        let next_voice = || {
            *last_voice += 1;
            VoiceId(*last_voice)
        };
        self.loops
            .update(&scene.loops, &around, next_voice, &mut orders);
        self.update_music(scene, settings, assets, &mut orders);
        orders
    }

    /// What could not be played, each told once.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }

    fn update_voices(
        &mut self,
        now: ClientTime,
        scene: &SoundScene,
        settings: &SoundSettings,
        assets: &Assets,
        orders: &mut Vec<Order>,
    ) {
        let around = voices::Around {
            now,
            ear: &scene.ear,
            volume: settings.volume,
            positions: &self.positions,
        };
        self.voices.update(&around, orders);
        for start in &scene.starts {
            // A sound that is still on its way would come too late.
            let Some(sound) = assets.sound(start.sound) else {
                continue;
            };
            self.last_voice += 1;
            let id = VoiceId(self.last_voice);
            self.voices.start(start, sound, id, &around, orders);
        }
    }

    fn update_music(
        &mut self,
        scene: &SoundScene,
        settings: &SoundSettings,
        assets: &mut Assets,
        orders: &mut Vec<Order>,
    ) {
        if self.music_volume != Some(settings.music_volume) {
            self.music_volume = Some(settings.music_volume);
            orders.push(Order::MusicVolume(settings.music_volume));
        }
        let is_new = self.music != scene.music || scene.restarts_music;
        if is_new {
            self.music = scene.music.clone();
            orders.push(Order::Music(None));
            let mut names = self.music.split_ascii_whitespace();
            self.awaited = names.next().map(|first| {
                let second = names.next();
                let intro = second.map_or_else(Vec::new, |_| register(first, assets));
                [intro, register(second.unwrap_or(first), assets)]
            });
        }
        let is_here = self.awaited.as_ref().is_some_and(|files| {
            files
                .iter()
                .flatten()
                .all(|(_, id)| is_settled(*id, assets))
        });
        if !is_here {
            return;
        }
        let Some([intro, rest]) = self.awaited.take() else {
            return;
        };
        match (part(&intro, assets), part(&rest, assets)) {
            (intro, Some(rest)) => match Tune::open(intro, rest) {
                Ok(tune) => orders.push(Order::Music(Some(Box::new(tune)))),
                Err(problem) => self
                    .messages
                    .push(format!("music {}: {problem}", self.music)),
            },
            (_, None) => self
                .messages
                .push(format!("music {} is missing", self.music)),
        }
    }
}

fn is_settled(id: RawId, assets: &Assets) -> bool {
    assets.state(id) != AssetState::Wanted
}

/// The name as it is, then with the extensions that a file may have instead.
fn register(name: &str, assets: &mut Assets) -> Vec<(String, RawId)> {
    let name = name.replace('\\', "/").to_ascii_lowercase();
    let stem = match name.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem,
        _ => &name,
    };
    let mut names = vec![format!("{stem}.wav"), format!("{stem}.ogg")];
    if name.ends_with(".ogg") {
        names.reverse();
    }
    let ids = names.into_iter().map(|name| {
        let id = assets.register_file(&name);
        (name, id)
    });
    ids.collect()
}

fn part(files: &[(String, RawId)], assets: &Assets) -> Option<Part> {
    files.iter().find_map(|(name, id)| {
        Some(Part {
            name: name.clone(),
            bytes: assets.file(*id)?.as_slice().into(),
        })
    })
}
