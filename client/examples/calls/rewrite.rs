//! Rewrite: makes of a cgame one that writes down its system calls, with what lies behind their pointers.
//!
//! Each `CONST -1-N; CALL` becomes a call of a function behind the old code, which writes to a file what it got, makes
//! the system call and writes what came back. So no instruction moves, and neither does anything in memory: what the
//! new functions need lies behind the module's own zeroes. Clocks and the memory's size are answered by the module
//! itself, the same everywhere. Calls of vmMain to its own functions are written down as well: those are the frames.

use crate::traps::{Block, TRAPS, Trap};
use std::collections::BTreeMap;

/// The file with the calls, in four letters a word.
pub const LOG_NAME: &str = "calls.log";
/// What the module asks the console for when it wants a picture.
pub const PICTURE_COMMAND: &str = "screenshot\n";

/// First words of what is written: a call, its result, a call of vmMain, its end; the number is in the lower half.
pub const CALL: u32 = 0xca11_0000;
pub const RESULT: u32 = 0xae5a_0000;
pub const ENTRY: u32 = 0xe000_0000;
pub const EXIT: u32 = 0xf000_0000;
/// The length of what a null pointer points to.
pub const NOTHING: u32 = u32::MAX;
/// Texts are cut here.
const MAX_TEXT: i32 = 16_384;
/// Arguments of vmMain's own functions that are written down.
pub const ENTRY_ARGUMENTS: i32 = 3;

/// Opcodes.
#[rustfmt::skip]
mod op {
    pub(super) const ENTER: u8 = 3;
    pub(super) const LEAVE: u8 = 4;
    pub(super) const CALL: u8 = 5;
    pub(super) const PUSH: u8 = 6;
    pub(super) const POP: u8 = 7;
    pub(super) const CONST: u8 = 8;
    pub(super) const LOCAL: u8 = 9;
    pub(super) const JUMP: u8 = 10;
    pub(super) const EQ: u8 = 11;
    pub(super) const NE: u8 = 12;
    pub(super) const LTI: u8 = 13;
    pub(super) const GEI: u8 = 16;
    pub(super) const LEI: u8 = 14;
    pub(super) const GEF: u8 = 26;
    pub(super) const LOAD1: u8 = 27;
    pub(super) const LOAD4: u8 = 29;
    pub(super) const STORE4: u8 = 32;
    pub(super) const ARG: u8 = 33;
    pub(super) const BLOCK_COPY: u8 = 34;
    pub(super) const ADD: u8 = 38;
    pub(super) const DIVI: u8 = 40;
    pub(super) const MULI: u8 = 44;
}

/// What is the same in both clients because the module answers itself.
const MILLISECONDS: i32 = 2;
const MEMORY_REMAINING: i32 = 58;
const REAL_TIME: i32 = 70;
const MEMORY_BYTES: i32 = 64 << 20;
const REAL_TIME_BYTES: i32 = 36;

/// The program stack and, so that both clients round alike, some room to the next power of two.
const STACK_BYTES: u32 = 65_536;
const MARGIN_BYTES: u32 = 32_768;

/// Where the new functions keep what they need.
struct Places {
    handle: i32,
    scratch: i32,
    clock: i32,
    last_picture: i32,
    name: i32,
}

/// Code behind the old one.
struct Code {
    bytes: Vec<u8>,
    count: u32,
    places: Places,
}

/// The functions that all others use.
#[derive(Clone, Copy)]
struct Helpers {
    put: u32,
    put_word: u32,
    put_block: u32,
    put_text: u32,
    open: u32,
}

