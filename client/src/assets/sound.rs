//! Sound: samples ready to be mixed.

use super::decode::extension;
use shared::formats::wav::Wav;

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

/// Decodes a sound file by the extension of its name.
pub(super) fn decode(name: &str, bytes: &[u8]) -> Result<Sound, String> {
    match extension(name) {
        "wav" => {
            let Wav {
                rate,
                channels,
                samples,
            } = Wav::parse(bytes).map_err(|error| error.to_string())?;
            Ok(Sound {
                name: name.to_owned(),
                rate,
                channels,
                samples,
            })
        }
        other => Err(format!("{other:?} is not a sound format of the game")),
    }
}
