//! Mods' modules as a native program runs them: compiled to machine code.

use crate::qvm::{Engine, Host, Program};
use std::sync::Arc;
use vm::{Image, Machine, NativeCode, Trap};

/// What runs modules here.
pub fn engine() -> Option<Arc<dyn Engine>> {
    Some(Arc::new(NativeEngine))
}

struct NativeEngine;

impl Engine for NativeEngine {
    fn compile(&self, file: &[u8]) -> Result<Box<dyn Program>, String> {
        let image = Image::parse(file).map_err(|error| error.to_string())?;
        let code = NativeCode::compile(Arc::new(image)).map_err(|error| error.to_string())?;
        Ok(Box::new(NativeProgram(code)))
    }
}

struct NativeProgram(NativeCode);

impl Program for NativeProgram {
    fn is_ready(&self) -> Result<bool, String> {
        Ok(true)
    }

    fn start(&self, host: Host, budget: i32) -> Result<Box<dyn Machine<Host>>, Trap> {
        Ok(Box::new(self.0.start(host, budget)?))
    }
}
