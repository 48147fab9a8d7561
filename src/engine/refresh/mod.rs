//! `refresh`: rewrites patches for the current tree.
//!
//! 1. All patches are checked against the tree, in order, with fuzz. A hunk whose result is already
//!    in the tree is skipped.
//! 2. `hunks.rs` gives each hunk the line numbers and the context lines of its place, and
//!    `patch_text.rs` puts them into the text of
//!    the patch. Everything else keeps its bytes.
//! 3. `verify.rs` checks the new patches without fuzz. They must give the same tree.
//! 4. The patch files and the series file change in one transaction.
//!
//! `statuses.rs` describes the result of each hunk. `merged.rs` finds stacks of patches that the tree
//! has.

mod checked;
mod final_tree;
mod hunks;
mod merged;
mod pass;
mod patch_text;
mod statuses;
mod texts;
mod verify;

use std::collections::HashSet;

use super::request::{Decide, Patches};
use super::task::CommandMode;
use super::tree_change::{CommandEffects, run_with_effects};
use super::{Outcome, Request, RequestContext, What, close_approval_gate, refused_outcome};
use crate::interrupt::Interrupt;
use crate::path::RelPath;
use crate::preflight::{Problem, Severity, code};
use crate::report::{PatchStatus, RefreshReport, RefreshedPatch};
use crate::text::{Bytes, lines};
use crate::workspace::Workspace;
use pass::Refresh;

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
    /// The series file and its content, if the patches are those of a series. A removed patch also
    /// loses its line.
    pub series: Option<(RelPath, Bytes)>,
}

/// The outcome of a refresh.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// The outcome.
    pub outcome: Outcome,
    /// The tree to which the paths in the outcome belong.
    pub place: RefreshPlace,
}

/// One of the two trees of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshPlace {
    /// The tree that the patches change. The outcome is a refusal.
    Tree,
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
/// use wpatch::engine::{self, RefreshRequest, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::Interrupt;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let patch = "Fix two.\n\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
/// let name = RelPath::new(b"fix.patch")?;
/// let tree = Memory::with_files([(RelPath::new(b"a")?, Entry::file("zero\none\ntwo\n"))]);
/// let patches = Memory::with_files([(name.clone(), Entry::file(patch))]);
/// let refresh = RefreshRequest { request: Request::of(patch), files: vec![name.clone()], series: None };
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
) -> Refreshed {
    close_approval_gate(&mut refresh.request, patch_tree);
    refresh.request.context.interrupt = interrupt.clone();
    run(refresh, (tree, patch_tree), CommandMode::Apply)
}

/// Returns the report that [`refresh()`] would produce, and writes nothing.
pub fn check_refresh(
    refresh: RefreshRequest,
    tree: &dyn Workspace,
    patch_tree: &dyn Workspace,
) -> Refreshed {
    run(refresh, (tree, patch_tree), CommandMode::Check)
}

fn run(
    refresh: RefreshRequest,
    (tree, patch_tree): (&dyn Workspace, &dyn Workspace),
    mode: CommandMode,
) -> Refreshed {
    let RefreshRequest {
        mut request,
        files,
        series,
    } = refresh;
    let taken = request.take_patches().and_then(|patches| {
        let problem = file_problem(&patches, &files).or_else(|| quilt_problem(&patches, tree));
        problem.map_or(Ok(patches), |problem| Err(Box::new(problem)))
    });
    let refused = |outcome: Box<Outcome>| Refreshed {
        outcome: *outcome,
        place: RefreshPlace::Tree,
    };
    let patches = match taken {
        Ok(patches) => patches,
        Err(problem) => return refused(refused_outcome(NAME, *problem)),
    };
    let (report, change) = match Refresh::of(patches, &request, tree) {
        Ok(refreshed) => refreshed.into_change((files, series)),
        Err(outcome) => return refused(outcome),
    };
    let mut effects = CommandEffects::default();
    effects.problems.extend(all_there_warning(&report));
    let request = Request {
        what: What::default(),
        decide: Decide {
            max_file: request.decide.max_file,
            ..Decide::default()
        },
        context: RequestContext {
            git: None,
            root_gits: Vec::new(),
            objects: None,
            ..request.context
        },
        ..request
    };
    let mut outcome = run_with_effects(change, effects, request, (mode, patch_tree));
    outcome.report.refresh = Some(Box::new(report));
    Refreshed {
        outcome,
        place: RefreshPlace::PatchFiles,
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

/// Returns a problem if quilt has applied a patch of the series to the tree. All its changes would
/// count as already there.
fn quilt_problem(patches: &Patches, tree: &dyn Workspace) -> Option<Problem> {
    patches.series.as_ref()?;
    let path = RelPath::new(QUILT_APPLIED).ok()?;
    let (text, _) = tree.read(&path, 1 << 20).ok()?;
    let is_applied = lines(&text).any(|(_, line)| !line.trim_ascii().is_empty());
    is_applied.then(|| Problem {
        path: Some(path),
        help: Some("run `quilt pop -a` first".to_owned()),
        ..Problem::new(
            &code::PATCHES_APPLIED,
            "quilt has applied patches to this tree",
        )
    })
}

/// Returns a warning if the tree already has the changes of several patches, and of all of them.
fn all_there_warning(report: &RefreshReport) -> Option<Problem> {
    let patches = &report.patches;
    let is_removed = |patch: &RefreshedPatch| patch.status == PatchStatus::Removed;
    (patches.len() > 1 && patches.iter().all(is_removed)).then(|| Problem {
        severity: Severity::Warning,
        help: Some("if the patches are applied to this tree, undo this command".to_owned()),
        ..Problem::new(
            &code::PATCHES_APPLIED,
            "the tree already has the changes of all patches",
        )
    })
}
