//! The plan of the house as data, and what fails when a file does not keep to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fs_err as fs;
use walkdir::WalkDir;

mod imports;
mod length;
mod modules;

/// Each module of the crate with the modules that it may import; a module stands behind all that it
/// imports.
const LAYERS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("digest", &[]),
    ("mode", &[]),
    ("path", &["text"]),
    ("mutex", &[]),
    ("interrupt", &[]),
    ("threads", &["mutex"]),
    ("bytes", &["text", "threads"]),
    ("process", &["mutex", "interrupt"]),
    ("progress", &["mutex"]),
    ("whitespace", &[]),
    ("convert", &["digest"]),
    ("lines", &["text", "interrupt", "whitespace"]),
    ("plan", &["text", "digest", "mode", "path"]),
    (
        "workspace",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "mutex",
            "interrupt",
            "bytes",
            "process",
        ],
    ),
    ("change", &["text", "digest", "mode", "path", "workspace"]),
    (
        "syntax",
        &["text", "digest", "mode", "path", "lines", "plan"],
    ),
    (
        "matching",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "interrupt",
            "whitespace",
            "lines",
            "plan",
        ],
    ),
    ("notebook", &["text", "digest", "plan"]),
    ("guard", &["text", "path"]),
    (
        "diagnostics",
        &["text", "path", "mutex", "interrupt", "process"],
    ),
    ("policy", &["text", "digest", "mode", "path", "plan"]),
    (
        "repair",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "plan",
            "workspace",
            "lines",
            "syntax",
            "matching",
            "policy",
        ],
    ),
    (
        "preflight",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "plan",
            "workspace",
            "change",
            "syntax",
            "lines",
            "matching",
            "notebook",
            "guard",
            "policy",
            "progress",
            "mutex",
            "interrupt",
            "threads",
            "whitespace",
            "convert",
        ],
    ),
    (
        "transaction",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "mutex",
            "interrupt",
            "threads",
            "policy",
            "progress",
            "workspace",
            "change",
        ],
    ),
    (
        "report",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "plan",
            "change",
            "syntax",
            "lines",
            "matching",
            "notebook",
            "diagnostics",
            "policy",
            "preflight",
            "process",
            "transaction",
            "threads",
        ],
    ),
    (
        "engine",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "mutex",
            "interrupt",
            "threads",
            "plan",
            "workspace",
            "change",
            "syntax",
            "lines",
            "matching",
            "notebook",
            "guard",
            "diagnostics",
            "policy",
            "preflight",
            "process",
            "progress",
            "repair",
            "transaction",
            "report",
            "whitespace",
        ],
    ),
    (
        "cli",
        &[
            "text", "digest", "mode", "path", "mutex", "bytes", "report", "engine",
        ],
    ),
];

/// The files that put the crate together, and may import everything.
const ROOTS: &[&str] = &["lib.rs", "main.rs", "prelude.rs"];

/// A source file below the root of the project.
struct Source {
    /// As in `src/plan/mod.rs`.
    path: String,
    text: String,
}

impl Source {
    /// Returns the module of the crate that it belongs to; `None` for a file outside `src/` and for
    /// the roots.
    fn module(&self) -> Option<&str> {
        let below = self.path.strip_prefix("src/")?;
        let first = below.split('/').next()?;
        (!ROOTS.contains(&below)).then(|| first.strip_suffix(".rs").unwrap_or(first))
    }

    /// Returns the code, without comments and without the tests in the file, which may import
    /// anything.
    fn code(&self) -> impl Iterator<Item = &str> {
        let lines = self
            .text
            .lines()
            .take_while(|line| line.trim() != "#[cfg(test)]");
        lines.filter(|line| !line.trim_start().starts_with("//"))
    }

    /// Returns the modules of the crate that it imports.
    fn imports(&self) -> BTreeSet<&str> {
        let paths = self.code().flat_map(|line| line.split("crate::").skip(1));
        paths
            .map(|path| {
                path.split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default()
            })
            .collect()
    }
}

