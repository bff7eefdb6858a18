#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mancala_fuzz::support::record::check_record(bytes));
