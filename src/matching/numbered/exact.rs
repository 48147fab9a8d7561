//! Searches for one hunk byte for byte.

use super::{BlockedRanges, HunkSearch, Placer, SearchRange, SearchResult};
use crate::lines::ladder::EXACT;
use crate::lines::{Comparison, ExactRunFinder};

impl Placer<'_> {
    /// Finds the lines byte for byte: at the stated line, or else nearest to it.
    pub(super) fn find_exactly(&mut self, hunk_search: &HunkSearch<'_>) -> SearchResult {
        match self.search_range(hunk_search, EXACT) {
            SearchRange::Nowhere => SearchResult::default(),
            SearchRange::Only(line) => self.check_exactly(hunk_search, line),
            SearchRange::Anywhere => {
                let at_stated = self.check_exactly(
                    hunk_search,
                    self.occupied.to_original_line(hunk_search.stated),
                );
                let is_there = at_stated
                    .line
                    .is_some_and(|line| self.occupied.to_current_line(line) == hunk_search.stated);
                // If context is ignored, several places are equally good guesses. The search must
                // therefore look for further matches.
                let is_found = is_there && !hunk_search.level.is_fuzzy;
                // A line without terminator in the middle of a hunk cannot match byte for byte.
                if is_found || hunk_search.last().is_none() || !hunk_search.is_whole() {
                    at_stated
                } else {
                    self.search(hunk_search)
                }
            }
        }
    }

    /// Checks whether the lines match byte for byte at `line`, and whether the placement is allowed
    /// there.
    fn check_exactly(&mut self, hunk_search: &HunkSearch<'_>, line: usize) -> SearchResult {
        let is_there = self.is_exactly_at(line, hunk_search.lines());
        self.check(hunk_search, line, is_there)
    }

    /// Returns whether the lines are at `line`, byte for byte.
    fn is_exactly_at(&mut self, line: usize, lines: &[&[u8]]) -> bool {
        let start = (line, self.offset(line));
        Comparison::strict(EXACT).is_at(self.index, start, lines.iter().copied())
    }

    /// Searches the whole file byte for byte.
    fn search(&mut self, hunk_search: &HunkSearch<'_>) -> SearchResult {
        if let Some(left) = self.searches_left.checked_sub(1) {
            self.searches_left = left;
            // A leading newline restricts the substring search to starts of lines.
            let anchored = [b"\n", &hunk_search.lines().concat()[..]].concat();
            let places = ExactRunFinder::new(self.index, &anchored, hunk_search.count());
            return self.find_nearest(&places, hunk_search.stated, &mut BlockedRanges::default());
        }
        // For many searches it is faster to hash the lines once.
        let comparison = Comparison::strict(EXACT);
        let mut index = self
            .exact_index
            .take()
            .unwrap_or_else(|| self.patch.run_index(self.index, comparison));
        let found = self.find_indexed(
            &index.matches(hunk_search.lines()),
            hunk_search.stated,
            EXACT,
        );
        self.exact_index = Some(index);
        found
    }
}
