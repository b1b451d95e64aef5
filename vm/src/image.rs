//! A checked module: what a .qvm file holds, after every rule of the format has been applied to it.

use crate::{
    code::{self, Instruction},
    flow::{self, Jumps},
    validate,
};

/// What lies between the program stack and the end of a module's memory may be read and written by accesses that
/// start inside; so many bytes follow the memory for that.
pub const GUARD_BYTES: u32 = 65536;

/// The declared size of every program stack.
const STACK_BYTES: u32 = 65536;

/// What a stack gets beyond that at least: mods overflow their 64 KiB.
const EXTRA_STACK_BYTES: u32 = 32768;

/// A module whose code obeys every rule, so that it can be translated or interpreted without further checks.
#[derive(Clone, Debug)]
pub struct Image {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) functions: Vec<Function>,
    /// The values on the operand stack before each instruction.
    pub(crate) depths: Vec<u8>,
    pub(crate) jumps: Jumps,
    /// The initialised start of its memory.
    pub(crate) data: Vec<u8>,
    /// Data, literals and zeroes as declared, before rounding.
    pub(crate) declared_bytes: u32,
    pub(crate) memory: MemoryLayout,
}

/// From an `ENTER` up to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    pub start: u32,
    pub end: u32,
    /// The bytes that it takes from the program stack.
    pub frame: u32,
}

/// How large a module's memory is and where its program stack ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// A power of two; addresses are taken modulo this. [`GUARD_BYTES`] follow it.
    pub size: u32,
    /// The program stack begins at `size` and must not go below this.
    pub lowest_stack: u32,
}

/// Why a file is not a module that can run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    #[error("not a QVM: the file has {0} bytes, its header needs at least 32")]
    Short(usize),
    #[error("not a QVM: it begins with {0:#010x} instead of 0x12721444 or 0x12721445")]
    Magic(u32),
    #[error("the header's {field} is {value}, which does not fit a file of {file} bytes")]
    Header {
        field: &'static str,
        value: u32,
        file: usize,
    },
    #[error(
        "data, literals and zeroes have {0} bytes together; a module may have 32 KiB less than 1 GiB"
    )]
    Size(u64),
    #[error("the code ends inside instruction {at}")]
    CodeEnds { at: u32 },
    #[error("instruction {at} has the unknown opcode {opcode}")]
    BadOpcode { at: u32, opcode: u8 },
    #[error("instruction {at}: {what}")]
    Rule { at: u32, what: &'static str },
}

impl Image {
    /// Reads a whole .qvm file, of either version.
    ///
    /// # Errors
    /// Where the file breaks a rule of the format, and which.
    pub fn parse(file: &[u8]) -> Result<Self, ImageError> {
        let parts = Parts::split(file)?;
        let instructions = code::decode(parts.code, parts.instruction_count as usize)?;
        let memory = MemoryLayout::of(parts.declared_bytes);
        let (functions, depths) = validate::check(&instructions, &parts)?;
        let jumps = flow::computed_jumps(&instructions, &functions, &depths, parts.initialised);
        Ok(Self {
            instructions,
            functions,
            depths,
            jumps,
            data: parts.initialised.to_vec(),
            declared_bytes: parts.declared_bytes,
            memory,
        })
    }

    /// How much memory the module needs.
    pub fn memory_layout(&self) -> MemoryLayout {
        self.memory
    }

    /// Data, literals and zeroes as the file declares them, before rounding up.
    pub fn declared_bytes(&self) -> u32 {
        self.declared_bytes
    }

    pub fn instruction_count(&self) -> usize {
        self.instructions.len()
    }

