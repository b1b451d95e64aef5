//! Paks that a game server plays with and that players lack: fetched, checked and kept for browsers.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, ensure};
use clap::Args;
use parking_lot::Mutex;
use serde_json::json;
use shared::base::info::Info;
use shared::base::text::number;
use shared::formats::pk3::{self, Directory};
use shared::types::configstring::index::{SERVERINFO, SYSTEMINFO};
use shared::types::gamestate::Gamestate;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::spawn_blocking;

use crate::content::{Content, Entry, escaped};
use crate::core::{RelayState, Resolver, Target};
use crate::inspection::Gamestates;

mod fetch;

use fetch::Fetcher;

/// So many are fetched at a time.
const AT_ONCE: usize = 2;
/// What could not be had is not tried again for so long.
const HOPELESS: Duration = Duration::from_secs(300);
const LONGEST: Duration = Duration::from_secs(1800);
const MEGABYTE: u64 = 1 << 20;
/// Paks of one level; the list must fit into a configstring anyway.
const MAX_PAKS: usize = 64;

#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Options {
    /// Folder for paks that a server of --server plays with and that --content lacks: they are
    /// fetched from where its sv_dlURL points, checked, and kept here.
    #[arg(long, value_name = "DIR")]
    pub downloads: Option<PathBuf>,
    /// Most megabytes of that folder; the oldest paks give way.
    #[arg(long, default_value_t = 4096, value_name = "MB")]
    pub downloads_limit: u64,
    /// Most megabytes of one pak.
    #[arg(long, default_value_t = 512, value_name = "MB")]
    pub download_limit: u64,
    /// Certificates (PEM) of an authority of your own that the web servers of paks are trusted by,
    /// besides those of the system.
    #[arg(long, requires = "downloads", value_name = "FILE")]
    pub download_authority: Option<PathBuf>,
}

/// A pak by its names and the checksum that servers know it by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MissingPak {
    pub game: String,
    name: String,
    checksum: i32,
    /// Where it can be had.
    url: String,
}

/// Fetches paks, each once, and keeps them in a folder of limited size.
#[derive(Debug)]
pub(crate) struct Downloads {
    folder: PathBuf,
    max_bytes: u64,
    max_bytes_each: u64,
    content: Arc<Content>,
    fetcher: Fetcher,
    permits: Semaphore,
    running: Mutex<HashMap<MissingPak, Attempt>>,
}

#[derive(Clone, Debug)]
struct Attempt {
    begun: Instant,
    outcome: Arc<OnceCell<Result<(), String>>>,
}

