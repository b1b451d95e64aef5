//! Files out of the installed OpenArena data (Debian package openarena-data).

#![allow(dead_code, reason = "tests and benches each use a part of this module")]

use shared::formats::pk3::{self, Directory, Entry};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Where the Debian package puts its paks.
const BASE: &str = "/usr/share/games/openarena/baseoa";

/// The file of that name in the highest pak that has one.
pub fn file(name: &str) -> Vec<u8> {
    let name = pk3::normalize_name(name);
    let mut paks = paks().into_iter().rev().map(Pak::read);
    let found = paks.find_map(|pak| Some(pak.contents(pak.directory.find(&name)?)));
    found.unwrap_or_else(|| {
        panic!("no pak in {BASE} has {name}; is another version of openarena-data installed?")
    })
}

/// Calls back with each file of that ending in every pak, lowest pak first.
pub fn each_file(ending: &str, mut found: impl FnMut(&str, Vec<u8>)) {
    for pak in paks() {
        for (name, bytes) in Pak::read(pak).files(ending) {
            found(name, bytes);
        }
    }
}

fn paks() -> Vec<PathBuf> {
    let folder = fs::read_dir(Path::new(BASE)).unwrap_or_else(|error| {
        panic!("{BASE}: {error}; install the Debian package openarena-data to run this test")
    });
    let mut paks: Vec<PathBuf> = folder
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "pk3"))
        .collect();
    paks.sort();
    paks
}

pub struct Pak {
    bytes: Vec<u8>,
    pub directory: Directory,
}

impl Pak {
    /// The pak of a name without its ending.
    pub fn named(name: &str) -> Self {
        Self::read(Path::new(BASE).join(format!("{name}.pk3")))
    }

    fn read(path: PathBuf) -> Self {
        let bytes = fs::read(&path).unwrap_or_else(|error| {
            panic!(
                "{}: {error}; install the Debian package openarena-data",
                path.display()
            )
        });
        let size = bytes.len() as u64;
        let tail = &bytes[pk3::tail_range(size).start as usize..];
        let place = pk3::find_directory(size, tail).expect("a pak has a directory");
        let directory = &bytes[place.range.start as usize..place.range.end as usize];
        let directory = Directory::parse(&place, directory).expect("the directory can be read");
        Self { bytes, directory }
    }

    fn contents(&self, entry: &Entry) -> Vec<u8> {
        let range = entry.range();
        let packed = &self.bytes[range.start as usize..range.end as usize];
        entry.extract(packed).expect("an entry can be unpacked")
    }

    /// All files with contents and this ending, unpacked.
    pub fn files(&self, ending: &str) -> impl Iterator<Item = (&str, Vec<u8>)> {
        let entries = self.directory.entries().iter();
        let wanted = entries.filter(move |entry| entry.size > 0 && entry.name.ends_with(ending));
        wanted.map(|entry| (entry.name.as_str(), self.contents(entry)))
    }
}
