//! The hunks of a file, the runs of lines they search for, and the allowed rungs.

use crate::lines::ladder::{EOF, FIXED, LINE_END, PUNCT, TRAILING, WHITESPACE};
use crate::lines::{Comparison, LineHashes, LineOffsets, RunHash, RunIndex, base_power};
use crate::matching::MatchRules;
use crate::matching::context_level::levels;
use crate::matching::pattern::Pattern;
use crate::plan::{Direction, Hunk, MatchMode};

/// The hunks of one file and the matching rules.
#[derive(Clone, Copy)]
pub(in crate::matching) struct FilePatch<'a> {
    pub(in crate::matching) text: &'a [u8],
    pub(in crate::matching) hunks: &'a [Hunk],
    pub(in crate::matching) direction: Direction,
    pub(in crate::matching) rules: &'a MatchRules,
}

impl<'p> FilePatch<'p> {
    /// Returns a run index of the file that expects the old lines of all hunks.
    pub(in crate::matching) fn run_index<'i>(
        self,
        index: &'i LineOffsets<'i>,
        comparison: Comparison,
    ) -> RunIndex<'i>
    where
        'p: 'i,
    {
        let count = |hunk: &Hunk| hunk.preimage_range(self.direction).count;
        let asked = self.hunks.iter().map(count).fold(0, usize::saturating_add);
        let expected = (asked, self.run_hashes(comparison));
        RunIndex::new(index, comparison, expected, &self.rules.interrupt)
    }

    /// Returns the runs that may be searched for: one for each level of each hunk.
    fn run_hashes(self, comparison: Comparison) -> impl Iterator<Item = RunHash> {
        let mut pattern = Pattern::default();
        self.hunks.iter().flat_map(move |hunk| {
            pattern.fill(hunk, self.text, self.direction);
            // Every level is a part of the pattern, so the lines are hashed once for all levels.
            let hashes = LineHashes::new(comparison, pattern.lines().iter().copied());
            let levels = levels(&pattern, hunk, self.direction, self.rules);
            let runs = levels.into_iter().map(|level| {
                let (start, count) = (level.lines.start, level.lines.len());
                RunHash {
                    count,
                    hash: hashes.run_hash(start, count, base_power(count)),
                }
            });
            runs.collect::<Vec<_>>()
        })
    }
}

/// Returns the rungs after `exact` that `rules` allow, strictest first.
pub(super) fn loose_rungs(rules: &MatchRules) -> impl Iterator<Item = usize> + use<> {
    let ladder = (TRAILING..=PUNCT)
        .filter(|_| rules.match_mode != MatchMode::Exact)
        .collect::<Vec<_>>();
    let asked = [
        (LINE_END, rules.converts_line_ends),
        (EOF, rules.inaccurate_eof),
        (
            FIXED,
            rules.correction.is_some() && !rules.ignore_whitespace,
        ),
        (WHITESPACE, rules.ignore_whitespace),
    ];
    let asked = asked
        .into_iter()
        .filter(|(_, is_asked)| *is_asked)
        .map(|(rung, _)| rung);
    ladder.into_iter().chain(asked)
}

/// Returns the line comparison of `rung`.
pub(super) fn comparison(rung: usize, rules: &MatchRules) -> Comparison {
    match (rung, &rules.correction) {
        (FIXED, Some(correction)) => Comparison::with_fixes(correction.rule),
        (TRAILING..=PUNCT, _) => Comparison::loose(rung),
        _ => Comparison::strict(rung),
    }
}
