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

/// Name and field of the table's rows that the game's view reads by a field.
fn typed_rows(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.lines().filter_map(|line| {
        let (row, field) = line.split_once("\" => ")?;
        let (field, _) = field.split_once(": ")?;
        let name = row.split('"').nth(1)?;
        Some((name, field))
    })
}

#[test]
fn the_game_reads_every_setting() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let read = |path: &Path| fs::read_to_string(path).expect("sources are text");
    let table = read(&source.join("con/cvars.rs"));
    let fields: Vec<&str> = typed_rows(&table).map(|(_, field)| field).collect();
    let settings = read(&source.join("cg/settings.rs")).replace("self.", "settings.");
    let text: String = sources(&source.join("cg"))
        .iter()
        .map(|path| read(path))
        .chain([settings])
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        // Long chains are broken before their dots.
        .map(|text| text.replace(" .", "."))
        .collect();
    let is_read = |name: &&str| {
        let name = format!("settings.{name}");
        text.split(&name)
            .skip(1)
            .any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    };
    let (read, unread): (Vec<&str>, Vec<&str>) = fields.into_iter().partition(is_read);
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
    let table = fs::read_to_string(source.join("con/cvars.rs")).expect("sources are text");
    let typed: Vec<&str> = typed_rows(&table).map(|(name, _)| name).collect();
    let is_read = |name: &str| {
        typed.contains(&name) || text.contains(&format!("\"{}\"", name.to_ascii_lowercase()))
    };
    // Userinfo is read by the server.
    let unread: Vec<&str> = TABLE
        .iter()
        .filter(|def| def.flags & (flag::USERINFO | flag::SERVER) == 0)
        .map(|def| def.name)
        .filter(|name| !is_read(name))
        .collect();
    assert_eq!(unread, Vec::<&str>::new());
}
