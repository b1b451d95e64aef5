//! Zip archives: directory, entries, pure checksum.
//!
//! Nothing here reads a file: the caller fetches byte ranges, so that a pak on a web server works
//! like one on disk. First [`tail_range`], then [`find_directory`], then [`Directory::parse`], then
//! for each wanted file [`Entry::range`] and [`Entry::extract`].

mod write;

pub use write::{PakFile, pack, store, unpack};

use super::reader::Reader;
use crate::base::error::DecodeError;
use crate::base::sort::sort;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use md4::{Digest, Md4};
use std::{collections::HashMap, ops::Range};

const SUBJECT: &str = "pak";
const END_SIZE: u64 = 22;
const MAX_COMMENT_SIZE: u64 = 0xffff;
const LOCAL_HEADER_SIZE: u64 = 30;
/// A directory of 65535 entries with long names; real ones stay below one mebibyte.
const MAX_DIRECTORY_SIZE: u64 = 32 << 20;
/// No file of the game comes near this; it bounds what a forged size can make us allocate.
const MAX_FILE_SIZE: u64 = 256 << 20;
/// Deflate cannot shrink bytes more than this.
const MAX_DEFLATE_RATIO: u64 = 1032;

/// The bytes at the end of an archive that are needed first.
pub fn tail_range(file_size: u64) -> Range<u64> {
    file_size.saturating_sub(END_SIZE + MAX_COMMENT_SIZE)..file_size
}

/// The checksum by which servers know a whole pak at hand.
///
/// # Errors
/// If the bytes are no pak.
pub fn checksum(pak: &[u8]) -> Result<i32, DecodeError> {
    let size = pak.len() as u64;
    let tail = tail_range(size);
    let place = find_directory(size, &pak[tail.start as usize..])?;
    let range = place.range.start as usize..place.range.end as usize;
    let directory = pak
        .get(range)
        .ok_or_else(|| DecodeError::new(SUBJECT, pak.len(), "its directory lies outside of it"))?;
    Ok(Directory::parse(&place, directory)?.checksum())
}

/// Whether a pak belongs to the game itself, which every player must have bought: nobody hands it out.
pub fn is_commercial(game: &str, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let number = name.strip_suffix(".pk3").unwrap_or(&name);
    let number = number
        .strip_prefix("pak")
        .and_then(|rest| rest.parse::<u8>().ok());
    let max = match game.to_ascii_lowercase().as_str() {
        "baseq3" => 8,
        "missionpack" => 3,
        _ => return false,
    };
    number.is_some_and(|number| number <= max)
}

/// Where the central directory lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryPlace {
    /// Its bytes in the file.
    pub range: Range<u64>,
    entry_count: usize,
    /// Bytes in front of the archive, which its own offsets do not count.
    bias: u64,
}

/// Finds the central directory from the bytes of [`tail_range`].
///
/// # Errors
/// There is no directory, it does not fit, or it is of a kind that the game does not know.
pub fn find_directory(file_size: u64, tail: &[u8]) -> Result<DirectoryPlace, DecodeError> {
    let tail_at = file_size.saturating_sub(tail.len() as u64);
    let end = (0..tail.len().saturating_sub(END_SIZE as usize - 1))
        .rev()
        .find(|&at| tail[at..].starts_with(b"PK\x05\x06"))
        .ok_or_else(|| {
            DecodeError::new(
                SUBJECT,
                tail_at as usize,
                "no zip directory at the end; the file is not a pak or is cut off",
            )
        })?;
    let end_at = tail_at + end as u64;
    let mut reader = Reader::new(SUBJECT, tail).part(end, END_SIZE as usize)?;
    reader.bytes(4)?;
    let fail = |problem: &'static str| DecodeError::new(SUBJECT, end_at as usize, problem);
    let (disk, directory_disk) = (reader.u16()?, reader.u16()?);
    let (entries_here, entry_count) = (reader.u16()?, reader.u16()?);
    let (size, offset) = (u64::from(reader.u32()?), u64::from(reader.u32()?));
    if disk != 0 || directory_disk != 0 || entries_here != entry_count {
        return Err(fail("the archive is split over several files"));
    }
    if size == u64::from(u32::MAX) || offset == u64::from(u32::MAX) {
        return Err(fail(
            "the archive needs ZIP64, which the game does not know",
        ));
    }
    if size > MAX_DIRECTORY_SIZE {
        return Err(fail("the directory is impossibly large"));
    }
    let start = end_at
        .checked_sub(size)
        .ok_or_else(|| fail("the directory starts before the file"))?;
    let bias = start
        .checked_sub(offset)
        .ok_or_else(|| fail("the directory does not fit before its end mark"))?;
    Ok(DirectoryPlace {
        range: start..end_at,
        entry_count: usize::from(entry_count),
        bias,
    })
}

