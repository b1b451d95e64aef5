//! What ends a call: a fault of the module, or what the host says.

use crate::image::Image;

/// What a module can do wrong while it runs; the numbers are those that translations pass to `host.fail`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fault {
    /// It took longer than its budget allows.
    Budget = 0,
    /// The program stack is full.
    Stack = 1,
    /// A call of something that is no function.
    CallTarget = 2,
    /// A computed jump to where none of its kind may go.
    JumpTarget = 3,
    /// A division without result.
    Division = 4,
}

/// Where in the module, and what its operand was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPlace {
    pub fault: Fault,
    /// The number of the function in the order of the code.
    pub function: usize,
    /// Its first instruction, by which listings know it.
    pub function_start: u32,
    pub instruction: u32,
    /// The target, the dividend, or 0.
    pub value: i32,
}

/// Why a call did not come to its end. The module's state is then undefined; memory and host are unharmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Trap {
    #[error(
        "{} in function {} (from instruction {}) at instruction {}",
        fault_text(.0), .0.function, .0.function_start, .0.instruction
    )]
    Fault(FaultPlace),
    /// The host ended the call: its reason, in words for the player.
    #[error("{0}")]
    Host(String),
    #[error("calls into the module are nested more than {0} deep")]
    Nesting(u32),
    #[error("the module passed {length} bytes at {address:#x}, which lie outside of its memory")]
    Pointer { address: u32, length: u32 },
    /// The engine's own stack is full, or the engine has failed.
    #[error("the module cannot go on: {0}")]
    Engine(String),
}

fn fault_text(place: &FaultPlace) -> String {
    match place.fault {
        Fault::Budget => "the module runs too long: its budget ended".to_owned(),
        Fault::Stack => "the module's program stack is full".to_owned(),
        Fault::CallTarget => format!("call of {}, which is no function,", place.value),
        Fault::JumpTarget => format!("jump to {}, which is no target of it,", place.value),
        Fault::Division => format!("division of {} without a result", place.value),
    }
}

impl Fault {
    fn from_number(number: i32) -> Option<Self> {
        [
            Self::Budget,
            Self::Stack,
            Self::CallTarget,
            Self::JumpTarget,
            Self::Division,
        ]
        .into_iter()
        .find(|fault| *fault as i32 == number)
    }
}

impl Trap {
    /// What a translation has told `host.fail`.
    pub fn from_fail(image: &Image, fault: i32, instruction: i32, value: i32) -> Self {
        match Fault::from_number(fault) {
            Some(fault) => Self::fault(image, fault, instruction as u32, value),
            None => Self::Engine(format!("unknown fault {fault}")),
        }
    }

    /// What ends a call whose budget a host has used up.
    pub fn budget(image: &Image) -> Self {
        Self::fault(image, Fault::Budget, 0, 0)
    }

    pub(crate) fn fault(image: &Image, fault: Fault, instruction: u32, value: i32) -> Self {
        let function = image.function_of(instruction).unwrap_or(0);
        Self::Fault(FaultPlace {
            fault,
            function,
            function_start: image.functions()[function].start,
            instruction,
            value,
        })
    }
}