    /// In the order of their instructions.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The most values that any of its functions has on the operand stack at once.
    pub fn deepest_operands(&self) -> u8 {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    /// The start of its memory; everything after it is zero.
    pub fn initial_memory(&self) -> &[u8] {
        &self.data
    }

    /// The function that an instruction belongs to, counted from 0 (`vmMain`).
    pub fn function_of(&self, instruction: u32) -> Option<usize> {
        let after = self
            .functions
            .partition_point(|function| function.start <= instruction);
        let found = after.checked_sub(1)?;
        (instruction < self.functions[found].end).then_some(found)
    }

    /// The function that begins at this instruction.
    pub(crate) fn function_at(&self, instruction: u32) -> Option<usize> {
        self.functions
            .binary_search_by_key(&instruction, |function| function.start)
            .ok()
    }
}

impl MemoryLayout {
    /// The rule of Quake3e: a power of two with at least 32 KiB of stack beyond what the module declares.
    fn of(declared_bytes: u32) -> Self {
        let needed = declared_bytes.max(STACK_BYTES);
        let rounded = needed.next_power_of_two();
        let (size, extra) = if rounded - needed >= EXTRA_STACK_BYTES {
            (rounded, rounded - needed)
        } else {
            (
                (needed + EXTRA_STACK_BYTES).next_power_of_two(),
                EXTRA_STACK_BYTES,
            )
        };
        Self {
            size,
            lowest_stack: size - STACK_BYTES - extra,
        }
    }

    /// What addresses are masked with.
    pub fn mask(self) -> u32 {
        self.size - 1
    }

    /// The memory with the guard bytes behind it.
    pub fn reserved_bytes(self) -> u32 {
        self.size + GUARD_BYTES
    }
}

/// The segments that the header names.
pub(crate) struct Parts<'file> {
    pub instruction_count: u32,
    pub code: &'file [u8],
    /// Data words, then literals.
    pub initialised: &'file [u8],
    pub declared_bytes: u32,
}

impl<'file> Parts<'file> {
    fn split(file: &'file [u8]) -> Result<Self, ImageError> {
        let word = |index: usize| {
            let bytes = file.get(4 * index..4 * index + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let header = |index: usize| word(index).ok_or(ImageError::Short(file.len()));
        let magic = header(0)?;
        let has_jump_list = match magic {
            0x1272_1444 => false,
            0x1272_1445 => true,
            other => return Err(ImageError::Magic(other)),
        };
        let bad = |field, value| ImageError::Header {
            field,
            value,
            file: file.len(),
        };
        let (instruction_count, code_offset, code_length) = (header(1)?, header(2)?, header(3)?);
        let (data_offset, data_length) = (header(4)?, header(5)?);
        let (lit_length, bss_length) = (header(6)?, header(7)?);
        let jump_list_length = if has_jump_list { header(8)? } else { 0 };

        if instruction_count == 0 || instruction_count > code_length {
            return Err(bad("instruction count", instruction_count));
        }
        let code = file
            .get(code_offset as usize..)
            .filter(|rest| !rest.is_empty())
            .ok_or(bad("code offset", code_offset))?;
        let (code, after_code) = code
            .split_at_checked(code_length as usize)
            .ok_or(bad("code length", code_length))?;
        if after_code.is_empty() || code_offset.checked_add(code_length) != Some(data_offset) {
            return Err(bad("data offset", data_offset));
        }
        let after_data = (after_code.len() as u64)
            .checked_sub(u64::from(data_length))
            .ok_or(bad("data length", data_length))?;
        if u64::from(lit_length) + u64::from(jump_list_length) != after_data {
            return Err(bad("literal length", lit_length));
        }
        let declared = u64::from(data_length) + u64::from(lit_length) + u64::from(bss_length);
        // The rounded memory with its guard must stay below 2 GiB.
        if declared + u64::from(EXTRA_STACK_BYTES) > 1 << 30 {
            return Err(ImageError::Size(declared));
        }
        Ok(Self {
            instruction_count,
            code,
            initialised: &after_code[..(data_length + lit_length) as usize],
            declared_bytes: declared as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryLayout;

    fn check(declared: u32, size: u32, lowest_stack: u32) {
        assert_eq!(
            MemoryLayout::of(declared),
            MemoryLayout { size, lowest_stack },
            "{declared} bytes declared"
        );
    }

    #[test]
    fn memory_is_rounded_with_room_for_a_larger_stack() {
        check(0, 131_072, 131_072 - 65536 - 32768);
        check(65536, 131_072, 131_072 - 65536 - 32768);
        check(70_000, 131_072, 131_072 - 65536 - (131_072 - 70_000));
        check(131_072 - 1000, 262_144, 262_144 - 65536 - 32768);
        check((1 << 30) - 32768, 1 << 30, (1 << 30) - 65536 - 32768);
    }
}
