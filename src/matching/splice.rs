//! Builds the new file from the placements of the hunks.

mod output;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;

use super::corrected_lines::CorrectedLines;
use super::reindent::Reindent;
use super::{MatchRules, Placement, SplicedFile, find_trailing_blank_lines};
use crate::lines::ladder::{EOF, EXACT, FIXED, INDENT, PUNCT};
use crate::lines::{LADDER, LineOffsets};
use crate::plan::{Direction, Hunk, HunkLine, LineKind, MatchMode, has_newline_note};
use crate::text::{BYTE_ORDER_MARK, LineEnding, lines};
use output::{SpliceOutput, ending_near};

/// Applies the hunks at their placements and returns the new file. Returns `None` if the interrupt
/// of `rules` is raised.
pub(super) fn splice(
    file: &LineOffsets<'_>,
    (text, hunks): (&[u8], &[Hunk]),
    direction: Direction,
    placements: &[&Placement],
    rules: &MatchRules,
) -> Option<SplicedFile> {
    let mut hunks: Vec<_> = hunks.iter().zip(placements.iter().copied()).collect();
    hunks.sort_by_key(|(_, placement)| (placement.lines.start, placement.lines.end));
    let splicer = Splicer {
        preimage: file.text(),
        text,
        direction,
        rules,
    };
    let after = match splicer.split_halves(&hunks) {
        Some(halves) => splicer.splice_halves(halves, file),
        None => splicer.splice_whole(&hunks),
    };
    (!rules.interrupt.is_raised()).then_some(after)
}

/// A hunk and its placement.
type PlacedHunk<'a> = (&'a Hunk, &'a Placement);

/// The inputs of a splice.
struct Splicer<'a> {
    preimage: &'a [u8],
    text: &'a [u8],
    direction: Direction,
    rules: &'a MatchRules,
}

/// The hunks of a file in two parts, and the range of bytes between these parts, which no hunk
/// changes.
type Halves<'h, 'a> = (&'h [PlacedHunk<'a>], Range<usize>, &'h [PlacedHunk<'a>]);

impl Splicer<'_> {
    /// Splits `hunks`, which are in file order. Returns `None` if no whole line stays between the
    /// two halves, because one half could then depend on the other.
    fn split_halves<'h, 'p>(&self, hunks: &'h [PlacedHunk<'p>]) -> Option<Halves<'h, 'p>> {
        let (first, second) = hunks.split_at(hunks.len() / 2);
        let between = first.last()?.1.bytes.end..second.first()?.1.bytes.start;
        let kept = self.preimage.get(between.clone())?;
        kept.ends_with(b"\n").then_some((first, between, second))
    }

    /// Applies the hunks of both halves.
    fn splice_halves(
        &self,
        (first, between, second): Halves<'_, '_>,
        file: &LineOffsets<'_>,
    ) -> SplicedFile {
        let mut out = SpliceOutput::new(self.preimage, 0);
        let mut rest = SpliceOutput::new(self.preimage, between.start);
        (file.join)(
            self.preimage.len(),
            &mut || self.apply(first, &mut out),
            &mut || self.apply(second, &mut rest),
        );
        out.end_line(ending_near(self.preimage, between.end));
        out.append(rest);
        out.finish()
    }

    /// Applies `hunks`, which are in file order.
    fn splice_whole(&self, hunks: &[PlacedHunk<'_>]) -> SplicedFile {
        let mut out = SpliceOutput::new(self.preimage, 0);
        self.apply(hunks, &mut out);
        out.finish()
    }

    /// Appends the new file up to the end of the last of `hunks`, which are in file order. A raised
    /// interrupt ends this earlier.
    fn apply(&self, hunks: &[PlacedHunk<'_>], out: &mut SpliceOutput<'_>) {
        let Self {
            preimage,
            text,
            direction,
            rules,
        } = *self;
        for &(hunk, placement) in rules.interrupt.take_until_raised(hunks.iter()) {
            let target = TargetLines::new(preimage, hunk, placement, rules);
            out.keep(out.done..placement.bytes.start, target.ending);
            // A hunk that only deletes writes nothing.
            let only_deletes = matches!(
                hunk.single_line_kind(text, direction),
                Some((LineKind::Deletion, _))
            );
            let is_taken =
                |line: &HunkLine<'_>| !(rules.no_add && line.kind == LineKind::Insertion);
            let lines = hunk.lines(text, direction).filter(is_taken);
            let lines = rules.interrupt.take_until_raised(lines);
            // The lines of an exact match can be copied in one pass, without any conversion.
            match rules.correction {
                None if target.is_exact_copy(hunk.body.slice(text)) && out.is_at_line_start() => {
                    if !only_deletes {
                        out.replace(placement.bytes.start, lines);
                    }
                }
                None => target.write(&lines.collect::<Vec<_>>(), out),
                Some(correction) => {
                    let end = find_trailing_blank_lines(preimage, text, hunk, direction, placement)
                        .filter(|_| !rules.no_add);
                    let corrected = CorrectedLines::new(lines, end, placement, correction);
                    target.write(&corrected.lines().collect::<Vec<_>>(), out);
                    corrected.add_to(&mut out.result);
                }
            }
            if rules.inaccurate_eof
                && !rules.no_add
                && target.is_unterminated_end(hunk, text, direction, rules)
            {
                out.remove_terminator();
            }
            out.done = placement.bytes.end;
        }
    }
}

/// The lines of the file that one hunk occupies, and the format of insertions there.
struct TargetLines<'a> {
    preimage: &'a [u8],
    placement: &'a Placement,
    /// The row of [`LADDER`] on which the hunk matched.
    rung: usize,
    /// The line ending of the neighbouring lines.
    ending: LineEnding,
    /// Whether insertions keep their bytes, because the grammar states line endings and they
    /// matched.
    is_verbatim: bool,
    /// Whether the grammar can state that a line has no terminator.
    can_lack_terminator: bool,
    /// Whether insertions are indented to match the file.
    is_reindented: bool,
}

