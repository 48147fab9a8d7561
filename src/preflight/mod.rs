//! Computes file changes and problems from a plan and a tree. It writes nothing.
//!
//! The input is a [`Plan`], a [`Workspace`] and [`Options`]. The output is a [`Resolution`] with
//! one [`FileOutcome`] per operation and all problems. A [`Sink`] receives each finished file
//! change.
//!
//! 1. `approval_gate` applies the policy before any content is read.
//! 2. `group` puts operations on the same files into one group.
//! 3. `pass` resolves the groups in parallel.
//! 4. `operation` performs the operations of one group in order over an overlay, the in-memory view
//!    of the tree.
//! 5. `edit`, `replace`, `lines` and `notebook` compute postimages, one file per kind of edit.
//!
//! Invariants:
//!
//! - Each group hands its changes to the sink at once. Memory is therefore bounded by the patch
//!   plus the files in progress.
//! - After the first error the sink receives nothing more. Resolving continues, so that the report
//!   lists all problems.
//! - The result does not depend on the order in which threads finish.
//!
//! Read `operation/mod.rs` first.

mod already_applied;
mod approval_gate;
mod bases;
mod cause;
mod checks;
mod codes;
mod constructs;
mod content_properties;
mod control_file_aliases;
mod conversions;
mod converter;
mod denied;
mod describe;
mod diff_cache;
mod directories;
mod edit;
mod edit_result;
mod encoded;
mod expansion_limit;
mod findings;
mod first_problems;
mod full_diff;
mod git_directories;
mod group;
mod guards;
mod help;
mod hunkwise;
mod image_previews;
mod kept_contents;
mod lines;
mod modes;
mod notebook;
mod obstacles;
mod operation;
mod operation_paths;
mod options;
mod overlay;
mod pass;
mod problem;
mod reject;
mod replace;
mod spelling;
mod symbol_problem;
mod three_way;
mod whitespace;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use crate::change::Sink;
use crate::digest::Sha256;
use crate::matching::{Placement, Placements};
use crate::mode::{FileKind, FileMode};
use crate::mutex::lock_unpoisoned;
use crate::notebook::EditedCell;
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::policy::{Policy, PolicyDecision};
use crate::text::TextEncoding;
use crate::text::tag::HashlineTag;
use crate::threads;
use crate::workspace::{Workspace, WorkspaceError};

pub(crate) use denied::refusal;
use directories::DirectoryCache;
use findings::Findings;
pub(crate) use first_problems::FirstProblems;
pub(crate) use obstacles::{Obstacles, RightsCache};
use pass::PassState;

pub use approval_gate::{approval_problem, denial_problem, needs_approval, refusals};
pub use bases::{
    BaseSource, Bases, ConflictHandling, ExplicitBase, HistoryBases, MergeDriver, MergeOutcome,
    MergeSides, NoMergeReason, ThreeWay,
};
pub use codes::{CODES, ProblemCode, ProblemKind, code};
pub use content_properties::{ContentDetails, ContentProperties};
pub use control_file_aliases::with_other_names;
pub use conversions::{Conversions, denied_filter, is_git_operation};
pub use diff_cache::DiffCache;
pub use git_directories::{is_in_git_directory, with_git_on_the_way, with_own_git};
pub use image_previews::{ImagePair, ImagePreviews, media_type};
pub use kept_contents::{ContentPair, KeptContents};
pub use options::{
    ACTIONS, ApprovalGate, Options, RejectTo, TextRepair, UnmetPrecondition, WhitespaceAction,
    WhitespaceRules,
};
pub use problem::{MismatchCause, Problem, ProblemFacts, Severity};
pub use reject::{RejectedHunks, reject_files};
pub(crate) use spelling::NameSpellings;
pub use symbol_problem::{symbol_problem, unparsed_problem};
pub use whitespace::{FileWhitespace, check_plan, lookup_name};

/// The minimum number of operations per thread, if no content is read.
const MIN_PER_THREAD: usize = 256;

/// Computes the changes of all files in `plan`, and hands each finished change to `sink`.
///
/// A path that the policy denies, or that needs approval by the approval gate, is a problem before
/// any content is read. After the first error the sink receives nothing more, but the other
/// operations are still resolved, so that all problems are known. If [`Options::rules`] request
/// less than full detail, resolving stops at the first error.
///
/// # Errors
///
/// Returns the error of a failed file access, or an error of the kind
/// [`Interrupted`](std::io::ErrorKind::Interrupted) if the request is cancelled through
/// [`Options::rules`]. Faults of the patch are in [`Resolution::problems`].
pub fn resolve(
    plan: &Plan,
    workspace: &dyn Workspace,
    options: &Options,
    sink: &dyn Sink,
) -> Result<Resolution, WorkspaceError> {
    resolve_with_previews(plan, workspace, options, sink, PreviewSinks::default())
}

