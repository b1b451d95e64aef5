//! Keeps on disk what the next run of a relay needs to go on with the sessions of this one.
//!
//! A relay that is killed tells nobody. So the file is written whenever a session begins, ends or
//! gets another token, and every few seconds, so that its age tells how long nobody has carried them.
//! Whoever reads it can take over every session in it: it belongs to the relay's user alone.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use crate::session::Sessions;

/// Changed whenever an older relay would misread the file.
const VERSION: u32 = 1;
/// Ten times what thousands of sessions need.
const MAX_BYTES: u64 = 64 << 20;
/// Files are no more often written than this, and no more seldom.
const MIN_PAUSE: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// Game servers have forgotten a silent player after this.
const FORGOTTEN: Duration = Duration::from_secs(300);

/// A session whose player is in the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSession {
    pub tokens: Vec<String>,
    /// The server as the player named it, and its address.
    pub server: String,
    pub address: SocketAddr,
    /// From where the server knows the player.
    pub local: SocketAddr,
    pub qport: u16,
    pub players_qport: Option<u16>,
    pub user: IpAddr,
    /// What tells the server that the player left, in hexadecimal.
    pub deferred_disconnect: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    version: u32,
    saved_at: SystemTime,
    sessions: Vec<SavedSession>,
}

/// What an earlier run has left.
#[derive(Debug, Default)]
pub struct Left {
    pub sessions: Vec<SavedSession>,
    /// How long nobody has carried them.
    pub age: Duration,
}

/// The folder of one relay.
#[derive(Debug)]
pub struct State {
    folder: PathBuf,
    /// Held so that no other relay writes here.
    _lock: File,
    writing: Mutex<()>,
}

impl State {
    /// # Errors
    /// If the folder cannot be written, or another relay has it.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let told = || format!("--state {}", folder.display());
        make_private_folder(folder)
            .with_context(|| format!("{}: cannot make this folder", told()))?;
        let lock = private_file(
            OpenOptions::new().create(true).truncate(false),
            &folder.join("lock"),
        )
        .with_context(|| format!("{}: cannot write into this folder", told()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "{}: another relay uses this folder; give each its own",
                    told()
                )
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("{}: cannot lock it", told()));
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
            writing: Mutex::default(),
        })
    }

    /// What an earlier run has left. Nothing if that cannot be read, or if all servers have forgotten
    /// its players.
    pub fn load(&self) -> Left {
        match self.read() {
            Ok(left) => left,
            Err(error) => {
                let file = self.file();
                tracing::warn!(file = %file.display(), "no session of an earlier run is taken up: {error:#}");
                Left::default()
            }
        }
    }

    fn read(&self) -> anyhow::Result<Left> {
        let file = match File::open(self.file()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Left::default()),
            opened => opened?,
        };
        let mut text = String::new();
        let size = file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        ensure!(
            size as u64 <= MAX_BYTES,
            "it has more than {MAX_BYTES} bytes"
        );
        let saved: Saved = serde_json::from_str(&text).context("it is damaged")?;
        ensure!(saved.version == VERSION, "it is of another version");
        // A clock that was set back tells nothing.
        let age = saved.saved_at.elapsed().unwrap_or(FORGOTTEN);
        let sessions = match age < FORGOTTEN {
            true => saved.sessions,
            false => Vec::new(),
        };
        Ok(Left { sessions, age })
    }

    /// Writes the file anew; the old one stays if that fails.
    ///
    /// # Errors
    /// If the disk is full, or the folder has gone.
    pub fn save(&self, sessions: &Sessions) -> anyhow::Result<()> {
        let _writing = self
            .writing
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let saved = Saved {
            version: VERSION,
            saved_at: SystemTime::now(),
            sessions: sessions.saved(),
        };
        let text = serde_json::to_vec(&saved)?;
        let new = self.folder.join("sessions.new");
        // What an earlier run left behind in the middle of a file.
        let _ = fs::remove_file(&new);
        let mut file = private_file(OpenOptions::new().create_new(true), &new)?;
        file.write_all(&text)?;
        fs::rename(&new, self.file())?;
        Ok(())
    }

    fn file(&self) -> PathBuf {
        self.folder.join("sessions.json")
    }
}

/// Saves whenever something has changed, and now and then.
pub async fn keep_saved(state: Arc<State>, sessions: Arc<Sessions>) {
    let mut is_failing = false;
    loop {
        // Either way it is time to write.
        let _ = timeout(MAX_PAUSE, sessions.changed()).await;
        let (state, sessions) = (state.clone(), sessions.clone());
        let saved = spawn_blocking(move || state.save(&sessions)).await;
        let failure = saved.map_err(anyhow::Error::from).flatten().err();
        match &failure {
            Some(error) if !is_failing => tracing::error!("cannot save the sessions: {error:#}"),
            None if is_failing => tracing::info!("the sessions are saved again"),
            _ => {}
        }
        is_failing = failure.is_some();
        sleep(MIN_PAUSE).await;
    }
}

fn private_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.write(true).open(path)
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
