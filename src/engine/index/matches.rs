//! Compares the files of a plan in the work tree with the index.

use std::collections::{BTreeMap, BTreeSet};

use super::looking::{DIFFERS_MESSAGE, FileComparer, FileComparison, problem};
use crate::change::FileState;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::policy::protecting_rule;
use crate::preflight::{self, FirstProblems, NameSpellings, Problem};
use crate::transaction::Failure;
use crate::workspace::index::{EntryFlag, GitIndex, IndexTree};
use crate::workspace::objects::ObjectId;
use crate::workspace::{FoldingCache, Workspace};

/// The result of comparing the files of a plan.
#[derive(Debug, Default)]
pub(super) struct ComparisonResult {
    /// The files of the work tree that match the index, or that may be replaced.
    states: BTreeMap<RelPath, FileState>,
    /// The paths whose contents git converts.
    converted: BTreeSet<RelPath>,
    pub(super) problems: Vec<Problem>,
    /// The number of problems that the report does not list.
    pub(super) omitted: usize,
    first_problems: FirstProblems,
}

/// A file that can still match the index, with the number of its operation.
type UncertainFile = (usize, RelPath, FileState);

/// The files whose comparison is incomplete.
#[derive(Default)]
struct PendingComparisons {
    /// The files whose bytes differ from the index.
    different_bytes: Vec<UncertainFile>,
    /// The files whose bytes are equal to those in the index.
    identical: Vec<(usize, RelPath)>,
}

impl ComparisonResult {
    /// Compares all files of `plan`.
    pub(super) fn of(
        plan: &Plan,
        (staged, index): (&IndexTree, &GitIndex),
        workspace: &dyn Workspace,
        options: &preflight::Options,
    ) -> Result<Self, Failure> {
        let looking = FileComparer {
            staged,
            index,
            workspace,
            options,
            ignores_modes: index.ignores_modes()?,
        };
        let mut matches = Self::default();
        let folding = FoldingCache::default();
        let spelling = NameSpellings::of(plan.operations.iter(), &folding);
        matches.problems.extend(spelling.refusal(plan, workspace)?);
        let (mut seen, mut open) = (BTreeSet::new(), PendingComparisons::default());
        for (number, operation) in plan.operations.iter().enumerate() {
            let paths = operation.from.iter().chain([&operation.path]);
            for path in paths.filter(|path| seen.insert((*path).clone())) {
                // Preflight refuses a protected path. An added name that is only another spelling
                // of a removed name has no file of its own.
                if protecting_rule(path).is_some()
                    || spelling.is_respelled(path) && !spelling.is_listed(workspace, path)?
                {
                    continue;
                }
                matches.compare_file(&looking, plan, (number, path), &mut open)?;
            }
        }
        let denied = matches.deny_filters(&looking, plan, &seen)?;
        matches.converted = index.converted_paths(&seen)?;
        let doubtful = matches.files_to_compare(open, &denied);
        matches.compare_with_git(&looking, plan, doubtful)?;
        Ok(matches)
    }

    /// Compares the file at `path`, which belongs to the operation `number` of `plan`.
    fn compare_file(
        &mut self,
        looking: &FileComparer<'_>,
        plan: &Plan,
        (number, path): (usize, &RelPath),
        open: &mut PendingComparisons,
    ) -> Result<(), Failure> {
        let operation = &plan.operations[number];
        let arrives = operation.has_new_path() && *path == operation.path;
        match looking.compare_path(path, arrives)? {
            FileComparison::NoFile => {}
            FileComparison::Same(state) => {
                let entry = looking.staged.entry(path);
                let is_plain = entry.is_some_and(|entry| entry.flag == EntryFlag::None);
                if is_plain && state.stat.kind == FileKind::Regular {
                    open.identical.push((number, path.clone()));
                }
                self.states.insert(path.clone(), state);
            }
            FileComparison::DifferentBytes(state) => {
                open.different_bytes.push((number, path.clone(), state));
            }
            FileComparison::Different(why) => {
                self.refuse(problem(path, arrives, why), (number, plan), looking.options);
            }
            FileComparison::Undecodable(problem) => {
                let path = Some(path.clone());
                self.refuse(
                    Problem { path, ..*problem },
                    (number, plan),
                    looking.options,
                );
            }
        }
        Ok(())
    }

