//! The program in which libFuzzer drives the targets of `targets::wire`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzz::run_chosen(fuzz::targets::wire::TARGETS, bytes);
});
