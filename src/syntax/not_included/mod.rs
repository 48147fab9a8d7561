//! Finds the changes that the text between two sections names without their content, such as
//! `Only in b: x`.
//!
//! The input is the text and the span between two sections. The output is a list of
//! [`ContentlessChange`]. git and GNU patch ignore such lines. wpatch warns about them, or fails
//! under `--strict-input`.
//!
//! The text of a mail or commit message is prose, and its lines name no change. Some lines can also
//! occur in prose. Such a line counts only next to other lines of a diff program, because diff
//! programs write these lines without blank lines between them. Read [`find`] first; `forms.rs`
//! lists the forms of the lines.

mod forms;

use forms::{Confidence, ContentLocation, Statement, parse_statement};

use super::{message, series};
use crate::plan::{ContentlessChange, NamedChange};
use crate::text::{Lines, Span, without_ending};

/// The neighbour of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbour {
    /// A section.
    Section,
    /// The start or the end of the input.
    Input,
}

/// Appends to `found` the changes that the lines of `between` name. `between` must contain no
/// section.
pub(super) fn find(
    text: &[u8],
    between: Span,
    edges: (Neighbour, Neighbour),
    found: &mut Vec<ContentlessChange>,
) {
    // Most sections follow each other directly. Every form starts with at least four bytes.
    if between.slice(text).len() < 4 {
        return;
    }
    let mut before = if edges.0 == Neighbour::Section {
        LineRole::Diff
    } else {
        LineRole::Edge
    };
    for (part, after) in parts_without_messages(text, between, edges.1) {
        let mut part = StatementReader {
            lines: Lines::of_span(text, part),
            before,
            after,
            pending: None,
            found: Vec::new(),
        };
        part.read();
        found.append(&mut part.found);
        before = LineRole::Blank;
    }
}

/// Returns the changes that a damaged text names without their content. Hunk lines that lost their
/// first column can be mistaken for such lines.
pub(crate) fn find_in_damaged(text: &[u8]) -> Vec<ContentlessChange> {
    let mut found = Vec::new();
    find(
        text,
        Span::new(0, text.len()),
        (Neighbour::Input, Neighbour::Input),
        &mut found,
    );
    set_line_numbers(text, &mut found);
    found
}

/// Sets the text and the line number of each entry of `found`. The entries must be in the order of
/// `text`.
pub(super) fn set_line_numbers(text: &[u8], found: &mut [ContentlessChange]) {
    let (mut line, mut counted) = (1, 0);
    for named in found {
        line += memchr::memchr_iter(b'\n', &text[counted..named.span.start]).count();
        counted = named.span.start;
        let shown = named.span.slice(text);
        (named.line, named.text) = (
            line,
            shown[..shown.len().min(ContentlessChange::MAX_BYTES)].to_vec(),
        );
    }
}

/// Returns the parts of `between` that are not messages, each with the role of the line after it.
fn parts_without_messages(text: &[u8], between: Span, end: Neighbour) -> Vec<(Span, LineRole)> {
    let last = if end == Neighbour::Section {
        LineRole::Diff
    } else {
        LineRole::Edge
    };
    let (mut parts, mut start) = (Vec::new(), between.start);
    let mut message = is_header(between.slice(text)).then_some(MessageIndent::Plain);
    for (span, line) in Lines::of_span(text, between) {
        let line = without_ending(line);
        // A message extends from a border or a signature to the start of the next patch.
        let is_border = series::is_border(line);
        if is_border || message.is_none() && line.trim_ascii_end() == b"--" {
            if message.is_none() {
                parts.push((Span::new(start, span.start), LineRole::Prose));
            }
            message = Some(if line.starts_with(b"commit ") {
                MessageIndent::Indented
            } else {
                MessageIndent::Plain
            });
        } else if message
            .as_ref()
            .is_some_and(|message| message.ends_at(line))
        {
            (message, start) = (
                None,
                if line.trim_ascii_end() == b"---" {
                    span.end
                } else {
                    span.start
                },
            );
        }
    }
    if message.is_none() {
        parts.push((Span::new(start, between.end), last));
    }
    parts
}

/// Returns whether `text` starts with the header of a message: `Subject: ...`, or a field of a
/// Debian patch.
fn is_header(text: &[u8]) -> bool {
    const FIELDS: [&[u8]; 8] = [
        b"From",
        b"Date",
        b"Subject",
        b"To",
        b"Description",
        b"Author",
        b"Origin",
        b"Message-Id",
    ];
    let first = text
        .split(|byte| *byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty())
        .unwrap_or_default();
    let name = first.split(|byte| *byte == b':').next().unwrap_or_default();
    name.len() < first.len() && FIELDS.iter().any(|field| field.eq_ignore_ascii_case(name))
}

/// A mail or commit message.
enum MessageIndent {
    /// The lines are not indented.
    Plain,
    /// `git log` indents the lines.
    Indented,
}