impl<'a> TargetLines<'a> {
    fn new(preimage: &'a [u8], hunk: &Hunk, placement: &'a Placement, rules: &MatchRules) -> Self {
        let is_numbered = hunk.anchor.is_numbered();
        let rung = LADDER
            .iter()
            .position(|rung| rung.name == placement.rung)
            .unwrap_or(EXACT);
        let is_verbatim = is_numbered && matches!(rung, EXACT | FIXED) && !rules.converts_line_ends;
        let ending = ending_near(preimage, placement.bytes.start);
        let is_reindented = !is_numbered || rules.match_mode == MatchMode::Reindented;
        Self {
            preimage,
            placement,
            rung,
            ending,
            is_verbatim,
            can_lack_terminator: is_numbered,
            is_reindented,
        }
    }

    /// Returns whether the hunk can be applied without conversion. All its old lines must match
    /// byte for byte, and every line must have a terminator.
    fn is_exact_copy(&self, body: &[u8]) -> bool {
        let Placement {
            ignored_context: left_out,
            missing_blank_lines: beyond,
            ..
        } = self.placement;
        let has_ends = self.region().is_empty() || self.region().ends_with(b"\n");
        let is_exact =
            self.is_verbatim && self.rung == EXACT && (*left_out, *beyond) == ((0, 0), 0);
        is_exact && has_ends && !has_newline_note(body)
    }

