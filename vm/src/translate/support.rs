//! The functions that every translation has beside the module's own, and how to reach them.

use crate::{error::Fault, image::Image};
use wasm_encoder::{BlockType, CodeSection, Function, InstructionSink, ValType};

const TYPE_1_TO_1: u32 = 0;
pub(super) const TYPE_2_TO_1: u32 = 1;
pub(super) const TYPE_3_TO_1: u32 = 2;
const TYPE_4_TO_1: u32 = 3;
pub(super) const TYPE_3_TO_0: u32 = 4;

/// The imported functions.
pub(super) const SYSCALL: u32 = 0;
const FAIL: u32 = 1;
/// `(target, stack, depth, at) -> i32`: calls a function by its instruction, or the host.
pub(super) const CALL_COMPUTED: u32 = 2;
/// `(instruction) -> i32`: the number of the function that begins there, or -1.
const FUNCTION_AT: u32 = 3;
/// `(a, b, at) -> i32`, failing where there is no result.
pub(super) const DIVI: u32 = 4;
pub(super) const DIVU: u32 = 5;
pub(super) const MODI: u32 = 6;
pub(super) const MODU: u32 = 7;
/// `(to, from, bytes)`
pub(super) const BLOCK_COPY: u32 = 8;
/// The module's own.
pub(super) const FIRST_FUNCTION: u32 = 9;

/// The types of those that are not imported.
pub(super) const TYPES: [u32; 7] = [
    TYPE_4_TO_1,
    TYPE_1_TO_1,
    TYPE_3_TO_1,
    TYPE_3_TO_1,
    TYPE_3_TO_1,
    TYPE_3_TO_1,
    TYPE_3_TO_0,
];

/// The global that counts down.
pub(super) const BUDGET: u32 = 0;

/// The bodies of these functions, in the order of their numbers.
pub(super) fn code(image: &Image, base: u32, code: &mut CodeSection) {
    code.function(&call_computed());
    code.function(&function_at(image));
    for op in [DIVI, DIVU, MODI, MODU] {
        code.function(&division(op));
    }
    code.function(&block_copy(image, base));
}

/// Ends the call; `value` is the local that explains it.
pub(super) fn fail(sink: &mut InstructionSink, fault: Fault, at: u32, value: Option<u32>) {
    sink.i32_const(fault as i32).i32_const(at as i32);
    match value {
        Some(local) => sink.local_get(local),
        None => sink.i32_const(0),
    };
    sink.call(FAIL).unreachable();
}

fn call_computed() -> Function {
    let (target, stack, depth, at) = (0, 1, 2, 3);
    let mut function = Function::new([(1, ValType::I32)]);
    let number = 4;
    function
        .instructions()
        .local_get(target)
        .i32_const(0)
        .i32_lt_s()
        .if_(BlockType::Empty)
        // The complement of a negative target is the number of a system call.
        .local_get(target)
        .i32_const(-1)
        .i32_xor()
        .local_get(stack)
        .local_get(depth)
        .call(SYSCALL)
        .return_()
        .end()
        .local_get(target)
        .call(FUNCTION_AT)
        .local_tee(number)
        .i32_const(0)
        .i32_lt_s()
        .if_(BlockType::Empty)
        .i32_const(Fault::CallTarget as i32)
        .local_get(at)
        .local_get(target)
        .call(FAIL)
        .unreachable()
        .end()
        .local_get(stack)
        .local_get(depth)
        .i32_const(1)
        .i32_add()
        .local_get(number)
        .call_indirect(0, TYPE_2_TO_1)
        .end();
    function
}

/// A binary search, written out.
fn function_at(image: &Image) -> Function {
    enum Task {
        Search(usize, usize),
        Else(usize, usize),
        End,
    }
    let mut function = Function::new([]);
    let mut sink = function.instructions();
    let mut tasks = vec![Task::Search(0, image.functions.len())];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Search(from, to) if to - from == 1 => {
                sink.i32_const(from as i32)
                    .i32_const(-1)
                    .local_get(0)
                    .i32_const(image.functions[from].start as i32)
                    .i32_eq()
                    .select();
            }
            Task::Search(from, to) => {
                let middle = from.midpoint(to);
                sink.local_get(0)
                    .i32_const(image.functions[middle].start as i32)
                    .i32_lt_u()
                    .if_(BlockType::Result(ValType::I32));
                tasks.push(Task::Else(middle, to));
                tasks.push(Task::Search(from, middle));
            }
            Task::Else(from, to) => {
                sink.else_();
                tasks.push(Task::End);
                tasks.push(Task::Search(from, to));
            }
            Task::End => {
                sink.end();
            }
        }
    }
    sink.end();
    function
}

fn division(op: u32) -> Function {
    let (a, b, at) = (0, 1, 2);
    let mut function = Function::new([]);
    let mut sink = function.instructions();
    sink.local_get(b).i32_eqz();
    if op == DIVI {
        sink.local_get(a)
            .i32_const(i32::MIN)
            .i32_eq()
            .local_get(b)
            .i32_const(-1)
            .i32_eq()
            .i32_and()
            .i32_or();
    }
    sink.if_(BlockType::Empty)
        .i32_const(Fault::Division as i32)
        .local_get(at)
        .local_get(a)
        .call(FAIL)
        .unreachable()
        .end()
        .local_get(a)
        .local_get(b);
    match op {
        DIVI => sink.i32_div_s(),
        DIVU => sink.i32_div_u(),
        MODI => sink.i32_rem_s(),
        _ => sink.i32_rem_u(),
    };
    sink.end();
    function
}

/// Both addresses are masked, and the copy ends at the end of the memory.
fn block_copy(image: &Image, base: u32) -> Function {
    let (to, from, bytes) = (0, 1, 2);
    let size = image.memory.size as i32;
    let mut function = Function::new([(1, ValType::I32)]);
    let room = 3;
    let mut sink = function.instructions();
    for address in [to, from] {
        sink.local_get(address)
            .i32_const(size - 1)
            .i32_and()
            .local_set(address)
            .i32_const(size)
            .local_get(address)
            .i32_sub()
            .local_tee(room)
            .local_get(bytes)
            .local_get(room)
            .local_get(bytes)
            .i32_lt_u()
            .select()
            .local_set(bytes);
    }
    for address in [to, from] {
        sink.local_get(address).i32_const(base as i32).i32_add();
    }
    sink.local_get(bytes).memory_copy(0, 0).end();
    function
}
