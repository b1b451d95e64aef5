//! WAV sounds: uncompressed samples of 8 or 16 bits.

use super::reader::Reader;
use crate::base::error::DecodeError;

const SUBJECT: &str = "WAV sound";

/// Samples as they lie in the file, all with 16 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wav {
    /// Samples per second and channel.
    pub rate: u32,
    /// 1 or 2.
    pub channels: u8,
    /// Left and right in turn if there are two channels.
    pub samples: Vec<i16>,
}

struct Format {
    rate: u32,
    channels: u8,
    bits: u16,
}

impl Wav {
    /// Reads a `.wav` file.
    ///
    /// # Errors
    /// It is no WAV file, is cut off, or holds no plain samples of 8 or 16 bits in one or two channels.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(SUBJECT, bytes);
        if reader.bytes(4)? != b"RIFF" {
            return Err(reader.error("the letters RIFF are missing at the start"));
        }
        reader.u32()?; // size of the whole, often wrong
        if reader.bytes(4)? != b"WAVE" {
            return Err(reader.error("the letters WAVE are missing"));
        }
        let mut format = None;
        while reader.remaining() >= 8 {
            let kind = reader.array::<4>()?;
            let size = reader.u32()? as usize;
            // The last chunk is often longer on paper than in the file.
            let mut chunk = reader.take(size.min(reader.remaining()))?;
            match &kind {
                b"fmt " => format = Some(read_format(&mut chunk)?),
                b"data" => {
                    let format = format
                        .ok_or_else(|| chunk.error("the samples come before their format"))?;
                    return Ok(read_samples(&format, chunk.rest()));
                }
                _ => {}
            }
            if size % 2 == 1 && reader.remaining() > 0 {
                reader.u8()?;
            }
        }
        Err(reader.error("there are no samples"))
    }
}

fn read_format(chunk: &mut Reader<'_>) -> Result<Format, DecodeError> {
    let codec = chunk.u16()?;
    let channels = chunk.u16()?;
    let rate = chunk.u32()?;
    chunk.bytes(6)?; // bytes per second, bytes per sample of all channels
    let bits = chunk.u16()?;
    // WAVE_FORMAT_EXTENSIBLE names its codec at the end; 16 bits of it are PCM in practice.
    if codec != 1 && codec != 0xfffe {
        return Err(chunk.error(format!("codec {codec} is not plain PCM")));
    }
    if !matches!(channels, 1 | 2) || !matches!(bits, 8 | 16) || !(1000..=192_000).contains(&rate) {
        return Err(chunk.error(format!(
            "{channels} channels of {bits} bits at {rate} Hz are not supported"
        )));
    }
    Ok(Format {
        rate,
        channels: channels as u8,
        bits,
    })
}

fn read_samples(format: &Format, bytes: &[u8]) -> Wav {
    let mut samples: Vec<i16> = if format.bits == 8 {
        bytes
            .iter()
            .map(|&byte| (i16::from(byte) - 128) << 8)
            .collect()
    } else {
        bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| i16::from_le_bytes(*pair))
            .collect()
    };
    samples.truncate(samples.len() - samples.len() % usize::from(format.channels));
    Wav {
        rate: format.rate,
        channels: format.channels,
        samples,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wav(bits: u16, channels: u16, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0".to_vec();
        bytes.extend(channels.to_le_bytes());
        bytes.extend(22050_u32.to_le_bytes());
        bytes.extend([0; 6]);
        bytes.extend(bits.to_le_bytes());
        bytes.extend(b"odd \x01\0\0\0x\0data\xff\0\0\0");
        bytes.extend(data);
        bytes
    }

    #[test]
    fn both_widths_become_16_bits() {
        let narrow = Wav::parse(&wav(8, 1, &[128, 255, 0])).unwrap();
        assert_eq!(
            (narrow.rate, narrow.samples),
            (22050, vec![0, 127 << 8, -128 << 8])
        );
        let wide = Wav::parse(&wav(16, 2, &[1, 0, 255, 255, 9])).unwrap();
        assert_eq!((wide.channels, wide.samples), (2, vec![1, -1]));
    }

    #[test]
    fn odd_files_are_refused_with_a_reason() {
        let check = |bytes: &[u8], reason: &str| {
            let error = Wav::parse(bytes).expect_err(reason).to_string();
            assert!(error.contains(reason), "{error}");
        };
        check(b"RIFX", "RIFF");
        check(b"RIFF\0\0\0\0WAVE", "no samples");
        check(&wav(24, 1, &[]), "not supported");
    }
}
