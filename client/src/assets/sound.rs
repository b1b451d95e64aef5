//! Sound: samples ready to be mixed, and music that is unpacked while it plays.

use super::decode::extension;
use shared::formats::{light::LightSound, wav::Wav};
use std::{fmt, io::Cursor, sync::Arc};
use symphonia::{
    core::{
        audio::SampleBuffer,
        codecs::{Decoder, DecoderOptions},
        formats::{FormatOptions, FormatReader},
        io::MediaSourceStream,
    },
    default::{codecs::VorbisDecoder, formats::OggReader},
};

/// About three minutes in stereo; longer ones are music, which is streamed.
const MAX_SAMPLES: usize = LightSound::MAX_SAMPLES as usize;

/// How many bytes there may be of a sound while a file of this size and with this head is decoded.
pub fn max_bytes(name: &str, size: u64, head: &[u8]) -> u64 {
    match (extension(name), LightSound::samples_of(head)) {
        (_, Some(samples)) => u64::from(samples).min(MAX_SAMPLES as u64) * 2,
        // Samples of 8 bits become 16.
        ("wav", None) => size * 2,
        _ => MAX_SAMPLES as u64 * 2,
    }
}

/// What is wrong with sounds of more than [`MAX_SAMPLES`].
pub(super) const TOO_LONG: &str = "left out, because it is too long; only music may be";

/// A decoded sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sound {
    pub name: String,
    /// Samples per second and channel.
    pub rate: u32,
    /// 1 or 2.
    pub channels: u8,
    /// Left and right in turn if there are two channels.
    pub samples: Vec<i16>,
}

/// Decodes a sound file by the extension of its name, or a light sound.
pub fn decode(name: &str, bytes: &[u8]) -> Result<Sound, String> {
    let mut sound = Sound {
        name: name.to_owned(),
        rate: 0,
        channels: 0,
        samples: Vec::new(),
    };
    if let Some(light) = LightSound::find(bytes) {
        let wanted = (light.samples as usize).min(MAX_SAMPLES);
        sound.unpack_vorbis(light.vorbis, wanted)?;
        // The last block goes beyond the end.
        let odd = wanted % usize::from(sound.channels);
        sound.samples.resize(wanted - odd, 0);
        return Ok(sound);
    }
    match extension(name) {
        "wav" => {
            let wav = Wav::parse(bytes).map_err(|error| error.to_string())?;
            (sound.rate, sound.channels, sound.samples) = (wav.rate, wav.channels, wav.samples);
        }
        "ogg" => {
            sound.unpack_vorbis(bytes, MAX_SAMPLES)?;
            if sound.samples.len() > MAX_SAMPLES {
                return Err(TOO_LONG.into());
            }
        }
        other => return Err(format!("{other:?} is not a sound format of the game")),
    }
    Ok(sound)
}

impl Sound {
    /// Unpacks an Ogg Vorbis file until there are more than `enough` samples.
    fn unpack_vorbis(&mut self, bytes: &[u8], enough: usize) -> Result<(), String> {
        let mut music = Music::open(bytes.into())?;
        (self.rate, self.channels) = (music.rate, music.channels);
        while self.samples.len() <= enough
            && let Some(block) = music.next_block()
        {
            self.samples.extend(block);
        }
        Ok(())
    }
}

/// An Ogg Vorbis file, block by block.
pub struct Music {
    /// Samples per second and channel.
    pub rate: u32,
    /// 1 or 2.
    pub channels: u8,
    reader: OggReader,
    decoder: VorbisDecoder,
    track: u32,
}

impl fmt::Debug for Music {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Music")
            .field("rate", &self.rate)
            .field("channels", &self.channels)
            .finish_non_exhaustive()
    }
}

impl Music {
    /// Reads the head of a file; its end is only found by playing.
    pub fn open(bytes: Arc<[u8]>) -> Result<Self, String> {
        let stream = MediaSourceStream::new(Box::new(Cursor::new(bytes)), Default::default());
        let reader = OggReader::try_new(stream, &FormatOptions::default())
            .map_err(|error| format!("Ogg sound: {error}"))?;
        let track = reader
            .default_track()
            .ok_or("Ogg sound: there is no track")?;
        let params = track.codec_params.clone();
        let track = track.id;
        let decoder = VorbisDecoder::try_new(&params, &DecoderOptions::default())
            .map_err(|error| format!("Ogg sound: {error}"))?;
        let rate = params.sample_rate.ok_or("Ogg sound: there is no rate")?;
        let channels = params.channels.map_or(0, |channels| channels.count());
        if !matches!(channels, 1 | 2) || !(1000..=192_000).contains(&rate) {
            return Err(format!(
                "Ogg sound: {channels} channels at {rate} Hz are not supported"
            ));
        }
        Ok(Self {
            rate,
            channels: channels as u8,
            reader,
            decoder,
            track,
        })
    }

    /// The next samples, left and right in turn; `None` at the end.
    pub fn next_block(&mut self) -> Option<Vec<i16>> {
        loop {
            let packet = self.reader.next_packet().ok()?;
            if packet.track_id() != self.track {
                continue;
            }
            // A damaged packet is a click; the rest of the file is worth playing.
            let Ok(decoded) = self.decoder.decode(&packet) else {
                continue;
            };
            let mut block = SampleBuffer::<i16>::new(decoded.capacity() as u64, *decoded.spec());
            block.copy_interleaved_ref(decoded);
            if !block.is_empty() {
                return Some(block.samples().to_vec());
            }
        }
    }
}