impl Downloads {
    /// Nothing if the operator wants none.
    ///
    /// # Errors
    /// If the folder cannot be written, or the file of authorities not be read.
    pub(crate) fn start(
        options: &Options,
        content: Arc<Content>,
        resolver: Arc<Resolver>,
    ) -> anyhow::Result<Option<Arc<dyn Gamestates>>> {
        let Some(folder) = options.downloads.clone() else {
            return Ok(None);
        };
        write_probe(&folder).with_context(|| {
            format!(
                "--downloads {}: cannot write into this folder",
                folder.display()
            )
        })?;
        let (megabytes, megabytes_each) = (options.downloads_limit, options.download_limit);
        // What an earlier run left behind in the middle of a file.
        for file in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if file
                .path()
                .extension()
                .is_some_and(|extension| extension == "part")
            {
                let _ = fs::remove_file(file.path());
            }
        }
        Ok(Some(Arc::new(Self {
            folder,
            max_bytes: megabytes.saturating_mul(MEGABYTE),
            max_bytes_each: megabytes_each.min(megabytes).saturating_mul(MEGABYTE),
            content,
            fetcher: Fetcher::new(options.download_authority.as_deref(), resolver)?,
            permits: Semaphore::new(AT_ONCE),
            running: Mutex::default(),
        })))
    }

    /// The paks of a level that the operator's folders lack, if the server says where they are.
    fn wanted(&self, gamestate: &Gamestate) -> Vec<MissingPak> {
        let texts = &gamestate.configstrings;
        let source = Info::parse(texts.get(SERVERINFO))
            .get("sv_dlURL")
            .to_owned();
        if source.is_empty() {
            return Vec::new();
        }
        let mut wanted = referenced(texts.get(SYSTEMINFO), source.trim_end_matches('/'));
        wanted.retain(|pak| {
            self.content
                .path(&pak.game, &format!("{}.pk3", pak.name))
                .is_none()
        });
        wanted
    }

    /// Gets a pak for the game server at an address; whoever wants the same one waits for it.
    async fn get(&self, pak: &MissingPak, server: IpAddr) -> Result<Entry, String> {
        if let Some(entry) = self.entry(pak) {
            return Ok(entry);
        }
        let outcome = self.attempt(pak).outcome;
        let fetched = outcome.get_or_init(async || {
            let fetched = tokio::time::timeout(LONGEST, self.fetch(pak, server)).await;
            match fetched.context("it took too long").flatten() {
                Ok(()) => {
                    tracing::info!(pak = pak.url, "fetched");
                    Ok(())
                }
                Err(error) => {
                    tracing::warn!(pak = pak.url, "cannot fetch a pak: {error:#}");
                    Err(format!("{}.pk3 could not be fetched: {error:#}", pak.name))
                }
            }
        });
        fetched.await.clone()?;
        self.content.rescan().await;
        self.entry(pak)
            .ok_or_else(|| format!("{}.pk3 gave way to newer paks", pak.name))
    }

    fn entry(&self, pak: &MissingPak) -> Option<Entry> {
        self.content.entry(&pak.game, &pak.file_name())
    }

    fn attempt(&self, pak: &MissingPak) -> Attempt {
        let mut running = self.running.lock();
        running.retain(|_, attempt| {
            let is_over = attempt.outcome.initialized();
            let is_failed = matches!(attempt.outcome.get(), Some(Err(_)));
            !is_over || is_failed && attempt.begun.elapsed() < HOPELESS
        });
        let fresh = || Attempt {
            begun: Instant::now(),
            outcome: Arc::default(),
        };
        running.entry(pak.clone()).or_insert_with(fresh).clone()
    }

    async fn fetch(&self, pak: &MissingPak, server: IpAddr) -> anyhow::Result<()> {
        let _permit = self.permits.acquire().await?;
        let part = self.folder.join(format!("{:016x}.part", getrandom::u64()?));
        let fetched = self
            .fetcher
            .fetch(&pak.url, server, self.max_bytes_each, &part)
            .await;
        let kept = match fetched {
            Ok(()) => {
                let (folder, max_bytes) = (self.folder.clone(), self.max_bytes);
                let (pak, part) = (pak.clone(), part.clone());
                spawn_blocking(move || keep(&folder, max_bytes, &pak, &part)).await?
            }
            Err(error) => Err(error),
        };
        if kept.is_err() {
            // It may not even have been made.
            let _ = fs::remove_file(&part);
        }
        kept
    }
}

impl Gamestates for Downloads {
    /// Has the paks of a level fetched that the player may lack, and says so before the level arrives.
    /// A server that only a player named is not believed that much.
    fn note(
        self: Arc<Self>,
        relay: &Arc<RelayState>,
        session: u64,
        target: &Target,
        gamestate: &Gamestate,
    ) -> Option<String> {
        if !target.is_listed {
            return None;
        }
        let wanted = self.wanted(gamestate);
        if wanted.is_empty() {
            return None;
        }
        let mut left = wanted.len();
        let text = json!({ "coming": left }).to_string();
        let (downloads, relay) = (self, relay.clone());
        let server = target.address.ip();
        tokio::spawn(async move {
            for pak in wanted {
                let got = downloads.get(&pak, server).await;
                left -= 1;
                let text = match got {
                    Ok(entry) => json!({ "coming": left, "pak": entry, "game": pak.game }),
                    Err(reason) => json!({ "coming": left, "notice": reason }),
                };
                relay.sessions.say(session, text.to_string()).await;
            }
        });
        Some(text)
    }
}

/// Takes a complete file in if it is the pak that the server plays with.
fn keep(folder: &Path, max_bytes: u64, pak: &MissingPak, part: &Path) -> anyhow::Result<()> {
    let checksum = checksum(part)?;
    ensure!(
        checksum == pak.checksum,
        "it is another pak: its checksum is {checksum}, the server's {}",
        pak.checksum
    );
    make_room(folder, max_bytes, part.metadata()?.len())?;
    let game = folder.join(&pak.game);
    fs::create_dir_all(&game)?;
    fs::rename(part, game.join(pak.file_name()))?;
    Ok(())
}

