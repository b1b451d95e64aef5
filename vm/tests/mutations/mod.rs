//! What must hold for every file: an error or a value, and never an invalid translation.

mod generate;

use crate::golden::{CT, MEM, OPS, Profile, Stub, modules};
use generate::{Chance, damage, module};
use std::{collections::HashMap, sync::Arc};
use vm::{Fault, Image, Interpreter, Machine, Trap, translate};

/// Enough for a call to come to something, and little enough for many.
pub const BUDGET: i32 = 3000;

/// Larger memories than these would only cost time.
const MAX_MEMORY: u32 = 1 << 24;

/// What has become of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub refused: u32,
    pub too_large: u32,
    pub values: u32,
    pub traps: u32,
}

/// A stub of the host of the golden programs.
pub fn stub() -> Stub {
    Stub::new(Profile::Test, HashMap::new())
}

/// The sources of mutations.
pub struct Corpus(Vec<Vec<u8>>);

impl Corpus {
    /// The golden programs; with `real`, a real module too, which takes longer.
    pub fn new(real: bool) -> Self {
        let mut files = vec![MEM.to_vec(), OPS.to_vec(), CT.to_vec(), MEM.to_vec()];
        if real {
            files.extend(modules().into_iter().take(2).map(|(_, file)| file));
        }
        Self(files)
    }
}

/// The file that belongs to a number: a random valid module, or a damaged one.
pub fn file(number: u64, corpus: &Corpus) -> Vec<u8> {
    let mut chance = Chance::new(number);
    let kind = chance.below(4);
    if kind == 0 {
        return module(&mut chance);
    }
    let mut file = match kind {
        1 => module(&mut chance),
        // Real modules are a thousand times as long: now and then is enough.
        _ if chance.below(200) > 0 => {
            let golden = chance.below(4);
            corpus.0[golden].clone()
        }
        _ => {
            let any = chance.below(corpus.0.len());
            corpus.0[any].clone()
        }
    };
    damage(&mut chance, &mut file);
    file
}

/// Reads, translates, validates and interprets; panics where one of them breaks its promise.
pub fn check(number: u64, corpus: &Corpus, tally: &mut Tally) {
    let Ok(image) = Image::parse(&file(number, corpus)) else {
        tally.refused += 1;
        return;
    };
    match translate(&image, 4096) {
        Ok(wasm) => {
            let valid = wasmparser::Validator::new().validate_all(&wasm);
            assert!(valid.is_ok(), "file {number}: {:?}", valid.err());
        }
        Err(_) => tally.too_large += 1,
    }
    if image.memory_layout().size > MAX_MEMORY {
        return;
    }
    let mut machine = Interpreter::new(Arc::new(image), stub(), BUDGET);
    match machine.call(&arguments(number)) {
        Ok(_) => tally.values += 1,
        Err(_) => tally.traps += 1,
    }
}

pub fn arguments(number: u64) -> [i32; 4] {
    let mut chance = Chance::new(!number);
    [
        chance.below(40) as i32,
        chance.word(),
        chance.word(),
        chance.word(),
    ]
}

/// A random valid module; it runs alike in every machine, to the last byte.
pub fn compare(number: u64, start: crate::golden::Start) {
    let file = module(&mut Chance::new(number));
    let image = Image::parse(&file);
    let image = Arc::new(image.unwrap_or_else(|error| panic!("module {number}: {error}")));
    let mut interpreted = Interpreter::new(Arc::clone(&image), stub(), BUDGET);
    let mut machine = start(&image, stub());
    for call in 0..3 {
        let arguments = arguments(number + call);
        let expected = interpreted.call(&arguments);
        let got = machine.call(&arguments);
        // The engine's own stack may be full before the module's.
        let is_stack = |trap: &Result<i32, Trap>| matches!(trap, Err(Trap::Fault(place)) if place.fault == Fault::Stack);
        if matches!(got, Err(Trap::Engine(_))) && is_stack(&expected) {
            return;
        }
        assert_eq!(got, expected, "module {number}, call {call}");
        let size = image.memory_layout().reserved_bytes();
        for at in (0..size).step_by(1024) {
            assert_eq!(
                machine
                    .memory()
                    .read::<1024>(at % image.memory_layout().size),
                interpreted
                    .memory()
                    .read::<1024>(at % image.memory_layout().size),
                "module {number}, call {call}: memory from {at} on"
            );
        }
        assert_eq!(machine.host().lines, interpreted.host().lines);
    }
}