impl MessageIndent {
    /// Returns whether the message ends before or at `line`.
    fn ends_at(&self, line: &[u8]) -> bool {
        let is_start = message::is_patch_start(line) || line.starts_with(b"=== ");
        is_start
            || matches!(self, Self::Indented)
                && parse_statement(line)
                    .is_some_and(|found| found.confidence == Confidence::Distinct)
    }
}

/// The role of a line for its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineRole {
    /// A line of a diff program, or a section.
    Diff,
    /// The start or the end of the input.
    Edge,
    /// An empty line.
    Blank,
    /// Any other text.
    Prose,
}

/// The state while one part of the text is read.
struct StatementReader<'t> {
    lines: Lines<'t>,
    /// The role of the line before the next one.
    before: LineRole,
    /// The role of the line after the part.
    after: LineRole,
    /// A change whose content can follow.
    pending: Option<(Statement, Span)>,
    found: Vec<ContentlessChange>,
}

impl StatementReader<'_> {
    fn read(&mut self) {
        while let Some((span, line)) = self.lines.next() {
            let line = without_ending(line);
            let is_loose = |found: &Statement| found.confidence == Confidence::Loose;
            self.before = match parse_statement(line) {
                Some(found) if is_loose(&found) && !self.is_between_diff_lines(&found) => {
                    LineRole::Prose
                }
                Some(found) => {
                    self.add_statement(found, Span::new(span.start, span.start + line.len()));
                    LineRole::Diff
                }
                None => classify(line),
            };
        }
        // A section that follows contains the content of the pending change.
        if self.after != LineRole::Diff {
            self.flush();
        }
    }

    /// Returns whether a line of a loose form is next to other lines of a diff program.
    fn is_between_diff_lines(&self, found: &Statement) -> bool {
        let after = match self.lines.peek().map(without_ending) {
            None => self.after,
            Some(line) if parse_statement(line).is_some() => LineRole::Diff,
            Some(line) => classify(line),
        };
        if found.content == ContentLocation::Next {
            return matches!(after, LineRole::Diff | LineRole::Edge);
        }
        // Diff programs write no blank line and no prose above such a line.
        matches!(
            (self.before, after),
            (LineRole::Diff, _)
                | (LineRole::Blank | LineRole::Edge, LineRole::Diff)
                | (LineRole::Edge, LineRole::Edge)
        )
    }

    fn add_statement(&mut self, mut found: Statement, span: Span) {
        let is_same = |(pending, _): &(Statement, Span)| {
            found.name.is_empty() || is_same_file(&pending.name, &found.name)
        };
        if let Some((pending, _)) = self.pending.take_if(|pending| is_same(pending)) {
            if found.name.is_empty() || found.content == ContentLocation::Next {
                found.name = pending.name;
            }
            if pending.kind != NamedChange::Modify && found.kind == NamedChange::Modify {
                found.kind = pending.kind;
            }
        }
        self.flush();
        match found.content {
            ContentLocation::Next => self.pending = Some((found, span)),
            ContentLocation::Missing => self.add(found, span),
        }
    }

    fn flush(&mut self) {
        if let Some((pending, span)) = self.pending.take() {
            self.add(pending, span);
        }
    }

    /// Adds a change, unless the previous one concerns the same file.
    fn add(&mut self, found: Statement, span: Span) {
        if self.found.last().is_none_or(|last| last.name != found.name) {
            let (kind, name, text) = (found.kind, found.name, Vec::new());
            self.found.push(ContentlessChange {
                kind,
                name,
                text,
                line: 0,
                span,
                input: 0,
            });
        }
    }
}

/// Returns the role of a line that names no change.
fn classify(line: &[u8]) -> LineRole {
    match line.trim_ascii() {
        [] => LineRole::Blank,
        _ if is_diff_output(line) => LineRole::Diff,
        _ => LineRole::Prose,
    }
}

/// Returns whether two names refer to the same file. One of them can be below a directory such as
/// `b/`.
fn is_same_file(one: &[u8], other: &[u8]) -> bool {
    let (long, short) = if one.len() >= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    long == short
        || long
            .strip_suffix(short)
            .is_some_and(|rest| rest.ends_with(b"/"))
}

/// Returns whether `line` is output of a diff program that names no change.
fn is_diff_output(line: &[u8]) -> bool {
    let is_rule = |byte: u8| line.len() >= 20 && line.iter().all(|found| *found == byte);
    is_rule(b'=')
        || is_rule(b'_')
        || [
            &b"RCS file: "[..],
            b"retrieving revision ",
            b"Common subdirectories: ",
            b"=== target ",
            b"diff --git ",
            b"--- ",
            b"+++ ",
            b"@@ ",
        ]
        .iter()
        .any(|words| line.starts_with(words))
}

#[cfg(test)]
mod tests;
