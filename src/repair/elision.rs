//! Elision markers: lines that represent omitted lines, such as `...` or
//! `// ... existing code ...`.

use super::vocabulary::is_about_omitted_lines;
use crate::plan::LineKind;

/// The certainty with which a line is an elision marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elision {
    /// A comment or words state that lines are omitted, as in `// ... existing code ...`.
    Marker,
    /// The whole comment refers to omitted lines, as in `# unchanged`, but it can also be a remark
    /// on code.
    Words,
    /// Dots alone. They are also a statement in Python and the end of a YAML document.
    Dots,
}

/// Words that indicate omitted lines in a comment with dots.
const WORDS: &[&str] = &[
    "existing",
    "rest of",
    "remain",
    "unchanged",
    "omitted",
    "same",
    "keep",
    "other ",
    "previous",
    "truncated",
    "snip",
];

/// Phrases that indicate omitted lines even without a comment, or without dots.
const PHRASES: &[&str] = &[
    "existing code",
    "existing content",
    "existing implementation",
    "existing logic",
    "rest of code",
    "rest of the code",
    "rest of file",
    "rest of the file",
    "rest of the function",
    "rest of function",
    "rest of the method",
    "rest of method",
    "rest of the class",
    "rest of class",
    "rest of the implementation",
    "rest of implementation",
    "rest of the content",
    "remaining code",
    "remaining methods",
    "unchanged code",
    "code unchanged",
    "code omitted",
    "lines omitted",
    "same as before",
    "keep existing",
    "code remains",
    "code stays",
];

/// Returns whether a line is certainly an elision marker.
pub(super) fn is_elision(line: &[u8]) -> bool {
    matches!(detect_elision(line), Some(Elision::Marker | Elision::Dots))
}

fn detect_elision(line: &[u8]) -> Option<Elision> {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let text = text.trim();
    // In `pass  # unchanged`, the statement only makes the placeholder valid code.
    if let Some(comment) = placeholder_comment(text).filter(|_| !is_comment(text)) {
        return detect_elision(comment.as_bytes()).map(|_| Elision::Words);
    }
    // Comment marks and brackets around the words have no meaning.
    let bare = text.trim_matches([
        '#', '/', '*', '-', ';', '%', '<', '!', '>', ' ', '\t', '{', '}',
    ]);
    let is_comment = is_comment(text);
    let inner = bare.trim_matches(['(', ')', '[', ']', ' ']);
    let is_dots = |dots: &&str| inner == *dots;
    let has_dots = ["...", "\u{2026}"]
        .iter()
        .any(|dots| inner.starts_with(dots) || inner.ends_with(dots));
    // Dots in a comment or in brackets are a marker. Dots alone can be code.
    if ["...", "\u{2026}"].iter().any(is_dots) {
        return Some(if text == inner {
            Elision::Dots
        } else {
            Elision::Marker
        });
    }
    let says = |words: &[&str]| words.iter().any(|word| inner.contains(word));
    // Without dots the comment must consist of the phrase, because a remark on code can contain the
    // same words. Dots without a comment need a phrase, because `...args` is code.
    let is_all = || {
        PHRASES
            .iter()
            .any(|phrase| inner.starts_with(phrase) && inner.len() <= phrase.len() + MAX_MORE)
    };
    let is_marker = match (is_comment, has_dots) {
        (true, true) => {
            says(WORDS) || is_about_omitted_lines(inner.trim_matches(['.', '\u{2026}']), true)
        }
        (false, true) => says(PHRASES),
        (true, false) => is_all(),
        (false, false) => false,
    };
    if is_marker {
        return Some(Elision::Marker);
    }
    (is_comment && is_about_omitted_lines(inner, false)).then_some(Elision::Words)
}

fn is_comment(text: &str) -> bool {
    ["//", "#", "/*", "*", "--", ";", "%", "<!--", "{/*"]
        .iter()
        .any(|mark| text.starts_with(mark))
}

/// Returns the comment after a statement without effect.
fn placeholder_comment(text: &str) -> Option<&str> {
    let comment = |statement: &str| {
        Some(text.strip_prefix(statement)?.trim_start()).filter(|rest| is_comment(rest))
    };
    ["pass", "...", ";", "{", "return;"]
        .iter()
        .find_map(|statement| comment(statement))
}

/// The maximum number of bytes after a phrase without dots, for example ` remains unchanged`.
const MAX_MORE: usize = 20;

