//! Maps out of the pk3 files of a folder, or out of the arena in this program.

use anyhow::{Context, Result, bail};
use shared::formats::{
    bsp::Bsp,
    pk3::{self, Directory},
};
use std::{
    fs::{self, File},
    io::{Cursor, Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

/// For whoever has nothing else; searched last.
pub const OWN_PAK: &[u8] = include_bytes!("../../arena/strafe.pk3");

/// Reads a map from the last of the paks that has it, as players' programs do.
pub fn read_map(folder: &Path, name: &str) -> Result<Arc<Bsp>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(is_plain) {
        bail!("\"{name}\" is no name of a map");
    }
    let path = format!("maps/{name}.bsp");
    for pak in &list(folder) {
        let found = File::open(pak)
            .map_err(anyhow::Error::from)
            .and_then(|mut file| find(&mut file, &path));
        let found = found.with_context(|| format!("{}", pak.display()))?;
        if let Some(bytes) = found {
            return Ok(Arc::new(Bsp::parse(&bytes)?));
        }
    }
    match find(&mut Cursor::new(OWN_PAK), &path)? {
        Some(bytes) => Ok(Arc::new(Bsp::parse(&bytes)?)),
        None => bail!("no pak in {} has {path}", folder.display()),
    }
}

/// The paks of a folder in the order in which files are looked for; none if there is no such folder.
pub fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paks: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("pk3"))
        })
        .collect();
    paks.sort();
    paks.reverse();
    paks
}

/// Reads what is in a pak.
pub fn directory(pak: &mut (impl Read + Seek)) -> Result<Directory> {
    let size = pak.seek(SeekFrom::End(0))?;
    let tail = read(pak, pk3::tail_range(size))?;
    let place = pk3::find_directory(size, &tail)?;
    let bytes = read(pak, place.range.clone())?;
    Ok(Directory::parse(&place, &bytes)?)
}

fn find(pak: &mut (impl Read + Seek), path: &str) -> Result<Option<Vec<u8>>> {
    let directory = directory(pak)?;
    let Some(entry) = directory.find(path) else {
        return Ok(None);
    };
    let bytes = read(pak, entry.range())?;
    Ok(Some(entry.extract(&bytes)?))
}

fn read(pak: &mut (impl Read + Seek), range: Range<u64>) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(range.end - range.start)?];
    pak.seek(SeekFrom::Start(range.start))?;
    pak.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_any_paks_there_is_the_arena() {
        let nowhere = Path::new("/no/such/folder");
        assert_eq!(list(nowhere), Vec::<PathBuf>::new());
        let map = read_map(nowhere, "strafe1").expect("the arena's map");
        assert!(!map.planes.is_empty());
        let error = read_map(nowhere, "oa_dm1").expect_err("there is no such map");
        assert!(error.to_string().contains("maps/oa_dm1.bsp"), "{error}");
    }

    #[test]
    fn a_damaged_pak_is_named() {
        let folder = std::env::temp_dir().join(format!("strafe-paks-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("broken.PK3"), "no zip").expect("a file");
        let error = read_map(&folder, "strafe1").expect_err("it cannot be read");
        assert!(format!("{error:#}").contains("broken.PK3"), "{error:#}");
        fs::remove_dir_all(&folder).expect("removed");
    }
}
