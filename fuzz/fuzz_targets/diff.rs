//! Any two contents under any name: the diff that is written leads from one to the other and back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch_fuzz::{diff, seeds};

fuzz_target!(init: seeds::pairs("diff"), |bytes: &[u8]| diff::lead_there_and_back(bytes));
