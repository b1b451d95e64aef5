//! The instructions of one basic block as WebAssembly, in their order: both machines have an operand stack.
//!
//! Values of the original have no type; here each has one, found by what takes the value. Between blocks values lie
//! in locals as integers, one local for each place on the stack.

use super::support::{self, fail};
use crate::{
    budget,
    code::{Instruction, Op},
    error::Fault,
    flow::{Block, Exit},
    image::{Function, Image},
    validate::width,
};
use wasm_encoder::{BlockType, InstructionSink, MemArg, ValType};

/// The program stack pointer: the caller's at first, then the function's own.
pub(super) const STACK: u32 = 0;
/// The calls that this one is inside of.
pub(super) const DEPTH: u32 = 1;
/// Free for use within one instruction; the first also holds a condition or a target at a block's end.
pub(super) const SCRATCH: u32 = 2;
const SCRATCH_2: u32 = 3;
/// Where the dispatch loop goes next, as an offset from the function's start.
pub(super) const NEXT: u32 = 4;
const FLOAT: u32 = 5;
const WIDE: u32 = 6;
/// The first of those that hold the operand stack between blocks.
const FIRST_SLOT: u32 = 10;

/// Smaller copies are written out, each 8 bytes in a local of their own.
const MAX_INLINE_COPY: u32 = 32;

/// The host puts so many bytes above the frame of `vm_main`, less a slot: locals up to there need no mask.
const ABOVE_FRAME: u32 = 56;

pub(super) fn locals(image: &Image, function: Function) -> [(u32, ValType); 4] {
    let depths = &image.depths[function.start as usize..function.end as usize];
    let deepest = depths.iter().copied().max().unwrap_or(0);
    [
        (3, ValType::I32),
        (1, ValType::F32),
        (4, ValType::I64),
        (u32::from(deepest), ValType::I32),
    ]
}

/// What becomes of a value that an instruction leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueUse {
    Integer,
    Float,
    /// Whichever type it has.
    Any,
    /// As the address of an access; the access adds the constant part.
    Address,
    /// Nothing: the instruction that takes it knows the constant.
    Nothing,
}

/// Charges the budget.
pub(super) fn charge(sink: &mut InstructionSink, cost: i32, at: u32) {
    sink.global_get(support::BUDGET)
        .i32_const(cost)
        .i32_sub()
        .local_tee(SCRATCH_2)
        .global_set(support::BUDGET)
        .local_get(SCRATCH_2)
        .i32_const(0)
        .i32_lt_s()
        .if_(BlockType::Empty);
    fail(sink, Fault::Budget, at, None);
    sink.end();
}

/// What the emission of one block needs to know.
pub(super) struct BlockTranslation<'image> {
    image: &'image Image,
    function: Function,
    base: u32,
    start: u32,
    /// What is wanted of the value of each instruction, and of each value that lies on the stack at the start.
    wanted: Vec<ValueUse>,
    entries: Vec<ValueUse>,
    /// For loads and stores: the instruction that has pushed their address.
    addresses: Vec<Option<u32>>,
    /// For stores and ARG: the instruction that has pushed their value.
    values: Vec<Option<u32>>,
}

#[derive(Clone, Copy)]
enum Producer {
    Entry(usize),
    At(u32),
}

impl<'image> BlockTranslation<'image> {
    pub(super) fn new(image: &'image Image, function: Function, base: u32, block: &Block) -> Self {
        let length = block.code.len();
        let depth = usize::from(image.depths[block.code.start as usize]);
        let mut translation = Self {
            image,
            function,
            base,
            start: block.code.start,
            wanted: vec![ValueUse::Integer; length],
            entries: vec![ValueUse::Integer; depth],
            addresses: vec![None; length],
            values: vec![None; length],
        };
        let mut stack = (0..depth).map(Producer::Entry).collect::<Vec<_>>();
        for at in block.code.clone() {
            let is_constant_jump = matches!(block.exit, Exit::Jump(_));
            translation.plan(at, &mut stack, is_constant_jump);
        }
        translation
    }

    fn at(&self, at: u32) -> Instruction {
        self.image.instructions[at as usize]
    }

    fn index(&self, at: u32) -> usize {
        (at - self.start) as usize
    }

