//! Files out of the installed OpenArena data (Debian package openarena-data).

#![allow(dead_code, reason = "tests and benches each use a part of this module")]

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

/// Where the Debian package puts its paks.
const BASE: &str = "/usr/share/games/openarena/baseoa";

/// The file of that name in the highest pak that has one.
pub fn file(name: &str) -> Vec<u8> {
    for pak in paks().iter().rev() {
        let archive = fs::read(pak).expect("a listed pak can be read");
        for entry in entries(&archive) {
            if entry.name.eq_ignore_ascii_case(name) {
                return entry.bytes();
            }
        }
    }
    panic!("no pak in {BASE} has {name}; is another version of openarena-data installed?");
}

/// Calls back with each file of that ending in every pak, lowest pak first.
pub fn each_file(ending: &str, mut found: impl FnMut(&str, Vec<u8>)) {
    for pak in paks() {
        let archive = fs::read(pak).expect("a listed pak can be read");
        for entry in entries(&archive) {
            if entry.name.ends_with(ending) {
                found(&entry.name, entry.bytes());
            }
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

struct Entry<'a> {
    name: String,
    method: u16,
    packed: &'a [u8],
}

impl Entry<'_> {
    fn bytes(&self) -> Vec<u8> {
        if self.method == 0 {
            return self.packed.to_vec();
        }
        let mut bytes = Vec::new();
        flate2::read::DeflateDecoder::new(self.packed)
            .read_to_end(&mut bytes)
            .expect("the installed paks are intact");
        bytes
    }
}

/// The central directory of a zip archive known to be intact.
fn entries(archive: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    let u16_at = |at: usize| usize::from(archive[at]) | usize::from(archive[at + 1]) << 8;
    let u32_at = move |at: usize| u16_at(at) | u16_at(at + 2) << 16;
    let end = (0..archive.len() - 21)
        .rev()
        .find(|&at| archive[at..].starts_with(b"PK\x05\x06"))
        .expect("a zip archive ends with its directory");
    let mut at = u32_at(end + 16);
    (0..u16_at(end + 10)).map(move |_| {
        let name = String::from_utf8_lossy(&archive[at + 46..at + 46 + u16_at(at + 28)]);
        let local = u32_at(at + 42);
        let data = local + 30 + u16_at(local + 26) + u16_at(local + 28);
        let entry = Entry {
            name: name.into_owned(),
            method: u16_at(at + 10) as u16,
            packed: &archive[data..data + u32_at(at + 20)],
        };
        at += 46 + u16_at(at + 28) + u16_at(at + 30) + u16_at(at + 32);
        entry
    })
}
