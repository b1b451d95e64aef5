//! The rules that code must obey, checked in one pass: functions, operand stack, targets, constant addresses.

use crate::{
    code::{Instruction, Op},
    image::{Function, ImageError, Parts},
};

/// One function may leave so many values on the operand stack; real code never has more than 8.
pub(crate) const MAX_DEPTH: usize = 29;

/// Longer functions are refused, for what runs WebAssembly has limits too; the longest known one has some 5,000.
const MAX_FUNCTION_LENGTH: usize = 65_000;

/// A function's frame is smaller than this.
const MAX_FRAME: i32 = 65536;

/// Locals and incoming arguments lie within the frame and so many bytes above it.
const ABOVE_FRAME: i32 = 256;

/// Checks all code; gives its functions, and the number of values on the stack before each instruction.
pub(crate) fn check(
    instructions: &[Instruction],
    parts: &Parts,
) -> Result<(Vec<Function>, Vec<u8>), ImageError> {
    let functions = find_functions(instructions)?;
    let mut depths = vec![0; instructions.len()];
    for function in &functions {
        let mut check = FunctionCheck {
            instructions,
            function: *function,
            declared_bytes: parts.declared_bytes,
            stack: Vec::with_capacity(MAX_DEPTH),
            depths: &mut depths,
        };
        for at in function.start..function.end {
            check.instruction(at)?;
        }
        check.targets()?;
    }
    Ok((functions, depths))
}

fn rule(at: usize, what: &'static str) -> ImageError {
    ImageError::Rule {
        at: at as u32,
        what,
    }
}

/// A function ends at the first `LEAVE` that directly follows a `PUSH`; the next begins right after it.
fn find_functions(instructions: &[Instruction]) -> Result<Vec<Function>, ImageError> {
    let mut functions = Vec::new();
    let mut at = 0;
    while at < instructions.len() {
        let enter = instructions[at];
        if enter.op != Op::Enter {
            return Err(rule(at, "code outside of a function: ENTER expected"));
        }
        if !(0..MAX_FRAME).contains(&enter.operand) || enter.operand % 4 != 0 {
            return Err(rule(
                at,
                "ENTER takes a multiple of 4 below 65536 bytes of stack",
            ));
        }
        let body = &instructions[at..];
        let end = body
            .windows(2)
            .position(|pair| pair[0].op == Op::Push && pair[1].op == Op::Leave)
            .ok_or_else(|| rule(at, "the function does not end with PUSH, LEAVE"))?
            + 2;
        if let Some(nested) = body[1..end].iter().position(|inner| inner.op == Op::Enter) {
            return Err(rule(
                at + 1 + nested,
                "ENTER before the function before it has ended",
            ));
        }
        if end > MAX_FUNCTION_LENGTH {
            return Err(rule(at, "the function has more than 65000 instructions"));
        }
        functions.push(Function {
            start: at as u32,
            end: (at + end) as u32,
            frame: enter.operand as u32,
        });
        at += end;
    }
    Ok(functions)
}

struct FunctionCheck<'image> {
    instructions: &'image [Instruction],
    function: Function,
    declared_bytes: u32,
    /// Which instruction has pushed each value.
    stack: Vec<u32>,
    depths: &'image mut [u8],
}

