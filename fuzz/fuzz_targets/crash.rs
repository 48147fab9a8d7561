//! Any patch for any tree, stopped at any step: recovery leaves the tree as before or as after.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch_fuzz::{crash, seeds};

fuzz_target!(init: seeds::scenes("crash"), |bytes: &[u8]| crash::survive(bytes));