#[test]
fn the_table_of_layers_has_no_circle() {
    let place: BTreeMap<_, _> = LAYERS
        .iter()
        .enumerate()
        .map(|(place, (module, _))| (*module, place))
        .collect();
    for (module, imports) in LAYERS {
        for import in *imports {
            assert!(
                place[import] < place[module],
                "{module} stands before {import}, which it may import"
            );
        }
    }
}

#[test]
fn imports_go_up_the_table() {
    let layers: BTreeMap<_, _> = LAYERS.iter().copied().collect();
    let wrong = |source: &Source| {
        let Some(module) = source.module() else {
            return Vec::new();
        };
        let Some(allowed) = layers.get(module) else {
            return vec![format!("{}: not in the table", source.path)];
        };
        let is_wrong = |import: &&str| *import != module && !allowed.contains(import);
        let wrong = source.imports().into_iter().filter(is_wrong);
        wrong
            .map(|import| format!("{}: imports {import}", source.path))
            .collect()
    };
    refuse(sources(&["src"]).iter().flat_map(wrong));
}

/// The modules whose results depend on their arguments alone.
const PURE: &[&str] = &[
    "text",
    "path",
    "mode",
    "digest",
    "whitespace",
    "convert",
    "lines",
    "plan",
    "syntax",
    "matching",
    "repair",
    "notebook",
    "guard",
    "policy",
];

/// The items of `std` that a pure module must not use, as the last parts of their paths. A module
/// counts for all its items.
const IMPURE: &[&str] = &[
    "time",
    "Instant",
    "SystemTime",
    "env",
    "thread",
    "fs",
    "net",
    "process",
    "stdin",
    "stdout",
    "stderr",
];

/// Crates with the same items.
const IMPURE_CRATES: &[&str] = &["rayon", "fs_err", "rustix", "humantime", "signal_hook"];

/// Returns what `source` uses of the clock, the environment, threads, and input and output: by a
/// path, or by an import under any name.
fn impurities(source: &Source) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // The name of the platform is a constant.
    let code = source
        .code()
        .collect::<Vec<_>>()
        .join("\n")
        .replace("std::env::consts::OS", "");
    let has_path = |path: &str| {
        let is_end = |(at, _): (usize, &str)| !code[at + path.len()..].starts_with(is_word);
        code.match_indices(path).any(is_end)
    };
    let paths = IMPURE
        .iter()
        .flat_map(|item| ["std", "core"].map(|root| format!("{root}::{item}")));
    let mut found: Vec<_> = paths.filter(|path| has_path(path)).collect();
    found.extend(
        IMPURE_CRATES
            .iter()
            .filter(|name| has_path(name))
            .map(ToString::to_string),
    );
    for import in code
        .split("use ")
        .skip(1)
        .filter_map(|rest| rest.split(';').next())
    {
        let words: Vec<_> = import
            .split(|c: char| !is_word(c) && c != '*')
            .filter(|word| !word.is_empty())
            .collect();
        if !matches!(words.first(), Some(&("std" | "core"))) {
            continue;
        }
        // The word after `as` is the new name.
        let items = words
            .iter()
            .zip(&words[1..])
            .filter(|(before, _)| **before != "as")
            .map(|(_, item)| *item);
        found.extend(
            items
                .filter(|item| IMPURE.contains(item))
                .map(|item| format!("use of {item}")),
        );
        found.extend(matches!(words[1], "as" | "*").then(|| import.to_owned()));
    }
    found
}

#[test]
fn pure_modules_use_no_clock_no_environment_and_no_thread() {
    let is_pure = |source: &&Source| source.module().is_some_and(|module| PURE.contains(&module));
    let wrong = |source: &Source| {
        impurities(source)
            .into_iter()
            .map(|found| format!("{}: {found}", source.path))
            .collect::<Vec<_>>()
    };
    refuse(sources(&["src"]).iter().filter(is_pure).flat_map(wrong));
}

