//! What clients are told of the paks of a folder, and pieces of those that they download.

use crate::paks;
use anyhow::{Context, Result};
use server::Pak;
use std::{
    fs::{self, File},
    io::{Cursor, Read, Seek, SeekFrom},
    path::Path,
};

/// The name of the pak in this program.
const OWN_NAME: &str = "strafe";

/// The paks that a map is played with. Those that cannot be read are left out.
pub fn list(folder: &Path, map: &str) -> Vec<Pak> {
    let game = folder
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let is_mod = !matches!(game.as_str(), "baseq3" | "baseoa");
    let map = format!("maps/{map}.bsp");
    let mut has_map = false;
    let mut found = Vec::new();
    for path in paks::list(folder) {
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else {
            continue;
        };
        let Ok(mut file) = File::open(&path) else {
            continue;
        };
        let Ok(directory) = paks::directory(&mut file) else {
            continue;
        };
        let Ok(facts) = file.metadata() else { continue };
        let brings_map = !has_map && directory.find(&map).is_some();
        has_map |= brings_map;
        let mut pak = Pak::new(&game, name, facts.len(), &directory);
        pak.is_referenced = is_mod || brings_map;
        found.push(pak);
    }
    // A file of that name would be sent in its place.
    if !has_map && found.iter().all(|pak| pak.name != OWN_NAME) {
        let game = if found.is_empty() { "baseq3" } else { &game };
        found.extend(own(game, &map));
    }
    found
}

/// The pak in this program, as one of a game's, if it has the map.
fn own(game: &str, map: &str) -> Option<Pak> {
    let directory = paks::directory(&mut Cursor::new(paks::OWN_PAK)).ok()?;
    directory.find(map)?;
    let mut pak = Pak::new(game, OWN_NAME, paks::OWN_PAK.len() as u64, &directory);
    pak.is_referenced = true;
    Some(pak)
}

/// A piece of one of them, by its name as clients ask for it.
pub fn read(folder: &Path, path: &str, start: u64, length: usize) -> Result<Vec<u8>> {
    let parent = folder.parent().context("the folder has no parent")?;
    let file = parent.join(path);
    let is_own = Path::new(path)
        .file_stem()
        .is_some_and(|name| name == OWN_NAME);
    if is_own && !file.exists() {
        return piece(Cursor::new(paks::OWN_PAK), start, length);
    }
    piece(File::open(file)?, start, length)
}

fn piece(mut file: impl Read + Seek, start: u64, length: usize) -> Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The lines of the console that make the bans of a file.
pub fn bans(path: Option<&Path>) -> Result<Vec<String>> {
    let Some(path) = path.filter(|path| path.exists()) else {
        return Ok(Vec::new());
    };
    let text = fs::read_to_string(path)
        .with_context(|| format!("the bans in {} cannot be read", path.display()))?;
    // Nothing but bans is run from there.
    let is_ban = |line: &&str| line.starts_with("banaddr ") || line.starts_with("exceptaddr ");
    let lines = text.lines().filter(is_ban);
    Ok(lines.map(|line| line.replace(';', " ")).collect())
}

/// Writes the bans down; who reads meanwhile finds the old ones or the new.
pub fn keep_bans(path: &Path, script: &str) -> Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, script)?;
    fs::rename(&new, path)?;
    Ok(())
}

/// A file of console lines: beside the paks, or where the program was started.
pub fn config(folder: &Path, name: &str) -> Result<String> {
    let beside = folder.join(name);
    let path = if beside.exists() {
        beside.as_path()
    } else {
        Path::new(name)
    };
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pak_in_the_program_is_handed_out_like_one_of_the_games() {
        let folder = Path::new("/no/such/folder/baseoa");
        let found = list(folder, "strafe1");
        let [pak] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(pak.path(), "baseq3/strafe.pk3");
        assert!(pak.is_referenced && !pak.is_commercial());
        assert_eq!(pak.size, paks::OWN_PAK.len() as u64);
        let bytes = read(folder, &pak.path(), 1000, 500).expect("a piece");
        assert_eq!(bytes, paks::OWN_PAK[1000..1500]);
        assert!(read(folder, &pak.path(), pak.size, 1).is_err());
        assert!(list(folder, "oa_dm1").is_empty());
        assert!(read(folder, "baseq3/other.pk3", 0, 1).is_err());
    }
}