    /// Finds out what one instruction wants of the values that it takes.
    fn plan(&mut self, at: u32, stack: &mut Vec<Producer>, is_constant_jump: bool) {
        let op = self.at(at).op;
        let (pops, pushes) = op.stack_effect();
        let taken = stack.split_off(stack.len() - usize::from(pops));
        let index = self.index(at);
        let instruction_of = |producer: Producer| match producer {
            Producer::At(at) => Some(at),
            Producer::Entry(_) => None,
        };
        match op {
            Op::Addf | Op::Subf | Op::Mulf | Op::Divf | Op::Negf | Op::Cvfi => {
                taken
                    .iter()
                    .for_each(|producer| self.want(*producer, ValueUse::Float));
            }
            Op::Eqf | Op::Nef | Op::Ltf | Op::Lef | Op::Gtf | Op::Gef => {
                taken
                    .iter()
                    .for_each(|producer| self.want(*producer, ValueUse::Float));
            }
            Op::Pop => self.want(taken[0], ValueUse::Any),
            Op::Arg => {
                self.values[index] = instruction_of(taken[0]);
                self.want(taken[0], ValueUse::Any);
            }
            Op::Call if self.constant(taken[0]).is_some() => self.want(taken[0], ValueUse::Nothing),
            Op::Jump if is_constant_jump => self.want(taken[0], ValueUse::Nothing),
            _ if op.is_load() || op.is_store() => {
                if let Some(producer) = instruction_of(taken[0])
                    && self.is_direct(producer)
                {
                    self.addresses[index] = Some(producer);
                    self.want(taken[0], ValueUse::Address);
                }
                if op == Op::Store4 {
                    self.values[index] = instruction_of(taken[1]);
                    self.want(taken[1], ValueUse::Any);
                }
            }
            _ => {}
        }
        if pushes == 1 {
            stack.push(Producer::At(at));
        }
    }

    fn want(&mut self, producer: Producer, wanted: ValueUse) {
        match producer {
            Producer::Entry(slot) => self.entries[slot] = wanted,
            Producer::At(at) => {
                let index = self.index(at);
                self.wanted[index] = wanted;
            }
        }
    }

    fn constant(&self, producer: Producer) -> Option<i32> {
        match producer {
            Producer::At(at) if self.at(at).op == Op::Const => Some(self.at(at).operand),
            _ => None,
        }
    }

    /// Whether an access to what this instruction has pushed needs no mask: checked when the image was read.
    fn is_direct(&self, producer: u32) -> bool {
        let Instruction { op, operand } = self.at(producer);
        match op {
            Op::Const => true,
            Op::Local => operand as u32 <= self.function.frame + ABOVE_FRAME,
            _ => false,
        }
    }

    /// Whether the value that it leaves is a float on WebAssembly's stack.
    fn is_float(&self, at: u32) -> bool {
        let wanted = self.wanted[self.index(at)];
        wanted == ValueUse::Float || wanted == ValueUse::Any && is_float_by_nature(self.at(at).op)
    }

    /// Puts the block's instructions out; the condition of a branch or the target of a computed jump stays on the
    /// stack or, if there are values below it, in [`SCRATCH`].
    pub(super) fn emit(&self, block: &Block, sink: &mut InstructionSink) {
        for (slot, wanted) in self.entries.iter().enumerate() {
            sink.local_get(FIRST_SLOT + slot as u32);
            if *wanted == ValueUse::Float {
                sink.f32_reinterpret_i32();
            }
        }
        for at in block.code.clone() {
            self.instruction(at, block.code.end, sink);
        }
        let last = block.code.end - 1;
        let (pops, pushes) = self.at(last).op.stack_effect();
        let left = self.image.depths[last as usize] - pops + pushes;
        if left == 0 {
            return;
        }
        let has_condition = matches!(block.exit, Exit::Branch { .. });
        if has_condition {
            sink.local_set(SCRATCH);
        }
        for slot in (0..u32::from(left)).rev() {
            sink.local_set(FIRST_SLOT + slot);
        }
        if has_condition {
            sink.local_get(SCRATCH);
        }
    }

    fn instruction(&self, at: u32, end: u32, sink: &mut InstructionSink) {
        let Instruction { op, operand } = self.at(at);
        match op {
            Op::Ignore | Op::Break | Op::Enter | Op::Leave | Op::Jump => {}
            Op::Undef => {
                sink.unreachable();
            }
            Op::Push => {
                sink.i32_const(0);
            }
            Op::Pop => {
                sink.drop();
            }
            Op::Const | Op::Local => self.constant_or_local(at, sink),
            Op::Call => self.call(at, sink),
            Op::Load1 | Op::Load2 | Op::Load4 => self.load(at, end, sink),
            Op::Store1 | Op::Store2 | Op::Store4 | Op::Arg => self.store(at, sink),
            Op::BlockCopy => self.block_copy(at, operand as u32, sink),
            Op::Divi | Op::Divu | Op::Modi | Op::Modu => self.divide(at, sink),
            _ => simple(op, at > self.start && self.extends_its_load(at), sink),
        }
        if op.stack_effect().1 == 1 {
            let is_float = is_float_by_nature(op) || op == Op::Load4 || op == Op::Const;
            match self.wanted[self.index(at)] {
                ValueUse::Integer if is_float_by_nature(op) => {
                    sink.i32_reinterpret_f32();
                }
                ValueUse::Float if !is_float => {
                    sink.f32_reinterpret_i32();
                }
                _ => {}
            }
        }
    }

