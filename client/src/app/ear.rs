//! EarPiece: the mixer and the speaker it commands, as loud as the player wants.

use crate::{
    client::Client,
    con::cvar::Cvars,
    platform::speaker::SystemSpeaker,
    scene::SoundScene,
    sound::{Mixer, SoundSettings, Speaker},
};
use shared::base::time::ClientTime;

pub struct EarPiece {
    mixer: Mixer,
    speaker: SystemSpeaker,
}

impl EarPiece {
    /// Opens the platform's speaker; without one everything goes on in silence, and the reason is told.
    pub fn open() -> (Self, Result<(), String>) {
        let (speaker, opened) = SystemSpeaker::open();
        let mixer = Mixer::default();
        (Self { mixer, speaker }, opened)
    }

    /// Lets a frame be heard.
    pub fn play(
        &mut self,
        now: ClientTime,
        scene: &SoundScene,
        is_away: bool,
        client: &mut Client,
    ) {
        let settings = settings(client.cvars(), is_away);
        let orders = self
            .mixer
            .update(now, scene, &settings, client.assets_mut());
        for order in orders {
            self.speaker.obey(order);
        }
        self.speaker.tick();
        for message in self.mixer.take_messages() {
            // Nothing for the top of the screen: players can do nothing about it.
            client.print(&format!("[skipnotify]^3{message}\n"));
        }
    }
}

/// What the cvars say about sound.
fn settings(cvars: &Cvars, is_away: bool) -> SoundSettings {
    let is_muted = is_away && cvars.is_on("s_muteWhenUnfocused");
    let volume = |name| if is_muted { 0.0 } else { cvars.number(name) };
    SoundSettings {
        volume: volume("s_volume"),
        music_volume: volume("s_musicvolume"),
        has_doppler: cvars.is_on("s_doppler"),
    }
}
