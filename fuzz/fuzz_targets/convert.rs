//! Any patch for any tree: in every other format it has the same effect, or it cannot be written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch_fuzz::{convert, seeds};

fuzz_target!(init: seeds::scenes("convert"), |bytes: &[u8]| convert::keep_the_plan(bytes));
