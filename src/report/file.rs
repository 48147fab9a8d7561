//! One file in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::cell::CellReport;
use super::hunk::{HunkReport, ListedHunks};
use super::merge::MergeReport;
use super::omitted::{EntryLimits, Omitted};
use super::operation::{self, FileType, Op};
use super::rejects::RejectsReport;
use super::rule::{RuleHit, rule_hits};
use super::side::{Contents, LineStats, Modes, OverwrittenFile, Review};
use super::status::FileStatus;
use super::whitespace::WhitespaceReport;
use super::words::{LineCounter, hex_if_lossy, text};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Edit, Operation};
use crate::policy::{Policy, PolicyDecision, Verdict};
use crate::preflight::{FileOutcome, NoMergeReason};
use crate::text::TextEncoding;

/// The result for one file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[non_exhaustive]
pub struct FileReport {
    /// The identifier in this report, for example `f1`.
    pub id: String,
    /// The path after the change, or the path of a deleted file. Bytes that are not UTF-8 are
    /// escaped.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: RelPath,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The name of the file in the patch, if the caller chose another target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_path: Option<String>,
    /// The source of a rename or copy.
    #[serde(serialize_with = "as_optional_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub from: Option<RelPath>,
    /// All bytes of `from` as hex digits, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_hex: Option<String>,
    /// The patch that contains the section, if a list names several patches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The operation.
    pub op: Op,
    /// The operation that git's `--summary` states, if it differs from `op`. git can treat a
    /// section without a git header as a creation or deletion if it only adds or only deletes
    /// lines.
    #[serde(skip)]
    pub(super) op_in_summary: Option<Op>,
    /// The type of the file.
    pub file_type: FileType,
    /// `ok`, `partial` if hunks were rejected and the rest is applied, or the kind of the first
    /// problem. `no_change` also means that the change is already applied.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: FileStatus,
    /// The mode before and after.
    pub mode: Modes,
    /// The number of hard links, if there are several. The other names keep the old content unless
    /// `in_place` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardlinks: Option<u64>,
    /// The existing file or link at the target path that is overwritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<Box<OverwrittenFile>>,
    /// Whether the file is changed in place, so that its other hard links change too.
    #[serde(skip_serializing_if = "is_false")]
    pub in_place: bool,
    /// The percentage of git's `similarity index` or `dissimilarity index` line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<u8>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// The least strict line comparison that a hunk needed.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub rung: Option<&'static str>,
    /// The encoding of replaced texts, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The number of replaced texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacements: Option<usize>,
    /// The changed cell of a notebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<Box<CellReport>>,
    /// The SHA-256 digest of the content before the change; null if there is none or it was not
    /// requested.
    pub sha256_before: Option<String>,
    /// The SHA-256 digest of the content after the change; null if there is none or it was not
    /// requested.
    pub sha256_after: Option<String>,
    /// Whether the change names lines of an earlier version that were located in the current one.
    #[serde(skip_serializing_if = "is_false")]
    pub recovered: bool,
    /// The tag of the content after a change by line numbers. The next such change must state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Line counts and digests again, under the field names of code review tools.
    #[serde(flatten)]
    pub review: Option<Box<Review>>,
    /// Facts about the content before the change; null if there is none or it was not requested.
    pub before: Option<Box<Contents>>,
    /// Facts about the content after the change; null if there is none or it was not requested.
    pub after: Option<Box<Contents>>,
    /// The white-space errors of the new lines, if they were checked and there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whitespace: Option<Box<WhitespaceReport>>,
    /// The rejected hunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejects: Option<Box<RejectsReport>>,
    /// The result of a three-way merge or a merge per hunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<Box<MergeReport>>,
    /// The reason why a requested merge was not possible.
    #[serde(skip)]
    pub fallback: Option<NoMergeReason>,
    /// The hunks. Empty if no full report was requested and every hunk applies at its stated line.
    pub hunks: Vec<HunkReport>,
    /// The numbers of hunks and conflicts that are not listed because there are too many.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
    /// The numbers of omitted hunks that apply with an offset, and with fuzz.
    #[serde(skip)]
    pub(super) omitted_moves: (usize, usize),
    /// The index of the operation in the plan.
    #[serde(skip)]
    pub(crate) index: usize,
    /// The policy's verdict: `allow`, `ask` if the change needs approval, or `deny`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub verdict: Verdict,
    /// The reason for a verdict other than `allow`; else null.
    pub reason: Option<String>,
    /// Whether rules of the user with the verdict `allow` match every path that the operation
    /// writes.
    #[serde(skip)]
    pub has_allow_rule: bool,
    /// The rules with the verdict `ask` or `deny` that match the file, strictest first.
    pub policy: Vec<RuleHit>,
    /// A clean diff; null unless it was requested.
    pub diff: Option<String>,
    /// Whether the diff was truncated.
    #[serde(skip_serializing_if = "is_false")]
    pub diff_truncated: bool,
}

