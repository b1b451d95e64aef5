//! Demo files: numbered messages of a server in a row.
//!
//! ```
//! use shared::{
//!     net::{
//!         demo::{self, Records},
//!         svc::{Decoder, Origin, ServerOp, Writer},
//!     },
//!     types::{gamestate::Gamestate, snapshot::Snapshot},
//! };
//!
//! // A demo of two messages: the level begins, and a first snapshot.
//! let (gamestate, snapshot) = (Gamestate::default(), Snapshot::default());
//! let mut start = Writer::new(0);
//! start.gamestate(&gamestate);
//! let mut next = Writer::new(0);
//! next.snapshot(&snapshot, None, &gamestate);
//! let mut file = demo::write_record(1, &start.finish()?);
//! file.extend(demo::write_record(2, &next.finish()?));
//! file.extend(demo::END_MARK);
//!
//! let mut decoder = Decoder::new(Origin::Demo);
//! let (mut levels, mut snapshots) = (0, 0);
//! for record in Records::new(&file) {
//!     for op in decoder.read(record.sequence, record.message, 0)?.ops {
//!         match op {
//!             ServerOp::Gamestate(_) => levels += 1,
//!             ServerOp::Snapshot(snapshot) => {
//!                 snapshots += 1;
//!                 println!("{:?}: {} entities", snapshot.server_time, snapshot.entities.len());
//!             }
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!((levels, snapshots), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::netchan::MAX_MSGLEN;

/// One message of a demo, as it would have come out of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The message's number.
    pub sequence: i32,
    /// Its bytes, for [`super::svc::Decoder::read`].
    pub message: &'a [u8],
}

/// How a demo ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With the mark for it.
    Marked,
    /// Without, but the last record is whole.
    Unmarked,
    /// Within a record.
    Truncated {
        /// Offset of the record.
        at: usize,
    },
    /// With a record that no client writes.
    Broken {
        /// Offset of the record.
        at: usize,
        /// The length that it claims.
        length: i32,
    },
}

impl End {
    /// What the player should know about it, if anything.
    pub fn warning(self) -> Option<String> {
        match self {
            Self::Marked => None,
            Self::Unmarked => {
                Some("the demo ends without its end mark; the rest is missing".to_owned())
            }
            Self::Truncated { at } => Some(format!(
                "the demo is cut off within the record at byte {at}; everything before it is played"
            )),
            Self::Broken { at, length } => Some(format!(
                "the demo is damaged: the record at byte {at} claims {length} bytes where \
                 {MAX_MSGLEN} are possible; everything before it is played"
            )),
        }
    }
}

/// Places of a demo file where no record could be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many places.
    pub places: u32,
    /// How many bytes together.
    pub bytes: usize,
    /// Offset of the first.
    pub first_at: usize,
}

/// Walks over the records of a demo file.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    walk: Walk,
}

impl<'a> Records<'a> {
    /// Starts at the beginning of a file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            walk: Walk::default(),
        }
    }

    /// How the demo ended; `None` while there may be more.
    pub fn end(&self) -> Option<End> {
        self.walk.end()
    }

    /// What could not be read so far.
    pub fn skipped(&self) -> Skipped {
        self.walk.skipped()
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        self.walk.next(self.bytes)
    }
}

/// A place in a demo file, for whoever keeps the file's bytes.
///
/// A record's head is two numbers, and nothing guards them. A head is believed when another one lies where it says
/// that its record ends. Where none does, the walk looks for the next two heads in a row that go on with the
/// numbers so far, so one damaged head costs one record.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    at: usize,
    /// Number of the last record.
    sequence: Option<i32>,
    /// Where the search for believable heads has led; it holds until the walk has come there.
    found: Option<usize>,
    end: Option<End>,
    skipped: Skipped,
}

