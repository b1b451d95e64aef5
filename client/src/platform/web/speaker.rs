//! The speaker of a browser: each voice is a little graph of Web Audio nodes.
//!
//! Browsers stay silent until the first key or click. What plays once is left out until then; loops are built and
//! wait, and music begins when it can be heard.

use super::host;
use crate::{
    assets::sound::Sound,
    sound::{Mix, Order, Speaker, Tune, VoiceId, music},
};
use std::{
    collections::{HashMap, VecDeque},
    f32::consts::FRAC_PI_2,
    sync::Arc,
};
use wasm_bindgen::JsValue;
use web_sys::{
    AnalyserNode, AudioBuffer, AudioBufferSourceNode, AudioContextState, AudioParam,
    AudioScheduledSourceNode, BaseAudioContext, GainNode, StereoPannerNode,
};

/// Changes of loudness take about a frame, so that nothing clicks.
const GLIDE_SEC: f64 = 0.012;
/// So much music is laid out ahead; a page in the background is seldom asked.
const MUSIC_AHEAD_SEC: f64 = 3.0;
/// Unpacking more in one frame would be felt.
const MUSIC_BLOCKS_PER_TICK: usize = 8;

/// The page's audio graph, or silence where a browser has none.
#[derive(Default)]
pub struct SystemSpeaker {
    graph: Option<Graph>,
}

impl SystemSpeaker {
    /// Asks the page for its graph.
    pub fn open() -> (Self, Result<(), String>) {
        let (graph, outcome) = match host::open_audio().and_then(Graph::new) {
            Ok(graph) => (Some(graph), Ok(())),
            Err(error) => (None, Err(host::text_of(&error))),
        };
        let outcome =
            outcome.map_err(|error| format!("there is no sound: {error}; the game is silent"));
        (Self { graph }, outcome)
    }
}

impl Speaker for SystemSpeaker {
    fn obey(&mut self, order: Order) {
        if let Some(graph) = &mut self.graph
            && let Err(error) = graph.obey(order)
        {
            tracing::warn!("a sound is left out: {}", host::text_of(&error));
        }
    }

    fn tick(&mut self) {
        if let Some(graph) = &mut self.graph {
            graph.tick();
        }
    }

    fn peak(&mut self) -> f32 {
        /// About a frame of 60 a second.
        const SAMPLES: usize = 1024;
        let mut samples = [0.0; SAMPLES];
        if let Some(graph) = &self.graph {
            graph.out.get_float_time_domain_data(&mut samples);
        }
        samples.into_iter().map(f32::abs).fold(0.0, f32::max)
    }
}

struct Graph {
    context: BaseAudioContext,
    out: AnalyserNode,
    voices: HashMap<VoiceId, Voice>,
    music: GainNode,
    tune: Option<Box<Tune>>,
    /// Blocks of music that were handed over, each until its end.
    scheduled: VecDeque<(AudioBufferSourceNode, f64)>,
    /// Samples as the browser wants them, by the sound's own address; the sound is kept so that the address stays its own.
    prepared: HashMap<usize, (Arc<Sound>, AudioBuffer)>,
}

struct Voice {
    source: AudioBufferSourceNode,
    gain: GainNode,
    pan: StereoPannerNode,
    /// When it is over; never for loops.
    until: f64,
}

impl Graph {
    fn new(out: AnalyserNode) -> Result<Self, JsValue> {
        let context = out.context();
        let music = context.create_gain()?;
        music.connect_with_audio_node(&out)?;
        Ok(Self {
            context,
            out,
            voices: HashMap::new(),
            music,
            tune: None,
            scheduled: VecDeque::new(),
            prepared: HashMap::new(),
        })
    }

    fn is_running(&self) -> bool {
        self.context.state() == AudioContextState::Running
    }

    fn obey(&mut self, order: Order) -> Result<(), JsValue> {
        match order {
            Order::Once { voice, sound, mix } => {
                // Time stands still until the first key; all that began before would then be heard at once.
                if self.is_running() {
                    self.play(voice, &sound, mix, None)?;
                }
            }
            Order::Loop {
                voice,
                sound,
                offset_sec,
                mix,
            } => self.play(voice, &sound, mix, Some(offset_sec))?,
            Order::Mix { voice, mix } => {
                if let Some(voice) = self.voices.get(&voice) {
                    let (gain, pan) = loudness(mix);
                    self.glide(&voice.gain.gain(), gain)?;
                    self.glide(&voice.pan.pan(), pan)?;
                    self.glide(&voice.source.playback_rate(), mix.rate)?;
                }
            }
            Order::Stop { voice } => {
                if let Some(voice) = self.voices.remove(&voice) {
                    self.glide(&voice.gain.gain(), 0.0)?;
                    let end = self.context.current_time() + GLIDE_SEC * 4.0;
                    scheduled(&voice.source).stop_with_when(end)?;
                }
            }
            Order::Music(tune) => {
                for (block, _) in self.scheduled.drain(..) {
                    scheduled(&block).stop()?;
                }
                self.tune = tune;
            }
            Order::MusicVolume(volume) => self.glide(&self.music.gain(), volume)?,
        }
        Ok(())
    }

