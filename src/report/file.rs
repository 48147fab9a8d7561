//! One file in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::cell::CellReport;
use super::hunk::{HunkReport, ListedHunks};
use super::merge::MergeReport;
use super::omitted::{Omitted, Room};
use super::operation::{self, FileType, Op};
use super::rejects::RejectsReport;
use super::rule::{RuleHit, rule_hits};
use super::side::{Contents, LineStats, Modes, Replaced, Review};
use super::status::FileStatus;
use super::whitespace::WhitespaceReport;
use super::words::{Counter, lossless, text};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Edit, Operation};
use crate::policy::{Policy, Ruling, Verdict};
use crate::preflight::{Fallback, FileOutcome};
use crate::text::TextEncoding;

/// What becomes of one file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[non_exhaustive]
pub struct FileReport {
    /// Its name in this report, as in `f1`.
    pub id: String,
    /// The file afterwards; the file that goes, for a deletion. Bytes that are not UTF-8 are
    /// escaped.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: RelPath,
    /// All bytes of the path as hex digits, where the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The name that the patch has for it, where `--file` names another file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_path: Option<String>,
    /// The other file of a rename or copy.
    #[serde(serialize_with = "as_optional_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub from: Option<RelPath>,
    /// All bytes of `from` as hex digits, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_hex: Option<String>,
    /// The patch that says so, of several that a list names (`--series`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// What is done.
    pub op: Op,
    /// What git takes a section without git header for, where it is told otherwise: one that adds
    /// or takes away all lines that it has may be about a new file, or one that goes.
    #[serde(skip)]
    pub(super) op_in_summary: Option<Op>,
    /// What kind of file it is.
    pub file_type: FileType,
    /// `ok`, `partial` where hunks were rejected and the rest is done, or the kind of its first
    /// problem; `no_change` also where all of it had been done already.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: FileStatus,
    /// The mode before and after.
    pub mode: Modes,
    /// How many names the file has, where there are several; the others keep what it was, unless
    /// `in_place` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardlinks: Option<u64>,
    /// The other file, or the link, that is lost because this one takes its place (`--overwrite`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<Box<Replaced>>,
    /// Whether its other names, which may lie anywhere, have the change too (`--in-place`).
    #[serde(skip_serializing_if = "is_false")]
    pub in_place: bool,
    /// The percentage that git's `similarity index` or `dissimilarity index` line says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<u8>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// The loosest comparison of lines that a hunk needed.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub rung: Option<&'static str>,
    /// The encoding that texts were replaced in, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// How many texts were replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacements: Option<usize>,
    /// The cell that changes, for a notebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<Box<CellReport>>,
    /// Digest of the contents before; null if there are none, or if nobody asked.
    pub sha256_before: Option<String>,
    /// Digest of the contents after; null if there are none, or if nobody asked.
    pub sha256_after: Option<String>,
    /// Whether lines were named by their numbers in an earlier version, and found again
    /// (`--relocate`).
    #[serde(skip_serializing_if = "is_false")]
    pub recovered: bool,
    /// The tag of the contents after, where lines are changed by their numbers: the next such
    /// change begins with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Counts of lines and digests once more, in the words that tools for reviews have for them.
    #[serde(flatten)]
    pub review: Option<Box<Review>>,
    /// The contents before; null if there are none, or if nobody asked.
    pub before: Option<Box<Contents>>,
    /// The contents after; null if there are none, or if nobody asked.
    pub after: Option<Box<Contents>>,
    /// What is wrong with the white space of its new lines, where that was looked for and something
    /// is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whitespace: Option<Box<WhitespaceReport>>,
    /// The hunks that do not fit and were written to a file of their own (`--reject`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejects: Option<Box<RejectsReport>>,
    /// How the patch was merged with what became of the file, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<Box<MergeReport>>,
    /// Why the patch was not merged, where it was to be.
    #[serde(skip)]
    pub fallback: Option<Fallback>,
    /// Its hunks. Left out where nobody asked for a description and each fits at its stated place.
    pub hunks: Vec<HunkReport>,
    /// The numbers of its hunks and conflicts that are not listed because there are too many.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
    /// The hunks among the omitted ones that fit off their stated place, and with lines of context
    /// left out.
    #[serde(skip)]
    pub(super) omitted_moves: (usize, usize),
    /// The index of its operation.
    #[serde(skip)]
    pub(crate) index: usize,
    /// Whether it may be done: `allow`, `ask` for what somebody has to approve, `deny`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub verdict: Verdict,
    /// Why it is not simply allowed; null if it is.
    pub reason: Option<String>,
    /// Whether rules of the user with the verdict `allow` match every path that it writes.
    #[serde(skip)]
    pub has_allow_rule: bool,
    /// The rules that have something against it, the strictest first.
    pub policy: Vec<RuleHit>,
    /// A clean diff; null unless it was asked for.
    pub diff: Option<String>,
    /// Whether the diff was cut because it is long.
    #[serde(skip_serializing_if = "is_false")]
    pub diff_truncated: bool,
}

