//! Pictures, sounds, maps and models in fewer bytes: what a relay makes of those in paks for players over a line.
//!
//! A picture's colors are a JPEG image. Alpha, where there is any, lies behind it without loss,
//! because tests of alpha decide what is seen at all. A sound is an Ogg Vorbis file behind its length, so that it loops
//! as the exact one does and its memory is known before it is decoded. A map or model is packed
//! better than in a pak and stays exact, but for a map's light: its lightmaps are a JPEG image, and the numbers of the light
//! grid are rounded.

use super::bsp::LIGHTMAP_SIZE;
use super::reader::Reader;
use crate::base::error::DecodeError;

/// What no picture of the game begins with.
const MARK: [u8; 8] = *b"\x89Strafe2";
const SUBJECT: &str = "light picture";
/// What no sound of the game begins with.
const SOUND_MARK: [u8; 8] = *b"\x89StrafeS";
/// What no map and no model begins with.
const FILE_MARK: [u8; 8] = *b"\x89StrafeF";

/// The parts of such a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightImage<'a> {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// A JPEG file.
    pub color: &'a [u8],
    /// A byte per pixel, each less the one that [`AlphaFilter`] names, packed by Zstandard; nothing where every pixel is opaque.
    pub alpha: Option<(AlphaFilter, &'a [u8])>,
}

/// What each pixel's alpha is written as the difference to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaFilter {
    /// Itself.
    Nothing,
    /// The pixel on the left, in the first column the last one of the row above.
    Left,
    /// The pixel in the row above.
    Above,
}

impl AlphaFilter {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Left, Self::Above];

    /// Turns alpha in rows of this many pixels into differences.
    pub fn apply(self, plane: &[u8], width: usize) -> Vec<u8> {
        let before = [&vec![0; self.distance(width)], plane].concat();
        match self {
            Self::Nothing => plane.to_vec(),
            Self::Left | Self::Above => (plane.iter().zip(before))
                .map(|(value, before)| value.wrapping_sub(before))
                .collect(),
        }
    }

    /// Undoes [`AlphaFilter::apply`].
    pub fn undo(self, plane: &mut [u8], width: usize) {
        let distance = self.distance(width);
        if self != Self::Nothing {
            for at in distance..plane.len() {
                plane[at] = plane[at].wrapping_add(plane[at - distance]);
            }
        }
    }

    fn distance(self, width: usize) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Left => 1,
            Self::Above => width,
        }
    }
}

/// Whether a file that begins so is one, whatever its name says.
pub fn is_light(head: &[u8]) -> bool {
    head.starts_with(&MARK)
}

/// Width and height in pixels by the first 16 bytes of a file; `None` if it is no such picture or fewer bytes are given.
pub fn size_of(head: &[u8]) -> Option<[u32; 2]> {
    let sides = head.strip_prefix(&MARK)?.first_chunk::<8>()?;
    let [a, b, c, d, e, f, g, h] = *sides;
    Some([
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    ])
}

impl<'a> LightImage<'a> {
    /// Takes a file apart.
    ///
    /// # Errors
    /// It is no such picture, or cut off.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(SUBJECT, bytes);
        if reader.array::<8>()? != MARK {
            return Err(reader.error("its mark is missing"));
        }
        let size = [reader.u32()?, reader.u32()?];
        let color_size = reader.u32()? as usize;
        let color = reader.bytes(color_size)?;
        let alpha = match reader.rest().split_first() {
            None => None,
            Some((&number, packed)) => {
                let alpha = AlphaFilter::ALL.get(usize::from(number));
                let alpha = alpha.ok_or_else(|| reader.error("its alpha is of an unknown kind"))?;
                Some((*alpha, packed))
            }
        };
        Ok(Self { size, color, alpha })
    }

    /// The bytes of the file; `None` if the colors take more than a file can say.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let [width, height] = self.size.map(u32::to_le_bytes);
        let color_size = u32::try_from(self.color.len()).ok()?.to_le_bytes();
        let alpha = (self.alpha).map(|(alpha, packed)| [&[alpha as u8], packed].concat());
        Some(
            [
                &MARK[..],
                &width,
                &height,
                &color_size,
                self.color,
                &alpha.unwrap_or_default(),
            ]
            .concat(),
        )
    }
}

/// The parts of such a sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightSound<'a> {
    /// How many samples it has, of all channels together.
    pub samples: u32,
    /// An Ogg Vorbis file with as many, or a few more.
    pub vorbis: &'a [u8],
}

impl<'a> LightSound<'a> {
    /// The most samples of one: about three minutes in stereo. What is longer stays as it is.
    pub const MAX_SAMPLES: u32 = 16 << 20;

    /// How many samples a file has that begins so, of all channels together; `None` if it is no such sound.
    pub fn samples_of(head: &[u8]) -> Option<u32> {
        let samples = head.strip_prefix(&SOUND_MARK)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*samples))
    }

    /// Takes a file apart; `None` if it is no such sound.
    pub fn find(bytes: &'a [u8]) -> Option<Self> {
        let samples = Self::samples_of(bytes)?;
        let vorbis = &bytes[SOUND_MARK.len() + 4..];
        Some(Self { samples, vorbis })
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&SOUND_MARK[..], &self.samples.to_le_bytes(), self.vorbis].concat()
    }
}

