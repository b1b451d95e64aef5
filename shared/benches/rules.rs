//! How fast collision and movement are, over the golden data.
//!
//! Per sample every world trace of a map's 20,000 recorded traces, or every recorded step of a file.

#[path = "../tests/it/gamedata.rs"]
mod gamedata;
#[path = "../tests/golden/mod.rs"]
mod golden;

use divan::{Bencher, counter::ItemsCount};
use shared::{cm::ClipMap, formats::bsp::Bsp};

fn main() {
    divan::main();
}

#[divan::bench(args = ["oa_ctf2", "oa_bases3plus3", "oa_spirit3", "oacmpdm10"])]
fn world_traces(bencher: Bencher<'_, '_>, map: &str) {
    let clip = load(map);
    let sweeps = golden::traces::world_sweeps(&read(&format!("traces_{map}.csv.gz")));
    bencher.counter(ItemsCount::new(sweeps.len())).bench(|| {
        sweeps
            .iter()
            .map(|sweep| clip.trace(sweep).fraction)
            .sum::<f32>()
    });
}

#[divan::bench(args = ["ioq3_oa_ctf2", "ioq3_oa_spirit3", "ioq3_oacmpdm10", "qvm_oa_bases3plus3"])]
fn steps(bencher: Bencher<'_, '_>, file: &str) {
    let name = format!("seq_{file}.jsonl.gz");
    let clip = load(golden::map_of(&name).expect("every run is on a map"));
    let runs: Vec<_> = golden::sequences::runs(&read(&name)).collect();
    let count: usize = runs.iter().map(|run| run.steps().count()).sum();
    bencher
        .counter(ItemsCount::new(count))
        .bench(|| runs.iter().for_each(|run| run.play(&clip)));
}

#[divan::bench(args = ["oa_ctf2", "oa_spirit3", "oacmpdm10"])]
fn load_map(bencher: Bencher<'_, '_>, map: &str) {
    let bytes = gamedata::file(&format!("maps/{map}.bsp"));
    bencher.bench(|| {
        let bsp = Bsp::parse(&bytes).expect("an installed map is valid");
        ClipMap::new(&bsp).expect("an installed map is valid")
    });
}

fn load(map: &str) -> ClipMap {
    let bytes = gamedata::file(&format!("maps/{map}.bsp"));
    let bsp = Bsp::parse(&bytes).expect("an installed map is valid");
    ClipMap::new(&bsp).expect("an installed map is valid")
}

fn read(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/movement/");
    let packed =
        std::fs::read(format!("{folder}{file}")).expect("the repository holds the golden data");
    golden::unpack(&packed).expect("the golden data is intact")
}
