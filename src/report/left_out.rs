//! The parts of a patch that a selection leaves out.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::file::file_id;
use super::hunk::hunk_id;
use super::words::text;
use crate::plan::ExcludedItem;

/// A file, a hunk or a range of lines that was not selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LeftOutReport {
    /// The identifier in the report of a check that selects everything, for example `f1` or `f1h2`.
    /// Changed lines of a hunk have the form `f1h2:3-5`.
    pub id: String,
    /// The path of the file.
    pub path: String,
}

impl LeftOutReport {
    pub(super) fn of(left_out: &ExcludedItem) -> Self {
        let mut id = file_id(left_out.file);
        if let Some(hunk) = left_out.hunk {
            id = hunk_id(&id, hunk);
        }
        if let Some(lines) = &left_out.lines {
            id = match (lines.start + 1, lines.end) {
                (first, last) if first == last => format!("{id}:{first}"),
                (first, last) => format!("{id}:{first}-{last}"),
            };
        }
        Self {
            id,
            path: text(left_out.path.as_bytes()),
        }
    }
}
