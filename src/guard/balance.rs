//! Detects changes that unbalance brackets or preprocessor conditions, and blocks that are replaced
//! with `[]`.
//!
//! Openings minus closings are counted over the whole file, including strings and comments.
//! Unchanged text cancels out. The count therefore works for every language and every patch format.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;

use super::{Change, GuardFinding, has_extension};
use crate::text::{is_binary, lines, without_bom};

/// The opening and the closing of each pair, in the order of the differences. The last pair is
/// counted only in files that the C preprocessor reads.
const PAIRS: [(&str, &str); 4] = [("{", "}"), ("[", "]"), ("(", ")"), ("#if", "#endif")];

/// The extensions of files that the C preprocessor reads.
const PREPROCESSED_EXTENSIONS: &[&str] = &[
    "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tpp",
    "m", "mm", "cu", "cuh",
];

/// The minimum number of characters in a block whose replacement with `[]` is reported.
const MIN_PLACEHOLDER_CHARS: usize = 80;

/// A pair that a change unbalances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BalanceChange {
    /// The opening and the closing.
    pub pair: (&'static str, &'static str),
    /// Openings minus closings before the change.
    pub before: i64,
    /// Openings minus closings after the change.
    pub after: i64,
}

impl BalanceChange {
    /// Returns whether the change is a fault. A difference that gets closer to 0 is a repair.
    fn is_fault(self) -> bool {
        self.before != self.after && self.before.abs() <= self.after.abs()
    }
}

impl fmt::Display for BalanceChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pair: (opening, closing),
            before,
            after,
        } = self;
        write!(
            f,
            "`{opening}` minus `{closing}` was {before} and is now {after}"
        )
    }
}

pub(super) fn check_file(change: &Change<'_>) -> Option<GuardFinding> {
    if is_binary(change.before) || is_binary(change.after) {
        return None;
    }
    let (before, after) = text_to_count(change);
    // `sums` counts single bytes. The preprocessor conditions, the last pair, are counted by line.
    let mut sums = [count_brackets(&before), count_brackets(&after)];
    if has_extension(change.path, PREPROCESSED_EXTENSIONS) {
        sums[0][3] = count_conditions(&before);
        sums[1][3] = count_conditions(&after);
    }
    let differences = PAIRS.into_iter().zip(sums[0]).zip(sums[1]);
    let differences = differences.map(|((pair, before), after)| BalanceChange {
        pair,
        before,
        after,
    });
    let differences: Vec<_> = differences
        .filter(|difference| difference.is_fault())
        .collect();
    (!differences.is_empty()).then_some(GuardFinding::Unbalanced(differences))
}

pub(super) fn check_block(old: &[u8], new: &[u8]) -> Option<GuardFinding> {
    if new.trim_ascii() != b"[]" || memchr::memchr2(b'{', b'}', old).is_none() {
        return None;
    }
    let length = String::from_utf8_lossy(old).chars().count();
    (length >= MIN_PLACEHOLDER_CHARS).then_some(GuardFinding::Placeholder(length))
}

/// Returns openings minus closings of each kind of bracket, and 0 for preprocessor conditions.
fn count_brackets(text: &[u8]) -> [i64; PAIRS.len()] {
    let mut counts = [0; 256];
    for &byte in text {
        counts[usize::from(byte)] += 1;
    }
    let of = |opening: u8, closing: u8| counts[usize::from(opening)] - counts[usize::from(closing)];
    [of(b'{', b'}'), of(b'[', b']'), of(b'(', b')'), 0]
}

/// Returns the count of `#if`, `#ifdef` and `#ifndef` minus the count of `#endif`.
fn count_conditions(text: &[u8]) -> i64 {
    let of_line = |(_, line): (_, &[u8])| {
        let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else {
            return 0;
        };
        let directive = directive.trim_ascii_start();
        let end = directive
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric())
            .unwrap_or(directive.len());
        match &directive[..end] {
            b"if" | b"ifdef" | b"ifndef" => 1,
            b"endif" => -1,
            _ => 0,
        }
    };
    lines(text).map(of_line).sum()
}