impl Walk {
    /// Offset of the next record.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How the demo ended; `None` while there may be more.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// What could not be read so far.
    pub fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// The next record of the file; always the same file.
    #[inline]
    pub fn next<'a>(&mut self, bytes: &'a [u8]) -> Option<Record<'a>> {
        if let Some(record) = self.next_in_step(bytes) {
            self.at += RECORD_HEAD + record.message.len();
            self.sequence = Some(record.sequence);
            return Some(record);
        }
        self.next_of_any(bytes)
    }

    /// The record here if its number goes on with the one before, and the next one's with this: all there is to see in
    /// a demo without damage.
    #[inline]
    fn next_in_step<'a>(&self, bytes: &'a [u8]) -> Option<Record<'a>> {
        let (&head, rest) = bytes.get(self.at..)?.split_first_chunk()?;
        let (sequence, length) = numbers(head);
        if !is_possible(length) || !follows(self.sequence?, sequence) {
            return None;
        }
        let (message, behind) = rest.split_at_checked(length as usize)?;
        let (number, length) = numbers(*behind.first_chunk()?);
        (follows(sequence, number) && is_possible(length)).then_some(Record { sequence, message })
    }

    fn next_of_any<'a>(&mut self, bytes: &'a [u8]) -> Option<Record<'a>> {
        while self.end.is_none() {
            let end = match read(bytes, self.at) {
                Ok(record) if self.is_believable(bytes, &record) => {
                    return Some(self.take(record, bytes));
                }
                Ok(_) => None,
                Err(end) => Some(end),
            };
            if matches!(end, Some(End::Marked | End::Unmarked))
                && self.at + RECORD_HEAD >= bytes.len()
            {
                self.end = end;
                break;
            }
            let next = self.search(bytes);
            if let Some(record) = self.cut(bytes, next) {
                return Some(self.take(record, bytes));
            }
            match (next, end) {
                (Some(next), _) => self.skip_to(next),
                (None, Some(end)) => self.end = Some(end),
                (None, None) => self.skip_to(bytes.len()),
            }
        }
        None
    }

    /// The record here although its head is not believed: where its number goes on with those before, only its length
    /// can be wrong, and it ends before the next believable head.
    fn cut<'a>(&self, bytes: &'a [u8], next: Option<usize>) -> Option<Record<'a>> {
        let (sequence, length) = head(bytes, self.at)?;
        if length == -1 || !self.sequence.is_none_or(|last| follows(last, sequence)) {
            return None;
        }
        // A believable head may overlap this one.
        let rest = bytes.get(self.at + RECORD_HEAD..next.unwrap_or(bytes.len()))?;
        let stated = usize::try_from(length).unwrap_or(usize::MAX);
        let message_len = stated.min(rest.len());
        let is_whole = next.is_some() || stated <= rest.len();
        (is_whole && message_len <= MAX_MSGLEN).then(|| Record {
            sequence,
            message: &rest[..message_len],
        })
    }

    /// Whether another head lies where this record ends, or the file's end.
    fn is_believable(&self, bytes: &[u8], record: &Record<'_>) -> bool {
        let next = self.at + RECORD_HEAD + record.message.len();
        match head(bytes, next) {
            None | Some((_, -1)) => true,
            // Demos that were cut together begin anew with other numbers, so heads in a row will do as well.
            Some((sequence, length)) => {
                is_possible(length) && follows(record.sequence, sequence)
                    || chained(bytes, next).is_some()
                    || is_row(bytes, next)
            }
        }
    }

    /// Where the next believable head lies behind the walk's place.
    fn search(&mut self, bytes: &[u8]) -> Option<usize> {
        if let Some(found) = self.found.filter(|found| *found > self.at) {
            return (found < bytes.len()).then_some(found);
        }
        let first = self.at + 1;
        let heads = bytes.get(first..).unwrap_or_default().array_windows();
        let found = (first..).zip(heads).find(|&(at, &head)| {
            let (sequence, _) = numbers(head);
            match self.sequence {
                Some(last) => follows(last, sequence) && chained(bytes, at).is_some(),
                // Without a number before it, a head needs another one behind it.
                None => chained(bytes, at).is_some_and(|next| next < bytes.len()),
            }
        });
        let found = found.map(|(at, _)| at);
        self.found = Some(found.unwrap_or(bytes.len()));
        found
    }

    fn skip_to(&mut self, next: usize) {
        if self.skipped.places == 0 {
            self.skipped.first_at = self.at;
        }
        self.skipped.places += 1;
        self.skipped.bytes += next - self.at;
        self.at = next;
    }

    fn take<'a>(&mut self, record: Record<'a>, bytes: &[u8]) -> Record<'a> {
        self.at += RECORD_HEAD + record.message.len();
        let mut sequence = record.sequence;
        // A number that leads nowhere, between two that belong together, is the one between them.
        if let (Some(last), Some((next, _))) = (self.sequence, head(bytes, self.at))
            && !follows(last, sequence)
            && next == last.wrapping_add(2)
        {
            sequence = last.wrapping_add(1);
        }
        self.sequence = Some(sequence);
        Record { sequence, ..record }
    }
}

