//! Whether the files of the work tree are those of the index, for those that a plan is about.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::FileState;
use crate::digest::{Digest, blob_id};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::policy::closed;
use crate::preflight::{self, Code, Facts, Kept, Problem, Spelling, code};
use crate::text::Bytes;
use crate::transaction::Failure;
use crate::workspace::index::{GitIndex, IndexEntry, Mark, Staged};
use crate::workspace::objects::ObjectId;
use crate::workspace::{Fault, Folding, Stat, Workspace, WorkspaceError};

/// What the work tree has of the files of a plan.
#[derive(Debug, Default)]
pub(super) struct Matches {
    states: BTreeMap<RelPath, FileState>,
    converted: BTreeSet<RelPath>,
    pub(super) problems: Vec<Problem>,
    /// The number of problems that no report can list.
    pub(super) omitted: usize,
    kept: Kept,
}

/// What is known of one file.
enum Found {
    /// Nothing is there: git would check it out.
    Nothing,
    Same(FileState),
    /// It may still be the same once git has taken line ends and filters into account.
    Other(FileState),
    Different(&'static str),
    /// It is not in its encoding.
    Undecodable(Box<Problem>),
}

/// Looks at files of a work tree.
struct Looking<'a> {
    staged: &'a Staged,
    index: &'a GitIndex,
    workspace: &'a dyn Workspace,
    options: &'a preflight::Options,
    ignores_modes: bool,
}

impl Matches {
    /// Looks at all files that `plan` is about.
    pub(super) fn of(
        plan: &Plan,
        (staged, index): (&Staged, &GitIndex),
        workspace: &dyn Workspace,
        options: &preflight::Options,
    ) -> Result<Self, Failure> {
        let looking = Looking {
            staged,
            index,
            workspace,
            options,
            ignores_modes: index.ignores_modes()?,
        };
        let mut matches = Self::default();
        let mut seen = BTreeSet::new();
        let (mut doubtful, mut identical) = (Vec::new(), Vec::new());
        let folding = Folding::default();
        let spelling = Spelling::of(plan.operations.iter(), &folding);
        matches.problems.extend(spelling.refusal(plan, workspace)?);
        for (number, operation) in plan.operations.iter().enumerate() {
            for path in operation
                .from
                .iter()
                .chain([&operation.path])
                .filter(|path| seen.insert((*path).clone()))
            {
                if closed(path).is_some() {
                    continue;
                }
                let arrives = operation.arrives() && *path == operation.path;
                if spelling.is_respelled(path) && !spelling.is_listed(workspace, path)? {
                    continue;
                }
                match looking.at(path, arrives)? {
                    Found::Nothing => {}
                    Found::Same(state) => {
                        let is_plain = staged
                            .entry(path)
                            .is_some_and(|entry| entry.mark == Mark::Plain);
                        if is_plain && state.stat.kind == FileKind::Regular {
                            identical.push((number, path.clone()));
                        }
                        matches.states.insert(path.clone(), state);
                    }
                    Found::Other(state) => doubtful.push((number, path.clone(), state)),
                    Found::Different(why) => {
                        matches.refuse(problem(path, arrives, why), (number, plan), options);
                    }
                    Found::Undecodable(problem) => {
                        let path = Some(path.clone());
                        matches.refuse(Problem { path, ..*problem }, (number, plan), options);
                    }
                }
            }
        }
        let denied = matches.deny_filters(&looking, plan, &seen)?;
        doubtful.retain(|(_, path, _)| !denied.contains(path));
        matches.converted = index.converted(&seen)?;
        // git may make another blob of the bytes that are in the index.
        for (number, path) in identical
            .into_iter()
            .filter(|(_, path)| !denied.contains(path))
        {
            if matches.converted.contains(&path)
                && let Some(state) = matches.states.remove(&path)
            {
                doubtful.push((number, path, state));
            }
        }
        matches.settle(&looking, plan, doubtful)?;
        Ok(matches)
    }

