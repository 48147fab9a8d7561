//! Any state directory: recovery touches what a journal names and knows, and nothing else.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch_fuzz::{recover, seeds};

fuzz_target!(init: seeds::wrecks("recover"), |bytes: &[u8]| recover::keep_to_the_journal(bytes));
