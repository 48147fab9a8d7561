//! Computes a postimage from a preimage, by hunks or by binary data.

mod binary;
mod binary_from_repo;
mod explain;
mod placement;
mod refusal;

use std::sync::Arc;

use super::already_applied::is_hunk_applied;
use super::cause::{self};
use super::edit_result::{EditResult, count_changed_lines};
use super::findings::Findings;
use super::guards::{guard_block, guard_hunks};
use super::options::Options;
use super::{hunkwise, reject, whitespace};
use crate::lines::LineOffsets;
use crate::matching::{self, MatchRules, Mismatch, Placement, Placements, SplicedFile};
use crate::plan::{Action, Edit, Hunk, Operation};
use crate::text::{BINARY_PREFIX, Contents, detect_utf16, is_binary};
use explain::explain;
use placement::HunkPlacements;

pub(super) use binary_from_repo::full_blobs;
pub(super) use placement::count_changes;

/// Returns the postimage of `preimage`; `None` if the operation does not apply.
pub(super) fn postimage(
    operation: &Operation,
    text: &[u8],
    preimage: &Contents,
    options: &Options,
    findings: &mut Findings,
) -> Option<EditResult> {
    let made = |bytes: Vec<u8>| EditResult::Changed(bytes.into());
    findings.outcome.is_binary = matches!(operation.edit, Edit::Binary(_) | Edit::BinaryMissing);
    match &operation.edit {
        // `GroupExecutor` reads the file that an `Edit::Restore` restores from the history itself.
        Edit::Keep | Edit::Restore(_) | Edit::Directory => Some(EditResult::Same),
        Edit::Hunks(hunks) => splice_hunks(operation, (text, hunks), preimage, options, findings)
            .map(EditResult::Changed),
        Edit::Binary(binary) => {
            binary::postimage(operation, **binary, text, preimage, options, findings).map(made)
        }
        Edit::BinaryMissing => {
            binary_from_repo::postimage(operation, preimage, options, findings).map(made)
        }
        Edit::Cell(wanted) => {
            let limits = (options.max_write(), &options.rules.interrupt);
            super::notebook::postimage(wanted, preimage, limits, findings)
        }
        // `GroupExecutor` computes these edits itself. It has the files from which lines are moved.
        Edit::Lines(_) => None,
        Edit::Replacements(changes) => {
            super::replace::postimage(operation, changes, preimage, options, findings)
        }
        Edit::Whole(contents) => {
            guard_block(preimage, contents, options, findings);
            count_changed_lines(
                preimage,
                contents,
                &options.rules.interrupt,
                &mut findings.outcome,
            );
            Some(EditResult::Changed(Arc::clone(contents).into()))
        }
    }
}

/// Returns the postimage after the chosen hunks that are not yet applied; `None` if one of them
/// does not apply, or if the interrupt is raised.
fn splice_hunks(
    operation: &Operation,
    (text, hunks): (&[u8], &[Hunk]),
    preimage: &Contents,
    options: &Options,
    findings: &mut Findings,
) -> Option<Contents> {
    if let Some(name) = unsupported_encoding(operation, preimage) {
        cause::refuse_encoding(name, "inserted", findings);
        return None;
    }
    // The hunks that `--only` leaves out are placed too. The chosen hunks then get the same places
    // as in the complete patch.
    let rules = whitespace::match_rules(operation, (text, hunks), options);
    let HunkPlacements {
        file,
        placements,
        overlaid,
        counted,
    } = HunkPlacements::new(operation, (text, hunks), preimage, &rules)?;
    (findings.outcome.added, findings.outcome.removed) = counted;
    if hunkwise::can_merge(operation, options) && placements.iter().any(Result::is_err) {
        let patch = (text, hunks);
        let merged = hunkwise::merge_all(operation, patch, &file, (&rules, options), findings);
        return Some(merged.into());
    }
    explain(
        operation,
        (text, hunks),
        &placements,
        &file,
        options,
        findings,
    );
    let pending = PendingHunks::new(operation, (text, hunks), &placements, options, findings);
    findings.outcome.is_already_applied =
        pending.has_skipped && pending.hunks.is_empty() && !pending.has_rejected;
    let is_as_stated = placements
        .iter()
        .all(|placed| placed.as_ref().is_ok_and(Placement::is_as_stated));
    let splice = SpliceInputs {
        operation,
        text,
        preimage,
        file: &file,
        rules: &rules,
        options,
    };
    let after = splice.run(hunks, &pending, overlaid, findings);
    // A report needs the placements only in these cases. Most patches match as stated, so memory
    // stays small.
    if after.is_none() || options.describe || !is_as_stated {
        findings.outcome.placements = placements;
    }
    after
}

/// The inputs for computing a postimage from placed hunks.
struct SpliceInputs<'a> {
    operation: &'a Operation,
    text: &'a [u8],
    preimage: &'a Contents,
    file: &'a LineOffsets<'a>,
    rules: &'a MatchRules,
    options: &'a Options,
}

