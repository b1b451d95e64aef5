//! Files by name from all paks and folders: read, found, opened, and counted as used.
//!
//! The VFS is told of sources, reads the directories of all paks, and then finds names in them.
//! Opening a file yields a number; the contents come out of [`Vfs::poll`] when the platform has
//! answered the requests of [`Vfs::next_read`].

mod files;
mod places;
mod reading;
mod search;

pub use super::fetch::{ReadId, ReadRequest};
pub use files::Packed;

use super::{
    fetch::{Fetcher, FileLocation, Part},
    source::{FarPak, FoundSource, SourceId, SourceKind},
};
use files::Opened;
use shared::{
    base::sort::sort,
    formats::pk3::{self, Directory, DirectoryPlace, normalize_name},
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

/// A file that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// What a pure server asks of its clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PureReply {
    /// Pure checksum of the first pak that holds the game code of that name, if any does.
    pub cgame: Option<i32>,
    pub ui: Option<i32>,
    /// Pure checksums of the paks that were used, in search order.
    pub references: Vec<i32>,
}

/// Nothing more is read while so many bytes wait to be unpacked.
const MAX_WAITING_BYTES: u64 = 64 << 20;
/// Files in all paks together; a collection of a thousand maps has half as many.
const MAX_ENTRIES: usize = 1 << 20;

/// Which of the paks that servers have handed out may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fetched {
    #[default]
    None,
    /// Those of one server, by its store's name, and of what the relay has fetched those that the server
    /// lists by these checksums.
    From(String, Vec<i32>),
    /// Those of these checksums, whoever they came from.
    Listed(Vec<i32>),
}

/// A pak that a server has handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedPak {
    pub id: SourceId,
    /// The server's store, by its name.
    pub store: String,
    pub game: String,
    pub name: String,
}

#[derive(Clone, Debug, Default)]
pub struct Vfs {
    sources: BTreeMap<SourceId, Source>,
    /// Game folders in lower case, first searched first; empty searches all.
    games: Vec<String>,
    pure: Option<Vec<i32>>,
    fetched: Fetched,
    sources_complete: bool,
    /// All directories were known once; later sources join without a halt.
    is_ready: bool,
    /// Sources that are being fetched.
    coming: u32,
    search: Vec<SourceId>,
    /// What is read of these paks comes from those, where they have it.
    lighter: BTreeMap<SourceId, SourceId>,
    /// All is read from the game's own paks.
    is_exact: bool,
    generation: u32,
    used: BTreeSet<SourceId>,
    fetcher: Fetcher<Purpose>,
    last_file: u32,
    opened: HashMap<FileId, Opened>,
    arrived: VecDeque<(FileId, Result<Part, String>)>,
    /// Bytes of what has arrived.
    waiting_bytes: u64,
    messages: Vec<String>,
}

#[derive(Clone, Debug)]
enum Purpose {
    Tail(SourceId),
    Directory(SourceId, DirectoryPlace),
    File(FileId),
}

#[derive(Clone, Debug)]
struct Source {
    store: Option<String>,
    game: String,
    root: u8,
    /// Lower case.
    name: String,
    /// It only stands in for another where that costs too much.
    is_light: bool,
    contents: Contents,
}

#[derive(Clone, Debug)]
enum Contents {
    Folder(Folder),
    /// The directory is still to come.
    Unread {
        size: u64,
    },
    Pak {
        directory: Directory,
        checksum: i32,
    },
    Broken,
}

/// Bytes of a file, and of what its pak holds of it.
struct Size {
    unpacked: u64,
    packed: u64,
}

#[derive(Clone, Debug, Default)]
struct Folder {
    /// Path as the platform calls it, and size, by normalized name.
    files: BTreeMap<String, (String, u64)>,
}

