//! Any bytes as a patch of the context syntax: read or refused, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch_fuzz::{parse, seeds};

fuzz_target!(init: seeds::patches("parse_context"), |bytes: &[u8]| parse::read("context", bytes));
