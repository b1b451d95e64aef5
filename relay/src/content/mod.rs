//! The paks that browsers may read: which there are, and where they lie.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, ensure};
use clap::Args;
use parking_lot::{Mutex, MutexGuard};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde::Serialize;
use tokio::task::spawn_blocking;

use crate::core::Played;
use crate::single_flight::SingleFlight;
use open_pak::OpenPak;

#[cfg(feature = "light")]
mod first;
#[cfg(feature = "light")]
mod light;
#[cfg(feature = "light")]
mod made;
mod open_pak;
mod page;
#[cfg(feature = "light")]
pub mod prepare;
mod web;

#[cfg(feature = "light")]
pub use light::light_pak;

/// New paks show up within this time; it bounds how often strangers make us read folders.
const RESCAN: Duration = Duration::from_secs(5);

const HERE: &str = "/content";
#[cfg(feature = "light")]
const LIGHT: &str = "/light";
#[cfg(feature = "light")]
const FIRST: &str = "/first";

#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Options {
    /// Folder with the built page, instead of the one that a release carries inside it.
    #[arg(long, value_name = "DIR")]
    pub web: Option<PathBuf>,
    /// Folder with game folders that hold pk3 files, or one game folder itself (repeatable).
    #[arg(long, value_name = "DIR")]
    pub content: Vec<PathBuf>,
    /// Where browsers fetch the paks instead of here: a server with the same folders of games,
    /// like https://files.example.org/content, see relay/deploy/nginx.conf.
    #[arg(long, value_parser = http_url, value_name = "URL")]
    pub content_url: Option<String>,
    /// Folder for smaller copies of the paks' files, and for what pages need first of them as one file.
    /// They are made here ahead and sent to pages that do not ask for the exact ones.
    #[cfg(feature = "light")]
    #[arg(long, value_name = "DIR")]
    pub light: Option<PathBuf>,
    /// Most megabytes of that folder; the oldest copies give way.
    #[cfg(feature = "light")]
    #[arg(long, default_value_t = 1024, value_name = "MB")]
    pub light_limit: u64,
}

/// The folders given by the operator and what was found in them.
#[derive(Debug)]
pub(crate) struct Content {
    /// Where the page lies, if this program does not carry it.
    web: Option<PathBuf>,
    /// What the addresses of paks begin with, but for those in a folder of our own.
    base: String,
    own: Option<PathBuf>,
    folders: Vec<PathBuf>,
    #[cfg(feature = "light")]
    made: Option<made::MadeFiles>,
    found: Mutex<(Instant, Found)>,
    scanning: SingleFlight<()>,
}

/// Paks by game and name. Only what stands here is ever opened.
type Found = BTreeMap<String, BTreeMap<String, Pak>>;

#[derive(Clone, Debug)]
struct Pak {
    path: PathBuf,
    bytes: u64,
    version: String,
    /// So many of its last bytes hold its directory.
    directory: Option<u64>,
    maps: Vec<String>,
}

/// The answer of `/api/content`.
#[derive(Debug, Serialize)]
pub(crate) struct Index {
    pub games: Vec<Game>,
    /// What a page needs first for the map that it asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<FirstEntry>,
}

/// What `/api/content` says of a first file.
#[derive(Debug, Serialize)]
pub(crate) struct FirstEntry {
    pub game: String,
    /// Nothing for what all maps of the game share.
    pub map: Option<String>,
    pub bytes: u64,
    pub url: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Game {
    pub name: String,
    pub paks: Vec<Entry>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    pub name: String,
    pub bytes: u64,
    pub url: String,
    /// So many of its last bytes hold its directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<u64>,
    /// The pak with smaller copies of its files; null if there will be none, left out while nobody knows.
    #[serde(skip_serializing_if = "Made::is_not_yet")]
    pub light: Made<LightEntry>,
    /// It was not put here by the operator but fetched for a server: for use on servers that list it only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fetched: bool,
}

/// Whether there is a file that the relay makes.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Made<T> {
    /// Nobody knows.
    NotYet,
    /// It would save nothing, or cannot be made.
    Never,
    There(T),
}

impl<T> Made<T> {
    fn is_not_yet(&self) -> bool {
        matches!(self, Self::NotYet)
    }
}

