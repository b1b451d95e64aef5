//! PCX images with a palette of 256 colors.

use super::reader::Reader;
use crate::base::error::DecodeError;

const SUBJECT: &str = "PCX image";
const PALETTE_SIZE: usize = 768;
/// The reference refuses larger ones.
const MAX_SIZE: usize = 1024;
/// One run covers at most this many pixels with two bytes.
const MAX_RUN: usize = 63;

/// Pixels as RGBA, 8 bits each, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pcx {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}

impl Pcx {
    /// Reads a `.pcx` file.
    ///
    /// # Errors
    /// It is no PCX image of 256 colors, is cut off or too large.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(SUBJECT, bytes);
        let [maker, _version, encoding, bits] = reader.array()?;
        let (left, top) = (reader.u16()?, reader.u16()?);
        let (right, bottom) = (reader.u16()?, reader.u16()?);
        reader.bytes(53)?; // resolution, small palette, reserved
        let planes = reader.u8()?;
        let row_size = usize::from(reader.u16()?);
        reader.bytes(60)?;
        if maker != 10 || encoding != 1 || bits != 8 || planes != 1 {
            return Err(reader.error("only run-length images with 256 colors are supported"));
        }
        let size = |from: u16, to: u16| usize::from(to.saturating_sub(from)) + 1;
        let (width, height) = (size(left, right), size(top, bottom));
        let data_size = reader.remaining().saturating_sub(PALETTE_SIZE + 1);
        let is_possible = width <= MAX_SIZE && height <= MAX_SIZE && row_size >= width;
        if !is_possible || row_size * height > (data_size + 1) * MAX_RUN {
            return Err(reader.error(format!("the size {width} × {height} is not possible")));
        }
        let Some(palette) = bytes.last_chunk::<PALETTE_SIZE>() else {
            return Err(reader.error("the palette is missing"));
        };
        let mut data = reader.take(data_size)?;
        let indices = read_runs(&mut data, row_size * height)?;
        let rgba = indices
            .chunks_exact(row_size)
            .flat_map(|row| &row[..width])
            .flat_map(|&index| {
                let at = usize::from(index) * 3;
                [palette[at], palette[at + 1], palette[at + 2], 255]
            })
            .collect();
        Ok(Self {
            width: width as u32,
            height: height as u32,
            rgba,
        })
    }
}

fn read_runs(data: &mut Reader<'_>, count: usize) -> Result<Vec<u8>, DecodeError> {
    let mut indices = Vec::with_capacity(count);
    while indices.len() < count {
        let byte = data.u8()?;
        if byte & 0xc0 == 0xc0 {
            let value = data.u8()?;
            let run = usize::from(byte & 0x3f).min(count - indices.len());
            indices.extend(std::iter::repeat_n(value, run));
        } else {
            indices.push(byte);
        }
    }
    Ok(indices)
}

#[cfg(test)]
mod tests {
    use super::Pcx;

    #[test]
    fn runs_and_palette() {
        let mut bytes = vec![10, 5, 1, 8, 0, 0, 0, 0, 1, 0, 1, 0];
        bytes.extend([0; 53]);
        bytes.extend([1, 2, 0]);
        bytes.extend([0; 60]);
        bytes.extend([0xc3, 1, 2, 12]);
        bytes.extend((0..=255).flat_map(|i| [i, 0, 9]));
        let image = Pcx::parse(&bytes).unwrap();
        assert_eq!((image.width, image.height), (2, 2));
        assert_eq!(
            image.rgba,
            [1, 0, 9, 255, 1, 0, 9, 255, 1, 0, 9, 255, 2, 0, 9, 255]
        );
        assert!(Pcx::parse(&bytes[..200]).is_err());
    }
}
