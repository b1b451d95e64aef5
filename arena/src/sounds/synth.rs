//! Sounds from oscillators, noise, filters and envelopes, and WAV files of them.

use crate::noise::NoiseRng;
use std::f32::consts::TAU;

/// Most sounds have as many samples per second; what must be crisp has twice as many.
pub(crate) const RATE: u32 = 11_025;
pub(crate) const CRISP: u32 = 22_050;

/// Distance between the levels of a file that are used.
const LEVEL: f32 = 3.0;

/// Samples from -1 to 1.
#[derive(Clone, Debug)]
pub(crate) struct Wave {
    pub rate: u32,
    pub samples: Vec<f32>,
}

/// Asks for each sample by its time in seconds.
pub(crate) fn wave(rate: u32, seconds: f32, mut sample: impl FnMut(f32) -> f32) -> Wave {
    let count = (seconds * rate as f32) as usize;
    Wave {
        rate,
        samples: (0..count)
            .map(|index| sample(index as f32 / rate as f32))
            .collect(),
    }
}

impl Wave {
    /// Laid over another, from a time on.
    pub(crate) fn with(mut self, other: &Self, at: f32, volume: f32) -> Self {
        let first = (at * self.rate as f32) as usize;
        let end = first + other.samples.len();
        self.samples.resize(self.samples.len().max(end), 0.0);
        for (sample, extra) in self.samples[first..].iter_mut().zip(&other.samples) {
            *sample += extra * volume;
        }
        self
    }

    /// The end flows into the beginning, over a tenth of the whole.
    pub(crate) fn looped(mut self) -> Self {
        let fade = self.samples.len() / 10;
        let keep = self.samples.len() - fade;
        for index in 0..fade {
            let share = index as f32 / fade as f32;
            let tail = self.samples[keep + index];
            self.samples[index] = self.samples[index] * share + tail * (1.0 - share);
        }
        self.samples.truncate(keep);
        self
    }

    /// A WAV file of 8 bits per sample, as loud as `volume`; silence at the end is cut. Of the levels only every
    /// third is used: nobody hears it in a game, and the pak is much smaller.
    pub(crate) fn file(&self, volume: f32) -> Vec<u8> {
        let loudest = self
            .samples
            .iter()
            .fold(0.001_f32, |most, sample| most.max(sample.abs()));
        let mut data: Vec<u8> = self
            .samples
            .iter()
            .map(|sample| {
                let level = (sample / loudest * volume * 127.0 / LEVEL).round() * LEVEL;
                (128.0 + level).clamp(0.0, 255.0) as u8
            })
            .collect();
        while data.len() > 64 && data.last() == Some(&128) {
            data.pop();
        }
        if data.len() % 2 == 1 {
            data.push(128);
        }
        let mut out = b"RIFF".to_vec();
        out.extend((36 + data.len() as u32).to_le_bytes());
        out.extend(b"WAVEfmt ");
        out.extend(16_u32.to_le_bytes());
        for word in [1_u16, 1] {
            out.extend(word.to_le_bytes());
        }
        out.extend(self.rate.to_le_bytes());
        out.extend(self.rate.to_le_bytes());
        for word in [1_u16, 8] {
            out.extend(word.to_le_bytes());
        }
        out.extend(b"data");
        out.extend((data.len() as u32).to_le_bytes());
        out.extend(data);
        out
    }
}

/// A tone whose pitch may change while it sounds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tone {
    phase: f32,
}

impl Tone {
    fn step(&mut self, hertz: f32, rate: u32) -> f32 {
        self.phase = (self.phase + hertz / rate as f32).fract();
        self.phase
    }

    pub(crate) fn sine(&mut self, hertz: f32, rate: u32) -> f32 {
        libm::sinf(self.step(hertz, rate) * TAU)
    }

    pub(crate) fn saw(&mut self, hertz: f32, rate: u32) -> f32 {
        self.step(hertz, rate) * 2.0 - 1.0
    }

    pub(crate) fn square(&mut self, hertz: f32, rate: u32) -> f32 {
        if self.step(hertz, rate) < 0.5 {
            1.0
        } else {
            -1.0
        }
    }
}

/// A filter that lets low pass, a band, or high, with a resonance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Filter {
    low: f32,
    band: f32,
}

impl Filter {
    /// Low, band and high part of the input; `ring` from 0 (dull) to 1 (rings).
    fn run(&mut self, input: f32, hertz: f32, ring: f32, rate: u32) -> [f32; 3] {
        let nyquist = rate as f32 * 0.23;
        let f = 2.0 * libm::sinf(TAU / 2.0 * hertz.clamp(10.0, nyquist) / rate as f32);
        let damping = 1.9 - ring * 1.8;
        self.low += f * self.band;
        let high = input - self.low - damping * self.band;
        self.band += f * high;
        [self.low, self.band, high]
    }

    pub(crate) fn band(&mut self, input: f32, hertz: f32, ring: f32, rate: u32) -> f32 {
        self.run(input, hertz, ring, rate)[1]
    }
}

/// White noise through a filter.
#[derive(Clone, Debug)]
pub(crate) struct FilteredNoise {
    pub chance: NoiseRng,
    filter: Filter,
}

impl FilteredNoise {
    pub(crate) fn new(seed: u32) -> Self {
        Self {
            chance: NoiseRng::new(seed),
            filter: Filter::default(),
        }
    }

    /// The noise alone.
    pub(crate) fn white(&mut self) -> f32 {
        noise(&mut self.chance)
    }

    pub(crate) fn low(&mut self, hertz: f32, ring: f32, rate: u32) -> f32 {
        let input = self.white();
        self.filter.run(input, hertz, ring, rate)[0]
    }

    pub(crate) fn band(&mut self, hertz: f32, ring: f32, rate: u32) -> f32 {
        let input = self.white();
        self.filter.run(input, hertz, ring, rate)[1]
    }

    pub(crate) fn high(&mut self, hertz: f32, rate: u32) -> f32 {
        let input = self.white();
        self.filter.run(input, hertz, 0.3, rate)[2]
    }
}

/// White noise.
pub(crate) fn noise(chance: &mut NoiseRng) -> f32 {
    chance.unit() * 2.0 - 1.0
}

/// Rises in `attack` seconds, then falls to a third in each `decay`.
pub(crate) fn fall(t: f32, attack: f32, decay: f32) -> f32 {
    if t < attack {
        t / attack
    } else {
        libm::expf(-(t - attack) / decay)
    }
}

/// From one value to another, quickly at first.
pub(crate) fn glide(from: f32, to: f32, t: f32, time: f32) -> f32 {
    to + (from - to) * libm::expf(-t / time)
}

/// The pitch of a note: 0 is the A of 220 Hz, 12 an octave higher.
pub(crate) fn note(semitones: f32) -> f32 {
    220.0 * libm::exp2f(semitones / 12.0)
}
