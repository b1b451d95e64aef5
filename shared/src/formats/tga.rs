//! Targa images as the reference client reads them.

use super::reader::Reader;
use crate::base::error::DecodeError;

const SUBJECT: &str = "TGA image";
/// More than any texture of the game; bounds what a forged header can make us allocate.
const MAX_SIZE: usize = 8192;

/// Pixels as RGBA, 8 bits each, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tga {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}

impl Tga {
    /// Rows are taken as stored from the bottom whatever the header says, and the fourth byte as
    /// alpha even if the header declares it unused: the game's files rely on both.
    ///
    /// # Errors
    /// It is a kind of image that the game does not know, is cut off or too large.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(SUBJECT, bytes);
        let id_size = reader.u8()?;
        let color_map = reader.u8()?;
        let kind = reader.u8()?;
        reader.bytes(9)?; // color map, origin
        let (width, height) = (usize::from(reader.u16()?), usize::from(reader.u16()?));
        let bits = reader.u8()?;
        reader.u8()?; // descriptor
        let is_supported = matches!((kind, bits), (2 | 10, 24 | 32) | (3, 8));
        if !is_supported {
            return Err(reader.error(format!(
                "type {kind} with {bits} bits is not one the game reads"
            )));
        }
        if color_map != 0 && kind != 2 {
            return Err(reader.error("color maps are not supported"));
        }
        if width == 0 || height == 0 || width > MAX_SIZE || height > MAX_SIZE {
            return Err(reader.error(format!("the size {width} × {height} is not possible")));
        }
        reader.bytes(usize::from(id_size))?;
        let count = width * height;
        let pixels = match (kind, bits) {
            (10, 24) => read_packets(&mut reader, count, opaque),
            (10, _) => read_packets(&mut reader, count, translucent),
            (_, 24) => read_pixels(&mut reader, count, opaque),
            (_, 32) => read_pixels(&mut reader, count, translucent),
            _ => read_pixels(&mut reader, count, grey),
        };
        let mut pixels = pixels?.into_flattened();
        flip_rows(&mut pixels, width * 4);
        Ok(Self {
            width: width as u32,
            height: height as u32,
            rgba: pixels,
        })
    }
}

/// Pixels of `N` bytes each, one behind the other.
fn read_pixels<const N: usize>(
    reader: &mut Reader<'_>,
    count: usize,
    rgba: impl Fn(&[u8; N]) -> [u8; 4],
) -> Result<Vec<[u8; 4]>, DecodeError> {
    let pixels = reader.bytes(count * N)?.as_chunks().0;
    Ok(pixels.iter().map(rgba).collect())
}

/// Run-length packets, which may go on from row to row.
fn read_packets<const N: usize>(
    reader: &mut Reader<'_>,
    count: usize,
    rgba: impl Fn(&[u8; N]) -> [u8; 4],
) -> Result<Vec<[u8; 4]>, DecodeError> {
    // A packet of N + 1 bytes yields 128 pixels at most.
    if count > (reader.remaining() / (N + 1) + 1) * 128 {
        return Err(reader.error("there is too little data for the size"));
    }
    let mut pixels = Vec::with_capacity(count);
    while pixels.len() < count {
        let head = reader.u8()?;
        let run = (usize::from(head & 0x7f) + 1).min(count - pixels.len());
        if head & 0x80 != 0 {
            let pixel = reader.bytes(N)?.as_chunks().0[0];
            pixels.resize(pixels.len() + run, rgba(&pixel));
        } else {
            let raw = reader.bytes(run * N)?.as_chunks().0;
            pixels.extend(raw.iter().map(&rgba));
        }
    }
    Ok(pixels)
}

fn grey(&[grey]: &[u8; 1]) -> [u8; 4] {
    [grey, grey, grey, 255]
}

fn opaque(&[blue, green, red]: &[u8; 3]) -> [u8; 4] {
    [red, green, blue, 255]
}

fn translucent(&[blue, green, red, alpha]: &[u8; 4]) -> [u8; 4] {
    [red, green, blue, alpha]
}

fn flip_rows(pixels: &mut [u8], row_size: usize) {
    let rows = pixels.len() / row_size;
    for row in 0..rows / 2 {
        let (upper, lower) = pixels.split_at_mut((rows - 1 - row) * row_size);
        upper[row * row_size..][..row_size].swap_with_slice(&mut lower[..row_size]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tga(kind: u8, size: [u8; 2], bits: u8, data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![
            1, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, size[0], 0, size[1], 0, bits, 0x20, b'!',
        ];
        bytes.extend(data);
        bytes
    }

    #[test]
    fn rows_are_stored_from_the_bottom() {
        let image = Tga::parse(&tga(2, [1, 2], 24, &[1, 2, 3, 4, 5, 6])).unwrap();
        assert_eq!(image.rgba, [6, 5, 4, 255, 3, 2, 1, 255]);
    }

    #[test]
    fn packets_cross_rows_and_keep_alpha() {
        let image =
            Tga::parse(&tga(10, [2, 2], 32, &[0x82, 1, 2, 3, 4, 0x00, 5, 6, 7, 8])).unwrap();
        assert_eq!(image.rgba, [3, 2, 1, 4, 7, 6, 5, 8, 3, 2, 1, 4, 3, 2, 1, 4]);
    }

    #[test]
    fn grey_becomes_opaque() {
        let image = Tga::parse(&tga(3, [2, 1], 8, &[0, 200])).unwrap();
        assert_eq!(image.rgba, [0, 0, 0, 255, 200, 200, 200, 255]);
    }

    #[test]
    fn impossible_files_are_refused_before_allocating() {
        let mut huge = tga(10, [0, 0], 32, &[0x82]);
        huge[12..16].copy_from_slice(&[0, 32, 0, 32]);
        let error = Tga::parse(&huge).expect_err("cut off").to_string();
        assert!(error.contains("too little data"), "{error}");
        assert!(Tga::parse(&tga(1, [1, 1], 8, &[0])).is_err());
        assert!(Tga::parse(&tga(2, [0, 1], 24, &[])).is_err());
    }
}
