//! Links the program so that it starts fast: its start takes half of the time of a small patch.
//!
//! If the C compiler has static archives of the C library, the program is linked statically and for
//! one address. Otherwise, each start would find, load and bind shared libraries, and relocate 230
//! KB of pointers, which takes longer than reading the patch. Stack and heap still have random
//! addresses.
//!
//! Cargo has no setting for this that does not also apply to procedural macros, which must be
//! shared libraries. Therefore, the linker searches `OUT_DIR` first. There, the libraries that Rust
//! requests by name are linker scripts that name the archives.
//!
//! The build script links and runs an empty program first. If that fails, only `-no-pie` is set.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The libraries that Rust requests and that are shared by default, and the archives that replace
/// them.
const LIBRARIES: [(&str, &[&str]); 3] = [
    ("libc.a", &["libc.a", "libgcc_eh.a", "libgcc.a"]),
    ("libgcc_s.a", &["libgcc_eh.a", "libgcc.a", "libc.a"]),
    ("libm.a", &["libm.a"]),
];
/// The arguments with which Rust requests libraries.
const REQUESTED: [&str; 9] = [
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
        // The compiler for another target has other archives.
        && env::var("HOST") == env::var("TARGET")
        && env::var_os("CARGO_CFG_SANITIZE").is_none()
        // Rust itself links statically then.
        && !env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if is_plain {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        let directory = env::var("OUT_DIR")?;
        let directory = Path::new(&directory);
        for argument in write_linker_scripts(directory)? {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
    }
    Ok(())
}

/// Writes the linker scripts into `directory`, and returns the arguments of the linker. The list is
/// empty if a program cannot be linked with them.
#[allow(clippy::disallowed_methods, reason = "a build script has no workspace")]
fn write_linker_scripts(directory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    for (name, archives) in LIBRARIES {
        let Some(found) = archives
            .iter()
            .map(|archive| library_path(archive))
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
#[allow(clippy::disallowed_methods, reason = "a build script has no workspace")]
fn links(directory: &Path, arguments: &[String]) -> Result<bool, Box<dyn Error>> {
    let (source, program) = (directory.join("nothing.c"), directory.join("nothing"));
    fs::write(&source, "int main(void) { return 0; }\n")?;
    let mut linker = linker();
    linker
        .arg(&source)
        .args(REQUESTED)
        .arg("-no-pie")
        .args(arguments)
        .args(rustc_options("link-arg"))
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

/// Returns the values of the code generation option `option` of rustc, or of its plural.
fn rustc_options(option: &str) -> Vec<String> {
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

/// Returns the path of `library`, if the C compiler has it. Otherwise, the compiler prints the name.
fn library_path(library: &str) -> Option<String> {
    let answer = linker()
        .arg(format!("-print-file-name={library}"))
        .output()
        .ok()?;
    let path = String::from_utf8(answer.stdout).ok()?.trim().to_owned();
    // Other characters can have a meaning in a linker script.
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "/._-+".contains(character);
    (Path::new(&path).is_absolute() && path.chars().all(is_plain)).then_some(path)
}

/// Returns the C compiler that links the program.
fn linker() -> Command {
    let named = rustc_options("linker")
        .pop()
        .map(OsString::from)
        .or_else(|| env::var_os("RUSTC_LINKER"));
    Command::new(named.unwrap_or_else(|| OsString::from("cc")))
}
