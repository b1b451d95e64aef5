//! Packs files into one pk3: sorted, deflated or as they are, without dates, so that equal files give equal paks.

use crate::PakFile;
use flate2::{Compress, Compression, Crc, FlushCompress};

/// 1 January 1980, the first day that the format knows.
const DATE: u16 = 0x21;
const VERSION: u16 = 20;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

struct Entry {
    /// What local header and directory have in common, from the version to the length of the extra field.
    facts: Vec<u8>,
    name: String,
    offset: u32,
}

/// The bytes of a pk3 with these files. Of files with one name the last is kept.
pub fn pack(files: Vec<PakFile>) -> Vec<u8> {
    pack_by(deflate, files)
}

/// The same with files as they are: who packs the whole pak makes it smaller than one of packed files.
pub fn store(files: Vec<PakFile>) -> Vec<u8> {
    pack_by(<[u8]>::to_vec, files)
}

fn pack_by(method: fn(&[u8]) -> Vec<u8>, mut files: Vec<PakFile>) -> Vec<u8> {
    files.reverse();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files.dedup_by(|a, b| a.name == b.name);
    let mut pak = Vec::new();
    let mut entries = Vec::with_capacity(files.len());
    for file in files {
        let deflated = method(&file.bytes);
        let is_smaller = deflated.len() < file.bytes.len();
        let (method, data) = if is_smaller {
            (DEFLATED, &deflated)
        } else {
            (STORED, &file.bytes)
        };
        let mut crc = Crc::new();
        crc.update(&file.bytes);
        let mut facts = Vec::new();
        for word in [VERSION, 0, method, 0, DATE] {
            facts.extend(word.to_le_bytes());
        }
        facts.extend(crc.sum().to_le_bytes());
        facts.extend((data.len() as u32).to_le_bytes());
        facts.extend((file.bytes.len() as u32).to_le_bytes());
        facts.extend((file.name.len() as u16).to_le_bytes());
        facts.extend([0, 0]);
        let offset = pak.len() as u32;
        pak.extend(b"PK\x03\x04");
        pak.extend(&facts);
        pak.extend(file.name.as_bytes());
        pak.extend(data);
        entries.push(Entry {
            facts,
            name: file.name,
            offset,
        });
    }
    write_directory(&mut pak, &entries);
    pak
}

fn write_directory(pak: &mut Vec<u8>, entries: &[Entry]) {
    let start = pak.len() as u32;
    for entry in entries {
        pak.extend(b"PK\x01\x02");
        pak.extend(VERSION.to_le_bytes());
        pak.extend(&entry.facts);
        // Comment, disk, and both kinds of attributes.
        pak.extend([0; 10]);
        pak.extend(entry.offset.to_le_bytes());
        pak.extend(entry.name.as_bytes());
    }
    let size = pak.len() as u32 - start;
    pak.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        pak.extend((entries.len() as u16).to_le_bytes());
    }
    pak.extend(size.to_le_bytes());
    pak.extend(start.to_le_bytes());
    pak.extend([0, 0]);
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let mut compress = Compress::new(Compression::best(), false);
    loop {
        let read = compress.total_in() as usize;
        let status = compress
            .compress_vec(&bytes[read..], &mut out, FlushCompress::Finish)
            .expect("deflate takes any bytes");
        if status == flate2::Status::StreamEnd {
            return out;
        }
        out.reserve(out.capacity().max(4096));
    }
}
