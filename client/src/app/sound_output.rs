//! SoundOutput: the mixer and the speaker it commands, at the volume that the player set.

use crate::{
    assets::Assets,
    client::Client,
    con::cvar::Cvars,
    output::SoundRequest,
    platform::speaker::SystemSpeaker,
    scene::SoundScene,
    sound::{Mixer, SoundSettings, Speaker},
};
use shared::base::{text::SKIP_NOTIFY, time::ClientTime};

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

pub struct SoundOutput {
    mixer: Mixer,
    speaker: SystemSpeaker,
}

impl SoundOutput {
    /// Opens the platform's speaker if the player wants one; without one everything goes on in silence, and the reason
    /// is told.
    pub fn open(cvars: &Cvars) -> (Self, Result<(), String>) {
        let (speaker, opened) = if cvars.is_on("s_initSound") {
            SystemSpeaker::open()
        } else {
            (SystemSpeaker::default(), Ok(()))
        };
        let mixer = Mixer::default();
        (Self { mixer, speaker }, opened)
    }

    /// Does what a command asked for.
    pub fn fulfil(&mut self, wish: SoundRequest, client: &mut Client) {
        match wish {
            SoundRequest::Play(name) => self.mixer.play(&name, client.assets_mut()),
            SoundRequest::Music(names) => self.mixer.play_music(&names),
            SoundRequest::Stop => {
                for order in self.mixer.stop() {
                    self.speaker.obey(order);
                }
            }
            SoundRequest::Info => {
                let listens = Attention {
                    has_focus: true,
                    is_hidden: false,
                };
                let text = self.mixer.info(&settings(client.cvars(), listens));
                client.print(&text);
            }
            SoundRequest::List => {
                let text = list(client.assets_mut());
                client.print(&text);
            }
        }
    }

    /// Lets a frame be heard; gives how loud it is where the player wants to know.
    pub fn play(
        &mut self,
        now: ClientTime,
        scene: &SoundScene,
        attention: Attention,
        client: &mut Client,
    ) -> Option<f32> {
        let settings = settings(client.cvars(), attention);
        let orders = self
            .mixer
            .update(now, scene, &settings, client.assets_mut());
        for order in orders {
            self.speaker.obey(order);
        }
        self.speaker.tick();
        for message in self.mixer.take_messages() {
            // Nothing for the top of the screen: players can do nothing about it.
            client.print(&format!("{SKIP_NOTIFY}^3{message}\n"));
        }
        client.shows_sound_meter().then(|| self.speaker.peak())
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
