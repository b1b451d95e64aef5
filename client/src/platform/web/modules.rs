//! Mods' modules as a page runs them: compiled by the browser, in a part of the page's own memory.
//!
//! A module's system calls come straight from its code into the client's, with no script between: some thousand a frame.
//! While a module runs, what belongs to it lies in a slot that they take it from and put it back into, so that there is
//! never a second reference to it. What ends a call early is thrown, and passes the module's own frames alone.

use super::host::{self, text_of};
use crate::qvm::{Engine, Host, Program};
use js_sys::{
    Function, Object, Promise, Reflect, Uint8Array,
    WebAssembly::{self, Global, Instance, Module},
};
use std::{
    cell::{Cell, RefCell},
    hint::black_box,
    rc::Rc,
    sync::Arc,
};
use vm::{
    BYTES_PER_UNIT, CallState, Host as _, IMPORT_MODULE, Image, Machine, Memory, Syscall, Trap,
};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// A module's memory in a page is smaller than this; the largest known one takes 16 MiB.
const MAX_MEMORY: u32 = 256 << 20;

/// What a module may have taken of the browser's own stack, of about 1 MB, so that there is room for the host.
const SHALLOW_STACK: u32 = 400_000;
/// What a call is reckoned to take of that stack: so much, and so much for each value of the operand stack. No engine
/// promises it; a frame holds about fourteen values of 8 bytes beside the operand stack.
const FRAME_BYTES: [u32; 2] = [320, 16];
/// The calls by which [`has_room`] finds out whether the browser's stack has room for the host: at least 32 bytes each.
const ROOM_CALLS: u32 = 4096;

/// What runs modules here.
pub fn engine() -> Option<Arc<dyn Engine>> {
    Some(Arc::new(PageEngine))
}

struct PageEngine;

impl Engine for PageEngine {
    fn compile(&self, file: &[u8]) -> Result<Box<dyn Program>, String> {
        let image = Image::parse(file).map_err(|error| error.to_string())?;
        let bytes = image.memory_layout().reserved_bytes();
        if bytes >= MAX_MEMORY {
            return Err(format!("it wants {bytes} bytes of memory"));
        }
        let mut memory = vec![0; bytes as usize];
        let base = memory.as_mut_ptr() as u32;
        let module = Rc::new(RefCell::new(None));
        let (compiled, file) = (module.clone(), Uint8Array::from(file));
        spawn_local(async move {
            let outcome = translate_and_compile(file, base).await;
            compiled.replace(Some(outcome.map_err(|error| text_of(&error))));
        });
        Ok(Box::new(PageProgram {
            image: Arc::new(image),
            module,
            memory: Rc::new(Cell::new(Some(memory))),
        }))
    }
}

async fn translate_and_compile(file: Uint8Array, base: u32) -> Result<Module, JsValue> {
    let wasm = host::translate(file, base).await?;
    let compiling: Promise = WebAssembly::compile(&wasm);
    JsFuture::from(compiling).await.map(Module::from)
}

/// A module that is compiled for one place in memory, so that it runs once at a time.
struct PageProgram {
    image: Arc<Image>,
    /// `None` while it is translated and the browser compiles it.
    module: Rc<RefCell<Option<Result<Module, String>>>>,
    /// `None` while it runs.
    memory: Rc<Cell<Option<Vec<u8>>>>,
}

impl Program for PageProgram {
    fn is_ready(&self) -> Result<bool, String> {
        match &*self.module.borrow() {
            None => Ok(false),
            Some(Ok(_)) => Ok(true),
            Some(Err(reason)) => Err(reason.clone()),
        }
    }