/// Returns whether `lines` insert an elision marker. `has_counts` states whether the counts of the
/// hunk header are right.
///
/// Dots alone are code in these cases:
///
/// - The preimage contains dots too.
/// - No line is deleted.
/// - The dots replace `pass`.
/// - The dots are the whole body of a block, and at most one line of the old body is deleted.
/// - The counts are right, so they include the dots, and at least as many lines are inserted before
///   the dots as are deleted.
///
/// Words alone are a remark in these cases:
///
/// - The preimage contains such a remark too.
/// - No line is deleted.
/// - The counts are right, and no line next to the remark is deleted.
pub(super) fn writes_elision(lines: &[(LineKind, &[u8])], has_counts: bool) -> bool {
    let has_old_dots = lines
        .iter()
        .any(|(kind, text)| *kind != LineKind::Insertion && is_dots(text));
    let is_none = lines.iter().all(|(kind, _)| *kind != LineKind::Deletion);
    let gone = || {
        lines
            .iter()
            .filter(|(kind, text)| *kind == LineKind::Deletion && !text.trim_ascii().is_empty())
    };
    // `def f():` may change along with its body, so it does not count.
    let body = gone()
        .filter(|(_, text)| !text.trim_ascii_end().ends_with(b":"))
        .count();
    let is_pass = |text: &[u8]| text.trim_ascii() == b"pass";
    // `pass` and `...` are both the body of a stub.
    let is_stub = body == 1 && gone().any(|(_, text)| is_pass(text));
    let is_code = |at: usize, text| {
        let is_block = || body <= 1 && is_whole_block(&lines[..at], text, &lines[at + 1..]);
        has_old_dots || is_none || is_stub || is_block() || has_counts && is_addition(lines, at)
    };
    let has_old_words = || {
        let mut old = lines
            .iter()
            .filter(|(kind, _)| *kind != LineKind::Insertion);
        old.any(|(_, text)| detect_elision(text) == Some(Elision::Words))
    };
    let goes = |lines: &[(LineKind, &[u8])]| {
        lines
            .iter()
            .any(|(kind, text)| *kind == LineKind::Deletion && !text.trim_ascii().is_empty())
    };
    let is_remark = |at: usize| {
        let around = || changes_around(lines, at, |line| line.0);
        let is_lost = if has_counts {
            around().into_iter().any(goes)
        } else {
            goes(lines)
        };
        !is_lost || has_old_words()
    };
    lines
        .iter()
        .enumerate()
        .filter(|(_, (kind, _))| *kind == LineKind::Insertion)
        .any(|(at, (_, text))| match detect_elision(text) {
            Some(Elision::Marker) => true,
            Some(Elision::Words) => !is_remark(at),
            Some(Elision::Dots) => !is_code(at, text),
            None => false,
        })
}

/// Returns whether the insertion at `at` follows at least as many new lines as deleted lines, and
/// no deletion follows it. Only the lines of the same run of changes count.
fn is_addition(lines: &[(LineKind, &[u8])], at: usize) -> bool {
    let [before, after] = changes_around(lines, at, |line| line.0);
    let is_new = |line: &&(LineKind, &[u8])| line.0 == LineKind::Insertion;
    let length = before.iter().rev().take_while(is_new).count();
    let (gone, come) = before.split_at(before.len() - length);
    let count = |lines: &[(LineKind, &[u8])]| {
        lines
            .iter()
            .filter(|(_, text)| !text.trim_ascii().is_empty())
            .count()
    };
    count(gone) <= count(come) && after.iter().all(|line| line.0 == LineKind::Insertion)
}

/// Returns whether changed lines next to an elision marker may be among the lines that the marker
/// represents. The marker is in both texts. Either lines on both sides change and one of them is
/// deleted, or one side only deletes lines. If `return 5` is inserted above the marker and
/// `return x` is deleted below it, the patch may also delete the omitted lines.
pub(super) fn is_marker_moved(lines: &[(LineKind, &[u8])]) -> bool {
    let is_marker = |at: &usize| {
        lines[*at].0 == LineKind::Context && detect_elision(lines[*at].1) == Some(Elision::Marker)
    };
    (0..lines.len()).filter(is_marker).any(|at| {
        let [before, following] = changes_around(lines, at, |line| line.0);
        let goes = |run: &[(LineKind, &[u8])]| run.iter().any(|line| line.0 == LineKind::Deletion);
        let is_pure = |run: &[(LineKind, &[u8])]| {
            goes(run) && run.iter().all(|line| line.0 == LineKind::Deletion)
        };
        has_ambiguous_changes([before, following], |line| line.0)
            || is_pure(before)
            || is_pure(following)
    })
}

/// Returns the changed lines directly before and after the line at `at`.
pub(super) fn changes_around<T>(
    lines: &[T],
    at: usize,
    kind: impl Fn(&T) -> LineKind,
) -> [&[T]; 2] {
    let is_change = |line: &&T| kind(line) != LineKind::Context;
    let before = lines[..at].iter().rev().take_while(is_change).count();
    let following = lines[at + 1..].iter().take_while(is_change).count();
    [&lines[at - before..at], &lines[at + 1..at + 1 + following]]
}

/// Returns whether lines change on both sides of a line, and at least one of them is deleted. The
/// changes may belong to either side.
pub(super) fn has_ambiguous_changes<T>(around: [&[T]; 2], kind: impl Fn(&T) -> LineKind) -> bool {
    around.iter().all(|run| !run.is_empty())
        && around
            .iter()
            .copied()
            .flatten()
            .any(|line| kind(line) == LineKind::Deletion)
}