impl FileReport {
    /// Returns the entry for one operation. `outcome` is `None` if the operation was not compared
    /// with a file.
    pub(super) fn of(
        (index, operation): (usize, &Operation),
        (outcome, policy): (Option<&FileOutcome>, &Policy),
        (is_described, room): (bool, EntryLimits),
        patch: &[u8],
        counter: &mut LineCounter<'_>,
    ) -> Self {
        let unknown = FileOutcome::default();
        let known = outcome.unwrap_or(&unknown);
        let done = outcome.filter(|outcome| outcome.failed.is_none());
        // Without an outcome it is unknown whether the file exists. It counts as a new file.
        let ruling = outcome.map_or_else(
            || policy.judge_operation(operation, |_| None),
            |outcome| outcome.decision.clone(),
        );
        let file = Self::from_modes((index, operation), known, modes(operation, done))
            .with_counts(operation, done, patch)
            .with_contents(known)
            .with_merge(known, room.conflicts)
            .with_ruling(&ruling);
        let is_as_stated = !is_described && done.is_some_and(FileOutcome::is_as_stated);
        let is_left_out = is_as_stated && matches!(operation.edit, Edit::Hunks(_));
        let listed = if is_left_out {
            ListedHunks::default()
        } else {
            operation::list_hunks(&file.id, operation, known, (patch, room), counter)
        };
        let lines = LineStats {
            additions: file.added,
            deletions: file.removed,
        };
        let whitespace = known.whitespace.as_ref();
        let rejects = known.rejects.as_deref().filter(|_| done.is_some());
        Self {
            op_in_summary: Op::for_summary(operation, outcome.is_some()),
            review: is_described.then(|| Box::new(Review::of(known, lines))),
            whitespace: whitespace
                .map(|found| Box::new(WhitespaceReport::of(operation, found, counter))),
            rejects: rejects
                .map(|rejects| Box::new(RejectsReport::of(&file.id, rejects, room.failed))),
            hunks: listed.hunks,
            omitted: Omitted {
                hunks: listed.omitted,
                ..file.omitted
            },
            omitted_moves: listed.omitted_moves,
            ..file
        }
    }

    /// Returns the entry without counts, contents, hunks and policy. The `with_` methods add them.
    fn from_modes(
        (index, operation): (usize, &Operation),
        known: &FileOutcome,
        modes: (Option<FileMode>, Option<FileMode>),
    ) -> Self {
        Self {
            id: file_id(operation.number),
            path: operation.path.clone(),
            path_hex: hex_if_lossy(&operation.path),
            header_path: None,
            from: operation.from.clone(),
            from_hex: operation.from.as_ref().and_then(hex_if_lossy),
            patch: None,
            op: Op::of(operation, modes),
            op_in_summary: None,
            file_type: FileType::of(operation, known, modes),
            status: FileStatus::of(known),
            mode: Modes::of(modes),
            hardlinks: known.hardlinks,
            replaces: None,
            in_place: false,
            score: None,
            added: 0,
            removed: 0,
            rung: operation::loosest_rung(operation, known),
            encoding: None,
            replacements: None,
            cell: None,
            sha256_before: None,
            sha256_after: None,
            recovered: false,
            tag: None,
            review: None,
            before: None,
            after: None,
            whitespace: None,
            rejects: None,
            merge: None,
            fallback: None,
            hunks: Vec::new(),
            omitted: Omitted::default(),
            omitted_moves: (0, 0),
            index,
            verdict: Verdict::Allow,
            reason: None,
            has_allow_rule: false,
            policy: Vec::new(),
            diff: None,
            diff_truncated: false,
        }
    }

