//! Packs files into one pk3: sorted, deflated or as they are, without dates, so that equal files give equal paks.

use super::{Directory, SUBJECT, find_directory, tail_range};
use crate::base::error::DecodeError;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use std::ops::Range;

/// One file of a pak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PakFile {
    /// As the game asks for it.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl PakFile {
    /// A file of this name.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self {
            name: name.into(),
            bytes,
        }
    }
}

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

/// A pak with the same files, none of them packed. Servers see no difference: its checksums stay the same.
///
/// # Errors
/// The bytes are no pak, or one of its files is defective.
pub fn unpack(pak: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let part = |range: Range<u64>| {
        let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).ok());
        let part = start.zip(end).and_then(|(start, end)| pak.get(start..end));
        part.ok_or_else(|| DecodeError::new(SUBJECT, pak.len(), "it is cut off"))
    };
    let size = pak.len() as u64;
    let place = find_directory(size, part(tail_range(size))?)?;
    let directory = Directory::parse(&place, part(place.range.clone())?)?;
    let files = directory.entries().iter().map(|entry| {
        let bytes = entry.extract(part(entry.range())?)?;
        Ok(PakFile::new(entry.name.clone(), bytes))
    });
    Ok(store(files.collect::<Result<_, DecodeError>>()?))
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
        if status == Status::StreamEnd {
            return out;
        }
        out.reserve(out.capacity().max(4096));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pk3::checksum;

    #[test]
    fn an_unpacked_pak_holds_the_same() {
        let files: Vec<_> = (0..3)
            .map(|at| PakFile::new(format!("a/{at}.cfg"), vec![at; 1000]))
            .collect();
        let packed = pack(files.clone());
        let unpacked = unpack(&packed).expect("a pak");
        assert_eq!(unpacked, store(files));
        assert!(unpacked.len() > packed.len());
        let sum = |pak: &[u8]| checksum(pak).expect("a pak");
        assert_eq!(sum(&unpacked), sum(&packed));
    }

    #[test]
    fn what_is_no_pak_is_not_unpacked() {
        let packed = pack(vec![PakFile::new("a", vec![7; 1000])]);
        for bytes in [&[][..], &packed[..packed.len() - 30], &packed[1..]] {
            assert!(unpack(bytes).is_err(), "{} bytes", bytes.len());
        }
    }
}