#[test]
fn a_clock_in_a_pure_module_is_found_under_any_name() {
    for text in [
        "use std::time::Instant;",
        "use std::time::{Duration, Instant as Clock};",
        "use std::time;",
        "use std::time as moment;",
        "use std::{fmt, time::SystemTime as Now};",
        "use std::{\n    fmt,\n    env,\n};",
        "fn f() { let _ = std::time::Instant::now(); }",
        "fn f() { let _ = std::env::var(\"A\"); }",
        "use std as s;",
        "use std::*;",
        "use rayon::prelude::*;",
        "fn f() { std::thread::spawn(|| {}); }",
    ] {
        let source = Source {
            path: "src/matching/x.rs".to_owned(),
            text: format!("//! x\n{text}\n"),
        };
        assert!(!impurities(&source).is_empty(), "{text}");
    }
    for text in [
        "use std::fmt as time;",
        "use std::collections::HashMap;",
        "let environment = std::environment;",
    ] {
        let source = Source {
            path: "src/matching/x.rs".to_owned(),
            text: format!("//! x\n{text}\n"),
        };
        assert_eq!(impurities(&source), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn every_module_of_the_table_is_there() {
    let sources = sources(&["src"]);
    let found: BTreeSet<_> = sources.iter().filter_map(Source::module).collect();
    let missing = LAYERS.iter().filter(|(module, _)| !found.contains(module));
    refuse(missing.map(|(module, _)| format!("{module}: in the table and nowhere else")));
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent = |source: &&Source| !source.text.starts_with("//!");
    refuse(
        everything()
            .iter()
            .filter(silent)
            .map(|source| format!("{}: does not begin with //!", source.path)),
    );
}

#[test]
fn platforms_are_told_apart_in_two_folders() {
    let words = [
        "target_os",
        "target_family",
        "target_env",
        "target_arch",
        "unix",
        "windows",
    ];
    let is_condition =
        |line: &&str| line.contains("cfg") && words.iter().any(|word| line.contains(word));
    let knows = |source: &&Source| matches!(source.module(), Some("workspace" | "process"));
    refuse(
        sources(&["src"])
            .iter()
            .filter(|source| !knows(source))
            .flat_map(|source| {
                source
                    .code()
                    .filter(is_condition)
                    .map(|line| format!("{}: {}", source.path, line.trim()))
                    .collect::<Vec<_>>()
            }),
    );
}

#[test]
fn only_the_command_line_and_the_formats_print() {
    let prints = |line: &&str| {
        ["print!(", "println!(", "io::stdout(", "io::stderr("]
            .iter()
            .any(|word| line.contains(word))
    };
    let is_closed = |source: &&Source| !matches!(source.module(), None | Some("cli" | "report"));
    refuse(
        sources(&["src"])
            .iter()
            .filter(is_closed)
            .flat_map(|source| {
                source
                    .code()
                    .filter(prints)
                    .map(|line| format!("{}: {}", source.path, line.trim()))
                    .collect::<Vec<_>>()
            }),
    );
}

#[test]
fn no_test_is_left_out() {
    let word = concat!("#[ign", "ore");
    let skips = |source: &&Source| source.text.contains(word);
    refuse(
        everything()
            .iter()
            .filter(skips)
            .map(|source| format!("{}: leaves a test out", source.path)),
    );
}

fn refuse(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Refuses each of `wrong` that `left` does not list, and each of `left` that is no longer wrong.
fn refuse_more(wrong: impl IntoIterator<Item = String>, left: &[&str]) {
    let wrong: BTreeSet<_> = wrong.into_iter().collect();
    let left: BTreeSet<_> = left.iter().map(ToString::to_string).collect();
    refuse(
        wrong
            .difference(&left)
            .map(|it| format!("{it}: not in the table of exceptions")),
    );
    refuse(
        left.difference(&wrong)
            .map(|it| format!("{it}: remove the exception")),
    );
}

fn everything() -> Vec<Source> {
    sources(&["src", "tests", "benches", "fuzz/fuzz_targets", "fuzz/src"])
}

fn sources(directories: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = directories
        .iter()
        .flat_map(|directory| rust_files(&root.join(directory)));
    let sources: Vec<_> = paths
        .map(|path| Source {
            text: fs::read_to_string(&path).unwrap(),
            path: path
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned(),
        })
        .collect();
    assert!(!sources.is_empty(), "no sources in {directories:?}");
    sources
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(directory)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path());
    entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
