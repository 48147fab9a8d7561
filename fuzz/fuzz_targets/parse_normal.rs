//! Any bytes as a patch of the normal syntax: read or refused, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch_fuzz::{parse, seeds};

fuzz_target!(init: seeds::patches("parse_normal"), |bytes: &[u8]| parse::read("normal", bytes));
