//! The lines of a patch.

use crate::text::{LineEnding, Span, bom_length, lines, without_ending};

/// One line of the patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// The line in a unified diff, without terminator.
    pub(super) text: &'t [u8],
    /// The original line. It differs from `text` if the line was converted from another format.
    pub(super) whole: &'t [u8],
    /// The terminator of the original line.
    pub(super) ending: LineEnding,
    pub(super) span: Span,
    /// The line number, counted from 1.
    pub(super) number: usize,
    /// Whether the line is the command of a normal diff, which has no context.
    pub(super) is_normal: bool,
    /// Whether the line comes from a context or normal diff.
    pub(super) is_converted: bool,
}

impl<'t> Line<'t> {
    /// Creates a line with LF that was not converted.
    pub(super) fn new(text: &'t [u8], span: Span, number: usize) -> Self {
        Self {
            text,
            whole: text,
            ending: LineEnding::Lf,
            span,
            number,
            is_normal: false,
            is_converted: false,
        }
    }
}

/// Returns the lines of `text`.
pub(super) fn plain_lines(text: &[u8]) -> Vec<Line<'_>> {
    // The mark is not part of the first line, but the spans refer to the whole text.
    let start = bom_length(text);
    let all = lines(&text[start..])
        .enumerate()
        .map(|(index, (span, line))| {
            let span = Span::new(span.start + start, span.end + start);
            Line {
                ending: LineEnding::of(line),
                ..Line::new(without_ending(line), span, index + 1)
            }
        });
    all.collect()
}