    fn start(&self, host: Host, budget: i32) -> Result<Box<dyn Machine<Host>>, Trap> {
        let module = self.module.borrow();
        let (Some(Ok(module)), Some(mut memory)) = (&*module, self.memory.take()) else {
            return Err(Trap::Engine("it is not compiled, or runs".to_owned()));
        };
        let initial = self.image.initial_memory();
        memory[..initial.len()].copy_from_slice(initial);
        memory[initial.len()..].fill(0);
        let inner = Box::new(Inner {
            host,
            memory,
            calls: CallState::new(&self.image),
            home: self.memory.clone(),
        });
        let started = self.instantiate(module, inner, budget);
        Ok(Box::new(
            started.map_err(|error| Trap::Engine(text_of(&error)))?,
        ))
    }
}

impl PageProgram {
    fn instantiate(
        &self,
        module: &Module,
        inner: Box<Inner>,
        budget_per_call: i32,
    ) -> Result<PageMachine, JsValue> {
        let own = wasm_bindgen::exports();
        let [frame, slot] = FRAME_BYTES;
        let host = Object::new();
        Reflect::set(&host, &"memory".into(), &wasm_bindgen::memory())?;
        for (import, export) in [("syscall", "moduleSyscall"), ("fail", "moduleFail")] {
            Reflect::set(&host, &import.into(), &Reflect::get(&own, &export.into())?)?;
        }
        let imports = Object::new();
        Reflect::set(&imports, &IMPORT_MODULE.into(), &host)?;
        let exports = Instance::new(module, &imports)?.exports();
        Ok(PageMachine {
            inner: Some(inner),
            shared: Rc::new(Shared {
                image: self.image.clone(),
                shallow_calls: SHALLOW_STACK
                    / (frame + slot * u32::from(self.image.deepest_operands())),
                depth: Cell::new(0),
                inside: Cell::new(None),
                trap: Cell::new(None),
                main: Reflect::get(&exports, &"vm_main".into())?.dyn_into()?,
                budget: Reflect::get(&exports, &"budget".into())?.dyn_into()?,
                budget_per_call,
                owed: Cell::new(0),
            }),
        })
    }
}

thread_local! {
    /// What the running module's system calls reach.
    static RUNNING: RefCell<Option<Rc<Shared>>> = const { RefCell::new(None) };
}

/// A system call of the running module.
#[wasm_bindgen(js_name = "moduleSyscall")]
pub fn module_syscall(number: i32, stack: i32, depth: i32) -> i32 {
    let depth = depth as u32;
    if RUNNING.with_borrow(|shared| {
        shared
            .as_ref()
            .is_none_or(|shared| depth > shared.shallow_calls)
    }) {
        // Where the browser's stack is full, this throws, and nothing has been taken yet.
        has_room(ROOM_CALLS);
    }
    // Nothing may be owned here: what throws leaves it behind.
    match syscall(number, stack as u32, depth) {
        Ok(answer) => answer,
        Err(Ended) => wasm_bindgen::throw_val(JsValue::UNDEFINED),
    }
}

/// The running module cannot go on.
#[wasm_bindgen(js_name = "moduleFail")]
pub fn module_fail(fault: i32, instruction: i32, value: i32) {
    if let Some(shared) = running() {
        let trap = Trap::from_fail(&shared.image, fault, instruction, value);
        shared.trap.set(Some(trap));
    }
    wasm_bindgen::throw_val(JsValue::UNDEFINED);
}

/// The running call ends; why is in its [`Shared::trap`].
struct Ended;

fn running() -> Option<Rc<Shared>> {
    RUNNING.with_borrow(Option::clone)
}

fn syscall(number: i32, stack: u32, depth: u32) -> Result<i32, Ended> {
    let shared = running().ok_or(Ended)?;
    shared.syscall(number, stack, depth).map_err(|trap| {
        shared.trap.set(Some(trap));
        Ended
    })
}

/// What belongs to one started module.
struct Inner {
    host: Host,
    memory: Vec<u8>,
    calls: CallState,
    /// Where the memory goes when the module ends.
    home: Rc<Cell<Option<Vec<u8>>>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.home.set(Some(std::mem::take(&mut self.memory)));
    }
}

