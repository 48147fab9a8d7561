//! The parts of a hunk that must match, from the complete hunk down to the least that the rules
//! allow.

use std::ops::Range;

use super::MatchRules;
use super::pattern::Pattern;
use crate::plan::{Anchor, Direction, Hunk, LineRange};

/// The maximum number of context lines that `--fuzz` ignores on one side. Bounds the work for
/// hostile input.
const MAX_FUZZ: usize = 64;

/// The old lines of a hunk that must match, and the position they must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContextLevel {
    /// The range of old lines that must match.
    pub(super) lines: Range<usize>,
    /// Whether they must be the first lines of the file.
    pub(super) is_at_start: bool,
    /// Whether they must be the last lines of the file.
    pub(super) is_at_end: bool,
    /// Whether `--fuzz` ignores context lines. Then a match must be unique.
    pub(super) is_fuzzy: bool,
}

/// Returns the line at which a range of a hunk header starts, counted from 0.
///
/// The start of an empty range names the line before it.
pub(super) fn range_start(range: LineRange) -> usize {
    if range.count == 0 {
        range.start
    } else {
        range.start.saturating_sub(1)
    }
}

/// Returns the levels in the order in which they are tried, the strictest first.
pub(super) fn levels(
    pattern: &Pattern<'_>,
    hunk: &Hunk,
    direction: Direction,
    rules: &MatchRules,
) -> Vec<ContextLevel> {
    let old = hunk.preimage_range(direction);
    let is_counted = hunk.anchor == Anchor::Line;
    // GNU patch requires the side with less context to be at its end of the file. git requires this
    // for a hunk that starts at line 0 or 1, and for a hunk without trailing context
    // (`apply_one_fragment` in `apply.c`). With `--unidiff-zero` git requires it only for line 0.
    let (is_at_start, is_at_end) = if rules.is_gnu || (rules.as_quilt && is_counted) {
        (
            old.start <= 1 && pattern.leading < pattern.trailing,
            pattern.trailing < pattern.leading,
        )
    } else {
        let is_free = rules.zero_context || hunk.anchor == Anchor::Bare;
        (
            old.start == 0 || (old.start == 1 && !is_free),
            !is_free && pattern.trailing == 0,
        )
    };
    let mut levels = vec![ContextLevel {
        lines: 0..pattern.count(),
        is_at_start,
        is_at_end,
        is_fuzzy: false,
    }];
    add_reduced_levels(&mut levels, pattern, rules.context);
    add_fuzzy_levels(&mut levels, pattern, rules.fuzz.min(MAX_FUZZ));
    levels
}

/// Adds the levels of git's `-C`.
///
/// The first level drops the requirement to be at an end of the file. Each further level removes a
/// context line on the longer side, or one on both sides if both have the same length.
fn add_reduced_levels(levels: &mut Vec<ContextLevel>, pattern: &Pattern<'_>, context: usize) {
    let (mut leading, mut trailing) = (pattern.leading, pattern.trailing);
    if leading <= context && trailing <= context {
        return;
    }
    let mut lines = 0..pattern.count();
    let is_free = |level: &ContextLevel| !level.is_at_start && !level.is_at_end;
    if !levels.iter().any(is_free) {
        levels.push(ContextLevel {
            lines: lines.clone(),
            is_at_start: false,
            is_at_end: false,
            is_fuzzy: false,
        });
    }
    while (leading > context || trailing > context) && !lines.is_empty() {
        if leading >= trailing {
            (lines.start, leading) = (lines.start + 1, leading - 1);
        }
        if trailing > leading {
            (lines.end, trailing) = (lines.end.saturating_sub(1).max(lines.start), trailing - 1);
        }
        levels.push(ContextLevel {
            lines: lines.clone(),
            is_at_start: false,
            is_at_end: false,
            is_fuzzy: false,
        });
    }
}

/// Adds the levels of GNU patch's `--fuzz`, which reproduce its observed behaviour.
///
/// The longer side loses lines first. The shorter side must stay at its end of the file until it
/// loses lines too. Unlike in GNU patch, at least one old line must remain.
fn add_fuzzy_levels(levels: &mut Vec<ContextLevel>, pattern: &Pattern<'_>, most: usize) {
    let longer = pattern.leading.max(pattern.trailing);
    let first = levels[0].clone();
    for fuzz in 1..=most.min(longer) {
        // The shorter side loses lines only once both sides have the same length.
        let start = (fuzz + pattern.leading).saturating_sub(longer);
        let end = pattern.count()
            - (fuzz + pattern.trailing)
                .saturating_sub(longer)
                .min(pattern.count());
        if start >= end {
            return;
        }
        levels.push(ContextLevel {
            lines: start..end,
            is_at_start: first.is_at_start && fuzz + pattern.leading < longer,
            is_at_end: first.is_at_end && fuzz + pattern.trailing < longer,
            is_fuzzy: true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels_at(start: usize, text: &[u8], rules: &MatchRules) -> Vec<ContextLevel> {
        let mut hunk = super::super::testing::hunk(text, 1, 1);
        hunk.old = LineRange { start, count: 5 };
        levels(
            &Pattern::new(&hunk, text, Direction::Forward),
            &hunk,
            Direction::Forward,
            rules,
        )
    }

    fn ranges(levels: &[ContextLevel]) -> Vec<(Range<usize>, bool, bool)> {
        levels
            .iter()
            .map(|level| (level.lines.clone(), level.is_at_start, level.is_at_end))
            .collect()
    }

    #[test]
    fn the_longer_side_loses_context_first() {
        let rules = MatchRules {
            context: 0,
            ..MatchRules::default()
        };
        let expected = [
            (0..5, true, false),
            (0..5, false, false),
            (1..5, false, false),
            (2..5, false, false),
            (3..4, false, false),
        ];
        assert_eq!(
            ranges(&levels_at(1, b" a\n b\n c\n-d\n e\n", &rules)),
            expected
        );
    }

    #[test]
    fn fuzz_takes_the_longer_side_first() {
        let rules = MatchRules {
            fuzz: 3,
            ..MatchRules::default()
        };
        let expected = [
            (0..5, false, false),
            (1..5, false, false),
            (2..5, false, false),
            (3..4, false, false),
        ];
        assert_eq!(
            ranges(&levels_at(7, b" a\n b\n c\n-d\n e\n", &rules)),
            expected
        );
    }
}
