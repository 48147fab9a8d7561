//! How much a report lists of what grows with the number of failures, and the counts of what it
//! omits.
//!
//! A report of a change that can be made lists every file, every hunk and every digest. Only the
//! entries that grow with failures are limited. The first entries in the order of the input are
//! listed, so that the same input has the same report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::matching;

/// Most hunks of one file that do not apply and are listed.
pub const FAILED_HUNKS_PER_FILE: usize = matching::MOST_EXPLAINED;
/// Most hunks of all files that do not apply and are listed.
pub const FAILED_HUNKS: usize = 1000;
/// Most files that do not apply and are listed, where nothing can be applied.
pub const FAILED_FILES: usize = 10_000;
/// Most hunks of all files that fit and are listed, where nothing can be applied.
pub const FITTING_HUNKS: usize = 10_000;
/// Most errors and most warnings that are listed.
pub const PROBLEMS: usize = 1000;
/// Most changes that the inputs name without their content, and most repairs of all inputs.
pub const NOTES: usize = 1000;
/// Most conflicts of all merged files that are listed.
pub const CONFLICTS: usize = 1000;

/// The numbers of entries that a report omits because there are too many; absent where every entry
/// is listed.
///
/// The entries that are listed and the omitted ones together are all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Omitted {
    /// Files that do not apply: at most 10,000 of them are listed if nothing can be applied.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: usize,
    /// Hunks: of those that do not apply, at most 100 are listed for each file, and 1000 for all
    /// files. If nothing can be applied, at most 10,000 of the others are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub hunks: usize,
    /// Problems: at most 1000 errors and 1000 warnings are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub problems: usize,
    /// Changes that the inputs name and do not contain: at most 1000 are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_included: usize,
    /// Repairs: at most 1000 are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub repairs: usize,
    /// Conflicts of merged files: at most 1000 are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub conflicts: usize,
}

impl Omitted {
    /// Returns whether every entry is listed.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the counts of a part of the report.
    pub(super) fn add(&mut self, part: &Self) {
        self.files += part.files;
        self.hunks += part.hunks;
        self.problems += part.problems;
        self.not_included += part.not_included;
        self.repairs += part.repairs;
        self.conflicts += part.conflicts;
    }

    /// Returns a line for each count, as in `3 more hunks are not listed`.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let rows = [
            (
                self.files,
                "file that does not apply",
                "files that do not apply",
            ),
            (self.hunks, "hunk", "hunks"),
            (self.problems, "problem", "problems"),
            (
                self.not_included,
                "change without content",
                "changes without content",
            ),
            (self.repairs, "repair", "repairs"),
            (self.conflicts, "conflict", "conflicts"),
        ];
        let line = |(count, one, many): (usize, &str, &str)| match count {
            0 => None,
            1 => Some(format!("1 more {one} is not listed")),
            count => Some(format!("{count} more {many} are not listed")),
        };
        rows.into_iter().filter_map(line).collect()
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that serde calls"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How many entries the report on one file may list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Hunks that do not apply.
    pub(super) failed: usize,
    /// Hunks that fit.
    pub(super) fitting: usize,
    /// Conflicts.
    pub(super) conflicts: usize,
}

impl Room {
    /// Enough for every entry.
    pub(super) const ALL: Self = Self {
        failed: usize::MAX,
        fitting: usize::MAX,
        conflicts: usize::MAX,
    };

    /// Returns how many of `count` hunks can be listed at most.
    pub(super) fn most_hunks(&self, count: usize) -> usize {
        count.min(self.failed.saturating_add(self.fitting))
    }

    /// Returns whether another hunk is listed, and uses its room.
    pub(super) fn admits(&mut self, is_failed: bool) -> bool {
        let room = if is_failed {
            &mut self.failed
        } else {
            &mut self.fitting
        };
        let is_listed = *room > 0;
        *room = room.saturating_sub(1);
        is_listed
    }
}
