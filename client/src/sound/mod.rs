//! Sound: turns what a scene wants to be heard into orders for a speaker.
//!
//! The [`Mixer`] decides which voices there are, how loud each is in either ear, and when it ends; it knows no device
//! and no clock, so that tests hear what players hear. A [`Speaker`] of the platform only does as it is told.

pub mod law;
mod loops;
mod mixer;
pub mod music;
mod voices;

pub use mixer::Mixer;
pub use music::Tune;

use crate::assets::sound::Sound;
use std::sync::Arc;

/// What the player chose about sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundSettings {
    /// 0 to 1, of everything but music.
    pub volume: f32,
    /// 0 to 1.
    pub music_volume: f32,
    /// Loops that come near sound higher.
    pub has_doppler: bool,
}

/// One sound being played, from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VoiceId(pub u64);

/// How a voice sounds at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// Factor of the samples for each ear.
    pub left: f32,
    pub right: f32,
    /// Factor of the speed.
    pub rate: f32,
}

/// Something a speaker is to do.
#[derive(Debug)]
pub enum Order {
    /// Plays a sound once, from its beginning.
    Once {
        voice: VoiceId,
        sound: Arc<Sound>,
        mix: Mix,
    },
    /// Plays a sound again and again, at first from `offset_sec`, until it is stopped.
    Loop {
        voice: VoiceId,
        sound: Arc<Sound>,
        offset_sec: f64,
        mix: Mix,
    },
    /// Changes a voice within about a frame, so that nothing clicks.
    Mix {
        voice: VoiceId,
        mix: Mix,
    },
    Stop {
        voice: VoiceId,
    },
    /// Replaces the music; `None` is silence.
    Music(Option<Box<Tune>>),
    /// How loud the music is, 0 to 1.
    MusicVolume(f32),
}

/// What can be heard: a device, a browser's audio graph, a file.
pub trait Speaker {
    fn obey(&mut self, order: Order);

    /// Once a frame, after its orders.
    fn tick(&mut self) {}

    /// The loudest sample since this was asked last; from 1 on it is cut off.
    fn peak(&mut self) -> f32 {
        0.0
    }
}
