//! The platform's side of asset loading for tests: OpenArena's paks, read from disk at once.

use client::assets::{
    AssetSettings, Assets,
    image::TextureLimits,
    source::{FarPak, FoundSource, SourceId, SourceKind},
    vfs::ReadRequest,
};
use std::{
    collections::HashMap,
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// Where Debian's package `openarena-data` puts the game.
const OPENARENA: &str = "/usr/share/games/openarena/baseoa";

pub const SETTINGS: AssetSettings = AssetSettings {
    textures: TextureLimits {
        round_down: true,
        max_size: 4096,
        max_bytes: u64::MAX,
    },
    keep_details: true,
};

/// Files by source.
pub struct Disk {
    paks: HashMap<SourceId, PathBuf>,
    /// Paks that a test has made.
    made: HashMap<SourceId, Vec<u8>>,
    /// How many requests were answered, and how many bytes.
    pub reads: usize,
    pub bytes: u64,
}

impl Disk {
    /// All paks of OpenArena.
    pub fn openarena() -> (Self, Vec<FoundSource>) {
        let folder = Path::new(OPENARENA);
        assert!(
            folder.is_dir(),
            "{OPENARENA} is missing: install the Debian package openarena-data"
        );
        let mut paks: Vec<PathBuf> = fs::read_dir(folder)
            .expect("the folder can be read")
            .map(|entry| entry.expect("the folder can be read").path())
            .collect();
        paks.retain(|path| path.extension().is_some_and(|ending| ending == "pk3"));
        Self::of("baseoa", paks)
    }

    /// These paks, as one game's.
    pub fn of(game: &str, paks: Vec<PathBuf>) -> (Self, Vec<FoundSource>) {
        let mut disk = Self {
            paks: HashMap::new(),
            made: HashMap::new(),
            reads: 0,
            bytes: 0,
        };
        let mut found = Vec::new();
        for path in paks {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let size = fs::metadata(&path).expect("a pak has a size").len();
            let pak = disk.found(game, &name, size);
            disk.paks.insert(pak.id, path);
            found.push(pak);
        }
        (disk, found)
    }

    /// Where a pak lies that no test has made.
    pub fn path(&self, id: SourceId) -> &Path {
        &self.paks[&id]
    }

    /// A pak of these bytes that holds files of another one in a smaller form.
    pub fn lighten(&mut self, pak: &FoundSource, light: Vec<u8>) -> FoundSource {
        let mut found = self.add(&pak.game, &pak.name, light);
        if let SourceKind::Pak { size } = found.kind {
            found.kind = SourceKind::Far(FarPak {
                size,
                directory: None,
                lightens: Some(pak.id),
            });
        }
        found
    }

    /// One pak more, of these bytes; it is searched before those of the same game.
    pub fn add(&mut self, game: &str, name: &str, pak: Vec<u8>) -> FoundSource {
        let found = self.found(game, name, pak.len() as u64);
        self.made.insert(found.id, pak);
        found
    }

    /// The next pak, as it is announced.
    fn found(&self, game: &str, name: &str, size: u64) -> FoundSource {
        FoundSource {
            id: SourceId((self.paks.len() + self.made.len()) as u32),
            game: game.into(),
            root: 0,
            name: name.into(),
            store: None,
            kind: SourceKind::Pak { size },
        }
    }

    /// The arena's pak alone.
    pub fn arena() -> (Self, Vec<FoundSource>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../arena/strafe.pk3");
        Self::of("strafe", vec![path])
    }

    /// Assets that know all paks, and the disk to read them from.
    pub fn assets() -> (Self, Assets) {
        Self::announced(Self::openarena())
    }

    /// Assets that know what was found.
    pub fn announced((disk, found): (Self, Vec<FoundSource>)) -> (Self, Assets) {
        let mut assets = Assets::new(SETTINGS);
        found
            .into_iter()
            .for_each(|source| assets.add_source(source));
        assets.set_sources_complete();
        (disk, assets)
    }

    /// Answers requests and lets the assets work until nothing is left to do.
    pub fn serve(&mut self, assets: &mut Assets) {
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

    pub fn read(&mut self, request: &ReadRequest) -> Result<Vec<u8>, String> {
        self.reads += 1;
        self.bytes += request.range.end - request.range.start;
        if let Some(pak) = self.made.get(&request.source) {
            let range = request.range.start as usize..request.range.end as usize;
            return Ok(pak.get(range).ok_or("no such part")?.to_vec());
        }
        let path = self.paks.get(&request.source).ok_or("no such pak")?;
        let mut file = File::open(path).map_err(|error| error.to_string())?;
        file.seek(SeekFrom::Start(request.range.start))
            .map_err(|error| error.to_string())?;
        let mut bytes = vec![0; (request.range.end - request.range.start) as usize];
        file.read_exact(&mut bytes)
            .map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}
