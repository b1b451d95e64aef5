//! Files: what a module reads of the paks, and what it writes, which stays in a folder of its own.

use crate::assets::{AssetState, Assets};
use std::{collections::BTreeMap, sync::Arc};

/// Modules have so many open at once; number 0 is none.
const MAX_OPEN: usize = 63;
/// What a module may write altogether.
const MAX_WRITTEN_BYTES: usize = 1 << 20;
const MAX_WRITTEN_FILES: usize = 64;

/// Endings that nobody may write: programs, and what the game takes for such.
const REFUSED_ENDINGS: &[&str] = &[".dll", ".exe", ".so", ".dylib", ".qvm", ".pk3", ".cfg"];

/// What comes of opening a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// By number, with its length.
    File(i32, i32),
    Missing,
    /// It is asked for and not here yet.
    OnItsWay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Read,
    Write,
    Append,
}

/// The files of one module.
#[derive(Debug, Default)]
pub struct Files {
    open: Vec<Option<Open>>,
    written: BTreeMap<String, Arc<Vec<u8>>>,
    /// Names of what was written since this was asked last.
    finished: Vec<String>,
}

#[derive(Debug)]
enum Open {
    Read { bytes: Arc<Vec<u8>>, at: usize },
    Write { name: String, bytes: Vec<u8> },
}

impl Files {
    /// How many bytes a file has, if it exists.
    pub fn size(&self, assets: &Assets, path: &str) -> Option<i32> {
        let name = sandboxed(path)?;
        let written = self.written.get(&name).map(|bytes| bytes.len() as u64);
        let size = written.or_else(|| assets.vfs().size(&name))?;
        Some(i32::try_from(size).unwrap_or(i32::MAX))
    }

    pub fn open(&mut self, assets: &mut Assets, path: &str, mode: Mode) -> Opened {
        let Some(name) = sandboxed(path) else {
            return Opened::Missing;
        };
        match mode {
            Mode::Read => self.open_to_read(assets, &name),
            Mode::Write | Mode::Append => self.open_to_write(name, mode),
        }
    }

    fn open_to_read(&mut self, assets: &mut Assets, name: &str) -> Opened {
        let bytes = match self.written.get(name) {
            Some(bytes) => bytes.clone(),
            None if !assets.vfs().exists(name) => return Opened::Missing,
            None => {
                let id = assets.register_file(name);
                match (assets.file(id), assets.state(id)) {
                    (Some(bytes), _) => bytes.clone(),
                    (None, AssetState::Wanted) => return Opened::OnItsWay,
                    (None, _) => return Opened::Missing,
                }
            }
        };
        let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
        match self.add(Open::Read { bytes, at: 0 }) {
            Some(number) => Opened::File(number, length),
            None => Opened::Missing,
        }
    }

    fn open_to_write(&mut self, name: String, mode: Mode) -> Opened {
        let is_refused = REFUSED_ENDINGS.iter().any(|ending| name.ends_with(ending))
            || name.contains(".so.")
            || (self.written.len() >= MAX_WRITTEN_FILES && !self.written.contains_key(&name));
        if is_refused {
            return Opened::Missing;
        }
        let before = self.written.get(&name).filter(|_| mode == Mode::Append);
        let bytes = before.map_or_else(Vec::new, |bytes| bytes.to_vec());
        match self.add(Open::Write { name, bytes }) {
            Some(number) => Opened::File(number, 0),
            None => Opened::Missing,
        }
    }

    fn add(&mut self, open: Open) -> Option<i32> {
        let free = self.open.iter().position(Option::is_none);
        let index = match free {
            Some(index) => index,
            None if self.open.len() < MAX_OPEN => {
                self.open.push(None);
                self.open.len() - 1
            }
            None => return None,
        };
        self.open[index] = Some(open);
        Some(index as i32 + 1)
    }

