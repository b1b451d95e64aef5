//! Collision agrees with the recorded results of the reference, bit for bit.

use crate::{gamedata, golden};
use std::path::PathBuf;

/// The maps that the recordings were made on.
const MAPS: [&str; 4] = ["oa_ctf2", "oa_bases3plus3", "oa_spirit3", "oacmpdm10"];

#[test]
fn traces_agree() {
    for map in MAPS {
        check(&format!("traces_{map}.csv.gz"));
    }
}

#[test]
fn contents_agree() {
    for map in MAPS {
        check(&format!("contents_{map}.csv.gz"));
    }
}

#[test]
fn curves_agree() {
    for map in MAPS {
        check(&format!("patches_{map}.csv.gz"));
        check(&format!("patchdump_{map}.jsonl.gz"));
    }
}

/// Runs the checks of one file of `tests/data/movement`.
pub fn check(file: &str) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/movement"));
    let packed = std::fs::read(folder.join(file)).expect("the repository holds the golden data");
    let map = golden::map_of(file)
        .map(|map| gamedata::file(&format!("maps/{map}.bsp")))
        .unwrap_or_default();
    match golden::check(file, &packed, &map) {
        Ok(summary) => println!("{summary}"),
        Err(differences) => panic!("{differences}"),
    }
}
