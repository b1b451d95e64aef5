//! A pak on the disk, with its directory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use anyhow::Context;
use shared::formats::pk3::{self, Directory};

#[derive(Debug)]
pub(super) struct OpenPak {
    file: File,
    pub directory: Directory,
    /// Where the directory lies, up to the pak's end.
    pub tail: Range<u64>,
}

impl OpenPak {
    /// # Errors
    /// If it cannot be read, or is no pak.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let of_pak = || format!("cannot read {}", path.display());
        let mut file = File::open(path).with_context(of_pak)?;
        let size = file.metadata().with_context(of_pak)?.len();
        let tail = read(&mut file, pk3::tail_range(size)).with_context(of_pak)?;
        let place = pk3::find_directory(size, &tail).with_context(of_pak)?;
        let bytes = read(&mut file, place.range.clone()).with_context(of_pak)?;
        Ok(Self {
            directory: Directory::parse(&place, &bytes).with_context(of_pak)?,
            tail: place.range.start..size,
            file,
        })
    }

    /// So many of the last bytes hold the directory.
    pub(super) fn directory_size(&self) -> u64 {
        self.tail.end - self.tail.start
    }

    /// # Errors
    /// If the disk does not give them.
    pub(super) fn read(&mut self, range: Range<u64>) -> std::io::Result<Vec<u8>> {
        read(&mut self.file, range)
    }
}

fn read(file: &mut File, range: Range<u64>) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