/// The receivers of the diffs and images that are displayed later.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreviewSinks<'a> {
    /// Receives the diffs instead of [`FileOutcome::diff`].
    pub diff_cache: Option<&'a DiffCache>,
    /// Receives the images.
    pub image_previews: Option<&'a ImagePreviews>,
    /// Receives the contents of all files. They are in memory at the same time.
    pub contents: Option<&'a KeptContents>,
}

/// Resolves a plan as [`resolve`] does, and moves the diffs and images to the given receivers.
///
/// # Errors
///
/// Returns an error as [`resolve`] does.
pub fn resolve_with_previews(
    plan: &Plan,
    workspace: &dyn Workspace,
    options: &Options,
    sink: &dyn Sink,
    previews: PreviewSinks<'_>,
) -> Result<Resolution, WorkspaceError> {
    let (groups, all) = group_and_decide(plan, workspace, options)?;
    let examine = || whitespace::find_errors(plan, &options.whitespace, &options.rules.interrupt);
    let action = options.whitespace.action;
    // Warnings do not affect the files. White space is then checked in parallel with the groups, or
    // later. For other actions, the check must end before the first group.
    let early = (action != WhitespaceAction::Warn).then(examine);
    let is_parallel = early.is_none() && !options.defers_whitespace;
    let is_found = early.as_ref().is_some_and(|found| !found.is_empty());
    let options = &Options {
        whitespace: WhitespaceRules {
            has_errors: is_found,
            ..options.whitespace.clone()
        },
        images: previews.image_previews.is_some(),
        keeps_contents: previews.contents.is_some(),
        ..options.clone()
    };
    let is_misspaced = is_found && action.is_refusing();
    let is_refused = is_misspaced || all.iter().any(|it| lock_unpoisoned(it).is_failed());
    let pass = PassState {
        plan,
        workspace,
        options,
        sink,
        previews,
        findings: &all,
        is_refused: AtomicBool::new(is_refused),
        changes: AtomicUsize::new(0),
        directories: DirectoryCache::default(),
        first_problems: FirstProblems::default(),
    };
    let (resolved, late) = threads::run_both(
        if is_parallel { plan.size() } else { 0 },
        || pass.resolve(&groups),
        || is_parallel.then(examine),
    );
    resolved?;
    pass::check_interrupt(options)?;
    let mut resolution = Resolution {
        changes: pass.changes.into_inner(),
        ..pass::collect_findings(all, plan, options)?
    };
    pass::check_interrupt(options)?;
    match early.or(late) {
        Some(found) => whitespace::report_errors(plan, found, action, &mut resolution),
        None => resolution.deferred_whitespace = Some(options.whitespace.clone()),
    }
    Ok(resolution)
}

/// Returns the groups of operations, and the findings of each operation after the verdict of the
/// policy.
///
/// # Errors
///
/// Returns an error if the request is cancelled.
fn group_and_decide(
    plan: &Plan,
    workspace: &dyn Workspace,
    options: &Options,
) -> Result<(group::Groups, Vec<Mutex<Findings>>), WorkspaceError> {
    // The groups and verdicts are computed before the findings are allocated, so that their
    // temporary memory is free again by then.
    let judge = || decide_all(plan, workspace, &options.policy);
    let (groups, rulings) = threads::run_both(
        plan.size(),
        || group::group_operations(plan, options),
        judge,
    );
    pass::check_interrupt(options)?;
    let rulings = approval_gate::check_rulings(plan, rulings, workspace, options);
    let rulings = options.rules.interrupt.take_until_raised(rulings);
    let mut findings = Vec::with_capacity(plan.operations.len());
    findings.extend(rulings.map(Mutex::new));
    pass::check_interrupt(options)?;
    Ok((groups, findings))
}

/// Returns the verdict of `policy` on each operation of `plan`. No content is read.
#[must_use]
pub fn decide_all(plan: &Plan, workspace: &dyn Workspace, policy: &Policy) -> Vec<PolicyDecision> {
    let policy = git_directories::with_git_of_plan(plan, policy, workspace);
    threads::map_parallel(&plan.operations, MIN_PER_THREAD, |operation| {
        decide(operation, workspace, &policy)
    })
}

fn decide(operation: &Operation, workspace: &dyn Workspace, policy: &Policy) -> PolicyDecision {
    policy.judge_operation(operation, |path| find_kind(workspace, path))
}

