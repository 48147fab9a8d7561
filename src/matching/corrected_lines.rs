//! The lines of a hunk with fixed white-space errors.

use crate::lines::LADDER;
use crate::lines::ladder::FIXED;
use std::borrow::Cow;

use super::{Placement, SplicedFile, TrailingBlankLines, WhitespaceCorrection};
use crate::plan::{HunkLine, LineKind};
use crate::text::Span;
use crate::whitespace::{WhitespaceFlags, fix};

/// The lines of one hunk as they are written to the file.
pub(super) struct CorrectedLines<'a> {
    lines: Vec<(HunkLine<'a>, Cow<'a, [u8]>)>,
    corrected: Vec<Span>,
    left_out: Vec<Span>,
}

impl<'a> CorrectedLines<'a> {
    /// Fixes the white space of insertions, if `corrects_new_lines` is set.
    ///
    /// Context lines are also fixed if the hunk matched on the `FIXED` rung. The blank insertions
    /// of `end` are removed if `rule` contains `BLANK_AT_EOF`.
    pub(super) fn new(
        lines: impl Iterator<Item = HunkLine<'a>>,
        end: Option<TrailingBlankLines>,
        placement: &Placement,
        WhitespaceCorrection {
            rule,
            corrects_new_lines,
        }: WhitespaceCorrection,
    ) -> Self {
        let is_fixed = placement.rung == LADDER[FIXED].name;
        let (mut corrected, mut left_out) = (Vec::new(), Vec::new());
        let lines = lines.map(|line| {
            let is_new = line.kind == LineKind::Insertion;
            // A context line keeps the bytes of the file, unless it matched on the rung that fixes
            // lines.
            if !(is_new && corrects_new_lines || line.kind == LineKind::Context && is_fixed) {
                return (line, Cow::Borrowed(line.text));
            }
            let fixed = fix(line.text, rule);
            corrected.extend((is_new && fixed.is_corrected).then_some(line.span));
            (line, fixed.line)
        });
        let mut lines: Vec<_> = lines.collect();
        if let Some(end) = end.filter(|_| rule.has(WhitespaceFlags::BLANK_AT_EOF)) {
            left_out = remove_last_new_lines(&mut lines, end.count);
        }
        Self {
            lines,
            corrected,
            left_out,
        }
    }

    /// Returns the lines with their fixed text.
    pub(super) fn lines(&self) -> impl Iterator<Item = HunkLine<'_>> {
        self.lines
            .iter()
            .map(|(line, text)| HunkLine { text, ..*line })
    }

    /// Adds the fixed and removed lines to `spliced`.
    pub(super) fn add_to(mut self, spliced: &mut SplicedFile) {
        spliced.corrected.append(&mut self.corrected);
        spliced.omitted.append(&mut self.left_out);
    }
}

/// Removes the last `count` lines of the postimage and returns their spans in the patch.
fn remove_last_new_lines(
    lines: &mut Vec<(HunkLine<'_>, Cow<'_, [u8]>)>,
    count: usize,
) -> Vec<Span> {
    let mut gone = Vec::new();
    for place in (0..lines.len()).rev() {
        let line = &mut lines[place].0;
        if gone.len() == count || !line.is_in_postimage() {
            continue;
        }
        gone.push(line.span);
        if line.kind == LineKind::Context {
            // A removed context line must also be removed from the file.
            line.kind = LineKind::Deletion;
        } else {
            lines.remove(place);
        }
    }
    gone.reverse();
    gone
}
