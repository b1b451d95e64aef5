//! Pictures as files.

use crate::app::screenshot::{Picture, PictureKind};
use image::ImageFormat;
use std::io::Cursor;

/// The file that a picture becomes.
///
/// # Errors
/// The picture lacks pixels.
pub async fn encode(picture: Picture, kind: PictureKind) -> Result<Vec<u8>, String> {
    let [width, height] = picture.size;
    // What was drawn behind what, alpha does not tell any more.
    let rgb = picture
        .rgba
        .chunks_exact(4)
        .flat_map(|p| [p[0], p[1], p[2]]);
    let image = image::RgbImage::from_raw(width, height, rgb.collect())
        .ok_or("the picture came back incomplete")?;
    let mut bytes = Cursor::new(Vec::new());
    let format = match kind {
        PictureKind::Png => ImageFormat::Png,
        PictureKind::Jpeg => ImageFormat::Jpeg,
    };
    image
        .write_to(&mut bytes, format)
        .map_err(|error| error.to_string())?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollster::block_on;

    #[test]
    fn pictures_survive_being_encoded() {
        let picture = Picture {
            size: [2, 1],
            rgba: vec![255, 0, 0, 0, 0, 0, 255, 255],
        };
        let png = block_on(encode(picture.clone(), PictureKind::Png));
        let png = png.expect("memory can be written");
        let back = image::load_from_memory(&png).expect("it was just written");
        assert_eq!(back.to_rgb8().into_raw(), [255, 0, 0, 0, 0, 255]);
        let jpeg = block_on(encode(picture.clone(), PictureKind::Jpeg));
        let jpeg = jpeg.expect("memory can be written");
        assert!(jpeg.starts_with(&[0xff, 0xd8]));
        let cut = Picture {
            rgba: vec![0; 4],
            ..picture
        };
        assert!(block_on(encode(cut, PictureKind::Png)).is_err());
    }
}