#[cfg(feature = "light")]
impl<T> Made<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Made<U> {
        match self {
            Self::NotYet => Made::NotYet,
            Self::Never => Made::Never,
            Self::There(light) => Made::There(change(light)),
        }
    }

    fn there(self) -> Option<T> {
        match self {
            Self::There(light) => Some(light),
            Self::NotYet | Self::Never => None,
        }
    }
}

/// What `/api/content` says of a light pak.
#[derive(Debug, Serialize)]
pub(crate) struct LightEntry {
    pub bytes: u64,
    pub url: String,
    pub directory: Option<u64>,
}

impl Entry {
    /// A pak of the operator's below `base`, by its game and name.
    fn new(base: &str, [game, name]: [&str; 2], pak: &Pak) -> Self {
        Self {
            name: name.to_owned(),
            bytes: pak.bytes,
            url: format!(
                "{base}/{}/{}?v={}",
                escaped(game),
                escaped(name),
                pak.version
            ),
            directory: pak.directory,
            light: Made::NotYet,
            fetched: false,
        }
    }
}

#[cfg(feature = "light")]
impl LightEntry {
    /// The light pak of a pak, below `base`.
    fn new(
        base: &str,
        [game, name]: [&str; 2],
        pak: &Pak,
        bytes: u64,
        directory: Option<u64>,
    ) -> Self {
        Self {
            bytes,
            // What browsers keep for ever is never another file.
            url: format!(
                "{base}/{}/{}?v={}-{}-{bytes:x}",
                escaped(game),
                escaped(name),
                pak.version,
                light::FORMAT
            ),
            directory,
        }
    }
}

#[cfg(feature = "light")]
impl FirstEntry {
    /// A first file of so many bytes, below `base`.
    fn new(base: &str, wanted: &first::FirstFile, bytes: u64) -> Self {
        let map = wanted.map.as_deref();
        let map_path = map.map_or_else(String::new, |map| format!("/{}", escaped(map)));
        Self {
            game: wanted.game.clone(),
            map: map.map(str::to_owned),
            bytes,
            url: format!(
                "{base}/{}{map_path}?v={}-{bytes:x}",
                escaped(&wanted.game),
                wanted.version()
            ),
        }
    }
}