    fn tick(&mut self) {
        let now = self.context.current_time();
        self.voices.retain(|_, voice| now < voice.until);
        self.prepared
            .retain(|_, (sound, _)| Arc::strong_count(sound) > 1);
        while self.scheduled.front().is_some_and(|(_, end)| *end < now) {
            self.scheduled.pop_front();
        }
        if !self.is_running() {
            return;
        }
        for _ in 0..MUSIC_BLOCKS_PER_TICK {
            let end = self.scheduled.back().map_or(now, |(_, end)| end.max(now));
            if end - now > MUSIC_AHEAD_SEC || self.tune.is_none() {
                return;
            }
            if let Err(error) = self.schedule_music(end) {
                tracing::warn!("the music ends: {}", host::text_of(&error));
                self.tune = None;
            }
        }
    }

    fn schedule_music(&mut self, at: f64) -> Result<(), JsValue> {
        let Some(block) = self.tune.as_mut().and_then(|tune| tune.next_block()) else {
            self.tune = None;
            return Ok(());
        };
        let buffer = self.buffer(&block.frames, 2, block.rate)?;
        let source = self.context.create_buffer_source()?;
        source.set_buffer(Some(&buffer));
        source.connect_with_audio_node(&self.music)?;
        source.start_with_when(at)?;
        self.scheduled.push_back((source, at + buffer.duration()));
        Ok(())
    }

    fn play(
        &mut self,
        id: VoiceId,
        sound: &Arc<Sound>,
        mix: Mix,
        loop_from: Option<f64>,
    ) -> Result<(), JsValue> {
        let buffer = self.buffer_of(sound)?;
        let (gain_value, pan_value) = loudness(mix);
        let source = self.context.create_buffer_source()?;
        let gain = self.context.create_gain()?;
        let pan = self.context.create_stereo_panner()?;
        source.set_buffer(Some(&buffer));
        source.playback_rate().set_value(mix.rate);
        gain.gain().set_value(gain_value);
        pan.pan().set_value(pan_value);
        source.connect_with_audio_node(&gain)?;
        gain.connect_with_audio_node(&pan)?;
        pan.connect_with_audio_node(&self.out)?;
        let until = match loop_from {
            Some(offset_sec) => {
                source.set_loop(true);
                source.start_with_when_and_grain_offset(0.0, offset_sec)?;
                f64::INFINITY
            }
            None => {
                source.start()?;
                self.context.current_time() + buffer.duration()
            }
        };
        let voice = Voice {
            source,
            gain,
            pan,
            until,
        };
        self.voices.insert(id, voice);
        Ok(())
    }

    /// Sounds are heard in one channel: their side is the listener's matter.
    fn buffer_of(&mut self, sound: &Arc<Sound>) -> Result<AudioBuffer, JsValue> {
        let address = Arc::as_ptr(sound) as usize;
        if let Some((_, buffer)) = self.prepared.get(&address) {
            return Ok(buffer.clone());
        }
        let frames = music::stereo(&sound.samples, sound.channels);
        let buffer = self.buffer(&frames, 1, sound.rate)?;
        self.prepared
            .insert(address, (Arc::clone(sound), buffer.clone()));
        Ok(buffer)
    }

    fn buffer(
        &self,
        frames: &[[f32; 2]],
        channels: u32,
        rate: u32,
    ) -> Result<AudioBuffer, JsValue> {
        let length = u32::try_from(frames.len()).unwrap_or(u32::MAX).max(1);
        let buffer = self.context.create_buffer(channels, length, rate as f32)?;
        for channel in 0..channels {
            let pick = |frame: &[f32; 2]| match channels {
                1 => (frame[0] + frame[1]) * 0.5,
                _ => frame[channel as usize],
            };
            let samples: Vec<f32> = frames.iter().map(pick).collect();
            buffer.copy_to_channel(&samples, channel as i32)?;
        }
        Ok(buffer)
    }

    fn glide(&self, param: &AudioParam, value: f32) -> Result<(), JsValue> {
        let now = self.context.current_time();
        param.set_target_at_time(value, now, GLIDE_SEC / 3.0)?;
        Ok(())
    }
}

/// What all nodes that begin and end have in common.
fn scheduled(source: &AudioBufferSourceNode) -> &AudioScheduledSourceNode {
    source
}

/// Loudness and side whose product is the wanted factor for each ear: a panner's sides are cosine and sine.
fn loudness(mix: Mix) -> (f32, f32) {
    let gain = mix.left.hypot(mix.right);
    if gain <= 0.0 {
        return (0.0, 0.0);
    }
    (gain, mix.right.atan2(mix.left) / FRAC_PI_2 * 2.0 - 1.0)
}
