//! Log: the calls that a rewritten module has written down, read back by frames.

use crate::{
    rewrite::{CALL, ENTRY, ENTRY_ARGUMENTS, EXIT, RESULT},
    traps::{Trap, named},
};

/// What vmMain called, with the system calls made in it.
#[derive(Debug)]
pub struct Entry {
    pub function: u32,
    pub arguments: [i32; ENTRY_ARGUMENTS as usize],
    pub calls: Vec<Call>,
    /// It came back.
    pub is_whole: bool,
}

/// One system call; blocks are `None` for null pointers.
#[derive(Debug)]
pub struct Call {
    pub trap: &'static Trap,
    pub arguments: Vec<i32>,
    pub read: Vec<Option<Vec<u8>>>,
    pub written: Vec<Option<Vec<u8>>>,
    pub result: i32,
    /// Entries within this call, as the reference draws while it loads.
    pub nested: usize,
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn words(&mut self, count: usize) -> Option<Vec<i32>> {
        (0..count)
            .map(|_| self.word().map(|word| word as i32))
            .collect()
    }

    fn block(&mut self) -> Option<Option<Vec<u8>>> {
        let length = self.word()? as i32;
        let Ok(length) = usize::try_from(length) else {
            return Some(None);
        };
        let (block, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Some(block.to_vec()))
    }
}

/// All entries whose calls were made outside of others; the last one may be cut off.
pub fn read(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let mut reader = Reader(bytes);
    let mut done = Vec::new();
    let mut running: Vec<Entry> = Vec::new();
    loop {
        let at = bytes.len() - reader.0.len();
        match next(&mut reader, &mut running, &mut done) {
            Some(true) => {}
            Some(false) => return Err(format!("byte {at} is no beginning of a record")),
            None => break,
        }
    }
    if let Some(cut_off) = running.into_iter().next() {
        done.push(cut_off);
    }
    Ok(done)
}

/// One record; false if it is none, `None` at the end.
fn next(reader: &mut Reader<'_>, running: &mut Vec<Entry>, done: &mut Vec<Entry>) -> Option<bool> {
    let head = reader.word()?;
    // Instruction numbers go beyond 16 bits.
    match head >> 28 {
        0xe => {
            let arguments = reader.words(ENTRY_ARGUMENTS as usize)?;
            running.push(Entry {
                function: head & !ENTRY,
                arguments: arguments.try_into().ok()?,
                calls: Vec::new(),
                is_whole: false,
            });
        }
        0xf => {
            reader.word()?;
            let Some(mut entry) = running.pop().filter(|entry| entry.function == head & !EXIT)
            else {
                return Some(false);
            };
            entry.is_whole = true;
            match running.last_mut().and_then(|outer| outer.calls.last_mut()) {
                Some(call) => call.nested += 1,
                None => done.push(entry),
            }
        }
        _ => {
            let number = (head & 0xffff) as i32;
            let (Some(trap), Some(entry)) = (named(number), running.last_mut()) else {
                return Some(false);
            };
            match head & 0xffff_0000 {
                CALL => {
                    let arguments = reader.words(trap.arguments.len())?;
                    let blocks = trap.reads.iter();
                    entry.calls.push(Call {
                        trap,
                        arguments,
                        read: blocks.map(|_| reader.block()).collect::<Option<_>>()?,
                        written: Vec::new(),
                        result: 0,
                        nested: 0,
                    });
                }
                RESULT => {
                    let result = reader.word()? as i32;
                    let blocks = trap.writes.iter();
                    let written = blocks.map(|_| reader.block()).collect::<Option<_>>()?;
                    let Some(call) = entry
                        .calls
                        .last_mut()
                        .filter(|call| call.trap.number == number)
                    else {
                        return Some(false);
                    };
                    (call.result, call.written) = (result, written);
                }
                _ => return Some(false),
            }
        }
    }
    Some(true)
}