impl FunctionCheck<'_> {
    fn instruction(&mut self, at: u32) -> Result<(), ImageError> {
        let instruction = self.instructions[at as usize];
        let fail = |what| Err(rule(at as usize, what));
        self.depths[at as usize] = self.stack.len() as u8;
        let (pops, pushes) = instruction.op.stack_effect();
        let Some(below) = self.stack.len().checked_sub(usize::from(pops)) else {
            return fail("too few values on the operand stack");
        };
        let operands = self.stack.split_off(below);
        if pushes == 1 {
            if below == MAX_DEPTH {
                return fail("more than 29 values on the operand stack");
            }
            self.stack.push(at);
        }
        match instruction.op {
            Op::Undef => fail("UNDEF is no instruction"),
            Op::Leave if below != 0 => fail("LEAVE needs exactly one value on the operand stack"),
            Op::Leave if instruction.operand as u32 != self.function.frame => {
                fail("LEAVE gives back another frame than ENTER has taken")
            }
            Op::Arg
                if instruction.operand < 8
                    || instruction.operand % 4 != 0
                    || instruction.operand as u32 + 4 > self.function.frame =>
            {
                fail("ARG writes outside of the argument area")
            }
            Op::Call => self.constant_call(at, operands[0]),
            Op::Jump if below != 0 && constant_jump(self.instructions, at as usize).is_none() => {
                fail("a computed JUMP needs an otherwise empty operand stack")
            }
            op if op.is_load() => self.address(at, operands[0], width(op)),
            op if op.is_store() => self.address(at, operands[0], width(op)),
            Op::BlockCopy => {
                if instruction.operand as u32 >= self.declared_bytes {
                    return fail("BLOCK_COPY of more bytes than the module has");
                }
                self.address(at, operands[0], instruction.operand as u32)?;
                self.address(at, operands[1], instruction.operand as u32)
            }
            _ => Ok(()),
        }
    }

    fn is_constant(&self, producer: u32) -> bool {
        self.instructions[producer as usize].op == Op::Const
    }

    fn constant_call(&self, at: u32, producer: u32) -> Result<(), ImageError> {
        let target = self.instructions[producer as usize].operand;
        if !self.is_constant(producer) || target < 0 {
            return Ok(());
        }
        let callee = self.instructions.get(target as usize);
        if target == 0 || callee.is_none_or(|callee| callee.op != Op::Enter) {
            return Err(rule(at as usize, "CALL of something that is no function"));
        }
        Ok(())
    }

    /// An address that was pushed as a constant or as that of a local must lie inside.
    fn address(&self, at: u32, producer: u32, bytes: u32) -> Result<(), ImageError> {
        let Instruction { op, operand } = self.instructions[producer as usize];
        match op {
            Op::Local if operand < 8 || operand >= self.function.frame as i32 + ABOVE_FRAME => {
                Err(rule(at as usize, "access to a local outside of the frame"))
            }
            Op::Const
                if operand < 0
                    || i64::from(operand) + i64::from(bytes) > i64::from(self.declared_bytes) =>
            {
                Err(rule(
                    at as usize,
                    "access to a constant address outside of the data",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Branches and constant jumps stay inside and meet the stack that they expect.
    fn targets(&self) -> Result<(), ImageError> {
        for at in self.function.start as usize..self.function.end as usize {
            let instruction = self.instructions[at];
            let before = self.depths[at];
            let (target, depth) = if instruction.op.is_branch() {
                (instruction.operand, before - 2)
            } else if let Some(target) = constant_jump(self.instructions, at) {
                if target == at as i32 - 1 {
                    return Err(rule(at, "JUMP to its own CONST"));
                }
                (target, before - 1)
            } else {
                continue;
            };
            let inside = self.function.start as i32 + 1..self.function.end as i32;
            if !inside.contains(&target) {
                return Err(rule(at, "jump out of the function"));
            }
            if constant_jump(self.instructions, target as usize).is_some() {
                return Err(rule(at, "jump between a CONST and its JUMP"));
            }
            if self.depths[target as usize] != depth {
                return Err(rule(
                    at,
                    "jump to where another number of values is expected on the operand stack",
                ));
            }
        }
        Ok(())
    }
}

/// The target of a `JUMP` that directly follows a `CONST`.
pub(crate) fn constant_jump(instructions: &[Instruction], at: usize) -> Option<i32> {
    let before = instructions[at.checked_sub(1)?];
    (instructions[at].op == Op::Jump && before.op == Op::Const).then_some(before.operand)
}

/// The bytes that a load or store touches.
pub(crate) fn width(op: Op) -> u32 {
    match op {
        Op::Load1 | Op::Store1 => 1,
        Op::Load2 | Op::Store2 => 2,
        _ => 4,
    }
}
