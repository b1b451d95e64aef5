//! What a module runs in: its host, the calls between them, and how calls nest.

use crate::{
    error::{Fault, Trap},
    image::Image,
    memory::Memory,
};

/// The words that a call of `vm_main` takes: a command and twelve arguments.
pub const MAX_ARGUMENTS: usize = 13;

/// So many calls may be inside one another; the deepest in real modules is 2.
pub const MAX_NESTING: u32 = 64;

/// Two words for the callee's bookkeeping, then the arguments.
const FRAME_BYTES: u32 = 8 + 4 * MAX_ARGUMENTS as u32;

/// The arguments that a system call may have.
const MAX_SYSCALL_ARGUMENTS: usize = 16;

/// Answers a module's system calls.
///
/// The host lives inside the machine, as with wasmtime. A call gets the machine, not the host, so that it may call
/// the module again: what it holds of host or memory ends before that, which the compiler checks.
pub trait Host: Sized {
    /// Does what system call `number` asks; its result goes to the module.
    ///
    /// # Errors
    /// Ends the module's call, and all calls around it.
    fn syscall(machine: &mut dyn Machine<Self>, call: &Syscall) -> Result<i32, Trap>;

    /// Answers a call that needs nothing else of its machine; nothing where it does, and [`Self::syscall`] is asked.
    /// Modules make thousands of small calls in a frame, and finding the memory is a good part of each.
    fn answer(&mut self, _call: &Syscall, _memory: &mut Memory<'_>) -> Option<Result<i32, Trap>> {
        None
    }
}

/// One module with its memory and its host, however it is run.
pub trait Machine<H> {
    fn host(&mut self) -> &mut H {
        self.parts().0
    }

    fn memory(&mut self) -> Memory<'_>;

    /// Both at once, to read from one into the other.
    fn parts(&mut self) -> (&mut H, Memory<'_>);

    /// Calls the module's one entry with a command and its arguments; those that are missing are 0. Inside a system
    /// call this is a nested call: it uses the stack below the running one and the rest of its budget.
    ///
    /// # Errors
    /// Where the module or its host fails. The module's variables are then as it left them in the middle of its
    /// work: drop the machine, unless the module is known to bear it.
    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap>;

    /// Takes from the budget what it costs to move so many bytes, so that a module cannot make its host work for ever.
    ///
    /// # Errors
    /// If the budget ends.
    fn charge_bytes(&mut self, bytes: u32) -> Result<(), Trap>;
}

/// One system call with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Syscall {
    pub number: u32,
    arguments: [i32; MAX_SYSCALL_ARGUMENTS],
}

impl Syscall {
    /// Reads the arguments from the frame of the function that makes the call.
    pub fn read(number: i32, stack: u32, memory: &Memory) -> Self {
        let bytes = memory.read::<{ 4 * MAX_SYSCALL_ARGUMENTS }>(stack.wrapping_add(8));
        let (words, _) = bytes.as_chunks::<4>();
        let mut arguments = [0; MAX_SYSCALL_ARGUMENTS];
        for (argument, word) in arguments.iter_mut().zip(words) {
            *argument = i32::from_le_bytes(*word);
        }
        Self {
            number: number as u32,
            arguments,
        }
    }

    /// The first argument is number 0; there are 16, of which most calls use few.
    pub fn int(&self, index: usize) -> i32 {
        self.arguments.get(index).copied().unwrap_or(0)
    }

    pub fn float(&self, index: usize) -> f32 {
        f32::from_bits(self.address(index))
    }

    /// An address in the module's memory; 0 stands for none.
    pub fn address(&self, index: usize) -> u32 {
        self.int(index) as u32
    }
}

/// Where calls of one machine stand: what every way of running modules has in common.
#[derive(Clone, Copy, Debug)]
pub struct CallState {
    /// Frames of the next call lie below this.
    stack: u32,
    nesting: u32,
}

impl CallState {
    /// For a module that is not running.
    pub fn new(image: &Image) -> Self {
        Self {
            stack: image.memory_layout().size,
            nesting: 0,
        }
    }

    /// Whether no call is running: the next one gets a whole budget.
    pub fn is_idle(&self) -> bool {
        self.nesting == 0
    }

    /// Makes the frame for a call; gives its address.
    ///
    /// # Errors
    /// If there is no room for it, or calls are nested too deep.
    pub fn begin(
        &mut self,
        image: &Image,
        memory: &mut Memory,
        arguments: &[i32],
    ) -> Result<u32, Trap> {
        if self.nesting == MAX_NESTING {
            return Err(Trap::Nesting(MAX_NESTING));
        }
        let frame = self.stack - FRAME_BYTES;
        if frame < image.memory_layout().lowest_stack {
            return Err(Trap::fault(image, Fault::Stack, 0, 0));
        }
        self.nesting += 1;
        memory.write(frame, [0; FRAME_BYTES as usize]);
        for (index, argument) in arguments.iter().take(MAX_ARGUMENTS).enumerate() {
            memory.write_i32(frame + 8 + 4 * index as u32, *argument);
        }
        Ok(frame)
    }

    /// After a call, however it ended; `frame` is what [`Self::begin`] gave.
    pub fn end(&mut self, frame: u32) {
        self.nesting -= 1;
        self.stack = frame + FRAME_BYTES;
    }

    /// When a system call comes from a frame: nested calls lie below it.
    pub fn enter_syscall(&mut self, stack: u32) {
        self.stack = stack - 8;
    }
}