    /// Adds a problem of the operation at `index` of `plan`, or counts it if no report can list it.
    fn refuse(
        &mut self,
        problem: Problem,
        (index, plan): (usize, &Plan),
        options: &preflight::Options,
    ) {
        // With --reject each of these files is left out, and named.
        if options.reject || self.kept.admits(&problem, index, &plan.operations[index]) {
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
        looking: &Looking<'_>,
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
            .filter(|path| closed(path).is_none())
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

    /// Asks git about the files whose bytes are not those of the index.
    fn settle(
        &mut self,
        looking: &Looking<'_>,
        plan: &Plan,
        doubtful: Vec<(usize, RelPath, FileState)>,
    ) -> Result<(), Failure> {
        if doubtful.is_empty() {
            return Ok(());
        }
        let paths: Vec<_> = doubtful.iter().map(|(_, path, _)| path.clone()).collect();
        let cleaned = looking.index.cleaned(&paths)?;
        let entry = |path: &RelPath| looking.staged.entry(path);
        let is_same =
            |(path, id): (&RelPath, &ObjectId)| entry(path).is_some_and(|entry| entry.id == *id);
        let other = paths
            .iter()
            .zip(&cleaned)
            .filter(|it| !is_same(*it))
            .map(|(path, _)| path.clone());
        let mut other: BTreeSet<_> = other.collect();
        // Of those that are marked git would say nothing.
        let unmarked = other
            .iter()
            .filter(|path| entry(path).is_some_and(|entry| entry.mark == Mark::Plain));
        for path in looking.index.unchanged(&unmarked.cloned().collect())? {
            other.remove(&path);
        }
        for (number, path, state) in doubtful {
            if other.contains(&path) {
                self.refuse(
                    problem(&path, false, OTHER),
                    (number, plan),
                    looking.options,
                );
            } else {
                self.states.insert(path, state);
            }
        }
        Ok(())
    }

    /// Returns what the work tree has at `path`.
    pub(super) fn state(&self, path: &RelPath) -> Option<&FileState> {
        self.states.get(path)
    }

    /// Returns whether the contents of `path` may be others in the work tree than in the index.
    pub(super) fn is_converted(&self, path: &RelPath) -> bool {
        self.converted.contains(path)
    }
}

const OTHER: &str = "the file in the work tree is not the one in the index";
const UNTRACKED: &str = "it is in the work tree already, and not in the index";

fn problem(path: &RelPath, arrives: bool, why: &'static str) -> Problem {
    let (code, help): (&Code, _) = if arrives && why == UNTRACKED {
        (&code::EXISTS, "--overwrite replaces it")
    } else {
        (
            &code::NOT_AS_INDEXED,
            "`git add` it, or put it back; --cached leaves the work tree alone",
        )
    };
    let facts = Facts {
        is_untracked: why == UNTRACKED,
        ..Facts::default()
    };
    let path = Some(path.clone());
    Problem {
        path,
        help: Some(help.to_owned()),
        facts,
        ..Problem::new(code, why)
    }
}

impl Looking<'_> {
    fn at(&self, path: &RelPath, arrives: bool) -> Result<Found, WorkspaceError> {
        let stat = match self.workspace.stat(path) {
            Err(error) if error.fault == Fault::ThroughLink => {
                let is_known = self.staged.entry(path).is_some();
                return Ok(if is_known {
                    Found::Different(OTHER)
                } else {
                    Found::Nothing
                });
            }
            stat => stat?,
        };
        match (self.staged.entry(path), stat) {
            // Of what is going to be added git has no contents that a file could be the same as.
            (Some(_), _) if self.staged.is_intended(path) => Ok(Found::Different(OTHER)),
            (_, None) => Ok(Found::Nothing),
            (Some(entry), Some(stat)) => self.compare(path, entry, stat),
            (None, Some(stat)) => self.untracked(path, stat, arrives),
        }
    }

    /// Looks at what the index does not know.
    fn untracked(
        &self,
        path: &RelPath,
        stat: Stat,
        arrives: bool,
    ) -> Result<Found, WorkspaceError> {
        let is_directory = stat.kind == FileKind::Directory;
        if !arrives || is_directory && self.staged.has_directory(path) {
            return Ok(Found::Nothing);
        }
        if is_directory && self.workspace.list(Some(path))?.is_empty()
            || self.options.overwrite && !is_directory
        {
            return Ok(self
                .state(path, stat)?
                .map_or(Found::Nothing, |(state, _)| Found::Same(state)));
        }
        Ok(Found::Different(UNTRACKED))
    }

    fn compare(
        &self,
        path: &RelPath,
        entry: IndexEntry,
        stat: Stat,
    ) -> Result<Found, WorkspaceError> {
        let is_executable = stat.permissions & 0o100 != 0;
        let is_other_mode = match entry.mode {
            FileMode::Regular => is_executable && !self.ignores_modes,
            FileMode::Executable => !is_executable && !self.ignores_modes,
            FileMode::Symlink | FileMode::Submodule => false,
        };
        let is_link_file = self.options.links_are_files
            && entry.mode == FileMode::Symlink
            && stat.kind == FileKind::Regular;
        if stat.kind != entry.mode.kind() && !is_link_file || is_other_mode {
            return Ok(Found::Different(OTHER));
        }
        if let Some(problem) = self.encoding_problem(path, stat)? {
            return Ok(Found::Undecodable(Box::new(problem)));
        }
        let Some((state, id)) = self.state(path, stat)? else {
            return Ok(Found::Different(OTHER));
        };
        let is_same = entry.mode == FileMode::Submodule || id == entry.id.to_string();
        Ok(match state.stat.kind {
            _ if is_same => Found::Same(state),
            FileKind::Regular => Found::Other(state),
            _ => Found::Different(OTHER),
        })
    }

    /// Returns the problem of the file at `path` if it is not in its encoding. git would write it
    /// in that encoding all the same.
    fn encoding_problem(
        &self,
        path: &RelPath,
        stat: Stat,
    ) -> Result<Option<Problem>, WorkspaceError> {
        let conversions = self
            .options
            .conversions
            .as_ref()
            .filter(|_| stat.kind == FileKind::Regular);
        let Some(conversions) = conversions else {
            return Ok(None);
        };
        match conversions.is_encoded(path) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(problem) => return Ok(Some(*problem)),
        }
        match self.workspace.read(path, self.options.max_read()) {
            Ok((bytes, _)) => Ok(conversions.work_tree_problem(path, &bytes)),
            Err(error)
                if matches!(
                    error.fault,
                    Fault::Missing | Fault::NotRegular | Fault::TooLarge
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns what is at `path`, and the name that its bytes have as a blob; `None` if it is gone
    /// or too large.
    fn state(
        &self,
        path: &RelPath,
        stat: Stat,
    ) -> Result<Option<(FileState, String)>, WorkspaceError> {
        let read = match stat.kind {
            FileKind::Regular => self.workspace.read(path, self.options.max_read()),
            FileKind::Symlink => self
                .workspace
                .read_link(path)
                .map(|target| (target.into(), stat)),
            FileKind::Directory | FileKind::Special => Ok((Bytes::default(), stat)),
        };
        match read {
            Ok((bytes, stat)) => {
                let id = blob_id(&bytes, self.index.format());
                Ok(Some((
                    FileState {
                        stat,
                        digest: Digest::of(&bytes),
                    },
                    id,
                )))
            }
            Err(error)
                if matches!(
                    error.fault,
                    Fault::Missing | Fault::NotRegular | Fault::TooLarge
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
