//! The patches in a report: where each comes from, and what was mended in it.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::omitted::{NOTES, Omitted};
use super::stages::Facts;
use super::words::text;
use crate::digest::Sha256;
use crate::plan::{Input, NotIncluded, Operation, Plan};
use crate::text::Span;

/// One patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct InputReport {
    /// Its place among the patches, counted from 0.
    pub index: usize,
    /// Its name, `-` for standard input.
    pub name: String,
    /// The line of a list that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<ListedReport>,
    /// The grammars of its sections, joined by `+`; null if it could not be read.
    pub format: Option<String>,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its digest, if somebody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// How many sections it has.
    pub sections: usize,
    /// What was mended in it; each with a stable code.
    pub repairs: Vec<Repair>,
    /// The changes that it names and does not contain, as `Only in b: x` does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_included: Vec<NotIncludedReport>,
    /// The numbers of repairs and of changes without content that are not listed because there are
    /// too many.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
}

/// Reports the patches, with their repairs and the changes that they do not contain up to a limit.
pub(super) fn reports(facts: Facts<'_>) -> Vec<InputReport> {
    let (mut named, mut repaired) = if facts.command.is_complete {
        (usize::MAX, usize::MAX)
    } else {
        (NOTES, NOTES)
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
                .listed
                .clone()
                .map(|(series, line)| ListedReport { series, line }),
            format: (!input.formats.is_empty()).then(|| input.formats.join("+")),
            bytes: input.original().len(),
            sha256: facts
                .command
                .is_described
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

/// A change that a patch names and does not contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct NotIncludedReport {
    /// The kind: `only_in`, `binary`, `differ`, `type`, `link`, `add`, `remove`, `modify`,
    /// `rename`, `properties`, `unmerged`, `submodule` or `unreadable`.
    pub change: &'static str,
    /// The name of the file as the patch writes it; null if the line names no file.
    pub path: Option<String>,
    /// The line of the patch, counted from 1.
    pub line: usize,
    /// The text of that line, at most 500 bytes of it.
    pub text: String,
}

impl NotIncludedReport {
    pub(super) fn of(named: &NotIncluded) -> Self {
        Self {
            change: named.kind.name(),
            path: (!named.name.is_empty()).then(|| text(&named.name)),
            line: named.line,
            text: text(&named.text),
        }
    }
}

/// Where a list names a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ListedReport {
    /// The list.
    pub series: String,
    /// The line, counted from 1.
    pub line: usize,
}

/// Something that was mended in a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Repair {
    /// Its stable name.
    pub code: &'static str,
    /// Line of the patch, counted from 1.
    pub line: usize,
    /// One line for people.
    pub message: String,
    /// The entry of `files` that it was made for, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Repair {
    /// Reports a repair of the patch at `input` of `plan`.
    pub(super) fn of(repair: crate::plan::Repair, input: usize, plan: &Plan) -> Self {
        let is_meant = |operation: &Operation| {
            let overlaps = |section: Span| {
                operation.span.start < section.end && section.start < operation.span.end
            };
            operation.input == input && repair.section.is_some_and(overlaps)
        };
        let file = plan.operations.iter().position(is_meant);
        let file = file.map(|index| format!("f{}", index + 1));
        Self {
            code: repair.code,
            line: repair.line,
            message: repair.message.to_owned(),
            file,
        }
    }
}