/// What a module's system calls reach.
struct Shared {
    image: Arc<Image>,
    /// So many calls, one inside the other, leave room for the host on the browser's own stack.
    shallow_calls: u32,
    /// The module's calls around what runs.
    depth: Cell<u32>,
    /// Here while the module runs.
    inside: Cell<Option<Box<Inner>>>,
    /// Why the running call is being ended.
    trap: Cell<Option<Trap>>,
    main: Function,
    budget: Global,
    budget_per_call: i32,
    /// What the host has cost, in units of the budget, and is not taken from it yet: that goes by way of a script.
    owed: Cell<u32>,
}

/// So much is owed at most.
const MAX_OWED: u32 = 1 << 16;

impl Shared {
    fn syscall(self: &Rc<Self>, number: i32, stack: u32, depth: u32) -> Result<i32, Trap> {
        let inner = self.inside.take();
        let mut inner = inner.ok_or_else(|| Trap::Engine("it calls from outside".to_owned()))?;
        inner.calls.enter_syscall(stack);
        let mut machine = PageMachine {
            inner: Some(inner),
            shared: self.clone(),
        };
        let call = Syscall::read(number, stack, &machine.memory());
        let around = self.depth.replace(depth);
        let answer = Host::syscall(&mut machine, &call);
        self.depth.set(around);
        self.inside.set(machine.inner.take());
        answer
    }
}

/// Uses so much of the browser's stack that the host may use as much, whatever it does.
#[inline(never)]
fn has_room(calls: u32) -> u32 {
    match black_box(calls) {
        0 => 0,
        calls => black_box(has_room(calls - 1)) + 1,
    }
}

/// A started module, or the same inside of a system call.
struct PageMachine {
    /// `None` while the module runs.
    inner: Option<Box<Inner>>,
    shared: Rc<Shared>,
}

impl PageMachine {
    fn inner(&mut self) -> &mut Inner {
        (self.inner.as_mut()).expect("nobody asks while the module itself runs")
    }
}

impl Machine<Host> for PageMachine {
    fn host(&mut self) -> &mut Host {
        &mut self.inner().host
    }

    fn memory(&mut self) -> Memory<'_> {
        self.parts().1
    }

    fn parts(&mut self) -> (&mut Host, Memory<'_>) {
        let layout = self.shared.image.memory_layout();
        let inner = self.inner();
        let memory = Memory::new(&mut inner.memory, layout);
        (&mut inner.host, memory.expect("it was made large enough"))
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        let shared = self.shared.clone();
        let layout = shared.image.memory_layout();
        let inner = self.inner();
        let is_outermost = inner.calls.is_idle();
        let mut memory = Memory::new(&mut inner.memory, layout)?;
        let frame = (inner.calls).begin(&shared.image, &mut memory, arguments)?;
        if is_outermost {
            shared.owed.set(0);
            shared.budget.set_value(&shared.budget_per_call.into());
        }
        shared.inside.set(self.inner.take());
        let before = RUNNING.replace(Some(shared.clone()));
        let (frame_argument, depth) = ((frame as i32).into(), shared.depth.get().into());
        let result = (shared.main).call2(&JsValue::UNDEFINED, &frame_argument, &depth);
        RUNNING.set(before);
        self.inner = shared.inside.take();
        self.inner().calls.end(frame);
        result
            .map(|value| value.as_f64().unwrap_or(0.0) as i32)
            .map_err(|error| {
                let trap = shared.trap.take();
                trap.unwrap_or_else(|| Trap::Engine(text_of(&error)))
            })
    }

    fn charge_bytes(&mut self, bytes: u32) -> Result<(), Trap> {
        let Shared { budget, owed, .. } = &*self.shared;
        owed.set(owed.get().saturating_add(bytes / BYTES_PER_UNIT));
        if owed.get() <= MAX_OWED {
            return Ok(());
        }
        let left = budget.value().as_f64().unwrap_or(0.0) as i32;
        let left = left.saturating_sub_unsigned(owed.take());
        budget.set_value(&left.into());
        match left {
            0.. => Ok(()),
            _ => Err(Trap::budget(&self.shared.image)),
        }
    }
}
