//! `strafe-relay prepare`: the paks, their smaller copies and the list of both, for hosts that only hand out files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;

use super::open_pak::OpenPak;
use super::{Entry, FIRST, FirstEntry, Found, Game, HERE, Index, LIGHT, LightEntry, Made, Pak};
use super::{ensure_readable, escaped, first, light, scan};

/// The list's name, beside the page.
const LIST: &str = "content.json";

#[derive(Args, Clone, Debug)]
pub struct PrepareOptions {
    /// Folder with game folders that hold pk3 files, or one game folder itself (repeatable).
    #[arg(long, required = true, value_name = "DIR")]
    pub content: Vec<PathBuf>,
    /// The folder to write: the paks in content/, their smaller copies in light/, what each map needs first in first/,
    /// and content.json, which lists all.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Writes the folder; of files that are there already, those of the same names are replaced.
///
/// # Errors
/// If a folder cannot be read or written, or there are no paks.
pub fn prepare(options: &PrepareOptions) -> anyhow::Result<()> {
    ensure_readable(&options.content)?;
    let found = scan(&options.content, &Found::new());
    ensure!(
        !found.is_empty(),
        "--content: there are no pk3 files in these folders"
    );
    let mut games = Vec::new();
    let mut sources = Vec::new();
    for (name, paks) in &found {
        let mut entries = Vec::new();
        for (pak_name, pak) in paks {
            let entry = put(&options.out, [name, pak_name], pak)?;
            let light = match &entry.light {
                Made::There(light) => {
                    Some((place(&options.out, LIGHT, [name, pak_name]), light.bytes))
                }
                Made::NotYet | Made::Never => None,
            };
            sources.push(first::ListedPak::new([name, pak_name], pak, light));
            entries.push(entry);
        }
        games.push(Game {
            name: name.clone(),
            paks: entries,
        });
    }
    let first = put_first(&options.out, &found, &sources)?;
    let list = serde_json::to_vec(&Index { games, first })?;
    write(&options.out.join(LIST), |part| fs::write(part, &list))
}

/// Writes one pak and its light pak.
fn put(out: &Path, names: [&str; 2], pak: &Pak) -> anyhow::Result<Entry> {
    let place = |base: &str| place(out, base, names);
    write(&place(HERE), |part| fs::copy(&pak.path, part).map(drop))?;
    let light = match light::light_pak(&pak.path, |_| true) {
        Ok(Some(bytes)) => {
            write(&place(LIGHT), |part| fs::write(part, &bytes))?;
            let directory = Some(OpenPak::open(&place(LIGHT))?.directory_size());
            let base = format!(".{LIGHT}");
            Made::There(LightEntry::new(
                &base,
                names,
                pak,
                bytes.len() as u64,
                directory,
            ))
        }
        Ok(None) => Made::Never,
        Err(error) => {
            tracing::warn!(pak = %pak.path.display(), error = format!("{error:#}"), "no smaller files");
            Made::Never
        }
    };
    tracing::info!(pak = %pak.path.display(), "is ready");
    Ok(Entry {
        light,
        ..Entry::new(&format!(".{HERE}"), names, pak)
    })
}

/// Writes the first files of each game and of each of its maps.
fn put_first(
    out: &Path,
    found: &Found,
    sources: &[first::ListedPak],
) -> anyhow::Result<Vec<FirstEntry>> {
    let mut entries = Vec::new();
    for (game, paks) in found {
        let maps: BTreeSet<_> = paks.values().flat_map(|pak| &pak.maps).collect();
        if maps.is_empty() {
            continue;
        }
        let maps = maps.into_iter().map(|map| Some(map.clone()));
        for map in [None].into_iter().chain(maps) {
            let wanted = first::FirstFile {
                game: game.clone(),
                map,
                sources: sources.to_vec(),
            };
            let bytes = match wanted.make() {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                Err(error) => {
                    let map = wanted.map.unwrap_or_default();
                    tracing::warn!(game, map, error = format!("{error:#}"), "no first file");
                    continue;
                }
            };
            // A folder cannot lie where a file does.
            let name = format!("{}.first", wanted.map.as_deref().unwrap_or("all maps"));
            write(&place(out, FIRST, [game, &name]), |part| {
                fs::write(part, &bytes)
            })?;
            entries.push(FirstEntry {
                url: format!(
                    ".{FIRST}/{}/{}?v={}",
                    escaped(game),
                    escaped(&name),
                    wanted.version()
                ),
                ..FirstEntry::new("", &wanted, bytes.len() as u64)
            });
        }
    }
    Ok(entries)
}

fn place(out: &Path, base: &str, [game, name]: [&str; 2]) -> PathBuf {
    out.join(base.trim_start_matches('/')).join(game).join(name)
}

/// Writes a file that is there whole or not at all.
fn write(place: &Path, fill: impl FnOnce(&Path) -> std::io::Result<()>) -> anyhow::Result<()> {
    let mut part = place.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let folder = place.parent().unwrap_or(place);
    fs::create_dir_all(folder)
        .and_then(|()| fill(&part))
        .and_then(|()| fs::rename(&part, place))
        .with_context(|| format!("cannot write {}", place.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;
    use serde_json::Value;
    use shared::formats::pk3::{self, PakFile};

    /// A WAVE file with a triangle of 100 Hz.
    fn wav() -> Vec<u8> {
        let samples = (0..20_000_u32).map(|at| ((at * 100 % 22_050).abs_diff(11_025)) as u16);
        let samples: Vec<u8> = samples.flat_map(u16::to_le_bytes).collect();
        let size = |bytes: usize| (bytes as u32).to_le_bytes();
        [
            b"RIFF",
            &size(36 + samples.len())[..],
            b"WAVEfmt ",
            &size(16),
            &[1, 0, 1, 0],
            &22_050_u32.to_le_bytes(),
            &44_100_u32.to_le_bytes(),
            &[2, 0, 16, 0],
            b"data",
            &size(samples.len()),
            &samples,
        ]
        .concat()
    }

    #[test]
    fn a_folder_has_the_paks_their_smaller_copies_and_the_list() {
        let folder = Folder::new("prepare");
        let game = folder.0.join("games/base q3");
        fs::create_dir_all(&game).unwrap();
        let options = PrepareOptions {
            content: vec![folder.0.join("games")],
            out: folder.0.join("out"),
        };
        let refusal = prepare(&options).unwrap_err();
        assert!(refusal.to_string().contains("no pk3 files"), "{refusal}");
        let loud = pk3::store(vec![PakFile::new("sound/a.wav", wav())]);
        let quiet = pk3::store(vec![PakFile::new("readme.txt", b"hello".to_vec())]);
        fs::write(game.join("loud.pk3"), &loud).unwrap();
        fs::write(game.join("quiet.pk3"), &quiet).unwrap();
        // A second run replaces what the first has written.
        for _ in 0..2 {
            prepare(&options).unwrap();
        }
        let out = |name: &str| fs::read(options.out.join(name)).unwrap();
        assert!(out("content/base q3/loud.pk3") == loud);
        assert!(out("content/base q3/quiet.pk3") == quiet);
        let light = out("light/base q3/loud.pk3");
        assert!(
            light.len() * 4 < loud.len(),
            "{} of {}",
            light.len(),
            loud.len()
        );
        assert!(!options.out.join("light/base q3/quiet.pk3").exists());
        let list: Value = serde_json::from_slice(&out(LIST)).unwrap();
        let [loud_entry, quiet_entry] = [0, 1].map(|at| &list["games"][0]["paks"][at]);
        assert_eq!(list["games"][0]["name"], "base q3");
        assert_eq!(loud_entry["bytes"], loud.len());
        assert_eq!(loud_entry["light"]["bytes"], light.len());
        for (url, start) in [
            (&loud_entry["url"], "./content/base%20q3/loud.pk3?v="),
            (&loud_entry["light"]["url"], "./light/base%20q3/loud.pk3?v="),
            (&quiet_entry["url"], "./content/base%20q3/quiet.pk3?v="),
        ] {
            assert!(url.as_str().unwrap().starts_with(start), "{url}");
        }
        assert!(quiet_entry["light"].is_null());
        assert!(quiet_entry.as_object().unwrap().contains_key("light"));
        let missing = PrepareOptions {
            content: vec![folder.0.join("nowhere")],
            ..options
        };
        let refusal = prepare(&missing).unwrap_err();
        assert!(refusal.to_string().contains("cannot read this folder"));
    }
}
