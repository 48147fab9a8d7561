//! The text of a message above its patch, in which `git am` reads no change.

use super::{mail, series};
use crate::text::{Lines, Span, without_ending};

/// Returns the start of the patch of the message whose text contains `at`. Returns `None` if `at`
/// is not in the text of a message.
///
/// `end` is the end of the section before `at`, or 0. If no line starts a patch, the whole message
/// is read, and the result is `None`.
pub(crate) fn find_patch_after(text: &[u8], end: usize, at: usize) -> Option<usize> {
    let line = Lines::of_span(text, Span::new(at, text.len())).peek()?;
    if is_patch_start(without_ending(line)) {
        return None;
    }
    let start = find_message_start(text, Span::new(end, at))?;
    let body = mail::find_body(text, start).filter(|&body| body <= at)?;
    for (span, line) in Lines::of_span(text, Span::new(body, text.len())) {
        let line = without_ending(line);
        if is_patch_start(line) {
            return (span.start > at).then_some(span.start);
        }
        if series::is_from_line(line) {
            return None;
        }
    }
    None
}

/// Returns the start of the last message in `between`. The first message of a text needs no `From `
/// line.
fn find_message_start(text: &[u8], between: Span) -> Option<usize> {
    let is_from_line = |(_, line): &(Span, &[u8])| series::is_from_line(without_ending(line));
    let last = Lines::of_span(text, between).filter(is_from_line).last();
    let first = || Lines::of_span(text, between).find(|(_, line)| !line.trim_ascii().is_empty());
    let start = last.or_else(|| first().filter(|_| between.start == 0))?;
    Some(start.0.start)
}

/// Returns whether the text of a message ends before `line` (`patchbreak` in git's `mailinfo.c`).
/// `line` has no terminator.
pub(crate) fn is_patch_start(line: &[u8]) -> bool {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\x0b';
    match line.strip_prefix(b"---") {
        Some([b' ', name, ..]) if !is_blank(name) => true,
        Some(rest) => rest.iter().all(is_blank),
        None => line.starts_with(b"diff -") || line.starts_with(b"Index: "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::testing::{describe, parse_error};

    const MAIL: &str = "From: a\nSubject: b\n\n";
    const PATCH: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
    const QUOTED: &str =
        "The test prints\n@@ -1,5 +1,5 @@\n-a\n+b\n*** Begin Patch\n*** Add File: x\n+a\n";

    #[test]
    fn a_message_ends_at_the_lines_of_git() {
        for line in [
            "diff -u",
            "diff --git a/a b/a",
            "Index: a",
            "---",
            "--- ",
            "---\t ",
            "--- a",
            "--- -",
            "---\r",
        ] {
            assert!(is_patch_start(line.as_bytes()), "{line}");
        }
        for line in [
            "", "diff a b", "Index:", "--", "-- ", "---a", "---\ta", "---  a", "--- \ta", "----",
            " ---",
        ] {
            assert!(!is_patch_start(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn the_text_of_a_message_has_no_section() {
        let from = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n";
        let one = format!("{MAIL}{QUOTED}---\n stat\n\n{PATCH}-- \n2\n\n");
        assert_eq!(describe(&one), ["Modify a +1-1"]);
        let steps = [
            "Modify a +1-1",
            "Modify a +1-1 step 1",
            "Modify a +1-1 step 2",
        ];
        assert_eq!(describe(&format!("\n{one}{from}{one}{from}{one}")), steps);
        for border in ["", "Index: a\n", "---\t\n"] {
            assert_eq!(
                describe(&format!("{MAIL}{QUOTED}{border}{PATCH}")),
                ["Modify a +1-1"],
                "{border}"
            );
        }
    }

    #[test]
    fn a_hunk_below_the_text_or_outside_of_a_message_belongs_to_it() {
        for text in [
            format!("{MAIL}text\n---\n@@ -1,5 +1,5 @@\n{PATCH}"),
            format!("{MAIL}---  a\n@@ -1,5 +1,5 @@\n--- \n@@ -1,5 +1,5 @@\n{PATCH}"),
            format!("{MAIL}@@ -1,5 +1,5 @@\n-a\n"),
            format!("text\n@@ -1,5 +1,5 @@\n-a\n{PATCH}"),
            format!("{MAIL}{PATCH}-- \n2\n\n@@ -1,5 +1,5 @@\n-a\n{PATCH}"),
        ] {
            assert_eq!(parse_error(&text).1, "@@ -1,5 +1,5 @@", "{text}");
        }
        let context = "*** a/a\n--- b/a\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n";
        assert_eq!(
            describe(&format!("{MAIL}text\n\n{context}")),
            ["Modify a +1-1"]
        );
    }
}
