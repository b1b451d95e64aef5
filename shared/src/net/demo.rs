//! Demo files: numbered messages of a server in a row.

use super::netchan::MAX_MSGLEN;

/// One message of a demo, as it would have come out of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    pub sequence: i32,
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
    Truncated { at: usize },
    /// With a record that no client writes.
    Broken { at: usize, length: i32 },
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

/// Walks over the records of a demo file.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    end: Option<End>,
}

impl<'a> Records<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::starting_at(bytes, 0)
    }

    /// Goes on at a place that [`Records::at`] gave.
    pub fn starting_at(bytes: &'a [u8], at: usize) -> Self {
        Self {
            bytes,
            at: at.min(bytes.len()),
            end: None,
        }
    }

    /// Offset of the next record.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How the demo ended; `None` while there may be more.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    fn read(&self) -> Result<Record<'a>, End> {
        let at = self.at;
        let rest = &self.bytes[at..];
        if rest.is_empty() {
            return Err(End::Unmarked);
        }
        let truncated = End::Truncated { at };
        let (&sequence, rest) = rest.split_first_chunk().ok_or(truncated)?;
        let (&length, rest) = rest.split_first_chunk().ok_or(truncated)?;
        let (sequence, length) = (i32::from_le_bytes(sequence), i32::from_le_bytes(length));
        if length == -1 {
            return Err(End::Marked);
        }
        let message_len = usize::try_from(length)
            .ok()
            .filter(|&length| length <= MAX_MSGLEN)
            .ok_or(End::Broken { at, length })?;
        let message = rest.get(..message_len).ok_or(truncated)?;
        Ok(Record { sequence, message })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        if self.end.is_some() {
            return None;
        }
        match self.read() {
            Ok(record) => {
                self.at += RECORD_HEAD + record.message.len();
                Some(record)
            }
            Err(end) => {
                self.end = Some(end);
                None
            }
        }
    }
}

const RECORD_HEAD: usize = 8;

/// What ends a demo file.
pub const END_MARK: [u8; 8] = [0xFF; 8];

/// The bytes of one record.
pub fn write_record(sequence: i32, message: &[u8]) -> Vec<u8> {
    let length = message.len() as i32;
    [&sequence.to_le_bytes(), &length.to_le_bytes(), message].concat()
}
