//! Lets the program start fast: its start is half of the time that a tiny patch takes.
//!
//! It is linked for one address and with nothing to be loaded, where the C compiler has archives of
//! the C library: finding, loading and binding shared libraries at each start, and mending tables
//! of pointers of 230 KB, takes longer than reading the patch. Stack and heap still lie at random
//! addresses. Elsewhere the program loads its libraries as any other does.
//!
//! Cargo has no word for it that would not hold for procedural macros too, which have to be shared
//! libraries. So the libraries that Rust asks for by name are found in a directory of ours first,
//! which says what they are: archives.
//!
//! Whether the linker can do so is tried with a program that does nothing.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What Rust asks for that is a shared library elsewhere, and the archives that have it.
const LIBRARIES: [(&str, &[&str]); 3] = [
    ("libc.a", &["libc.a", "libgcc_eh.a", "libgcc.a"]),
    ("libgcc_s.a", &["libgcc_eh.a", "libgcc.a", "libc.a"]),
    ("libm.a", &["libm.a"]),
];
/// All that Rust asks for, as it asks for it.
const ASKED: [&str; 9] = [
    "-nodefaultlibs",
    "-Wl,-Bdynamic",
    "-lgcc_s",
    "-lutil",
    "-lrt",
    "-lpthread",
    "-lm",
    "-ldl",
    "-lc",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    let is_plain = is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        // Another machine's compiler is not ours to ask.
        && env::var("HOST") == env::var("TARGET")
        && env::var_os("CARGO_CFG_SANITIZE").is_none()
        // What Rust itself links so needs no help.
        && !env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if is_plain {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        let directory = env::var("OUT_DIR")?;
        let directory = Path::new(&directory);
        for argument in archives(directory)? {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
    }
    Ok(())
}

/// Says in `directory` where the archives are, and returns what the linker needs to take them;
/// nothing if no program can be linked so.
#[allow(clippy::disallowed_methods, reason = "nothing here has a workspace")]
fn archives(directory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    for (name, archives) in LIBRARIES {
        let Some(found) = archives
            .iter()
            .map(|archive| path_of(archive))
            .collect::<Option<Vec<_>>>()
        else {
            return Ok(Vec::new());
        };
        for path in &found {
            println!("cargo::rerun-if-changed={path}");
        }
        fs::write(
            directory.join(name),
            format!("GROUP ( {} )\n", found.join(" ")),
        )?;
    }
    let arguments = vec![format!("-L{}", directory.display()), "-static".to_owned()];
    Ok(if links(directory, &arguments)? {
        arguments
    } else {
        Vec::new()
    })
}

/// Returns whether a program that is linked with `arguments` in `directory` runs.
#[allow(clippy::disallowed_methods, reason = "nothing here has a workspace")]
fn links(directory: &Path, arguments: &[String]) -> Result<bool, Box<dyn Error>> {
    let (source, program) = (directory.join("nothing.c"), directory.join("nothing"));
    fs::write(&source, "int main(void) { return 0; }\n")?;
    let mut linker = linker();
    linker
        .arg(&source)
        .args(ASKED)
        .arg("-no-pie")
        .args(arguments)
        .args(wished("link-arg"))
        .arg("-o")
        .arg(&program);
    let is_done = |command: &mut Command| {
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    Ok(is_done(&mut linker) && is_done(&mut Command::new(&program)))
}

/// Returns what whoever builds this has rustc take for `option`: the linker itself, or what it is
/// asked for.
fn wished(option: &str) -> Vec<String> {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let words = flags.split('\x1f').map(|flag| {
        flag.trim_start_matches("-C")
            .trim_start_matches("--codegen=")
    });
    let values = words.filter_map(|word| word.trim_start().strip_prefix(option));
    let split = |value: &str| match value.strip_prefix("s=") {
        Some(several) => several.split_whitespace().map(str::to_owned).collect(),
        None => Vec::from_iter(value.strip_prefix('=').map(str::to_owned)),
    };
    values.flat_map(split).collect()
}

/// Returns where the C compiler has a library; one that has it not answers with its name alone.
fn path_of(library: &str) -> Option<String> {
    let answer = linker()
        .arg(format!("-print-file-name={library}"))
        .output()
        .ok()?;
    let path = String::from_utf8(answer.stdout).ok()?.trim().to_owned();
    // What a linker reads has no signs of its own in a name.
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "/._-+".contains(character);
    (Path::new(&path).is_absolute() && path.chars().all(is_plain)).then_some(path)
}

/// Returns the C compiler that links the program.
fn linker() -> Command {
    let named = wished("linker")
        .pop()
        .map(OsString::from)
        .or_else(|| env::var_os("RUSTC_LINKER"));
    Command::new(named.unwrap_or_else(|| OsString::from("cc")))
}
