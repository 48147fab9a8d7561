//! Lets the program start fast: its start is half of the time that a tiny patch takes.
//!
//! The unwinder is linked into it where the C compiler has it as an archive: finding and loading it as a shared library
//! at each start costs a tenth of that time. Nothing is lost where there is no such archive: the program then loads the
//! library as any other does. And it is linked for one address, as its tables of pointers, of 230 KB, have to be copied
//! and mended at each start otherwise (40 of 260 page faults); stack, heap and libraries still lie at random ones.

use std::env;
use std::path::Path;
use std::process::Command;

const ARCHIVE: &str = "libgcc_eh.a";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    // Only here does Rust link `libgcc_s.so`; and another machine's compiler is not ours to ask.
    if !is("CARGO_CFG_TARGET_OS", "linux")
        || !is("CARGO_CFG_TARGET_ENV", "gnu")
        || env::var("HOST") != env::var("TARGET")
    {
        return;
    }
    // What is linked without any library has its own way to one address.
    if !env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static")) {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    let Ok(answer) = Command::new("cc").arg(format!("-print-file-name={ARCHIVE}")).output() else { return };
    let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
    // A compiler that has no such file answers with the name alone.
    if let Some(directory) = Path::new(answer.trim()).parent().filter(|directory| directory.is_absolute()) {
        println!("cargo::rustc-link-search=native={}", directory.display());
        println!("cargo::rustc-link-lib=static:+whole-archive,-bundle=gcc_eh");
    }
}