impl Vfs {
    /// A pak or folder exists; its directory is read at once.
    pub fn add_source(&mut self, found: FoundSource) {
        let id = found.id;
        let far = match found.kind {
            SourceKind::Pak { size } => Some(FarPak {
                size,
                directory: None,
                lightens: None,
            }),
            SourceKind::Far(far) => Some(far),
            SourceKind::Folder { .. } => None,
        };
        let lightens = far.and_then(|far| far.lightens);
        if let Some(other) = lightens {
            self.lighter.insert(other, id);
        }
        let contents = match found.kind {
            SourceKind::Folder { files } => {
                let by_name = files
                    .into_iter()
                    .map(|(path, size)| (normalize_name(&path), (path, size)));
                Contents::Folder(Folder {
                    files: by_name.collect(),
                })
            }
            SourceKind::Pak { .. } | SourceKind::Far(_) => {
                let size = far.map_or(0, |far| far.size);
                let known = far.and_then(|far| far.directory);
                let tail = known.map_or(pk3::tail_range(size), |bytes| {
                    size.saturating_sub(bytes)..size
                });
                let place = FileLocation::pak(id);
                self.fetcher.want(place, tail, Purpose::Tail(id), false);
                Contents::Unread { size }
            }
        };
        let source = Source {
            store: found.store,
            game: found.game.to_ascii_lowercase(),
            root: found.root,
            name: normalize_name(&found.name),
            is_light: lightens.is_some(),
            contents,
        };
        self.sources.insert(id, source);
        self.update_search();
    }

    /// A source is gone; gives its name.
    pub fn remove_source(&mut self, id: SourceId) -> Option<String> {
        let source = self.sources.remove(&id)?;
        self.used.remove(&id);
        self.lighter
            .retain(|other, light| *other != id && *light != id);
        self.update_search();
        Some(source.name)
    }

    /// Whether all is read from the game's own paks, however many bytes that takes. Returns whether that changes anything.
    pub fn set_exact(&mut self, is_exact: bool) -> bool {
        let before = std::mem::replace(&mut self.is_exact, is_exact);
        before != is_exact && !self.lighter.is_empty()
    }

    /// Chooses which of the paks that servers have handed out may be used.
    pub fn set_fetched(&mut self, fetched: Fetched) {
        if self.fetched == fetched {
            return;
        }
        self.fetched = fetched;
        self.used.clear();
        self.update_search();
    }

    /// All paks that servers have handed out.
    pub fn fetched_paks(&self) -> Vec<FetchedPak> {
        let pak = |(id, source): (&SourceId, &Source)| {
            Some(FetchedPak {
                id: *id,
                store: source.store.clone()?,
                game: source.game.clone(),
                name: source.name.clone(),
            })
        };
        self.sources.iter().filter_map(pak).collect()
    }

    /// All sources of the start were added.
    pub fn set_sources_complete(&mut self) {
        self.sources_complete = true;
        self.update_search();
    }

    /// So many sources are still being fetched.
    pub fn set_sources_coming(&mut self, count: u32) {
        self.coming = count;
    }

    /// Chooses the game folders, first searched first: the mod, then its base.
    pub fn set_games(&mut self, games: &[String]) {
        self.games = games.iter().map(|game| game.to_ascii_lowercase()).collect();
        self.used.clear();
        self.update_search();
    }

    /// Allows only the paks of these checksums, in this order; `None` allows everything.
    pub fn set_pure(&mut self, checksums: Option<Vec<i32>>) {
        self.pure = checksums.filter(|list| !list.is_empty());
        self.used.clear();
        self.update_search();
    }

    /// Whether names can be looked up: every directory is known.
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Whether nothing is on its way that could change what is missing.
    pub fn is_settled(&self) -> bool {
        self.is_ready && self.coming == 0 && self.are_all_read()
    }

    /// Changes whenever a name may resolve differently than before.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Of these pak checksums those that no source has; meaningful once ready.
    pub fn missing_paks(&self, checksums: &[i32]) -> Vec<i32> {
        let usable = self.sources.values().filter(|source| self.may_use(source));
        let known: HashSet<i32> = usable.filter_map(Source::checksum).collect();
        checksums
            .iter()
            .copied()
            .filter(|checksum| !known.contains(checksum))
            .collect()
    }

    /// Names and checksums of the paks in search order.
    pub fn paks(&self) -> impl Iterator<Item = (&str, i32)> {
        self.searched()
            .filter_map(|source| Some((source.name.as_str(), source.checksum()?)))
    }