    /// Adds the numbers of changed lines and texts. `done` is the outcome if the operation applies.
    /// Without it, the numbers come from the patch.
    fn with_counts(self, operation: &Operation, done: Option<&FileOutcome>, patch: &[u8]) -> Self {
        let is_text_change = matches!(operation.edit, Edit::Replacements(_));
        let texts = done
            .filter(|_| is_text_change)
            .map(|done| done.edit_lines.len());
        let (added, removed) = done.map_or_else(
            || operation::count_lines(operation, patch),
            |done| (done.added, done.removed),
        );
        Self {
            score: super::score::score(operation, patch),
            added,
            removed,
            replacements: texts,
            recovered: done.is_some_and(|done| done.is_recovered),
            tag: done.and_then(|done| done.tag).map(|tag| tag.to_string()),
            ..self
        }
    }

    /// Adds the facts about the contents before and after the change, and the diff.
    fn with_contents(self, known: &FileOutcome) -> Self {
        let replaced = known.replaced.as_deref().copied();
        Self {
            replaces: replaced.map(OverwrittenFile::of).map(Box::new),
            encoding: known.encoding.map(TextEncoding::name),
            cell: known.cell.as_deref().map(CellReport::of).map(Box::new),
            sha256_before: known.before.as_ref().map(|side| side.sha256.to_string()),
            sha256_after: known.after.as_ref().map(|side| side.sha256.to_string()),
            before: known.before.as_deref().and_then(Contents::of).map(Box::new),
            after: known.after.as_deref().and_then(Contents::of).map(Box::new),
            diff: known.diff.as_deref().map(text),
            diff_truncated: known.is_diff_cut,
            ..self
        }
    }

    /// Adds the result of a merge, with at most `most_conflicts` conflicts.
    fn with_merge(self, known: &FileOutcome, most_conflicts: usize) -> Self {
        let merge = known.merge.as_deref();
        let conflicts = merge.map_or(0, |merge| merge.conflicts.len());
        Self {
            merge: merge.map(|merge| Box::new(MergeReport::of(merge, most_conflicts))),
            fallback: known.no_merge_reason,
            omitted: Omitted {
                conflicts: conflicts.saturating_sub(most_conflicts),
                ..self.omitted
            },
            ..self
        }
    }

    /// Adds the policy's verdict.
    fn with_ruling(self, ruling: &PolicyDecision) -> Self {
        Self {
            verdict: ruling.verdict,
            reason: ruling.reason().map(str::to_owned),
            has_allow_rule: ruling.has_allow_rule,
            policy: rule_hits(ruling),
            ..self
        }
    }

    /// Returns the entry for the hunk with this index in the operation, if it is listed.
    #[must_use]
    pub fn hunk(&self, index: usize) -> Option<&HunkReport> {
        let place = self
            .hunks
            .binary_search_by_key(&index, |hunk| hunk.index)
            .ok()?;
        self.hunks.get(place)
    }

    /// Returns whether no part of the operation was or would be applied.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        matches!(self.status, FileStatus::Failed(_))
    }

    /// Returns whether the mode changes from a known mode to another one.
    #[must_use]
    pub fn is_mode_change(&self) -> bool {
        matches!((&self.mode.old, &self.mode.new), (Some(old), Some(new)) if old != new)
    }
}

/// Returns the modes before and after: the actual modes if the operation applies, else the modes
/// that the patch states.
fn modes(
    operation: &Operation,
    done: Option<&FileOutcome>,
) -> (Option<FileMode>, Option<FileMode>) {
    done.map_or((operation.old_mode, operation.new_mode), |done| done.modes)
}

/// Returns the identifier of the file with this number, counted from 0.
pub(super) fn file_id(number: usize) -> String {
    format!("f{}", number + 1)
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that serde calls"
)]
pub(super) fn is_false(value: &bool) -> bool {
    !value
}

fn as_text<S: Serializer>(path: &RelPath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(path.as_bytes()))
}

#[allow(clippy::ref_option, reason = "the shape that serde calls")]
fn as_optional_text<S: Serializer>(
    path: &Option<RelPath>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => as_text(path, serializer),
        None => serializer.serialize_none(),
    }
}