impl FileReport {
    /// Reports one operation; `outcome` is missing if it was compared with no file.
    pub(super) fn of(
        (index, operation): (usize, &Operation),
        (outcome, policy): (Option<&FileOutcome>, &Policy),
        (is_described, room): (bool, Room),
        patch: &[u8],
        counter: &mut Counter<'_>,
    ) -> Self {
        let unknown = FileOutcome::default();
        let known = outcome.unwrap_or(&unknown);
        let done = outcome.filter(|outcome| outcome.failed.is_none());
        // Without a look at the tree, what is there is taken for new.
        let ruling = outcome.map_or_else(
            || policy.weigh(operation, |_| false),
            |outcome| outcome.ruling.clone(),
        );
        let file = Self::stated((index, operation), known, modes(operation, done))
            .with_counts(operation, done, patch)
            .with_contents(known)
            .with_merge(known, room.conflicts)
            .with_ruling(&ruling);
        let is_as_stated = !is_described && done.is_some_and(FileOutcome::is_as_stated);
        let is_left_out = is_as_stated && matches!(operation.edit, Edit::Hunks(_));
        let listed = if is_left_out {
            ListedHunks::default()
        } else {
            operation::hunks(&file.id, operation, known, (patch, room), counter)
        };
        let lines = LineStats {
            additions: file.added,
            deletions: file.removed,
        };
        let whitespace = known.whitespace.as_ref();
        let rejects = known.rejects.as_deref().filter(|_| done.is_some());
        Self {
            op_in_summary: Op::in_summary(operation, outcome.is_some()),
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
            omitted_moves: listed.moved,
            ..file
        }
    }

    /// Returns the entry of an operation that changes the mode as `modes` says, and nothing else.
    fn stated(
        (index, operation): (usize, &Operation),
        known: &FileOutcome,
        modes: (Option<FileMode>, Option<FileMode>),
    ) -> Self {
        Self {
            id: file_id(operation.number),
            path: operation.path.clone(),
            path_hex: lossless(&operation.path),
            header_path: None,
            from: operation.from.clone(),
            from_hex: operation.from.as_ref().and_then(lossless),
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
            rung: operation::loosest(operation, known),
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

    /// Adds the numbers of changed lines and texts. `done` is the outcome if the operation can be
    /// done; without it, the lines are those that the patch states.
    fn with_counts(self, operation: &Operation, done: Option<&FileOutcome>, patch: &[u8]) -> Self {
        let is_text_change = matches!(operation.edit, Edit::Replacements(_));
        let texts = done.filter(|_| is_text_change).map(|done| done.texts.len());
        let (added, removed) = done.map_or_else(
            || operation::counted_lines(operation, patch),
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

    /// Adds the contents before and after the change, and the diff between them.
    fn with_contents(self, known: &FileOutcome) -> Self {
        let replaced = known.replaced.as_deref().copied();
        Self {
            replaces: replaced.map(Replaced::of).map(Box::new),
            encoding: known.encoding.map(TextEncoding::name),
            cell: known.cell.as_deref().map(CellReport::of).map(Box::new),
            sha256_before: known.before.as_ref().map(|side| side.sha256.to_string()),
            sha256_after: known.after.as_ref().map(|side| side.sha256.to_string()),
            before: known.before.as_deref().map(Contents::of).map(Box::new),
            after: known.after.as_deref().map(Contents::of).map(Box::new),
            diff: known.diff.as_deref().map(text),
            diff_truncated: known.is_diff_cut,
            ..self
        }
    }

    /// Adds the result of a merge, with at most `most_conflicts` of its conflicts.
    fn with_merge(self, known: &FileOutcome, most_conflicts: usize) -> Self {
        let merge = known.merge.as_deref();
        let conflicts = merge.map_or(0, |merge| merge.conflicts.len());
        Self {
            merge: merge.map(|merge| Box::new(MergeReport::of(merge, most_conflicts))),
            fallback: known.fallback,
            omitted: Omitted {
                conflicts: conflicts.saturating_sub(most_conflicts),
                ..self.omitted
            },
            ..self
        }
    }

    /// Adds what policy says.
    fn with_ruling(self, ruling: &Ruling) -> Self {
        Self {
            verdict: ruling.verdict,
            reason: ruling.reason().map(str::to_owned),
            has_allow_rule: ruling.has_allow_rule,
            policy: rule_hits(ruling),
            ..self
        }
    }

    /// Returns the report on the hunk with this index in the operation, if it is listed.
    #[must_use]
    pub fn hunk(&self, index: usize) -> Option<&HunkReport> {
        let place = self
            .hunks
            .binary_search_by_key(&index, |hunk| hunk.index)
            .ok()?;
        self.hunks.get(place)
    }

    /// Returns whether nothing of it is done, or would be.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        matches!(self.status, FileStatus::Failed(_))
    }

    /// Returns whether its mode changes from a known one to another.
    #[must_use]
    pub fn is_mode_change(&self) -> bool {
        matches!((&self.mode.old, &self.mode.new), (Some(old), Some(new)) if old != new)
    }
}

/// Returns the modes before and after: those of the file if the operation can be done, else those
/// that the patch states.
fn modes(
    operation: &Operation,
    done: Option<&FileOutcome>,
) -> (Option<FileMode>, Option<FileMode>) {
    done.map_or((operation.old_mode, operation.new_mode), |done| done.modes)
}

/// Returns the name of the file with this number, counted from 0.
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