/// The same module, but that it writes down its calls. Calls whose number is not known before it runs stay as they are.
pub fn rewrite(file: &[u8], picture_msec: i32) -> Result<Vec<u8>, String> {
    let word = |index: usize| -> Result<u32, String> {
        let bytes = file.get(4 * index..4 * index + 4);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(u32::from_le_bytes)
            .ok_or("the header is cut off".to_owned())
    };
    let has_jump_list = word(0)? == 0x1272_1445;
    let (count, code_at, code_length) = (word(1)?, word(2)? as usize, word(3)? as usize);
    let (data_length, lit_length, bss_length) = (word(5)?, word(6)?, word(7)?);
    let code = file
        .get(code_at..code_at + code_length)
        .ok_or("the code is cut off")?;
    let after = file
        .get(code_at + code_length..)
        .ok_or("the data is cut off")?;

    let new_at = (data_length + lit_length + bss_length).next_multiple_of(4);
    let new_length = 4 * 5 + 64;
    let mut total = new_at + new_length + STACK_BYTES;
    if total.next_power_of_two() - total < MARGIN_BYTES {
        total = total.next_power_of_two() + MARGIN_BYTES;
    }
    let place = |index: u32| (new_at + 4 * index) as i32;
    let mut old = Old::read(code, count)?;
    let mut new = Code {
        bytes: Vec::new(),
        count,
        places: Places {
            handle: place(0),
            scratch: place(1),
            clock: place(2),
            last_picture: place(3),
            name: place(5),
        },
    };
    let helpers = new.helpers();
    let mut stubs = BTreeMap::new();
    let calls = std::mem::take(&mut old.calls);
    for (operand_at, target, is_in_main) in calls {
        let stub = match target {
            number if number < 0 => {
                // What is not in the table only some engines have, and modules ask before they call it.
                let Some(trap) = TRAPS.iter().find(|trap| trap.number == !number) else {
                    continue;
                };
                *stubs
                    .entry(target)
                    .or_insert_with(|| new.trap(helpers, trap))
            }
            _ if is_in_main => {
                let made = |new: &mut Code| new.entry(helpers, target, picture_msec);
                *stubs.entry(target).or_insert_with(|| made(&mut new))
            }
            _ => continue,
        };
        old.bytes[operand_at..operand_at + 4].copy_from_slice(&stub.to_le_bytes());
    }
    let mut code = old.bytes;
    code.extend(&new.bytes);
    code.resize(code.len().next_multiple_of(4), 0);
    let header_length = if has_jump_list { 36 } else { 32 };
    let mut header = vec![
        word(0)?,
        new.count,
        header_length,
        code.len() as u32,
        header_length + code.len() as u32,
        data_length,
        lit_length,
        total - data_length - lit_length,
    ];
    if has_jump_list {
        header.push(word(8)?);
    }
    let header = header.into_iter().flat_map(u32::to_le_bytes);
    Ok(header.chain(code).chain(after.iter().copied()).collect())
}

/// The code as it was, without what pads it.
struct Old {
    bytes: Vec<u8>,
    /// Calls of constants: where the constant stands, what it is, and whether vmMain makes it.
    calls: Vec<(usize, i32, bool)>,
}

impl Old {
    fn read(code: &[u8], count: u32) -> Result<Self, String> {
        let (mut at, mut functions) = (0, 0);
        let mut calls = Vec::new();
        let mut constant = None;
        for _ in 0..count {
            let opcode = *code.get(at).ok_or("the code ends early")?;
            let operand_bytes = match opcode {
                op::ARG => 1,
                op::ENTER | op::LEAVE | op::CONST | op::LOCAL | op::BLOCK_COPY => 4,
                op::EQ..=op::GEF => 4,
                _ => 0,
            };
            functions += u32::from(opcode == op::ENTER);
            if let (op::CALL, Some((place, value))) = (opcode, constant) {
                calls.push((place, value, functions == 1));
            }
            constant = (opcode == op::CONST).then(|| {
                let mut bytes = [0; 4];
                bytes.copy_from_slice(&code[at + 1..at + 5]);
                (at + 1, i32::from_le_bytes(bytes))
            });
            at += 1 + operand_bytes;
        }
        Ok(Self {
            bytes: code[..at].to_vec(),
            calls,
        })
    }
}

/// A function in the making: branches name marks, which become instruction numbers at its end.
struct Function<'a> {
    code: &'a mut Code,
    frame: i32,
    start: u32,
    marks: Vec<Option<u32>>,
    /// Where an operand stands that is a mark.
    open: Vec<(usize, usize)>,
}

