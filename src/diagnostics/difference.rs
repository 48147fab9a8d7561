//! Compares the diagnostics before and after a change.

use std::collections::HashMap;

use super::protocol::{Code, Diagnostic};

/// The diagnostics of a server for one text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextDiagnostics<'a> {
    /// The text; empty if it is unknown.
    pub(super) text: &'a str,
    pub(super) diagnostics: &'a [Diagnostic],
}

/// The key by which a diagnostic is recognized after the change has moved its line. It contains the
/// trimmed text of the line instead of the line number.
#[derive(Debug, PartialEq, Eq, Hash)]
struct DiagnosticKey<'a> {
    message: &'a str,
    code: Option<&'a Code>,
    source: Option<&'a str>,
    line: &'a str,
}

/// Returns the diagnostics that `after` contains more often than `before`, and the number of
/// diagnostics that `before` contains more often than `after`.
pub(super) fn compare<'a>(
    before: TextDiagnostics<'a>,
    after: TextDiagnostics<'a>,
) -> (Vec<&'a Diagnostic>, usize) {
    let mut known: HashMap<DiagnosticKey<'a>, usize> = HashMap::new();
    for (mark, _) in before.with_keys() {
        *known.entry(mark).or_default() += 1;
    }
    let mut new = Vec::new();
    for (mark, diagnostic) in after.with_keys() {
        match known.get_mut(&mark) {
            Some(left @ 1..) => *left -= 1,
            _ => new.push(diagnostic),
        }
    }
    (new, known.into_values().sum())
}

impl<'a> TextDiagnostics<'a> {
    fn with_keys(self) -> impl Iterator<Item = (DiagnosticKey<'a>, &'a Diagnostic)> {
        let lines: Vec<_> = self.text.lines().map(str::trim).collect();
        self.diagnostics.iter().map(move |diagnostic| {
            let line = usize::try_from(diagnostic.range.start.line)
                .ok()
                .and_then(|line| lines.get(line));
            let mark = DiagnosticKey {
                message: &diagnostic.message,
                code: diagnostic.code.as_ref(),
                source: diagnostic.source.as_deref(),
                line: line.copied().unwrap_or_default(),
            };
            (mark, diagnostic)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(line: u32, message: &str) -> Diagnostic {
        let place = |character| json!({ "line": line, "character": character });
        let range = json!({ "start": place(0), "end": place(1) });
        serde_json::from_value(json!({ "range": range, "message": message })).unwrap()
    }

    fn found(before: (&str, &[Diagnostic]), after: (&str, &[Diagnostic])) -> (Vec<u32>, usize) {
        let said = |(text, diagnostics)| TextDiagnostics { text, diagnostics };
        let (new, fixed) = compare(said(before), said(after));
        (
            new.into_iter()
                .map(|diagnostic| diagnostic.range.start.line)
                .collect(),
            fixed,
        )
    }

    #[test]
    fn what_only_moved_is_not_new() {
        assert_eq!(
            found(("a\nb\n", &[at(1, "x")]), ("\n\na\n  b\n", &[at(3, "x")])),
            (vec![], 0)
        );
    }

    #[test]
    fn what_is_said_of_another_line_or_in_other_words_is_new() {
        assert_eq!(
            found(("a\n", &[at(0, "x")]), ("b\n", &[at(0, "x")])),
            (vec![0], 1)
        );
        assert_eq!(
            found(("a\n", &[at(0, "x")]), ("a\n", &[at(0, "y")])),
            (vec![0], 1)
        );
    }

    #[test]
    fn what_is_said_once_more_is_new_once() {
        let twice = [at(0, "x"), at(1, "x")];
        assert_eq!(
            found(("a\n", &twice[..1]), ("a\na\n", &twice)),
            (vec![1], 0)
        );
        assert_eq!(found(("a\na\n", &twice), ("a\n", &twice[..1])), (vec![], 1));
    }

    #[test]
    fn a_line_that_is_not_there_has_no_text() {
        assert_eq!(
            found(("", &[at(7, "x")]), ("a\n", &[at(u32::MAX, "x")])),
            (vec![], 0)
        );
    }
}
