//! Answers: what the reference's renderer and C library told the module, by frame and call, to be told again.
//!
//! The last bits of tags, marks and sines are each client's own. Told the same, the module must ask the same: so any
//! other difference comes to light, and none is only what came of another.

use crate::{
    log::{Call, Entry},
    traps::Block,
};
use std::collections::{HashMap, HashSet};
use vm::{Memory, Syscall};

/// Calls whose answers may differ by rounding, or because a model is still on its way here.
const CALLS: &[u32] = &[27, 47, 48, 103, 104, 105, 111];
/// Calls whose handles are each client's own, but not whether there is something.
const REGISTRATIONS: &[u32] = &[34, 37, 38, 39, 57];

const MAX_NAME: usize = 1024;

/// What was answered in one entry, by call.
type Answered = HashMap<u32, Vec<Call>>;

/// All answers of one run, and how far they are used.
#[derive(Debug, Default)]
pub struct Answers {
    first: Answered,
    frames: HashMap<i32, Answered>,
    /// Names, by call, that the reference has nothing under.
    missing: HashSet<(u32, Vec<u8>)>,
    /// The time of the running frame; none in the first call.
    now: Option<i32>,
    used: HashMap<u32, usize>,
}

impl Answers {
    pub fn new(entries: Vec<Entry>, frame_function: u32) -> Self {
        let mut answers = Self::default();
        let mut time = None;
        for entry in entries {
            if entry.function == frame_function {
                time = Some(entry.arguments[0]);
            }
            let answered = match time {
                Some(time) => answers.frames.entry(time).or_default(),
                None => &mut answers.first,
            };
            for call in entry.calls {
                let number = call.trap.number as u32;
                let name = call.read.first().cloned().flatten();
                if let Some(name) = name.filter(|_| REGISTRATIONS.contains(&number)) {
                    if call.result == 0 {
                        answers.missing.insert((number, name));
                    }
                } else if CALLS.contains(&number) {
                    answered.entry(number).or_default().push(call);
                }
            }
        }
        answers
    }

    /// An entry of the module begins: the first call, or a frame.
    pub fn begin(&mut self, frame: Option<i32>) {
        self.now = frame;
        self.used.clear();
    }

    /// Gives the answer that the reference gave to the same question; the result may be the client's own.
    pub fn tell(&mut self, call: &Syscall, memory: &mut Memory<'_>, result: i32) -> i32 {
        if REGISTRATIONS.contains(&call.number) {
            let name = memory.c_string(call.address(0), MAX_NAME).to_vec();
            let is_missing = self.missing.contains(&(call.number, name));
            return if is_missing { 0 } else { result };
        }
        if !CALLS.contains(&call.number) {
            return result;
        }
        let answered = match self.now {
            Some(time) => self.frames.get(&time),
            None => Some(&self.first),
        };
        let used = self.used.entry(call.number).or_default();
        *used += 1;
        let calls = answered.and_then(|answered| answered.get(&call.number));
        let Some(told) = calls.and_then(|calls| calls.get(*used - 1)) else {
            return result;
        };
        for (block, bytes) in told.trap.writes.iter().zip(&told.written) {
            if let (
                Block::Bytes(argument, ..)
                | Block::Each(argument, ..)
                | Block::EachResult(argument, _),
                Some(bytes),
            ) = (block, bytes)
                && let Ok(room) = memory.slice_mut(call.address(*argument), bytes.len() as u32)
            {
                room.copy_from_slice(bytes);
            }
        }
        told.result
    }
}
