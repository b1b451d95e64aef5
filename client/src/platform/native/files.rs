//! Finds paks and loose files on the disk and reads parts of them on a thread of their own.

use super::{places, store};
use crate::{
    app::wake::Wake,
    assets::{
        source::{FoundSource, OWN_GAME, SourceId, SourceKind},
        vfs::ReadRequest,
    },
    event::Event,
};
use shared::formats::pk3;
use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{
        LazyLock,
        mpsc::{Receiver, Sender, channel},
    },
};

/// The worker's two ends: questions in, events out.
#[derive(Debug)]
pub struct Files {
    questions: Sender<Question>,
    events: Receiver<Event>,
}

impl Files {
    /// Begins to look for sources, in the named folders or else in the usual places.
    pub fn find(named: &[PathBuf], wake: Wake) -> Self {
        let (questions, inbox) = channel();
        let (outbox, events) = channel();
        let roots = places::roots(named);
        std::thread::spawn(move || {
            let mut disk = Disk::default();
            // A closed channel means that the client is gone, and the thread with it.
            let _ = disk.find(&roots, &outbox);
            wake.wake();
            for question in inbox {
                let answer = match question {
                    Question::Read(request) => Event::FileRead {
                        id: request.id,
                        result: disk.read(&request),
                    },
                    Question::KeepPak(pak) => match disk.keep_pak(&pak) {
                        Ok(found) => Event::SourceFound(found),
                        Err(reason) => Event::PakNotStored {
                            file: pak.file,
                            reason,
                        },
                    },
                    Question::RemovePak(id) => Event::SourceGone {
                        id,
                        result: disk.remove_pak(id),
                    },
                };
                if outbox.send(answer).is_err() {
                    return;
                }
                wake.wake();
            }
        });
        Self { questions, events }
    }

    /// Asks for a part of a source; the answer comes out of `poll`.
    pub fn read(&mut self, request: ReadRequest) {
        // The thread ends only after this value.
        let _ = self.questions.send(Question::Read(request));
    }

    /// Keeps a pak that came from a server in that server's store, and announces it as a source.
    pub fn keep_pak(&mut self, store: &str, game: &str, file: &str, bytes: Vec<u8>) {
        let _ = self.questions.send(Question::KeepPak(FetchedPak {
            store: store.to_owned(),
            game: game.to_owned(),
            file: file.to_owned(),
            bytes,
        }));
    }

    /// Removes a pak that came from a server.
    pub fn remove_pak(&mut self, id: SourceId) {
        let _ = self.questions.send(Question::RemovePak(id));
    }

    pub fn poll(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }
}

/// The same files without a thread of their own, by descriptions that another run has given them.
pub struct Shelf {
    disk: Disk,
    sources: Vec<FoundSource>,
}

impl Shelf {
    /// Looks for sources, in the named folders or else in the usual places.
    pub fn find(named: &[PathBuf]) -> Self {
        let (outbox, events) = channel();
        let mut disk = Disk::default();
        // The other end is here.
        let _ = disk.find(&places::roots(named), &outbox);
        let sources = events.try_iter().filter_map(|event| match event {
            Event::SourceFound(source) => Some(source),
            _ => None,
        });
        let sources = sources.collect();
        Self { disk, sources }
    }

    /// # Errors
    /// Says which pak or folder is missing here, or what is wrong with it.
    pub fn read_of(
        &mut self,
        wanted: &FoundSource,
        request: &ReadRequest,
    ) -> Result<Vec<u8>, String> {
        let found = self.sources.iter().find(|source| source.is_same(wanted));
        let found = found.ok_or_else(|| format!("{}/{} is not here", wanted.game, wanted.name))?;
        self.disk.read(&ReadRequest {
            source: found.id,
            ..request.clone()
        })
    }
}

#[derive(Debug)]
enum Question {
    Read(ReadRequest),
    KeepPak(FetchedPak),
    RemovePak(SourceId),
}

#[derive(Debug)]
struct FetchedPak {
    store: String,
    game: String,
    file: String,
    bytes: Vec<u8>,
}

/// Where paks lie that servers have handed out, `SERVER/GAME/NAME.CHECKSUM.pk3`: apart from all that the
/// player put somewhere.
const FETCHED: &str = "fetched";

/// Everything that a match needs, for whoever has nothing else: the very file that pages read of, so that journals of
/// either are replayed by both.
static OWN_PAK: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let packed = include_bytes!("../../../../arena/strafe.pk3");
    pk3::unpack(packed).expect("it was made by us")
});

