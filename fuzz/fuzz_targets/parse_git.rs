//! Any bytes as a patch of the git syntax: read or refused, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch::syntax::{self, Options};

fuzz_target!(|bytes: &[u8]| {
    for recount in [false, true] {
        let _ = syntax::parse("fuzz", bytes.to_vec(), &syntax::chosen("git"), Options { recount, ..Options::default() });
    }
});
