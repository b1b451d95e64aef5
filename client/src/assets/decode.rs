//! Bytes of image files to pixels.

use super::image::Pixels;
use image::{
    DynamicImage, ImageDecoder, Limits,
    codecs::{bmp::BmpDecoder, png::PngDecoder},
};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use shared::formats::{
    bsp::{LIGHTMAP_BYTES, LIGHTMAP_SIZE},
    columns,
    light::{self, LightFile, LightImage},
    tga::Tga,
};
use std::io::{Cursor, Read};
use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};

/// Wider or higher images are refused before anything is allocated for them.
const MAX_SIZE: u32 = 8192;

/// What it takes to decode and prepare one image at most: enough for 8192 × 8192 pixels of a TGA.
pub const MAX_DECODE_BYTES: u64 = 384 << 20;

/// The size that the head of an image file tells; `None` if it lies further behind, or the file is defective.
pub fn size_of(name: &str, head: &[u8]) -> Option<[u32; 2]> {
    if light::is_light(head) {
        return light::size_of(head);
    }
    let little = |at: usize| Some(u16::from_le_bytes(*head.get(at..)?.first_chunk()?));
    let long = |at: usize| head.get(at..)?.first_chunk::<4>().copied();
    let [width, height] = match extension(name) {
        "tga" => [u32::from(little(12)?), u32::from(little(14)?)],
        "pcx" => {
            let side = |from: u16, to: u16| u32::from(to.saturating_sub(from)) + 1;
            [side(little(4)?, little(8)?), side(little(6)?, little(10)?)]
        }
        "png" => [u32::from_be_bytes(long(16)?), u32::from_be_bytes(long(20)?)],
        // Rows from the top have a negative height.
        "bmp" => [long(18)?, long(22)?].map(|bytes| i32::from_le_bytes(bytes).unsigned_abs()),
        "jpg" | "jpeg" => jpeg_size(head)?,
        _ => return None,
    };
    Some([width, height])
}

/// Looks through the segments for the one that begins the picture.
fn jpeg_size(head: &[u8]) -> Option<[u32; 2]> {
    let mut at = 2;
    loop {
        let &[mark, kind, high, low, ..] = head.get(at..)? else {
            return None;
        };
        match (mark, kind) {
            (0xff, 0xff) => at += 1,
            // All frames but the tables and reserved codes among them.
            (0xff, 0xc0..=0xcf) if !matches!(kind, 0xc4 | 0xc8 | 0xcc) => {
                let &[a, b, c, d] = head.get(at + 5..)?.first_chunk()?;
                return Some(
                    [u16::from_be_bytes([c, d]), u16::from_be_bytes([a, b])].map(u32::from),
                );
            }
            (0xff, _) => at += 2 + usize::from(u16::from_be_bytes([high, low])),
            _ => return None,
        }
    }
}

/// How many bytes there are at once while an image of this size is decoded; an error if those are too many.
pub fn cost(name: &str, is_light: bool, [width, height]: [u32; 2]) -> Result<u64, String> {
    let of_pixel = match extension(name) {
        "tga" | "pcx" if !is_light => 4,
        // Coefficients, or channels of 16 bits, stand beside the pixels.
        _ => 12,
    };
    let pixels = u64::from(width) * u64::from(height);
    let bytes = pixels.saturating_mul(of_pixel);
    if width.max(height) > MAX_SIZE || bytes > MAX_DECODE_BYTES {
        return Err(format!(
            "left out, because {width} × {height} pixels take too much memory"
        ));
    }
    Ok(bytes)
}

/// Decodes an image file by the extension of its name.
pub fn decode(name: &str, bytes: &[u8]) -> Result<Pixels, String> {
    // Decoders that find a larger size than this give up.
    let size = size_of(name, bytes).unwrap_or([4096; 2]);
    let is_light = light::is_light(bytes);
    cost(name, is_light, size)?;
    if is_light {
        return decode_light(bytes, size);
    }
    match extension(name) {
        "tga" => Tga::parse(bytes)
            .map(|tga| Pixels {
                width: tga.width,
                height: tga.height,
                rgba: tga.rgba,
            })
            .map_err(|error| error.to_string()),
        "jpg" | "jpeg" => decode_jpeg(bytes, size),
        "png" => decode_png(bytes, size),
        "bmp" => decode_bmp(bytes, size),
        "pcx" => shared::formats::pcx::Pcx::parse(bytes)
            .map(|pcx| Pixels {
                width: pcx.width,
                height: pcx.height,
                rgba: pcx.rgba,
            })
            .map_err(|error| error.to_string()),
        other => Err(format!("{other:?} is not an image format of the game")),
    }
}

