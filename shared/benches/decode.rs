//! How fast demos are decoded: every message of every demo, as whole snapshots.

use divan::{Bencher, counter::BytesCount, counter::ItemsCount};
use flate2::read::GzDecoder;
use shared::net::{
    demo::Records,
    svc::{Decoder, Origin},
};
use std::{fs, io::Read, path::Path};

fn main() {
    divan::main();
}

const RECORDED: [&str; 5] = [
    "oa_ctf2-play",
    "oa_dm1-play",
    "oa_dm4-follow",
    "oa_dm6-follow",
    "suspended-play",
];

fn load(name: &str) -> Vec<u8> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = manifest.join(format!("tests/data/demos/{name}.dm_71.gz"));
    let packed = fs::read(&path).expect("a demo of the tests");
    let mut bytes = Vec::new();
    GzDecoder::new(&packed[..])
        .read_to_end(&mut bytes)
        .expect("it unpacks");
    bytes
}

/// Decodes a demo; gives the number of messages.
fn decode(bytes: &[u8]) -> usize {
    let mut decoder = Decoder::new(Origin::Demo);
    let mut messages = 0;
    for record in Records::new(bytes) {
        let message = decoder.read(record.sequence, record.message, 0);
        divan::black_box(message.expect("a good demo"));
        messages += 1;
    }
    messages
}

/// One demo, counted in bytes.
#[divan::bench(args = RECORDED)]
fn bytes(bencher: Bencher<'_, '_>, name: &str) {
    let demo = load(name);
    let count = BytesCount::of_slice(&demo);
    bencher.counter(count).bench(|| decode(&demo));
}

/// All demos, counted in messages, nearly all of which hold one snapshot.
#[divan::bench]
fn messages(bencher: Bencher<'_, '_>) {
    let demos = RECORDED.map(load);
    let count: usize = demos.iter().map(|demo| decode(demo)).sum();
    let decode_all = || demos.iter().map(|demo| decode(demo)).sum::<usize>();
    bencher.counter(ItemsCount::new(count)).bench(decode_all);
}
