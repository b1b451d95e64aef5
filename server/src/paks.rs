//! Maps out of the pk3 files of a folder.

use anyhow::{Context, Result, bail};
use shared::formats::{
    bsp::Bsp,
    pk3::{self, Directory},
};
use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Reads a map from the last of the paks that has it, as players' programs do.
pub fn read_map(folder: &Path, name: &str) -> Result<Arc<Bsp>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(is_plain) {
        bail!("\"{name}\" is no name of a map");
    }
    let path = format!("maps/{name}.bsp");
    for pak in list(folder)? {
        let found = find(&pak, &path).with_context(|| format!("{}", pak.display()))?;
        if let Some(bytes) = found {
            return Ok(Arc::new(Bsp::parse(&bytes)?));
        }
    }
    bail!("no pak in {} has {path}", folder.display())
}

/// The paks of a folder, in the order in which files are looked for.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paks: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("pk3"))
        })
        .collect();
    paks.sort();
    paks.reverse();
    Ok(paks)
}

/// Opens a pak and reads what is in it.
pub fn open(pak: &Path) -> Result<(File, Directory)> {
    let mut file = File::open(pak)?;
    let size = file.metadata()?.len();
    let tail = read(&mut file, pk3::tail_range(size))?;
    let place = pk3::find_directory(size, &tail)?;
    let bytes = read(&mut file, place.range.clone())?;
    let directory = Directory::parse(&place, &bytes)?;
    Ok((file, directory))
}

fn find(pak: &Path, path: &str) -> Result<Option<Vec<u8>>> {
    let (mut file, directory) = open(pak)?;
    let Some(entry) = directory.find(path) else {
        return Ok(None);
    };
    let bytes = read(&mut file, entry.range())?;
    Ok(Some(entry.extract(&bytes)?))
}

fn read(file: &mut File, range: Range<u64>) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(range.end - range.start)?];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
