//! Lets the program start fast: its start is half of the time that a tiny patch takes.
//!
//! It is linked for one address and with nothing to be loaded, where the C compiler has the archives for that: finding,
//! loading and binding shared libraries at each start, and mending tables of pointers of 230 KB, costs more than a tenth of
//! that time. Stack and heap still lie at random addresses. Where there is an archive missing, the program loads its
//! libraries as any other does.
//!
//! Cargo has no word for it that would not hold for procedural macros too, which have to be shared libraries. So the
//! libraries that Rust asks for by name are found in a directory of ours first, which says what they are: archives.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What Rust asks for that is a shared library elsewhere, and the archives that have it.
const LIBRARIES: [(&str, &[&str]); 3] = [
    ("libc.a", &["libc.a", "libgcc_eh.a", "libgcc.a"]),
    ("libgcc_s.a", &["libgcc_eh.a", "libgcc.a", "libc.a"]),
    ("libm.a", &["libm.a"]),
];

#[allow(clippy::disallowed_methods, reason = "nothing here has a workspace")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    // Another machine's compiler is not ours to ask; and what Rust itself links so needs no help.
    let is_plain = is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && env::var("HOST") == env::var("TARGET")
        && !env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if !is_plain {
        return Ok(());
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    let directory = env::var("OUT_DIR")?;
    for (name, archives) in LIBRARIES {
        let Some(found) = archives.iter().map(|archive| path_of(archive)).collect::<Option<Vec<_>>>() else {
            return Ok(());
        };
        fs::write(Path::new(&directory).join(name), format!("GROUP ( {} )\n", found.join(" ")))?;
    }
    println!("cargo::rustc-link-arg-bins=-L{directory}");
    println!("cargo::rustc-link-arg-bins=-static");
    Ok(())
}

/// Returns where the C compiler has a library; one that has it not answers with its name alone.
fn path_of(library: &str) -> Option<String> {
    let answer = Command::new("cc").arg(format!("-print-file-name={library}")).output().ok()?;
    let path = String::from_utf8(answer.stdout).ok()?.trim().to_owned();
    // What a linker reads has no signs of its own in a name.
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-+".contains(character);
    (Path::new(&path).is_absolute() && path.chars().all(is_plain)).then_some(path)
}
