//! Random and damaged modules: an error or a value, and a valid translation.

use crate::mutations::{Corpus, Tally, check, compare};
use vm::Interpreter;

/// `cargo run --example vm_mutations` goes on from here.
const FILES: u64 = 3000;

/// The generator must make valid modules only, and interpreting must be repeatable.
const COMPARED: u64 = 150;

#[test]
fn no_file_makes_a_panic_or_an_invalid_translation() {
    let corpus = Corpus::new(false);
    let mut tally = Tally::default();
    for number in 0..FILES {
        check(number, &corpus, &mut tally);
    }
    let Tally {
        refused,
        values,
        traps,
        ..
    } = tally;
    assert!(refused > 100 && values > 100 && traps > 100, "{tally:?}");
}

#[test]
fn random_modules_are_valid_and_run_alike_each_time() {
    for number in 0..COMPARED {
        compare(number, &|image, host| {
            Box::new(Interpreter::new(
                image.clone(),
                host,
                crate::mutations::BUDGET,
            ))
        });
    }
}
