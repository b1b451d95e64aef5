//! What code costs of a call's budget, so that no loop and no recursion runs for ever.
//!
//! Interpreter and translation charge alike: at the start of each function, at each jump that may go backward, and
//! for block copies. Between two charges the code runs forward only, so a unit stands for about 16 instructions.

/// What a call may cost unless its caller says otherwise: some seconds of work, many thousand times what a frame takes.
pub const DEFAULT_BUDGET: i32 = 1 << 30;

const INSTRUCTIONS_PER_UNIT: u32 = 16;

/// Bytes that the host or a block copy moves for one unit.
pub const BYTES_PER_UNIT: u32 = 1024;

/// For starting a function of so many instructions.
pub(crate) fn function_cost(length: u32) -> i32 {
    1 + (length / INSTRUCTIONS_PER_UNIT) as i32
}

/// For a jump to `target`, if that is backward.
pub(crate) fn jump_cost(at: u32, target: u32) -> Option<i32> {
    (target <= at).then(|| function_cost(at - target))
}

/// For a jump to a computed target in a function that begins at `start`: it may be the whole way back.
pub(crate) fn computed_jump_cost(at: u32, start: u32) -> i32 {
    function_cost(at - start)
}

/// For copying so many bytes; small copies are instructions like any other.
pub(crate) fn copy_cost(bytes: u32) -> Option<i32> {
    (bytes >= BYTES_PER_UNIT).then_some((bytes / BYTES_PER_UNIT) as i32)
}
