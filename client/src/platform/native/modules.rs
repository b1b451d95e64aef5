//! Mods' modules as a native program runs them: compiled to machine code, at first quickly, then for speed.

use crate::qvm::{Engine, Host, Program};
use std::{
    sync::{Arc, OnceLock},
    thread,
};
use vm::{Image, Machine, Memory, NativeCode, NativeModule, Trap};

/// What runs modules here.
pub fn engine() -> Option<Arc<dyn Engine>> {
    Some(Arc::new(NativeEngine))
}

struct NativeEngine;

impl Engine for NativeEngine {
    fn compile(&self, file: &[u8]) -> Result<Box<dyn Program>, String> {
        let image = Image::parse(file).map_err(|error| error.to_string())?;
        let code = NativeCode::compile(Arc::new(image)).map_err(|error| error.to_string())?;
        let code = Arc::new(code);
        let faster = Arc::new(OnceLock::new());
        let (quick, place) = (Arc::clone(&code), Arc::clone(&faster));
        // Where this does not come about, the quick code goes on.
        let compiler = thread::Builder::new().name("module".to_owned());
        let _ = compiler.spawn(move || quick.optimized().map(|code| place.set(code)));
        Ok(Box::new(NativeProgram { code, faster }))
    }
}

struct NativeProgram {
    code: Arc<NativeCode>,
    faster: Arc<OnceLock<NativeCode>>,
}

impl Program for NativeProgram {
    fn is_ready(&self) -> Result<bool, String> {
        Ok(true)
    }

    fn start(&self, host: Host, budget: i32) -> Result<Box<dyn Machine<Host>>, Trap> {
        Ok(Box::new(NativeMachine {
            module: self.code.start(host, budget)?,
            faster: Some(Arc::clone(&self.faster)),
        }))
    }
}

/// Goes on by faster code from the first call on before which there is some.
struct NativeMachine {
    module: NativeModule<Host>,
    faster: Option<Arc<OnceLock<NativeCode>>>,
}

impl Machine<Host> for NativeMachine {
    fn host(&mut self) -> &mut Host {
        self.module.host()
    }

    fn memory(&mut self) -> Memory<'_> {
        self.module.memory()
    }

    fn parts(&mut self) -> (&mut Host, Memory<'_>) {
        self.module.parts()
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        let is_there = |code: &mut Arc<OnceLock<NativeCode>>| code.get().is_some();
        if let Some(code) = self.faster.take_if(is_there)
            && let Some(code) = code.get()
        {
            // Where memory is short, the quick code goes on.
            let _ = self.module.go_on_with(code);
        }
        self.module.call(arguments)
    }

    fn charge_bytes(&mut self, bytes: u32) -> Result<(), Trap> {
        self.module.charge_bytes(bytes)
    }
}
