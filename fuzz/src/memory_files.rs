//! Game files that lie in memory, as a loose folder from which assets are loaded.

use client::assets::{
    AssetSettings, Assets,
    image::TextureLimits,
    source::{FoundSource, SourceId, SourceKind},
    vfs::ReadRequest,
};

const SETTINGS: AssetSettings = AssetSettings {
    textures: TextureLimits {
        round_down: true,
        max_size: 4096,
        max_bytes: u64::MAX,
    },
    keep_details: true,
};

/// Files by name.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(pub Vec<(String, Vec<u8>)>);

impl MemoryFiles {
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let files = files.into_iter();
        Self(
            files
                .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
                .collect(),
        )
    }

    /// The folder as a platform would find it.
    pub fn source(&self) -> FoundSource {
        let sizes = self
            .0
            .iter()
            .map(|(name, bytes)| (name.clone(), bytes.len() as u64));
        FoundSource {
            id: SourceId(0),
            game: "baseq3".to_owned(),
            root: 0,
            name: String::new(),
            store: None,
            kind: SourceKind::Folder {
                files: sizes.collect(),
            },
        }
    }

    /// Assets that know the files.
    pub fn assets(&self) -> Assets {
        let mut assets = Assets::new(SETTINGS);
        assets.add_source(self.source());
        assets.set_sources_complete();
        assets
    }

    /// Answers requests and lets the assets work until nothing is left to do.
    pub fn serve(&self, assets: &mut Assets) {
        loop {
            let mut is_idle = !assets.poll(usize::MAX);
            while let Some(request) = assets.next_read() {
                is_idle = false;
                let result = self.read(&request);
                assets.handle_read(request.id, result);
            }
            if is_idle {
                return;
            }
        }
    }

    /// # Errors
    /// There is no such file, or no such part of it.
    pub fn read(&self, request: &ReadRequest) -> Result<Vec<u8>, String> {
        let (_, bytes) = self
            .0
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(&request.path))
            .ok_or("no such file")?;
        let range = request.range.start as usize..request.range.end as usize;
        let part = bytes.get(range).ok_or("no such part")?;
        Ok(part.to_vec())
    }
}