/// Files and folders deeper than this below a game folder are not ours.
const DEEPEST: usize = 8;
/// More loose files than this in one folder are a mistake of the player's.
const MAX_LOOSE_FILES: usize = 50_000;

/// Where a source lies.
#[derive(Debug)]
enum SourceLocation {
    /// A pak, or the folder of loose files.
    Path(PathBuf),
    /// The pak in this program.
    Own,
}

#[derive(Default)]
struct Disk {
    /// By `SourceId`.
    sources: Vec<SourceLocation>,
    open: HashMap<SourceId, File>,
    /// Paks that are among the sources, by their real paths.
    seen: HashSet<PathBuf>,
}

type ClientIsGone = std::sync::mpsc::SendError<Event>;

impl Disk {
    fn find(&mut self, roots: &[PathBuf], outbox: &Sender<Event>) -> Result<(), ClientIsGone> {
        for (number, root) in roots.iter().enumerate() {
            let number = u8::try_from(number).unwrap_or(u8::MAX);
            for (game, folder) in places::games(root) {
                self.find_in_game(number, &game, &folder, outbox)?;
            }
        }
        self.sources.push(SourceLocation::Own);
        outbox.send(Event::SourceFound(FoundSource {
            id: SourceId(self.sources.len() as u32 - 1),
            game: OWN_GAME.to_owned(),
            root: 0,
            name: "strafe.pk3".to_owned(),
            store: None,
            kind: SourceKind::Pak {
                size: OWN_PAK.len() as u64,
            },
        }))?;
        for (store, game, path) in places::fetched(&places::data_folder().join(FETCHED)) {
            let size = path.metadata().map_or(0, |metadata| metadata.len());
            let found = self.fetched(store, game, path, size);
            outbox.send(Event::SourceFound(found))?;
        }
        outbox.send(Event::SourcesComplete)
    }

    fn find_in_game(
        &mut self,
        root: u8,
        game: &str,
        folder: &Path,
        outbox: &Sender<Event>,
    ) -> Result<(), ClientIsGone> {
        let mut found = |name: String, kind: SourceKind, path: PathBuf| {
            let id = SourceId(self.sources.len() as u32);
            self.sources.push(SourceLocation::Path(path));
            outbox.send(Event::SourceFound(FoundSource {
                id,
                game: game.to_owned(),
                root,
                name,
                store: None,
                kind,
            }))
        };
        for path in places::entries(folder) {
            let Some(name) = places::name_of(&path).map(str::to_owned) else {
                continue;
            };
            if places::is_pak(&path) {
                // Packages link the same paks from several places; each is searched once.
                if !path.canonicalize().is_ok_and(|real| self.seen.insert(real)) {
                    continue;
                }
                let size = path.metadata().map_or(0, |metadata| metadata.len());
                found(name, SourceKind::Pak { size }, path)?;
            } else if path.is_dir() && name.to_lowercase().ends_with(".pk3dir") {
                let files = loose_files(&path);
                found(name, SourceKind::Folder { files }, path)?;
            }
        }
        let files = loose_files(folder);
        let name = String::new();
        found(name, SourceKind::Folder { files }, folder.to_owned())
    }

    fn keep_pak(&mut self, pak: &FetchedPak) -> Result<FoundSource, String> {
        let name = format!("{FETCHED}/{}/{}/{}", pak.store, pak.game, pak.file);
        let path = store::below(&places::data_folder(), &name)
            .ok_or_else(|| format!("\"{name}\" is no name for a pak"))?;
        store::write(&path, &pak.bytes)?;
        let (store, game) = (pak.store.clone(), pak.game.clone());
        Ok(self.fetched(store, game, path, pak.bytes.len() as u64))
    }

    /// A pak that a server has handed out, as a source.
    fn fetched(&mut self, store: String, game: String, path: PathBuf, size: u64) -> FoundSource {
        let id = SourceId(self.sources.len() as u32);
        let name = path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        self.sources.push(SourceLocation::Path(path));
        FoundSource {
            id,
            game,
            // Where it is used at all, it comes before what the player has, like the original's home path.
            root: u8::MAX,
            name,
            store: Some(store),
            kind: SourceKind::Pak { size },
        }
    }

    fn remove_pak(&mut self, id: SourceId) -> Result<(), String> {
        let fetched = places::data_folder().join(FETCHED);
        let path = match self.sources.get(id.0 as usize) {
            Some(SourceLocation::Path(path)) if path.starts_with(fetched) => path,
            _ => return Err("only what servers have handed out is removed".to_owned()),
        };
        self.open.remove(&id);
        std::fs::remove_file(path)
            .map_err(|error| format!("{} cannot be removed: {error}", path.display()))
    }

