//! Bits, Huffman coding and hashes against the vectors of the protocol.

use crate::data::{file, hex, int, latin1, vector, vectors};
use proptest::prelude::*;
use serde_json::Value;
use shared::base::{
    adaptive::{self, AdaptiveTree},
    bits::{BitReader, BitWriter, KnownBits, Repeated},
    error::DecodeError,
    huffman::{CODES, ESCAPE},
    rng::Rng,
    text,
};

fn width_of(op: &Value) -> (u32, bool) {
    let width = match op[0].as_str().expect("an operation") {
        "i32" => 32,
        "u8" => 8,
        _ => int(&op[2]),
    };
    (width.unsigned_abs() as u32, width < 0)
}

fn write(ops: &[Value]) -> BitWriter {
    let mut writer = BitWriter::new();
    for op in ops {
        if op[0] == "string" {
            writer.string(&latin1(&op[1]));
        } else {
            writer.bits(int(&op[1]) as u32, width_of(op).0);
        }
    }
    writer
}

fn check_read(key: &str, vector: &Value, ops: &[Value]) {
    let bytes = hex(&vector["hex"]);
    let mut reader = BitReader::new("test vector", &bytes);
    for op in ops {
        if op[0] == "string" {
            let expected = vector.get("reads_back_as").unwrap_or(&op[1]);
            assert_eq!(
                reader.string(1023).expect(key),
                expected.as_str().expect("a text")
            );
            continue;
        }
        let (width, is_signed) = width_of(op);
        let value = reader.bits(width).expect(key);
        let low = int(&op[1]) as u32 & (u32::MAX >> (32 - width));
        assert_eq!(value, low, "{key}: {op}");
        if is_signed && width == 16 {
            assert_eq!(i64::from(value as i16), int(&op[1]), "{key}: {op}");
        }
    }
    assert_eq!(reader.at() as i64, int(&vector["bits"]), "{key}");
}

#[test]
fn bit_streams_match_the_vectors() {
    let mut keys = vectors("bits_");
    keys.push(("string_sanitised".into(), vector("string_sanitised")));
    keys.push(("aligned_end".into(), vector("aligned_end")));
    for (key, vector) in keys {
        let ops = vector["ops"].as_array().expect("a list");
        let writer = write(ops);
        assert_eq!(writer.bit_len() as i64, int(&vector["bits"]), "{key}");
        assert_eq!(writer.byte_len() as i64, int(&vector["len"]), "{key}");
        assert_eq!(writer.finish(), hex(&vector["hex"]), "{key}");
        check_read(&key, &vector, ops);
    }
}

#[test]
fn hashes_match_the_vectors() {
    for (key, vector) in vectors("hash_") {
        let hash = text::hash(&latin1(&vector["text"]));
        assert_eq!(i64::from(hash), int(&vector["hash_u32"]), "{key}");
    }
}

#[test]
fn adaptive_blocks_match_the_vectors() {
    for (key, vector) in vectors("adaptive_") {
        let (plain, block) = (hex(&vector["plain_hex"]), hex(&vector["compressed_hex"]));
        assert_eq!(adaptive::compress(&plain), block, "{key}");
        assert_eq!(adaptive::decompress(&block, 1024), plain, "{key}");
    }
}

#[test]
fn the_fixed_code_comes_from_the_byte_frequencies() {
    let frequencies = String::from_utf8(file("wire/huffman_freq.csv")).expect("plain text");
    let mut tree = AdaptiveTree::new();
    for line in frequencies.lines().skip(1) {
        let (symbol, count) = line.split_once(',').expect("symbol,count");
        let symbol = symbol.parse().expect("a byte");
        for _ in 0..count.parse().expect("a number") {
            tree.feed(symbol);
        }
    }
    for (symbol, &(code, length)) in CODES.iter().enumerate() {
        let path = tree.path((symbol != ESCAPE).then_some(symbol as u8));
        let word: Vec<bool> = (0..length).map(|bit| code >> bit & 1 != 0).collect();
        assert_eq!(path, Some(word), "symbol {symbol}");
    }
}

