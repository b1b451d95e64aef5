//! All golden results come out: interpreted, and translated and compiled.

use crate::golden::{CHECKS, Start};
use vm::{DEFAULT_BUDGET, Interpreter, NativeCode};

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