impl Code {
    fn function(&mut self, frame: i32) -> Function<'_> {
        let start = self.count;
        let mut function = Function {
            code: self,
            frame,
            start,
            marks: Vec::new(),
            open: Vec::new(),
        };
        function.with(op::ENTER, frame);
        function
    }

    fn helpers(&mut self) -> Helpers {
        let (handle, scratch, name) = (self.places.handle, self.places.scratch, self.places.name);
        // put(pointer, length)
        let mut f = self.function(24);
        let end = f.mark();
        f.incoming(1).constant(0).branch(op::LEI, end);
        f.hand_on(2).load(handle).arg(2).syscall(12);
        f.set(end);
        let put = f.end();
        // put_word(value)
        let mut f = self.function(24);
        f.constant(scratch).incoming(0).plain(op::STORE4);
        f.constant(scratch).arg(0).constant(4).arg(1).run(put);
        let put_word = f.end();
        // put_block(pointer, length)
        let mut f = self.function(24);
        let (there, end) = (f.mark(), f.mark());
        f.incoming(0).constant(0).branch(op::NE, there);
        f.constant(NOTHING as i32).arg(0).run(put_word);
        f.jump(end);
        f.set(there);
        f.incoming(1).arg(0).run(put_word);
        f.hand_on(2).run(put);
        f.set(end);
        let put_block = f.end();
        // put_text(pointer): its length is counted in the local at 20.
        let mut f = self.function(24);
        let (next, counted) = (f.mark(), f.mark());
        f.with(op::LOCAL, 20).constant(0).plain(op::STORE4);
        f.incoming(0).constant(0).branch(op::EQ, counted);
        f.set(next);
        f.local(20).constant(MAX_TEXT).branch(op::GEI, counted);
        f.incoming(0).local(20).plain(op::ADD).plain(op::LOAD1);
        f.constant(0).branch(op::EQ, counted);
        f.with(op::LOCAL, 20).local(20).constant(1).plain(op::ADD);
        f.plain(op::STORE4);
        f.jump(next);
        f.set(counted);
        f.incoming(0).arg(0).local(20).arg(1).run(put_block);
        let put_text = f.end();
        // open()
        let mut f = self.function(24);
        let end = f.mark();
        f.load(handle).constant(0).branch(op::NE, end);
        f.text(name, LOG_NAME);
        f.constant(name).arg(0).constant(handle).arg(1);
        f.constant(1).arg(2).syscall(10);
        f.set(end);
        let open = f.end();
        Helpers {
            put,
            put_word,
            put_block,
            put_text,
            open,
        }
    }

    /// In place of a system call.
    fn trap(&mut self, helpers: Helpers, trap: &Trap) -> u32 {
        let clock = self.places.clock;
        let count = trap.arguments.len() as i32;
        // Arguments of the calls made here, then the result.
        let result = 8 + 4 * count.max(4);
        let mut f = self.function(result + 4);
        f.run(helpers.open);
        f.word(helpers, (CALL | trap.number as u32) as i32);
        f.put_incoming(helpers, count);
        for block in trap.reads {
            f.block(helpers, block, result);
        }
        f.with(op::LOCAL, result);
        match trap.number {
            MILLISECONDS => {
                f.constant(clock).load(clock).constant(1).plain(op::ADD);
                f.plain(op::STORE4).load(clock);
            }
            MEMORY_REMAINING => {
                f.constant(MEMORY_BYTES);
            }
            REAL_TIME => {
                let end = f.mark();
                f.constant(0).plain(op::STORE4);
                f.incoming(0).constant(0).branch(op::EQ, end);
                f.hand_on(1).constant(0).arg(1);
                f.constant(REAL_TIME_BYTES).arg(2).syscall(100);
                f.set(end);
                f.with(op::LOCAL, result).constant(0);
            }
            number => {
                // A call result goes to a local at once, as compilers have it.
                f.plain(op::POP);
                f.hand_on(count);
                f.with(op::LOCAL, result).constant(!number).plain(op::CALL);
            }
        }
        f.plain(op::STORE4);
        f.word(helpers, (RESULT | trap.number as u32) as i32);
        f.put_local(helpers, result);
        for block in trap.writes {
            f.block(helpers, block, result);
        }
        f.local(result);
        f.end_with()
    }

    /// In place of a call that vmMain makes.
    fn entry(&mut self, helpers: Helpers, target: i32, picture_msec: i32) -> u32 {
        let (last_picture, name) = (self.places.last_picture, self.places.name);
        let result = 8 + 4 * 4;
        let mut f = self.function(result + 4);
        f.run(helpers.open);
        f.word(helpers, (ENTRY | target as u32) as i32);
        f.put_incoming(helpers, ENTRY_ARGUMENTS);
        f.hand_on(ENTRY_ARGUMENTS);
        f.with(op::LOCAL, result)
            .constant(target)
            .plain(op::CALL)
            .plain(op::STORE4);
        if picture_msec > 0 {
            // Only frames of a demo have these arguments: the time, 0 and 1.
            let (due, end) = (f.mark(), f.mark());
            f.incoming(1).constant(0).branch(op::NE, end);
            f.incoming(2).constant(1).branch(op::NE, end);
            f.incoming(0).constant(1).branch(op::LTI, end);
            f.load(last_picture).constant(0).branch(op::EQ, due);
            f.load(last_picture).incoming(0).constant(picture_msec);
            f.plain(op::DIVI).branch(op::EQ, end);
            f.text(name, PICTURE_COMMAND);
            f.constant(name).arg(0).syscall(14);
            f.set(due);
            f.constant(last_picture).incoming(0).constant(picture_msec);
            f.plain(op::DIVI).plain(op::STORE4);
            f.set(end);
        }
        f.word(helpers, (EXIT | target as u32) as i32);
        f.put_local(helpers, result);
        f.local(result);
        f.end_with()
    }
}

