//! `--reject` with a change of the index: rejected hunks are written to files in the work tree, and
//! the index stays unchanged.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::matches::ComparisonResult;
use super::{IndexTarget, UpdateScope};
use crate::path::RelPath;
use crate::plan::Plan;
use crate::preflight::{self, Problem, Resolution, Severity, code};
use crate::text::Bytes;
use crate::transaction::Interrupt;
use crate::workspace::index::{IndexTree, IndexUpdate};
use crate::workspace::{Directory, Result, Stat, Workspace};

/// An index, combined with the files in the work tree for rejected hunks.
pub(super) struct IndexWithRejects<'a> {
    pub(super) staged: &'a IndexTree,
    pub(super) tree: &'a dyn Workspace,
    /// The files for rejected hunks.
    pub(super) rejects: &'a BTreeSet<RelPath>,
}

impl IndexWithRejects<'_> {
    fn workspace_for(&self, path: &RelPath) -> &dyn Workspace {
        if self.rejects.contains(path) {
            self.tree
        } else {
            self.staged
        }
    }
}

impl Workspace for IndexWithRejects<'_> {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>> {
        self.workspace_for(path).stat(path)
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)> {
        self.workspace_for(path).read(path, limit)
    }

    fn read_in_parts(
        &self,
        path: &RelPath,
        limit: u64,
        interrupt: &Interrupt,
    ) -> Result<(Bytes, Stat)> {
        self.workspace_for(path)
            .read_in_parts(path, limit, interrupt)
    }

    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>> {
        self.workspace_for(path).read_link(path)
    }

    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        self.staged.list(directory)
    }

    fn user(&self) -> u32 {
        self.tree.user()
    }

    fn identity(&self) -> Result<String> {
        self.staged.identity()
    }
}

/// Returns the files to which rejected hunks of `plan` can be written. Without `--reject` there are
/// none.
pub(super) fn files(plan: &Plan, options: &preflight::Options) -> BTreeSet<RelPath> {
    if options.reject {
        preflight::reject_files(plan)
    } else {
        BTreeSet::new()
    }
}

/// Returns options that leave out the files that differ from the index, if `--reject` is set. Their
/// problems become rejections.
pub(super) fn exclude_mismatches(
    matches: &mut ComparisonResult,
    options: &preflight::Options,
) -> preflight::Options {
    if !options.reject || matches.problems.is_empty() {
        return options.clone();
    }
    matches.problems.iter_mut().for_each(Problem::downgrade);
    let unfit = matches
        .problems
        .iter()
        .filter_map(|problem| Some((problem.path.clone()?, problem.code)));
    preflight::Options {
        failed_files: Arc::new(unfit.collect()),
        ..options.clone()
    }
}

/// Discards the updates of the index if a part of the patch is left out, as git does, and returns a
/// warning. The changes of the work tree remain, unless only the index was to change.
pub(super) fn discard_updates_after_rejects(
    indexed: &IndexTarget,
    known: &[Problem],
    resolution: &mut Resolution,
    updates: &mut Vec<IndexUpdate>,
) -> Option<Problem> {
    let is_left_out = |problem: &Problem| problem.severity == Severity::Reject;
    if !known.iter().chain(&resolution.problems).any(is_left_out) {
        return None;
    }
    if indexed.scope == UpdateScope::Cached {
        let written = resolution
            .files
            .iter()
            .filter_map(|file| file.rejects.as_ref()?.path.as_ref());
        resolution.changes = written.collect::<BTreeSet<_>>().len();
    }
    if updates.is_empty() {
        return None;
    }
    updates.clear();
    let message = "the index was not changed, because some hunks were rejected";
    Some(Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::INDEX_KEPT, message)
    })
}
