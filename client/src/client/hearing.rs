//! What is heard of a frame, at the volume that the player set, and what commands want of the sound.

use super::Client;
use crate::{
    assets::Assets,
    con::cvar::Cvars,
    output::{Device, Request},
    scene::SoundScene,
    sound::{Mixer, Order, SoundSettings},
};
use shared::base::text::SKIP_NOTIFY;

/// Whether the player has the game before him.
#[derive(Clone, Copy, Debug)]
pub struct Attention {
    pub has_focus: bool,
    /// Nothing of the window or page can be seen.
    pub is_hidden: bool,
}

impl Attention {
    fn wants_silence(self, cvars: &Cvars) -> bool {
        (!self.has_focus && cvars.is_on("s_muteWhenUnfocused"))
            || (self.is_hidden && cvars.is_on("s_muteWhenMinimized"))
    }
}

/// What the cvars say about sound.
pub fn settings(cvars: &Cvars, attention: Attention) -> SoundSettings {
    let is_muted = attention.wants_silence(cvars);
    let volume = |name| if is_muted { 0.0 } else { cvars.number(name) };
    SoundSettings {
        volume: volume("s_volume"),
        music_volume: volume("s_musicvolume"),
        has_doppler: cvars.is_on("s_doppler"),
    }
}

impl Client {
    /// Adds what the speaker is to do so that the scene is heard.
    pub(super) fn hear(&mut self, scene: &SoundScene, orders: &mut Vec<Order>) {
        if !self.has_speaker {
            return;
        }
        orders.append(&mut self.sound_orders);
        let settings = settings(&self.cvars, self.attention);
        let (mixer, assets) = (&mut self.mixer, &mut self.assets);
        orders.extend(mixer.update(self.now, scene, &settings, assets));
        for message in mixer.take_messages() {
            // Nothing for the top of the screen: players can do nothing about it.
            self.print(&format!("{SKIP_NOTIFY}^3{message}\n"));
        }
    }

    /// Plays a sound once.
    pub(crate) fn play_sound(&mut self, name: &str) {
        if self.has_speaker {
            self.mixer.play(name, &mut self.assets);
        }
    }

    /// Plays one or two files instead of the level's music; the second is repeated.
    pub(crate) fn play_music(&mut self, names: &str) {
        self.mixer.play_music(names);
    }

    /// Silences everything, music included, until something new begins.
    pub(crate) fn stop_sounds(&mut self) {
        self.sound_orders.append(&mut self.mixer.stop());
    }

    /// Opens the sound anew, which begins with silence.
    pub(crate) fn restart_sound(&mut self) {
        self.mixer = Mixer::default();
        self.sound_orders.clear();
        self.request(Request::Restart(Device::Sound));
    }

    /// Tells what is set and what plays.
    pub(crate) fn print_sound_info(&mut self) {
        let listens = Attention {
            has_focus: true,
            is_hidden: false,
        };
        let text = self.mixer.info(&settings(&self.cvars, listens));
        self.print(&text);
    }

    /// Lists all sounds that were asked for.
    pub(crate) fn print_sounds(&mut self) {
        let text = list(&self.assets);
        self.print(&text);
    }
}

/// All sounds that were asked for, and how long they are.
fn list(assets: &Assets) -> String {
    let mut text = String::new();
    let (mut ready, mut bytes) = (0, 0);
    for (name, sound) in assets.sounds() {
        match sound {
            Some(sound) => {
                ready += 1;
                bytes += size_of_val(sound.samples.as_slice());
                let frames = sound.samples.len() / usize::from(sound.channels.max(1));
                let seconds = frames as f64 / f64::from(sound.rate.max(1));
                text.push_str(&format!("{seconds:6.2} s  {name}\n"));
            }
            None => text.push_str(&format!("   -     {name}\n")),
        }
    }
    text.push_str(&format!("{ready} sounds, {} KiB\n", bytes / 1024));
    text
}