    fn get(&mut self, number: i32) -> Option<&mut Open> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.open.get_mut(index)?.as_mut()
    }

    /// Copies the next bytes of a file; where it ends, the rest stays as it is.
    pub fn read(&mut self, number: i32, to: &mut [u8]) {
        if let Some(Open::Read { bytes, at }) = self.get(number) {
            let rest = &bytes[(*at).min(bytes.len())..];
            let count = rest.len().min(to.len());
            to[..count].copy_from_slice(&rest[..count]);
            *at += count;
        }
    }

    pub fn write(&mut self, number: i32, from: &[u8]) {
        let written = self.written.values().map(|bytes| bytes.len());
        let used: usize = written.sum();
        if let Some(Open::Write { bytes, .. }) = self.get(number)
            && used + bytes.len() + from.len() <= MAX_WRITTEN_BYTES
        {
            bytes.extend_from_slice(from);
        }
    }

    /// Moves to another place: 0 from here, 1 from the end, 2 from the start.
    pub fn seek(&mut self, number: i32, offset: i32, origin: i32) -> bool {
        let Some(Open::Read { bytes, at }) = self.get(number) else {
            return false;
        };
        let base = match origin {
            0 => *at,
            1 => bytes.len(),
            _ => 0,
        };
        let wanted = (base as i64).saturating_add(i64::from(offset));
        *at = usize::try_from(wanted).unwrap_or(0).min(bytes.len());
        true
    }

    pub fn close(&mut self, number: i32) {
        let index = usize::try_from(number.saturating_sub(1)).ok();
        let slot = index.and_then(|index| self.open.get_mut(index));
        if let Some(Open::Write { name, bytes }) = slot.and_then(Option::take) {
            self.finished.push(name.clone());
            self.written.insert(name, Arc::new(bytes));
        }
    }

    /// What was written and closed since the last call, by name.
    pub fn take_finished(&mut self) -> Vec<(String, Vec<u8>)> {
        let names = std::mem::take(&mut self.finished);
        let named = |name: String| Some((name.clone(), self.written.get(&name)?.to_vec()));
        names.into_iter().filter_map(named).collect()
    }
}

/// A path as files are looked up, if it stays inside.
fn sandboxed(path: &str) -> Option<String> {
    let name = path.replace('\\', "/").to_ascii_lowercase();
    let name = name.strip_prefix('/').unwrap_or(&name);
    let is_bad = name.is_empty()
        || name.len() > 255
        || name.contains("..")
        || name.contains(':')
        || name.contains("//")
        || name.starts_with('/')
        || name.chars().any(char::is_control)
        || name.contains("q3key")
        || name.contains("qkey");
    (!is_bad).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        assert_eq!(sandboxed("/Models\\a.MD3").as_deref(), Some("models/a.md3"));
        for path in ["", "../a", "a/../b", "c:/a", "//a", "a::b", "q3key", "a\nb"] {
            assert_eq!(sandboxed(path), None, "{path:?}");
        }
    }

    #[test]
    fn what_is_written_can_be_read_and_programs_cannot_be_written() {
        let mut files = Files::default();
        let Opened::File(number, 0) = files.open_to_write("stats/a.txt".into(), Mode::Write) else {
            panic!("it can be written");
        };
        files.write(number, b"hello");
        files.close(number);
        files.close(number);
        assert_eq!(
            files.take_finished(),
            [("stats/a.txt".to_owned(), b"hello".to_vec())]
        );
        let Opened::File(number, 0) = files.open_to_write("stats/a.txt".into(), Mode::Append)
        else {
            panic!("it can be written");
        };
        files.write(number, &vec![b'x'; MAX_WRITTEN_BYTES]);
        files.write(number, b"!");
        files.close(number);
        assert_eq!(files.take_finished()[0].1, b"hello!");
        for name in ["a.qvm", "a.pk3", "autoexec.cfg", "a.so.1"] {
            assert_eq!(
                files.open_to_write(name.into(), Mode::Write),
                Opened::Missing
            );
        }
    }

    #[test]
    fn no_more_than_63_files_are_open() {
        let mut files = Files::default();
        for number in 1..=63 {
            let opened = files.open_to_write(format!("{number}"), Mode::Write);
            assert_eq!(opened, Opened::File(number, 0));
        }
        assert_eq!(
            files.open_to_write("64".into(), Mode::Write),
            Opened::Missing
        );
        files.close(7);
        assert_eq!(
            files.open_to_write("64".into(), Mode::Write),
            Opened::File(7, 0)
        );
    }
}