fn is_dots(text: &[u8]) -> bool {
    detect_elision(text) == Some(Elision::Dots)
}

/// Returns whether `dots` are the only statement of a block. The line before opens a block and is
/// less indented, and the line after is less indented than `dots`.
fn is_whole_block(
    before: &[(LineKind, &[u8])],
    dots: &[u8],
    following: &[(LineKind, &[u8])],
) -> bool {
    let is_new = |(kind, text): &&(LineKind, &[u8])| {
        *kind != LineKind::Deletion && !text.trim_ascii().is_empty()
    };
    let depth = |text: &[u8]| text.len() - text.trim_ascii_start().len();
    let opens_block = |(_, text): &(LineKind, &[u8])| {
        text.trim_ascii_end().ends_with(b":") && depth(text) < depth(dots)
    };
    let opens = before.iter().rev().find(is_new).is_some_and(opens_block);
    opens
        && following
            .iter()
            .find(is_new)
            .is_none_or(|(_, text)| depth(text) < depth(dots))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_told_from_code() {
        let markers = [
            "// ... existing code ...",
            "  # ...",
            "/* ... */",
            "<!-- ... -->",
            "# ... (keep existing code)",
            "// (rest of methods ...)",
            "// ... other imports",
            "... existing code ...",
            "{/* ... existing code ... */}",
            "// rest of the code remains unchanged",
            "# Rest of file",
            "[... rest of the file ...]",
            "-- ...",
            "// \u{2026}",
            "    ...existing code...",
            "// existing code",
            "# same as before",
        ];
        let code = [
            "...args,",
            "    ...existing,",
            "...(is_on ? [] : [])",
            "def f(): ...",
            "func f(xs ...int) {",
            "f(xs...)",
            "... and so it ends.",
            "// Loading...",
            "# wait...",
            "x = ...",
            "...existingItems,",
            "rest of the text",
            "// keep the rest of the buffer for the next call",
            "// the same as above, for existing users",
            "\"...\"",
            "....",
        ];
        for line in markers {
            assert_eq!(
                detect_elision(line.as_bytes()),
                Some(Elision::Marker),
                "{line}"
            );
        }
        for line in code {
            assert_eq!(detect_elision(line.as_bytes()), None, "{line}");
        }
        assert_eq!(detect_elision(b"    ..."), Some(Elision::Dots));
    }

    #[test]
    fn dots_alone_are_code_where_nothing_goes_for_them() {
        let writes_in = |body: &[&str], has_counts| {
            let line = |line: &&'static str| match line.as_bytes() {
                [b'-', text @ ..] => (LineKind::Deletion, text),
                [b'+', text @ ..] => (LineKind::Insertion, text),
                [_, text @ ..] => (LineKind::Context, text),
                [] => (LineKind::Context, &b""[..]),
            };
            let body: Vec<&'static str> = body
                .iter()
                .map(|line| -> &'static str { Box::leak((*line).into()) })
                .collect();
            writes_elision(&body.iter().map(line).collect::<Vec<_>>(), has_counts)
        };
        let writes = |body: &[&str]| writes_in(body, false);
        assert!(!writes(&[" def f():", "-    pass", "+    ..."]));
        assert!(!writes(&["+def f():", "+    ...", " x"]));
        assert!(!writes(&["-    ...", "-x", "-y", "+    ...", "+z"]));
        assert!(!writes(&[
            "-def f(a):",
            "-    pass",
            "+def f(b):",
            "+    ..."
        ]));
        assert!(!writes(&["-    pass", "+    ..."]));
        assert!(writes(&["-    passed()", "+    ..."]));
        assert!(writes(&["-", "+..."]));
        assert!(writes(&[" def f():", "-    a()", "+..."]));
        assert!(writes(&[" def f():", "-    a()", "-    b()", "+    ..."]));
        assert!(writes(&[
            "-a()",
            "-b()",
            "+def f():",
            "+    x",
            "+def g():",
            "+    ..."
        ]));
        assert!(writes(&[" def f():", "-    a()", "+    ...", "     b()"]));
        assert!(writes(&[" x = [", "-    1,", "+    ...", " ]"]));
        assert!(writes(&[" a", "+// ... existing code ..."]));
        assert!(!writes_in(&[" a: 1", "-b: 2", "+b: 3", "+..."], true));
        assert!(writes_in(
            &[" a: 1", "-b: 2", "-c: 2", "+b: 3", "+..."],
            true
        ));
        assert!(writes_in(&["-x", "+y", "-b: 2", "+...", "+z"], true));
        assert!(writes_in(&["-a", "+b", "+...", "-c"], true));
        assert!(!writes_in(&["-x", " y", "+# unchanged"], true));
        assert!(writes(&["-x", " y", "+# unchanged"]));
        assert!(!writes(&["-  # unchanged", "-x", "+# unchanged"]));
    }
}
