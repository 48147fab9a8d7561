//! Any patch for any tree: done as a whole, or the tree stays as it was, as the check has said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch_fuzz::{apply, seeds};

fuzz_target!(init: seeds::scenes("apply"), |bytes: &[u8]| apply::agree(bytes));
