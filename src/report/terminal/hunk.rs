//! The lines of a hunk with their numbers, and the differing words of replaced lines.

use std::ops::Range;

use crate::report::inline::InlineDiff;
use crate::syntax::write::DiffHunk;

/// A group of lines of a hunk.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineGroup<'a> {
    /// A context line, with its line number in the old file.
    Context(usize, DisplayedLine<'a>),
    /// Deleted lines, and the inserted lines that replace them.
    Changed(Vec<DisplayedLine<'a>>, Vec<DisplayedLine<'a>>),
}

/// One line of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DisplayedLine<'a> {
    pub(super) number: usize,
    pub(super) text: &'a [u8],
    /// The bytes that differ from the other side; empty if no similar line exists there.
    pub(super) marks: Vec<Range<usize>>,
    /// Whether the line has no terminator.
    pub(super) is_unterminated: bool,
}

/// Returns the lines of `hunk`. Differing words are marked within the budget of `inline`.
pub(super) fn group_lines<'a>(hunk: &DiffHunk<'a>, inline: &mut InlineDiff) -> Vec<LineGroup<'a>> {
    let (mut old, mut new) = (hunk.old.start, hunk.new.start);
    let mut blocks: Vec<LineGroup<'a>> = Vec::new();
    for line in &hunk.lines {
        let Some((marker, text)) = line.split_first() else {
            continue;
        };
        let line = |number| DisplayedLine {
            number,
            text,
            marks: Vec::new(),
            is_unterminated: false,
        };
        if matches!(marker, b'-' | b'+') && !matches!(blocks.last(), Some(LineGroup::Changed(..))) {
            blocks.push(LineGroup::Changed(Vec::new(), Vec::new()));
        }
        match (marker, blocks.last_mut()) {
            (b'-', Some(LineGroup::Changed(gone, _))) => {
                gone.push(line(old));
                old += 1;
            }
            (b'+', Some(LineGroup::Changed(_, come))) => {
                come.push(line(new));
                new += 1;
            }
            (b'\\', Some(LineGroup::Context(_, last))) => last.is_unterminated = true,
            (b'\\', Some(LineGroup::Changed(gone, come))) => {
                if let Some(last) = come.last_mut().or(gone.last_mut()) {
                    last.is_unterminated = true;
                }
            }
            _ => {
                blocks.push(LineGroup::Context(old, line(new)));
                (old, new) = (old + 1, new + 1);
            }
        }
    }
    for block in &mut blocks {
        if let LineGroup::Changed(gone, come) = block {
            let texts = |lines: &[DisplayedLine<'a>]| {
                lines.iter().map(|line| line.text).collect::<Vec<_>>()
            };
            let (old, new) = inline.mark_differences(&texts(gone), &texts(come));
            for (line, marks) in gone.iter_mut().chain(come).zip(old.into_iter().chain(new)) {
                line.marks = marks;
            }
        }
    }
    blocks
}
