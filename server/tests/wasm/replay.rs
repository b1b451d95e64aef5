//! A recorded match as a WASM module, for `run.mjs` to feed and call.
#![expect(
    unsafe_code,
    reason = "exporting a function under its own name is only possible with an unsafe attribute"
)]

#[path = "../recording/mod.rs"]
mod recording;

use std::cell::RefCell;

/// What the caller has written, and what it can read.
#[derive(Default)]
struct Exchange {
    pak: Vec<u8>,
    events: Vec<u8>,
    hashes: Vec<u64>,
}

thread_local! {
    // The module's own memory is the only thing that calls from outside have in common.
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

/// Makes room for the bytes of the pak; the caller writes them there.
#[unsafe(no_mangle)]
pub extern "C" fn pak_buffer(length: usize) -> *mut u8 {
    room(length, |exchange| &mut exchange.pak)
}

/// Makes room for the recorded events.
#[unsafe(no_mangle)]
pub extern "C" fn events_buffer(length: usize) -> *mut u8 {
    room(length, |exchange| &mut exchange.events)
}

/// Plays the match; the answer is the number of its seconds.
#[unsafe(no_mangle)]
pub extern "C" fn replay(seed: u32) -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.hashes = recording::replay(&exchange.pak, u64::from(seed), &exchange.events);
        exchange.hashes.len()
    })
}

/// Where the hashes of the seconds begin.
#[unsafe(no_mangle)]
pub extern "C" fn hashes() -> *const u64 {
    EXCHANGE.with_borrow(|exchange| exchange.hashes.as_ptr())
}

fn room(length: usize, which: fn(&mut Exchange) -> &mut Vec<u8>) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| {
        let buffer = which(exchange);
        *buffer = vec![0; length];
        buffer.as_mut_ptr()
    })
}
