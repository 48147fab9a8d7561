//! The manual pages, and the reference of all commands and options.
#![cfg(unix)]

use std::process::Command;

use fs_err as fs;
use regex::Regex;

const WPATCH: &str = env!("CARGO_BIN_EXE_wpatch");

/// Returns what `wpatch man` with `arguments` prints.
fn man(arguments: &[&str]) -> String {
    let output = crate::world::wpatch()
        .arg("man")
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_reference_has_each_command_and_option() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/commands.md");
    let wanted = man(&["--markdown"]);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, &wanted).unwrap();
    }
    let written = fs::read_to_string(path).unwrap();
    assert!(
        written == wanted,
        "write docs/reference/commands.md anew: wpatch man --markdown"
    );
}

#[test]
fn each_manual_page_is_complete_and_without_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    let mut count = 0;
    for name in man(&["--list"]).lines() {
        let page = man(&[name]);
        if page.starts_with(".so ") {
            assert_eq!((name, page.as_str()), ("git-wpatch", ".so man1/wpatch.1\n"));
            continue;
        }
        for section in [
            "NAME",
            "SYNOPSIS",
            "EXIT STATUS",
            "ENVIRONMENT",
            "FILES",
            "EXAMPLES",
            "SEE ALSO",
        ] {
            let is_there = page.lines().any(|line| {
                line.strip_prefix(".SH ")
                    .is_some_and(|title| title.trim_matches('"') == section)
            });
            assert!(is_there, "{name} has no section {section}");
        }
        let (_, examples) = page.split_once("EXAMPLES").unwrap();
        assert!(examples.contains("wpatch"), "{name} has no example");
        let path = directory.path().join(name);
        fs::write(&path, page).unwrap();
        let output = Command::new("man")
            .args(["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"])
            .arg(path)
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("man is installed");
        let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && warnings.is_empty(),
            "{name}: {warnings}"
        );
        count += 1;
    }
    assert!(count > 20, "{count} pages");
}

#[test]
fn the_program_accepts_the_command_line_of_each_example() {
    let directory = tempfile::tempdir().unwrap();
    let reference = man(&["--markdown"]);
    let example = Regex::new("^- [^`]+: `([^`]*wpatch [^`]*)`$").unwrap();
    // `--help` ends a command after its options are parsed. Redirections are cut.
    // The words after `--` are a command, which is not to run.
    let wpatch = "wpatch() { local words=(); for word; do [ \"$word\" != -- ] || break; words+=(\"$word\"); done; \
                  \"$WPATCH\" \"${words[@]}\" --help || echo \"$*\" >&2; }; git() { :; }; less() { cat; }";
    let lines = reference.lines().filter_map(|line| example.captures(line));
    let mut count = 0;
    for line in lines.map(|found| found[1].to_owned()) {
        let end = line.find(" > ").or_else(|| line.find(" < "));
        let command = format!("{wpatch}; {}", &line[..end.unwrap_or(line.len())]);
        let output = Command::new("bash")
            .args(["-c", &command])
            .current_dir(directory.path())
            .env("WPATCH", WPATCH)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && errors.is_empty(),
            "{line}: {errors}"
        );
        count += 1;
    }
    assert!(count > 30, "{count} examples");
}
