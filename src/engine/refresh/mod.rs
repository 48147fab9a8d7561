//! `refresh`: rewrites patches for the current tree, all of them or none.
//!
//! The input is the patches, their files and the tree. The output is a report, and the patch files
//! are changed in one transaction. Read `pass.rs` first: `RewrittenPatches::of` is the whole flow.
//!
//! 1. `checked.rs` checks all patches against the tree, in order and with fuzz. A hunk that is
//!    already applied is skipped.
//! 2. `texts.rs` computes the new text of each patch: `hunks.rs` gives each hunk the line numbers
//!    and the context lines of its place, `patch_text.rs` turns it into edits of the patch, and
//!    `text_edit.rs` applies them to the file, which can be a mail. Already applied hunks are
//!    removed. All other bytes stay the same.
//! 3. If a patch does not apply, `contained.rs` searches for stacks of patches that the tree
//!    contains. The other patches are then checked again.
//! 4. `verify.rs` checks the new patches without fuzz. They must give the same tree, which
//!    `final_tree.rs` computes.
//!
//! `statuses.rs` describes the result of each hunk.

mod checked;
mod contained;
mod final_tree;
mod hunks;
mod pass;
mod patch_text;
mod statuses;
mod text_edit;
mod texts;
mod verify;

use std::collections::HashSet;
use std::sync::Arc;

use super::failure::failure_outcome;
use super::request::{Decide, Patches, TreeChange};
use super::task::CommandMode;
use super::tree_change::{CommandEffects, run_with_effects};
use super::{Outcome, Request, RequestContext, What, close_approval_gate, refused_outcome};
use crate::interrupt::Interrupt;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::policy::Policy;
use crate::preflight::{Problem, Severity, code};
use crate::report::{PatchStatus, RefreshReport, RefreshedPatch};
use crate::text::{Bytes, lines};
use crate::workspace::{Workspace, WorkspaceError};
use pass::RewrittenPatches;

/// The name of the command in reports.
const NAME: &str = "refresh";
/// The file in which quilt lists the applied patches.
const QUILT_APPLIED: &[u8] = b".pc/applied-patches";

/// Patches to rewrite for the current tree.
#[derive(Clone, Debug)]
pub struct RefreshRequest {
    /// The patches and their options. [`Decide::fuzz`] is the number of context lines that the tree
    /// can have changed. [`Request::commit`] is for the change of the patch files.
    pub request: Request,
    /// The file of each patch, in the order of the patches.
    pub files: Vec<RelPath>,
    /// The policy for the patch files. [`RequestContext::policy`] applies to the tree.
    pub policy: Arc<Policy>,
    /// The series file and its content, if the patches are those of a series. A removed patch also
    /// loses its line.
    pub series: Option<(RelPath, Bytes)>,
}

/// The outcome of a refresh.
#[derive(Clone, Debug)]
pub struct RefreshOutcome {
    /// The outcome.
    pub outcome: Outcome,
    /// The tree to which the paths in the outcome belong.
    pub tree: OutcomeTree,
}

/// One of the two trees of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeTree {
    /// The tree that the patches change. The outcome is a refusal.
    Patched,
    /// The tree that contains the patch files.
    PatchFiles,
}

/// Rewrites patches so that they apply to `tree` at their stated lines and without fuzz, or leaves
/// all of them unchanged and reports the reason. The files are in `patch_tree`.
///
/// Each patch applies to the result of the patches before it. A change that the tree already has is
/// removed from its patch, and a patch without any other change is deleted.
/// [`Report::refresh`](crate::report::Report::refresh) describes each hunk.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use wpatch::engine::{self, RefreshRequest, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::Interrupt;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let patch = "Fix two.\n\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
/// let name = RelPath::new(b"fix.patch")?;
/// let tree = Memory::with_files([(RelPath::new(b"a")?, Entry::file("zero\none\ntwo\n"))]);
/// let patches = Memory::with_files([(name.clone(), Entry::file(patch))]);
/// let refresh = RefreshRequest { request: Request::of(patch), files: vec![name.clone()], policy: Arc::default(), series: None };
/// let outcome = engine::refresh(refresh, &tree, &patches, &Interrupt::new()).outcome;
/// assert!(outcome.report.changed);
/// let expected = "Fix two.\n\n--- a/a\n+++ b/a\n@@ -2,2 +2,2 @@\n one\n-two\n+2\n";
/// assert_eq!(patches.files()[&name].contents, expected.as_bytes());
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn refresh(
    mut refresh: RefreshRequest,
    tree: &dyn Workspace,
    patch_tree: &dyn Workspace,
    interrupt: &Interrupt,
) -> RefreshOutcome {
    close_approval_gate(&mut refresh.request, patch_tree);
    refresh.request.context.interrupt = interrupt.clone();
    run(refresh, (tree, patch_tree), CommandMode::Apply)
}

/// Returns the report that [`refresh()`] would produce, and writes nothing.
pub fn check_refresh(
    refresh: RefreshRequest,
    tree: &dyn Workspace,
    patch_tree: &dyn Workspace,
) -> RefreshOutcome {
    run(refresh, (tree, patch_tree), CommandMode::Check)
}

