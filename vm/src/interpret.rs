//! Runs an image one instruction after the other: slow, simple, and what translations are compared with.

use crate::{
    budget::{self, BYTES_PER_UNIT},
    code::{Instruction, Op},
    error::{Fault, Trap},
    host::{CallState, Host, Machine, Syscall},
    image::Image,
    memory::Memory,
};
use std::sync::Arc;

/// A module that is interpreted.
#[derive(Debug)]
pub struct Interpreter<H> {
    image: Arc<Image>,
    memory: Vec<u8>,
    host: H,
    calls: CallState,
    budget: i32,
    budget_per_call: i32,
    /// Instructions executed so far.
    executed: u64,
}

/// Where one call of `vm_main` stands.
struct Run {
    at: usize,
    /// The program stack pointer.
    stack: u32,
    operands: Vec<u32>,
    /// Where the functions that are not finished go on.
    returns: Vec<usize>,
}

impl<H: Host> Interpreter<H> {
    /// With fresh memory.
    pub fn new(image: Arc<Image>, host: H, budget_per_call: i32) -> Self {
        let calls = CallState::new(&image);
        let mut memory = vec![0; image.memory.reserved_bytes() as usize];
        memory[..image.data.len()].copy_from_slice(&image.data);
        Self {
            image,
            memory,
            host,
            calls,
            budget: 0,
            budget_per_call,
            executed: 0,
        }
    }