    /// The proof of possession for the checksum feed of a gamestate.
    pub fn pure_reply(&self, feed: i32) -> PureReply {
        let directories = || {
            let pak = |id: &SourceId| Some((*id, self.sources.get(id)?.directory()?));
            self.search.iter().filter_map(pak)
        };
        let holder = |name: &str| {
            directories()
                .find(|(_, directory)| directory.find(name).is_some())
                .map(|(_, directory)| directory.pure_checksum(feed))
        };
        PureReply {
            cgame: holder("vm/cgame.qvm"),
            ui: holder("vm/ui.qvm"),
            references: directories()
                .filter(|(id, _)| self.used.contains(id))
                .map(|(_, directory)| directory.pure_checksum(feed))
                .collect(),
        }
    }

    fn searched(&self) -> impl Iterator<Item = &Source> {
        self.search.iter().filter_map(|id| self.sources.get(id))
    }

    /// The source that a name is taken from.
    fn source_of(&self, name: &str) -> Option<&Source> {
        self.sources.get(&self.locate(&lookup_name(name))?)
    }

    /// Whether a name exists in the search path.
    pub fn exists(&self, name: &str) -> bool {
        self.locate(&lookup_name(name)).is_some()
    }

    /// Names below a folder that end in `suffix`, relative to the folder, most important first.
    pub fn list(&self, folder: &str, suffix: &str) -> Vec<String> {
        let folder = format!("{}/", lookup_name(folder).trim_end_matches('/'));
        let suffix = suffix.to_ascii_lowercase();
        let max_separators = folder.matches('/').count() + 1;
        let mut seen = HashSet::new();
        let mut names = Vec::new();
        let mut consider = |name: &str, depth: usize| {
            let is_listed = name.starts_with(&folder)
                && name.ends_with(&suffix)
                && name.matches('/').count() <= depth;
            if is_listed && seen.insert(name.to_owned()) {
                names.push(name[folder.len()..].to_owned());
            }
        };
        for source in self.searched() {
            let depth = max_separators - usize::from(source.is_folder());
            source
                .names(self.pure.is_none())
                .for_each(|name| consider(name, depth));
        }
        names
    }

    /// All names in the search path, sorted.
    pub fn names(&self) -> Vec<String> {
        let shows_loose = self.pure.is_none();
        let names = self.searched().flat_map(|source| source.names(shows_loose));
        let mut names: Vec<&str> = names.collect();
        sort(&mut names);
        names.dedup();
        names.into_iter().map(str::to_owned).collect()
    }

    /// The pak or folder that a name is taken from.
    pub fn pak_of(&self, name: &str) -> Option<&str> {
        Some(&self.source_of(name)?.name)
    }

    /// The game folder that a name is taken from.
    pub fn game_of(&self, name: &str) -> Option<&str> {
        Some(&self.source_of(name)?.game)
    }

    /// Paks that files were taken from, in the search order.
    pub fn used_paks(&self) -> Vec<String> {
        self.search
            .iter()
            .filter(|id| self.used.contains(id))
            .filter_map(|id| Some(self.sources.get(id)?.name.clone()))
            .collect()
    }

    /// How many bytes a file has, unpacked, if it exists.
    pub fn size(&self, name: &str) -> Option<u64> {
        let source = self.source_of(name)?;
        Some(source.size_of(&lookup_name(name))?.unpacked)
    }

    /// The next bytes that the platform is to read.
    pub fn next_read(&mut self) -> Option<ReadRequest> {
        if self.waiting_bytes > MAX_WAITING_BYTES {
            return None;
        }
        self.fetcher.next_read()
    }

    /// Takes the platform's answer.
    pub fn handle_read(&mut self, id: ReadId, result: Result<Vec<u8>, String>) {
        self.fetcher.handle_read(id, result);
        self.sort_arrivals();
    }

    /// Bytes asked for so far, and how many of them arrived.
    pub fn bytes(&self) -> (u64, u64) {
        self.fetcher.bytes()
    }

    /// Whether answers are still to come.
    pub fn is_busy(&self) -> bool {
        self.fetcher.is_busy() || !self.arrived.is_empty()
    }

    /// Defects found since the last call, as lines for the console.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }
}

/// The form in which names are looked up: as in paks, without a leading slash.
fn lookup_name(name: &str) -> String {
    let name = normalize_name(name);
    name.strip_prefix('/').map_or(name.clone(), str::to_owned)
}
