//! Pictures as files: JPEG for what is opaque, Targa for what has an alpha channel.

use crate::{PakFile, canvas::Canvas};
use image::{ExtendedColorType, codecs::jpeg::JpegEncoder};

/// An opaque picture; `quality` from 1 to 100.
pub(crate) fn jpeg(name: &str, canvas: &Canvas, quality: u8) -> PakFile {
    let rgb: Vec<u8> = canvas
        .bytes()
        .as_chunks::<4>()
        .0
        .iter()
        .flat_map(|&[r, g, b, _]| [r, g, b])
        .collect();
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality)
        .encode(
            &rgb,
            canvas.width as u32,
            canvas.height as u32,
            ExtendedColorType::Rgb8,
        )
        .expect("memory takes any picture below 65536 pixels of width and height");
    PakFile::new(format!("{name}.jpg"), bytes)
}

/// A picture with alpha: uncompressed, for the pak compresses better.
pub(crate) fn targa(name: &str, canvas: &Canvas) -> PakFile {
    let mut bytes = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend((canvas.width as u16).to_le_bytes());
    bytes.extend((canvas.height as u16).to_le_bytes());
    bytes.extend([32, 8]);
    let rgba = canvas.bytes();
    for row in rgba.chunks_exact(canvas.width * 4).rev() {
        bytes.extend(
            row.as_chunks::<4>()
                .0
                .iter()
                .flat_map(|&[r, g, b, a]| [b, g, r, a]),
        );
    }
    PakFile::new(format!("{name}.tga"), bytes)
}
