//! Pure modules use no clock, no environment, no threads and no I/O, and import only pure modules.

use super::{LAYERS, Source, refuse, sources};

/// The modules of layers 0 to 2. Their results depend on their arguments alone.
///
/// `interrupt` is pure: the caller passes the handle, and a raised handle only ends the work early.
/// `mutex` is not in this list, because only modules that share state between threads need it.
const PURE: &[&str] = &[
    "text",
    "path",
    "mode",
    "digest",
    "interrupt",
    "stat",
    "workspace_error",
    "whitespace",
    "convert",
    "lines",
    "plan",
    "change",
    "syntax",
    "matching",
    "repair",
    "notebook",
    "code",
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

/// Returns the modules that a module of `pure` may import according to `layers` and that are not
/// in `pure`.
fn impure_imports(layers: &[(&str, &[&str])], pure: &[&str]) -> Vec<String> {
    let rows = layers.iter().filter(|(module, _)| pure.contains(module));
    rows.flat_map(|(module, imports)| {
        imports
            .iter()
            .filter(|import| !pure.contains(import))
            .map(move |import| format!("{module}: may import {import}, which is not pure"))
    })
    .collect()
}

#[test]
fn pure_modules_import_only_pure_modules() {
    refuse(impure_imports(LAYERS, PURE));
    let is_missing = |module: &&&str| !LAYERS.iter().any(|(known, _)| known == *module);
    let missing = PURE.iter().filter(is_missing);
    refuse(missing.map(|module| format!("{module}: not in the table of layers")));
}

#[test]
fn an_import_of_an_impure_module_is_found() {
    let layers: &[(&str, &[&str])] = &[
        ("text", &[]),
        ("workspace", &["text"]),
        ("repair", &["text", "workspace"]),
    ];
    assert_eq!(
        impure_imports(layers, &["text", "repair"]),
        ["repair: may import workspace, which is not pure"]
    );
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
