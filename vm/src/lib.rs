//! Quake III's virtual machine: reads a .qvm file, checks it, and translates it to one WebAssembly module.
//!
//! [`Image::parse`] applies every rule of the format, so that what follows needs no further checks. [`translate`]
//! makes a WebAssembly module, for the browser's engine or any other. [`Interpreter`] runs an image directly: slow,
//! and the measure for translations. Whoever runs modules is a [`Machine`]; whoever answers them is a [`Host`].
//!
//! ```
//! use vm::{DEFAULT_BUDGET, Host, Image, Interpreter, Machine, Syscall, Trap};
//!
//! /// Keeps what the module prints.
//! struct Console(Vec<u8>);
//!
//! impl Host for Console {
//!     fn syscall(machine: &mut dyn Machine<Self>, call: &Syscall) -> Result<i32, Trap> {
//!         let (console, memory) = machine.parts();
//!         match call.number {
//!             0 => console.0.extend(memory.c_string(call.address(0), 1024)),
//!             number => return Err(Trap::Host(format!("system call {number} is unknown"))),
//!         }
//!         Ok(0)
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let file = include_bytes!("../tests/data/golden/mem.qvm");
//! let image = Image::parse(file)?;
//! let mut module = Interpreter::new(image.into(), Console(Vec::new()), DEFAULT_BUDGET);
//! // This module's command 22 is the Fibonacci number of its argument.
//! assert_eq!(module.call(&[22, 10])?, 55);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod budget;
mod code;
mod error;
mod flow;
mod host;
mod image;
mod interpret;
mod memory;
#[cfg(feature = "native")]
mod native;
mod translate;
mod validate;

pub use budget::{BYTES_PER_UNIT, DEFAULT_BUDGET};
pub use error::{Fault, FaultPlace, Trap};
pub use host::{CallState, Host, MAX_ARGUMENTS, MAX_NESTING, Machine, Syscall};
pub use image::{Function, GUARD_BYTES, Image, ImageError, MemoryLayout};
pub use interpret::Interpreter;
pub use memory::Memory;
#[cfg(feature = "native")]
pub use native::{NativeCode, NativeModule};
pub use translate::{IMPORT_MODULE, TranslateError, translate};
