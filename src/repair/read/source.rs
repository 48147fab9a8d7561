//! The lines of a patch, without the indentation that all of it has.

use super::markers::is_file_header;
use crate::repair::older::OwnedLine;
use crate::repair::{Row, Trail};
use crate::text::{BYTE_ORDER_MARK, Span, lines, without_ending};

/// One line of the text.
#[derive(Clone, Copy, Debug)]
pub(in crate::repair) struct Line<'t> {
    /// Without terminator.
    pub(in crate::repair) text: &'t [u8],
    /// The same as it is in the patch, where `text` is what it says in a unified diff.
    pub(in crate::repair) whole: &'t [u8],
    pub(in crate::repair) span: Span,
    /// Counted from 1.
    pub(in crate::repair) number: usize,
    /// Whether it was the command of a normal diff, which has no context.
    pub(in crate::repair) is_normal: bool,
    /// Whether it is a line of a context or normal diff.
    pub(in crate::repair) is_converted: bool,
}

impl<'t> Line<'t> {
    /// Returns a line as it is in the patch.
    pub(in crate::repair) fn new(text: &'t [u8], span: Span, number: usize) -> Self {
        Self { text, whole: text, span, number, is_normal: false, is_converted: false }
    }
}

/// Returns the lines of `text`.
pub(super) fn plain_lines(text: &[u8]) -> Vec<Line<'_>> {
    let start = mark_length(text);
    let all = lines(&text[start..]).enumerate().map(|(index, (span, line))| {
        Line::new(without_ending(line), Span::new(span.start + start, span.end + start), index + 1)
    });
    all.collect()
}

/// Returns the length of the byte order mark.
pub(in crate::repair) fn mark_length(text: &[u8]) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// Returns the lines of `text`, without the indentation that the whole patch has.
pub(super) fn source<'t>(
    text: &[u8],
    converted: Option<&'t [OwnedLine<'t>]>,
    plain: impl FnOnce() -> Vec<Line<'t>>,
    trail: &mut Trail,
) -> Vec<Line<'t>> {
    if mark_length(text) > 0 {
        trail.note(Row::Wrapping, 1);
    }
    let mut all: Vec<_> = converted.map_or_else(plain, |lines| lines.iter().map(OwnedLine::line).collect());
    let indentation = |line: &Line<'_>| line.text.len() - line.text.trim_ascii_start().len();
    let is_header = |line: &&Line<'_>| is_file_header(line.text.trim_ascii_start());
    let Some(depth) = all.iter().filter(is_header).map(indentation).min().filter(|&depth| depth > 0) else {
        return all;
    };
    let Some(first) = all.iter().position(|line| is_file_header(line.text.trim_ascii_start())) else { return all };
    let is_whole = |line: &Line<'_>| line.text.trim_ascii().is_empty() || indentation(line) >= depth;
    let end = all[first..].iter().position(|line| !is_whole(line)).map_or(all.len(), |length| first + length);
    trail.note(Row::Wrapping, all[first].number);
    for line in &mut all[first..end] {
        line.text = line.text.get(depth..).unwrap_or_default();
        line.whole = line.whole.get(depth..).unwrap_or_default();
    }
    all
}
