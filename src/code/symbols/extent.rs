//! The extent of a symbol: the comments, separators and white space that belong to it.

use std::ops::Range;

use crate::code::definitions::SymbolRules;
use crate::code::symbol::Symbol;

/// Texts that occur only in comments about the whole file, in lower case.
const FILE_MARKS: &[&str] = &[
    "@ts-",
    "coding:",
    "coding=",
    "copyright",
    "eslint-",
    "frozen_string_literal",
    "license",
    "spdx-",
];

/// Completes the extent of `symbol`, which is the span of its nodes. `comments` are the spans of all
/// comments before and after it, in order.
pub(super) fn complete(
    symbol: &mut Symbol,
    text: &str,
    comments: &[Range<usize>],
    rules: &SymbolRules,
) {
    let start = symbol.bytes.start;
    let indentation = indentation_before(text, start);
    symbol.before.shares_line = indentation.is_none();
    if let Some(indentation) = indentation {
        symbol.bytes.start =
            start_of_comments(text, comments, (start, indentation), rules) - indentation.len();
    }
    let end = without_next_semicolon(text[..symbol.bytes.end].trim_end()).len();
    let end = if rules.needs_semicolon {
        let end = skip_statement_end(text, end);
        symbol.has_fault |= end.is_none();
        end.unwrap_or(symbol.bytes.end)
    } else {
        skip_separator(text, end, ';')
    };
    let separator_end = skip_separator(text, end, ',');
    let mut ends = [end, separator_end];
    for end in &mut ends {
        *end = skip_comment(text, *end, comments);
    }
    if rules.is_indented {
        let depth = indentation.map_or(0, str::len);
        ends = ends.map(|end| skip_indented_comments(text, end, comments, depth));
    }
    [symbol.bytes.end, symbol.separator_end] = ends;
    symbol.after.shares_line = !is_line_end(text, symbol.separator_end);
    // In the trees of some grammars, comments are outside the container.
    symbol.before.has_no_neighbour &= !has_comment_before(text, symbol.bytes.start, comments);
    symbol.after.has_no_neighbour &=
        !has_comment_after(text, symbol.separator_end, comments, indentation);
}

/// Returns the end of the construct that ends at `end` and of a semicolon, a comma and a comment
/// after it. Returns `None` if other code follows on the line.
pub(super) fn end_of_line(text: &str, end: usize, comments: &[Range<usize>]) -> Option<usize> {
    let end = text[..end].trim_end().len();
    let end = skip_separator(text, skip_separator(text, end, ';'), ',');
    let end = skip_comment(text, end, comments);
    is_line_end(text, end).then_some(end)
}

/// Returns the start of the comments directly above `start`, which have the same indentation.
fn start_of_comments(
    text: &str,
    comments: &[Range<usize>],
    (mut start, indentation): (usize, &str),
    rules: &SymbolRules,
) -> usize {
    let mut count = comments.partition_point(|comment| comment.start < start);
    while let Some(comment) = count.checked_sub(1).map(|last| comments[last].clone()) {
        // In Rust, a comment can include its line ending.
        let comment_text = text[comment.start..comment.end.min(start)].trim_end();
        let between = &text[comment.start + comment_text.len()..start];
        let is_directly_above = matches!(between.trim_matches([' ', '\t']), "\n" | "\r\n");
        let is_own = is_directly_above
            && indentation_before(text, comment.start) == Some(indentation)
            && !is_about_file(text, comment.start, comment_text, rules);
        if !is_own {
            break;
        }
        start = comment.start;
        count -= 1;
    }
    start
}

/// Returns whether the comment at `start` is about the whole file.
fn is_about_file(text: &str, start: usize, comment: &str, rules: &SymbolRules) -> bool {
    // Only comments precede it.
    let is_at_start = || {
        let mut lines = text[..start].lines().map(str::trim_start);
        lines.all(|line| line.is_empty() || line.starts_with(['#', '/', '*', '-', '<', '"', '\'']))
    };
    let has_mark = || {
        let comment = comment.to_lowercase();
        FILE_MARKS.iter().any(|mark| comment.contains(mark))
    };
    let starts = rules.file_comments;
    starts.iter().any(|mark| comment.starts_with(mark)) || has_mark() && is_at_start()
}

