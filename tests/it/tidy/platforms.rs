//! Code for one operating system is only in `workspace/disk`, `process` and `bytes`.

use super::modules::tokens;
use super::{Source, refuse, sources};

/// The directories that may contain code for one operating system.
const PLATFORM_DIRECTORIES: &[&str] = &["src/workspace/disk/", "src/process/", "src/bytes/"];

/// The names of modules and crates whose items differ between operating systems: `std::os`,
/// `fs_err::os` and crates for system calls.
const PLATFORM_NAMES: &[&str] = &["os", "rustix", "libc", "windows_sys", "wpatch_nt"];

/// The options of a condition that depend on the operating system.
const PLATFORM_OPTIONS: &[&str] = &[
    "target_os",
    "target_family",
    "target_env",
    "target_arch",
    "target_vendor",
    "unix",
    "windows",
    "wpatch_no_disk",
];

/// Returns the names for one operating system in `text`, and the conditions on it. Code of tests is
/// included. Comments and literals are not.
fn platform_code(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let names = tokens.iter().filter(|token| PLATFORM_NAMES.contains(token));
    let mut found: Vec<_> = names.map(ToString::to_string).collect();
    for (at, name) in tokens.iter().enumerate() {
        if !["cfg", "cfg_attr"].contains(name) {
            continue;
        }
        let condition = tokens[at + 1..].strip_prefix(&["!"]);
        let condition = condition.unwrap_or(&tokens[at + 1..]);
        let mut depth = 0;
        let options = condition
            .iter()
            .take_while(|token| {
                depth += i32::from(**token == "(") - i32::from(**token == ")");
                depth > 0
            })
            .filter(|token| PLATFORM_OPTIONS.contains(token));
        found.extend(options.map(|option| format!("{name}({option})")));
    }
    found
}

#[test]
fn platform_code_is_in_three_directories() {
    let is_general = |source: &&Source| {
        let path = source.path.as_str();
        !PLATFORM_DIRECTORIES
            .iter()
            .any(|directory| path.starts_with(directory))
    };
    let wrong = |source: &Source| {
        platform_code(&source.text)
            .into_iter()
            .map(|found| format!("{}: {found}", source.path))
            .collect::<Vec<_>>()
    };
    refuse(sources(&["src"]).iter().filter(is_general).flat_map(wrong));
}

#[test]
fn platform_code_is_found_in_every_form() {
    for text in [
        "use std::os::unix::ffi::OsStrExt;",
        "use std::{io, os::windows::fs::FileExt};",
        "use std::os::{\n    unix as system,\n};",
        "use fs_err::os::unix::fs::OpenOptionsExt;",
        "fn f() -> rustix::io::Errno {}",
        "#[cfg(unix)] fn f() {}",
        "#[cfg(windows)] fn f() {}",
        "#[cfg(target_os = \"linux\")] fn f() {}",
        "#![cfg(not(\n    target_os = \"linux\"\n))]",
        "#[cfg(all(test, not(any(unix))))] fn f() {}",
        "#[cfg_attr(windows, allow(dead_code))] fn f() {}",
        "const N: u8 = if cfg!(windows) { 1 } else { 2 };",
        "#[cfg(test)]\nmod tests {\n    use std::os::unix::fs::symlink;\n}",
    ] {
        assert_ne!(platform_code(text), Vec::<String>::new(), "{text}");
    }
    for text in [
        "fn f(text: &[u8]) { for pair in text.windows(2) {} }",
        "// cfg(unix), std::os::unix\n",
        "const N: &str = \"rustix\";",
        "#[cfg(feature = \"windows\")] fn f() { windows() }",
        "const N: bool = cfg!(target_endian = \"big\");",
        "use std::env::consts::OS;",
    ] {
        assert_eq!(platform_code(text), Vec::<String>::new(), "{text}");
    }
}
