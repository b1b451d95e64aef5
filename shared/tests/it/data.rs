//! Files of tests/data, unpacked.

use serde_json::Value;
use std::{fs, io::Read, path::PathBuf};

/// The bytes of a file of tests/data; `.gz` files are unpacked.
pub fn file(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let packed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if !name.ends_with(".gz") {
        return packed;
    }
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut bytes)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes
}

pub fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("test data is valid JSON")
}

/// One entry of the test vectors.
pub fn vector(key: &str) -> Value {
    let vectors = json(&file("wire/test_vectors.json.gz"));
    vectors
        .get(key)
        .unwrap_or_else(|| panic!("no vector {key}"))
        .clone()
}

/// All test vectors whose key begins so.
pub fn vectors(prefix: &str) -> Vec<(String, Value)> {
    let vectors = json(&file("wire/test_vectors.json.gz"));
    let vectors = vectors.as_object().expect("the vectors are one object");
    let found = vectors
        .iter()
        .filter(|(key, _)| key.starts_with(prefix))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect::<Vec<_>>();
    assert!(!found.is_empty(), "no vectors begin with {prefix}");
    found
}

/// Bytes written as hexadecimal digits.
pub fn hex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("hex is a text");
    shared::base::hex::decode(digits).expect("hexadecimal digits")
}

/// A text whose characters stand for single bytes.
pub fn latin1(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("a text");
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).expect("a Latin-1 character"))
        .collect()
}

pub fn int(value: &Value) -> i64 {
    value
        .as_i64()
        .unwrap_or_else(|| panic!("{value} is no integer"))
}
