//! The limits of a report, and the counts of omitted entries.
//!
//! A report of a change that can be made lists every file, hunk and digest. Only entries whose
//! number grows with failures are limited. The first entries in input order are listed, so equal
//! inputs have equal reports.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::matching;

/// The maximum number of listed hunks of one file that do not apply.
pub const MAX_FAILED_HUNKS_PER_FILE: usize = matching::MAX_EXPLAINED;
/// The maximum number of listed hunks of all files that do not apply.
pub const MAX_FAILED_HUNKS: usize = 1000;
/// The maximum number of listed files that do not apply, if nothing can be applied.
pub const MAX_FAILED_FILES: usize = 10_000;
/// The maximum number of listed hunks of all files that apply, if nothing can be applied.
pub const MAX_APPLYING_HUNKS: usize = 10_000;
/// The maximum number of listed errors, and of listed warnings.
pub const MAX_PROBLEMS: usize = 1000;
/// The maximum number of listed repairs of all patches, and of listed changes without content.
pub const MAX_NOTES: usize = 1000;
/// The maximum number of listed conflicts of all merged files.
pub const MAX_CONFLICTS: usize = 1000;

/// The numbers of entries that a report omits because there are too many. Absent if all entries are
/// listed.
///
/// The listed and the omitted entries together are all entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Omitted {
    /// Files that do not apply. At most 10,000 are listed if nothing can be applied.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: usize,
    /// Hunks. Of hunks that do not apply, at most 100 per file and 1000 in total are listed. If
    /// nothing can be applied, at most 10,000 of the other hunks are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub hunks: usize,
    /// Problems. At most 1000 errors and 1000 warnings are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub problems: usize,
    /// Changes that the patches name without their content. At most 1000 are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_included: usize,
    /// Repairs. At most 1000 are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub repairs: usize,
    /// Conflicts of merged files. At most 1000 are listed.
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

    /// Returns one line for each count, for example `3 more hunks are not listed`.
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

/// The maximum numbers of entries for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryLimits {
    /// Hunks that do not apply.
    pub(super) failed: usize,
    /// Hunks that apply.
    pub(super) applying: usize,
    /// Conflicts.
    pub(super) conflicts: usize,
}

impl EntryLimits {
    /// No limits.
    pub(super) const UNLIMITED: Self = Self {
        failed: usize::MAX,
        applying: usize::MAX,
        conflicts: usize::MAX,
    };

    /// Returns the maximum number of listed hunks if there are `count` hunks.
    pub(super) fn max_hunks(&self, count: usize) -> usize {
        count.min(self.failed.saturating_add(self.applying))
    }

    /// Returns whether another hunk is listed, and decrements its limit.
    pub(super) fn try_take_hunk(&mut self, is_failed: bool) -> bool {
        let room = if is_failed {
            &mut self.failed
        } else {
            &mut self.applying
        };
        let is_listed = *room > 0;
        *room = room.saturating_sub(1);
        is_listed
    }
}
