//! Damages inputs in repeatable ways, for test runs without a coverage-guided fuzzer.

use shared::base::rng::Rng;

/// Values at which readers go wrong.
const EDGES: [u32; 10] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
];

/// A changed copy of one of the seeds, or bytes out of nothing.
pub fn input(rng: &mut Rng, seeds: &[Vec<u8>], max_len: usize) -> Vec<u8> {
    if seeds.is_empty() || rng.below(16) == 0 {
        let length = rng.below(256);
        return (0..length).map(|_| rng.next_u64() as u8).collect();
    }
    let mut bytes = seeds[rng.below(seeds.len())].clone();
    for _ in 0..1 + rng.below(6) {
        change(rng, &mut bytes, seeds);
    }
    bytes.truncate(max_len);
    bytes
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    // Headers decide most, so half of the changes fall there.
    let reach = match rng.below(2) {
        0 => bytes.len().min(128),
        _ => bytes.len(),
    };
    let at = rng.below(reach);
    match rng.below(9) {
        0 => bytes.truncate(at),
        1 => (0..1 + rng.below(20)).for_each(|_| bytes.push(rng.next_u64() as u8)),
        2 => overwrite(bytes, at, &[rng.next_u64() as u8]),
        3 => overwrite(bytes, at, &[1 << rng.below(8)]),
        4 => {
            let edge = EDGES[rng.below(EDGES.len())].to_le_bytes();
            overwrite(bytes, at, &edge[..1 << rng.below(3)]);
        }
        5 => {
            let edge = EDGES[rng.below(EDGES.len())].to_be_bytes();
            overwrite(bytes, at, &edge);
        }
        6 => {
            let end = bytes.len().min(at + 1 + rng.below(16));
            bytes.drain(at..end);
        }
        7 => {
            let end = bytes.len().min(at + 1 + rng.below(64));
            let part = bytes[at..end].to_vec();
            let to = rng.below(bytes.len() + 1);
            bytes.splice(to..to, part);
        }
        _ => {
            let other = &seeds[rng.below(seeds.len())];
            let from = rng.below(other.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
    }
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, with) in bytes.iter_mut().skip(at).zip(with) {
        *byte = *with;
    }
}