    /// Returns the byte order mark if the hunk occupies it. Some grammars never include it in their
    /// text.
    fn mark(&self) -> &'a [u8] {
        let is_covered = !self.can_lack_terminator && self.region().starts_with(BYTE_ORDER_MARK);
        if is_covered && self.placement.bytes.start == 0 {
            BYTE_ORDER_MARK
        } else {
            b""
        }
    }

    /// Returns whether the final insertion must lose its terminator (git's `--inaccurate-eof`).
    ///
    /// This applies at the end of the file if both the old and the new last line of the hunk have a
    /// terminator. Unlike in git, a terminator that the file has is kept, unless white space is
    /// ignored.
    fn is_unterminated_end(
        &self,
        hunk: &Hunk,
        text: &[u8],
        direction: Direction,
        rules: &MatchRules,
    ) -> bool {
        let lines = || hunk.lines(text, direction);
        let new = lines()
            .filter(HunkLine::is_in_postimage)
            .last()
            .filter(|line| line.kind == LineKind::Insertion);
        let old = lines().filter(HunkLine::is_in_preimage).last();
        let is_ended =
            |line: Option<HunkLine<'_>>| line.is_some_and(|line| line.text.ends_with(b"\n"));
        self.placement.bytes.end == self.preimage.len()
            && (rules.ignore_whitespace || self.rung == EOF && !self.preimage.ends_with(b"\n"))
            && is_ended(new)
            && is_ended(old)
    }

    fn region(&self) -> &'a [u8] {
        &self.preimage[self.placement.bytes.clone()]
    }

    fn matched_lines(&self) -> impl Iterator<Item = &'a [u8]> {
        lines(&self.region()[self.mark().len()..]).map(|(_, line)| line)
    }

    fn write(&self, hunk: &[HunkLine<'_>], out: &mut SpliceOutput<'_>) {
        let mut file = self.matched_lines();
        let first = self
            .matched_lines()
            .next()
            .map_or(LineEnding::Missing, LineEnding::of);
        let mut ending = first.into_option().unwrap_or(self.ending);
        let mut before = ending;
        // The line endings of the deleted lines that no insertion has replaced yet.
        let mut unused_endings = VecDeque::new();
        let indent = self.indent(hunk);
        // The old lines that are in the file, without ignored context.
        let kept = self.placement.ignored_context.0
            ..self.placement.ignored_context.0 + self.placement.lines.len();
        let mut old = 0;
        out.copy(self.mark(), ending);
        for line in hunk {
            if line.kind == LineKind::Insertion {
                // An insertion takes the line ending of the deletion that it replaces, line by
                // line.
                ending = unused_endings.pop_front().unwrap_or(ending);
                self.insert(line, indent.as_ref(), ending, out);
                continue;
            }
            old += 1;
            let Some(found) = kept.contains(&(old - 1)).then(|| file.next()).flatten() else {
                // An old line outside `kept` is ignored context. Only blank context after the end
                // of the file is written.
                if line.kind == LineKind::Context
                    && (kept.end..kept.end + self.placement.missing_blank_lines)
                        .contains(&(old - 1))
                {
                    out.insert([b"", line.text, b""], ending);
                }
                continue;
            };
            // The fix of white-space errors also changes context lines.
            let found = if self.rung == FIXED && line.kind == LineKind::Context {
                line.text
            } else {
                found
            };
            before = LineEnding::of(found).into_option().unwrap_or(before);
            if line.kind == LineKind::Context {
                ending = before;
                unused_endings.clear();
                out.copy(found, ending);
            } else {
                unused_endings.push_back(before);
            }
        }
    }

    fn insert(
        &self,
        line: &HunkLine<'_>,
        indent: Option<&Reindent<'_>>,
        ending: LineEnding,
        out: &mut SpliceOutput<'_>,
    ) {
        if self.is_verbatim {
            return out.insert([b"", line.text, b""], ending);
        }
        let content = line.content();
        let (old, depth) = indent
            .and_then(|indent| indent.convert(content))
            .unwrap_or((b"", Vec::new()));
        // Only grammars with line numbers can state that the final newline is missing.
        let is_open = self.can_lack_terminator && LineEnding::of(line.text) == LineEnding::Missing;
        let last = if is_open { LineEnding::Missing } else { ending };
        out.insert([&depth, &content[old.len()..], last.bytes()], ending);
    }

    /// Returns the indentation mapping, if the hunk matched on a rung that ignores indentation.
    fn indent<'h>(&self, hunk: &[HunkLine<'h>]) -> Option<Reindent<'h>>
    where
        'a: 'h,
    {
        let old: Vec<_> = hunk
            .iter()
            .filter(|line| line.is_in_preimage())
            .skip(self.placement.ignored_context.0)
            .copied()
            .collect();
        (self.is_reindented && (INDENT..=PUNCT).contains(&self.rung))
            .then(|| Reindent::of_hunk(&old, self.matched_lines()))
    }
}