/// The contents of an archive.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// In stored order, folders and repeated names included.
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
}

/// One file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Lower case with `/`.
    pub name: String,
    /// Size of the contents in bytes.
    pub size: u32,
    /// CRC-32 of the contents.
    pub crc: u32,
    compressed_size: u32,
    method: u16,
    is_encrypted: bool,
    /// From the local header to the next thing in the archive.
    range: Range<u64>,
}

impl Directory {
    /// Reads the directory from the bytes of [`DirectoryPlace::range`].
    ///
    /// # Errors
    /// The bytes are no directory, or name a place outside of the file.
    pub fn parse(place: &DirectoryPlace, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(SUBJECT, bytes);
        let mut entries = Vec::with_capacity(place.entry_count.min(bytes.len() / 46));
        for _ in 0..place.entry_count {
            entries.push(read_entry(&mut reader, place)?);
        }
        end_ranges_where_the_next_begins(&mut entries, place.range.start);
        let by_name = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| (entry.name.clone(), index))
            .collect();
        Ok(Self { entries, by_name })
    }

    /// In stored order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The file of a name as made by [`normalize_name`]; of repeated names the last.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.get(*self.by_name.get(name)?)
    }

    /// What servers list in `sv_paks`.
    pub fn checksum(&self) -> i32 {
        self.block_checksum(None)
    }

    /// What proves possession to a pure server, for the checksum feed of its gamestate.
    pub fn pure_checksum(&self, feed: i32) -> i32 {
        self.block_checksum(Some(feed))
    }

    fn block_checksum(&self, feed: Option<i32>) -> i32 {
        let mut digest = Md4::new();
        if let Some(feed) = feed {
            digest.update(feed.to_le_bytes());
        }
        for entry in self.entries.iter().filter(|entry| entry.size > 0) {
            digest.update(entry.crc.to_le_bytes());
        }
        fold_digest(digest.finalize().as_slice())
    }
}

impl Entry {
    /// Size in the archive in bytes.
    pub fn compressed_size(&self) -> u32 {
        self.compressed_size
    }

    /// The bytes of the archive that [`Entry::extract`] needs.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// About the first `count` bytes of the file, from the bytes of [`Entry::range`]; fewer if it is damaged.
    pub fn head(&self, bytes: &[u8], count: usize) -> Vec<u8> {
        let Ok(packed) = self.packed_bytes(bytes) else {
            return Vec::new();
        };
        if self.method != 8 {
            return packed[..count.min(packed.len())].to_vec();
        }
        let mut head = Vec::with_capacity(count);
        // What was unpacked before a defect is there all the same.
        let _ = Decompress::new(false).decompress_vec(packed, &mut head, FlushDecompress::None);
        head
    }

    /// Unpacks the file from the bytes of [`Entry::range`] and checks them.
    ///
    /// # Errors
    /// The file is encrypted, packed by a method that the game does not know, damaged, or not as long as stated.
    pub fn extract(&self, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let fail = |problem: String| {
            DecodeError::new(
                SUBJECT,
                self.range.start as usize,
                format!("{}: {problem}", self.name),
            )
        };
        if self.is_encrypted {
            return Err(fail("the file is encrypted".into()));
        }
        if u64::from(self.size) > MAX_FILE_SIZE {
            return Err(fail(format!(
                "{} bytes are more than a game file can have",
                self.size
            )));
        }
        let packed = self
            .packed_bytes(bytes)
            .map_err(|error| fail(error.problem.to_string()))?;
        let contents = match self.method {
            0 => packed.to_vec(),
            8 => inflate(packed, self.size)
                .ok_or_else(|| fail("the compressed data is damaged".into()))?,
            other => return Err(fail(format!("compression method {other} is not supported"))),
        };
        if contents.len() as u64 != u64::from(self.size) {
            return Err(fail(format!(
                "{} bytes where {} are promised",
                contents.len(),
                self.size
            )));
        }
        let mut crc = Crc::new();
        crc.update(&contents);
        if crc.sum() != self.crc {
            return Err(fail("the contents do not match their checksum".into()));
        }
        Ok(contents)
    }

