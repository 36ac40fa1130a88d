#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lanista_fuzz::program(bytes));
