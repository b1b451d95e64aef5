//! Mods' modules as a page runs them: compiled by the browser, in a part of the page's own memory.
//!
//! While a module runs, what belongs to it lies in a slot that its system calls take it from and put it back into, so
//! that there is never a second reference to it. What ends a call early is thrown, and passes the module's own frames
//! alone.

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
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// A module's memory in a page is smaller than this; the largest known one takes 16 MiB.
const MAX_MEMORY: u32 = 256 << 20;

/// With less than this of its program stack in use a module cannot have filled the browser's own stack, of about 1 MB:
/// a frame takes at least [`LEAST_FRAME`] bytes of the one and some hundred of the other.
const SHALLOW_STACK: u32 = 8192;
/// What every function of a compiler takes of the program stack.
const LEAST_FRAME: u32 = 8;
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
            is_flat: (image.functions().iter()).any(|function| function.frame < LEAST_FRAME),
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
    /// It has functions that take nothing of the program stack, so that this does not tell how deep its calls are.
    is_flat: bool,
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
        let shared = Rc::new(Shared {
            image: self.image.clone(),
            is_flat: self.is_flat,
            inside: Cell::new(None),
            trap: Cell::new(None),
            entry: RefCell::new(None),
            budget_per_call,
        });
        let (for_calls, for_faults) = (shared.clone(), shared.clone());
        let syscall = Closure::<SyscallFunction>::new(move |number: i32, stack: i32| {
            for_calls.syscall(number, stack as u32)
        });
        let fail = Closure::<FailFunction>::new(move |fault: i32, instruction: i32, value: i32| {
            Err(for_faults.fail(Trap::from_fail(
                &for_faults.image,
                fault,
                instruction,
                value,
            )))
        });
        let host = Object::new();
        Reflect::set(&host, &"memory".into(), &wasm_bindgen::memory())?;
        Reflect::set(&host, &"syscall".into(), syscall.as_ref())?;
        Reflect::set(&host, &"fail".into(), fail.as_ref())?;
        let imports = Object::new();
        Reflect::set(&imports, &IMPORT_MODULE.into(), &host)?;
        let exports = Instance::new(module, &imports)?.exports();
        let main = Reflect::get(&exports, &"vm_main".into())?;
        let budget = Reflect::get(&exports, &"budget".into())?;
        shared.entry.replace(Some(Entry {
            main: main.dyn_into()?,
            budget: budget.dyn_into()?,
        }));
        Ok(PageMachine {
            inner: Some(inner),
            shared,
            _imports: Some((syscall, fail)),
        })
    }
}

type SyscallFunction = dyn Fn(i32, i32) -> Result<i32, JsValue>;
type FailFunction = dyn Fn(i32, i32, i32) -> Result<(), JsValue>;

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
    is_flat: bool,
    /// Here while the module runs.
    inside: Cell<Option<Box<Inner>>>,
    /// Why the running call is being ended.
    trap: Cell<Option<Trap>>,
    /// Known as soon as the module is instantiated.
    entry: RefCell<Option<Entry>>,
    budget_per_call: i32,
}

#[derive(Clone)]
struct Entry {
    main: Function,
    budget: Global,
}

impl Shared {
    fn entry(&self) -> Result<Entry, Trap> {
        let entry = self.entry.borrow().clone();
        entry.ok_or_else(|| Trap::Engine("it is not started".to_owned()))
    }

    /// Keeps the reason; what is thrown only ends the call.
    fn fail(&self, trap: Trap) -> JsValue {
        self.trap.set(Some(trap));
        JsValue::UNDEFINED
    }

    fn syscall(self: &Rc<Self>, number: i32, stack: u32) -> Result<i32, JsValue> {
        let used = self.image.memory_layout().size.saturating_sub(stack);
        if self.is_flat || used > SHALLOW_STACK {
            // Where the browser's stack is full, this throws, and nothing has been taken yet.
            has_room(ROOM_CALLS);
        }
        let Some(mut inner) = self.inside.take() else {
            return Err(self.fail(Trap::Engine("it calls from outside".to_owned())));
        };
        inner.calls.enter_syscall(stack);
        let mut machine = PageMachine {
            inner: Some(inner),
            shared: self.clone(),
            _imports: None,
        };
        let call = Syscall::read(number, stack, &machine.memory());
        let answer = Host::syscall(&mut machine, &call);
        self.inside.set(machine.inner.take());
        answer.map_err(|trap| self.fail(trap))
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
    /// They live as long as the module can call them.
    _imports: Option<(Closure<SyscallFunction>, Closure<FailFunction>)>,
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
        let Entry { main, budget } = shared.entry()?;
        let layout = shared.image.memory_layout();
        let inner = self.inner();
        let is_outermost = inner.calls.is_idle();
        let mut memory = Memory::new(&mut inner.memory, layout)?;
        let frame = (inner.calls).begin(&shared.image, &mut memory, arguments)?;
        if is_outermost {
            budget.set_value(&shared.budget_per_call.into());
        }
        shared.inside.set(self.inner.take());
        let result = main.call1(&JsValue::UNDEFINED, &(frame as i32).into());
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
        let budget = self.shared.entry()?.budget;
        let left = budget.value().as_f64().unwrap_or(0.0) as i32;
        let left = left.saturating_sub((bytes / BYTES_PER_UNIT) as i32);
        budget.set_value(&left.into());
        match left {
            0.. => Ok(()),
            _ => Err(Trap::budget(&self.shared.image)),
        }
    }
}
