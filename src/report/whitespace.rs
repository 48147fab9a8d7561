//! The white space of a patch in a report: which lines have errors, and what became of them.

use std::collections::HashSet;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::hunk::Source;
use super::words::Counter;
use crate::plan::Operation;
use crate::preflight::FileWhitespace;

/// What is wrong with the white space of the lines that a patch has for a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct WhitespaceReport {
    /// What is done about it: `warn`, `error`, `error-all`, `fix`.
    pub action: &'static str,
    /// How many lines have errors.
    pub errors: usize,
    /// How many lines were put right.
    pub corrected: usize,
    /// How many blank lines were left out at the end of the file.
    pub left_out: usize,
    /// The lines with errors, those that stay as they are among them; at most 1000.
    pub lines: Vec<WhitespaceLine>,
}

/// A line of a patch with errors in its white space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct WhitespaceLine {
    /// Where it stands in the patch.
    pub source: Source,
    /// What is wrong with it, in the words of git.
    pub error: String,
    /// Whether the file does not have it so.
    pub corrected: bool,
}

impl WhitespaceReport {
    /// Reports what was found in the lines of `operation`.
    pub(super) fn of(
        operation: &Operation,
        found: &FileWhitespace,
        counter: &mut Counter<'_>,
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
