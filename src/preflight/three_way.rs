//! Three-way merges (`--3way`): a patch that was made for other contents is merged with the current
//! file.

use std::sync::Arc;

use super::bases::{
    BaseSource, ConflictHandling, MergeDriver, MergeOutcome, MergeSides, ThreeWay, report_conflicts,
};
use super::edit;
use super::edit_result::{EditResult, count_changed_lines};
use super::findings::Findings;
use super::options::Options;
use super::overlay::Node;
use super::{checks, code};
use crate::digest::has_blob_id;
use crate::interrupt::Interrupt;
use crate::matching::{Conflict, ConflictResolution, ConflictStyle, MergedText, merge};
use crate::mode::{FileKind, FileMode};
use crate::plan::{Action, Edit, Operation};
use crate::text::{Bytes, is_binary, printable};
use crate::workspace::WorkspaceError;

/// The result of an attempt to merge.
pub(super) enum MergeAttempt {
    /// The merged content.
    Merged(Vec<u8>),
    /// The merge failed. The findings contain the reason.
    Refused,
    /// No merge is requested, or the file equals the merge base.
    NotNeeded,
    /// The operation cannot be merged.
    Unmergeable,
    /// The merge base is not available.
    NoBase,
}

/// Applies the operation to its merge base, and merges the result with the current file `before`.
pub(super) fn attempt(
    operation: &Operation,
    text: &[u8],
    before: Option<&Node>,
    options: &Options,
    findings: &mut Findings,
) -> Result<MergeAttempt, WorkspaceError> {
    let Some(three_way) = &options.three_way else {
        return Ok(MergeAttempt::NotNeeded);
    };
    let Some(before) = before else {
        return Ok(MergeAttempt::Unmergeable);
    };
    let is_create = operation.action == Action::Create;
    let may_merge = match operation.edit {
        Edit::Hunks(_) | Edit::Binary(_) | Edit::BinaryMissing => {
            !matches!(operation.action, Action::Delete | Action::RemoveCopy)
        }
        _ => is_create,
    };
    let keeps_kind = operation
        .new_mode
        .is_none_or(|mode: FileMode| mode.kind() == before.kind);
    if !may_merge || !keeps_kind || !matches!(before.kind, FileKind::Regular | FileKind::Symlink) {
        return Ok(MergeAttempt::Unmergeable);
    }
    // If the current file is the base, the patch applies without a merge.
    let named = operation.blobs.as_ref().map(|blobs| blobs.old.as_slice());
    if !is_create
        && three_way.bases.given.is_none()
        && named.is_some_and(|name| has_blob_id(&before.bytes, name))
    {
        return Ok(MergeAttempt::NotNeeded);
    }
    let Some((base, kind)) = three_way.bases.find(operation, options.max_read())? else {
        return Ok(MergeAttempt::NoBase);
    };
    if !is_create && &base == before.bytes.whole() {
        return Ok(MergeAttempt::NotNeeded);
    }
    let Some(theirs) = apply_to_base(operation, text, &base, options, findings) else {
        return Ok(if is_create {
            MergeAttempt::Refused
        } else {
            MergeAttempt::Unmergeable
        });
    };
    let sides = MergeSides {
        base: (!is_create).then_some(base),
        ours: Arc::clone(before.bytes.whole()),
        theirs,
    };
    Ok(merge_sides(
        (operation, before.kind),
        three_way,
        (kind, sides),
        findings,
    ))
}

/// Returns the result of the operation on `base`. Warnings about several places in `base` are
/// dropped, because they do not concern the current file. If an operation other than a create fails
/// on `base`, all of its problems are dropped.
fn apply_to_base(
    operation: &Operation,
    text: &[u8],
    base: &Arc<Bytes>,
    options: &Options,
    findings: &mut Findings,
) -> Option<Arc<Bytes>> {
    let mut base_findings = Findings::default();
    let edited = edit::postimage(
        operation,
        text,
        &Arc::clone(base).into(),
        options,
        &mut base_findings,
    );
    if operation.action == Action::Create || edited.is_some() {
        base_findings
            .problems
            .retain(|problem| *problem.code != code::SEVERAL_PLACES);
        findings.problems.append(&mut base_findings.problems);
        findings.outcome.failed = findings.outcome.failed.or(base_findings.outcome.failed);
        findings.outcome.whitespace = base_findings.outcome.whitespace;
    }
    Some(match edited? {
        EditResult::Same => Arc::clone(base),
        EditResult::Changed(bytes) => Arc::clone(bytes.whole()),
    })
}

fn conflict_style(three_way: &ThreeWay) -> ConflictStyle {
    match three_way.conflicts {
        ConflictHandling::WriteMarkers(style) => style,
        ConflictHandling::Refuse => ConflictStyle::default(),
    }
}

