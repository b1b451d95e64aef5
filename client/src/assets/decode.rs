//! Bytes of image files to pixels.

use super::image::Pixels;
use shared::formats::tga::Tga;
use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};

/// The extensions that are tried for an image, best first.
pub const EXTENSIONS: [&str; 6] = ["tga", "jpg", "jpeg", "png", "pcx", "bmp"];

/// Larger images are refused before anything is allocated for them.
const MAX_SIZE: usize = 8192;

/// Decodes an image file by the extension of its name.
pub fn decode(name: &str, bytes: &[u8]) -> Result<Pixels, String> {
    match extension(name) {
        "tga" => {
            let Tga {
                width,
                height,
                rgba,
            } = Tga::parse(bytes).map_err(|error| error.to_string())?;
            Ok(Pixels {
                width,
                height,
                rgba,
            })
        }
        "jpg" | "jpeg" => decode_jpeg(bytes),
        "png" => decode_other(bytes, image::ImageFormat::Png),
        "bmp" => decode_other(bytes, image::ImageFormat::Bmp),
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

fn decode_jpeg(bytes: &[u8]) -> Result<Pixels, String> {
    let options = DecoderOptions::default()
        .set_max_width(MAX_SIZE)
        .set_max_height(MAX_SIZE)
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

fn decode_other(bytes: &[u8], format: image::ImageFormat) -> Result<Pixels, String> {
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MAX_SIZE as u32);
    limits.max_image_height = Some(MAX_SIZE as u32);
    let mut reader = image::ImageReader::with_format(std::io::Cursor::new(bytes), format);
    reader.limits(limits);
    let decoded = reader
        .decode()
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
    fn defective_files_are_errors() {
        for name in ["x.tga", "x.jpg", "x.png", "x.bmp", "x.pcx", "x.dds"] {
            assert!(decode(name, b"\xff\xd8 no image").is_err(), "{name}");
        }
    }
}
