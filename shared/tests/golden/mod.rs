//! Compares collision and movement with recorded results of the reference, bit for bit.
//!
//! The same checks run as native tests and, compiled to WASM, in a browser's engine: nothing here reads
//! files or knows where it runs.

#![allow(dead_code, reason = "tests and benches each use a part of this module")]

mod contents;
mod json;
mod patches;
mod qmath;
pub mod sequences;
mod table;
pub mod traces;

use shared::{cm::ClipMap, formats::bsp::Bsp};
use std::io::Read;

/// Compares one file of `tests/data/movement` with what the code computes; the answer is a summary.
///
/// `map` holds the bytes of the map that [`map_of`] names.
///
/// # Errors
/// Describes the first differences and how many there are.
pub fn check(file: &str, packed: &[u8], map: &[u8]) -> Result<String, String> {
    let text = unpack(packed)?;
    let mut report = Report::default();
    let Some((name, size)) = recorded_map(file) else {
        qmath::check(&text, &mut report);
        return report.finish(file);
    };
    if map.len() != size {
        return Err(format!(
            "{name} has {} bytes instead of {size}: another version of the map was recorded on",
            map.len()
        ));
    }
    let bsp = Bsp::parse(map).map_err(|error| error.to_string())?;
    let clip = ClipMap::new(&bsp).map_err(|error| error.to_string())?;
    match file.split('_').next() {
        Some("traces") => traces::check(&clip, &text, &mut report),
        Some("contents") => contents::check(&clip, &text, &mut report),
        Some("patches") => patches::check_all(&bsp, &text, &mut report),
        Some("patchdump") => patches::check_dumps(&bsp, &text, &mut report),
        Some("seq") => sequences::check(&clip, &text, &mut report),
        _ => return Err(format!("{file}: nothing can check this file")),
    }
    report.finish(file)
}

/// The map that a file of golden data is about; None if it needs no map.
pub fn map_of(file: &str) -> Option<&'static str> {
    recorded_map(file).map(|(name, _)| name)
}

fn recorded_map(file: &str) -> Option<(&'static str, usize)> {
    let stem = file.split('.').next()?;
    MAPS.into_iter().find(|(name, _)| stem.ends_with(name))
}

/// The maps that were recorded on, with their sizes in bytes.
const MAPS: [(&str, usize); 5] = [
    ("oa_ctf2", 1_435_000),
    ("oa_bases3plus3", 1_978_536),
    ("oa_spirit3", 3_058_040),
    ("oacmpdm10", 5_249_700),
    ("oa_dm1", 1_404_976),
];

/// The text of a packed file.
pub fn unpack(packed: &[u8]) -> Result<String, String> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    Ok(text)
}

/// Counts comparisons and keeps the first differences.
#[derive(Default)]
pub struct Report {
    checked: usize,
    failed: usize,
    first: Vec<String>,
}

impl Report {
    /// Compares one thing; the message is made only if it differs.
    pub fn expect(&mut self, same: bool, message: impl FnOnce() -> String) {
        self.checked += 1;
        if !same {
            self.failed += 1;
            if self.first.len() < 5 {
                self.first.push(message());
            }
        }
    }

    fn finish(self, file: &str) -> Result<String, String> {
        let Self {
            checked,
            failed,
            first,
        } = self;
        if failed > 0 {
            let first = first.join("\n");
            return Err(format!("{file}: {failed} of {checked} differ:\n{first}"));
        }
        if checked == 0 {
            return Err(format!("{file}: nothing was compared"));
        }
        Ok(format!("{file}: {checked} agree"))
    }
}