    /// How many instructions all calls have executed.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    fn charge(&mut self, cost: i32, at: usize) -> Result<(), Trap> {
        self.budget -= cost;
        if self.budget < 0 {
            return Err(self.fault(Fault::Budget, at, 0));
        }
        Ok(())
    }

    fn fault(&self, fault: Fault, at: usize, value: u32) -> Trap {
        Trap::fault(&self.image, fault, at as u32, value as i32)
    }

    fn run(&mut self, frame: u32) -> Result<i32, Trap> {
        let mut run = Run {
            at: 0,
            stack: frame,
            operands: Vec::new(),
            returns: Vec::new(),
        };
        loop {
            let at = run.at;
            let instruction = self.image.instructions[at];
            self.executed += 1;
            run.at += 1;
            match instruction.op {
                Op::Enter => self.enter(&mut run, at, instruction.operand)?,
                Op::Leave => {
                    run.stack += instruction.operand as u32;
                    match run.returns.pop() {
                        Some(back) => run.at = back,
                        None => return Ok(run.pop() as i32),
                    }
                }
                Op::Call => self.call_instruction(&mut run, at)?,
                Op::Jump => self.jump(&mut run, at)?,
                op if op.is_branch() => {
                    let (a, b) = run.pop_two();
                    if compare(op, a, b) {
                        self.go(&mut run, at, instruction.operand as usize)?;
                    }
                }
                Op::BlockCopy => self.block_copy(&mut run, at, instruction.operand as u32)?,
                Op::Divi | Op::Divu | Op::Modi | Op::Modu => {
                    let (a, b) = run.pop_two();
                    let result = divide(instruction.op, a, b);
                    run.push(result.ok_or_else(|| self.fault(Fault::Division, at, a))?);
                }
                _ => self.plain(&mut run, instruction),
            }
        }
    }

    fn enter(&mut self, run: &mut Run, at: usize, frame: i32) -> Result<(), Trap> {
        let function = self.image.function_at(at as u32).unwrap_or(0);
        let function = self.image.functions[function];
        self.charge(budget::function_cost(function.end - function.start), at)?;
        let lowest = self.image.memory.lowest_stack as i32;
        let stack = run.stack as i32 - frame;
        if stack < lowest {
            return Err(self.fault(Fault::Stack, at, 0));
        }
        run.stack = stack as u32;
        Ok(())
    }

    fn call_instruction(&mut self, run: &mut Run, at: usize) -> Result<(), Trap> {
        let target = run.pop();
        if (target as i32) < 0 {
            self.calls.enter_syscall(run.stack);
            let number = !target as i32;
            let call = Syscall::read(number, run.stack, &self.memory());
            run.push(H::syscall(self, &call)? as u32);
            return Ok(());
        }
        if self.image.function_at(target).is_none() {
            return Err(self.fault(Fault::CallTarget, at, target));
        }
        run.returns.push(run.at);
        run.at = target as usize;
        Ok(())
    }

    fn jump(&mut self, run: &mut Run, at: usize) -> Result<(), Trap> {
        let target = run.pop();
        if crate::validate::constant_jump(&self.image.instructions, at).is_some() {
            return self.go(run, at, target as usize);
        }
        let function = self.image.function_of(at as u32).unwrap_or(0);
        let function = self.image.functions[function];
        self.charge(budget::computed_jump_cost(at as u32, function.start), at)?;
        let targets = self.image.jumps.of(at as u32);
        if !targets.allows(&self.image, function, target) {
            return Err(self.fault(Fault::JumpTarget, at, target));
        }
        run.at = target as usize;
        Ok(())
    }

    fn go(&mut self, run: &mut Run, at: usize, target: usize) -> Result<(), Trap> {
        if let Some(cost) = budget::jump_cost(at as u32, target as u32) {
            self.charge(cost, at)?;
        }
        run.at = target;
        Ok(())
    }

    fn block_copy(&mut self, run: &mut Run, at: usize, bytes: u32) -> Result<(), Trap> {
        if let Some(cost) = budget::copy_cost(bytes) {
            self.charge(cost, at)?;
        }
        let (to, from) = run.pop_two();
        let layout = self.image.memory;
        let (to, from) = (to & layout.mask(), from & layout.mask());
        // What the translation writes out as single moves may reach into the guard; longer copies end before it.
        let is_small = bytes <= 32 && bytes.is_multiple_of(4);
        let bytes = match is_small {
            true => bytes,
            false => bytes.min(layout.size - to).min(layout.size - from),
        };
        let source = from as usize..(from + bytes) as usize;
        self.memory.copy_within(source, to as usize);
        Ok(())
    }

    /// Instructions that neither jump nor fail.
    fn plain(&mut self, run: &mut Run, Instruction { op, operand }: Instruction) {
        match op {
            Op::Push => run.push(0),
            Op::Pop => drop(run.pop()),
            Op::Const => run.push(operand as u32),
            Op::Local => run.push(run.stack.wrapping_add(operand as u32)),
            Op::Load1 => {
                let [byte] = self.load(run.pop());
                run.push(byte.into());
            }
            Op::Load2 => {
                let value = u16::from_le_bytes(self.load(run.pop()));
                run.push(value.into());
            }
            Op::Load4 => {
                let value = u32::from_le_bytes(self.load(run.pop()));
                run.push(value);
            }
            Op::Store1 => {
                let (address, value) = run.pop_two();
                self.store(address, [value as u8]);
            }
            Op::Store2 => {
                let (address, value) = run.pop_two();
                self.store(address, (value as u16).to_le_bytes());
            }
            Op::Store4 => {
                let (address, value) = run.pop_two();
                self.store(address, value.to_le_bytes());
            }
            Op::Arg => {
                let value = run.pop();
                self.store(run.stack + operand as u32, value.to_le_bytes());
            }
            _ if op.stack_effect() == (1, 1) => {
                let value = run.pop();
                run.push(unary(op, value));
            }
            _ if op.stack_effect() == (2, 1) => {
                let (a, b) = run.pop_two();
                run.push(binary(op, a, b));
            }
            _ => {}
        }
    }

    fn load<const N: usize>(&self, address: u32) -> [u8; N] {
        let start = (address & self.image.memory.mask()) as usize;
        let mut value = [0; N];
        value.copy_from_slice(&self.memory[start..start + N]);
        value
    }

    fn store<const N: usize>(&mut self, address: u32, value: [u8; N]) {
        let start = (address & self.image.memory.mask()) as usize;
        self.memory[start..start + N].copy_from_slice(&value);
    }
}