#[test]
fn reading_beyond_the_end_is_an_error() {
    let mut reader = BitReader::new("message", &[0xAA]);
    for _ in 0..4 {
        assert_eq!(reader.u8(), Ok(0));
    }
    let error = reader.u8().expect_err("all eight bits are used");
    assert_eq!(
        error.to_string(),
        "message: it goes on beyond its 1 bytes (at 8)"
    );
    assert_eq!(
        BitReader::new("message", &[])
            .flag()
            .map_err(|error| error.at),
        Err(0)
    );
}

#[test]
fn the_escape_leaf_is_an_error() {
    let bytes = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    let error = BitReader::new("message", &bytes)
        .u8()
        .expect_err("code 00000000100");
    assert_eq!(
        error.to_string(),
        "message: a code word that no writer uses (at 11)"
    );
}

#[test]
fn texts_need_their_end_within_the_limit() {
    let mut writer = BitWriter::new();
    writer.string(&[b'x'; 1023]);
    writer.string(&[b'y'; 1024]);
    let bytes = writer.finish();
    let mut reader = BitReader::new("message", &bytes);
    assert_eq!(reader.string(1023).map(|text| text.len()), Ok(1023));
    assert!(reader.string(1023).is_err());
}

proptest! {
    #[test]
    fn every_width_reads_back(values in prop::collection::vec((any::<u32>(), 1_u32..=32), 0..200)) {
        let mut writer = BitWriter::new();
        for &(value, width) in &values {
            writer.bits(value, width);
        }
        let bits = writer.bit_len();
        let bytes = writer.finish();
        prop_assert_eq!(bytes.len(), bits / 8 + 1);
        let mut reader = BitReader::new("message", &bytes);
        for &(value, width) in &values {
            prop_assert_eq!(reader.bits(width), Ok(value & (u32::MAX >> (32 - width))));
        }
        prop_assert_eq!(reader.at(), bits);
    }

    #[test]
    fn adaptive_blocks_read_back(plain in prop::collection::vec(any::<u8>(), 0..700)) {
        let block = adaptive::compress(&plain);
        prop_assert_eq!(adaptive::decompress(&block, adaptive::MAX_BLOCK), plain);
    }

    #[test]
    fn adaptive_reading_is_bounded(block in prop::collection::vec(any::<u8>(), 0..300), limit in 0_usize..2000) {
        prop_assert!(adaptive::decompress(&block, limit).len() <= limit);
    }
}

#[test]
fn known_bits_are_those_that_are_written() {
    const KNOWN: KnownBits = KnownBits::of(&[(1023, 10), (8, 8), (1, 1)]);
    let mut writer = BitWriter::new();
    writer.bits(1023, 10);
    writer.u8(8);
    writer.flag(true);
    let count = writer.bit_len();
    writer.u8(7);
    let bytes = writer.finish();
    let mut reader = BitReader::new("test", &bytes);
    reader.refill();
    assert!(reader.held_known(&KNOWN));
    assert_eq!(reader.at(), count);
    assert!(!reader.held_known(&KNOWN));
    assert_eq!(reader.u8().ok(), Some(7));
}

#[test]
fn what_repeats_is_read_as_it_was_before() {
    fn read(reader: &mut BitReader<'_>) -> Result<[u32; 2], DecodeError> {
        Ok([reader.take_bits(8), reader.take_bits(24)])
    }
    let rng = &mut Rng::new(5);
    let (mut before, mut bytes, mut repeated) = (Repeated::default(), Vec::new(), 0);
    for _ in 0..2000 {
        if rng.below(3) == 0 {
            bytes = (0..rng.below(12)).map(|_| rng.next_u64() as u8).collect();
        } else {
            repeated += 1;
        }
        let mut plain = BitReader::new("bits", &bytes);
        let mut reader = plain.clone();
        let expected = read(&mut plain).and_then(|value| plain.check().map(|()| value));
        let value = reader.repeated(&mut before, read).copied();
        let value = value.and_then(|value| reader.check().map(|()| value));
        assert_eq!(value, expected, "{bytes:?}");
        assert_eq!(reader.at(), plain.at(), "{bytes:?}");
    }
    assert!(repeated > 1000, "{repeated}");
}