    fn constant_or_local(&self, at: u32, sink: &mut InstructionSink) {
        let Instruction { op, operand } = self.at(at);
        match (op, self.wanted[self.index(at)]) {
            (_, ValueUse::Nothing) => sink,
            (Op::Const, ValueUse::Address) => sink.i32_const(0),
            (Op::Const, ValueUse::Float) => sink.f32_const(f32::from_bits(operand as u32).into()),
            (Op::Const, _) => sink.i32_const(operand),
            (_, ValueUse::Address) => sink.local_get(STACK),
            _ => sink.local_get(STACK).i32_const(operand).i32_add(),
        };
    }

    fn call(&self, at: u32, sink: &mut InstructionSink) {
        let before = at
            .checked_sub(1)
            .filter(|before| *before >= self.start)
            .filter(|before| self.wanted[self.index(*before)] == ValueUse::Nothing);
        match before.map(|before| self.at(before).operand) {
            Some(target) if target >= 0 => {
                let function = self.image.function_at(target as u32);
                let function = function.expect("constant calls were checked") as u32;
                sink.local_get(STACK)
                    .local_get(DEPTH)
                    .i32_const(1)
                    .i32_add()
                    .call(support::FIRST_FUNCTION + function);
            }
            Some(number) => {
                sink.i32_const(!number)
                    .local_get(STACK)
                    .local_get(DEPTH)
                    .call(support::SYSCALL);
            }
            None => {
                sink.local_get(STACK)
                    .local_get(DEPTH)
                    .i32_const(at as i32)
                    .call(support::CALL_COMPUTED);
            }
        }
    }

    /// The address on the stack, masked unless it is known to lie inside.
    fn memory(&self, at: u32, op: Op) -> (MemArg, bool) {
        let direct = self.addresses[self.index(at)];
        let offset = direct.map_or(0, |producer| self.at(producer).operand as u32);
        let argument = MemArg {
            offset: u64::from(self.base) + u64::from(offset),
            align: width(op).trailing_zeros(),
            memory_index: 0,
        };
        (argument, direct.is_none())
    }

    fn mask(&self, sink: &mut InstructionSink) {
        sink.i32_const(self.image.memory.mask() as i32).i32_and();
    }

    fn load(&self, at: u32, end: u32, sink: &mut InstructionSink) {
        let op = self.at(at).op;
        let (memory, needs_mask) = self.memory(at, op);
        if needs_mask {
            self.mask(sink);
        }
        let is_extended = at + 1 < end && self.extends_its_load(at + 1);
        match op {
            Op::Load1 if is_extended => sink.i32_load8_s(memory),
            Op::Load1 => sink.i32_load8_u(memory),
            Op::Load2 if is_extended => sink.i32_load16_s(memory),
            Op::Load2 => sink.i32_load16_u(memory),
            _ if self.is_float(at) => sink.f32_load(memory),
            _ => sink.i32_load(memory),
        };
    }

    /// A sign extension right behind the load that it belongs to.
    fn extends_its_load(&self, at: u32) -> bool {
        matches!(
            (self.at(at - 1).op, self.at(at).op),
            (Op::Load1, Op::Sex8) | (Op::Load2, Op::Sex16)
        )
    }

    fn store(&self, at: u32, sink: &mut InstructionSink) {
        let Instruction { op, operand } = self.at(at);
        let is_float = self.values[self.index(at)].is_some_and(|value| self.is_float(value));
        if op == Op::Arg {
            let value = if is_float { FLOAT } else { SCRATCH };
            sink.local_set(value).local_get(STACK).local_get(value);
            let memory = MemArg {
                offset: u64::from(self.base) + operand as u64,
                align: 2,
                memory_index: 0,
            };
            match is_float {
                true => sink.f32_store(memory),
                false => sink.i32_store(memory),
            };
            return;
        }
        let (memory, needs_mask) = self.memory(at, op);
        if needs_mask {
            let value = if is_float { FLOAT } else { SCRATCH };
            sink.local_set(value);
            self.mask(sink);
            sink.local_get(value);
        }
        match op {
            Op::Store1 => sink.i32_store8(memory),
            Op::Store2 => sink.i32_store16(memory),
            _ if is_float => sink.f32_store(memory),
            _ => sink.i32_store(memory),
        };
    }