impl Run {
    fn push(&mut self, value: u32) {
        self.operands.push(value);
    }

    fn pop(&mut self) -> u32 {
        self.operands
            .pop()
            .expect("every function's use of the operand stack was checked")
    }

    fn pop_two(&mut self) -> (u32, u32) {
        let b = self.pop();
        (self.pop(), b)
    }
}

fn compare(op: Op, a: u32, b: u32) -> bool {
    let (ia, ib) = (a as i32, b as i32);
    let (fa, fb) = (f32::from_bits(a), f32::from_bits(b));
    match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lti => ia < ib,
        Op::Lei => ia <= ib,
        Op::Gti => ia > ib,
        Op::Gei => ia >= ib,
        Op::Ltu => a < b,
        Op::Leu => a <= b,
        Op::Gtu => a > b,
        Op::Geu => a >= b,
        Op::Eqf => fa == fb,
        Op::Nef => fa != fb,
        Op::Ltf => fa < fb,
        Op::Lef => fa <= fb,
        Op::Gtf => fa > fb,
        _ => fa >= fb,
    }
}

fn divide(op: Op, a: u32, b: u32) -> Option<u32> {
    let (ia, ib) = (a as i32, b as i32);
    match op {
        Op::Divi => ia.checked_div(ib).map(|result| result as u32),
        Op::Divu => a.checked_div(b),
        Op::Modi if b == 0 => None,
        Op::Modi => Some(ia.wrapping_rem(ib) as u32),
        _ => a.checked_rem(b),
    }
}

fn unary(op: Op, a: u32) -> u32 {
    match op {
        Op::Sex8 => a as i8 as u32,
        Op::Sex16 => a as i16 as u32,
        Op::Negi => a.wrapping_neg(),
        Op::Bcom => !a,
        Op::Negf => a ^ 0x8000_0000,
        Op::Cvif => (a as i32 as f32).to_bits(),
        _ => {
            let value = f32::from_bits(a);
            match value.abs() < 2_147_483_648.0 {
                true => value as i32 as u32,
                false => i32::MIN as u32,
            }
        }
    }
}

fn binary(op: Op, a: u32, b: u32) -> u32 {
    let float =
        |operation: fn(f32, f32) -> f32| operation(f32::from_bits(a), f32::from_bits(b)).to_bits();
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Muli | Op::Mulu => a.wrapping_mul(b),
        Op::Band => a & b,
        Op::Bor => a | b,
        Op::Bxor => a ^ b,
        Op::Lsh => a.wrapping_shl(b),
        Op::Rshi => (a as i32).wrapping_shr(b) as u32,
        Op::Rshu => a.wrapping_shr(b),
        Op::Addf => float(|a, b| a + b),
        Op::Subf => float(|a, b| a - b),
        Op::Divf => float(|a, b| a / b),
        _ => float(|a, b| a * b),
    }
}

impl<H: Host> Machine<H> for Interpreter<H> {
    fn memory(&mut self) -> Memory<'_> {
        self.parts().1
    }

    fn parts(&mut self) -> (&mut H, Memory<'_>) {
        let memory = Memory::new(&mut self.memory, self.image.memory);
        (&mut self.host, memory.expect("it was made large enough"))
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        if self.calls.is_idle() {
            self.budget = self.budget_per_call;
        }
        let mut calls = self.calls;
        let image = Arc::clone(&self.image);
        let frame = calls.begin(&image, &mut self.memory(), arguments)?;
        self.calls = calls;
        let result = self.run(frame);
        self.calls.end(frame);
        result
    }

    fn charge_bytes(&mut self, bytes: u32) -> Result<(), Trap> {
        self.budget -= (bytes / BYTES_PER_UNIT) as i32;
        if self.budget < 0 {
            return Err(self.fault(Fault::Budget, 0, 0));
        }
        Ok(())
    }
}
