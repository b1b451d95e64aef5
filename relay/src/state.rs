//! Keeps on disk what the next run of a relay needs to go on with the sessions of this one.
//!
//! A relay that is killed tells nobody. So the file is written whenever a session begins, ends or
//! gets another token, and every few seconds, so that its age tells how long nobody has carried them.
//! Whoever reads it can take over every session in it: it belongs to the relay's user alone.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail, ensure};
use clap::Args;
use futures_util::future::{BoxFuture, FutureExt};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use crate::core::{Plugin, RelayState, SessionEvent, SessionRecord};

/// Changed whenever an older relay would misread the file.
const VERSION: u32 = 1;
/// Ten times what thousands of sessions need.
const MAX_BYTES: u64 = 64 << 20;
/// Files are no more often written than this, and no more seldom.
const MIN_PAUSE: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// Game servers have forgotten a silent player after this.
const FORGOTTEN: Duration = Duration::from_secs(300);

#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Options {
    /// Folder in which sessions are kept for the next run of the relay: players go on where they were
    /// after it was restarted or killed, if it is back within --hold. Whoever may read the folder can
    /// take over sessions, so it is made for the relay's user alone.
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    version: u32,
    saved_at: SystemTime,
    sessions: Vec<SessionRecord>,
}

/// What an earlier run has left.
#[derive(Debug, Default)]
struct Left {
    sessions: Vec<SessionRecord>,
    /// How long nobody has carried them.
    age: Duration,
}

/// The folder of one relay.
#[derive(Debug)]
pub(crate) struct State {
    folder: PathBuf,
    /// Held so that no other relay writes here, until this one ends.
    lock: Mutex<Option<File>>,
    /// What the next run needs of the sessions in a game.
    sessions: Mutex<HashMap<u64, SessionRecord>>,
    changed: Notify,
}

impl State {
    /// # Errors
    /// If the folder cannot be written, or another relay has it.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
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
            lock: Mutex::new(Some(lock)),
            sessions: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// What an earlier run has left. Nothing if that cannot be read, or if all servers have forgotten
    /// its players.
    fn load(&self) -> Left {
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

    /// Takes up the sessions of an earlier run that may still be played.
    async fn restore(&self, relay: &RelayState) {
        let left = self.load();
        let is_late = left.age > relay.config.hold;
        for record in left.sessions {
            let target = relay.policy.restored_target(&record.server, record.address);
            let Some(target) = target.filter(|_| !relay.policy.is_banned(record.user)) else {
                continue;
            };
            match relay.sessions.restore(record, target, is_late).await {
                Ok(()) if is_late => {}
                Ok(()) => relay.counters.sessions_restored.add(1),
                Err(error) => tracing::warn!(%error, "a session of the earlier run is lost"),
            }
        }
        let count = relay.counters.sessions_restored.get();
        if count > 0 {
            tracing::info!(count, "sessions of the earlier run wait for their players");
        }
    }

    /// Writes the file anew; the old one stays if that fails.
    ///
    /// # Errors
    /// If the disk is full, or the folder has gone.
    fn save(&self, relay: &RelayState) -> anyhow::Result<()> {
        let held = self.lock.lock();
        if held.is_none() {
            return Ok(());
        }
        let mut sessions = self.sessions.lock().clone();
        for (token, id) in relay.sessions.tokens() {
            if let Some(session) = sessions.get_mut(&id) {
                session.tokens.push(token);
            }
        }
        let saved = Saved {
            version: VERSION,
            saved_at: SystemTime::now(),
            sessions: sessions.into_values().collect(),
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

impl Plugin for State {
    fn begin(self: Arc<Self>, relay: Arc<RelayState>) -> BoxFuture<'static, ()> {
        async move {
            self.restore(&relay).await;
            tokio::spawn(keep_saved(self, relay));
        }
        .boxed()
    }

    fn end(&self, relay: &RelayState) {
        if let Err(error) = self.save(relay) {
            tracing::error!("cannot save the sessions: {error:#}");
        }
        *self.lock.lock() = None;
        self.changed.notify_one();
    }

    fn note(&self, event: SessionEvent<'_>) {
        match event {
            SessionEvent::Playing(session) => {
                let Some(record) = session.record() else {
                    return;
                };
                self.sessions.lock().insert(session.id, record);
            }
            SessionEvent::Ended(session) => {
                self.sessions.lock().remove(&session);
            }
            SessionEvent::Tokens => {}
        }
        self.changed.notify_one();
    }

    fn keeps(&self, session: u64) -> bool {
        self.sessions.lock().contains_key(&session)
    }
}

/// Saves whenever something has changed, and now and then, until the relay ends.
async fn keep_saved(state: Arc<State>, relay: Arc<RelayState>) {
    let mut is_failing = false;
    while state.lock.lock().is_some() {
        // Either way it is time to write.
        let _ = timeout(MAX_PAUSE, state.changed.notified()).await;
        let (saving, relay) = (state.clone(), relay.clone());
        let saved = spawn_blocking(move || saving.save(&relay)).await;
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
