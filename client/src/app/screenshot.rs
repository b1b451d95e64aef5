//! Screenshots: the frame drawn once more into a picture, read back, and kept as a file.

use super::wake::Wake;
use crate::{platform::store, render::gpu::GpuError};
use image::ImageFormat;
use std::{
    io::Cursor,
    sync::mpsc::{Receiver, Sender, channel},
};

/// What a player asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenshotRequest {
    /// A plain name without ending; none takes the next free number.
    pub name: Option<String>,
    pub is_jpeg: bool,
    /// Says nothing if it went well.
    pub is_silent: bool,
}

/// Pixels of a frame: rows from the top, four bytes each.
#[derive(Clone, Debug)]
pub struct Picture {
    pub size: [u32; 2],
    pub rgba: Vec<u8>,
}

/// Pictures on their way to files; reading back may outlast the frame.
#[derive(Debug)]
pub struct Screenshots {
    wake: Wake,
    sender: Sender<String>,
    told: Receiver<String>,
}

impl Screenshots {
    pub fn new(wake: Wake) -> Self {
        let (sender, told) = channel();
        Self { wake, sender, told }
    }

    /// Keeps a picture as soon as it has been read back.
    pub fn keep<F>(&self, wish: ScreenshotRequest, picture: F) -> impl Future<Output = ()> + use<F>
    where
        F: Future<Output = Result<Picture, GpuError>>,
    {
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        async move {
            let kept = picture
                .await
                .map_err(|error| error.to_string())
                .and_then(|picture| store_picture(&wish, picture));
            let line = match kept {
                Ok(_) if wish.is_silent => return,
                Ok(name) => format!("wrote {name}\n"),
                Err(reason) => format!("^3no screenshot: {reason}\n"),
            };
            // The receiver is gone only if the player has left meanwhile.
            let _ = sender.send(line);
            wake.wake();
        }
    }

    /// A line for the console.
    pub fn poll(&self) -> Option<String> {
        self.told.try_recv().ok()
    }
}

fn store_picture(wish: &ScreenshotRequest, picture: Picture) -> Result<String, String> {
    let bytes = encode(picture, wish.is_jpeg)?;
    let ending = if wish.is_jpeg { ".jpg" } else { ".png" };
    let name = match &wish.name {
        Some(name) => format!("screenshots/{name}{ending}"),
        None => store::free_name("screenshots/shot", ending),
    };
    store::store_bytes(&name, &bytes)?;
    Ok(name)
}

fn encode(picture: Picture, is_jpeg: bool) -> Result<Vec<u8>, String> {
    let [width, height] = picture.size;
    // What was drawn behind what, alpha does not tell any more.
    let rgb = picture
        .rgba
        .chunks_exact(4)
        .flat_map(|p| [p[0], p[1], p[2]]);
    let image = image::RgbImage::from_raw(width, height, rgb.collect())
        .ok_or("the picture came back incomplete")?;
    let mut bytes = Cursor::new(Vec::new());
    let format = if is_jpeg {
        ImageFormat::Jpeg
    } else {
        ImageFormat::Png
    };
    image
        .write_to(&mut bytes, format)
        .map_err(|error| error.to_string())?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_survive_being_encoded() {
        let picture = Picture {
            size: [2, 1],
            rgba: vec![255, 0, 0, 0, 0, 0, 255, 255],
        };
        let png = encode(picture.clone(), false).expect("memory can be written");
        let back = image::load_from_memory(&png).expect("it was just written");
        assert_eq!(back.to_rgb8().into_raw(), [255, 0, 0, 0, 0, 255]);
        let jpeg = encode(picture.clone(), true).expect("memory can be written");
        assert!(jpeg.starts_with(&[0xff, 0xd8]));
        let cut = Picture {
            rgba: vec![0; 4],
            ..picture
        };
        assert!(encode(cut, false).is_err());
    }
}
