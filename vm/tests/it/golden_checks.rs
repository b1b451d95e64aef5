//! All golden results come out: interpreted, and translated and compiled.

use crate::golden::{CHECKS, Start, Stub};
use vm::{DEFAULT_BUDGET, Interpreter, Machine, Memory, NativeCode, NativeModule, Trap};

fn check(start: Start) {
    let mut differences = Vec::new();
    for (name, check) in CHECKS {
        match check(start) {
            Ok(compared) => assert!(compared > 0, "{name}: nothing was compared"),
            Err(different) => differences.push(format!("{name}:\n{different}")),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn interpreted() {
    check(&|image, host| Box::new(Interpreter::new(image.clone(), host, DEFAULT_BUDGET)));
}

#[test]
fn compiled() {
    check(&|image, host| {
        let code = NativeCode::compile(image.clone()).expect("every valid golden program compiles");
        Box::new(code.start(host, DEFAULT_BUDGET).expect("it starts"))
    });
}

/// Goes from one compiler's code to the other's before each call.
struct Alternating {
    module: NativeModule<Stub>,
    codes: [NativeCode; 2],
}

impl Machine<Stub> for Alternating {
    fn memory(&mut self) -> Memory<'_> {
        self.module.memory()
    }

    fn parts(&mut self) -> (&mut Stub, Memory<'_>) {
        self.module.parts()
    }

    fn call(&mut self, arguments: &[i32]) -> Result<i32, Trap> {
        self.codes.swap(0, 1);
        self.module.go_on_with(&self.codes[0])?;
        self.module.call(arguments)
    }

    fn charge_bytes(&mut self, bytes: u32) -> Result<(), Trap> {
        self.module.charge_bytes(bytes)
    }
}

#[test]
fn compiled_anew_in_the_midst() {
    check(&|image, host| {
        let quick =
            NativeCode::compile(image.clone()).expect("every valid golden program compiles");
        let optimized = quick.optimized().expect("for speed as well");
        Box::new(Alternating {
            module: quick.start(host, DEFAULT_BUDGET).expect("it starts"),
            codes: [quick, optimized],
        })
    });
}
