//! The speaker of a desktop: voices and music as sounds of kira, on the system's own device.

use crate::{
    assets::sound::Sound,
    sound::{Mix, Order, Speaker, Tune, VoiceId, music},
};
use kira::{
    AudioManager, AudioManagerSettings, Decibels, Easing, Frame, Panning, PlaybackRate, StartTime,
    Tween,
    backend::{Backend, cpal::CpalBackend},
    effect::{Effect, EffectBuilder},
    info::Info,
    sound::{
        PlaybackPosition, Region,
        static_sound::{StaticSoundData, StaticSoundHandle, StaticSoundSettings},
        streaming::{Decoder, StreamingSoundData, StreamingSoundHandle},
    },
    track::MainTrackBuilder,
};
use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

/// Changes of loudness take about a frame, so that nothing clicks.
const GLIDE: Duration = Duration::from_millis(12);
/// Voices, loops and music; some more, for those that are just fading.
const MAX_SOUNDS: usize = 256;

/// The system's device, or none.
#[derive(Default)]
pub struct SystemSpeaker {
    device: Option<KiraSpeaker<CpalBackend>>,
}

impl SystemSpeaker {
    /// Opens the system's usual device; without one it stays silent and says why.
    pub fn open() -> (Self, Result<(), String>) {
        let (device, outcome) = match KiraSpeaker::<CpalBackend>::open(Default::default()) {
            Ok(device) => (Some(device), Ok(())),
            Err(error) => (None, Err(error)),
        };
        let outcome =
            outcome.map_err(|error| format!("there is no sound: {error}; the game is silent"));
        (Self { device }, outcome)
    }
}

impl Speaker for SystemSpeaker {
    fn obey(&mut self, order: Order) {
        if let Some(device) = &mut self.device {
            device.obey(order);
        }
    }

    fn tick(&mut self) {
        if let Some(device) = &mut self.device {
            device.tick();
        }
    }

    fn peak(&mut self) -> f32 {
        self.device.as_mut().map_or(0.0, Speaker::peak)
    }
}

/// Voices and music on any backend of kira: a device, or a file in tests.
pub struct KiraSpeaker<B: Backend> {
    manager: AudioManager<B>,
    voices: HashMap<VoiceId, StaticSoundHandle>,
    music: Option<StreamingSoundHandle<Infallible>>,
    music_volume: f32,
    /// Samples as kira wants them, by the sound's own address; the sound is kept so that the address stays its own.
    prepared: HashMap<usize, (Arc<Sound>, Arc<[Frame]>)>,
    peak: Arc<AtomicU32>,
}

impl<B: Backend> KiraSpeaker<B> {
    pub fn open(backend_settings: B::Settings) -> Result<Self, B::Error> {
        let peak = Arc::default();
        let meter = PeakMeter(Arc::clone(&peak));
        let settings = AudioManagerSettings {
            capacities: Default::default(),
            main_track_builder: MainTrackBuilder::new()
                .sound_capacity(MAX_SOUNDS)
                .with_effect(meter),
            internal_buffer_size: 128,
            backend_settings,
        };
        Ok(Self {
            manager: AudioManager::new(settings)?,
            voices: HashMap::new(),
            music: None,
            music_volume: 0.0,
            prepared: HashMap::new(),
            peak,
        })
    }

    pub fn backend_mut(&mut self) -> &mut B {
        self.manager.backend_mut()
    }

    fn play(&mut self, voice: VoiceId, sound: &Arc<Sound>, mix: Mix, loop_from: Option<f64>) {
        let frames = self.frames_of(sound);
        let (volume, panning) = loudness(mix);
        let settings = StaticSoundSettings {
            start_position: PlaybackPosition::Seconds(loop_from.unwrap_or(0.0)),
            loop_region: loop_from.map(|_| Region::from(..)),
            volume: volume.into(),
            panning: panning.into(),
            playback_rate: PlaybackRate(f64::from(mix.rate)).into(),
            ..StaticSoundSettings::default()
        };
        let data = StaticSoundData {
            sample_rate: sound.rate,
            frames,
            settings,
            slice: None,
        };
        // Without room the sound is left out, as the mixer itself would do with one too many.
        if let Ok(handle) = self.manager.play(data) {
            self.voices.insert(voice, handle);
        }
    }

    fn frames_of(&mut self, sound: &Arc<Sound>) -> Arc<[Frame]> {
        let address = Arc::as_ptr(sound) as usize;
        let (_, frames) = self.prepared.entry(address).or_insert_with(|| {
            let pairs = music::stereo(&sound.samples, sound.channels);
            let frames = pairs
                .into_iter()
                .map(|[left, right]| Frame::new(left, right));
            (Arc::clone(sound), frames.collect())
        });
        Arc::clone(frames)
    }

    fn play_music(&mut self, tune: Option<Box<Tune>>) {
        if let Some(mut old) = self.music.take() {
            old.stop(glide());
        }
        let Some(tune) = tune else { return };
        let data = StreamingSoundData::from_decoder(TuneDecoder::new(*tune))
            .volume(decibels(self.music_volume));
        self.music = self.manager.play(data).ok();
    }
}

