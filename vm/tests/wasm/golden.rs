//! The golden checks as a WASM module, whose engine also runs what it translates; `run.mjs` lends it that engine.
//!
//! So a page does it too: the module's memory is a part of the page's own, and its system calls reach Rust directly.
#![expect(
    unsafe_code,
    reason = "imports, and exports under their own names, are only possible with unsafe"
)]

#[path = "../golden/mod.rs"]
mod golden;
#[path = "../mutations/mod.rs"]
mod mutations;

use golden::{CHECKS, Stub};
use mutations::{Corpus, Tally};
use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};
use vm::{
    BYTES_PER_UNIT, CallState, DEFAULT_BUDGET, Host, Image, Machine, Memory, Syscall, Trap,
    translate,
};

#[link(wasm_import_module = "engine")]
unsafe extern "C" {
    /// Compiles and instantiates; gives the instance's number.
    fn start(wasm: *const u8, length: usize) -> u32;
    fn stop(instance: u32);
    /// 1 if the call came to its end, with `last_result`; 0 if something was thrown.
    fn vm_main(instance: u32, stack: u32) -> u32;
    fn last_result() -> i32;
    fn budget(instance: u32) -> i32;
    fn set_budget(instance: u32, units: i32);
}

thread_local! {
    /// Whose call is running.
    static RUNNING: Cell<*mut PageModule> = const { Cell::new(std::ptr::null_mut()) };
    /// Why the running call is being ended.
    static TRAP: RefCell<Option<Trap>> = const { RefCell::new(None) };
    static REPORT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A translated module in this engine.
struct PageModule {
    image: Arc<Image>,
    memory: Vec<u8>,
    host: Stub,
    calls: CallState,
    instance: u32,
    budget_per_call: i32,
}

/// Files that are checked, and random modules that are compared with the interpreter.
const FILES: u64 = 100;
const COMPARED: u64 = 20;

impl PageModule {
    fn load(image: &Arc<Image>, host: Stub, budget_per_call: i32) -> Self {
        let mut memory = vec![0; image.memory_layout().reserved_bytes() as usize];
        memory[..image.initial_memory().len()].copy_from_slice(image.initial_memory());
        let wasm = translate(image, memory.as_ptr() as u32).expect("it has a translation");
        Self {
            image: Arc::clone(image),
            memory,
            host,
            calls: CallState::new(image),
            budget_per_call,
            // SAFETY: the engine only reads these bytes, and only now.
            instance: unsafe { start(wasm.as_ptr(), wasm.len()) },
        }
    }
}

impl Drop for PageModule {
    fn drop(&mut self) {
        // SAFETY: the engine forgets the instance; nobody calls it again.
        unsafe { stop(self.instance) }
    }
}

impl Machine<Stub> for PageModule {
    fn memory(&mut self) -> Memory<'_> {
        self.parts().1
    }

    fn parts(&mut self) -> (&mut Stub, Memory<'_>) {
        let memory = Memory::new(&mut self.memory, self.image.memory_layout());
        (&mut self.host, memory.expect("it was made large enough"))
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        let image = Arc::clone(&self.image);
        let mut calls = self.calls;
        let is_outermost = calls.is_idle();
        let frame = calls.begin(&image, &mut self.memory(), arguments)?;
        self.calls = calls;
        let instance = self.instance;
        let before = RUNNING.replace(self);
        // SAFETY: until it returns, `self` is reached through RUNNING only, by system calls, one inside the other.
        let has_ended = unsafe {
            if is_outermost {
                set_budget(instance, self.budget_per_call);
            }
            vm_main(instance, frame)
        };
        RUNNING.set(before);
        self.calls.end(frame);
        if has_ended == 1 {
            // SAFETY: it has no preconditions.
            return Ok(unsafe { last_result() });
        }
        let trap = TRAP.take();
        Err(trap.unwrap_or_else(|| Trap::Engine("the engine has thrown".to_owned())))
    }

    fn charge_bytes(&mut self, bytes: u32) -> Result<(), Trap> {
        // SAFETY: the instance exists as long as this.
        let left = unsafe { budget(self.instance) } - (bytes / BYTES_PER_UNIT) as i32;
        // SAFETY: the same.
        unsafe { set_budget(self.instance, left) };
        match left {
            0.. => Ok(()),
            _ => Err(Trap::from_fail(&self.image, 0, 0, 0)),
        }
    }
}

/// The module's import; when it has failed, `has_failed` says so and the engine throws.
#[unsafe(no_mangle)]
pub extern "C" fn syscall(number: i32, stack: u32) -> i32 {
    // SAFETY: system calls come only while a call runs, whose module waits for its end.
    let machine = unsafe { &mut *RUNNING.get() };
    machine.calls.enter_syscall(stack);
    let call = Syscall::read(number, stack, &machine.memory());
    Stub::syscall(machine, &call).unwrap_or_else(|trap| {
        TRAP.set(Some(trap));
        0
    })
}

/// The module's other import, after which the engine throws.
#[unsafe(no_mangle)]
pub extern "C" fn fail(fault: i32, instruction: i32, value: i32) {
    // SAFETY: as for system calls.
    let machine = unsafe { &mut *RUNNING.get() };
    let trap = Trap::from_fail(&machine.image, fault, instruction, value);
    TRAP.set(Some(trap));
}

#[unsafe(no_mangle)]
pub extern "C" fn has_failed() -> u32 {
    TRAP.with_borrow(|trap| u32::from(trap.is_some()))
}

#[unsafe(no_mangle)]
pub extern "C" fn check_count() -> usize {
    CHECKS.len() + 1
}

/// Compares; the answer is 1 if all agree.
#[unsafe(no_mangle)]
pub extern "C" fn check(number: usize) -> u32 {
    let Some((name, check)) = CHECKS.get(number) else {
        random_modules();
        return 1;
    };
    let outcome = check(&|image, host| Box::new(PageModule::load(image, host, DEFAULT_BUDGET)));
    let agrees = matches!(outcome, Ok(compared) if compared > 0);
    REPORT.set(match outcome {
        Ok(compared) => format!("{name}: {compared} results agree"),
        Err(different) => format!("{name}:\n{different}"),
    });
    u32::from(agrees)
}

/// A difference is a panic, which the engine reports.
fn random_modules() {
    let corpus = Corpus::new(false);
    let mut tally = Tally::default();
    for number in 0..FILES {
        mutations::check(number, &corpus, &mut tally);
    }
    for number in 0..COMPARED {
        mutations::compare(number, &|image, host| {
            Box::new(PageModule::load(image, host, mutations::BUDGET))
        });
    }
    REPORT.set(format!("random modules: {COMPARED} run alike, {tally:?}"));
}

/// Makes panics readable.
#[unsafe(no_mangle)]
pub extern "C" fn prepare() {
    std::panic::set_hook(Box::new(|panic| REPORT.set(panic.to_string())));
}

#[unsafe(no_mangle)]
pub extern "C" fn report() -> *const u8 {
    REPORT.with_borrow(|report| report.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn report_length() -> usize {
    REPORT.with_borrow(|report| report.len())
}
