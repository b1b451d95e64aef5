//! Small named texts (config, history) that outlive the program, as files in the player's own folder, and demos.

use super::places;
use crate::{
    client::{CDKEY_NAME, PASSWORDS_NAME},
    output::{DEMO_ENDINGS, has_demo_ending},
};
use flate2::{Compression, write::GzEncoder};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// The text stored under this name, if there is one.
pub fn load(name: &str) -> Option<String> {
    load_path(&file(name)?)
}

fn load_path(path: &Path) -> Option<String> {
    /// No config that could run is longer.
    const LARGEST: u64 = 1 << 20;
    let metadata = path.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A config that another client of the family has left, such as its `q3config.cfg`; the newest, if there are several.
pub fn load_foreign(name: &str) -> Option<String> {
    let is_config = name.ends_with(".cfg") && below(Path::new(""), name).is_some();
    if !is_config || name.contains('/') {
        return None;
    }
    let roots = places::in_home().into_iter();
    let files = roots
        .flat_map(|root| places::games(&root))
        .map(|(_, game)| game.join(name));
    let newest = files
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .max()?;
    load_path(&newest.1)
}

/// What the system calls the player.
pub fn user_name() -> String {
    let mut names = ["USER", "USERNAME"].into_iter();
    let found = names.find_map(|name| std::env::var(name).ok());
    found.unwrap_or_default()
}

/// Stores a text.
pub fn store(name: &str, text: &str) -> Result<(), String> {
    let path = file(name).ok_or_else(|| format!("\"{name}\" is no name for a file"))?;
    let is_private = [CDKEY_NAME, PASSWORDS_NAME].contains(&name);
    write_as(&path, text.as_bytes(), is_private)
}

/// Stores what the player made, such as a demo; the name may hold folders.
pub fn store_bytes(name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = below(&places::data_folder(), name)
        .ok_or_else(|| format!("\"{name}\" is no name for a file"))?;
    write(&path, bytes)
}

/// A journal as it is kept.
pub fn packed(journal: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Memory takes all that is written.
    let _ = encoder.write_all(journal);
    encoder.finish().unwrap_or_default()
}

/// The journal that was kept last.
pub fn newest_journal() -> Option<PathBuf> {
    let files = fs::read_dir(places::data_folder().join("journals")).ok()?;
    let journals = files.flatten().map(|file| file.path());
    let journals = journals.filter(|path| path.extension().is_some_and(|end| end == "journal"));
    journals.max_by_key(|path| {
        path.metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
    })
}

/// The first name of the kind `screenshots/shot0007.png` that no file has yet.
pub fn free_name(beginning: &str, ending: &str) -> String {
    let name = |number: u32| format!("{beginning}{number:04}{ending}");
    let is_free = |name: &String| !places::data_folder().join(name).exists();
    let free = (0..10_000).map(name).find(is_free);
    // Nobody keeps that many; the last one is written over.
    free.unwrap_or_else(|| name(9999))
}

/// A demo of the player's: a file's path, or a name in the folder of demos, with or without its ending.
pub fn load_demo(name: &str) -> Option<Vec<u8>> {
    /// Hours of play are a tenth of this.
    const LARGEST: u64 = 256 << 20;
    let own = |ending: &str| {
        below(
            &places::data_folder().join("demos"),
            &format!("{name}{ending}"),
        )
    };
    std::iter::once(Some(PathBuf::from(name)))
        .chain(std::iter::once("").chain(DEMO_ENDINGS).map(own))
        .flatten()
        .find(|path| {
            path.metadata()
                .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST)
        })
        .and_then(|path| fs::read(path).ok())
}

/// Names of the player's demos, in order.
pub fn list_demos() -> Vec<String> {
    /// More fill no menu.
    const MAX_LISTED: usize = 500;
    let folder = fs::read_dir(places::data_folder().join("demos"));
    let names = folder.into_iter().flatten().flatten();
    let mut names: Vec<String> = names
        .filter_map(|file| file.file_name().into_string().ok())
        .filter(|name| has_demo_ending(name))
        .take(MAX_LISTED)
        .collect();
    names.sort_unstable();
    names
}

/// A half-written file never takes the place of a whole one.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    write_as(path, bytes, false)
}

/// The same; what is private nobody else may read, where the system tells users' files apart.
fn write_as(path: &Path, bytes: &[u8], is_private: bool) -> Result<(), String> {
    let write = || -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let unfinished = path.with_extension("part");
        if is_private {
            // What a killed run has left has its own permissions, and need not be there.
            let _ = fs::remove_file(&unfinished);
        }
        let written = opened(&unfinished, is_private)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&unfinished, path));
        if written.is_err() {
            // On a full disk it would be in the way; it may not even be there.
            let _ = fs::remove_file(&unfinished);
        }
        written
    };
    write().map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

fn opened(path: &Path, is_private: bool) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(path)
}

/// A file of ours; plain names only.
fn file(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        None
    } else {
        below(&places::config_folder(), name)
    }
}

/// A path below a folder: nothing may lead out of it, and nothing may be hidden in it.
pub(super) fn below(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "._-+!() ".contains(letter))
    };
    name.split('/').all(is_plain).then(|| folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_lead_out_of_the_folder() {
        for name in ["", "..", "../x", "a/b", "c:\\x", ".hidden"] {
            assert_eq!(file(name), None, "{name}");
        }
        assert!(file("q3config.cfg").is_some_and(|path| path.ends_with("strafe/q3config.cfg")));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_nobody_else_reads() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("strafe-store-{}", std::process::id()));
        let path = folder.join("cdkey.txt");
        let mode = || {
            path.metadata()
                .map(|file| file.permissions().mode() & 0o777)
        };
        write_as(&path, b"first", false).expect("the folder can be made");
        fs::write(path.with_extension("part"), "left over").expect("it can be written");
        write_as(&path, b"second", true).expect("the folder is there");
        assert_eq!(mode().expect("it is there"), 0o600);
        assert_eq!(load_path(&path).as_deref(), Some("second"));
        fs::remove_dir_all(&folder).expect("it is ours");
    }
}
