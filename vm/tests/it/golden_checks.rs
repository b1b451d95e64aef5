//! All golden results come out: interpreted; tests/wasm has the same for translations.

use crate::golden::{CHECKS, Start};
use vm::{DEFAULT_BUDGET, Interpreter};

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