impl Content {
    /// Paks are read from here, or from another server whose address is given; that one does not
    /// have those of our own folder.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub(crate) fn new(options: &Options, own: Option<&Path>) -> anyhow::Result<Arc<Self>> {
        if let Some(web) = &options.web {
            ensure!(
                web.join("index.html").is_file(),
                "--web {}: there is no index.html in it; `cargo xtask web` builds the page",
                web.display()
            );
        }
        ensure_readable(&options.content)?;
        let own = own.map(Path::to_owned);
        let folders = [&options.content, own.as_slice()].concat();
        let found = Mutex::new((Instant::now(), scan(&folders, &Found::new())));
        #[cfg(feature = "light")]
        let made = match &options.light {
            Some(folder) => Some(made::MadeFiles::start(
                folder,
                options.light_limit.saturating_mul(1 << 20),
            )?),
            None => None,
        };
        Ok(Arc::new(Self {
            web: options.web.clone(),
            base: options.content_url.as_deref().unwrap_or(HERE).to_owned(),
            own,
            folders,
            #[cfg(feature = "light")]
            made,
            found,
            scanning: SingleFlight::default(),
        }))
    }

    /// All paks, and what a page needs first for one map.
    pub(crate) fn index(&self, played: Option<&Played>) -> Index {
        let found = &self.found().1;
        Index {
            games: found
                .iter()
                .map(|(name, paks)| self.game(name, paks))
                .collect(),
            first: played.map_or_else(Vec::new, |played| self.first(found, played)),
        }
    }

    /// Whether light paks and first files are made here.
    #[cfg(feature = "light")]
    fn makes_files(&self) -> bool {
        self.made.is_some()
    }

    /// What `/api/content` says of one pak.
    #[cfg(feature = "downloads")]
    pub(crate) fn entry(&self, game: &str, pak: &str) -> Option<Entry> {
        let found = self
            .index(None)
            .games
            .into_iter()
            .find(|one| one.name == game)?;
        found.paks.into_iter().find(|one| one.name == pak)
    }

    /// Looks for new paks if that was not done lately.
    pub(crate) async fn refresh(self: &Arc<Self>) {
        if self.found().0.elapsed() > RESCAN {
            self.look(RESCAN).await;
        }
    }

    /// Looks for new paks at once.
    #[cfg(feature = "downloads")]
    pub(crate) async fn rescan(self: &Arc<Self>) {
        // The first look may have begun before the new pak came; the second has not.
        self.look(Duration::ZERO).await;
        self.look(Duration::ZERO).await;
    }

    async fn look(self: &Arc<Self>, fresh: Duration) {
        let content = self.clone();
        self.scanning.get(fresh, || content.scan()).await;
    }

    /// Away from the threads that carry players: a disk may sleep.
    async fn scan(self: Arc<Self>) {
        let scanned = spawn_blocking(move || {
            let known = self.found().1.clone();
            let scanned = (Instant::now(), scan(&self.folders, &known));
            *self.found() = scanned;
        });
        if let Err(error) = scanned.await {
            tracing::error!(%error, "cannot look for paks");
        }
    }

    /// The file of a pak, if it is one of ours.
    pub(crate) fn path(&self, game: &str, pak: &str) -> Option<PathBuf> {
        Some(self.found().1.get(game)?.get(pak)?.path.clone())
    }

    /// The file of a light pak, if it is one of ours.
    #[cfg(feature = "light")]
    pub(crate) fn light_path(&self, game: &str, pak: &str) -> Option<PathBuf> {
        let found = self.found();
        let found = found.1.get(game)?.get(pak)?;
        Some(self.light_pak(game, pak, found).there()?.path)
    }

    #[cfg(feature = "light")]
    fn light_pak(&self, game: &str, name: &str, pak: &Pak) -> Made<made::MadeFile> {
        let Some(made) = &self.made else {
            return Made::NotYet;
        };
        let path = pak.path.clone();
        made.get(light::file_name(game, name, pak), || {
            Box::new(move || light::light_pak(&path, |_| true))
        })
    }

    #[cfg(feature = "light")]
    fn light(&self, game: &str, name: &str, pak: &Pak) -> Made<LightEntry> {
        let entry = |light: made::MadeFile| {
            LightEntry::new(LIGHT, [game, name], pak, light.bytes, light.directory)
        };
        self.light_pak(game, name, pak).map(entry)
    }

    #[cfg(not(feature = "light"))]
    #[expect(clippy::unused_self, reason = "with the feature it is used")]
    fn light(&self, _: &str, _: &str, _: &Pak) -> Made<LightEntry> {
        Made::NotYet
    }

    /// The file of a first file, if there is one.
    #[cfg(feature = "light")]
    pub(crate) fn first_path(&self, game: &str, map: Option<&str>) -> Option<PathBuf> {
        let found = self.found();
        let wanted = self.wanted(&found.1, game, map)?;
        let made = self.made.as_ref()?;
        let file = made.get(wanted.file_name(), || wanted.job());
        Some(file.there()?.path)
    }

    /// What a page needs first for a map, as far as it is there.
    #[cfg(feature = "light")]
    fn first(&self, found: &Found, played: &Played) -> Vec<FirstEntry> {
        let (Some(made), Some(game)) = (&self.made, first::game(found, played)) else {
            return Vec::new();
        };
        let entry = |map| {
            let wanted = self.wanted(found, game, map)?;
            let file = made.get(wanted.file_name(), || wanted.job()).there()?;
            Some(FirstEntry::new(FIRST, &wanted, file.bytes))
        };
        let maps = [None, Some(played.map.as_str())];
        maps.into_iter().filter_map(entry).collect()
    }

    #[cfg(not(feature = "light"))]
    #[expect(clippy::unused_self, reason = "with the feature it is used")]
    fn first(&self, _: &Found, _: &Played) -> Vec<FirstEntry> {
        Vec::new()
    }

    /// What a first file is made of; nothing while a light pak is still to be made, or if there is no such game or map:
    /// strangers may ask for any.
    #[cfg(feature = "light")]
    fn wanted(&self, found: &Found, game: &str, map: Option<&str>) -> Option<first::FirstFile> {
        let is_known = found.contains_key(game);
        if !is_known || !map.is_none_or(|map| first::has_map(found, game, map)) {
            return None;
        }
        let mut sources = Vec::new();
        for (game, paks) in found {
            let mine = paks.iter().filter(|(_, pak)| !self.is_own(pak));
            for (name, pak) in mine {
                let light = match self.light_pak(game, name, pak) {
                    Made::NotYet => return None,
                    Made::Never => None,
                    Made::There(light) => Some((light.path, light.bytes)),
                };
                sources.push(first::ListedPak::new([game, name], pak, light));
            }
        }
        Some(first::FirstFile {
            game: game.to_owned(),
            map: map.map(str::to_owned),
            sources,
        })
    }

    /// It was fetched for a server.
    fn is_own(&self, pak: &Pak) -> bool {
        let own = self.own.as_ref();
        own.is_some_and(|own| pak.path.starts_with(own))
    }

    fn game(&self, name: &str, paks: &BTreeMap<String, Pak>) -> Game {
        let entry = |(pak_name, pak): (&String, &Pak)| {
            let base = if self.is_own(pak) { HERE } else { &self.base };
            Entry {
                light: self.light(name, pak_name, pak),
                fetched: self.is_own(pak),
                ..Entry::new(base, [name, pak_name], pak)
            }
        };
        Game {
            name: name.to_owned(),
            paks: paks.iter().map(entry).collect(),
        }
    }

    fn found(&self) -> MutexGuard<'_, (Instant, Found)> {
        self.found.lock()
    }
}

