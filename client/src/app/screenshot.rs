//! Screenshots: the frame drawn once more into a picture, read back, and kept as a file.

use super::wake::Wake;
use crate::{
    platform::{pictures, store},
    render::gpu::GpuError,
};
use std::sync::mpsc::{Receiver, Sender, channel};

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

/// What a picture is kept as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    Png,
    Jpeg,
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
    pub fn keep<F>(
        &self,
        request: ScreenshotRequest,
        picture: F,
    ) -> impl Future<Output = ()> + use<F>
    where
        F: Future<Output = Result<Picture, GpuError>>,
    {
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        async move {
            let kept = match picture.await {
                Ok(picture) => store_picture(&request, picture).await,
                Err(error) => Err(error.to_string()),
            };
            let line = match kept {
                Ok(_) if request.is_silent => return,
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

async fn store_picture(request: &ScreenshotRequest, picture: Picture) -> Result<String, String> {
    let (ending, kind) = if request.is_jpeg {
        (".jpg", PictureKind::Jpeg)
    } else {
        (".png", PictureKind::Png)
    };
    let bytes = pictures::encode(picture, kind).await?;
    let name = match &request.name {
        Some(name) => format!("screenshots/{name}{ending}"),
        None => store::free_name("screenshots/shot", ending),
    };
    store::store_bytes(&name, &bytes)?;
    Ok(name)
}
