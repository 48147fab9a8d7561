//! The white-space errors of a patch in a report, and their corrections.

use std::collections::HashSet;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::hunk::Source;
use super::words::LineCounter;
use crate::plan::Operation;
use crate::preflight::FileWhitespace;

/// The white-space errors in the lines of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct WhitespaceReport {
    /// The configured action: `warn`, `error`, `error-all` or `fix`.
    pub action: &'static str,
    /// The number of lines with errors.
    pub errors: usize,
    /// The number of corrected lines.
    pub corrected: usize,
    /// The number of blank lines at the end of the file that were removed.
    pub left_out: usize,
    /// The lines with errors, corrected or not; at most 1000.
    pub lines: Vec<WhitespaceLine>,
}

/// A line of a patch with white-space errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct WhitespaceLine {
    /// The position of the line in the patch.
    pub source: Source,
    /// The error, in git's words.
    pub error: String,
    /// Whether the line was corrected or removed.
    pub corrected: bool,
}

impl WhitespaceReport {
    /// Returns the entry for the errors `found` in the lines of `operation`.
    pub(super) fn of(
        operation: &Operation,
        found: &FileWhitespace,
        counter: &mut LineCounter<'_>,
    ) -> Self {
        let gone: HashSet<_> = found
            .corrected
            .iter()
            .chain(&found.left_out)
            .map(|span| span.start)
            .collect();
        let lines = found.errors.iter().map(|(span, flags)| WhitespaceLine {
            source: Source::of(operation, *span, counter),
            error: flags.to_string(),
            corrected: gone.contains(&span.start),
        });
        Self {
            action: found.action.name(),
            errors: found.count(),
            corrected: found.corrected.len(),
            left_out: found.left_out.len(),
            lines: lines.collect(),
        }
    }
}