impl Function<'_> {
    fn plain(&mut self, opcode: u8) -> &mut Self {
        self.code.bytes.push(opcode);
        self.code.count += 1;
        self
    }

    fn with(&mut self, opcode: u8, operand: i32) -> &mut Self {
        self.plain(opcode);
        self.code.bytes.extend(operand.to_le_bytes());
        self
    }

    fn constant(&mut self, value: i32) -> &mut Self {
        self.with(op::CONST, value)
    }

    fn arg(&mut self, index: i32) -> &mut Self {
        self.plain(op::ARG);
        self.code.bytes.push(8 + 4 * index as u8);
        self
    }

    /// The word at a place of the memory.
    fn load(&mut self, at: i32) -> &mut Self {
        self.constant(at).plain(op::LOAD4)
    }

    /// The word at a place of this function's own stack.
    fn local(&mut self, at: i32) -> &mut Self {
        self.with(op::LOCAL, at).plain(op::LOAD4)
    }

    /// One of this function's own arguments.
    fn incoming(&mut self, index: i32) -> &mut Self {
        self.local(self.frame + 8 + 4 * index)
    }

    /// Its first arguments become those of the next call.
    fn hand_on(&mut self, count: i32) -> &mut Self {
        for index in 0..count {
            self.incoming(index).arg(index);
        }
        self
    }

    fn call(&mut self, function: u32) -> &mut Self {
        self.constant(function as i32).plain(op::CALL)
    }

    /// A call whose result nobody wants.
    fn run(&mut self, function: u32) {
        self.call(function).plain(op::POP);
    }

    fn syscall(&mut self, number: i32) {
        self.constant(!number).plain(op::CALL).plain(op::POP);
    }

    fn word(&mut self, helpers: Helpers, value: i32) {
        self.constant(value).arg(0).run(helpers.put_word);
    }

    /// Writes down the first of its own arguments.
    fn put_incoming(&mut self, helpers: Helpers, count: i32) {
        self.with(op::LOCAL, self.frame + 8).arg(0);
        self.constant(4 * count).arg(1).run(helpers.put);
    }

    fn put_local(&mut self, helpers: Helpers, at: i32) {
        self.with(op::LOCAL, at).arg(0);
        self.constant(4).arg(1).run(helpers.put);
    }

    fn text(&mut self, at: i32, text: &str) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
        for (index, four) in bytes.chunks_exact(4).enumerate() {
            let word = i32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            self.constant(at + 4 * index as i32)
                .constant(word)
                .plain(op::STORE4);
        }
    }

    fn block(&mut self, helpers: Helpers, block: &Block, result: i32) {
        let (argument, at) = match *block {
            Block::Text(argument) => {
                self.incoming(argument as i32).arg(0).run(helpers.put_text);
                return;
            }
            Block::Bytes(argument, at, _) => (argument, at),
            Block::Each(argument, ..) | Block::EachResult(argument, _) => (argument, 0),
            Block::EachInside { argument, at, .. } => (argument, at),
        };
        let (there, end) = (self.mark(), self.mark());
        let argument = argument as i32;
        self.incoming(argument).constant(0).branch(op::NE, there);
        self.word(helpers, NOTHING as i32);
        self.jump(end);
        self.set(there);
        self.incoming(argument).constant(at).plain(op::ADD).arg(0);
        match *block {
            Block::Text(_) => {}
            Block::Bytes(_, _, length) => {
                self.constant(length);
            }
            Block::Each(_, count, length) => {
                self.incoming(count as i32).constant(length).plain(op::MULI);
            }
            Block::EachResult(_, length) => {
                self.local(result).constant(length).plain(op::MULI);
            }
            Block::EachInside {
                count_at, bytes, ..
            } => {
                self.incoming(argument).constant(count_at).plain(op::ADD);
                self.plain(op::LOAD4).constant(bytes).plain(op::MULI);
            }
        }
        self.arg(1).run(helpers.put_block);
        self.set(end);
    }

    fn mark(&mut self) -> usize {
        self.marks.push(None);
        self.marks.len() - 1
    }

    fn set(&mut self, mark: usize) {
        self.marks[mark] = Some(self.code.count);
    }

    fn branch(&mut self, opcode: u8, mark: usize) {
        self.with(opcode, 0);
        self.open.push((self.code.bytes.len() - 4, mark));
    }

    fn jump(&mut self, mark: usize) {
        self.branch(op::CONST, mark);
        self.plain(op::JUMP);
    }

    /// Gives the number of its first instruction.
    fn end(mut self) -> u32 {
        self.finish()
    }

    /// The same, with the value on the operand stack as its result.
    fn end_with(mut self) -> u32 {
        self.with(op::LEAVE, self.frame);
        self.finish()
    }

    fn finish(&mut self) -> u32 {
        let frame = self.frame;
        self.plain(op::PUSH).with(op::LEAVE, frame);
        for (at, mark) in &self.open {
            let target = self.marks[*mark].unwrap_or(self.start);
            self.code.bytes[*at..*at + 4].copy_from_slice(&target.to_le_bytes());
        }
        self.start
    }
}
