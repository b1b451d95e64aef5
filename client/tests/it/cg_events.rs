//! What each event of recorded matches makes seen, heard and printed, as text that was read by people.

use super::{
    cg_demos::{DEMOS, play},
    disk::Disk,
};
use client::{
    assets::Assets,
    cg::{FiredEvent, FrameOutput},
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use shared::bg::numbers::event;
use std::{
    fmt::Write as _,
    fs,
    io::{Read, Write},
    path::PathBuf,
};

fn golden(demo: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/events");
    PathBuf::from(folder).join(format!("{demo}.txt.gz"))
}

/// The events of a demo, a line each.
fn events_of(demo: &str) -> String {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let mut text = String::new();
    let cgame = play(
        demo,
        &mut assets,
        |assets, map| {
            assets.load_world(map);
            disk.serve(assets);
        },
        |_, output, assets| {
            for fired in &output.events {
                text.push_str(&line(fired, output, assets));
            }
        },
    );
    assert_eq!(cgame.event_counts().unknown, 0, "{demo}");
    text
}

fn line(fired: &FiredEvent, output: &FrameOutput, assets: &Assets) -> String {
    let name = event::name(fired.event).unwrap_or("UNKNOWN");
    let mut line = format!(
        "{} {name} {} {}",
        fired.time.0, fired.entity_num, fired.parm
    );
    for start in &output.scene.sound.starts[fired.sounds.clone()] {
        let _ = write!(line, " +{}", stem(assets.sound_name(start.sound)));
    }
    let mut effects = fired.effects.clone();
    effects.sort_unstable();
    for group in effects.chunk_by(|a, b| a == b) {
        let _ = match group.len() {
            1 => write!(line, " *{}", group[0]),
            count => write!(line, " *{}x{count}", group[0]),
        };
    }
    for printed in &output.printed[fired.printed.clone()] {
        let _ = write!(line, " \"{}\"", printed.trim_end());
    }
    line.push('\n');
    line
}

/// A sound without folder, extension and any number: which variant is played, is chance.
fn stem(name: &str) -> String {
    let name = name.strip_prefix("sound/").unwrap_or(name);
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    name.chars()
        .filter(|letter| !letter.is_ascii_digit())
        .collect()
}

#[test]
fn events_look_and_sound_as_reviewed() {
    let blesses = std::env::var_os("STRAFE_BLESS").is_some();
    for demo in DEMOS {
        let seen = events_of(demo);
        let path = golden(demo);
        if blesses {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            packed.write_all(seen.as_bytes()).expect("memory takes it");
            let bytes = packed.finish().expect("memory takes it");
            fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let packed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut expected = String::new();
        GzDecoder::new(packed.as_slice())
            .read_to_string(&mut expected)
            .expect("the text unpacks");
        for (number, (seen, expected)) in seen.lines().zip(expected.lines()).enumerate() {
            assert_eq!(seen, expected, "{demo}: line {}", number + 1);
        }
        assert_eq!(seen.lines().count(), expected.lines().count(), "{demo}");
        assert!(!seen.contains("UNKNOWN"), "{demo}");
    }
}
