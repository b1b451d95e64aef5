//! Zip archives made for tests.

/// A pak with one file, stored as it is.
pub fn pak(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let size = (bytes.len() as u32).to_le_bytes();
    let about = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &crc.sum().to_le_bytes(),
        &size,
        &size,
        &(name.len() as u16).to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    let local = [&b"PK\x03\x04"[..], &about, name.as_bytes(), bytes].concat();
    let central = [&b"PK\x01\x02\x14\0"[..], &about, &[0; 14], name.as_bytes()].concat();
    let end = [
        &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
        &(central.len() as u32).to_le_bytes(),
        &(local.len() as u32).to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    [local, central, end].concat()
}