/// The two numbers of a record's head.
fn head(bytes: &[u8], at: usize) -> Option<(i32, i32)> {
    bytes.get(at..)?.first_chunk().copied().map(numbers)
}

fn numbers(head: [u8; RECORD_HEAD]) -> (i32, i32) {
    let both = u64::from_le_bytes(head);
    (both as i32, (both >> 32) as i32)
}

fn is_possible(length: i32) -> bool {
    (0..=MAX_MSGLEN as i32).contains(&length)
}

/// Whether a message may come after another one of this number in the same recording.
fn follows(last: i32, sequence: i32) -> bool {
    (1..=MAX_LOST).contains(&sequence.wrapping_sub(last))
}

/// The end of the record of this head, if what lies there goes on with its number.
fn chained(bytes: &[u8], at: usize) -> Option<usize> {
    let (sequence, next) = record_end(bytes, at)?;
    let goes_on = match head(bytes, next) {
        Some((_, -1)) => true,
        Some((number, length)) => is_possible(length) && follows(sequence, number),
        None => next == bytes.len(),
    };
    goes_on.then_some(next)
}

/// Whether several possible heads follow each other from here, whatever their numbers.
fn is_row(bytes: &[u8], at: usize) -> bool {
    let mut at = at;
    for _ in 0..3 {
        let Some((_, next)) = record_end(bytes, at) else {
            return false;
        };
        at = next;
    }
    true
}

/// The number of the record here, and where it ends.
fn record_end(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let (sequence, length) = head(bytes, at)?;
    if !is_possible(length) {
        return None;
    }
    let end = at + RECORD_HEAD + length as usize;
    (end <= bytes.len()).then_some((sequence, end))
}

fn read(bytes: &[u8], at: usize) -> Result<Record<'_>, End> {
    let rest = &bytes[at.min(bytes.len())..];
    if rest.is_empty() {
        return Err(End::Unmarked);
    }
    let truncated = End::Truncated { at };
    let (sequence, length) = head(bytes, at).ok_or(truncated)?;
    if length == -1 {
        return Err(End::Marked);
    }
    let message_len = usize::try_from(length)
        .ok()
        .filter(|&length| length <= MAX_MSGLEN)
        .ok_or(End::Broken { at, length })?;
    let message = rest[RECORD_HEAD..].get(..message_len).ok_or(truncated)?;
    Ok(Record { sequence, message })
}

const RECORD_HEAD: usize = 8;
/// More messages in a row than this are not lost on a line that holds.
const MAX_LOST: i32 = 1000;

/// What ends a demo file.
pub const END_MARK: [u8; 8] = [0xFF; 8];

/// The bytes of one record.
pub fn write_record(sequence: i32, message: &[u8]) -> Vec<u8> {
    let length = message.len() as i32;
    [&sequence.to_le_bytes(), &length.to_le_bytes(), message].concat()
}