/// Returns the text to count: the whole file, or the cell sources of a notebook. The outputs of a
/// notebook change with each run and can contain terminal escapes.
fn text_to_count<'a>(change: &Change<'a>) -> (Cow<'a, [u8]>, Cow<'a, [u8]>) {
    let sources = || Some((join_sources(change.before)?, join_sources(change.after)?));
    match has_extension(change.path, &["ipynb"])
        .then(sources)
        .flatten()
    {
        Some((before, after)) => (Cow::Owned(before), Cow::Owned(after)),
        None => (Cow::Borrowed(change.before), Cow::Borrowed(change.after)),
    }
}

/// The part of a notebook that its author writes.
#[derive(Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    source: CellSource,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CellSource {
    Whole(String),
    Lines(Vec<String>),
}

fn join_sources(notebook: &[u8]) -> Option<Vec<u8>> {
    let notebook: Notebook = serde_json::from_slice(without_bom(notebook)).ok()?;
    let text = |cell: Cell| match cell.source {
        CellSource::Whole(text) => text,
        CellSource::Lines(lines) => lines.concat(),
    };
    Some(
        notebook
            .cells
            .into_iter()
            .map(text)
            .collect::<String>()
            .into_bytes(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::RelPath;

    fn message(path: &str, before: &str, after: &str) -> String {
        let path = RelPath::new(path.as_bytes()).unwrap();
        let change = Change {
            path: &path,
            before: before.as_bytes(),
            after: after.as_bytes(),
        };
        check_file(&change).map_or_else(String::new, |finding| finding.to_string())
    }

    #[test]
    fn what_does_not_balance_is_told_with_its_counts() {
        assert_eq!(message("a", "f(x) { [", "{ f(x) [ ] ["), "");
        assert_eq!(
            message("a", "{)", "{{(["),
            "the change unbalances the brackets of the file: `{` minus `}` was 1 and is now 2, `[` minus `]` was 0 \
             and is now 1, `(` minus `)` was -1 and is now 1"
        );
        assert_eq!(message("a", "{", "{{\0"), "");
    }

    #[test]
    fn a_change_that_repairs_the_balance_is_accepted() {
        assert_eq!(message("a.c", "g(;\n", "g();\n"), "");
        assert_eq!(message("a.c", "]]}#if\n", "]\n"), "");
        assert_eq!(
            message("a", "(", ")"),
            "the change unbalances the brackets of the file: `(` minus `)` was 1 and is now -1"
        );
    }

    #[test]
    fn conditions_count_where_there_is_a_preprocessor() {
        let before = "#if A\n#else\n#endif\n";
        let after = "  #  ifdef A\n#elif\n#ifndef(B)\r\n#endif";
        let found = "the change unbalances the brackets of the file: `#if` minus `#endif` was 0 and is now 1";
        assert_eq!(message("x/a.HPP", before, after), found);
        assert_eq!(message("a.c", before, "#ifx\n#if A\n#endif"), "");
        assert_eq!(message("c", before, "#if"), "");
    }

    #[test]
    fn of_a_notebook_the_sources_count() {
        let notebook = |source: &str, output: &str| {
            format!(
                r#"{{"cells": [{{"source": {source}, "outputs": ["{output}"]}}, {{"source": "x"}}]}}"#
            )
        };
        assert_eq!(
            message(
                "a.ipynb",
                &notebook(r#"["f(\n", ")"]"#, "["),
                &notebook(r#""f()""#, "((")
            ),
            ""
        );
        let found =
            "the change unbalances the brackets of the file: `(` minus `)` was 0 and is now 1";
        assert_eq!(
            message(
                "a.ipynb",
                &notebook(r#""""#, ""),
                &notebook(r#"["f("]"#, "")
            ),
            found
        );
        assert_eq!(message("a.ipynb", "{}", "{}("), found);
    }

    #[test]
    fn a_long_block_with_braces_does_not_give_way_to_a_placeholder() {
        let block = |length: usize| format!("{{{}}}", "é".repeat(length - 2));
        let judged = |old: &str, new: &str| check_block(old.as_bytes(), new.as_bytes());
        assert_eq!(
            judged(&block(80), "\t[] \r\n"),
            Some(GuardFinding::Placeholder(80))
        );
        assert_eq!(judged(&block(79), "[]"), None);
        assert_eq!(judged(&block(80), "[ ]"), None);
        assert_eq!(judged(&"x".repeat(80), "[]"), None);
    }
}