    /// Returns the files that git must compare with the index. These are the files with other
    /// bytes, and the identical files that git could convert to another blob.
    fn files_to_compare(
        &mut self,
        open: PendingComparisons,
        denied: &BTreeSet<RelPath>,
    ) -> Vec<UncertainFile> {
        let PendingComparisons {
            different_bytes: mut doubtful,
            identical,
        } = open;
        doubtful.retain(|(_, path, _)| !denied.contains(path));
        for (number, path) in identical {
            if !denied.contains(&path)
                && self.converted.contains(&path)
                && let Some(state) = self.states.remove(&path)
            {
                doubtful.push((number, path, state));
            }
        }
        doubtful
    }

    /// Adds a problem of the operation at `index` of `plan`, or counts it if the report does not
    /// list it.
    fn refuse(
        &mut self,
        problem: Problem,
        (index, plan): (usize, &Plan),
        options: &preflight::Options,
    ) {
        // With `--reject`, each of these files is left out, and the report names it.
        if options.reject
            || self
                .first_problems
                .admit(&problem, index, &plan.operations[index])
        {
            self.problems.push(Problem {
                operation: Some(index),
                ..problem
            });
        } else {
            self.omitted += 1;
        }
    }

    /// Refuses the files that a filter driver of the repository would convert, and returns them.
    fn deny_filters(
        &mut self,
        looking: &FileComparer<'_>,
        plan: &Plan,
        seen: &BTreeSet<RelPath>,
    ) -> Result<BTreeSet<RelPath>, Failure> {
        let is_file = |path: &&RelPath| {
            let staged = looking.staged.entry(path).map(|entry| entry.mode);
            let mode = || {
                plan.operations
                    .iter()
                    .find(|operation| operation.path == **path)?
                    .new_mode
            };
            staged
                .or_else(mode)
                .is_none_or(|mode| mode.kind() == FileKind::Regular)
        };
        let files = seen
            .iter()
            .filter(|path| protecting_rule(path).is_none())
            .filter(is_file)
            .cloned()
            .collect();
        let mut paths = BTreeSet::new();
        for (path, driver) in looking.index.denied_filters(&files)? {
            let is_about = |operation: &Operation| {
                operation.path == path || operation.from.as_ref() == Some(&path)
            };
            let operation = plan.operations.iter().position(is_about);
            let source = looking.index.git().filter_source(&driver.name, &path);
            let problem = preflight::denied_filter(&driver.name, source.as_deref());
            let problem = Problem {
                path: Some(path.clone()),
                ..problem
            };
            match operation {
                Some(index) => self.refuse(problem, (index, plan), looking.options),
                None => self.problems.push(problem),
            }
            paths.insert(path);
        }
        Ok(paths)
    }

    /// Lets git compare the files whose bytes differ from the index.
    fn compare_with_git(
        &mut self,
        looking: &FileComparer<'_>,
        plan: &Plan,
        doubtful: Vec<UncertainFile>,
    ) -> Result<(), Failure> {
        if doubtful.is_empty() {
            return Ok(());
        }
        let paths: Vec<_> = doubtful.iter().map(|(_, path, _)| path.clone()).collect();
        let cleaned = looking.index.hash_work_tree_files(&paths)?;
        let entry = |path: &RelPath| looking.staged.entry(path);
        let is_same =
            |(path, id): (&RelPath, &ObjectId)| entry(path).is_some_and(|entry| entry.id == *id);
        let other = paths
            .iter()
            .zip(&cleaned)
            .filter(|it| !is_same(*it))
            .map(|(path, _)| path.clone());
        let mut other: BTreeSet<_> = other.collect();
        // git reports no change of an entry with `--assume-unchanged` or `--skip-worktree`, so git
        // can compare only entries without a mark.
        let unmarked = other
            .iter()
            .filter(|path| entry(path).is_some_and(|entry| entry.flag == EntryFlag::None));
        for path in looking
            .index
            .unchanged_paths(&unmarked.cloned().collect())?
        {
            other.remove(&path);
        }
        for (number, path, state) in doubtful {
            if other.contains(&path) {
                self.refuse(
                    problem(&path, false, DIFFERS_MESSAGE),
                    (number, plan),
                    looking.options,
                );
            } else {
                self.states.insert(path, state);
            }
        }
        Ok(())
    }

    /// Returns the state of the file at `path` in the work tree.
    pub(super) fn state(&self, path: &RelPath) -> Option<&FileState> {
        self.states.get(path)
    }

    /// Returns whether git converts `path`, so that its contents can differ between the work tree
    /// and the index.
    pub(super) fn is_converted(&self, path: &RelPath) -> bool {
        self.converted.contains(path)
    }
}
