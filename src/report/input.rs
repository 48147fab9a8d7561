//! The patches in a report: their source and their repairs.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::file::file_id;
use super::omitted::{MAX_NOTES, Omitted};
use super::stages::ReportInputs;
use super::words::text;
use crate::digest::Sha256;
use crate::plan::{ContentlessChange, Input, Operation, Plan};
use crate::text::Span;

/// One patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct InputReport {
    /// The index of the patch, counted from 0.
    pub index: usize,
    /// The name of the patch; `-` for standard input.
    pub name: String,
    /// The line of the list that names the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<SeriesEntryReport>,
    /// The grammars of its sections, joined by `+`; null if the patch could not be read.
    pub format: Option<String>,
    /// The size in bytes.
    pub bytes: usize,
    /// The SHA-256 digest of the patch, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The number of file sections.
    pub sections: usize,
    /// The repairs of the patch. Each has a stable code.
    pub repairs: Vec<Repair>,
    /// The changes that the patch names without their content, for example `Only in b: x`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_included: Vec<NotIncludedReport>,
    /// The numbers of repairs and of changes without content that are not listed because there are
    /// too many.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
}

/// Returns the entries of all patches. Limits the numbers of repairs and of changes without
/// content.
pub(super) fn reports(facts: ReportInputs<'_>) -> Vec<InputReport> {
    // The limits apply to all patches together.
    let (mut named, mut repaired) = if facts.command.is_unlimited {
        (usize::MAX, usize::MAX)
    } else {
        (MAX_NOTES, MAX_NOTES)
    };
    let report = |(index, input): (usize, &Input)| {
        let not_included: Vec<_> = input
            .not_included
            .iter()
            .take(named)
            .map(NotIncludedReport::of)
            .collect();
        let repairs = input.repairs.iter().take(repaired);
        let repairs: Vec<_> = repairs
            .map(|repair| Repair::of(*repair, index, &facts.selected.plan))
            .collect();
        (named, repaired) = (named - not_included.len(), repaired - repairs.len());
        InputReport {
            index,
            name: input.name.clone(),
            listed: input
                .series_entry
                .clone()
                .map(|(series, line)| SeriesEntryReport { series, line }),
            format: (!input.formats.is_empty()).then(|| input.formats.join("+")),
            bytes: input.original().len(),
            sha256: facts
                .command
                .is_full_report
                .then(|| Sha256::of(input.original()).to_string()),
            sections: input.sections,
            omitted: Omitted {
                not_included: input.not_included.len() - not_included.len(),
                repairs: input.repairs.len() - repairs.len(),
                ..Omitted::default()
            },
            not_included,
            repairs,
        }
    };
    facts
        .selected
        .plan
        .inputs
        .iter()
        .enumerate()
        .map(report)
        .collect()
}

/// A change that a patch names without its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct NotIncludedReport {
    /// The kind: `only_in`, `binary`, `differ`, `type`, `link`, `add`, `remove`, `modify`,
    /// `rename`, `properties`, `unmerged`, `submodule` or `unreadable`.
    pub change: &'static str,
    /// The name of the file, as the patch writes it; null if the line names no file.
    pub path: Option<String>,
    /// The line of the patch, counted from 1.
    pub line: usize,
    /// The text of that line, at most 500 bytes.
    pub text: String,
}

impl NotIncludedReport {
    pub(super) fn of(named: &ContentlessChange) -> Self {
        Self {
            change: named.kind.name(),
            path: (!named.name.is_empty()).then(|| text(&named.name)),
            line: named.line,
            text: text(&named.text),
        }
    }
}

/// The position in a list that names a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct SeriesEntryReport {
    /// The list.
    pub series: String,
    /// The line, counted from 1.
    pub line: usize,
}

/// A tolerated mistake in a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Repair {
    /// The stable code of the repair.
    pub code: &'static str,
    /// The line of the patch, counted from 1.
    pub line: usize,
    /// A message of one line.
    pub message: String,
    /// The entry of `files` that the repair belongs to, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Repair {
    /// Returns the entry for a repair of the patch with the index `input` in `plan`.
    pub(super) fn of(repair: crate::plan::Repair, input: usize, plan: &Plan) -> Self {
        let is_meant = |operation: &Operation| {
            let overlaps = |section: Span| {
                operation.span.start < section.end && section.start < operation.span.end
            };
            operation.input == input && repair.section.is_some_and(overlaps)
        };
        let operation = plan.operations.iter().find(|operation| is_meant(operation));
        let file = operation.map(|operation| file_id(operation.number));
        Self {
            code: repair.code,
            line: repair.line,
            message: repair.message.to_owned(),
            file,
        }
    }
}