/// A file name as part of a URL path.
pub(crate) fn escaped(name: &str) -> PercentEncode<'_> {
    const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(name, UNRESERVED)
}

fn ensure_readable(folders: &[PathBuf]) -> anyhow::Result<()> {
    for folder in folders {
        folder
            .read_dir()
            .with_context(|| format!("--content {}: cannot read this folder", folder.display()))?;
    }
    Ok(())
}

/// What was known before is not read again.
fn scan(folders: &[PathBuf], known: &Found) -> Found {
    let mut found = Found::new();
    for folder in folders {
        add_game(&mut found, known, folder);
        for entry in entries(folder) {
            if entry.is_dir() {
                add_game(&mut found, known, &entry);
            }
        }
    }
    found
}

/// Adds the paks of one game folder; a pak of an earlier folder with the same name wins.
fn add_game(found: &mut Found, known: &Found, folder: &Path) {
    let resolved = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let Some(game) = resolved.file_name().and_then(|name| name.to_str()) else {
        return;
    };
    for path in entries(folder) {
        let Some((name, mut pak)) = pak(path) else {
            continue;
        };
        let game = game.to_lowercase();
        let before = known.get(&game).and_then(|paks| paks.get(&name));
        match before.filter(|before| before.version == pak.version) {
            Some(before) => pak = before.clone(),
            None => pak.read_directory(),
        }
        found.entry(game).or_default().entry(name).or_insert(pak);
    }
}

fn pak(path: PathBuf) -> Option<(String, Pak)> {
    let is_pak = path.extension()?.eq_ignore_ascii_case("pk3");
    let name = path.file_name()?.to_str()?.to_owned();
    let about = path.metadata().ok()?;
    if !is_pak || !about.is_file() {
        return None;
    }
    let modified = about
        .modified()
        .ok()?
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let bytes = about.len();
    let version = format!("{bytes:x}-{:x}", modified.as_millis());
    Some((
        name,
        Pak {
            path,
            bytes,
            version,
            directory: None,
            maps: Vec::new(),
        },
    ))
}

impl Pak {
    /// Looks into it; what is no pak has nothing.
    fn read_directory(&mut self) {
        let Ok(archive) = OpenPak::open(&self.path) else {
            return;
        };
        self.directory = Some(archive.directory_size());
        let names = archive.directory.entries().iter().map(|entry| &entry.name);
        let map = |name: &String| {
            let map = name.strip_prefix("maps/")?.strip_suffix(".bsp")?;
            (!map.contains('/')).then(|| map.to_owned())
        };
        self.maps = names.filter_map(map).collect();
    }
}

/// What lies in a folder; one that cannot be read is empty.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    entries.flatten().map(|entry| entry.path()).collect()
}

fn http_url(text: &str) -> Result<String, String> {
    let host = text
        .strip_prefix("https://")
        .or(text.strip_prefix("http://"));
    let is_good = host.is_some_and(|host| !host.is_empty() && !host.contains(['?', '#', ' ']));
    match is_good {
        true => Ok(text.trim_end_matches('/').to_owned()),
        false => Err("an address like https://files.example.org/content is wanted".to_owned()),
    }
}