/// What follows the last dot behind the last slash; empty if there is none.
pub fn extension(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// A name without its extension.
pub fn strip_extension(name: &str) -> &str {
    match extension(name) {
        "" => name.strip_suffix('.').unwrap_or(name),
        extension => &name[..name.len() - extension.len() - 1],
    }
}

fn decode_jpeg(bytes: &[u8], [width, height]: [u32; 2]) -> Result<Pixels, String> {
    let options = DecoderOptions::default()
        .set_max_width(width as usize)
        .set_max_height(height as usize)
        .jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let rgba = decoder
        .decode()
        .map_err(|error| format!("JPEG image: {error}"))?;
    let (width, height) = decoder.dimensions().ok_or("JPEG image: there is no size")?;
    if rgba.len() != width * height * 4 {
        return Err(format!(
            "JPEG image: {} bytes for {width} × {height} pixels",
            rgba.len()
        ));
    }
    Ok(Pixels {
        width: width as u32,
        height: height as u32,
        rgba,
    })
}

/// One that a relay has made of another, whose name it has.
fn decode_light(bytes: &[u8], size: [u32; 2]) -> Result<Pixels, String> {
    let LightImage { color, alpha, .. } =
        LightImage::parse(bytes).map_err(|error| error.to_string())?;
    let mut pixels = decode_jpeg(color, size)?;
    if [pixels.width, pixels.height] != size {
        return Err("the light picture has another size than it says".into());
    }
    if let Some((alpha, packed)) = alpha {
        let mut plane = Vec::with_capacity(pixels.rgba.len() / 4);
        Unpacked::begin(packed)?.take(pixels.rgba.len() as u64 / 4, &mut plane)?;
        alpha.undo(&mut plane, pixels.width as usize);
        for (pixel, alpha) in pixels.rgba.chunks_exact_mut(4).zip(plane) {
            pixel[3] = alpha;
        }
    }
    Ok(pixels)
}

/// The file of so many bytes that a light one stands for; all of it is exact but a map's lightmaps.
pub fn decode_light_file(bytes: &[u8], size: u64) -> Result<Vec<u8>, String> {
    let light = LightFile::parse(bytes).map_err(|error| error.to_string())?;
    let (start, length) = light.lightmaps;
    if u64::from(light.size) != size {
        return Err(format!(
            "the light file stands for {} bytes, not for {size}",
            light.size
        ));
    }
    let lightmaps = match light.jpeg {
        [] => Vec::new(),
        jpeg => decode_lightmaps(jpeg, length as usize / LIGHTMAP_BYTES)?,
    };
    let mut file = Vec::with_capacity(size as usize);
    let mut rest = Unpacked::begin(light.rest)?;
    rest.take(u64::from(start), &mut file)?;
    file.extend_from_slice(&lightmaps);
    if file.len() as u64 != u64::from(start + length) {
        return Err("the light file has other lightmaps than it says".into());
    }
    rest.take(u64::from(light.size - start - length), &mut file)?;
    columns::from_columns(&mut file);
    Ok(file)
}

/// What was packed by Zstandard.
struct Unpacked<'a>(StreamingDecoder<&'a [u8], FrameDecoder>);

impl<'a> Unpacked<'a> {
    fn begin(packed: &'a [u8]) -> Result<Self, String> {
        let decoder = StreamingDecoder::new(packed).map_err(|error| fault(&error))?;
        Ok(Self(decoder))
    }

    /// Adds the next so many bytes.
    fn take(&mut self, bytes: u64, file: &mut Vec<u8>) -> Result<(), String> {
        let mut part = self.0.by_ref().take(bytes);
        let read = part.read_to_end(file).map_err(|error| fault(&error))?;
        match read as u64 == bytes {
            true => Ok(()),
            false => Err("the light file is cut off".to_owned()),
        }
    }
}

fn fault(error: &dyn std::fmt::Display) -> String {
    format!("the light file: {error}")
}

/// Lightmaps that lie below each other in a JPEG image.
fn decode_lightmaps(jpeg: &[u8], count: usize) -> Result<Vec<u8>, String> {
    let options = DecoderOptions::default()
        .set_max_width(LIGHTMAP_SIZE)
        .set_max_height(LIGHTMAP_SIZE * count)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(jpeg), options);
    decoder
        .decode()
        .map_err(|error| format!("the light file's lightmaps: {error}"))
}

fn decode_png(bytes: &[u8], size: [u32; 2]) -> Result<Pixels, String> {
    let limits = limits(size);
    let decoder = PngDecoder::with_limits(Cursor::new(bytes), limits.clone());
    decode_with(decoder.map_err(|error| error.to_string())?, limits)
}

fn decode_bmp(bytes: &[u8], size: [u32; 2]) -> Result<Pixels, String> {
    let decoder = BmpDecoder::new(Cursor::new(bytes));
    decode_with(decoder.map_err(|error| error.to_string())?, limits(size))
}

