//! Searches for one hunk on the rungs that the rules allow.

use super::{BlockedRanges, HunkSearch, Placer, SearchRange, SearchResult};
use crate::lines::RunMatches;
use crate::lines::ladder::{EOF, EXACT, FIXED, INDENT, PUNCT, WHITESPACE};
use crate::matching::numbered::patch::{FilePatch, comparison, loose_rungs};
use crate::matching::reindent::Reindent;
use crate::plan::{LineKind, MatchMode};

impl Placer<'_> {
    /// Finds the best match of a hunk, and its rung.
    ///
    /// A looser rung is used only if no stricter rung matches. `WHITESPACE` and `FIXED` are
    /// different: as in git (`match_fragment` in `apply.c`), their nearest match counts even if an
    /// exact match is further away.
    pub(super) fn find(&mut self, hunk_search: &HunkSearch<'_>) -> (SearchResult, usize) {
        let (mut best, mut rung) = (self.find_exactly(hunk_search), EXACT);
        for looser in loose_rungs(self.patch.rules) {
            let may_be_nearer = rung == EXACT
                && matches!(looser, WHITESPACE | FIXED)
                && best
                    .line
                    .is_some_and(|line| self.occupied.to_current_line(line) != hunk_search.stated);
            if hunk_search.count() == 0 || best.line.is_some() && !may_be_nearer {
                continue;
            }
            let found = self.find_loosely(hunk_search, looser);
            let is_blocked = best.is_blocked || found.is_blocked;
            if self.is_nearer(hunk_search, &found, &best) {
                (best, rung) = (found, looser);
            }
            best.is_blocked = is_blocked;
        }
        (best, rung)
    }

    /// Returns whether `found` is nearer to the stated line than `best`. Of two equally near
    /// matches, the later one counts as nearer.
    fn is_nearer(
        &self,
        hunk_search: &HunkSearch<'_>,
        found: &SearchResult,
        best: &SearchResult,
    ) -> bool {
        let rank = |line| {
            let distance = self.occupied.to_current_line(line) - hunk_search.stated;
            (distance.unsigned_abs(), distance < 0)
        };
        match (found.line, best.line) {
            (Some(found), Some(best)) => rank(found) < rank(best),
            (found, _) => found.is_some(),
        }
    }

    /// Returns whether the indentation of all insertions can be derived from the match at `line`.
    pub(super) fn can_indent(&self, quest: &HunkSearch<'_>, line: usize, rung: usize) -> bool {
        let FilePatch {
            text,
            direction,
            rules,
            ..
        } = self.patch;
        if rules.match_mode != MatchMode::Reindented || !(INDENT..=PUNCT).contains(&rung) {
            return true;
        }
        let indent = Reindent::new(quest.lines(), self.index.lines_from(line));
        let mut lines = quest.hunk.lines(text, direction);
        lines.all(|line| {
            let is_kept = line.kind != LineKind::Insertion || rules.no_add;
            is_kept || indent.convert(line.content()).is_some()
        })
    }

    /// Finds the nearest place, and records the occurrences that placed hunks block.
    pub(super) fn find_indexed(
        &mut self,
        places: &RunMatches<'_>,
        stated: isize,
        rung: usize,
    ) -> SearchResult {
        let key = (rung, places.hash);
        let known = self.blocked.remove(&key);
        // Another run can have the same hash.
        let is_same = |known: &BlockedRanges| known.example.is_some_and(|line| places.is_at(line));
        let mut blocked = known.filter(is_same).unwrap_or_default();
        let found = self.find_nearest(places, stated, &mut blocked);
        if blocked.example.is_some() {
            self.blocked.insert(key, blocked);
        }
        found
    }

    fn find_loosely(&mut self, hunk_search: &HunkSearch<'_>, rung: usize) -> SearchResult {
        // The option lets the file lack a terminator that the patch contains, not the reverse.
        if rung == EOF && !hunk_search.last().is_some_and(|line| line.ends_with(b"\n")) {
            return SearchResult::default();
        }
        let field = self.search_range(hunk_search, rung);
        let comparison = comparison(rung, self.patch.rules);
        // The index is moved out of the map, because the search also borrows `self`.
        let known = self.loose_indexes.remove(&rung);
        let mut index = known.unwrap_or_else(|| self.patch.run_index(self.index, comparison));
        let places = index.matches(hunk_search.lines());
        let found = match field {
            SearchRange::Nowhere => SearchResult::default(),
            SearchRange::Only(line) => self.check(hunk_search, line, places.is_at(line)),
            SearchRange::Anywhere => self.find_indexed(&places, hunk_search.stated, rung),
        };
        self.loose_indexes.insert(rung, index);
        found
    }
}
