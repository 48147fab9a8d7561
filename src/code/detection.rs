//! Recognises the language of a file by its name, or by its first line.

use super::languages::{LANGUAGES, Language};
use crate::path::RelPath;

/// The extensions of other programming languages, which have no grammar here.
const WITHOUT_GRAMMAR: &[&str] = &[
    "asm", "clj", "coffee", "cu", "d", "dart", "ex", "exs", "erl", "f90", "fs", "groovy", "hs",
    "jl", "kt", "kts", "less", "lua", "m", "ml", "mm", "nim", "pas", "pl", "pm", "ps1", "r",
    "sass", "scala", "scss", "svelte", "swift", "tcl", "v", "vb", "vhd", "vue", "zig", "zsh",
];

/// The endings of file names of style sheets in languages other than CSS.
const PREPROCESSED: &[&str] = &[".less.css", ".sass.css", ".scss.css"];

/// Returns the language of the file at `path` with the content `text`.
#[must_use]
pub fn language_of(path: &RelPath, text: &[u8]) -> Option<&'static Language> {
    language_of_name(path.name(), text)
}

/// Returns the language of a file. `name` is the last component of its path.
pub(super) fn language_of_name(name: &[u8], text: &[u8]) -> Option<&'static Language> {
    if PREPROCESSED
        .iter()
        .any(|end| name.ends_with(end.as_bytes()))
    {
        return None;
    }
    let extension = extension(name);
    let is_named = |language: &&Language| {
        let has_extension = |known: &&str| {
            extension.is_some_and(|found| found.eq_ignore_ascii_case(known.as_bytes()))
        };
        language.extensions.iter().any(has_extension)
            || language
                .file_names
                .iter()
                .any(|known| name == known.as_bytes())
    };
    let program = interpreter(text);
    match LANGUAGES.iter().find(is_named) {
        // A script for another shell can have the same extension.
        Some(language) if !language.interpreters.is_empty() => {
            let is_other = |program: &[u8]| !language.is_run_by(program);
            (!program.is_some_and(is_other)).then_some(language)
        }
        Some(language) => Some(language),
        None => {
            let program = program.filter(|_| extension.is_none())?;
            LANGUAGES
                .iter()
                .find(|language| language.is_run_by(program))
        }
    }
}

/// Returns whether the name of `path` is the name of source code in a language that has no grammar.
#[must_use]
pub fn is_without_grammar(path: &RelPath) -> bool {
    extension(path.name())
        .is_some_and(|extension| WITHOUT_GRAMMAR.iter().any(|it| it.as_bytes() == extension))
}

impl Language {
    /// Returns whether `program` is an interpreter of the language.
    fn is_run_by(&self, program: &[u8]) -> bool {
        // The version can follow the name, as in `python3.12`.
        let is_version = |rest: &[u8]| {
            rest.iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'.')
        };
        self.interpreters
            .iter()
            .filter_map(|known| program.strip_prefix(known.as_bytes()))
            .any(is_version)
    }
}

/// Returns the extension of the file `name`.
fn extension(name: &[u8]) -> Option<&[u8]> {
    memchr::memrchr(b'.', name)
        .filter(|&dot| dot > 0)
        .map(|dot| &name[dot + 1..])
}

/// Returns the name of the program in the `#!` line of `text`.
fn interpreter(text: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let mut words = text[..end]
        .strip_prefix(b"#!")?
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let program = last_component(words.next()?);
    if program == b"env" {
        return words
            .find(|word| !word.starts_with(b"-"))
            .map(last_component);
    }
    Some(program)
}

/// Returns the part of `path` after its last slash.
pub(super) fn last_component(path: &[u8]) -> &[u8] {
    &path[memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(path: &str, text: &str) -> Option<&'static str> {
        let path = RelPath::new(path.as_bytes()).unwrap();
        language_of(&path, text.as_bytes()).map(|language| language.name)
    }

    #[test]
    fn the_name_or_the_first_line_selects_the_language() {
        for (path, text, name) in [
            ("a/b.py", "", Some("Python")),
            ("A.PY", "", Some("Python")),
            ("b/Rakefile", "", Some("Ruby")),
            ("x", "#!/bin/sh -e\n", Some("Bash")),
            ("x", "#! /usr/bin/env -S python3.12 -u\n", Some("Python")),
            ("x", "#!/usr/bin/python-config\n", None),
            ("x.txt", "#!/bin/sh\n", None),
            ("a.sh", "#!/usr/bin/env zsh\n", None),
            ("a.sh", "#!/bin/bash\n", Some("Bash")),
            (".py", "", None),
            ("a.sass.css", "", None),
        ] {
            assert_eq!(name_of(path, text), name, "{path}");
        }
        assert!(is_without_grammar(
            &RelPath::new("a.kt".as_bytes()).unwrap()
        ));
        assert!(!is_without_grammar(
            &RelPath::new("a.txt".as_bytes()).unwrap()
        ));
    }

    #[test]
    fn each_grammar_can_be_loaded() {
        for language in LANGUAGES {
            assert!(language.parse("").is_ok(), "{}", language.name);
            assert!(!language.interpreters.contains(&""));
        }
    }
}