/// Returns the type of the file at `path`; `None` if it does not exist or cannot be examined.
pub(crate) fn find_kind(workspace: &dyn Workspace, path: &RelPath) -> Option<FileKind> {
    workspace.stat(path).ok()?.map(|stat| stat.kind)
}

/// The result of resolving a plan on a tree.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// One outcome for each operation, in plan order.
    pub files: Vec<FileOutcome>,
    /// Errors and warnings in the order of the operations: the first 1000 of each code for each
    /// input. For the hunks of one file, at most
    /// [`MAX_EXPLAINED`](crate::matching::MAX_EXPLAINED) errors and as many warnings are
    /// included. The white space errors of the patch follow, one problem for each file, unless
    /// [`Options::defers_whitespace`] defers them.
    pub problems: Vec<Problem>,
    /// The number of files that would change.
    pub changes: usize,
    /// The rules for the lines of the patch if [`Options::defers_whitespace`] left them unchecked.
    deferred_whitespace: Option<WhitespaceRules>,
}

impl Resolution {
    /// Returns whether a file is written with conflicts.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.files
            .iter()
            .filter_map(|file| file.merge.as_ref())
            .any(|merge| merge.is_marked)
    }

    /// Returns whether no problem is an error.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems
            .iter()
            .all(|problem| problem.severity != Severity::Error)
    }
}

/// The outcome of one operation.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct FileOutcome {
    /// The verdict of the policy.
    pub decision: PolicyDecision,
    /// The code of the first error; `None` if the operation can be performed.
    pub failed: Option<&'static ProblemCode>,
    /// The placement or the mismatch of each hunk, in order. Empty if the operation failed earlier,
    /// or if every hunk is at its stated line and no description was requested.
    pub placements: Placements,
    /// For text edits: the index of the edit of each placement, and the number of lines after the
    /// change.
    pub edit_lines: Box<[(usize, usize)]>,
    /// The changed cell of a notebook.
    pub cell: Option<Box<EditedCell>>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// Whether the change concerns bytes instead of lines.
    pub is_binary: bool,
    /// The modes before and after, as git writes them.
    pub modes: (Option<FileMode>, Option<FileMode>),
    /// Whether the file is a symbolic link that is written as a regular file.
    pub is_link_file: bool,
    /// Whether the content changes.
    pub is_edited: bool,
    /// The properties of the content before, if it exists and a description was requested.
    pub before: Option<Box<ContentProperties>>,
    /// The properties of the content after, if it exists and a description was requested.
    pub after: Option<Box<ContentProperties>>,
    /// The mode and the digest of another file that the result replaces, if a description was
    /// requested.
    pub replaced: Option<Box<(FileMode, Sha256)>>,
    /// Whether the line numbers refer to an earlier version of the file.
    pub is_recovered: bool,
    /// The tag after the change, for edits of numbered lines.
    pub tag: Option<HashlineTag>,
    /// The generated diff of the change, if one was requested.
    pub diff: Option<Vec<u8>>,
    /// Whether the diff was truncated at [`Options::max_diff`].
    pub is_diff_cut: bool,
    /// The encoding in which texts were replaced, if one was selected.
    pub encoding: Option<TextEncoding>,
    /// The number of hard links to the existing file, if there are several.
    pub hardlinks: Option<u64>,
    /// Whether the whole operation was already applied.
    pub is_already_applied: bool,
    /// The hunks that were left out because they do not match.
    pub rejects: Option<Box<RejectedHunks>>,
    /// The outcome of the merge, if the patch was merged.
    pub merge: Option<Box<MergeOutcome>>,
    /// The reason why the patch was not merged although a merge was requested.
    pub no_merge_reason: Option<NoMergeReason>,
    /// The white space errors of the patch, if there are any.
    pub whitespace: Option<Box<FileWhitespace>>,
    /// The number of hunk problems that [`Resolution::problems`] omits because of its
    /// limit.
    pub omitted_problems: usize,
}

impl FileOutcome {
    /// Returns whether every hunk is at its stated line, as far as placements are kept.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        self.placements
            .iter()
            .all(|placed| placed.as_ref().is_ok_and(Placement::is_as_stated))
    }

    /// Sets the placements of text edits. Each item is the index of the edit, the number of lines
    /// after the change, and the placement.
    pub(super) fn set_placements(
        &mut self,
        places: impl Iterator<Item = (usize, usize, Placement)>,
    ) {
        let (texts, placements): (Vec<_>, _) = places
            .map(|(edit, new_lines, placement)| ((edit, new_lines), Ok(placement)))
            .unzip();
        (self.edit_lines, self.placements) = (texts.into(), placements);
    }
}

#[cfg(test)]
mod tests;