impl SpliceInputs<'_> {
    /// Returns the postimage after the `pending` ones of `hunks`; `None` if one of them has no
    /// placement, or if the interrupt is raised. `overlaid` is the postimage if the placement already
    /// computed it.
    fn run(
        &self,
        hunks: &[Hunk],
        pending: &PendingHunks<'_>,
        overlaid: Option<SplicedFile>,
        findings: &mut Findings,
    ) -> Option<Contents> {
        let &Self {
            operation,
            text,
            preimage,
            file,
            rules,
            options,
        } = self;
        let placed = pending.hunks.iter().map(|(_, placed)| placed.as_ref().ok());
        let placed: Vec<_> = placed.collect::<Option<_>>()?;
        let some: Option<Vec<Hunk>> = (pending.hunks.len() < hunks.len()).then(|| {
            let indexes = pending.hunks.iter().map(|(index, _)| *index);
            indexes.map(|index| hunks[index].clone()).collect()
        });
        let hunks = some.as_deref().unwrap_or(hunks);
        let direction = operation.direction;
        guard_hunks(hunks, text, direction, options, findings);
        if overlaid.is_none() && !rules.no_add {
            let pairs = hunks.iter().zip(placed.iter().copied());
            whitespace::check_blank_end(
                operation,
                text,
                preimage,
                pairs,
                &options.whitespace,
                findings,
            );
        }
        let mut spliced = overlaid.or_else(|| {
            matching::splice_with_rules(file, text, hunks, direction, &placed, rules)
        })?;
        whitespace::record_corrections(&mut spliced, findings);
        let after = Contents::from_pieces(preimage, spliced.pieces);
        // The counts of the hunks are wrong if some of their lines were not applied as written.
        if pending.has_skipped || rules.correction.is_some() || rules.no_add {
            count_changed_lines(preimage, &after, &rules.interrupt, &mut findings.outcome);
        }
        findings.outcome.is_binary = is_binary(preimage) || is_binary(&after.prefix(BINARY_PREFIX));
        Some(after)
    }
}

/// Returns the name of the encoding if the file is in UTF-16 and a hunk has neither a line number
/// nor preimage lines. Such a hunk would match although its text is in UTF-8.
fn unsupported_encoding(operation: &Operation, preimage: &[u8]) -> Option<&'static str> {
    let is_unlocated = |hunk: &Hunk| {
        !hunk.anchor.is_numbered() && hunk.preimage_range(operation.direction).count == 0
    };
    operation
        .hunks()
        .any(is_unlocated)
        .then(|| detect_utf16(preimage))
        .flatten()
}

/// The chosen hunks that are neither already applied nor rejected.
struct PendingHunks<'p> {
    /// The index and the placement of each hunk.
    hunks: Vec<(usize, &'p Result<Placement, Box<Mismatch>>)>,
    /// Whether some of the chosen hunks are already applied, or rejected.
    has_skipped: bool,
    /// Whether some of the chosen hunks are rejected.
    has_rejected: bool,
}

impl<'p> PendingHunks<'p> {
    fn new(
        operation: &Operation,
        patch: (&[u8], &[Hunk]),
        placements: &'p Placements,
        options: &Options,
        findings: &mut Findings,
    ) -> Self {
        let misfits: Vec<usize> = if options.reject {
            find_failed_hunks(operation, placements, options)
        } else {
            Vec::new()
        };
        let is_reduced = !misfits.is_empty()
            && reject::record_rejects(operation, patch, (misfits, options), findings);
        let is_done = |placed: &Result<_, Box<Mismatch>>| {
            options.idempotent
                && is_hunk_applied(placed.as_ref().err().map(|mismatch| &mismatch.kind))
        };
        let is_pending =
            |placed: &Result<_, _>| !is_done(placed) && (placed.is_ok() || !is_reduced);
        let hunks: Vec<_> = placements
            .iter()
            .enumerate()
            .filter(|(index, placed)| operation.is_applied(*index) && is_pending(placed))
            .collect();
        Self {
            has_skipped: hunks.len() + operation.left_out.len() < placements.len(),
            hunks,
            has_rejected: is_reduced,
        }
    }
}

/// Returns the indexes of the chosen hunks that neither match nor count as already applied.
fn find_failed_hunks(
    operation: &Operation,
    placements: &Placements,
    options: &Options,
) -> Vec<usize> {
    let is_misfit = |placed: &Result<_, Box<Mismatch>>| match placed {
        Ok(_) => false,
        Err(mismatch) => !(options.idempotent && is_hunk_applied(Some(&mismatch.kind))),
    };
    let all = placements
        .iter()
        .enumerate()
        .filter(|(index, placed)| operation.is_applied(*index) && is_misfit(placed));
    all.map(|(index, _)| index).collect()
}

fn is_gone(operation: &Operation) -> bool {
    operation.action == Action::Delete
}
