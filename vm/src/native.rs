//! Runs a translated module natively, compiled by wasmtime.

use crate::{
    budget::BYTES_PER_UNIT,
    error::Trap,
    host::{CallState, Host, Machine, Syscall},
    image::Image,
    memory::Memory,
    translate::{IMPORT_MODULE, translate},
};
use std::sync::Arc;
use wasmtime::{
    AsContextMut, Caller, Config, Engine, Global, Linker, MemoryType, Store, Strategy, TypedFunc,
};

/// How much of the thread's stack compiled code may use, in bytes.
const MAX_NATIVE_STACK: usize = 512 * 1024;

const WASM_PAGE_BYTES: u32 = 65536;
static EMPTY_PAGE: [u8; WASM_PAGE_BYTES as usize] = [0; WASM_PAGE_BYTES as usize];

/// A compiled module, to be started as often as wanted.
pub struct NativeCode {
    image: Arc<Image>,
    engine: Engine,
    module: wasmtime::Module,
}

/// A module that was started, with its memory and its host.
pub struct NativeModule<H: 'static> {
    store: Store<State<H>>,
}

struct State<H> {
    /// Always there, but while it goes from one store to the next.
    host: Option<H>,
    image: Arc<Image>,
    calls: CallState,
    budget_per_call: i32,
    /// Known as soon as the module is instantiated, and so whenever something runs.
    parts: Option<Parts>,
}

#[derive(Clone)]
struct Parts {
    main: TypedFunc<(i32, i32), i32>,
    budget: Global,
    memory: wasmtime::Memory,
}

/// The machine as its caller and its host see it: with the store, or with what a system call gets.
struct Context<C>(C);

impl NativeCode {
    /// Translates and compiles, on several threads where there are some.
    ///
    /// # Errors
    /// If the module is too large for WebAssembly.
    pub fn compile(image: Arc<Image>) -> Result<Self, Trap> {
        // The baseline compiler: what it makes is a little slower, and there a tenth of a second after the paks.
        Self::compile_with(Config::new().strategy(Strategy::Winch), image)
    }

    /// The same module compiled for speed, which takes some ten times as long, on this thread alone.
    ///
    /// # Errors
    /// If the engine has none for this machine.
    pub fn optimized(&self) -> Result<Self, Trap> {
        let mut config = Config::new();
        config
            .strategy(Strategy::Cranelift)
            .parallel_compilation(false);
        Self::compile_with(&mut config, Arc::clone(&self.image))
    }

    fn compile_with(config: &mut Config, image: Arc<Image>) -> Result<Self, Trap> {
        let wasm = translate(&image, 0).map_err(|error| Trap::Engine(error.to_string()))?;
        config
            .max_wasm_stack(MAX_NATIVE_STACK)
            .wasm_backtrace_max_frames(None)
            .generate_address_map(false);
        let engine = Engine::new(config).map_err(trap)?;
        let module = wasmtime::Module::new(&engine, wasm).map_err(trap)?;
        Ok(Self {
            image,
            engine,
            module,
        })
    }

    /// Starts it with fresh memory. Each outermost call may cost `budget_per_call`.
    ///
    /// # Errors
    /// If memory is short.
    pub fn start<H: Host + 'static>(
        &self,
        host: H,
        budget_per_call: i32,
    ) -> Result<NativeModule<H>, Trap> {
        let image = &self.image;
        let module = self.instantiate(image.initial_memory(), budget_per_call);
        let mut module = module.map_err(trap)?;
        module.store.data_mut().host = Some(host);
        Ok(module)
    }

    /// Without its host.
    fn instantiate<H: Host + 'static>(
        &self,
        content: &[u8],
        budget_per_call: i32,
    ) -> wasmtime::Result<NativeModule<H>> {
        let image = &self.image;
        let mut store = Store::new(
            &self.engine,
            State {
                host: None,
                image: Arc::clone(image),
                calls: CallState::new(image),
                budget_per_call,
                parts: None,
            },
        );
        let pages = image
            .memory_layout()
            .reserved_bytes()
            .div_ceil(WASM_PAGE_BYTES);
        let memory = wasmtime::Memory::new(&mut store, MemoryType::new(pages, Some(pages)))?;
        // Fresh memory is zero; what is not written costs nothing.
        let pages = content.chunks(WASM_PAGE_BYTES as usize).enumerate();
        for (number, page) in pages.filter(|(_, page)| *page != &EMPTY_PAGE[..page.len()]) {
            memory.write(&mut store, number * WASM_PAGE_BYTES as usize, page)?;
        }
        let mut linker = Linker::new(&self.engine);
        linker
            .define(&store, IMPORT_MODULE, "memory", memory)?
            .func_wrap(IMPORT_MODULE, "syscall", syscall::<H>)?
            .func_wrap(IMPORT_MODULE, "fail", fail::<H>)?;
        let instance = linker.instantiate(&mut store, &self.module)?;
        let main = instance.get_typed_func(&mut store, "vm_main")?;
        let budget = instance
            .get_global(&mut store, "budget")
            .ok_or_else(|| wasmtime::Error::msg("the translation has no budget"))?;
        store.data_mut().parts = Some(Parts {
            main,
            budget,
            memory,
        });
        Ok(NativeModule { store })
    }
}