    fn read(&mut self, request: &ReadRequest) -> Result<Vec<u8>, String> {
        let source = match self.sources.get(request.source.0 as usize) {
            Some(SourceLocation::Path(path)) => path,
            Some(SourceLocation::Own) => return read_own(&request.range),
            None => return Err("there is no such source".to_owned()),
        };
        tracing::debug!(
            "read {} {} {}",
            source.display(),
            request.range.start,
            request.range.end
        );
        let length = usize::try_from(request.range.end.saturating_sub(request.range.start))
            .map_err(|_| "the part is too large")?;
        let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        let mut loose;
        let (path, file) = if request.path.is_empty() {
            let file = match self.open.entry(request.source) {
                std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(File::open(source).map_err(|error| failed(source, error))?)
                }
            };
            (source.clone(), file)
        } else {
            let path = source.join(&request.path);
            loose = File::open(&path).map_err(|error| failed(&path, error))?;
            (path, &mut loose)
        };
        let available = file.metadata().map_err(|error| failed(&path, error))?.len();
        if request.range.end > available {
            let path = path.display();
            return Err(format!("{path}: the file has become shorter than it was"));
        }
        let mut bytes = vec![0; length];
        file.seek(SeekFrom::Start(request.range.start))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| failed(&path, error))?;
        Ok(bytes)
    }
}

fn read_own(range: &std::ops::Range<u64>) -> Result<Vec<u8>, String> {
    let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
    let part = OWN_PAK
        .get(start..end)
        .ok_or("the part is not in the program's own pak")?;
    Ok(part.to_vec())
}

/// Paths below the folder, with forward slashes, and their sizes.
fn loose_files(folder: &Path) -> Vec<(String, u64)> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((path, prefix, depth)) = folders.pop() {
        for entry in places::entries(&path) {
            let Some(name) = places::name_of(&entry) else {
                continue;
            };
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if metadata.is_dir() {
                if depth < DEEPEST && !name.to_lowercase().ends_with(".pk3dir") {
                    folders.push((entry.clone(), format!("{prefix}{name}/"), depth + 1));
                }
            } else if !places::is_pak(&entry) && files.len() < MAX_LOOSE_FILES {
                files.push((format!("{prefix}{name}"), metadata.len()));
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::vfs::ReadId;

    fn answer(files: &Files) -> Event {
        let patience = std::time::Duration::from_secs(20);
        let answer = files.events.recv_timeout(patience);
        answer.expect("the worker answers")
    }

    #[test]
    fn finds_paks_and_loose_files_and_reads_parts() {
        let root = std::env::temp_dir().join(format!("strafe-files-{}", std::process::id()));
        let game = root.join("baseq3");
        std::fs::create_dir_all(game.join("maps"))
            .expect("the test may write to the temporary folder");
        std::fs::write(game.join("pak0.pk3"), b"0123456789").expect("as above");
        std::fs::write(game.join("maps/a.bsp"), b"abc").expect("as above");

        let mut files = Files::find(std::slice::from_ref(&root), Wake::default());
        let mut found = Vec::new();
        loop {
            match answer(&files) {
                Event::SourceFound(source) => found.push(source),
                Event::SourcesComplete => break,
                other => panic!("unexpected {other:?}"),
            }
        }
        let named = |name: &str| found.iter().find(|source| source.name == name);
        let pak = named("pak0.pk3").expect("the pak is found");
        assert!(matches!(pak.kind, SourceKind::Pak { size: 10 }));
        let folder = named("").expect("the loose folder is found");
        assert!(
            matches!(&folder.kind, SourceKind::Folder { files } if files[..] == [("maps/a.bsp".to_owned(), 3)])
        );

        let mut read = |source: SourceId, path: &str, range: std::ops::Range<u64>| {
            files.read(ReadRequest {
                id: ReadId(7),
                source,
                path: path.to_owned(),
                parts: vec![range.clone()],
                range,
            });
            match answer(&files) {
                Event::FileRead {
                    id: ReadId(7),
                    result,
                } => result,
                other => panic!("unexpected {other:?}"),
            }
        };
        assert_eq!(read(pak.id, "", 3..6).as_deref(), Ok(&b"345"[..]));
        assert_eq!(
            read(folder.id, "maps/a.bsp", 0..3).as_deref(),
            Ok(&b"abc"[..])
        );
        assert!(read(pak.id, "", 8..12).is_err_and(|reason| reason.contains("shorter")));
        std::fs::remove_dir_all(&root).expect("the test's own folder");
    }
}