impl<B: Backend> Speaker for KiraSpeaker<B> {
    fn obey(&mut self, order: Order) {
        match order {
            Order::Once { voice, sound, mix } => self.play(voice, &sound, mix, None),
            Order::Loop {
                voice,
                sound,
                offset_sec,
                mix,
            } => self.play(voice, &sound, mix, Some(offset_sec)),
            Order::Mix { voice, mix } => {
                if let Some(handle) = self.voices.get_mut(&voice) {
                    let (volume, panning) = loudness(mix);
                    handle.set_volume(volume, glide());
                    handle.set_panning(panning, glide());
                    handle.set_playback_rate(PlaybackRate(f64::from(mix.rate)), glide());
                }
            }
            Order::Stop { voice } => {
                if let Some(mut handle) = self.voices.remove(&voice) {
                    handle.stop(glide());
                }
            }
            Order::Music(tune) => self.play_music(tune),
            Order::MusicVolume(volume) => {
                self.music_volume = volume;
                if let Some(music) = &mut self.music {
                    music.set_volume(decibels(volume), glide());
                }
            }
        }
    }

    fn tick(&mut self) {
        self.voices
            .retain(|_, handle| handle.state() != kira::sound::PlaybackState::Stopped);
        // A sound that nobody else holds belongs to a game that is over.
        self.prepared
            .retain(|_, (sound, _)| Arc::strong_count(sound) > 1);
    }

    fn peak(&mut self) -> f32 {
        f32::from_bits(self.peak.swap(0, Ordering::Relaxed))
    }
}

/// Measures what goes to the device, and changes nothing.
struct PeakMeter(Arc<AtomicU32>);

impl EffectBuilder for PeakMeter {
    type Handle = ();

    fn build(self) -> (Box<dyn Effect>, ()) {
        (Box::new(self), ())
    }
}

impl Effect for PeakMeter {
    fn process(&mut self, input: &mut [Frame], _: f64, _: &Info) {
        let sides = |frame: &Frame| frame.left.abs().max(frame.right.abs());
        let peak = input.iter().map(sides).fold(0.0, f32::max);
        // Numbers that are not negative are in the order of their bits.
        self.0.fetch_max(peak.to_bits(), Ordering::Relaxed);
    }
}

fn glide() -> Tween {
    Tween {
        start_time: StartTime::Immediate,
        duration: GLIDE,
        easing: Easing::Linear,
    }
}

/// Loudness and side whose product is the wanted factor for each ear.
///
/// Kira's sides are of equal power: √(1 − m) and √m times √2, where m goes from 0 at the left to 1 at the right.
fn loudness(mix: Mix) -> (Decibels, Panning) {
    let [left, right] = [mix.left * mix.left, mix.right * mix.right];
    let power = left + right;
    if power <= 0.0 {
        return (Decibels::SILENCE, Panning::CENTER);
    }
    (
        decibels((power / 2.0).sqrt()),
        Panning(2.0 * right / power - 1.0),
    )
}

fn decibels(factor: f32) -> Decibels {
    if factor <= 0.0 {
        return Decibels::SILENCE;
    }
    Decibels((20.0 * factor.log10()).max(Decibels::SILENCE.0))
}

/// A tune as kira reads it: a stream whose end is never reached.
struct TuneDecoder {
    tune: Tune,
    rate: u32,
    decoded: usize,
}

impl TuneDecoder {
    fn new(tune: Tune) -> Self {
        Self {
            rate: tune.rate(),
            tune,
            decoded: 0,
        }
    }

    fn next(&mut self) -> Vec<Frame> {
        /// If a tune breaks off, silence goes on in blocks of this many frames.
        const SILENCE: usize = 4096;
        let Some(block) = self.tune.next_block() else {
            return vec![Frame::ZERO; SILENCE];
        };
        let frame = |[left, right]: [f32; 2]| Frame::new(left, right);
        if block.rate == self.rate {
            return block.frames.into_iter().map(frame).collect();
        }
        // Intro and rest of different rates: the nearest sample will do for the odd one.
        let count = block.frames.len() as u64 * u64::from(self.rate) / u64::from(block.rate.max(1));
        (0..count)
            .map(|index| {
                let at = index * u64::from(block.rate) / u64::from(self.rate.max(1));
                frame(block.frames[(at as usize).min(block.frames.len() - 1)])
            })
            .collect()
    }
}

impl Decoder for TuneDecoder {
    type Error = Infallible;

    fn sample_rate(&self) -> u32 {
        self.rate
    }

    fn num_frames(&self) -> usize {
        usize::MAX
    }

    fn decode(&mut self) -> Result<Vec<Frame>, Infallible> {
        let frames = self.next();
        self.decoded += frames.len();
        Ok(frames)
    }

    /// Music is only ever played on; kira asks for the beginning before it starts.
    fn seek(&mut self, _index: usize) -> Result<usize, Infallible> {
        Ok(self.decoded)
    }
}