fn limits([width, height]: [u32; 2]) -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(width);
    limits.max_image_height = Some(height);
    limits.max_alloc = Some(MAX_DECODE_BYTES);
    limits
}

fn decode_with(mut decoder: impl ImageDecoder, mut limits: Limits) -> Result<Pixels, String> {
    let decoded = limits
        .reserve(decoder.total_bytes())
        .and_then(|()| decoder.set_limits(limits))
        .and_then(|()| DynamicImage::from_decoder(decoder))
        .map_err(|error| error.to_string())?
        .into_rgba8();
    let (width, height) = decoded.dimensions();
    if width == 0 || height == 0 {
        return Err("the image is empty".into());
    }
    Ok(Pixels {
        width,
        height,
        rgba: decoded.into_raw(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart_at_the_last_dot_of_the_file() {
        for (name, stem, ext) in [
            ("a/b.tga", "a/b", "tga"),
            ("a.b/c", "a.b/c", ""),
            ("a/b.x.jpg", "a/b.x", "jpg"),
            ("a", "a", ""),
        ] {
            assert_eq!(
                (strip_extension(name), extension(name)),
                (stem, ext),
                "{name}"
            );
        }
    }

    #[test]
    fn sizes_are_known_from_the_head() {
        let jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc2\x00\x0b\x08\x01\x02\x03\x04";
        assert_eq!(size_of("x.jpg", jpeg), Some([0x304, 0x102]));
        for cut in 0..jpeg.len() {
            assert_eq!(size_of("x.jpg", &jpeg[..cut]), None, "{cut}");
        }
        let mut bmp = vec![0; 18];
        bmp.extend([3, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(size_of("x.bmp", &bmp), Some([3, 2]));
    }

    #[test]
    fn images_that_take_too_much_are_refused_by_their_head() {
        let side = 16_384_u32.to_be_bytes();
        let png = [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &side, &side].concat();
        let error = decode("x.png", &png).expect_err("too large");
        assert!(error.contains("16384 × 16384"), "{error}");
        // 8192 × 8192 fit if nothing stands beside the pixels.
        assert!(
            cost("x.tga", false, [8192; 2]).is_ok() && cost("x.tga", false, [8193, 1]).is_err()
        );
        assert!(
            cost("x.jpg", false, [8192; 2]).is_err() && cost("x.jpg", false, [4096; 2]).is_ok()
        );
    }

    #[test]
    fn defective_files_are_errors() {
        for name in ["x.tga", "x.jpg", "x.png", "x.bmp", "x.pcx", "x.dds"] {
            assert!(decode(name, b"\xff\xd8 no image").is_err(), "{name}");
        }
    }

    #[test]
    fn a_light_file_becomes_the_exact_one_but_for_its_lightmaps() {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        let pack = |bytes: &[u8]| compress_to_vec(bytes, CompressionLevel::Fastest);
        let model = b"IDP3 a model of the game".repeat(20);
        let light = LightFile {
            size: model.len() as u32,
            lightmaps: (0, 0),
            rest: &pack(&model),
            jpeg: &[],
        };
        let bytes = light.to_bytes().unwrap();
        assert_eq!(
            decode_light_file(&bytes, model.len() as u64),
            Ok(model.clone())
        );
        let problem = decode_light_file(&bytes, 481).unwrap_err();
        assert_eq!(problem, "the light file stands for 480 bytes, not for 481");
        for cut in [10, bytes.len() - 5, bytes.len() - 1] {
            assert!(decode_light_file(&bytes[..cut], 480).is_err(), "{cut}");
        }
        // Two lightmaps between two halves of the rest.
        let gray = image::RgbImage::from_pixel(128, 256, image::Rgb([90; 3]));
        let mut jpeg = Cursor::new(Vec::new());
        gray.write_to(&mut jpeg, image::ImageFormat::Jpeg).unwrap();
        let length = 2 * LIGHTMAP_BYTES as u32;
        let light = LightFile {
            size: 480 + length,
            lightmaps: (100, length),
            jpeg: jpeg.get_ref(),
            ..light
        };
        let size = u64::from(light.size);
        let file = decode_light_file(&light.to_bytes().unwrap(), size).unwrap();
        assert_eq!(file[..100], model[..100]);
        assert_eq!(file[100 + length as usize..], model[100..]);
        let lightmaps = &file[100..100 + length as usize];
        assert!(lightmaps.iter().all(|value| value.abs_diff(90) < 3));
        for wrong in [length / 2, length - 1, length + LIGHTMAP_BYTES as u32] {
            let light = LightFile {
                size: 480 + wrong,
                lightmaps: (100, wrong),
                ..light
            };
            let size = u64::from(light.size);
            let result = decode_light_file(&light.to_bytes().unwrap(), size);
            assert!(result.is_err(), "{wrong}");
        }
    }
}
