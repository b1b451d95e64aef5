//! Music: an intro once, then the rest again and again, unpacked while it plays.

use crate::assets::sound::{self, Music, Sound};
use std::sync::Arc;

/// Music without end: blocks of samples, one after the other.
#[derive(Debug)]
pub struct Tune {
    intro: Option<Part>,
    rest: Part,
    source: Source,
    /// Samples per second and channel, of the part that plays.
    rate: u32,
    channels: u8,
}

/// One file of a tune.
#[derive(Clone, Debug)]
pub struct Part {
    pub name: String,
    pub bytes: Arc<[u8]>,
}

/// Some samples of a tune.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Samples per second and channel.
    pub rate: u32,
    /// Left and right from −1 to 1.
    pub frames: Vec<[f32; 2]>,
}

#[derive(Debug)]
enum Source {
    Streamed(Box<Music>),
    Whole(Sound, usize),
}

/// Files that are not streamed are decoded as a whole; six minutes in stereo.
const MAX_WHOLE_BYTES: usize = 64 << 20;
/// So many frames of a sound that is not streamed are one block.
const BLOCK_FRAMES: usize = 4096;

impl Tune {
    /// Opens the files; fails if one cannot be played.
    pub fn open(intro: Option<Part>, rest: Part) -> Result<Self, String> {
        // A tune that cannot go on after its intro is told now rather than minutes later.
        let (mut source, mut rate, mut channels) = open(&rest)?;
        if let Some(intro) = &intro {
            (source, rate, channels) = open(intro)?;
        }
        Ok(Self {
            intro,
            rest,
            source,
            rate,
            channels,
        })
    }

    /// Samples per second and channel, at the moment.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// The next samples; `None` if there is nothing to repeat.
    pub fn next_block(&mut self) -> Option<Block> {
        if let Some(block) = self.read() {
            return Some(block);
        }
        self.intro = None;
        (self.source, self.rate, self.channels) = open(&self.rest).ok()?;
        self.read()
    }

    fn read(&mut self) -> Option<Block> {
        let samples = match &mut self.source {
            Source::Streamed(music) => music.next_block()?,
            Source::Whole(sound, at) => {
                let from = *at;
                *at = (from + BLOCK_FRAMES * usize::from(self.channels)).min(sound.samples.len());
                if from == *at {
                    return None;
                }
                sound.samples[from..*at].to_vec()
            }
        };
        Some(Block {
            rate: self.rate,
            frames: stereo(&samples, self.channels),
        })
    }
}

/// Samples as pairs; one channel is heard in both ears.
pub fn stereo(samples: &[i16], channels: u8) -> Vec<[f32; 2]> {
    let scaled = |sample: i16| f32::from(sample) / 32768.0;
    if channels == 2 {
        let pairs = samples.chunks_exact(2);
        pairs
            .map(|pair| [scaled(pair[0]), scaled(pair[1])])
            .collect()
    } else {
        samples.iter().map(|&sample| [scaled(sample); 2]).collect()
    }
}

fn open(part: &Part) -> Result<(Source, u32, u8), String> {
    if part.name.ends_with(".ogg") {
        let music = Music::open(part.bytes.clone())?;
        let (rate, channels) = (music.rate, music.channels);
        return Ok((Source::Streamed(Box::new(music)), rate, channels));
    }
    if part.bytes.len() > MAX_WHOLE_BYTES {
        return Err(format!(
            "left out, because only Ogg files may have more than {} MB",
            MAX_WHOLE_BYTES >> 20
        ));
    }
    let sound = sound::decode(&part.name, &part.bytes)?;
    let (rate, channels) = (sound.rate, sound.channels);
    Ok((Source::Whole(sound, 0), rate, channels))
}