fn syscall<H: Host>(
    mut caller: Caller<'_, State<H>>,
    number: i32,
    stack: i32,
    _depth: i32,
) -> wasmtime::Result<i32> {
    caller.data_mut().calls.enter_syscall(stack as u32);
    let mut context = Context(caller);
    let (host, mut memory) = context.parts();
    let call = Syscall::read(number, stack as u32, &memory);
    // A value on its own: where it goes through a place for traps, reading it back waits for its writing.
    let answer = match host.answer(&call, &mut memory) {
        Some(Ok(value)) => return Ok(value),
        Some(Err(trap)) => Err(trap),
        None => H::syscall(&mut context, &call),
    };
    answer.map_err(wasmtime::Error::new)
}

fn fail<H>(
    caller: Caller<'_, State<H>>,
    fault: i32,
    instruction: i32,
    value: i32,
) -> wasmtime::Result<()> {
    let trap = Trap::from_fail(&caller.data().image, fault, instruction, value);
    Err(wasmtime::Error::new(trap))
}

/// What ended a call: our own reason if there is one, else the engine's.
fn trap(error: wasmtime::Error) -> Trap {
    error
        .downcast::<Trap>()
        .unwrap_or_else(|error| Trap::Engine(format!("{error:#}")))
}

impl<H: Host + 'static> NativeModule<H> {
    /// Goes on by other code of the same image; host and memory stay as they are.
    ///
    /// # Errors
    /// If memory is short, or the code is of another image; it then goes on as before.
    pub fn go_on_with(&mut self, code: &NativeCode) -> Result<(), Trap> {
        if !Arc::ptr_eq(&self.store.data().image, &code.image) {
            return Err(Trap::Engine("the code is of another image".to_owned()));
        }
        let State {
            parts,
            budget_per_call,
            ..
        } = self.store.data();
        let parts = parts.as_ref().expect("it is instantiated");
        let content = parts.memory.data(&self.store);
        let mut next = code.instantiate(content, *budget_per_call).map_err(trap)?;
        next.store.data_mut().host = self.store.data_mut().host.take();
        *self = next;
        Ok(())
    }
}

impl<H> State<H> {
    fn host(&mut self) -> &mut H {
        let host = self.host.as_mut();
        host.expect("a module gets its host when it is started")
    }
}

impl<H: Host + 'static, C: AsContextMut<Data = State<H>>> Context<C> {
    /// What `pick` takes of the parts: a copy of the whole counts references, which is dear in each system call.
    fn known<T>(&self, pick: impl FnOnce(&Parts) -> T) -> T {
        let context = self.0.as_context();
        let parts = context.data().parts.as_ref();
        pick(parts.expect("a module is instantiated before anything runs"))
    }
}

impl<H: Host + 'static, C: AsContextMut<Data = State<H>>> Machine<H> for Context<C> {
    fn memory(&mut self) -> Memory<'_> {
        self.parts().1
    }

    #[inline]
    fn parts(&mut self) -> (&mut H, Memory<'_>) {
        let memory = self.known(|parts| parts.memory);
        let (bytes, state) = memory.data_and_store_mut(&mut self.0);
        let memory = Memory::new(bytes, state.image.memory_layout());
        (state.host(), memory.expect("it was made large enough"))
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        let Parts {
            main,
            budget,
            memory,
        } = self.known(Parts::clone);
        let (bytes, state) = memory.data_and_store_mut(&mut self.0);
        let is_outermost = state.calls.is_idle();
        let mut view = Memory::new(bytes, state.image.memory_layout())?;
        let frame = state.calls.begin(&state.image, &mut view, arguments)?;
        if is_outermost {
            let whole = state.budget_per_call.into();
            budget.set(&mut self.0, whole).map_err(trap)?;
        }
        let result = main.call(&mut self.0, (frame as i32, 0));
        self.0.as_context_mut().data_mut().calls.end(frame);
        result.map_err(trap)
    }

    fn charge_bytes(&mut self, bytes: u32) -> Result<(), Trap> {
        let cost = (bytes / BYTES_PER_UNIT) as i32;
        // Reading and writing the budget is dear beside the small copies that most calls are.
        if cost == 0 {
            return Ok(());
        }
        let budget = self.known(|parts| parts.budget);
        let left = budget.get(&mut self.0).i32().unwrap_or(0) - cost;
        budget.set(&mut self.0, left.into()).map_err(trap)?;
        if left < 0 {
            let image = Arc::clone(&self.0.as_context().data().image);
            return Err(Trap::budget(&image));
        }
        Ok(())
    }
}

impl<H: Host + 'static> Machine<H> for NativeModule<H> {
    fn host(&mut self) -> &mut H {
        self.store.data_mut().host()
    }

    fn memory(&mut self) -> Memory<'_> {
        self.parts().1
    }

    fn parts(&mut self) -> (&mut H, Memory<'_>) {
        let memory = self.store.data().parts.as_ref();
        let memory = memory.expect("it is instantiated").memory;
        let (bytes, state) = memory.data_and_store_mut(&mut self.store);
        let memory = Memory::new(bytes, state.image.memory_layout());
        (state.host(), memory.expect("it was made large enough"))
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        Context(&mut self.store).call(arguments)
    }

    fn charge_bytes(&mut self, bytes: u32) -> Result<(), Trap> {
        Context(&mut self.store).charge_bytes(bytes)
    }
}
