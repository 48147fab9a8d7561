//! The other readings of the names in a patch: other strip levels, and directories that contain the
//! files.

use std::collections::VecDeque;

use super::super::look::is_readable;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Action, Direction, Name, Operation, Plan};
use crate::policy::{Policy, protecting_rule};
use crate::workspace::Workspace;

/// The highest strip level that is tried.
const MAX_LEVEL: usize = 4;
/// The limit on the number of directory entries that a search examines.
const MAX_ENTRIES: usize = 16_384;
/// The limit on the number of files that a search returns.
const MAX_FOUND: usize = 64;
/// The limit on the number of names that are looked up for one candidate.
const MAX_NAMES: usize = 512;

/// Another reading of the names of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The strip level; `None` for the one of the request.
    pub(super) strip: Option<usize>,
    /// The directory before all names.
    pub(super) directory: Vec<u8>,
    /// The files that exist, in the order of the patch.
    pub(super) paths: Vec<RelPath>,
}

/// The files that must exist before a patch.
pub(super) struct RequiredFiles<'p> {
    names: Vec<&'p Name>,
}

impl<'p> RequiredFiles<'p> {
    /// Returns the names of the files of `plan` that must exist before it.
    pub(super) fn of(plan: &'p Plan<Name>, direction: Direction) -> Self {
        let needed = |operation: &'p Operation<Name>| {
            let is_forward = direction.combine(operation.direction) == Direction::Forward;
            match (operation.action, is_forward) {
                (Action::Create, true) | (Action::Delete, false) => None,
                (Action::Rename | Action::Copy, true) => operation.from.as_ref(),
                _ => Some(&operation.path),
            }
        };
        Self {
            names: plan
                .operations
                .iter()
                .filter_map(needed)
                .take(MAX_NAMES)
                .collect(),
        }
    }

    /// Returns the files at strip level `level` below `directory`; `None` if one of them does not
    /// exist.
    pub(super) fn existing(
        &self,
        level: usize,
        directory: &[u8],
        workspace: &dyn Workspace,
    ) -> Option<Vec<RelPath>> {
        let is_file = |path: &RelPath| matches!(workspace.stat(path), Ok(Some(stat)) if stat.kind != FileKind::Directory);
        let paths = self
            .names
            .iter()
            .map(|name| name.resolve(level, directory).ok().filter(is_file));
        paths
            .collect::<Option<Vec<_>>>()
            .filter(|paths| !paths.is_empty())
    }

    /// Returns the readings whose files all exist, without readings that name the same files. Plain
    /// strip levels are first, then directories with the most components of the names.
    pub(super) fn candidates(
        &self,
        (strip, is_given): (usize, bool),
        workspace: &dyn Workspace,
        policy: &Policy,
    ) -> Vec<Candidate> {
        let levels = std::iter::once(strip).chain((0..=MAX_LEVEL).filter(|&level| level != strip));
        let mut found: Vec<Candidate> = Vec::new();
        let mut add = |level: usize, directory: &[u8]| {
            let Some(paths) = self.existing(level, directory, workspace) else {
                return;
            };
            let is_new = found.iter().all(|candidate| candidate.paths != paths);
            if is_new
                && paths
                    .iter()
                    .all(|path| is_readable(workspace, policy, path))
            {
                // git guesses the strip level of names without a directory, unless an option puts a
                // directory before them.
                let is_guessed = |name: &Name| {
                    name.resolve(0, b"")
                        .is_ok_and(|path| path.parent_bytes().is_none())
                };
                let is_kept = is_given
                    || !directory.is_empty()
                    || !self.names.iter().any(|name| is_guessed(name));
                let is_kept = is_kept && level == strip;
                found.push(Candidate {
                    strip: (!is_kept).then_some(level),
                    directory: directory.to_vec(),
                    paths,
                });
            }
        };
        levels.clone().for_each(|level| add(level, b""));
        // One search of the tree, for the first missing file, finds the directories. A directory is
        // a candidate only if all files exist below it.
        let Some(first) = self.first_missing(strip, workspace) else {
            return found;
        };
        let Some(last) = resolve_name(first, strip).map(|path| path.name().to_vec()) else {
            return found;
        };
        let files = find_by_name(&last, workspace);
        for name in levels.filter_map(|level| Some((level, first.resolve(level, b"").ok()?))) {
            for file in &files {
                let directory = file.as_bytes().strip_suffix(name.1.as_bytes());
                if let Some(directory) =
                    directory.and_then(|directory| directory.strip_suffix(b"/"))
                {
                    add(name.0, directory);
                }
            }
        }
        found
    }

    /// Returns the first name for which no file exists.
    fn first_missing(&self, strip: usize, workspace: &dyn Workspace) -> Option<&'p Name> {
        let is_missing = |path: &RelPath| matches!(workspace.stat(path), Ok(None));
        self.names
            .iter()
            .copied()
            .find(|name| resolve_name(name, strip).as_ref().is_none_or(is_missing))
    }
}

/// Returns the path at strip level `strip`, or at the first level that leaves a path.
fn resolve_name(name: &Name, strip: usize) -> Option<RelPath> {
    std::iter::once(strip)
        .chain(0..=MAX_LEVEL)
        .find_map(|level| name.resolve(level, b"").ok())
}

/// Returns the files in the tree with the name `name`, those in fewer directories first. Links are
/// not followed, and protected paths are skipped.
pub(super) fn find_by_name(name: &[u8], workspace: &dyn Workspace) -> Vec<RelPath> {
    let (mut found, mut looked_at) = (Vec::new(), 0);
    let mut directories =
        VecDeque::from([(None::<RelPath>, workspace.list(None).unwrap_or_default())]);
    while let Some((directory, names)) = directories.pop_front() {
        for entry in names {
            looked_at += 1;
            if looked_at > MAX_ENTRIES || found.len() >= MAX_FOUND {
                return found;
            }
            let path = directory
                .as_ref()
                .map_or_else(|| RelPath::new(&entry), |directory| directory.join(&entry));
            let Some(path) = path.ok().filter(|path| protecting_rule(path).is_none()) else {
                continue;
            };
            // In a repository, the size of a file is known only after its contents are read.
            // Therefore only a file of this name gets a `stat`, and an entry that cannot be listed
            // is not a directory.
            if let Ok(names) = workspace.list(Some(&path)) {
                directories.push_back((Some(path), names));
            } else if entry == name && matches!(workspace.stat(&path), Ok(Some(_))) {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PROTECTION_RULES;
    use crate::workspace::memory::{Entry, Memory};

    #[test]
    fn files_below_protected_paths_are_not_found() {
        let closed: Vec<_> = PROTECTION_RULES
            .iter()
            .flat_map(|rule| rule.examples)
            .filter(|name| !name.contains('/'))
            .collect();
        let names = closed
            .iter()
            .map(|name| format!("{name}/x"))
            .chain([".wpatch-1000/x".into(), "d/e/f/x".into()]);
        let files =
            names.filter_map(|name| Some((RelPath::new(name.as_bytes()).ok()?, Entry::file("x"))));
        let found = find_by_name(b"x", &Memory::with_files(files));
        assert_eq!(found, [RelPath::new(b"d/e/f/x").unwrap()]);
        assert!(closed.len() > 5);
    }
}
