//! The golden checks as a WASM module, for `run.mjs` to feed and call.
#![expect(
    unsafe_code,
    reason = "exporting a function under its own name is only possible with an unsafe attribute"
)]

#[path = "../golden/mod.rs"]
mod golden;

use std::cell::RefCell;

/// What the caller has written, and what it can read.
#[derive(Default)]
struct Exchange {
    file_name: Vec<u8>,
    golden_data: Vec<u8>,
    map: Vec<u8>,
    report: String,
}

thread_local! {
    // The module's own memory is the only thing that calls from outside have in common.
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

/// Makes room for the name of a file of golden data; the caller writes it there.
#[unsafe(no_mangle)]
pub extern "C" fn file_name_buffer(length: usize) -> *mut u8 {
    room(length, |exchange| &mut exchange.file_name)
}

/// Makes room for the packed bytes of that file.
#[unsafe(no_mangle)]
pub extern "C" fn golden_data_buffer(length: usize) -> *mut u8 {
    room(length, |exchange| &mut exchange.golden_data)
}

/// Makes room for the bytes of its map.
#[unsafe(no_mangle)]
pub extern "C" fn map_buffer(length: usize) -> *mut u8 {
    room(length, |exchange| &mut exchange.map)
}

/// Compares; the answer is 1 if all agree.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> u32 {
    EXCHANGE.with_borrow_mut(|exchange| {
        let name = String::from_utf8_lossy(&exchange.file_name);
        let result = golden::check(&name, &exchange.golden_data, &exchange.map);
        let agrees = result.is_ok();
        exchange.report = result.unwrap_or_else(|differences| differences);
        u32::from(agrees)
    })
}

/// Where the report of the last check begins.
#[unsafe(no_mangle)]
pub extern "C" fn report() -> *const u8 {
    EXCHANGE.with_borrow(|exchange| exchange.report.as_ptr())
}

/// How many bytes the report of the last check has.
#[unsafe(no_mangle)]
pub extern "C" fn report_length() -> usize {
    EXCHANGE.with_borrow(|exchange| exchange.report.len())
}

fn room(length: usize, which: fn(&mut Exchange) -> &mut Vec<u8>) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| {
        let buffer = which(exchange);
        *buffer = vec![0; length];
        buffer.as_mut_ptr()
    })
}
