//! Files that the relay makes for pages: made ahead by a thread of their own, and kept on the disk within a limit.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use anyhow::{Context, ensure};
use parking_lot::Mutex;

use super::Made;
use super::open_pak::OpenPak;
use crate::core::give_way;

/// A file that is there.
#[derive(Clone, Debug)]
pub(super) struct MadeFile {
    pub path: PathBuf,
    pub bytes: u64,
    /// Of a pak: so many of its last bytes hold its directory.
    pub directory: Option<u64>,
}

/// All files that were made, and who makes those that are missing.
#[derive(Debug)]
pub(super) struct MadeFiles {
    ready: Ready,
    asked: Arc<Mutex<HashSet<String>>>,
    jobs: Sender<Job>,
}

/// By name; nothing where none can be made.
type Ready = Arc<Mutex<BTreeMap<String, Option<MadeFile>>>>;

struct Job {
    name: String,
    make: Make,
}

/// Makes a file; nothing if it would be of no use.
pub(super) type Make = Box<dyn FnOnce() -> anyhow::Result<Option<Vec<u8>>> + Send>;

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl MadeFiles {
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn start(folder: &Path, max_bytes: u64) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .and_then(|()| try_to_write(folder))
            .with_context(|| {
                format!(
                    "--light {}: cannot write into this folder",
                    folder.display()
                )
            })?;
        let mut ready = BTreeMap::new();
        for path in super::entries(folder) {
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(name) = name.map(str::to_owned) else {
                continue;
            };
            if name.ends_with(".part") {
                // What an earlier run left behind in the middle of a file.
                let _ = fs::remove_file(&path);
            } else if name.ends_with(".pk3") || name.ends_with(".first") {
                ready.insert(name, made(path));
            }
        }
        let ready = Arc::new(Mutex::new(ready));
        let (jobs, inbox) = channel();
        let asked = Arc::default();
        let maker = Maker {
            folder: folder.to_owned(),
            max_bytes,
            ready: Arc::clone(&ready),
            asked: Arc::clone(&asked),
        };
        thread::Builder::new()
            .name("made files".to_owned())
            .spawn(move || maker.run(&inbox))
            .context("cannot start the thread that makes files for pages")?;
        Ok(Self { ready, asked, jobs })
    }

    /// The file of this name. If nobody knows yet, it is made.
    pub(super) fn get(&self, name: String, make: impl FnOnce() -> Make) -> Made<MadeFile> {
        // Pages that heard of it may read it from now on.
        let is_new = self.asked.lock().insert(name.clone());
        if let Some(ready) = self.ready.lock().get(&name) {
            return ready.clone().map_or(Made::Never, Made::There);
        }
        if is_new {
            // A thread that ended has said why.
            let _ = self.jobs.send(Job { name, make: make() });
        }
        Made::NotYet
    }
}

/// What is known of a file; an empty one says that none is of use.
fn made(path: PathBuf) -> Option<MadeFile> {
    let bytes = path.metadata().ok()?.len();
    let archive = OpenPak::open(&path).ok();
    let directory = archive.map(|archive| archive.directory_size());
    (bytes > 0).then_some(MadeFile {
        path,
        bytes,
        directory,
    })
}

fn try_to_write(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join("probe.part");
    fs::write(&probe, b"")?;
    fs::remove_file(probe)
}

/// The thread that makes them, one after the other.
struct Maker {
    folder: PathBuf,
    max_bytes: u64,
    ready: Ready,
    asked: Arc<Mutex<HashSet<String>>>,
}

impl Maker {
    fn run(&self, inbox: &Receiver<Job>) {
        // Players' threads come first, then those of whoever fetches files.
        give_way(19);
        while let Ok(Job { name, make }) = inbox.recv() {
            let file = make().and_then(|bytes| self.keep(&name, &bytes.unwrap_or_default()));
            let file = file.unwrap_or_else(|error| {
                tracing::warn!(
                    file = name,
                    error = format!("{error:#}"),
                    "not made for pages"
                );
                None
            });
            if let Some(file) = &file {
                tracing::info!(file = name, bytes = file.bytes, "made for pages");
            }
            self.ready.lock().insert(name, file);
        }
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> anyhow::Result<Option<MadeFile>> {
        self.make_room(bytes.len() as u64)?;
        let path = self.folder.join(name);
        let part = self.folder.join(format!("{name}.part"));
        fs::write(&part, bytes)
            .and_then(|()| fs::rename(&part, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(made(path))
    }

    /// The oldest of those that nobody asked for in this run give way.
    fn make_room(&self, bytes: u64) -> anyhow::Result<()> {
        let asked = self.asked.lock();
        let mut ready = self.ready.lock();
        let total: u64 = ready.values().flatten().map(|file| file.bytes).sum();
        let mut excess = (total + bytes).saturating_sub(self.max_bytes);
        let mut unused: Vec<_> = (ready.iter())
            .filter(|(name, _)| !asked.contains(*name))
            .filter_map(|(name, file)| {
                let file = file.as_ref()?;
                let changed = file.path.metadata().and_then(|about| about.modified());
                Some((changed.ok(), name.clone(), file.bytes))
            })
            .collect();
        ensure!(
            unused.iter().map(|(_, _, bytes)| bytes).sum::<u64>() >= excess,
            "{bytes} bytes more are above --light-limit, which is {} bytes for all",
            self.max_bytes
        );
        unused.sort();
        for (_, name, bytes) in unused {
            if excess == 0 {
                break;
            }
            if let Some(Some(file)) = ready.remove(&name) {
                fs::remove_file(&file.path)
                    .with_context(|| format!("cannot remove {}", file.path.display()))?;
            }
            excess = excess.saturating_sub(bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;
    use std::time::{Duration, Instant};

    fn wait(files: &MadeFiles, name: &str, bytes: &'static [u8]) -> Option<MadeFile> {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let file = files.get(name.to_owned(), || {
                Box::new(move || match bytes {
                    b"broken" => anyhow::bail!("it is broken"),
                    bytes => Ok((!bytes.is_empty()).then(|| bytes.to_vec())),
                })
            });
            match file {
                Made::There(file) => return Some(file),
                Made::Never => return None,
                Made::NotYet => assert!(Instant::now() < end, "it is never made"),
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn files_are_made_once_and_within_the_limit() {
        let folder = Folder::new("made");
        let files = MadeFiles::start(&folder.0, 10).unwrap();
        let one = wait(&files, "a.first", b"first").unwrap();
        assert_eq!(fs::read(&one.path).unwrap(), b"first");
        assert!(wait(&files, "b.first", b"broken").is_none());
        assert!(wait(&files, "c.first", b"").is_none());
        // A page may read the first just now.
        assert!(wait(&files, "d.first", b"second").is_none() && one.path.exists());
        // Whoever starts later knows them again, and what nobody asks for any more gives way.
        let files = MadeFiles::start(&folder.0, 10).unwrap();
        assert!(wait(&files, "c.first", b"other").is_none());
        let other = wait(&files, "d.first", b"second").unwrap();
        assert!(other.path.exists() && !one.path.exists());
        assert!(wait(&files, "a.first", b"first").is_none());
    }
}
