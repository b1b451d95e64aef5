//! Prints what becomes of many random and damaged modules: `cargo run --release --package vm --example vm_mutations FROM TO`.

#[path = "../golden/mod.rs"]
mod golden;
#[path = "mod.rs"]
mod mutations;

use golden::CHECKS;
use mutations::{BUDGET, Corpus, Tally, check, compare};
use vm::{DEFAULT_BUDGET, Interpreter};

/// Every so many-th number also makes a valid module that is run twice.
const COMPARE_EVERY: u64 = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut limits = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Some(from), Some(to)) = (limits.next().transpose()?, limits.next().transpose()?) else {
        return Err("two numbers are needed: the first file, and the one after the last".into());
    };
    // An interpreter that does not interpret could judge nothing.
    for (name, check) in CHECKS {
        check(&|image, host| Box::new(Interpreter::new(image.clone(), host, DEFAULT_BUDGET)))
            .map_err(|different| format!("{name}: {different}"))?;
    }
    let corpus = Corpus::new(true);
    let mut tally = Tally::default();
    for number in from..to {
        check(number, &corpus, &mut tally);
        if number % COMPARE_EVERY == 0 {
            compare(number, &|image, host| {
                Box::new(Interpreter::new(image.clone(), host, BUDGET))
            });
        }
        if number % 100_000 == 99_999 {
            println!("up to {number}: {tally:?}");
        }
    }
    println!("{tally:?}");
    Ok(())
}