fn run(
    refresh: RefreshRequest,
    (tree, patch_tree): (&dyn Workspace, &dyn Workspace),
    mode: CommandMode,
) -> RefreshOutcome {
    let RefreshRequest {
        mut request,
        files,
        policy,
        series,
    } = refresh;
    let rewritten = match rewrite(&mut request, &files, tree) {
        Ok(rewritten) => rewritten,
        Err(outcome) => {
            return RefreshOutcome {
                outcome: *outcome,
                tree: OutcomeTree::Patched,
            };
        }
    };
    let (report, change) = rewritten.into_change((files, series), |path| mode_of(path, patch_tree));
    let mut outcome = if let Some(problem) = link_problem(&change, patch_tree) {
        *refused_outcome(NAME, problem)
    } else {
        let mut effects = CommandEffects::default();
        effects.problems.extend(all_removed_warning(&report, mode));
        let request = file_request(request, policy);
        run_with_effects(change, effects, request, (mode, patch_tree))
    };
    outcome.report.refresh = Some(Box::new(report));
    RefreshOutcome {
        outcome,
        tree: OutcomeTree::PatchFiles,
    }
}

/// Rewrites the patches of `request`, each for its file in `files`.
fn rewrite(
    request: &mut Request,
    files: &[RelPath],
    tree: &dyn Workspace,
) -> Result<RewrittenPatches, Box<Outcome>> {
    let refuse = |problem| refused_outcome(NAME, problem);
    let patches = request.take_patches().map_err(|problem| refuse(*problem))?;
    if let Some(problem) = file_problem(&patches, files) {
        return Err(refuse(problem));
    }
    let problem = quilt_problem(&patches, tree);
    match problem.map_err(|error| failure_outcome(NAME, &error.into()))? {
        Some(problem) => Err(refuse(problem)),
        None => RewrittenPatches::of(patches, request, tree),
    }
}

/// Returns the request for the change of the patch files. They can be in another tree than the
/// patched files, so the git of that tree does not apply.
fn file_request(request: Request, policy: Arc<Policy>) -> Request {
    Request {
        what: What::default(),
        decide: Decide {
            max_file: request.decide.max_file,
            ..Decide::default()
        },
        context: RequestContext {
            policy,
            git: None,
            root_gits: Vec::new(),
            objects: None,
            ..request.context
        },
        ..request
    }
}

/// Returns a problem if a file is missing for a patch or belongs to several patches.
fn file_problem(patches: &Patches, files: &[RelPath]) -> Option<Problem> {
    if patches.texts.len() != files.len() {
        let message = "the request needs one file for each patch";
        return Some(Problem::new(&code::USAGE, message));
    }
    let mut known = HashSet::new();
    let repeated = files.iter().find(|file| !known.insert(*file))?;
    Some(Problem {
        path: Some(repeated.clone()),
        ..Problem::new(&code::USAGE, "the patch is named twice")
    })
}

/// Returns a problem if quilt has applied a patch of a series to the tree. All its changes would
/// count as already applied.
fn quilt_problem(
    patches: &Patches,
    tree: &dyn Workspace,
) -> Result<Option<Problem>, WorkspaceError> {
    let path = RelPath::new(QUILT_APPLIED).expect("BUG: the name is a path");
    if patches.series.is_none() || tree.stat(&path)?.is_none() {
        return Ok(None);
    }
    let (text, _) = tree.read(&path, u64::MAX)?;
    let is_applied = lines(&text).any(|(_, line)| !line.trim_ascii().is_empty());
    Ok(is_applied.then(|| Problem {
        path: Some(path),
        help: Some("run `quilt pop -a` first".to_owned()),
        ..Problem::new(
            &code::PATCHES_APPLIED,
            "quilt has applied patches to this tree",
        )
    }))
}

/// Returns a warning if several patches are removed, and no patch is left.
fn all_removed_warning(report: &RefreshReport, mode: CommandMode) -> Option<Problem> {
    let patches = &report.patches;
    let is_removed = |patch: &RefreshedPatch| patch.status == PatchStatus::Removed;
    let help = match mode {
        CommandMode::Check => "if the patches are applied to this tree, remove them from it first",
        CommandMode::Apply => "if the patches are applied to this tree, run `wpatch undo`",
    };
    (patches.len() > 1 && patches.iter().all(is_removed)).then(|| Problem {
        severity: Severity::Warning,
        help: Some(help.to_owned()),
        ..Problem::new(
            &code::PATCHES_APPLIED,
            "the tree already has the changes of all patches",
        )
    })
}

/// Returns a problem if a file to change is a symbolic link.
fn link_problem(change: &TreeChange, workspace: &dyn Workspace) -> Option<Problem> {
    let is_link = |path: &RelPath| {
        let stat = workspace.stat(path).ok().flatten();
        stat.is_some_and(|stat| stat.kind == FileKind::Symlink)
    };
    let file = change.files.iter().find(|file| is_link(&file.path))?;
    Some(Problem {
        path: Some(file.path.clone()),
        help: Some("name the file to which the link leads".to_owned()),
        ..Problem::new(&code::NOT_A_FILE, "the patch is a symbolic link")
    })
}

/// Returns the mode of the file at `path`.
fn mode_of(path: &RelPath, workspace: &dyn Workspace) -> FileMode {
    let stat = workspace.stat(path).ok().flatten();
    stat.map_or(FileMode::Regular, |stat| {
        FileMode::of(FileKind::Regular, Some(stat.permissions))
    })
}
