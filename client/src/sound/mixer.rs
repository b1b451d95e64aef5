//! Mixer: a scene's sounds, frame by frame, as orders for a speaker.

use super::{
    Order, SoundSettings, VoiceId,
    loops::{self, Loops},
    music::{Part, Tune},
    voices::{self, Voices},
};
use crate::{
    assets::{AssetState, Assets, RawId},
    scene::{
        SoundId, SoundScene,
        sound::{SoundOrigin, SoundStart},
    },
};
use glam::Vec3;
use shared::{base::time::ClientTime, types::limits::MAX_GENTITIES};
use std::sync::Arc;

/// Where what commands play is heard, among the channels of the game.
const LOCAL_CHANNEL: u8 = 6;

/// What plays, and what is to play.
#[derive(Clone, Debug)]
pub struct Mixer {
    voices: Voices,
    loops: Loops,
    positions: Vec<Vec3>,
    last_voice: u64,
    /// Which life of the assets the ids belong to.
    epoch: u32,
    music: Arc<str>,
    /// What a command plays instead of the scene's music, and the scene's music at that time.
    own_music: Option<[Arc<str>; 2]>,
    /// The music that the last scene wanted.
    scene_music: Arc<str>,
    /// Sounds that commands asked for, as soon as they are here.
    requested: Vec<SoundId>,
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
            own_music: None,
            scene_music: Arc::default(),
            requested: Vec::new(),
            awaited: None,
            music_volume: None,
            messages: Vec::new(),
        }
    }
}

impl Mixer {
    /// What the speaker must do so that `scene` is heard.
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
            self.requested.clear();
            orders.push(Order::Music(None));
        }
        for &(entity_num, origin) in &scene.positions {
            if let Some(position) = self.positions.get_mut(usize::from(entity_num)) {
                *position = origin;
            }
        }
        self.update_voices(now, scene, settings, assets, &mut orders);
        let around = loops::LoopContext {
            now,
            ear: &scene.ear,
            settings,
            assets,
        };
        let next_voice = || {
            self.last_voice += 1;
            VoiceId(self.last_voice)
        };
        self.loops
            .update(&scene.loops, &around, next_voice, &mut orders);
        self.update_music(scene, settings, assets, &mut orders);
        orders
    }

    /// Plays a sound once, at the listener's own ear, as soon as it is here.
    pub fn play(&mut self, name: &str, assets: &mut Assets) {
        const MAX: usize = 32;
        if self.requested.len() < MAX {
            self.requested.push(assets.register_sound(name));
        }
    }

    /// Plays these files instead of the scene's music, until the scene wants another.
    pub fn play_music(&mut self, names: &str) {
        self.own_music = Some([names.into(), self.scene_music.clone()]);
    }

    /// Silences everything, the music until something else is wanted; loops begin anew with the next scene.
    pub fn stop(&mut self) -> Vec<Order> {
        let mut orders = Vec::new();
        self.voices.clear(&mut orders);
        self.loops.clear(&mut orders);
        self.requested.clear();
        self.play_music("");
        orders
    }

    /// What plays, in words.
    pub fn info(&self, settings: &SoundSettings) -> String {
        let music = match &*self.music {
            "" => "no music",
            music => music,
        };
        format!(
            "volume {}, music {} ({music})\n{} voices, {} loops\n",
            settings.volume,
            settings.music_volume,
            self.voices.len(),
            self.loops.len(),
        )
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
        let around = voices::VoiceContext {
            now,
            ear: &scene.ear,
            volume: settings.volume,
            positions: &self.positions,
        };
        self.voices.update(&around, orders);
        let is_wanted = |id: &SoundId| assets.state(*id) == AssetState::Wanted;
        let (waiting, arrived) = self.requested.drain(..).partition(is_wanted);
        self.requested = waiting;
        let wanted = Vec::into_iter(arrived).map(|sound| SoundStart {
            sound,
            place: SoundOrigin::Local,
            entity_num: scene.ear.entity_num,
            channel: LOCAL_CHANNEL,
        });
        for start in scene.starts.iter().cloned().chain(wanted) {
            // A sound that is still on its way would come too late.
            let Some(sound) = assets.sound(start.sound) else {
                continue;
            };
            self.last_voice += 1;
            let id = VoiceId(self.last_voice);
            self.voices.start(&start, sound, id, &around, orders);
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
        self.scene_music.clone_from(&scene.music);
        let is_over = |[_, instead_of]: &mut [Arc<str>; 2]| {
            *instead_of != scene.music || scene.restarts_music
        };
        self.own_music.take_if(is_over);
        let wanted = self.own_music.as_ref().map_or(&scene.music, |[own, _]| own);
        let is_new = self.music != *wanted || scene.restarts_music;
        if is_new {
            self.music = wanted.clone();
            orders.push(Order::Music(None));
            let mut names = self.music.split_ascii_whitespace();
            self.awaited = names.next().map(|first| {
                let second = names.next();
                let intro = second.map_or_else(Vec::new, |_| register(first, assets));
                [intro, register(second.unwrap_or(first), assets)]
            });
        }
        let is_settled = |(_, id): &(_, RawId)| assets.state(*id) != AssetState::Wanted;
        let are_here =
            |files: &mut [Vec<(String, RawId)>; 2]| files.iter().flatten().all(is_settled);
        let Some([intro, rest]) = self.awaited.take_if(are_here) else {
            return;
        };
        match (part(&intro, assets), part(&rest, assets)) {
            (intro, Some(rest)) => match Tune::open(intro, rest) {
                Ok(tune) => orders.push(Order::Music(Some(Box::new(tune)))),
                Err(problem) => (self.messages).push(format!("music {}: {problem}", self.music)),
            },
            (_, None) => (self.messages).push(format!("music {} is missing", self.music)),
        }
    }
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