impl MissingPak {
    /// As other clients name what they download: servers may use one name for different paks.
    fn file_name(&self) -> String {
        format!("{}.{:08x}.pk3", self.name, self.checksum)
    }
}

/// The paks that a level needs, by its systeminfo; without those whose names could do harm and those
/// that nobody may hand out.
fn referenced(systeminfo: &str, source: &str) -> Vec<MissingPak> {
    let info = Info::parse(systeminfo);
    let checksums = info
        .get("sv_referencedPaks")
        .split_ascii_whitespace()
        .map(number);
    let names = info.get("sv_referencedPakNames").split_ascii_whitespace();
    let pak = |(checksum, full_name): (i32, &str)| {
        let (game, name) = full_name.split_once('/')?;
        let is_good = is_safe(game) && is_safe(name) && !pk3::is_commercial(game, name);
        is_good.then(|| MissingPak {
            game: game.to_lowercase(),
            name: name.to_owned(),
            checksum,
            url: format!("{source}/{}/{}.pk3", escaped(game), escaped(name)),
        })
    };
    checksums
        .zip(names)
        .filter_map(pak)
        .take(MAX_PAKS)
        .collect()
}

/// Makes a folder if need be, and a file in it for a moment, under a name that nothing has.
fn write_probe(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let probe = folder.join(format!("probe-{:016x}.part", getrandom::u64()?));
    File::create_new(&probe)?.write_all(b"x")?;
    fs::remove_file(&probe)
}

fn is_safe(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+!()[]#@~".contains(&byte);
    name.len() <= 64 && name.bytes().all(is_plain) && !name.starts_with('.') && !name.is_empty()
}

/// What servers call a pak.
fn checksum(path: &Path) -> anyhow::Result<i32> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut read = |range: std::ops::Range<u64>| -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let tail = read(pk3::tail_range(size))?;
    let place = pk3::find_directory(size, &tail).context("it is no pak")?;
    let directory = read(place.range.clone())?;
    Ok(Directory::parse(&place, &directory)
        .context("it is no pak")?
        .checksum())
}

/// Removes the oldest paks until a new one fits.
fn make_room(folder: &Path, max_bytes: u64, new_bytes: u64) -> io::Result<()> {
    let mut paks: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for game in fs::read_dir(folder)?.flatten() {
        let Ok(files) = fs::read_dir(game.path()) else {
            continue;
        };
        for file in files.flatten() {
            let about = file.metadata()?;
            paks.push((about.modified()?, about.len(), file.path()));
        }
    }
    paks.sort();
    let mut total = new_bytes + paks.iter().map(|(_, bytes, _)| bytes).sum::<u64>();
    for (_, bytes, path) in paks {
        if total <= max_bytes {
            break;
        }
        fs::remove_file(path)?;
        total -= bytes;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;

    #[test]
    fn only_harmless_names_of_the_servers_list_are_wanted() {
        let systeminfo = "\\sv_referencedPaks\\1 -2 3 4 5 6 7\\sv_referencedPakNames\\baseoa/z_map baseq3/pak0 baseoa/../x ../a plain baseq3/PAK8 q3ut4/a#b";
        let wanted = referenced(systeminfo, "http://files.example");
        let found: Vec<_> = wanted
            .iter()
            .map(|pak| (pak.url.as_str(), pak.file_name()))
            .collect();
        let expected = [
            (
                "http://files.example/baseoa/z_map.pk3",
                "z_map.00000001.pk3".to_owned(),
            ),
            (
                "http://files.example/q3ut4/a%23b.pk3",
                "a#b.00000007.pk3".to_owned(),
            ),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_oldest_give_way() {
        let folder = Folder::new("room");
        let game = folder.0.join("baseoa");
        fs::create_dir_all(&game).unwrap();
        for (age, name) in [(30, "old"), (20, "middle"), (10, "new")] {
            let file = File::create(game.join(name)).unwrap();
            file.set_len(100).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age))
                .unwrap();
        }
        make_room(&folder.0, 300, 150).unwrap();
        let left = fs::read_dir(game).unwrap().flatten();
        let left: Vec<_> = left.map(|file| file.file_name()).collect();
        assert_eq!(left, ["new"]);
    }
}