/// The parts of such a map or model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightFile<'a> {
    /// How many bytes the exact file has.
    pub size: u32,
    /// Where a map's lightmaps lie in it, and how many bytes they take there.
    pub lightmaps: (u32, u32),
    /// All its other bytes, as [`to_columns`](super::columns::to_columns) leaves them, packed by Zstandard.
    pub rest: &'a [u8],
    /// A JPEG file of the lightmaps, one below the other; empty where there are none.
    pub jpeg: &'a [u8],
}

impl<'a> LightFile<'a> {
    /// The most lightmaps that a JPEG file holds. A map with more stays as it is.
    pub const MAX_LIGHTMAPS: usize = 65_535 / LIGHTMAP_SIZE;

    /// Whether a file that begins so is one.
    pub fn is_one(head: &[u8]) -> bool {
        head.starts_with(&FILE_MARK)
    }

    /// Takes a file apart.
    ///
    /// # Errors
    /// It is no such file, cut off, or its lightmaps lie outside of it.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("light file", bytes);
        if reader.array::<8>()? != FILE_MARK {
            return Err(reader.error("its mark is missing"));
        }
        let size = reader.u32()?;
        let (start, length) = (reader.u32()?, reader.u32()?);
        if start.checked_add(length).is_none_or(|end| end > size) {
            return Err(reader.error("its lightmaps lie outside of it"));
        }
        let rest_size = reader.u32()? as usize;
        Ok(Self {
            size,
            lightmaps: (start, length),
            rest: reader.bytes(rest_size)?,
            jpeg: reader.rest(),
        })
    }

    /// The bytes of the file; `None` if the rest takes more than a file can say.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let rest_size = u32::try_from(self.rest.len()).ok()?;
        let (start, length) = self.lightmaps;
        let numbers = [self.size, start, length, rest_size].map(u32::to_le_bytes);
        Some([&FILE_MARK[..], &numbers.concat(), self.rest, self.jpeg].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back_and_cuts_are_errors() {
        let file = LightFile {
            size: 1000,
            lightmaps: (200, 800),
            rest: b"rest",
            jpeg: b"jpeg",
        };
        let bytes = file.to_bytes().unwrap();
        assert!(LightFile::is_one(&bytes) && !is_light(&bytes));
        assert_eq!(LightFile::parse(&bytes), Ok(file));
        for cut in 0..bytes.len() - 4 {
            assert!(LightFile::parse(&bytes[..cut]).is_err(), "{cut}");
        }
        for lightmaps in [(201, 800), (u32::MAX, 2)] {
            let outside = LightFile { lightmaps, ..file };
            assert!(LightFile::parse(&outside.to_bytes().unwrap()).is_err());
        }
    }

    #[test]
    fn a_sound_comes_back_and_says_its_length() {
        let sound = LightSound {
            samples: 70_000,
            vorbis: b"OggS",
        };
        let bytes = sound.to_bytes();
        assert_eq!(LightSound::samples_of(&bytes[..12]), Some(70_000));
        assert_eq!(LightSound::find(&bytes), Some(sound));
        assert!(!is_light(&bytes));
        for cut in 0..12 {
            assert_eq!(LightSound::find(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(LightSound::find(b"RIFF    WAVEfmt "), None);
    }

    #[test]
    fn alpha_comes_back() {
        let plane: Vec<u8> = (0..60).map(|at| (at * at % 251) as u8).collect();
        for alpha in AlphaFilter::ALL {
            let mut written = alpha.apply(&plane, 12);
            assert_eq!(written == plane, alpha == AlphaFilter::Nothing);
            alpha.undo(&mut written, 12);
            assert_eq!(written, plane, "{alpha:?}");
        }
        assert_eq!(AlphaFilter::Left.apply(&[9, 9, 9, 10], 2), [9, 0, 0, 1]);
        assert_eq!(AlphaFilter::Above.apply(&[9, 8, 9, 10], 2), [9, 8, 0, 2]);
    }

    #[test]
    fn parts_come_back_and_cuts_are_errors() {
        for alpha in [None, Some((AlphaFilter::Above, &b"alpha"[..]))] {
            let image = LightImage {
                size: [640, 3],
                color: b"color",
                alpha,
            };
            let bytes = image.to_bytes().unwrap();
            assert!(is_light(&bytes));
            assert_eq!(size_of(&bytes[..16]), Some([640, 3]));
            assert_eq!(LightImage::parse(&bytes), Ok(image));
            for cut in 0..bytes.len() - alpha.map_or(0, |(_, packed)| packed.len() + 1) {
                assert!(LightImage::parse(&bytes[..cut]).is_err(), "{cut}");
            }
            if alpha.is_some() {
                let mut unknown = bytes.clone();
                unknown[25] = 3;
                assert!(LightImage::parse(&unknown).is_err());
            }
        }
        assert!(LightImage::parse(b"\xff\xd8\xff\xe0 no such picture").is_err());
        assert_eq!(size_of(b"\x89Strafe"), None);
    }
}
