//! Every cvar does something: what nothing reads would be a promise that is not kept.

use client::con::{cvar::flag, cvars::TABLE};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Rust sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the sources are here");
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_game_reads_every_setting() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cg");
    let table = source.join("settings.rs");
    let read = |path: &Path| fs::read_to_string(path).expect("sources are text");
    let fields = read(&table);
    let (_, fields) = fields
        .split_once("pub struct Settings {")
        .expect("here they are");
    let (fields, _) = fields.split_once("\n}").expect("here they end");
    let names = fields
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'))
        .map(|(name, _)| name);
    let text: String = sources(&source)
        .iter()
        .filter(|path| **path != table)
        .map(|path| read(path).split_whitespace().collect::<Vec<_>>().join(" "))
        // Long chains are broken before their dots.
        .map(|text| text.replace(" .", "."))
        .collect();
    let is_read = |name: &&str| {
        let name = format!("settings.{name}");
        text.split(&name)
            .skip(1)
            .any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    };
    let (read, unread): (Vec<&str>, Vec<&str>) = names.partition(is_read);
    assert!(read.len() > 50, "{read:?}");
    assert_eq!(unread, Vec::<&str>::new());
}

#[test]
fn every_cvar_is_read_somewhere() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text: String = sources(&source)
        .iter()
        .filter(|path| !path.ends_with("con/cvars.rs"))
        .map(|path| fs::read_to_string(path).expect("sources are text"))
        .collect::<String>()
        .to_ascii_lowercase();
    let is_read = |name: &str| text.contains(&format!("\"{name}\""));
    // Crosshairs by weapon are read by number; userinfo is read by the server.
    let unread: Vec<&str> = TABLE
        .iter()
        .filter(|def| def.flags & (flag::USERINFO | flag::SERVER) == 0)
        .map(|def| def.name)
        .filter(|name| !name.starts_with("cg_ch") || !name.contains(|c: char| c.is_ascii_digit()))
        .filter(|name| !is_read(&name.to_ascii_lowercase()))
        .collect();
    assert_eq!(unread, Vec::<&str>::new());
}