fn merge_sides(
    (operation, kind): (&Operation, FileKind),
    three_way: &ThreeWay,
    (base, sides): (BaseSource, MergeSides),
    findings: &mut Findings,
) -> MergeAttempt {
    let driver = three_way.drivers.get(&operation.path);
    let nothing = Arc::default();
    let base_text = sides.base.as_ref().unwrap_or(&nothing);
    let texts = [base_text, &sides.ours, &sides.theirs];
    let is_link = kind == FileKind::Symlink;
    let is_whole =
        is_link || driver == Some(&MergeDriver::Binary) || texts.iter().any(|text| is_binary(text));
    let favour = three_way
        .favour
        .or((driver == Some(&MergeDriver::Union)).then_some(ConflictResolution::Union));
    let style = conflict_style(three_way);
    // If only one side changes the base, or both have the same result, no driver runs.
    let MergedText { bytes, conflicts } = if texts[0] == texts[2] || texts[1] == texts[2] {
        take_side(texts[1])
    } else if texts[0] == texts[1] {
        take_side(texts[2])
    } else if let Some(MergeDriver::Program(name)) = driver {
        refuse_driver(name, findings);
        return MergeAttempt::Refused;
    } else if is_whole {
        merge_whole(texts, favour)
    } else {
        merge(texts[0], texts[1], texts[2], favour, style)
    };
    let interrupt = Interrupt::never();
    count_changed_lines(texts[1], &bytes, interrupt, &mut findings.outcome);
    let has_conflicts = !conflicts.is_empty();
    let is_marked = three_way.conflicts != ConflictHandling::Refuse && !is_link;
    if has_conflicts && is_link {
        report_link_conflict(texts, findings);
    }
    // A binary conflict has no markers. With `WriteMarkers`, the file keeps our content.
    let is_refused = has_conflicts && !is_marked;
    let is_marked = has_conflicts && is_marked;
    let sides = (is_marked && three_way.is_indexed).then_some(sides);
    let merge = MergeOutcome {
        base,
        conflicts,
        is_binary: is_whole,
        is_marked,
        hunks: Vec::new(),
        sides,
    };
    if !is_link {
        report_conflicts(&merge, favour, findings);
    }
    findings.outcome.merge = Some(Box::new(merge));
    if is_refused {
        MergeAttempt::Refused
    } else {
        MergeAttempt::Merged(bytes)
    }
}

/// Returns the content of one side as a merge without conflicts.
fn take_side(text: &[u8]) -> MergedText {
    MergedText {
        bytes: text.to_vec(),
        conflicts: Vec::new(),
    }
}

/// Merges contents that cannot be merged by lines.
fn merge_whole(
    [base, ours, theirs]: [&Arc<Bytes>; 3],
    favour: Option<ConflictResolution>,
) -> MergedText {
    let all = |text: &[u8]| 0..text.split_inclusive(|&byte| byte == b'\n').count();
    let conflict = Conflict {
        base: all(base),
        ours: all(ours),
        theirs: all(theirs),
    };
    match favour {
        Some(ConflictResolution::Ours) => take_side(ours),
        Some(ConflictResolution::Theirs) => take_side(theirs),
        Some(ConflictResolution::Union) | None => MergedText {
            bytes: ours.to_vec(),
            conflicts: vec![conflict],
        },
    }
}

/// Reports a conflict of a symbolic link. A link cannot contain conflict markers.
fn report_link_conflict([base, ours, theirs]: [&Arc<Bytes>; 3], findings: &mut Findings) {
    let (ours, theirs) = (printable(ours), printable(theirs));
    let message = if base.is_empty() {
        format!(
            "the link already exists: it points to `{ours}`, and the patch creates it for `{theirs}`"
        )
    } else {
        format!(
            "both sides changed the link: it points to `{ours}`, and the patch changes it to `{theirs}`"
        )
    };
    let help = "use --ours to keep the link or --theirs for the link of the patch; a link cannot contain conflict markers";
    findings.error(&code::MERGE_CONFLICT, message).help = Some(help.to_owned());
}

/// Reports that the merge driver of the file is a program, which wpatch does not run.
fn refuse_driver(name: &[u8], findings: &mut Findings) {
    let message = format!(
        "both sides changed the file, and wpatch does not run its merge driver `{}`",
        printable(name)
    );
    let help = "use `git apply --3way` to run the driver, or --exclude to skip the file".to_owned();
    findings.error(&code::MERGE_CONFLICT, message).help = Some(help);
}

/// Warns that the merge base of a patch that does not match is not available.
pub(super) fn warn_missing_base(operation: &Operation, options: &Options, findings: &mut Findings) {
    let three_way = options.three_way.as_ref();
    let is_given = three_way.is_some_and(|three_way| three_way.bases.given.is_some());
    let (message, help) = match &operation.blobs {
        _ if is_given => (
            "the given base does not contain the file".to_owned(),
            "use --base with a revision that contains the file",
        ),
        Some(blobs) => (
            format!(
                "the repository does not have the base blob {} of the patch",
                printable(&blobs.old)
            ),
            "use --base to name the base file or revision",
        ),
        None => (
            "the patch does not name its base blob".to_owned(),
            "use --base to name the base file or revision",
        ),
    };
    findings.warning(&code::NO_BLOB, message).help = Some(help.to_owned());
}

/// Reports that a file to create already exists and cannot be merged with the new file.
pub(super) fn refuse_unmergeable_file(
    operation: &Operation,
    text: &[u8],
    before: &Node,
    findings: &mut Findings,
) {
    checks::report_existing(
        operation,
        &super::overlay::PathState::Node(before.clone()),
        text,
        findings,
    );
}