    fn block_copy(&self, at: u32, bytes: u32, sink: &mut InstructionSink) {
        if let Some(cost) = budget::copy_cost(bytes) {
            charge(sink, cost, at);
        }
        if bytes > MAX_INLINE_COPY || !bytes.is_multiple_of(4) {
            sink.i32_const(bytes as i32).call(support::BLOCK_COPY);
            return;
        }
        self.mask(sink);
        sink.local_set(SCRATCH_2);
        self.mask(sink);
        sink.local_set(SCRATCH);
        let piece = |index: u32| MemArg {
            offset: u64::from(self.base) + 8 * u64::from(index),
            align: 2,
            memory_index: 0,
        };
        // All is loaded before anything is stored, for the two may overlap.
        for index in 0..bytes.div_ceil(8) {
            sink.local_get(SCRATCH_2);
            match bytes - 8 * index {
                4 => sink.i64_load32_u(piece(index)),
                _ => sink.i64_load(piece(index)),
            };
            sink.local_set(WIDE + index);
        }
        for index in 0..bytes.div_ceil(8) {
            sink.local_get(SCRATCH).local_get(WIDE + index);
            match bytes - 8 * index {
                4 => sink.i64_store32(piece(index)),
                _ => sink.i64_store(piece(index)),
            };
        }
    }

    fn divide(&self, at: u32, sink: &mut InstructionSink) {
        let op = self.at(at).op;
        // Most divisors are constants that cannot fail.
        let is_safe = at > self.start
            && self.at(at - 1).op == Op::Const
            && !matches!(self.at(at - 1).operand, 0 | -1);
        match (op, is_safe) {
            (Op::Divi, true) => sink.i32_div_s(),
            (Op::Divu, true) => sink.i32_div_u(),
            (Op::Modi, true) => sink.i32_rem_s(),
            (Op::Modu, true) => sink.i32_rem_u(),
            (Op::Divi, _) => sink.i32_const(at as i32).call(support::DIVI),
            (Op::Divu, _) => sink.i32_const(at as i32).call(support::DIVU),
            (Op::Modi, _) => sink.i32_const(at as i32).call(support::MODI),
            _ => sink.i32_const(at as i32).call(support::MODU),
        };
    }
}

fn is_float_by_nature(op: Op) -> bool {
    matches!(
        op,
        Op::Addf | Op::Subf | Op::Mulf | Op::Divf | Op::Negf | Op::Cvif
    )
}

/// Instructions that WebAssembly has too, or nearly.
fn simple(op: Op, is_extended: bool, sink: &mut InstructionSink) {
    match op {
        Op::Sex8 | Op::Sex16 if is_extended => sink,
        Op::Sex8 => sink.i32_extend8_s(),
        Op::Sex16 => sink.i32_extend16_s(),
        Op::Negi => sink.i32_const(-1).i32_mul(),
        Op::Bcom => sink.i32_const(-1).i32_xor(),
        Op::Add => sink.i32_add(),
        Op::Sub => sink.i32_sub(),
        Op::Muli | Op::Mulu => sink.i32_mul(),
        Op::Band => sink.i32_and(),
        Op::Bor => sink.i32_or(),
        Op::Bxor => sink.i32_xor(),
        Op::Lsh => sink.i32_shl(),
        Op::Rshi => sink.i32_shr_s(),
        Op::Rshu => sink.i32_shr_u(),
        Op::Negf => sink.f32_neg(),
        Op::Addf => sink.f32_add(),
        Op::Subf => sink.f32_sub(),
        Op::Divf => sink.f32_div(),
        Op::Mulf => sink.f32_mul(),
        Op::Cvif => sink.f32_convert_i32_s(),
        Op::Cvfi => truncate(sink),
        Op::Eq => sink.i32_eq(),
        Op::Ne => sink.i32_ne(),
        Op::Lti => sink.i32_lt_s(),
        Op::Lei => sink.i32_le_s(),
        Op::Gti => sink.i32_gt_s(),
        Op::Gei => sink.i32_ge_s(),
        Op::Ltu => sink.i32_lt_u(),
        Op::Leu => sink.i32_le_u(),
        Op::Gtu => sink.i32_gt_u(),
        Op::Geu => sink.i32_ge_u(),
        Op::Eqf => sink.f32_eq(),
        Op::Nef => sink.f32_ne(),
        Op::Ltf => sink.f32_lt(),
        Op::Lef => sink.f32_le(),
        Op::Gtf => sink.f32_gt(),
        Op::Gef => sink.f32_ge(),
        _ => unreachable!("{op:?} has an arm of its own"),
    };
}

/// What does not fit becomes the smallest integer, as on x86.
fn truncate<'a, 'b>(sink: &'a mut InstructionSink<'b>) -> &'a mut InstructionSink<'b> {
    sink.local_tee(FLOAT)
        .f32_abs()
        .f32_const(2_147_483_648.0.into())
        .f32_lt()
        .if_(BlockType::Result(ValType::I32))
        .local_get(FLOAT)
        .i32_trunc_f32_s()
        .else_()
        .i32_const(i32::MIN)
        .end()
}
