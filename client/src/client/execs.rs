//! Configs that `exec` runs: the player's own files come first, then those in paks.

use super::Client;
use crate::{assets::RawId, output::Request};
use shared::base::time::ClientTime;

/// A config that was asked for and may still be on its way.
#[derive(Clone)]
pub(super) struct Exec {
    name: String,
    is_quiet: bool,
    asked_at: ClientTime,
    /// Its file in the paks, once the player's own are known to lack it.
    file: Option<RawId>,
}

impl Client {
    pub(crate) fn exec_file(&mut self, name: &str, is_quiet: bool) {
        self.execs.push(Exec {
            name: name.to_owned(),
            is_quiet,
            asked_at: self.now,
            file: None,
        });
        self.request(Request::ReadConfig {
            name: name.to_owned(),
        });
    }

    /// Whether the commands behind an `exec` have to wait for what it runs; only a slow line makes them run before it.
    pub(super) fn awaits_config(&self) -> bool {
        const PATIENCE_MSEC: i32 = 2000;
        let mut execs = self.execs.iter();
        execs.any(|exec| self.now - exec.asked_at < PATIENCE_MSEC)
    }

    /// The player's own files were looked through.
    pub(super) fn config_read(&mut self, name: &str, text: Option<String>) {
        let is_meant = |exec: &Exec| exec.name == name && exec.file.is_none();
        let Some(at) = self.execs.iter().position(is_meant) else {
            return;
        };
        match text {
            Some(text) => {
                let exec = self.execs.remove(at);
                self.run_config(&exec, &text);
            }
            None => self.execs[at].file = Some(self.assets.register_file(name)),
        }
    }

    pub(super) fn run_waiting_execs(&mut self) {
        for exec in std::mem::take(&mut self.execs) {
            let file = exec.file;
            if let Some(bytes) = file.and_then(|file| self.assets.file(file)).cloned() {
                self.run_config(&exec, &String::from_utf8_lossy(&bytes));
            } else if file.is_some_and(|file| self.assets.is_missing(file)) {
                let name = exec.name;
                self.print(&format!(
                    "exec {name}: there is no such file, neither of your own nor in the paks\n"
                ));
            } else {
                self.execs.push(exec);
            }
        }
    }

    fn run_config(&mut self, exec: &Exec, text: &str) {
        if !exec.is_quiet {
            self.print(&format!("execing {}\n", exec.name));
        }
        if !self.buffer.insert(text) {
            self.print(&format!("exec {}: the file is too long\n", exec.name));
        }
    }
}
