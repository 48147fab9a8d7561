//! Detects files that a change makes syntactically invalid.
//!
//! A file that was already invalid is not reported: it could be a template, or in a dialect.
//! Parsers stop at the first fault and build no document. The size limit of each language bounds
//! time and memory.
//!
//! To add a language, add a file to this folder and a row to [`LANGUAGES`].

#[cfg(feature = "code-guard")]
mod code;
mod json;
mod toml;
mod yaml;

use super::{Change, GuardFinding, ParseFailure, has_extension};
use crate::text::{Position, without_bom};

/// A language and its parser.
struct Language {
    name: &'static str,
    /// The file name extensions of the language.
    extensions: &'static [&'static str],
    /// The maximum size of a text that is parsed, in bytes. Parsing a text of this size takes about
    /// 150 megabytes of memory.
    max_size: usize,
    parse: fn(&str) -> Result<(), ParseFailure>,
}

/// All languages.
const LANGUAGES: &[Language] = &[
    Language {
        name: "JSON",
        extensions: &["json", "ipynb", "geojson", "webmanifest"],
        max_size: 64 << 20,
        parse: json::parse,
    },
    Language {
        name: "JSON lines",
        extensions: &["jsonl", "ndjson"],
        max_size: 64 << 20,
        parse: json::parse_lines,
    },
    Language {
        name: "TOML",
        extensions: &["toml"],
        max_size: 1 << 20,
        parse: toml::parse,
    },
    Language {
        name: "YAML",
        extensions: &["yaml", "yml"],
        max_size: 4 << 20,
        parse: yaml::parse,
    },
];

impl ParseFailure {
    fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        Self {
            position: Position::of(text.as_bytes(), offset),
            message: message.into(),
        }
    }
}

pub(super) fn check_file(change: &Change<'_>) -> Option<GuardFinding> {
    let is_of = |language: &&Language| has_extension(change.path, language.extensions);
    let Some(language) = LANGUAGES.iter().find(is_of) else {
        #[cfg(feature = "code-guard")]
        return code::check(change);
        #[cfg(not(feature = "code-guard"))]
        return None;
    };
    let size = change.before.len().max(change.after.len());
    if size > language.max_size {
        return Some(GuardFinding::TooLarge {
            language: language.name,
            size,
            limit: language.max_size,
        });
    }
    let fault = language.check(change.after).err()?;
    language
        .check(change.before)
        .is_ok()
        .then_some(GuardFinding::InvalidSyntax {
            language: language.name,
            failure: fault,
        })
}

pub(super) fn check_block(_: &[u8], _: &[u8]) -> Option<GuardFinding> {
    None
}

impl Language {
    fn check(&self, bytes: &[u8]) -> Result<(), ParseFailure> {
        let bytes = without_bom(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let position = Position::of(bytes, error.valid_up_to());
            ParseFailure {
                position,
                message: "a byte that is not UTF-8".to_owned(),
            }
        })?;
        (self.parse)(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::RelPath;

    fn found(path: &str, before: &[u8], after: &[u8]) -> Option<GuardFinding> {
        let path = RelPath::new(path.as_bytes()).unwrap();
        check_file(&Change {
            path: &path,
            before,
            after,
        })
    }

    fn fault(path: &str, before: &str, after: &str) -> Option<(usize, usize)> {
        match found(path, before.as_bytes(), after.as_bytes())? {
            GuardFinding::InvalidSyntax { failure: fault, .. } => {
                Some((fault.position.line, fault.position.column))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_no_longer_parses_is_told_with_its_place() {
        assert_eq!(fault("a.json", "[1]", "[\n\"é\", 1,]"), Some((2, 9)));
        assert_eq!(fault("a.ipynb", "{}", ""), Some((1, 1)));
        assert_eq!(
            fault("a.JSONL", "1\n\n{}\n", "1\r\n\r\n{}\n{]\n"),
            Some((4, 2))
        );
        assert_eq!(
            fault("a.toml", "a = 1\n", "é = 1\n\"é\" = 2 x\n"),
            Some((1, 1))
        );
        assert_eq!(
            fault("a.toml", "a = 1\n", "a = 1\nb = 2\na = 3\n"),
            Some((3, 1))
        );
        assert_eq!(
            fault("a.yml", "a: 1\n", "é: 1\n\"é\": [1\nb: 2\n"),
            Some((3, 2))
        );
        assert_eq!(fault("a.yaml", "a: 1\n", "é: \"é\" x\n"), Some((1, 10)));
    }

    #[test]
    fn what_parses_or_never_did_is_not_judged() {
        for (path, before, after) in [
            ("a.json", "\u{feff}{}", "\u{feff}[1e999, \"\\ud800\"]"),
            ("a.json", "// a comment\n{}", "{"),
            ("a.jsonl", "1\n", "1\r\n2"),
            ("a.toml", "a = 1", ""),
            ("a.yaml", "{{ template }}: x: y\n", "["),
            ("a.yaml", "a: 1\n", "--- &x\na: *x\n---\n- - b\n"),
            ("a.txt", "{}", "{"),
            ("json", "{}", "{"),
        ] {
            assert_eq!(fault(path, before, after), None, "{path} {after}");
        }
        let message = found("a.json", b"[]", b"[\"\xe9\"]").unwrap().to_string();
        assert_eq!(
            message,
            "the file is no longer valid JSON: line 1, column 3: a byte that is not UTF-8"
        );
    }

    #[test]
    fn depth_costs_nothing_but_time() {
        let deep = |unit: &str, count: usize| unit.repeat(count);
        assert_eq!(
            fault("a.json", "[]", &deep("[", 100_000)),
            Some((1, 100_000))
        );
        assert_eq!(
            fault("a.json", "[]", &(deep("[", 100_000) + &deep("]", 100_000))),
            None
        );
        for unit in ["[", "{", "- ", "? ", ": ", "[a, ", "{a: ", "- ? "] {
            assert!(
                fault("a.yaml", "a: 1\n", &deep(unit, 100_000)).is_some_and(|(line, _)| line == 1),
                "{unit}"
            );
        }
        for unit in ["[", "{a = ", "[[", "a."] {
            let text = format!("a = {}", deep(unit, 100_000));
            assert!(
                fault("a.toml", "", &text).is_some_and(|(line, _)| line == 1),
                "{unit}"
            );
        }
    }

    #[test]
    fn over_its_size_a_file_is_not_looked_at_and_that_is_told() {
        for language in LANGUAGES
            .iter()
            .filter(|language| language.max_size < 16 << 20)
        {
            let path = format!("a.{}", language.extensions[0]);
            let text = "#".repeat(language.max_size);
            assert_eq!(found(&path, b"", text.as_bytes()), None);
            let finding = GuardFinding::TooLarge {
                language: language.name,
                size: language.max_size + 1,
                limit: language.max_size,
            };
            assert_eq!(
                found(&path, b"", (text.clone() + "#").as_bytes()),
                Some(finding.clone())
            );
            assert_eq!(found(&path, (text + "#").as_bytes(), b""), Some(finding));
        }
    }
}