    fn packed_bytes<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], DecodeError> {
        let mut reader = Reader::new(SUBJECT, bytes);
        if reader.bytes(4)? != b"PK\x03\x04" {
            return Err(reader.error("its header is missing"));
        }
        reader.bytes(22)?;
        let (name_size, extra_size) = (reader.u16()?, reader.u16()?);
        reader.bytes(usize::from(name_size) + usize::from(extra_size))?;
        reader.bytes(self.compressed_size as usize)
    }
}

/// The form in which names are stored and compared: lower case, `/` between folders.
pub fn normalize_name(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            '\\' | ':' => '/',
            c => c.to_ascii_lowercase(),
        })
        .collect()
}

fn read_entry(reader: &mut Reader<'_>, place: &DirectoryPlace) -> Result<Entry, DecodeError> {
    if reader.bytes(4)? != b"PK\x01\x02" {
        return Err(reader.error("an entry of the directory does not begin with its mark"));
    }
    reader.bytes(4)?; // versions
    let flags = reader.u16()?;
    let method = reader.u16()?;
    reader.bytes(4)?; // date
    let crc = reader.u32()?;
    let (compressed_size, size) = (reader.u32()?, reader.u32()?);
    let (name_size, extra_size, comment_size) = (reader.u16()?, reader.u16()?, reader.u16()?);
    reader.bytes(8)?; // disk, attributes
    let header_at = place.bias + u64::from(reader.u32()?);
    let name = reader.text(usize::from(name_size))?;
    reader.bytes(usize::from(extra_size) + usize::from(comment_size))?;
    if header_at >= place.range.start {
        return Err(reader.error(format!("{name} lies behind the directory")));
    }
    // The local header may carry more extra data than the directory says.
    let end =
        header_at + LOCAL_HEADER_SIZE + u64::from(name_size) + 0xffff + u64::from(compressed_size);
    Ok(Entry {
        name: normalize_name(&name),
        size,
        crc,
        compressed_size,
        method,
        is_encrypted: flags & 1 != 0,
        range: header_at..end.min(place.range.start),
    })
}

/// Entries that overlap, as zip bombs do, thereby become unreadable.
fn end_ranges_where_the_next_begins(entries: &mut [Entry], directory_at: u64) {
    let mut starts: Vec<u64> = entries.iter().map(|entry| entry.range.start).collect();
    sort(&mut starts);
    for entry in entries {
        let next = starts.partition_point(|&start| start <= entry.range.start);
        let limit = starts.get(next).copied().unwrap_or(directory_at);
        entry.range.end = entry.range.end.min(limit);
    }
}

fn inflate(packed: &[u8], size: u32) -> Option<Vec<u8>> {
    if u64::from(size) > packed.len() as u64 * MAX_DEFLATE_RATIO + 64 {
        return None;
    }
    // One byte more than promised, so that a longer file shows itself.
    let mut contents = Vec::with_capacity(size as usize + 1);
    let status = Decompress::new(false)
        .decompress_vec(packed, &mut contents, FlushDecompress::Finish)
        .ok()?;
    (status == Status::StreamEnd).then_some(contents)
}

/// The four words of an MD4 digest, combined.
fn fold_digest(digest: &[u8]) -> i32 {
    digest
        .as_chunks::<4>()
        .0
        .iter()
        .fold(0, |sum, word| sum ^ i32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(crcs: &[u32]) -> Directory {
        let entry = |&crc: &u32| Entry {
            name: String::new(),
            size: 1,
            crc,
            compressed_size: 1,
            method: 0,
            is_encrypted: false,
            range: 0..0,
        };
        Directory {
            entries: crcs.iter().map(entry).collect(),
            by_name: HashMap::new(),
        }
    }

    #[test]
    fn checksums_are_those_of_a_live_server() {
        let directory = directory(&[3_446_485_928, 1_130_348_235]);
        assert_eq!(directory.checksum(), 1_126_196_713);
        assert_eq!(directory.pure_checksum(312_219_206), 1_749_390_286);
        assert_eq!(fold_digest(Md4::digest(b"abc").as_slice()), 1_570_836_014);
    }

    #[test]
    fn names_are_compared_without_case_and_slash_direction() {
        assert_eq!(normalize_name("Maps\\OA_dm1.BSP"), "maps/oa_dm1.bsp");
    }

    #[test]
    fn a_file_without_directory_is_refused_with_a_reason() {
        let error = find_directory(5, b"hello").expect_err("not a pak");
        assert!(error.to_string().contains("not a pak"), "{error}");
    }
}
