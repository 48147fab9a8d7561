//! Any bytes as a text of any syntax: read or refused, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch_fuzz::{parse, seeds};

fuzz_target!(init: seeds::patches("parse_auto"), |bytes: &[u8]| parse::read("auto", bytes));