/// Returns whether a comment on a line of its own precedes `start`, and nothing is between them.
fn has_comment_before(text: &str, start: usize, comments: &[Range<usize>]) -> bool {
    let before = comments.partition_point(|comment| comment.start < start);
    before.checked_sub(1).is_some_and(|last| {
        let comment = &comments[last];
        let is_neighbour = text
            .get(comment.end..start)
            .is_some_and(|between| between.trim().is_empty());
        is_neighbour && indentation_before(text, comment.start).is_some()
    })
}

/// Returns whether a comment with the indentation of the symbol follows `end`, and nothing is
/// between them.
fn has_comment_after(
    text: &str,
    end: usize,
    comments: &[Range<usize>],
    indentation: Option<&str>,
) -> bool {
    let next = comments.partition_point(|comment| comment.start < end);
    comments.get(next).is_some_and(|comment| {
        let is_neighbour = text[end..comment.start].trim().is_empty();
        is_neighbour && indentation_before(text, comment.start) == indentation
    })
}

/// Returns the offset after `separator` if it is the next character on the line, else `end`.
fn skip_separator(text: &str, end: usize, separator: char) -> usize {
    let rest = text[end..].trim_start_matches([' ', '\t']);
    if rest.starts_with(separator) {
        text.len() - rest.len() + separator.len_utf8()
    } else {
        end
    }
}

/// Returns the end of a comment that follows `end` and is the rest of its line, else `end`.
fn skip_comment(text: &str, end: usize, comments: &[Range<usize>]) -> usize {
    let start = text.len() - text[end..].trim_start_matches([' ', '\t']).len();
    let next = comments.partition_point(|comment| comment.start < start);
    let comment = comments.get(next).filter(|comment| comment.start == start);
    let last = comment.map(|comment| text[..comment.end].trim_end().len());
    last.filter(|&last| is_line_end(text, last)).unwrap_or(end)
}

/// Returns `text` without a semicolon at its end that is on another line than the code before it. It
/// can belong to the statement after it, which begins with a bracket.
fn without_next_semicolon(text: &str) -> &str {
    let before = text.strip_suffix(';').map(str::trim_end);
    let is_other_line = |before: &&str| text[before.len()..].contains('\n');
    before.filter(is_other_line).unwrap_or(text)
}

/// Returns the offset after the semicolon that ends the statement at `end`, or the end of the file.
/// Returns `None` if other code follows.
fn skip_statement_end(text: &str, end: usize) -> Option<usize> {
    let rest = text[end..].trim_start();
    if text[..end].ends_with(';') || rest.is_empty() {
        return Some(end);
    }
    rest.starts_with(';').then(|| text.len() - rest.len() + 1)
}

/// Returns the end of the comments that follow `end` on lines of their own and are indented by more
/// than `depth`, else `end`.
fn skip_indented_comments(
    text: &str,
    mut end: usize,
    comments: &[Range<usize>],
    depth: usize,
) -> usize {
    loop {
        let rest = text[end..].trim_start();
        let start = text.len() - rest.len();
        let next = comments.partition_point(|comment| comment.start < start);
        let is_comment = comments.get(next).is_some_and(|it| it.start == start);
        let is_inner = indentation_before(text, start).is_some_and(|it| it.len() > depth);
        if !is_comment || !is_inner {
            return end;
        }
        end = text[..comments[next].end].trim_end().len();
    }
}

/// Returns the white space before `offset` on its line; `None` if there is other text.
fn indentation_before(text: &str, offset: usize) -> Option<&str> {
    let before = text[..offset].trim_end_matches([' ', '\t']);
    let is_line_start = before.is_empty() || before.ends_with('\n');
    is_line_start.then(|| &text[before.len()..offset])
}

/// Returns whether only white space follows `offset` on its line.
fn is_line_end(text: &str, offset: usize) -> bool {
    let rest = text[offset..].trim_start_matches([' ', '\t', '\r']);
    rest.is_empty() || rest.starts_with('\n')
}
