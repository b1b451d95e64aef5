//! Pictures in fewer bytes: what a relay makes of those in paks, for who plays over a line.
//!
//! The colors are a JPEG image. Alpha, where there is any, lies behind it as a PNG image of gray, without loss, because
//! tests of alpha decide what is seen at all.

use super::reader::Reader;
use crate::base::error::DecodeError;

/// What no picture of the game begins with.
const MARK: [u8; 8] = *b"\x89Strafe1";
const SUBJECT: &str = "light picture";

/// The parts of such a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightImage<'a> {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// A JPEG file.
    pub color: &'a [u8],
    /// A PNG file with one channel; empty where every pixel is opaque.
    pub alpha: &'a [u8],
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
        Ok(Self {
            size,
            color: reader.bytes(color_size)?,
            alpha: reader.rest(),
        })
    }

    /// The bytes of the file; `None` if the colors take more than a file can say.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let [width, height] = self.size.map(u32::to_le_bytes);
        let color_size = u32::try_from(self.color.len()).ok()?.to_le_bytes();
        Some(
            [
                &MARK[..],
                &width,
                &height,
                &color_size,
                self.color,
                self.alpha,
            ]
            .concat(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_and_cuts_are_errors() {
        for alpha in [&b""[..], b"alpha"] {
            let image = LightImage {
                size: [640, 3],
                color: b"color",
                alpha,
            };
            let bytes = image.to_bytes().unwrap();
            assert!(is_light(&bytes));
            assert_eq!(size_of(&bytes[..16]), Some([640, 3]));
            assert_eq!(LightImage::parse(&bytes), Ok(image));
            for cut in 0..bytes.len() - alpha.len() {
                assert!(LightImage::parse(&bytes[..cut]).is_err(), "{cut}");
            }
        }
        assert!(LightImage::parse(b"\xff\xd8\xff\xe0 no such picture").is_err());
        assert_eq!(size_of(b"\x89Strafe"), None);
    }
}
